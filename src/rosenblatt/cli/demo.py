"""`rosenblatt demo`: the perceptron family learns to tell spam from real mail, on data that come with the package."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tarfile
import textwrap
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from .. import datasets
from ..data.batch import AtHand, joined
from ..data.folds import two_parts
from ..errors import SettingError
from ..features.pipeline import Features
from ..learn.settings import DEFAULTS
from ..mail.opinion import VERDICTS
from ..mail.paths import Mail
from ..mail.rewriting import headers_for
from ..mail.store.bulk import learn as learn_into
from ..mail.store.learning import Store
from ..mail.store.reading import Reader
from ..mailtext.fields import Document
from ..model.evidence import Names, evidence, strongest_features
from ..model.metrics import metrics
from ..model.model import Model
from ..read import open_source
from ..recipe.recipe import Recipe
from ..recipe.training import learn
from ..recipe.trial import warm_up
from ..report.words import short, table
from .command import Number, command, option
from .options import json_option
from .output import OutputError, check_writable, to_json, write, write_lines
from .pictures import write_picture
from .sources import output_errors

WORDS = 12
"""Strongest words shown of each class, and contributions shown of the mail that is explained."""
SHARE = 0.7
"""Of the mails of each class, the part to learn from."""
FILES = {"model": "spam.model", "picture": "mistakes.png", "mail": "mail.eml", "messages": "sms.txt.xz"}
KEPT = "averaged perceptron"
"""The learner whose model is written: chosen here, before any mail is read, not by its errors on held-out mails."""
LEARNERS = {
    "perceptron": {"rule": "perceptron", "keep": "last"},
    KEPT: {"rule": "perceptron", "keep": "averaged"},
    "voted perceptron": {"rule": "perceptron", "keep": "voted"},
    "pocket perceptron": {"rule": "perceptron", "keep": "pocket"},
    "margin perceptron": {"rule": "margin", "keep": "last"},
    "passive-aggressive": {"rule": "passive-aggressive", "keep": "last"},
    "linear unit": {"rule": "linear", "keep": "last"},
    "sigmoid unit": {"rule": "sigmoid", "keep": "last"},
    "tanh unit": {"rule": "tanh", "keep": "last"},
    "logistic unit": {"rule": "logistic", "keep": "last"},
}
"""The rows of the table, in the words of a recipe."""
COUNTS = {"errors": "errors", "real_mail_lost": "false_positives", "spam_let_through": "false_negatives"}
"""What is counted on held-out mails → what it is among the metrics of a model whose positive class is spam."""
HEAD = ("learner", "errors", "mail lost", "spam through", "mistakes", "epochs", "seconds")
NARROW = 76
"""Columns below which only the counts on held-out mails are shown, and the words stand in one column."""
NARROW_HEAD = ("learner", "errors", "lost", "through")


# fmt: off
@command()
@option("Output", "--output", type=click.Path(path_type=Path), metavar="DIR", default="rosenblatt-demo",
        show_default=True, help="The folder for what is written; made if need be.")
@option("Run", "--seed", type=click.IntRange(0), default=DEFAULTS["random_state"], show_default=True,
        help="Of the split and of the shuffled orders.")
@option("Run", "--epochs", type=Number(int, none=None), default=DEFAULTS["max_iter"], show_default=True,
        help="The most passes of each learner; they usually stop long before.")
@json_option
# fmt: on
def demo(output: Path, seed: int, epochs: int | None, as_json: bool) -> None:
    """Watch linear classifiers learn to tell spam from real mail: 1,000 mails that come with the package.

    Seven tenths are learned from. The others are held out: they are counted once, and not even their words are known
    before. Writes a model, the curve of mistakes per epoch, one held-out mail and a set of short messages.

    Example:
        rosenblatt demo --output spam-demo --seed 1
    """
    if epochs is not None and epochs < 1:
        raise SettingError(f"--epochs {epochs}: at least 1 is needed to learn anything")
    files = make_folder(output)
    show = View(silent=as_json)
    show.say("Reading 1,000 mails ...")
    mails = read_mails(seed)
    found = about(mails, seed)
    show.opening(found)
    models, found["learners"] = learn_all(mails, seed, epochs, show)
    kept = models[KEPT]
    found |= outcome(kept, mails)
    found["filter"] = filtering(mails, raws := raw_mails())
    histories = {each["learner"]: each["mistakes_per_epoch"] for each in found["learners"]}
    write_files(files, kept, raws[found["explained"]["id"]], histories)
    found |= {"files": {name: str(file) for name, file in files.items()}, "next": list(next_commands(files))}
    show.closing(found)
    if as_json:
        write(f"{to_json(found)}\n")


# --- the mails -------------------------------------------------------------------------------------------------------


class Mails(NamedTuple):
    """The shipped mails: those to learn from and those held out, each a `Batch` of rows over the words of the training
    mails, with labels and the files' names; how they became rows, and what was in them."""

    train: Any
    held: Any
    features: Any
    reading: dict[str, Any]
    documents: tuple[list[Document], list[Document]]


