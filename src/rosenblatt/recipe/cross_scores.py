"""Scores of rows by models that have not learned from them: what calibrations and thresholds are made from."""

from typing import Any

import numpy as np

from ..core.loop import UPDATES
from ..core.rows import Array, Rows
from ..data.checks import checked_weights
from ..data.folds import folds_for, folds_of
from ..errors import DataError
from ..learn.run import Limits, Run
from ..model.fit import Task, fit
from ..model.model import Model

FEW = 10
"""Rows of a class below which probabilities are little more than guesses: said, not refused."""


def cross_scores(model: Model, rows: Rows, y: Array, task: Task, folds: int, weight: Any = None) -> Array:
    """(n,) or (n, K) scores as of `Model.raw`, each row's by a model that has learned from the other folds.

    model: has learned from all the rows by `task`, whose observers and validation are not used again. Each fold's model
    learns with its settings and its positive class, for as many epochs as it (picks: as many updates). folds ≥ 2,
    stratified, shuffled by the model's seed; no more than the smallest class has rows. A start that was learned from
    these rows makes the scores too good. Raises DataError where a class has a single row.

    The scores of a fold are stretched by ‖w̄‖ of the model over ‖w̄‖ of the fold's: more rows make longer weights. Log-
    loss on the test part of a9a with 10 epochs, as they are and stretched: averaged .3243 .3243, last .4003 .3995,
    pocket .4028 .3805. Votes are shares already.

    Rows of texts were made with the dictionary and the idf of all rows, those of their own fold included; no labels
    are in these. Log-loss of sigmoids on the other half, averaged perceptron, mean of 3 halves, so and with features of
    each fold's own: sms_dev .0673 .0664, spamassassin_dev .0310 .0317: no difference worth reading data five times.
    """
    count = folds_for(y, folds)
    missing = [label for label in model.classes.tolist() if label not in y]
    if missing:
        raise DataError(f"no row has the label {missing[0]}; calibrations and thresholds take rows of each class")
    weight, run = checked_weights(weight, len(y)), model.run
    size, positive = length(model), model.classes[1] if model.classes.size == 2 else None
    out = np.empty(len(y) if model.classes.size == 2 else (len(y), model.classes.size))
    for kept, left in folds_of(y, count, run.settings.random_state):
        order = _order(task.order, kept)
        own = task._replace(positive=positive, order=order, observers=(), validation=None)
        own_weight = None if weight is None else weight[kept]
        part = fit(rows.take(kept), y[kept], run.settings, _as_long(run), own, own_weight)
        out[left] = part.raw(rows.take(left)) * (size / length(part))
    return out


def too_few(y: Array, classes: Array) -> str | None:
    """What is to be said of classes with less than `FEW` rows, or nothing."""
    counts = {label: int(np.count_nonzero(y == label)) for label in classes.tolist()}
    few = [f"{label} has {count}" for label, count in counts.items() if count < FEW]
    return f"probabilities from so few rows are guesses: class {few[0]} (at least {FEW} are wanted)" if few else None


def _as_long(run: Run) -> Limits:
    """As long as a run went, to the epoch that answers; one that picks its rows has no epochs."""
    if run.settings.optimizer.picks:
        return Limits(None, max(int(run.state.n[UPDATES]), 1), None)
    return Limits(max(run.epoch if run.best is None else run.best.epoch, 1), None, None)


def length(model: Model) -> Any:
    """‖w̄‖: one for each class; one for all where classes were learned together; 1 of voted and of zero weights."""
    if not model.run.memory.is_linear:
        return 1.0
    w, b = model.weights
    squares = (w.astype(np.float64) ** 2).sum(axis=1) + b.astype(np.float64) ** 2
    sizes = np.sqrt(np.full_like(squares, squares.sum()) if model.run.joint else squares)
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    return float(sizes[0]) if model.classes.size == 2 else sizes


def _order(order: Any, kept: Array) -> Any:
    """An order of row numbers without the rows that are left out, in the new numbers."""
    if order is None:
        return None
    order = np.asarray(order)
    return np.searchsorted(kept, order[np.isin(order, kept)])  # the rows of a fold ascend
