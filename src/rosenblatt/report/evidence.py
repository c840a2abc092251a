"""Why a row has its score: what each of its features contributes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.rows import Array, Csr, Rows, width
from ..errors import DataError
from ..model import Model


class Evidence(NamedTuple):
    """A row's score taken apart: u = Σ_j w_j·x_j + b, strongest feature first.

    columns: (m,) the features that are not zero. values, weights: (m,) float64 x_j and w_j. intercept: b.
    between: the two classes (numbers) compared, u speaking for the first: with two classes (1, 0) and the model's
    weights; with more, the differences of their weights and intercepts.
    """

    columns: Array
    values: Array
    weights: Array
    intercept: float
    between: tuple[int, int]

    @property
    def contributions(self) -> Array:
        """(m,) w_j·x_j; the largest in absolute value first, the lower column first of equals."""
        return self.values * self.weights

    @property
    def score(self) -> float:
        """The exactly rounded sum of all contributions and the intercept."""
        return math.fsum([*self.contributions.tolist(), self.intercept])

    def rest(self, shown: int) -> float:
        """The sum of the contributions after the first `shown`."""
        return math.fsum(self.contributions[shown:].tolist())


def evidence(model: Model, rows: Rows, i: int, between: tuple[int, int] = (1, 0)) -> Evidence:
    """Row i's evidence. between: the two classes to compare, of more than two (see `rivals`).

    Of voted: for the mean of the voters, because a vote is no sum over features. Raises DataError where the rows have
    another width than the model.
    """
    if width(rows) != model.width:
        raise DataError(f"the data have {width(rows)} features, but the model was trained with {model.width}")
    columns, values = _row(rows, i)
    w, b = model.weights
    if len(model.classes) == 2:
        own, intercept, between = w[0, columns].astype(float), float(b[0]), (1, 0)
    else:
        first, second = between
        own = w[first, columns].astype(float) - w[second, columns].astype(float)
        intercept = float(b[first]) - float(b[second])
    order = np.lexsort((columns, -np.abs(own * values)))
    return Evidence(columns[order], values[order], own[order], intercept, between)


class Names:
    """What a model's features are called: words, the header's names, or the columns' numbers in the data's own file."""

    def __init__(self, model: Model) -> None:
        self._names = model.names if model.features is None else model.features.names
        reading = model.reading
        self._first = int(reading.get("base", 1))
        label = reading.get("label")
        self._label = None
        if reading.get("format") == "table" and isinstance(label, int):
            self._label = label if label > 0 else model.width + 2 + label

    def __getitem__(self, column: int) -> str:
        if self._names is not None:
            return str(self._names[column])
        number = int(column) + self._first
        return str(number + 1 if self._label is not None and number >= self._label else number)


def rivals(scores: Array, wanted: int | None = None) -> tuple[int, int]:
    """The two classes to compare in a row's (K,) scores: the best, or the wanted one, and the best of the others."""
    first = int(scores.argmax()) if wanted is None else wanted
    others = scores.astype(float)
    others[first] = -np.inf
    return first, int(others.argmax())


def strongest(weights: Array, most: int) -> Array:
    """The columns of the `most` largest weights > 0, largest first, the lower column first of equals."""
    chosen = np.flatnonzero(weights > 0.0)
    return chosen[np.argsort(-weights[chosen], kind="stable")][:most]


def _row(rows: Rows, i: int) -> tuple[Array, Array]:
    """(columns, values) of row i that are not zero."""
    if isinstance(rows, Csr):
        here = slice(int(rows.indptr[i]), int(rows.indptr[i + 1]))
        columns, values = rows.indices[here].astype(np.int64), rows.data[here]
    else:
        columns, values = np.arange(width(rows)), rows.values[i]
    kept = values != 0.0
    return columns[kept], values[kept].astype(float)
