"""A fixed dictionary, learned from the training documents: word → column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Csr
from ..errors import ModelError
from ..mailtext.fields import Document
from .bag import NONE, Bag, Entries, check, regrouped, valued
from .ngrams import WORDS, Grams
from .parameters import MAX_SIZE, MIN_DOCUMENTS
from .step import Step, as_lines, from_lines, padded


class Counted(NamedTuple):
    """A batch of documents, its words counted. numbers: word → number; it grows from batch to batch. entries: with the
    numbers as columns."""

    numbers: dict[str, int]
    entries: Entries

    def take(self, rows: Array) -> Counted:
        """The documents of these numbers, ascending."""
        counts, columns, lengths = self.entries
        there = np.repeat(np.isin(np.arange(len(lengths)), rows), lengths)
        return Counted(self.numbers, Entries(counts[there], columns[there], lengths[rows]))


class Frequencies(NamedTuple):
    """In how many documents words occur. numbers: word → number; documents: by number, 0 of the last ones left out."""

    numbers: dict[str, int]
    documents: Array


class Vocabulary(Step):
    """Bag of words over a fixed dictionary; words outside it are passed over.

    names: the words, in the order of their columns; a field's words are tagged (`subject:free`). None before the step
    is fitted: then it counts all words that it meets.
    values: "present" (1), "count", or "share" (the count over the sum of the row's counts).
    precision: "float64" (default) or "float32". grams: runs of words and characters that count as words do.
    min_documents: a word must occur in so many documents (≥ 1) to come into the dictionary. max_size: at most so many
    words, the most frequent (by documents; ties by name). Columns are in the order of the sorted names, whatever the
    order of the documents. min_documents 2 halves the dictionary and costs no accuracy (`pipeline.SCALE` has the
    figures). Raises SettingError for other settings.
    """

    kind = "words"
    takes = "documents"
    nothing = Frequencies({}, np.zeros(0, np.int64))
    parameters = (MIN_DOCUMENTS, MAX_SIZE)

    def __init__(
        self,
        names: list[str] | None = None,
        values: str = "present",
        precision: str = "float64",
        grams: Grams = WORDS,
        min_documents: int = 2,
        max_size: int | None = None,
    ) -> None:
        check(values, precision)
        MIN_DOCUMENTS.check(min_documents)
        MAX_SIZE.check(max_size)
        self._settings = (values, precision, grams, min_documents, max_size)
        self._fitted, self.names, self.grams = names is not None, names or [], grams
        index = self._index = {name: column for column, name in enumerate(self.names)}
        known, new = lambda name: index.get(name, NONE), lambda name: index.setdefault(name, len(index))
        self._bag = Bag(known if self._fitted else new, grams)

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self.names if self._fitted else None, *self._settings)

    @property
    def width(self) -> int:
        return len(self.names)

    def read(self, documents: list[Document]) -> Counted:
        return Counted(self._index, self._bag.entries(documents))

    def stacked(self, parts: Sequence[Counted]) -> Counted:
        entries = zip(*(part.entries for part in parts), strict=True)
        return Counted(parts[0].numbers, Entries(*map(np.concatenate, entries)))

    def partial(self, batch: Any) -> Frequencies:
        if self._fitted:  # a dictionary of one's own
            return self.nothing
        numbers, entries = self.prepared(batch)
        return Frequencies(numbers, np.bincount(entries.columns))

    def merge(self, a: Frequencies, b: Frequencies) -> Frequencies:
        numbers, documents = b
        if a.documents.size and numbers is not a.numbers:  # b was counted elsewhere, under other numbers
            numbers = dict(a.numbers)
            places = [numbers.setdefault(name, len(numbers)) for name, _ in zip(b.numbers, documents, strict=False)]
            documents = np.zeros(len(numbers), np.int64)
            documents[places] = b.documents
        width = max(a.documents.size, documents.size)
        return Frequencies(numbers, padded(a.documents, width) + padded(documents, width))

    def finish(self, partial: Frequencies) -> Vocabulary:
        if self._fitted:
            return self
        *_, min_documents, max_size = self._settings
        names, documents = list(partial.numbers), partial.documents
        chosen = sorted(np.flatnonzero(documents >= min_documents).tolist(), key=names.__getitem__)
        if max_size is not None:
            chosen = sorted(sorted(chosen, key=lambda number: -documents[number])[:max_size], key=names.__getitem__)
        return Vocabulary([names[number] for number in chosen], *self._settings)

    def transform(self, batch: Any) -> Csr:
        """(n, width) rows; the columns of each row ascend."""
        numbers, entries = self.prepared(batch)
        if numbers is not self._index:  # counted before the dictionary was there
            columns = np.array([self._index.get(name, NONE) for name in numbers], np.int64)
            entries = regrouped(entries, columns[entries.columns])
        return valued(entries, self.width, *self._settings[:2])

    def recipe(self) -> dict[str, Any]:
        values, precision, grams, *_ = self._settings
        own = {"values": values, "precision": precision, "size": self.width}
        return super().recipe() | own | grams.recipe()

    def tensors(self) -> dict[str, Array]:
        return {"dictionary": as_lines(self.names)}

    @classmethod
    def restore(cls, recipe: dict[str, Any], tensors: dict[str, Array]) -> Vocabulary:
        """The inverse. Raises ModelError where the names are damaged or not as many as they should be."""
        lines = from_lines(tensors, "dictionary", "dictionary")
        names = lines if recipe["size"] else []
        if len(names) != recipe["size"]:
            raise ModelError(f"the model's dictionary has {len(names)} words; its header says {recipe['size']}")
        return cls(names, recipe["values"], recipe["precision"], Grams.restore(recipe))
