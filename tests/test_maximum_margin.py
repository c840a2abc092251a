"""The estimator of the widest margin: scikit-learn's contract, as far as its rows are separable, and the answers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from near_ties import near_ties
from rosenblatt import MaximumMargin
from rosenblatt.errors import DataError
from rosenblatt.theory import max_margin
from test_margin import parted

NOT_SEPARABLE = "its rows are not separable, and it asks for a share of right answers among labels of its own"
ON_INSEPARABLE = {
    "check_fit_score_takes_y",
    "check_dont_overwrite_parameters",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_dtype_object",
    "check_estimators_nan_inf",
    "check_estimator_sparse_tag",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_f_contiguous_array_estimator",
    "check_classifier_data_not_an_array",
    "check_supervised_y_2d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
}
"""Checks with rows that no hyperplane separates, which are refused: they get labels by the first column instead."""


class Parted(MaximumMargin):
    """Learns which rows lie above the median of the first column, whatever their labels."""

    def fit(self, X: Any, y: Any) -> Any:
        x, labels = X.toarray() if issparse(X) else np.asarray(X), np.asarray(y)
        if x.ndim == 2 and len(x) == len(labels) and len(set(labels.ravel().tolist())) > 1:
            column, names = x[:, 0].astype(float), np.unique(labels)
            above = column > np.nanmedian(column)
            y = np.where(above, names[-1], names[0]).reshape(labels.shape)
        return super().fit(X, y)


@parametrize_with_checks(
    [MaximumMargin()], expected_failed_checks=lambda estimator: {"check_classifiers_train": NOT_SEPARABLE}
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(Parted() if check.func.__name__ in ON_INSEPARABLE else estimator)


def test_the_estimator_answers_with_the_widest_hyperplane() -> None:
    """What scikit-learn's checks ask on inseparable rows, on separable ones: two fits are equal, input is untouched,
    sparse and column-ordered rows are taken, NaN is refused."""
    x, y = parted(2)
    labels = np.where(y > 0, "yes", "no")
    kept = x.copy()
    model = MaximumMargin().fit(x, labels)
    found = max_margin(x, y)
    assert (x == kept).all()
    assert model.margin_ == found.margin and model.margin_with_bias_ == found.margin_with_bias
    assert model.coef_.shape == (1, 4) and model.intercept_.shape == (1,) and model.n_features_in_ == 4
    assert model.gap_ < 1e-8 and (model.support_ == found.support).all()
    assert model.predict(x).tolist() == labels.tolist() and model.score(x, labels) == 1.0
    assert np.abs(model.decision_function(x)[model.support_]) == pytest.approx(1.0, rel=1e-8)
    again = MaximumMargin().fit(np.asfortranarray(x), labels)
    assert (again.coef_ == model.coef_).all() and (again.predict(x) == model.predict(x)).all()
    sparse = MaximumMargin().fit(csr_array(x), labels)
    assert sparse.coef_ == pytest.approx(model.coef_, rel=1e-6)
    assert (sparse.predict(csr_array(x)) == labels).all()
    with pytest.raises(ValueError, match="NaN|nan"):
        MaximumMargin().fit(np.where(x == x[0, 0], np.nan, x), labels)
    with pytest.raises(ValueError, match="NaN|nan"):
        model.predict(np.full((1, 4), np.nan))


def test_the_estimator_takes_three_classes_one_against_the_rest() -> None:
    x = np.array([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0], [4.0, 0.1], [0.0, 4.0], [0.1, 4.0]])
    y = [0, 0, 1, 1, 2, 2]
    model = MaximumMargin().fit(x, y)
    assert model.coef_.shape == (3, 2) and model.margin_.shape == (3,) and len(model.results_) == 3
    assert model.predict(x).tolist() == y
    with pytest.raises(DataError, match="class 'b' against the rest: .*not separable"):
        MaximumMargin().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])


def test_the_estimator_goes_through_the_origin() -> None:
    model = MaximumMargin(fit_intercept=False).fit([[-2.0], [1.0]], [0, 1])
    assert model.intercept_.tolist() == [0.0] and model.margin_with_bias_ is None
    assert model.margin_ == pytest.approx(1.0)


def test_the_estimator_says_where_no_floats_hold() -> None:
    """The other sets answer every row of theirs as it is labelled."""
    silent = told = 0
    for case in near_ties(200, seed=8):
        model = MaximumMargin(fit_intercept=case.fit_intercept)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                model.fit(case.X, case.y)
            except DataError:
                continue
        assert model.in_floats_ == (not any("no float64" in str(each.message) for each in heard))
        assert not model.in_floats_ or model.score(case.X, case.y) == 1.0, case.name
        silent, told = silent + model.in_floats_, told + (not model.in_floats_)
    assert silent > 80 and told


def test_the_estimator_needs_two_classes() -> None:
    with pytest.raises(DataError, match="one class"):
        MaximumMargin().fit([[1.0], [2.0]], [1, 1])
