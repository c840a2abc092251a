"""Rows as compressed sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...errors import DataError, plural
from .verbs import Array, Index, Layout, Stored, floats, frozen

ROOM = 1 << 21
"""Values of a dense block that is made from sparse rows: 16 MB."""


class CsrArrays(NamedTuple):
    data: Array
    indices: Array
    indptr: Array
    shape: Array


class Csr(CsrArrays, Stored):
    """Rows as compressed sparse rows: row i holds data[indptr[i]:indptr[i+1]] in columns indices[…].

    data: (nnz,) float32 or float64; indices: (nnz,) uint32; indptr: (n+1,) int64; shape: (1,) int64 holding d.
    Everything that indexes in a loop is unsigned, the row number i too, because numba wraps negative indices: int32
    columns cost 1.6 to 2.2 times, a signed loop variable 1.4 times (25.3 against 17.9 ms an epoch on 200k rows of 89).
    """

    __slots__ = ()
    storage, by_column, growing, shiftable, adjoining = "sparse", True, True, False, False

    # --- compiled into the loop ---

    def dot(self, i: Index, w: Array) -> float:
        s = w.dtype.type(0)
        for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            s += self.data[p] * w[self.indices[p]]
        return s  # type: ignore[no-any-return]

    def add(self, i: Index, a: float, w: Array) -> None:
        step = w.dtype.type(a)
        for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            w[self.indices[p]] += step * self.data[p]

    def sq_norm(self, i: Index) -> float:
        s = self.data.dtype.type(0)
        for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            s += self.data[p] * self.data[p]
        return s  # type: ignore[no-any-return]

    def dots(self, i: Index, w: Array, out: Array) -> None:
        for k in range(out.size):
            out[k] = 0
        for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = self.data[p]
            column = w[self.indices[p]]
            for k in range(out.size):
                out[k] += x * column[k]

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None:
        step = w.dtype.type(a)
        for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            w[self.indices[p], k] += step * self.data[p]

    def span(self, i: Index) -> tuple[Index, Index]:
        return np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])

    def column(self, i: Index, p: Index) -> Index:
        return self.indices[p]  # type: ignore[no-any-return]

    def value(self, i: Index, p: Index) -> float:
        return self.data[p]  # type: ignore[no-any-return]

    def layout(self, d: int, classes: int) -> tuple[int, int]:
        return 1, classes

    # --- around it ---

    @classmethod
    def restored(cls, parts: dict[str, Array]) -> Csr:
        return csr(parts["data"], parts["indices"], parts["indptr"], int(parts["shape"][0]))

    @property
    def n(self) -> int:
        return self.indptr.size - 1

    @property
    def width(self) -> int:
        return int(self.shape[0])

    def take(self, chosen: Array) -> Csr:
        x = self.matrix()[chosen]  # 0.7 ms for 28,000 rows of a9a; by numpy's own indices 8 ms
        return Csr(frozen(x.data), frozen(_unsigned(x.indices)), frozen(x.indptr.astype(np.int64)), self.shape)

    def blocks(self, size: int) -> Iterator[Csr]:
        for start in range(0, self.n, size):
            ends = self.indptr[start : start + size + 1]
            here = slice(int(ends[0]), int(ends[-1]))
            yield Csr(self.data[here], self.indices[here], frozen(ends - ends[0]), self.shape)

    def stacked(self, others: list[Any]) -> Csr:
        parts = [self, *(other if type(other) is type(self) else from_matrix(other.matrix()) for other in others)]
        offsets = np.concatenate([[0], np.cumsum([part.indptr[-1] for part in parts])])
        indptr = np.concatenate([[0], *(part.indptr[1:] + at for part, at in zip(parts, offsets, strict=False))])
        data, indices = (np.concatenate(each) for each in zip(*(part[:2] for part in parts), strict=True))
        return csr(data, indices, indptr, max(part.width for part in parts))

    def sq_norms(self) -> Array:
        return np.bincount(self._row_of_values(), self.data.astype(np.float64) ** 2, self.n)

    def key(self, i: int) -> bytes:
        here = slice(self.indptr[i], self.indptr[i + 1])
        return self.indices[here].tobytes() + self.data[here].tobytes()

    def matrix(self) -> Any:
        """A csr_array that shares the data."""
        from scipy.sparse import csr_array

        kind = np.int32 if self.indptr[-1] < 2**31 else np.int64
        indices = self.indices.view(np.int32) if kind is np.int32 else self.indices.astype(np.int64)
        return csr_array((self.data, indices, self.indptr.astype(kind)), shape=(self.n, self.width))

    # --- for features and files ---

    @property
    def value_bytes(self) -> int:
        return self.data.itemsize + self.indices.itemsize

    def _row_of_values(self) -> Array:
        return np.repeat(np.arange(self.n), np.diff(self.indptr))

    def _with_data(self, data: Array) -> Csr:
        return self._replace(data=frozen(data.astype(self.dtype, copy=False)))

    def stored(self, axis: int) -> Array:
        return np.bincount(self.indices, minlength=self.width) if axis == 0 else np.diff(self.indptr)

    def nonzeros(self, axis: int) -> Array:
        at, length = (self.indices, self.width) if axis == 0 else (self._row_of_values(), self.n)
        return np.bincount(at[self.data != 0], minlength=length)

    def finite(self) -> Array:
        good = np.ones(self.n, bool)
        good[np.searchsorted(self.indptr, np.flatnonzero(~np.isfinite(self.data)), side="right") - 1] = False
        return good

    def row(self, i: int) -> tuple[Array, Array]:
        here = slice(int(self.indptr[i]), int(self.indptr[i + 1]))
        return self.indices[here].astype(np.int64), self.data[here]

    def dense_blocks(self, width: int) -> Iterator[tuple[slice, Array]]:
        start = 0
        for part in self.widened(width).blocks(max(1, ROOM // max(width, 1))):
            block = np.zeros((part.n, width), self.dtype)
            block[part._row_of_values(), part.indices] = part.data
            yield slice(start, start + part.n), block
            start += part.n

    def pieces(self, values: int) -> Iterator[Csr]:
        if self.n:
            yield self

    def compressed(self) -> tuple[Array, Array, Array]:
        return self.data, self.indices, self.indptr

    def take_columns(self, chosen: Array | list[int]) -> Csr:
        if self.width > self.size:  # scipy counts through all columns: 2^31 − 1 of them took 16 GB for two rows
            wanted, numbers = np.asarray(chosen, np.int64), self.indices.astype(np.int64)
            order = np.argsort(wanted)
            if (np.diff(wanted[order]) > 0).all() and np.isin(numbers, wanted).all():
                places = order[np.searchsorted(wanted, numbers, sorter=order)]
                return csr(self.data, places, self.indptr, len(wanted))._ascending()
        x = self.matrix()[:, chosen].tocsr()
        x.sort_indices()
        return csr(x.data, x.indices, x.indptr, len(chosen))

    def widened(self, width: int) -> Csr:
        return csr(self.data, self.indices, self.indptr, width)

    def with_column(self, values: Array) -> Csr:
        there = values != 0
        ends = self.indptr[1:][there]
        data, columns = np.insert(self.data, ends, values[there]), np.insert(self.indices, ends, self.width)
        return csr(data, columns, self.indptr + np.concatenate([[0], np.cumsum(there)]), self.width + 1)

    def with_products(self, layout: Layout, expand: Callable[[int], Callable[..., None]]) -> Csr:
        rows, m = self._ascending(), self.stored(1)
        ends = np.concatenate([[0], np.cumsum(m + layout.products_of(m))])
        data, columns = np.empty(ends[-1], self.dtype), np.empty(ends[-1], np.uint32)
        expand(data.nbytes)(rows.data, rows.indices, rows.indptr, layout, data, columns)
        return csr(data, columns, ends, int(layout.starts[-1]))

    def without_duplicates(self) -> Csr:
        if self._ascends():
            return self
        x = self.matrix().copy()
        x.sum_duplicates()
        return csr(x.data, x.indices, x.indptr, self.width)

    def _ascends(self) -> bool:
        """Whether the columns of each row ascend, each there once."""
        up = self.indices[1:] > self.indices[:-1]
        starts = self.indptr[1:-1]
        up[starts[(starts > 0) & (starts < self.size)] - 1] = True
        return bool(up.all())

    def _ascending(self) -> Csr:
        """The same rows with ascending columns in each."""
        if self._ascends():
            return self
        order = np.argsort(self._row_of_values() << 32 | self.indices)
        return self._replace(data=frozen(self.data[order]), indices=frozen(self.indices[order]))

    def scaled(self, scale: Callable[..., Array], *columns: Array) -> Csr:
        return self._with_data(scale(self.data, *(column[self.indices] for column in columns)))

    def to_length(self, length: float) -> Csr:
        # Divided by the largest value first, so that squares neither overflow nor vanish.
        row, peak = self._row_of_values(), np.zeros(self.n)
        np.maximum.at(peak, row, np.abs(self.data).astype(np.float64, copy=False))
        z = self.data / np.where(peak == 0.0, 1.0, peak)[row]
        norm = np.sqrt(np.bincount(row, weights=z * z, minlength=self.n))
        return self._with_data(z * (length / np.where(norm == 0.0, 1.0, norm))[row])

    def ranges(self) -> tuple[Array, Array]:
        low, high = np.full(self.width, np.inf), np.full(self.width, -np.inf)
        values = self.data.astype(np.float64, copy=False)  # `at` takes eight times as long where dtypes differ
        np.minimum.at(low, self.indices, values)
        np.maximum.at(high, self.indices, values)
        return low, high

    def column_sums(self, of: Callable[..., Array], *columns: Array) -> Array:
        sums = of(self.data, *(column[self.indices] for column in columns))
        return np.bincount(self.indices, weights=sums, minlength=self.width)

    def column_moments(self, unit: Array) -> tuple[Array, Array]:
        n, d, at = self.n, self.width, self.indices
        z = self.data.astype(np.float64) / unit[at]
        there = self.stored(0)
        count = np.maximum(there, 1)
        mean = np.bincount(at, weights=z, minlength=d) / count
        z -= mean[at]
        # Summed one by one, equal values have a mean that is off by some rounding, and this would be their spread.
        off = np.bincount(at, weights=z, minlength=d) / count
        spread = np.maximum(np.bincount(at, weights=z**2, minlength=d) - off**2 * count, 0.0)
        mean = np.where(spread <= (1e-13 * mean) ** 2 * count, mean + off, mean)
        # The zeros are a batch of their own, with mean 0.
        return mean * there / n, spread + mean**2 * there * (n - there) / n

    def digests(self, hashed: Callable[[Array], Array], by_row: Array, by_column: list[Array]) -> tuple[Array, Array]:
        at, hashes = self.indices, hashed(self.data)
        own = np.zeros(self.width, np.uint64)
        np.add.at(own, at, hashes * by_row[self._row_of_values()])
        lanes = []
        for keys in by_column:
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes * keys[at], dtype=np.uint64)])
            lanes.append(sums[self.indptr[1:]] - sums[self.indptr[:-1]])
        return own, np.stack(lanes, axis=1)

    # --- for proofs ---

    def height(self, values: int) -> int:
        return max(1, values * self.n // max(self.size, 1))

    def entries(self) -> tuple[Array, Array, Array]:
        return self._row_of_values(), self.indices, self.data

    def same(self) -> Array:
        numbers: dict[bytes, int] = {}
        out = np.empty(self.n, int)
        for i in range(self.n):
            columns, values = self.row(i)
            there = values != 0
            out[i] = numbers.setdefault(columns[there].tobytes() + values[there].tobytes(), len(numbers))
        return out

    def used_columns(self) -> Array:
        return np.unique(self.indices).astype(np.int64)

    def times(self, factors: Array) -> Csr:
        return self._replace(data=frozen(self.data * np.repeat(factors, np.diff(self.indptr))))

    def mapped(self, f: Callable[[Array, Any], Array]) -> Csr:
        return self._replace(data=frozen(f(self.data, self.indices)))

    def sums(self, terms: Callable[[Array, Any], Array]) -> Array:
        ends = np.zeros(self.data.size + 1, np.uint64)
        np.cumsum(terms(self.data, self.indices), out=ends[1:])
        return np.asarray(ends[self.indptr[1:]] - ends[self.indptr[:-1]])

    def column_signs(self, rows: Array, signs: Array, columns: Array) -> tuple[Array, Array]:
        x = self if len(rows) == self.n else self.take(rows)
        values = x.times(signs).data
        above, below = (np.bincount(x.indices[side], minlength=x.width) > 0 for side in (values > 0, values < 0))
        return above[columns], below[columns]


def csr(data: Array, indices: Array, indptr: Array, width: int) -> Csr:
    """Rows from the three arrays of a CSR matrix of `width` columns; int32 and int64 indices are both accepted.

    Raises DataError where an index lies outside 0 … width − 1 or indptr does not fit the data.
    """
    indices, indptr = np.asarray(indices), np.asarray(indptr).astype(np.int64, copy=False)
    if indptr.size == 0 or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise DataError("the row pointers of the sparse matrix do not fit its data; it is damaged")
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= width):
        bad = int(indices.min()) if int(indices.min()) < 0 else int(indices.max())
        raise DataError(
            f"column index {bad} in a sparse matrix of {plural(width, 'column')}; it must lie in 0 … {width - 1}"
        )
    shape = np.array([width], np.int64)
    return Csr(frozen(floats(data)), frozen(_unsigned(indices)), frozen(indptr), frozen(shape))


def _unsigned(indices: Array) -> Array:
    """Indices that are not negative, as uint32: int32 ones are not copied."""
    return indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32, copy=False)


def from_matrix(x: Any) -> Csr:
    """Rows of an array or a scipy sparse matrix: what is not zero of the one, what is stored of the other."""
    from scipy.sparse import csr_array

    sparse = csr_array(x)
    return csr(sparse.data, sparse.indices, sparse.indptr, sparse.shape[1])
