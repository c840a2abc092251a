"""How few errors are possible at all: every infeasible handful of rows must lose one. The proven side of the bounds.

Rows that no hyperplane gets right together have λ ≥ 0 with Σ λ y x̄ = 0; at a vertex they are d̄ + 1 at most. Any
hyperplane errs on one row at least of each such support, so the smallest set of rows that meets all supports known so
far has no more rows than the fewest errors. Each support is proven in exact arithmetic before it counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...core.rows import Array
from ..highs import linear_program, solver
from ..problem import Problem
from ..proof.certificate import Farkas, Separator
from ..proof.exact_simplex import decide
from ..proof.farkas import farkas_on
from .search import Best, Progress, View, along_lines, better

TOLERANCE = 1e-6
FEW = 500
"""Numbers of rows that an exact simplex method decides in less than a second."""
MOST = 1000
"""Disjoint supports of one pass."""


class Groups(NamedTuple):
    """Equal rows with equal signs as one. z: (g, d̄) as seen. weight: (g,) how many. row: (g,) one of them each.
    clashes: groups that cannot be right together: equal rows of both signs; rows that are 0, without an offset."""

    z: Array
    weight: Array
    row: Array
    clashes: list[Array]


class Sides(NamedTuple):
    """best: the hyperplane found. proven: errors that every hyperplane makes."""

    best: Best
    proven: int
    supports: int


def forced(problem: Problem) -> int:
    """Errors that equal rows with opposite labels force, the rarer label of each place, and rows of 0 without offset:
    a bound that needs no solver."""
    total = 0
    for rows in _places(problem):
        plus = int(np.count_nonzero(problem.y[rows] > 0))
        total += len(rows) if _is_nothing(problem, rows[0]) else min(plus, len(rows) - plus)
    return total


def _is_nothing(problem: Problem, row: int) -> bool:
    return not problem.fit_intercept and not abs(problem.x[[row]]).max()


def _places(problem: Problem) -> list[Array]:
    """Rows that are equal, together."""
    where = problem.rows.same()
    order = np.argsort(where, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(where[order])) + 1)


def groups(problem: Problem, seen: View) -> Groups:
    weight, row, clashes = list[int](), list[int](), list[Array]()
    for rows in _places(problem):
        before = len(row)
        for sign in (1.0, -1.0):
            own = rows[problem.y[rows] == sign]
            if own.size:
                row.append(int(own[0]))
                weight.append(len(own))
        here = np.arange(before, len(row))
        if _is_nothing(problem, rows[0]):
            clashes += [here[k : k + 1] for k in range(len(here))]
        elif len(here) == 2:
            clashes.append(here)
    return Groups(seen.z[row], np.array(weight), np.array(row), clashes)


class Supports:
    """A linear program whose vertices are supports: λ ≥ 0, Σ λ = 1, Σ λ z = 0 over the rows that are kept."""

    def __init__(self, problem: Problem, parts: Groups, seed: int = 0) -> None:
        import highspy

        self._problem, self._parts, self._rng = problem, parts, np.random.default_rng(seed)
        self._solver, self._status = solver(), highspy.HighsModelStatus
        self._basic = highspy.HighsBasisStatus.kBasic
        count, width = parts.z.shape
        ends, matrix = np.append(np.zeros(width), 1.0), np.column_stack([parts.z, np.ones(count)]).T
        lp = linear_program(np.zeros(count), np.zeros(count), np.ones(count), ends, ends, matrix)
        self._solver.passModel(lp)

    def find(self, kept: Array) -> Array | None:
        """Groups of a support among the kept ones (bool); None where the solver finds none, or none that is proven."""
        program, count = self._solver, len(kept)
        every = np.arange(count, dtype=np.int32)
        program.changeColsBounds(count, every, np.zeros(count), kept.astype(float))
        program.changeColsCost(count, every, self._rng.random(count))
        program.run()
        if program.getModelStatus() != self._status.kOptimal:
            return None
        values = np.array(program.getSolution().col_value)
        basic = np.array([status == self._basic for status in program.getBasis().col_status])
        for chosen in (np.flatnonzero(values > 1e-11), np.flatnonzero(basic & kept)):
            proof = farkas_on(self._problem, self._parts.row[chosen])
            if proof is not None:
                group = {int(row): int(g) for row, g in zip(self._parts.row[chosen], chosen, strict=True)}
                return np.array([group[row] for row in proof.rows])
        return None


def separating(z: Array, until: float) -> Array | None:
    """Weights of the widest gap in the ∞-norm, max t: z·v ≥ t, |v| ≤ 1, or None."""
    import highspy

    program = solver(time_limit=max(0.01, until - time.monotonic()))
    count, width = z.shape
    cost, high = np.append(np.zeros(width), -1.0), np.append(np.ones(width), highspy.kHighsInf)
    low, most = np.append(-np.ones(width), 0.0), np.full(count, highspy.kHighsInf)
    matrix = np.column_stack([z, -np.ones(count)])
    program.passModel(linear_program(cost, low, high, np.zeros(count), most, matrix))
    program.run()
    if program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.array(program.getSolution().col_value)[:width]


class Cover:
    """The smallest set of groups, by weight, that meets every support: a program in 0 and 1 that only grows."""

    def __init__(self, weight: Array) -> None:
        import highspy

        self._solver = solver(mip_rel_gap=0.0, mip_abs_gap=0.5)  # weights are whole numbers
        self._weight, self.supports = weight, list[Array]()
        count = len(weight)
        self._solver.addVars(count, np.zeros(count), np.ones(count))
        every = np.arange(count, dtype=np.int32)
        self._solver.changeColsCost(count, every, weight.astype(float))
        self._solver.changeColsIntegrality(count, every, np.full(count, highspy.HighsVarType.kInteger))
        self._infinity, self._optimal = highspy.kHighsInf, highspy.HighsModelStatus.kOptimal

    def add(self, support: Array) -> None:
        self.supports.append(support)
        self._solver.addRow(1.0, self._infinity, len(support), support.astype(np.int32), np.ones(len(support)))

    def solve(self, seconds: float) -> tuple[Array | None, int, bool]:
        """(groups to lose (bool), a bound that no hitting set is below, whether the set is the smallest)."""
        program = self._solver
        program.setOptionValue("time_limit", max(0.05, seconds))  # of this run: a mixed-integer one has its own clock
        program.run()
        info, values = program.getInfo(), np.array(program.getSolution().col_value)
        known = info.mip_dual_bound if math.isfinite(info.mip_dual_bound) else 0.0  # −∞ where the time was too short
        bound = max(0, math.ceil(known - TOLERANCE * max(1.0, known)))
        lost = values > 0.5
        if len(values) != len(self._weight) or not all(lost[support].any() for support in self.supports):
            return None, bound, False
        done = program.getModelStatus() == self._optimal
        return lost, bound, done


def two_sides(problem: Problem, seen: View, start: Sides, until: float, progress: Progress) -> Sides:
    """Hitting sets and supports by turns until both sides meet or the time is up."""
    best, proven, _ = start
    parts = groups(problem, seen)
    source, cover = Supports(problem, parts), Cover(parts.weight)
    for support in parts.clashes:
        cover.add(support)
    lost, smallest, patience, spent = np.zeros(len(parts.weight), bool), True, 0.5, 0.0
    while time.monotonic() < until and proven < best.errors:
        kept = _more(source, cover, lost, (min(until, time.monotonic() + spent), until))
        if kept is None and smallest:  # all that the smallest hitting set leaves can be right, or floats find no proof
            exact = _exactly(problem, parts, ~lost)
            if isinstance(exact, Separator):
                best = better(problem, best, *exact.floats())
            if not isinstance(exact, Farkas):
                break
            cover.add(np.flatnonzero(~lost)[list(exact.rows)])
        patience *= 1.0 if smallest else 1.5
        begun = time.monotonic()
        hit, bound, smallest = cover.solve(min(patience, until - begun))
        spent = time.monotonic() - begun
        if bound > proven:
            proven = min(bound, best.errors)
            progress(best.errors, proven)
        lost = lost if hit is None else hit
        for rest in (kept, ~lost):
            if rest is None or not rest.any() or time.monotonic() > until:
                continue
            v = separating(parts.z[rest], min(until, time.monotonic() + 2.0 + spent))
            new = best if v is None else better(problem, best, *seen.plane(v, problem))
            if new.errors < best.errors:
                progress(new.errors, proven)
                end = min(until, time.monotonic() + 0.5)
                best = along_lines(problem, seen, new, end, _with(progress, proven))
    return Sides(best, proven, len(cover.supports))


def _with(progress: Progress, proven: int) -> Callable[[int], None]:
    return lambda errors: progress(errors, proven)


def _exactly(problem: Problem, parts: Groups, kept: Array) -> Separator | Farkas | None:
    """Whether the kept groups can all be right, where they are few, by a simplex method in exact numbers."""
    if not kept.any() or np.count_nonzero(kept) * (problem.d + 1) > FEW:
        return None
    return decide(problem.take(parts.row[kept]))


def _more(source: Supports, cover: Cover, lost: Array, until: tuple[float, float]) -> Array | None:
    """New supports among the groups not lost, disjoint ones, and again others while there is time. Returns the groups
    that are in none of the first ones, None where there is no support.

    until: when no new pass begins, and when one is broken off. With as much time as the hitting sets take: one pass a
    hitting set proved 21 of iris' 26 errors in 20 s.
    """
    left = None
    while True:
        kept, count = ~lost, 0
        while count < MOST and time.monotonic() < until[1]:
            support = source.find(kept)
            if support is None:
                break
            cover.add(support)
            count += 1
            kept[support] = False
        if left is None and count:
            left = kept
        if not count or time.monotonic() > until[0]:
            return left
