"""Words inside a picture, beside what they name: where they cover the least."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from ...core.rows import Array
from .canvas import INK

HALO: list[Any] = [withStroke(linewidth=3.0, foreground="white")]
"""Keeps words legible on areas, lines and points."""
WIDE, HIGH = 0.62, 1.25
"""Of the size of the letters: of a letter, and of a line of them."""
AWAY = 9.0
"""Points between a place and its words."""

NEAR, GAP = 3.0, 2.0
"""The radius of what has none said, in points of the sheet; and what stays free around it."""
STEPS = (0.06, 0.12, 0.18, 0.24, 0.3, 0.36, 0.4)
"""Shares of a line on both sides of its middle, where words may stand."""
CROWDED = 30.0
"""Beyond this words that can be left out are."""


class Lettering:
    """The words of axes that are about `inches` wide and high. points: (n, 2), not to be covered. radii: of
    them, (n,) or a number, in points of the sheet."""

    def __init__(self, axes: Axes, inches: float, points: Array, radii: Any = NEAR) -> None:
        self.axes = axes
        (left, right), (down, top) = axes.get_xlim(), axes.get_ylim()
        self.low, self.unit = np.array([left, down]), 72.0 * inches / np.array([right - left, top - down])
        self.size = 72.0 * inches
        self.points, self.near = self._at(points), np.full(len(points), radii + GAP)
        self.boxes: list[Array] = []

    def avoid(self, places: Array, near: float = NEAR) -> None:
        """Places (m, 2) that are not to be covered either, as of an arrow. near: its radius."""
        self.points = np.vstack([self.points, self._at(places)])
        self.near = np.append(self.near, np.full(len(places), near + GAP))

    def avoid_line(self, w: Array, b: float) -> None:
        """The line w·x + b = 0 is not to be covered; words along it keep away from it anyway."""
        ends = self.ends(np.asarray(w, float), float(b))
        if ends is not None:
            self.avoid(ends[0] + np.linspace(0.0, 1.0, 40)[:, None] * (ends[1] - ends[0]))

    def _at(self, place: Any) -> Array:
        """In points of the sheet, 72 an inch, from the corner of the axes."""
        return (np.asarray(place, float) - self.low) * self.unit

    def beside(self, text: str, place: Any, away: Any = (1.0, 1.0), **words: Any) -> None:
        """Words near a place, in this direction from it if they have room there."""
        first = float(np.degrees(np.arctan2(*reversed(np.asarray(away, float) * self.unit))))
        turns = [first + turn for turn in (0, 45, -45, 90, -90, 135, -135, 180)]
        self._put(text, [(place, turn, 0.0) for turn in turns], **words)

    def along(self, text: str, w: Array, b: float, must: bool = True, **words: Any) -> None:
        """Words along the line w·x + b = 0, where it is inside the axes. must: also where they have no room."""
        ends = self.ends(np.asarray(w, float), float(b))
        if ends is None:
            return
        flat = self._at(ends[1]) - self._at(ends[0])
        angle = float(np.degrees(np.arctan2(flat[1], flat[0])))
        angle = (angle + 90.0) % 180.0 - 90.0
        angle += 180.0 if angle <= -89.9 else 0.0
        shares = [0.5, *(0.5 + side * step for step in STEPS for side in (-1.0, 1.0))]
        self._put(text, [(ends[0] + share * (ends[1] - ends[0]), angle + side, angle) for share in shares
                         for side in (90.0, -90.0)], must=must, **words)  # fmt: skip

    def ends(self, w: Array, b: float) -> Array | None:
        """(2, 2) where a line enters and leaves the axes."""
        (left, right), (down, top) = self.axes.get_xlim(), self.axes.get_ylim()
        with np.errstate(all="ignore"):
            found = [(x, -(b + w[0] * x) / w[1]) for x in (left, right)]
            found += [(-(b + w[1] * y) / w[0], y) for y in (down, top)]
        room = 1e-9 * max(right - left, top - down)
        inside = [
            p for p in found if left - room <= p[0] <= right + room and down - room <= p[1] <= top + room
        ]  # NaN is not
        if len(inside) < 2:
            return None
        ends = np.array(sorted(inside))
        return np.array([ends[0], ends[-1]])

    def _put(self, text: str, candidates: list[tuple[Any, float, float]], size: float = 9.5, must: bool = True,
             **words: Any) -> None:  # fmt: skip
        """The best of (place, direction in degrees, rotation in degrees)."""
        wide, high = WIDE * size * len(text.replace("\\$", "$")), HIGH * size
        best: tuple[float, Any] = (np.inf, None)
        for number, (place, turn, rotation) in enumerate(candidates):
            tilt, cos, sin = np.radians(rotation), np.cos(np.radians(turn)), np.sin(np.radians(turn))
            half = np.array([abs(wide * np.cos(tilt)) + abs(high * np.sin(tilt)),
                             abs(wide * np.sin(tilt)) + abs(high * np.cos(tilt))]) / 2.0  # fmt: skip
            reach = AWAY + (high / 2.0 if rotation or len(candidates) > 8 else abs(cos) * half[0] + abs(sin) * half[1])
            offset = reach * np.array([cos, sin])
            middle = self._at(place) + offset
            cost = 0.1 * number + 8.0 * self._under(middle, (wide, high), tilt) + self._beyond(middle, half)
            if cost < best[0]:
                best = cost, (place, offset, middle, half, rotation)
        cost, (place, offset, middle, half, rotation) = best
        if not must and cost > CROWDED:
            return
        self.boxes.append(np.array([middle - half, middle + half]))
        style = {"color": INK, "fontsize": size, "ha": "center", "va": "center", "rotation": rotation, **words}
        note = self.axes.annotate(
            text, place, tuple(offset.tolist()), textcoords="offset points", zorder=7, rotation_mode="anchor", **style
        )
        note.set_path_effects(HALO)

    def _under(self, middle: Array, size: tuple[float, float], tilt: float) -> int:
        """How many points words of this size cover, turned so."""
        turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
        reach = np.array(size) / 2.0 + self.near[:, None]
        return int((np.abs((self.points - middle) @ turn) < reach).all(axis=1).sum())

    def _beyond(self, middle: Array, half: Array) -> float:
        """How bad a box is that lies on other words, or outside the axes."""
        low, high = middle - half, middle + half
        other = sum(bool((np.minimum(high, box[1]) > np.maximum(low, box[0])).all()) for box in self.boxes)
        return 800.0 * other + 32.0 * float(np.maximum(-low, 0.0).sum() + np.maximum(high - self.size, 0.0).sum())
