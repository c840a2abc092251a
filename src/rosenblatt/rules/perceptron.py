"""The perceptron (Rosenblatt 1958)."""

from typing import NamedTuple


class Perceptron(NamedTuple):
    """Perceptron: the unit step is y after a mistake (y·u ≤ 0), else 0.

    Source: lecture notes 000, 001 (eq. 5–6) and 004. A score of exactly 0 is a mistake whichever the label.
    """

    name = "perceptron"
    eta0 = 1.0
    tol = None

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y if y * u <= 0.0 else 0.0

    def loss(self, u: float, y: float) -> float:
        return max(0.0, -y * u)
