"""Sparse rows → the same with the products of their values, in one pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .dispatch import Kernel
from .rows import Array, Csr


class Layout(NamedTuple):
    """Where products go. starts: (d+1,) int64, the column of each column's first product. shift: 1 without squares.
    alone: squares only."""

    starts: Array
    shift: int
    alone: bool


def expand(rows: Csr, layout: Layout, data: Array, columns: Array) -> None:
    """Each row's own values, then its products, into data and columns. The columns of a row must ascend."""
    starts, shift, alone = layout
    p = 0
    for i in range(rows.indptr.size - 1):
        first, last = rows.indptr[i], rows.indptr[i + 1]
        for q in range(first, last):
            data[p], columns[p] = rows.data[q], rows.indices[q]
            p += 1
        for q in range(first, last):
            own = np.int64(rows.indices[q])
            for r in range(q + shift, q + 1 if alone else last):
                data[p] = rows.data[q] * rows.data[r]
                columns[p] = starts[own] + np.int64(rows.indices[r]) - own - shift
                p += 1


expand_rows = Kernel(expand)
