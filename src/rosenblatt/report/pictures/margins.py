"""Pictures of how far rows are from a line, and of what a threshold costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.rows import Array
from ...errors import DataError
from ...model.thresholds import cheapest, two_costs
from ...theory.margins.maximum import MaxMargin
from ..words import plural
from .canvas import FILLS, INK, PALETTE, finish, legend, lines_of, paper, percent, plain
from .directions import directions
from .labels import readable
from .regions import Scores, figure_of_regions, plane_in

BINS = 40
"""Of a histogram, at the most."""


def figure_of_margin(found: MaxMargin, names: Sequence[str] | None, title: str | Sequence[str] = "") -> Figure:
    """The hyperplane of the widest margin, and the rows that hold it. names: of the columns."""
    problem, rows = found.problem, len(found.support)
    if not np.isfinite(found.margin):
        raise DataError("one class is alone; there is no margin between two")
    seen = directions(problem.x, found.w[None], names)
    scored = Scores(problem.scores(found.w, found.b), (found.w[None], np.array([found.b])), np.asarray)
    plane = plane_in(seen, problem.x, (problem.y > 0.0).astype(int), scored, list(problem.classes))
    said = f"the widest margin: {found.margin:.6g}, held by {plural(rows, 'row')}"
    return figure_of_regions(plane, [*lines_of(title), said], 5.6)


def figure_of_margins(margins: Mapping[str, tuple[Array, Array]], title: str | Sequence[str] = "") -> Figure:
    """A histogram a learner, (n,) y·u/‖w‖ of each row and whether it is answered wrongly: below 0 it is, and on the
    border, which is shown there, it may be right; dashed the least of all."""
    figure = paper(8.6, 1.1 + 2.9 * len(margins), title)
    panels: Any = figure.subplots(len(margins), 1, squeeze=False, sharex=True).ravel()
    edges = _edges(np.concatenate([each for each, _ in margins.values()]))
    border = any(((each == 0.0) & ~wrong).any() for each, wrong in margins.values())
    for axes, (name, (each, wrong)) in zip(panels, margins.items(), strict=True):
        on, least = int(np.count_nonzero((each == 0.0) & ~wrong)), float(each.min())
        said = f"{np.count_nonzero(wrong):,} of {len(each):,} rows wrong"
        said += f", {on:,} more on the border" if on else ""
        plain(axes, f"{readable(name, 40)}: {said}, the least margin {least:.3g}", y="rows")
        below = np.where(each == 0.0, edges[edges < 0.0].max(initial=-np.inf) / 2.0, each)
        parts = [below[each <= 0.0], each[each > 0.0]]
        style: dict[str, Any] = {"stacked": True, "color": [FILLS[1], FILLS[0]], "edgecolor": "white", "linewidth": 0.6}
        names = ["wrong, or on the border" if border else "wrong", "right"]
        _, _, bars = axes.hist(parts, edges, label=names, **style)
        for patch in bars[0].patches:  # type: ignore[union-attr]
            patch.set_hatch("///")
        axes.axvline(0.0, color=INK, linewidth=1.4)
        axes.axvline(least, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), label="the least")
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    panels[-1].set_xlabel("margin: distance from the border, below 0 on the wrong side", color=INK)
    legend(panels[0], fontsize=9)
    return finish(figure)


def _edges(values: Array) -> Array:
    """Bins that have an edge at 0, so that right and wrong rows never share one; a bin below it for rows on it."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    width = (high - low) / min(BINS, max(8, int(2.0 * len(values) ** 0.5))) or 1.0
    first, last = -int(np.ceil(-low / width)), int(np.ceil(high / width))
    first = min(first, -int((values == 0.0).any()))
    return width * np.arange(first, max(last, first + 1) + 1)


# --- what a threshold costs ------------------------------------------------------------------------------------------


def costs_of(
    scores: Array, truth: Array, cost: Mapping[Any, float], classes: Array, title: str | Sequence[str] = ""
) -> Figure:
    """What `figure_of_costs` draws of costs by label. scores: (n,), 0 is the threshold as it is. truth: (n,) 0 or 1."""
    prices = two_costs(cost, classes)
    if not 0 < truth.sum() < len(truth):
        raise DataError("the rows are all of one class; a threshold is chosen by rows of both")
    return figure_of_costs(scores, truth > 0, prices, classes.tolist(), title)


def figure_of_costs(
    scores: Array, positive: Array, costs: tuple[float, float], classes: Sequence[Any], title: str | Sequence[str] = ""
) -> Figure:
    """Left ROC with the lines of equal cost through the answers as they are and the cheapest ones; right the cost of
    each threshold. scores: (n,). positive: (n,) bool, both occur. costs: of a mistake on a negative, a positive row."""
    from sklearn.metrics import roc_curve

    names = [readable(label, 16) for label in classes]
    said = " and ".join(f"{price:g} on a row of {name}" for name, price in zip(classes, costs, strict=True))
    figure = paper(12.6, 6.2, [*lines_of(title), f"a mistake costs {said}"])
    left, right = figure.subplots(1, 2)
    false, true, thresholds = roc_curve(positive, scores, drop_intermediate=False)
    n, negatives, positives = len(scores), int(np.count_nonzero(~positive)), int(np.count_nonzero(positive))
    cost = (costs[0] * negatives * false + costs[1] * positives * (1.0 - true)) / n
    best = cheapest(scores[~positive], scores[positive], costs)
    plain(left, f"ROC, positive: {names[1]}", f"{names[0]} called {names[1]}", f"{names[1]} called {names[1]}")
    left.plot(false, true, color=PALETTE[5], linewidth=1.8)
    left.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), box_aspect=1)
    plain(right, "what each threshold costs", "threshold: higher scores are positive", "cost of a row, on average")
    # Below one threshold, down to the next, the same rows are positive.
    finite = np.flatnonzero(np.isfinite(thresholds))[::-1]
    right.step(thresholds[finite], cost[finite], where="pre", color=PALETTE[5], linewidth=1.8)
    for at, label, marker, color in ((0.0, "as it is", "o", INK), (best, "the cheapest", "D", PALETTE[4])):
        above_it = scores > at
        x, y = float(above_it[~positive].mean()), float(above_it[positive].mean())
        price = (costs[0] * negatives * x + costs[1] * positives * (1.0 - y)) / n
        style: dict[str, Any] = {"marker": marker, "markersize": 8, "linestyle": "none", "color": color, "zorder": 5}
        left.plot([x], [y], label=f"{label}: {price:.4g} a row", clip_on=False, **style)
        right.plot([at], [price], label=f"{label}: threshold {at:.4g}", **style)
        _equal_cost(left, (x, y), (costs[0] * negatives, costs[1] * positives), color)
    right.set_ylim(bottom=0.0)
    left.xaxis.set_major_formatter(percent)
    left.yaxis.set_major_formatter(percent)
    legend(left, loc="lower right")
    legend(right)
    return finish(figure)


def _equal_cost(axes: Axes, point: tuple[float, float], weights: tuple[float, float], color: str) -> None:
    """The line through a point of the ROC on which the cost is the same; better is above and to the left of it."""
    if weights[1] > 0.0:
        axes.axline(point, slope=weights[0] / weights[1], color=color, linewidth=0.9, linestyle=(0, (4, 3)))
    else:
        axes.axvline(point[0], color=color, linewidth=0.9, linestyle=(0, (4, 3)))
