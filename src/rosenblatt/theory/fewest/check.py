"""Which rows a hyperplane gets right, without rounding, and hyperplanes in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...core.rows import Array
from ..problem import Problem

Exact = list[Fraction]
"""w̄ = (w, b), or w through the origin."""


def right_rows(problem: Problem, w: Array, b: float) -> Array:
    """(n,) bool, y(w·x + b) > 0 in exact arithmetic, for float64 w and b.

    The sum in float64 is off by at most 2(d + 2)ε(Σ|w_j x_j| + |b|) + tiny; only rows closer to 0 are summed exactly.
    """
    w = np.asarray(w, np.float64)
    x, size = _doubles(problem), abs(np.asarray(w))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        u = problem.y * (x @ w + b)
        error = 2.0 * (problem.d + 2) * 2.0**-53 * (abs(x) @ size + abs(b)) + (problem.d + 1) * 2.0**-1000
        right = u > error
        doubtful = np.flatnonzero(~right & ~(u < -error))
    exact = [*map(Fraction, w.tolist()), *([Fraction(b)] if problem.fit_intercept else [])]
    for i in doubtful.tolist():
        right[i] = int(problem.y[i]) * _score(problem, i, exact) > 0
    return np.asarray(right)


def exactly_right_rows(problem: Problem, exact: Exact) -> Array:
    """The same for a hyperplane in exact numbers, which floats may not hold."""
    w, b = as_floats(exact, problem)
    if all(Fraction(float(a)) == e for a, e in zip([*w, b], [*exact, Fraction(0)][: len(w) + 1], strict=True)):
        return right_rows(problem, w, b)
    signs = problem.y.astype(int).tolist()
    return np.array([signs[i] * _score(problem, i, exact) > 0 for i in range(problem.n)])


def as_floats(exact: Exact, problem: Problem) -> tuple[Array, float]:
    """(w, b) rounded, after division by the largest, so that neither overflows."""
    largest = max(map(abs, exact), default=Fraction(0)) or Fraction(1)
    values = [float(each / largest) for each in exact]
    return np.array(values[: problem.d]), values[problem.d] if problem.fit_intercept else 0.0


def _doubles(problem: Problem) -> Any:
    return problem.x.astype(np.float64, copy=False)


def _score(problem: Problem, i: int, exact: Exact) -> Fraction:
    columns, values = problem.rows.row(i)
    pairs = zip(columns.tolist(), values.tolist(), strict=True)
    total = sum((exact[j] * Fraction(v) for j, v in pairs if exact[j]), Fraction(0))
    return total + exact[-1] if problem.fit_intercept else total
