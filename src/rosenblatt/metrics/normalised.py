"""Normalised adaptive gradient (Ross, Mineiro & Langford 2013, Algorithm 2)."""

import math
from typing import NamedTuple

from .functions import Pair, Step


class Normalised(NamedTuple):
    """NAG: as AdaGrad, each column measured by s_j, its largest |x_j| so far; a larger one rescales w_j by s_j/|x_j|.

    w_j += η·√(t/N)·s·x_j/(s_j·√G_j), with t the rows so far and N = Σ x_j²/s_j² over all their columns.
    """

    name = "normalised"
    starts = (0.0, 0.0)
    eta0 = 0.5

    def news(self, c: Pair, x: float) -> bool:
        return abs(x) > c[0]

    def see(self, c: Pair, x: float) -> tuple[Pair, float]:
        size = abs(x)
        return ((size, c[1]), c[0] / size) if size > c[0] else (c, 1)

    def measure(self, c: Pair, x: float) -> float:
        return (x / c[0]) ** 2 if c[0] > 0 else 0 * x

    def rate(self, v: float, past: list[float]) -> float:
        past[0] += 1.0
        past[1] += v
        return math.sqrt(past[0] / past[1]) if past[1] > 0.0 else 0.0

    def shrink(self, c: Pair) -> float:
        return 1 / (math.sqrt(c[1]) * c[0]) if c[1] > 0 else 0 * c[0]

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        g = a[0] * x
        total = c[1] + g * g
        return (a[1] * g / (math.sqrt(total) * c[0]) if total > 0 else g), (c[0], total)
