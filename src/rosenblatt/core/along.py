"""What a metric does along one row: its columns pulled, scored, seen and moved, one after the other."""

from typing import Any, NamedTuple

import numpy as np

from .rows import Array, Index
from .verbs import adjoining, column, measure, move, news, of_bias, see, shrink, span, twofold, value


class Columns(NamedTuple):
    """The weights of all classes and what belongs to them: column j of class k lies at k·base + j·jump of each array.

    near_w, near_c: where a row has its weights, and what a metric remembers of them, side by side, of class k from
    k·room on: of dense rows w and c themselves, else room for the longest row. by: for factors and changes.
    Made once, not for each row: numba would count the references to all arrays anew, 100 ns a row.
    """

    w: Array
    late: Array
    c: Array
    pulled: Array
    g: Array
    near_w: Array
    near_c: Array
    by: Array
    base: Index
    jump: Index
    room: Index


class By(NamedTuple):
    """A step. a: what the metric gets. clock: of the late averages."""

    a: tuple[float, float, float]
    clock: float


def remembered(metric: Any, c: Array, j: Index) -> tuple[float, float]:
    """What the metric knows of a column; what is not kept stands for nothing."""
    return (c[0, j], c[1, j]) if twofold(metric) else (c[0, j], c[0, j])


def remember(metric: Any, c: Array, j: Index, new: tuple[float, float]) -> None:
    c[0, j] = new[0]
    if twofold(metric):
        c[1, j] = new[-1]


def pull_row(rows: Any, i: Index, k: Index, at: Columns, pull: float) -> None:
    """Pull the weights of a row's columns towards 0 by what has come together since each was met."""
    start, end = span(rows, i)
    for p in range(start, end):
        j = k * at.base + column(rows, i, p) * at.jump
        by = at.w.dtype.type((pull - at.pulled[0, j]) * at.pulled[1, j])
        at.w[j] -= min(max(at.w[j], -by), by)
        at.pulled[0, j] = pull


def weigh_row(metric: Any, rows: Any, i: Index, k: Index, at: Columns) -> None:
    """Note how strongly L1 pulls on a row's columns from now on."""
    start, end = span(rows, i)
    for p in range(start, end):
        weigh(metric, k * at.base + column(rows, i, p) * at.jump, at)


def weigh(metric: Any, j: Index, at: Columns) -> None:
    at.pulled[1, j] = shrink(metric, remembered(metric, at.c, j))


def score_row(metric: Any, rows: Any, i: Index, k: Index, at: Columns) -> tuple[float, float, bool]:
    """(w·x, v, whether the metric has something to see), and what belongs to the row is brought side by side."""
    (start, end), o, some = span(rows, i), k * at.room, False
    u, v = at.w.dtype.type(0), at.w.dtype.type(0)
    for p in range(end - start):
        x = value(rows, i, start + p)
        if not adjoining(rows):
            j = k * at.base + column(rows, i, start + p) * at.jump
            w, c = at.w[j], remembered(metric, at.c, j)
            at.near_w[o + p] = w
            remember(metric, at.near_c, o + p, c)
        else:
            w, c = at.near_w[o + p], remembered(metric, at.near_c, o + p)
        u += x * w
        v += measure(metric, c, x)
        some |= news(metric, c, x)
    return u, v, some


def score_now(rows: Any, i: Index, k: Index, at: Columns) -> float:
    """w·x"""
    (start, end), u = span(rows, i), at.w.dtype.type(0)
    for p in range(start, end):
        u += value(rows, i, p) * at.w[k * at.base + column(rows, i, p) * at.jump]
    return u  # type: ignore[no-any-return]


def bring_back(metric: Any, rows: Any, i: Index, k: Index, at: Columns) -> None:
    start, end = span(rows, i)
    for p in range(end - start):
        j, o = k * at.base + column(rows, i, start + p) * at.jump, k * at.room + p
        at.w[j] = at.near_w[o]
        remember(metric, at.c, j, remembered(metric, at.near_c, o))


def see_row(metric: Any, rows: Any, i: Index, k: Index, at: Columns) -> tuple[float, float]:
    """Show the metric the values of a row; (w·x, v) from then on."""
    (start, end), o = span(rows, i), k * at.room
    u, v = at.w.dtype.type(0), at.w.dtype.type(0)
    for p in range(end - start):
        x = value(rows, i, start + p)
        c, factor = see(metric, remembered(metric, at.near_c, o + p), x)
        remember(metric, at.near_c, o + p, c)
        at.by[p] = factor
        at.near_w[o + p] *= at.by[p]
        u += x * at.near_w[o + p]
        v += measure(metric, c, x)
    if not adjoining(rows):
        bring_back(metric, rows, i, k, at)
    if at.late.size > 0:
        for p in range(end - start):
            at.late[k * at.base + column(rows, i, start + p) * at.jump] *= at.by[p]
    return u, v


def move_row(metric: Any, rows: Any, i: Index, k: Index, by: By, at: Columns) -> None:
    """One step along a row, right after `score_row`."""
    (start, end), o, near_w = span(rows, i), k * at.room, at.near_w
    a = near_w.dtype.type(by.a[0]), near_w.dtype.type(by.a[1]), near_w.dtype.type(by.a[2])
    for p in range(end - start):
        old = remembered(metric, at.near_c, o + p)
        change, new = move(metric, old, near_w[o + p], value(rows, i, start + p), a)
        remember(metric, at.near_c, o + p, new)
        near_w[o + p] += change
        at.by[p] = change
    if not adjoining(rows):
        bring_back(metric, rows, i, k, at)
    if at.late.size > 0:
        for p in range(end - start):
            at.late[k * at.base + column(rows, i, start + p) * at.jump] += at.by[p] * by.clock


def add_row(rows: Any, i: Index, k: Index, a: float, at: Columns) -> None:
    """g += a·x"""
    start, end = span(rows, i)
    step = at.w.dtype.type(a)
    for p in range(start, end):
        at.g[k * at.base + column(rows, i, p) * at.jump] += step * value(rows, i, p)


def settle(metric: Any, rows: Any, part: tuple[Index, Index, int], by: By, at: Columns) -> None:
    """Move the columns of a row along the block's gradient, or of a whole class; those that were moved already stay.

    part: row, class, and how many columns the whole has, 0 for those of the row.
    """
    (i, k, d), w = part, at.w
    a = w.dtype.type(by.a[0]), w.dtype.type(by.a[1]), w.dtype.type(by.a[2])
    start, end = span(rows, i)
    if d > 0:
        start, end = np.uint64(0), np.uint64(d)
    for p in range(start, end):
        j = k * at.base + (p if d > 0 else np.uint64(column(rows, i, p))) * at.jump
        if at.g[j] != 0:
            change, new = move(metric, remembered(metric, at.c, j), w[j], at.g[j], a)
            remember(metric, at.c, j, new)
            w[j] += change
            at.g[j] = 0
            if at.late.size > 0:
                at.late[j] += change * by.clock


def move_bias(metric: Any, a: tuple[float, float, float], b: Array, own: Array, k: int) -> float:
    """The same step for the bias, a column of value 1; returns its change."""
    change, new = move(of_bias(metric), remembered(metric, own, k), b[k], 1.0, a)
    remember(metric, own, k, new)
    b[k] += change
    return change
