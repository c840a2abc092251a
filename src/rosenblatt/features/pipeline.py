"""The representation of a model: documents → words → numbers → scaled numbers, fitted once, then repeated exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..batch import Batch, Source
from ..core.rows import Dense, Rows, csr, stack, width
from ..errors import DataError, ModelError, SettingError
from . import scaling
from .hashing import Hashing
from .vocabulary import Vocabulary, learn_transform

Array = np.ndarray[Any, Any]
Dictionary = Vocabulary | Hashing
DICTIONARIES = ("words", "hashed")
SCALE = {"documents": "idf+unit:2", "rows": "none"}
"""The scaling where none is asked for. `AveragedPerceptron(max_iter=10)`, 5-fold stratified, mean of seeds 0, 1, 2;
across: trained on the first, tested on the second, mean of seeds 0 to 3. Word present, min_documents 2, unless said:

                                   spamassassin_dev  csdmc2010_dev  across
    none                                .9917            .9877       .937
    unit                                .9911            .9842       .954
    unit:2                              .9912            .9876       .945
    idf                                 .9924            .9837       .940
    idf+unit                            .9910            .9887       .966
    idf+unit:2                          .9937            .9904       .949
    idf+unit:4                          .9938            .9890       .943
    standard                            .9834            .9753       .916
    standard+unit:2                     .9918            .9860       .953
    idf+unit:2, count or share          .9909            .9870       .960    (unit length makes these two the same)
    none, count; none, share         .9682 .9449      .9610 .9334   .944 .930
    idf+unit:2, min_documents 1; 3   .9928 .9930      .9886 .9909   .947 .955
    idf+unit:2, hashed to 2^18          .9935            .9883       .954
