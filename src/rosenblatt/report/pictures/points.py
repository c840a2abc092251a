"""Rows as points: equal ones together, thousands of them, those that are wrong with a ring; and how much of the plane
is shown."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from ...core.rows import Array
from .canvas import FILLS, INK, MARKERS
from .labels import readable

MOST_POINTS = 2000
"""Points drawn; more hide each other, and an SVG of 2,000 points has 0.5 MB."""
SIZES = ((60, 80.0, 1.0), (400, 38.0, 0.95), (1000, 18.0, 0.7), (MOST_POINTS, 13.0, 0.55))
"""Up to so many points, the area of one in square points, and how opaque it is."""
LARGEST = 9.0
"""Times the area of one row's point that the most equal rows have."""
SAME_SCALE = 4.0
"""Ranges that differ by less than this share one scale, so that a right angle is one and distances can be seen."""
ROOM = 0.62
"""Of a range to each side of its middle: no point is on the frame."""


class Points(NamedTuple):
    """x: (m, 2). y: (m,) class numbers. rows: (m,) equal ones. wrong: (m,) bool. left_out: places not drawn."""

    x: Array
    y: Array
    rows: Array
    wrong: Array
    left_out: int


def points(x: Array, y: Array, wrong: Array) -> Points:
    """Rows x (n, 2) of the classes y (n,), those of one place, class and answer together; of more than 2,000 places
    some."""
    places, count = np.unique(np.column_stack([x, y, wrong]), axis=0, return_counts=True)
    shown = np.arange(len(places))
    if shown.size > MOST_POINTS:
        shown = np.sort(np.random.default_rng(0).permutation(shown)[:MOST_POINTS])
    places = places[shown]
    left_out = len(count) - shown.size
    return Points(places[:, :2], places[:, 2].astype(int), count[shown], places[:, 3] > 0.0, left_out)


def _size(shown: Points) -> tuple[float, float]:
    """(area of one row, how opaque it is)."""
    return next((each for each in SIZES if len(shown.x) <= each[0]), SIZES[-1])[1:]


def areas_of(shown: Points) -> Array:
    """(m,) in square points, larger where several rows are equal."""
    share = min(1.0, (LARGEST - 1.0) / max(int(shown.rows.max(initial=1)) - 1.0, 1.0))
    return np.asarray(_size(shown)[0] * (1.0 + (shown.rows - 1.0) * share))


def _ring(areas: Array) -> Array:
    """Of rings that are as far from each point."""
    return np.asarray(areas + 12.0 * np.sqrt(areas))


def radii_of(shown: Points) -> Array:
    """(m,) of points, with their rings."""
    areas = areas_of(shown)
    return np.asarray(np.sqrt(np.where(shown.wrong, _ring(areas), areas)) / 2.0)


def draw_points(axes: Axes, shown: Points, classes: Sequence[Any], wrong: str = "wrong") -> None:
    """Each class in its own colour and shape, larger where several rows are equal, with a ring where they are wrong."""
    size, alpha = _size(shown)
    most, areas = int(shown.rows.max(initial=1)), areas_of(shown)
    for k, label in enumerate(classes):
        own = shown.y == k
        style = {**shape(k), "edgecolors": "white", "linewidths": 0.7 if size > 20.0 else 0.3, "alpha": alpha}
        axes.scatter(shown.x[own, 0], shown.x[own, 1], s=areas[own], label=readable(label, 20), zorder=3, **style)
    if shown.wrong.any():
        ring: dict[str, Any] = {
            "facecolors": "none",
            "edgecolors": INK,
            "linewidths": 1.1 if size > 20.0 else 0.6,
            "alpha": alpha,
        }
        at = _ring(areas[shown.wrong])
        axes.scatter(shown.x[shown.wrong, 0], shown.x[shown.wrong, 1], s=at, marker="o", label=wrong, zorder=4, **ring)
    for count, area in ((1, size), (most, float(areas.max(initial=size)))) if most > 1 else ():
        label = f"{count:,} equal rows" if count > 1 else "1 row"
        axes.scatter([], [], s=area, color="#9a9a9a", edgecolors="white", label=label)


def shape(k: int) -> dict[str, Any]:
    """Colour and marker of a class."""
    return {"color": FILLS[k % len(FILLS)], "marker": MARKERS[(k + k // len(FILLS)) % len(MARKERS)]}


def limits(x: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ranges of both columns with some room, of the same length where they are alike."""
    low, high = x.min(axis=0), x.max(axis=0)
    length = high - low
    length[length == 0.0] = length.max() or 1.0
    middle = (low + high) / 2.0
    if length.max() <= SAME_SCALE * length.min():
        length[:] = length.max()
    half = ROOM * length
    (left, down), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return (left, right), (down, top)
