"""What pictures ask of what they are given: fitted classifiers of any kind, models, records, and
learners that they fit."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...data.checks import check_finite, labels_from, rows_from
from ...errors import DataError, SettingError, plural
from ...model.model import Model
from ...trace import Record, Trace
from ...trace.observer import record_of

CLOSE = 1e-6
"""Scores that differ by less, relative to the largest, are a tie."""


class Asked(NamedTuple):
    """A fitted classifier. scores: of data, (n,) of two classes, else (n, K), the largest of which is the answer;
    predict: its labels; probabilities: (n, K), None where it has none. linear: the (w, b) that it states, (K, d) and
    (K,), K = 1 of two classes; None without. names: of the columns of w, or None."""

    name: str
    classes: Array
    scores: Callable[[Any], Any]
    predict: Callable[[Any], Any]
    probabilities: Callable[[Any], Any] | None
    linear: tuple[Array, Array] | None
    names: Any = None


def asked(given: Any) -> Asked:
    """DataError for what is no fitted classifier, and where it has nothing that could be drawn."""
    if isinstance(given, Asked):
        return given
    if isinstance(given, Model):
        return _of_model(given)
    name = type(given).__name__
    if isinstance(given, type) or not hasattr(given, "predict"):
        raise DataError(f"a fitted classifier or a Model is needed, found {given!r:.60}")
    if not hasattr(given, "classes_"):
        raise DataError(f"{name} is not fitted, or no classifier; give a fitted one")
    classes, odds = np.asarray(given.classes_), getattr(given, "predict_proba", None)
    scores: Any = getattr(given, "decision_function", odds)
    if scores is None:
        raise DataError(f"{name} has neither decision_function nor predict_proba; pictures are drawn by scores")
    if scores is odds and len(classes) == 2:
        scores = lambda X: np.diff(odds(X))[:, 0]  # noqa: E731
    linear = None
    if hasattr(given, "coef_"):
        w = given.coef_.toarray() if hasattr(given.coef_, "toarray") else given.coef_
        w = np.atleast_2d(np.asarray(w, float))
        linear = w, np.broadcast_to(np.asarray(getattr(given, "intercept_", 0.0), float), len(w))
    return Asked(name, classes, scores, given.predict, odds, linear, getattr(given, "feature_names_in_", None))


def _of_model(model: Model) -> Asked:
    odds = model.probabilities if model.has_probabilities else None
    linear, names = None, model.feature_names
    if model.run.settings.kernel is None:
        linear = model.weights
        names = (
            None if names is None else [names[j] for j in range(model.width)]
        )  # of products of columns, made one by one
    return Asked("Model", model.classes, model.decision, model.predict, odds, linear, names)


def best_of(estimator: Any) -> Any:
    """Of a search the estimator that it found."""
    return getattr(estimator, "best_estimator_", estimator)


def last_of(estimator: Any) -> Any:
    """Of a pipeline its last step."""
    while hasattr(best_of(estimator), "steps"):
        estimator = best_of(estimator)[-1]
    return best_of(estimator)


def inside(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Of a pipeline its last step, and what the steps before make of X."""
    asked(last_of(estimator))
    while hasattr(best_of(estimator), "steps"):
        estimator = best_of(estimator)
        X, estimator = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X, estimator[-1]
    return best_of(estimator), X


def scores_of(own: Asked, X: Any, answers: bool = True) -> Array:
    """(n,) or (n, K) scores. DataError where they are not one a class, as one against one, and, answers: where predict
    answers others than the best of them."""
    u, many = np.asarray(own.scores(X), float), len(own.classes)
    if u.shape[1:] != (() if many == 2 else (many,)):
        found = plural(u.shape[1] if u.ndim > 1 else 1, "score")
        raise DataError(f"{own.name} gives {found} a row for {many} classes; {_ONE_EACH}")
    if answers and len(u):
        level = np.column_stack([-u, u]) if u.ndim == 1 else u
        lead = level.max(axis=1) - level[np.arange(len(u)), codes(own.predict(X), own.classes, len(u))]
        off = int(np.count_nonzero(lead > CLOSE * np.abs(level).max()))
        if off:
            found = f"its predict answers {off:,} of {len(u):,} rows otherwise than by their highest score"
            raise DataError(f"{own.name}: {found}, by which pictures are drawn; {_ONE_EACH}")
    return u


_ONE_EACH = 'a score for each class is needed, as of SVC with decision_function_shape="ovr", break_ties=True'


def weights_of(own: Asked, x: Any, X: Any) -> tuple[Array, Array] | None:
    """(w, b) by which it answers rows x, to it X; None where its scores are others, as of a vote."""
    scores = scores_of(own, X)
    if own.linear is None or own.linear[0].shape[1] != x.shape[1]:
        return None
    w, b = own.linear
    plain = np.asarray(x @ w.T + b)
    near = plain.size == scores.size and np.allclose(
        plain, scores.reshape(plain.shape), rtol=CLOSE, atol=1e-9 * np.abs(plain).max()
    )
    return (w, b) if near else None


