"""What was learned from mails, one by one, and what it says of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from ..core.collecting import without_collecting
from ..core.rows import Array
from ..core.rows.csr import Csr, csr
from ..errors import DataError, SettingError, plural, short
from ..experts.algorithms import Hedge, restored
from ..experts.learner import Learner, learner_from
from ..parameters import Parameter
from .features import Look, Looked
from .opinion import Opinion
from .record import Counted, Record


class Expert(NamedTuple):
    """learner: as `OnlineCommittee` takes it. scale: what its score is multiplied by, so that scores of one meaning are
    mixed, and Hedge compares losses of about one size."""

    learner: Any
    scale: float


EXPERTS = (
    Expert({"rule": "logistic", "metric": "adagrad:start=0.003", "eta0": 0.7}, 1.0),
    Expert({"rule": "logistic", "metric": "adagrad:start=0.1", "eta0": 0.4}, 1.8),
    Expert({"rule": "margin", "keep": "averaged"}, 2.0),
)
"""The first is the best judge where verdicts are right, the second where some are wrong, the third where many are."""
LOST = Parameter(
    "max_false_positives", 0.001, float, "The most real mail to call spam, as 0.1%: what the threshold aims at.",
    least=0, above=True, below=1, metavar="SHARE", section="Judge", shown="0.1%",
    refusal="{max_false_positives:g} must be a share above 0 and below 1 (100%), as 0.001 or 0.1%",
)  # fmt: skip
ETA, MOST_LOSS = 0.3, 4.0
"""Of Hedge, and the logistic loss that counts as 1."""


class Learned(NamedTuple):
    """What a mail has added. columns: (m,) of its row. numbers: (k, m) to each of `Judge.numbers` there. losses: of the
    experts. counted: to the record."""

    columns: Array
    numbers: Array
    losses: Array
    counted: Counted


def check_looked(mails: Sequence[Looked]) -> None:
    """DataError where they are not what a `Look` gives."""
    if isinstance(mails, Looked) or not {*map(type, mails)} <= {Looked}:
        raise DataError("found mails that were not looked at; expected a list of what judge.look(raw) gives")


def truths(spam: Any, n: int) -> Array:
    """(n,) bool. DataError for other values, such as names: "ham" is true in Python."""
    values = np.asarray(spam)
    if values.shape != (n,) or not (values.dtype == bool or np.all((values == 0) | (values == 1))):
        found = f"found {short(spam)} for the verdicts of {plural(n, 'mail')}"
        raise DataError(f"{found}; expected True for spam or False for each")
    return values.astype(bool)


class Judge:
    """Experts that learn side by side, mixed by their records: u = Σ_k p_k·a_k·u_k, p by `Hedge`.

    Of the loss min(ln(1 + e^(−y·a_k·u_k)), `MOST_LOSS`). The score of a mail is u less the middle of what spam and ham
    had before they were learned (`Record`), and so says the same early and late.

    look: what is looked at in a mail, default `Look()`. experts: see `Expert`. max_false_positives: the share of real
    mail that may be called spam, in (0, 1), default .001. `senders` is address → (spam, ham) learned; `met`, (2^bits,),
    how many learned mails have a column, of those that are noted.
    """

    def __init__(
        self, look: Look | None = None, experts: Sequence[Expert] = EXPERTS, max_false_positives: float = LOST.default
    ) -> None:
        LOST.check(max_false_positives)
        if not isinstance(look, Look | None):
            raise SettingError("{look} must be a Look, as Look(['words'])", look=look)
        self.look, self.lost, self.record = look or Look(), max_false_positives, Record()
        nothing, made = self._rows([]), [learner_from(each.learner, fit_intercept=False) for each in experts]
        self.experts = [Learner(name, recipe.settings, nothing) for name, recipe in made]
        self.scales = np.array([each.scale for each in experts])
        self.mix = Hedge(len(self.experts), ETA)
        self.senders: dict[str, tuple[int, int]] = {}
        self.met = np.zeros(1 << self.look.bits)

    def score(self, mails: Sequence[Looked]) -> list[Opinion]:
        """What is thought of each of some mails, as `look` gives them; nothing is learned."""
        return without_collecting(self._score, mails)  # type: ignore[no-any-return]

    def _score(self, mails: Sequence[Looked]) -> list[Opinion]:
        check_looked(mails)
        rows = self._rows([self._with_sender(mail) for mail in mails])
        scores = np.stack([expert.scores(rows) for expert in self.experts], axis=1)
        return list(map(self.record.scale(self.lost).opinion, _mixed(self.mix.weights, scores * self.scales)))

    def learn(self, mails: Sequence[Looked], spam: Sequence[bool], noted: list[Learned] | None = None) -> list[Opinion]:
        """Learn the verdicts, in this order; what was thought of each before it was learned. mails: (n,), as
        of `score`. spam: (n,) bool. DataError for others. noted: gets what each has added."""
        return without_collecting(self._learn, mails, spam, noted)  # type: ignore[no-any-return]

    def _learn(self, mails: Sequence[Looked], spam: Sequence[bool], noted: list[Learned] | None) -> list[Opinion]:
        check_looked(mails)
        labels = truths(spam, len(mails)).tolist()
        y, rows = np.where(labels, 1.0, -1.0), self._rows(list(self._met(mails, labels)))
        longest, out, counted = np.ones(len(y)), list[Opinion](), list[Counted]()
        kinds = [0 if noted is None else len(each.numbers()) for each in self.experts]
        added = [np.zeros((kind, rows.indices.size)) for kind in kinds]
        stepped = zip(self.experts, added, strict=True)
        scores = np.stack([each.learn(rows, y, longest, room) for each, room in stepped], axis=1) * self.scales
        losses = np.minimum(np.logaddexp(0.0, -y[:, None] * scores), MOST_LOSS) / MOST_LOSS
        for mixed, label in zip(_mixed(self.mix.weights_along(losses), scores), labels, strict=True):
            out.append(self.record.scale(self.lost).opinion(mixed))
            counted.append(self.record.add(mixed, label))
        self.mix.run_losses(losses)
        if noted is not None:
            np.add.at(self.met, rows.indices, 1.0)
            together = np.concatenate([*added, np.ones((1, rows.indices.size))])
            cuts = pairwise(rows.indptr.tolist())
            noted += [
                Learned(rows.indices[a:b], together[:, a:b], loss, count)
                for (a, b), loss, count in zip(cuts, losses, counted, strict=True)
            ]
        return out

    def forget(self, learned: Learned, sender: str) -> None:
        """Take back what a mail has added, also from the counts of its sender. The clocks of averages go on: what is
        left is what would be there if the mail had made no step."""
        for array, more in zip(self.numbers(), learned.numbers, strict=True):
            array[learned.columns] -= more
        self.record.forget(learned.counted)
        self.mix = self._mix(self.mix.tally.loss - learned.losses)
        for address in sender.split():
            spams, hams = self.senders.get(address, (0, 0))
            self.senders[address] = spams - learned.counted.spam, hams - (not learned.counted.spam)

    def numbers(self) -> list[Array]:
        """[(2^bits,), …]: what is known of each column, by expert (see `Learner.numbers`), and `met`."""
        return [*(array for expert in self.experts for array in expert.numbers()), self.met]

    def shares(self) -> Array:
        """p_k·a_k: of each expert's score in the mixed one."""
        return np.asarray(self.mix.weights * self.scales)

    def clocks(self) -> dict[str, Any]:
        """What it has come to beside `numbers` and `senders`, as JSON holds it."""
        experts = [expert.clocks() for expert in self.experts]
        return {"experts": experts, "mix": self.mix.as_dict(), "record": self.record.as_dict()}

    def set_clocks(self, clocks: dict[str, Any]) -> None:
        """Go on from there."""
        for expert, own in zip(self.experts, clocks["experts"], strict=True):
            expert.set_clocks(own)
        self.mix, self.record = cast(Hedge, restored(clocks["mix"])), Record.of(clocks["record"])

    def begin_with(self, clocks: dict[str, Any]) -> None:
        """Begin with another judge's record and losses, having learned nothing."""
        self.record = Record.of(clocks["record"])
        self.mix = self._mix(restored(clocks["mix"]).tally.loss)

    def _mix(self, lost: Array) -> Hedge:
        """A mixture that goes on from losses which are no longer of rounds played: its own begin anew."""
        mix = Hedge(len(self.experts), ETA)
        mix.tally.loss[:] = lost
        return mix

    def state(self) -> dict[str, Any]:
        """What it has come to, as JSON holds it: weight and loss of each expert, the regret of the mixture and what it
        can be at most; the threshold and the ham above it, in percent with a 95 % interval, and whether the target is
        shown to hold."""
        names, lost = [expert.name for expert in self.experts], self.record.lost(self.lost)
        own = zip(names, self.mix.weights.tolist(), self.mix.tally.loss.tolist(), strict=True)
        return {
            "experts": [{"expert": name, "weight": p, "loss": loss} for name, p, loss in own],
            "regret": self.mix.regret,
            "regret_bound": float(self.mix.bound()),
            "threshold": self.record.threshold(self.lost),
            "target_percent": 100.0 * self.lost,
            "ham": lost.n,
            "ham_above": lost.above,
            "interval_percent": [100.0 * lost.low, 100.0 * lost.high],
            "shown": lost.shown,
        }

    def _with_sender(self, mail: Looked) -> Looked:
        return self.look.with_sender(mail, lambda address: self.senders.get(address, (0, 0)))

    def _met(self, mails: Sequence[Looked], spam: Sequence[bool]) -> Iterator[Looked]:
        """Each mail with what was known of its sender before it, which then counts it."""
        for mail, label in zip(mails, spam, strict=True):
            yield self._with_sender(mail)
            for address in mail.sender.split():
                spams, hams = self.senders.get(address, (0, 0))
                self.senders[address] = spams + label, hams + (not label)

    def _rows(self, mails: Sequence[Looked]) -> Csr:
        """Rows of length 1, all values of a row alike."""
        sizes = np.array([len(mail.columns) for mail in mails], np.int64)
        columns = np.frombuffer(b"".join([mail.columns for mail in mails]), np.uint32)
        values = np.repeat(1.0 / np.sqrt(np.maximum(sizes, 1)), sizes)
        return csr(values, columns, np.concatenate([[0], np.cumsum(sizes)]), 1 << self.look.bits)


def _mixed(weights: Array, u: Array) -> list[float]:
    """Σ_k p_k·u_k of each row, summed in one order however many rows there are."""
    return (weights * u).sum(axis=1).tolist()  # type: ignore[no-any-return]
