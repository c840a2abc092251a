"""Both sides of the fewest errors: hyperplanes with few, and how few are possible at all.

Found: what learners find, made better along lines. Proven: every infeasible handful of rows must lose one. Rows that
no hyperplane gets right together have λ ≥ 0 with Σ λ y x̄ = 0; at a vertex they are d̄ + 1 at most. Any hyperplane errs
on one row at least of each such support, so the smallest set of rows that meets all supports known so far has no more
rows than the fewest errors. Each support is proven in exact arithmetic before it counts.
"""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array, dense
from ...errors import RosenblattError
from ...learn.run import Limits
from ...learn.settings import Settings
from ...model.fit import Task, fit
from ..highs import basic, linear_program, solved, solver
from ..problem import Problem
from ..proof.certificate import Farkas, Separator
from ..proof.farkas import decide, farkas_on

DENSE = 20_000_000
"""Numbers n·d up to which rows are held as one dense array, 160 MB."""
LEARNERS = (("perceptron", "pocket"), ("perceptron", "averaged"), ("logistic", "averaged"), ("logistic", "last"))
Progress = Callable[[int, int], None]
"""Hears (errors, proven) whenever one of them changes."""
EPOCHS = 50
PATIENCE = 60
"""Directions a column without a better one before the search begins anew elsewhere; it ends after as many for each 20
rows."""


class View(NamedTuple):
    """Rows as the search sees them, rounded. z: (n, d̄) y·x̄, columns centred (with offset) and scaled. middle, scale:
    (d,) x = middle + scale·column."""

    z: Array
    middle: Array
    scale: Array

    def plane(self, v: Array, problem: Problem) -> tuple[Array, float]:
        """(w, b) of the data from weights of the columns here."""
        with np.errstate(over="ignore", invalid="ignore"):  # `better` refuses what is not finite
            w = v[: problem.d] / self.scale
            return w, float(v[-1] - w @ self.middle) if problem.fit_intercept else 0.0

    def weights(self, w: Array, b: float, problem: Problem) -> Array:
        return problem.joined(w * self.scale, b + w @ self.middle)


class Best(NamedTuple):
    """errors: as counted exactly, of (w, b)."""

    errors: int
    w: Array
    b: float


