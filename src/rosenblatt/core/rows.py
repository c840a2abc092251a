"""How rows are stored: the only file that knows dense from sparse.

A `Dense` or `Csr` value has three verbs for two classes (`dot`, `add`, `sq_norm`) and two for many (`dots`,
`add_to`). They are plain Python here; `dispatch.py` gives each to the compiler. Weights for many classes are (K, d) for
dense and (d, K) for sparse rows, so that the inner loop always walks memory in order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError

Array = np.ndarray[Any, Any]
Index = int | np.unsignedinteger[Any]
"""A row's number; unsigned in compiled loops."""


class Dense(NamedTuple):
    """Rows as one C-ordered array. values: (n, d) float32 or float64."""

    values: Array

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


class Csr(NamedTuple):
    """Rows as compressed sparse rows: row i holds data[indptr[i]:indptr[i+1]] in columns indices[…].

    data: (nnz,) float32 or float64; indices: (nnz,) uint32; indptr: (n+1,) int64; shape: (1,) int64 holding d.
    Everything that indexes in a loop is unsigned, the row number i too, because numba wraps negative indices: int32
    columns cost 1.6 to 2.2 times, a signed loop variable 1.4 times (25.3 against 17.9 ms an epoch on 200k rows of 89).
    """

    data: Array
    indices: Array
    indptr: Array
    shape: Array

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


Rows = Dense | Csr


def _frozen(values: Array) -> Array:
    """A read-only C-ordered aligned view (a copy only where needed): one compiled type for all that users bring."""
    view = np.require(values, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


def _floats(values: Array) -> Array:
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def dense(values: Array) -> Dense:
    """Rows from an (n, d) array. float32 and float64 are kept, anything else becomes float64."""
    return Dense(_frozen(_floats(np.asarray(values))))


def csr(data: Array, indices: Array, indptr: Array, width: int) -> Csr:
    """Rows from the three arrays of a CSR matrix of `width` columns; int32 and int64 indices are both accepted.

    Raises DataError where an index lies outside 0 … width − 1 or indptr does not fit the data.
    """
    indices, indptr = np.asarray(indices), np.asarray(indptr).astype(np.int64, copy=False)
    if indptr.size == 0 or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise DataError("the row pointers of the sparse matrix do not fit its data; it is damaged")
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= width):
        bad = int(indices.min()) if int(indices.min()) < 0 else int(indices.max())
        raise DataError(f"column index {bad} in a sparse matrix of {width} columns; it must lie in 0 … {width - 1}")
    if indices.dtype != np.uint32:
        indices = indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)
    shape = np.array([width], np.int64)
    return Csr(_frozen(_floats(np.asarray(data))), _frozen(indices), _frozen(indptr), _frozen(shape))


def n_rows(rows: Rows) -> int:
    return len(rows.values) if isinstance(rows, Dense) else rows.indptr.size - 1


def width(rows: Rows) -> int:
    """The number of features d."""
    return rows.values.shape[1] if isinstance(rows, Dense) else int(rows.shape[0])


def values_of(rows: Rows) -> Array:
    """All stored values, whatever the storage."""
    return rows.values if isinstance(rows, Dense) else rows.data


def squared_norms(rows: Rows) -> Array:
    """(n,) float64 ‖x‖²."""
    if isinstance(rows, Dense):
        return np.asarray(np.einsum("ij,ij->i", rows.values, rows.values, dtype=np.float64))
    row = np.repeat(np.arange(n_rows(rows)), np.diff(rows.indptr))
    return np.bincount(row, rows.data.astype(np.float64) ** 2, n_rows(rows))


def matrix(rows: Rows) -> Any:
    """The rows as numpy or scipy see them: an array, or a csr_array that shares the data."""
    if isinstance(rows, Dense):
        return rows.values
    from scipy.sparse import csr_array

    kind = np.int32 if rows.indptr[-1] < 2**31 else np.int64
    indices = rows.indices.view(np.int32) if kind is np.int32 else rows.indices.astype(np.int64)
    return csr_array((rows.data, indices, rows.indptr.astype(kind)), shape=(n_rows(rows), width(rows)))


def take(rows: Rows, chosen: Array) -> Rows:
    """The chosen rows, in that order."""
    if isinstance(rows, Dense):
        return dense(rows.values[chosen])
    lengths = rows.indptr[chosen + 1] - rows.indptr[chosen]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(indptr[-1]) + np.repeat(rows.indptr[chosen] - indptr[:-1], lengths)
    return csr(rows.data[places], rows.indices[places], indptr, width(rows))


def stack(parts: list[Rows]) -> Rows:
    """Several batches of the same storage, one below the other."""
    if isinstance(parts[0], Dense):
        return dense(np.concatenate([values_of(part) for part in parts]))
    sparse = [part for part in parts if isinstance(part, Csr)]
    offsets = np.concatenate([[0], np.cumsum([part.indptr[-1] for part in sparse])])
    indptr = np.concatenate([[0], *(part.indptr[1:] + at for part, at in zip(sparse, offsets, strict=False))])
    return csr(
        np.concatenate([part.data for part in sparse]),
        np.concatenate([part.indices for part in sparse]),
        indptr,
        max(width(part) for part in sparse),
    )
