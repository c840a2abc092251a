"""Where to draw the line between two classes: by what mistakes cost, or by a limit on one kind of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..data.checks import at_most
from ..errors import DataError, SettingError, plain
from ..parameters import NONE, Parameter
from .calibration import MOST

if TYPE_CHECKING:
    from .model import Model

CONFIDENCE = 0.95
HELD_OUT = "held-out folds"
"""Scored by the folds' models, not by the one that is kept. How often that one kept a limit of 5 % on rows to come,
chosen so on 1,000 rows (8 normal columns, a quarter of the labels turned by noise) with confidence 95 %: averaged 59 of
60 times, voted 14 of 15, pocket 50 of 60, last 39 of 60."""

MOSTLY = 0.5
"""The share of the rows that a model has learned from, from which on nothing is promised of them; below, equal rows may
well have come twice."""

_share = partial(Parameter, kind=float, metavar="SHARE", section="Threshold", least=0, below=1)
_limit = partial(_share, default=None, above=True, words=NONE, takes="float in (0, 1) or None")
_A_LIMIT = "must be a share above 0 and below 1 (100%), as 0.001 or 0.1%"
THRESHOLD = (
    _limit(
        "max_false_positives", help="The most negative rows to call positive, as 0.1%.",
        meaning="The threshold of two classes is chosen on scores of held-out folds: the largest share of the negative"
                " rows that may be called positive.", refusal=f"{{max_false_positives:g}} {_A_LIMIT}",
    ),
    _limit(
        "max_false_negatives", help="The most positive rows to call negative.",
        meaning="The same the other way round.", refusal=f"{{max_false_negatives:g}} {_A_LIMIT}",
    ),
    Parameter(
        "cost", None, object, metavar="COSTS", section="Threshold", takes="dict or None",
        help="LABEL=COST,...: what a mistake on a row of each class costs; the least sum.",
        meaning="{label: what a mistake on a row of this class costs}: the threshold of the least sum.",
    ),
    _share(
        "confidence", CONFIDENCE, shown="95%", takes="float in [0, 1)",
        help="With which a limit holds for rows to come; 0: for the rows at hand only.",
        meaning="With which such a limit is to hold for rows to come; 0: for the rows at hand only.",
        refusal="{confidence:g} must be a share from 0 to below 1, as 0.95",
    ),
    Parameter(
        "at", None, float, metavar="NUMBER", section="Threshold", words=NONE,
        takes="float or None",
        help="The line itself: a probability of the positive class, or where the model has none a score.",
        meaning="Where to draw the line: a probability of the positive class in (0, 1), or where the model has none a"
                " score as learned, w·x + b.",
    ),
)  # fmt: skip
"""What a threshold is chosen by, as `Wish` has it."""


class Wish(NamedTuple):
    """What a threshold is chosen by; one of them, and the confidence.

    max_false_positives, max_false_negatives: the most of the negative (positive) class that may be called the other,
    in (0, 1). cost: label (or its text) → what a mistake on a row of that class costs, ≥ 0. confidence: with which the
    limit is to hold for rows to come, in (0, 1); 0: the share of the rows at hand is all that counts. at: the
    line itself, a probability where the model has them, else a score.
    """

    max_false_positives: float | None = None
    max_false_negatives: float | None = None
    cost: Mapping[str, float] | None = None
    confidence: float = CONFIDENCE
    at: float | None = None

    @property
    def asked(self) -> list[str]:
        """The names of what is said, but for the confidence."""
        return [name for name in self._fields if name != "confidence" and getattr(self, name) is not None]

    @property
    def empty(self) -> bool:
        return not self.asked

    def check(self) -> None:
        """SettingError where it is none of the three, or more than one, or a number is out of range."""
        asked = self.asked
        if len(asked) != 1:
            found = " and ".join(f"{{{name}.name}}" for name in asked) or "nothing"
            names = ", ".join(f"{{{name}.name}}" for name in self._fields if name != "confidence")
            raise SettingError(f"{found}: choose a threshold by one of {names}", **self._asdict())
        for each in reversed(THRESHOLD):
            each.check(getattr(self, each.name))


def chosen(model: Model, scores: Array, y: Array, wish: Wish, rows_are: str, known: float = 0.0) -> Model:
    """The model with the threshold that fits the wish best, and `choice`, the record of what it costs.

    scores: (n,) as of `Model.raw`, of rows with the labels y. rows_are: which rows, for the record. known: the share of
    them that the model has learned from; nothing is promised of those. The line is drawn midway between two scores. A
    limit never moves it so that more of the mistakes that it limits are made: the line of before then stays, and the
    record says what the limit allows. Raises SettingError for more than two classes, DataError where a class has no
    row.
    """
    wish.check()
    if model.classes.size != 2:
        raise SettingError(f"a threshold is for two classes; the model has {model.classes.size}")
    positive = y == model.classes[1]
    for label, present in zip(model.classes, (~positive, positive), strict=True):
        if not present.any():
            raise DataError(f"no row has the label {label}; a threshold is chosen by rows of both classes")
    u = scores.astype(np.float64)
    before, by = model.cut, wish.asked[0]
    record: dict[str, Any] = {"rows": rows_are, "confidence": wish.confidence, "by": by, "known": round(known, 3)}
    if wish.at is not None:
        threshold = line_at(model, wish.at)
        record["at"] = wish.at
    elif wish.cost is not None:
        costs = two_costs(wish.cost, model.classes)
        threshold = cheapest(u[~positive], u[positive], costs)
        record["cost"] = dict(zip(map(str, model.classes), costs, strict=True))
    elif wish.max_false_positives is not None:
        threshold, promise = _limited(u, ~positive, wish.max_false_positives, wish.confidence)
        threshold, record = _kept(model, threshold, max(threshold, before), {**record, **promise})
    else:
        above, promise = _limited(-u, positive, wish.max_false_negatives or 0.0, wish.confidence)
        threshold = float(np.nextafter(-above, -np.inf))  # a score equal to a threshold is negative
        threshold, record = _kept(model, threshold, min(threshold, before), {**record, **promise})
    if known >= MOSTLY and "promised" in record:
        record["promised"] = False
    there = {f"{kind}_before": n for kind, n in counted(u, positive, before).items() if kind.startswith("false")}
    record |= {**counted(u, positive, threshold), "before": before, **there}
    return replace(model, threshold=threshold, choice=record)


def _kept(model: Model, allowed: float, threshold: float, record: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """(threshold, record); where the line of before stays, with what the limit allows, as `line_at` takes it."""
    if allowed == threshold:
        return threshold, record
    if model.has_probabilities:
        plain = replace(model, threshold=None, choice=None)
        allowed = float(np.exp(plain.log_probabilities(plain.from_raw(np.array([allowed])))[0, 1]))
    return threshold, {**record, "allows": allowed}


def line_at(model: Model, at: float) -> float:
    """The raw score above which a row is positive: where the probability of the positive class is `at`, or, of a model
    without probabilities, `at` itself. SettingError for what is none."""
    if not np.isfinite(at):
        raise SettingError("{at:g} must be a finite number", at=at)
    if not model.has_probabilities:
        return float(at)
    if not 0.0 < at < 1.0:
        raise SettingError("{at:g} must be a probability between 0 and 1: the model has them", at=at)
    plain = replace(model, threshold=None, choice=None)

    def above(score: float) -> bool:
        return float(plain.log_probabilities(plain.from_raw(np.array([score])))[0, 1]) > np.log(at)

    low, high = -1.0, 1.0
    while above(low) and low > -MOST:
        low *= 2.0
    while not above(high) and high < MOST:
        high *= 2.0
    while low < (middle := low + (high - low) / 2.0) < high:
        low, high = (low, middle) if above(middle) else (middle, high)
    return low


def counted(u: Array, positive: Array, threshold: float) -> dict[str, int]:
    """The mistakes of a threshold: false positives of the negatives, false negatives of the positives."""
    return {
        "false_positives": int(np.count_nonzero(u[~positive] > threshold)),
        "negatives": int(np.count_nonzero(~positive)),
        "false_negatives": int(np.count_nonzero(u[positive] <= threshold)),
        "positives": int(np.count_nonzero(positive)),
    }


def allowed(n: int, limit: float, confidence: float) -> int | None:
    """How many of n rows may be above a threshold so that, with this confidence, the true share is at most the limit.

    The largest m whose upper Clopper–Pearson bound is ≤ limit; None where not even 0 is enough. A threshold at the
    (m + 1)-th largest of n scores is exceeded by a share that is Beta(m + 1, n − m) distributed whatever the scores'
    distribution, so nothing is lost by choosing it on the same rows (Wilks 1941).
    """
    from scipy.special import betaincinv

    few = bisect_right(range(n), limit, key=lambda m: float(betaincinv(m + 1, n - m, confidence)))
    return few - 1 if few else None


def rows_needed(limit: float, confidence: float) -> int:
    """The rows of a class, none of them wrong, that it takes to promise a limit: ln(1 − confidence)/ln(1 − limit)."""
    return int(np.ceil(np.log1p(-confidence) / np.log1p(-limit)))


def exact_interval(count: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The two-sided Clopper–Pearson interval of a share: count of n rows."""
    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2.0
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    return low, 1.0 if count == n else float(betaincinv(count + 1, n - count, 1.0 - tail))


