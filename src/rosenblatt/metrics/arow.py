"""Adaptive regularisation of weights (Crammer, Kulesza & Dredze 2009), diagonal."""

from typing import NamedTuple

from .functions import Pair, Step


class Arow(NamedTuple):
    """AROW: if y·u < 1, w_j += y(1 − y·u)·β·Σ_j·x_j and Σ_j −= β(Σ_j·x_j)², with β = 1/(Σ Σ_j·x_j² + r)."""

    r: float = 1.0

    name = "arow"
    compared = True
    starts = (1.0,)
    eta0 = None
    tol = 1e-4

    def measure(self, c: Pair, x: float) -> float:
        return c[0] * x * x

    def stride(self, u: float, y: float, v: float) -> Step:
        if y * u >= 1.0:
            return 0.0, 0.0, 0.0
        beta = 1.0 / (v + self.r)
        return (y - u) * beta, beta, beta * self.r

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        along = c[0] * x
        return a[0] * along, (max(c[0] - a[1] * along * along, a[2] * c[0]), c[1])
