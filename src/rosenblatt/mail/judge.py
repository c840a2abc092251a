"""What was learned from mails, one by one, and what it says of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..core.rows.csr import Csr, csr
from ..experts.algorithms import Hedge
from ..experts.learner import Learner, learner_from
from ..rules.functions import sigmoid
from .features import Look, Looked
from .record import MARGIN, UNCERTAIN, Record

EXPERTS: tuple[Any, ...] = ({"rule": "logistic", "metric": "adagrad", "eta0": 0.7}, "arow:r=0.1", "averaged margin")


class Opinion(NamedTuple):
    """score: Σ_k p_k·u_k, above 0 rather spam. probability: of spam. verdict: spam, ham or unsure."""

    score: float
    probability: float
    verdict: str


class Judge:
    """Experts that learn side by side, mixed by their records: u = Σ_k p_k·u_k.

    look: what is looked at in a mail. experts: learners as `OnlineCommittee` takes them. lost: the share of real mail
    that may be called spam.
    """

    def __init__(self, look: Look = Look(), experts: Sequence[Any] = EXPERTS, lost: float = 0.001) -> None:  # noqa: B008
        self.look, self.lost, self.record = look, lost, Record()
        nothing = self._rows([])
        made = [learner_from(each) for each in experts]
        self.experts = [Learner(name, recipe.settings, nothing) for name, recipe in made]
        self.mix = Hedge(len(self.experts))

    def score(self, mails: Sequence[Looked]) -> list[Opinion]:
        """What is thought of each; nothing is learned."""
        rows = self._rows(mails)
        scores = np.stack([expert.scores(rows) for expert in self.experts], axis=1)
        return [self._opinion(u, self.mix.weights) for u in scores]

    def learn(self, mails: Sequence[Looked], spam: Sequence[bool]) -> list[Opinion]:
        """Learn the verdicts, in this order; what was thought of each before it was learned."""
        rows, y = self._rows(mails), np.where(np.asarray(spam, bool), 1.0, -1.0)
        scores = np.stack([each.learn(rows, y, np.full(len(y), 2.0)) for each in self.experts], axis=1)
        out = []
        for u, label in zip(scores, y, strict=True):
            out.append(self._opinion(u, self.mix.weights))
            self.record.add(out[-1].score, bool(label > 0))
            self.mix.update_losses(1.0 / (1.0 + np.exp(np.clip(label * u, -30, 30))))
        return out

    def _rows(self, mails: Sequence[Looked]) -> Csr:
        """Rows of length 1, all values of a row alike."""
        sizes = np.array([len(mail.columns) for mail in mails], np.int64)
        columns = np.concatenate([np.array(mail.columns, np.uint32) for mail in mails] or [np.empty(0, np.uint32)])
        values = np.repeat(1.0 / np.sqrt(np.maximum(sizes, 1)), sizes)
        return csr(values, columns, np.concatenate([[0], np.cumsum(sizes)]), 1 << self.look.bits)

    def _opinion(self, u: Array, p: Array) -> Opinion:
        score = float(p @ u)
        slope, middle = self.record.line()
        probability = float(sigmoid(slope * (score - middle)))
        spam = score > max(middle, self.record.threshold(self.lost, middle + MARGIN / slope))
        return Opinion(score, probability, "spam" if spam else "ham" if probability < UNCERTAIN else "unsure")
