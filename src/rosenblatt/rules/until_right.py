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

    def step(self, u: float, y: float, sq_norm: float) -> float:
        if y * u > 0.0 or sq_norm <= 0.0:
            return 0.0
        return y * math.ceil((1.0 - y * u) / sq_norm)

    def loss(self, u: float, y: float) -> float:
        return max(0.0, -y * u)