def read_mails(seed: int) -> Mails:
    """All mails, taken apart once; dictionary and scaling are learned from the training mails alone."""
    source = open_source(datasets.path("mails"))
    mails: Any = joined(list(source))
    mails = mails._replace(y=mails.y.astype(str))
    train, held = map(mails.take, two_parts(mails.y, SHARE, seed))
    features, rows, *_ = Features.fit(AtHand(train._replace(y=None)))
    own = train._replace(rows=rows), held._replace(rows=features.transform(held))
    return Mails(*own, features, source.recipe(), (train.rows, held.rows))


def about(mails: Mails, seed: int) -> dict[str, Any]:
    """What is learned from, in numbers."""
    train, held = mails.train.y.tolist(), mails.held.y.tolist()
    return {
        "seed": seed,
        "mails": {label: (train + held).count(label) for label in sorted(set(train))},
        "train": len(train),
        "held_out": len(held),
        "held_out_spam": held.count("spam"),
        "words": mails.features.width,
    }


# --- learning --------------------------------------------------------------------------------------------------------


def learn_all(mails: Mails, seed: int, epochs: int | None, show: View) -> tuple[dict[str, Model], list[dict[str, Any]]]:
    """(models, table): every learner learns from the training mails and is then counted on the held-out ones."""
    models, rows, train, held = {}, [], mails.train, mails.held
    with show.table(list(LEARNERS)) as table:
        for number, (name, words) in enumerate(LEARNERS.items()):
            recipe = Recipe(**words, random_state=seed, max_iter=epochs)
            table.status(number, "compiling")
            warm_up(recipe, train.rows, train.y)
            table.status(number, "learning")
            learned = learn(recipe, train.rows, train.y)
            model = models[name] = learned.model
            model.features, model.reading, model.recipe = mails.features, mails.reading, recipe.as_dict()
            counted, history = metrics(model, model.scores(held.rows), held.y), model.run.history["mistakes"]
            row = {"learner": name, **words, **{ours: counted[theirs] for ours, theirs in COUNTS.items()}}
            row |= {"mistakes": sum(history), "mistakes_per_epoch": history, "epochs": len(history)}
            rows.append({**row, "stop_reason": model.run.stop_reason, "seconds": round(learned.seconds, 3)})
            table.row(number, rows[-1])
    return models, rows


# --- what came of it -------------------------------------------------------------------------------------------------


def outcome(model: Model, mails: Mails) -> dict[str, Any]:
    """The kept model's strongest words, and the first held-out spam explained."""
    features = strongest_features(model, WORDS)
    words = {label: [{"word": name, "weight": w} for name, w in own] for label, own in features.items()}
    held, names, i = mails.held, Names(model), mails.held.y.tolist().index("spam")
    why = evidence(model, held.rows, i)
    explained = {
        "id": held.ids[i],
        "subject": dict(reversed(mails.documents[1][i])).get("subject", ""),
        "label": held.y[i],
        "predicted": model.classes[int(why.score > 0.0)],
        "score": why.score,
        "intercept": why.intercept,
        "contributions": [
            {"word": names[j], "contribution": float(share)}
            for j, share in zip(why.columns[:WORDS], why.contributions[:WORDS], strict=True)
        ],
        "rest": {"words": max(0, len(why.columns) - WORDS), "contribution": why.rest(WORDS)},
    }
    return {"kept": KEPT, "strongest_words": words, "explained": explained}


