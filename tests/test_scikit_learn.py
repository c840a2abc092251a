"""scikit-learn's own checks of its estimators, and the kinds of input that it takes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from conftest import ROOT
from rosenblatt import LinearClassifier
from rosenblatt.parameters import CALIBRATIONS
from samples import KEEPS, NAMES, SHAPED, three_classes, two_classes
from test_maximum_margin import NOT_SEPARABLE

ONLINE = "online, a row of weight 3 is one step three times as long; three such rows are up to three steps, each from \
where the one before led"
BATCH = "the step of a batch is the mean over its rows: weights that are m on average make it m times as long, \
repeated rows do not"
FOLDS = "and the folds of the calibration are other rows where rows are repeated"


def not_repetition(estimator: Any) -> str:
    """Why a weight is not as many rows, in one sentence."""
    if isinstance(estimator, rosenblatt.BatchPerceptron):
        return BATCH
    return f"{ONLINE}; {FOLDS}" if getattr(estimator, "calibrate", None) else ONLINE


USED_UP = "of SCW a weight multiplies the step and not how much surer a row makes it: rows of weight 0.0001 leave \
nothing to rows of weight 1,000"
NO_KERNEL = "its values are those of no kernel, not symmetric or with K(x, x) < 0, which are refused"
ASKED = "a model of kernel values is asked about rows of 3 values where it learned from 10 rows, and their number is \
refused before NaN in them is"
CUBES = "the cubes of values as large as 50 are as large as 10^10, and after 50 epochs a weight of 1,000 has not \
outgrown them; with the same kernel, scikit-learn's `SVC` does not pass this check either"
ALONE = (
    "LinearUnit", "SigmoidUnit", "TanhUnit", "LogisticUnit", "PassiveAggressive", "MarginPerceptron",
    "MultiClassPerceptron",
)  # fmt: skip
"""Whose rule no other of them has: loops for rows of float32 would be compiled for one check each, 4 s of CPU."""
EPOCHS = 50
"""They are about the ways in and out; with the usual limit of 1,000 epochs they take twice as long."""


def failing(estimator: Any) -> dict[str, str]:
    """Checks that are expected to fail, and why."""
    own = {f"check_sample_weight_equivalence_on_{kind}_data": not_repetition(estimator) for kind in ("dense", "sparse")}
    if isinstance(estimator, rosenblatt.SCW):
        own["check_class_weight_classifiers"] = USED_UP
    if getattr(estimator, "kernel", None) == "precomputed":
        own["check_estimators_nan_inf"] = ASKED
        own["check_positive_only_tag_during_fit"] = NO_KERNEL
        own["check_classifiers_one_label_sample_weights"] = NO_KERNEL
    if getattr(estimator, "kernel", None) == "poly":
        own["check_class_weight_classifiers"] = CUBES
    return own


@parametrize_with_checks(
    [getattr(rosenblatt, name)(max_iter=2 if name in SHAPED else EPOCHS) for name in NAMES],
    expected_failed_checks=failing,
)
def test_scikit_learns_checks(estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = type(estimator).__name__
    if name in SHAPED or (name in ALONE and "float32" in getattr(check, "keywords", {}).values()):
        monkeypatch.setenv("ROSENBLATT_JIT", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        *(
            LinearClassifier(keep="averaged", calibrate=kind, calibrate_folds=3, max_iter=EPOCHS)
            for kind in CALIBRATIONS
        ),
        *(LinearClassifier(kernel=kernel, max_iter=EPOCHS) for kernel in ("poly:degree=2", "poly", "precomputed")),
        LinearClassifier(kernel="rbf", keep="voted", max_iter=EPOCHS),
    ],
    expected_failed_checks=failing,
)
def test_scikit_learns_checks_of_calibrated_ones_and_kernels(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_the_page_gives_the_reasons_for_checks_that_fail() -> None:
    page = " ".join((ROOT / "docs" / "coming-from" / "scikit-learn.md").read_text().split())
    for reason in (ONLINE, BATCH, FOLDS, USED_UP, CUBES, ASKED, NOT_SEPARABLE):
        assert reason in page, reason


@pytest.mark.parametrize("keep", ["last", "pocket"])
@pytest.mark.parametrize("rule", ["perceptron", "margin", "until-right", "passive-aggressive", "linear"])
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_in_a_batch_weights_of_mean_1_are_repeated_rows(
    rule: str, keep: str, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")  # five rules × two kinds of rows would be compiled
    x, y = three_classes(n=40)
    times = np.random.default_rng(0).integers(0, 5, 40)
    model = LinearClassifier(rule, keep=keep, optimizer="batch", max_iter=30, eta0=0.01 if rule == "linear" else "auto")
    repeated = clone(model).fit(make(x.repeat(times, axis=0)), y.repeat(times))
    weighted = clone(model).fit(make(x), y, sample_weight=times * np.count_nonzero(times) / times.sum())
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-9, atol=1e-12)


# --- the kinds of input ---


@pytest.mark.parametrize("kind", ["frame", "read-only", "fortran", "matrix", "array", "int64", "lists", "ints"])
def test_kinds_of_rows_give_the_same_model(kind: str) -> None:
    """peers.md, Training: sparse matrices with 64-bit indices are accepted (scikit-learn#11355)."""
    x, y = two_classes()
    x = np.round(4 * x)
    given: Any = x.copy()
    if kind == "frame":
        given = pd.DataFrame(x, columns=[f"f{j}" for j in range(6)])
    elif kind == "read-only":
        given.flags.writeable = False
    elif kind == "fortran":
        given = np.asfortranarray(x)
    elif kind == "matrix":
        given = csr_matrix(x)
    elif kind in ("array", "int64"):
        given = csr_array(x)
    elif kind == "lists":
        given = x.tolist()
    elif kind == "ints":
        given = x.astype(int)
    if kind == "int64":
        given.indices, given.indptr = given.indices.astype(np.int64), given.indptr.astype(np.int64)
    model = LinearClassifier(max_iter=3).fit(given, y)
    expected = LinearClassifier(max_iter=3).fit(x, y)
    assert np.array_equal(model.coef_, expected.coef_) and model.mistakes_ == expected.mistakes_
    assert np.array_equal(model.predict(given), expected.predict(x))


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("sparse", [False, True])
def test_float32_stays_float32(keep: str, sparse: bool) -> None:
    """peers.md, Training: float32 data are copied to float64 until memory runs out (scikit-learn#5776)."""
    x, y = two_classes()
    x = x.astype(np.float32)
    model = LinearClassifier(keep=keep, max_iter=5).fit(csr_array(x) if sparse else x, y)
    assert model.coef_.dtype == np.float32
    assert model.model_.run.state.w.dtype == np.float32


def test_duplicate_entries_are_summed() -> None:
    doubled = csr_matrix((np.array([1.0, 2.0, -3.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    model = LinearClassifier("passive-aggressive", max_iter=1, shuffle=False).fit(doubled, [1, 0])
    plain = LinearClassifier("passive-aggressive", max_iter=1, shuffle=False).fit([[3.0], [-3.0]], [1, 0])
    assert np.array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_values_name_row_and_feature(bad: float) -> None:
    """peers.md, Training: an error that names row and feature, and the model stays as it was."""
    x, y = two_classes()
    frame = pd.DataFrame(x, columns=list("abcdef"))
    model = LinearClassifier().partial_fit(frame, y, classes=[0, 1])
    before = model.coef_.copy()
    frame.iloc[17, 3] = bad
    with pytest.raises(ValueError, match="row 18, feature 'd'"):
        model.partial_fit(frame, y)
    with pytest.raises(ValueError, match="row 18, feature 4"):
        LinearClassifier().fit(csr_array(frame.to_numpy()), y)
    with pytest.raises(ValueError, match="row 18, feature 'd'"):
        model.predict(frame)
    assert np.array_equal(model.coef_, before)


def test_overflow_is_an_error_and_changes_nothing() -> None:
    """peers.md, Training: huge values overflow silently (scikit-learn#17925)."""
    x, y = two_classes()
    model = LinearClassifier("linear", eta0=0.5).partial_fit(x / 10, y, classes=[0, 1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="overflowed in epoch 2 .*scale the features or lower eta0"):
        model.partial_fit(1e100 * x, y)
    assert np.array_equal(model.coef_, before)


@pytest.mark.parametrize("rule", ["perceptron", "until-right", "passive-aggressive", "linear", "tanh"])
@pytest.mark.parametrize("factor, dtype", [(1e160, np.float64), (1e20, np.float32)])
def test_rows_too_long_for_sums_are_refused(rule: str, factor: float, dtype: Any) -> None:
    """Their scores would be NaN, which is neither right nor wrong: the perceptron would say that it has converged."""
    x, y = two_classes()
    with pytest.raises(
        ValueError, match="row 1: its squared length .* is too large for sums in float.*scale the features"
    ):
        LinearClassifier(rule).fit((factor * x).astype(dtype), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_score_that_overflows_is_an_error(dtype: Any) -> None:
    x, y = two_classes()
    model = LinearClassifier(max_iter=20).fit((1e3 * x).astype(dtype), y)
    with pytest.raises(ValueError, match="row 2: its score overflows"):
        model.predict(np.stack([x[0], np.sign(model.coef_[0]) * np.finfo(dtype).max]).astype(dtype))
