"""What is in the rows and columns that makes learning hard, whatever is learned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from .columns import Columns

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
    twins, wrong = _twins(digests, codes)
    return Facts(
        rows=rows.n,
        features=rows.width,
        class_rows={str(label): int(count) for label, count in zip(labels.tolist(), counts, strict=True)},
        twins=twins,
        wrong=wrong,
        empty=[named(j) for j in np.flatnonzero(empty)],
        constant=[named(j) for j in np.flatnonzero(flat & ~empty)],
        duplicates=[(named(j), named(first)) for j, first in columns.duplicates()],
        zero_rows=columns.zero_rows,
        lengths=_lengths(rows, ~flat, named),
        longest=float(np.sqrt(rows.sq_norms().max(initial=0.0))),
    )


def _twins(digests: Array, codes: Array) -> tuple[list[list[int]], int]:
    """(groups of equal rows with more than one label, rows that are wrong for certain)."""
    _, group = np.unique(digests, axis=0, return_inverse=True)
    group = group.ravel()
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    twins, wrong = [], 0
    low = np.minimum.reduceat(codes[order], starts)
    mixed = low != np.maximum.reduceat(codes[order], starts)
    ends = np.append(starts[1:], len(order))
    for start, end in zip(starts[mixed].tolist(), ends[mixed].tolist(), strict=True):
        twins.append(order[start:end].tolist())
        wrong += end - start - int(np.bincount(codes[order[start:end]]).max())
    return sorted(twins), wrong


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