def cheapest(negatives: Array, positives: Array, costs: tuple[float, float]) -> float:
    """The threshold of the least total cost on these scores; of equals the one with the widest gap around it, then the
    lowest. costs: of a mistake on a negative and on a positive row."""
    values = np.unique(np.concatenate([negatives, positives]))
    below = np.searchsorted(np.sort(positives), values, side="right")
    above = negatives.size - np.searchsorted(np.sort(negatives), values, side="right")
    total = np.concatenate([[costs[0] * negatives.size], costs[0] * above + costs[1] * below])
    gaps = np.concatenate([[0.0], np.diff(values), [0.0]])
    best = np.flatnonzero(total == total.min())
    place = int(best[gaps[best].argmax()])
    if place == 0:
        return float(np.nextafter(values[0], -np.inf))
    return _midway(values, place - 1)


def _limited(u: Array, own: Array, limit: float, sure: float) -> tuple[float, dict[str, Any]]:
    """(threshold, record): as low as the limit on the own class's scores above it allows."""
    n = int(np.count_nonzero(own))
    most, needed = (allowed(n, limit, sure), rows_needed(limit, sure)) if sure > 0.0 else (None, None)
    count = at_most(n, limit) if most is None else most
    border = np.sort(u[own])[n - 1 - count]
    values = np.unique(u)
    threshold = _midway(values, int(np.searchsorted(values, border)))
    return threshold, {"limit": limit, "promised": most is not None, "rows_needed": needed}


