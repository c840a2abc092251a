"""Whatever arrays the estimators are given: a finite answer, or a ValueError of one sentence; the model as it was."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array, csr_matrix

import rosenblatt
from rosenblatt import AveragedPerceptron, LinearClassifier, LogisticUnit, Perceptron
from rosenblatt.errors import DataError
from samples import NAMES, SHAPED

Array = np.ndarray[Any, Any]
ODD: dict[str, tuple[Any, Any]] = {
    "no rows": (np.empty((0, 2)), np.empty(0)),
    "no columns": (np.empty((3, 0)), [0, 1, 0]),
    "one row": ([[1.0, 2.0]], [1]),
    "one class": ([[1.0], [2.0]], ["a", "a"]),
    "labels of two columns": ([[1.0], [2.0]], [[0, 1], [1, 0]]),
    "one label too few": ([[1.0], [2.0]], [0]),
    "a flat array": ([1.0, 2.0], [0, 1]),
    "three dimensions": (np.zeros((2, 2, 2)), [0, 1]),
    "NaN": ([[np.nan], [1.0]], [0, 1]),
    "infinity": ([[np.inf], [1.0]], [0, 1]),
    "NaN in sparse rows": (csr_matrix([[np.nan, 0.0], [0.0, 1.0]]), [0, 1]),
    "NaN as a label": ([[0.0], [1.0]], [np.nan, 1.0]),
    "None as a label": ([[0.0], [1.0]], [None, "a"]),
    "labels of numbers and words": ([[0.0], [1.0]], np.array([1, "a"], object)),
    "fractions as labels": ([[0.0], [1.0], [2.0]], [0.5, 1.25, 0.5]),
    "words as values": ([["a"], ["b"]], [0, 1]),
    "complex values": (np.array([[1j], [2.0]]), [0, 1]),
    "too large to square": ([[1e308], [-1e308]], [0, 1]),
    "too large for float32": (np.array([[3e38], [-3e38]], np.float32), [0, 1]),
    "ragged rows": ([[1.0], [1.0, 2.0]], [0, 1]),
    "a word": ("rows", [0, 1]),
    "nothing": (None, None),
}
"""Refused by every estimator in one sentence."""
FINE: dict[str, tuple[Any, Any]] = {
    "equal columns": (np.repeat(np.arange(6.0)[:, None], 3, axis=1), [0, 0, 0, 1, 1, 1]),
    "constant columns": (np.array([[1.0, 5.0], [2.0, 5.0], [9.0, 5.0]]), [0, 0, 1]),
    "all zeros": (np.zeros((4, 2)), [0, 1, 0, 1]),
    "zero rows, sparse": (csr_array((4, 3)), [0, 1, 2, 1]),
    "many columns": (csr_array(([1.0, 1.0], ([0, 1], [5, 10**5 - 1])), shape=(2, 10**5)), ["a", "b"]),
    "tiny values": (np.array([[1e-160], [-1e-160], [5e-324]]), [0, 1, 1]),
    "integers": (np.array([[2**62], [-(2**62)]]), [True, False]),
    "equal rows, other labels": (np.ones((4, 2)), [0, 1, 0, 1]),
    "equal indices in a row": (csr_matrix(([1.0, 2.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2)), [0, 1]),
    "labels of one column": (np.arange(4.0)[:, None], np.array([[0], [0], [1], [1]])),
    "long indices": (csr_array((np.ones(2), np.array([0, 1], np.int64), np.array([0, 1, 2], np.int64))), [0, 1]),
    "words of all scripts": (np.arange(4.0)[:, None], ["\u5783\u573e", "ham", "\u5783\u573e", "\U0001f600"]),
}
"""Learned from by every estimator."""


@pytest.fixture(autouse=True)
def plain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "name" in request.fixturenames and request.getfixturevalue("name") in SHAPED:
        monkeypatch.setenv("ROSENBLATT_JIT", "0")


def one_sentence(error: Exception) -> None:
    assert str(error).strip() and "Traceback" not in str(error), repr(error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("odd", ODD)
def test_what_cannot_be_learned_from_is_refused(name: str, odd: str) -> None:
    """And a fitted estimator is what it was, whether it is fitted anew or learns on."""
    X, y = ODD[odd]
    estimator = getattr(rosenblatt, name)(max_iter=3)
    with pytest.raises((ValueError, TypeError)) as error:
        estimator.fit(X, y)
    one_sentence(error.value)
    fitted = getattr(rosenblatt, name)(max_iter=3).fit([[0.0], [1.0]], [0, 1])
    before = copy.deepcopy(fitted.model_.weights)
    with pytest.raises((ValueError, TypeError)) as error:
        fitted.fit(X, y)
    assert all(np.array_equal(a, b) for a, b in zip(before, fitted.model_.weights, strict=True))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fine", FINE)
def test_what_is_odd_but_right_is_learned_from(name: str, fine: str) -> None:
    X, y = FINE[fine]
    if (name, fine) == (
        "KernelPerceptron",
        "tiny values",
    ):  # γ of a Gaussian is of squares, and of these there are none
        with pytest.raises(DataError, match="squares of such values do not fit float64; scale the features"):
            getattr(rosenblatt, name)(max_iter=3).fit(X, y)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's about labels of one column
        estimator = getattr(rosenblatt, name)(max_iter=3).fit(X, y)
    scores = estimator.decision_function(X)
    assert np.isfinite(scores).all() and set(estimator.predict(X)) <= set(np.unique(np.ravel(y)))


VALUES = st.one_of(
    st.floats(-1e3, 1e3), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([1e308, 1e-308, 0.0])
)
SHAPES = st.tuples(st.integers(0, 5), st.integers(0, 3))
MAKERS = (
    lambda: Perceptron(max_iter=3),
    lambda: AveragedPerceptron(max_iter=3, class_weight="balanced"),
    lambda: LogisticUnit(max_iter=3, optimizer="mini-batch"),
    lambda: LinearClassifier("linear", keep="pocket", max_iter=3),
    lambda: LinearClassifier("passive-aggressive", keep="voted", max_iter=3),
)


@given(x=hnp.arrays(np.float64, SHAPES, elements=VALUES), data=st.data())
def test_any_numbers(x: Array, data: st.DataObject) -> None:
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x)))
    sparse, maker = data.draw(st.booleans()), data.draw(st.sampled_from(MAKERS))
    X = csr_array(x) if sparse else x
    try:
        fitted = maker().fit(X, y)
        scores = fitted.decision_function(X)
    except ValueError as error:
        one_sentence(error)
        return
    assert np.isfinite(scores).all() and np.isfinite(fitted.coef_).all()


@given(weight=hnp.arrays(np.float64, 4, elements=VALUES))
def test_any_weights(weight: Array) -> None:
    try:
        fitted = Perceptron(max_iter=3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], sample_weight=weight)
    except ValueError as error:
        one_sentence(error)
        return
    assert np.isfinite(fitted.coef_).all() and (weight >= 0).all()
