"""Rows known only through their kernel with the rows of a base: weights are of the base's rows, w = Σ a_j·φ(x_j)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows, stack
from ..errors import DataError
from .blocks import Scores, walk
from .budget import Span, walk_within

CELLS = 1 << 22
"""Kernel values held at once."""


class KernelRows:
    """n rows, and which of the `base` each of them is.

    rows: n rows of numbers. base: s of them, the columns of the weights. own: (n,) int64 the number of each row in the
    base, −1: none, so that nothing can be learned from it.
    """

    by_column = False
    storage = "kernel"

    def __init__(self, kernel: Any, rows: Rows, base: Rows, own: Array) -> None:
        self.kernel, self.rows, self.base, self.own = kernel, rows, base, own
        self._scores: Scores | None = None
        self.span: Span | None = None  # of those that have weights within a budget, from call to call

    def loop(self, loop: Any, rule: Any, budget: int | None = None) -> Any:
        """What learns from these rows in the place of a compiled loop. budget: the most rows that get weights."""
        return walk(loop, rule) if budget is None else walk_within(budget, loop, rule)

    @property
    def given(self) -> Rows:
        return self.rows

    def kept(self, classes: int) -> Scores:
        """The scores of the rows, kept from call to call."""
        if self._scores is None or self._scores.w.shape[0] != classes:
            self._scores = Scores(self, classes)
        return self._scores

    def alone(self) -> KernelRows:
        """The same, with scores of its own: for another thread."""
        return KernelRows(self.kernel, self.rows, self.base, self.own)

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

    def kept_rows(self, chosen: Array) -> Numbered:
        """What a memory keeps of rows."""
        return Numbered(self.own[chosen], np.array([self.width]))

    @cached_property
    def lengths(self) -> tuple[Array, Array] | None:
        """(n,) and (s,) ‖x‖² of the rows and of the base, where the kernel asks for them. Once, not in each block: an
        epoch of 60,000 digits took 5.8 s of CPU, not 6.5, of rbf, and 4.8, not 5.1, of poly with unit."""
        if not getattr(self.kernel, "asks_lengths", False):
            return None
        own = self.kernel.lengths(self.rows)
        return own, own if self.base is self.rows else self.kernel.lengths(self.base)

    def block(self, chosen: Array, columns: Array) -> Array:
        """(c, m) K of chosen rows with some of the base."""
        a, b = self.rows.take(chosen), self.base.take(columns)
        if self.lengths is None:
            return self.kernel.block(a, b)  # type: ignore[no-any-return]
        own, base = self.lengths
        return self.kernel.block(a, b, (own[chosen], base[columns]))  # type: ignore[no-any-return]

    def between(self, chosen: Array, asked: bool) -> Array:
        """(c, c) K of chosen rows with each other; (c, 0) where nobody asks."""
        return self.block(chosen, self.own[chosen if asked else chosen[:0]])

    def products(self, other: Numbered) -> Array:
        return self._with(self.base.take(other.own))

    def _with(self, base: Rows, a: Any = None) -> Array:
        """(n, m) float64 K with rows of the base, or its product with a, (m, …)."""
        out, first = np.zeros((self.n, base.n) if a is None else (self.n, *a.shape[1:])), 0
        for part in self.rows.blocks(max(1, CELLS // max(1, base.n))):
            values = self.kernel.block(part, base)
            out[first : first + part.n] = values if a is None else values @ a
            first += part.n
        return out

    def scores(self, w: Array) -> Array:
        if self._scores is not None and self._scores.w.shape == np.atleast_2d(w).shape:
            return self._scores.at(w).reshape(self.n, *w.shape[:-1])
        used = np.flatnonzero(np.atleast_2d(w).any(axis=0))
        return self._with(self.base.take(used), w[..., used].T)

    def row(self, i: int) -> tuple[Array, Array]:
        """(columns, values) K of row i with each row of the base."""
        return np.arange(self.width), self.take(np.array([i]))._with(self.base)[0]

    def sq_norms(self) -> Array:
        return self.kernel.own(self.rows, self.own)  # type: ignore[no-any-return]

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


class Numbered(NamedTuple):
    """Rows of a base by their numbers: what votes are made of. width: (1,) how many rows the base has."""

    own: Array
    width: Array

    @property
    def n(self) -> int:
        return len(self.own)

    def stacked(self, others: list[Numbered]) -> Numbered:
        return Numbered(np.concatenate([self.own, *(other.own for other in others)]), others[-1].width)

    def key(self, i: int) -> bytes:
        return self.own[i].tobytes()  # type: ignore[no-any-return]

    def combine(self, a: Array) -> Array:
        return np.bincount(self.own, a, int(self.width[0]))

    def sq_norms(self) -> Array:
        """0: votes are not asked again, as no columns are there to be summed in another order."""
        return np.zeros(self.n)

    @classmethod
    def restored(cls, parts: dict[str, Array]) -> Numbered:
        return cls(parts["own"], parts["width"])


def rows_to_learn_from(kernel: Any, rows: Rows) -> KernelRows:
    """Each row is one of the base."""
    kernel = kernel.fitted(rows)
    return KernelRows(kernel, rows, kernel.base(rows), np.arange(rows.n))


def known(rows: Rows, base: Rows) -> tuple[Array, Array]:
    """(own, fresh): (n,) the number of each row in the base, and (f,) those that are not in it, which are numbered on;
    of equal ones the first."""
    places: dict[bytes, int] = {}
    for j in range(base.n):
        places.setdefault(_mark(base, j), j)
    own, fresh = np.full(rows.n, -1), list[int]()
    for i in range(rows.n):
        mark = _mark(rows, i)
        if mark not in places:
            places[mark] = base.n + len(fresh)
            fresh.append(i)
        own[i] = places[mark]
    return own, np.array(fresh, np.int64)


def _mark(rows: Rows, i: int) -> bytes:
    """16 bytes, where a row of pixels has 3,000."""
    return hashlib.blake2b(rows.key(i), digest_size=16).digest()


def more_rows(kernel: Any, rows: Rows, base: Rows) -> KernelRows:
    """Rows to learn on from: those that are not in the base are added to it. DataError where the kernel knows none."""
    if hasattr(kernel, "check_more"):
        kernel.check_more(rows)
    kept = kernel.base(rows)
    own, fresh = known(kept, base)
    return KernelRows(kernel, rows, stack([base, kept.take(fresh)]) if fresh.size else base, own)
