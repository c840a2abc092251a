"""What was thought of mails before their verdicts came: from it follow probabilities, and from where on mail is spam.

A count for each verdict and step of the score. So a verdict is taken back by counting down, and a million mails take
no more room than a thousand.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..model.calibration import sigmoid
from ..model.thresholds import exact_interval

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
UNCERTAIN = 0.1
"""Probability of spam from which on a mail is not called ham."""
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


class Record:
    """counts: (2, 2·LARGEST + 1), ham and spam by step of their score, which was u − middle at the time; totals: of
    both, as to sum the counts for each mail takes longer than to learn it. means: of u,
    ham's and spam's, of the last `REMEMBERED` or so. slope: log-odds of spam for each unit of score."""

    def __init__(self) -> None:
        self.counts = np.zeros((2, 2 * LARGEST + 1), np.int64)
        self.totals = [0, 0]
        self.means, self.weights = [-1.0, 1.0], [START, START]
        self.slope, self._next = 1.0, 10.0

    @property
    def middle(self) -> float:
        return (self.means[0] + self.means[1]) / 2.0

    def add(self, u: float, spam: bool) -> None:
        """Count a mail with its verdict."""
        kind = int(spam)
        self.counts[kind, _step(u - self.middle)] += 1
        self.totals[kind] += 1
        self.weights[kind] = min(self.weights[kind] + 1.0, REMEMBERED)
        self.means[kind] += (u - self.means[kind]) / self.weights[kind]
        if sum(self.totals) >= self._next and all(self.totals):
            self._next = sum(self.totals) * AGAIN
            self.slope = self._fitted()

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

    def verdict(self, score: float, lost: float) -> str:
        if score > 0.0 and score > self.threshold(lost):  # which is above 0, and takes 6 µs
            return "spam"
        return "ham" if self.slope * score < math.log(UNCERTAIN / (1.0 - UNCERTAIN)) else "unsure"

    def lost(self, target: float) -> Lost:
        """What became of the ham at the threshold for this target."""
        ham = self.counts[0]
        n = int(ham.sum())
        above = int(ham[_step(self.threshold(target)) + 1 :].sum())
        low, high = exact_interval(above, n, SHOWN) if n else (0.0, 1.0)
        return Lost(above, n, low, high, n > 0 and exact_interval(above, n, 2.0 * SHOWN - 1.0)[1] <= target)


def _step(score: float) -> int:
    return min(max(round(STEPS * math.asinh(score)), -LARGEST), LARGEST) + LARGEST
