"""The sigmoid unit with squared error (lecture note 003, the error-driven classifier)."""

from typing import NamedTuple

from .functions import sigmoid


class Sigmoid(NamedTuple):
    """Sigmoid unit: descends ½(t − o)² with o = σ(u), t = 1 for y = +1 else 0; the unit step is (t − o)·o(1 − o)."""

    name = "sigmoid"
    eta0 = 0.5
    tol = 1e-4
    endless = True
    reach = 4.0

    def step(self, u: float, y: float, sq_norm: float) -> float:
        o = sigmoid(u)
        return ((1.0 if y > 0.0 else 0.0) - o) * o * (1.0 - o)

    def loss(self, u: float, y: float) -> float:
        miss = sigmoid(-y * u)
        return 0.5 * miss * miss
