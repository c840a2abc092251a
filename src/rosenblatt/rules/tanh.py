"""The tanh unit with squared error (lecture note 003)."""

import math
from typing import NamedTuple


class Tanh(NamedTuple):
    """Tanh unit: descends ½(y − th)² with th = tanh u; the unit step is (y − th)(1 − th²)."""

    name = "tanh"
    eta0 = 0.1
    tol = 1e-4
    endless = True
    reach = 1.0

    def step(self, u: float, y: float, sq_norm: float) -> float:
        th = math.tanh(u)
        return (y - th) * (1.0 - th * th)

    def loss(self, u: float, y: float) -> float:
        miss = y - math.tanh(u)
        return 0.5 * miss * miss
