"""Which class answers where, for rows of two numbers: areas, the line between them, its normal and its margin."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from ...core.rows import Array
from .canvas import FILLS, INK, MARKERS, beside, finish, paper, plain
from .labels import readable

MOST_POINTS = 2000
"""Rows drawn; more hide each other, and an SVG of 2,000 points has 0.5 MB."""
ROOMY = 400
"""Rows up to which they are drawn large."""
TALL = 18
"""Names in a column of the legend."""
GRID = 300
"""Places a side at which the model is asked; contours are drawn between them, so lines stay straight."""
SAME_SCALE = 4.0
"""Ranges that differ by less than this share one scale, so that a right angle is one and distances can be seen."""
LINEAR = 1e-6
"""Scores this close to a plane, relative to their range, are those of a line."""


class Plane(NamedTuple):
    """Labelled rows of two numbers, and a model's answers.

    x: (n, 2). y: (n,) class numbers. scores: (m, 2) points → (m,) or (m, K) as `Model.decision`. classes: the K labels.
    names: of the two columns. grid: places a side at which the model is asked.
    """

    x: Array
    y: Array
    scores: Callable[[Array], Array]
    classes: Sequence[Any]
    names: Sequence[str]
    grid: int = GRID


def figure_of_regions(plane: Plane, title: str | Sequence[str], width: float = 5.2) -> Figure:
    """A picture of its own; width: in inches, without the legend."""
    figure = paper(width + 2.0 * columns(plane.classes), 5.9, title)
    draw_regions(figure.add_subplot(), plane)
    return finish(figure)


def draw_regions(axes: Axes, plane: Plane) -> None:
    """Draw areas, borders and rows; those answered wrongly, or on the border, have a ring. With two classes and a
    straight border also its normal w, and the margin where no row is wrong."""
    x, y = _limits(plane.x)
    same = np.isclose(x[1] - x[0], y[1] - y[0])
    wrong = _answers(plane) != plane.y
    title = f"answers by place: {np.count_nonzero(wrong):,} of {len(plane.y):,} rows wrong"
    level = plane.scores(plane.x)
    border = (level == 0.0) & ~wrong if level.ndim == 1 else np.zeros(len(wrong), bool)
    title += f",\n{np.count_nonzero(border):,} more on the border (training errors, too)" if border.any() else ""
    plain(axes, title, readable(plane.names[0]), readable(plane.names[1]))
    axes.grid(False)
    axes.set(xlim=x, ylim=y, box_aspect=1)
    across, up = np.meshgrid(np.linspace(*x, plane.grid), np.linspace(*y, plane.grid))
    points = np.column_stack([across.ravel(), up.ravel()])
    scores = plane.scores(points)
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    for k in reversed(range(len(plane.classes))):  # where scores are level the first class answers: it is drawn last
        lead = (scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)).reshape(across.shape)
        if (lead >= 0.0).any():
            red, green, blue = to_rgb(FILLS[k % len(FILLS)])
            pale = to_hex((0.7 + 0.3 * red, 0.7 + 0.3 * green, 0.7 + 0.3 * blue))
            if (lead >= 0.0).all():
                axes.set_facecolor(pale)
                continue
            axes.contourf(across, up, lead, levels=[0.0, np.inf], colors=[pale], zorder=0.5)
            axes.contour(across, up, lead, levels=[0.0], colors=[INK], linewidths=1.6, zorder=1.5)
    if len(plane.classes) == 2:
        _line(axes, plane, points, scores[:, 1], bool(same))
    _rows(axes, plane, wrong | border, "wrong, or\non border" if border.any() else "wrong")


def _answers(plane: Plane) -> Array:
    """(n,) class numbers: with two classes 1 for scores above 0, else the best score's."""
    scores = plane.scores(plane.x)
    return (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def _limits(x: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ranges of both columns with some room, of the same length where they are alike."""
    low, high = x.min(axis=0), x.max(axis=0)
    length = high - low
    length[length == 0.0] = length.max() or 1.0
    middle = (low + high) / 2.0
    if length.max() <= SAME_SCALE * length.min():
        length[:] = length.max()
    half = 0.56 * length
    (left, down), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return (left, right), (down, top)


def _line(axes: Axes, plane: Plane, points: Array, u: Array, same: bool) -> None:
    """The normal and the margin of a straight border w·x + b = 0, in the plane's own units."""
    centre = points.mean(axis=0)
    design = np.column_stack([points - centre, np.ones(len(points))])
    (*w, b), *_ = np.linalg.lstsq(design, u, rcond=None)
    length = float(np.hypot(*w))
    if not length or np.abs(design @ [*w, b] - u).max() > LINEAR * np.ptp(u):
        return
    own = plane.scores(plane.x) * np.where(plane.y == 1, 1.0, -1.0)
    if own.min() > 0.0:
        places = [points[: plane.grid, 0], points[:: plane.grid, 1], u.reshape(plane.grid, plane.grid)]
        margin = float(own.min())
        style: dict[str, Any] = {"colors": [INK], "linewidths": 1.0, "linestyles": [(0, (5, 3))]}
        axes.contour(*places, levels=[-margin, margin], **style)
        text = f"margin {margin / length:.3g}" if same else "dashed: the nearest rows"
        axes.text(
            0.985, 0.015, text, transform=axes.transAxes, ha="right", va="bottom", color=INK, zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2.0},
        )  # fmt: skip
    normal = np.array(w) / length
    foot = centre - normal * b / length
    tip = foot + normal * 0.14 * (points[:, 0].max() - points[:, 0].min())
    if same and (foot > points.min(axis=0)).all() and (foot < points.max(axis=0)).all():
        arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.8, "shrinkA": 0.0, "shrinkB": 0.0}
        axes.annotate("", tip, foot, arrowprops=arrow, zorder=6)
        axes.annotate("w", tip, (5, 5), textcoords="offset points", color=INK, fontweight="bold", zorder=6)


def _rows(axes: Axes, plane: Plane, wrong: Array, what: str) -> None:
    """The rows as points, those that are wrong with a ring, called so in the legend."""
    shown = np.arange(len(plane.y))
    if shown.size > MOST_POINTS:
        shown = np.sort(np.random.default_rng(0).permutation(shown)[:MOST_POINTS])
    size = 38.0 if shown.size <= ROOMY else 16.0
    for k, label in enumerate(plane.classes):
        x, color = plane.x[shown[plane.y[shown] == k]], FILLS[k % len(FILLS)]
        style: dict[str, Any] = {"marker": MARKERS[(k + k // len(FILLS)) % len(MARKERS)], "linewidths": size / 54.0}
        name = readable(label, 20)
        axes.scatter(x[:, 0], x[:, 1], s=size, color=color, edgecolors="white", label=name, zorder=3, **style)
    x = plane.x[shown[wrong[shown]]]
    if len(x):
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.9 if size > 20.0 else 0.6}
        axes.scatter(x[:, 0], x[:, 1], s=2.4 * size, marker="o", label=what, zorder=4, **ring)
    title = "" if shown.size == len(plane.y) else f"{shown.size:,} of the rows:"
    words = {"title": title or None, "ncols": columns(plane.classes), "borderaxespad": 0.0, "alignment": "left"}
    for handle in beside(axes, **words).legend_handles:
        handle.set_sizes([38.0])


def columns(classes: Sequence[Any]) -> int:
    """Of the legend."""
    return 1 if len(classes) <= TALL else 2
