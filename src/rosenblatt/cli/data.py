"""Data for the commands: opened as a model's own, and scored with notes of what was skipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.rows import Array
from ..data.batch import Batch, Source
from ..errors import naming
from ..model.model import Model, Scored
from ..model.representation import Representation
from ..read.anything import source_like
from .output import notes
from .progress import Progress

__all__ = ["Scored", "labels_of", "like_training", "names_of", "naming", "scored", "scores_and_labels"]


def like_training(path: str, model: Any, reading: dict[str, Any], labelled: bool | str = "auto") -> Source:
    """New data, read as the model's own. labelled: True: labels must be there; "auto": as the data show."""
    return source_like(path, model, labelled=labelled, **reading)


def names_of(model: Any) -> Any:
    return model.feature_names


def scored(model: Model, source: Source, progress: Progress) -> Iterator[Scored]:
    """The model's scores, batch by batch; what was skipped while reading is noted at the end."""
    yield from model.scored(progress.reading(source))
    notes(source.notes)


def scores_and_labels(model: Model, source: Source, progress: Progress) -> tuple[Array, Array]:
    """The scores of all rows, and their labels."""
    found = model.scores_and_labels(progress.reading(source))
    notes(source.notes)
    return found


def labels_of(batch: Batch, model: Representation, source: Any, first: int = 1) -> Array:
    return model.labels_of(batch, source.origin, first)
