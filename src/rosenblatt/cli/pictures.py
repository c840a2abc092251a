"""The options that draw: checked before the work begins, and what they need of data and model."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..compare.learning_curve import learning_curve
from ..data.batch import Batch, Source, joined
from ..data.labels import tidy
from ..errors import DataError, SettingError, naming
from ..model.model import Model
from ..read.several import paths_of
from ..recipe.recipe import Recipe
from .command import Choice, Decorator, flag, in_shell, option
from .output import OutputError, check_writable
from .progress import Progress, Watched

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONCE = ("validation", "calibrate", "max_false_positives", "max_false_negatives", "cost", "at")
"""Options that set rows aside, or fit something to scores, of the one model."""
FOLDS = 5
"""Of the learning curve."""
MOST_KEPT = 1 << 22
"""Numbers of rows that are kept to be drawn, 32 MB; of more data the places are not."""
OF_ROWS = ("margins", "votes", "regions")
"""Pictures of a model that are drawn of the rows themselves."""


def picture_option(*kinds: str, more: str = "") -> Decorator:
    """Which of the pictures of `plots` it is, the first unless another is named. more: what is said of the first."""
    said = f"What --plot draws: {', '.join(kinds)}.  [default: {kinds[0]}{more}]"
    return option("Output", "--picture", type=Choice(kinds), help=said)


def refuse_without_plot(plot: str | None, **given: Any) -> None:
    """SettingError for options of a picture where there is none."""
    for name, value in given.items():
        if plot is None and value is not None:
            raise SettingError(f"--{name} is about --plot, which is not there")


def check_picture(option: str, path: str | None, *others: str | None) -> None:
    """What `check_writable` checks, and that the suffix is one of a picture's. others: files that must stay."""
    if path is None:
        return
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # a home that cannot be written to is none of our affairs
    from ..report.pictures.canvas import check_suffix

    check_drawn(option, path, check_suffix, *others)


def check_drawn(option: str, path: str, named_well: Callable[[str], Any], *others: str | None) -> None:
    """SettingError where a file that is drawn has a name that says no kind, or is one of those that must stay."""
    try:
        named_well(path)
    except SettingError as error:
        raise error.within(f"{option} ") from None
    check_writable(path, *others)
    for other in (path for data in others for path in paths_of(data)):
        if other and os.path.abspath(other) == os.path.abspath(path):
            raise SettingError(f"{option} {path}: the same file is named twice; give the picture a name of its own")


def write_picture(figure: Figure, path: str) -> None:
    """OutputError where it cannot be written."""
    from ..report.pictures.canvas import save

    try:
        save(figure, path)
    except DataError as error:
        raise OutputError(error.message) from None


class Keeping(Progress):
    """Progress that also keeps the labelled batches it sees, up to 32 MB, or all of them. first: of the training data,
    which are read before validation rows."""

    def __init__(self, all: bool) -> None:
        super().__init__()
        self.all, self.sources = all, list[Kept]()

    def reading(self, source: Source, what: str = "reading") -> Kept:
        self.sources.append(Kept(source, self, what))
        return self.sources[-1]

    def counting(self, what: str) -> Any:
        """A callback (done, in all) that shows how far repeated trainings are."""
        return self.watching(what, lambda done, total: (what, done, total, "trainings"), always=True)

    def batch(self) -> Batch | None:
        """All the training data as one batch, or None where they were not kept."""
        parts = self.sources[0].parts
        return None if not parts or any(part.y is None for part in parts) else joined(parts)


class Kept(Watched):
    """A source whose batches are kept while they pass."""

    def __init__(self, source: Source, progress: Keeping, what: str) -> None:
        super().__init__(source, progress, what)
        self.all, self.size, self.parts = progress.all, 0, list[Batch]()

    def __iter__(self) -> Iterator[Batch]:
        for batch in super().__iter__():
            rows = batch.rows
            self.size += sum(map(len, rows)) // 8 if isinstance(rows, list) else rows.size
            if self.all or self.size <= MOST_KEPT:
                self.parts.append(batch)
            else:
                self.parts.clear()
            yield batch


def _learner(called: str, model: Model) -> str:
    settings = model.run.settings
    return f"{called}: {settings.learner}, keep {settings.keep}, {settings.optimizer.name}"


def training_picture(model: Model, kept: Keeping, output: str) -> Figure:
    """The sheet of `train --plot`."""
    from ..report.pictures.training import figure_of_training, plane_of

    words, reason = model.run.settings.words(), in_shell(model.run.stop_reason)
    title = [
        f"{output}: {model.run.settings.learner}, keep {words['keep']}, {words['optimizer']}",
        f"stopped: {reason}",
    ]
    batch = kept.batch()
    plane = None if batch is None else plane_of(model, batch, model.labels_of(batch, kept.sources[0].origin))
    return figure_of_training(model.run, title, plane)


def check_model(kind: str, path: str, model: Model) -> None:
    """Before the rows are read: DataError where such a picture cannot be drawn of a model."""
    if kind in OF_ROWS:
        from ..report.pictures import models

        with naming(path):
            {"margins": models.check_margins, "votes": models.check_votes, "regions": models.check_regions}[kind](model)


def model_picture(kind: str, model: Model, batch: Batch, y: Any, title: list[str]) -> Figure:
    """Of `evaluate --picture`, one that is drawn of the rows. y: their labels as the model's classes."""
    from ..report.pictures import models

    if kind == "margins":
        from ..report.pictures.margins import figure_of_margins

        return figure_of_margins({model.run.settings.learner: models.margins_of(model, batch, y)}, title)
    draw = models.votes_of if kind == "votes" else models.regions_of
    return draw(model, batch, y, title)


def curve_of(recipe: Recipe, data: str, model: Model, kept: Keeping, path: str) -> dict[str, Any]:
    """Draw the learning curve of `train --learning-curve`, and give it in numbers."""
    from ..report.pictures.lines import figure_of_growth

    whole = kept.batch()
    assert whole is not None and whole.y is not None  # there were labels to learn from
    y = tidy(whole.y)
    every = whole._replace(y=y)

    pairwise = getattr(recipe.settings.kernel, "pairwise", False)  # the columns are values of K with rows

    def train(chosen: Any) -> Any:
        def part(asked: Any) -> Any:
            batch = every.take(asked)
            return batch._replace(rows=batch.rows.take_columns(chosen)) if pairwise else batch  # type: ignore[union-attr]

        learned = recipe.fit(part(chosen))
        return lambda asked: learned.predict(part(asked))

    curve = learning_curve(y, train, FOLDS, recipe["random_state"], kept.counting("learning curve"))
    write_picture(figure_of_growth(curve, [_learner(data, model)]), path)
    return {"rows": curve.rows, "folds": FOLDS, "error": curve.held_out, "training_error": curve.training}


def refuse_beside_curve(words: dict[str, Any], before: str | None, start: str | None) -> None:
    """SettingError for what a model learned anew from parts of the rows has no use for, or would have its own of."""
    given = {name: words[name] for name in ONCE} | {"before": before, "start": start}
    given["order"] = words["order"] not in ("shuffled", "given")
    for name, value in given.items():
        if value is not None and value is not False:
            raise SettingError(
                f"--learning-curve learns anew from parts of the rows, for which {flag(name)} has no meaning; leave "
                f"one of them out"
            )