def view(problem: Problem) -> View | None:
    """None where the rows are too many and too wide to be held dense."""
    if problem.n * (problem.d + 1) > DENSE:
        return None
    x = problem.rows.astype(np.float64).toarray()
    largest = np.abs(x).max(axis=0, initial=0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = x.mean(axis=0) if problem.fit_intercept else np.zeros(problem.d)
        scale = np.sqrt(np.mean(np.square((x - middle) / np.where(largest > 0.0, largest, 1.0)), axis=0)) * largest
    scale = np.where(np.isfinite(scale) & (scale > 1e-300), scale, np.where(largest > 0.0, largest, 1.0))
    middle = np.where(np.isfinite(middle), middle, 0.0)
    z = (x - middle) / scale
    z = np.column_stack([z, np.ones(problem.n)]) if problem.fit_intercept else z
    return View(np.ascontiguousarray(z * problem.y[:, None]), middle, scale)


def constant(problem: Problem) -> Best:
    """The class of most rows; through the origin no weights at all, and every row an error."""
    b = (1.0 if 2 * np.count_nonzero(problem.y > 0) >= problem.n else -1.0) if problem.fit_intercept else 0.0
    return Best(int(np.count_nonzero(problem.y * b <= 0.0)), np.zeros(problem.d), b)


def better(problem: Problem, best: Best, w: Array, b: float) -> Best:
    """(w, b) where it makes fewer errors, counted exactly."""
    if not (np.isfinite(w).all() and np.isfinite(b)):
        return best
    errors = int(np.count_nonzero(~Separator.of(w, b).right_rows(problem)))
    return Best(errors, np.asarray(w, np.float64), b) if errors < best.errors else best


def learned(problem: Problem, best: Best, until: float | None) -> Best:
    """The best of some learners' hyperplanes, each of at most 50 epochs, on the rows as they are and standardised."""
    seen = view(problem)
    tries: list[tuple[Any, View | None]] = [(problem.rows, None)]
    if seen is not None:
        columns = (seen.z * problem.y[:, None])[:, : problem.d]
        tries.append((dense(np.ascontiguousarray(columns)), seen))
    if np.unique(problem.y).size < 2:
        return best
    for rows, through in tries:
        for rule, keep in LEARNERS:
            left = None if until is None else max(0.0, until - time.monotonic()) / 4.0
            if left == 0.0:
                return best
            settings = Settings.of(rule=rule, keep=keep, fit_intercept=problem.fit_intercept, random_state=0)
            try:
                model = fit(rows, problem.y, settings, Limits(EPOCHS, max_time=left), Task())
            except RosenblattError:  # numbers too large for a learner
                continue
            w, b = (np.asarray(part[0], np.float64) for part in model.weights)
            plane = (w, float(b)) if through is None else through.plane(problem.joined(w, b), problem)
            best = better(problem, best, *plane)
    return best


def along_lines(problem: Problem, seen: View, best: Best, until: float, tell: Callable[[int], None]) -> Best:
    """Better hyperplanes on lines through the best one: along each, the errors of all places are counted in one sort.

    Directions are columns, rows and random ones by turns; equal errors are accepted, so that plateaus are crossed.
    """
    rng = np.random.default_rng(0)
    z, width = seen.z, seen.z.shape[1]
    v, idle = seen.weights(best.w, best.b, problem), 0
    errors, turn = best.errors, 0
    while time.monotonic() < until and best.errors > 0 and idle < PATIENCE * width * (1 + problem.n // 20):
        u = z @ v
        length = float(np.linalg.norm(v))
        if length > 0.0:
            v, u = v / length, u / length
        wrong = np.flatnonzero(u <= 0.0)
        direction = rng.standard_normal(width)
        if turn % 3 == 0:
            direction = np.eye(width)[rng.integers(width)]
        elif turn % 3 == 1 and wrong.size:
            direction = z[rng.choice(wrong)]
        fewest, t = _best_place(u, z @ direction, rng)
        if fewest <= errors or (idle % (PATIENCE * width) == PATIENCE * width - 1):
            v, errors = v + t * direction, fewest
        idle, turn = idle + 1, turn + 1
        if fewest < best.errors:
            new = better(problem, best, *seen.plane(v, problem))
            if new.errors < best.errors:
                best, idle = new, 0
                tell(best.errors)
        elif idle % (2 * PATIENCE * width) == 0:
            v = seen.weights(best.w, best.b, problem)
            v = v + 0.3 * np.linalg.norm(v) / width**0.5 * rng.standard_normal(width)
            errors = int(np.count_nonzero(z @ v <= 0.0))
    return best


def _best_place(u: Array, s: Array, rng: Any) -> tuple[int, float]:
    """(errors, t) of the t with the fewest rows u + t·s ≤ 0: the middle of its interval."""
    moving = s != 0.0
    with np.errstate(over="ignore"):  # a row that hardly moves turns at infinity: never
        t = -u[moving] / s[moving]
    rising = s[moving] > 0.0
    order = np.argsort(t)
    at, up = t[order], rising[order]
    fixed = int(np.count_nonzero(u[~moving] <= 0.0))
    errors = fixed + int(up.sum()) + np.concatenate([[0], np.cumsum(np.where(up, -1, 1))])
    low, high = np.concatenate([[-np.inf], at]), np.concatenate([at, [np.inf]])
    errors = np.where(low < high, errors, len(u) + 1)
    least = int(errors.min())
    place = int(rng.choice(np.flatnonzero(errors == least)))
    a, b = float(low[place]), float(high[place])
    if not np.isfinite(a):
        return least, b - 1.0 if np.isfinite(b) else 0.0
    return least, a + 1.0 if not np.isfinite(b) else (a + b) / 2.0


TOLERANCE = 1e-6
FEW = 500
"""Numbers of rows that an exact simplex method decides in less than a second."""
MOST = 1000
"""Disjoint supports of one pass."""


class Groups(NamedTuple):
    """Equal rows with equal signs as one. weight: (g,) how many. row: (g,) one of them each. clashes: groups that
    cannot be right together: equal rows of both signs; rows that are 0, without an offset."""

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
    parts = groups(problem)
    return sum(int(parts.weight[clash].min()) for clash in parts.clashes)


def groups(problem: Problem) -> Groups:
    key, row, weight = np.unique(2 * problem.rows.same() + (problem.y < 0), return_index=True, return_counts=True)
    nothing = (problem.rows.take(row).largest_by_row() == 0) & (not problem.fit_intercept)
    clashes = list[Array]()
    for here in np.split(np.arange(len(key)), np.flatnonzero(np.diff(key // 2)) + 1):
        if nothing[here[0]]:
            clashes += np.split(here, len(here))
        elif len(here) == 2:
            clashes.append(here)
    return Groups(weight, row, clashes)


class Supports:
    """A linear program whose vertices are supports: λ ≥ 0, Σ λ = 1, Σ λ z = 0 over the rows that are kept."""

    def __init__(self, problem: Problem, rows: Array, z: Array) -> None:
        self._problem, self._rows, self._rng = problem, rows, np.random.default_rng(0)
        self._solver = solver()
        count, width = z.shape
        ends, matrix = np.append(np.zeros(width), 1.0), np.column_stack([z, np.ones(count)]).T
        lp = linear_program(np.zeros(count), np.zeros(count), np.ones(count), ends, ends, matrix)
        self._solver.passModel(lp)

    def find(self, kept: Array) -> Array | None:
        """Groups of a support among the kept ones (bool); None where the solver finds none, or none that is proven."""
        program, count = self._solver, len(kept)
        every = np.arange(count, dtype=np.int32)
        program.changeColsBounds(count, every, np.zeros(count), kept.astype(float))
        program.changeColsCost(count, every, self._rng.random(count))
        program.run()
        if not solved(program):
            return None
        values = np.array(program.getSolution().col_value)
        for chosen in (np.flatnonzero(values > 1e-11), np.flatnonzero(basic(program) & kept)):
            proof = farkas_on(self._problem, self._rows[chosen])
            if proof is not None:
                group = dict(zip(self._rows[chosen].tolist(), chosen.tolist(), strict=True))
                return np.array([group[row] for row in proof.rows])
        return None


def separating(z: Array, until: float) -> Array | None:
    """Weights of the widest gap in the ∞-norm, max t: z·v ≥ t, |v| ≤ 1, or None."""
    program = solver(time_limit=max(0.01, until - time.monotonic()))
    count, width = z.shape
    cost, high = np.append(np.zeros(width), -1.0), np.append(np.ones(width), np.inf)
    low, most = np.append(-np.ones(width), 0.0), np.full(count, np.inf)
    matrix = np.column_stack([z, -np.ones(count)])
    program.passModel(linear_program(cost, low, high, np.zeros(count), most, matrix))
    program.run()
    return np.array(program.getSolution().col_value)[:width] if solved(program) else None


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

    def add(self, support: Array) -> None:
        self.supports.append(support)
        self._solver.addRow(1.0, np.inf, len(support), support.astype(np.int32), np.ones(len(support)))

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
        return lost, bound, solved(program)


def two_sides(problem: Problem, seen: View, start: Sides, until: float, progress: Progress) -> Sides:
    """Hitting sets and supports by turns until both sides meet or the time is up."""
    best, proven, _ = start
    parts = groups(problem)
    z = seen.z[parts.row]
    source, cover = Supports(problem, parts.row, z), Cover(parts.weight)
    for support in parts.clashes:
        cover.add(support)
    lost, smallest, patience, spent = np.zeros(len(parts.weight), bool), True, 0.5, 0.0

    def tell(errors: int) -> None:
        progress(errors, proven)

    while time.monotonic() < until and proven < best.errors:
        kept = _more(source, cover, lost, (min(until, time.monotonic() + spent), until))
        if kept is None and smallest:  # all that the smallest hitting set leaves can be right, or floats find no proof
            few = not lost.all() and np.count_nonzero(~lost) * (problem.d + 1) <= FEW
            exact = decide(problem.take(parts.row[~lost])) if few else None
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
            tell(best.errors)
        lost = lost if hit is None else hit
        for rest in (kept, ~lost):
            if rest is None or not rest.any() or time.monotonic() > until:
                continue
            v = separating(z[rest], min(until, time.monotonic() + 2.0 + spent))
            new = best if v is None else better(problem, best, *seen.plane(v, problem))
            if new.errors < best.errors:
                tell(new.errors)
                end = min(until, time.monotonic() + 0.5)
                best = along_lines(problem, seen, new, end, tell)
    return Sides(best, proven, len(cover.supports))


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
