"""`rosenblatt compare`: all learners on the same data, in one table."""

import csv
import io
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from ..compare import Comparison, Plan, along, contenders
from ..compare import compare as compare_learners
from ..compare.contenders import check, in_all_spaces, named, usual
from ..compare.optimum import check_two, with_optimum
from ..compare.race import check_noise
from ..data.batch import Batch, joined
from ..errors import DataError, Message, SettingError, naming
from ..learn.metric import shaping
from ..learn.rule import rule_classes
from ..model.metrics import scorer
from ..model.representation import Representation
from ..read import from_recipe, open_source
from ..read.several import Several, words_of
from ..report.compare import NAMED, fewest, table, verdict
from ..report.words import as_options, class_counts, listed, plural, wrapped
from ..write import whole_files
from .command import (
    Number,
    Share,
    as_data,
    as_members,
    as_numbers,
    as_written,
    command,
    given,
    in_shell,
    option,
    option_of,
    switch,
)
from .options import FEATURES, READING, TABLE, data_options, json_option, like, plot_option, reading
from .output import check_writable, note, notes, show
from .pictures import check_picture, write_picture
from .progress import Progress
from .recipe import recipe_of
from .sources import output_errors, whole

SAME = (*READING, *(name for name in FEATURES if name != "scale"), "positive", "seed", "epochs", "max_time")
"""Options of `train` too: of reading, features, seed, positive class and limits."""
PLANNED = ("folds", "scoring", "noise", "epochs", "max_time", "jobs", "seed", "positive")
"""Options that the plan has under the same names."""
ONLINE = ("optimizer", "online")
WIDEST = 120
"""Letters of a line where the output is no terminal and nothing else is said."""


def _shares(ctx: click.Context, param: click.Parameter, text: str | None) -> list[float]:
    return [Share().convert(part.strip(), param, ctx) for part in (text or "").split(",") if part.strip()]


# fmt: off
@command(data="DATA...")
@option("Comparison", "--folds", type=Number(int, 2), default=5,
        help="DATA in N parts, each tested once by what the others teach.  [default: 5]")
@option("Comparison", "--test", metavar="FILE", multiple=True, callback=as_data,
        help="Learn from all of DATA and test on this file, once.")
@option("Comparison", "--scoring", metavar="NAME",
        help="Sort by a scorer of scikit-learn, as balanced_accuracy or roc_auc.  [default: errors]")
@option("Comparison", "--noise", metavar="P,Q,...", callback=_shares,
        help="Shares of the training rows that get another label, as 0,5%,20%: errors at each, side by side.")
@like("random_state", "Comparison", "Of the folds, the shuffled orders and the noise.", name="seed")
@option("Comparison", "--jobs", type=Number(int, 1), help="Threads; the result is the same.  [default: one a core]")
@option("Learners", "--rules", metavar="A,B,...", callback=as_members,
        help=f"{', '.join(rule_classes())}; with parameters: margin:tau=2; your own: FILE.py:CLASS. Metrics:"
             f" {', '.join(shaping())}; arow:r=0.1, logistic+adagrad.  [default: all rules, {', '.join(usual())}]")
@option("Learners", "--keeps", metavar="A,B,...", callback=as_members,
        help=f"{', '.join(TABLE['keep'].choices)}.  [default: all, but voted for the units: linear, sigmoid, tanh,"
             " logistic]")
@option("Learners", "--scales", "scalings", before="scalings", metavar="A,B,...", callback=as_members,
        help="As --scale of train.  [default: none,standard for numbers, idf+unit:2,none for texts]")
@option("Learners", "--optimizers", metavar="A,B,...", callback=as_members, default="online",
        help=f"{', '.join(TABLE['optimizer'].choices)}.  [default: online]")
@option("Learners", "--l1", metavar="P,Q,...", callback=as_numbers,
        help="A path: each learner that L1 goes with at each of these strengths, as 0,1e-6,1e-5; --plot draws it.")
@option("Learners", "--epochs", type=Number(int, 1, auto=None), default=None,
        help="The most passes of a run; auto: 300, on larger data fewer, so that a run takes less than a second."
             "  [default: auto]")
@like("max_time", "Learners", "The most seconds of a run; with it, other machines give other results.")
@switch("Learners", "--nonlinear", "Each also with the products of its columns, in random features of a Gaussian"
        " kernel, and in that kernel's own space; of perceptron averaged, unless others are named.")
@switch("Comparison", "--optimum", "Two classes: also the errors of each learner on all of DATA, learned from all of"
        " it, and the fewest that any hyperplane makes there.")
@option("Comparison", "--optimum-time", type=Number(float, 0, none=None), default=60.0,
        help="--optimum: the most seconds of the search.  [default: 60]")
