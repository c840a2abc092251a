"""The picture of a judge on a stream: what its mistakes come to after so many mails."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from ...core.rows import Array
from ...mail.evaluation import Evaluation
from ...mail.measures import Judged, one_minus_roca
from .canvas import above, finish, look, paper, percent, plain
from .lines import number_of

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
    """Above 1 − ROCA of the mails so far, below the real mail lost and the spam through, both on logarithmic axes."""
    at, values = along(made)
    figure = paper(9.0, 7.0, title)
    top, bottom = figure.subplots(2, 1, sharex=True)
    plain(top, y="1 − ROCA of the mails so far")
    plain(bottom, x="mails", y="share of the mails so far")
    for axes, names, first in ((top, ("1 − ROCA",), 0), (bottom, SHARES, 1)):
        lines = values[:, first : first + len(names)]
        for number, name in enumerate(names):
            seen = np.where(lines[:, number] > 0.0, lines[:, number], np.nan)
            axes.plot(at, seen, label=name, linewidth=1.7, **{**look(number + first), "markersize": 3.5})
        if (lines > 0.0).any():
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(percent))
            axes.yaxis.set_minor_formatter("")
        above(axes, 2, handlelength=3.0)
    bottom.set_xscale("log")
    bottom.xaxis.set_major_formatter(number_of)
    return finish(figure)
