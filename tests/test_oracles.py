"""Our weights against scikit-learn's, on every numeric two-class set at hand: the same rows in the same order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier

from conftest import load_shared
from rosenblatt import LinearClassifier, PassiveAggressive, datasets

SETS = ("a1a", "a9a", "breast_cancer_w", "german_scale", "heart_scale", "ionosphere", "mushrooms_agaricus", "pima",
        "sonar", "spambase", "svmguide1", "w1a")  # fmt: skip
FIXED: dict[str, Any] = {"tol": None, "shuffle": False}


@pytest.fixture(params=["shipped spambase", *SETS])
def data(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    if request.param == "shipped spambase":
        x, y = datasets.load_spambase()[:2]
        return np.asarray(x), y
    x, y = load_shared(request.param)
    return x.toarray(), y


def assert_same(ours: Any, theirs: Any) -> None:
    """Within 1e-9 of the longest weight, the intercept included."""
    mine, other = (np.r_[model.coef_[0], model.intercept_] for model in (ours, theirs))
    scale = max(np.abs(other).max(), 1e-300)
    assert np.abs(mine - other).max() <= 1e-9 * scale


def fitted(estimator: Any, data: tuple[Any, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*data)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_perceptron(data: tuple[Any, Any], k: int) -> None:
    """Perceptron against scikit-learn's with tol=None, shuffle=False. Ours may stop at a clean epoch before k."""
    ours = LinearClassifier(max_iter=k, **FIXED).fit(*data)
    assert_same(ours, fitted(ScikitPerceptron(max_iter=k, **FIXED), data))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_averaged_perceptron(data: tuple[Any, Any], k: int) -> None:
    """keep="averaged" against SGDClassifier(average=True)."""
    ours = LinearClassifier(keep="averaged", max_iter=k, **FIXED).fit(*data)
    if ours.n_iter_ < k:
        k = ours.n_iter_
    theirs = SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, max_iter=k, **FIXED
    )
    assert_same(ours, fitted(theirs, data))


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("variant", [1, 2])
def test_passive_aggressive_through_the_origin(data: tuple[Any, Any], k: int, variant: int) -> None:
    """PA-I and PA-II against scikit-learn's; with an intercept they differ, see spec: ours counts it in the norm."""
    ours = PassiveAggressive(C=0.5, variant=variant, max_iter=k, fit_intercept=False, **FIXED).fit(*data)
    theirs = SGDClassifier(
        loss="hinge", penalty=None, learning_rate=f"pa{variant}", eta0=0.5, fit_intercept=False, max_iter=k, **FIXED
    )
    assert_same(ours, fitted(theirs, data))


@pytest.mark.parametrize("rule, loss", [("logistic", "log_loss"), ("linear", "squared_error")])
def test_units(rule: str, loss: str) -> None:
    """Logistic and linear units with a constant rate against scikit-learn's SGD on standardised spambase."""
    x, y = datasets.load_spambase()[:2]
    x = np.asarray(x)
    x = (x - x.mean(0)) / x.std(0)
    data = (x, y)
    ours = LinearClassifier(rule, eta0=1e-4, max_iter=3, **FIXED).fit(*data)
    theirs = SGDClassifier(loss=loss, penalty=None, learning_rate="constant", eta0=1e-4, max_iter=3, **FIXED)
    assert_same(ours, fitted(theirs, data))


CLASS_WEIGHT = {-1: 1.0, 1: 3.0}
"""Of spambase."""
OPTIMAL = 1 / (0.01 * 0.01**-0.25)
"""t₀ of scikit-learn's rate "optimal" for the hinge loss and alpha = .01."""
PAGE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "hinge": ({"rule": "margin", "eta0": 0.1}, {"loss": "hinge", "penalty": None, "eta0": 0.1}),
    "hinge, L2": ({"rule": "margin", "eta0": 0.1, "alpha": 0.01}, {"loss": "hinge", "alpha": 0.01, "eta0": 0.1}),
    "logistic, class weights": (
        {"rule": "logistic", "eta0": 0.01, "class_weight": CLASS_WEIGHT},
        {"loss": "log_loss", "penalty": None, "eta0": 0.01, "class_weight": CLASS_WEIGHT},
    ),
    "invscaling": (
        {"rule": "logistic", "learning_rate": lambda t: 0.1 / (t + 1) ** 0.5},
        {"loss": "log_loss", "penalty": None, "eta0": 0.1, "power_t": 0.5, "learning_rate": "invscaling"},
    ),
    "optimal": (
        {"rule": "margin", "alpha": 0.01, "learning_rate": lambda t: 1 / (0.01 * (OPTIMAL + t))},
        {"loss": "hinge", "alpha": 0.01, "learning_rate": "optimal"},
    ),
}
"""What the page says is the same: a name → our words and theirs."""


@pytest.mark.parametrize("name", PAGE)
@pytest.mark.parametrize("kind", ["dense", "sparse, no intercept", "sparse, intercept"])
def test_the_page_coming_from_scikit_learn(name: str, kind: str) -> None:
    """Equal on dense rows and without an intercept; with one, sparse rows differ by scikit-learn's factor of .01."""
    x, y = datasets.load_spambase()[:2]
    x = np.asarray(x)
    x, intercept = (x - x.mean(0)) / x.std(0), kind != "sparse, no intercept"
    rows = x if kind == "dense" else csr_array(x)
    mine, other = PAGE[name]
    ours = LinearClassifier(**mine, fit_intercept=intercept, max_iter=2, **FIXED).fit(rows, y)
    words = {"learning_rate": "constant", **other}
    theirs = fitted(SGDClassifier(**words, fit_intercept=intercept, max_iter=2, **FIXED), (rows, y))
    if kind == "sparse, intercept":
        with pytest.raises(AssertionError):
            assert_same(ours, theirs)
    else:
        assert_same(ours, theirs)


def test_of_three_classes_each_against_the_others() -> None:
    x, y = load_iris(return_X_y=True)
    for sparse in (False, True):
        rows = csr_array(x) if sparse else x
        words = {"max_iter": 4, "fit_intercept": not sparse, **FIXED}
        ours, theirs = LinearClassifier(**words).fit(rows, y), fitted(ScikitPerceptron(**words), (rows, y))
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
