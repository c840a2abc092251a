"""Fewest errors by enumeration, up to three columns: the points as whole numbers, the count, and a hyperplane."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from ..proof.certificate import Separator
from ..proof.integers import by_column
from .sweep import BITS, Points, scan_planes

MOST_COLUMNS = 3
NO_UNDERFLOW = 200
"""Bits a column up to which products of four differences stay above 2⁻⁸⁰⁰, so that a product that is 0 is 0."""
Vector = tuple[int, ...]


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


class Enumeration(NamedTuple):
    """errors: of the best hyperplane so far. separator: it, or None. complete: whether all have been looked at."""

    errors: int
    separator: Separator | None
    complete: bool


def enumerate_planes(problem: Problem, until: float | None, tell: Callable[[int], None]) -> Enumeration:
    """The fewest errors of all hyperplanes, d ≤ 3, in O(nᵈ log n) steps. until: when to stop, of `time.monotonic`."""
    whole = _whole(problem)
    n = len(whole.vectors)
    if whole.base and n == 1:
        plus, minus = int(whole.points.plus[0]), int(whole.points.minus[0])
        return Enumeration(min(plus, minus), Separator.of([0.0] * problem.d, 1.0 if plus >= minus else -1.0), True)
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
        return Enumeration(problem.n, None, complete)
    path = [each for each in chosen if each >= 0]
    return Enumeration(int(best[0]) + whole.lost, _plane(whole, path, problem), complete)


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
    points = Points(_scaled(values), _digits(numerators, bits), plus, minus, 0.0 if bits <= NO_UNDERFLOW else 1e-250)
    return Whole(list(map(tuple, numerators.tolist())), points, exponents.tolist(), lost, base)


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
    total = sum(plus + minus for _, _, plus, minus in turned)
    errors = sum(minus for _, _, _, minus in turned)
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
