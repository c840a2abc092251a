"""The loop for steps that a metric shapes: w ← w + a·Σx, where Σ is what the metric remembers of each column.

As `loop.learn_many`, whose ways hold here too: rows are scored block by block, averages are kept late, a block may be
cut into parts. What differs: the bias is a column of value 1; a row is walked column by column, with the metric's
scalar functions; the steps of a block are summed to one gradient, which moves each column once; and L1 pulls on a
column when it is next met. Two classes are learned here as one class of their own, K = 1.

What belongs to the columns of a sparse row is fetched side by side as it is scored, moved there, and brought back once:
roots and divisions are done several at once, and what lies scattered is read once (benchmarks/metrics.py has the
times). So no row may have a column twice. What is called for every row has no branch that uses arrays for the last
time: numba counts references there, 70 ns a row.
"""

from typing import Any, NamedTuple

import numpy as np

from .dispatch import (
    adjoining,
    brings,
    column,
    layout,
    loss,
    measure,
    move,
    news,
    of_bias,
    rate,
    see,
    sees,
    shrink,
    span,
    step,
    stride,
    twofold,
    value,
)  # fmt: skip
from .dispatch import steps as all_steps
from .loop import (
    BIAS,
    CLOCK,
    FOLD,
    LOSS,
    LOSS_WEIGHT,
    MISTAKES,
    RECORD,
    RUN,
    SCALE,
    SEEN,
    UPDATES,
    Keep,
    State,
    Steps,
    fold,
)  # fmt: skip
from .rows import Array, Index

ROWS, NORM, PULL = 0, 1, 2
"""Places in `State.past`: rows seen, the metric's sum over them, and how far L1 has pulled so far."""


def remembering(state: State, metric: Any, pulls: bool) -> State:
    """The state with what a metric remembers of columns that it has not seen. pulls: with what L1 needs."""
    size, k, starts = state.w.size, state.b.size, np.array(metric.starts, np.float64)[:, None]
    c, c_b = np.repeat(starts.astype(state.w.dtype), size, axis=1), np.repeat(starts, k, axis=1)
    pulled = np.zeros((2, size if pulls else 0))
    pulled[1] = shrink(metric, (metric.starts[0], metric.starts[-1]))
    return state._replace(c=c, c_b=c_b, past=np.zeros(3), pulled=pulled)


def pulled_on(w: Array, state: State) -> Array:
    """(…) the state's weights w, as they lie, after the pull that they have not met yet."""
    due = ((state.past[PULL] - state.pulled[0]) * state.pulled[1]).reshape(w.shape)
    return np.sign(w) * np.maximum(np.abs(w) - due.astype(w.dtype), w.dtype.type(0))  # type: ignore[no-any-return]


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


class Shaped(NamedTuple):
    """A rule whose steps a metric shapes. l1: strength of the pull of each step, before η."""

    rule: Any
    metric: Any
    l1: float


class Alone(NamedTuple):
    """A rule for two classes as one for K = 1; y: ±1."""

    rule: Any

    def steps(self, u: Array, y: int, sq_norm: float, a: Array, wrong: Array) -> float:
        label = float(y)
        a[0] = step(self.rule, u[0], label, sq_norm)
        wrong[0] = 1 if label * u[0] <= 0.0 else 0
        return loss(self.rule, u[0], label)


