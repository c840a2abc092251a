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
"""Of asinh(u), so that a step is .02 near 0 and 2 % of larger scores."""
LARGEST = 1_000
"""Steps on each side of 0: scores up to 2·10⁸."""
SCORES = np.sinh(np.arange(-LARGEST, LARGEST + 1) / STEPS)
FEW = 500
"""Ham below which the record says too little of one in a thousand."""
MARGIN = 4.0
"""Log-odds of spam from which on a mail is called so until then."""
UNCERTAIN = 0.1
"""Probability of spam from which on a mail is not called ham."""
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
    """counts: (2, 2·LARGEST + 1), ham and spam by step of the score."""

    def __init__(self) -> None:
        self.counts = np.zeros((2, 2 * LARGEST + 1), np.int64)

    def add(self, score: float, spam: bool, times: int = 1) -> None:
        """Count a mail; times=−1 takes one back."""
        self.counts[int(spam), _step(score)] += times

    def line(self) -> tuple[float, float]:
        """(slope, middle) of P(spam) = 1/(1 + e^(−slope·(u − middle))), the likeliest for these counts; 1 and 0 until
        both verdicts have come."""
        there = self.counts.sum(axis=0) > 0
        if not self.counts.sum(axis=1).all():
            return 1.0, 0.0
        u, counts = SCORES[there], self.counts[:, there]
        curve = sigmoid(np.tile(u, 2), np.repeat([False, True], u.size), counts.ravel().astype(float))
        return curve.slope, curve.middle

    def threshold(self, lost: float, early: float) -> float:
        """The least score above which at most a share `lost` of the ham was. early: below `FEW` ham."""
        ham = self.counts[0]
        if ham.sum() < FEW:
            return early
        above = np.concatenate([np.cumsum(ham[::-1])[::-1][1:], [0]])
        first = int(np.argmax(above <= lost * ham.sum()))
        return math.sinh((first - LARGEST + 0.5) / STEPS)

    def lost(self, threshold: float, target: float) -> Lost:
        ham = self.counts[0]
        n = int(ham.sum())
        count = int(ham[_step(threshold) + 1 :].sum()) if n else 0
        low, high = exact_interval(count, n, SHOWN) if n else (0.0, 1.0)
        one_sided = exact_interval(count, n, 2 * SHOWN - 1)[1] if n else 1.0
        return Lost(count, n, low, high, one_sided <= target)


def _step(score: float) -> int:
    return min(max(round(STEPS * math.asinh(score)), -LARGEST), LARGEST) + LARGEST
