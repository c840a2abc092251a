"""The loop with a look before each step: every row is scored by what was learned from the rows before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dispatch import dot
from .learn import CLOCK, SCALE, SEEN, Keep, State, Steps, learn
from .rows import Array


def progressive(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, scores: Array) -> None:
    """`learn` row by row, with each row's score before its own step: of the last weights, or of their average.

    The step is `learn` itself on one row, so the weights are those of a run without the look, bit for bit.
    scores: (m,) float64, filled.
    """
    y, order, c, decay, a, block, whole, last, w, b, carry = steps
    averaged = keep.late.size > 0
    for p in range(order.size):
        i = np.uint64(order[p])
        seen = state.n[SEEN]
        if averaged and seen > 0:
            total = state.f[CLOCK] * dot(rows, i, state.w) - dot(rows, i, keep.late)
            scores[p] = (total + seen * state.b[0] - keep.late_b[0]) / seen
        else:
            scores[p] = state.f[SCALE] * dot(rows, i, state.w) + state.b[0]
        learn(rule, rows, Steps(y, order[: p + 1], c, decay, a, block, whole, last, w, b, carry), state, keep, p)
