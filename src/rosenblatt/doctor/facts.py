"""What is in the rows and columns that makes learning hard, whatever is learned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..features.scaling import NOTHING, mean_and_sd, sums
from ..theory.problem import check_width

U64 = np.uint64
FAR = 100.0
"""Ratio of two columns' lengths from which scaling is worth a try."""
UNEVEN = 10.0
"""Rows of the largest class for one of the smallest."""


@dataclass(frozen=True)
class Facts:
    """rows, features: how many. class_rows: label → rows.

    twins: groups of numbers of equal rows, from 0, with more than one label. wrong: rows that every classifier gets
    wrong for that reason. empty, constant, duplicates: columns without values, with a single one, and (column, the
    first that is equal). zero_rows: rows without values. lengths: of the longest and of the shortest column that is not
    constant, (name, √Σx²) each, or None. longest: R, the length of the longest row.
    """

    rows: int
    features: int
    class_rows: dict[str, int]
    twins: list[list[int]]
    wrong: int
    empty: list[Any]
    constant: list[Any]
    duplicates: list[tuple[Any, Any]]
    zero_rows: int
    lengths: tuple[tuple[Any, float], tuple[Any, float]] | None
    longest: float

    @property
    def spread(self) -> float:
        """The longest column's length over the shortest's."""
        return 1.0 if self.lengths is None else self.lengths[0][1] / self.lengths[1][1]

    @property
    def imbalance(self) -> float:
        return max(self.class_rows.values()) / min(self.class_rows.values())


def facts(rows: Rows, y: Array, names: Sequence[str] | None = None) -> Facts:
    """names: of the columns; without them they are numbers from 1."""
    columns = Columns()
    digests = columns.add(rows)
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    low, high = columns.ranges()
    flat, empty = low == high, columns.nonzero == 0
    named: Any = (lambda j: int(j) + 1) if names is None else (lambda j: names[int(j)])
    return Facts(
        rows=rows.n,
        features=rows.width,
        class_rows={str(label): int(count) for label, count in zip(labels.tolist(), counts, strict=True)},
        twins=_twins(digests, codes),
        wrong=repeats(digests, codes).surely_wrong,
        empty=[named(j) for j in np.flatnonzero(empty)],
        constant=[named(j) for j in np.flatnonzero(flat & ~empty)],
        duplicates=[(named(j), named(first)) for j, first in columns.duplicates()],
        zero_rows=columns.zero_rows,
        lengths=_lengths(rows, ~flat, named),
        longest=float(np.sqrt(rows.sq_norms().max(initial=0.0))),
    )


def _twins(digests: Array, codes: Array) -> list[list[int]]:
    """Groups of equal rows with more than one label."""
    _, group = np.unique(digests, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(group.ravel()[order])) + 1)
    return sorted(rows.tolist() for rows in groups if len(rows) > 1 and np.ptp(codes[rows]))


def _lengths(rows: Rows, varied: Array, named: Any) -> tuple[tuple[Any, float], tuple[Any, float]] | None:
    """The longest and the shortest of the columns that vary; None where there are fewer than two."""
    if np.count_nonzero(varied) < 2:
        return None
    with np.errstate(all="ignore"):
        largest = rows.largest_by_column()
        scale = np.where(largest > 0.0, largest, 1.0)
        lengths = np.sqrt(rows.column_sums(lambda x, scale: (x / scale) ** 2, scale)) * scale
    at = np.flatnonzero(varied)
    top, low = at[int(lengths[at].argmax())], at[int(lengths[at].argmin())]
    return (named(top), float(lengths[top])), (named(low), float(lengths[low]))


# --- columns and rows, batch by batch ---------------------------------------------------------------------------------


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
        """(n, 2) uint64: digests of the rows. Raises DataError for more than 2²⁵ columns."""
        check_width(rows)
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
