"""Softmax regression: its steps, what it learns, its probabilities, and what the rest of the program makes of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from command import run, write
from rosenblatt import LinearClassifier, Model, Recipe
from rosenblatt.errors import SettingError
from rosenblatt.rules.softmax import Softmax

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def rows(classes: int = 3, n: int = 30, d: int = 4) -> tuple[Array, Array]:
    r = np.random.default_rng(classes)
    return np.where(r.random((n, d)) < 0.7, r.normal(size=(n, d)), 0.0), r.integers(0, classes, n)


def iris() -> tuple[Array, Array]:
    x, y = load_iris(return_X_y=True)
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def asked(u: Array, y: int) -> tuple[float, Array, Array]:
    a, wrong = np.full(u.size, np.nan), np.zeros(u.size, np.uint8)
    return Softmax().steps(u, y, 1.0, a, wrong), a, wrong


def reference(x: Array, y: Array, blocks: list[Any], eta: float, decay: float = 0.0, weight: Any = None) -> list[Array]:
    """(K, d + 1) w̄ after each block: w̄ ← (1 − ηλ)w̄ + η·mean of weight·([k = y] − p_k)·x̄, the bias not decayed."""
    bar, k = np.hstack([x, np.ones((len(x), 1))]), int(y.max()) + 1
    w, path, weight = np.zeros((k, bar.shape[1])), [], np.ones(len(x)) if weight is None else weight
    for block in blocks:
        part = np.atleast_1d(block)
        wanted = np.eye(k)[y[part]] - softmax(bar[part] @ w.T, axis=1)
        w[:, :-1] *= 1.0 - eta * decay
        w = w + eta * (weight[part, None] * wanted).T @ bar[part] / part.size
        path.append(w)
    return path


def weights(made: Any) -> Array:
    return np.hstack([made.coef_, made.intercept_[:, None]])


# --- the step ------------------------------------------------------------------------------------------------------


def test_the_step_descends_the_loss() -> None:
    """−∂loss/∂u_k, by central differences; the loss is −log p_y; steps add to 0."""
    r = np.random.default_rng(0)
    for _ in range(20):
        u, y = r.normal(size=4) * 3.0, int(r.integers(4))
        loss, a, wrong = asked(u, y)
        assert loss == pytest.approx(-log_softmax(u)[y], rel=1e-12)
        down = [(asked(u - h, y)[0] - asked(u + h, y)[0]) / 2e-6 for h in np.eye(4) * 1e-6]
        np.testing.assert_allclose(a, down, atol=1e-8)
        assert abs(a.sum()) < 1e-15 and wrong.sum() == (u[y] <= np.delete(u, y).max())


@pytest.mark.parametrize("size", [1e3, 1e300, 8e307])
def test_the_step_of_extreme_scores_is_a_number(size: float) -> None:
    for u in (np.array([size, -size, 0.0]), np.array([size] * 3), np.array([-size] * 3)):
        for y in range(3):
            loss, a, _ = asked(u, y)
            assert np.isfinite(a).all() and not math.isnan(loss) and loss >= 0.0
            np.testing.assert_allclose(a, np.eye(3)[y] - softmax(u / size * 2000.0), atol=1e-12)


# --- learning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_learns_what_the_plain_reference_learns(make: Any, dtype: Any) -> None:
    """Online, in blocks, the whole as one; L2; weights of rows and of classes; the average."""
    x, y = rows()
    x = x.astype(dtype).astype(float)
    given, order, close = make(x.astype(dtype)), [*range(30)] * 3, 1e-9 if dtype is np.float64 else 1e-4

    def learned(fit: Any = (), **words: Any) -> Any:
        return LinearClassifier("softmax", shuffle=False, tol=None, max_iter=3, eta0=0.4, **words).fit(given, y, *fit)

    weight = np.random.default_rng(1).uniform(0.5, 2.0, 30)
    balance = np.array([0.5, 1.0, 2.0])
    path = reference(x, y, order, 0.4)
    blocks = [np.arange(first, min(first + 7, 30)) for first in range(0, 30, 7)] * 3
    for made, wanted in (
        (learned(), path[-1]),
        (learned(keep="averaged"), np.mean(path, axis=0)),
        (learned(optimizer="mini-batch", batch_size=7), reference(x, y, blocks, 0.4)[-1]),
        (learned(optimizer="batch"), reference(x, y, [np.arange(30)] * 3, 0.4)[-1]),
        (learned(alpha=0.3), reference(x, y, order, 0.4, 0.3)[-1]),
        (learned([weight]), reference(x, y, order, 0.4, 0.0, weight)[-1]),
        (learned(class_weight=dict(enumerate(balance))), reference(x, y, order, 0.4, 0.0, balance[y])[-1]),
    ):
        np.testing.assert_allclose(weights(made), wanted, rtol=close, atol=close)
    losses = [-log_softmax(w @ np.append(x[i], 1.0))[y[i]] for w, i in zip([path[0] * 0, *path], order, strict=False)]
    np.testing.assert_allclose(learned().history_["loss"], np.reshape(losses, (3, 30)).mean(axis=1), rtol=close)


def test_machine_code_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = iris()
    made = []
    for jit in "01":
        monkeypatch.setenv("ROSENBLATT_JIT", jit)
        made.append(LinearClassifier("softmax", max_iter=5, keep="averaged").fit(x, y))
    np.testing.assert_allclose(made[1].coef_, made[0].coef_, rtol=1e-12)
    assert made[1].mistakes_ == made[0].mistakes_


def test_two_classes_are_logistic_regression_bit_for_bit() -> None:
    x, y = rows(2)
    for words in ({}, {"keep": "averaged"}, {"optimizer": "batch"}, {"metric": "adagrad", "l1": 0.01}, {"alpha": 0.1}):
        made = [LinearClassifier(rule, max_iter=8, **words).fit(x, y) for rule in ("softmax", "logistic")]
        assert made[0].coef_.tobytes() == made[1].coef_.tobytes() and made[0].coef_.shape == (1, 4)
        assert made[0].history_ == made[1].history_ and made[0].stop_reason_ == made[1].stop_reason_
        assert np.array_equal(made[0].predict_proba(x), made[1].predict_proba(x))


def test_with_l2_it_finds_the_minimum_that_scikit_learn_finds() -> None:
    """Multinomial logistic regression, the intercept free, C = 1/(n·alpha): to 1e-6."""
    x, y = iris()
    made = LinearClassifier("softmax", optimizer="batch", alpha=0.2, eta0=0.7, tol=None, max_iter=300).fit(x, y)
    other = LogisticRegression(C=1.0 / (0.2 * len(y)), tol=1e-10, max_iter=5000).fit(x, y)
    np.testing.assert_allclose(made.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(made.predict_proba(x), other.predict_proba(x), atol=1e-6)


# --- probabilities -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", ["last", "averaged", "pocket"])
def test_probabilities_are_the_softmax_of_the_scores(tmp_path: Path, keep: str) -> None:
    x, y = iris()
    made = LinearClassifier("softmax", keep=keep, max_iter=4).fit(x, y)
    np.testing.assert_allclose(made.predict_proba(x), softmax(made.decision_function(x), axis=1), rtol=1e-12)
    np.testing.assert_allclose(made.predict_log_proba(x), log_softmax(made.decision_function(x), axis=1), rtol=1e-12)
    assert np.array_equal(made.predict(x), made.predict_proba(x).argmax(axis=1))
    made.model_.save(tmp_path / "m")
    assert np.array_equal(Model.load(tmp_path / "m").probabilities(x), made.predict_proba(x))


def test_probabilities_of_extreme_scores() -> None:
    x, y = iris()
    model = LinearClassifier("softmax", max_iter=1).fit(x, y).model_
    scores = np.array([[1e308, -1e308, 0.0], [1e308] * 3, [-1e308] * 3, [800.0, 0.0, -800.0], [-1e-300, 0.0, 1e-300]])
    logs = model.log_probabilities(scores)
    third = -math.log(3.0)
    np.testing.assert_allclose(logs[1:3], third)
    np.testing.assert_allclose(logs[3], [0.0, -800.0, -1600.0])
    assert logs[0].tolist() == [0.0, -math.inf, -1e308] and np.exp(logs).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("how", ["sigmoid", "isotonic"])
def test_it_can_be_calibrated(how: str) -> None:
    """Each class against the rest, as any learner; the winner keeps the largest probability."""
    x, y = iris()
    made = LinearClassifier("softmax", max_iter=5, calibrate=how).fit(x, y)
    shares = made.predict_proba(x)
    assert shares.sum(axis=1) == pytest.approx(1.0) and made.score(x, y) > 0.9
    assert (shares[np.arange(len(y)), made.predict(x)] >= shares.max(axis=1) - 1e-12).all()
    assert not np.allclose(shares, softmax(made.decision_function(x), axis=1), atol=1e-3)


def test_the_area_under_the_curve_is_that_of_the_probabilities() -> None:
    """A score tells of its class only beside those of the others."""
    x, y = iris()
    made = LinearClassifier("softmax", max_iter=5).fit(x, y)
    found, wanted = made.model_.evaluate(x, y), roc_auc_score(y, made.predict_proba(x), multi_class="ovr")
    assert found["roc_auc"] == pytest.approx(wanted) and wanted > 0.95
    apart = [roc_auc_score(y == k, made.decision_function(x)[:, k]) for k in range(3)]
    assert np.mean(apart) < wanted - 0.01
    assert found["log_loss"] == pytest.approx(-made.predict_log_proba(x)[np.arange(150), y].mean())


# --- the rest of the program ---------------------------------------------------------------------------------------


def test_an_explanation_adds_up_to_what_the_winner_is_ahead_by() -> None:
    x, y = iris()
    made = Recipe(rule="softmax", max_iter=5, keep="averaged").fit(x, y)
    scores = made.decision(x)
    for each, row in zip(made.explain(x), scores, strict=True):
        first, second = each.evidence.between
        assert first == row.argmax() and row[second] == np.sort(row)[-2]
        total = math.fsum([*each.evidence.contributions, each.evidence.intercept])
        assert total == pytest.approx(row[first] - row[second], abs=1e-12) == pytest.approx(each.evidence.score)
        assert math.exp(each.evidence.score) == pytest.approx(
            np.divide(*made.probabilities(x[each.row - 1 : each.row])[0, [first, second]])
        )


def test_thresholds_are_for_two_classes_where_it_is_logistic() -> None:
    x, y = rows(2, 80)
    made = Recipe(rule="softmax", at=0.3, max_iter=5).fit(x, y)
    other = Recipe(rule="logistic", at=0.3, max_iter=5).fit(x, y)
    assert made.threshold == other.threshold != 0.0 and np.array_equal(made.decision(x), other.decision(x))
    with pytest.raises(SettingError, match="a threshold is for two classes; the model has 3"):
        Recipe(rule="softmax", at=0.3, max_iter=2).fit(*iris())


def test_what_does_not_go_with_it_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "t.csv", "a,kind\n1,x\n2,y\n3,z\n4,x\n")
    for words, sentence in (
        (
            "--multi-class one-vs-rest",
            "--rule softmax learns all classes together; leave --multi-class one-vs-rest out",
        ),
        ("--optimizer pick-first", "--optimizer pick-first picks mistakes until there is none"),
        ("--stop-if-not-separable", "--stop-if-not-separable goes with rules that stop at a separating hyperplane"),
        ("--metric ftrl", "ftrl"),
        ("--metric arow", "arow"),
        ("--multi-class multi-class-perceptron", "--rule softmax learns all classes together; leave --multi-class"),
    ):
        told = run("train", "t.csv", "-o", "m", "--rule", "softmax", *words.split())
        assert told.code == 2 and sentence in told.err and told.err.count("\n") == 1, told.err
    with pytest.raises(AttributeError, match="no probabilities"):
        LinearClassifier("softmax", keep="voted", max_iter=2).fit(*iris()).predict_proba([[0.0] * 4])
