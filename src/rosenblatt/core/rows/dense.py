"""Rows as one array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .verbs import Array, Index, Layout, Stored, floats, frozen, laid_out

BLOCK = 1 << 20
"""Values that are worked on at a time, so that the copies in float64 stay small."""
FIRST, LATER = 1_000, 4_000_000
"""Rows whose signs are looked at first, and values at a time after that: in most data few rows leave no column of one
sign."""


class DenseArrays(NamedTuple):
    values: Array


class Dense(DenseArrays, Stored):
    """Rows as one C-ordered array. values: (n, d) float32 or float64."""

    __slots__ = ()
    storage, by_column, growing, shiftable, adjoining = "dense", False, False, True, True

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

    def span(self, i: Index) -> tuple[Index, Index]:
        return np.uint64(0), np.uint64(self.values.shape[1])

    def column(self, i: Index, p: Index) -> Index:
        return p

    def value(self, i: Index, p: Index) -> float:
        return self.values[i, p]  # type: ignore[no-any-return]

    def layout(self, d: int, classes: int) -> tuple[int, int]:
        return d, 1

    # --- around it ---

    @classmethod
    def restored(cls, parts: dict[str, Array]) -> Dense:
        return dense(parts["values"])

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def width(self) -> int:
        return self.values.shape[1]  # type: ignore[no-any-return]

    def take(self, chosen: Array) -> Dense:
        return dense(self.values[chosen])

    def blocks(self, size: int) -> Iterator[Dense]:
        for start in range(0, self.n, size):
            yield Dense(self.values[start : start + size])

    def stacked(self, others: list[Any]) -> Dense:
        return dense(np.concatenate([self.values, *(laid_out(other.matrix()) for other in others)]))

    def sq_norms(self) -> Array:
        return np.asarray(np.einsum("ij,ij->i", self.values, self.values, dtype=np.float64))

    def key(self, i: int) -> bytes:
        return self.values[i].tobytes()  # type: ignore[no-any-return]

    def matrix(self) -> Array:
        return self.values

    # --- for features and files ---

    @property
    def value_bytes(self) -> int:
        return self.values.itemsize

    def stored(self, axis: int) -> Array:
        return np.full(self.values.shape[1 - axis], self.values.shape[axis])

    def nonzeros(self, axis: int) -> Array:
        return np.asarray(np.count_nonzero(self.values, axis=axis))

    def finite(self) -> Array:
        return np.asarray(np.isfinite(self.values).all(axis=1))

    def row(self, i: int) -> tuple[Array, Array]:
        return np.arange(self.width), self.values[i]

    def dense_blocks(self, width: int) -> Iterator[tuple[slice, Array]]:
        yield slice(0, self.n), self.values

    def pieces(self, values: int) -> Iterator[Dense]:
        return self.blocks(self.height(values))

    def compressed(self) -> tuple[Array, Array, Array]:
        there = (self.values != 0) | np.signbit(self.values)
        ends = np.concatenate([[0], np.cumsum(np.count_nonzero(there, axis=1))]).astype(np.int64)
        return self.values[there], np.nonzero(there)[1].astype(np.uint32), ends

    def take_columns(self, chosen: Array | list[int]) -> Dense:
        whole = len(chosen) == self.width and np.array_equal(chosen, np.arange(self.width))
        return self if whole else dense(self.values[:, chosen])

    def widened(self, width: int) -> Dense:
        return dense(np.concatenate([self.values, np.zeros((self.n, width - self.width), self.dtype)], axis=1))

    def with_column(self, values: Array) -> Dense:
        return dense(np.column_stack([self.values, values.astype(self.dtype)]))

    def with_products(self, layout: Layout, expand: Callable[[int], Callable[..., None]]) -> Dense:
        values, starts = self.values, layout.starts
        out = np.empty((self.n, int(starts[-1])), self.dtype)
        out[:, : self.width] = values
        for i in range(self.width):
            partners = values[:, i : i + 1] if layout.alone else values[:, i + layout.shift :]
            np.multiply(values[:, i : i + 1], partners, out=out[:, starts[i] : starts[i + 1]])
        return dense(out)

    def without_duplicates(self) -> Dense:
        return self

    def scaled(self, scale: Callable[..., Array], *columns: Array) -> Dense:
        return self._by_blocks(lambda block: scale(block, *columns))

    def to_length(self, length: float) -> Dense:
        def of_length(block: Array) -> Array:
            # Divided by the largest value first, so that squares neither overflow nor vanish.
            peak = np.abs(block).max(axis=1, keepdims=True, initial=0.0)
            z = block / np.where(peak == 0.0, 1.0, peak)
            norm = np.sqrt((z * z).sum(axis=1, keepdims=True))
            return np.asarray(z * (length / np.where(norm == 0.0, 1.0, norm)))

        return self._by_blocks(of_length)

    def _by_blocks(self, change: Callable[[Array], Array]) -> Dense:
        """`change(block)` of a few rows at a time, in float64, stored in the dtype of the values."""
        out, start = np.empty(self.values.shape, self.dtype), 0
        for part in self.pieces(BLOCK):
            out[start : start + part.n] = change(part.values.astype(np.float64))
            start += part.n
        return dense(out)

    def ranges(self) -> tuple[Array, Array]:
        return self.values.min(axis=0, initial=np.inf), self.values.max(axis=0, initial=-np.inf)

    def column_sums(self, of: Callable[..., Array], *columns: Array) -> Array:
        return np.asarray(of(self.values, *columns).sum(axis=0))

    def column_moments(self, unit: Array) -> tuple[Array, Array]:
        z = self.values.astype(np.float64) / unit
        mean = z.mean(axis=0)
        z -= mean
        # The second sum is what rounding left of Σ(x − mean), and takes its effect out again.
        return mean, (z * z).sum(axis=0) - z.sum(axis=0) ** 2 / len(z)

    def digests(self, hashed: Callable[[Array], Array], by_row: Array, by_column: list[Array]) -> tuple[Array, Array]:
        hashes = hashed(self.values)
        own = (hashes * by_row[:, None]).sum(axis=0, dtype=np.uint64)
        return own, np.stack([(hashes * keys).sum(axis=1, dtype=np.uint64) for keys in by_column], axis=1)

    # --- for proofs ---

    def height(self, values: int) -> int:
        return max(1, values // max(self.width, 1))

    def entries(self) -> tuple[Array, Array, Array]:
        row, column = np.nonzero(self.values)
        return row, column, self.values[row, column]

    def same(self) -> Array:
        return np.unique(self.values + 0.0, axis=0, return_inverse=True)[1].reshape(-1)

    def used_columns(self) -> Array:
        return np.arange(self.width)

    def times(self, factors: Array) -> Dense:
        return dense(self.values * factors[:, None])

    def mapped(self, f: Callable[[Array, Any], Array]) -> Dense:
        return dense(f(self.values, slice(None)))

    def sums(self, terms: Callable[[Array, Any], Array]) -> Array:
        return terms(self.values, slice(None)).sum(axis=1, dtype=np.uint64)  # type: ignore[no-any-return]

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
            start, size = start + size, max(FIRST, LATER // max(len(left), 1))
        return above, below


def dense(values: Array) -> Dense:
    """Rows from an (n, d) array. float32 and float64 are kept, anything else becomes float64."""
    return Dense(frozen(floats(values)))
