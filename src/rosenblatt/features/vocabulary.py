"""A fixed dictionary, learned from the training documents: word → column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.rows import Csr
from ..errors import ModelError
from ..mailtext.document import Document
from .bag import NONE, Entries, bag, check, finish
from .ngrams import WORDS, Grams
from .parameters import MAX_SIZE, MIN_DOCUMENTS

Array = np.ndarray[Any, Any]


class Vocabulary:
    """Bag of words over a fixed dictionary; words outside it are passed over.

    names: the words, in the order of their columns; a field's words are tagged (`subject:free`).
    values: "present" (1), "count", or "share" (the count over the sum of the row's counts).
    precision: "float64" (default) or "float32". grams: runs of words and characters that are looked up besides words.
    Raises SettingError for other settings.
    """

    kind = "words"
    parameters = (MIN_DOCUMENTS, MAX_SIZE)

    def __init__(
        self, names: list[str], values: str = "present", precision: str = "float64", grams: Grams = WORDS
    ) -> None:
        check(values, precision)
        self.names, self.values, self.precision, self.grams = names, values, precision, grams
        index = {name: column for column, name in enumerate(names)}
        self._bag = bag(lambda name: index.get(name, NONE), grams)

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self.names, self.values, self.precision, self.grams)

    @property
    def width(self) -> int:
        return len(self.names)

    def transform(self, documents: list[Document]) -> Csr:
        """(n, width) rows; the columns of each row ascend."""
        return finish(self._bag.entries(documents), self.width, self.values, self.precision)

    def recipe(self) -> dict[str, Any]:
        own = {"kind": self.kind, "values": self.values, "precision": self.precision, "size": self.width}
        return own | self.grams.recipe()

    def tensors(self) -> dict[str, Array]:
        """All names in one array of bytes, a line each: a million words load in under a second."""
        return {"dictionary": np.frombuffer("\n".join(self.names).encode(), np.uint8)}

    @classmethod
    def restore(cls, recipe: dict[str, Any], tensors: dict[str, Array]) -> Vocabulary:
        """The inverse. Raises ModelError where the names are damaged or not as many as they should be."""
        try:
            text = tensors["dictionary"].astype(np.uint8).tobytes().decode()
        except (KeyError, UnicodeDecodeError):
            raise ModelError("the model's dictionary is missing or damaged; train it again") from None
        names = text.split("\n") if recipe["size"] else []
        if len(names) != recipe["size"]:
            raise ModelError(f"the model's dictionary has {len(names)} words; its header says {recipe['size']}")
        return cls(names, recipe["values"], recipe["precision"], Grams.restore(recipe))


def learn_transform(
    batches: Iterable[list[Document]],
    values: str = "present",
    min_documents: int = 2,
    max_size: int | None = None,
    precision: str = "float64",
    grams: Grams = WORDS,
) -> tuple[Vocabulary, Csr]:
    """The dictionary of the documents, and their rows, in one pass over the text.

    min_documents: a word must occur in so many documents (≥ 1). max_size: at most so many words, the most frequent
    (by documents; ties by name) are kept. grams: runs of words and characters, which count as words do. Columns are in
    the order of the sorted names, whatever the order of the documents. min_documents 2 halves the dictionary and costs
    no accuracy (`pipeline.SCALE` has the figures).
    """
    check(values, precision)
    MIN_DOCUMENTS.check(min_documents)
    MAX_SIZE.check(max_size)
    index: dict[str, int] = {}
    words = bag(lambda name: index.setdefault(name, len(index)), grams)
    parts = [words.entries(documents) for documents in batches]
    if not parts:
        return Vocabulary([], values, precision, grams), finish(words.entries([]), 0, values, precision)
    entries = Entries(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    names, columns = _choose(list(index), np.bincount(entries.columns, minlength=len(index)), min_documents, max_size)
    return Vocabulary(names, values, precision, grams), finish(
        _renumber(entries, columns), len(names), values, precision
    )


def learn(batches: Iterable[list[Document]], **settings: Any) -> Vocabulary:
    """The dictionary alone; settings as for `learn_transform`."""
    return learn_transform(batches, **settings)[0]


def _choose(names: list[str], documents: Array, min_documents: int, max_size: int | None) -> tuple[list[str], Array]:
    """The names kept, sorted, and the new column of every old one (−1: dropped)."""
    chosen = sorted(np.flatnonzero(documents >= min_documents).tolist(), key=names.__getitem__)
    if max_size is not None and len(chosen) > max_size:
        frequent = sorted(chosen, key=lambda column: -documents[column])[:max_size]
        chosen = sorted(frequent, key=names.__getitem__)
    columns = np.full(len(names), -1)
    columns[chosen] = np.arange(len(chosen))
    return [names[column] for column in chosen], columns


def _renumber(entries: Entries, columns: Array) -> Entries:
    """The same rows with new columns, ascending in each row; those of dropped words leave."""
    new = columns[entries.columns]
    kept = new >= 0
    row = np.repeat(np.arange(len(entries.lengths)), entries.lengths)[kept]
    order = np.argsort(row << 32 | new[kept])
    lengths = np.bincount(row, minlength=len(entries.lengths))
    return Entries(entries.counts[kept][order], new[kept][order], lengths)
