"""The fewest errors that any hyperplane makes on rows, found and proven; up to three columns by enumeration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...data.checks import check_seconds
from ..problem import Problem, as_problem
from ..proof.certificate import Separator
from ..proof.exact import NOT_IN_FLOATS, in_floats, right_rows
from ..proof.integers import by_column
from ..separability import separable
from .sides import Progress, Sides, along_lines, better, constant, forced, learned, separating, two_sides, view
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
        first = best.errors
        errors, plane, complete = enumerate_planes(problem, reserve, lambda now: tell(min(now, first), proven))
        if complete:
            return _exact_result(problem, plane, errors, begun)
        if plane is not None:
            best = better(problem, best, *_rounded(plane))
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
    problem: Problem, separator: Separator, right: Array, first: list[Plane], proof: tuple[int, str, int], begun: float
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


MOST_COLUMNS = 3
NO_UNDERFLOW = 200
"""Bits a column up to which products of four differences stay above 2⁻⁸⁰⁰, so that a product that is 0 is 0."""
Vector = tuple[int, ...]
Plane = tuple[Array, float]


class Whole(NamedTuple):
    """Different rows as whole numbers, times 2^exponent of their column the values.

    vectors: of each row; with offset as points, x alone. points: for the kernel. exponents: of the columns. lost: rows
    that are 0 without an offset, which nobody gets right. base: whether hyperplanes are sought through each point.
    """

    vectors: list[Vector]
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
    if whole.base and n == 1:
        plus, minus = int(whole.points.plus[0]), int(whole.points.minus[0])
        return min(plus, minus), Separator.of([0.0] * problem.d, 1.0 if plus >= minus else -1.0), True
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
    plane = whole.points.x.shape[1] == 2
    if whole.base:
        for p in range(n):
            yield (p, -1, 0) if plane else (p, p + 1, n)
    elif plane:
        yield -1, -1, 0
    else:
        step = max(1, 2_000_000 // n) if n else 1
        for first in range(0, n, step):
            yield -1, first, min(first + step, n)


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
    return Whole(list(map(tuple, numerators.tolist())), points, exponents.tolist(), lost, base)


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
    vectors = [(*vector, 1) for vector in whole.vectors] if whole.base else whole.vectors
    weights = list(zip(whole.points.plus.tolist(), whole.points.minus.tolist(), strict=True))
    w = _through(vectors, weights, [vectors[p] for p in path])
    exact = [value / Fraction(2) ** e for value, e in zip(w, [*whole.exponents, 0], strict=False)]
    return Separator.of(exact[: problem.d], exact[problem.d] if problem.fit_intercept else 0.0)


def _through(vectors: list[Vector], weights: list[tuple[int, int]], path: list[Vector]) -> list[int]:
    """w with the fewest errors, on which the rows of the path are nearly 0; no other row is exactly 0."""
    if not path:
        return _in_the_plane(vectors, weights)
    z = path[0]
    k = next(j for j in range(len(z)) if z[j])
    others = [j for j in range(len(z)) if j != k]

    def along(v: Vector) -> Vector:
        return tuple(v[j] * z[k] - v[k] * z[j] for j in others)

    projected = [along(v) for v in vectors]
    free = [i for i, v in enumerate(projected) if any(v)]
    inner = _through([projected[i] for i in free], [weights[i] for i in free], [along(v) for v in path[1:]])
    w = [0] * len(z)
    for j, value in zip(others, inner, strict=True):
        w[j] += value * z[k]
        w[k] -= value * z[j]
    side, far = 0, 1
    for i, v in enumerate(vectors):
        own = sum(a * b for a, b in zip(z, v, strict=True))
        u = sum(a * b for a, b in zip(w, v, strict=True))
        if u:
            far = max(far, abs(own) // abs(u) + 1)
        elif any(v):
            side += (weights[i][0] - weights[i][1]) * (1 if own > 0 else -1)
    return [far * a + (1 if side >= 0 else -1) * b for a, b in zip(w, z, strict=True)]


def _in_the_plane(vectors: list[Vector], weights: list[tuple[int, int]]) -> list[int]:
    """w of two numbers with the fewest errors."""
    turned: list[tuple[int, int, int, int]] = []
    for (a, b), (plus, minus) in zip(vectors, weights, strict=True):
        down = b < 0 or (b == 0 and a < 0)
        turned.append((-a, -b, minus, plus) if down else (a, b, plus, minus))
    turned.sort(key=cmp_to_key(_turn))
    if not turned:
        return [1, 0]
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
            u = (-b, a) if a * d == b * c else _between((a, b), (c, d))
            chosen = [-u[1], u[0]] if errors <= total - errors else [u[1], -u[0]]
    return chosen


def _turn(r: tuple[int, int, int, int], s: tuple[int, int, int, int]) -> int:
    """Below 0 where r's angle is the smaller one, in the upper half plane."""
    return r[1] * s[0] - r[0] * s[1]


def _between(first: Vector, second: Vector) -> Vector:
    """About the middle of two directions less than half a turn apart, strictly between them."""
    far, near = (max(abs(v[0]), abs(v[1])) for v in (first, second))
    return first[0] * near + second[0] * far, first[1] * near + second[1] * far
