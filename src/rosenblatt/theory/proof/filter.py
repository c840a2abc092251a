"""Which rows rounding leaves in doubt: the sign of y(w·x + b) is proven for all others by a bound on the error."""

from __future__ import annotations

import numpy as np

from ...core.rows import Array
from ..problem import Problem

BLOCK = 1_000_000
"""Numbers at a time: 8 MB stay in the cache, and the whole of |x| is never laid out."""
UNIT = 2.0**-53
"""u: a sum or product of floats is within this relative error (round to nearest)."""
TINY = 2.0**-1021
"""More than what one product can lose to underflow, also where a library has subnormal results flushed to 0."""


def bounded_margins(problem: Problem, w: Array, b: float) -> tuple[Array, Array]:
    """(n,) y(w·x + b) in float64 and (n,) a bound on how far it is from the exact value.

    Standard model of floating point: whatever the order of a sum of m products, with or without fused multiply-add,
    |û − u| ≤ γ_m Σ|w||x|, γ_m = mu/(1 − mu), plus what underflow loses (N. Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, chapters 2 and 3). Here m = d + 8: one more for a w that itself was rounded, one for the bias, and
    the rest for rounding in the bound. Infinite where something overflows.
    """
    w = np.asarray(w, np.float64)
    scores, sizes = np.empty(problem.n), np.empty(problem.n)
    long = np.maximum(np.abs(w), TINY)  # a weight that was rounded may have gone below all floats
    size = problem.rows.height(BLOCK)
    with np.errstate(all="ignore"):
        for start, rows in zip(range(0, problem.n, size), problem.rows.blocks(size), strict=True):
            part = rows.astype(np.float64).matrix()
            scores[start : start + size] = part @ w
            sizes[start : start + size] = abs(part) @ long
        terms = problem.d + 8
        bound = 2.0 * terms * UNIT * (sizes + abs(b)) + 2.0 * terms * TINY
        scores += b
        bound[~np.isfinite(scores) | ~np.isfinite(bound)] = np.inf
    if terms * UNIT > 0.01 or flushes():
        bound[:] = np.inf
    return scores * problem.y, bound


def flushes() -> bool:
    """Whether some library has made this thread read subnormal numbers as 0: then the bound does not hold."""
    return bool((np.array([5e-324]) * np.array([1.0]))[0] == 0.0)
