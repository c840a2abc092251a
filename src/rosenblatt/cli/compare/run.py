"""What `compare` does: read, run, and tell."""

import csv
import io
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...compare import Comparison, Plan, contenders
from ...compare import compare as compare_learners
from ...compare.contenders import check, split_names
from ...compare.optimum import check_two, with_optimum
from ...data.batch import Batch, joined
from ...errors import DataError, Message, SettingError, naming
from ...learn.rule import rule_from
from ...model.representation import Representation
from ...read import from_recipe, open_source
from ...report.compare import NAMED, fewest, table, verdict
from ...report.options import as_options
from ...report.words import class_counts, listed, plural, wrapped
from ...write import whole_files
from ..command import as_written, in_shell
from ..options import FEATURES, READING
from ..output import notes
from ..pictures import write_picture
from ..progress import Progress
from ..recipe import recipe_of
from ..sources import output_errors, whole

SAME = (*READING, *(name for name in FEATURES if name != "scale"), "positive", "seed", "epochs", "max_time")
"""Options of `train` too: of reading, features, seed, positive class and limits."""
ONLINE = ("optimizer", "online")
WIDEST = 120
"""Letters of a line where the output is no terminal and nothing else is said."""


class Compared(NamedTuple):
    """What came of it. data: what it is called. notes: what was skipped while reading. seconds: of all.
    asked: the other options that `train` needs to do the same."""

    found: Comparison
    data: str
    class_rows: dict[str, int]
    test: str | None
    notes: dict[str, int]
    seconds: float
    asked: list[str]

    def as_text(self, top: int | None) -> Iterator[str]:
        """For people."""
        columns = shutil.get_terminal_size((WIDEST, 24)).columns
        found, width = self.found, max(30, columns)
        rows = f"{plural(sum(self.class_rows.values()), 'row')} ({class_counts(self.class_rows, 4)})"
        learners = f"{plural(len(found.rows), 'learner')}, {self.seconds:.1f} s"
        yield from wrapped(f"{self.data}: {rows}; {self.how()}; {learners}", width)
        yield ""
        yield from table(found, columns, top)
        if top is not None and len(found.rows) > top:
            last = found.rows[-1]
            yield f"and {len(found.rows) - top} more, up to {100 * last.error:.2f} % errors: --top all"
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
        pick, words = self.found.pick, [self.data, "-o", "MODEL"]
        met = Message(pick.stop).settings if "limit" in pick.stop else {}
        for name in ("max_iter", "max_updates"):
            if name in met and "--epochs" not in self.asked:
                words += ["--epochs" if name == "max_iter" else "--max-updates", str(met[name])]
        learner = {name: value for name, value in pick.contender.words.items() if (name, value) != ONLINE}
        return " ".join(["rosenblatt train", shlex.join(words), as_options(learner), *self.asked])

    def values(self) -> dict[str, Any]:
        """For machines."""
        found = self.found
        return {
            "data": self.data, "test": self.test, "class_rows": self.class_rows, "folds": found.sizes,
            "scoring": found.scoring, "method": found.method, "interrupted": found.interrupted,
            "most_frequent_class": {"error": found.baseline[0], "score": found.baseline[1]},
            "learners": found.records(), "best": found.best.contender.words, "pick": found.pick.contender.words,
            "verdict": found.verdict(), "level": [row.contender.name for row in found.level()],
            "optimum": {scale: optimum._asdict() for scale, optimum in found.optima.items()},
            "command": self.command(), "notes": self.notes, "seconds": round(self.seconds, 3),
        }  # fmt: skip

    def how(self) -> str:
        train, test = self.found.sizes[0]
        if self.test is not None:
            return f"tested on {test:,} rows of {Path(self.test).name}"
        return f"{plural(len(self.found.sizes), 'fold')}, {train:,} rows to learn from and {test:,} to test on"

    def _failed(self, width: int) -> Iterator[str]:
        reasons: dict[Message, list[str]] = {}
        for contender, reason in self.found.failed.items():
            reasons.setdefault(reason, []).append(contender.name)
        for reason, names in reasons.items():
            yield from wrapped(f"failed: {listed(names, NAMED)}: {in_shell(reason)}", width)


