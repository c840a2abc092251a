"""Rounds of expert advice: vote, see the outcome, reduce the weights of those that were wrong.

    w_i ∝ exp(−η·(L_i − A_i)),  L_i the losses of expert i in the rounds it was awake

A_i is zero while nobody sleeps. In a round where somebody does, every awake expert gains the mixture's own loss
−ln(Σ p e^(−η ℓ))/η in it, so that the awake keep the weight that they had together (specialists, Freund et al. 1997).
Advice, losses, outcomes and settings are checked here too, before they are played. A number in the account of the
rounds that breaks what was promised is an error of this program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.dispatch import Kernel
from ..core.rows import Array
from ..errors import DataError, SettingError

MAJORITY, EXACT_MAJORITY, RANDOM, LEADER = 0, 1, 2, 3
"""Who decides: the heavier side; the same, asking where rounding could decide; a draw; the lowest error rate."""
PREDICTION, CHANCE, OWN, MISTAKES, BEST, BEST_LOSS, BEST_OWN, TIGHT_OWN, TIGHT_LOSS, TIGHT_ROUNDS, SLEEPY = range(11)
"""Columns of the account of each round."""
COLUMNS = 11
SUM_OWN, SUM_MISTAKES, SLEPT, NOBODY = 0, 1, 2, 3
"""Places in `Tally.total`: own loss, wrong predictions, rounds in which someone slept, rounds without anyone."""
TIE = 1e-9
"""Sides whose weights differ by less than this share may be equal; sums of ten million weights err by 1e-10."""


class Round(NamedTuple):
    """One round, after its outcome was seen.

    prediction: 0 or 1; None where losses were given. chance: of predicting 1 (of losses: the mixture's loss). mistakes:
    so far. expected_mistakes: so far, exactly; of a deterministic algorithm the same. best: the expert so far that it
    would have been best to follow, by number; −1 before anyone was awake. best_mistakes: its losses. regret: own
    expected mistakes in its awake rounds less its own. bound: on `bounded`, inf where there is none.
    """

    prediction: int | None
    chance: float
    mistakes: int
    expected_mistakes: float
    best: int
    best_mistakes: float
    regret: float
    bounded: float
    bound: float


@dataclass(frozen=True, repr=False)
class Ledger:
    """Rounds as columns, each (T,): prediction, chance, mistakes, expected_mistakes, best, best_mistakes, regret,
    bounded and bound, as `Round` has them; prediction is NaN where losses were given. `ledger[t]` is a `Round`, from 0.
    """

    prediction: Array
    chance: Array
    mistakes: Array
    expected_mistakes: Array
    best: Array
    best_mistakes: Array
    regret: Array
    bounded: Array
    bound: Array

    def __len__(self) -> int:
        return len(self.mistakes)

    def __getitem__(self, t: int) -> Round:
        prediction, *rest = (column[t].item() for column in self.columns())
        return Round(None if math.isnan(prediction) else int(prediction), *rest)

    def __repr__(self) -> str:
        if not len(self):
            return "<Ledger: no rounds>"
        last = self[-1]
        own = f"{last.expected_mistakes:.6g} expected mistakes"
        own = own if last.expected_mistakes != last.mistakes else f"{last.mistakes:,} mistakes"
        bound = f"bound {last.bound:.6g}" if np.isfinite(last.bound) else "no bound"
        return f"<Ledger: {len(self):,} rounds; {own}, regret {last.regret:.6g}, {bound}>"

    def columns(self) -> list[Array]:
        """All of them, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def joined(cls, parts: Sequence[Ledger]) -> Ledger:
        """Ledgers one below the other (at least one)."""
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns() for part in parts), strict=True)))


SLACK = 1e-9
"""Relative. Sums of a million shares err by 1e-10 at the most; beyond it the numbers are looked at again."""


class Bound(float):
    """A number that is not exceeded; +inf, with a `reason`, where nothing is promised. As text: `no bound: …`."""

    reason: str

    def __new__(cls, value: float, reason: str = "") -> Self:
        made = super().__new__(cls, math.inf if reason else value)
        made.reason = reason
        return made

    @property
    def applies(self) -> bool:
        """Whether anything is promised."""
        return not self.reason

    def __str__(self) -> str:
        return f"no bound: {self.reason}" if self.reason else f"{float(self):.6g}"

    def __repr__(self) -> str:
        return f"Bound({self})"

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        return float(self), self.reason


