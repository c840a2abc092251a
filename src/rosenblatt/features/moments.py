"""Mean and standard deviation of each column, batch by batch, numerically sound.

Each batch is summed about its own mean, and two batches are joined by (Chan, Golub, LeVeque 1979)

    M = M_a + M_b + δ²·n_a·n_b/n,   mean = mean_a + δ·n_b/n,   δ = mean_b − mean_a,   n = n_a + n_b

so that a small spread about a large mean survives. Columns are held in a unit of their own, a power of two near their
largest value, so that squares do not overflow (1e200) or vanish (1e−200).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Rows

Array = np.ndarray[Any, Any]
BLOCK = 1 << 20
"""Values that are summed at a time."""


class _Sums(NamedTuple):
    """n rows; unit, mean, m2: (d,), mean and Σ(x − mean)² in the column's unit."""

    n: int
    unit: Array
    mean: Array
    m2: Array


def _unit(peak: Array) -> Array:
    """A power of two in (peak/2, peak], 0 where the column is all zero."""
    return np.where(peak > 0.0, np.ldexp(0.5, np.frexp(peak)[1]), 0.0)


def _divide(values: Array, unit: Array) -> Array:
    return values / np.where(unit > 0.0, unit, 1.0)


def _sums(rows: Rows) -> _Sums:
    unit = _unit(rows.largest_by_column())
    mean, m2 = rows.column_moments(np.where(unit > 0.0, unit, 1.0))
    return _Sums(rows.n, unit, mean, np.maximum(m2, 0.0))


def _join(a: _Sums, b: _Sums) -> _Sums:
    n = a.n + b.n
    unit = np.maximum(a.unit, b.unit)
    ratio_a, ratio_b = _divide(a.unit, unit), _divide(b.unit, unit)
    mean_a, mean_b = a.mean * ratio_a, b.mean * ratio_b
    delta = mean_b - mean_a
    m2 = a.m2 * ratio_a**2 + b.m2 * ratio_b**2 + delta**2 * (a.n * b.n / n)
    return _Sums(n, unit, mean_a + delta * (b.n / n), m2)


def _padded(sums: _Sums, d: int) -> _Sums:
    """The same with so many columns; those that were not there are zero."""
    if sums.unit.size == d:
        return sums
    return _Sums(sums.n, *(np.concatenate([part, np.zeros(d - part.size)]) for part in sums[1:]))


class Moments:
    """Mean and standard deviation of every column, batch by batch; sparse batches may become wider."""

    def __init__(self) -> None:
        self._total: _Sums | None = None

    def add(self, rows: Rows) -> None:
        for sums in map(_sums, rows.pieces(BLOCK)):
            if self._total is not None:
                d = max(self._total.unit.size, sums.unit.size)
                sums = _join(_padded(self._total, d), _padded(sums, d))
            self._total = sums

    def result(self) -> tuple[Array, Array]:
        """(mean, sd) of at least one row, (d,) float64.

        sd is that of the population, √(M/n), and exactly 0 where the spread is no more than rounding.
        """
        total = self._total
        if total is None:
            raise ValueError("moments of no rows")
        sd = np.sqrt(total.m2 / total.n)
        sd[sd <= 8.0 * np.finfo(np.float64).eps * np.abs(total.mean)] = 0.0
        return total.mean * total.unit, sd * total.unit


def moments(batches: Iterable[Rows]) -> tuple[Array, Array]:
    """(mean, sd) of every column of at least one row, (d,) float64; see `Moments`."""
    found = Moments()
    for rows in batches:
        found.add(rows)
    return found.result()