def run(data: str, reading: dict[str, Any], words: dict[str, Any], given: set[str]) -> Compared:
    """Read the data and compare; every setting is checked before that."""
    begun = time.monotonic()
    if "optimum_time" in given and not words["optimum"]:
        raise SettingError("--optimum-time is the limit of --optimum; give both")
    if words["test"] is not None and "folds" in given:
        raise SettingError("--folds and --test: choose one; a test file is tested on once")
    rules, keeps, scalings = (_names(words[name]) for name in ("rules", "keeps", "scalings"))
    optimizers = _names(words["optimizers"]) or ["online"]
    check(keeps, scalings, optimizers)
    for rule in rules or ():
        rule_from(rule)
    recipe, chosen = recipe_of(words, without=["scoring"]), _plan(words)
    with Progress() as progress:
        source: Any = open_source(data, reading.pop("format", "auto"), labelled=True, **reading)
        recipe.check_kind(source)
        rows = whole(progress.reading(source))
        noted = dict(source.notes)
        classes, counts = np.unique(np.asarray(rows.y), return_counts=True)
        if words["optimum"]:
            check_two(rows.y)
        test = None if words["test"] is None else _test(words["test"], source, rows, progress)
        learners = contenders(source.kind, classes.size, rules, keeps, scalings, optimizers)
        plan = Plan(learners=learners, options=recipe.features, **chosen)
        with naming(source.origin):
            found = compare_learners(rows, None, plan, test, progress.runs())
            if words["optimum"] and not found.interrupted:
                found = with_optimum(found, rows, plan, words["optimum_time"], progress.runs())
    class_rows = {str(label): int(count) for label, count in zip(classes, counts, strict=True)}
    return Compared(found, data, class_rows, words["test"], noted, time.monotonic() - begun, as_written(SAME))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else split_names(text)


def _plan(words: dict[str, Any]) -> dict[str, Any]:
    """The plan's words; a scorer's name is looked up before anything is read."""
    if words["scoring"] is not None:
        from ...model.metrics import scorer

        scorer(words["scoring"])
    return {name: words[name] for name in ("folds", "scoring", "epochs", "max_time", "jobs", "seed", "positive")}


def _test(path: str, source: Any, data: Batch, progress: Progress) -> Batch:
    """The test file, read as the data were."""
    columns: Any = None if isinstance(data.rows, list) else data.rows.width
    known = Representation(classes=np.unique(np.asarray(data.y)))
    listed = known.classes.tolist()
    other = from_recipe(path, source.recipe(), labelled=True, width=columns, classes=listed)
    batches, labels, first = [], [], 1
    for batch in progress.reading(other):
        batches.append(batch)
        labels.append(known.labels_of(batch, other.origin, first))
        first += batch.n
    if not batches:
        raise DataError(f"{path}: found no rows; at least one is needed to test on")
    notes(other.notes)
    return joined(batches)._replace(y=np.concatenate(labels))


def write_csv(found: Comparison, path: str) -> None:
    """One line a learner. OutputError where it cannot be written."""
    records, out = found.records(), io.StringIO()
    writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    with output_errors(path), whole_files(path) as files:
        files[0].write(out.getvalue().encode())


def write_plot(done: Compared, path: str) -> None:
    """The picture. OutputError where it cannot be written."""
    from ...report.pictures.learners import Line, figure_of_learners

    found = done.found
    lines = []
    for row in found.rows:
        value = found.value(row) if row.score is None else row.score
        deviation = row.deviation if row.score_deviation is None else row.score_deviation
        behind = row.behind and (row.behind.low, row.behind.value, row.behind.high)
        lines.append(Line(row.contender.name, value, deviation, behind, row.level, row is found.pick))
    baseline = found.baseline[0] if found.scoring is None else found.baseline[1]
    title = [Path(done.data).name, done.how()]
    write_picture(figure_of_learners(lines, baseline, found.scoring, title), path)
