"""The widest margin without any rounding: the nearest points of the two hulls, in fractions, where columns are few."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import Any

import numpy as np

from ...core.rows import Array
from ..proof.certificate import Separator
from ..proof.farkas import independent
from ..proof.integers import bounded_margins, float_of, signed
from .points import Points
from .solver import Widest

WIDEST = 64
"""Columns up to which it is done: 40 of them, and 200 rows, took 1.3 s; each step costs the cube of the columns."""
NONE = np.zeros(0, np.int64)
Shares = dict[int, Fraction]
"""Row → λ > 0."""
Nearest = tuple[Shares, list[Fraction]]


def exactly(points: Points, best: Widest, deadline: float) -> Widest:
    """The widest margin between floats next to each other, with its hyperplane and dual point rounded.

    Of columns whose sizes differ by 1e12, no λ in floats make a bound that is less than .1 too high; of margins of
    1e-17, no w in floats has one. `best` itself beyond 64 columns, and where the deadline came first.
    """
    if points.width > WIDEST:
        return best
    by_weight = np.argsort(-best.multipliers, kind="stable")
    nearest = nearest_points(points, best.rows[by_weight], deadline)
    if nearest is None or not any(nearest[1]):
        return best
    shares, vector = nearest
    rows, sides = sorted(shares), _sides(points)
    plane = _plane(points, vector)
    if points.free:
        more, less = (plane.least(points.problem, side)[0] for side in sides)
        plane = Separator.of(vector, (less - more) / 2)
    w, b = plane.floats(max(map(abs, (*plane.w, plane.b * points.counted))))
    lower, upper = _root(sum((each**2 for each in vector), Fraction(0)) / len(sides) ** 2)
    multipliers = np.array([float(shares[row]) for row in rows])
    return Widest(np.append(w, b) if points.counted else w, b, np.array(rows), multipliers, lower, upper, plane=plane)


def nearest_points(points: Points, start: Array = NONE, deadline: float = math.inf) -> Nearest | None:
    """(λ > 0 of some rows, v = Σ λ·y·x̄) with ‖v‖ the least of all λ ≥ 0, each class's sum 1 (or that of all).

    Those of a few rows at first; with the row that v leaves nearest to the other class among them, and without those
    that then have no part in it, until no row lies nearer than these. The norm falls at every step, so it ends. start:
    rows that it may begin with. None where the deadline came first.
    Source: P. Wolfe, Finding the nearest point in a polytope (1976), here of two at once.
    """
    sides = _sides(points)
    shares = _start(points, start, sides)
    while True:
        shares, vector = _held(points, shares)
        plane, worst, most = _plane(points, vector), -1, Fraction(0)
        bounded = bounded_margins(points.problem, *plane.floats(plane.unit))
        for side in sides:
            held = side[np.isin(side, list(shares))]
            least, row = plane.least(points.problem, side, bounded)
            short = plane.least(points.problem, held, bounded)[0] - least
            worst, most = (row, short) if short > most else (worst, most)
        if worst < 0 or not any(vector):
            return shares, vector
        if time.monotonic() > deadline:
            return None
        shares[worst] = Fraction(0)


def _start(points: Points, rows: Array, sides: list[Array]) -> Shares:
    """Equal λ of these rows, less those that depend on others; else of one of each class."""
    rows = rows[independent(signed(points.problem, rows).numerators)[0]] if len(rows) else rows
    own = [rows[np.isin(rows, side)].tolist() for side in sides]
    return {
        row: Fraction(1, len(chosen))
        for side, part in zip(sides, own, strict=True)
        for chosen in [part or [int(side[0])]]
        for row in chosen
    }


def _held(points: Points, shares: Shares) -> Nearest:
    """From these λ towards the nearest points of the affine hulls of their rows, and without the row whose λ comes to 0
    first, until no λ does."""
    while True:
        rows = sorted(shares)
        aims, vector = _affine(points, np.array(rows))
        if min(aims) > 0:
            return dict(zip(rows, aims, strict=True)), vector
        now = [shares[row] for row in rows]
        steps = [old / (old - aim) if aim <= 0 else Fraction(1) for old, aim in zip(now, aims, strict=True)]
        step = min(steps)
        moved = [old + step * (aim - old) for old, aim in zip(now, aims, strict=True)]
        shares = {row: new for row, new in zip(rows, moved, strict=True) if new > 0}


def _affine(points: Points, rows: Array) -> tuple[list[Fraction], list[Fraction]]:
    """(λ of any sign, Σ λ·y·x̄) with the shortest sum: the normal equations with a multiplier for each class."""
    from flint import fmpz_mat

    numerators, exponents, columns = signed(points.problem, rows)
    if points.free:
        numerators, exponents, columns = numerators[:, :-1], exponents[:-1], columns[:-1]
    unit = int(exponents.min(initial=0))
    m = numerators.astype(object) * np.array([1 << int(each) - unit for each in exponents], object)
    sums = [np.isin(rows, side).astype(int) for side in _sides(points)]
    c = np.array(sums, object)
    square = np.block([[m @ m.T, c.T], [c, np.zeros((len(c), len(c)), object)]])
    right = fmpz_mat([[0]] * len(rows) + [[1]] * len(c))
    solution: Any = fmpz_mat(square.tolist()).solve(right)
    top, below = solution.numer_denom()
    whole = np.array([int(each) for each in top.entries()][: len(rows)], object)
    vector = [Fraction(0)] * points.width
    for j, value in zip(columns.tolist(), (whole @ m).tolist(), strict=True):
        vector[j] = Fraction(value, int(below)) * Fraction(2) ** unit
    return [Fraction(each, int(below)) for each in whole.tolist()], vector


def _sides(points: Points) -> list[Array]:
    """Numbers of the rows whose λ sum to 1."""
    return [np.flatnonzero(points.y == side) for side in (1, -1)] if points.free else [np.arange(points.problem.n)]


def _plane(points: Points, vector: list[Fraction]) -> Separator:
    w, b = (vector[:-1], vector[-1]) if points.counted else (vector, Fraction(0))
    return Separator.of(w, b)


def _root(square: Fraction) -> tuple[float, float]:
    """(below, above) √square, floats next to it. square: Fraction > 0."""
    n, d = square.as_integer_ratio()
    shift = max(0, (d.bit_length() - n.bit_length()) // 2 + 64)
    root = float_of(math.isqrt((n << 2 * shift) // d), 1 << shift)
    return math.nextafter(root, 0.0), math.nextafter(root, math.inf)
