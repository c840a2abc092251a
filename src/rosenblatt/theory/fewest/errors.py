"""The fewest errors that any hyperplane makes on labelled rows, found and proven."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...core.rows import Array
from ...data.checks import check_seconds
from ..problem import Problem, as_problem
from ..proof.certificate import Separator
from ..proof.exact import right_rows
from ..proof.floats import NOT_IN_FLOATS, in_floats
from ..separability import separable
from .planes import MOST_COLUMNS, enumerate_planes
from .search import Progress, along_lines, better, constant, learned, view
from .supports import Sides, forced, separating, two_sides

VERDICT = 0.25
"""Share of the time in which the verdict on separability may be sought: on sonar's 60 columns it takes 0.02 s, where
supports and hitting sets left 6 errors found and 0 proven."""
SEARCH, LONGEST_SEARCH = 0.25, 20.0
"""Share of the time, and the most seconds, for better hyperplanes before bounds are sought."""
TIME_LIMIT = 60.0
MOST_CENTRED, CENTRING = 20_000, 5.0
"""Rows up to which, and seconds in which, a hyperplane is moved to the middle between the rows that it gets right."""


@dataclass(frozen=True, repr=False)
class MinimumError:
    """min over (w, b) of #{i: y_i(w·x_i + b) ≤ 0}; without an offset b = 0.

    errors: rows that the hyperplane gets wrong, counted exactly: the fewest found. lower_bound: proven, no hyperplane
    makes fewer. optimal: they meet. w: (d,) float64, b: it in floats. rows_wrong: ascending row numbers, from 0.
    method: "enumeration" (all hyperplanes, d ≤ 3), "separable" (the verdict that a hyperplane has all rows right),
    "supports" (hitting sets of rows that no hyperplane gets right together) or "learners" (these alone, on data too
    large for both). separator: the hyperplane in whole numbers. in_floats: whether (w, b) gets the same rows right,
    exactly and as X @ w + b comes out in float64; False where no such floats were found: (w, b) is the separator
    rounded, and makes more errors.
    supports: proven infeasible sets behind the bound. problem: the rows. seconds: wall time.
    """

    errors: int
    lower_bound: int
    w: Array
    b: float
    rows_wrong: Array
    method: str
    seconds: float
    separator: Separator
    supports: int
    problem: Problem
    in_floats: bool = True

    @property
    def optimal(self) -> bool:
        """Whether the fewest found are the fewest proven: no hyperplane makes fewer errors than this one."""
        return self.errors == self.lower_bound

    def __str__(self) -> str:
        errors = f"{self.errors:,} error{'s' * (self.errors != 1)}"
        count = f"{errors}, the fewest" if self.optimal else f"{errors} found, at least {self.lower_bound:,} proven"
        where = "with offset" if self.problem.fit_intercept else "through the origin"
        size = f"{self.problem.n:,} rows, {self.problem.d:,} columns, {where}"
        why = "" if self.in_floats else f"; {NOT_IN_FLOATS}"
        return f"{count} ({size}; by {self.method}, {self.seconds:.2f} s{why})"

    def __repr__(self) -> str:
        return f"<MinimumError: {self}>"

    def verify(self) -> bool:
        """Whether the hyperplane gets all rows but `rows_wrong` strictly right, in exact arithmetic."""
        right = np.setdiff1d(np.arange(self.problem.n), self.rows_wrong)
        return not right.size or self.separator.check(self.problem.take(right))


def minimum_error(
    X: Any,
    y: Any = None,
    fit_intercept: bool = True,
    positive: Any = None,
    time_limit: float | None = TIME_LIMIT,
    progress: Progress | None = None,
) -> MinimumError:
    """The hyperplane with the fewest rows y·u ≤ 0, u = w·x + b; constant answers (w = 0) take part, ties are errors.

    X: (n, d) array, DataFrame, sparse matrix or `Problem`; y: (n,) labels of two classes, or of more with `positive`
    against the rest; fit_intercept: default True, False: b = 0. Up to three columns all hyperplanes are enumerated, in
    O(nᵈ log n) steps and without rounding; beyond, the problem is NP-hard, and both sides are sought: hyperplanes, and
    supports that prove a bound. time_limit: seconds ≥ 0, default 60; None: none, which may take for ever. progress:
    called with (errors, proven). Raises DataError and SettingError as `as_problem`.
    """
    check_seconds("time_limit", time_limit, zero=True)
    begun = time.monotonic()
    problem = as_problem(X, y, fit_intercept, positive)
    tell, until = progress or (lambda errors, proven: None), None if time_limit is None else begun + time_limit
    proven = forced(problem)
    best, few = constant(problem), problem.d <= MOST_COLUMNS
    if best.errors == proven:
        return _result(problem, Sides(best, proven, 0), "enumeration" if few else "learners", begun)
    if few:
        tell(best.errors, proven)
        reserve = None if until is None else begun + 0.7 * (until - begun)
        planes = enumerate_planes(problem, reserve, lambda errors: tell(min(errors, best.errors), proven))
        if planes.complete:
            return _exact_result(problem, planes.separator, planes.errors, begun)
        if planes.separator is not None:
            best = better(problem, best, *_rounded(planes.separator))
    if proven == 0:
        left = None if until is None else VERDICT * (until - time.monotonic())
        verdict = None if left is not None and left <= 0.0 else separable(problem, time_limit=left)
        if verdict is not None and isinstance(verdict.certificate, Separator):
            return _separated(problem, verdict.certificate, begun)
        proven = int(verdict is not None and verdict.separable is False)
    best = learned(problem, best, until)
    tell(best.errors, proven)
    seen, method = view(problem), "learners"
    sides = Sides(best, proven, 0)
    if best.errors > proven and seen is not None:
        method, now = "supports", time.monotonic()
        end = now + 3600.0 * 24 * 365 if until is None else until
        least = min(end, now + min(LONGEST_SEARCH, SEARCH * max(0.0, end - now)))
        best = along_lines(problem, seen, best, least, lambda errors: tell(errors, proven))
        sides = two_sides(problem, seen, Sides(best, proven, 0), end, tell)
    return _result(problem, sides, method, begun)


def _result(problem: Problem, sides: Sides, method: str, begun: float) -> MinimumError:
    """Of a hyperplane in floats, whose errors have been counted exactly."""
    best = sides.best
    right = right_rows(problem, best.w, best.b)
    assert np.count_nonzero(~right) == best.errors
    proof = (sides.proven, method, sides.supports)
    return _handed_out(problem, Separator.of(best.w, best.b), right, [(best.w, best.b)], proof, begun)


def _separated(problem: Problem, separator: Separator, begun: float) -> MinimumError:
    *w, b = (Fraction(each, separator.denominator) for each in (*separator.w, separator.b))
    return _handed_out(problem, Separator.of(w, b), np.ones(problem.n, bool), [], (0, "separable", 0), begun)


def _exact_result(problem: Problem, separator: Separator | None, errors: int, begun: float) -> MinimumError:
    """Of an enumeration's hyperplane, which all but touches points: better in the middle between the right rows."""
    separator = separator or Separator.of([0.0] * problem.d, 0.0)
    right = separator.right_rows(problem)
    if np.count_nonzero(~right) != errors:
        raise AssertionError(f"the hyperplane makes {np.count_nonzero(~right)} errors, {errors} were counted")
    first = []
    seen = view(problem) if problem.n <= MOST_CENTRED and right.any() else None
    if seen is not None:
        v = separating(seen.z[right], time.monotonic() + CENTRING)
        first += [] if v is None else [seen.plane(v, problem)]
    first.append(_rounded(separator))
    return _handed_out(problem, separator, right, first, (errors, "enumeration", 0), begun)


def _rounded(separator: Separator) -> tuple[Array, float]:
    """(w, b) in floats, the longest 1."""
    return separator.floats(max(map(abs, (*separator.w, separator.b))) or 1)


def _handed_out(
    problem: Problem,
    separator: Separator,
    right: Array,
    first: list[tuple[Array, float]],
    proof: tuple[int, str, int],
    begun: float,
) -> MinimumError:
    """The result of an exact hyperplane, in floats that get the same rows right, where any are found.

    first: floats to begin with. proof: (lower bound, method, supports).
    """
    own, rest = problem.take(np.flatnonzero(right)), problem.take(np.flatnonzero(~right))
    floats = in_floats(own, separator, first, lambda w, b: not right_rows(rest, w, b).any())
    if floats.exact:
        separator = Separator.of(floats.w, floats.b)
    proven, method, supports = proof
    return MinimumError(
        rest.n, proven, floats.w, floats.b, np.flatnonzero(~right), method, time.monotonic() - begun,
        separator, supports, problem, floats.hold,
    )  # fmt: skip
