"""Metrics: each with each rule that it goes with, against the plain references; plain Python, and a covering set compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import naive
from rosenblatt import LinearClassifier
from rosenblatt.errors import SettingError
from rosenblatt.learn.metric import metric_classes

Array = np.ndarray[Any, Any]
GRADIENT = ("perceptron", "margin", "linear", "sigmoid", "tanh", "logistic")
BRINGING: dict[str, Any] = {
    "arow:r=0.3": naive.arow(0.3),
    "scw:C=0.7,phi=1.2": naive.scw(0.7, 1.2, 1),
    "scw:C=0.7,phi=1.2,variant=2": naive.scw(0.7, 1.2, 2),
    "nherd:C=0.5": naive.nherd("drop", 0.5),
    "nherd-project:C=0.5": naive.nherd("project", 0.5),
    "nherd-exact:C=0.5": naive.nherd("exact", 0.5),
}
STORAGES: dict[str, Callable[[Array], Any]] = {"dense": np.asarray, "sparse": csr_matrix}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "compiled" not in request.node.name:
        monkeypatch.setenv("ROSENBLATT_JIT", "0")


def rows(n: int = 60, d: int = 7, seed: int = 0) -> tuple[Array, Array, Array]:
    """(x, x̄, y): columns of sizes from .01 to 100, four tenths of them zero."""
    random = np.random.default_rng(seed)
    x = np.where(random.random((n, d)) < 0.6, random.normal(size=(n, d)) * 10.0 ** random.integers(-2, 3, d), 0.0)
    return x, np.hstack([x, np.ones((n, 1))]), np.where(random.random(n) < 0.5, 1.0, -1.0)


def learned(x: Any, y: Array, **words: Any) -> Array:
    """(d + 1,) w̄"""
    made = LinearClassifier(max_iter=2, shuffle=False, tol=None, **words).fit(x, y)
    return np.append(made.coef_, made.intercept_)


def close(found: Array, wanted: Array) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", STORAGES.values(), ids=[*STORAGES])
@pytest.mark.parametrize("rule", GRADIENT)
def test_gradients_are_those_of_the_plain_reference(rule: str, make: Any) -> None:
    x, whole, y = rows()
    order, step = [*range(60)] * 2, naive.RULES[rule]
    close(learned(make(x), y, rule=rule, metric="adagrad", eta0=0.5), naive.adagrad(whole, y, order, step, 0.5)[-1])
    close(
        learned(make(x), y, rule=rule, metric="normalised", eta0=0.5), naive.normalised(whole, y, order, step, 0.5)[-1]
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", STORAGES.values(), ids=[*STORAGES])
@pytest.mark.parametrize("metric", BRINGING)
def test_metrics_that_bring_their_step(metric: str, make: Any) -> None:
    x, whole, y = rows()
    path = naive.confident(whole, y, [*range(60)] * 2, BRINGING[metric])
    close(learned(make(x), y, metric=metric), path[-1])
    close(learned(make(x), y, metric=metric, keep="averaged"), np.mean(path, axis=0))
