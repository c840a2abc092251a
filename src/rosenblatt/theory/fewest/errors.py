"""The fewest errors that any hyperplane makes on rows, found and proven; up to three columns by enumeration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...data.checks import check_seconds
from ...errors import DataError
from ..problem import Problem, as_problem
from ..proof.certificate import Separator
from ..proof.exact import NOT_IN_FLOATS, checked, in_floats
from ..proof.integers import by_column
from ..separability import separable
from .sides import Best, Progress, Sides, along_lines, better, constant, forced, learned, separating, two_sides, view
from .sweep import BITS, Points, scan_planes

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
        size = f"{self.problem.n:,} rows, {self.problem.given.width:,} columns, {self.problem.where}"
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

    X: (n, d) array, DataFrame, sparse matrix or `Problem`, also of `in_kernel` where K is exact; y: (n,) labels of two
    classes, or of more with `positive` against the rest; fit_intercept: default True, False: b = 0. Up to three columns
    all hyperplanes are enumerated, in O(nᵈ log n) steps and without rounding; beyond, the problem is NP-hard, and both
    sides are sought: hyperplanes, and supports that prove a bound. time_limit: seconds ≥ 0, default 60; None: none,
    which may take for ever. progress: called with (errors, proven). Raises DataError and SettingError as `as_problem`,
    and DataError for a K that is rounded: of 60 whole rows 6 errors were the fewest, and 5 of rounded ones.
    """
    check_seconds("time_limit", time_limit, zero=True)
    begun = time.monotonic()
    problem = as_problem(X, y, fit_intercept, positive)
    if problem.space is not None and not problem.space.exact:
        why = "the fewest errors are known of values that are exact, as those of poly are of small whole numbers"
        raise DataError(f"kernel {problem.kernel} is rounded on these rows, which hides ties; {why}")
    tell, until = progress or (lambda errors, proven: None), None if time_limit is None else begun + time_limit
    proven = forced(problem)
    best, few = constant(problem), problem.d <= MOST_COLUMNS
    if best.errors == proven:
        return _result(problem, Sides(best, proven, 0), "enumeration" if few else "learners", begun)
    if few:
        tell(best.errors, proven)
        reserve = None if until is None else begun + 0.7 * (until - begun)
        first = best.errors
        errors, plane, complete = enumerate_planes(problem, reserve, lambda now: tell(min(now, first), proven))
        if complete and plane is not None:
            return _enumerated(problem, plane, errors, begun)
        if plane is not None:
            best = better(problem, best, *_rounded(plane))
    if proven == 0:
        left = None if until is None else VERDICT * (until - time.monotonic())
        verdict = None if left is not None and left <= 0.0 else separable(problem, time_limit=left)
        if verdict is not None and isinstance(verdict.certificate, Separator):
            best = Best(0, *verdict.certificate.floats())
            return _result(problem, Sides(best, 0, 0), "separable", begun, verdict.certificate)
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


def _enumerated(problem: Problem, separator: Separator, errors: int, begun: float) -> MinimumError:
    """Of an enumeration's hyperplane, which all but touches points: better in the middle between the right rows."""
    sides = Sides(Best(errors, *_rounded(separator)), errors, 0)
    first = _centred(problem, separator.right_rows(problem))
    return _result(problem, sides, "enumeration", begun, separator, first)


def _centred(problem: Problem, right: Array) -> list[Plane]:
    """A hyperplane in the middle between the rows that are right, where they are not too many."""
    seen = view(problem) if problem.n <= MOST_CENTRED and right.any() else None
    v = None if seen is None else separating(seen.z[right], time.monotonic() + CENTRING)
    return [] if seen is None or v is None else [seen.plane(v, problem)]


def _rounded(separator: Separator) -> Plane:
    """(w, b) in floats, the longest 1."""
    return separator.floats(max(map(abs, (*separator.w, separator.b))) or 1)


