"""Documents → sparse rows, for any way of turning a word into a column: what a dictionary and hashing share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..batch import Document
from ..core.rows import Csr, csr
from ..errors import SettingError
from .pieces import Pieces
from .tokens import split, tagged

Array = np.ndarray[Any, Any]
VALUES = ("present", "count", "share")
PRECISIONS = ("float64", "float32")
NONE = -1
"""The column of a word that has none."""


class Entries(NamedTuple):
    """Sparse rows before they have a width. counts: (nnz,) int64; columns: (nnz,) int64; lengths: (n,) int64."""

    counts: Array
    columns: Array
    lengths: Array


class Bag:
    """The columns of a document's words, and how often each occurs.

    column: name → column, 0 … 2^32 − 1, or NONE. A piece of text is remembered as the column of its only word, or as
    −2 − k, place k in the list of pieces with several words: most numbers need no further look into memory.
    What is remembered changes while rows are made, so a bag serves one thread at a time.
    """

    def __init__(self, column: Callable[[str], int]) -> None:
        self._column = column
        self._several: list[tuple[int, ...]] = []
        self._places: dict[tuple[int, ...], int] = {}
        self._pieces = Pieces(self._number, self._forget)

    def _number(self, tag: str, piece: str) -> int:
        found = list(map(self._column, tagged(tag, split(piece))))
        if len(found) == 1:
            return found[0]
        columns = tuple(column for column in found if column != NONE)
        if len(columns) < 2:
            return columns[0] if columns else NONE
        place = self._places.setdefault(columns, len(self._several))
        if place == len(self._several):
            self._several.append(columns)
        return -2 - place

    def _forget(self) -> None:
        self._several.clear()
        self._places.clear()

    def _keys(self, numbers: Array, row: Array) -> Array:
        """row·2^32 + column for every word."""
        several = np.flatnonzero(numbers < NONE)
        found = [self._several[-2 - number] for number in numbers[several].tolist()]
        single = numbers > NONE
        columns = np.concatenate([numbers[single], np.fromiter(chain.from_iterable(found), np.int64)])
        row = np.concatenate([row[single], np.repeat(row[several], [len(part) for part in found])])
        return row << 32 | columns

    def entries(self, documents: Sequence[Document]) -> Entries:
        """Each document's columns in ascending order, with counts."""
        fields = [(tag, text, row) for row, document in enumerate(documents) for tag, text in document]
        rows = np.array([row for _, _, row in fields], np.int64)
        parts = [np.empty(0, np.int64)]
        for numbers, place in self._pieces.find([tag for tag, _, _ in fields], [text for _, text, _ in fields]):
            parts.append(self._keys(numbers, rows[place]))
        keys, counts = np.unique(np.concatenate(parts), return_counts=True)
        lengths = np.bincount(keys >> 32, minlength=len(documents))
        return Entries(counts, keys & 0xFFFFFFFF, lengths)


def check(values: str, precision: str) -> None:
    """Raises SettingError for a kind of value or a precision that there is not."""
    if values not in VALUES:
        raise SettingError(f"values {values!r} is unknown; it must be one of {', '.join(VALUES)}")
    if precision not in PRECISIONS:
        raise SettingError(f"precision {precision!r} is unknown; it must be one of {', '.join(PRECISIONS)}")


def finish(entries: Entries, width: int, values: str, precision: str) -> Csr:
    """Rows of the chosen values: 1 for present, the count, or its share of the row's counts (zero rows stay zero)."""
    indptr = np.concatenate([[0], np.cumsum(entries.lengths)])
    data = entries.counts
    if values == "present":
        data = np.sign(data)
    elif values == "share":
        row = np.repeat(np.arange(len(entries.lengths)), entries.lengths)
        totals = np.bincount(row, weights=np.abs(data), minlength=len(entries.lengths))
        data = data / np.maximum(totals, 1.0)[row]
    return csr(data.astype(precision, copy=False), entries.columns.astype(np.uint32), indptr, width)
