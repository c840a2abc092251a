"""What is thought of a mail: its score, a probability, and one of three verdicts. Plain Python."""

import math
from typing import NamedTuple

from ..rules.functions import sigmoid

VERDICTS = ("spam", "unsure", "ham")
UNCERTAIN = 0.1
"""Probability of spam from which on a mail is not called ham."""


class Opinion(NamedTuple):
    """score: u − (m₁ + m₀)/2, above 0 rather spam. probability: of spam, where there is as much of it as of ham.
    verdict: spam, ham or unsure."""

    score: float
    probability: float
    verdict: str


class Scale(NamedTuple):
    """How a mixed score u is read. middle: (m₁ + m₀)/2. slope: log-odds of spam for each unit above it. threshold:
    score above which a mail is spam."""

    middle: float
    slope: float
    threshold: float

    def opinion(self, mixed: float) -> Opinion:
        return self.of_score(mixed - self.middle)

    def of_score(self, score: float) -> Opinion:
        probability = sigmoid(self.slope * score)
        if score > self.threshold:
            return Opinion(score, probability, "spam")
        ham = self.slope * score < math.log(UNCERTAIN / (1.0 - UNCERTAIN))
        return Opinion(score, probability, "ham" if ham else "unsure")
