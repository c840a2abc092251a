"""Scores that can be trusted: in floats with a bound on what was rounded, and in integers without any rounding.

Every finite float is m·2^e, so sums of products of floats are sums of products of integers.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem

AT_ONCE = 1_000_000
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
    with np.errstate(all="ignore"):
        for place, rows in problem.blocks(AT_ONCE):
            part = rows.astype(np.float64).matrix()
            scores[place] = part @ w
            sizes[place] = abs(part) @ long
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


SMALL = 62
"""Bits that a shifted numerator may have to stay in int64; more become Python integers."""
BLOCK = 2_000_000
"""Numbers that are turned into integers at a time: some 100 MB as Python objects."""


class Columns(NamedTuple):
    """x[i, j] = numerators[i, j]·2^exponents[j], exactly.

    numerators: (k, c), int64, or object where they are longer. exponents: (c,) int64. columns: (c,) the numbers of
    these columns; the others are 0 in all k rows. The bias is the last one, of number d.
    """

    numerators: Array
    exponents: Array
    columns: Array


def dyadic(values: Array) -> tuple[Array, Array]:
    """(m, e), int64, with values = m·2^e exactly and m odd, or 0 with e = 0. values: float32 or float64, finite."""
    fraction, exponent = np.frexp(np.asarray(values, np.float64))
    m = np.ldexp(fraction, 53).astype(np.int64)
    zeros = np.frexp((m & -m).astype(np.float64))[1].astype(np.int64) - 1
    zeros[m == 0] = 0
    return m >> zeros, np.where(m == 0, 0, exponent.astype(np.int64) - 53 + zeros)


def by_column(values: Array) -> tuple[Array, Array]:
    """(numerators (k, c), exponents (c,)) of finite floats (k, c): each column in the largest unit that it has.

    int64 where all numerators fit, else Python integers.
    """
    m, e = dyadic(values)
    least = np.where((m != 0).any(axis=0), np.where(m != 0, e, np.iinfo(np.int64).max).min(axis=0, initial=2**62), 0)
    by = np.where(m != 0, e - least, 0)
    bits = np.frexp(np.abs(m).astype(np.float64))[1] + by
    short = not m.size or int(bits.max()) <= SMALL
    return m << by if short else m.astype(object) << by.astype(object), least


def columns_of(problem: Problem, rows: Array) -> Columns:
    """The x̄ of some rows as integers, column by column, of those that may differ from 0."""
    x = problem.rows.take(rows)
    used = x.used_columns()
    values = x.take_columns(used).astype(np.float64).toarray()
    if problem.fit_intercept:
        used = np.append(used, problem.d)
        values = np.concatenate([values, np.ones((len(values), 1))], axis=1)
    return Columns(*by_column(values), used)


def signed(problem: Problem, rows: Array) -> Columns:
    """The same of y·x̄."""
    columns = columns_of(problem, rows)
    return columns._replace(numerators=columns.numerators * _signs(problem, rows)[:, None])


def fractions(values: Array) -> Any:
    """(k,) the same floats as Fractions, of which numpy's @ is exact."""
    return np.array([Fraction(value) for value in values.tolist()], object)


def margins(problem: Problem, w: Sequence[int], b: int, rows: Array) -> Iterator[tuple[Array, Array, int]]:
    """(rows, y(w·x + b) of them, e) block after block, exactly: Python integers that are to be multiplied by 2^e.

    Going entry by entry takes no longer for dense rows than laying their columns out: 0.42 and 0.57 s for 2,000 rows of
    784. Products are added at once: together they would be some GB where weights have 20,000 bits.
    """
    for block in _blocks(problem, rows):
        row, column, value = problem.rows.take(block).entries()
        numerators, exponents = by_column(np.append(value, 1.0)[:, None])  # the last one is that of the bias
        *parts, one = numerators.ravel().tolist()
        scores = [b * one] * len(block)
        for i, j, part in zip(row.tolist(), column.tolist(), parts, strict=True):
            scores[i] += w[j] * part
        yield block, np.array(scores, object) * _signs(problem, block), int(exponents[0])


def combined(problem: Problem, rows: Array, multipliers: Sequence[int]) -> dict[int, Fraction]:
    """Σ λᵢ yᵢ x̄ᵢ exactly: column → its value, of those where it is not 0. The bias is column d."""
    total: dict[int, Fraction] = defaultdict(Fraction)
    for block, factors in zip(_blocks(problem, rows), _blocks(problem, np.array(multipliers, object)), strict=True):
        numerators, exponents, columns = signed(problem, block)
        sums = factors @ numerators.astype(object)
        for j, e, value in zip(columns.tolist(), exponents.tolist(), sums.tolist(), strict=True):
            total[j] += value * Fraction(2) ** e
    return {j: value for j, value in total.items() if value}


def _blocks(problem: Problem, rows: Array) -> Iterator[Array]:
    """Row numbers, or what belongs to each, in blocks of some `BLOCK` numbers."""
    size = max(1, BLOCK // (problem.d + 1))
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _signs(problem: Problem, rows: Array) -> Array:
    return problem.y[rows].astype(np.int64)


def float_of(numerator: int, denominator: int) -> float:
    """The nearest float; infinite where that is out of range."""
    try:
        return numerator / denominator
    except OverflowError:
        return float("inf") if numerator > 0 else float("-inf")


def whole(value: Any) -> bool:
    """Whether it is a Python integer, and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)
