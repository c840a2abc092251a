"""Data and models for the commands: opened, read batch by batch, and scored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch, Source
from ..data.checks import check_finite
from ..data.labels import class_numbers, tidy
from ..errors import DataError
from ..model.model import Model
from ..read import from_recipe
from .output import notes
from .progress import Progress


@contextmanager
def naming(origin: str, *others: str) -> Iterator[None]:
    """What is wrong with data names them: their origin, unless it begins with that, or with one of the others."""
    try:
        yield
    except DataError as error:
        raise error.within("" if str(error).startswith((origin, *others)) else f"{origin}: ") from None


class Scored(NamedTuple):
    """A batch with its scores by the model, (n,) or (n, K). first: the number of its first row, from 1."""

    batch: Batch
    rows: Rows
    scores: Array
    first: int

    def name(self, i: int) -> str | None:
        """Where row i comes from, as the reader calls it; None where rows are lines."""
        return None if self.batch.ids is None else str(self.batch.ids[i])


def like_training(path: str, model: Any, reading: dict[str, Any], labelled: bool | str = "auto") -> Source:
    """New data, read as the model's own. labelled: True: labels must be there; "auto": as the data show."""
    return from_recipe(
        path,
        model.reading,
        reading.pop("format", None) or "auto",
        labelled=labelled,  # type: ignore[arg-type]
        width=model.width if model.features is None else model.features.columns,
        classes=model.classes.tolist(),
        **reading,
    )


def names_of(model: Any) -> Any:
    """What the features are called in messages: by column, or None."""
    features = model.features
    if features is not None and features.quadratic is not None:
        from ..report.evidence import Names

        return Names(model)
    return (None if features is None else features.names) or model.names


def scored(model: Model, source: Source, progress: Progress) -> Iterator[Scored]:
    """The model's scores, batch by batch; what was skipped while reading is noted at the end."""
    first = 1
    for batch in progress.reading(source):
        rows = model.rows(batch)
        check_finite(rows, names_of(model))
        yield Scored(batch, rows, model.decision(rows), first)
        first += rows.n
    notes(source.notes)


def scores_and_labels(model: Model, source: Source, progress: Progress) -> tuple[Array, Array]:
    """The scores of all rows, (n,) or (n, K), and their labels as the model's classes, (n,)."""
    scores, labels = [], []
    for part in scored(model, source, progress):
        scores.append(part.scores)
        labels.append(labels_of(part.batch, model, source, part.first))
    return np.concatenate(scores), np.concatenate(labels)


def labels_of(batch: Batch, model: Any, source: Any, first: int = 1) -> Array:
    """A batch's labels (n,) as the model's classes. DataError where there are none, or one is not a class."""
    origin = getattr(source, "origin", "the data")
    if batch.y is None:
        raise DataError(f"{origin}: there are no labels; labelled rows are needed here")
    try:
        return model.classes[class_numbers(tidy(batch.y), model.classes, first)]  # type: ignore[no-any-return]
    except DataError as error:
        raise error.within(f"{origin}, ") from None
