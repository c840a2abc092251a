"""Follow the regularised leader, proximal (McMahan et al. 2013), for the logistic loss."""

import math
from typing import Any, NamedTuple

from .functions import Pair, Step


class Ftrl(NamedTuple):
    """FTRL-proximal: with g = s·x_j and σ = (√n_new − √n_old)/η it sums z_j += g + σ·w_j and n_j += g², and the weight
    is w_j = sign(z_j)·max(0, |z_j| − l1)/((β + √n_j)/η + alpha): 0 until there is reason for more. c: z_j and √n_j."""

    beta: float = 1.0

    name = "ftrl"
    starts = (0.0, 0.0)
    eta0 = 0.5
    rules = ("logistic",)

    def with_penalties(self, l1: float, alpha: float) -> "Regularised":
        return Regularised(self.beta, l1, alpha)  # type: ignore[call-arg]

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        return self.with_penalties(0.0, 0.0).move(c, w, x, a)


class Regularised(NamedTuple):
    """FTRL with its penalties, which the bias is free of."""

    beta: float
    l1: float
    alpha: float

    starts = (0.0, 0.0)

    def begin(self, w: Any, eta: float) -> Any:
        """The sums from which the weights w follow, numbers or arrays."""
        return w * (self.beta / eta + self.alpha) + self.l1 * (w > 0) - self.l1 * (w < 0), 0 * w

    def of_bias(self) -> "Regularised":
        return Regularised(self.beta, 0.0, 0.0)  # type: ignore[call-arg]

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        g = a[0] * x
        root = math.sqrt(c[1] * c[1] + g * g)
        z = c[0] + g + (root - c[1]) / a[1] * w
        beyond = z - min(max(z, -self.l1), self.l1)
        return beyond / ((self.beta + root) / a[1] + self.alpha) - w, (z, root)
