"""The perceptron with a margin (lecture note 002)."""

from typing import NamedTuple


class Margin(NamedTuple):
    """Margin perceptron: the unit step is y while the functional margin y·u is below τ.

    tau: the margin asked for, > 0 (0 would leave y·u = 0 uncorrected). Source: lecture note 002 §2.2.2 (τ = 1).
    """

    tau: float = 1.0

    name = "margin"
    eta0 = 1.0
    tol = None

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y if y * u < self.tau else 0.0

    def loss(self, u: float, y: float) -> float:
        return max(0.0, self.tau - y * u)
