"""Logistic regression (lecture note 003)."""

from typing import NamedTuple

from .functions import sigmoid, softplus


class Logistic(NamedTuple):
    """Logistic unit: descends log(1 + e^(−y·u)), so the unit step is t − σ(u), with t = 1 for y = +1 else 0."""

    name = "logistic"
    eta0 = 0.1
    tol = 1e-4
    endless = True
    reach = 1.0
    probability = staticmethod(sigmoid)

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y * sigmoid(-y * u)

    def loss(self, u: float, y: float) -> float:
        return softplus(-y * u)
