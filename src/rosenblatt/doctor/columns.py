"""What is in each column and row of numbers: ranges, constants and duplicates, batch by batch."""

from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..features.scaling import NOTHING, mean_and_sd, sums

U64 = np.uint64


def mixed(values: Array) -> Array:
    """uint64 → uint64, one to one, every bit depending on every bit (the finaliser of splitmix64)."""
    z = values.astype(U64)
    z = (z ^ (z >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U64(27))) * U64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> U64(31)))


def keys(first: int, count: int, lane: int) -> Array:
    """Random odd multipliers of the places first, first + 1, …"""
    return mixed(np.arange(first, first + count, dtype=U64) * U64(2) + U64(lane << 62)) | U64(1)


def _hashes(values: Array) -> Array:
    """A number for each value; 0 for both zeros, so that what is not stored counts as zero."""
    values = np.ascontiguousarray(values, np.float64)
    return np.where(values == 0.0, U64(0), mixed(values.view(U64)) | U64(1))


class Columns:
    """Running statistics of all columns. Two columns (rows) are alike where Σ hash(value)·key(place) mod 2^64 agrees.

    For rows there are two such sums, 128 bits: of a thousand million different rows two agree with probability 2^−69.
    """

    def __init__(self) -> None:
        self.rows, self.values, self.zero_rows = 0, 0, 0
        self._sums = NOTHING
        self._low, self._high = np.empty(0), np.empty(0)
        self._stored, self.nonzero = np.empty(0, np.int64), np.empty(0, np.int64)
        self._digest = np.empty(0, U64)

    def add(self, rows: Rows) -> Array:
        """(n, 2) uint64: digests of the rows."""
        n, d = rows.n, rows.width
        self._grow(d)
        with np.errstate(all="ignore"):
            self._sums = sums(rows, self._sums)
            low, high = rows.ranges()
            self._low[:d] = np.minimum(self._low[:d], low)
            self._high[:d] = np.maximum(self._high[:d], high)
            lanes = [keys(0, d, lane) for lane in (1, 2)]
            own, digests = rows.digests(_hashes, keys(self.rows, n, 0), lanes)
        self._digest[:d] += own
        self._stored[:d] += rows.stored(axis=0)
        self.nonzero[:d] += rows.nonzeros(axis=0)
        nonzero = rows.nonzeros(axis=1)
        self.rows += n
        self.values += int(nonzero.sum())
        self.zero_rows += int(np.count_nonzero(nonzero == 0))
        return digests

    def _grow(self, d: int) -> None:
        more = d - len(self._low)
        if more > 0:
            self._low = np.pad(self._low, (0, more), constant_values=np.inf)
            self._high = np.pad(self._high, (0, more), constant_values=-np.inf)
            self._stored, self.nonzero = np.pad(self._stored, (0, more)), np.pad(self.nonzero, (0, more))
            self._digest = np.pad(self._digest, (0, more))

    @property
    def width(self) -> int:
        return len(self._low)

    def ranges(self) -> tuple[Array, Array]:
        """(min, max) of each column, (d,); what is not stored is zero."""
        gaps = self._stored < self.rows
        low, high = np.minimum(self._low, 0.0), np.maximum(self._high, 0.0)
        return np.where(gaps, low, self._low), np.where(gaps, high, self._high)

    def moments(self) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            return mean_and_sd(self._sums)

    def duplicates(self) -> list[tuple[int, int]]:
        """(column, the first one that is equal), constant columns left out."""
        low, high = self.ranges()
        first: dict[Any, int] = {}
        found = []
        for j in np.flatnonzero(low < high).tolist():
            same = first.setdefault((int(self._digest[j]), low[j], high[j], int(self.nonzero[j])), j)
            if same != j:
                found.append((j, same))
        return found


class Repeats(NamedTuple):
    """duplicate_rows: that repeat an earlier one. contradicting_rows: that have a twin with another label.

    surely_wrong: rows that every classifier gets wrong, since twins have one answer.
    """

    duplicate_rows: int
    contradicting_rows: int
    surely_wrong: int


def repeats(digests: Array, labels: Array | None) -> Repeats:
    """digests: (n, 2) uint64. labels: (n,) numbers of the labels, or None."""
    order = np.lexsort(digests.T[::-1])
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(digests[order], axis=0) != 0).any(axis=1)
    group = np.cumsum(new) - 1
    duplicates = int(np.count_nonzero(~new))
    if labels is None or not duplicates:
        return Repeats(duplicates, 0, 0)
    own = labels[order].astype(np.int64)
    each, counts = np.unique(group * (own.max() + 1) + own, return_counts=True)
    starts = np.flatnonzero(np.diff(each // (own.max() + 1), prepend=-1))
    sizes, most = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
    return Repeats(duplicates, int(sizes[most < sizes].sum()), int((sizes - most).sum()))
