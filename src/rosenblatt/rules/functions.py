"""Functions that several rules share. Written so that no branch overflows in plain Python either."""

import math


def sigmoid(u: float) -> float:
    """σ(u) = 1/(1 + e^−u), in (0, 1); the branch keeps the exponent negative."""
    if u >= 0.0:
        return 1.0 / (1.0 + math.exp(-u))
    e = math.exp(u)
    return e / (1.0 + e)


def softplus(u: float) -> float:
    """log(1 + e^u), to full precision at both ends."""
    return max(u, 0.0) + math.log1p(math.exp(-abs(u)))
