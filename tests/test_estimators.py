"""The estimators: going on, weights, labels, probabilities, and what users of linear models ran into."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    LinearClassifier,
    LogisticUnit,
    MultiClassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
)
from rosenblatt.learn.settings import DEFAULTS
from samples import KEEPS, NAMES, same, three_classes, two_classes

# --- going on ---


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("rule", ["perceptron", "margin", "logistic"])
@pytest.mark.parametrize("classes", [2, 3])
def test_one_fit_is_many_resumed_ones(keep: str, rule: str, classes: int) -> None:
    """peers.md, Training: warm start resets the step counter (scikit-learn#10011, #4306)."""
    x, y = two_classes() if classes == 2 else three_classes()
    words: dict[str, Any] = {"keep": keep, "tol": None, "learning_rate": "inverse", "alpha": 1e-4}
    whole = LinearClassifier(rule, max_iter=8, **words).fit(x, y)
    warm = LinearClassifier(rule, max_iter=1, warm_start=True, **words)
    parts = LinearClassifier(rule, **words)
    for _ in range(8):
        warm.fit(x, y)
        parts.partial_fit(x, y, classes=np.unique(y))
    assert same(whole, warm, x) and same(whole, parts, x)
    assert whole.n_iter_ == warm.n_iter_ == 8


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
@pytest.mark.parametrize("sparse", [False, True])
def test_chunks_in_the_given_order_are_one_pass(keep: str, sparse: bool) -> None:
    x, y = three_classes()
    rows = csr_array(x) if sparse else x
    whole = LinearClassifier(keep=keep, max_iter=1, shuffle=False).fit(rows, y)
    parts = LinearClassifier(keep=keep, shuffle=False)
    for at in range(0, len(y), 40):
        parts.partial_fit(rows[at : at + 40], y[at : at + 40], classes=[0, 1, 2])
    assert np.array_equal(whole.coef_, parts.coef_) and whole.t_ == parts.t_
    assert np.array_equal(whole.decision_function(rows), parts.decision_function(rows))


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("multi_class", ["one-vs-rest", "multi-class-perceptron"])
def test_memories_of_three_classes_go_on(keep: str, multi_class: str) -> None:
    """peers.md, Training: averaging with three classes crashed on the second partial_fit (scikit-learn#5246)."""
    x, y = three_classes()
    model = LinearClassifier(keep=keep, multi_class=multi_class)
    for rows in (x, csr_array(x), x):
        model.partial_fit(rows, y, classes=[0, 1, 2])
    assert model.score(x, y) > 0.6 and model.coef_.shape == (3, 4)


def test_calls_that_do_not_fit_the_first() -> None:
    """peers.md, Training: an unseen label in a later batch (#11759), a changed width (#4906) are clear errors."""
    x, y = two_classes()
    model = LinearClassifier().partial_fit(x, y, classes=[0, 1])
    with pytest.raises(ValueError, match="row 6: unknown label 7; the classes are 0, 1"):
        model.partial_fit(x, np.r_[y[:5], 7, y[6:]])
    with pytest.raises(ValueError, match="4 features"):
        model.partial_fit(x[:, :4], y)
    with pytest.raises(ValueError, match="needs classes"):
        LinearClassifier().partial_fit(x, y)
    with pytest.raises(ValueError, match="differ from those of the first call"):
        model.partial_fit(x, y, classes=[0, 1, 2])


def test_weights_that_are_all_zero() -> None:
    """peers.md, Training: a no-op in partial_fit, an error in fit (scikit-learn PR 33449)."""
    x, y = two_classes()
    model = LinearClassifier().partial_fit(x, y, classes=[0, 1])
    before, t = model.coef_.copy(), model.t_
    model.partial_fit(x, y, sample_weight=np.zeros(len(y)))
    assert np.array_equal(model.coef_, before) and model.t_ == t
    with pytest.raises(ValueError, match="all sample weights are zero"):
        LinearClassifier().fit(x, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="row 3: sample weight -1"):
        LinearClassifier().fit(x, y, sample_weight=np.r_[1, 1, -1, np.ones(len(y) - 3)])


def test_given_start() -> None:
    x, y = two_classes()
    first = LinearClassifier(max_iter=2, shuffle=False).fit(x, y)
    on = LinearClassifier(max_iter=1, shuffle=False).fit(x, y, coef_init=first.coef_, intercept_init=first.intercept_)
    assert np.array_equal(on.coef_, LinearClassifier(max_iter=3, shuffle=False).fit(x, y).coef_)
    x, y = three_classes()
    start = np.arange(12.0).reshape(3, 4)
    assert LinearClassifier(max_iter=1).fit(x, y, coef_init=start).coef_.shape == (3, 4)
    with pytest.raises(ValueError, match=r"must have shapes \(3, 4\) and \(3,\)"):
        LinearClassifier().fit(x, y, coef_init=start[:2])


def test_given_order() -> None:
    x, y = two_classes()
    order = np.random.default_rng(5).permutation(len(y))
    ordered = LinearClassifier(max_iter=4).fit(x, y, order=order)
    assert np.array_equal(ordered.coef_, LinearClassifier(max_iter=4, shuffle=False).fit(x[order], y[order]).coef_)
    with pytest.raises(ValueError, match=r"order\[1\] is row 500; the rows are 0 … 119"):
        LinearClassifier().fit(x, y, order=[0, 500])


def test_history_and_callback() -> None:
    """peers.md, Training: no loss curve, no progress bar (scikit-learn#26494, #18773)."""
    x, y = two_classes()
    seen: list[int] = []

    def watch(event: Any) -> bool:
        seen.append(event.run.history["mistakes"][-1])
        return len(seen) == 4

    model = LinearClassifier("logistic", tol=None).fit(x, y, callback=watch)
    assert model.stop_reason_ == "stopped by the callback" and model.n_iter_ == 4
    assert seen == model.mistakes_ == model.history_["mistakes"]
    assert len(model.history_["loss"]) == 4 and model.history_["loss"][-1] < np.log(2)


def test_a_place_in_other_rows_is_forgotten() -> None:
    x, y = two_classes()
    for begun in (
        LinearClassifier(max_updates=7, shuffle=False).partial_fit(x, y, classes=[0, 1]),
        LinearClassifier(max_updates=7, shuffle=False, warm_start=True).fit(x, y),
    ):
        seen = begun.t_
        assert seen < len(y) and begun.n_updates_ == 7
        begun.set_params(max_updates=None, max_iter=1)
        (begun.fit if begun.warm_start else begun.partial_fit)(x[:50], y[:50])
        assert begun.t_ - seen == 50


def test_the_update_limit_is_that_of_a_call() -> None:
    x, y = two_classes()
    model = LinearClassifier(max_updates=7, shuffle=False)
    for call in (1, 2, 3):
        assert model.partial_fit(x, y, classes=[0, 1]).n_updates_ == 7 * call
        assert model.stop_reason_ == "step limit (max_updates=7)"
    picked = LinearClassifier(optimizer="pick-first", max_updates=7, warm_start=True).fit(x, y)
    assert picked.n_updates_ == 7 and picked.fit(x, y).n_updates_ == 14


def test_a_pocket_stopped_in_mid_epoch_considers_the_last_weights() -> None:
    rng = np.random.default_rng(28)
    x = rng.normal(size=(30, 2))
    y = (x[:, 0] + 0.3 * rng.normal(size=30) > 0).astype(int)
    for updates in range(1, 12):
        pocket, last = (LinearClassifier(keep=keep, max_updates=updates).fit(x, y) for keep in ("pocket", "last"))
        assert pocket.score(x, y) >= last.score(x, y)


def test_what_cannot_change_while_learning_goes_on() -> None:
    x, y = two_classes()
    model = LinearClassifier(warm_start=True, max_iter=1).fit(x, y)
    faster = clone(model).fit(x, y).set_params(eta0=2.0, alpha=0.01).fit(x, y)
    assert faster.model_.run.settings.eta0 == 2.0 and faster.model_.run.settings.alpha == 0.01
    for words in ({"rule": "logistic"}, {"keep": "averaged"}, {"fit_intercept": False}, {"positive": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(words))} cannot change while learning goes on"):
            clone(model).fit(x, y).set_params(**words).fit(x, y)
    with pytest.raises(ValueError, match="coef_init and intercept_init begin a new fit"):
        model.fit(x, y, coef_init=np.ones(6))
    with pytest.raises(ValueError, match="intercept_init must be 0 with fit_intercept=False"):
        LinearClassifier(fit_intercept=False).fit(x, y, intercept_init=3.0)
    with pytest.raises(ValueError, match="coef_init and intercept_init must be finite"):
        LinearClassifier().fit(x, y, coef_init=[np.nan] * 6)
    with pytest.raises(ValueError, match="an order cannot be given"):
        LinearClassifier(optimizer="pick-first").fit(x, y, order=[3])
    with pytest.raises(ValueError, match="the scorer returned NaN"):
        PocketPerceptron(scoring=lambda *_: np.nan).fit(x, y)


# --- weights ---


@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive", "logistic"])
def test_a_weight_multiplies_the_step(rule: str) -> None:
    x, y = np.array([[1.0, 2.0]]), np.array([1])
    one = LinearClassifier(rule, eta0=0.1).partial_fit(x, y, classes=[0, 1])
    three = LinearClassifier(rule, eta0=0.1).partial_fit(x, y, classes=[0, 1], sample_weight=[3.0])
    assert np.allclose(three.coef_, 3.0 * one.coef_) and np.allclose(three.intercept_, 3.0 * one.intercept_)


def test_a_weight_is_not_repetition() -> None:
    """peers.md, Training: weights [1, 2, 1, 3] gave (7, 0.5), repeats (3, 1.5): say so, and test it."""
    x, y = two_classes()
    weight = np.arange(len(y)) % 3 + 1
    weighted = LinearClassifier(max_iter=1, shuffle=False).fit(x, y, sample_weight=weight)
    repeated = LinearClassifier(max_iter=1, shuffle=False).fit(np.repeat(x, weight, axis=0), np.repeat(y, weight))
    assert not np.allclose(weighted.coef_, repeated.coef_)


def test_rows_of_weight_zero_are_left_out() -> None:
    x, y = two_classes()
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    left_out = LinearClassifier(max_iter=4, shuffle=False).fit(x, y, sample_weight=weight)
    without = LinearClassifier(max_iter=4, shuffle=False).fit(x[weight > 0], y[weight > 0])
    assert np.array_equal(left_out.coef_, without.coef_)


def test_class_weights() -> None:
    """peers.md, Training: class_weight="balanced" is refused in partial_fit (PR 3636); here: running counts."""
    x, y = two_classes()
    by_class = LinearClassifier(max_iter=2, class_weight={0: 2.0, 1: 0.5}).fit(x, y)
    by_row = LinearClassifier(max_iter=2).fit(x, y, sample_weight=np.where(y == 0, 2.0, 0.5))
    assert np.array_equal(by_class.coef_, by_row.coef_)
    balanced = LinearClassifier(class_weight="balanced", shuffle=False)
    balanced.partial_fit(x[:50], y[:50], classes=[0, 1]).partial_fit(x[50:], y[50:])
    n = [np.bincount(y[:50]), np.bincount(y)]
    by_hand = LinearClassifier(shuffle=False)
    by_hand.partial_fit(x[:50], y[:50], classes=[0, 1], sample_weight=(50 / (2 * n[0]))[y[:50]])
    by_hand.partial_fit(x[50:], y[50:], sample_weight=(120 / (2 * n[1]))[y[50:]])
    assert np.allclose(balanced.coef_, by_hand.coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="class_weight: 5 is not a label"):
        LinearClassifier(class_weight={5: 1.0}).fit(x, y)


# --- labels ---


def test_labels_of_any_kind() -> None:
    """peers.md, Training: the positive class does not depend on the order of the rows (linfa#393)."""
    x, y = two_classes()
    for names in (["ham", "spam"], [-1, 1], [False, True]):
        labels = np.array(names)[y]
        model = LinearClassifier(max_iter=3).fit(x, labels)
        back = LinearClassifier(max_iter=3, shuffle=False).fit(x[::-1], labels[::-1])
        assert model.classes_.tolist() == back.classes_.tolist() == sorted(names)
        assert set(model.predict(x)) <= set(names)
    turned = LinearClassifier(max_iter=3, positive="ham").fit(x, np.array(["ham", "spam"])[y])
    straight = LinearClassifier(max_iter=3).fit(x, y)
    assert turned.classes_.tolist() == ["spam", "ham"]
    assert np.array_equal(turned.decision_function(x), -straight.decision_function(x))
    with pytest.raises(ValueError, match="is not a label"):
        LinearClassifier(positive="eggs").fit(x, y)
    with pytest.raises(ValueError, match="only one class"):
        LinearClassifier().fit(x, np.zeros(len(y)))


def test_a_score_of_exactly_zero() -> None:
    """Training: a mistake whichever the label. Predicting: the negative class. So E_in can exceed 1 − score."""
    model = LinearClassifier(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    assert model.predict([[0.0]]).tolist() == [0]
    for label in (0, 1):
        one = LinearClassifier().partial_fit([[1.0]], [label], classes=[0, 1])
        assert one.mistakes_ == [1]


# --- probabilities, tools, settings ---


@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_probabilities_agree_with_predictions(data: Any) -> None:
    """peers.md, Training: NaN or all equal probabilities with huge scores (#17978, #6240); here in log-space."""
    x, y = data()
    model = LogisticUnit(max_iter=20).fit(x, y)
    for rows in (x, 1e6 * x, -1e12 * x):
        chances = model.predict_proba(rows)
        assert np.isfinite(chances).all() and np.allclose(chances.sum(axis=1), 1.0)
        best = model.classes_[chances.argmax(axis=1)]
        clear = np.sort(chances, axis=1)[:, -1] > np.sort(chances, axis=1)[:, -2]
        assert (best == model.predict(rows))[clear].all()
        logs = model.predict_log_proba(rows)
        assert np.isfinite(logs).all() and np.allclose(np.exp(logs), chances)
    assert not hasattr(Perceptron(), "predict_proba")
    assert not hasattr(LogisticUnit(keep="voted"), "predict_proba")


def test_pipeline_grid_clone_and_pickle(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = two_classes()
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), LinearClassifier(max_iter=10)),
        {"linearclassifier__keep": ["last", "averaged"], "linearclassifier__rule": ["perceptron", "margin"]},
        n_jobs=2,
        cv=3,
    ).fit(x, y)
    assert grid.best_score_ > 0.6
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    for name in NAMES:
        model = getattr(rosenblatt, name)(max_iter=5).fit(x, y)
        assert repr(clone(model)) == repr(model) and same(pickle.loads(pickle.dumps(model)), model, x)