def _result(
    problem: Problem,
    sides: Sides,
    method: str,
    begun: float,
    exact: Separator | None = None,
    first: Sequence[Plane] = (),
) -> MinimumError:
    """The result of the best hyperplane, in floats that get the same rows right, where any are found.

    exact: the hyperplane in whole numbers, None where it is that of its floats. first: floats to begin with.
    """
    best, proven, supports = sides
    separator = exact or Separator.of(best.w, best.b)
    right = separator.right_rows(problem)
    own, rest = problem.take(np.flatnonzero(right)), problem.take(np.flatnonzero(~right))
    if rest.n != best.errors:
        raise AssertionError(f"the hyperplane makes {rest.n} errors, {best.errors} were counted")

    def same(w: Array, b: float) -> bool:
        return not Separator.of(w, b).right_rows(rest).any()

    floats = in_floats(own, separator, [*first, (best.w, best.b)], same)
    if not (floats.hold or first):  # what all but touches a row may come out as 0: better in the middle
        centred = (checked(own, w, b, same) for w, b in _centred(problem, right))
        floats = next((each for each in centred if each.hold), floats)
    if floats.exact:
        separator = Separator.of(floats.w, floats.b)
    return MinimumError(
        rest.n, proven, floats.w, floats.b, np.flatnonzero(~right), method, time.monotonic() - begun,
        separator, supports, problem, floats.hold,
    )  # fmt: skip


MOST_COLUMNS = 3
NO_UNDERFLOW = 200
"""Bits a column up to which products of four differences stay above 2⁻⁸⁰⁰, so that a product that is 0 is 0."""
Plane = tuple[Array, float]


class Whole(NamedTuple):
    """Different rows as whole numbers, times 2^exponent of their column the values.

    vectors: (n, d) Python integers, of each row; with offset as points, x alone. points: for the kernel. exponents: of
    the columns. lost: rows that are 0 without an offset, which nobody gets right. base: whether hyperplanes are sought
    through each point.
    """

    vectors: Array
    points: Points
    exponents: list[int]
    lost: int
    base: bool


def enumerate_planes(
    problem: Problem, until: float | None, tell: Callable[[int], None]
) -> tuple[int, Separator | None, bool]:
    """(errors, separator, whether all were looked at) of the hyperplane, d ≤ 3, with the fewest errors of all that were
    looked at, in O(nᵈ log n) steps. until: when to stop, of `time.monotonic`."""
    whole = _whole(problem)
    n = len(whole.vectors)
    best, chosen = np.array([problem.n + 1, -1], np.int64), (-1, -1)
    complete = True
    run = scan_planes.for_work(n ** (3 if whole.base and whole.points.x.shape[1] > 2 else 2))
    for p, first, last in _turns(whole, n):
        if until is not None and time.monotonic() > until:
            complete = False
            break
        before = int(best[0])
        run(whole.points, p, first, last, best)
        if best[0] < before:
            chosen = (p, int(best[1]))
            tell(int(best[0]) + whole.lost)
    if best[0] > problem.n:
        return problem.n, None, complete
    path = [each for each in chosen if each >= 0]
    return int(best[0]) + whole.lost, _plane(whole, path, problem), complete


