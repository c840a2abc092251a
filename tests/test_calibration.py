"""Probabilities: the curves against plain references and scikit-learn, held-out folds, and what models say by them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import StratifiedKFold

from conftest import load_shared
from rosenblatt import LinearClassifier, Model
from rosenblatt.core.rows import dense
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.model.calibration import calibration, isotonic, sigmoid
from rosenblatt.model.fit import Task, fit
from rosenblatt.model.metrics import metrics, probability_metrics
from rosenblatt.parameters import CALIBRATIONS
from rosenblatt.recipe.cross_scores import cross_scores
from samples import KEEPS, three_classes, two_classes

Array = np.ndarray[Any, Any]
KINDS = CALIBRATIONS
ONES = np.ones


def some(seed: int, n: int = 200) -> tuple[Array, Array]:
    """Scores, and labels that go with them."""
    rng = np.random.default_rng(seed)
    u = rng.normal(3.0, 5.0, n)
    return u, rng.random(n) < 1.0 / (1.0 + np.exp(-0.4 * (u - 2.0)))


# --- the curves ---


@pytest.mark.parametrize("seed", range(5))
def test_the_sigmoid_is_platts_minimum(seed: int) -> None:
    """Against a general minimiser of the same loss with Platt's targets."""
    u, y = some(seed)
    target = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2))

    def loss(at: Array) -> float:
        z = at[0] * u + at[1]
        return float(np.sum(np.logaddexp(0.0, z) - target * z))

    a, b = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x
    curve = sigmoid(u, y, np.ones(u.size))
    assert curve.slope == pytest.approx(a, rel=1e-5) and curve.middle == pytest.approx(-b / a, rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_is_scikit_learns(seed: int) -> None:
    u, y = some(seed)
    u = np.round(u)  # ties
    weight = np.random.default_rng(seed).random(u.size) + 0.5
    weight *= weight.size / weight.sum()
    theirs = IsotonicRegression(out_of_bounds="clip").fit(u, y, sample_weight=weight)
    floor = 1.0 / (u.size + 2.0)
    curve = isotonic(u, y, weight)
    ours = 1.0 / (1.0 + np.exp(-curve.log_odds(u - curve.middle)))
    assert np.allclose(ours, np.clip(theirs.predict(u), floor, 1 - floor), atol=1e-5)


@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-200, 1e-3, 1.0, 1e30, 1e200]), n=st.integers(4, 60))
@pytest.mark.parametrize("kind", KINDS)
def test_curves_rise_and_turn_at_their_middle(kind: str, seed: int, size: float, n: int) -> None:
    """Increasing, finite at huge scores, and even odds exactly where the label turns, whatever the scores' unit."""
    rng = np.random.default_rng(seed)
    u = size * np.round(rng.normal(0.0, 3.0, n), 1)
    y = rng.random(n) < rng.random()
    y[:2] = [True, False]
    made = calibration(kind, u, y.astype(int))
    (curve,) = made.curves
    assert np.isfinite(curve.middle) and curve.slope > 0.0
    s = np.sort(np.concatenate([u - curve.middle, [0.0, -1e300, 1e300], rng.normal(0.0, 9.0 * size, 50)]))
    odds = made.log_odds(s)
    assert np.isfinite(odds).all()
    assert (np.diff(odds) >= -1e-12 * np.abs(odds[1:])).all()
    assert (odds[s > 0.0] >= 0.0).all() and (odds[s < 0.0] <= 0.0).all() and odds[s == 0.0].max() == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_scores_that_say_nothing_or_the_opposite_give_the_shares(kind: str) -> None:
    u = np.arange(100.0)
    y = (u < 30).astype(int)  # the larger, the less
    made = calibration(kind, u, y)
    p = 1.0 / (1.0 + np.exp(-made.log_odds(u - made.middles[0])))
    assert np.allclose(p, 0.3, atol=0.02)
    same = calibration(kind, np.zeros(100), y)
    assert 1.0 / (1.0 + np.exp(-same.log_odds(-same.middles))) == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_two_counts_as_two_rows(kind: str) -> None:
    u, y = some(1, 60)
    weight = np.random.default_rng(0).integers(0, 3, 60)
    one = calibration(kind, u, y.astype(int), weight.astype(float))
    two = calibration(kind, np.repeat(u, weight), np.repeat(y, weight).astype(int))
    if kind == "isotonic":  # n, the number of rows, sets how far from 0 and 1 its steps stay
        assert one.middles == pytest.approx(two.middles, rel=1e-6)
    else:
        assert one.rows == np.count_nonzero(weight)
        assert one.middles == pytest.approx(two.middles, abs=0.2) and one.slopes == pytest.approx(two.slopes, rel=0.2)