class Form(NamedTuple):
    """The inequality a·own ≤ b·loss + c·rounds + d, for each expert over the rounds it was awake.

    d: where it is the same after all rounds. regret: it is one about own − loss (then a = b = 1).
    """

    a: float
    b: float
    c: float = 0.0
    d: float = 0.0
    regret: bool = False


class Tally(NamedTuple):
    """All that changes. loss, mix: L and A, (n,). since: L where the weights were last made equal. own: the
    algorithm's own (expected) loss in each expert's awake rounds, and rounds: how many those are; total: (4,)."""

    loss: Array
    mix: Array
    since: Array
    own: Array
    rounds: Array
    total: Array


class Game(NamedTuple):
    """What is given. advice: (T, n) 0/1, or losses in [0, 1]; NaN: asleep. outcome: (T,) 0/1, NaN where losses are
    given. rate: (T,) η. draw: (T,) uniform in [0, 1)."""

    advice: Array
    outcome: Array
    rate: Array
    draw: Array


def play(game: Game, how: int, form: Array, tally: Tally, account: Array, place: Array) -> int:
    """Play from round place[0] on; returns the next round: the number of rounds, or one whose vote needs exact numbers.

    form: (3,) a, b, c; each round's account has the expert for which a·own − b·loss − c·rounds is largest, which is
    where a bound is tightest. account: (T, COLUMNS), filled. place: (2,) the first round, and its prediction, or −1.
    """
    advice, outcome, rate, draw = game
    loss, mix, since, own, rounds, total = tally
    n = advice.shape[1]
    forced = place[1]
    weight = np.empty(n)
    for t in range(place[0], advice.shape[0]):
        eta, truth = rate[t], outcome[t]
        losses_given = truth != truth
        awake, low, plain, lead = 0, math.inf, True, math.inf
        for i in range(n):
            if advice[t, i] == advice[t, i]:
                awake += 1
                low = min(low, loss[i] - since[i] - mix[i])
                plain = plain and mix[i] == 0.0
                lead = min(lead, loss[i] / max(rounds[i], 1.0))
        up, down, up_leads = 0.0, 0.0, False
        for i in range(n):
            if advice[t, i] == advice[t, i]:
                weight[i] = math.exp(-eta * (loss[i] - since[i] - mix[i] - low))
                up += weight[i] * advice[t, i]
                down += weight[i] * (1.0 - advice[t, i])
                if loss[i] / max(rounds[i], 1.0) == lead and advice[t, i] == 1.0:
                    up_leads = True
        whole = up + down
        chance = up / whole if awake > 0 else 1.0
        prediction = 1.0
        if how == RANDOM:
            prediction = 1.0 if draw[t] < chance else 0.0
        elif how == LEADER:
            prediction = 1.0 if up_leads or awake == 0 else 0.0
        elif awake > 0:
            close = abs(up - down) <= TIE * whole
            if close and how == EXACT_MAJORITY and plain and up > 0.0 and down > 0.0:
                if forced < 0:
                    return t
                prediction = float(forced)
            else:
                prediction = 1.0 if close or up > down else 0.0
        forced = -1
        wrong = 0.0 if losses_given else abs(prediction - truth)
        mine = wrong
        if losses_given:
            prediction, mine = math.nan, chance if awake > 0 else 0.0
        elif how == RANDOM:
            mine = (down if truth == 1.0 else up) / whole if awake > 0 else wrong
        else:
            chance = prediction
        if 0 < awake < n and how != LEADER:
            left, lost = 0.0, 0.0
            for i in range(n):
                if advice[t, i] == advice[t, i]:
                    each = advice[t, i] if losses_given else abs(advice[t, i] - truth)
                    left += weight[i] / whole * math.exp(-eta * each)
                    lost += weight[i] / whole * math.expm1(-eta * each)
            gain = 0.0
            if eta > 0.0:
                gain = -(math.log(left) if left < 0.5 else math.log1p(lost)) / eta
            for i in range(n):
                if advice[t, i] == advice[t, i]:
                    mix[i] += gain
        for i in range(n):
            if advice[t, i] == advice[t, i]:
                loss[i] += advice[t, i] if losses_given else abs(advice[t, i] - truth)
                own[i] += mine
                rounds[i] += 1.0
        total[SUM_OWN] += mine
        total[SUM_MISTAKES] += wrong
        total[SLEPT] += 1.0 if awake < n else 0.0
        total[NOBODY] += 1.0 if awake == 0 else 0.0
        best, tight = -1, -1
        for i in range(n):
            if rounds[i] > 0.0:
                if best < 0 or own[i] - loss[i] > own[best] - loss[best]:
                    best = i
                excess = form[0] * own[i] - form[1] * loss[i] - form[2] * rounds[i]
                if tight < 0 or excess > form[0] * own[tight] - form[1] * loss[tight] - form[2] * rounds[tight]:
                    tight = i
        account[t, PREDICTION], account[t, CHANCE] = prediction, chance
        account[t, OWN], account[t, MISTAKES], account[t, BEST] = total[SUM_OWN], total[SUM_MISTAKES], best
        account[t, SLEEPY] = total[SLEPT]
        account[t, BEST_LOSS:SLEEPY] = 0.0
        if best >= 0:  # and so there is a tight one
            account[t, BEST_LOSS], account[t, BEST_OWN] = loss[best], own[best]
            account[t, TIGHT_OWN], account[t, TIGHT_LOSS] = own[tight], loss[tight]
            account[t, TIGHT_ROUNDS] = rounds[tight]
    return advice.shape[0]  # type: ignore[no-any-return]


