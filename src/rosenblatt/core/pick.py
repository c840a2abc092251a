"""What a rule says of rows at given scores: which it calls wrong, and its loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dispatch import loss, step, steps
from .rows import Array


def wrong_rows(rule: Any, u: Array, y: Array, sq_norms: Array, wrong: Array) -> None:
    """wrong[i] = 1 where the rule's step for score u[i] is not zero. u: (n, 1) float64; sq_norms: (n,) ‖x̄‖²."""
    for i in range(y.size):
        wrong[i] = 1 if step(rule, u[i, 0], y[i], sq_norms[i]) != 0.0 else 0


def wrong_rows_many(rule: Any, u: Array, y: Array, sq_norms: Array, wrong: Array) -> None:
    """The same for K classes. u: (n, K)."""
    a, flags = np.empty(u.shape[1]), np.empty(u.shape[1], np.uint8)
    for i in range(y.size):
        steps(rule, u[i], int(y[i]), sq_norms[i], a, flags)
        wrong[i] = 1 if (a != 0.0).any() else 0


def losses(rule: Any, u: Array, y: Array, out: Array) -> None:
    """out[i] = the loss of score u[i]. u: (n, 1) float64."""
    for i in range(y.size):
        out[i] = loss(rule, u[i, 0], y[i])


def losses_many(rule: Any, u: Array, y: Array, out: Array) -> None:
    """The same for K classes, summed over them. u: (n, K)."""
    a, flags = np.empty(u.shape[1]), np.empty(u.shape[1], np.uint8)
    for i in range(y.size):
        out[i] = steps(rule, u[i], int(y[i]), 1.0, a, flags)
