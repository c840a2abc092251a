"""Our weights against scikit-learn's, on every numeric two-class set at hand: the same rows in the same order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
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