def test_any_scorer_fills_the_pocket() -> None:
    x, y = make_classification(300, 5, weights=[0.9], flip_y=0.05, random_state=3)
    plain = PocketPerceptron(max_iter=20).fit(x, y)

    def own(model: Any, rows: Any, labels: Any) -> float:
        return float(balanced_accuracy_score(labels, model.predict(rows)))

    for scoring in ("balanced_accuracy", own):
        fair = PocketPerceptron(max_iter=20, scoring=scoring).fit(x, y)
        assert balanced_accuracy_score(y, fair.predict(x)) >= balanced_accuracy_score(y, plain.predict(x))
        assert balanced_accuracy_score(y, fair.predict(x)) >= balanced_accuracy_score(
            y, LinearClassifier(max_iter=20).fit(x, y).predict(x)
        )
    assert plain.score(x, y) >= max(np.mean(y == 0), LinearClassifier(max_iter=20).fit(x, y).score(x, y))
    area = PocketPerceptron(max_iter=5, scoring="roc_auc", check_every=1).fit(x, y)
    assert area.score(x, y) > 0.5


def test_two_classes_of_the_multi_class_perceptron_are_the_perceptron() -> None:
    x, y = two_classes()
    assert same(MultiClassPerceptron(max_iter=5).fit(x, y), Perceptron(max_iter=5).fit(x, y), x)


