"""Fewest errors by enumeration, up to three columns: the points as whole numbers, the count, and a hyperplane."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .check import Exact
from .sweep import BITS, Points, scan_planes

MOST_COLUMNS = 3
NO_UNDERFLOW = 200
"""Bits a column up to which products of four differences stay above 2⁻⁸⁰⁰, so that a product that is 0 is 0."""
Vector = tuple[int, ...]


class Whole(NamedTuple):
    """Different rows as whole numbers: the values times 2^shift of their column.

    vectors: of each row; with offset as points, x alone. points: for the kernel. shifts: of the columns. lost: rows
    that are 0 without an offset, which nobody gets right. base: whether hyperplanes are sought through each point.
    """

    vectors: list[Vector]
    points: Points
    shifts: list[int]
    lost: int
    base: bool


class Found(NamedTuple):
    """errors: of the best hyperplane so far. exact: it, or None. complete: whether all have been looked at."""

    errors: int
    exact: Exact | None
    complete: bool


def enumerate_planes(problem: Problem, until: float | None, told: Callable[[int], None]) -> Found:
    """The fewest errors of all hyperplanes, d ≤ 3, in O(nᵈ log n) steps. until: when to stop, of `time.monotonic`."""
    whole = _whole(problem)
    n = len(whole.vectors)
    if whole.base and n == 1:
        side = Fraction(1 if whole.points.plus[0] >= whole.points.minus[0] else -1)
        return Found(int(min(whole.points.plus[0], whole.points.minus[0])), [Fraction(0)] * problem.d + [side], True)
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
            told(int(best[0]) + whole.lost)
    if best[0] > problem.n:
        return Found(problem.n, None, complete)
    path = [each for each in chosen if each >= 0]
    return Found(int(best[0]) + whole.lost, _plane(whole, path, problem), complete)


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
    columns = [_column(values[:, j]) for j in range(values.shape[1])]
    numbers = list(zip(*(numbers for numbers, _, _ in columns), strict=True))
    bits = max((bits for _, _, bits in columns), default=1)
    scaled = np.column_stack([_scaled(values[:, j]) for j in range(values.shape[1])])
    points = Points(scaled, _digits(numbers, bits), plus, minus, 0.0 if bits <= NO_UNDERFLOW else 1e-250)
    return Whole(numbers, points, [shift for _, shift, _ in columns], lost, base)


def _column(values: Array) -> tuple[list[int], int, int]:
    """(the values as whole numbers, the power of two that they are multiplied by, bits of the largest)."""
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    shift = max((below.bit_length() - 1 for _, below in ratios), default=0)
    numbers = [above << (shift - below.bit_length() + 1) for above, below in ratios]
    common = 0
    for number in numbers:
        common |= number
    spare = (common & -common).bit_length() - 1 if common else 0
    numbers = [number >> spare for number in numbers]
    return numbers, shift - spare, max((abs(number).bit_length() for number in numbers), default=1)


def _scaled(values: Array) -> Array:
    """The values times a power of two: the largest lies in [½, 1)."""
    top = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(np.ldexp(values, -(top // 2)), -(top - top // 2))


def _digits(numbers: list[Vector], bits: int) -> Array:
    size = bits // BITS + 1
    d = len(numbers[0]) if numbers else 2
    digits = np.zeros((len(numbers), d, size), np.int64)
    mask = (1 << BITS) - 1
    for i, row in enumerate(numbers):
        for j, number in enumerate(row):
            rest, sign = abs(number), 1 if number >= 0 else -1
            for t in range(size):
                digits[i, j, t] = sign * (rest & mask)
                rest >>= BITS
    return digits


# --- the hyperplane, in whole numbers --------------------------------------------------------------------------------


def _plane(whole: Whole, path: list[int], problem: Problem) -> Exact:
    """The best hyperplane that is nearly through these points, in the values' own units."""
    vectors = [(*vector, 1) for vector in whole.vectors] if whole.base else whole.vectors
    weights = list(zip(whole.points.plus.tolist(), whole.points.minus.tolist(), strict=True))
    w = _through(vectors, weights, [vectors[p] for p in path])
    exact = [Fraction(value) * Fraction(2) ** shift for value, shift in zip(w, whole.shifts, strict=False)]
    if whole.base:
        exact.append(Fraction(w[-1]))
    return exact[: problem.d + problem.fit_intercept]


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
    best, found = total + 1, [0, 0]
    for r, (a, b, plus, minus) in enumerate(turned):
        errors += plus - minus
        c, d = turned[r + 1][:2] if r + 1 < len(turned) else (-turned[0][0], -turned[0][1])
        if a * d == b * c and (r + 1 < len(turned) or a * c + b * d >= 0):
            continue
        if min(errors, total - errors) < best:
            best = min(errors, total - errors)
            u = (-b, a) if a * d == b * c else _between((a, b), (c, d))
            found = [-u[1], u[0]] if errors <= total - errors else [u[1], -u[0]]
    return found


def _turn(r: tuple[int, int, int, int], s: tuple[int, int, int, int]) -> int:
    """Below 0 where r's angle is the smaller one, in the upper half plane."""
    return r[1] * s[0] - r[0] * s[1]


def _between(first: Vector, second: Vector) -> Vector:
    """About the middle of two directions less than half a turn apart, strictly between them."""
    far, near = (max(abs(v[0]), abs(v[1])) for v in (first, second))
    return first[0] * near + second[0] * far, first[1] * near + second[1] * far
