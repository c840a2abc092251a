"""The fewest errors of hyperplanes through given points, without rounding: angular sweeps with exact comparisons.

A row z counts as right where z·w > 0. Of all open cells of w, the best one has a facet on which z_p·w = 0 for some row,
and on either side of it. So the fewest errors are the least, over p, of those of the other rows projected along z_p,
and of the rarer side among the rows parallel to z_p. Each step has one dimension less; in two, a sort by angle and one
pass count all cells. Parallel rows are thereby all that ties ever are.

Comparisons are done in float64 with a bound of its error, and with all digits where that does not tell.
"""

from typing import NamedTuple

import numpy as np

from ...core.dispatch import Kernel
from ...core.rows import Array

BITS = 24
"""Of a digit. 88 of them hold any float64, and 88 products of two differences stay below 2⁵⁸."""
HALF = 1 << (BITS - 1)
BOUND = 16.0 * 2.0**-53
"""Of the rounding of a cross product, relative to its terms' sizes: 4 in the plane, 10 in space, and room."""


class Points(NamedTuple):
    """Different points, or rows other than 0, of 2 or 3 columns; behind them the origin, which is so the point −1.

    x: (n + 1, d) float64. digits: (n + 1, d, L) int64, the same numbers times a power of two as Σ digit·2^(24t), where
    |digit| < 2²⁴. plus, minus: (n,) int64, rows of each class there. tiny: what underflow may add to an error, 0 where
    there is none.
    """

    x: Array
    digits: Array
    plus: Array
    minus: Array
    tiny: float


class Sweep(NamedTuple):
    """Where a sweep works. v: (n, 2) the projected rows, turned into the upper half plane; size: (n, 2) what bounds
    their errors; plus, minus, row, turn: (n,) weights, numbers, and −1 where turned; big: (6, …) digits."""

    v: Array
    size: Array
    plus: Array
    minus: Array
    row: Array
    turn: Array
    big: Array


class Along(NamedTuple):
    """Which projection: along the point p (−1: rows as they are), then along q (−1: not), by column k, onto two."""

    p: int
    q: int
    k: int
    onto: tuple[int, int]


def times(a: Array, b: Array, sign: int, out: Array) -> None:
    """out += sign·a·b, digit by digit, nothing carried."""
    for s in range(a.size):
        if a[s] != 0:
            for t in range(b.size):
                out[s + t] += sign * a[s] * b[t]


def carry(out: Array) -> None:
    """Digits of −2²³ … 2²³ − 1, but for the last one."""
    for t in range(out.size - 1):
        over = (out[t] + HALF) >> BITS
        out[t] -= over << BITS
        out[t + 1] += over


def sign_of(digits: Array) -> int:
    for t in range(digits.size - 1, -1, -1):
        if digits[t] != 0:
            return 1 if digits[t] > 0 else -1
    return 0


def difference(points: Points, i: int, p: int, j: int, out: Array) -> None:
    """Digits of column j of x_i − x_p, nothing carried."""
    for t in range(points.digits.shape[2]):
        out[t] = points.digits[i, j, t] - points.digits[p, j, t]


def part(points: Points, along: Along, i: int, j: int, big: Array, out: Array) -> None:
    """Column j of row i after the projection, with all its digits."""
    size = points.digits.shape[2]
    first, second = big[4, :size], big[5, :size]
    out[:] = 0
    for term in range(1 if along.q < 0 else 2):
        difference(points, i, along.p, j if term == 0 else along.k, first)
        if along.q < 0:
            out[:size] = first
        else:
            difference(points, along.q, along.p, along.k if term == 0 else j, second)
            times(first, second, 1 - 2 * term, out)
    carry(out)


def exact_part_sign(points: Points, along: Along, i: int, j: int, big: Array) -> int:
    out = big[0, : 2 * points.digits.shape[2] + 2]
    part(points, along, i, j, big, out)
    return sign_of(out)


def exact_turn(points: Points, along: Along, i: int, j: int, big: Array) -> int:
    """The sign of the cross product of rows i and j after the projection."""
    size = 2 * points.digits.shape[2] + 2
    for each in range(4):
        part(points, along, i if each < 2 else j, along.onto[each % 2], big, big[each, :size])
    out = big[4, : 2 * size + 2]
    out[:] = 0
    for term in range(2):
        times(big[term, :size], big[3 - term, :size], 1 - 2 * term, out)
    carry(out)
    return sign_of(out)


