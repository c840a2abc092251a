"""From rows and labels to a model: what the estimators, the command line and the demo all call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from . import labels as label
from .core.rows import Array, Rows
from .errors import DataError, SettingError, plain
from .given import at_least
from .learn.converged import mistaken
from .learn.observers import observers_of
from .learn.run import Chunk, Limits, Measure, Run, new_run
from .learn.settings import Settings
from .learn.train import train
from .learn.validation import Validation
from .model import Model

MOST_WEIGHT = 1e100
"""Of a row: times a step, times a squared length of at most 1e290 over many rows, it must stay a number."""


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
        raise DataError(f"{rows.n} rows but {len(y)} labels; there must be one label a row")
    classes = label.class_list(np.asarray(y), task.positive)
    if classes.size < 2:
        found = f"only one class, {classes.tolist()[0]!r}" if classes.size else "no rows"
        raise DataError(f"the labels have {found}; a classifier needs at least two")
    weight = checked_weights(weight, rows.n)
    if weight is not None and not (weight > 0.0).any():
        raise DataError("all sample weights are zero; there is nothing to learn from")
    combined = combined_weight(y, classes, task.class_weight, weight)
    run = new_run(settings, rows, classes.size, task.start, combined)
    return learn_more(Model(run, classes), rows, y, limits, task, weight)


def learn_more(model: Model, rows: Rows, y: Array, limits: Limits, task: Task = Task(), weight: Any = None) -> Model:
    """A new model that has learned on from `model`; the old one is unchanged, also when this fails."""
    largest = check_finite(rows, task.names)
    if rows.width != model.width:
        raise DataError(f"the data have {rows.width} features, but the model was trained with {model.width}")
    rows = rows.astype(model.run.state.w.dtype)
    check_range(rows, largest)
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
    train(new.run, [chunk], limits, measure, observers, order)
    return new


def set_aside(y: Array, share: float, seed: int) -> tuple[Array, Array]:
    """Row numbers, ascending, to learn from and to validate on: a share of each class, by scikit-learn's
    StratifiedShuffleSplit. SettingError where that is not possible."""
    from sklearn.model_selection import train_test_split

    if isinstance(share, (bool, str)) or not 0.0 < share < 1.0:
        text = "{validation_fraction} must be a share of the rows between 0 and 1"
        raise SettingError(text, validation_fraction=share)
    try:
        out_of_all = at_least(len(y), share)
        kept, out = train_test_split(np.arange(len(y)), test_size=out_of_all, random_state=seed, stratify=y)
    except ValueError as error:
        raise SettingError(
            f"{share:g} of {len(y)} rows cannot be set aside for validation, class by class: {error}"
        ) from None
    return np.sort(kept), np.sort(out)


def _validation(model: Model, held: Held, features: int, names: Sequence[str] | None) -> Validation:
    """What `train` asks after each epoch. DataError where the rows do not fit the model's."""
    if held.rows.n == 0 or held.rows.n != len(held.y):
        raise DataError(f"{held.rows.n} validation rows and {len(held.y)} labels; at least one row is needed")
    if held.rows.width != features:
        raise DataError(f"the validation rows have {held.rows.width} features, the others {features}")
    try:
        check_finite(held.rows, names)
        truth = label.class_numbers(np.asarray(held.y), model.classes)
    except DataError as error:
        raise error.within("of the validation rows, ") from None

    def score(run: Run) -> float:
        answering = replace(model, run=run)
        if held.scorer is not None:
            value = float(held.scorer(answering, held.rows, held.y))
            if np.isnan(value):
                raise SettingError("the scorer returned NaN; what validation maximises must be a number")
            return value
        scores = answering.decision(held.rows)
        return float(np.mean((scores > 0.0 if scores.ndim == 1 else scores.argmax(axis=1)) == truth))

    return Validation(score, held.name)


def training_errors(scores: Array, y: Array, classes: Array) -> int:
    """E_in as a count: rows with y·u ≤ 0; with more classes, rows whose own score is not above all others."""
    return int(mistaken(scores, label.encode(y, classes)).sum())