"""


class Options(NamedTuple):
    """How documents become rows, and how rows are scaled.

    dictionary: "words" (learned) or "hashed". values: "present", "count" or "share". min_documents, max_size: of the
    learned dictionary. bits, signed: of hashing. scale: see `scaling`; None is `SCALE` of the kind of data.
    precision: "float64" or "float32", of rows made from documents. All but `scale` are without effect on rows.
    """

    dictionary: str = "words"
    values: str = "present"
    min_documents: int = 2
    max_size: int | None = None
    bits: int = 18
    signed: bool = False
    scale: str | None = None
    precision: str = "float64"


DEFAULT = Options()


class Features:
    """A fitted representation. dictionary: None for rows. width: the features after it, d."""

    def __init__(self, dictionary: Dictionary | None, steps: list[scaling.Step], width: int) -> None:
        self.dictionary, self.steps, self.width = dictionary, steps, width

    @classmethod
    def fit(cls, source: Source, options: Options = DEFAULT) -> tuple[Features, Rows, Array | None, list[str] | None]:
        """(features, scaled rows, labels, ids) of all data of the source, which is read once.

        Labels and ids are None where the source has none. Raises SettingError for unknown options, DataError where
        there are no data.
        """
        if options.dictionary not in DICTIONARIES:
            raise SettingError(f"dictionary {options.dictionary!r} is unknown; it must be one of {DICTIONARIES}")
        scaling.parse(options.scale or "")
        seen = _Seen(source)
        dictionary: Dictionary | None = None
        rows: Rows
        if source.kind == "documents" and options.dictionary == "words":
            dictionary, rows = learn_transform(
                seen, options.values, options.min_documents, options.max_size, options.precision
            )
        elif source.kind == "documents":
            dictionary = Hashing(options.bits, options.signed, options.values, options.precision)
            rows = _stacked([dictionary.transform(documents) for documents in seen])
        else:
            rows = _stacked(list(seen))
        if not seen.count:
            raise DataError("the data have no rows; at least one is needed to learn from")
        steps, rows = scaling.fit(SCALE[source.kind] if options.scale is None else options.scale, rows)
        return cls(dictionary, steps, width(rows)), rows, seen.labels(), seen.all_ids()

    def transform(self, batch: Batch) -> Rows:
        """The batch's rows (n, d), by exactly the steps of training.

        Sparse rows of fewer columns are widened. Raises DataError for more columns than in training, for another
        number of dense columns, and for text where the model has numbers (or the reverse).
        """
        rows: Rows
        if isinstance(batch.rows, list):
            if self.dictionary is None:
                raise DataError("found text; the model was trained on rows of numbers")
            rows = self.dictionary.transform(batch.rows)
        elif self.dictionary is not None:
            raise DataError("found rows of numbers; the model was trained on text")
        else:
            rows = self._fitted(batch.rows)
        for step in self.steps:
            rows = step.apply(rows)
        return rows

    def _fitted(self, rows: Rows) -> Rows:
        found = width(rows)
        if found == self.width:
            return rows
        if isinstance(rows, Dense) or found > self.width:
            raise DataError(f"found {found} columns; the model was trained on {self.width}")
        return csr(rows.data, rows.indices, rows.indptr, self.width)

    @property
    def names(self) -> list[str] | None:
        """The words by column; None for rows and for hashed words (see `Hashing.names_in`)."""
        return None if self.dictionary is None else self.dictionary.names

    def recipe(self) -> dict[str, Any]:
        """What JSON can hold of it; `tensors` is the rest."""
        dictionary = None if self.dictionary is None else self.dictionary.recipe()
        return {"width": self.width, "dictionary": dictionary, "scale": [step.recipe() for step in self.steps]}

    def tensors(self) -> dict[str, Array]:
        """{"dictionary": uint8 names, a line each; "scale.0.mean": (d,) float64 …}."""
        found: dict[str, Array] = {} if self.dictionary is None else dict(self.dictionary.tensors())
        for place, step in enumerate(self.steps):
            found.update((f"scale.{place}.{name}", values) for name, values in step.tensors().items())
        return found

    @classmethod
    def restore(cls, recipe: dict[str, Any], tensors: dict[str, Array]) -> Features:
        """The inverse of `recipe` and `tensors`. Raises ModelError where they are damaged or from a newer version."""
        try:
            return cls._restore(recipe, tensors)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"the model's features cannot be read ({error!r}); the file is damaged") from None

    @classmethod
    def _restore(cls, recipe: dict[str, Any], tensors: dict[str, Array]) -> Features:
        size, stored = int(recipe["width"]), recipe["dictionary"]
        dictionary: Dictionary | None = None
        if stored is not None:
            kinds: dict[str, Any] = {"words": Vocabulary, "hashed": Hashing}
            dictionary = kinds[stored["kind"]].restore(stored, tensors)
        if dictionary is not None and dictionary.width != size:
            raise ModelError(f"the model's dictionary has {dictionary.width} columns; its header says {size}")
        steps = []
        for place, step in enumerate(recipe["scale"]):
            prefix = f"scale.{place}."
            own = {name.removeprefix(prefix): tensors[name] for name in tensors if name.startswith(prefix)}
            steps.append(scaling.restore(step, own, size))
        return cls(dictionary, steps, size)


class _Seen:
    """The documents or rows of a source, batch by batch, while their labels and ids are collected."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._y: list[Array | None] = []
        self._ids: list[Any] = []
        self.count = 0

    def __iter__(self) -> Iterator[Any]:
        for batch in self._source:
            self.count += 1
            self._y.append(batch.y)
            self._ids.append(batch.ids)
            yield batch.rows

    def labels(self) -> Array | None:
        found = [y for y in self._y if y is not None]
        return np.concatenate(found) if len(found) == self.count else None

    def all_ids(self) -> list[str] | None:
        if any(ids is None for ids in self._ids):
            return None
        return [name for ids in self._ids for name in ids]


def _stacked(parts: list[Rows]) -> Rows:
    """One below the other; a zero-row matrix where there are none."""
    return stack(parts) if parts else csr(np.empty(0), np.empty(0, np.uint32), np.zeros(1, np.int64), 0)
