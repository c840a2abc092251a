"""Pictures as files. matplotlib is loaded when the first one is drawn, and no global state of it is touched."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#222222"
PALETTE = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7", "#7A7A7A")
"""Okabe & Ito 2008, told apart by colour-blind readers; their yellow, too pale for a line on white, is grey here."""
MARKERS = "os^DvPX*"
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Colours and markers repeat after 8 lines, dashes after 4 and then shifted: 32 lines differ even without colour."""
LONG = 12
"""Epochs beyond which their axis is logarithmic: most of what is to be seen happens in the first ten."""
WRAP = 34
"""Letters of a line of the legend."""


def mistakes_per_epoch(histories: Mapping[str, Sequence[int]], path: str | os.PathLike[str], title: str) -> None:
    """Draw how many mistakes each learner made in each epoch, and write the picture.

    histories: name → mistakes in epoch 1, 2, …; learners with the same history (one path, different memories) share a
    line. path: the file; its suffix chooses the format (.png, .svg, .pdf). title: what is seen, one or two lines.
    A line ends in a ring at the epoch from which on there was no mistake. Raises DataError where there is no epoch to
    draw or the file cannot be written.
    """
    _write(figure_of_mistakes(histories, title), path)


def figure_of_mistakes(histories: Mapping[str, Sequence[int]], title: str) -> Figure:
    """The picture of `mistakes_per_epoch` before it is written, to be changed or shown elsewhere."""
    lines = _together(histories)
    if not lines:
        raise DataError("no epoch has been recorded; there is nothing to draw")
    figure, axes = _figure(title)
    for number, (label, mistakes) in enumerate(lines):
        _draw(axes, number, label, mistakes)
    _scales(axes, [mistakes for _, mistakes in lines])
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, handlelength=3.6, labelspacing=0.9)
    return figure


def _together(histories: Mapping[str, Sequence[int]]) -> list[tuple[str, list[int]]]:
    """(label, history) of each distinct, not empty history; the labels of equal ones are joined."""
    names: dict[tuple[int, ...], list[str]] = {}
    for name, history in histories.items():
        if len(history):
            names.setdefault(tuple(history), []).append(name)
    return [(_wrapped(same), list(history)) for history, same in names.items()]


def _wrapped(names: Sequence[str]) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(", ".join(names), WRAP))


def _figure(title: str) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 5.4), dpi=100, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor="white")
    axes.set_title(title, loc="left", color=INK, fontsize=12)
    axes.set_xlabel("epoch (one pass over the training data)", color=INK)
    axes.set_ylabel("mistakes in the epoch", color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    return figure, axes


def _draw(axes: Axes, number: int, label: str, mistakes: Sequence[int]) -> None:
    shown = mistakes[: _clean_from(mistakes) + 1]
    shape = len(PALETTE)
    style = {
        "color": PALETTE[number % shape],
        "marker": MARKERS[number % shape],
        "linestyle": DASHES[(number + number // shape) % len(DASHES)],
    }
    epochs = range(1, len(shown) + 1)
    axes.plot(epochs, shown, label=label, markevery=_marked(len(shown)), markersize=5.5, linewidth=1.7, **style)
    if shown[-1] == 0:
        ring = {"marker": "o", "markersize": 13, "markerfacecolor": "none", "markeredgecolor": style["color"]}
        axes.plot(epochs[-1:], [0], linestyle="none", clip_on=False, zorder=5, **ring)


def _clean_from(mistakes: Sequence[int]) -> int:
    """The place from which on there are no mistakes, or the last place."""
    last = max((place for place, count in enumerate(mistakes) if count), default=-1)
    return min(last + 1, len(mistakes) - 1)


def _marked(n: int) -> list[int]:
    """The places that get a marker: each of the first, then further and further apart, and the last."""
    places, place = list(range(min(n, LONG))), LONG * 1.25
    while place < n:
        places.append(int(place))
        place *= 1.25
    return sorted({*places, n - 1})


def _scales(axes: Axes, histories: Sequence[Sequence[int]]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    most, longest = max(map(max, histories)), max(_clean_from(history) + 1 for history in histories)
    top = max(1.0, 1.25 * most)
    if most > 20:
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.35)
        axes.set_yticks([0, *_round_numbers(top)])
        axes.set_ylim(-0.35, top)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(-0.04 * top, top)
    if longest > LONG:
        axes.set_xscale("log")
        axes.set_xticks(_round_numbers(1.25 * longest))
        axes.set_xlim(0.9, longest * 1.15)
    else:
        axes.set_xticks(range(1, longest + 1))
        axes.set_xlim(1 - 0.04 * longest, 1.05 * longest + 0.2)
    axes.minorticks_off()
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _round_numbers(top: float) -> list[int]:
    """1, 2, 5, 10, 20, 50 … up to top."""
    found = [step * 10**power for power in range(len(str(int(top)))) for step in (1, 2, 5)]
    return [number for number in found if number <= top]


def _write(figure: Figure, path: str | os.PathLike[str]) -> None:
    # Without the program's version inside, the same curves are the same bytes.
    metadata = {"Software": None} if os.fspath(path).endswith(".png") else None
    try:
        figure.savefig(path, metadata=metadata)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{os.fspath(path)}: the picture cannot be written: {reason}") from None
