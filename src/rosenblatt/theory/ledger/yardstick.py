"""The separator that a run is measured by, and the theorems' quantities as exact numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...errors import DataError
from ..problem import Problem
from ..proof.certificate import Separator

CLOSE = 1e-6
"""A least y·u of fewer good digits than this is worked out exactly."""


class Yardstick(NamedTuple):
    """A separator w̄ = (w, b), b = 0 through the origin, and its margin: least/length for the unit separator w̄/‖w̄‖.

    w: (d,) float64. least: min y·(w̄·x̄) > 0. length: ‖w̄‖. origin: what it is called. best: whether no separator has a
    larger margin, as far as is known; most: a margin that certainly none has, or None.
    """

    w: Array
    b: float
    least: float
    length: float
    origin: str = "the separator given"
    best: bool = False
    most: float | None = None

    @property
    def margin(self) -> float:
        """γ̄ of this separator (through the origin γ₀)."""
        return self.least / self.length

    def along(self, problem: Problem) -> Array:
        """(n,) x̄·u of the unit separator u."""
        return problem.scores(self.w, self.b) / self.length

    @classmethod
    def of(cls, problem: Problem, w: Any, b: float = 0.0, **known: Any) -> Yardstick:
        """From weights. Raises DataError where they do not have every row on its right side."""
        try:
            w, b = np.asarray(w, np.float64).ravel(), float(b)
        except (TypeError, ValueError):
            raise DataError("the separator's weights are no numbers; expected w, one for each column, and b") from None
        if w.size != problem.d:
            raise DataError(f"the separator has {w.size} weights, but the rows have {problem.d} columns")
        if not (np.isfinite(w).all() and np.isfinite(b)):
            raise DataError("the separator's weights are not finite")
        if b != 0.0 and not problem.fit_intercept:
            raise DataError(f"the separator has the offset {b:g}, but the hyperplanes go through the origin")
        least = float(problem.margins(w, b).min())
        rough = noise(problem, w, b)
        if abs(least) < rough / CLOSE:
            least = float(exact_least(problem, w, b))
        if not least > 0.0:
            wrong = int(np.count_nonzero(problem.margins(w, b) <= rough))
            raise DataError(f"the separator is none: {wrong:,} of {problem.n:,} rows are not on its right side")
        return cls(w, b, least, float(squared_length(w, b)) ** 0.5, **known)


def pair(separator: Any) -> tuple[Any, Any]:
    """(w, b). DataError for what are no two things."""
    try:
        w, b = separator
    except (TypeError, ValueError):
        raise DataError(f"the separator is {str(separator)[:40]}; expected (w, b), or what max_margin gives") from None
    return w, b


def noise(problem: Problem, w: Array, b: float) -> float:
    """How far a rounded score may be from the true one, at the most."""
    sizes = np.asarray(abs(problem.x) @ np.abs(w)) + abs(b)
    return float(sizes.max()) * (problem.d + 3) * 2.3e-16


def squared_length(w: Any, b: Any) -> Any:
    """‖w̄‖²: the bias counts. In floats, or of exact numbers exactly."""
    return sum(value * value for value in w) + b * b if isinstance(w, list) else float(w @ w + b * b)


def longest(problem: Problem) -> float:
    """R̄² = max ‖x̄‖² (through the origin R²)."""
    return float(problem.rows.sq_norms().max()) + (1.0 if problem.fit_intercept else 0.0)


# --- exact ------------------------------------------------------------------------------------------------------------


def exact_least(problem: Problem, w: Array, b: float) -> Fraction:
    """min y·(w̄·x̄)."""
    return Separator.of(w, b).least(problem, np.arange(problem.n))[0]


def exact_longest(problem: Problem) -> Fraction:
    """R̄² exactly."""
    norms = problem.rows.sq_norms()
    close = np.flatnonzero(norms >= norms.max() * (1.0 - 1e-9)).tolist()
    squares = (sum(Fraction(value) ** 2 for value in problem.rows.row(i)[1].tolist()) for i in close)
    return Fraction(max(squares)) + int(problem.fit_intercept)
