"""No metric: every column moves by the same step."""

from typing import NamedTuple

from .functions import Pair, Step


class Plain(NamedTuple):
    """w_j += η·s·x_j. Without L1 the plain loop does this."""

    name = "none"
    rank = 0
    plain = True
    starts = (0.0,)
    eta0 = None

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        return a[1] * a[0] * x, c
