"""A record of a run: each update, with the scores of its rows before and after."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.loop import MISTAKES, SEEN, UPDATES
from ..core.recorder import BEFORE, CLASSES, DONE, ENTRIES, KEPT, KEPT_EVERY, NORM_EVERY, PLACE, TOLD, Recorder
from ..core.recorder import UPDATES as WRITTEN
from ..core.rows import Array
from ..errors import DataError, SettingError
from ..learn.epochs import SEGMENT
from ..learn.observers import Event, Observer, Stop, Walked
from ..learn.run import Chunk, Chunks, Run

KEPT_NUMBERS = 1 << 20
"""Numbers of kept weights, 8 MB, unless another budget is given."""
MOST_KEPT = 10_000
"""Updates whose weights are kept at the most."""


class Entries(NamedTuple):
    """What the updates did, an entry for each row of a block and each class that it moved, all (m,).

    update: its number, from 1. row: from 0, in the order of the data. cls: 0 with two classes, else the class moved. u:
    the score before. a: the step, as it was made: w ← w + a·x (with a metric w ← w + η·a·Σx). after: the score after
    the update, NaN where it was not measured. b: the bias after it.
    """

    update: Array
    row: Array
    cls: Array
    u: Array
    a: Array
    after: Array
    b: Array


class Updates(NamedTuple):
    """The updates, all (k,). epoch: from 1. seen: rows learned from by then, mistakes: made by then, since the run
    began. norm: ‖w‖ after it, NaN where it was not measured. shrunk: what L2 multiplied the weights by, 1 without."""

    epoch: Array
    seen: Array
    mistakes: Array
    norm: Array
    shrunk: Array


class Weights(NamedTuple):
    """update: (c,) after which; w: (c, K, d), b: (c, K) float64, K = 1 of two classes."""

    update: Array
    w: Array
    b: Array


class Trace(Observer):
    """An observer that records each update of a run: `clf.fit(X, y, callback=trace)`.

    The record is filled by the compiled loop, as the updates are made. Any rule, optimizer, memory and metric.

    Parameters
    ----------
    weights : int ≥ 0, default=1,048,576
        How many numbers of weights are kept: those after each update, or after every second, fourth … of a long run.
        0: none. None are kept of a run with a kernel, whose weights are of rows, nor with L1.

    Attributes
    ----------
    run : Run
        What was recorded. chunks: its rows.
    entries : Entries
    updates : Updates
    kept : Weights
    start : (w, b)
        (K, d) and (K,) float64 at the beginning.
    epochs : list of dict
        Of each finished epoch its number, mistakes, updates and mean loss, and how many updates there were by its end.
    """

    def __init__(self, weights: int = KEPT_NUMBERS) -> None:
        if isinstance(weights, bool) or not isinstance(weights, (int, np.integer)) or weights < 0:
            raise SettingError(f"weights must be a whole number ≥ 0, found {weights!r}")
        self.weights = int(weights)
        self._run: Run | None = None

    def __repr__(self) -> str:
        if self._run is None:
            return "<Trace: has recorded no run yet>"
        return f"<Trace: {len(self.updates.seen):,} updates of {self.run.settings.learner}>"

    # --- what `train` calls ---

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        self._run, self.chunks, self.order = run, chunks, order
        self.plain = run.settings.kernel is None and not run.settings.pulls
        self.before = {name: int(run.state.n[at]) for name, at in (("seen", SEEN), ("mistakes", MISTAKES))}
        self.first_epoch, self.first_update = run.epoch, int(run.state.n[UPDATES])
        w, b = run.memory.weights(run.state) if run.settings.kernel is None else (np.zeros((run.state.b.size, 0)), 0.0)
        self.start = np.array(w, float), np.array(b, float) + np.zeros(run.state.b.size)
        sizes = [(len(chunk.y), chunk.rows.size) for chunk in chunks]
        self.first_row = np.cumsum([0, *(n for n, _ in sizes)])
        self._longest = max((n for n, _ in sizes), default=0)
        self._values = sum(size for _, size in sizes) / max(int(self.first_row[-1]), 1)
        self.epochs: list[dict[str, Any]] = []
        self._entries: list[tuple[Array, ...]] = []
        self._updates: list[tuple[Array, ...]] = []
        self._joined: tuple[Entries, Updates] | None = None
        self._open = False
        return False

    def around(self, rule: Any) -> Recorder:
        run, classes = self.run, self.run.state.b.size
        rows = min(self._longest, max(SEGMENT, self._block(self._longest)))
        room, width = rows * classes, run.state.w.size
        kept = min(MOST_KEPT, self.weights // max(width, 1)) & ~1 if self.plain else 0
        n = np.zeros(10, np.int64)
        n[CLASSES], n[KEPT_EVERY] = classes, kept > 0
        # Of wide sparse rows ‖w‖ would cost more than learning.
        n[NORM_EVERY] = max(1, int(width / max(4.0 * self._values, 1.0))) if self.plain else 0
        self._recorder = Recorder(
            rule, np.empty(room), np.empty(room, np.int32), np.empty(room, np.int64), np.empty((4, room)),
            np.empty((3, rows), np.int64), np.empty((2, rows)), np.empty((kept, width)), np.empty(kept, np.int64), n,
        )  # fmt: skip
        return self._recorder

    def _block(self, n: int) -> int:
        optimizer = self.run.settings.optimizer
        return 1 if optimizer.picks else int(optimizer.block(n))

    def walked(self, walked: Walked) -> None:
        """Take what the recorder has, and empty it."""
        r = self._recorder
        n, m, k = r.n, int(r.n[ENTRIES]), int(r.n[WRITTEN])
        if k:
            number = int(n[BEFORE]) + (0 if self._open else 1)
            update = np.repeat(np.arange(number, number + k), np.diff(r.update[2, :k], prepend=0))
            row = walked.rows[r.place[:m]] + self.first_row[walked.number]
            self._entries.append((update, row, r.cls[:m].copy(), *r.number[:, :m].copy()))
            if self._open:  # parts of one block make one update
                self._updates.pop()
            epoch = np.full(k, self.run.epoch + 1)
            self._updates.append((epoch, *r.update[:2, :k].copy(), *r.length[:, :k].copy()))
            n[BEFORE] = number + k - 1
            self._open = walked.whole > 0
        if walked.last:
            self._open = False
        n[[PLACE, DONE, ENTRIES, WRITTEN, TOLD]] = 0
        self._joined = None

    def epoch(self, event: Event) -> Stop | None:
        if event.epoch_ended:
            history = event.run.history
            last = {name: history[name][-1] for name in ("mistakes", "updates", "loss")}
            self.epochs.append({"epoch": event.run.epoch, **last, "by": int(self._recorder.n[BEFORE])})
        return None

    # --- what was recorded ---

    @property
    def run(self) -> Run:
        """The run. DataError before there is one."""
        if self._run is None:
            raise DataError("the trace has recorded no run yet; give it to fit as callback=trace")
        return self._run

    @property
    def entries(self) -> Entries:
        return self._record[0]

    @property
    def updates(self) -> Updates:
        return self._record[1]

    @property
    def _record(self) -> tuple[Entries, Updates]:
        _ = self.run
        if self._joined is None:
            entries = [np.concatenate(parts) for parts in zip(*self._entries, strict=True)]
            updates = [np.concatenate(parts) for parts in zip(*self._updates, strict=True)]
            none = Entries(*(np.empty(0, kind) for kind in "qqidddd")), Updates(*(np.empty(0, k) for k in "qqqdd"))
            self._joined = Entries(*entries) if entries else none[0], Updates(*updates) if updates else none[1]
            settings = self.run.settings
            if settings.kernel is not None and (self._block(2) > 1 or settings.budget is not None):
                self._joined[0].after[:] = np.nan  # the loop corrects only the scores of the rows to come
        return self._joined

    @property
    def kept(self) -> Weights:
        r = self._recorder
        many, c, k = self.run.many, int(r.n[KEPT]), self.run.state.b.size
        w, update = r.kept[:c], r.kept_at[:c].copy()
        d = self.start[0].shape[1]
        w = np.swapaxes(w.reshape(c, d, k), 1, 2) if many and self.run.memory.by_column else w.reshape(c, k, d)
        return Weights(update, w.copy(), np.array([self.bias(at) for at in update.tolist()]).reshape(c, k))

    def bias(self, update: int) -> Array:
        """(K,) after this update; 0: at the beginning."""
        out, entries = self.start[1].copy(), self.entries
        until = np.searchsorted(entries.update, update, "right")
        for k in range(out.size):
            at = np.flatnonzero(entries.cls[:until] == k)[-1:]
            out[k] = entries.b[at[0]] if at.size else out[k]
        return out

    def of(self, update: int) -> Entries:
        """The entries of one update, from 1. DataError where it is none."""
        if not 1 <= update <= len(self.updates.seen):
            raise DataError(f"there is no update {update}; the run has {len(self.updates.seen):,}")
        part = slice(*np.searchsorted(self.entries.update, [update, update + 1]).tolist())
        return Entries(*(values[part] for values in self.entries))

    def rows(self) -> Chunk:
        """All rows that the run learned from, in one."""
        parts = list(self.chunks)
        weight = None if parts[0].weight is None else np.concatenate([chunk.weight for chunk in parts])
        from ..core.rows import stack

        return Chunk(stack([chunk.rows for chunk in parts]), np.concatenate([chunk.y for chunk in parts]), weight)
