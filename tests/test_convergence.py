"""Separable data end in zero training mistakes, or the limit that came first is named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

import learners
from conftest import load_shared
from rosenblatt import LinearClassifier, MarginPerceptron, Perceptron, PocketPerceptron


def random_separable(seed: int, n: int = 200, d: int = 5, margin: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows, labelled by a random plane through the origin, none nearer to it than the margin."""
    rng = np.random.default_rng(seed)
    plane = rng.normal(size=d)
    plane /= np.linalg.norm(plane)
    rows = rng.normal(size=(20 * n, d))
    rows = rows[np.abs(rows @ plane) >= margin][:n]
    return rows, (rows @ plane > 0).astype(int)


@pytest.mark.parametrize("seed", range(200))
def test_defaults_reach_zero_mistakes(seed: int) -> None:
    """peers.md, Training: scikit-learn's defaults left errors on 14 of 20 such sets."""
    rows, y = random_separable(seed)
    model = Perceptron().fit(rows, y)
    assert model.converged_ and model.mistakes_[-1] == 0
    assert model.stop_reason_ == "an epoch without an update"
    assert model.score(rows, y) == 1.0


def test_iris_setosa() -> None:
    x, y = load_iris(return_X_y=True)
    model = Perceptron().fit(x, y == 0)
    assert model.converged_ and model.score(x, y == 0) == 1.0


def test_mushrooms() -> None:
    """139 mistakes in the given order, at most 304 are possible (R̄²/γ̄²)."""
    x, y = load_shared("mushrooms_agaricus")
    assert Perceptron().fit(x, y).score(x, y) == 1.0
    given = Perceptron(shuffle=False).fit(x, y)
    assert given.converged_ and sum(given.mistakes_) == 139


def test_sonar_names_the_limit() -> None:
    """Sonar is separable, but only just: the defaults say which limit stopped them."""
    x, y = load_shared("sonar")
    model = Perceptron().fit(x.toarray(), y)
    assert not model.converged_
    assert model.stop_reason_ == "epoch limit (max_iter=1000)"
    assert model.mistakes_[-1] > 0


@pytest.mark.slow
def test_sonar_without_a_limit() -> None:
    """2,729,231 mistakes in the given order before the first clean epoch."""
    x, y = load_shared("sonar")
    model = Perceptron(max_iter=None, shuffle=False).fit(x.toarray(), y)
    assert model.converged_ and sum(model.mistakes_) == 2_729_231
    assert model.score(x.toarray(), y) == 1.0


def test_limits_are_named() -> None:
    rows, y = random_separable(0)
    y = y.copy()
    y[:20] = 1 - y[:20]
    assert Perceptron(max_updates=17).fit(rows, y).stop_reason_ == "step limit (max_updates=17)"
    assert Perceptron(max_updates=17).fit(rows, y).n_updates_ == 17
    assert Perceptron(max_iter=None, max_time=0.05).fit(rows, y).stop_reason_ == "time limit (max_time=0.05 s)"
    slow = Perceptron(tol=0.0, n_iter_no_change=2).fit(rows, y)
    assert slow.stop_reason_ == "no progress by tol=0 for 2 epochs" and not slow.converged_


def test_batch_perceptron_stops_at_a_small_gradient() -> None:
    """δ = 0 with mistakes proves that the data are not separable; converged_ means zero mistakes."""
    x, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([1, 0, 1, 0])
    model = LinearClassifier(optimizer="batch", fit_intercept=False).fit(x, y)
    assert model.stop_reason_.startswith("small gradient") and not model.converged_
    rows, y = random_separable(1, margin=0.2)
    model = LinearClassifier(optimizer="batch", max_iter=None).fit(rows, y)
    assert model.converged_ and model.score(rows, y) == 1.0


@pytest.mark.parametrize("how", ["pick-first", "pick-random", "pick-worst"])
@pytest.mark.parametrize("rule", ["perceptron", "margin", "until-right", "passive-aggressive"])
def test_pick_one_mistake_ends_without_any(how: str, rule: str) -> None:
    rows, y = random_separable(2, margin=0.1)
    model = LinearClassifier(rule, optimizer=how, max_updates=20_000).fit(rows, y)
    assert model.n_updates_ == model.t_
    if rule == "passive-aggressive" and how == "pick-first":
        # y·u = 1 is reached in the limit only, and the first rows are mended to the last digit before the next is seen.
        assert model.score(rows, y) > 0.9 and model.stop_reason_ == "step limit (max_updates=20000)"
    else:
        assert model.score(rows, y) == 1.0
        assert model.converged_ and model.stop_reason_ == "no row is wrong any more"


@pytest.mark.parametrize("how", ["pick-first", "pick-random", "pick-worst"])
def test_a_row_that_only_rounding_calls_wrong_is_not_picked_for_ever(how: str) -> None:
    """The scan of all rows and the loop sum scores in different orders: a pick without a step must not come again."""
    p = learners.problem()  # csr-float32 rows were picked for ever
    clf = LinearClassifier("passive-aggressive", optimizer=how, max_updates=200, tol=None)
    clf.fit(csr_array(p.x.astype(np.float32)), p.y)
    assert clf.n_updates_ == 200 or clf.converged_


def test_pick_refuses_rules_that_are_never_done() -> None:
    rows, y = random_separable(2)
    with pytest.raises(ValueError, match="zero when right"):
        LinearClassifier("logistic", optimizer="pick-first").fit(rows, y)


def test_margin_and_pocket_on_separable_data() -> None:
    rows, y = random_separable(3, margin=0.1)
    margin = MarginPerceptron(max_iter=None).fit(rows, y)
    signs = np.where(y > 0, 1.0, -1.0)
    assert margin.converged_ and (signs * margin.decision_function(rows)).min() >= 1.0
    pocket = PocketPerceptron().fit(rows, y)
    assert pocket.score(rows, y) == 1.0