def test_another_kind_is_refused() -> None:
    with pytest.raises(SettingError, match="calibrate='platt' must be None or one of sigmoid, isotonic"):
        calibration("platt", np.zeros(2), np.array([0, 1]))
    with pytest.raises(SettingError, match="calibrate='platt'"):
        LinearClassifier(calibrate="platt").fit(*two_classes())
    with pytest.raises(SettingError, match="calibrate_folds=1 must be a whole number ≥ 2"):
        LinearClassifier(calibrate="sigmoid", calibrate_folds=1).fit(*two_classes())


# --- held-out scores ---


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("keep", ["averaged", "voted"])
def test_cross_scores_are_those_of_models_of_the_other_folds(make: Any, keep: str) -> None:
    x, y = make()
    model = LinearClassifier(keep=keep, max_iter=3).fit(x, y).model_
    found = cross_scores(model, dense(x), y, Task(), 4)
    expected = np.empty_like(found)
    for kept, left in StratifiedKFold(4, shuffle=True, random_state=0).split(x, y):
        part = LinearClassifier(keep=keep, max_iter=3).fit(x[kept], y[kept])
        scores = part.decision_function(x[left])
        if keep == "averaged":
            sizes = [
                np.sqrt((m.coef_**2).sum(axis=1) + m.intercept_**2)
                for m in (LinearClassifier(keep=keep, max_iter=3).fit(x, y), part)
            ]
            ratio = sizes[0] / sizes[1]
            scores = scores * (ratio[0] if scores.ndim == 1 else ratio)
        expected[left] = scores
    assert np.allclose(found, expected)


def test_an_order_and_weights_go_with_their_rows() -> None:
    """An order names rows of all; in a fold the same rows have other numbers. Rows of weight 0 change nothing."""
    x, y = two_classes()
    order = np.random.default_rng(1).permutation(len(y))
    one = LinearClassifier(max_iter=3, calibrate="sigmoid").fit(x, y, order=order)
    model = LinearClassifier(max_iter=3).fit(x, y, order=order).model_
    expected = np.empty(len(y))
    size = float(np.sqrt((model.weights[0] ** 2).sum() + model.weights[1][0] ** 2))
    for kept, left in StratifiedKFold(5, shuffle=True, random_state=0).split(x, y):
        ordered = [i for i in order if i in kept]
        part = LinearClassifier(max_iter=3, shuffle=False).fit(x[ordered], y[ordered])
        own = float(np.sqrt((part.coef_**2).sum() + part.intercept_[0] ** 2))
        expected[left] = part.decision_function(x[left]) * size / own
    assert one.model_.calibration.middles == pytest.approx(sigmoid(expected, y == 1, ONES(len(y))).middle)
    weight = np.where(np.arange(len(y)) < 100, 1.0, 0.0)
    assert LinearClassifier(calibrate="sigmoid").fit(x, y, weight).model_.calibration.rows == 100


def test_as_many_epochs_as_the_model_had() -> None:
    """peers.md, Training: fit(100 epochs) ≡ 100 × one epoch; the calibration too."""
    x, y = two_classes()
    whole = LinearClassifier(max_iter=6, calibrate="sigmoid").fit(x, y)
    parts = LinearClassifier(max_iter=1, calibrate="sigmoid", warm_start=True)
    for _ in range(6):
        parts.fit(x, y)
    assert np.array_equal(whole.predict_proba(x), parts.predict_proba(x))


def test_the_folds_have_the_models_positive_class_and_its_number_of_picks() -> None:
    """Of a model that goes on nobody names the positive class again; picks have no epochs to be as long by."""
    x, y = two_classes()
    model = LinearClassifier(max_iter=3, positive=0).fit(x, y).model_
    assert model.classes.tolist() == [1, 0]
    found = cross_scores(model, dense(x), y, Task(), 4)
    assert np.array_equal(found, cross_scores(model, dense(x), y, Task(positive=0), 4))
    picks = LinearClassifier(optimizer="pick-first", max_updates=7).fit(x, y).model_
    found = cross_scores(picks, dense(x), y, Task(), 2)
    kept, left = next(StratifiedKFold(2, shuffle=True, random_state=0).split(x, y))
    part = LinearClassifier(optimizer="pick-first", max_updates=7).fit(x[kept], y[kept])
    assert np.array_equal(np.sign(found[left]), np.sign(part.decision_function(x[left])))


