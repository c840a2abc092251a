"""Rows of a problem as a margin sees them, and bounds of a margin that hold whatever was rounded on the way to them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.rows import Array, Rows
from ..problem import Problem

BLOCK = 4 << 20
"""Values that are made float64 at once: 32 MB, so that float32 rows of many GB are never copied whole."""


@dataclass(frozen=True)
class Points:
    """The n points of a problem, times one power of two: the same for all columns, as anything else moves the margin.

    free: the hyperplane has an offset that costs nothing (γ). counted: the bias is a column like any other (γ̄).
    Neither: through the origin (γ₀). scale: a power of two that brings the largest value to about 1; the margin is
    scaled with it.
    centre: (d̄,) subtracted, rounded, from the rows the solver gets; 0 unless free, where it changes nothing but digits
    (an offset of 1e8 leaves a solver 8 digits otherwise). norms: (n,) ‖x̄‖·scale, not less than they are.
    """

    problem: Problem
    free: bool
    counted: bool
    scale: float
    centre: Array
    norms: Array

    @classmethod
    def of(cls, problem: Problem, counted: bool = False) -> Points:
        free = problem.fit_intercept and not counted
        largest = max(problem.rows.largest(), float(counted))
        scale = math.ldexp(1.0, max(-1000, min(1000, -math.frexp(largest)[1]))) if largest else 1.0
        plain = 1e-100 < scale < 1e100
        squares = problem.rows.sq_norms() * scale**2 if plain else _scaled(problem.rows, scale).sq_norms()
        norms = np.sqrt(squares + (scale**2 if counted else 0.0)) * (1.0 + (problem.d + 8) * 2.0**-53)
        centre = np.zeros(problem.d + counted)
        if free and problem.rows.shiftable and problem.d:
            parts = (part.astype(np.float64).toarray() for _, part in problem.blocks(BLOCK))
            centre = np.sum([(part * scale).sum(axis=0) for part in parts], axis=0) / problem.n
        return cls(problem, free, counted, scale, centre, norms)

    @property
    def width(self) -> int:
        """d̄: the columns, and the bias where it is counted."""
        return len(self.centre)

    @property
    def y(self) -> Array:
        return self.problem.y

    def chosen(self, rows: Array, dtype: Any = np.float64) -> Any:
        """(k, d̄) x̄·scale of these rows, exact; sparse ones stay sparse. dtype: float64 or longer."""
        return self._barred(rows).matrix().astype(dtype) * dtype(self.scale)

    def signed(self, rows: Array) -> Any:
        """(k, d̄) float64 y·(x̄·scale − centre): what the solver gets."""
        x = _scaled(self._barred(rows), self.scale)
        x = x.mapped(lambda values, columns: values - self.centre[columns]) if self.centre.any() else x
        return x.times(self.y[rows]).matrix()

    def margins(self, w: Array) -> Array:
        """(n,) y·(w·x̄)·scale, rounded. w: (d̄,)."""
        d, parts = self.problem.d, self.problem.blocks(BLOCK)
        scores = np.concatenate([_scaled(part, self.scale).scores(w[:d]) for _, part in parts])
        return (scores + w[d] * self.scale if self.counted else scores) * self.y  # type: ignore[no-any-return]

    def _barred(self, rows: Array) -> Rows:
        """x̄ of these rows, not scaled."""
        x = self.problem.rows.take(rows)
        return x.with_column(np.ones(x.n)) if self.counted else x


def _scaled(rows: Rows, scale: float) -> Rows:
    return rows.astype(np.float64).mapped(lambda values, _: values * scale)


LONG = np.longdouble
UNIT, LONG_UNIT = 2.0**-53, float(np.finfo(np.longdouble).eps)
MOST_AGAIN = 5000
"""Rows that are looked at again in longer numbers: all that may hold the least margin, unless they are too many."""


def lower_bound(points: Points, w: Array) -> tuple[float, float]:
    """(margin of w for certain, best offset): γ ≥ min y(w·x̄ + b)/‖w‖, in the units of the data.

    A dot product of d̄ terms in any order is off by at most (d̄ + 2)·2⁻⁵³·‖w‖·‖x̄‖. Rows which that leaves in the race for
    the least margin are computed again in long double (64 bits on x86; elsewhere no gain, and the bound is wider). With
    a free offset the best one halves the gap between the classes, and the bound is about that number, not its float.
    """
    norm = float(np.sqrt((w.astype(LONG) ** 2).sum())) * (1.0 + 4 * UNIT)
    margins = points.margins(w) if 0.0 < norm < np.inf else np.full(1, np.inf)
    if not np.isfinite(margins).all():
        return -np.inf, 0.0
    slack = (points.width + 4) * UNIT * norm * points.norms
    sides = [points.y > 0, points.y < 0] if points.free else [np.ones(len(margins), bool)]
    least = [_least(points, w, margins, slack, np.flatnonzero(side)) for side in sides if side.any()]
    share = sum(least) / len(least)
    offset = float(least[1] - least[0]) / 2.0 if len(least) == 2 else 0.0
    rounded = 1.0 - math.copysign(4 * UNIT, share)
    return float(share / norm) * rounded / points.scale, offset / points.scale


def _least(points: Points, w: Array, margins: Array, slack: Array, rows: Array) -> Any:
    """A lower bound of the least margin of these rows, in long double: far from the origin, float64 would round it."""
    low = margins[rows] - slack[rows]
    racing = rows[low <= (margins[rows] + slack[rows]).min()]
    if len(racing) > MOST_AGAIN:
        return LONG(low.min())
    x, w = points.chosen(racing, LONG), w.astype(LONG)
    again = np.asarray(x @ w) * points.y[racing]
    return (again - (points.width + 4) * LONG_UNIT * np.asarray(abs(x) @ abs(w))).min()


def upper_bound(points: Points, rows: Array, multipliers: Array) -> float:
    """What no margin exceeds: half the distance of two points of the hulls, or the norm of one of conv{y·x̄}.

    multipliers ≥ 0 on these rows, divided by the exact sum of their class (through the origin: of all), are an exactly
    feasible dual point. Computed in long double; what k + 4 roundings in each coordinate can do is added.
    """
    keep = multipliers > 0.0
    rows, shares = rows[keep], multipliers[keep].astype(LONG)
    y = points.y[rows]
    sides = [y > 0, y < 0] if points.free else [y != 0]
    if not all(side.any() for side in sides):
        return np.inf
    total, radius = np.zeros(points.width, LONG), 0.0
    for side in sides:
        weights = shares[side] / shares[side].sum() * y[side]
        total = total + points.chosen(rows[side], LONG).T @ weights
        radius += float(points.norms[rows[side]].max())
    norm = float(np.sqrt((np.asarray(total) ** 2).sum()))
    norm += (2 * len(rows) + points.width + 12) * LONG_UNIT * (norm + radius)
    return float(norm * (1.0 + 4 * UNIT) / len(sides) / points.scale)
