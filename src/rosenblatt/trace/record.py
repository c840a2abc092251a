"""A record of a run: each update, with the scores of its rows before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.loop import MISTAKES
from ..core.loop import UPDATES as UPDATED
from ..core.rows import Array
from ..errors import DataError
from ..learn.converged import mistaken
from ..learn.run import Chunk
from ..learn.settings import Settings

FEW = 96
"""Numbers that are shown one by one: the entries of an update of twelve classes."""


def keeping_none(settings: Settings) -> str:
    """`with a kernel`, `with L1`: why no run like this keeps weights on the way; "" where it could."""
    return "with a kernel" if settings.kernel is not None else "with L1" if settings.pulls else ""


def error_of(chunk: Chunk, w: Array, b: Array) -> float:
    """E_in of weights (K, d) and biases (K,) on these rows, as `Weights.errors` has it."""
    u = np.asarray(chunk.rows.scores(w), float) + b
    return float(np.mean(mistaken(u[:, 0] if u.shape[1] == 1 else u, chunk.y)))


def _short(columns: Any) -> str:
    """Its arrays; where they are long, their shapes, as a notebook would show pages of numbers."""
    few = sum(values.size for values in columns) <= FEW
    parts = (f"{name}={values!r}" if few else f"{name} {values.shape}" for name, values in columns._asdict().items())
    return f"{type(columns).__name__}({', '.join(parts)})"


class Entries(NamedTuple):
    """What the updates did, an entry for each row of a block and each class that it moved, all (m,).

    update: its number, from 1. row: from 0, in the order of the data. cls: 0 with two classes, else the class moved. y:
    ±1, whether the row is of that class. u: the score before. a: the step, as it was made: w ← w + a·x (with a metric
    or L1 w ← w + η·a·Σx). after: the score after the update, NaN where it was not measured. b: the bias after it.
    """

    update: Array
    row: Array
    cls: Array
    y: Array
    u: Array
    a: Array
    after: Array
    b: Array

    def __repr__(self) -> str:
        return _short(self)


class Updates(NamedTuple):
    """The updates, all (k,). epoch: from 1. seen: rows learned from by then, mistakes: made by then, since the run
    began. norm: ‖w‖ after it, NaN where it was not measured. shrunk: what L2 multiplied the weights by, 1 without."""

    epoch: Array
    seen: Array
    mistakes: Array
    norm: Array
    shrunk: Array

    def __repr__(self) -> str:
        return _short(self)


class Weights(NamedTuple):
    """update: (c,) after which; w: (c, K, d), b: (c, K) float64, K = 1 of two classes. errors: (c,) E_in of them, the
    share of the rows with y·u ≤ 0, of more classes of those whose own score is not above all others; NaN where it was
    not counted."""

    update: Array
    w: Array
    b: Array
    errors: Array

    def __repr__(self) -> str:
        return _short(self)


@dataclass(frozen=True, repr=False, eq=False)
class Record:
    """What a run did. From `Trace.record`, or read from a file.

    settings: of the learner, as they came out. classes: the labels, of two the positive one last. names: of the
    columns, or None. chunk: the rows that were learned from, scaled and all, None where they are not at hand. start:
    (w, b), (K, d) and (K,) float64. entries, updates: what was done. kept: weights on the way. epochs: of each finished
    one its number, mistakes, updates, mean loss, and `by`, the updates by its end. stop: why the run ended. facts: what
    else is known, as JSON holds it: recipe, data, files, machine. order: the row numbers that each epoch went through,
    where they were given. sizes: rows of each chunk. begun: of a run that went on its state before, as
    `model.file.run_parts` has it; else None.
    """

    settings: Settings
    classes: Array
    names: Sequence[str] | None
    chunk: Chunk | None
    start: tuple[Array, Array]
    entries: Entries
    updates: Updates
    kept: Weights
    epochs: list[dict[str, Any]]
    stop: str
    facts: dict[str, Any]
    order: Array | None = None
    sizes: tuple[int, ...] = ()
    begun: tuple[dict[str, Any], dict[str, Array]] | None = None

    def __len__(self) -> int:
        """Updates."""
        return len(self.updates.seen)

    def __repr__(self) -> str:
        return f"<Record: {len(self):,} updates of {self.settings.learner}; stopped: {self.stop}>"

    def _repr_html_(self) -> str | None:
        """In a notebook: the page that plays it; None where its package is not installed, and the line above stands."""
        from .told import in_notebook

        return in_notebook(self)

    @property
    def before(self) -> tuple[int, int, int]:
        """(epochs, updates, mistakes) of a run that went on before this record began."""
        if self.begun is None:
            return 0, 0, 0
        n = self.begun[1]["state.n"]
        return int(self.begun[0]["epoch"]), int(n[UPDATED]), int(n[MISTAKES])

    @property
    def mistakes(self) -> int:
        """Made while it was recorded, by its last update."""
        return int(self.updates.mistakes[-1]) - self.before[2] if len(self) else 0

    def of(self, update: int) -> Entries:
        """The entries of one update, from 1. DataError where it is none."""
        self._check(update, 1)
        part = slice(*np.searchsorted(self.entries.update, [update, update + 1]).tolist())
        return Entries(*(values[part] for values in self.entries))

    def _check(self, updates: Any, first: int = 0) -> None:
        """DataError for what is no update of this run, or none of them."""
        there = np.asarray(updates)
        off = there if there.dtype.kind not in "iu" else there[(there < first) | (there > len(self))]
        if off.size:
            shown = off.ravel().tolist()[0]
            start = "" if first else ", and 0 stands for the beginning"
            raise DataError(f"there is no update {shown!r:.40}; the run has {len(self):,}{start}")

    @cached_property
    def _biases(self) -> list[tuple[Array, Array]]:
        """For each class the updates that moved it, and its bias before the first and after each."""
        entries, out = self.entries, []
        for k, start in enumerate(self.start[1]):
            own = entries.cls == k
            out.append((entries.update[own], np.concatenate([[start], entries.b[own]])))
        return out

    def bias(self, update: Any) -> Array:
        """(K,) after this update, or (c, K) after these; 0: at the beginning. DataError where it is none."""
        self._check(update)
        return np.stack([b[np.searchsorted(at, update, "right")] for at, b in self._biases], axis=-1)

    def weights(self, update: int) -> tuple[Array, Array] | None:
        """(K, d) and (K,) after this update, 0: at the beginning; None where they were not kept, as with a kernel.

        With L2 before the weights are shrunk for the next step, which the learner's own are, after the last one too.
        DataError where there is no such update.
        """
        self._check(update)
        if self.settings.kernel is not None:
            return None
        if update == 0:
            return self.start
        at = np.searchsorted(self.kept.update, update)
        if at == len(self.kept.update) or self.kept.update[at] != update:
            return None
        return self.kept.w[at], self.kept.b[at]

    def error(self, update: int) -> float | None:
        """E_in of the weights after this update; None where it was not counted, as at 0, the beginning. DataError where
        there is no such update."""
        self._check(update)
        at = int(np.searchsorted(self.kept.update, update))
        if at == len(self.kept.update) or self.kept.update[at] != update or np.isnan(self.kept.errors[at]):
            return None
        return float(self.kept.errors[at])

    def rebuilt(self, update: int) -> tuple[Array, Array] | None:
        """As `weights`; where they were not kept, the nearest ones before with the steps since then added, the same but
        for rounding. None where steps are not the rows' own: with a kernel, a metric, L1 or L2, or without rows.
        DataError where there is no such update."""
        plain = self.settings.kernel is None and not self.settings.shaped and self.settings.alpha == 0.0
        there = self.weights(update)
        if there is not None or self.chunk is None or not plain:
            return there
        at = int(np.searchsorted(self.kept.update, update)) - 1
        before, w = (0, self.start[0]) if at < 0 else (int(self.kept.update[at]), self.kept.w[at])
        own = slice(*np.searchsorted(self.entries.update, [before + 1, update + 1]).tolist())
        w = w.astype(float)
        for k in range(len(w)):
            moved = own if len(w) == 1 else np.flatnonzero(self.entries.cls[own] == k) + own.start
            w[k] += self.chunk.rows.take(self.entries.row[moved]).combine(self.entries.a[moved])
        return w, self.bias(update)
