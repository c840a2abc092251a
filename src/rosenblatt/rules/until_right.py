"""Repeat until right, in closed form (lecture note 002, the online use)."""

import math
from typing import NamedTuple


class UntilRight(NamedTuple):
    """Until right: after a mistake (y·u ≤ 0) add y·x as often as it takes to reach y·u ≥ 1, in one step.

    The unit step is y·⌈(1 − y·u)/‖x̄‖²⌉. A row of zeros is a mistake that no step can mend: 0.
    """

    name = "until-right"
    eta0 = 1.0
    tol = None
    mends = True

    def step(self, u: float, y: float, sq_norm: float) -> float:
        if y * u > 0.0 or sq_norm <= 0.0:
            return 0.0
        times = (1.0 - y * u) / sq_norm
        # From 2⁵³ on every float is whole; math.ceil makes an int of it, which compiled overflows and plain may raise.
        return y * (times if times >= 9007199254740992.0 else math.ceil(times))

    def loss(self, u: float, y: float) -> float:
        return max(0.0, -y * u)
