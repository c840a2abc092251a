"""Why a row has its score: what each of its features contributes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..batch import Document
from ..core.rows import Array, Csr, Rows, width
from ..errors import DataError
from ..model import Model


class Evidence(NamedTuple):
    """A row's score taken apart: u = Σ_j w_j·x_j + b, strongest feature first.

    columns: (m,) the features that are not zero. values, weights: (m,) float64 x_j and w_j. intercept: b.
    between: the two classes (numbers) compared, u speaking for the first: of two classes the model's own weights, or
    with the other sign for (0, 1); of more, the differences of their weights and intercepts.
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
    """Row i's evidence. between: the two classes to compare (of more than two: see `rivals`).

    Of voted: for the mean of the voters, because a vote is no sum over features. Raises DataError where the rows have
    another width than the model.
    """
    if width(rows) != model.width:
        raise DataError(f"the data have {width(rows)} features, but the model was trained with {model.width}")
    columns, values = _row(rows, i)
    w, b = model.weights
    if len(model.classes) == 2:
        sign = -1.0 if between[0] == 0 else 1.0
        own, intercept = sign * w[0, columns].astype(float), sign * float(b[0])
    else:
        first, second = between
        own = w[first, columns].astype(float) - w[second, columns].astype(float)
        intercept = float(b[first]) - float(b[second])
    order = np.lexsort((columns, -np.abs(own * values)))
    return Evidence(columns[order], values[order], own[order], intercept, between)


class Names:
    """What a model's features are called: words, the header's names, or `column 7` as its own file counts them.

    documents: those whose words give hashed columns their names (`free|prize` where two share one, else `#column`).
    """

    def __init__(self, model: Model, documents: list[Document] | None = None) -> None:
        dictionary: Any = getattr(model.features, "dictionary", None)
        self._names = getattr(model.features, "names", None) or model.names
        self._hashed = dictionary is not None and self._names is None
        self._words = dictionary.names_in(documents) if self._hashed and documents else {}
        reading = model.reading
        self._first, label = int(reading.get("base", 1)), reading.get("label")
        self._label = None
        if reading.get("format") == "table" and isinstance(label, int):
            self._label = label if label > 0 else model.width + 2 + label

    def __getitem__(self, column: int) -> str:
        if self._names is not None:
            return str(self._names[column])
        if self._hashed:
            return "|".join(self._words.get(int(column), ())) or f"#{int(column)}"
        number = int(column) + self._first
        return f"column {number + 1 if self._label is not None and number >= self._label else number}"


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
