"""Sheets of several pictures: of a training, and of a model's answers to labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..plots import LONG, draw_mistakes, marked, scale_epochs
from .canvas import INK, PALETTE, finish, paper, plain, say
from .confusion import draw_confusion
from .rates import curves, draw_det, draw_names, draw_roc
from .regions import Plane, columns, draw_regions
from .words import readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...learn.run import Run

Array = np.ndarray[Any, Any]
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
    from ...model.reliability import bins, happened
    from .reliability import draw_reliability

    assert answers.probabilities is not None
    of = f"class {readable(answers.classes[1])}" if len(answers.classes) == 2 else "the answer"
    draw_reliability(axes, bins(*happened(answers.probabilities, answers.truth)), of)
    axes.legend(loc="best", frameon=False, labelcolor=INK)
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
        ring: dict[str, Any] = {
            "marker": "o",
            "markersize": 13,
            "markerfacecolor": "none",
            "markeredgecolor": INK,
            "linestyle": "none",
        }
        label = f"best, kept: {run.best.score:.4f} in epoch {run.best.epoch}"
        axes.plot([run.best.epoch], [run.best.score], label=label, zorder=5, clip_on=False, **ring)
        axes.legend(frameon=False, labelcolor=INK, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    axes.margins(y=0.12)
    if len(values) > LONG:
        scale_epochs(axes, len(values))
