"""Rows as one array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .verbs import Array, Index, floats, frozen

FIRST = 1_000
"""Rows whose signs are looked at first: in most data they leave no column of one sign."""
BLOCK = 4_000_000
"""Numbers at a time after that."""


class Dense(NamedTuple):
    """Rows as one C-ordered array. values: (n, d) float32 or float64."""

    values: Array

    # --- compiled into the loop ---

    def dot(self, i: Index, w: Array) -> float:
        s = w.dtype.type(0)
        for j in range(w.size):
            s += self.values[i, j] * w[j]
        return s  # type: ignore[no-any-return]

    def add(self, i: Index, a: float, w: Array) -> None:
        step = w.dtype.type(a)
        for j in range(w.size):
            w[j] += step * self.values[i, j]

    def sq_norm(self, i: Index) -> float:
        s = self.values.dtype.type(0)
        for j in range(self.values.shape[1]):
            s += self.values[i, j] * self.values[i, j]
        return s  # type: ignore[no-any-return]

    def dots(self, i: Index, w: Array, out: Array) -> None:
        for k in range(out.size):
            s = w.dtype.type(0)
            for j in range(w.shape[1]):
                s += self.values[i, j] * w[k, j]
            out[k] = s

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None:
        step = w.dtype.type(a)
        for j in range(w.shape[1]):
            w[k, j] += step * self.values[i, j]

    # --- around it ---

    @property
    def by_column(self) -> bool:
        return False

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def width(self) -> int:
        return self.values.shape[1]  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype  # type: ignore[no-any-return]

    def take(self, chosen: Array) -> Dense:
        return dense(self.values[chosen])

    def blocks(self, size: int) -> Iterator[Dense]:
        for start in range(0, self.n, size):
            yield Dense(self.values[start : start + size])

    def stacked(self, others: list[Any]) -> Dense:
        return dense(np.concatenate([self.values, *(laid_out(other.matrix()) for other in others)]))

    def products(self, other: Dense) -> Array:
        return np.asarray(self.values @ other.values.T, np.float64)

    def combine(self, a: Array) -> Array:
        return np.asarray(self.values.T @ a)

    def scores(self, w: Array) -> Array:
        return np.asarray(self.values @ w.T)

    def sq_norms(self) -> Array:
        return np.asarray(np.einsum("ij,ij->i", self.values, self.values, dtype=np.float64))

    def astype(self, dtype: Any) -> Dense:
        return self if self.dtype == dtype else dense(self.values.astype(dtype))

    def largest(self) -> float:
        values = self.values
        return float(np.maximum(abs(values.max()), abs(values.min()))) if values.size else 0.0

    def first_not_finite(self) -> tuple[int, int, float]:
        row, column = divmod(int(np.flatnonzero(~np.isfinite(self.values.ravel()))[0]), self.width)
        return row, column, self.values[row, column]

    def key(self, i: int) -> bytes:
        return self.values[i].tobytes()  # type: ignore[no-any-return]

    def matrix(self) -> Array:
        return self.values

    # --- for proofs ---

    @property
    def storage(self) -> str:
        return "dense"

    @property
    def stored(self) -> int:
        return self.values.size

    @property
    def shiftable(self) -> bool:
        return True

    def parts(self) -> list[Array]:
        return [self.values]

    def height(self, values: int) -> int:
        return max(1, values // max(self.width, 1))

    def toarray(self) -> Array:
        return self.values.astype(np.float64, copy=False)

    def row(self, i: int) -> tuple[Array, Array]:
        columns = np.flatnonzero(self.values[i])
        return columns, self.values[i, columns]

    def entries(self) -> tuple[Array, Array, Array]:
        row, column = np.nonzero(self.values)
        return row, column, self.values[row, column]

    def same(self) -> Array:
        return np.unique(self.values + 0.0, axis=0, return_inverse=True)[1].reshape(-1)

    def picked(self, columns: Array) -> Dense:
        whole = len(columns) == self.width and np.array_equal(columns, np.arange(self.width))
        return self if whole else dense(self.values[:, columns])

    def used_columns(self) -> Array:
        return np.arange(self.width)

    def with_ones(self) -> Dense:
        return dense(np.concatenate([self.values, np.ones((self.n, 1), self.dtype)], axis=1))

    def times(self, factors: Array) -> Dense:
        return dense(self.values * factors[:, None])

    def mapped(self, f: Callable[[Array, Any], Array]) -> Dense:
        return dense(f(self.values, slice(None)))

    def sums(self, terms: Callable[[Array, Any], Array]) -> Array:
        return terms(self.values, slice(None)).sum(axis=1, dtype=np.uint64)  # type: ignore[no-any-return]

    def largest_by_row(self) -> Array:
        return np.asarray(np.abs(self.values).max(axis=1, initial=0.0))

    def largest_by_column(self) -> Array:
        return np.abs(self.values).max(axis=0, initial=0.0).astype(np.float64)  # type: ignore[no-any-return]

    def column_signs(self, rows: Array, signs: Array, columns: Array) -> tuple[Array, Array]:
        above, below = np.zeros(len(columns), bool), np.zeros(len(columns), bool)
        start, size, everything = 0, FIRST, len(rows) == self.n
        while start < len(rows):
            left = np.flatnonzero(~(above & below))
            if not left.size:
                break
            here = slice(start, start + size)
            x = self.values[here][:, columns[left]] if everything else self.values[rows[here, None], columns[left]]
            one, other = x[signs[here] > 0], x[signs[here] < 0]
            above[left] |= (one > 0).any(axis=0) | (other < 0).any(axis=0)
            below[left] |= (one < 0).any(axis=0) | (other > 0).any(axis=0)
            start, size = start + size, max(FIRST, BLOCK // max(len(left), 1))
        return above, below


def laid_out(x: Any) -> Array:
    """The array of what numpy or scipy hold."""
    return x if isinstance(x, np.ndarray) else np.asarray(x.toarray())


def dense(values: Array) -> Dense:
    """Rows from an (n, d) array. float32 and float64 are kept, anything else becomes float64."""
    return Dense(frozen(floats(values)))
