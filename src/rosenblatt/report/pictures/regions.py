"""Which class answers where: areas, the line between them, its normal and its margin. Of rows of more than two numbers
as much as two directions show."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from scipy.ndimage import distance_transform_edt

from ...core.rows import Array
from ...learn.converged import mistaken
from .canvas import FILLS, INK, beside, finish, paper, plain
from .directions import Directions
from .labels import readable
from .lettering import Lettering
from .points import Points, draw_points, limits, points, radii_of

TALL = 18
"""Names in a column of the legend."""
GRID = 300
"""Places a side at which the model is asked; contours are drawn between them, so lines stay straight."""
COARSE = 120
"""The same of a model that is asked in all columns."""
VALUES = 1 << 22
"""Of the points that it is asked about at once."""
WIDEST = 2000
"""Columns up to which such a model is asked."""
FRAME = 260.0
"""Square points of the frame of a nearest row."""
INCHES = 3.9
"""Of a side of the axes."""
LINEAR = 1e-6
"""Scores this close to a plane, relative to their range, are those of a line."""


class Plane(NamedTuple):
    """Labelled rows as places in a plane, and a model's answers.

    x: (n, 2). y: (n,) class numbers. scores: (m, 2) places → (m,) or (m, K) as `Model.decision`. classes: the K labels.
    names: of the two axes. grid: places a side at which the model is asked. own: the rows' own scores, where those at
    their places may be others. columns: of the rows, 2 where all is seen.
    """

    x: Array
    y: Array
    scores: Callable[[Array], Array]
    classes: Sequence[Any]
    names: Sequence[str]
    grid: int = GRID
    own: Array | None = None
    columns: int = 2

    @property
    def level(self) -> Array:
        """The scores of the rows."""
        return self.scores(self.x) if self.own is None else self.own


class Scores(NamedTuple):
    """What a model answers. own: the scores of the rows, (n,) or (n, K). weights: (w, b), (K, d) and (K,), K = 1 for
    two classes; scores: what it makes of w·x + b. Without weights, scores: of points (m, d)."""

    own: Array
    weights: tuple[Array, Array] | None
    scores: Callable[[Array], Array]


def plane_in(seen: Directions, x: Any, y: Array, answers: Scores, classes: Sequence[Any]) -> Plane:
    """Rows x (n, d), dense or sparse, of class numbers y, as `seen` shows them, and what a model answers."""
    places = seen.places(x)
    if x.shape[1] == 1:  # the classes one above the other
        places[:, 1] = (y - (len(classes) - 1) / 2.0) * 0.3 * (np.ptp(places[:, 0]) or 1.0)
    grid = GRID if answers.weights is not None else COARSE

    def scores(at: Array) -> Array:
        if answers.weights is not None:
            w, b = seen.cut(*answers.weights)
            found = at @ w.T + b
            return answers.scores(found[:, 0] if found.shape[1] == 1 else found)
        parts = np.array_split(at, -(-at.size * x.shape[1] // VALUES))
        return np.concatenate([answers.scores(seen.points(part)) for part in parts])

    return Plane(places, y, scores, classes, seen.names, grid, answers.own, x.shape[1])


def figure_of_regions(plane: Plane, title: str | Sequence[str], width: float = 5.2) -> Figure:
    """A picture of its own; width: in inches, without the legend."""
    figure = paper(width + 2.0 * columns(plane.classes), 5.9, title)
    draw_regions(figure.add_subplot(), plane)
    return finish(figure)


def draw_regions(axes: Axes, plane: Plane) -> None:
    """Draw areas, borders and rows; those answered wrongly, or on the border, have a ring. With two classes and a
    straight border also its normal w, and the margin where no row is wrong."""
    x, y = limits(plane.x)
    same = np.isclose(x[1] - x[0], y[1] - y[0])
    level = plane.level
    wrong = _answers(level) != plane.y
    signs = 2.0 * plane.y - 1.0 if level.ndim == 1 else plane.y
    title = f"answers by place: {np.count_nonzero(wrong):,} of {len(plane.y):,} rows wrong"
    border = mistaken(level, signs) & ~wrong
    title += f",\n{np.count_nonzero(border):,} more on the border (training errors, too)" if border.any() else ""
    title += f",\nof {plane.columns:,} columns in two directions" if plane.columns > 2 else ""
    plain(axes, title, *(readable(name, 52) if name or plane.columns > 1 else "" for name in plane.names))
    axes.grid(False)
    axes.set(xlim=x, ylim=y, box_aspect=1)
    if plane.columns == 1:
        axes.set(yticks=[])
    across, up = np.meshgrid(np.linspace(*x, plane.grid), np.linspace(*y, plane.grid))
    places = np.column_stack([across.ravel(), up.ravel()])
    scores = plane.scores(places)
    shown = points(plane.x, plane.y, wrong | border)
    words = Lettering(axes, INCHES, shown.x, radii_of(shown))
    nearest = np.zeros(0, int)
    if scores.ndim == 1:
        nearest = _line(axes, plane, places, scores, bool(same), words)
        scores = np.column_stack([-scores, scores])
    draw_areas(axes, across, up, scores, classes=plane.classes)
    draw_points(axes, shown, plane.classes, "wrong, or\non the border" if border.any() else "wrong")
    if nearest.size:
        style: dict[str, Any] = {"marker": "s", "facecolors": "none", "edgecolors": INK, "linewidths": 1.4}
        axes.scatter(plane.x[nearest, 0], plane.x[nearest, 1], s=FRAME, label="nearest rows", zorder=4, **style)
    draw_names(axes, shown, plane.classes)


def draw_areas(
    axes: Axes, across: Array, up: Array, scores: Array, line: float = 1.6, classes: Sequence[Any] = ()
) -> None:
    """Where the score of each class, (m, K) of a grid, is the best one, and borders of this width between. Of more
    classes than colours an area has its name, if it has room for it."""
    words = Lettering(axes, INCHES, np.empty((0, 2)))
    for k in reversed(range(scores.shape[1])):  # where scores are level the first class answers: it is drawn last
        lead = (scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)).reshape(across.shape)
        if (lead >= 0.0).any():
            if len(classes) > len(FILLS):
                depth = distance_transform_edt(np.pad(lead >= 0.0, 1))[1:-1, 1:-1]
                middle = across.flat[depth.argmax()], up.flat[depth.argmax()]
                words.beside(readable(classes[k], 14), middle, must=False)
            red, green, blue = to_rgb(FILLS[k % len(FILLS)])
            pale = to_hex((0.7 + 0.3 * red, 0.7 + 0.3 * green, 0.7 + 0.3 * blue))
            if (lead >= 0.0).all():
                axes.set_facecolor(pale)
                continue
            axes.contourf(across, up, lead, levels=[0.0, np.inf], colors=[pale], zorder=0.5)
            if line:
                axes.contour(across, up, lead, levels=[0.0], colors=[INK], linewidths=line, zorder=1.5)


def _answers(level: Array) -> Array:
    """(n,) class numbers of scores: with two classes 1 above 0, else the best one."""
    return (level > 0.0).astype(int) if level.ndim == 1 else level.argmax(axis=1)


def _line(axes: Axes, plane: Plane, places: Array, u: Array, same: bool, words: Lettering) -> Array:
    """Draw the normal and the margin of a straight border w·x + b = 0; the rows that are nearest to it, where none is
    wrong."""
    nearest, centre = np.zeros(0, int), places.mean(axis=0)
    design = np.column_stack([places - centre, np.ones(len(places))])
    (*w, b), *_ = np.linalg.lstsq(design, u, rcond=None)
    length = float(np.hypot(*w))
    if not length or np.abs(design @ [*w, b] - u).max() > LINEAR * np.ptp(u):
        return nearest
    normal, at = np.array(w) / length, b / length - float(centre @ w) / length
    own = plane.level * np.where(plane.y == 1, 1.0, -1.0)
    margin = float(own.min())
    if margin > 0.0:
        nearest = np.flatnonzero(own <= margin * (1.0 + LINEAR))
        words.avoid(plane.x[nearest], FRAME**0.5 / 2.0)
    foot = centre - normal * b / length
    tip = foot + normal * 0.14 * (places[:, 0].max() - places[:, 0].min())
    if same and (foot > places.min(axis=0)).all() and (foot < places.max(axis=0)).all():
        arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.8, "shrinkA": 0.0, "shrinkB": 0.0}
        axes.annotate("", tip, foot, arrowprops=arrow, zorder=6)
        words.avoid(foot + np.linspace(0.0, 1.0, 9)[:, None] * (tip - foot))
        words.beside("w", tip, normal, size=11.0, fontweight="bold")
    for side in (0.0, 1.0, -1.0) if margin > 0.0 else (0.0,):
        words.avoid_line(normal, at - side * margin / length)
    words.along("u = 0", normal, at)
    if margin > 0.0:
        grid = [places[: plane.grid, 0], places[:: plane.grid, 1], u.reshape(plane.grid, plane.grid)]
        style: dict[str, Any] = {"colors": [INK], "linewidths": 1.0, "linestyles": [(0, (5, 3))]}
        axes.contour(*grid, levels=[-margin, margin], **style)
        for side in (1.0, -1.0) if same else ():
            words.along(f"margin {margin / length:.3g}", normal, at - side * margin / length, must=False)
    return nearest


def draw_names(axes: Axes, shown: Points, classes: Sequence[Any], **more: Any) -> Any:
    """The legend beside the axes."""
    everything = int(shown.rows.sum()) if not shown.left_out else 0
    title = "" if everything else f"{len(shown.x):,} of {len(shown.x) + shown.left_out:,} places:"
    spacing = {"labelspacing": 1.0, "handletextpad": 1.2} if shown.rows.max() > 1 else {}
    words = {"title": title or None, "ncols": columns(classes), "borderaxespad": 0.0, "alignment": "left", **spacing}
    legend = beside(axes, **{**words, **more})
    for number, handle in enumerate(legend.legend_handles):
        if number < len(classes):
            handle.set(sizes=[38.0], alpha=1.0)
        elif hasattr(handle, "set_sizes") and not handle.get_facecolor().size:  # a ring
            handle.set_sizes(np.minimum(handle.get_sizes()[:1], 110.0))
    return legend


def columns(classes: Sequence[Any]) -> int:
    """Of the legend."""
    return 1 if len(classes) <= TALL else 2
