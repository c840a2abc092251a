"""K(x, z) = exp(−γ·‖x − z‖²): as like as near."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, Rows, dense
from ..errors import DataError, ModelError
from ..parameters import Parameter
from .product import UNIT_ROUND, Product

FAR = 16.0
"""Rows lie far from 0 where their mean's ‖c‖² is so many times their mean ‖x − c‖²: ‖x‖² − 2x·z + ‖z‖² loses as many
times its rounding then. Of 20 columns in float32, K was off by 6e-6 at 16 times, by 3e-3 at 10,000; rows of MNIST are
at 0.7, iris at 13."""
PIECE = 1 << 20
"""Values that are moved at a time."""


class Rbf(Product):
    """K(x, z) = exp(−gamma·‖x − z‖²). gamma "scale": 1/(d·var) of all values that are learned from, as scikit-learn's
    SVC has it; 1 where they do not vary."""

    name = "rbf"
    by_length = True
    definite = True
    parameters = (
        Parameter(
            "kernel_width", "scale", float, own="gamma", least=0, above=True, words={"scale": "scale"},
            help="rbf: what the squared distance is multiplied by; scale: 1/(columns·variance).",
            refusal='kernel rbf: gamma {kernel_width.value} must be "scale" or a number > 0',
        ),
    )  # fmt: skip

    arrays = ("centre",)

    def __init__(self, gamma: Any = "scale") -> None:
        self.gamma = gamma
        self.centre: Array | None = None
        """(d,) what is subtracted from all rows, which changes no distance; None: nothing, of rows near 0 and sparse
        ones."""

    def fitted(self, rows: Rows) -> Rbf:
        count, dtype = max(rows.n, 1), rows.dtype
        new = Rbf(self.gamma)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            centre, square = rows.column_sums(lambda x: x) / count, float(rows.sq_norms().sum(dtype=float)) / count
            mean, far = float(centre.mean()) if rows.width else 0.0, rows.shiftable and bool(np.isfinite(square))
            off = float(centre @ centre)
            if far and off > FAR * (square - off):
                new.centre = centre.astype(dtype).astype(float)
                square = float(new.lengths(rows).sum(dtype=float)) / count
                variance, least = square / max(rows.width, 1) + float(centre.var()), 1e-28
            else:
                variance, least = square / max(rows.width, 1) - mean * mean, 1e-12
            if self.gamma == "scale":  # not of squares that overflow, whose rows are refused by their numbers
                new.gamma = float(np.divide(1.0, rows.width * variance)) if variance > least * mean * mean else 1.0
                new.gamma = new.gamma if np.isfinite(square) else 1.0
        if self.gamma == "scale" and not np.finfo(dtype).tiny <= new.gamma <= np.finfo(dtype).max:
            found = f"the largest value of all is {rows.largest():g}, and squares of such values do not fit {dtype}"
            raise DataError(f"{found}; scale the features")
        return new

    def holding(self, arrays: dict[str, Array], width: int) -> Rbf:
        centre = arrays["centre"]
        if centre.shape != (width,) or centre.dtype != np.float64 or not np.isfinite(centre).all():
            raise ModelError("damaged: the centre of its kernel is not one of its rows")
        self.centre = centre
        return self

    def _near(self, rows: Rows) -> Rows:
        if self.centre is None:
            return rows
        rows = rows if rows.shiftable else dense(rows.toarray())
        return rows.scaled(lambda x, centre: x - centre, self.centre)

    def lengths(self, rows: Rows) -> Array:
        if self.centre is None:
            return rows.sq_norms()
        return np.concatenate([np.empty(0, rows.dtype), *(self._near(part).sq_norms() for part in rows.pieces(PIECE))])

    def block(self, a: Rows, b: Rows, lengths: tuple[Array, Array] | None = None) -> Array:
        return super().block(self._near(a), self._near(b), lengths)

    def own(self, rows: Rows, own: Array) -> Array:
        """1, but infinite where the square of a row cannot be held."""
        with np.errstate(over="ignore"):
            return np.where(np.isfinite(self.lengths(rows).astype(rows.dtype)), 1.0, np.inf)

    def rounding(self, rows: Rows) -> Array:
        """Squared distances are off by 4(d + 8)·2⁻⁵³·max‖x‖², and K by gamma times that, and by its own rounding."""
        off = 8.0 * self.gamma * (rows.width + 8) * float(self.lengths(rows).max(initial=0.0)) + 8.0
        return np.full(rows.n, np.sqrt(off * UNIT_ROUND))

    def of(self, products: Array, a: Any, b: Any) -> Array:
        products *= -2.0
        products += a
        products += b
        np.maximum(products, 0.0, out=products)  # rounding may make the square of a distance negative
        products *= -products.dtype.type(self.gamma)
        return np.exp(products, out=products)
