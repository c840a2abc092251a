"""Soft confidence-weighted learning (Wang, Zhao & Hoi 2012), diagonal."""

import math
from typing import NamedTuple

from .arow import Arow
from .functions import Step


class Scw(NamedTuple):
    """SCW: if φ√v > y·u, with v = Σ Σ_j·x_j², w_j += y·α·Σ_j·x_j and Σ_j −= β(Σ_j·x_j)²; variants of the paper."""

    C: float = 1.0
    phi: float = 1.0
    variant: float = 1.0

    name = "scw"
    only = {"variant": (1.0, 2.0)}
    starts = (1.0,)
    eta0 = None
    tol = 1e-4
    measure, move = Arow.measure, Arow.move

    def stride(self, u: float, y: float, v: float) -> Step:
        margin, phi = y * u, self.phi
        if not (v > 0.0 and phi * math.sqrt(v) > margin):
            return 0.0, 0.0, 0.0
        squared = phi * phi
        if self.variant == 1.0:
            psi, zeta = 1.0 + squared / 2.0, 1.0 + squared
            root = math.sqrt(margin * margin * squared * squared / 4.0 + v * squared * zeta)
            alpha = min(self.C, max(0.0, (root - margin * psi) / (v * zeta)))
        else:
            n = v + 1.0 / (2.0 * self.C)
            root = phi * math.sqrt(squared * margin * margin * v * v + 4.0 * n * v * (n + v * squared))
            alpha = max(0.0, (root - 2.0 * margin * n - squared * margin * v) / (2.0 * (n * n + n * v * squared)))
        spread = (math.sqrt(alpha * alpha * v * v * squared + 4.0 * v) - alpha * v * phi) / 2.0
        whole = spread + v * alpha * phi
        return alpha * y, alpha * phi / whole, spread / whole
