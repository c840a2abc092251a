"""Quadratic features: x → (x, x_i², x_i·x_j), so that a linear learner draws ellipses and hyperbolas, and learns XOR.

    columns     0 … d − 1        x_j as given
                then, i = 0, 1 … all: x_i·x_j for j = i … d − 1; squares: x_i²; pairs: x_i·x_j for j = i + 1 … d − 1

all has d(d + 3)/2 columns, pairs d(d + 1)/2, squares 2d. A sparse row of m values becomes one of m(m + 3)/2 (all).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.products import Layout, expand_rows
from ..core.rows import Csr, Dense, Rows, csr, dense, n_rows, values_of
from ..errors import DataError
from .parameters import DEGREE, PRODUCTS

Array = np.ndarray[Any, Any]
MOST = 1 << 27
"""Columns at most: the weights of a two-class learner that averages are four arrays of 1 GB then."""


class Quadratic:
    """A step that widens rows. given: d, the columns before it. products: "all", "squares" or "pairs"."""

    parameters = (DEGREE, PRODUCTS)

    def __init__(self, given: int, products: str = "all") -> None:
        PRODUCTS.check(products)
        self.given, self.products = given, products
        own = {"all": 1, "squares": 1, "pairs": 0}[products]
        counts = np.ones(given, np.int64) if products == "squares" else np.arange(given, 0, -1) - 1 + own
        self._shift = 1 - own
        # starts[i]: the column of the first product of x_i.
        self._starts = given + np.concatenate([[0], np.cumsum(counts)])
        self.width = int(self._starts[-1])
        if self.width > MOST:
            raise DataError(
                f"{{degree}} of {given:,} columns makes {self.width:,}, and at most {MOST:,} are possible; "
                f"leave out columns, or take {{products:s}}",
                degree=2,
                products="squares",
            )

    def apply(self, rows: Rows) -> Rows:
        """Raises DataError where the products do not fit into memory. A row's columns must differ from each other."""
        self._check_memory(rows)
        with np.errstate(over="ignore"):  # whoever learns from them names the feature that is not finite
            return self._dense(rows.values) if isinstance(rows, Dense) else self._sparse(rows)

    def _check_memory(self, rows: Rows) -> None:
        count = n_rows(rows) * self.width
        if isinstance(rows, Csr):
            count = len(rows.data) + int(self._products_of(np.diff(rows.indptr)).sum())
        each = values_of(rows).itemsize + (4 if isinstance(rows, Csr) else 0)
        if count * each > (memory := _memory()):
            raise DataError(
                f"{{degree}} makes {count:,} values of {n_rows(rows):,} rows and {self.width:,} columns, "
                f"{count * each / 1e9:.1f} GB, and the machine has {memory / 1e9:.1f} GB; take fewer rows or columns",
                degree=2,
            )

    def _dense(self, values: Array) -> Dense:
        out = np.empty((len(values), self.width), values.dtype)
        out[:, : self.given] = values
        for i in range(self.given):
            partners = values[:, i : i + 1] if self.products == "squares" else values[:, i + self._shift :]
            np.multiply(values[:, i : i + 1], partners, out=out[:, self._starts[i] : self._starts[i + 1]])
        return dense(out)

    def _sparse(self, rows: Csr) -> Csr:
        m = np.diff(rows.indptr)
        indptr = np.concatenate([[0], np.cumsum(m + self._products_of(m))])
        data, columns = np.empty(indptr[-1], rows.data.dtype), np.empty(indptr[-1], np.uint32)
        layout = Layout(self._starts, self._shift, self.products == "squares")
        expand_rows.for_work(data.nbytes)(_ascending(rows), layout, data, columns)
        return csr(data, columns, indptr, self.width)

    def _products_of(self, m: Array) -> Array:
        """How many products rows of m values have."""
        return m if self.products == "squares" else m * (m + 1) // 2 - self._shift * m

    def factors(self, column: int) -> tuple[int, int] | None:
        """(i, j) of the product in a column, None for a column as given."""
        if column < self.given:
            return None
        i = int(np.searchsorted(self._starts, column, "right")) - 1
        return i, i if self.products == "squares" else column - int(self._starts[i]) + i + self._shift

    def recipe(self) -> dict[str, Any]:
        return {"kind": "quadratic", "products": self.products}

    def tensors(self) -> dict[str, Array]:
        return {}


class ProductNames(Sequence[str]):
    """The names of all columns, made when asked for: `age`, `age^2`, `age*height`."""

    def __init__(self, names: Any, step: Quadratic) -> None:
        self._names, self._step = names, step

    def __len__(self) -> int:
        return self._step.width

    def __getitem__(self, column: Any) -> Any:
        if isinstance(column, slice):
            return [self[at] for at in range(*column.indices(len(self)))]
        if not 0 <= column < len(self):
            raise IndexError(column)
        factors = self._step.factors(int(column))
        if factors is None:
            return str(self._names[int(column)])
        i, j = factors
        return f"{self._names[i]}^2" if i == j else f"{self._names[i]}*{self._names[j]}"


def _ascending(rows: Csr) -> Csr:
    """The same rows with ascending columns in each."""
    row = np.repeat(np.arange(n_rows(rows)), np.diff(rows.indptr))
    keys = row << 32 | rows.indices
    if (keys[1:] > keys[:-1]).all():
        return rows
    order = np.argsort(keys)
    return csr(rows.data[order], rows.indices[order], rows.indptr, int(rows.shape[0]))


def _memory() -> int:
    """Bytes of memory of the machine; without a word from it, 8 GB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
