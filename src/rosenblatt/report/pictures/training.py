"""Pictures of learning: mistakes per epoch, of one learner or of many, and the sheet of a training."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.rows import Array, Rows, dense
from ...data.batch import Batch
from ...data.labels import class_numbers
from ...errors import DataError
from ...learn.converged import MOST_VOTES
from ...learn.run import Run
from ...model.evidence import Names
from ...model.model import Model
from .canvas import INK, PALETTE, beside, finish, legend, look, paper, plain, say
from .directions import directions
from .labels import readable
from .regions import GRID, WIDEST, Plane, Scores, columns, draw_regions, plane_in

LONG = 12
"""Epochs beyond which their axis is logarithmic: most of what is to be seen happens in the first ten."""
WRAP = 34
"""Letters of a line of the legend."""
HIGH = 0.17
"""Inches of a line of the legend."""


def figure_of_mistakes(histories: Mapping[str, Sequence[int]], title: str) -> Figure:
    """How many mistakes each learner made in each epoch, to be changed, shown or saved.

    histories: name → mistakes in epoch 1, 2, …; learners with the same history (one path, different memories) share a
    line. title: what is seen, one or two lines. A line ends in a ring at the epoch from which on there was no mistake.
    Raises DataError where there is no epoch to draw.
    """
    lines = _together(histories)
    if not lines:
        raise DataError("no epoch has been recorded; there is nothing to draw")
    height = 0.9 + HIGH * sum(label.count("\n") + 1.6 for label, _ in lines)
    figure = paper(9.6, max(5.4, height))
    axes = figure.add_subplot()
    draw_mistakes(axes, lines)
    axes.set_title(title, loc="left", color=INK, fontsize=12)
    beside(axes, handlelength=3.6, labelspacing=0.9)
    return finish(figure)


def draw_mistakes(axes: Axes, lines: Sequence[tuple[str, Sequence[int]]], cut: bool = True) -> None:
    """Draw (label, mistakes in epoch 1, 2, …) of each learner. cut: end where no mistake follows any more."""
    plain(axes, x="epoch (one pass over the training data)", y="mistakes in the epoch")
    for number, (label, mistakes) in enumerate(lines):
        clean = _clean_from(mistakes)
        shown = mistakes[: clean + 1] if cut else mistakes
        style, epochs = look(number), range(1, len(shown) + 1)
        places = sorted({*marked(len(shown)), int(np.argmin(shown))})
        axes.plot(epochs, shown, label=label, markevery=places, markersize=5.5, linewidth=1.7, **style)
        if mistakes[clean] == 0:
            ring(axes, epochs[clean], 0, style["color"])
    scale_mistakes(axes, max(max(mistakes) for _, mistakes in lines))
    scale_epochs(axes, max(_clean_from(mistakes) + 1 if cut else len(mistakes) for _, mistakes in lines))


def _together(histories: Mapping[str, Sequence[int]]) -> list[tuple[str, list[int]]]:
    """(label, history) of each distinct, not empty history; the labels of equal ones are joined."""
    names: dict[tuple[int, ...], list[str]] = {}
    for name, history in histories.items():
        if len(history):
            names.setdefault(tuple(history), []).append(name)
    labels = [textwrap.wrap(", ".join(readable(name, WRAP) for name in same), WRAP) for same in names.values()]
    return [("\n".join(label), list(history)) for label, history in zip(labels, names, strict=True)]


def ring(axes: Axes, x: float, y: float, color: str, **words: Any) -> None:
    """A ring around a point."""
    style = {"marker": "o", "markersize": 13, "markerfacecolor": "none", "markeredgecolor": color, **words}
    axes.plot([x], [y], linestyle="none", clip_on=False, zorder=5, **style)


def _clean_from(mistakes: Sequence[int]) -> int:
    """The place from which on there are no mistakes, or the last place."""
    last = max((place for place, count in enumerate(mistakes) if count), default=-1)
    return min(last + 1, len(mistakes) - 1)


def marked(n: int) -> list[int]:
    """The places that get a marker: each of the first, then further and further apart, and the last."""
    places, place = list(range(min(n, LONG))), LONG * 1.25
    while place < n:
        places.append(int(place))
        place *= 1.25
    return sorted({*places, n - 1})


def scale_mistakes(axes: Axes, most: float) -> None:
    """The vertical axis, from 0 to beyond the most mistakes; logarithmic where there are many."""
    top = max(1.0, 1.25 * most)
    if most > 20:
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.35)
        axes.set_yticks([0, *_round_numbers(top)])
        axes.set_ylim(-0.35, top)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(-0.04 * top, top)
    axes.yaxis.minorticks_off()
    axes.yaxis.set_major_formatter("{x:,.0f}")


def scale_epochs(axes: Axes, longest: int) -> None:
    """The horizontal axis, from epoch 1 to the longest; logarithmic where there are many."""
    if longest > LONG:
        axes.set_xscale("log")
        axes.set_xticks(_round_numbers(1.25 * longest))
        axes.set_xlim(0.9, longest * 1.15)
    else:
        axes.set_xticks(range(1, longest + 1))
        axes.set_xlim(1 - 0.04 * longest, 1.05 * longest + 0.2)
    axes.xaxis.minorticks_off()
    axes.xaxis.set_major_formatter("{x:,.0f}")


def _round_numbers(top: float) -> list[int]:
    """1, 2, 5, 10, 20, 50 … up to top."""
    found = [step * 10**power for power in range(len(str(int(top)))) for step in (1, 2, 5)]
    return [number for number in found if number <= top]


# --- the sheet of a training -----------------------------------------------------------------------------------------


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


def plane_of(model: Model, batch: Batch, y: Array) -> Plane | None:
    """The training data as points: rows of two columns as they were given, others as they are learned from, in two
    directions. None where there is no such view. y: (n,) labels that are the model's classes."""
    own, truth, linear = batch.rows, class_numbers(y, model.classes), model.run.memory.is_linear
    classes, kernel = model.classes.tolist(), model.run.settings.kernel is not None
    if isinstance(own, list) or own.width > 2 or own.width == 1:
        rows = model.rows(batch)
        if kernel or rows.width > WIDEST and not linear:
            return None
        names, x = model.feature_names, rows.matrix()
        names = [names[j] for j in range(rows.width)] if names is not None and rows.width <= 2 else None
        weights = model.weights if linear else None
        seen = directions(x, model.weights[0], names)
        ask = model.from_raw if linear else lambda points: model.scores(dense(points))
        return plane_in(seen, x, truth, Scores(model.scores(rows), weights, ask), classes)
    grid = int(min(GRID, max(60.0, (MOST_VOTES / model.run.memory.vectors(model.run.state)) ** 0.5)))
    names = model.names or [Names(model, kernel=False)[j] for j in range(2)]
    return Plane(own.toarray().astype(float), truth, asking(model, own), classes, names, grid)


def asking(model: Model, rows: Rows) -> Callable[[Array], Array]:
    """What a model answers to points (m, d), stored as these rows are: what is fitted to sparse rows may not take
    dense ones."""
    none = rows.take(np.empty(0, np.int64))
    return lambda points: model.scores(model.rows(Batch(none.stacked([dense(points)]), None)))


def _mistakes(axes: Axes, run: Run) -> None:
    mistakes = run.history["mistakes"]
    picks = run.settings.optimizer.picks
    if mistakes and not picks:
        draw_mistakes(axes, [("mistakes", mistakes)], cut=False)
        return
    plain(axes)
    why = "no epochs to draw: this optimizer picks one row after the other" if picks else "no epoch was finished"
    say(axes, why)


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
