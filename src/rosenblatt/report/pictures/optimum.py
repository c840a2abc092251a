"""The picture of the fewest errors: rows of two columns, the line, and rings around what it gets wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .canvas import finish, paper
from .regions import Plane, columns, draw_regions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_of_optimum(plane: Plane, title: str | Sequence[str]) -> Figure:
    """plane: the rows, and the scores w·x + b of the best line."""
    figure = paper(5.2 + 2.0 * columns(plane.classes), 5.9, title)
    draw_regions(figure.subplots(), plane)
    return finish(figure)
