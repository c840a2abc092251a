"""What flows from readers to learners: batches of labelled rows or documents, and sources that yield them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.rows import Rows, stack
from ..mailtext.fields import Document


class Batch(NamedTuple):
    """Some rows or documents with their labels.

    rows: `Dense` or `Csr` (numbers), or a list of `Document` (text).
    y: (n,) labels as read: numbers; object holding str, of lines; or text (dtype U), of what has types: see
        `data.labels`. None when the data carry no labels.
    ids: (n,) where each row comes from, for messages and output (file names of mails); None when rows are lines.
    numbers: (n,) the rows' own numbers in the data, from 1, where bad ones may be left out; None: one after the other.
    """

    rows: Rows | list[Document]
    y: np.ndarray[Any, Any] | None
    ids: Sequence[str] | None = None
    numbers: np.ndarray[Any, Any] | None = None

    @property
    def n(self) -> int:
        """How many rows or documents."""
        return len(self.rows) if isinstance(self.rows, list) else self.rows.n

    def take(self, numbers: np.ndarray[Any, Any]) -> Batch:
        """The rows or documents of these numbers, with what belongs to them."""
        rows = [self.rows[i] for i in numbers] if isinstance(self.rows, list) else self.rows.take(numbers)
        ids = None if self.ids is None else [self.ids[i] for i in numbers]
        own = None if self.numbers is None else self.numbers[numbers]
        return Batch(rows, None if self.y is None else self.y[numbers], ids, own)


def joined(batches: Sequence[Batch]) -> Batch:
    """Batches of one source (at least one) as one; no labels or ids where some have none."""
    rows: Any = [batch.rows for batch in batches]
    rows = list(chain.from_iterable(rows)) if isinstance(rows[0], list) else stack(rows)
    labels = [batch.y for batch in batches if batch.y is not None]
    ids = [batch.ids for batch in batches if batch.ids is not None]
    y = np.concatenate(labels) if len(labels) == len(batches) else None
    own = [batch.numbers for batch in batches if batch.numbers is not None]
    numbers = np.concatenate(own) if len(own) == len(batches) else None
    return Batch(rows, y, list(chain.from_iterable(ids)) if len(ids) == len(batches) else None, numbers)


class Source(Protocol):
    """A re-iterable of batches. `one_shot` sources (standard input) can be read only once."""

    kind: str
    """"rows" or "documents"."""
    one_shot: bool
    origin: str
    """What the data are called in messages."""
    notes: dict[str, int]
    """What was skipped or changed while reading, counted: {"qid fields skipped": 3}. Filled during iteration."""

    @property
    def feature_names(self) -> list[str] | None:
        """Of the columns, where they have names."""

    def __iter__(self) -> Iterator[Batch]: ...

    def recipe(self) -> dict[str, Any]:
        """The reading choices that a model must repeat on new data (format, base, label column …), JSON-able."""
        ...


class AtHand:
    """A source of one batch that is in memory already. feature_names: of its columns, or None."""

    one_shot = False
    origin = "the data"

    def __init__(self, batch: Batch, feature_names: list[str] | None = None, reading: Any = None) -> None:
        self.batch, self.feature_names, self._reading = batch, feature_names, reading or {}
        self.kind = "documents" if isinstance(batch.rows, list) else "rows"
        self.notes: dict[str, int] = {}

    def __iter__(self) -> Iterator[Batch]:
        yield self.batch

    def recipe(self) -> dict[str, Any]:
        return dict(self._reading)
