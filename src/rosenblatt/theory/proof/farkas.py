"""Multipliers λ ≥ 0 with Σ λᵢ yᵢ x̄ᵢ = 0, from the rows that a solver named: exact (python-flint), or enclosed.

Small problems are decided without a solver, by the simplex method in integers.
"""

from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .certificate import Enclosure, Farkas, Separator, equations
from .integers import Columns, signed

PRIME = 2**61 - 1
"""Ranks are found modulo this prime; one in some 10¹⁸ would be wrong, and all is checked exactly afterwards."""
FLOORS = (1e-9, 1e-13)
"""Shares of the largest multiplier below which rows are left out: an interior point has rows whose λ goes to 0 (two
fifths with mnist 4 against 9), and in a basis they fall below 0."""
BITS = 48
"""To which the largest multiplier is rounded."""
MOST_LP = 3000
"""Numbers up to which a support with several solutions goes to the exact simplex."""


def farkas_on(problem: Problem, rows: Array) -> Farkas | None:
    """λ on these rows only, as on those of a simplex basis.

    rows: (k,) row numbers, any order. Where the solutions are a line (k = rank + 1) that is the one; where there are
    more, a vertex is looked for. None where there is no solution without a negative λ.
    """
    chosen = np.unique(np.asarray(rows, np.int64))
    if not chosen.size:
        return None
    columns = _without_zeros(signed(problem, chosen))
    basis, others = independent(columns.numerators)
    if not others.size:
        return None
    if others.size == 1:  # any solution is a multiple of this one
        return _corrected(problem, chosen, columns, basis, np.bincount(others, minlength=chosen.size))
    fewer = _vertex(columns, chosen)
    on_fewer = farkas_on(problem, fewer) if fewer.size < chosen.size else None
    if on_fewer is not None or chosen.size * (problem.d + 1) > MOST_LP:
        return on_fewer
    proof = decide(problem.take(chosen))
    return proof.renumbered(chosen) if isinstance(proof, Farkas) else None


def farkas_near(problem: Problem, rows: Array, multipliers: Array) -> Farkas | None:
    """λ near these floats: all rows keep theirs, rounded, but a basis of rows, which takes up what is missing.

    rows: (k,) row numbers, none twice; multipliers: (k,) λ > 0 as of an interior point, whose Σ λᵢ yᵢ x̄ᵢ is nearly 0.
    None where the corrected λ of the basis falls below 0.
    """
    rows, lam = _positive(rows, multipliers)
    large = (lam > floor * lam.max(initial=0.0) for floor in FLOORS)
    proofs = (_near(problem, rows[kept], lam[kept]) for kept in large if kept.any())
    return next(filter(None, proofs), None)


def _near(problem: Problem, rows: Array, lam: Array) -> Farkas | None:
    columns = _without_zeros(signed(problem, rows))
    values = scaled(columns)
    better = refined(values, lam / lam.max())
    if better is None:
        return None
    order = pivoted(values * better[:, None])
    basis = order[_first_basis(columns.numerators[order])]
    return _corrected(problem, rows, columns, basis, np.round(np.ldexp(better, BITS)))


def enclose(problem: Problem, rows: Array, multipliers: Array) -> Enclosure | None:
    """A proof from approximate multipliers, as of an interior point. None where the bounds do not prove it.

    rows: (k,) row numbers, none twice; multipliers: (k,) λ > 0 with Σ λᵢ yᵢ x̄ᵢ nearly 0.
    """
    rows, lam = _positive(rows, multipliers)
    values = equations(problem, rows)
    if values is None or not values.shape[1] <= len(rows):
        return None
    for _ in range(2):
        better = refined(values, lam / lam.sum())
        if better is None:
            return None
        lam = better / better.sum()
        basis = pivoted(values * lam[:, None])[: values.shape[1]]
        proof = Enclosure(tuple(rows.tolist()), tuple(lam.tolist()), tuple(sorted(rows[basis].tolist())))
        if proof.check(problem):
            return proof
    return None


def _positive(rows: Array, multipliers: Array) -> tuple[Array, Array]:
    """Those rows, and their multipliers, that have one above 0."""
    rows, lam = np.asarray(rows, np.int64), np.asarray(multipliers, np.float64)
    kept = np.isfinite(lam) & (lam > 0)
    return rows[kept], lam[kept]


def independent(numerators: Array) -> tuple[Array, Array]:
    """(rows that are independent, the first ones; the others), as of integer rows (k, c)."""
    from flint import nmod_mat

    small = numerators.T % PRIME
    reduced, rank = nmod_mat(len(small), small.shape[1], small.ravel().tolist(), PRIME).rref()
    pivots = [-1]
    for row in reduced.tolist()[:rank] if rank else []:
        pivots.append(next(at for at in range(pivots[-1] + 1, len(row)) if row[at] != 0))
    first = np.array(pivots[1:], np.int64)
    return first, np.setdiff1d(np.arange(len(numerators)), first)


