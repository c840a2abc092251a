"""AdaGrad (Duchi, Hazan & Singer 2011)."""

import math
from typing import NamedTuple

from .functions import Pair, Step


class Adagrad(NamedTuple):
    """AdaGrad: G_j += (s·x_j)², then w_j += η·s·x_j/√(δ² + G_j): a column that moved often moves less.

    start: δ ≥ 0; 0: the first step of a column is η long, however small its gradient is.
    """

    start: float = 0.0

    name = "adagrad"
    compared = True
    starts = (0.0,)
    eta0 = 0.5

    def shrink(self, c: Pair) -> float:
        return 1 / math.sqrt(c[0] + self.start * self.start) if c[0] > 0 else 0 * c[0]

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        g = a[0] * x
        total = c[0] + g * g
        return (a[1] * g / math.sqrt(total + self.start * self.start) if total > 0 else g), (total, c[1])