def raw_mails() -> dict[str, bytes]:
    """The shipped mails as they are, by their path in their archive."""
    with tarfile.open(datasets.path("mails")) as archive:
        return {each.name: file.read() for each in archive if (file := archive.extractfile(each)) is not None}


def filtering(mails: Mails, raws: Mapping[str, bytes]) -> dict[str, Any]:
    """What a filter that learns the same mails says. verdicts: label → verdict → held-out mails. headers: of the first
    that is called spam."""
    verdicts, headers = {label: dict.fromkeys(VERDICTS, 0) for label in ("spam", "ham")}, dict[str, str]()
    train, held = (zip(part.ids, part.y.tolist(), strict=True) for part in (mails.train, mails.held))
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "mail.db")
        with Store(path) as store:
            deque(learn_into(store, (Mail(name, raws[name], label) for name, label in train)), maxlen=0)
        with Reader(path) as reader:
            for name, label in held:
                opinion = reader.opinion(reader.looked(raws[name]))
                verdicts[label][opinion.verdict] += 1
                if opinion.verdict == "spam":
                    headers = headers or headers_for(opinion, reader.scale.threshold)
    return {"verdicts": verdicts, "headers": [f"{name}: {value}" for name, value in headers.items()]}


# --- what it leaves behind -------------------------------------------------------------------------------------------


def make_folder(path: Path) -> dict[str, Path]:
    """The files to be written, by what they are. OutputError where the folder cannot be made or written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: the folder cannot be made: {error.strerror or error}") from None
    files = {name: path / file for name, file in FILES.items()}
    for file in files.values():
        check_writable(file)
    return files


def write_files(files: Mapping[str, Path], kept: Model, mail: bytes, histories: Mapping[str, Sequence[int]]) -> None:
    """Write them all. kept: the model. histories: for the picture."""
    from ..report.pictures.training import figure_of_mistakes

    title = "Mistakes while learning to tell spam from real mail\n(a ring: from this epoch on, none)"
    with output_errors(str(files["model"])):
        kept.save(files["model"])
        write_picture(figure_of_mistakes(histories, title), str(files["picture"]))
        files["mail"].write_bytes(mail)
        shutil.copyfile(datasets.path("sms"), files["messages"])


def next_commands(files: Mapping[str, Path]) -> Iterator[str]:
    """Three commands that work as printed, from the folder in which the demo ran."""
    run, model, mail = program(), quote(str(files["model"])), quote(str(files["mail"]))
    yield f"{run} predict {model} {mail} --scores"
    yield f"{run} explain {model} {mail} --top 20"
    messages = files["messages"]
    yield f"{run} train {quote(str(messages))} -o {quote(str(messages.with_name('sms.model')))} --keep averaged"


def program() -> str:
    """This program as the shell can call it: `rosenblatt` where it would find this one, else its path."""
    called = Path(sys.argv[0])
    script = called if called.name == "rosenblatt" else Path(sys.executable).with_name("rosenblatt")
    found = shutil.which("rosenblatt")
    if not script.is_file() or (found and os.path.samefile(found, script)):
        return "rosenblatt"
    return quote(str(script))


# --- what is shown: a live table on a terminal, plain lines anywhere else, nothing for JSON --------------------------


class LearnerTable:
    """The numbers of the learners as they come: a line each, or, where there is a display of rich, all at once."""

    def __init__(self, view: View, names: Sequence[str], display: Any = None) -> None:
        self._view, self._display = view, display
        self._cells = [[name, *[""] * (len(HEAD) - 1)] for name in names]
        self._head = [HEAD[0].ljust(max(map(len, names))), *HEAD[1:]]
        if display is None:
            view.say_lines(table([self._head]))
        else:
            self._show()

    def status(self, number: int, what: str) -> None:
        """What is being done for a learner."""
        if self._display is not None:
            self._cells[number][1] = what
            self._show()

    def row(self, number: int, values: dict[str, Any]) -> None:
        """A learner's numbers, when it has learned."""
        self._cells[number] = cells(values)
        if self._display is not None:
            self._show()
        else:
            self._view.say_lines(table([self._head, self._cells[number]], right=range(1, len(HEAD)))[1:])

    def _show(self) -> None:
        from rich.table import Table

        narrow = self._view.width < NARROW
        grid = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0), header_style="bold")
        for place, name in enumerate(NARROW_HEAD if narrow else HEAD):
            grid.add_column(name, justify="right" if place else "left", no_wrap=True)
        for line in map(_narrow, self._cells) if narrow else self._cells:
            grid.add_row(*line)
        self._display.update(grid, refresh=True)


