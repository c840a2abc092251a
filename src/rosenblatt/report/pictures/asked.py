"""What pictures ask of what they are given: fitted classifiers of any kind, models, and learners that they fit."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.rows import Array
from ...errors import DataError, SettingError
from ...model.model import Model
from ...trace import Record, Trace


def last_of(estimator: Any) -> Any:
    return estimator[-1] if hasattr(estimator, "steps") else estimator


def asked(given: Any) -> Any:
    """What is given; of a `Model` what pictures ask of an estimator."""
    if not isinstance(given, Model):
        return given
    own = {"classes_": given.classes, "decision_function": given.decision, "predict": given.predict}
    own |= {"predict_proba": given.probabilities} if given.has_probabilities else {}
    names, plain = given.feature_names, given.run.settings.kernel is None  # of products of columns, made one by one
    names = None if names is None else [names[j] for j in range(given.width if plain else given.given_width)]
    own |= {"coef_": given.weights[0]} if plain else {}
    return SimpleNamespace(**own, feature_names_in_=names)


def weights_of(estimator: Any, x: Any, X: Any) -> tuple[Array, Array] | None:
    """(w, b) by which the estimator answers, (K, d) and (K,); None where its scores are others, as of a vote."""
    if not hasattr(estimator, "coef_"):
        return None
    w = np.atleast_2d(np.asarray(estimator.coef_, float))
    b = np.broadcast_to(np.asarray(estimator.intercept_, float), len(w))
    scores, own = np.asarray(x @ w.T + b), np.asarray(estimator.decision_function(X))
    same = np.allclose(scores, own.reshape(scores.shape), rtol=1e-6, atol=1e-9 * np.abs(scores).max())
    return (w, b) if same else None


def codes(y: Any, classes: Array) -> Array:
    """(n,) the classes' numbers 0 … K − 1."""
    order = {label: k for k, label in enumerate(classes.tolist())}
    labels = np.asarray(y).tolist()
    unknown = next((label for label in labels if label not in order), None)
    if unknown is not None or not labels:
        what = "there are no rows" if not labels else f"{unknown!r} is not a label of the estimator"
        raise DataError(f"{what}; its labels are {', '.join(map(str, order))}")
    return np.array([order[label] for label in labels])


def numbers(X: Any) -> Any:
    """(n, d) float array, or CSR; DataError for what has no rows or columns."""
    x = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
    if x.ndim != 2 or not x.shape[0] or not x.shape[1]:
        raise DataError(f"X has shape {x.shape}; a picture is drawn of rows of numbers")
    return x


def named(things: Any, what: type) -> dict[str, Any]:
    """name → thing, of a mapping or of a single one, which has no name. SettingError where one is something else."""
    found = dict(things) if isinstance(things, Mapping) else {"": things}
    other = next((each for each in found.values() if not isinstance(each, what)), None)
    if other is not None or not found:
        off = "nothing" if other is None else type(other).__name__
        raise SettingError(f"a {what.__name__} is needed, or a dict of names and such; found {off}")
    return {str(name): each for name, each in found.items()}


def into_learner(estimator: Any, X: Any, y: Any) -> tuple[Any, Any, list[str] | None]:
    """(learner, X, names of its columns): of a pipeline its last step, and what the fitted steps before it make of X.
    SettingError for a learner that cannot be watched."""
    from sklearn.base import clone

    if hasattr(estimator, "steps"):
        before = clone(estimator[:-1])
        X, estimator = before.fit_transform(X, y) if len(before.steps) else X, estimator[-1]
    if "callback" not in inspect.signature(getattr(estimator, "fit", len)).parameters:
        raise SettingError(f"a learner of rosenblatt is needed, or a pipeline that ends in one; found {estimator!r}")
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
