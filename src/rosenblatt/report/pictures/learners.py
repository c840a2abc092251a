"""The picture of a comparison: a line a learner, its error and how far it is behind the best."""

from collections.abc import Sequence
from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullFormatter

from ...compare.result import Comparison, Row
from .canvas import FILLS, INK, finish, lines_of, look, paper, percent, plain
from .labels import readable

LONGEST = 44
"""Letters of a name."""
LEVEL, WORSE = FILLS[0], FILLS[6]
"""Blue and grey; filled and hollow points say the same without colour."""


def figure_of_learners(comparison: Comparison, title: str | Sequence[str]) -> Figure:
    """Left each learner's error (or score) with its deviation, right its difference to the best with its interval.

    A dashed line: what always saying the most frequent class comes to. Small marks: the same learners where more of the
    training rows have a wrong label.
    """
    rows, scoring = comparison.rows, comparison.scoring
    figure = paper(11.0, 1.9 + 0.21 * len(rows), [*lines_of(title), *wrong(comparison)])
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    what = "wrong answers" if scoring is None else readable(scoring)
    baseline = comparison.baseline[scoring is not None]
    plain(left, x=f"{what}, ± deviation")
    plain(right, x="behind the best, 95 % interval")
    for place, row in enumerate(rows):
        style = {"color": LEVEL if row.level else WORSE, "elinewidth": 1.4, "capsize": 2.0, "markersize": 5.0}
        style |= {"fmt": "D" if row is comparison.pick else "o"}
        style |= {"markerfacecolor": style["color"] if row.level else "white"}
        value, deviation = row.measured
        left.errorbar([value], [place], xerr=[[deviation], [deviation]], **style)
        middle, low, high, _ = row.behind or (0.0, 0.0, 0.0, 1.0)
        right.errorbar([middle], [place], xerr=[[max(middle - low, 0.0)], [max(high - middle, 0.0)]], **style)
    right.axvline(0.0, color=INK, linewidth=0.9)
    if baseline is not None:
        left.axvline(baseline, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    noisy = _noisy(left, comparison)
    left.set_yticks(range(len(rows)), [readable(row.contender.name, LONGEST) for row in rows], fontsize=9)
    left.get_yticklabels()[rows.index(comparison.pick)].set_fontweight("bold")
    left.set_ylim(len(rows) - 0.4, -0.6)
    right.tick_params(left=False)
    _scales(
        left, right, [*rows, *(row for there in comparison.noise.values() for row in there.values())], scoring is None
    )
    _legend(figure, baseline is not None, noisy)
    return finish(figure)


def wrong(comparison: Comparison) -> list[str]:
    """What a picture says of the labels, where all it shows is learned from wrong ones."""
    return [
        f"{percent(share)} of the training rows have a wrong label" for share in list(comparison.noise)[:1] if share
    ]


def _noisy(axes: Axes, comparison: Comparison) -> list[Line2D]:
    """Marks at the other shares of wrong labels; what the legend says of them."""
    marks = []
    for number, share in enumerate(list(comparison.noise)[1:], 1):
        there, style = comparison.noise[share], {**look(number), "linestyle": "none", "markersize": 4.0}
        at = [(there[row.contender].measured[0], y) for y, row in enumerate(comparison.rows) if row.contender in there]
        axes.plot([x for x, _ in at], [y for _, y in at], **style)
        marks.append(Line2D([], [], label=f"with {percent(share)} wrong labels", **style))
    return marks


def _scales(left: Axes, right: Axes, rows: Sequence[Row], errors: bool) -> None:
    """Errors that differ much stand on a logarithmic axis, and so do differences beyond those near the best."""
    values = [row.measured[0] for row in rows]
    if errors and min(values) > 0.0 and max(values) > 4.0 * min(values):
        left.set_xscale("log")
        left.set_xlim(0.8 * min(values), min(1.0, 1.25 * max(sum(row.measured) for row in rows)))
        left.set_xticks([t for t in _ROUND if 0.8 * min(values) <= t <= 1.25 * max(values)])
        left.xaxis.set_minor_formatter(NullFormatter())
    else:
        left.xaxis.set_major_locator(MaxNLocator(6))
    behind = [row.behind for row in rows if row.behind is not None]
    near = median([max(-each.low, each.high) for each in behind if each.includes_zero] or [0.0])
    far = max((each.high for each in behind), default=0.0)
    if 0.0 < near < far / 4.0:
        right.set_xscale("symlog", linthresh=near)
        right.set_xticks([0.0, *(t for t in _SPARSE if near / 1.5 <= t <= far)])
        right.xaxis.set_minor_formatter(NullFormatter())
    else:
        right.xaxis.set_major_locator(MaxNLocator(5))
    for axes in (left, right):
        axes.xaxis.set_major_formatter(percent if errors else "{x:g}")


_SPARSE = [10.0**power for power in (-4, -3, -2, -1)]
_ROUND = [digit * 10.0**power for power in (-4, -3, -2, -1) for digit in (1, 2, 3, 5, 7)]


def _legend(figure: Figure, baseline: bool, more: Sequence[Line2D]) -> None:
    def point(marker: str, color: str, fill: str, label: str) -> Line2D:
        return Line2D([], [], linestyle="none", marker=marker, color=color, markerfacecolor=fill, label=label)

    entries = [
        point("D", LEVEL, LEVEL, "the pick"),
        point("o", LEVEL, LEVEL, "not told apart from the best"),
        point("o", WORSE, "white", "worse than the best"),
    ]
    if baseline:
        entries.append(Line2D([], [], color=INK, linestyle=(0, (4, 3)), label="always the most frequent class"))
    figure.legend(
        handles=[*entries, *more], loc="outside lower left", ncols=4, frameon=False, labelcolor=INK, fontsize=9
    )
