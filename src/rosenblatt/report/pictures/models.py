"""Pictures of a `Model` and labelled rows, whether these are at hand in Python or were read from files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from ...core.rows import Array, Rows
from ...data.batch import Batch, joined
from ...data.checks import check_finite
from ...data.labels import class_numbers
from ...errors import DataError
from ...model.model import Model
from ...read.anything import no_text, source_like
from . import many
from .asked import distances, one_column
from .directions import directions
from .regions import WIDEST, Plane, Scores, figure_of_regions, plane_in
from .training import asking, plane_of

MOST_NUMBERS = 1 << 26
"""Of the weight vectors that vote: 0.5 GB."""


def labelled(model: Model, X: Any, y: Any) -> tuple[Batch, Array]:
    """X as the model reads it, and y (n,) as its classes."""
    batch = joined(list(source_like(no_text(X), model, one_column(y), labelled=True)))
    if not isinstance(batch.rows, list):
        check_finite(batch.rows)
    return batch, model.labels_of(batch)


def rows_of(model: Model, rows: Rows, y: Array) -> many.Rows:
    """Rows in the model's own features, and their labels, as pictures of many lines show them."""
    names, d = model.feature_names, model.width
    scaled = " (scaled)" if model.features is not None and model.features.steps else ""
    names = [f"{names[j]}{scaled}" for j in range(d)] if names is not None and d <= 2 else None
    return many.Rows(rows.matrix(), class_numbers(y, model.classes), model.classes.tolist(), names)


# --- regions ---


def check_regions(model: Model) -> None:
    """DataError where its answers are not drawn by place."""
    plain = model.run.memory.is_linear and model.run.settings.kernel is None
    if not plain and model.reads_texts:
        raise DataError("regions of a vote and of a kernel are drawn of columns of numbers; this model reads texts")
    if not plain and model.given_width > WIDEST:
        raise DataError(f"the model has {model.given_width:,} columns, and no w for them; {WIDEST:,} can be drawn")


def regions_of(
    model: Model, batch: Batch, y: Array, title: str | Sequence[str] = "", names: Sequence[str] = ()
) -> Figure:
    """Which class it answers where, with the rows of a batch and their labels y. names: of two columns, or the model's
    own."""
    check_regions(model)
    plane = plane_of(model, batch, y) or _plane_given(model, batch, y)
    plane = plane._replace(names=names) if len(names) == plane.columns == 2 else plane
    return figure_of_regions(plane, title, 5.6)


def _plane_given(model: Model, batch: Batch, y: Array) -> Plane:
    """Of more than two columns without a w: as they were given, by their principal components."""
    assert not isinstance(batch.rows, list)
    x, scores = batch.rows.matrix(), model.scores(model.rows(batch))
    answers = Scores(scores, None, asking(model, batch.rows))
    return plane_in(directions(x), x, class_numbers(y, model.classes), answers, model.classes.tolist())


# --- margins ---


def check_margins(model: Model) -> None:
    """DataError where its answers are not those of w·x + b."""
    settings, several = model.run.settings, len(model.classes) > 2
    if not model.run.memory.is_linear or settings.kernel is not None or several and model.calibration is not None:
        not_so = "not a vote, a kernel, or three classes and more with calibrated scores"
        raise DataError(f"margins are of learners that answer by w·x + b: {not_so}")


def margins_of(model: Model, batch: Batch, y: Array) -> tuple[Array, Array]:
    """(n,) y·u/‖w‖ in the features that it learned from, as `distances` has it, and whether it answers wrongly."""
    check_margins(model)
    w, b = model.weights
    b = b - model.cut if len(w) == 1 else b
    rows = model.rows(batch)
    wrong = model.labels(model.scores(rows)) != y
    return distances(w, b, rows.matrix(), class_numbers(y, model.classes)), wrong


# --- votes ---


def check_votes(model: Any) -> None:
    """DataError for what does not vote, or has too many weights."""
    memory, state = model.run.answering if isinstance(model, Model) else (None, None)
    if (
        memory is None
        or not hasattr(memory, "voters")
        or len(model.classes) != 2
        or model.run.settings.kernel is not None
    ):
        text = "votes are drawn of a fitted learner with {keep}, of two classes and without a kernel"
        raise DataError(text, keep="voted")
    if memory.vectors(state) * model.width > MOST_NUMBERS:
        raise DataError(f"{memory.vectors(state):,} weight vectors of {model.width:,} columns are too many to draw")


def votes_of(model: Any, batch: Batch, y: Array, title: str | Sequence[str] = "") -> Figure:
    """The weight vectors that vote, and the rows in the features that they are of."""
    check_votes(model)
    memory, state = model.run.answering
    w, b, counts = memory.voters(state, 0)
    return many.figure_of_votes(w, b, counts, rows_of(model, model.rows(batch), y), title)
