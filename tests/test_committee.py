"""Learners as experts: a committee on a stream, scored before it learns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import well
from rosenblatt import LinearClassifier
from rosenblatt.datasets import load_sms, load_spambase, path
from rosenblatt.errors import DataError, SettingError
from rosenblatt.experts import (
    OnlineCommittee,
)

# --- the committee ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", ["last", "averaged"])
@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive", "logistic"])
def test_a_learner_is_scored_before_it_learns(rule: str, keep: str) -> None:
    """Row by row the same as a model that has learned the rows before; afterwards the same weights."""
    table = load_spambase()
    order = np.random.default_rng(0).permutation(len(table.y))[:60]
    x, y = table.X[order] / 100.0, table.y[order]
    committee = OnlineCommittee([{"rule": rule, "keep": keep, "eta0": 0.5}])
    advice, _ = committee.advise(x, y)
    model = LinearClassifier(rule=rule, keep=keep, eta0=0.5, max_iter=1, shuffle=False, tol=None)
    for t in range(1, 60):
        if len(set(y[:t])) == 2:
            model.fit(x[:t], y[:t])
            assert advice[t, 0] == (model.decision_function(x[t : t + 1])[0] > 0.0)
    model.fit(x, y)
    w, b = committee._learners[0].run.memory.answer(committee._learners[0].run.state)
    assert w.tolist() == model.coef_.tolist() and b.tolist() == model.intercept_.tolist()


@pytest.mark.parametrize("keep", ["last", "averaged"])
@pytest.mark.parametrize("metric", ["arow", "adagrad", "normalised", "ftrl"])
def test_a_learner_with_a_metric_learns_as_alone(metric: str, keep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside one without, to the last bit; and so do its name and its settings."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    x, y = np.random.default_rng(4).normal(size=(50, 3)) * [1.0, 10.0, 0.1], np.tile([0, 1, 1, 0, 1], 10)
    words = {"metric": metric} if metric == "arow" else {"rule": "logistic", "metric": metric, "alpha": 0.1}
    text = f"{keep} {metric}".removeprefix("last ") if metric == "arow" else {**words, "keep": keep}
    committee = OnlineCommittee([text, "perceptron"])
    committee.partial_fit(x[:20], y[:20]).partial_fit(x[20:], y[20:])
    model = LinearClassifier(**words, keep=keep, max_iter=1, shuffle=False, tol=None).fit(x, y)
    w, b = committee._learners[0].run.memory.answer(committee._learners[0].run.state)
    assert w.tolist() == model.coef_.tolist() and b.tolist() == model.intercept_.tolist()
    with pytest.raises(SettingError, match="a learner of a stream takes l1 with ftrl only"):
        OnlineCommittee([{"rule": "logistic", "l1": 0.1}]).partial_fit(x, y)


@given(st.lists(st.integers(0, 80), max_size=4))
def test_calls_may_cut_the_stream_anywhere(cuts: list[int]) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(80, 4))
    y = np.where(x @ [1.0, -1.0, 0.5, 0.0] + 0.3 * random.normal(size=80) > 0, "b", "a")
    whole, parts = OnlineCommittee(), OnlineCommittee()
    whole.partial_fit(x, y)
    places = [0, *sorted(cuts), 80]
    for a, b in zip(places[:-1], places[1:], strict=True):
        if a < b:
            parts.partial_fit(x[a:b], y[a:b], classes=["a", "b"])
    assert parts.mistakes_.tolist() == whole.mistakes_.tolist()
    assert parts.algorithm_.weights.tolist() == whole.algorithm_.weights.tolist()
    assert parts.predict(x).tolist() == whole.predict(x).tolist()


def test_weights_over_time_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 8 entries for 512: 37 places are halved twice, to 9. Half a million rows took 9 s."""
    monkeypatch.setattr("rosenblatt.experts.committee.CURVE", 8)
    x = np.random.default_rng(4).normal(size=(300, 1))
    committee = OnlineCommittee(["perceptron", "margin"], "hedge").fit(x, x[:, 0] > 0)
    assert committee.history_["rows"] == [32 * i for i in range(1, 10)]
    assert len(committee.history_["weights"]) == 9 and committee.rows_ == 300


def test_committee_refuses() -> None:
    x = np.eye(3)
    for learners, y, said in (
        (["voted perceptron"], [0, 1, 1], "unknown rule 'voted perceptron'"),
        ([{"rule": "perceptron", "keep": "voted"}], [0, 1, 1], "keeps last or averaged"),
        (["perceptron", "perceptron"], [0, 1, 1], "each once"),
        (["perceptron"], [0, 1, 2], "found 3"),
        (["perceptron"], [1, 1, 1], "name both with classes"),
    ):
        with pytest.raises((SettingError, DataError), match=said):
            OnlineCommittee(learners).partial_fit(x, y)
    committee = OnlineCommittee(["perceptron"]).partial_fit(x, [0, 1, 1])
    with pytest.raises(DataError, match="2 features, those before 3"):
        committee.partial_fit(np.eye(2), [0, 1])
    with pytest.raises(DataError, match="unknown label 5"):
        committee.partial_fit(x, [0, 1, 5])
    assert committee.rows_ == 3


def test_committee_on_the_sms_stream() -> None:
    """Which rule should I trust on this stream? Close to the best, and every bound holds."""
    told = json.loads(well("experts", path("sms"), "--learners", "perceptron,averaged perceptron,margin", "--json").out)
    mistakes = {each["name"]: each["mistakes"] for each in told["experts"]}
    assert told["rounds"] == len(load_sms()[0]) == 4459
    assert min(mistakes, key=lambda name: mistakes[name]) == "averaged perceptron"
    for each in told["algorithms"]:
        assert each["held"] in (True, None)
        assert each["expected_mistakes"] <= 1.2 * min(mistakes.values())


def test_committee_on_the_mail_stream() -> None:
    done = well(
        "experts", path("mails"), "--learners", "perceptron,passive-aggressive", "--order", "shuffled", "--json"
    )
    told = json.loads(done.out)
    best = min(each["mistakes"] for each in told["experts"])
    assert 0 < best < 0.2 * told["rounds"]
    assert all(each["held"] is not False for each in told["algorithms"])
