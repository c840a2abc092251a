"""Pictures of many lines: those that other orders of the same rows give, and those that vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.loop import UPDATES
from ...core.rows import Array
from ...core.rows import Rows as Stored
from ...errors import DataError, SettingError
from ...learn.settings import Settings
from ...model.model import Model
from .canvas import INK, PALETTE, finish, paper, plain
from .directions import directions
from .labels import readable
from .lettering import Lettering
from .points import draw_points, limits, points
from .regions import draw_areas, draw_names
from .training import ring, scale_epochs, scale_mistakes

GRID = 120
"""Places a side at which the vote is asked."""
SCORES = 1 << 22
"""Made at once of places by the vectors that vote."""
MOST_LINES = 300
"""Lines drawn of those that vote: the ones with the most votes."""


NO_LINE = "each order must end in one line: two classes, and a learner with w that does not vote"


class Rows(NamedTuple):
    """x: (n, d), dense or sparse. y: (n,) class numbers. classes: the two labels. names: of the columns, or None."""

    x: Any
    y: Array
    classes: Sequence[Any]
    names: Sequence[str] | None


class Learned(NamedTuple):
    """What one order came to: mistakes in each epoch, (w, b) of (d,) and a number, updates, rows wrong in the end."""

    mistakes: Sequence[int]
    w: Array
    b: float
    updates: int
    wrong: int


def check_orders(settings: Settings) -> None:
    """SettingError for learners that do not end in one line."""
    if settings.kernel is not None or not settings.memory.is_linear:
        raise SettingError(NO_LINE)


def learned_of(model: Model, rows: Stored, truth: Array) -> Learned:
    """What one order came to. rows: in the model's own features. truth: (n,) class numbers."""
    check_orders(model.run.settings)
    if len(model.classes) != 2:
        raise DataError(NO_LINE)
    (w,), (b,) = model.weights
    wrong = int(np.count_nonzero((model.scores(rows) > 0.0) != truth))
    return Learned(model.run.history["mistakes"], w, float(b), int(model.run.state.n[UPDATES]), wrong)


def figure_of_orders(learned: Sequence[Learned], rows: Rows, title: str | Sequence[str] = "") -> Figure:
    """Left the mistakes of each epoch, a line an order; right the line that each order ended with."""
    figure = paper(13.0, 6.0, title)
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
    updates, wrong = ([getattr(each, what) for each in learned] for what in ("updates", "wrong"))
    said = f"{len(learned)} orders: {_range(updates)} updates, {_range(wrong)} of {len(rows.y):,} rows wrong in the end"
    first = learned[0]
    if all(np.array_equal(each.w, first.w) and list(each.mistakes) == list(first.mistakes) for each in learned):
        said += ",\nall alike: this learner does not shuffle, or takes all rows at once"
    plain(left, said, "epoch (one pass over the training data)", "mistakes in the epoch")
    for number, each in enumerate(learned):
        color = PALETTE[1 + number % (len(PALETTE) - 1)]
        at = range(1, len(each.mistakes) + 1)
        left.plot(at, each.mistakes, color=color, alpha=0.7, linewidth=1.2)
        if each.mistakes and each.mistakes[-1] == 0:
            ring(left, at[-1], 0, color, markersize=8)
    scale_mistakes(left, max((max(each.mistakes, default=0) for each in learned), default=0))
    scale_epochs(left, max((len(each.mistakes) for each in learned), default=1))
    lines = [(each.w, each.b, 1.0, PALETTE[1 + k % (len(PALETTE) - 1)]) for k, each in enumerate(learned)]
    middle = np.sum([each.w / (np.linalg.norm(each.w) or 1.0) for each in learned], axis=0)
    _plane(right, rows, lines, middle, "the line of each order")
    return finish(figure)


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def figure_of_votes(w: Array, b: Array, counts: Array, rows: Rows, title: str | Sequence[str] = "") -> Figure:
    """Left how long each weight vector survived, which is its vote; right their lines, the darker the more votes.

    w: (m, d), b: (m,), counts: (m,) right answers in a row. Of at most two columns the border of the vote, too.
    """
    total = float(counts.sum())
    if not total:
        raise DataError("no weight vector has survived a row; there are no votes to draw")
    figure = paper(13.0, 6.0, title)
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
    by_size = np.sort(counts)[::-1]
    half = int(np.searchsorted(np.cumsum(by_size), total / 2.0)) + 1
    said = f"{len(counts):,} weight vectors; {half:,} of them have half of the {int(total):,} votes"
    plain(left, said, "weight vector, after so many mistakes", "rows in a row that it had right: its votes")
    left.vlines(
        np.arange(len(counts)), 0.0, counts, color=PALETTE[5], linewidth=max(0.8, min(6.0, 160.0 / len(counts)))
    )
    left.set_ylim(bottom=0.0)
    left.xaxis.set_major_locator(MaxNLocator(7, integer=True))
    left.yaxis.set_major_locator(MaxNLocator(integer=True))
    order = np.argsort(-counts, kind="stable")
    chosen = order[counts[order] > 0.0][:MOST_LINES][::-1]
    most = float(counts.max())
    lines = [(w[k], float(b[k]), float(np.clip(counts[k] / most, 0.06, 0.9)), PALETTE[7]) for k in chosen]

    def vote(places: Array) -> Array:  # 9.6 s less of 7,757 vectors than by the learner, which looks closer at ties
        parts = np.array_split(places, -(-len(places) * len(w) // SCORES))
        return np.concatenate([2.0 * ((part @ w.T + b > 0.0) @ counts) - total for part in parts])

    known = vote if w.shape[1] <= 2 else None
    _plane(right, rows, lines, counts @ w, "the line of each vector; dark: many votes", known)
    return finish(figure)


def _plane(axes: Axes, rows: Rows, lines: Any, w: Array, title: str, vote: Any = None) -> None:
    """The rows, and lines (w, b, how opaque, colour); in more than two columns as cut by the plane of w."""
    seen = directions(rows.x, w[None], rows.names)
    places = seen.places(rows.x)
    if rows.x.shape[1] == 1:
        places[:, 1] = (rows.y - 0.5) * 0.3 * (np.ptp(places[:, 0]) or 1.0)
    d = rows.x.shape[1]
    title += f",\nof {d:,} columns in two directions" if d > 2 else ""
    plain(axes, title, *(readable(name, 52) if name else "" for name in seen.names))
    axes.grid(False)
    x, y = limits(places)
    axes.set(xlim=x, ylim=y, box_aspect=1)
    if d == 1:
        axes.set(yticks=[])
    words = Lettering(axes, 4.3, places[:0])
    if vote is not None:
        across, up = np.meshgrid(np.linspace(*x, GRID), np.linspace(*y, GRID))
        scores = vote(seen.points(np.column_stack([across.ravel(), up.ravel()])))
        draw_areas(axes, across, up, np.column_stack([-scores, scores]), 2.4)
    for own, b, alpha, color in lines:
        (flat,), (at,) = seen.cut(own[None], np.array([b]))
        ends = words.ends(flat, float(at))
        if ends is not None:
            axes.plot(ends[:, 0], ends[:, 1], color=color, alpha=alpha, linewidth=1.4, zorder=1.6)
    if not axes.lines:
        axes.set_title(f"{axes.get_title(loc='left')}:\nnone is in view", loc="left", color=INK, fontsize=11)
    shown = points(places, rows.y, np.zeros(len(rows.y), bool))
    draw_points(axes, shown, rows.classes)
    if vote is not None:
        axes.plot([], [], color=INK, linewidth=2.4, label="border of the vote")
    draw_names(axes, shown, rows.classes)