def _turns(whole: Whole, n: int) -> Iterator[tuple[int, int, int]]:
    """(p, first q, last q) of each call of the kernel."""
    step = n if whole.base else max(1, 2_000_000 // n)
    for p in range(n) if whole.base else [-1]:
        if whole.points.x.shape[1] == 2:
            yield p, -1, 0
        else:
            yield from ((p, first, min(first + step, n)) for first in range(p + 1, n, step))


def _whole(problem: Problem) -> Whole:
    """The different rows. One column with offset is two without: the second is the bias's."""
    x, d, offset = problem.rows.astype(np.float64).toarray() + 0.0, problem.d, problem.fit_intercept
    values, where = np.unique(x, axis=0, return_inverse=True)
    where = where.reshape(-1)
    plus = np.bincount(where[problem.y > 0], minlength=len(values)).astype(np.int64)
    minus = np.bincount(where[problem.y < 0], minlength=len(values)).astype(np.int64)
    lost = 0
    if not offset:
        zero = ~values.any(axis=1)
        lost = int((plus + minus)[zero].sum())
        values, plus, minus = values[~zero], plus[~zero], minus[~zero]
    base = offset and d > 1
    if d == 1:
        values = np.column_stack([values, np.ones(len(values)) if offset else np.zeros(len(values))])
    numerators, exponents = by_column(values)
    bits = int(abs(numerators).max(initial=0)).bit_length()
    x, digits = _and_origin(_scaled(values)), _and_origin(_digits(numerators, bits))
    points = Points(x, digits, plus, minus, 0.0 if bits <= NO_UNDERFLOW else 1e-250)
    return Whole(numerators.astype(object), points, exponents.tolist(), lost, base)


def _and_origin(parts: Array) -> Array:
    return np.concatenate([parts, np.zeros((1, *parts.shape[1:]), parts.dtype)])


def _scaled(values: Array) -> Array:
    """The values times a power of two a column: the largest lies in [½, 1)."""
    top = np.frexp(np.abs(values).max(axis=0, initial=0.0))[1]
    return np.ldexp(np.ldexp(values, -(top // 2)), top // 2 - top)


def _digits(numbers: Any, bits: int) -> Array:
    """Of whole numbers (n, d): (n, d, L), the lowest first."""
    digits = [np.sign(numbers) * (abs(numbers) >> BITS * t & (1 << BITS) - 1) for t in range(bits // BITS + 1)]
    return np.stack(digits, axis=-1).astype(np.int64)


# --- the hyperplane, in whole numbers --------------------------------------------------------------------------------


def _plane(whole: Whole, path: list[int], problem: Problem) -> Separator:
    """The best hyperplane that is nearly through these points, in the values' own units."""
    vectors = whole.vectors
    if whole.base:
        vectors = np.column_stack([vectors, np.ones(len(vectors), int).astype(object)])
    weights = np.column_stack([whole.points.plus, whole.points.minus])
    w = _through(vectors, weights, vectors[path])
    exact = [value / Fraction(2) ** e for value, e in zip(w, [*whole.exponents, 0], strict=False)]
    return Separator.of(exact[: problem.d], exact[problem.d] if problem.fit_intercept else 0.0)


def _through(vectors: Array, weights: Array, path: Array) -> Array:
    """w with the fewest errors, on which the rows of the path are nearly 0; no other row is exactly 0.

    vectors: (n, c) Python integers. weights: (n, 2) rows of either class there.
    """
    if not len(path):
        return _in_the_plane(vectors, weights)
    z = path[0]
    k = int(np.flatnonzero(z)[0])

    def along(v: Array) -> Array:
        return np.delete(v * z[k] - v[:, k : k + 1] * z, k, axis=1)

    projected = along(vectors)
    free = (projected != 0).any(axis=1)
    inner = _through(projected[free], weights[free], along(path[1:]))
    w = np.insert(inner * z[k], k, -(inner @ np.delete(z, k)))
    own, u = vectors @ z, vectors @ w
    off = u != 0
    far = 1 + max((abs(own[off]) // abs(u[off])).tolist(), default=0)
    plus, minus = weights[~off].T
    return far * w + (1 if np.sign(own[~off]) @ (plus - minus) >= 0 else -1) * z


def _in_the_plane(vectors: Array, weights: Array) -> Array:
    """w of two numbers with the fewest errors."""
    rows = zip(vectors.tolist(), weights.tolist(), strict=True)
    turned = [(-a, -b, m, p) if (b, a) < (0, 0) else (a, b, p, m) for (a, b), (p, m) in rows]
    turned.sort(key=lambda row: Fraction(-row[0], row[1]) if row[1] else -np.inf)  # by angle, from 0 to half a turn
    if not turned:
        return np.array([1, 0], object)
    errors = sum(minus for _, _, _, minus in turned)
    total = errors + sum(plus for _, _, plus, _ in turned)
    best, chosen = total + 1, [0, 0]
    for r, (a, b, plus, minus) in enumerate(turned):
        errors += plus - minus
        c, d = turned[r + 1][:2] if r + 1 < len(turned) else (-turned[0][0], -turned[0][1])
        if a * d == b * c and (r + 1 < len(turned) or a * c + b * d >= 0):
            continue
        if min(errors, total - errors) < best:
            best = min(errors, total - errors)
            far, near = max(abs(a), abs(b)), max(abs(c), abs(d))  # about the middle, strictly between the directions
            u = (-b, a) if a * d == b * c else (a * near + c * far, b * near + d * far)
            chosen = [-u[1], u[0]] if errors <= total - errors else [u[1], -u[0]]
    return np.array(chosen, object)
