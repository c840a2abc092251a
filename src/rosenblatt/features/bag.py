"""Documents → sparse rows, for any way of turning a word into a column: what a dictionary and hashing share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..batch import Document
from ..core.rows import Csr, csr
from ..errors import SettingError
from .tokens import Memory, split, tagged

Array = np.ndarray[Any, Any]
VALUES = ("present", "count", "share")
PRECISIONS = ("float64", "float32")


class Entries(NamedTuple):
    """Sparse rows before they have a width. counts: (nnz,) float64; columns: (nnz,) int64; lengths: (n,) int64."""

    counts: Array
    columns: Array
    lengths: Array


class Bag:
    """The columns of a document's words, and how often each occurs.

    column: name → column ≥ 0, or None for a word that has none. With `signed` it may be ~column for a word that
    counts negatively. counting: False where it only matters which words occur (1.3 times as fast).
    """

    def __init__(self, column: Callable[[str], int | None], counting: bool, signed: bool = False) -> None:
        self._column = column
        self._counting = counting or signed
        self._signed = signed
        self._memories: dict[str, Memory[tuple[int, ...]]] = {}

    def _memory(self, tag: str) -> Memory[tuple[int, ...]]:
        if tag not in self._memories:

            def columns(piece: str) -> tuple[int, ...]:
                found = (self._column(tagged(tag, word)) for word in split(piece))
                return tuple(column for column in found if column is not None)

            self._memories[tag] = Memory(columns)
        return self._memories[tag]

    def _occurrences(self, document: Document) -> Iterable[int]:
        pieces = (map(self._memory(tag).__getitem__, text.split()) for tag, text in document)
        return chain.from_iterable(chain.from_iterable(pieces))

    def entries(self, documents: Sequence[Document]) -> Entries:
        """Each document's columns in ascending order, with counts (all ones unless `counting`)."""
        columns: list[Array] = []
        counts: list[Array] = []
        for document in documents:
            if not self._counting:
                seen = set(self._occurrences(document))
                columns.append(np.sort(np.fromiter(seen, np.int64, len(seen))))
                continue
            found = Counter(self._occurrences(document))
            places = np.fromiter(found.keys(), np.int64, len(found))
            amounts = np.fromiter(found.values(), np.float64, len(found))
            if self._signed:
                amounts = np.where(places < 0, -amounts, amounts)
                places, inverse = np.unique(np.where(places < 0, ~places, places), return_inverse=True)
                amounts = np.bincount(inverse, weights=amounts, minlength=len(places))
            order = np.argsort(places)
            columns.append(places[order])
            counts.append(amounts[order])
        joined = np.concatenate(columns) if columns else np.empty(0, np.int64)
        amounts = np.concatenate(counts) if counts else np.ones(len(joined))
        return Entries(amounts, joined, np.array([len(part) for part in columns], np.int64))


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
    return csr(data.astype(precision), entries.columns.astype(np.uint32), indptr, width)
