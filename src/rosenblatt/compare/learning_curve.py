"""Error by the number of training rows: would more data help?"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..data.folds import fold_numbers, stratified
from ..errors import DataError, SettingError, plural

Answers = Callable[[Array], Array]
"""Row numbers → predicted labels."""
STEPS = 10
"""The most sizes; each is half the next, so that all of a fold cost together twice its largest."""
LEAST = 4
"""Rows, and times the classes, below which chance says more than the data."""


class LearningCurve(NamedTuple):
    """rows: (m,) training rows, rising. training, held_out: (m, folds) shares of wrong answers on the rows learned
    from and on the fold left out."""

    rows: Array
    training: Array
    held_out: Array


def learning_curve(
    y: Array,
    train: Callable[[Array], Answers],
    folds: int = 5,
    seed: int = 0,
    watch: Callable[[int, int], Any] | None = None,
) -> LearningCurve:
    """Learn from growing parts of the rows outside a fold, class by class as in the whole, and answer the fold.

    y: (n,) labels. train: row numbers → a function that answers rows; all that is fitted, a dictionary or a scaling
    too, may come from these rows only. folds: at least 2. watch: called with trainings done and in all.
    Raises DataError where there are fewer rows than folds or one class only.
    """
    if folds < 2:
        raise SettingError("{folds:s} must be 2 or more", folds=folds)
    fold = fold_numbers(y, folds, seed)
    least = int(np.bincount(fold, minlength=folds).max())
    smallest, classes = len(y) - least, np.unique(y).size
    if len(y) < 2 * folds or classes < 2:
        raise DataError(
            f"{plural(len(y), 'row')} of {classes} classes are too few for a learning curve of {folds} folds; it needs "
            f"{2 * folds} rows of two classes"
        )
    sizes = [smallest >> halvings for halvings in range(STEPS) if smallest >> halvings >= max(10, LEAST * classes)]
    sizes = sorted(sizes or [smallest])
    errors = np.empty((2, len(sizes), folds))
    for k in range(folds):
        order, out = stratified(y, np.flatnonzero(fold != k), seed), np.flatnonzero(fold == k)
        for step, size in enumerate(sizes):
            chosen = order[:size]
            answers = train(chosen)
            errors[:, step, k] = np.mean(answers(chosen) != y[chosen]), np.mean(answers(out) != y[out])
            if watch is not None:
                watch(k * len(sizes) + step + 1, folds * len(sizes))
    return LearningCurve(np.array(sizes), errors[0], errors[1])