@option_of(TABLE["positive"]._replace(section="Learners"))
@option("Output", "--top", type=Number(int, 1, all=None), default=None,
        help="Rows to show, and the pick.  [default: all]")
@option("Output", "--csv", "csv_file", metavar="FILE", help="Write the table, all numbers at full length.")
@plot_option("Draw the errors and the intervals: a .png, .svg or .pdf.")
@json_option
@data_options
# fmt: on
def compare(data: str, as_json: bool, **words: Any) -> None:
    """Try all learners on the labelled rows of DATA, and say which to pick.

    Every rule with every memory and some scalings, in folds, side by side in threads. Errors come with their deviation,
    and differences to the best with an interval. Words and scalings are learned from the training rows alone. Ctrl-C
    ends it with what is done. DATA is what `rosenblatt train` reads.

    Example:
        rosenblatt compare heart.svm.xz --plot learners.png
        rosenblatt compare mails/ --test new-mails/ --keeps averaged,voted --scoring f1
    """
    if words["csv_file"] is not None:
        check_writable(words["csv_file"], data, words["test"])
    check_picture("--plot", words["plot"], data, words["test"], words["csv_file"])
    done = run(data, reading(words), words, given(words))
    notes(done.notes)
    if words["csv_file"] is not None:
        write_csv(done.found, words["csv_file"])
    if words["plot"] is not None:
        from ..report.pictures.learners import figure_of_learners
        from ..report.pictures.lines import figure_of_path

        figure = figure_of_path if words["l1"] else figure_of_learners
        write_picture(figure(done.found, [_name(data), done.how()]), words["plot"])
    show(done.values, done.as_text(words["top"]), as_json, (words["csv_file"], words["plot"]))
    if done.found.interrupted:
        note("stopped by Ctrl-C: the table has what was done by then")
        raise click.exceptions.Exit(130)


compare.params = [parameter for parameter in compare.params if parameter.name != "scale"]  # there are --scales


class Compared(NamedTuple):
    """What came of it. data: what it is called. notes: what was skipped while reading. seconds: of all."""

    found: Comparison
    data: str
    class_rows: dict[str, int]
    test: str | None
    notes: dict[str, int]
    seconds: float

    def as_text(self, top: int | None) -> Iterator[str]:
        """For people."""
        columns = shutil.get_terminal_size((WIDEST, 24)).columns
        found, width = self.found, max(30, columns)
        rows = f"{plural(sum(self.class_rows.values()), 'row')} ({class_counts(self.class_rows, 4)})"
        learners = f"{plural(len(found.rows), 'learner')}, {self.seconds:.1f} s"
        yield from wrapped(f"{self.data}: {rows}; {self.how()}; {learners}", width)
        yield ""
        yield from table(found, columns, top)
        more = 0 if top is None else len(found.rows) - top - all(row is not found.pick for row in found.rows[:top])
        if more > 0:
            yield f"and {more} more, up to {100 * found.rows[-1].error:.2f} % errors: --top all"
        error, score = found.baseline
        worse = sum(row.error > error for row in found.rows)
        shown = "" if score is None else f", {found.scoring} {score:.4f}"
        below = f"; {worse} {'does' if worse == 1 else 'do'} worse" if worse else ""
        yield f"most frequent class: {100 * error:.2f} % errors{shown}{below}"
        yield from self._failed(width)
        for sentence in fewest(found):
            yield from wrapped(sentence, width)
        yield ""
        for sentence in verdict(found):
            yield from wrapped(sentence, width)
        yield f"to learn it: {self.command()}"

    def command(self) -> str:
        """How `train` learns the pick, with the limit that it met."""
        pick, words, asked = self.found.pick, [*words_of(self.data), "-o", "MODEL"], as_written(SAME)
        met = Message(pick.stop).settings if "limit" in pick.stop else {}
        for name in ("max_iter", "max_updates"):
            if name in met and "--epochs" not in asked:
                words += ["--epochs" if name == "max_iter" else "--max-updates", str(met[name])]
        learner = {name: value for name, value in pick.contender.words.items() if (name, value) != ONLINE}
        return " ".join(["rosenblatt train", shlex.join(words), as_options(learner), *asked])

    def values(self) -> dict[str, Any]:
        """For machines."""
        found = self.found
        return {
            "data": self.data, "test": self.test, "class_rows": self.class_rows, "folds": found.sizes,
            "scoring": found.scoring, "method": found.method, "interrupted": found.interrupted,
            "most_frequent_class": {"error": found.baseline[0], "score": found.baseline[1]},
            "positive": found.classes[-1] if len(found.classes) == 2 else None,
            "learners": found.records(), "best": found.best.contender.words, "pick": found.pick.contender.words,
            "verdict": found.verdict(), "level": [row.contender.name for row in found.level()],
            "optimum": {scale: optimum._asdict() for scale, optimum in found.optima.items()},
            "noise": list(found.noise),
            "command": self.command(), "notes": self.notes, "seconds": round(self.seconds, 3),
        }  # fmt: skip

    def how(self) -> str:
        train, test = self.found.sizes[0]
        if self.test is not None:
            return f"tested on {test:,} rows of {_name(self.test)}"
        return f"{plural(len(self.found.sizes), 'fold')}, {train:,} rows to learn from and {test:,} to test on"

    def _failed(self, width: int) -> Iterator[str]:
        reasons: dict[Message, list[str]] = {}
        for contender, reason in self.found.failed.items():
            reasons.setdefault(reason, []).append(contender.name)
        for reason, names in reasons.items():
            yield from wrapped(f"failed: {listed(names, NAMED)}: {in_shell(reason)}", width)


