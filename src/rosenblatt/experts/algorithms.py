"""Halving, weighted majority, its randomised form, follow the leader. `Hedge` has a file of its own."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..core.rows import Array
from ..errors import SettingError
from . import play as core
from .advised import DRAWS, Advised
from .bounds import Counted, Form, randomised_fails, weighted_majority_fails

ALMOST_NOTHING = 700.0
"""η of halving: a mistake costs the factor e⁻⁷⁰⁰, 10⁻³⁰⁴. No majority of the wrong outvotes one that was right."""
VACUOUS = 1e12
"""Halving promises nothing against an expert with a mistake: its mistakes count so much."""


class Halving(Advised):
    """The majority of the experts that have never been wrong; once all have been, of those with the fewest mistakes.

    Guarantee, if some expert is perfect: mistakes ≤ ⌊log₂ n⌋, because each mistake removes at least half of those
    left. With experts that sleep: own mistakes in the awake rounds of any perfect expert. Otherwise no bound.

    n: number of experts. See `Advised` for the methods. Source: lecture note 002, section 3.
    """

    name = "halving"
    how: ClassVar[int] = core.MAJORITY

    def rates(self, first: int, count: int) -> Array:
        return np.full(count, ALMOST_NOTHING)

    def form(self) -> Form:
        return Form(1.0, VACUOUS)

    def room(self, t: Array) -> Array:
        return np.full(len(t), float(self.n.bit_length() - 1))

    def fails(self, counted: Counted) -> bool:
        return counted.loss == 0 and 2 ** int(counted.own) > self.n

    def no_bound(self) -> str:
        loss = self._tight()[1]
        if loss == 0:
            return ""
        return (
            f"no expert is perfect, the best one has made {self.tally.loss[self.tally.rounds > 0].min():,.0f} mistakes"
        )

    def _promised(self, told: Array) -> Array:
        return np.asarray(told[:, core.TIGHT_LOSS] == 0.0)


class WeightedMajority(Advised):
    """The heavier side decides, a tie says 1; each round the weight of every expert that was wrong is multiplied by β.

    Guarantee: mistakes ≤ (m·ln(1/β) + ln n)/ln(2/(1 + β)), m the mistakes of the best expert; β = ½: about
    2.41·(m + log₂ n). With experts that sleep it holds against each expert, both counted in its awake rounds.

    n: number of experts. beta: β, 0 < β < 1, default ½. Ties are ties of exact numbers, β being the float that was
    given; where experts sleep, sides that differ by less than 10⁻⁹ of their weight are a tie.
    Source: lecture note 002, section 3; Littlestone and Warmuth, The weighted majority algorithm, 1994.
    """

    name = "weighted-majority"
    how: ClassVar[int] = core.EXACT_MAJORITY

    def __init__(self, n: int, beta: float = 0.5) -> None:
        super().__init__(n)
        self.beta = checked_beta(beta)

    def settings(self) -> dict[str, Any]:
        return {"beta": self.beta}

    def rates(self, first: int, count: int) -> Array:
        return np.full(count, -math.log(self.beta))

    def form(self) -> Form:
        # ln(2/(1 + β)); of the quotient it would be 0 for β near 1.
        return Form(-math.log1p((self.beta - 1.0) / 2.0), -math.log(self.beta))

    def room(self, t: Array) -> Array:
        return np.full(len(t), math.log(self.n))

    def fails(self, counted: Counted) -> bool:
        return weighted_majority_fails(counted, self.beta)

    def vote(self, advice: Array) -> int:
        """The sign of Σ ±β^m in whole numbers: votes of experts with equally many mistakes cancel, one by one."""
        net: dict[int, int] = {}
        for mistakes, says in zip(self.tally.loss.tolist(), advice.tolist(), strict=True):
            if says == says:
                net[int(mistakes)] = net.get(int(mistakes), 0) + (1 if says == 1.0 else -1)
        levels = sorted(level for level, votes in net.items() if votes)
        if not levels:
            return 1
        beta, total = Fraction(self.beta), Fraction(0)
        for level, above in zip(reversed(levels), [*reversed(levels[:-1]), levels[0]], strict=True):
            total = (total + net[level]) * beta ** (level - above)
        return int(total >= 0)


class RandomizedWeightedMajority(WeightedMajority):
    """As `WeightedMajority`, but 1 is predicted with the probability of its share of the weight.

    Guarantee: E[mistakes] ≤ (m·ln(1/β) + ln n)/(1 − β). The expectation is computed, not sampled: each round adds the
    share of the wrong. With experts that sleep it holds against each expert, both counted in its awake rounds.

    n, beta: as there. seed: of the draws, a whole number ≥ 0, default 0; round t draws the same number whatever came
    before. `mistakes` are those of the draws, `expected_mistakes` is what the guarantee is about.
    """

    name = "randomized-weighted-majority"
    how: ClassVar[int] = core.RANDOM
    bounded_is = "expected mistakes"

    def __init__(self, n: int, beta: float = 0.5, seed: int = 0) -> None:
        super().__init__(n, beta)
        self.seed = checked_seed(seed)

    def settings(self) -> dict[str, Any]:
        return {"beta": self.beta, "seed": self.seed}

    def form(self) -> Form:
        return Form(1.0 - self.beta, -math.log(self.beta))

    def fails(self, counted: Counted) -> bool:
        return randomised_fails(counted, self.beta)

    def draws(self, first: int, count: int) -> Array:
        return uniform(self.seed, first, count)


class FollowTheLeader(Advised):
    """Predicts as the expert with the fewest mistakes so far; where such experts disagree, 1.

    No sublinear regret: an opponent that knows the leader makes it err every round (`against_the_leader`). All that
    holds is mistakes ≤ n·m + n − 1, and only while nobody sleeps. Experts that sleep are compared by their rate of
    mistakes while awake.

    n: number of experts. Source: lecture note 002, section 3.
    """

    name = "follow-the-leader"
    how: ClassVar[int] = core.LEADER

    def rates(self, first: int, count: int) -> Array:
        return np.zeros(count)

    def form(self) -> Form:
        return Form(1.0, float(self.n))

    def room(self, t: Array) -> Array:
        return np.full(len(t), self.n - 1.0)

    def fails(self, counted: Counted) -> bool:
        return int(counted.own) > self.n * int(counted.loss) + self.n - 1

    def no_bound(self) -> str:
        return "experts slept, and the leader's guarantee is for experts that are always awake" if self.slept else ""

    def _promised(self, told: Array) -> Array:
        return np.asarray(told[:, core.SLEEPY] == 0.0)

    @property
    def log_weights(self) -> Array:
        """0 for the leaders, −∞ for the others."""
        rate = self.tally.loss / np.maximum(self.tally.rounds, 1.0)
        return np.asarray(np.where(rate == rate.min(), 0.0, -np.inf))


def checked_beta(beta: Any) -> float:
    """β as a float. SettingError where it is not between 0 and 1."""
    try:
        value = float(beta)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 < value < 1.0 or isinstance(beta, str):
        raise SettingError("{beta} must be a number above 0 and below 1", beta=beta)
    return value


def checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise SettingError("{seed} must be a whole number ≥ 0", seed=seed)
    return int(seed)


def uniform(seed: int, first: int, count: int) -> Array:
    """(count,) numbers in [0, 1) of the rounds first, first + 1, … (from 1), each a function of seed and round only."""
    begin, end = (first - 1) // DRAWS, (first + count - 2) // DRAWS
    blocks = [np.random.default_rng([seed, block]).random(DRAWS) for block in range(begin, max(begin, end) + 1)]
    start = first - 1 - begin * DRAWS
    return np.concatenate(blocks)[start : start + count]
