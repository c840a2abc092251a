"""The loop for K classes: as `learn.py`, with all classes scored in one pass over each row.

A loop of its own, because one loop run with K = 1 cost two classes 1.95 times on sparse rows. One pass for ten classes
gives the same weights, bit for bit, as ten fits, in a fifth (dense) to half (sparse) of their time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .dispatch import add_to, dots, loss, sq_norm, step
from .dispatch import steps as all_steps
from .learn import (
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
    log,
    mark,
)
from .rows import Array, Index


class OneVsRest(NamedTuple):
    """Any two-class rule for K classes: class k learns its own rows (+1) against all others (−1)."""

    rule: Any

    def steps(self, u: Array, y: int, sq_norm: float, a: Array, wrong: Array) -> float:
        total = 0.0
        for k in range(u.size):
            label = 1.0 if k == y else -1.0
            a[k] = step(self.rule, u[k], label, sq_norm)
            wrong[k] = 1 if label * u[k] <= 0.0 else 0
            total += loss(self.rule, u[k], label)
        return total


def learn_many(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, start: int) -> int:
    """Learn K classes from rows order[start:]; returns the next position. As `learn`."""
    y, order, c, decay, a, block, whole, ends, into, into_b, carry = steps
    w, b, f, n, m = state
    classes = b.size
    averaged, logged, decaying = keep.late.size > 0, keep.row.size > 0, decay.size > 0
    scale, clock, bias = f[SCALE], f[CLOCK], f[BIAS]
    raw, u, wrong = np.empty(classes, w.dtype), np.empty(classes), np.empty(classes, np.uint8)
    last = np.full(classes, -1)
    block_missed, missed = np.empty(classes, np.int64), carry[1:]
    p = start
    while p < order.size:
        q = min(p + block, order.size)
        if logged and keep.used[0] + (q - p + 1) * classes + 1 > keep.row.size:
            break
        count = whole if whole > 0 else q - p
        size = float(count)
        block_loss, block_weight, moved = 0.0, 0.0, 0
        block_run, longest = n[RUN], n[RECORD]
        block_missed[:] = 0
        for r in range(p, q):
            i = np.uint64(order[r])
            dots(rows, i, w, raw)
            for k in range(classes):
                u[k] = scale * raw[k] + b[k]
            out = a[r - p]
            block_loss += all_steps(rule, u, int(y[i]), sq_norm(rows, i) + bias, out, wrong) * c[r]
            block_weight += c[r]
            any_wrong = False
            for k in range(classes):
                out[k] *= c[r] / size
                if out[k] != 0.0:
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
            break
        n[RUN], n[RECORD] = block_run, longest
        f[LOSS] += block_loss
        f[LOSS_WEIGHT] += block_weight
        for k in range(classes):
            n[MISTAKES] += block_missed[k]
            m[0, k] += block_missed[k]
            missed[k] += block_missed[k]
        late_clock, late_seen, after = clock + (size - 1.0) * scale, n[SEEN] + count - 1, scale
        if decaying:
            after *= decay[p]
        if moved > 0:
            carry[0] += moved
            for r in range(p, q):
                i = np.uint64(order[r])
                for k in range(classes):
                    g = a[r - p, k]
                    if g != 0.0:
                        add_to(rows, i, k, g / after, into)
                        into_b[k] += g * bias
                        if averaged:
                            add_to(rows, i, k, g / after * late_clock, keep.late)
                            keep.late_b[k] += g * bias * late_seen
                        if logged:
                            last[k] = log(keep, i, k, g / after, after)
        if logged:
            survive(keep, m, block_missed, q - p)
        if whole == 0 or ends:
            if carry[0] > 0:
                n[UPDATES] += 1
            if logged:
                ended(keep, m, missed, last, order[p], after)
            n[SEEN] = late_seen + 1
            scale, clock = after, late_clock + after
            if scale < FOLD:
                fold(keep, into, scale, clock)
                scale, clock = 1.0, 0.0
            carry[:] = 0
            last[:] = -1
        p = q
        if keep.until > 0 and n[UPDATES] >= keep.until:
            break
    f[SCALE], f[CLOCK] = scale, clock
    return p


def survive(keep: Keep, m: Array, missed: Array, rows: int) -> None:
    """Count the right answers of so many rows: of each class, or of the vectors that the classes make together."""
    for k in range(1 if keep.joint else missed.size):
        m[1, k] += rows - (missed.sum() if keep.joint else missed[k])


def ended(keep: Keep, m: Array, missed: Array, last: Array, row: Index, scale: float) -> None:
    """`mark` for each class that made a mistake in the block that has ended, or once for all."""
    for k in range(1 if keep.joint else missed.size):
        if (missed.sum() if keep.joint else missed[k]) > 0:
            mark(keep, last.max() if keep.joint else last[k], row, k, scale, m[1, k])
            m[1, k] = 0
