"""Sparse rows → the same with the products of their values, in one pass."""

from __future__ import annotations

import numpy as np

from ..core.dispatch import Kernel
from ..core.rows import Array, Layout


def expand(data: Array, columns: Array, ends: Array, layout: Layout, out: Array, out_columns: Array) -> None:
    """Each row's own values, then its products. data, columns: row i's from ends[i] to ends[i + 1], ascending."""
    starts, shift, alone = layout
    p = 0
    for i in range(ends.size - 1):
        first, last = ends[i], ends[i + 1]
        for q in range(first, last):
            out[p], out_columns[p] = data[q], columns[q]
            p += 1
        for q in range(first, last):
            own = np.int64(columns[q])
            for r in range(q + shift, q + 1 if alone else last):
                out[p] = data[q] * data[r]
                out_columns[p] = starts[own] + np.int64(columns[r]) - own - shift
                p += 1


expand_rows = Kernel(expand)
