"""`rosenblatt demo`: the perceptron family learns to tell spam from real mail, on data that come with the package."""

import os
import shutil
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import click

from ... import datasets
from ...data.batch import AtHand, joined
from ...data.folds import two_parts
from ...errors import SettingError
from ...features.pipeline import Features
from ...learn.settings import DEFAULTS
from ...mailtext.fields import Document
from ...model.evidence import Names, evidence, strongest_features
from ...model.metrics import metrics
from ...model.model import Model
from ...read import open_source
from ..command import Number, command, option
from ..options import json_option
from ..output import OutputError, check_writable, to_json, write
from ..pictures import write_picture
from ..sources import output_errors
from .view import View

WORDS = 12
"""Strongest words shown of each class, and contributions shown of the mail that is explained."""
SHARE = 0.7
"""Of the mails of each class, the part to learn from."""
FILES = {"model": "spam.model", "picture": "mistakes.png", "mail": "mail.eml", "messages": "sms.txt.xz"}


class Learner(NamedTuple):
    """One row of the table. rule, keep: in the words of `rosenblatt train`."""

    name: str
    rule: str
    keep: str = "last"


KEPT = Learner("averaged perceptron", "perceptron", "averaged")
"""The learner whose model is written: chosen here, before any mail is read, not by its errors on held-out mails."""
LEARNERS = (
    Learner("perceptron", "perceptron"),
    KEPT,
    Learner("voted perceptron", "perceptron", "voted"),
    Learner("pocket perceptron", "perceptron", "pocket"),
    Learner("margin perceptron", "margin"),
    Learner("passive-aggressive", "passive-aggressive"),
    Learner("linear unit", "linear"),
    Learner("sigmoid unit", "sigmoid"),
    Learner("tanh unit", "tanh"),
    Learner("logistic unit", "logistic"),
)


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
    kept = models[LEARNERS.index(KEPT)]
    found |= outcome(kept, mails)
    histories = {each["learner"]: each["mistakes_per_epoch"] for each in found["learners"]}
    write_files(files, kept, found["explained"]["id"], histories)
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


def learn_all(mails: Mails, seed: int, epochs: int | None, show: View) -> tuple[list[Model], list[dict[str, Any]]]:
    """(models, table): every learner learns from the training mails and is then counted on the held-out ones."""
    from ...recipe.recipe import Recipe
    from ...recipe.training import learn
    from ...recipe.trial import warm_up

    models, rows, train = [], [], mails.train
    with show.table([learner.name for learner in LEARNERS]) as table:
        for number, learner in enumerate(LEARNERS):
            recipe = Recipe(rule=learner.rule, keep=learner.keep, random_state=seed, max_iter=epochs)
            table.status(number, "compiling")
            warm_up(recipe, train.rows, train.y)
            table.status(number, "learning")
            learned = learn(recipe, train.rows, train.y)
            model = learned.model
            model.features, model.reading, model.recipe = mails.features, mails.reading, recipe.as_dict()
            models.append(model)
            rows.append(measured(learner, model, mails.held) | {"seconds": round(learned.seconds, 3)})
            table.row(number, rows[-1])
    return models, rows


def measured(learner: Learner, model: Model, held: Any) -> dict[str, Any]:
    """One row of the table."""
    counted = metrics(model, model.scores(held.rows), held.y)
    history = model.run.history["mistakes"]
    return {
        "learner": learner.name,
        "rule": learner.rule,
        "keep": learner.keep,
        "errors": counted["errors"],
        "real_mail_lost": counted["false_positives"],
        "spam_let_through": counted["false_negatives"],
        "mistakes": sum(history),
        "mistakes_per_epoch": history,
        "epochs": len(history),
        "stop_reason": model.run.stop_reason,
    }


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
    return {"kept": KEPT.name, "strongest_words": words, "explained": explained}


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


def write_files(files: Mapping[str, Path], kept: Model, mail: str, histories: Mapping[str, Sequence[int]]) -> None:
    """Write them all. kept: the model. mail: the name of one of the shipped mails. histories: for the picture."""
    from ...report.pictures.training import figure_of_mistakes

    title = "Mistakes while learning to tell spam from real mail\n(a ring: from this epoch on, none)"
    with output_errors(str(files["model"])):
        kept.save(files["model"])
        write_picture(figure_of_mistakes(histories, title), str(files["picture"]))
        files["mail"].write_bytes(raw_mail(mail))
        shutil.copyfile(datasets.path("sms"), files["messages"])


def raw_mail(name: str) -> bytes:
    """The bytes of one of the shipped mails, by the end of its path in their archive."""
    with tarfile.open(datasets.path("mails")) as archive:
        file = archive.extractfile(next(each for each in archive if each.name.endswith(name)))
        assert file is not None
        return file.read()


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