def _name(data: str) -> str:
    return data.origin if isinstance(data, Several) else Path(data).name


def run(data: str, reading: dict[str, Any], words: dict[str, Any], given: set[str]) -> Compared:
    """Read the data and compare; every setting is checked before that."""
    begun = time.monotonic()
    if "optimum_time" in given and not words["optimum"]:
        raise SettingError("--optimum-time is the limit of --optimum; give both")
    if words["nonlinear"]:
        _check_nonlinear(words)
        words = words | {"rules": words["rules"] or ["perceptron"], "keeps": words["keeps"] or ["averaged"]}
    if words["test"] is not None and "folds" in given:
        raise SettingError("--folds and --test: choose one; a test file is tested on once")
    others = words["keeps"], words["scalings"], words["optimizers"] or ["online"]
    check(*others)
    along([], words["l1"] or [0.0])
    check_noise(words["noise"])
    for rule in words["rules"] or ():
        named(rule)
    recipe = recipe_of(words, without=["scoring", "l1"])
    if words["scoring"] is not None:
        scorer(words["scoring"])
    with Progress() as progress:
        source: Any = open_source(data, labelled=True, **reading)
        recipe.check_kind(source)
        rows = whole(progress.reading(source))
        noted = dict(source.notes)
        classes, counts = np.unique(np.asarray(rows.y), return_counts=True)
        if words["optimum"]:
            check_two(rows.y, words["noise"])
        test = None if words["test"] is None else _test(words["test"], source, rows, progress)
        learners = contenders(source.kind, classes.size, words["rules"], *others)
        learners = along(learners, words["l1"], words["rules"] is not None) if words["l1"] else learners
        learners = in_all_spaces(learners, source.kind) if words["nonlinear"] else learners
        plan = Plan(learners=learners, options=recipe.features, **{name: words[name] for name in PLANNED})
        with naming(source.origin):
            found = compare_learners(rows, None, plan, test, progress.runs())
            if words["optimum"] and not found.interrupted:
                found = with_optimum(found, rows, plan, words["optimum_time"], progress.runs())
    class_rows = {str(label): int(count) for label, count in zip(classes, counts, strict=True)}
    return Compared(found, data, class_rows, words["test"], noted, time.monotonic() - begun)


def _check_nonlinear(words: dict[str, Any]) -> None:
    """SettingError beside what is one of the spaces itself, and beside what is about a single one."""
    of_one = "is about one space"
    for name, why in (("degree", "is one of its spaces"), ("map", "is one of its spaces"), ("optimum", of_one)):
        if words[name] not in (None, False) and (name, words[name]) != ("degree", 1):
            raise SettingError(f"--nonlinear and --{name}, which {why}: give one of them")


def _test(path: str, source: Any, data: Batch, progress: Progress) -> Batch:
    """The test file, read as the data were."""
    columns: Any = None if isinstance(data.rows, list) else data.rows.width
    known = Representation(classes=np.unique(np.asarray(data.y)))
    other = from_recipe(path, source.recipe(), labelled=True, width=columns, classes=known.classes.tolist())
    batches = list(progress.reading(other))
    if not batches:
        raise DataError(f"{path}: found no rows; at least one is needed to test on")
    notes(other.notes)
    whole = joined(batches)
    return whole._replace(y=known.labels_of(whole, other.origin))


def write_csv(found: Comparison, path: str) -> None:
    """One line a learner. OutputError where it cannot be written."""
    records, out = found.records(), io.StringIO()
    writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    with output_errors(path), whole_files(path) as files:
        files[0].write(out.getvalue().encode())
