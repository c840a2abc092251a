"""Sheets of several pictures: of a training, and of a model's answers to labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.rows import Array, dense
from ...data.batch import Batch
from ...data.labels import class_numbers
from ...learn.converged import MOST_VOTES
from ...learn.run import Run
from ...model.evidence import Names
from ...model.model import Model
from ...model.reliability import Bin, bins, expected_error, happened
from .canvas import INK, PALETTE, finish, legend, paper, plain, say
from .confusion import draw_confusion
from .labels import readable
from .mistakes import LONG, draw_mistakes, marked, ring, scale_epochs
from .rates import curves, draw_det, draw_names, draw_roc
from .regions import GRID, Plane, columns, draw_regions

FEW = 4
"""Classes whose confusion takes no more room than a ROC."""


class Answers(NamedTuple):
    """A model's answers to labelled rows.

    scores: (n,) or (n, K). truth, predicted: (n,) class numbers. classes: the K labels.
    probabilities: (n, K), or None.
    """

    scores: Array
    truth: Array
    predicted: Array
    classes: Sequence[Any]
    probabilities: Array | None = None


def answers_of(model: Model, scores: Array, y: Array) -> Answers:
    """y: (n,) labels that are the model's classes."""
    truth, predicted = (class_numbers(part, model.classes) for part in (y, model.labels(scores)))
    probabilities = np.exp(model.log_probabilities(scores)) if model.has_probabilities else None
    return Answers(scores, truth, predicted, model.classes.tolist(), probabilities)


def plane_of(model: Model, batch: Batch, y: Array) -> Plane | None:
    """The training data as points, where they have two columns. y: (n,) labels that are the model's classes."""
    own = batch.rows
    if isinstance(own, list) or own.width != 2:
        return None
    grid = int(min(GRID, max(60.0, (MOST_VOTES / model.run.memory.vectors(model.run.state)) ** 0.5)))
    names = model.names or [Names(model)[j] for j in range(2)]

    def scores(points: Array) -> Array:
        """Of points stored as the rows are: what is fitted to sparse rows may not take dense ones."""
        stored = own.take(np.empty(0, np.int64)).stacked([dense(points)])
        return model.scores(model.rows(Batch(stored, None)))

    points, truth = own.toarray().astype(float), class_numbers(y, model.classes)
    return Plane(points, truth, scores, model.classes.tolist(), names, grid)


def figure_of_training(run: Run, title: str | Sequence[str], plane: Plane | None = None) -> Figure:
    """Mistakes per epoch, the scores on the validation rows where there are any, and the areas of two-column data."""
    wide = 5.2 + 2.0 * columns(plane.classes) if plane else 0.0
    figure = paper(6.2 + wide if plane else 9.0, 5.9, title)
    parts: Any = figure.subfigures(1, 2, width_ratios=[6.2, wide]) if plane else [figure]
    scores = run.history.get("validation")
    if scores:
        above, below = parts[0].subplots(2, 1, sharex=True)
        _mistakes(above, run)
        _validation(below, scores, run)
        above.set_xlabel("")
    else:
        _mistakes(parts[0].subplots(), run)
    if plane is not None:
        draw_regions(parts[1].subplots(), plane)
    return finish(figure)


def figure_of_answers(answers: Answers, title: str | Sequence[str]) -> Figure:
    """Confusion, ROC and DET; reliability too where there are probabilities."""
    many = len(answers.classes)
    counts = np.zeros((many, many), int)
    np.add.at(counts, (answers.truth, answers.predicted), 1)
    found = curves(answers.scores, answers.truth, answers.predicted, answers.classes)
    sure = answers.probabilities is not None
    if many <= FEW and not sure:
        figure = paper(16.4 if many == 2 else 19.0, 5.9, title)
        panels = figure.subplot_mosaic([["table", "roc", "det"]])
    elif many <= FEW:
        figure = paper(13.0 if many == 2 else 15.0, 11.4, title)
        panels = figure.subplot_mosaic([["table", "roc"], ["sure", "det"]])
    else:
        figure = paper(20.0 if sure else 17.4, 10.4, title)
        parts: Any = figure.subfigures(1, 2, width_ratios=[0.82, 1.0] if sure else [1.1, 1.0])
        names: Any = {"width_ratios": [1.0, 1.0 if sure else 0.62]}
        panels = parts[1].subplot_mosaic([["roc", "names"], ["det", "sure" if sure else "."]], **names)
        panels["table"] = parts[0].subplots()
    draw_confusion(panels["table"], counts, answers.classes)
    draw_roc(panels["roc"], found)
    draw_det(panels["det"], found)
    if sure:
        _reliability(panels["sure"], answers)
    if "names" in panels:
        panels["names"].set_axis_off()
    draw_names(panels["roc" if many > FEW else "det"], found, panels.get("names"))
    return finish(figure)


def _reliability(axes: Axes, answers: Answers) -> None:
    assert answers.probabilities is not None
    of = f"class {readable(answers.classes[1])}" if len(answers.classes) == 2 else "the answer"
    draw_reliability(axes, bins(*happened(answers.probabilities, answers.truth)), of)
    axes.set_box_aspect(1)


def _mistakes(axes: Axes, run: Run) -> None:
    mistakes = run.history["mistakes"]
    if run.settings.optimizer.picks:
        plain(axes)
        say(axes, "no epochs to draw: this optimizer picks one row after the other")
    elif not mistakes:
        plain(axes)
        say(axes, "no epoch was finished")
    else:
        draw_mistakes(axes, [("mistakes", mistakes)])


def _validation(axes: Axes, scores: Sequence[float | None], run: Run) -> None:
    """The score of each epoch, and the best one, which answers, in a ring."""
    plain(axes, "on the validation rows", "epoch (one pass over the training data)", "score")
    values = [np.nan if score is None else score for score in scores]
    style: dict[str, Any] = {"color": PALETTE[5], "marker": "s", "linewidth": 1.7, "markersize": 5.5}
    axes.plot(range(1, len(values) + 1), values, markevery=marked(len(values)), **style)
    if run.best is not None:
        label = f"best, kept: {run.best.score:.4f} in epoch {run.best.epoch}"
        ring(axes, run.best.epoch, run.best.score, INK, label=label)
        legend(axes, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    axes.margins(y=0.12)
    if len(values) > LONG:
        scale_epochs(axes, len(values))


def draw_reliability(axes: Axes, found: Sequence[Bin], of: str) -> None:
    """The share that came true over the mean probability, with exact 95 % intervals. On the diagonal they agree."""
    error = expected_error(found)
    plain(axes, f"reliability; on average off by {error:.3f}", f"probability of {of}", "share that came true")
    axes.plot([0.0, 1.0], [0.0, 1.0], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="as it should be")
    x, y = [each.mean for each in found], [each.share for each in found]
    down, up = [each.share - each.low for each in found], [each.high - each.share for each in found]
    style: dict[str, Any] = {"color": PALETTE[5], "marker": "o", "linewidth": 1.6, "capsize": 3.0}
    axes.errorbar(x, y, (down, up), label="rows of a range, with 95 % interval", **style)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    legend(axes)
