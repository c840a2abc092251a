"""A matplotlib figure that notebooks show by themselves, with no pyplot loaded. This file is imported late."""

from __future__ import annotations

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure, to be changed like any other; in a notebook the last value of a cell appears as a picture."""

    def _repr_png_(self) -> bytes:
        from .canvas import rendered

        return rendered(self, "png")
