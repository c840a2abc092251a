"""A recorded run made again, and compared with its record: bit for bit, or on another machine to 1e-9."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import numpy as np

from ..core.machine import machine
from ..core.rows import Array
from ..data.checks import checked_weights, rows_from
from ..data.labels import encode
from ..errors import DataError, ModelError, plural
from ..kernels import kernel_from
from ..kernels.rows import rows_to_learn_from
from ..learn.observers import Observer
from ..learn.run import Chunk, Chunks, Limits, Run, new_run, stop_from
from ..learn.settings import Own, Settings, given_again
from ..learn.train import train
from ..model.file import run_from
from ..read.several import Several
from ..recipe import training
from ..recipe.recipe import Recipe
from .checks import check_whole
from .file import SavedTrace, sha256_of
from .lines import Line, Written, as_text, closing, digest_of_field, ended, leaves, written
from .observer import Trace, record_of
from .packing import about_rows
from .record import Record

TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
"""By the type of the rows: how far a number of another machine or version may be off, relative to max(1, |number|)."""
OUTSIDE = ("own", "callback", "time")
"""Kinds of stops that came from outside of the run: it cannot know them."""
UNREAD = (
    "order", "scoring", "virtual", "stop_if_not_separable", "max_iter", "max_updates", "max_time", "calibrate",
    "calibrate_folds", "max_false_positives", "max_false_negatives", "cost", "at", "confidence",
)  # fmt: skip
"""Words of a recipe that make no other rows."""
NOTHING = "nothing"


class Difference(NamedTuple):
    """A field that is another in the file than in the run. line: of the file, from 1; 0: of the arrays beside it.
    field: `settings.eta0`, `entries[2].u` (from 1). run: what the run has; where known is False, the field does not fit
    its digest, and the run has not been asked."""

    line: int
    field: str
    file: Any
    run: Any = None
    known: bool = True


@dataclass(frozen=True, repr=False)
class Replay:
    """What came of a run that was made again.

    record: of the new run, None where it was not made, because what it is made by has been changed. differences: of
    the two, in the order of the lines. same: whether machine and versions are those of the first run. exact: whether
    all is equal bit for bit.
    """

    record: Record | None
    differences: list[Difference]
    same: bool
    exact: bool

    def __repr__(self) -> str:
        first = "" if self.equal else f", the first in line {self.differences[0].line}: {self.differences[0].field}"
        how = "equal bit for bit" if self.exact else plural(len(self.differences), "difference") + first
        return f"<Replay: {how}; {'the same' if self.same else 'another'} machine and versions>"

    @property
    def equal(self) -> bool:
        """Whether the run is the one that was recorded, to `TOLERANCE` at the least."""
        return not self.differences


class Counts(NamedTuple):
    """How far a run went. after: updates after the last finished epoch."""

    stop: str
    epochs: int
    updates: int
    after: int


def again(record: Record, data: Any = None, observers: Iterable[Any] = ()) -> Record:
    """The record of the same run, made again: as many epochs and updates, without time limits and validation.

    data: where the rows are not in the record: what `Recipe.fit` takes, or (X, y) or (X, y, weight); None: the files
    that they were read from, if they are what they were. observers: watch the new run too. Raises ModelError where
    the record has not all that is needed, DataError where the data are others.
    """
    record = record_of(record)
    counts = Counts(record.stop, len(record.epochs), len(record), len(record) - ended(record))
    return _again(record, counts, data, observers)


def replay(record: Record, data: Any = None, observers: Iterable[Any] = ()) -> Replay:
    """Make a run again, as `again` does, and compare the two records."""
    record = record_of(record)
    made = again(record, data, observers)
    lines, beside = written(record)
    both = list(closing(lines))
    file = [text for _, text in both[:-1]]
    end = {"end": both[-1][0]["end"]}
    return _compared([*file, as_text(end)], beside, made, record)


def verify(file: str | os.PathLike[str] | SavedTrace, data: Any = None, observers: Iterable[Any] = ()) -> Replay:
    """Make the run of a file again, with data and observers as of `again`, and find each field that was changed.

    ModelError where it is no whole trace, or has not all that is needed; DataError where the data are others.
    """
    saved = file if isinstance(file, SavedTrace) else SavedTrace.load(file)
    slips = _slips(saved)
    same = {name: saved.head.get(name) for name in ("versions", "cpu")} == machine()
    if slips:
        return Replay(None, slips, same, False)
    with saved.placed(len(saved.lines)):
        end = saved.last["end"]
        counts = Counts(str(end["stop"]), *(int(end[name]) for name in Counts._fields[1:]))
        beside = saved.beside
    try:
        made = _again(saved.beginning, counts, data, observers)
    except ModelError as error:
        raise error.within("" if str(error).startswith(saved.path) else f"{saved.path}: ") from None
    stated = made
    if not same:
        with suppress(ModelError):  # digests of another machine's last bits are those of its own numbers
            stated = saved.record
    found = _compared([*saved.texts[:-1], as_text({"end": end})], beside, made, saved.beginning, stated)
    if found.differences or saved.unchanged:
        return found
    return replace(found, differences=_rewritten(saved), exact=False)


def with_rows(record: Record, data: Any = None) -> Record:
    """The same record with the rows that the run learned from, read anew where they were too many to be in its file.

    data: as of `again`, which raises the same errors; of a record that has its rows none is read.
    """
    return record if record.chunk is not None else replace(record, chunk=_rows(record, data))


def at_hand(record: Record) -> str | None:
    """The files that the rows were read from, as data, where all are there and what they were."""
    files = record.facts.get("files") or []
    if not files or any(each["sha256"] is None or sha256_of(each["path"]) != each["sha256"] for each in files):
        return None
    parts = [(each["label"], each["path"]) for each in files]
    return str(parts[0][1]) if len(parts) == 1 and parts[0][0] is None else Several(parts)


# --- the run ---


def _again(record: Record, counts: Counts, data: Any, observers: Iterable[Any]) -> Record:
    settings = record.settings
    _check(settings)
    chunk = with_rows(record, data).chunk
    assert chunk is not None
    check_whole(record, chunk)
    rows: Any = chunk.rows.alone() if hasattr(chunk.rows, "alone") else chunk.rows
    chunk = chunk._replace(rows=rows)
    if record.begun is not None:
        header, tensors = record.begun
        own = {name: values.copy() for name, values in tensors.items()}
        run = replace(run_from(deepcopy(header), own), settings=settings)
    else:
        start = record.start if record.start[0].any() or record.start[1].any() else None
        run = new_run(settings, rows, len(record.classes), start)
    trace = Trace(record.facts.get("weights", 0), record.facts.get("errors", False))
    trace.about(classes=record.classes, names=record.names)
    measure = (lambda weights: 0.0) if run.memory.needs_measure else None
    watching = [trace, *observers]
    train(run, _parted(chunk, record.sizes), _limits(settings, counts), measure, watching, record.order)
    made = replace(trace.record, facts=record.facts)
    return replace(made, stop=counts.stop) if stop_from(counts.stop).kind in OUTSIDE else made


def _check(settings: Settings) -> None:
    """ModelError for what no file holds."""
    if isinstance(settings.schedule, Own) and settings.schedule.function is given_again:
        raise ModelError("the learning rate was a function, which no file holds; the run cannot be made again from it")
    for what in ("rule", "metric"):
        if hasattr(part := getattr(settings, what), "missing"):
            text = f"the {what} {part.missing!r} was one of its user's own, and no file holds code"
            raise ModelError(f"{text}; the run cannot be made again from it")


def _limits(settings: Settings, counts: Counts) -> Limits:
    """As far as the run went; where it ended by itself, the same end must come again."""
    limited = stop_from(counts.stop).kind in (*OUTSIDE, "updates")
    if settings.optimizer.picks:
        return Limits(None, counts.updates if limited else counts.updates + 1)
    if counts.after:
        return Limits(counts.epochs + 1, counts.updates)
    return Limits(counts.epochs, counts.updates if stop_from(counts.stop).kind == "updates" else None)


def _parted(chunk: Chunk, sizes: tuple[int, ...]) -> list[Chunk]:
    """The chunks as they were."""
    if len(sizes) < 2:
        return [chunk]
    ends = np.cumsum(sizes)
    parts = [np.arange(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    weight = chunk.weight
    return [Chunk(chunk.rows.take(i), chunk.y[i], None if weight is None else weight[i]) for i in parts]


# --- rows ---


class _Seen(Exception):
    """The rows are there, and nothing need be learned from them."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk


