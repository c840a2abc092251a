"""Mean and standard deviation of each column, batch by batch, numerically sound.

Each batch is summed about its own mean, and two batches are joined by (Chan, Golub, LeVeque 1979)

    M = M_a + M_b + δ²·n_a·n_b/n,   mean = mean_a + δ·n_b/n,   δ = mean_b − mean_a,   n = n_a + n_b

so that a small spread about a large mean survives. Columns are held in a unit of their own, a power of two near their
largest value, so that squares do not overflow (1e200) or vanish (1e−200).
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from .step import padded

BLOCK = 1 << 20
"""Values that are summed at a time."""


class Sums(NamedTuple):
    """n rows; unit, mean, m2: (d,), mean and Σ(x − mean)² in the column's unit."""

    n: int
    unit: Array
    mean: Array
    m2: Array


NOTHING = Sums(0, np.empty(0), np.empty(0), np.empty(0))
"""Of no rows."""


def _unit(peak: Array) -> Array:
    """A power of two in (peak/2, peak], 0 where the column is all zero."""
    return np.where(peak > 0.0, np.ldexp(0.5, np.frexp(peak)[1]), 0.0)


def _divide(values: Array, unit: Array) -> Array:
    return values / np.where(unit > 0.0, unit, 1.0)


def _sums(rows: Rows) -> Sums:
    unit = _unit(rows.largest_by_column())
    mean, m2 = rows.column_moments(np.where(unit > 0.0, unit, 1.0))
    return Sums(rows.n, unit, mean, np.maximum(m2, 0.0))


def sums(rows: Rows, before: Sums = NOTHING) -> Sums:
    """Of these rows, a block at a time, and of those before."""
    return reduce(join, map(_sums, rows.pieces(BLOCK)), before)


def join(a: Sums, b: Sums) -> Sums:
    """Of the rows of both; sparse ones may differ in width."""
    d = max(a.unit.size, b.unit.size)
    a, b = (Sums(part.n, *(padded(values, d) for values in part[1:])) for part in (a, b))
    if not a.n or not b.n:
        return a if a.n else b
    n = a.n + b.n
    unit = np.maximum(a.unit, b.unit)
    ratio_a, ratio_b = _divide(a.unit, unit), _divide(b.unit, unit)
    mean_a, mean_b = a.mean * ratio_a, b.mean * ratio_b
    delta = mean_b - mean_a
    m2 = a.m2 * ratio_a**2 + b.m2 * ratio_b**2 + delta**2 * (a.n * b.n / n)
    return Sums(n, unit, mean_a + delta * (b.n / n), m2)


def mean_and_sd(total: Sums) -> tuple[Array, Array]:
    """(mean, sd) of at least one row, (d,) float64.

    sd is that of the population, √(M/n), and exactly 0 where the spread is no more than rounding.
    """
    if not total.n:
        raise ValueError("moments of no rows")
    sd = np.sqrt(total.m2 / total.n)
    sd[sd <= 8.0 * np.finfo(np.float64).eps * np.abs(total.mean)] = 0.0
    return total.mean * total.unit, sd * total.unit
