"""Documents → sparse rows, for any way of turning a word into a column: what a dictionary and hashing share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """The columns of a document's words and runs, and how often each occurs.

    column: name → column, 0 … 2^32 − 1, or NONE. A piece of text is remembered as its columns and, where runs of words
    are wanted, as its words, by number. What is remembered changes while rows are made, so threads that share a bag
    wait for each other, batch by batch.
    """

    def __init__(self, column: Callable[[str], int], grams: Grams = WORDS) -> None:
        self._column, self._grams = column, grams
        self._numbers: dict[str, int] = {}
        self._tagged: list[str] = []
        self._words: list[str] = []
        self._runs = Runs(grams.words, column, self._tagged, self._words)
        self._own, self._running = Ragged(), Ragged()
        self._pieces = Pieces(self._number, self._forget)
        self._lock = Lock()

    def _number(self, tag: str, piece: str) -> int:
        parts = units(piece)
        if self._grams.words > 1:
            words = [] if is_made(tag) else [part[0] for part in parts]
            names = list(tagged(tag, words))
            for name, word in zip(names, words, strict=True):
                if name not in self._numbers:
                    self._numbers[name] = len(self._words)
                    self._tagged.append(name)
                    self._words.append(word)
            self._running.append([self._numbers[name] for name in names])
        columns = map(self._column, piece_names(tag, parts, self._grams))
        return self._own.append([column for column in columns if column != NONE])

    def _forget(self) -> None:
        for memory in (self._numbers, self._tagged, self._words, self._runs, self._own, self._running):
            memory.clear()

    def _keys(self, numbers: Array, field: Array, rows: Array) -> Array:
        """row·2^32 + column for every word and run. numbers, field: (m,) of each piece. rows: the row of each field."""
        columns, lengths = self._own.take(numbers)
        keys = np.repeat(rows[field] << 32, lengths) | columns
        if self._grams.words == 1:
            return keys
        words, several = self._running.take(numbers)
        text = np.repeat(field, several)
        runs, places = self._runs.columns(words, text)
        there = runs != NONE
        return np.concatenate([keys, rows[text[places[there]]] << 32 | runs[there]])

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
