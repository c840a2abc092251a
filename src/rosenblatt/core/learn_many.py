"""The loop for K classes: as `learn.py`, with all classes scored in one pass over each row.

A loop of its own, because one loop run with K = 1 cost two classes 1.95 times on sparse rows. One pass for ten classes
gives the same weights, bit for bit, as ten fits, in a fifth (dense) to half (sparse) of their time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .dispatch import add_to, dots, loss, sq_norm, step, steps
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
    fold,
    log,
)
from .rows import Array, Rows


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


def mark(keep: Keep, m: Array, missed: Array, last: Array, row: int, scale: float, size: int) -> None:
    """Note in the log where a mistake ended a weight vector, and the right answers that it survived.

    last: (K,) where each class's last step of the block stands in the log, −1 if it made none.
    """
    total = missed.sum()
    for k in range(1 if keep.joint else last.size):
        mistakes = total if keep.joint else missed[k]
        m[1, k] += size - mistakes
        if mistakes > 0:
            at = last.max() if keep.joint else last[k]
            if at < 0:
                at = keep.used[0]
                keep.used[0] = log(keep, at, row, k, 0.0, scale)
            keep.count[at] = m[1, k]
            m[1, k] = 0


def learn_many(
    rule: Any,
    rows: Rows,
    y: Array,
    order: Array,
    c: Array,
    decay: Array,
    block: int,
    state: State,
    keep: Keep,
    a: Array,
    start: int,
) -> int:
    """Learn K classes from rows order[start:]; returns the next position. Parameters as `learn`, but

    y: (n,) float64 holding class numbers 0 … K−1; a: (block, K) scratch.
    """
    w, b, f, n, m = state.w, state.b, state.f, state.n, state.m
    classes = b.size
    averaged, logged, decaying = keep.late.size > 0, keep.row.size > 0, decay.size > 0
    scale, clock, bias = f[SCALE], f[CLOCK], f[BIAS]
    raw, u = np.empty(classes, w.dtype), np.empty(classes)
    wrong, missed = np.empty(classes, np.uint8), np.empty(classes, np.int64)
    last = np.empty(classes, np.int64)
    p = start
    while p < order.size:
        q = min(p + block, order.size)
        if logged and keep.used[0] + (q - p + 1) * classes + 1 > keep.row.size:
            break
        size = float(q - p)
        block_loss, block_weight, moved = 0.0, 0.0, 0
        block_run, longest = n[RUN], n[RECORD]
        missed[:] = 0
        for r in range(p, q):
            i = np.uint64(order[r])
            dots(rows, i, w, raw)
            for k in range(classes):
                u[k] = scale * raw[k] + b[k]
            out = a[r - p]
            block_loss += steps(rule, u, int(y[i]), sq_norm(rows, i) + bias, out, wrong) * c[r]
            block_weight += c[r]
            any_wrong = False
            for k in range(classes):
                out[k] *= c[r] / size
                if out[k] != 0.0:
                    moved += 1
                if wrong[k] != 0:
                    missed[k] += 1
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
        clock += (size - 1.0) * scale
        n[SEEN] += q - p - 1
        if decaying:
            scale *= decay[p]
        last[:] = -1
        if moved > 0:
            for r in range(p, q):
                i = np.uint64(order[r])
                for k in range(classes):
                    g = a[r - p, k]
                    if g != 0.0:
                        add_to(rows, i, k, g / scale, w)
                        b[k] += g * bias
                        if averaged:
                            add_to(rows, i, k, g / scale * clock, keep.late)
                            keep.late_b[k] += g * bias * n[SEEN]
                        if logged:
                            last[k] = keep.used[0]
                            keep.used[0] = log(keep, keep.used[0], i, k, g / scale, scale)
            n[UPDATES] += 1
        if logged:
            mark(keep, m, missed, last, order[p], scale, q - p)
        for k in range(classes):
            n[MISTAKES] += missed[k]
            m[0, k] += missed[k]
        clock += scale
        n[SEEN] += 1
        if scale < FOLD:
            fold(w, keep.late, scale, clock)
            if logged:
                keep.used[0] = log(keep, keep.used[0], -1, -1, scale, 1.0)
            scale, clock = 1.0, 0.0
        p = q
        if keep.until > 0 and n[UPDATES] >= keep.until:
            break
    f[SCALE], f[CLOCK] = scale, clock
    return p
