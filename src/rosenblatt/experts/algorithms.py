"""Halving, weighted majority, its randomised form, Hedge, follow the leader; and any of them as it was saved."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.rows import Array
from ..errors import DataError, SettingError, plural
from . import play as core
from .advised import FORMAT, Advised
from .play import Form, Ledger, Round, Tally, as_rounds, number_between, whole_number

SQRT2 = math.sqrt(2.0)
ALMOST_NOTHING = 700.0
"""η of halving: a mistake costs the factor e⁻⁷⁰⁰, 10⁻³⁰⁴. No majority of the wrong outvotes one that was right."""
VACUOUS = 1e12
"""Halving promises nothing against an expert with a mistake: its mistakes count so much."""


DIGITS = 60
"""Of logarithms, where the numbers themselves would be too long."""
MOST_POWER = 20_000
"""Mistakes up to which powers are taken as fractions: those have 54 bits for each."""


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


class Halving(Advised):
    """The majority of the experts that have never been wrong; once all have been, of those with the fewest mistakes.

    Guarantee, if some expert is perfect: mistakes ≤ ⌊log₂ n⌋, because each mistake removes at least half of those
    left. With experts that sleep: own mistakes in the awake rounds of any perfect expert. Otherwise no bound.

    n: number of experts. See `Advised` for the methods. Source: lecture note 002, section 3.
    """

    name = "halving"
    how: ClassVar[int] = core.MAJORITY
    rate = ALMOST_NOTHING

    def form(self) -> Form:
        return Form(1.0, VACUOUS, d=float(self.n.bit_length() - 1))

    def fails(self, own: float, loss: float, rounds: float, t: int) -> bool:
        return loss == 0 and 2 ** int(own) > self.n

    def promised(self, account: Array) -> Array:
        return np.asarray(account[:, core.TIGHT_LOSS] == 0.0)

    def no_promise(self) -> str:
        fewest = self.tally.loss[self.tally.rounds > 0].min()
        return f"no expert is perfect, the best one has made {plural(int(fewest), 'mistake')}"


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
        self.beta = number_between(0.0, 1.0, "above 0 and below 1", beta=beta)
        self.rate = -math.log(self.beta)

    def form(self) -> Form:
        # ln(2/(1 + β)); of the quotient it would be 0 for β near 1.
        return Form(-math.log1p((self.beta - 1.0) / 2.0), self.rate, d=math.log(self.n))

    def fails(self, own: float, loss: float, rounds: float, t: int) -> bool:
        """Whether (2/(1+β))^M > N·(1/β)^m, in whole numbers; of very many mistakes in logarithms."""
        base, factor = 2 / (1 + Fraction(self.beta)), 1 / Fraction(self.beta)
        if own + loss <= MOST_POWER:
            return bool(base ** int(own) > self.n * factor ** int(loss))
        with localcontext(prec=DIGITS):
            return int(own) * _decimal(base).ln() > int(loss) * _decimal(factor).ln() + Decimal(self.n).ln()

    def vote(self, advice: Array, tally: Tally) -> int:
        """The sign of Σ ±β^m in whole numbers: votes of experts with equally many mistakes cancel, one by one."""
        net = Counter[int]()
        for mistakes, says in zip(tally.loss.tolist(), advice.tolist(), strict=True):
            if says == says:
                net[int(mistakes)] += 1 if says == 1.0 else -1
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
        self.seed = whole_number(0, "≥ 0", seed=seed)

    def form(self) -> Form:
        return Form(1.0 - self.beta, self.rate, d=math.log(self.n))

    def fails(self, own: float, loss: float, rounds: float, t: int) -> bool:
        """Whether own·(1 − β) > m ln(1/β) + ln N, own less what its sum of t shares can have erred."""
        exact = Fraction(self.beta)
        with localcontext(prec=DIGITS):
            left = _decimal(self.least(own, t)) * _decimal(1 - exact)
            return left > int(loss) * _decimal(1 / exact).ln() + Decimal(self.n).ln()


class Hedge(Advised):
    """Weights w_i ∝ exp(−η·L_i), L_i the losses so far; the own loss of a round is the weighted mean of the losses.

    From advice of 0 and 1 it predicts 1 with the probability of its share of the weight, as the randomised weighted
    majority; from losses (`update_losses`, `run_losses`) it predicts nothing, and `weights` say how to mix.

    eta, or horizon            regret after T rounds at most
    horizon=T                  √(T ln n/2), with η = √(8 ln n/T); sooner, or later: ln n/η + η·t/8
    eta=0.1 (a number > 0)     ln n/η + η·T/8
    eta="anytime" (default)    2·√(T ln n/2) + √(ln n/8), with η_t = √(8 ln n/t)
    eta="doubling"             (√2/(√2 − 1))·√(T ln n/2): horizons 1, 2, 4, …, equal weights at the start of each

    `bound()` is about `regret`. With experts that sleep, it holds against each in its awake rounds, except for
    "anytime": no bound. n: number of experts. seed: of the draws.
    Source: Freund and Schapire 1997; Cesa-Bianchi and Lugosi 2006, chapter 2.
    """

    name = "hedge"
    how: ClassVar[int] = core.RANDOM
    bounded_is = "regret"

    def __init__(
        self,
        n: int,
        eta: float | Literal["anytime", "doubling"] | None = None,
        *,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n)
        if eta is not None and horizon is not None:
            both = "{eta} and {horizon}: the horizon makes a rate; give one of them"
            raise SettingError(both, eta=eta, horizon=horizon)
        self.eta: float | str = "anytime" if eta is None else eta
        if not (isinstance(self.eta, str) and self.eta in ("anytime", "doubling")):
            self.eta = number_between(0.0, math.inf, "above 0, anytime or doubling", eta=eta)
        self.horizon = None if horizon is None else whole_number(1, "of rounds, at least 1", horizon=horizon)
        if self.horizon is not None:
            self.eta = self._rate(self.horizon)
        self.seed = whole_number(0, "≥ 0", seed=seed)
        if self.eta == "anytime":
            self.awake_only = "a rate that falls keeps no promise to them; a fixed rate or doubling does"

    def _rate(self, rounds: float) -> float:
        return math.sqrt(8.0 * math.log(self.n) / rounds)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "eta": None if self.horizon else self.eta}

    def rates(self, first: int, count: int) -> Array:
        if not isinstance(self.eta, str):
            return np.full(count, self.eta)
        if self.eta == "doubling":
            return np.full(count, self._rate(1 << (first.bit_length() - 1)))
        return np.asarray(np.sqrt(8.0 * math.log(self.n) / np.arange(first, first + count)))

    def splits(self, first: int, count: int) -> Iterator[tuple[int, bool]]:
        """Doubling begins anew in the rounds 1, 2, 4, 8, …"""
        power = 1 << (first.bit_length() - 1)
        yield first, self.eta == "doubling" and first == power
        while self.eta == "doubling" and (power := 2 * power) < first + count:
            yield power, True

    def form(self) -> Form:
        return Form(1.0, 1.0, 0.0 if isinstance(self.eta, str) else self.eta / 8.0, regret=True)

    def room(self, t: Array) -> Array:
        many = math.log(self.n)
        if not isinstance(self.eta, str):
            return np.full(len(t), many / self.eta if many else 0.0)
        root = np.sqrt(t * many / 2.0)
        return np.asarray(
            SQRT2 / (SQRT2 - 1.0) * root if self.eta == "doubling" else 2.0 * root + math.sqrt(many / 8.0)
        )

    def fails(self, own: float, loss: float, rounds: float, t: int) -> bool:
        """Whether own − loss is above the bound on the regret, less what its sum can have erred."""
        most = self.form().c * rounds + float(self.room(np.array([t]))[0])
        off = Fraction(1, 10**12)
        return self.least(own, t) - Fraction(loss) * (1 - off) > Fraction(most) * (1 + off)

    @property
    def log_weights(self) -> Array:
        if next(self.splits(self.rounds + 1, 1))[1]:
            return np.zeros(self.n)
        return super().log_weights

    def update_losses(self, losses: Any, awake: Any = None) -> Round:
        """A round of losses (n,) in [0, 1], NaN where asleep: counts their weighted mean, then changes the weights."""
        losses = as_rounds(losses, self.n, awake, rows=False, losses=True)
        return self._play(losses, np.full(1, np.nan))[0]

    def run_losses(self, losses: Any, awake: Any = None) -> Ledger:
        """All rounds of losses (T, n), as by T updates."""
        losses = as_rounds(losses, self.n, awake, losses=True)
        return self._all(losses, np.full(len(losses), np.nan))

    def weights_along(self, losses: Array) -> Array:
        """(T, n) `weights` before each of these rounds of losses (T, n), in which nobody sleeps; nothing is played.
        Not for "doubling"."""
        lost = np.cumsum(np.vstack([self.tally.loss, losses]), axis=0)[:-1] - self.tally.since - self.tally.mix
        logs = -self.rates(self.rounds + 1, len(lost))[:, None] * (lost - lost.min(axis=1, keepdims=True))
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    @property
    def loss(self) -> float:
        """Own loss so far: the same number as `expected_mistakes`, which it is where advice was given."""
        return self.expected_mistakes


class FollowTheLeader(Advised):
    """Predicts as the expert with the fewest mistakes so far; where such experts disagree, 1.

    No sublinear regret: an opponent that knows the leader makes it err every round (`against_the_leader`). All that
    holds is mistakes ≤ n·m + n − 1, and only while nobody sleeps. Experts that sleep are compared by their rate of
    mistakes while awake.

    n: number of experts. Source: lecture note 002, section 3.
    """

    name = "follow-the-leader"
    how: ClassVar[int] = core.LEADER
    rate = 0.0
    awake_only = "the leader's guarantee is for experts that are always awake"

    def form(self) -> Form:
        return Form(1.0, float(self.n), d=self.n - 1.0)

    def fails(self, own: float, loss: float, rounds: float, t: int) -> bool:
        return int(own) > self.n * int(loss) + self.n - 1

    @property
    def log_weights(self) -> Array:
        """0 for the leaders, −∞ for the others."""
        rate = self.tally.loss / np.maximum(self.tally.rounds, 1.0)
        return np.asarray(np.where(rate == rate.min(), 0.0, -np.inf))


def against_the_leader(n: int, rounds: int) -> tuple[Array, Array]:
    """(advice, outcomes), (T, n) and (T,) of 0 and 1, on which `FollowTheLeader` errs in every round.

    In each round one of the leaders says 1 and everybody else 0; the leader is followed (a tie predicts 1), and the
    outcome is 0. So the leader errs, and the next one leads: after T rounds nobody has more than ⌈T/n⌉ mistakes, the
    best ⌊T/n⌋, and follow the leader T. At T = n·m + n − 1 that is its bound n·m + n − 1 exactly.
    """
    whole = all(isinstance(count, (int, np.integer)) for count in (n, rounds))
    if not whole or n < 1 or rounds < 0:
        few = "{n} and {rounds}: expected at least one expert and no fewer than 0 rounds"
        raise SettingError(few, n=n, rounds=rounds)
    advice = np.zeros((rounds, n))
    advice[np.arange(rounds), np.arange(rounds) % n] = 1.0
    return advice, np.zeros(rounds)


ALGORITHMS: dict[str, type[Advised]] = {
    cls.name: cls for cls in (Halving, WeightedMajority, RandomizedWeightedMajority, Hedge, FollowTheLeader)
}
"""name → class, in the order of the theorems."""


def load(path: Any) -> Advised:
    """An algorithm from the file at path, which `save` wrote. DataError where there is none, or it is damaged."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise DataError(f"{path}: found no JSON; expected what `save` wrote") from None
    try:
        if saved["format"] != FORMAT:
            raise DataError(f"found the format {str(saved['format'])[:60]!r}; expected {FORMAT!r}")
        return restored(saved)
    except (DataError, SettingError) as error:
        raise DataError(error.message.within(f"{path}: ")) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        damaged = f"found a damaged state ({type(error).__name__}: {error}); expected a saved one"
        raise DataError(f"{path}: {damaged}") from None


def restored(saved: dict[str, Any]) -> Advised:
    """The inverse of `as_dict`. ValueError and the like where something is missing or of the wrong shape."""
    made: Advised = ALGORITHMS[saved["algorithm"]](saved["n"], **saved["settings"])
    made.rounds = int(saved["rounds"])
    made.tally = Tally(*(np.array(saved["tally"][name], dtype=np.float64) for name in Tally._fields))
    made._last = np.array([math.nan if value is None else value for value in saved["last"]], dtype=np.float64)
    if made.rounds < 0 or any(len(column) != made.n for column in made.tally[:5]):
        raise ValueError("its columns do not fit")
    if made.tally.total.shape != (4,) or made._last.shape != (core.COLUMNS,):
        raise ValueError("its totals do not fit")
    if not all(np.isfinite(column).all() for column in made.tally):
        raise ValueError("it holds NaN or infinity")
    return made
