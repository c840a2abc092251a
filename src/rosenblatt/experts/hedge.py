"""Hedge: expected losses in [0, 1] close to those of the best expert, with a rate that fits how long one plays."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.rows import Array
from ..errors import SettingError
from . import play as core
from .advised import Advised
from .algorithms import checked_seed, uniform
from .bounds import Counted, Form, regret_fails
from .given import as_rounds
from .ledger import Ledger, Round

SQRT2 = math.sqrt(2.0)


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
            raise SettingError(
                "{eta} and {horizon}: the horizon makes a rate; give one of them", eta=eta, horizon=horizon
            )
        self.eta = checked_eta("anytime" if eta is None else eta)
        if horizon is not None:
            if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 1:
                raise SettingError("{horizon} must be a whole number of rounds, at least 1", horizon=horizon)
            self.eta = self._rate(int(horizon))
        self.horizon = None if horizon is None else int(horizon)
        self.seed = checked_seed(seed)

    def _rate(self, rounds: float) -> float:
        return math.sqrt(8.0 * math.log(self.n) / rounds)

    def settings(self) -> dict[str, Any]:
        return {"eta": None if self.horizon else self.eta, "horizon": self.horizon, "seed": self.seed}

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

    def fails(self, counted: Counted) -> bool:
        most = self.form().c * counted.rounds + float(self.room(np.array([counted.t]))[0])
        return regret_fails(counted, most)

    def no_bound(self) -> str:
        if self.eta == "anytime" and self.slept:
            return "experts slept, and a rate that falls keeps no promise to them; a fixed rate or doubling does"
        return ""

    def _promised(self, told: Array) -> Array:
        return np.asarray((told[:, core.SLEEPY] == 0.0) | (self.eta != "anytime"))

    @property
    def log_weights(self) -> Array:
        if next(self.splits(self.rounds + 1, 1))[1]:
            return np.zeros(self.n)
        return super().log_weights

    def draws(self, first: int, count: int) -> Array:
        return uniform(self.seed, first, count)

    def update_losses(self, losses: Any, awake: Any = None) -> Round:
        """A round of losses (n,) in [0, 1], NaN where asleep: counts their weighted mean, then changes the weights."""
        given = as_rounds(losses, self.n, awake, rows=False, losses=True)
        return self._play(given, np.full(1, np.nan))[0]

    def run_losses(self, losses: Any, awake: Any = None) -> Ledger:
        """All rounds of losses (T, n), as by T updates."""
        given = as_rounds(losses, self.n, awake, losses=True)
        return self._all(given, np.full(len(given), np.nan))

    @property
    def loss(self) -> float:
        """Own loss so far: the same number as `expected_mistakes`, which it is where advice was given."""
        return self.expected_mistakes


def checked_eta(eta: Any) -> float | str:
    """A rate above 0, "anytime" or "doubling". SettingError for anything else."""
    if isinstance(eta, str) and eta in ("anytime", "doubling"):
        return eta
    try:
        value = math.nan if isinstance(eta, (str, bool)) else float(eta)
    except (TypeError, ValueError):
        value = math.nan
    if not (0.0 < value < math.inf):
        raise SettingError("{eta} must be a number above 0, anytime or doubling", eta=eta)
    return value
