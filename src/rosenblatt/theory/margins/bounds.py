"""Bounds of a margin that hold whatever was rounded on the way to them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.rows import Array
from .points import Points

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
    if not 0.0 < norm < np.inf:
        return -np.inf, 0.0
    margins = points.margins(w)
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
