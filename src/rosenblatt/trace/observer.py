"""The observer that records a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.machine import machine
from ..core.recorder import BEFORE, CLASSES, ENTRIES, KEPT, KEPT_EVERY, NORM_EVERY, SCORED, Recorder
from ..core.recorder import UPDATES as WRITTEN
from ..core.rows import Array, stack
from ..errors import DataError, SettingError
from ..learn.epochs import SEGMENT
from ..learn.observers import Event, Observer, Walked
from ..learn.run import Chunk, Chunks, Run, Stop
from ..model.file import run_parts
from .record import Entries, Record, Updates, Weights, error_of, keeping_none

KEPT_NUMBERS = 1 << 20
"""Numbers of kept weights, 8 MB, unless another budget is given."""
MOST_KEPT = 10_000
"""Updates whose weights are kept at the most."""
MOST_ENTRIES = 20_000_000
"""At which a run is ended, as its record would fill the memory: 2 GB, and some minutes of a run that does not end."""
MOST_NAMES = 1 << 16
"""Of products of columns, and of mapped ones."""
BLOCK = 1 << 16
"""Entries of which memory is asked for at once."""
MOST_SCORES = 1 << 24
"""Of rows by kept weights, up to which training errors are counted of all of them: .3 s."""


class _Columns:
    """Arrays of one length that grow in blocks: many short epochs cost no more than a long one, and nothing is copied
    before the end."""

    def __init__(self, kinds: str) -> None:
        self.kinds, self.size = kinds.split(), 0
        self.blocks, self.starts = [self._block(1 << 8)], [0]

    def _block(self, room: int) -> list[Array]:
        return [np.empty(room, kind) for kind in self.kinds]

    def add(self, count: int, *parts: Any) -> None:
        """parts: of each array `count` numbers, or one for all."""
        done = 0
        while done < count:
            used, room = self.size - self.starts[-1], len(self.blocks[-1][0])
            if used < 0:  # the last one was taken back
                del self.blocks[-1], self.starts[-1]
            elif used == room:
                self.blocks.append(self._block(min(2 * room, BLOCK)))
                self.starts.append(self.size)
            else:
                take = min(count - done, room - used)
                for values, part in zip(self.blocks[-1], parts, strict=True):
                    values[used : used + take] = part[done : done + take] if np.ndim(part) else part
                done, self.size = done + take, self.size + take

    def filled(self) -> list[Array]:
        return [np.concatenate(values)[: self.size] for values in zip(*self.blocks, strict=True)]


class Trace(Observer):
    """An observer that records each update of a run: `clf.fit(X, y, callback=trace)`, then `trace.record`.

    The record is filled by the compiled loop, as the updates are made. Any rule, optimizer, memory and metric.

    Parameters
    ----------
    weights : int ≥ 0, default=1,048,576
        How many numbers of weights are kept: those after each update, or after every second, fourth … of a long run.
        0: none. None are kept of a run with a kernel, whose weights are of rows, nor with L1.
    errors : bool, default=False
        Count the training errors of the kept weights, too; of many rows those of each second, fourth … of them.
    """

    def __init__(self, weights: int = KEPT_NUMBERS, errors: bool = False) -> None:
        if not isinstance(errors, (bool, np.bool_)):
            raise SettingError(f"errors must be True or False, found {errors!r}")
        if isinstance(weights, bool) or not isinstance(weights, (int, np.integer)) or weights < 0:
            raise SettingError(f"weights must be a whole number ≥ 0, found {weights!r}")
        self.weights, self.errors = int(weights), bool(errors)
        if self.errors and not self.weights:
            text = "{errors:s} counts those of kept weights, and {weights:s} keeps none; choose one of them"
            raise SettingError(text, errors=True, weights=self.weights)
        self.run: Run | None = None
        self._facts: dict[str, Any] = {}

    def __repr__(self) -> str:
        return "<Trace: has recorded no run yet>" if self.run is None else f"<Trace: {self.record!r}>"

    # --- what `train` calls ---

    def about(self, **facts: Any) -> None:
        self._facts |= facts

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        why = keeping_none(run.settings)
        if self.errors and why:
            text = f"{{errors:s}} counts those of kept weights, and a run {why} keeps none; leave it out"
            raise SettingError(text, errors=True)
        self.run, self.chunks, self.order = run, chunks, order
        parts = [(chunk.y, chunk.rows.size) for chunk in chunks]
        self._y = np.concatenate([y for y, _ in parts])
        self._first = np.cumsum([0, *(len(y) for y, _ in parts)])
        self._longest = max(len(y) for y, _ in parts)
        self._plain = not why
        w, b = run.memory.weights(run.state)
        self.start = np.array(w[:, :0] if run.settings.kernel is not None else w, float), np.array(b, float)
        fresh = run.epoch == 0 and run.position == (0, 0) and not run.state.n.any()
        self._begun = None if fresh and not (run.settings.kernel is not None and w.any()) else _state(run)
        self._make(sum(size for _, size in parts) / max(len(self._y), 1))
        self.epochs: list[dict[str, Any]] = []
        self._entries, self._updates = _Columns("i8 i8 i4 f8 f8 f8 f8 f8"), _Columns("i8 i8 i8 f8 f8")
        self._record: Record | None = None
        self._open = False
        return False

    def _make(self, values: float) -> None:
        """The recorder's arrays. values: of a row, on average."""
        assert self.run is not None
        classes, width = self.run.state.b.size, self.run.state.w.size
        rows = min(self._longest, max(SEGMENT, self._block(self._longest)))
        room = rows * classes
        kept = min(MOST_KEPT, self.weights // max(width, 1)) & ~1 if self._plain else 0
        n = np.zeros(8, np.int64)
        n[CLASSES], n[KEPT_EVERY] = classes, kept > 0
        # Of wide sparse rows ‖w‖ would cost more than learning.
        n[NORM_EVERY] = max(1, int(width / max(4.0 * values, 1.0))) if self._plain else 0
        scores = np.empty(2 * room)  # a memory that looks at the weights has a block scored twice
        cls, place, number = np.empty(room, np.int32), np.empty(room, np.int64), np.empty((room, 4))
        update, length = np.empty((rows, 3), np.int64), np.empty((rows, 2))
        weights = np.empty((kept, width)), np.empty(kept, np.int64)
        self._arrays = scores, cls, place, number, update, length, *weights, n

    def _block(self, n: int) -> int:
        assert self.run is not None
        optimizer = self.run.settings.optimizer
        return 1 if optimizer.picks else int(optimizer.block(n))

    def around(self, rule: Any) -> Recorder:
        if isinstance(rule, Recorder):
            raise SettingError("a run is recorded by one trace; give one, and share its record")
        return Recorder(rule, *self._arrays)

    def walked(self, walked: Walked) -> None:
        """Take what the recorder has, and empty it."""
        _, cls, place, number, update, length, _, _, n = self._arrays
        m, k = int(n[ENTRIES]), int(n[WRITTEN])
        if k:
            assert self.run is not None
            first = int(n[BEFORE]) + 1
            numbers = np.repeat(np.arange(first, first + k), np.diff(update[:k, 2], prepend=0))
            row, moved = walked.rows[place[:m]] + self._first[walked.number], cls[:m]
            y = np.where(self._y[row] == moved, 1.0, -1.0) if self.run.many else self._y[row]
            self._entries.add(m, numbers, row, moved, y, *number[:m].T)
            if self._open:  # parts of one block make one update
                self._updates.size -= 1
                self._keep_last(first)
            self._updates.add(k, self.run.epoch + 1, *update[:k, :2].T, *length[:k].T)
            self._open = walked.whole > 0
            n[BEFORE] = first + k - 1 - self._open  # an open update is counted again, by the next part of its block
        if walked.last:
            n[BEFORE] += self._open
            self._open = False
        n[[SCORED, ENTRIES, WRITTEN]] = 0
        self._record = None

    def _keep_last(self, update: int) -> None:
        """Of the weights kept after the parts of one update those after the last."""
        *_, weights, number, n = self._arrays
        at, end = int(np.searchsorted(number[: n[KEPT]], update)), int(n[KEPT])
        if end - at > 1:
            weights[at], number[at] = weights[end - 1], number[end - 1]
            n[KEPT] = at + 1

    def epoch(self, event: Event) -> Stop | None:
        if event.epoch_ended:
            history = event.run.history
            last = {name: history[name][-1] for name in ("mistakes", "updates", "loss")}
            self.epochs.append({"epoch": event.run.epoch, **last, "by": int(self._arrays[-1][BEFORE])})
            self._record = None
        if self._entries.size < MOST_ENTRIES:
            return None
        return Stop("own", note=f"the record is full, with {MOST_ENTRIES:,} entries")

    def end(self, run: Run) -> None:
        self._record = None

    # --- what was recorded ---

    @property
    def record(self) -> Record:
        """What the run has done so far. DataError before there is one."""
        if self.run is None:
            raise DataError("the trace has recorded no run yet; give it to fit as callback=trace")
        if self._record is None:
            run, facts = self.run, {"weights": self.weights, "errors": self.errors, "machine": machine(), **self._facts}
            entries, updates = Entries(*self._entries.filled()), Updates(*self._updates.filled())
            settings = run.settings
            if settings.kernel is not None and (self._block(2) > 1 or settings.budget is not None):
                entries.after[:] = np.nan  # the loop corrects only the scores of the rows to come
            chunk, classes = self._chunk(), facts.pop("classes", None)
            names = _named(facts.pop("names", None), chunk.rows.given.width)
            classes = np.arange(max(2, run.state.b.size)) if classes is None else np.asarray(classes)
            made = Record(
                settings, classes, names, chunk, self.start, entries, updates, self._kept(), self.epochs,
                str(run.stop_reason), facts, self.order, tuple(np.diff(self._first).tolist()), self._begun,
            )  # fmt: skip
            made.kept.b[...] = made.bias(made.kept.update)
            if self.errors:
                _count_errors(made)
            self._record = made
        return self._record

    def _kept(self) -> Weights:
        assert self.run is not None
        *_, weights, update, n = self._arrays
        c, (k, d) = int(n[KEPT]), self.start[0].shape
        turned = self.run.many and self.run.memory.by_column
        w = np.swapaxes(weights[:c].reshape(c, d, k), 1, 2) if turned else weights[:c].reshape(c, k, d)
        return Weights(update[:c].copy(), w.copy(), np.empty((c, k)), np.full(c, np.nan))

    def _chunk(self) -> Chunk:
        parts = list(self.chunks)
        weight = None if parts[0].weight is None else np.concatenate([chunk.weight for chunk in parts])
        return Chunk(stack([chunk.rows for chunk in parts]), self._y, weight)


def _named(names: Any, width: int) -> Sequence[str] | None:
    """Names of products and of mapped columns are made as they are asked for, and have no end of their own."""
    if names is None or hasattr(names, "__len__"):
        return names
    return [names[j] for j in range(width)] if width <= MOST_NAMES else None


def record_of(given: Any) -> Record:
    """A record; of a `Trace` its own. SettingError for anything else."""
    found = given.record if isinstance(given, Trace) else given
    if not isinstance(found, Record):
        path = isinstance(given, (str, os.PathLike))
        hint = "; read it first, by trace.read" if path else " itself" if isinstance(given, type) else ""
        shown = repr(given) if path else given.__name__ if isinstance(given, type) else type(given).__name__
        raise SettingError(f"a Record is needed, or the Trace that has it; found {shown}{hint}")
    return found


def _count_errors(record: Record) -> None:
    """Of each kept weights, or of each second, fourth … and the last."""
    kept, step = record.kept, 1
    assert record.chunk is not None
    while len(kept.update) * len(record.chunk.y) * len(record.start[1]) > step * MOST_SCORES:
        step *= 2
    for i in range(len(kept.update) - 1, -1, -step):
        kept.errors[i] = error_of(record.chunk, kept.w[i], kept.b[i])


def _state(run: Run) -> tuple[dict[str, Any], dict[str, Array]]:
    """All that a run that goes on begins with. The best epoch of before says nothing of the steps to come."""
    header, tensors = run_parts(replace(run, best=None))
    return deepcopy(header), {name: value.copy() for name, value in tensors.items()}
