"""Not separable, proven in floating point: near approximate multipliers there are exact ones, none below 0.

With λ̂ > 0 on k rows, A the matrix of their y·x̄ and B its rows of a basis, the exact correction δ of the basis solves
Bᵀδ = −r, r = Aᵀλ̂. Let R be any matrix, G = I − R·Bᵀ and α = ‖G‖∞. If α < 1, then B is regular, δ is there, ‖δ‖∞ ≤
‖Rr‖∞/(1 − α) and |δᵢ| ≤ |Rr|ᵢ + Σⱼ|Gᵢⱼ|·‖δ‖∞. If that is below λ̂ᵢ on the whole basis, λ̂ + δ is positive and exact: the
data are not separable. Every quantity is bounded from above with its own rounding error (S. Rump, Verification methods,
Acta Numerica 2010, section 10). Rows and columns are scaled by powers of two first, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .filter import TINY, UNIT, flushes

MOST = 300_000_000
"""Numbers (rows times columns) that are laid out, at the most: 2.4 GB."""
SPLIT = 2.0**27 + 1.0


def holds(problem: Problem, rows: Array, lam: Array, basis: Sequence[int]) -> bool:
    """Whether the bounds prove it. lam: (k,) λ̂ of these rows. basis: the numbers of those rows that are one."""
    if not (len(rows) == len(lam) > 0 and len(np.unique(rows)) == len(rows)):
        return False
    if flushes() or not (
        rows.min() >= 0 and rows.max() < problem.n and (lam >= 2.0**-900).all() and (lam <= 1.0).all()
    ):
        return False
    values = equations(problem, rows)
    place = np.flatnonzero(np.isin(rows, basis))
    if values is None or len(basis) != len(place) or len(place) != values.shape[1]:
        return False
    if not len(place):
        return True  # every x̄ of these rows is 0
    scale = np.frexp(lam[place])[1] - 1  # 2^scale ≤ λ
    square = np.ldexp(values[place], scale[:, None]).T
    if not (np.ldexp(square.T, -scale[:, None]) == values[place]).all():
        return False  # a subnormal number was rounded
    room = np.ldexp(lam[place], -scale)
    with np.errstate(all="ignore"):
        bound = _correction(square, *_residual(values, lam))
    return bound is not None and bool((bound < room).all())


def equations(problem: Problem, rows: Array) -> Array | None:
    """(k, c) float64 y·x̄, each column exactly scaled to at most 1; without columns that add no equation: those of
    zeros, and with an offset constant ones. None where that is too much, or not exact."""
    chosen = problem.rows.take(rows)
    used = chosen.used_columns()
    if len(rows) * len(used) > MOST:
        return None
    x = chosen.take_columns(used).astype(np.float64).toarray()
    idle = (x == x[0]).all(axis=0) if problem.fit_intercept else (x == 0).all(axis=0)
    x = x[:, ~idle]
    if problem.fit_intercept:
        x = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    exponents = np.frexp(np.abs(x).max(axis=0, initial=0.0))[1]
    scaled = np.ldexp(x, -exponents)
    if not (np.ldexp(scaled, exponents) == x).all():
        return None
    return np.asarray(scaled * problem.y[rows][:, None])


def _residual(values: Array, lam: Array) -> tuple[Array, Array]:
    """(c,) r = Σ λᵢ aᵢⱼ and a bound on its error: products in four exact parts, sums rounded once (math.fsum)."""
    high, low = _parts(values)
    big, small = (part[:, None] for part in _parts(lam))
    r = np.empty(values.shape[1])
    for j in range(values.shape[1]):
        h, lo = high[:, j : j + 1], low[:, j : j + 1]
        terms = np.concatenate([h * big, h * small, lo * big, lo * small], axis=None)
        r[j] = math.fsum(terms.tolist())
    return r, np.abs(r) * (2.0 * UNIT) + 8.0 * len(values) * TINY


def _parts(values: Array) -> tuple[Array, Array]:
    """a = high + low exactly, each of at most 26 bits (T. Dekker, 1971), so that products of parts are exact."""
    c = SPLIT * values
    high = c - (c - values)
    return high, values - high


def _correction(square: Array, r: Array, error: Array) -> Array | None:
    """(c,) bounds on |δ| for square·δ = −r, r known within error. None where no inverse proves the matrix regular."""
    c = len(square)
    up = 1.0 + 8.0 * (c + 8) * UNIT
    tiny = 8.0 * (c + 8.0) ** 2 * TINY
    try:
        inverse = np.linalg.inv(square)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(inverse).all() or c * UNIT > 1e-4:
        return None
    size = np.abs(inverse)
    product = inverse @ square
    product[np.arange(c), np.arange(c)] -= 1.0
    rounding = 2.0 * (c + 8) * UNIT
    gaps = (np.abs(product).sum(axis=1) * up + rounding * (size @ (np.abs(square).sum(axis=1) + 1.0)) + rounding) * up
    gaps = gaps + tiny * (1.0 + size.sum(axis=1))
    alpha = float(gaps.max())
    if not alpha < 0.5:
        return None
    first = (np.abs(inverse @ r) + size @ (error + rounding * np.abs(r))) * up + tiny * (1.0 + size.sum(axis=1))
    longest = float(first.max()) / (1.0 - alpha) * (1.0 + 8.0 * UNIT)
    return np.asarray((first + gaps * longest) * up)
