"""Quadratic features: x → (x, x_i², x_i·x_j), so that a linear learner draws ellipses and hyperbolas, and learns XOR.

    columns     0 … d − 1        x_j as given
                then, i = 0, 1 … all: x_i·x_j for j = i … d − 1; squares: x_i²; pairs: x_i·x_j for j = i + 1 … d − 1

all has d(d + 3)/2 columns, pairs d(d + 1)/2, squares 2d. A sparse row of m values becomes one of m(m + 3)/2 (all).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.dispatch import Kernel
from ..core.rows import Array, Layout, Rows
from ..errors import DataError
from .parameters import DEGREE, PRODUCTS
from .step import Step


def expand(data: Array, columns: Array, ends: Array, layout: Layout, out: Array, out_columns: Array) -> None:
    """Each row's own values, then its products, in one pass. data, columns: row i's from ends[i] to ends[i + 1],
    ascending."""
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


MOST = 1 << 27
"""Columns at most: the weights of a two-class learner that averages are four arrays of 1 GB then."""


class Quadratic(Step):
    """A step that widens rows. columns: d, those before it. products: "all", "squares" or "pairs"."""

    kind = "quadratic"
    nothing = 0
    parameters = (DEGREE, PRODUCTS)

    def __init__(self, columns: int = 0, products: str = "all") -> None:
        PRODUCTS.check(products)
        self.columns, self.products = columns, products
        own = {"all": 1, "squares": 1, "pairs": 0}[products]
        self.width = columns + (columns if products == "squares" else columns * (columns - 1) // 2 + own * columns)
        if self.width > MOST:  # before anything of this size is made
            found = f"{{degree}} of {columns:,} columns makes {self.width:,}, and at most {MOST:,} are possible"
            raise DataError(f"{found}; leave out columns, or take {{products:s}}", degree=2, products="squares")
        counts = np.ones(columns, np.int64) if products == "squares" else np.arange(columns, 0, -1) - 1 + own
        starts = columns + np.concatenate([[0], np.cumsum(counts)])
        self._layout = Layout(starts, shift=1 - own, alone=products == "squares")

    def partial(self, batch: Rows) -> int:
        return batch.width

    def merge(self, a: int, b: int) -> int:
        return max(a, b)

    def finish(self, partial: int) -> Quadratic:
        return Quadratic(partial, self.products)

    def transform(self, rows: Rows) -> Rows:
        """Raises DataError where the products do not fit into memory. A row's columns must differ from each other."""
        self._check_memory(rows)
        with np.errstate(over="ignore"):  # whoever learns from them names the feature that is not finite
            return rows.with_products(self._layout, expand_rows.for_work)

    def _check_memory(self, rows: Rows) -> None:
        count = rows.size + int(self._layout.products_of(rows.stored(axis=1)).sum())
        found = f"{{degree}} makes {count:,} values of {rows.n:,} rows and {self.width:,} columns"
        check_memory(count * rows.value_bytes, found, degree=2)

    def factors(self, column: int) -> tuple[int, int] | None:
        """(i, j) of the product in a column, None for a column as given."""
        if column < self.columns:
            return None
        starts, shift, alone = self._layout
        i = int(np.searchsorted(starts, column, "right")) - 1
        return i, i if alone else column - int(starts[i]) + i + shift

    def name(self, column: int, given: Callable[[int], str]) -> str:
        """What a column is called: `age`, `age^2`, `age*height`. given: names of columns as given."""
        factors = self.factors(column)
        if factors is None:
            return given(column)
        i, j = factors
        return f"{given(i)}^2" if i == j else f"{given(i)}*{given(j)}"

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"products": self.products}


def check_memory(size: int, found: str, **settings: Any) -> None:
    """DataError where so many bytes are more than the machine has. found: what takes them, of these settings."""
    if size > (memory := machine_memory()):
        need = f"{size / 1e9:.1f} GB, and the machine has {memory / 1e9:.1f} GB"
        raise DataError(f"{found}, {need}; take fewer rows or columns", **settings)


def machine_memory() -> int:
    """Bytes of memory of the machine; without a word from it, 8 GB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
