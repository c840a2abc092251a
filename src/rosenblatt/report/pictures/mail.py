"""The picture of a judge on a stream: what its mistakes come to after so many mails."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from ...core.rows import Array
from ...mail.evaluation import Evaluation
from ...mail.measures import Judged, one_minus_roca
from .canvas import above, finish, look, paper, percent, plain, say
from .lines import NARROW, number_of

POINTS = 60
LEAST = 20
"""Mails before the first point."""
SHARES = ("real mail lost, p > .5", "spam through, p > .5", "real mail lost, threshold", "spam through, threshold")


def along(made: Evaluation) -> tuple[Array, Array]:
    """(k,) mails so far, and (k, 5) of those, the mean over the runs: 1 − ROCA, then lost and through at each line."""
    n = len(made.spam)
    at = np.unique(np.geomspace(min(LEAST, n), n, POINTS).astype(int))
    runs = [
        np.array([_until(run.scores[:k], run.called[:k], made.spam[run.order[:k]]) for k in at]) for run in made.runs
    ]
    return at, np.mean(runs, axis=0)


def _until(scores: Array, called: Array, spam: Array) -> list[float]:
    judged = Judged(scores[~spam], scores[spam], called[~spam], ~called[spam])
    pairs = zip(judged.ham_lost.T, judged.spam_through.T, strict=True)
    shares = [float(wrong.mean()) if len(wrong) else np.nan for pair in pairs for wrong in pair]
    return [one_minus_roca(judged.ham, judged.spam), *shares]


def figure_of_stream(made: Evaluation, title: str | Sequence[str]) -> Figure:
    """Above 1 − ROCA of the mails so far, below the real mail lost and the spam through, both on logarithmic axes; of
    several runs the means."""
    at, values = along(made)
    figure = paper(9.0, 7.0, title)
    is_defined = bool(np.isfinite(values[:, 0]).any())
    top, bottom = figure.subplots(2, 1, sharex=is_defined)
    plain(bottom, x="mails", y="share of the mails so far")
    _draw(bottom, at, values[:, 1:], SHARES, 1)
    if at[-1] < NARROW * at[0]:  # of a logarithmic axis the labels would be halves
        bottom.set_xlim(at[0] - 1, at[-1] + 1)
        bottom.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    else:
        bottom.set_xscale("log")
        _marks(bottom.xaxis, number_of)
    if is_defined:
        plain(top, y="1 − ROCA of the mails so far")
        _draw(top, at, values[:, :1], ("1 − ROCA",), 0)
    else:
        say(top, "1 − ROCA is not defined without both ham and spam")
    return finish(figure)


def _draw(axes: Axes, at: Array, lines: Array, names: Sequence[str], first: int) -> None:
    """A line of each column. What is 0 has no place on a logarithmic axis: of a line that always is, its name says so.
    first: the number of its look."""
    some = np.where(lines > 0.0, lines, np.nan)
    for number, name in enumerate(names):
        none = "" if np.isfinite(some[:, number]).any() else ": none"
        style = {**look(number + first), "markersize": 3.5}
        axes.plot(at, some[:, number], label=f"{name}{none}", linewidth=1.7, **style)
    if np.isfinite(some).any():
        axes.set_yscale("log")
        axes.set_ylim(top=min(1.2, 1.5 * np.nanmax(some)))
        _marks(axes.yaxis, FuncFormatter(percent))
    else:
        axes.set_ylim(0.0, 1.0)
        axes.yaxis.set_major_formatter(FuncFormatter(percent))
    above(axes, 2, handlelength=3.0)


def _marks(axis: Axis, formatter: FuncFormatter) -> None:
    """Labels at 1, 2 and 5: of powers of ten alone there may be one, or none."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(formatter)
    axis.set_minor_formatter("")
