"""Rows known only through their kernel with the rows of a base: the weights are of the base's rows, w = Σ a_j·φ(x_j)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.rows import Array, Rows, stack
from ..errors import DataError
from .blocks import Scores, walk

CELLS = 1 << 22
"""Kernel values held at once."""


class KernelRows:
    """n rows, and which of the `base` each of them is. rows: n rows of numbers; base: s of them, the columns of the
    weights. own: (n,) int64 the number of each row in the base, −1: none, so that nothing can be learned from it."""

    by_column = False

    def __init__(self, kernel: Any, rows: Rows, base: Rows, own: Array) -> None:
        self.kernel, self.rows, self.base, self.own = kernel, rows, base, own
        self._scores: Scores | None = None

    def loop(self, loop: Any, rule: Any) -> Any:
        """What learns from these rows in the place of a compiled loop."""
        return walk(loop, rule)

    def kept(self, classes: int) -> Scores:
        """The scores of the rows, kept from call to call."""
        if self._scores is None or self._scores.w.shape[0] != classes:
            self._scores = Scores(self, classes)
        return self._scores

    @property
    def n(self) -> int:
        return self.rows.n

    @property
    def width(self) -> int:
        return self.base.n

    @property
    def size(self) -> int:
        return self.rows.size

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    def take(self, chosen: Array) -> KernelRows:
        return KernelRows(self.kernel, self.rows.take(chosen), self.base, self.own[chosen])

    def blocks(self, size: int) -> Iterator[KernelRows]:
        first = 0
        for part in self.rows.blocks(size):
            yield KernelRows(self.kernel, part, self.base, self.own[first : first + part.n])
            first += part.n

    def stacked(self, others: list[KernelRows]) -> KernelRows:
        both = [self, *others]
        return KernelRows(self.kernel, stack([r.rows for r in both]), self.base, np.concatenate([r.own for r in both]))

    def astype(self, dtype: Any) -> KernelRows:
        return self

    def products(self, other: KernelRows) -> Array:
        out = np.empty((self.n, other.n))
        for start in range(0, self.n, step := max(1, CELLS // max(1, other.n))):
            part = np.arange(start, min(start + step, self.n))
            out[part] = self.kernel.block(self.rows.take(part), other.rows)
        return out

    def combine(self, a: Array) -> Array:
        return np.bincount(self.own, a, self.width)

    def scores(self, w: Array) -> Array:
        if self._scores is not None and self._scores.w.shape == np.atleast_2d(w).shape:
            return self._scores.at(w).reshape(self.n, *w.shape[:-1])
        used = np.flatnonzero(np.atleast_2d(w).any(axis=0))
        out = np.zeros((self.n, *w.shape[:-1]))
        if not used.size:
            return out
        base, own = self.base.take(used), w[..., used].T
        step, first = max(1, CELLS // used.size), 0
        for part in self.rows.blocks(step):
            out[first : first + part.n] = self.kernel.block(part, base) @ own
            first += part.n
        return out

    def sq_norms(self) -> Array:
        return self.kernel.own(self.rows)  # type: ignore[no-any-return]

    def largest(self) -> float:
        return self.rows.largest()

    def finite(self) -> Array:
        return self.rows.finite()

    def first_not_finite(self) -> tuple[int, int, float]:
        return self.rows.first_not_finite()

    def key(self, i: int) -> bytes:
        return self.own[i].tobytes()  # type: ignore[no-any-return]

    def matrix(self) -> Any:
        raise DataError("rows known only through a kernel have no columns")


def kernel_rows(kernel: Any, rows: Rows) -> KernelRows:
    """Rows to learn from: each is a row of the base."""
    return KernelRows(kernel, rows, rows, np.arange(rows.n))