def turn(points: Points, along: Along, work: Sweep, r: int, s: int) -> int:
    """The sign of the angle from place r to place s: 1 where s comes later, 0 where they are parallel."""
    v, size = work.v, work.size
    cross = v[r, 0] * v[s, 1] - v[r, 1] * v[s, 0]
    error = BOUND * (size[r, 0] * size[s, 1] + size[r, 1] * size[s, 0]) + points.tiny
    if cross > error:
        return 1
    if cross < -error:
        return -1
    if error == 0.0:
        return 0
    sign = exact_turn(points, along, work.row[r], work.row[s], work.big)
    return sign if work.turn[r] == work.turn[s] else -sign


def place(points: Points, along: Along, work: Sweep, i: int, r: int) -> int:
    """Puts row i, projected and turned into the upper half plane, at place r; returns 0 where it becomes 0."""
    x, p, q, k = points.x, along.p, along.q, along.k
    for side, j in enumerate(along.onto):
        v = x[i, j] - x[p, j]
        size = abs(v)
        if q >= 0:
            vk, qj, qk = x[i, k] - x[p, k], x[q, j] - x[p, j], x[q, k] - x[p, k]
            size = abs(v * qk) + abs(vk * qj)
            v = v * qk - vk * qj
        work.v[r, side], work.size[r, side] = v, size
    sign = 0
    for side in (1, 0):
        v, error = work.v[r, side], BOUND * work.size[r, side] + points.tiny
        if v > error:
            sign = 1
        elif v < -error:
            sign = -1
        elif error > 0.0:
            sign = exact_part_sign(points, along, i, along.onto[side], work.big)
        if sign != 0:
            break
    work.row[r], work.turn[r] = i, sign
    if sign < 0:
        work.v[r, 0], work.v[r, 1] = -work.v[r, 0], -work.v[r, 1]
        work.plus[r], work.minus[r] = points.minus[i], points.plus[i]
    else:
        work.plus[r], work.minus[r] = points.plus[i], points.minus[i]
    return sign


def sweep(points: Points, along: Along, work: Sweep, m: int, most: int) -> int:
    """The fewest errors of a line through 0 in the plane, of the m rows placed; `most` where they are not fewer."""
    key = np.empty(m)
    total, errors = 0, 0
    for r in range(m):
        size = abs(work.v[r, 0]) + abs(work.v[r, 1])
        key[r] = -work.v[r, 0] / size if size > 0.0 else 0.0
        total += work.plus[r] + work.minus[r]
        errors += work.minus[r]
    order = np.argsort(key)
    for r in range(1, m):  # nearly sorted: only what rounding has mixed up is moved
        here, s = order[r], r
        while s > 0 and turn(points, along, work, order[s - 1], here) < 0:
            order[s] = order[s - 1]
            s -= 1
        order[s] = here
    best = min(most, errors, total - errors)
    for r in range(m):
        errors += work.plus[order[r]] - work.minus[order[r]]
        if min(errors, total - errors) < best and (
            r == m - 1 or turn(points, along, work, order[r], order[r + 1]) != 0
        ):
            best = min(errors, total - errors)
    return best


def scan(points: Points, p: int, first: int, last: int, best: Array) -> None:
    """Hyperplanes through the point p (−1: through 0), of three columns also through each of first … last − 1.

    Of two columns first is −1 and last 0. best: (2,) int64, the fewest errors so far and the q that has them; changed
    where there are fewer. Of rows without a point p, those that are 0 must be left out.
    """
    n, d, whole = points.plus.size, points.x.shape[1], np.empty((4, points.plus.size), np.int64)
    big = np.zeros((6, 4 * points.digits.shape[2] + 8), np.int64)
    work = Sweep(np.empty((n, 2)), np.empty((n, 2)), whole[0], whole[1], whole[2], whole[3], big)
    here, v = min(points.plus[p], points.minus[p]) if p >= 0 else 0, np.zeros(d)
    for q in range(first, last):
        if q == p and q >= 0:
            continue
        along = Along(p, -1, 0, (0, 1))
        if q >= 0:
            k = 0
            for j in range(d):
                v[j] = points.x[q, j] - points.x[p, j]
                if abs(v[j]) > abs(v[k]):
                    k = j
            along = Along(p, q, k, ((k + 1) % 3, (k + 2) % 3))
        m, same, opposite, seen = 0, 0, 0, False
        for i in range(n):
            if i == p:
                continue
            if place(points, along, work, i, m) != 0:
                m += 1
                continue
            if first <= i < q:  # the same projection as along an earlier row
                seen = True
                break
            forward = (points.x[i, along.k] - points.x[p, along.k] > 0.0) == (v[along.k] > 0.0)
            same += points.plus[i] if forward else points.minus[i]
            opposite += points.minus[i] if forward else points.plus[i]
        tied = here + min(same, opposite)
        if not seen and tied < best[0]:
            fewest = tied + sweep(points, along, work, m, best[0] - tied)
            if fewest < best[0]:
                best[0], best[1] = fewest, q


scan_planes = Kernel(scan, exact=True)
