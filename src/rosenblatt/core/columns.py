"""The loop for steps that a metric shapes: w ← w + a·Σx, where Σ is what the metric remembers of each column.

As `loop.learn_many`, whose ways hold here too: rows are scored block by block, averages are kept late, a block may be
cut into parts. What differs: the bias is a column of value 1; a row is walked column by column, with the metric's scalar
functions; the steps of a block are summed to one gradient, which moves each column once; and L1 pulls on a column when it
is next met. Two classes are learned here as one class of their own, K = 1.

A step reads what it needs of some columns into one piece of memory, works on all of them, and writes them back, so that
roots and divisions are done several at once: that costs 2.3 times the plain step on rcv1, one column after another 4.4.
"""

from typing import Any, NamedTuple

import numpy as np

from .dispatch import brings, column, layout, loss, measure, move, of_bias, rate, see, sees, span, step, stride, value
from .dispatch import steps as all_steps
from .loop import BIAS, CLOCK, FOLD, LOSS, LOSS_WEIGHT, MISTAKES, RECORD, RUN, SCALE, SEEN, UPDATES, Keep, State, Steps, fold
from .rows import Array, Index

ROOM = 64
"""Columns that are worked on at once."""
ROWS, NORM, PULL = 0, 1, 2
"""Places in `State.past`: rows seen, the metric's sum over them, and how far L1 has pulled so far."""


def remembering(state: State, metric: Any, pulls: bool) -> State:
    """The state with what a metric remembers of columns that it has not seen. pulls: with what L1 needs."""
    size, k, starts = state.w.size, state.b.size, np.array(metric.starts, np.float64)[:, None]
    c, c_b = np.repeat(starts.astype(state.w.dtype), size, axis=1), np.repeat(starts, k, axis=1)
    return state._replace(c=c, c_b=c_b, past=np.zeros(3), pulled=np.zeros(size if pulls else 0))


def pulled_on(w: Array, state: State) -> Array:
    """(…) the state's weights w, as they lie, after the pull that they have not met yet."""
    due = (state.past[PULL] - state.pulled).reshape(w.shape)
    return np.sign(w) * np.maximum(np.abs(w) - due.astype(w.dtype), w.dtype.type(0))  # type: ignore[no-any-return]


class At(NamedTuple):
    """The weights of one class and what belongs to them: column j of the class lies at base + j·jump of each array."""

    w: Array
    late: Array
    c: Array
    pulled: Array
    g: Array
    room: Array
    base: int
    jump: int


def see_row(metric: Any, rows: Any, i: Index, at: At) -> None:
    """Show the metric the values of a row."""
    start, end = span(rows, i)
    for p in range(start, end):
        j = at.base + column(rows, i, p) * at.jump
        c, factor = see(metric, (at.c[0, j], at.c[1, j]), value(rows, i, p))
        if factor != 1:
            at.c[0, j], at.c[1, j] = c
            at.w[j] *= factor
            if at.late.size > 0:
                at.late[j] *= factor


def pull_row(rows: Any, i: Index, at: At, pull: float) -> None:
    """Pull the weights of a row's columns towards 0 by what has come together since each was met."""
    start, end = span(rows, i)
    for p in range(start, end):
        j = at.base + column(rows, i, p) * at.jump
        by = at.w.dtype.type(pull - at.pulled[j])
        at.w[j] = max(at.w[j] - by, 0 * by) if at.w[j] > 0 else min(at.w[j] + by, 0 * by)
        at.pulled[j] = pull


def score_row(metric: Any, rows: Any, i: Index, at: At) -> tuple[float, float]:
    """(w·x, v)"""
    start, end = span(rows, i)
    u, v = at.w.dtype.type(0), at.w.dtype.type(0)
    for p in range(start, end):
        j, x = at.base + column(rows, i, p) * at.jump, value(rows, i, p)
        u += x * at.w[j]
        v += measure(metric, (at.c[0, j], at.c[1, j]), x)
    return u, v


def move_row(metric: Any, rows: Any, i: Index, a: tuple[float, float], at: At, clock: float) -> None:
    """One step along a row."""
    start, end = span(rows, i)
    w, c, room = at.w, at.c, at.room
    pair = w.dtype.type(a[0]), w.dtype.type(a[1])
    for first in range(start, end, np.uint64(ROOM)):
        count = min(np.uint64(ROOM), end - first)
        for k in range(count):
            j = at.base + column(rows, i, first + k) * at.jump
            room[0, k], room[1, k], room[2, k] = c[0, j], c[1, j], w[j]
        for k in range(count):
            change, after = move(metric, (room[0, k], room[1, k]), room[2, k], value(rows, i, first + k), pair)
            room[0, k], room[1, k], room[2, k] = after[0], after[1], change
        for k in range(count):
            j = at.base + column(rows, i, first + k) * at.jump
            c[0, j], c[1, j] = room[0, k], room[1, k]
            w[j] += room[2, k]
            if at.late.size > 0:
                at.late[j] += room[2, k] * clock