def test_one_vs_rest_is_ten_fits_at_once() -> None:
    x, y = make_blobs(200, centers=10, n_features=8, cluster_std=4.0, random_state=0)
    for rows in (x, csr_array(x)):
        for rule in ("perceptron", "linear"):
            words: dict[str, Any] = {"tol": None, "max_iter": 4, "eta0": 1e-3}
            joint = LinearClassifier(rule, **words).fit(rows, y)
            for k in range(10):
                alone = LinearClassifier(rule, **words).fit(rows, (y == k).astype(int))
                assert np.allclose(joint.coef_[k], alone.coef_[0], rtol=1e-12, atol=1e-15)
        assert np.sum(joint.history_["class_mistakes"], axis=1).tolist() == joint.mistakes_


def test_threads_are_named() -> None:
    """peers.md, Training: n_jobs does nothing on two classes (#15882): say how many threads were used."""
    assert Perceptron(n_jobs=2).fit(*two_classes()).n_threads_ == 1


class Timid(NamedTuple):
    """A rule of one's own: half steps."""

    part: float = 0.5

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return self.part * y if y * u <= 0.0 else 0.0


class Plain:
    def step(self, score, label, norm):  # type: ignore[no-untyped-def]
        return 0.5 * label if label * score <= 0.0 else 0.0


