"""Go through all rows, block by block: one example, a few, or all of them."""

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Parameter


@dataclass(frozen=True)
class Online:
    """Online: each example is scored at the weights that the one before it left.

    Also the base of the others here: each changes only what differs. Source: lecture notes 000, 001 and 003 (stochastic
    gradient descent, which approaches the batch result as η → 0).
    """

    name = "online"
    rank = 0
    when = "after every example"
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    picks = False
    whole = False

    def block(self, n: int) -> int:
        return 1


@dataclass(frozen=True)
class MiniBatch(Online):
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

    def block(self, n: int) -> int:
        return min(int(self.size), max(n, 1))


@dataclass(frozen=True)
class Batch(Online):
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
    whole = True

    def block(self, n: int) -> int:
        return max(n, 1)
