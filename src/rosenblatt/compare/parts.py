"""Training and test rows: folds or a test file, with everything that is fitted fitted on the training rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import AtHand, Batch
from ..data.checks import rows_from
from ..data.folds import folds_of
from ..errors import DataError, SettingError, plain
from ..features import scaling
from ..features.pipeline import Features, Options
from ..features.step import fitted_chain, transformed


class Part(NamedTuple):
    """One training and one test set, in the features of the training set."""

    rows: Rows
    y: Array
    test: Rows
    truth: Array


def folds(y: Array, count: int, seed: int) -> list[tuple[Array, Array]]:
    """`folds_of`, exactly so many. DataError where a class has too few rows."""
    if count < 2:
        raise SettingError("{folds:s} must be a whole number ≥ 2", folds=count)
    values, counts = np.unique(y, return_counts=True)
    if values.size < 2:
        raise DataError(f"the labels have only one class, {values.tolist()[0]!r}; a classifier needs at least two")
    if counts.min() < count:
        rare, has = values.tolist()[int(counts.argmin())], int(counts.min())
        most = "{folds_} or fewer" if has > 1 else "a file of its own to test on"
        found = f"class {plain(repr(rare))} has {has} rows, too few for {{folds}} with one of it in each"
        raise DataError(f"{found}; use {most}", folds=count, folds_=has)
    return folds_of(y, count, seed)


def parts(train: Batch, test: Batch, options: Options, scalings: Sequence[str]) -> dict[str, Part]:
    """scaling → the rows so scaled. Words are learned once: that takes longer than all else."""
    assert train.y is not None and test.y is not None
    made, unlabelled = {}, Batch(test.rows, None)
    if isinstance(train.rows, list):
        features, rows, _, _ = Features.fit(AtHand(train), options._replace(scale="none"))
        held = features.transform(unlabelled)
        for name in scalings:
            steps, scaled = fitted_chain(scaling.parse(name), rows)
            made[name] = Part(scaled, train.y, transformed(steps, held), test.y)
        return made
    for name in scalings:
        features, scaled, _, _ = Features.fit(AtHand(train), options._replace(scale=name))
        made[name] = Part(scaled, train.y, features.transform(unlabelled), test.y)
    return made


def batch(X: Any, y: Any) -> Batch:
    """Rows of what `rows_from` takes, documents of a list of texts, with labels."""
    labels = np.asarray(y)
    texts = getattr(X, "ndim", 1) == 1 and len(X) and isinstance(X[0], str)
    made = Batch([[("", text)] for text in X] if texts else rows_from(X), labels)
    if made.n != len(labels):
        raise DataError(f"{made.n} rows but {len(labels)} labels; there must be one label a row")
    return made


def same_kind(train: Batch, test: Batch) -> None:
    """DataError where a test set cannot be scored by what was learned from the training set."""
    if isinstance(train.rows, list) != isinstance(test.rows, list):
        raise DataError("the test rows and those to learn from are not of the same kind; one of them is text")
    if not isinstance(train.rows, list) and not isinstance(test.rows, list) and test.rows.width > train.rows.width:
        raise DataError(f"the test rows have {test.rows.width} features; those to learn from have {train.rows.width}")
    unknown = [label for label in np.unique(test.y).tolist() if label not in np.unique(train.y).tolist()]  # type: ignore[arg-type]
    if unknown:
        raise DataError(f"the test rows have the label {unknown[0]!r}, which those to learn from have not")
