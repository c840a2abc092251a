"""Small problems, always decided: the simplex method in integers, with Bland's rule against cycling."""

from __future__ import annotations

from math import gcd

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .certificate import Farkas, Separator
from .integers import signed

EAGER = 50
"""Steps by the largest coefficient, which are far fewer; then by Bland's rule, which always ends."""


def decide(problem: Problem) -> Separator | Farkas:
    """A hyperplane without an error, or the proof that there is none. n·d ≤ 500 takes well below a second.

    Phase 1 of the simplex method on λ ≥ 0, Σ λᵢ yᵢ x̄ᵢ = 0, Σ λᵢ = 1: minimise the sum of d̄ + 1 artificial variables. At
    0, λ is the Farkas proof, on at most d̄ + 1 rows; above 0, the dual solution (−w̄, z) has yᵢ w̄·x̄ᵢ ≥ z > 0. The tableau
    is kept in integers over one denominator, each division exact (J. Edmonds, Systems of distinct representatives and
    linear algebra, 1967; E. Bareiss, 1968).
    """
    columns = signed(problem, np.arange(problem.n))
    rows = columns.numerators.astype(object)
    n, c = rows.shape
    table = np.zeros((c + 2, n + c + 2), object)  # columns: λ, artificial, right side; last row: the reduced costs
    table[:c, :n], table[c, :n] = rows.T, 1
    table[np.arange(c + 1), n + np.arange(c + 1)] = 1
    table[c, -1] = 1
    table[-1] = -table[:-1].sum(axis=0)
    table[-1, n : n + c + 1] = 0
    basis, below = list(range(n, n + c + 1)), 1
    step = 0
    while table[-1, -1] != 0:
        costs = table[-1, :n]
        negative = np.flatnonzero(costs < 0)
        if not negative.size:
            break
        entering = int(negative[0]) if step >= EAGER else int(negative[np.argmin(costs[negative])])
        leaving = _leaving(table, basis, entering)
        below = pivot(table, leaving, entering, below)
        basis[leaving] = entering
        step += 1
    if table[-1, -1] == 0:
        values = {at: int(table[i, -1]) for i, at in enumerate(basis) if at < n}
        return Farkas.of(values, list(values.values()))
    # The reduced cost of the artificial variable of equation k is 1 − π_k.
    weights = [int(each) - below for each in table[-1, n : n + c]]
    return _separator(problem, weights, columns.exponents, columns.columns)


def pivot(table: Array, i: int, j: int, below: int) -> int:
    """One exchange, in place; gives the new denominator."""
    new = table[i, j]
    row, column = table[i].copy(), table[:, j].copy()
    column[i] = 0
    others = np.arange(len(table)) != i
    touched = others & (column != 0)
    table[others & ~touched] = table[others & ~touched] * new // below
    table[touched] = (table[touched] * new - np.outer(column[touched], row)) // below
    return int(new)


def _leaving(table: Array, basis: list[int], entering: int) -> int:
    """The row of the smallest ratio; of equal ones that of the lowest variable."""
    best = -1
    for i in range(len(basis)):
        if table[i, entering] <= 0:
            continue
        if best >= 0:
            ahead = table[i, -1] * table[best, entering] - table[best, -1] * table[i, entering]
            if ahead > 0 or (ahead == 0 and basis[i] > basis[best]):
                continue
        best = i
    return best


def _separator(problem: Problem, weights: list[int], exponents: Array, columns: Array) -> Separator:
    """w_j·2^e_j was found, of the columns that occur; the others weigh 0."""
    most = max((int(e) for e in exponents), default=0)
    bar = [0] * (problem.d + 1)
    for j, e, weight in zip(columns.tolist(), exponents.tolist(), weights, strict=True):
        bar[j] = weight << (most - e)
    part = gcd(*bar) or 1
    bar = [each // part for each in bar]
    # A positive factor changes no sign; this denominator only makes the longest weight about 1.
    denominator = 1 << max(max(abs(each) for each in bar).bit_length(), 0)
    return Separator(tuple(bar[: problem.d]), bar[problem.d], denominator)
