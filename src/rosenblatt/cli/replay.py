"""`rosenblatt replay`: what a recorded run was; the run made again, and each field of its file held against it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import click
import numpy as np

from ..core.machine import machine
from ..errors import SettingError
from ..learn.run import Limits, stop_from
from ..read.several import from_words
from ..report.words import as_options, plural, printable, series, short, table
from ..theory.ledger.ledger import Ledger
from ..trace import Record
from ..trace.file import SavedTrace
from ..trace.replay import Difference, Replay, again, at_hand, verify
from .command import command, in_shell, option, switch
from .drawing import Drawing, drawing_options
from .options import json_option
from .output import show
from .progress import Progress
from .recording import error_text, learner_text, numbered_text, recorded, training_error
from .trace import trace

CHANGED, NEARLY = 1, 6
"""Exit codes beside 0: a field is another than in the run; all are the same to 1e-9, on another machine or version."""
SHOWN = 20
"""Changed fields that are named."""
ENDS = 3
"""First updates that are shown, and last ones."""


@command(run="RUN", data="[DATA]...")
@option("Output", "--verify", "held", is_flag=True, help="Make the run again, and name each field that is another.")
@switch("Output", "--ledger", "Make the run again, and say what the theorems say of it.")
@drawing_options
@json_option
def replay(run: str, data: tuple[str, ...], held: bool, ledger: bool, as_json: bool, **words: Any) -> None:
    """Say what a run that `rosenblatt trace` recorded was, and make it again.

    DATA are needed only where the rows were too many to be in RUN, and do not lie any more where they were: for
    pictures, --verify and --ledger. They are read as they were when RUN was made.

    Exit codes with --verify: 0, the run is the same, bit for bit; 1, a field of RUN is another than in the run; 6, all
    is the same to 1e-9 (of float32: 1e-4), but not bit for bit, because the machine or a version is another.

    Example:
        rosenblatt replay run.jsonl
        rosenblatt replay run.jsonl --verify
        rosenblatt replay run.jsonl heart.svm.xz --verify --ledger
        rosenblatt replay run.jsonl --tell --html run.html
    """
    source, drawing = from_words(data) if data else None, Drawing.of(words)
    if (held or ledger) and (drawing.files or drawing.tell):
        raise SettingError("pictures and sentences are of the run as it was recorded; leave out --verify and --ledger")
    drawing.check(run, source)
    if not (held or ledger):
        if source is not None and not drawing.files:
            raise SettingError(f"{source}: data are read for --verify, --ledger and pictures alone; leave it out")
        record = recorded(run).record
        try:
            drawing.check_kept(record.settings)
        except SettingError as error:
            raise error.saying(_say(error.message)) from None
        record, missing = drawing.with_rows(record, source)
        drawing.draw(record, run, say=_say, missing=missing)
        values = _values(run, record)
        shown = chain(drawing.told(record), _text(values, record))
        show(lambda: values | drawing.values(record), shown, as_json, drawing.files)
        return
    follow = Ledger() if ledger else None
    found = _made(run, source, held, follow)
    said = [] if follow is None or follow.run is None else follow.summary(say=_say).split("\n")
    lines = [*(_verdict(run, found) if held else []), *said]
    show(lambda: _verified(run, found, follow), lines, as_json)
    if held and not (found.equal and found.exact):
        raise click.exceptions.Exit(NEARLY if found.equal else CHANGED)


def _say(message: str) -> str:
    """In the words with which the run was asked for."""
    return in_shell(message, trace)


def _made(run: str, data: Any, held: bool, ledger: Ledger | None) -> Replay:
    """The run made again. held: against its file, too."""
    saved = SavedTrace.load(run) if held else recorded(run)
    with Progress() as progress:
        watching = [progress.learning(Limits(None)), *([] if ledger is None else [ledger])]
        if held:
            return verify(saved, data, watching)
        return Replay(again(saved.record, data, watching), [], True, True)


# --- what it was ---


def _values(run: str, record: Record) -> dict[str, Any]:
    """As `--json` prints it."""
    rows = record.facts.get("rows")
    sizes = (record.chunk.rows.given.n, record.chunk.rows.given.width) if record.chunk is not None else None
    n, d = sizes or (rows["rows"], rows["columns"])  # type: ignore[index]
    return {
        "run": run,
        "rows": n,
        "columns": d,
        "classes": record.classes,
        "data": record.facts.get("data"),
        "data_at_hand": "in the file" if record.chunk is not None else "as it was" if at_hand(record) else None,
        "recipe": record.facts.get("recipe"),
        "settings": record.settings.words(),
        "epochs": len(record.epochs),
        "mistakes_per_epoch": [epoch["mistakes"] for epoch in record.epochs],
        "updates": len(record),
        "entries": len(record.entries.update),
        "mistakes": record.mistakes,
        "seen": int(record.updates.seen[-1]) if len(record) else 0,
        "training_error": training_error(record),
        "stop_reason": record.stop,
        **record.facts["machine"],
    }


def _text(values: dict[str, Any], record: Record) -> Iterator[str]:
    """The same for people, with the first updates and the last."""
    settings = record.settings
    origin = "" if values["data"] is None else f"{values['data']}: "
    where = {"in the file": "in the file", "as it was": "as they were"}.get(values["data_at_hand"], "not at hand")
    size = f"{plural(values['rows'], 'row')} of {plural(values['columns'], 'column')}, {where}"
    yield f"{origin}{size}; classes {', '.join(map(str, values['classes'].tolist()[:10]))}"
    how = "as given" if record.order is not None or not settings.shuffle else f"by seed {settings.random_state}"
    yield f"{learner_text(settings)}, order {how}"
    if record.begun is not None:
        yield f"went on with a model, after {', '.join(map(plural, record.before, ('epoch', 'update', 'mistake')))}"
    recipe = {name: value for name, value in (values["recipe"] or {}).items() if isinstance(value, (str, int, float))}
    if recipe:
        yield f"asked for: {as_options(recipe)}"
    counts = [(values[name], name[:-1]) for name in ("updates", "mistakes", "epochs")]
    yield ", ".join(plural(count, name) for count, name in counts)
    if values["mistakes_per_epoch"]:
        yield f"mistakes per epoch: {series(values['mistakes_per_epoch'])}"
    yield from numbered_text(record)
    if values["training_error"]:
        yield error_text(values["training_error"])
    yield f"stopped: {_say(stop_from(values['stop_reason']).text)}"
    if record.facts["machine"] != machine():
        own = ", ".join(f"{name} {number or 'none'}" for name, number in values["versions"].items())
        yield f"made on another machine or with other versions: {values['cpu']['model']}; {own}"
    if len(record):
        yield from _updates(record)


def _updates(record: Record) -> Iterator[str]:
    """A table of the first updates, and the last; of a block the first row."""
    numbers = [*range(1, min(ENDS, len(record)) + 1), *range(max(ENDS, len(record) - ENDS) + 1, len(record) + 1)]
    head = ["update", "epoch", "row", "class", "y", "score", "step", "after", "mistakes"]
    cells, before = [head], 0
    classes = np.asarray(record.classes)
    for number in numbers:
        if number > before + 1:
            cells.append(["..."] + [""] * (len(head) - 1))
        own, at, before = record.of(number), number - 1, number
        if not len(own.row):
            continue
        label = classes[own.cls[0]] if classes.size > 2 else classes[int(own.y[0] > 0.0)]
        rows, moved = len(np.unique(own.row)), len(np.unique(own.cls))
        many, others = (f" and {count - 1:,} more" if count > 1 else "" for count in (rows, moved))
        floats = (f"{value:.4g}" if value == value else "-" for value in (own.u[0], own.a[0], own.after[0]))
        counts = f"{number:,}", f"{record.updates.epoch[at]:,}", f"{own.row[0] + 1:,}{many}"
        label = short(label, 20) + others
        cells.append([*counts, label, f"{own.y[0]:+.0f}", *floats, f"{record.updates.mistakes[at]:,}"])
    yield from table(cells, right=range(len(head)))


# --- what came of it ---


def _verdict(run: str, found: Replay) -> Iterator[str]:
    for each in found.differences[:SHOWN]:
        yield printable(difference_text(run, each))
    more = len(found.differences) - SHOWN
    if more > 0:
        yield f"and {plural(more, 'more field')}"
    if found.differences:
        return
    assert found.record is not None
    counts = f"{plural(len(found.record), 'update')}, {plural(len(found.record.epochs), 'epoch')}"
    if found.exact:
        yield f"{run}: the run is the one that was recorded, bit for bit: {counts}"
    else:
        yield f"{run}: the run is the one that was recorded, to 1e-9: {counts}; the machine or a version is another"


def difference_text(run: str, each: Difference) -> str:
    """`run.jsonl, line 3: entries[1].u is 2.0; the run has 1.0`."""
    place = f"{run}, line {each.line}" if each.line else f"{run}.safetensors"
    has = f"{place}: {each.field} is {short(each.file, 60)}"
    return f"{has}; the run has {short(each.run, 60)}" if each.known else f"{has}, which does not fit its digest"


def _verified(run: str, found: Replay, ledger: Ledger | None) -> dict[str, Any]:
    """As `--json` prints it."""
    names = ("line", "field", "file", "run")
    return {
        "run": run,
        "equal": found.equal,
        "exact": found.exact,
        "same_machine": found.same,
        "differences": [dict(zip(names, each, strict=False)) for each in found.differences],
        "updates": None if found.record is None else len(found.record),
        "epochs": None if found.record is None else len(found.record.epochs),
        "bounds": None if ledger is None or ledger.run is None else [bound.as_dict() for bound in ledger.bounds()],
    }
