"""K(x, z) = exp(−γ·‖x − z‖²): as like as near."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..parameters import Parameter
from .product import UNIT_ROUND, Product


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

    def __init__(self, gamma: Any = "scale") -> None:
        self.gamma = gamma

    def fitted(self, rows: Rows) -> Rbf:
        if self.gamma != "scale":
            return self
        count = max(rows.n * rows.width, 1)
        mean = float(rows.column_sums(lambda x: x).sum()) / count
        variance = float(rows.sq_norms().sum()) / count - mean * mean
        most = float(np.finfo(float).max)  # of values whose squares are nearly 0
        with np.errstate(over="ignore", divide="ignore"):
            gamma = min(np.divide(1.0, rows.width * variance), most) if variance > 1e-12 * mean * mean else 1.0
        return Rbf(float(gamma))

    def own(self, rows: Rows, own: Array) -> Array:
        """1, but infinite where the square of a row cannot be held."""
        with np.errstate(over="ignore"):
            return np.where(np.isfinite(rows.sq_norms().astype(rows.dtype)), 1.0, np.inf)

    def rounding(self, rows: Rows) -> Array:
        """Squared distances are off by 4(d + 8)·2⁻⁵³·max‖x‖², and K by gamma times that, and by its own rounding."""
        off = 8.0 * self.gamma * (rows.width + 8) * float(rows.sq_norms().max(initial=0.0)) + 8.0
        return np.full(rows.n, np.sqrt(off * UNIT_ROUND))

    def of(self, products: Array, a: Any, b: Any) -> Array:
        products *= -2.0
        products += a
        products += b
        np.maximum(products, 0.0, out=products)  # rounding may make the square of a distance negative
        products *= -products.dtype.type(self.gamma)
        return np.exp(products, out=products)
