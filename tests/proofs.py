"""What the tests of proofs share: a checker in fractions, and problems with multipliers at hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.theory.problem import Problem, as_problem
from rosenblatt.theory.proof.certificate import Farkas, Separator

Array = np.ndarray[Any, Any]


def bars(problem: Problem) -> list[list[Fraction]]:
    """y·x̄ in fractions."""
    x = problem.x
    values = np.asarray(x.todense() if hasattr(x, "todense") else x, np.float64).tolist()
    return [
        [Fraction(value) * int(y) for value in row] + [Fraction(int(y))] * problem.fit_intercept
        for row, y in zip(values, problem.y, strict=True)
    ]


def proves(problem: Problem, found: Separator | Farkas) -> bool:
    """The second checker: fractions, and nothing of the package."""
    rows = bars(problem)
    if isinstance(found, Separator):
        w = [Fraction(each, found.denominator) for each in (*found.w, found.b)][: len(rows[0])]
        return all(sum((a * b for a, b in zip(row, w, strict=True)), Fraction(0)) > 0 for row in rows)
    lam = [Fraction(each, found.denominator) for each in found.multipliers]
    sums = [
        sum((a * rows[i][j] for a, i in zip(lam, found.rows, strict=True)), Fraction(0)) for j in range(len(rows[0]))
    ]
    return sum(lam) == 1 and min(lam) >= 0 and not any(sums)


def signed(problem: Problem) -> Array:
    """(n, d̄) float64 y·x̄, the bias column last where there is one: what a certificate combines."""
    x = problem.rows.astype(np.float64).toarray()
    x = np.column_stack([x, np.ones(len(x))]) if problem.fit_intercept else x
    return x * problem.y[:, None]  # type: ignore[no-any-return]


def crowded(rng: Any, n: int, d: int, kind: Any = np.float64) -> tuple[Problem, Array]:
    """Labels by lot, n > 2(d + 1), and λ > 0 on all rows whose combination is nearly 0."""
    problem = as_problem(rng.normal(size=(n, d)).astype(kind), rng.choice([-1.0, 1.0], n))
    a, lam = signed(problem), np.ones(n)
    for _ in range(40):
        weighted = a * lam[:, None]
        lam *= np.maximum(1 - weighted @ np.linalg.lstsq(weighted.T @ weighted, weighted.sum(axis=0))[0], 0.1)
    return problem, lam