def check_finite(rows: Rows, names: Sequence[str] | None = None) -> float:
    """The largest magnitude of all values.

    DataError naming row and feature (counted from 0, or by name) of the first value that is NaN or infinite.
    """
    largest = rows.largest()
    if np.isfinite(largest):
        return largest
    row, column, value = rows.first_not_finite()
    name = f"feature {column}" if names is None else f"feature {names[column]!r}"
    raise DataError(f"row {row}, {name}: found {value} (NaN or infinity); values must be finite")


def check_range(rows: Rows, largest: float) -> None:
    """DataError naming the first row whose ‖x‖² leaves no room for sums of it: > 1e30 in float32, 1e290 in float64.

    largest: the largest magnitude of all values. Beyond the limit scores overflow to NaN, which is neither right nor
    wrong, and nothing would be learned without a word.
    """
    dtype = rows.dtype
    most = 1e30 if dtype == np.float32 else 1e290
    if largest <= np.sqrt(most / max(rows.width, 1)):
        return
    with np.errstate(over="ignore"):
        norms = rows.sq_norms()
    row = int((~(norms <= most)).argmax())
    if not norms[row] <= most:
        raise DataError(
            f"row {row}: its squared length {norms[row]:g} is too large for sums in {dtype} (largest value of "
            f"all: {largest:g}); scale the features"
        )


def checked_weights(weight: Any, n: int) -> Array | None:
    """Sample weights as (n,) float64, or None; DataError where one is negative or not finite."""
    if weight is None:
        return None
    weight = np.array(weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise DataError(f"sample_weight has shape {weight.shape}; {n} rows need shape ({n},)")
    bad = np.flatnonzero(~(weight >= 0.0) | ~np.isfinite(weight))
    if bad.size:
        raise DataError(f"row {bad[0]}: sample weight {weight[bad[0]]}; weights must be finite and ≥ 0")
    if weight.size and weight.max() > MOST_WEIGHT:
        row = int(weight.argmax())
        raise DataError(f"row {row}: sample weight {weight[row]:g}; above {MOST_WEIGHT:g} their sums could overflow")
    return weight


def combined_weight(y: Array, classes: Array, class_weight: Any, weight: Array | None) -> Array | None:
    """The sample weights times the class weights; "balanced": n/(K·n_k) from the labels at hand."""
    if class_weight is None:
        return weight
    values, counts = np.unique(y, return_counts=True)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise SettingError(
                '{class_weight} must be None, "balanced" or a dict of label: weight', class_weight=class_weight
            )
        table = {v: len(y) / (values.size * n) for v, n in zip(values.tolist(), counts, strict=True)}
    else:
        unknown = [name for name in class_weight if name not in classes.tolist()]
        if unknown:
            known = ", ".join(map(str, classes))
            found = f"{{class_weight.name}} names {plain(repr(unknown[0]))}, which is not a label"
            raise SettingError(f"{found}; the labels are {plain(known)}", class_weight=None)
        table = class_weight
    for name, factor in table.items():
        if not (np.isfinite(factor) and factor >= 0):
            raise SettingError(
                f"{{class_weight.name}} of {plain(repr(name))} is {factor}; weights must be finite and ≥ 0",
                class_weight=None,
            )
    factors = np.array([float(table.get(v, 1.0)) for v in values.tolist()])
    own = factors[np.searchsorted(values, y)]
    return checked_weights(own if weight is None else own * weight, len(y))


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
        value = float(scorer(candidate, rows, y))
        if np.isnan(value):
            raise SettingError("the scorer returned NaN; what the pocket maximises must be a number")
        return value

    return measure


def _scores(rows: Rows, weights: tuple[Array, Array]) -> Array:
    scores = rows.scores(weights[0]) + weights[1]
    return scores[:, 0] if scores.shape[1] == 1 else scores


def _copy(run: Run) -> Run:
    state = type(run.state)(*(array.copy() for array in run.state))
    history = {name: list(values) for name, values in run.history.items()}
    return replace(run, state=state, memory=run.memory.copy(), history=history)
