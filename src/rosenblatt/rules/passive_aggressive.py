"""Passive-aggressive (Crammer et al. 2006): the smallest step that reaches y·u = 1, made cautious by C.

Both count the bias as a feature, so that y·u = 1 after an unclipped step.
"""

from typing import NamedTuple


def to_mend(u: float, y: float, sq_norm: float) -> float:
    """ℓ = max(0, 1 − y·u), or 0 where no step can mend it: a row of zeros."""
    return max(0.0, 1.0 - y * u) if sq_norm > 0.0 else 0.0


class PassiveAggressive(NamedTuple):
    """Passive-aggressive I: the step is y·min(C, ℓ/‖x̄‖²) with ℓ = max(0, 1 − y·u). A row of zeros makes no step.

    C: the longest step, > 0; the larger, the more aggressive. Source: Crammer et al. 2006, PA-I.
    """

    C: float = 1.0

    name = "passive-aggressive"
    eta0 = 1.0
    tol = None
    exact = True
    mends = True

    def step(self, u: float, y: float, sq_norm: float) -> float:
        miss = to_mend(u, y, sq_norm)
        return y * min(self.C, miss / sq_norm) if miss > 0.0 else 0.0

    def loss(self, u: float, y: float) -> float:
        return max(0.0, 1.0 - y * u)


class PassiveAggressive2(NamedTuple):
    """Passive-aggressive II: the step is y·ℓ/(‖x̄‖² + 1/(2C)) with ℓ = max(0, 1 − y·u). A row of zeros makes no step.

    C: > 0; the larger, the more aggressive. Source: Crammer et al. 2006, PA-II.
    """

    C: float = 1.0

    name = "passive-aggressive-2"
    eta0 = 1.0
    tol = None
    exact = True
    mends = True

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y * to_mend(u, y, sq_norm) / (sq_norm + 0.5 / self.C)

    def loss(self, u: float, y: float) -> float:
        return max(0.0, 1.0 - y * u)
