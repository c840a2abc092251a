"""What is in a data set, in one pass: rows, classes, and of numbers or texts what matters for learning."""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..doctor.facts import Columns, repeats
from ..mailtext.fields import Document
from ..mailtext.tokens import split
from ..read.columns import is_number

APART = 100.0
"""Ranges whose ratio is as large as this call for scaling."""
UNEVEN = 10.0
COLUMN = ("name", "min", "max", "mean", "sd", "nonzero")
"""What is said of each column."""


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

    Memory: 20 bytes a row and 60 a column; of texts the different words.
    """
    labels, digests = _Labels(), []
    columns, texts = Columns(), _Texts()
    for batch in batches:
        labels.add(batch.y)
        digests.append(texts.add(batch.rows) if isinstance(batch.rows, list) else columns.add(batch.rows))
    rows = sum(map(len, digests))
    counted = labels.counts()
    found = {"rows": rows, "class_rows": {str(label): count for label, count in counted.items()}}
    found |= texts.summary(labels, counted) if texts.lengths else _numbers(columns, names() if names else None)
    found |= repeats(np.concatenate(digests), labels.all())._asdict()
    return {**found, "advice": advice(found)}


def _numbers(columns: Columns, names: list[str] | None) -> dict[str, Any]:
    low, high = columns.ranges()
    mean, sd = columns.moments()
    with np.errstate(all="ignore"):
        ranges = high - low
        ratio = float(ranges.max(initial=0.0) / ranges.min(initial=np.inf, where=ranges > 0.0))
    constant = np.flatnonzero(low == high)
    empty = np.flatnonzero(columns.nonzero == 0)
    rows, order = (low, high, mean, sd, columns.nonzero.tolist()), np.argsort(-ranges, kind="stable").tolist()
    named = (lambda j: names[j]) if names is not None else (lambda j: int(j) + 1)
    return {
        "kind": "numbers",
        "features": columns.width,
        "density": columns.values / max(columns.rows * columns.width, 1),
        "zero_rows": columns.zero_rows,
        "min": float(low.min()) if low.size else None,
        "max": float(high.max()) if high.size else None,
        "range_ratio": ratio if ratio > 0.0 else 1.0,
        "empty_columns": [named(j) for j in empty],
        "constant_columns": [named(j) for j in constant if columns.nonzero[j]],
        "duplicate_columns": [[named(j), named(first)] for j, first in columns.duplicates()],
        "columns": [dict(zip(COLUMN, (named(j), *(row[j] for row in rows)), strict=True)) for j in order],
    }


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


def advice(found: dict[str, Any]) -> list[str]:
    """What to do about it, in the options of the command line."""
    sizes, ranges, wrong = list(found["class_rows"].values()), found.get("range_ratio", 1.0), found["surely_wrong"]
    ratio = max(sizes) / min(sizes) if len(sizes) == 2 else 1.0
    hints = {
        "there is only one class: nothing to learn from yet": len(sizes) == 1,
        f"one class has {ratio:.0f} times the rows of the other: --class-weight balanced": ratio >= UNEVEN,
        f"ranges of the columns differ by a factor of {ranges:.0e}: --scale standard": ranges >= APART,
        f"equal rows have different labels: no classifier can be right on {wrong:,} of the rows": wrong,
    }
    return [hint for hint, applies in hints.items() if applies]