@pytest.mark.parametrize("rule", [Timid(), Timid, Plain(), Plain])
@pytest.mark.parametrize("keep", KEEPS)
def test_a_rule_of_ones_own(rule: Any, keep: str) -> None:
    for x, y in (two_classes(), three_classes()):
        mine = LinearClassifier(rule, keep=keep, max_iter=5).fit(x, y)
        halved = LinearClassifier(keep=keep, max_iter=5, eta0=0.5).fit(x, y)
        assert same(mine, halved, x)


@pytest.mark.parametrize(
    "words, message",
    [
        ({"rule": "perceptrum"}, "unknown rule 'perceptrum'; did you mean perceptron\\? The rules are"),
        ({"rule": "margin:taut=1"}, "has no parameter 'taut'; its parameters: tau"),
        ({"keep": "first"}, "unknown keep='first'; one of last, averaged, voted, pocket"),
        ({"optimizer": "adam"}, "unknown optimizer='adam'; one of online"),
        ({"learning_rate": "optimal"}, "unknown learning_rate='optimal'"),
        ({"eta0": -1.0}, "eta0=-1.0 must be a number"),
        ({"alpha": 2.0}, "would turn the weights over"),
        ({"counting": "borda", "keep": "voted"}, "unknown counting='borda'"),
        ({"class_weight": "fair"}, 'must be None, "balanced" or a dict'),
        ({"random_state": -1}, "random_state=-1 must be"),
        ({"random_state": "a"}, "random_state='a' must be a whole number"),
        ({"max_iter": 0}, "max_iter=0 must be None or a whole number ≥ 1"),
        ({"max_iter": 2.5}, "max_iter=2.5 must be None or a whole number ≥ 1"),
        ({"max_updates": -3}, "max_updates=-3 must be None or a whole number ≥ 1"),
        ({"max_time": "long"}, "max_time='long' must be None or a number ≥ 0"),
    ],
)
def test_settings_out_of_range(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**words).fit(*two_classes())


def test_defaults_are_one_table() -> None:
    given = LinearClassifier().get_params()
    assert given == DEFAULTS
    for name in NAMES:
        for word, value in getattr(rosenblatt, name)().get_params().items():
            named = (name, word) == ("KernelPerceptron", "kernel")  # where the others' default is none
            assert word not in DEFAULTS or value == DEFAULTS[word] or named


def test_voted_attributes_are_the_mean_of_the_voters() -> None:
    x, y = two_classes()
    model = VotedPerceptron(max_iter=3, shuffle=False).fit(x, y)
    assert np.abs(model.decision_function(x)).max() <= 1.0 + 1e-12
    assert model.score(x, y) > 0.6