play_rounds = Kernel(play, exact=True)
"""One million rounds of ten experts: 0.5 s of CPU compiled."""


def as_rounds(given: Any, n: int, awake: Any = None, *, rows: bool = True, losses: bool = False) -> Array:
    """(T, n) float64, NaN where asleep, from (T, n) advice of 0 and 1, or losses in [0, 1]; rows False: from (n,).

    Masked entries, None and NaN are asleep; awake: bool of the same shape. DataError names round and expert, from 0.
    """
    what, shape = "losses" if losses else "advice", f"(rounds, {n})" if rows else f"({n},)"
    values = _numbers(given, f"found something in the {what} that is no number; expected shape {shape}")
    if values.ndim != (2 if rows else 1) or values.shape[-1] != n:
        raise DataError(f"found {what} of shape {values.shape}; expected {shape}")
    if awake is not None:
        try:
            mask = np.asarray(awake)
        except ValueError:
            raise DataError("awake is not a row of True and False") from None
        if mask.dtype != bool or mask.shape != values.shape:
            raise DataError(f"awake has shape {mask.shape} of {mask.dtype}; expected {values.shape} of bool")
        values[~mask] = np.nan
    values = np.atleast_2d(values)
    inside = ((values >= 0.0) & (values <= 1.0)) if losses else ((values == 0.0) | (values == 1.0))
    bad = np.argwhere(~(inside | np.isnan(values)))
    if bad.size:
        t, i = bad[0]
        right = "a number in [0, 1]" if losses else "0 or 1"
        place = f"round {t}, expert {i}" if rows else f"expert {i}"
        raise DataError(f"{place}: found {values[t, i]:g}; expected {right}, or NaN for an expert that is asleep")
    return values


def _numbers(given: Any, refused: str) -> Array:
    """A new array of float64, NaN for masked entries. DataError for what float64 does not hold, as complex numbers."""
    try:
        if np.ma.isMaskedArray(given):
            given = np.ma.filled(given.astype(float), np.nan)
        if np.iscomplexobj(given):
            raise ValueError
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(refused) from None


def as_outcome(outcome: Any) -> float:
    """An outcome, 0 or 1, as a float. DataError for anything else."""
    refused = f"found the outcome {str(outcome)[:40]}; expected 0 or 1"
    value = _numbers(outcome, refused)
    if value.shape != () or value not in (0.0, 1.0):
        raise DataError(refused)
    return float(value)


def as_outcomes(outcomes: Any, count: int) -> Array:
    """(T,) float64 of 0 and 1. DataError names the first that is neither."""
    values = _numbers(outcomes, "the outcomes hold something that is no number; expected 0 or 1")
    if values.shape != (count,):
        raise DataError(f"the outcomes have shape {values.shape}; expected ({count},), one a round")
    bad = np.flatnonzero(~((values == 0.0) | (values == 1.0)))
    if bad.size:
        raise DataError(f"round {bad[0]}: found the outcome {values[bad[0]]:g}; expected 0 or 1")
    return values


def whole_number(least: int, must: str, **setting: Any) -> int:
    """A setting as an int. SettingError where it is none, or below the least: it must be a whole number `must`."""
    ((name, value),) = setting.items()
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise SettingError(f"{{{name}}} must be a whole number {must}", **setting)
    return int(value)


def number_between(low: float, high: float, must: str, **setting: Any) -> float:
    """A setting as a float. SettingError where it is none, or not between both: it must be a number `must`."""
    ((name, value),) = setting.items()
    try:
        number = math.nan if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low < number < high:
        raise SettingError(f"{{{name}}} must be a number {must}", **setting)
    return number
