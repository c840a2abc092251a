"""Steps of features fitted to batches, as `Features.fit` does it: what the tests of single steps share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np

from rosenblatt.core.rows import Csr, Rows, stack
from rosenblatt.features.ngrams import WORDS, Grams
from rosenblatt.features.scaling import NOTHING, join, mean_and_sd, sums
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.mailtext.fields import Document

Array = np.ndarray[Any, Any]


def learn_transform(
    batches: Iterable[list[Document]],
    values: str = "present",
    min_documents: int = 2,
    max_size: int | None = None,
    precision: str = "float64",
    grams: Grams = WORDS,
) -> tuple[Vocabulary, Csr]:
    """The dictionary of the documents, and their rows; each batch is counted once."""
    step = Vocabulary(None, values, precision, grams, min_documents, max_size)
    counted = list(map(step.prepared, batches))
    vocabulary = step.fitted(counted)
    return vocabulary, stack(list(map(vocabulary.transform, counted)) or [vocabulary.transform([])])


def learn(batches: Iterable[list[Document]], **settings: Any) -> Vocabulary:
    """The dictionary alone; settings as for `learn_transform`."""
    return learn_transform(batches, **settings)[0]


def moments(batches: Iterable[Rows]) -> tuple[Array, Array]:
    """(mean, sd) of every column, batch by batch."""
    return mean_and_sd(reduce(join, map(sums, batches), NOTHING))
