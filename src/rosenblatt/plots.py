"""Pictures for notebooks and scripts: `from rosenblatt import plots`, then `plots.regions(learned, X, y)`.

They draw a fitted estimator or a `Model`. Each function gives a matplotlib Figure: a notebook shows it, `savefig`
writes it, everything in it can be changed. The colours are told apart by colour-blind readers, and nothing depends on
colour alone. No pyplot, no global state.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .core.rows import Array
from .errors import DataError, SettingError
from .model.model import Model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["answers", "coefficients", "learning_curve", "regions", "training"]


def training(estimator: Any, title: str = "") -> Figure:
    """Mistakes in each epoch of a fitted learner of this package (or a `Model`), and what validation said.

    A pipeline stands for its last step. title: a line above the picture; default: the learner. Below it stands why
    learning stopped. DataError for what keeps no record of its training.
    """
    from .report.pictures.training import figure_of_training

    learner = _last(estimator)
    run = getattr(getattr(learner, "model_", learner), "run", None)
    if run is None:
        raise DataError(f"{type(learner).__name__} has no record of its training; give a fitted learner of rosenblatt")
    return figure_of_training(run, [title or type(learner).__name__, f"stopped: {run.stop_reason}"])


def regions(estimator: Any, X: Any, y: Any, names: Sequence[str] = (), title: str = "") -> Figure:
    """Which class the estimator answers where, with the rows of X (n, d) and their labels y (n,).

    Any fitted classifier with `decision_function` and `classes_`, a pipeline too. names: of the columns. Equal rows are
    one point, larger the more they are. With two classes and a straight border, its normal w is drawn, and where no row
    is wrong its margin with the rows that are nearest.

    Two columns are drawn as they are. Of more, X is seen (after the steps of a pipeline) in two directions: of two
    classes w, and the first principal component of the rows at a right angle to it; of more, those in which the weights
    of the classes differ most. By w·x + b of two or three classes each row is drawn on its own side of the borders; in
    general the borders are where they cut the plane through the rows' mean. DataError for labels that are not the
    estimator's, and for more than 2,000 columns without `coef_`.
    """
    from .report.pictures.directions import directions
    from .report.pictures.regions import WIDEST, Plane, Scores, figure_of_regions, plane_in

    wide = X if hasattr(X, "shape") else np.asarray(X)
    if hasattr(estimator, "steps") and (len(wide.shape) != 2 or wide.shape[1] > 2):
        X, names = estimator[:-1].transform(X), ()
        estimator = estimator[-1]
    named = hasattr(X, "columns")
    x = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
    if x.ndim != 2 or not x.shape[0] or not x.shape[1]:
        raise DataError(f"X has shape {x.shape}; regions are drawn of rows of numbers")
    estimator = _estimator(estimator)
    classes, d = np.asarray(estimator.classes_), x.shape[1]
    codes = _codes(y, classes)
    called = list(names or (X.columns if named else ())) or None

    def scores(points: Array) -> Array:
        return estimator.decision_function(type(X)(points, columns=X.columns) if named else points)

    if d == 2:
        x = x.toarray() if hasattr(x, "toarray") else x
        return figure_of_regions(Plane(x, codes, scores, classes.tolist(), called or ("x₁", "x₂")), title, 5.6)
    own, weights = np.asarray(estimator.decision_function(X)), _weights(estimator, x, X)
    if weights is None and d > WIDEST:
        raise DataError(
            f"X has {d:,} columns, and the estimator no weights for them; regions are drawn up to {WIDEST:,}"
        )
    seen = directions(x, getattr(estimator, "coef_", None), called)
    asked = Scores(own, weights, scores if weights is None else np.asarray)
    return figure_of_regions(plane_in(seen, x, codes, asked, classes.tolist()), title, 5.6)


def answers(estimator: Any, X: Any, y: Any, title: str = "") -> Figure:
    """How a classifier answers labelled rows: confusion, ROC and DET, and reliability where it has probabilities.

    Any fitted classifier with `decision_function` and `classes_`. DataError for labels that are not the estimator's.
    """
    from .report.pictures.answers import Answers, figure_of_answers

    estimator = _estimator(estimator)
    classes = np.asarray(estimator.classes_)
    scores, predicted = np.asarray(estimator.decision_function(X)), _codes(estimator.predict(X), classes)
    probabilities = estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else None
    answered = Answers(scores, _codes(y, classes), predicted, classes.tolist(), probabilities)
    return figure_of_answers(answered, title)


def coefficients(estimator: Any, names: Sequence[str] | None = None, top: int = 10, title: str = "") -> Figure:
    """The `top` strongest features of each class as bars: any fitted linear classifier with `coef_` and `classes_`.

    A pipeline stands for its last step. names: of the features; default: `feature_names_in_`, else as the steps before
    it call what they give, else `x[0]`, `x[1]` … DataError for another number of names, and for what has no `coef_`.
    """
    from .report.pictures.coefficients import figure_of_coefficients

    pipeline, estimator = estimator, _estimator(_last(estimator))
    if not hasattr(estimator, "coef_"):
        raise DataError(f"{type(estimator).__name__} has no coef_; give a fitted linear classifier")
    w = np.atleast_2d(np.asarray(estimator.coef_))
    if names is None:
        names = getattr(estimator, "feature_names_in_", None)
        if names is None and hasattr(pipeline, "steps"):
            with suppress(AttributeError, ValueError):  # a step that gives no names, or no step before
                names = pipeline[:-1].get_feature_names_out()
        names = [f"x[{j}]" for j in range(w.shape[1])] if names is None else names
    if len(names) != w.shape[1]:
        raise DataError(f"{len(names)} names for {w.shape[1]} features; each needs one")
    if top < 1:
        raise SettingError("{top:s} must be 1 or more", top=top)
    return figure_of_coefficients(w, np.asarray(estimator.classes_).tolist(), names, top, title)


def learning_curve(estimator: Any, X: Any, y: Any, folds: int = 5, seed: int = 0, title: str = "") -> Figure:
    """Error by the number of training rows: would more data help? Any classifier of scikit-learn's kind, a pipeline
    too; it is cloned, and fitted to at most ten sizes in each fold.

    X: (n, d) array, sparse matrix, DataFrame or list. y: (n,) labels. folds: at least 2, class by class. The lines are
    the means over the folds, the areas one standard deviation around them. DataError for fewer than 2·folds rows.
    """
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import _safe_indexing as part

    from .compare.learning_curve import learning_curve as measured
    from .report.pictures.lines import figure_of_growth

    labels = np.asarray(y)

    def train(chosen: Array) -> Any:
        with warnings.catch_warnings():  # fifty times of one learner, and the curve shows what it comes to
            warnings.simplefilter("ignore", ConvergenceWarning)
            learned = clone(estimator).fit(part(X, chosen), labels[chosen])
        return lambda asked: learned.predict(part(X, asked))

    return figure_of_growth(measured(labels, train, folds, seed), title or type(estimator).__name__)


def _last(estimator: Any) -> Any:
    return estimator[-1] if hasattr(estimator, "steps") else estimator


def _estimator(given: Any) -> Any:
    """What is given; of a `Model` what pictures ask of an estimator."""
    if not isinstance(given, Model):
        return given
    own = {"classes_": given.classes, "decision_function": given.decision, "predict": given.predict}
    own |= {"predict_proba": given.probabilities} if given.has_probabilities else {}
    names, plain = given.feature_names, given.run.settings.kernel is None  # of products of columns, made one by one
    names = None if names is None else [names[j] for j in range(given.width if plain else given.given_width)]
    own |= {"coef_": given.weights[0]} if plain else {}
    return SimpleNamespace(**own, feature_names_in_=names)


def _weights(estimator: Any, x: Any, X: Any) -> tuple[Array, Array] | None:
    """(w, b) by which the estimator answers, (K, d) and (K,); None where its scores are others, as of a vote."""
    if not hasattr(estimator, "coef_"):
        return None
    w = np.atleast_2d(np.asarray(estimator.coef_, float))
    b = np.broadcast_to(np.asarray(estimator.intercept_, float), len(w))
    scores, own = np.asarray(x @ w.T + b), np.asarray(estimator.decision_function(X))
    same = np.allclose(scores, own.reshape(scores.shape), rtol=1e-6, atol=1e-9 * np.abs(scores).max())
    return (w, b) if same else None


def _codes(y: Any, classes: Array) -> Array:
    """(n,) the classes' numbers 0 … K − 1."""
    order = {label: k for k, label in enumerate(classes.tolist())}
    labels = np.asarray(y).tolist()
    unknown = next((label for label in labels if label not in order), None)
    if unknown is not None or not labels:
        what = "there are no rows" if not labels else f"{unknown!r} is not a label of the estimator"
        raise DataError(f"{what}; its labels are {', '.join(map(str, order))}")
    return np.array([order[label] for label in labels])