def _first_basis(numerators: Array) -> Array:
    """The rows of a basis, the first ones: looked for among some more than the columns first (0.1 s for 785, all 3,840
    rows 1.8 s)."""
    few = numerators.shape[1] + 20
    first = independent(numerators[:few])[0]
    return first if len(first) == numerators.shape[1] else independent(numerators)[0]


def _without_zeros(columns: Columns) -> Columns:
    """Without the columns that are 0 in all these rows: they are no equations."""
    kept = (columns.numerators != 0).any(axis=0)
    return Columns(columns.numerators[:, kept], columns.exponents[kept], columns.columns[kept])


def scaled(columns: Columns) -> Array:
    """(k, c) float64: the columns, each scaled by a power of two to at most 1; the rounding of long integers aside."""
    m = columns.numerators
    if m.dtype != object:
        values = m.astype(np.float64)
        return np.ldexp(values, -np.frexp(np.abs(values).max(axis=0, initial=0.0))[1])
    values = np.empty(m.shape)
    for j in range(m.shape[1]):
        column = m[:, j].tolist()
        down = 1 << max(abs(each) for each in column).bit_length()
        values[:, j] = [each / down for each in column]
    return values


def refined(values: Array, lam: Array) -> Array | None:
    """λ whose combination is nearer to 0 by steps as short as can be against λ: min ‖δ/λ‖, (δ + λ)·values = 0."""
    for _ in range(2):
        weighted = values * lam[:, None]
        step, *_ = np.linalg.lstsq(weighted.T @ weighted, weighted.sum(axis=0), rcond=1e-14)
        new = lam * (1.0 - weighted @ step)
        if not np.isfinite(new).all() or (new <= 0).mean() > 0.5:
            return None
        new = np.where(new > 0, new, lam)
        if np.abs(new @ values).max(initial=0.0) >= np.abs(lam @ values).max(initial=0.0):
            return lam
        lam = new
    return lam


def pivoted(weighted: Array) -> Array:
    """The rows, those of a well-conditioned basis first: a QR decomposition with pivoting of the longest ones."""
    from scipy.linalg import qr

    longest = np.argsort(-np.einsum("ij,ij->i", weighted, weighted), kind="stable")
    head, tail = np.split(longest, [3 * weighted.shape[1]])
    order = qr(weighted[head].T, mode="r", pivoting=True)[1]
    return np.concatenate([head[order], tail])


def _corrected(problem: Problem, rows: Array, columns: Columns, basis: Array, whole: Array) -> Farkas | None:
    """λ with the basis solved for: λ_B = −A_B⁻¹ A_N λ_N in integers. whole: (k,) λ_N up to a factor, whole numbers."""
    others = np.setdiff1d(np.flatnonzero(whole > 0), basis)
    lam = [int(each) for each in whole[others].tolist()]
    missing = np.array(lam, object) @ columns.numerators[others].astype(object)
    solved, over = _solved(columns.numerators[basis], missing)
    values = [each * over for each in lam] + solved
    if min(values) < 0 or not any(values):
        return None
    proof = Farkas.of(rows[np.concatenate([others, basis])].tolist(), values)
    return proof if proof.check(problem) else None


def _solved(square: Array, missing: Array) -> tuple[list[int], int]:
    """(numerators, denominator > 0) of the x with x·square + missing = 0, of independent rows, by p-adic lifting."""
    from flint import fmpz_mat

    if not len(square):
        return [], 1
    equations = independent(square.T)[0]
    right = fmpz_mat([[-int(each)] for each in missing[equations].tolist()])
    solution: Any = fmpz_mat(square[:, equations].T.tolist()).solve(right)
    top, below = solution.numer_denom()
    return [int(each) for each in top.entries()], int(below)


def _vertex(columns: Columns, chosen: Array) -> Array:
    """Fewer of these rows, on which a linear program in floats has its vertex; the same where it finds none."""
    from scipy.optimize import linprog

    values = scaled(columns)
    equal = np.vstack([values.T, np.ones(len(values))])
    right = np.append(np.zeros(values.shape[1]), 1.0)
    result = linprog(np.zeros(len(values)), A_eq=equal, b_eq=right, method="highs-ds")
    return chosen if result.x is None else chosen[result.x > 1e-12 * result.x.max()]


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
    able = (i for i in range(len(basis)) if table[i, entering] > 0)
    return min(able, key=lambda i: (Fraction(table[i, -1], table[i, entering]), basis[i]))


def _separator(problem: Problem, weights: list[int], exponents: Array, columns: Array) -> Separator:
    """w_j·2^e_j was found, of the columns that occur; the others weigh 0."""
    most = max((int(e) for e in exponents), default=0)
    bar = [0] * (problem.d + 1)
    for j, e, weight in zip(columns.tolist(), exponents.tolist(), weights, strict=True):
        bar[j] = weight << (most - e)
    part = gcd(*bar) or 1
    bar = [each // part for each in bar]
    # A positive factor changes no sign; this denominator only makes the longest weight about 1.
    *w, b = bar
    return Separator(tuple(w), b, 1 << max(map(abs, bar)).bit_length())
