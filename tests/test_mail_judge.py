"""The judge of mail: the same one by one and in bulk, its mixture, its record, and what its threshold promises."""

from __future__ import annotations

import csv
import io
import tarfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import rosenblatt
from rosenblatt.core import dispatch
from rosenblatt.mail import Judge, Look, Looked
from rosenblatt.mail.judge import ETA, EXPERTS, MOST_LOSS
from rosenblatt.mail.record import FEW, Record, _step

MAILS = Path(rosenblatt.__file__).parent / "datasets" / "mails.tar.xz"


@pytest.fixture(scope="module")
def mails() -> tuple[list[Looked], list[bool]]:
    """The shipped mails, in an order of no meaning."""
    look = Look()
    with tarfile.open(MAILS) as tar:
        held = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}  # type: ignore[union-attr]
    raws = {name: raw for name, raw in held.items() if not name.endswith(".csv")}
    spam = {name: "spam" in name.split("/") for name in raws}
    index = next((name for name in held if name.endswith("index.csv")), None)
    if index is not None:
        rows = csv.DictReader(io.StringIO(held[index].decode()))
        root = index.rpartition("/")[0]
        spam = {f"{root}/{row['path']}".lstrip("/"): row["label"] == "spam" for row in rows}
    names = sorted(spam)
    order = np.random.default_rng(0).permutation(len(names))[:300]
    return [look(raws[names[i]]) for i in order], [spam[names[i]] for i in order]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dispatch, "jit_enabled", lambda: False)
    yield


def one_judge(mails: list[Looked], spam: list[bool], bits: int) -> list[float]:
    """The definition, step by step, without senders: scores u − (m₁ + m₀)/2, each before its mail is learned."""
    d, scores, log = 1 << bits, [], np.zeros(3)
    w, G, late = np.zeros((3, d)), np.zeros((2, d)), np.zeros(d)
    means, counts = [-1.0, 1.0], [3.0, 3.0]
    for t, (mail, label) in enumerate(zip(mails, spam, strict=True)):
        j, y = mail.columns.tolist(), 1.0 if label else -1.0
        x = 1.0 / np.sqrt(max(len(j), 1))
        average = w[2] - late / t if t else w[2]
        u = np.array([w[0, j].sum() * x, 1.8 * w[1, j].sum() * x, 2.0 * average[j].sum() * x])
        p = np.exp(-ETA * (log - log.min()))
        mixed = float(p / p.sum() @ u)
        scores.append(mixed - (means[0] + means[1]) / 2.0)
        counts[label] = min(counts[label] + 1.0, 200.0)
        means[label] += (mixed - means[label]) / counts[label]
        log += np.minimum(np.logaddexp(0.0, -y * u), MOST_LOSS) / MOST_LOSS
        for k, (eta, start) in enumerate([(0.7, 0.003), (0.4, 0.1)]):
            g = y * expit(-y * w[k, j].sum() * x) * x
            G[k, j] += g * g
            w[k, j] += eta * g / np.sqrt(G[k, j] + start**2)
        if y * w[2, j].sum() * x < 1.0:
            w[2, j] += y * x
            late[j] += y * x * t
    return scores


def test_it_is_its_definition(plain: None, mails: Any) -> None:
    look = Look(["words", "headers"], 12)
    few = [Looked(array("I", sorted({column & 4095 for column in mail.columns})), "") for mail in mails[0][:60]]
    found = [opinion.score for opinion in Judge(look).learn(few, mails[1][:60])]
    np.testing.assert_allclose(found, one_judge(few, mails[1][:60], 12), rtol=1e-9, atol=1e-12)


def test_one_by_one_and_in_bulk_are_the_same(mails: Any) -> None:
    looked, spam = mails
    single, bulk = Judge(), Judge()
    one_by_one = []
    for mail, label in zip(looked, spam, strict=True):
        one_by_one += single.score([mail])
        assert single.learn([mail], [label]) == one_by_one[-1:], "what is learned from is what was judged"
    assert bulk.learn(looked, spam) == one_by_one
    assert single.senders == bulk.senders and sum(map(sum, single.senders.values())) > 200
    wrong = sum((opinion.score > 0) != label for opinion, label in zip(one_by_one[100:], spam[100:], strict=True))
    assert wrong < 20, "it learns"
    assert all((opinion.probability > 0.5) == (opinion.score > 0) for opinion in one_by_one)