def add_row(rows: Any, i: Index, a: float, at: At) -> None:
    """g += a·x"""
    start, end = span(rows, i)
    step = at.w.dtype.type(a)
    for p in range(start, end):
        at.g[at.base + column(rows, i, p) * at.jump] += step * value(rows, i, p)


def settle(metric: Any, rate: float, at: At, clock: float) -> None:
    """Move every weight along the block's gradient, and begin a new one."""
    pair = at.w.dtype.type(1), at.w.dtype.type(rate)
    for j in range(at.g.size):
        settle_one(metric, np.uint64(j), pair, at, clock)


def settle_row(metric: Any, rows: Any, i: Index, rate: float, at: At, clock: float) -> None:
    """Move the columns of a row likewise; those that another row of the block has moved stay."""
    pair = at.w.dtype.type(1), at.w.dtype.type(rate)
    start, end = span(rows, i)
    for p in range(start, end):
        settle_one(metric, at.base + column(rows, i, p) * at.jump, pair, at, clock)


def settle_one(metric: Any, j: Index, pair: tuple[Any, Any], at: At, clock: float) -> None:
    if at.g[j] != 0:
        change, c = move(metric, (at.c[0, j], at.c[1, j]), at.w[j], at.g[j], pair)
        at.c[0, j], at.c[1, j] = c
        at.w[j] += change
        at.g[j] = 0
        if at.late.size > 0:
            at.late[j] += change * clock


def move_bias(metric: Any, a: tuple[float, float], b: Array, own: Array, k: int) -> float:
    """The same step for the bias, a column of value 1; returns its change."""
    change, c = move(of_bias(metric), (own[0, k], own[1, k]), b[k], 1.0, a)
    own[0, k], own[1, k] = c
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
    flat, late, g_flat = w.ravel(), keep.late.ravel(), gradient.ravel()
    averaged, decaying, pulling, together = late.size > 0, decay.size > 0, pulled.size > 0, whole > 0 or block > 1
    scale, clock, bias = f[SCALE], f[CLOCK], f[BIAS]
    room, first, second = np.empty((3, ROOM), w.dtype), np.empty(classes), np.empty(classes)
    u, v, wrong, block_missed = np.empty(classes), np.empty(classes), np.empty(classes, np.uint8), np.empty(classes, np.int64)
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
                at = At(flat, late, cells, pulled, g_flat, room, np.uint64(k * base), np.uint64(jump))
                if pulling:
                    pull_row(rows, i, at, past[PULL])
                if sees(metric):
                    see_row(metric, rows, i, at)
                raw, v[k] = score_row(metric, rows, i, at)
                u[k] = scale * raw + b[k]
                if bias > 0.0:
                    own_c, _ = see(metric, (own[0, k], own[1, k]), 1.0)
                    own[0, k], own[1, k] = own_c
                    v[k] += measure(metric, own_c, 1.0)
            factor = rate(metric, v[0], past)
            block_loss += all_steps(rule, u, int(y[i]), 0.0, first, wrong) * c[r]
            if brings(metric):
                for k in range(classes):
                    first[k], second[k] = stride(metric, u[k], label_of(k, int(y[i]), classes), v[k])
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
        speed = eta[p] * factor
        for k in range(classes):
            at = At(flat, late, cells, pulled, g_flat, room, np.uint64(k * base), np.uint64(jump))
            for r in range(p, q):
                i = np.uint64(order[r])
                g = a[r - p, k]
                if g != 0.0:
                    pair = (g, second[k]) if brings(metric) else (g, speed / after)
                    if together:
                        add_row(rows, i, g, at)
                        gradient_b[k] += g
                    else:
                        move_row(metric, rows, i, pair, at, late_clock)
                        if bias > 0.0:
                            change = move_bias(metric, (g, second[k] if brings(metric) else speed), b, own, k)
                            if averaged:
                                keep.late_b[k] += change * late_seen
            if together and carry[0] > 0 and (whole == 0 or ends):
                if whole > 0:
                    settle(metric, speed / after, at, late_clock)
                else:
                    for r in range(p, q):
                        settle_row(metric, rows, np.uint64(order[r]), speed / after, at, late_clock)
                if bias > 0.0 and gradient_b[k] != 0.0:
                    change = move_bias(metric, (gradient_b[k], speed), b, own, k)
                    if averaged:
                        keep.late_b[k] += change * late_seen
                gradient_b[k] = 0.0
        if whole == 0 or ends:
            if carry[0] > 0:
                n[UPDATES] += 1
            n[SEEN] = late_seen + 1
            scale, clock = after, late_clock + after
            if pulling:
                past[PULL] += speed * l1 / after
            if scale < FOLD:
                fold(keep, w, scale, clock)
                for j in range(pulled.size):
                    pulled[j] *= scale
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
