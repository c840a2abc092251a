"""The paper that pictures are drawn on: size, colours, fonts, axes, legends, and writing it as a file. No global state
of matplotlib is touched, but for the salt of an SVG while it is written."""

import io
import os
import textwrap
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from ...errors import DataError, SettingError
from ...write.files import whole_file
from .labels import families, readable

SUFFIXES = (".png", ".svg", ".pdf")
INK = "#222222"
FAINT = "#dddddd"
PALETTE = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7", "#7A7A7A")
"""Okabe & Ito 2008, told apart by colour-blind readers; their yellow, too pale for a line on white, is grey here."""
FILLS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7A7A7A", "#000000")
"""The same for areas and points: blue and orange first, which differ in brightness as well."""
MARKERS = "os^DvPX*"
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Colours and markers repeat after 8 lines, dashes after 4 and then shifted: 32 lines differ even without colour."""
LETTERS = 10.5
"""Of a title to an inch."""
PASSES = 3
"""Of the layout."""
_LOCK = threading.Lock()


class Picture(Figure):
    """A figure, to be changed like any other; in a notebook the last value of a cell appears as a picture."""

    def _repr_png_(self) -> bytes:
        return rendered(self, "png")


def look(number: int) -> dict[str, Any]:
    """Colour, marker and dashes of line 0, 1, 2, …"""
    shape = len(PALETTE)
    return {
        "color": PALETTE[number % shape],
        "marker": MARKERS[number % shape],
        "linestyle": DASHES[(number + number // shape) % len(DASHES)],
    }


def lines_of(title: str | Sequence[str]) -> list[str]:
    """A title as its lines, none of an empty one."""
    if isinstance(title, str) or not np.iterable(title):
        return [str(title)] if title else []
    return list(map(str, title))


def paper(width: float, height: float, title: str | Sequence[str] = "") -> Figure:
    """An empty white sheet of width × height inches at 100 dots an inch; the lines of its title at the top left."""
    figure = Picture(figsize=(width, height), dpi=100, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    if title:
        letters = int(width * LETTERS)
        parts = [part for line in lines_of(title) for part in textwrap.wrap(readable(line, 3 * letters), letters)]
        figure.suptitle("\n".join(parts), x=0.01, ha="left", color=INK, fontsize=13)
    return figure


def plain(axes: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Axes as in all pictures: dark words, a faint grid behind, no box."""
    axes.set_facecolor("white")
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.tick_params(colors=INK)
    axes.spines[:].set_color(INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)


def legend(axes: Axes, *entries: Any, **words: Any) -> Any:
    """The legend of axes, without a box; by default where there is room."""
    return axes.legend(*entries, **{"loc": "best", "frameon": False, "labelcolor": INK, **words})


def beside(axes: Axes, **words: Any) -> Any:
    """The legend to the right of axes."""
    return legend(axes, loc="upper left", bbox_to_anchor=(1.01, 1.0), **words)


def above(axes: Axes, columns: int, **words: Any) -> Any:
    """The legend on top of axes, in so many columns."""
    return legend(axes, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2, **words)


def percent(share: float, _: Any = None) -> str:
    """Of an axis: `0.5%`."""
    return f"{round(100 * share, 6):g}%"


def say(axes: Axes, text: str) -> None:
    """Words where there is nothing to draw."""
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    words = "\n".join(textwrap.wrap(text, 34))
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=INK)


def finish(figure: Figure) -> Figure:
    """Gives each text the fonts that its letters need, and everything its place."""
    with_fonts(figure)
    # Square axes move their neighbours, so that one pass leaves words on top of each other or cut off; three do not.
    for _ in range(PASSES):
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def with_fonts(figure: Figure) -> Figure:
    """Gives each text the fonts that its letters need."""
    for text in figure.findobj(Text):
        text.set_fontfamily(families(text.get_text()))
        text.set_usetex(False)
    return figure


def check_suffix(path: str | os.PathLike[str]) -> str:
    """png, svg or pdf. SettingError for any other name."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise SettingError(f"{os.fspath(path)}: a picture's name ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    return suffix[1:]


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a picture, whole or not at all; the suffix chooses the format (.png, .svg, .pdf).

    The same picture is the same bytes. SettingError for another suffix, DataError where the file cannot be written.
    """
    content = rendered(figure, check_suffix(path))
    try:
        with whole_file(path) as file:
            file.write(content)
    except OSError as error:
        raise DataError(f"{os.fspath(path)}: the picture cannot be written: {error.strerror or error}") from None


def rendered(figure: Figure, kind: str) -> bytes:
    """A picture as the bytes of a png, svg or pdf file, without the date and the program's version."""
    out = io.BytesIO()
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    # The salt of the names inside an SVG can be given only here; without it they are random.
    with _LOCK:
        before = matplotlib.rcParams["svg.hashsalt"]
        matplotlib.rcParams["svg.hashsalt"] = "rosenblatt"
        try:
            figure.savefig(out, format=kind, dpi=100, metadata=metadata)
        finally:
            matplotlib.rcParams["svg.hashsalt"] = before
    return out.getvalue()
