"""Documents → sparse rows, for any way of turning a word into a column: what a dictionary and hashing share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Csr, csr
from ..mailtext.document import Document
from ..mailtext.fields import is_made
from ..mailtext.tokens import tagged, units
from .ngrams import WORDS, Grams, Ragged, Runs, piece_names
from .parameters import PRECISION, VALUES
from .pieces import Pieces

Array = np.ndarray[Any, Any]
parameters = (VALUES, PRECISION)
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
    What is remembered changes while rows are made, so threads that share a bag wait for each other, batch by batch.
    """

    def __init__(self, column: Callable[[str], int]) -> None:
        self._column = column
        self._several: list[tuple[int, ...]] = []
        self._places: dict[tuple[int, ...], int] = {}
        self._pieces = Pieces(self._number, self._forget)
        self._lock = Lock()

    def _number(self, tag: str, piece: str) -> int:
        found = list(map(self._column, piece_names(tag, units(piece), WORDS)))
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

    def _keys(self, numbers: Array, field: Array, rows: Array) -> Array:
        """row·2^32 + column for every word. numbers, field: (m,) of each piece. rows: the row of each field."""
        row = rows[field]
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
        with self._lock:
            for numbers, field in self._pieces.find([tag for tag, _, _ in fields], [text for _, text, _ in fields]):
                parts.append(self._keys(numbers, field, rows))
        keys, counts = np.unique(np.concatenate(parts), return_counts=True)
        lengths = np.bincount(keys >> 32, minlength=len(documents))
        return Entries(counts, keys & 0xFFFFFFFF, lengths)


class GramBag(Bag):
    """The same with runs of characters and words. A piece is remembered as its columns and as its words, by number."""

    def __init__(self, column: Callable[[str], int], grams: Grams) -> None:
        super().__init__(column)
        self._grams = grams
        self._numbers: dict[str, int] = {}
        self._tagged: list[str] = []
        self._words: list[str] = []
        self._runs = Runs(grams.words, column, self._tagged, self._words)
        self._clear()

    def _clear(self) -> None:
        self._own, self._running = Ragged(), Ragged()

    def _number(self, tag: str, piece: str) -> int:
        parts = units(piece)
        found = map(self._column, piece_names(tag, parts, self._grams))
        words = [part[0] for part in parts] if self._grams.words > 1 and not is_made(tag) else []
        for name, word in zip(tagged(tag, words), words, strict=True):
            if name not in self._numbers:
                self._numbers[name] = len(self._words)
                self._tagged.append(name)
                self._words.append(word)
        self._running.append(tuple(self._numbers[name] for name in tagged(tag, words)))
        return self._own.append(tuple(column for column in found if column != NONE))

    def _forget(self) -> None:
        self._numbers.clear()
        self._tagged.clear()
        self._words.clear()
        self._runs.clear()
        self._clear()

    def _keys(self, numbers: Array, field: Array, rows: Array) -> Array:
        columns, lengths = self._own.take(numbers)
        words, several = self._running.take(numbers)
        text = np.repeat(field, several)
        runs, places = self._runs.columns(words, text)
        there = runs != NONE
        keys = rows[text[places[there]]] << 32 | runs[there]
        return np.concatenate([np.repeat(rows[field], lengths) << 32 | columns, keys])


def bag(column: Callable[[str], int], grams: Grams = WORDS) -> Bag:
    """For words alone, or for runs as well."""
    return Bag(column) if grams == WORDS else GramBag(column, grams)


def check(values: str, precision: str) -> None:
    """Raises SettingError for a kind of value or a precision that there is not."""
    VALUES.check(values)
    PRECISION.check(precision)


def valued(entries: Entries, width: int, values: str, precision: str) -> Csr:
    """Rows of the chosen values: 1 for present, the count, or its share of the row's counts (zero rows stay zero)."""
    ends = np.concatenate([[0], np.cumsum(entries.lengths)])
    data = entries.counts
    if values == "present":
        data = np.sign(data)
    elif values == "share":
        row = np.repeat(np.arange(len(entries.lengths)), entries.lengths)
        totals = np.bincount(row, weights=np.abs(data), minlength=len(entries.lengths))
        data = data / np.maximum(totals, 1.0)[row]
    return csr(data.astype(precision, copy=False), entries.columns.astype(np.uint32), ends, width)
