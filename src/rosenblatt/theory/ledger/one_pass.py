"""The bound on one pass over any rows, with the best u and γ that a convex search finds.

((R̄ + D)/γ)² with D² = Σ max(0, γ − y·u·x̄)². With v = u/γ its root is R̄·‖v‖ + ‖max(0, 1 − y·v·x̄)‖₂, which is convex in
v: one search finds u and γ together, and whatever v it stops at gives a valid bound. v → 0 gives n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .yardstick import longest

LOOKS = 200
"""At most so many steps of the search; it is near its end after some 60."""
SIZES = np.geomspace(1e-3, 1e3, 25)
SMALL = 1e-12


class OnePass(NamedTuple):
    """limit: ((R̄ + D)/γ)². w, b: u, of unit length. margin: γ; missing: D. length: R̄."""

    limit: float
    w: Array
    b: float
    margin: float
    missing: float
    length: float


def one_pass(problem: Problem, times: Array | None = None, starts: Sequence[Array] = ()) -> OnePass:
    """The smallest bound found on the mistakes of one pass from zero weights.

    times: (n,) how often the pass comes to each row, None: once. starts: directions (d̄,) to begin at: separators,
    weights that were learned.
    """
    from scipy.optimize import minimize

    root = _Root(problem, np.ones(problem.n) if times is None else np.asarray(times, float))
    mean = problem.x.T @ (problem.y * root.times)
    first = [np.append(mean, problem.y @ root.times) if problem.fit_intercept else np.asarray(mean), *starts]
    tried = [v * (size / norm) for v in first if (norm := _root(v, root)) > 0.0 for size in SIZES]
    best = min(tried, key=root.value, default=np.zeros(first[0].size))
    if np.any(best):
        searched = minimize(root.both, best, jac=True, method="L-BFGS-B", options={"maxiter": LOOKS}).x
        best = min((best, np.asarray(searched)), key=root.value)
    value = root.value(best)
    size = float(np.linalg.norm(best))
    if not size > 0.0 or value**2 >= root.times.sum():
        return _far(root, first[0])
    margin = 1.0 / size
    w, b = (best[:-1], float(best[-1])) if problem.fit_intercept else (best, 0.0)
    return OnePass(value**2, w / size, b / size, margin, root.missing(best) * margin, root.length)


def _root(v: Array, root: _Root) -> float:
    """How large v·y·x̄ is, to begin with v of a size that means something."""
    return float(np.sqrt(np.mean(root.scores(v) ** 2)))


def _far(root: _Root, v: Array) -> OnePass:
    """No u says more than that each row is a mistake once: γ so large that D/γ is √n."""
    n, size = float(root.times.sum()), float(np.linalg.norm(v))
    unit = v / size if size > 0.0 else np.eye(1, v.size)[0]
    w, b = (unit[:-1], float(unit[-1])) if root.problem.fit_intercept else (unit, 0.0)
    return OnePass(n, w, b, np.inf, np.inf, root.length)


class _Root:
    """R̄·‖v‖ + ‖max(0, 1 − y·v·x̄)‖ and its slope."""

    def __init__(self, problem: Problem, times: Array) -> None:
        self.problem, self.times, self.length = problem, times, longest(problem) ** 0.5

    def scores(self, v: Array) -> Array:
        w, b = (v[:-1], float(v[-1])) if self.problem.fit_intercept else (v, 0.0)
        return self.problem.margins(w, b)

    def missing(self, v: Array) -> float:
        """D/γ."""
        lack = np.maximum(0.0, 1.0 - self.scores(v))
        return float(np.sqrt(self.times @ lack**2))

    def value(self, v: Array) -> float:
        return self.length * float(np.linalg.norm(v)) + self.missing(v)

    def both(self, v: Array) -> tuple[float, Array]:
        lack = np.maximum(0.0, 1.0 - self.scores(v))
        missing, size = float(np.sqrt(self.times @ lack**2)), float(np.linalg.norm(v))
        pull = self.times * lack * self.problem.y
        slope = -(self.problem.x.T @ pull)
        slope = np.append(slope, -pull.sum()) if self.problem.fit_intercept else np.asarray(slope)
        slope = slope / max(missing, SMALL) + v * (self.length / max(size, SMALL))
        return self.length * size + missing, slope
