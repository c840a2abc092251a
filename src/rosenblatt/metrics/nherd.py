"""Normal herding (Crammer & Lee 2010), the three diagonal forms of the paper."""

from typing import NamedTuple

from .arow import Arow
from .functions import Pair, Step


class NherdDrop(NamedTuple):
    """NHERD: if y·u < 1, w_j += y(1 − y·u)/(v + 1/C)·Σ_j·x_j with v = Σ Σ_j·x_j²; Σ_j as the full matrix would have it,
    what is off the diagonal dropped: Σ_j −= (Σ_j·x_j)²(C²v + 2C)/(1 + Cv)²."""

    C: float = 1.0

    name = "nherd"
    starts = (1.0,)
    eta0 = None
    tol = 1e-4
    measure, move = Arow.measure, Arow.move

    def stride(self, u: float, y: float, v: float) -> Step:
        if y * u >= 1.0:
            return 0.0, 0.0, 0.0
        left = 1.0 / (1.0 + self.C * v)
        return (y - u) / (v + 1.0 / self.C), self.C * left * (1.0 + left), left * left


class NherdProject(NamedTuple):
    """NHERD, the inverse of the full matrix projected: 1/Σ_j += (2C + C²v)x_j²."""

    C: float = 1.0

    name = "nherd-project"
    starts = (1.0,)
    eta0 = None
    tol = 1e-4
    measure = Arow.measure

    def stride(self, u: float, y: float, v: float) -> Step:
        C = self.C
        return ((y - u) / (v + 1.0 / C), 2.0 * C + C * C * v, 0.0) if y * u < 1.0 else (0.0, 0.0, 0.0)

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        along = c[0] * x
        return a[0] * along, (c[0] / (1 + a[1] * x * along), c[1])


class NherdExact(NamedTuple):
    """NHERD, the best diagonal matrix: Σ_j ← Σ_j/(1 + C·x_j²·Σ_j)²."""

    C: float = 1.0

    name = "nherd-exact"
    starts = (1.0,)
    eta0 = None
    tol = 1e-4
    measure = Arow.measure

    def stride(self, u: float, y: float, v: float) -> Step:
        return ((y - u) / (v + 1.0 / self.C), self.C, 0.0) if y * u < 1.0 else (0.0, 0.0, 0.0)

    def move(self, c: Pair, w: float, x: float, a: Step) -> tuple[float, Pair]:
        along = c[0] * x
        return a[0] * along, (c[0] / (1 + a[1] * x * along) ** 2, c[1])