def _midway(values: Array, place: int) -> float:
    """Between a score and the next higher one; the score itself where there is none or no number between."""
    if place + 1 == values.size:
        return float(values[place])
    low, high = float(values[place]), float(values[place + 1])
    middle = low + (high - low) / 2.0
    return middle if low <= middle < high else low


def two_costs(cost: Mapping[Any, float], classes: Array) -> tuple[float, float]:
    """(of a mistake on a negative row, on a positive one). SettingError where they are no costs of these labels."""
    if not isinstance(cost, Mapping):
        raise SettingError("{cost} must be a dict of each label and what a mistake on a row of it costs", cost=cost)
    names, cost = [str(label) for label in classes], {str(label): value for label, value in cost.items()}
    unknown = [name for name in cost if name not in names]
    if unknown:
        raise SettingError(f"{{cost}} names no label; the labels are {plain(', '.join(names))}", cost=unknown[0])
    missing = [name for name in names if name not in cost]
    if missing:
        raise SettingError(f"{{cost.name}} has no cost for {plain(repr(missing[0]))}; give one for each label", cost="")
    for name, value in cost.items():
        if not isinstance(value, Real) or not (np.isfinite(value) and value >= 0.0):
            shown = f"{value:g}" if isinstance(value, Real) else repr(value)
            raise SettingError("{cost} must be a finite number ≥ 0", cost=f"{name}={shown}")
    if not any(cost.values()):
        raise SettingError("all costs are 0; then no threshold is better than another")
    return float(cost[names[0]]), float(cost[names[1]])