class _Look(Observer):
    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        raise _Seen(next(iter(chunks)))


def _rows(record: Record, data: Any) -> Chunk:
    """The rows of a record that has none, read anew; DataError where they are others."""
    about = record.facts.get("rows") or {}
    data = at_hand(record) if data is None else data
    if data is None:
        called = f" ({record.facts['data']})" if record.facts.get("data") else ""
        why = f"{plural(about.get('rows', 0), 'row')} are too many to be in the trace"
        raise DataError(f"{why}, and the data that they were read from{called} are not there as they were; give them")
    chunk = _read(record, data)
    found = about_rows(chunk)
    if found["digest"] != about.get("digest"):
        sizes = (f"{plural(each.get('rows', 0), 'row')} of {plural(each.get('columns', 0), 'column')}"
                 for each in (found, about))  # fmt: skip
        text = "the rows are not those that the run learned from: found {}, the trace is of {}"
        raise DataError(f"{text.format(*sizes)}, of these values, labels and weights")
    return chunk


def _read(record: Record, data: Any) -> Chunk:
    recipe = record.facts.get("recipe")
    X, y, weight = (*data, None)[:3] if isinstance(data, tuple) else (data, None, None)
    if recipe is None and y is not None:
        rows: Any = rows_from(X)
        kernel = record.facts["rows"]["kernel"]
        rows = rows.without_duplicates() if record.settings.shaped else rows
        rows = rows if kernel is None else rows_to_learn_from(kernel_from(kernel), rows)
        return Chunk(rows, encode(np.asarray(y), record.classes), checked_weights(weight, rows.n))
    if recipe is None:
        raise ModelError("the rows came from arrays in Python: give them again as (X, y), or (X, y, weight)")
    if record.begun is not None:
        raise ModelError("the run went on from a model, which has the features; its rows cannot be read without it")
    words = {name: value for name, value in recipe.items() if name not in UNREAD}
    if not isinstance(words.get("validation"), float):
        words.pop("validation", None)
    try:
        training.new(Recipe().instead(**words), X, y, weight, observers=[_Look()])
    except _Seen as seen:
        return seen.chunk
    raise DataError("the weights of all rows are zero; the trace is of other rows")


