"""A hyperplane with few errors: what learners find, made better along lines. The found side of the bounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array, dense
from ...errors import RosenblattError
from ...learn.run import Limits
from ...learn.settings import Settings
from ...model.fit import Task, fit
from ..problem import Problem
from ..proof.exact import right_rows

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
        v = w * self.scale
        return np.append(v, b + w @ self.middle) if problem.fit_intercept else v


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
    errors = int(np.count_nonzero(~right_rows(problem, w, b)))
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
            if through is not None:
                best = better(problem, best, *through.plane(np.append(w, b) if problem.fit_intercept else w, problem))
            else:
                best = better(problem, best, w, float(b))
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
        pick = turn % 3
        direction = rng.standard_normal(width)
        if pick == 0:
            direction = np.eye(width)[rng.integers(width)]
        elif pick == 1 and wrong.size:
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
