"""What is in a data set, in one pass: rows, classes, and of numbers or texts what matters for learning."""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..mailtext.fields import Document
from ..mailtext.tokens import split
from ..read.columns import is_number
from .facts import Columns, repeats

COLUMN = ("name", "min", "max", "mean", "sd", "nonzero")
"""What is said of each column."""
LISTED = 1000
"""Columns without values that are listed: of two rows with an index of 2^31 − 1 all others are."""


class _Labels:
    """The labels so far: their numbers in the order in which they were met, and how often each was."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.parts: list[Array] = []
        self.missing = False

    def add(self, y: Array | None) -> None:
        if y is None:
            self.missing = True
        else:
            numbers = (self.numbers.setdefault(label, len(self.numbers)) for label in y.tolist())
            self.parts.append(np.fromiter(numbers, np.int32, len(y)))

    def all(self) -> Array | None:
        return None if self.missing or not self.parts else np.concatenate(self.parts)

    def counts(self) -> dict[Any, int]:
        """label → rows, sorted as numbers or text."""
        every = self.all()
        if every is None:
            return {}
        counted = np.bincount(every, minlength=len(self.numbers)).tolist()
        labels = {_tidy(label): counted[number] for label, number in self.numbers.items()}
        return dict(sorted(labels.items(), key=lambda item: _place(item[0])))


def _tidy(label: Any) -> Any:
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _place(label: Any) -> tuple[bool, float, str]:
    """Numbers by size, also those that a table gives as text, then words."""
    number = not isinstance(label, str) or is_number(label)
    return not number, float(label) if number else 0.0, str(label)


def summarise(batches: Iterable[Batch], names: Any = None) -> dict[str, Any]:
    """Everything about the data, JSON-able but for arrays. names: a function that gives the columns' names afterwards.

    Memory: 20 bytes a row and 70 a column that is in use; of texts the different words.
    """
    labels, digests = _Labels(), []
    columns, used, texts = Columns(), _Used(), _Texts()
    for batch in batches:
        labels.add(batch.y)
        digests.append(texts.add(batch.rows) if isinstance(batch.rows, list) else columns.add(used.of(batch.rows)))
    rows = sum(map(len, digests))
    counted = labels.counts()
    found = {"rows": rows, "class_rows": {str(label): count for label, count in counted.items()}}
    found |= texts.summary(labels, counted) if texts.lengths else _numbers(columns, used, names() if names else None)
    return found | repeats(np.concatenate(digests), labels.all())._asdict()


class _Used:
    """The columns of sparse rows that store a value somewhere, in the order in which they come: work and memory are
    by these, since a column's number says little about how many there are."""

    def __init__(self) -> None:
        self.columns, self.width = np.empty(0, np.int64), 0

    def of(self, rows: Rows) -> Rows:
        """These rows in the columns so far."""
        self.width = max(self.width, rows.width)
        self.columns = np.append(self.columns, np.setdiff1d(rows.used_columns(), self.columns))
        return rows.widened(self.width).take_columns(self.columns) if rows.growing else rows


def _numbers(columns: Columns, used: _Used, names: list[str] | None) -> dict[str, Any]:
    low, high = columns.ranges()
    mean, sd = columns.moments()
    with np.errstate(all="ignore"):
        ranges = high - low
    constant = np.flatnonzero((low == high) & (columns.nonzero > 0))
    at, width = used.columns, used.width
    filled = np.sort(at[columns.nonzero > 0])
    empty = np.setdiff1d(np.arange(min(width, len(filled) + LISTED)), filled)[:LISTED]
    rows, order = (low, high, mean, sd, columns.nonzero), np.lexsort((at, -ranges))
    order = order[columns.nonzero[order] > 0]
    named = (lambda j: names[j]) if names is not None else (lambda j: int(j) + 1)
    filled_ones = [(named(at[j]), *(row[j] for row in rows)) for j in order.tolist()]
    empty_ones = [(named(j), 0.0, 0.0, 0.0, 0.0, 0) for j in empty]
    return {
        "kind": "numbers",
        "features": width,
        "density": columns.values / max(columns.rows * width, 1),
        "zero_rows": columns.zero_rows,
        "min": float(low.min(initial=np.inf if len(at) == width else 0.0)) if width else None,
        "max": float(high.max(initial=-np.inf if len(at) == width else 0.0)) if width else None,
        "range_ratio": range_ratio(low, high),
        "empty": width - len(filled),
        "empty_columns": [named(j) for j in empty],
        "constant_columns": [named(j) for j in np.sort(at[constant])],
        "duplicate_columns": [[named(j), named(first)] for j, first in _equal(columns.duplicates(), at)],
        "columns": [dict(zip(COLUMN, each, strict=True)) for each in (*filled_ones, *empty_ones)],
    }


def range_ratio(low: Array, high: Array) -> float:
    """The widest range of a column over the narrowest, of those that vary; 1 where none does. low, high: (d,)."""
    with np.errstate(all="ignore"):
        ranges = high - low
        ratio = float(ranges.max(initial=0.0) / ranges.min(initial=np.inf, where=ranges > 0.0))
    return ratio if ratio > 0.0 else 1.0


def ranges_apart(rows: Rows) -> float:
    """The same of rows, in which zeros may be left out."""
    low, high = rows.ranges()
    if not rows.shiftable:
        gaps = rows.stored(axis=0) < rows.n
        low, high = np.where(gaps, np.minimum(low, 0.0), low), np.where(gaps, np.maximum(high, 0.0), high)
    return range_ratio(low, high)


def _equal(pairs: list[tuple[int, int]], at: Array) -> list[tuple[int, int]]:
    """(column, the first that is equal), by their numbers in the data. pairs: by their places among those in use."""
    groups: dict[int, list[int]] = {}
    for j, first in pairs:
        groups.setdefault(first, [int(at[first])]).append(int(at[j]))
    return sorted((j, min(group)) for group in groups.values() for j in group if j > min(group))


class _Texts:
    """Lengths of texts in words, as the bag of words counts them, and how many different words there are."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self.lengths: list[int] = []
        self._fields: dict[str, int] = {}

    def add(self, documents: list[Document]) -> Array:
        digests = np.empty((len(documents), 2), np.uint64)
        for i, document in enumerate(documents):
            length = 0
            for tag, text in document:
                words = split(text)
                length += len(words)
                self._words.update(f"{tag}:{word}" if tag else word for word in words)
                self._fields[tag or "text"] = self._fields.get(tag or "text", 0) + 1
            self.lengths.append(length)
            content = repr(document).encode("utf-8", "surrogatepass")
            digests[i] = np.frombuffer(hashlib.blake2b(content, digest_size=16).digest(), np.uint64)
        return digests

    def summary(self, labels: _Labels, counted: dict[Any, int]) -> dict[str, Any]:
        lengths, numbers = np.array(self.lengths), labels.all()
        number_of = {str(_tidy(label)): number for label, number in labels.numbers.items()}
        return {
            "kind": "texts",
            "words": int(lengths.sum()),
            "different_words": len(self._words),
            "empty_texts": int(np.count_nonzero(lengths == 0)),
            "fields": self._fields,
            "length": _spread(lengths),
            "length_of_class": {str(label): _spread(lengths[numbers == number_of[str(label)]]) for label in counted},
        }


def _spread(lengths: Array) -> dict[str, float]:
    return {
        "min": int(lengths.min()), "median": float(np.median(lengths)), "mean": float(lengths.mean()),
        "max": int(lengths.max()),
    }  # fmt: skip