def test_a_class_with_a_single_row_and_one_with_few() -> None:
    """peers.md, Mail: too few messages of one class, silence (rspamd#4343) → said."""
    x, y = two_classes()
    single = np.where(np.arange(len(y)) == 7, "b", "a")
    with pytest.raises(DataError, match="class b has a single row; to calibrate .* it needs two"):
        LinearClassifier(calibrate="sigmoid").fit(x, single)
    few = np.where(np.arange(len(y)) < 3, "b", "a")
    with pytest.warns(UserWarning, match="class b has 3 .at least 10 are wanted"):
        model = LinearClassifier(calibrate="sigmoid").fit(x, few)
    assert model.model_.calibration.folds == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* it came before the rule had finished")
        LinearClassifier(calibrate="sigmoid").fit(x, y)


def test_class_weights_count_as_in_logistic_regression() -> None:
    """Balanced classes: the probabilities are those of as many rows of each, and so is what is predicted."""
    x, y = two_classes()
    kept = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:20]])
    x, y = x[kept], y[kept]
    words: dict[str, Any] = {"keep": "averaged", "max_iter": 5, "calibrate": "sigmoid"}
    plain = LinearClassifier(**words).fit(x, y).predict_proba(x)[:, 1]
    weighted = LinearClassifier(**words, class_weight="balanced").fit(x, y).predict_proba(x)[:, 1]
    assert plain.mean() == pytest.approx(np.mean(y), abs=0.03)
    assert np.average(weighted, weights=np.where(y == 1, 0.5 / y.sum(), 0.5 / (1 - y).sum())) == pytest.approx(
        0.5, abs=0.05
    )


def test_scorers_of_the_pocket_see_the_rows_of_the_fold() -> None:
    x, y = two_classes()
    model = LinearClassifier(keep="pocket", scoring="balanced_accuracy", max_iter=3, calibrate="sigmoid").fit(x, y)
    assert model.predict_proba(x).shape == (len(y), 2)


