"""A rule that steps until a row is exactly right, with what is only rounding taken for right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .dispatch import loss, step


class Rounded(NamedTuple):
    """A rule whose step reaches its goal exactly, but for rounding: a step with |a|·‖x̄‖² ≤ slack·max(1, |u|), too
    short to raise a score that is held in the rows' dtype, is none."""

    rule: Any
    slack: float

    def step(self, u: float, y: float, sq_norm: float) -> float:
        a = step(self.rule, u, y, sq_norm)
        return a if abs(a) * sq_norm > self.slack * max(1.0, abs(u)) else 0.0

    def loss(self, u: float, y: float) -> float:
        return loss(self.rule, u, y)


def rounded(rule: Any, dtype: Any) -> Rounded:
    """slack: 16 units of the dtype."""
    return Rounded(rule, 16.0 * float(np.finfo(dtype).eps))
