"""Data and models for the commands: opened, read batch by batch, and scored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..batch import Batch, Source
from ..core.rows import Array, Rows, n_rows
from ..errors import DataError
from ..fit import check_finite
from ..labels import encode, tidy
from ..model import Model
from ..read import from_recipe
from .output import notes
from .progress import Progress


class Scored(NamedTuple):
    """A batch with its scores by the model, (n,) or (n, K). first: the number of its first row, from 1."""

    batch: Batch
    rows: Rows
    scores: Array
    first: int

    def name(self, i: int) -> str | None:
        """Where row i comes from, as the reader calls it; None where rows are lines."""
        return None if self.batch.ids is None else str(self.batch.ids[i])


def like_training(path: str, model: Model, reading: dict[str, Any], labelled: bool | str = "auto") -> Source:
    """New data, read as the model's own. labelled: True: labels must be there; "auto": as the data show."""
    return from_recipe(
        path,
        model.reading,
        reading.pop("format", None) or "auto",
        labelled=labelled,  # type: ignore[arg-type]
        width=model.width,
        classes=model.classes.tolist(),
        **reading,
    )


def scored(model: Model, source: Source, progress: Progress) -> Iterator[Scored]:
    """The model's scores, batch by batch; what was skipped while reading is noted at the end."""
    first = 1
    for batch in progress.reading(source):
        rows = model.rows(batch)
        check_finite(rows, model.names)
        yield Scored(batch, rows, model.decision(rows), first)
        first += n_rows(rows)
    notes(source.notes)


def labels_of(batch: Batch, model: Model, source: Any, first: int = 1) -> Array:
    """A batch's labels (n,) as the model's classes. DataError where there are none, or one is not a class."""
    origin = getattr(source, "origin", "the data")
    if batch.y is None:
        raise DataError(f"{origin}: there are no labels; labelled rows are needed here")
    try:
        codes = encode(tidy(batch.y), model.classes, first)
    except DataError as error:
        raise DataError(f"{origin}, {error}") from None
    return model.classes[(codes > 0.0).astype(int) if len(model.classes) == 2 else codes.astype(int)]