# --- what a calibrated model says ---


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive", "linear", "logistic", "multi-class-perceptron"])
def test_predict_is_the_argmax_of_the_probabilities(make: Any, kind: str, keep: str, rule: str) -> None:
    """peers.md, Training: probabilities NaN or all equal with huge one-vs-rest scores (#17978, #6240) → log-space;
    `predict` ≡ argmax of the probabilities. Hinge and perceptron have no probabilities (#7278) → calibration."""
    x, y = make()
    model = LinearClassifier(rule, keep=keep, max_iter=5, calibrate=kind, calibrate_folds=3).fit(x, y)
    for rows in (x, 1e6 * x, 1e150 * x):
        p, logs = model.predict_proba(rows), model.predict_log_proba(rows)
        predicted = model.predict(rows)
        assert rows is not x or np.array_equal(model.classes_[p.argmax(axis=1)], predicted)
        own = p[np.arange(len(y)), np.searchsorted(model.classes_, predicted)]
        assert (own >= p.max(axis=1) - 1e-15).all()  # two classes can both be certain; then the higher score wins
        assert np.allclose(p.sum(axis=1), 1.0) and np.isfinite(logs).all() and np.allclose(np.exp(logs), p)
        scores = model.decision_function(rows)
        by_scores = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        assert np.array_equal(model.classes_[by_scores], predicted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_score_is_the_weights_and_the_intercept(dtype: Any) -> None:
    x, y = two_classes()
    x = x.astype(dtype)
    model = LinearClassifier(keep="averaged", max_iter=5, calibrate="sigmoid").fit(x, y)
    assert np.allclose(x @ model.coef_[0] + model.intercept_, model.decision_function(x), atol=1e-5)
    assert model.model_.cut == model.model_.calibration.middles[0] != 0.0


def test_learning_on_forgets_the_calibration() -> None:
    """It was made for other scores. partial_fit sees too few rows to make one, and says so."""
    x, y = two_classes()
    model = LinearClassifier(max_iter=2, calibrate="sigmoid", warm_start=True).fit(x, y)
    with pytest.raises(AttributeError):
        model.partial_fit(x, y)
    model.set_params(calibrate=None).fit(x, y)
    assert model.model_.calibration is None and not hasattr(model, "predict_proba")
    assert not hasattr(LinearClassifier(calibrate="sigmoid"), "partial_fit")
    assert hasattr(LinearClassifier(calibrate="sigmoid", keep="voted"), "predict_proba")


def test_positive_names_the_class_of_the_curve() -> None:
    x, y = two_classes()
    one = LinearClassifier(keep="averaged", max_iter=3, calibrate="isotonic", shuffle=False)
    other = LinearClassifier(keep="averaged", max_iter=3, calibrate="isotonic", shuffle=False, positive=0)
    p, q = one.fit(x, y).predict_proba(x), other.fit(x, y).predict_proba(x)
    assert other.classes_.tolist() == [1, 0]
    assert np.allclose(p, q[:, ::-1], atol=1e-6)


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_it_answers_the_same(make: Any, kind: str, tmp_path: Path) -> None:
    x, y = make()
    model = LinearClassifier(keep="averaged", max_iter=3, calibrate=kind).fit(x, y).model_
    model.save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    scores = model.scores(dense(x))
    assert np.array_equal(scores, back.scores(dense(x)))
    assert np.array_equal(np.exp(model.log_probabilities(scores)), np.exp(back.log_probabilities(scores)))
    assert (back.calibration.kind, back.calibration.folds, back.calibration.rows) == (kind, 5, len(y))
    back.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_only_files_that_need_it_have_the_new_schema(tmp_path: Path) -> None:
    """0.1.0 refuses a calibrated model instead of answering by the sign of its score; plain files are as they were."""
    x, y = two_classes()
    plain = LinearClassifier(max_iter=3).fit(x, y).model_
    made = LinearClassifier(max_iter=3, calibrate="sigmoid").fit(x, y).model_
    for name, model, schema in (("p", plain, b'\\"schema\\": 1'), ("c", made, b'\\"schema\\": 2'),
                                ("t", replace(plain, threshold=1.0), b'\\"schema\\": 2')):  # fmt: skip
        model.save(tmp_path / name)
        raw = (tmp_path / name).read_bytes()
        assert schema in raw and (b"calibration" in raw) == (name != "p")
    for format, schema in (("table", b'\\"schema\\": 1'), ("parquet", b'\\"schema\\": 2')):  # 0.1.0 has no such reader
        replace(plain, reading={"format": format}).save(tmp_path / format)
        assert schema in (tmp_path / format).read_bytes()


def test_a_threshold_overrides_even_odds() -> None:
    x, y = two_classes()
    model = LinearClassifier(keep="averaged", max_iter=3, calibrate="sigmoid").fit(x, y).model_
    rows = dense(x)
    other = replace(model, threshold=3.0)
    assert np.array_equal(other.labels(other.scores(rows)) == 1, other.raw(rows) > 3.0)
    assert np.allclose(
        np.exp(model.log_probabilities(model.scores(rows))), np.exp(other.log_probabilities(other.scores(rows)))
    )
    logistic = LinearClassifier("logistic", max_iter=3).fit(x, y).model_
    moved = replace(logistic, threshold=-2.0)
    assert np.allclose(
        np.exp(logistic.log_probabilities(logistic.scores(rows))), np.exp(moved.log_probabilities(moved.scores(rows)))
    )


# --- measures, and real data ---


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_the_measures_are_scikit_learns(make: Any) -> None:
    x, y = make()
    model = LinearClassifier(keep="averaged", max_iter=3, calibrate="sigmoid").fit(x, y)
    found, p = metrics(model.model_, model.decision_function(x), y), model.predict_proba(x)
    assert found["log_loss"] == pytest.approx(log_loss(y, p))
    if p.shape[1] == 2:
        assert found["brier"] == pytest.approx(brier_score_loss(y, p[:, 1]))
    else:
        assert found["brier"] == pytest.approx(((p - np.eye(3)[y]) ** 2).sum(axis=1).mean())
    plain = LinearClassifier(max_iter=3).fit(x, y)
    found = metrics(plain.model_, plain.decision_function(x), y)
    assert found["log_loss"] is found["brier"] is found["calibration_error"] is None


def test_a9a_as_good_as_logistic_regression() -> None:
    """Log-loss and Brier of scikit-learn's LogisticRegression on the test part: .32417, .10398; within 2 %."""
    x, y = load_shared("a9a")
    test, labels = load_shared("a9a", "t", x.shape[1])
    for kind in KINDS:
        model = LinearClassifier(keep="averaged", max_iter=10, calibrate=kind).fit(x, y)
        found = probability_metrics(model.predict_log_proba(test), (labels > 0).astype(int))
        assert found["log_loss"] <= 1.02 * 0.32417 and found["brier"] <= 1.02 * 0.10398
        assert found["calibration_error"] < 0.015


def test_the_model_itself_learns_from_all_rows() -> None:
    x, y = two_classes()
    rows = dense(x)
    plain = fit(rows, y, Settings.of(keep="averaged"), Limits(4))
    made = LinearClassifier(keep="averaged", max_iter=4, calibrate="sigmoid").fit(x, y).model_
    assert np.array_equal(plain.raw(rows), made.raw(rows)) and rows.n == made.calibration.rows
