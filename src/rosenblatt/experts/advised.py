"""What all algorithms share: rounds played one by one or by the million, the counts, and the check of the bound."""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from inspect import signature
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..core.rows import Array
from ..errors import BoundViolated, DataError, SettingError
from ..write.files import whole_file
from . import play as core
from .play import Bound, Form, Game, Ledger, Round, Tally, as_outcome, as_outcomes, as_rounds, play_rounds, whole_number

BLOCK = 1 << 16
"""Rounds at a time."""
WORTH = 10
"""Advices that plain Python plays in the time of so many bytes of `core.dispatch.SMALL_WORK`: 200,000 are worth loading
the compiled rounds."""
FORMAT = "rosenblatt experts 1"
DRAWS = 4096


class Advised(ABC):
    """An algorithm that hears n experts say 0 or 1 each round, and then the outcome.

    advice: (n,) numbers 0 or 1; NaN, None or masked: that expert is asleep (`awake`, (n,) of bool, says it too).
    n: how many experts there are; those that arrive late sleep before. A tie predicts 1.

    Weights: w_i ∝ exp(−η·(L_i − A_i)), L_i the mistakes of expert i while awake, A_i what keeps the weight of the
    awake together (0 while nobody sleeps); kept as L and A, so nothing underflows. Sum to one.
    """

    name: ClassVar[str]
    how: ClassVar[int]
    bounded_is: ClassVar[str] = "mistakes"
    """What `bound()` is about: mistakes, expected mistakes, or regret."""

    def __init__(self, n: int) -> None:
        self.n, self.rounds = whole_number(1, "of experts, at least 1", n=n), 0
        try:
            self.tally = Tally(*(np.zeros(size) for size in (*[self.n] * 5, 4)))
        except (MemoryError, ValueError, OverflowError):
            raise SettingError("{n} are more experts than memory holds", n=n) from None
        self._last = np.zeros(core.COLUMNS)
        self._last[core.BEST] = -1.0

    # --- what each algorithm says ------------------------------------------------------------------------------------

    rate: float
    """η of all rounds, where it is the same."""
    awake_only = ""
    """Why nothing is promised once experts have slept, where that is so."""
    seed = 0
    """Of the draws."""

    def rates(self, first: int, count: int) -> Array:
        """(count,) η of the rounds first, first + 1, … (from 1)."""
        return np.full(count, self.rate)

    @abstractmethod
    def form(self) -> Form:
        """The inequality of the guarantee."""

    def room(self, t: Array) -> Array:
        """d of the inequality after t rounds."""
        return np.full(len(t), self.form().d)

    @abstractmethod
    def fails(self, own: float, loss: float, rounds: float, t: int) -> bool:
        """The inequality once more, in exact numbers: True if it is broken.

        own: (expected) loss in the awake rounds of one expert, loss: that expert's, rounds: how many those are. t: all
        rounds.
        """

    def least(self, own: float, t: int) -> Fraction:
        """The least that the own loss can be: each of t shares of n weights errs by (n + 8)·2⁻⁵³, their sum by
        t·2⁻⁵³."""
        return Fraction(own) * (1 - Fraction(t + self.n + 8, 2**52))

    def promised(self, account: Array) -> Array:
        """(T,) bool: after which of these rounds there is a bound."""
        return np.asarray((account[:, core.SLEEPY] == 0.0) | (not self.awake_only))

    def no_promise(self) -> str:
        """Why there is none."""
        return f"experts slept, and {self.awake_only}"

    def settings(self) -> dict[str, Any]:
        """What it was made with, JSON-able."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters if name != "n"}

    def splits(self, first: int, count: int) -> Iterator[tuple[int, bool]]:
        """(round, fresh): where to begin in these rounds, and whether all weights are made equal there."""
        yield first, False

    def vote(self, advice: Array, tally: Tally) -> int:
        """The prediction where rounding could decide; see `WeightedMajority`."""
        raise NotImplementedError

    def draws(self, first: int, count: int) -> Array:
        """(count,) uniform numbers of these rounds; only randomised algorithms look at them."""
        return uniform(self.seed, first, count) if self.how == core.RANDOM else np.zeros(count)

    # --- rounds ------------------------------------------------------------------------------------------------------

    def predict(self, advice: Any, awake: Any = None) -> int:
        """0 or 1 for this round; nothing changes, so that the same question has the same answer."""
        return int(self._asked(advice, awake)[core.PREDICTION])

    def chance(self, advice: Any, awake: Any = None) -> float:
        """The probability of predicting 1: the share of the awake weight that says so; 0 or 1 if nothing is drawn."""
        return float(self._asked(advice, awake)[core.CHANCE])

    def update(self, advice: Any, outcome: Any, awake: Any = None) -> Round:
        """Count the prediction for this advice against the outcome, 0 or 1, and reduce the weights of the wrong."""
        advice = as_rounds(advice, self.n, awake, rows=False)
        return self._play(advice, np.array([as_outcome(outcome)]))[0]

    def run(self, advice: Any, outcomes: Any, awake: Any = None) -> Ledger:
        """All rounds of advice (T, n) with outcomes (T,), as by T updates. Raises DataError before anything changes."""
        advice = as_rounds(advice, self.n, awake)
        return self._all(advice, as_outcomes(outcomes, len(advice)))

    def __repr__(self) -> str:
        own = [f"{name}={value!r}" for name, value in self.settings().items() if value is not None]
        made = f"{type(self).__name__}({', '.join([str(self.n), *own])})"
        if not self.rounds:
            return f"<{made}>"
        wrong = f"{self.mistakes:,} mistake{'s' * (self.mistakes != 1)}"
        wrong = wrong if self.bounded_is == "mistakes" else f"{self.expected_mistakes:.6g} expected mistakes"
        bound = self.bound()
        promised = f"{self.bounded_is} ≤ {bound}" if bound.applies else str(bound)
        rounds = f"{self.rounds:,} round{'s' * (self.rounds != 1)}"
        return f"<{made} after {rounds}: {wrong}, regret {self.regret:.6g}; {promised}>"

    # --- counts ------------------------------------------------------------------------------------------------------

    @property
    def mistakes(self) -> int:
        """Wrong predictions so far; of a randomised algorithm those that were drawn."""
        return int(self.tally.total[core.SUM_MISTAKES])

    @property
    def expected_mistakes(self) -> float:
        """Σ of the probability of each mistake, exactly; where nothing is drawn, the mistakes."""
        return float(self.tally.total[core.SUM_OWN])

    @property
    def expert_mistakes(self) -> Array:
        """(n,) mistakes (or losses) of each expert in its awake rounds."""
        return self.tally.loss.copy()

    @property
    def awake_rounds(self) -> Array:
        """(n,) rounds in which each was awake."""
        return self.tally.rounds.astype(np.int64)

    @property
    def best_expert(self) -> int | None:
        """The one with the fewest mistakes, the first of equals. Where some slept: the one with the largest regret.
        None before the first round."""
        best = int(self._last[core.BEST])
        return None if best < 0 else best

    @property
    def regret(self) -> float:
        """Own (expected) mistakes in the best expert's awake rounds, less that expert's own. 0 before the first."""
        return float(self._last[core.BEST_OWN] - self._last[core.BEST_LOSS])

    @property
    def regrets(self) -> Array:
        """(n,) the same for each expert."""
        return self.tally.own - self.tally.loss

    @property
    def weights(self) -> Array:
        """(n,) of the next round, summing to one; also of those that may sleep then."""
        logs = self.log_weights
        shares = np.exp(logs - logs.max())
        return np.asarray(shares / shares.sum())

    @property
    def log_weights(self) -> Array:
        """(n,) natural logarithms of the weights, up to a common number."""
        lost = self.tally.loss - self.tally.since - self.tally.mix
        return np.asarray(-float(self.rates(self.rounds + 1, 1)[0]) * (lost - lost.min()))

    @property
    def slept(self) -> int:
        """Rounds in which some expert slept."""
        return int(self.tally.total[core.SLEPT])

    @property
    def bounded(self) -> float:
        """What `bound()` limits: own (expected) mistakes, or regret, against the expert where the bound is tightest."""
        return float(self._bounded(self._last[None])[0])

    def bound(self) -> Bound:
        """The guarantee in numbers: `bounded` ≤ this; where there is none, inf, and as text `no bound: …`."""
        last = self._last[None]
        if not self.promised(last)[0]:
            return Bound(math.inf, self.no_promise())
        return Bound(float(self._bounds(last, np.array([self.rounds]))[0]))

    # --- state -------------------------------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Write a JSON file from which `load` goes on exactly. Raises DataError where it cannot be written."""
        try:
            with whole_file(os.fspath(path)) as file:
                file.write((json.dumps(self.as_dict(), allow_nan=False) + "\n").encode())
        except OSError as error:
            raise DataError(f"{path}: cannot be written: {error.strerror or error}") from None

    @staticmethod
    def load(path: Any) -> Advised:
        """What was saved. Raises DataError where the file is damaged or foreign."""
        from . import load

        return load(path)  # type: ignore[no-any-return]

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able. log_weights are there for readers; the counts are what it goes on from."""
        return {
            "format": FORMAT,
            "algorithm": self.name,
            "n": self.n,
            "settings": self.settings(),
            "rounds": self.rounds,
            "tally": {name: column.tolist() for name, column in self.tally._asdict().items()},
            "last": [None if math.isnan(value) else value for value in self._last.tolist()],
            "log_weights": [value if math.isfinite(value) else None for value in self.log_weights.tolist()],
        }

    # --- inside ------------------------------------------------------------------------------------------------------

    def _asked(self, advice: Any, awake: Any) -> Array:
        tally = Tally(*(column.copy() for column in self.tally))
        return np.asarray(self._account(as_rounds(advice, self.n, awake, rows=False), np.zeros(1), tally)[0])

    def _all(self, advice: Array, outcomes: Array) -> Ledger:
        blocks = [slice(start, start + BLOCK) for start in range(0, max(len(advice), 1), BLOCK)]
        return Ledger.joined([self._play(advice[block], outcomes[block]) for block in blocks])

    def _play(self, advice: Array, outcomes: Array) -> Ledger:
        """Play, check the bound after each round, and give the account."""
        account, first = self._account(advice, outcomes, self.tally), self.rounds + 1
        self.rounds += len(account)
        if len(account):
            self._last = account[-1].copy()
        return Ledger(
            prediction=account[:, core.PREDICTION],
            chance=account[:, core.CHANCE],
            mistakes=account[:, core.MISTAKES].astype(np.int64),
            expected_mistakes=account[:, core.OWN],
            best=account[:, core.BEST].astype(np.int64),
            best_mistakes=account[:, core.BEST_LOSS],
            regret=account[:, core.BEST_OWN] - account[:, core.BEST_LOSS],
            bounded=self._bounded(account),
            bound=self._checked(account, np.arange(first, self.rounds + 1)),
        )

    def _account(self, advice: Array, outcomes: Array, tally: Tally) -> Array:
        """(T, COLUMNS) of the next rounds, counted in this tally."""
        count, first = len(advice), self.rounds + 1
        account = np.empty((count, core.COLUMNS))
        for (begin, fresh), (end, _) in pairwise([*self.splits(first, count), (first + count, False)]):
            if fresh:
                tally.since[:] = tally.loss
                tally.mix[:] = 0.0
            part = slice(begin - first, end - first)
            rates, draws = self.rates(begin, end - begin), self.draws(begin, end - begin)
            self._rounds(Game(advice[part], outcomes[part], rates, draws), tally, account[part])
        return account

    def _rounds(self, game: Game, tally: Tally, account: Array) -> None:
        count = len(game.advice)
        game = Game(*(np.ascontiguousarray(part) for part in game))
        run = play_rounds.for_work(game.advice.size // WORTH)
        place = np.array([0, -1])
        form = np.array(self.form()[:3])
        while (at := run(game, self.how, form, tally, account, place)) < count:
            # Only exact majorities ask, and what was played before the question is in the tally.
            place[:] = at, self.vote(game.advice[at], tally)

    def _bounded(self, account: Array) -> Array:
        """(T,) what `_bounds` limit."""
        own = account[:, core.TIGHT_OWN]
        return own - account[:, core.TIGHT_LOSS] if self.form().regret else own

    def _bounds(self, account: Array, t: Array) -> Array:
        """(T,) what `bounded` must not exceed after each round."""
        form = self.form()
        room = form.c * account[:, core.TIGHT_ROUNDS] + self.room(t)
        return np.asarray((room if form.regret else room + form.b * account[:, core.TIGHT_LOSS]) / form.a)

    def _checked(self, account: Array, t: Array) -> Array:
        """The bounds, inf where nothing is promised. Raises BoundViolated where one is broken in exact numbers too."""
        form, promised = self.form(), self.promised(account)
        bounds = np.where(promised, self._bounds(account, t), np.inf)
        own, loss, rounds = account[:, [core.TIGHT_OWN, core.TIGHT_LOSS, core.TIGHT_ROUNDS]].T
        left, right = form.a * own, form.b * loss + form.c * rounds + self.room(t)
        for at in np.flatnonzero(promised & (left > right + core.SLACK * (1.0 + np.abs(right))))[:1]:
            if self.fails(float(own[at]), float(loss[at]), float(rounds[at]), int(t[at])):
                raise BoundViolated(
                    f"the theorem of {self.name} is broken after round {t[at]}: {self.bounded_is} "
                    f"{self._bounded(account)[at]:.17g}, bound {bounds[at]:.17g}; this is an error in rosenblatt"
                )
        return bounds


def uniform(seed: int, first: int, count: int) -> Array:
    """(count,) numbers in [0, 1) of the rounds first, first + 1, … (from 1), each a function of seed and round only."""
    begin, end = (first - 1) // DRAWS, (first + count - 2) // DRAWS
    blocks = [np.random.default_rng([seed, block]).random(DRAWS) for block in range(begin, max(begin, end) + 1)]
    start = first - 1 - begin * DRAWS
    return np.concatenate(blocks)[start : start + count]
