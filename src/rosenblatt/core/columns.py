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

from .along import (
    By,
    Columns,
    add_row,
    move_bias,
    move_row,
    pull_row,
    remember,
    remembered,
    score_now,
    score_row,
    see_row,
    settle,
    weigh,
    weigh_row,
)
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
from .rows import Array
from .verbs import (
    adjoining,
    brings,
    closed,
    entry,
    layout,
    loss,
    measure,
    rate,
    records,
    see,
    sees,
    shrink,
    span,
    step,
    stride,
)  # fmt: skip
from .verbs import steps as all_steps

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
        if records(rule) and moved > 0:
            for r in range(p, q):
                for k in range(classes):
                    if a[r - p, k] != 0.0:
                        raw = score_now(rows, np.uint64(order[r]), np.uint64(k), at) if whole == 0 else np.nan
                        entry(rule, q - r, k, a[r - p, k], after * raw + b[k], b[k])
            closed(rule, w, (after, after / scale), late_seen + 1, n[MISTAKES])
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
