"""How good a model is: measures by scikit-learn, which is loaded when the first one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.labels import class_numbers
from ..errors import SettingError, plain
from ..learn.converged import training_errors

if TYPE_CHECKING:
    from .model import Model


def metrics(model: Model, scores: Array, y: Array) -> dict[str, Any]:
    """Measures of scores, (n,) or (n, K), against the labels y (n,), which are the model's classes.

    rows, errors, accuracy: rows whose predicted label is wrong, 1 − errors/rows.
    e_in, ties: the training error's reading of the same rows (y·u ≤ 0 is a mistake whichever the label) as a share, and
        the rows with a score of exactly 0 (or equal best scores), by which the two can differ.
    classes, confusion: (K, K) counts; row: the true class, column: the predicted one.
    roc_auc: None where it is not defined (labels of a single class); K > 2: the mean over the classes that occur,
        each against the rest, of softmax regression by probability. roc_auc_of: which of the two.
    false_positives, false_negatives: counts; for K > 2, {class: count}.
    precision, recall, f1: of the positive class, 0 where nothing is called so, None where no row is of it; K > 2: means
        over the classes that occur. average: which.
    log_loss, brier, calibration_error: see `probability_metrics`; None where the model has no probabilities.
    """
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    classes, predicted = model.classes, model.labels(scores)
    truth, guess = class_numbers(y, classes), class_numbers(predicted, classes)
    two = classes.size == 2
    errors = int(np.count_nonzero(truth != guess))
    confusion = confusion_matrix(truth, guess, labels=np.arange(classes.size))
    present = np.flatnonzero(confusion.sum(axis=1))
    averaged = np.array([1]) if two else present
    shares: list[Any] = [None] * 3
    if np.isin(averaged, present).all():
        found = precision_recall_fscore_support(truth, guess, labels=averaged, average="macro", zero_division=0.0)
        shares = list(map(float, found[:3]))
    many = "the classes" if present.size == classes.size else f"the {present.size} of {classes.size} classes that occur"
    logs = model.log_probabilities(scores) if model.has_probabilities else None
    over, under = confusion.sum(axis=0) - confusion.diagonal(), confusion.sum(axis=1) - confusion.diagonal()
    return {
        "rows": len(y),
        "errors": errors,
        "accuracy": 1.0 - errors / len(y),
        "e_in": training_errors(scores, y, classes) / len(y),
        "ties": _ties(scores),
        "classes": classes.tolist(),
        "confusion": confusion.tolist(),
        "roc_auc": _roc_auc(scores if logs is None or not model.is_softmax else logs, truth),
        "roc_auc_of": f"positive class {classes[1]}" if two else f"mean over {many}, each against the rest",
        "false_positives": int(over[1]) if two else _by_class(classes, over),
        "false_negatives": int(under[1]) if two else _by_class(classes, under),
        **dict(zip(("precision", "recall", "f1"), shares, strict=True)),
        "average": f"positive class {classes[1]}" if two else f"mean over {many}",
        **probability_metrics(logs, truth),
    }


def most_confused(confusion: Array, most: int) -> list[tuple[int, int, int]]:
    """(rows, true class, predicted class) of the most frequent mistakes, the first ones in order of the classes."""
    pairs = [(-int(n), a, b) for (a, b), n in np.ndenumerate(confusion) if a != b and n]
    return [(-n, a, b) for n, a, b in sorted(pairs)[:most]]


def probability_metrics(logs: Array | None, truth: Array) -> dict[str, float | None]:
    """How good probabilities are; 0 is best. logs: (n, K) their natural logarithms; None: there are none, and no
    measures. truth: (n,) class numbers.

    log_loss: the mean of −ln p of the true class. brier: the mean of (p − t)² of the positive class, t = 1 for its rows
    and else 0; K > 2: of the sum of that over the classes. calibration_error: |mean p − share that came true| in ten
    equal ranges of p, each weighted by its rows (expected calibration error); K > 2: of the largest p.
    """
    from .reliability import bins, expected_error, happened

    if logs is None:
        return dict.fromkeys(("log_loss", "brier", "calibration_error"))
    p, own = np.exp(logs), np.arange(len(truth))
    ones = np.zeros_like(p)
    ones[own, truth] = 1.0
    squares = (p[:, 1] - ones[:, 1]) ** 2 if p.shape[1] == 2 else ((p - ones) ** 2).sum(axis=1)
    return {
        "log_loss": float(np.mean(-logs[own, truth])),
        "brier": float(squares.mean()),
        "calibration_error": expected_error(bins(*happened(p, truth))),
    }


def scorer(name: str) -> Callable[[Model, Rows, Array], float]:
    """What the pocket maximises, by the name of one of scikit-learn's scorers. SettingError for a name it has not."""
    from sklearn.metrics import get_scorer

    try:
        score = get_scorer(name)
    except ValueError:
        text = "{scoring} is no scorer of scikit-learn's; balanced_accuracy, f1 and roc_auc are some of them"
        raise SettingError(text, scoring=name) from None

    def measure(model: Model, rows: Rows, y: Array) -> float:
        try:
            return float(score(_estimator(model), rows, class_numbers(y, model.classes)))
        except (ValueError, AttributeError) as error:
            why = str(error).split("\n")[0]
            raise SettingError(f"{{scoring}} cannot measure this model: {plain(why)}", scoring=name) from None

    return measure


def _estimator(model: Model) -> Any:
    """A model as scikit-learn's scorers want it, with the classes' numbers as labels: f1 takes only 1 for positive."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.metaestimators import available_if

    class Estimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        classes_ = np.arange(model.classes.size)

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def predict(self, rows: Rows) -> Array:
            return class_numbers(model.labels(model.scores(rows)), model.classes)

        def decision_function(self, rows: Rows) -> Array:
            return model.scores(rows)

        @available_if(lambda self: model.has_probabilities)
        def predict_proba(self, rows: Rows) -> Array:
            return np.exp(model.log_probabilities(model.scores(rows)))

    return Estimator()


def _ties(scores: Array) -> int:
    if scores.ndim == 1:
        return int(np.count_nonzero(scores == 0.0))
    return int(np.count_nonzero((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1))


def _roc_auc(scores: Array, truth: Array) -> float | None:
    from sklearn.metrics import roc_auc_score

    present = np.unique(truth)
    if present.size < 2 or not np.isfinite(scores).all():
        return None
    if scores.ndim == 1:
        return float(roc_auc_score(truth, scores))
    return float(np.mean([roc_auc_score(truth == k, scores[:, k]) for k in present]))


def _by_class(classes: Array, counts: Array) -> dict[str, int]:
    return {str(label): int(count) for label, count in zip(classes, counts, strict=True)}
