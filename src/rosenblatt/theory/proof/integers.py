"""Floats → integers without rounding: every finite float is m·2^e, and a column shares its e."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem

SMALL = 62
"""Bits that a shifted numerator may have to stay in int64; more become Python integers."""


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


def shifted(m: Array, by: Array) -> Array:
    """m·2^by: int64 where it fits, else Python integers. by ≥ 0."""
    bits = np.frexp(np.abs(m).astype(np.float64))[1] + by
    if not m.size or int(bits.max()) <= SMALL:
        return m << by
    return m.astype(object) << by.astype(object)  # type: ignore[no-any-return]


def columns_of(problem: Problem, rows: Array) -> Columns:
    """The x̄ of some rows as integers, column by column, of those that may differ from 0."""
    x = problem.rows.take(rows)
    used = x.used_columns()
    values = x.take_columns(used).astype(np.float64).toarray()
    if problem.fit_intercept:
        used = np.append(used, problem.d)
        values = np.concatenate([values, np.ones((len(values), 1))], axis=1)
    m, e = dyadic(values)
    least = np.where((m != 0).any(axis=0), np.where(m != 0, e, np.iinfo(np.int64).max).min(axis=0, initial=2**62), 0)
    return Columns(shifted(m, np.where(m != 0, e - least, 0)), least, used)


def signed(problem: Problem, rows: Array) -> Columns:
    """The same of y·x̄."""
    found = columns_of(problem, rows)
    return found._replace(numerators=found.numerators * problem.y[rows].astype(np.int64)[:, None])


def common(values: Sequence[float] | Array) -> tuple[list[int], int]:
    """(numerators, denominator), the denominator a power of two: the floats exactly."""
    ratios = [float(value).as_integer_ratio() for value in values]
    denominator = max((below for _, below in ratios), default=1)
    return [above * (denominator // below) for above, below in ratios], denominator


def float_of(numerator: int, denominator: int) -> float:
    """The nearest float; infinite where that is out of range."""
    try:
        return float(Fraction(numerator, denominator))
    except OverflowError:
        return float("inf") if numerator > 0 else float("-inf")


def whole(value: Any) -> bool:
    """Whether it is a Python integer, and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)