# --- comparing ---


def _slips(saved: SavedTrace) -> list[Difference]:
    """Fields of the first line and the last that do not fit their digests."""
    last, fields = len(saved.lines), saved.last.get("fields")
    added = [name for name in saved.last if name not in ("end", "fields", "digest")]
    if added:
        return [Difference(last, name, saved.last[name], NOTHING) for name in added]
    if not isinstance(fields, dict):
        return [Difference(last, "fields", fields, known=False)]
    own = [(1, *each) for each in leaves(saved.head)] + [(last, *each) for each in leaves({"end": saved.last["end"]})]
    bad = [(line, name, value) for line, name, value in own if digest_of_field(value) != fields.get(name)]
    more = [name for name in fields if name not in {name for _, name, _ in own}]
    if saved.unchanged:  # then the digests are what was changed
        wrong = [Difference(last, f"fields.{name}", fields.get(name), digest_of_field(value)) for _, name, value in bad]
        return [*wrong, *(Difference(last, f"fields.{name}", fields[name], NOTHING) for name in more)]
    gone = [Difference(1, name, NOTHING, known=False) for name in more]
    return [*(Difference(*each, known=False) for each in bad), *gone]


def _compared(
    file: list[str], beside: dict[str, Array], made: Record, record: Record, stated: Record | None = None
) -> Replay:
    """file: the texts of its lines. record: the one that it holds, or its beginning. stated: whose digests it has."""
    same = record.facts.get("machine") == machine()
    ours: Written = written(made, stated)
    assert made.chunk is not None
    slack = 0.0 if same else TOLERANCE[made.chunk.rows.dtype.name]
    found, exact = list[Difference](), True
    for number, (text, line) in enumerate(zip_longest(file, ours.lines), 1):
        if line is not None and text == as_text(line):
            continue
        exact = False
        if text is None or line is None:
            here = NOTHING if text is None else text[:40], NOTHING if line is None else as_text(line)[:40]
            found.append(Difference(number, "line", *here))
            continue
        found += _unlike(number, json.loads(text), line, slack)
    for name in ours.beside.keys() | beside.keys():
        own = _unlike_arrays(name, beside.get(name), ours.beside.get(name), slack)
        found += own[0]
        exact = exact and own[1]
    return Replay(made, found, same, exact)


def _unlike(number: int, file: Line, run: Line, slack: float) -> Iterator[Difference]:
    """The fields of a line that differ."""
    own, other = dict(_parts(file)), dict(_parts(run))
    for name in chain(own, (name for name in other if name not in own)):
        one, two = own.get(name, NOTHING), other.get(name, NOTHING)
        if as_text(one) != as_text(two) and not _near(one, two, slack):
            yield Difference(number, name, one, two)


def _parts(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """(`entries[2].u`, value) of each number and text of a line."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _parts(each, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value:
        for place, each in enumerate(value, 1):
            yield from _parts(each, f"{name}[{place}]")
    else:
        yield name, value


def _near(one: Any, two: Any, slack: float) -> bool:
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (one, two))
    return slack > 0.0 and numbers and abs(one - two) <= slack * max(1.0, abs(one), abs(two))


def _unlike_arrays(name: str, file: Any, run: Any, slack: float) -> tuple[list[Difference], bool]:
    """(the first number that differs, if any; whether all are the same bit for bit) of two arrays."""
    if file is None or run is None or file.shape != run.shape or file.dtype != run.dtype:
        own, other = (NOTHING if each is None else f"{each.dtype} {each.shape}" for each in (file, run))
        return [Difference(0, name, own, other)], False
    if np.array_equal(file, run, equal_nan=file.dtype.kind == "f"):
        return [], True
    off = ~((np.abs(file - run) <= slack * np.maximum(1.0, np.abs(run))) | (np.isnan(file) & np.isnan(run)))
    if slack == 0.0:
        off = (file != run) & ~(np.isnan(file) & np.isnan(run))
    if not off.any():
        return [], False
    place = tuple(int(i[0]) for i in np.nonzero(off))
    shown = "".join(f"[{i + 1}]" for i in place)
    return [Difference(0, f"{name}{shown}", file[place].item(), run[place].item())], False


def _rewritten(saved: SavedTrace) -> list[Difference]:
    """What is another in lines that say the same."""
    own = [number for number, text in enumerate(saved.texts[:-1], 1) if text != as_text(saved.lines[number - 1])]
    if own:
        return [Difference(number, "line", "the same, written in another way", known=False) for number in own]
    return [Difference(len(saved.lines), "digest", saved.last.get("digest"), known=False)]
