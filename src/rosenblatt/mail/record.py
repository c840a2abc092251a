"""What was thought of mails before their verdicts came: from it follow probabilities, and from where on mail is spam.

A count for each verdict and step of the score. So a verdict is taken back by counting down, and a million mails take
no more room than a thousand.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..model.calibration import sigmoid
from ..model.thresholds import exact_interval
from .opinion import Scale

STEPS = 50
"""Of asinh(score): a step is .02 near 0, and 2 % of larger scores."""
LARGEST = 1_000
"""Steps on each side of 0: scores up to 2·10⁸."""
SCORES = np.sinh(np.arange(-LARGEST, LARGEST + 1) / STEPS)
START, REMEMBERED = 3.0, 200.0
"""Mails of each verdict that the means begin with, at ±1; mails that they go back."""
FEW = 500
"""Ham below which the record says too little of one in a thousand."""
MARGIN = 4.0
"""Log-odds of spam from which on a mail is called so until then."""
AGAIN = 1.02
"""The slope is fitted again after so much more mail: a fit takes 1 ms."""
SHOWN = 0.95


class Lost(NamedTuple):
    """What the spam threshold promises. above: how many of n ham were above it. low, high: the 95 % interval of their
    share. shown: whether the target lies above the one-sided interval; for 1 in 1,000 that takes 2,995 ham without a
    loss."""

    above: int
    n: int
    low: float
    high: float
    shown: bool


class Counted(NamedTuple):
    """What a mail has added. spam: its verdict. at: the place of its step. more: to the mean."""

    spam: bool
    at: int
    more: float


class Record:
    """counts: (2, 2·LARGEST + 1), ham and spam by step of their score, which was u − middle at the time. totals: of
    both, as to sum the counts for each mail takes longer than to learn it. means: of u, ham's and spam's, of the last
    `REMEMBERED` or so. slope: log-odds of spam for each unit of score."""

    def __init__(self) -> None:
        self.counts = np.zeros((2, 2 * LARGEST + 1), np.int64)
        self.totals = [0, 0]
        self.means, self.weights = [-1.0, 1.0], [START, START]
        self.slope, self._next = 1.0, 10.0

    @property
    def middle(self) -> float:
        return (self.means[0] + self.means[1]) / 2.0

    def add(self, u: float, spam: bool) -> Counted:
        """Count a mail with its verdict."""
        kind, at = int(spam), _step(u - self.middle)
        self.counts[kind, at] += 1
        self.totals[kind] += 1
        self.weights[kind] = min(self.weights[kind] + 1.0, REMEMBERED)
        more = (u - self.means[kind]) / self.weights[kind]
        self.means[kind] += more
        if sum(self.totals) >= self._next and all(self.totals):
            self._next = sum(self.totals) * AGAIN
            self.slope = self._fitted()
        return Counted(spam, at, more)

    def recount(self, counted: Counted, at: int) -> Counted:
        """Count it at the place of another score: one that was learned before was met with less of a chance to err."""
        self.counts[int(counted.spam), counted.at] -= 1
        self.counts[int(counted.spam), at] += 1
        return counted._replace(at=at)

    def forget(self, counted: Counted) -> None:
        """Take a mail back."""
        self.counts[int(counted.spam), counted.at] -= 1
        self.totals[int(counted.spam)] -= 1
        self.means[int(counted.spam)] -= counted.more

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it; counts as (kind, step, mails)."""
        places = np.argwhere(self.counts)
        counts = [[int(kind), int(at), int(self.counts[kind, at])] for kind, at in places]
        own = {"means": self.means, "weights": self.weights, "slope": self.slope, "next": self._next}
        return {"counts": counts, **own}

    @classmethod
    def of(cls, saved: dict[str, Any]) -> Record:
        """The inverse of `as_dict`."""
        made = cls()
        for kind, at, mails in saved["counts"]:
            made.counts[kind, at] = mails
            made.totals[kind] += mails
        made.means, made.weights = list(saved["means"]), list(saved["weights"])
        made.slope, made._next = saved["slope"], saved["next"]
        return made

    def _fitted(self) -> float:
        there = self.counts.sum(axis=0) > 0
        u, counts = SCORES[there], self.counts[:, there]
        return sigmoid(np.tile(u, 2), np.repeat([False, True], u.size), counts.ravel().astype(float)).slope

    def threshold(self, lost: float) -> float:
        """The least score above 0, at the end of a step, above which at most a share `lost` of the ham was."""
        upto = np.cumsum(self.counts[0])
        n = int(upto[-1])
        if n < FEW:
            return MARGIN / self.slope
        step = int(np.searchsorted(upto, n - math.floor(lost * n)))
        return math.sinh((max(0, step - LARGEST) + 0.5) / STEPS)

    def scale(self, lost: float) -> Scale:
        """Where the threshold for this target is takes 6 µs."""
        return Scale(self.middle, self.slope, self.threshold(lost))

    def lost(self, target: float) -> Lost:
        """What became of the ham at the threshold for this target."""
        ham = self.counts[0]
        n = int(ham.sum())
        above = int(ham[_step(self.threshold(target)) + 1 :].sum())
        low, high = exact_interval(above, n, SHOWN) if n else (0.0, 1.0)
        return Lost(above, n, low, high, n > 0 and exact_interval(above, n, 2.0 * SHOWN - 1.0)[1] <= target)


def _step(score: float) -> int:
    return min(max(round(STEPS * math.asinh(score)), -LARGEST), LARGEST) + LARGEST