def test_judging_changes_nothing(mails: Any) -> None:
    looked, spam = mails
    judge = Judge()
    judge.learn(looked[:50], spam[:50])
    first = judge.score(looked)
    assert judge.score(looked) == first and judge.score(looked[3:4]) == first[3:4]


def test_who_is_known_counts_only_mails_before(mails: Any) -> None:
    mail, judge = mails[0][0]._replace(sender="ann@example.org"), Judge()
    met = list(judge._met([mail, mail, mail], [False, True, False]))
    new = [set(each.columns) - set(mail.columns) for each in met]
    look = judge.look
    assert new[0] == {look.column("known:never")} and new[1] == {look.column("known.ham:1")}
    assert new[2] == {look.column("known.ham:1"), look.column("known.spam:1")}
    assert judge.senders == {"ann@example.org": (1, 2)}
    without = Judge(Look().without("senders"))
    assert list(without._met([mail], [True])) == [mail]


def test_a_mail_without_any_column_has_an_opinion() -> None:
    judge = Judge()
    assert judge.score([Looked(array("I"), "")])[0] == (0.0, 0.5, "unsure")
    judge.learn([Looked(array("I"), ""), Looked(array("I", [7]), "")], [True, False])
    assert len(EXPERTS) == 3 and np.isfinite(judge.score([Looked(array("I"), "")])[0].score)


# --- the record ------------------------------------------------------------------------------------------------------


def test_before_much_ham_a_margin_stands_for_the_target() -> None:
    record = Record()
    for _ in range(FEW - 1):
        record.add(-3.0, False)
    assert record.threshold(0.001) == 4.0 / record.slope
    record.add(-3.0, False)
    assert 0.0 < record.threshold(0.001) < 0.011, "no ham was ever above 0"


@pytest.mark.parametrize("target", [0.0, 0.001, 0.02])
def test_the_threshold_meets_the_target_on_the_record(target: float) -> None:
    g, record, scores = np.random.default_rng(0), Record(), []
    for u, spam in zip(g.normal(0.0, 2.0, 4000), g.random(4000) < 0.4, strict=True):
        u = u + (4.0 if spam else -4.0)
        scores += [] if spam else [u - record.middle]
        record.add(u, bool(spam))
    threshold, ham = record.threshold(target), np.array(scores)
    assert np.mean(ham > threshold) <= target < np.mean(ham > threshold - 0.06 - 0.04 * abs(threshold)) + 1e-9
    lost = record.lost(target)
    assert (lost.above, lost.n) == (int((ham > threshold).sum()), len(ham)) and lost.low <= lost.above / lost.n


def test_one_in_a_thousand_takes_2995_ham_to_be_shown() -> None:
    record = Record()
    record.counts[0, 500] = 2994
    assert not record.lost(0.001).shown
    record.counts[0, 500] += 1
    assert record.lost(0.001).shown and not Record().lost(0.001).shown


@pytest.mark.parametrize("spread", [0.001, 0.3, 5.0])
@pytest.mark.parametrize("share", [0.0008, 0.00101, 0.0015, 0.004])
def test_shown_is_said_of_what_is_not_so_in_at_most_5_of_100_streams(share: float, spread: float) -> None:
    """Ham whose scores are above 0 with this share, there exponential: the true share above the threshold is known."""
    g, wrong, streams, record = np.random.default_rng(1), 0, 1000, Record()
    for above in g.binomial(6000, share, streams):
        record.counts[0] = 0
        record.counts[0, 900] = 6000 - above
        np.add.at(record.counts[0], [_step(score) for score in g.exponential(spread, above)], 1)
        true = share * np.exp(-record.threshold(0.001) / spread)
        wrong += record.lost(0.001).shown and true > 0.001
    assert wrong <= streams * 0.05 + 3 * np.sqrt(streams * 0.05 * 0.95)


def test_the_slope_makes_probabilities_true() -> None:
    """Of the mails at p = .8 four of five are spam, where there is as much of it as of ham."""
    g, record = np.random.default_rng(2), Record()
    u, spam = g.normal(0.0, 1.0, 20_000), g.random(20_000) < 0.5
    for value, label in zip(u + np.where(spam, 1.0, -1.0), spam, strict=True):
        record.add(float(value), bool(label))
    assert record.slope == pytest.approx(2.0, rel=0.1) and abs(record.middle) < 0.2
