"""Batch: all rows are one block."""

from __future__ import annotations

from dataclasses import dataclass

from ..parameters import Parameter


@dataclass(frozen=True)
class Batch:
    """Batch: the mean step of all rows, δ, is applied once an epoch, until ‖δ‖ < epsilon.

    epsilon: the length of the mean step at which learning ends. Source: lecture notes 000 (batch perceptron) and 003,
    whose α is our η/n.
    """

    epsilon: float = 1e-12

    name = "batch"
    rank = 2
    when = "after all examples: the mean of their steps"
    parameters = (
        Parameter(
            "epsilon", 1e-12, float, least=0, after="n_iter_no_change", needs=("optimizer", "batch"), section="Run",
            help="batch: stop when the mean step is shorter.",
            meaning='optimizer="batch" stops when ‖δ‖, the mean step of an epoch, is below this.',
        ),
    )  # fmt: skip
    picks = False
    whole = True

    def block(self, n: int) -> int:
        return max(n, 1)
