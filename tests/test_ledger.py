"""A ledger of bounds: which conditions it names, which separators it takes, and what it records."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import learners
from rosenblatt.core.rows import dense
from rosenblatt.errors import DataError
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit import Task, fit
from rosenblatt.theory.ledger.bounds import Yardstick
from rosenblatt.theory.ledger.ledger import Ledger
from rosenblatt.theory.problem import as_problem
from test_bounds import by_name, followed, planted

# --- conditions ------------------------------------------------------------------------------------------------------

ALL = {"perceptron", "progress", "length", "angle", "one pass"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"optimizer": "mini-batch"}, "optimizer=mini-batch"),
        ({"optimizer": "batch"}, "optimizer=batch"),
        ({"learning_rate": "inverse"}, "learning_rate=inverse"),
        ({"learning_rate": lambda t: 1.0}, "a function of t"),
        ({"alpha": 0.01}, "alpha=0.01"),
        ({"class_weight": "balanced"}, "rows have weights"),
    ],
)
def test_a_condition_that_fails_is_named(words: dict[str, Any], why: str) -> None:
    p = learners.separable()
    assert all(bound.applies for bound in followed(p.x, p.y).bounds() if bound.name in ALL)
    found = by_name(followed(p.x, p.y, **words))
    for name in ALL:
        assert why in found[name].why_not and found[name].holds is None and found[name].limit is None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"metric": "arow:r=2"}, "each column has a step of its own (metric=arow:r=2)"),
        ({"metric": "adagrad"}, "each column has a step of its own (metric=adagrad)"),
        ({"metric": "normalised", "rule": "margin"}, "each column has a step of its own (metric=normalised)"),
        ({"metric": "ftrl", "rule": "logistic", "l1": 1.0}, "each column has a step of its own (metric=ftrl)"),
        ({"l1": 1e-4}, "L1 pulls the weights (l1=0.0001)"),
    ],
)
def test_bounds_of_plain_steps_do_not_apply_to_others(
    words: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is true of any hyperplane is left, that none has a wider margin; of rows that cannot be parted nothing."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    x, y = planted(1, 40, 3)
    ledger = followed(x, y, max_iter=20, **words)
    assert {bound.name for bound in ledger.bounds() if bound.applies} <= {"own margin"} and ledger.trail is None
    assert {bound.why_not for bound in ledger.bounds() if bound.name in ALL | {"update", "never stops"}} == {why}
    assert "followed: arow:r=2" in ledger.summary() or words.get("metric") != "arow:r=2"
    both = np.concatenate([x, x[:1]]), np.append(y, -y[0])
    assert not any(bound.applies for bound in followed(*both, max_iter=3, **words).bounds())


def test_arows_own_bound_is_of_the_full_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crammer, Kulesza & Dredze 2009: M ≤ √(r‖u‖² + uᵀXu)·√(log det(I + X/r) + U) + Σ hinge(u) − U, X = Σ x·xᵀ over the
    updates. With the diagonal of X in its place, as Σ is diagonal here, one row given 15 times breaks it."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    y, r, u = np.array([1.0, -1.0] * 7 + [1.0]), 10.0, np.full(3, 1.0 / 3.0)
    x = y[:, None] * np.ones(3)
    learned = LinearClassifier(metric="arow:r=10", fit_intercept=False, shuffle=False, max_iter=1).fit(x, y)
    made, updates = learned.history_["mistakes"][0], learned.history_["updates"][0]
    assert (made, updates) == (1, 15) and (y * (x @ u) >= 1.0).all()

    def bound(X: Any) -> float:
        root = math.sqrt(r * u @ u + u @ X @ u) * math.sqrt(np.linalg.slogdet(np.eye(3) + X / r)[1] + updates - made)
        return root - (updates - made)

    assert bound(np.diag(np.diag(x.T @ x))) < 0.0 < made < bound(x.T @ x)


def test_a_start_elsewhere_leaves_what_one_update_does() -> None:
    p = learners.separable()
    ledger = Ledger()
    task = Task(observers=ledger, start=(np.full((1, 4), -3.0), np.array([1.0])))
    fit(dense(p.x), p.y, Settings.of(), Limits(), task)
    found = by_name(ledger)
    assert all("zero weights" in found[name].why_not for name in ALL)
    assert found["update"].holds and found["update"].numbers["steps"] == ledger.updates > 0


def test_until_right_counts_its_additions_for_a_rate_of_1() -> None:
    p = learners.separable()
    assert "eta0=0.5" in by_name(followed(p.x, p.y, rule="until-right", eta0=0.5))["online use"].why_not
    ledger = followed(p.x, p.y, rule="until-right")
    assert ledger.additions > ledger.mistakes == by_name(ledger)["online use"].measured


def test_three_classes_are_taken_against_the_rest() -> None:
    p = learners.separable(3)
    ledger = followed(p.x, p.y)
    assert all("3 classes" in bound.why_not for bound in ledger.bounds())
    assert "3 classes" in ledger.summary()


def test_picked_rows_are_no_pass_and_a_stopped_margin_is_not_finished() -> None:
    p = learners.separable()
    assert "no passes" in by_name(followed(p.x, p.y, optimizer="pick-worst"))["one pass"].why_not
    short = by_name(followed(p.x, p.y, rule="margin", max_iter=1))
    assert "not finished" in short["finished margin"].why_not and short["margin perceptron"].holds
    assert by_name(followed(p.x, p.y, rule="margin"))["finished margin"].holds


# --- separators ------------------------------------------------------------------------------------------------------


def test_any_separator_gives_a_bound_with_its_own_margin() -> None:
    x, y = planted(5, 80, 3)
    best = followed(x, y)
    assert best.yardstick is not None
    other = (best.yardstick.w + 0.02 * best.yardstick.length * np.array([1.0, -1.0, 0.5]), best.yardstick.b)
    ledger = followed(x, y, ledger=Ledger(other))
    assert ledger.yardstick is not None and ledger.yardstick.margin < best.yardstick.margin
    assert by_name(ledger)["perceptron"].holds and (ledger.limit or 0.0) > (best.limit or 0.0)
    assert "need not be the best" in by_name(ledger)["own margin"].why_not


@pytest.mark.parametrize(
    ("separator", "why"),
    [
        ((np.zeros(3), 0.0), "rows are not on its right side"),
        ((np.ones(2), 0.0), "2 weights"),
        ((np.full(3, np.nan), 0.0), "not finite"),
    ],
)
def test_what_is_no_separator_is_refused(separator: Any, why: str) -> None:
    x, y = planted(5, 80, 3)
    with pytest.raises(DataError, match=why):
        followed(x, y, ledger=Ledger(separator))


def test_a_margin_below_rounding_is_worked_out_exactly() -> None:
    """y·u of the second row is 2⁻⁵³, which rounding of 0.1·3 − 0.3 would make of another size."""
    x, y = np.array([[1.0, 1.0], [1.0, -1.0 + 2.0**-52]]), np.array([1.0, 1.0])
    problem = as_problem(x, y, fit_intercept=False)
    w = np.array([1.0, 1.0])
    assert Yardstick.of(problem, (w, 0.0)).least == 2.0**-52
    w = np.array([0.1, 0.1])
    exact = Fraction(0.1) * 1 + Fraction(0.1) * Fraction(-1.0 + 2.0**-52)
    assert Yardstick.of(problem, (w, 0.0)).least == float(exact)


# --- the record ------------------------------------------------------------------------------------------------------


def test_history_and_curves() -> None:
    x, y = planted(11, 300, 12)
    ledger = Ledger()
    clf = LinearClassifier(shuffle=False).fit(x, y, callback=ledger)
    history, curves = ledger.history, ledger.curves()
    assert history["mistakes"] == np.cumsum(clf.history_["mistakes"])[np.array(history["epoch"]) - 1].tolist()
    assert all(a >= b * (1 - 1e-9) for a, b in zip(history["along"], history["along_line"], strict=True))
    assert all(a <= b * (1 + 1e-9) for a, b in zip(history["length"], history["length_line"], strict=True))
    assert curves["additions"][-1] == clf.n_updates_ and (np.diff(curves["additions"]) > 0).all()
    w = np.append(clf.coef_[0], clf.intercept_[0])
    assert math.isclose(curves["square"][-1], w @ w)
    assert (curves["cosine"] <= 1.0 + 1e-9).all() and (curves["cosine"] >= curves["cosine_line"] * (1 - 1e-9)).all()


def test_a_ledger_changes_nothing_and_can_be_used_again() -> None:
    x, y = planted(11, 300, 12)
    ledger = Ledger()
    for keep in ("voted", "pocket", "averaged", "last"):
        plain = LinearClassifier(keep=keep).fit(x, y)
        clf = LinearClassifier(keep=keep).fit(x, y, callback=ledger)
        assert np.array_equal(plain.coef_, clf.coef_) and plain.history_ == clf.history_
        assert np.array_equal(plain.decision_function(x), clf.decision_function(x))
        assert ledger.mistakes == sum(clf.mistakes_)


def test_another_callback_is_told_and_can_stop() -> None:
    x, y = planted(11, 300, 12)
    clf = LinearClassifier().fit(x, y, callback=Ledger(also=lambda event: True))
    assert clf.stop_reason_ == "stopped by the callback"


def test_a_ledger_without_a_run() -> None:
    with pytest.raises(DataError, match="callback=ledger"):
        Ledger().bounds()
