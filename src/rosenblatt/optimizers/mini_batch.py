"""Mini-batches: blocks of a few examples."""

from __future__ import annotations

from dataclasses import dataclass

from ..parameters import Parameter


@dataclass(frozen=True)
class MiniBatch:
    """Mini-batch: the mean of a block's steps is applied, all at the weights before it; the last block may be smaller.

    size: rows a block. Source: lecture note 003.
    """

    size: int = 32

    name = "mini-batch"
    rank = 1
    when = "after a block of examples: the mean of their steps"
    parameters = (
        Parameter(
            "batch_size", 32, int, least=0, above=True, takes="int ≥ 1", own="size", after="alpha",
            needs=("optimizer", "mini-batch"), help="Rows a block of mini-batch.",
            meaning='Rows a block of optimizer="mini-batch"; the mean of their steps is applied.',
        ),
    )  # fmt: skip
    picks = False
    whole = False

    def block(self, n: int) -> int:
        return min(int(self.size), max(n, 1))