def weights_by_class(own: Asked) -> Array:
    """(1, d) of two classes, else (K, d): the w that it states. DataError where there are none, or its rows are not the
    classes: far along most of them other classes are answered, as of one against one."""
    if own.linear is None:
        raise DataError(f"{own.name} has no coef_; give a fitted linear classifier")
    (w, b), many = own.linear, len(own.classes)
    fit = len(w) == (1 if many == 2 else many)
    if fit and many > 2 and own.name != "Model":
        size = np.linalg.norm(w, axis=1, keepdims=True)
        far = w * (1.0 + np.abs(b).max()) * 1e3 / np.where(size > 0.0, size, 1.0) ** 2
        with warnings.catch_warnings(), suppress(AttributeError, ValueError):  # it may take no such rows
            warnings.simplefilter("ignore")
            said = codes(own.predict(far), own.classes, many)
            fit = bool(np.count_nonzero((far @ w.T + b).argmax(axis=1) != said) <= many / 2)
    if not fit:
        raise DataError(f"the {plural(len(w), 'row')} of coef_ of {own.name} are not of its {many} classes")
    return w


def labels_of(y: Any, n: int) -> Array:
    """(n,) the labels of n rows, of such a list or of a column. DataError for another number of them."""
    return labels_from(one_column(y), n)


def one_column(y: Any) -> Any:
    """(n,) of a column (n, 1); else what is given."""
    return np.asarray(y).ravel() if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 else y


def codes(y: Any, classes: Array, n: int) -> Array:
    """(n,) the numbers 0 … K − 1 of the labels of n rows; DataError as `labels_of`, and for other labels."""
    order = {label: k for k, label in enumerate(classes.tolist())}
    labels = labels_of(y, n).tolist()
    unknown = next((label for label in labels if label not in order), None)
    if unknown is not None or not labels:
        what = "there are no rows" if not labels else f"{unknown!r} is not a label of the estimator"
        raise DataError(f"{what}; its labels are {', '.join(map(str, order))}")
    return np.array([order[label] for label in labels])


def numbers(X: Any) -> Any:
    """(n, d) float array, or CSR; DataError for what has no rows or columns, or a value that is no finite number."""
    rows = rows_from(X)
    if not rows.n or not rows.width:
        raise DataError(f"X has shape {(rows.n, rows.width)}; a picture is drawn of rows of numbers")
    check_finite(rows)
    x = rows.matrix()
    return x if hasattr(x, "tocsr") else np.asarray(x, float)


def called(names: Sequence[Any] | None, X: Any, d: int) -> list[str] | None:
    """What d columns are called: names, else those of a DataFrame, else None. DataError for another number of them."""
    if names is None or not len(names):
        names = getattr(X, "columns", None)
    if isinstance(names, str):
        raise SettingError(f"names must be a list of names, found {names!r}")
    if names is not None and len(names) != d:
        raise DataError(f"{len(names)} names for {plural(d, 'feature')}; each needs one")
    return None if names is None else [str(name) for name in names]


def records(runs: Any) -> dict[str, Record]:
    """name → record, of a mapping or of a single one, which has no name. SettingError where one is something else."""
    if isinstance(runs, Mapping) and not runs:
        raise SettingError("a Record is needed, or a dict of names and such; found nothing")
    return {str(name): record_of(each) for name, each in (runs.items() if isinstance(runs, Mapping) else [("", runs)])}


def check_whole(least: int, **setting: Any) -> None:
    """SettingError where it is no whole number, or below the least."""
    ((name, value),) = setting.items()
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise SettingError(f"{{{name}}} must be a whole number, {least} or more", **setting)


def into_learner(estimator: Any, X: Any, y: Any) -> tuple[Any, Any, list[str] | None]:
    """(learner, X, names of its columns): of a pipeline its last step, and what the fitted steps before it make of X.
    SettingError for a learner that cannot be watched."""
    from sklearn.base import clone

    estimator = best_of(estimator)
    if hasattr(estimator, "steps"):
        before = clone(estimator[:-1])
        X, estimator = before.fit_transform(X, y) if len(before.steps) else X, estimator[-1]
    if "callback" not in inspect.signature(getattr(estimator, "fit", len)).parameters:
        kind = "a learner of rosenblatt is needed that goes by epochs, or a pipeline that ends in one"
        raise SettingError(f"{kind}; found {estimator!r:.60}")
    numbers(X)
    labels_of(y, X.shape[0] if hasattr(X, "shape") else len(X))
    return estimator, X, [str(name) for name in X.columns] if hasattr(X, "columns") else None


def watched(learner: Any, X: Any, y: Any, **settings: Any) -> tuple[Any, Record]:
    """(a clone with these settings, fitted; the record of its run)."""
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning

    trace = Trace()
    with warnings.catch_warnings():  # the picture shows how each ended
        warnings.simplefilter("ignore", ConvergenceWarning)
        learned = clone(learner).set_params(**settings).fit(X, y, callback=trace)
    return learned, trace.record


def distances(w: Array, b: Array, x: Any, y: Array) -> Array:
    """(n,) y·u/‖w‖; of (K, d) the distance from the border to the nearest other class. y: (n,) class numbers. 0 where
    the weights of two classes are equal."""
    u = np.asarray(x @ w.T) + b
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(w) == 1:
            return np.nan_to_num((2.0 * y - 1.0) * u[:, 0] / np.linalg.norm(w), nan=0.0, posinf=0.0, neginf=0.0)
        between = np.linalg.norm(w[:, None] - w[None], axis=2)
        rows = np.arange(len(y))
        apart = np.nan_to_num((u[rows, y][:, None] - u) / between[y], nan=0.0, posinf=0.0, neginf=0.0)
    apart[rows, y] = np.inf
    return np.asarray(apart.min(axis=1))
