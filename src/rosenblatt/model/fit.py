"""From rows and labels to a model: what the estimators, the command line and the demo all call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data import labels as label
from ..data.checks import check_finite, check_range, checked_weights, combined_weight
from ..errors import DataError, SettingError, plural
from ..learn.converged import mistaken
from ..learn.observers import Validation, observers_of
from ..learn.run import Chunk, Limits, Measure, Run, new_run
from ..learn.settings import Settings
from ..learn.train import train
from .model import Model


class Task(NamedTuple):
    """What is to be learned besides the settings.

    positive: the positive label. class_weight: None, "balanced" or {label: weight}. start: (w, b) to begin with.
    scorer: (model, rows, labels) → what the pocket maximises; None: the share of right answers. order: row numbers.
    names: the features', for messages. observers: who watches, `learn.observers`; functions of an Event are welcome.
    validation: rows to stop early by.
    """

    positive: Any = None
    class_weight: Any = None
    start: tuple[Array, Array] | None = None
    scorer: Callable[[Model, Rows, Array], float] | None = None
    order: Array | None = None
    names: Sequence[str] | None = None
    observers: Any = ()
    validation: Held | None = None


class Held(NamedTuple):
    """Rows that are not learned from, in the features of the others, and their labels.

    scorer: (model, rows, labels) → what should be high; None: the share of right answers. name: the scorer's.
    """

    rows: Rows
    y: Array
    scorer: Callable[[Model, Rows, Array], float] | None = None
    name: str = "accuracy"


def fit(rows: Rows, y: Array, settings: Settings, limits: Limits, task: Task = Task(), weight: Any = None) -> Model:
    """Learn a new model. Raises DataError for NaN or infinite values (row and feature named) or a single class."""
    if rows.n != len(y):
        raise DataError(f"{plural(rows.n, 'row')} but {plural(len(y), 'label')}; there must be one label a row")
    classes = label.class_list(np.asarray(y), task.positive)
    if classes.size < 2:
        found = f"only one class, {classes.tolist()[0]!r}" if classes.size else "no rows"
        raise DataError(f"the labels have {found}; a classifier needs at least two")
    weight = checked_weights(weight, rows.n)
    if weight is not None and not (weight > 0.0).any():
        raise DataError("all sample weights are zero; there is nothing to learn from")
    combined = combined_weight(y, classes, task.class_weight, weight)
    if combined is not None and not (combined > 0.0).any():
        text = "the weights of all rows are zero, by {class_weight.name}; there is nothing to learn from"
        raise DataError(text, class_weight=task.class_weight)
    run = new_run(settings, rows, classes.size, task.start, combined)
    return learn_more(Model(run=run, classes=classes), rows, y, limits, task, weight)


def learn_more(model: Model, rows: Rows, y: Array, limits: Limits, task: Task = Task(), weight: Any = None) -> Model:
    """A new model that has learned on from `model`; the old one is unchanged, also when this fails."""
    largest = check_finite(rows, task.names)
    if rows.width != model.width:
        raise DataError(f"the data have {plural(rows.width, 'feature')}, but the model was trained with {model.width}")
    rows = rows.astype(model.run.state.w.dtype)
    check_range(rows, largest)
    if model.run.settings.shaped:
        rows = rows.without_duplicates()  # a metric moves a column once for each value
    weight = combined_weight(y, model.classes, task.class_weight, checked_weights(weight, rows.n))
    chunk = Chunk(rows, label.encode(np.asarray(y), model.classes), weight)
    new = replace(model, run=_copy(model.run), calibration=None, threshold=None, choice=None)  # made for other scores
    measure = _measure(new, chunk, task.scorer, y) if new.run.memory.needs_measure else None
    if weight is not None and not (weight > 0.0).any():
        return new
    observers = observers_of(task.observers)
    if new.run.settings.optimizer.picks and task.order is not None:
        raise SettingError("an order cannot be given to an optimizer that picks its rows")
    if new.run.settings.optimizer.picks and task.validation is not None:
        raise SettingError("validation stops at an epoch, and an optimizer that picks its rows has none")
    order = _checked_order(task.order, rows.n)
    if task.validation is not None:
        observers.insert(0, _validation(new, task.validation, rows.width, task.names))
    for observer in observers:
        observer.about(classes=new.classes, names=task.names)
    train(new.run, [chunk], limits, measure, observers, order)
    return new


def _validation(model: Model, held: Held, features: int, names: Sequence[str] | None) -> Validation:
    """What `train` asks after each epoch. DataError where the rows do not fit the model's."""
    if held.rows.n == 0 or held.rows.n != len(held.y):
        raise DataError(
            f"{plural(held.rows.n, 'validation row')} and {plural(len(held.y), 'label')}; at least one row is needed"
        )
    if held.rows.width != features:
        raise DataError(f"the validation rows have {plural(held.rows.width, 'feature')}, the others {features}")
    try:
        check_finite(held.rows, names)
        truth = label.class_numbers(np.asarray(held.y), model.classes)
    except DataError as error:
        raise error.within("of the validation rows, ") from None

    def score(run: Run) -> float:
        answering = replace(model, run=run)
        if held.scorer is not None:
            return _number(held.scorer(answering, held.rows, held.y), "validation")
        scores = answering.scores(held.rows)
        return float(np.mean((scores > 0.0 if scores.ndim == 1 else scores.argmax(axis=1)) == truth))

    return Validation(score, held.name)


def _checked_order(order: Any, n: int) -> Array | None:
    if order is None:
        return None
    given = np.asarray(order)
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.size == 0:
        raise SettingError(f"an order is a list of row numbers, but this one has shape {given.shape} of {given.dtype}")
    bad = np.flatnonzero((given < 0) | (given >= n))
    if bad.size:
        raise SettingError(f"order[{bad[0]}] is row {given[bad[0]]}; the rows are 0 … {n - 1}")
    return np.ascontiguousarray(given, dtype=np.int64)


def _measure(model: Model, chunk: Chunk, scorer: Any, y: Array) -> Measure:
    """What the pocket maximises: the scorer, else minus the (weighted) number of training errors."""
    rows, codes = chunk.rows, chunk.y
    if scorer is None:
        weight = np.ones(len(codes)) if chunk.weight is None else chunk.weight
        return lambda weights: -float(mistaken(_scores(rows, weights), codes) @ weight)

    def measure(weights: tuple[Array, Array]) -> float:
        candidate = replace(model)
        candidate.weights = weights
        return _number(scorer(candidate, rows, y), "the pocket")

    return measure


def _number(value: Any, who: str) -> float:
    if np.isnan(value):
        raise SettingError(f"the scorer returned NaN; what {who} maximises must be a number")
    return float(value)


def _scores(rows: Rows, weights: tuple[Array, Array]) -> Array:
    scores = rows.scores(weights[0]) + weights[1]
    return scores[:, 0] if scores.shape[1] == 1 else scores


def _copy(run: Run) -> Run:
    state = type(run.state)(*(array.copy() for array in run.state))
    history = {name: list(values) for name, values in run.history.items()}
    return replace(run, state=state, memory=run.memory.copy(), history=history)
