"""K(x, z) = x·z: the linear classifier itself, in the dual."""

from typing import Any

from ..core.rows import Array, Rows
from ..parameters import Parameter
from .product import UNIT, Product


class Linear(Product):
    """K(x, z) = x·z."""

    name = "linear"
    parameters: tuple[Parameter, ...] = (UNIT,)

    def __init__(self, unit: bool = False) -> None:
        self.unit = unit

    def rounding(self, rows: Rows) -> Array:
        return self._rounding(rows, 1, True)

    def of(self, products: Array, a: Any, b: Any) -> Array:
        return products