def learn_columns(shaped: Shaped, rows: Any, steps: Steps, state: State, keep: Keep, start: int) -> int:
    """Learn from rows order[start:]; returns the next position. steps.c holds weights without η, steps.rate η."""
    rule, metric, l1 = shaped
    y, order, c, decay, a, block, whole, ends, gradient, gradient_b, carry, eta = steps
    w, b, f, n, m, cells, own, past, pulled = state
    classes = b.size
    base, jump = layout(rows, w.size // classes, classes)
    most: Any = np.uint64(1)
    for r in range(start, order.size):
        begin, end = span(rows, np.uint64(order[r]))
        most = max(most, end - begin)
    late, flat, near_w, near_c, room = keep.late.ravel(), w.ravel(), w.ravel(), cells, np.uint64(base)
    if not adjoining(rows):
        room = most
        near_w, near_c = np.empty(classes * most, w.dtype), np.empty((len(cells), classes * most), w.dtype)
    places, by = (np.uint64(base), np.uint64(jump), room), np.empty(most, w.dtype)
    at = Columns(flat, late, cells, pulled, gradient.ravel(), near_w, near_c, by, *places)
    averaged, decaying, pulling, together = late.size > 0, decay.size > 0, pulled.size > 0, whole > 0 or block > 1
    scale, clock, bias = f[SCALE], f[CLOCK], f[BIAS]
    first, second, third = np.empty(classes), np.empty(classes), np.empty(classes)
    u, v, wrong, block_missed = (
        np.empty(classes),
        np.empty(classes),
        np.empty(classes, np.uint8),
        np.empty(classes, np.int64),
    )
    p = start
    while p < order.size:
        q = min(p + block, order.size)
        count = whole if whole > 0 else q - p
        size = float(count)
        block_loss, block_weight, moved, factor = 0.0, 0.0, 0, 1.0
        block_run, longest = n[RUN], n[RECORD]
        before = past[ROWS], past[NORM]
        block_missed[:] = 0
        for r in range(p, q):
            i = np.uint64(order[r])
            for k in range(classes):
                if pulling:
                    pull_row(rows, i, np.uint64(k), at, past[PULL])
                raw, v[k], some = score_row(metric, rows, i, np.uint64(k), at)
                if some and sees(metric):
                    raw, v[k] = see_row(metric, rows, i, np.uint64(k), at)
                u[k] = scale * raw + b[k]
                if bias > 0.0:
                    seen, _ = see(metric, remembered(metric, own, k), 1.0)
                    remember(metric, own, k, seen)
                    v[k] += measure(metric, seen, 1.0)
            factor = rate(metric, v[0], past)
            block_loss += all_steps(rule, u, int(y[i]), 0.0, first, wrong) * c[r]
            if brings(metric):
                for k in range(classes):
                    first[k], second[k], third[k] = stride(metric, u[k], label_of(k, int(y[i]), classes), v[k])
            block_weight += c[r]
            any_wrong = False
            for k in range(classes):
                a[r - p, k] = first[k] * c[r] / size
                if first[k] != 0.0:
                    moved += 1
                if wrong[k] != 0:
                    block_missed[k] += 1
                    any_wrong = True
            if any_wrong:
                longest = max(longest, block_run)
                block_run = 0
            else:
                block_run += 1
        if keep.stop and longest > n[RECORD]:
            n[RECORD] = longest
            past[ROWS], past[NORM] = before
            break
        n[RUN], n[RECORD] = block_run, longest
        f[LOSS] += block_loss
        f[LOSS_WEIGHT] += block_weight
        for k in range(classes):
            n[MISTAKES] += block_missed[k]
            m[0, k] += block_missed[k]
        late_clock, late_seen, after = clock + (size - 1.0) * scale, n[SEEN] + count - 1, scale
        if decaying:
            after *= decay[p]
        carry[0] += moved
        speed, t = eta[p] * factor, float(late_seen)
        for k in range(classes):
            bias_step = 0.0
            for r in range(p, q):
                i, g = np.uint64(order[r]), a[r - p, k]
                if g != 0.0 and together:
                    add_row(rows, i, np.uint64(k), g, at)
                    gradient_b[k] += g
                elif g != 0.0:
                    along = (g, second[k], third[k]) if brings(metric) else (g, speed / after, t)
                    move_row(metric, rows, i, np.uint64(k), By(along, late_clock), at)
                    bias_step = g
            if together and carry[0] > 0 and (whole == 0 or ends):
                along = (1.0, speed / after, t)
                for r in range(p, p + 1 if whole > 0 else q):
                    part = np.uint64(order[r]), np.uint64(k), w.size // classes if whole > 0 else 0
                    settle(metric, rows, part, By(along, late_clock), at)
                bias_step, gradient_b[k] = gradient_b[k], 0.0
            if bias > 0.0 and bias_step != 0.0:
                along = (bias_step, second[k], third[k]) if brings(metric) else (bias_step, speed, t)
                change = move_bias(metric, along, b, own, k)
                if averaged:
                    keep.late_b[k] += change * late_seen
        if whole == 0 or ends:
            if carry[0] > 0:
                n[UPDATES] += 1
            n[SEEN] = late_seen + 1
            scale, clock = after, late_clock + after
            if pulling:
                past[PULL] += speed * l1 / after
                if whole > 0:
                    for j in range(at.w.size):
                        weigh(metric, np.uint64(j), at)
                else:
                    for r in range(p, q):
                        for k in range(classes):
                            weigh_row(metric, rows, np.uint64(order[r]), np.uint64(k), at)
            if scale < FOLD:
                fold(keep, w, scale, clock)
                for j in range(pulled.shape[1]):
                    pulled[0, j] *= scale
                past[PULL] *= scale
                scale, clock = 1.0, 0.0
            carry[:] = 0
        p = q
        if keep.until > 0 and n[UPDATES] >= keep.until:
            break
    f[SCALE], f[CLOCK] = scale, clock
    return p


def label_of(k: int, y: int, classes: int) -> float:
    """±1 of class k; of two classes, which are one here, that of y itself (1 or −1)."""
    return float(y) if classes == 1 else 1.0 if k == y else -1.0
