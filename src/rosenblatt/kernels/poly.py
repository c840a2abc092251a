"""K(x, z) = (γ·x·z + c)^d: all products of up to d features."""

from typing import Any

from ..core.rows import Array, Rows
from ..parameters import Parameter
from .product import UNIT, Product, power


class Poly(Product):
    """K(x, z) = (gamma·x·z + coef0)^degree. Source: Freund & Schapire 1999 with gamma 1, coef0 1."""

    name = "poly"
    parameters = (
        Parameter(
            "kernel_degree", 3, int, own="degree", least=1, help="poly: the power.",
            refusal="kernel poly: degree {kernel_degree.value} must be a whole number ≥ 1",
        ),
        Parameter(
            "kernel_gamma", 1.0, float, own="gamma", least=0, above=True, help="poly: what x·z is multiplied by.",
            refusal="kernel poly: gamma {kernel_gamma.value} must be a number > 0",
        ),
        Parameter(
            "kernel_coef0", 1.0, float, own="coef0", least=0, help="poly: what is added to it.",
            refusal="kernel poly: coef0 {kernel_coef0.value} must be a number ≥ 0",
        ),
        UNIT,
    )  # fmt: skip

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0, unit: bool = False) -> None:
        self.degree, self.gamma, self.coef0, self.unit = degree, gamma, coef0, unit

    def rounding(self, rows: Rows) -> Array:
        return self._rounding(rows, self.degree, float(self.gamma).is_integer() and float(self.coef0).is_integer())

    def of(self, products: Array, a: Any, b: Any) -> Array:
        if self.gamma != 1.0:
            products *= products.dtype.type(self.gamma)
        products += products.dtype.type(self.coef0)
        return power(products, self.degree)
