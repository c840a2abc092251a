"""What the estimators make of their input: rows, label counts, seeds and start weights, checked."""

from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.rows import Array, Rows
from ..data.checks import check_finite, column_named, labels_from, name_twice, rows_from
from ..errors import DataError, SettingError, plain
from ..kernels import kernel_from


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all estimators do with their input; the base of each."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        with suppress(SettingError):  # of a kernel that there is not; fit says so
            tags.input_tags.pairwise = getattr(kernel_from(self._kernel()), "pairwise", False)
        return tags

    def _kernel(self) -> Any:
        """The kernel that is asked for, if any."""
        return None

    def _checked(self, X: Any, y: Any, reset: bool = True) -> tuple[Array, Rows]:
        """(labels, rows)."""
        kernel = kernel_from(self._kernel())
        if getattr(kernel, "length", None) is not None:
            text = "{kernel:s} is of texts, and estimators take rows of numbers; Recipe(kernel=…).fit takes texts"
            raise SettingError(text, kernel=kernel.name)
        try:
            x, y = self._validated(X, y=y, reset=reset)
        except ValueError as error:
            if "y should be a 1d array" in str(error):
                text = "One label a row is needed; MultiOutputClassifier of scikit-learn fits a classifier a column"
                raise SettingError(plain(f"{error} {text}")) from None
            raise
        if y.dtype == object:
            labels_from(y, len(y))  # the sentence about None and labels of several kinds
        try:
            check_classification_targets(y)
            kind = type_of_target(y)
        except TypeError as error:  # of bytes
            raise SettingError(plain(error)) from None
        except ValueError as error:
            text = "" if y.dtype.kind != "f" else " If these numbers are classes, give them as text: y.astype(str)."
            raise SettingError(plain(f"{error}{text}")) from None
        if kind not in ("binary", "multiclass"):
            raise SettingError(f"y is {kind}; one label a row is needed")
        return y, rows_from(x).without_duplicates()

    def _validated(self, X: Any, **how: Any) -> Any:
        if (twice := name_twice(map(str, getattr(X, "columns", ())))) is not None:
            raise DataError(f"found two columns called {twice!r}; expected a name for each")
        kinds = [np.float64, np.float32]
        try:
            return validate_data(self, X, accept_sparse="csr", dtype=kinds, order="C", ensure_all_finite=False, **how)
        except (TypeError, ValueError):
            if place := column_named(X):
                text = f"{place}the rows hold something that is no number; leave it out, or make numbers of it"
                raise DataError(text) from None
            raise

    def _rows(self, X: Any) -> Rows:
        """Rows to answer for."""
        check_is_fitted(self)
        rows = rows_from(self._validated(X, reset=False)).without_duplicates()
        check_finite(rows, getattr(self, "feature_names_in_", None))
        return rows


def label_counts(y: Array) -> dict[Any, int]:
    values, counts = np.unique(y, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def start_weights(coef: Any, intercept: Any, rows: Rows, classes: int) -> tuple[Array, Array]:
    k, d = (1 if classes == 2 else classes), rows.width
    w = np.zeros((k, d)) if coef is None else np.atleast_2d(np.asarray(coef, float))
    b = np.zeros(k) if intercept is None else np.atleast_1d(np.asarray(intercept, float))
    if w.shape != (k, d) or b.shape != (k,):
        raise SettingError(f"coef_init {w.shape}, intercept_init {b.shape} must have shapes ({k}, {d}) and ({k},)")
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise SettingError("coef_init and intercept_init must be finite; found NaN or infinity")
    return w, b
