"""Online, also called stochastic: a step after every example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Online:
    """Online: each example is scored at the weights that the one before it left.

    Source: lecture notes 000, 001 and 003 (stochastic gradient descent, which approaches the batch result as η → 0).
    """

    name = "online"
    rank = 0
    when = "after every example"
    parameters = ()
    picks = False
    whole = False

    def block(self, n: int) -> int:
        return 1