def _narrow(line: list[str]) -> list[str]:
    return [line[0].removesuffix(" perceptron").removesuffix(" unit"), *line[1:4]]


class View:
    """The pages before and after the table."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent
        self.live = not silent and sys.stdout is not None and sys.stdout.isatty()
        self.width = shutil.get_terminal_size().columns if self.live else 100

    def say(self, *paragraphs: str) -> None:
        """Paragraphs, each in lines that fit; an empty one is an empty line."""
        for text in paragraphs:
            self.say_lines(textwrap.wrap(text, max(20, min(self.width - 1, 100))) or [""])

    def say_lines(self, lines: Sequence[str]) -> None:
        if not self.silent:
            write_lines(lines)

    @contextlib.contextmanager
    def table(self, names: Sequence[str]) -> Iterator[LearnerTable]:
        if not self.live:
            yield LearnerTable(self, names)
            return
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(), auto_refresh=False) as display:
            yield LearnerTable(self, names, display)

    def opening(self, values: dict[str, Any]) -> None:
        classes = ", ".join(f"{count:,} {name}" for name, count in values["mails"].items())
        self.say(
            f"{sum(values['mails'].values()):,} real mails ({classes}): {values['train']:,} to learn from, "
            f"{values['held_out']:,} held out. The dictionary: {values['words']:,} words of the training mails.",
            "On held-out mails: errors, real mail lost (ham called spam), spam let through. To call all of them ham "
            f"would make {values['held_out_spam']} errors. On training mails: mistakes made "
            "while learning, and epochs.",
            "",
        )

    def closing(self, values: dict[str, Any]) -> None:
        """The rest, once everything is known."""
        kept, files = values["kept"], values["files"]
        self.say("", f"The strongest words of the {kept}:")
        self.say_lines(self._words(values["strongest_words"]))
        self._mail(values["explained"], kept)
        self._filter(values["filter"])
        self.say("", f"Curves of mistakes per epoch: {files['picture']}", f"Model of the {kept}: {files['model']}")
        self.say("", "To go on:")
        self.say_lines([f"  {command}" for command in values["next"]])

    def _words(self, strongest: dict[str, list[dict[str, Any]]]) -> list[str]:
        columns = []
        for label, words in reversed(strongest.items()):
            lines = [["", f"{each['weight']:+.3f}", short(each["word"], 24)] for each in words]
            columns.append([f"  for {label}", *table(lines, right=(1,))])
        if self.width < NARROW:
            return [line for column in columns for line in column]
        return table(zip_longest(*columns, fillvalue=""))

    def _mail(self, why: dict[str, Any], kept: str) -> None:
        self.say(
            "",
            f"Why the {kept} calls a held-out mail {why['predicted']} (it is {why['label']}): "
            f'"{short(why["subject"], 60)}". A word adds its weight times its value; above 0 is spam.',
        )
        lines = [["", f"{each['contribution']:+.3f}", short(each["word"], 24)] for each in why["contributions"]]
        rest = why["rest"]
        lines.append(["", f"{rest['contribution']:+.3f}", f"({rest['words']:,} more words)"])
        lines.append(["", f"{why['intercept']:+.3f}", "(intercept)"])
        lines.append(["", f"{why['score']:+.3f}", "= score"])
        self.say_lines(table(lines, right=(1,)))

    def _filter(self, values: dict[str, Any]) -> None:
        self.say("", "A mail filter (rosenblatt mail) learns the same mails, one by one. Of those held out it says:")
        rows = [[label, *map(str, counts.values())] for label, counts in values["verdicts"].items()]
        self.say_lines(table([["mails", *VERDICTS], *rows], right=range(1, 4)))
        self.say("Each goes on as it came, with headers by which mail programs sort; those of the first spam:")
        self.say_lines([f"  {line}" for line in values["headers"]])


def cells(values: dict[str, Any]) -> list[str]:
    """A learner's row as text, in the order of HEAD."""
    counts = (f"{values[name]:,}" for name in (*COUNTS, "mistakes", "epochs"))
    return [values["learner"], *counts, f"{values['seconds']:.3f}"]
