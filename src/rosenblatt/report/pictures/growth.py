"""The picture of a learning curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ..learning_curve import LearningCurve
from .canvas import above, finish, look, paper, percent, plain


def figure_of_growth(curve: LearningCurve, title: str | Sequence[str]) -> Figure:
    """Both errors by the number of training rows: the mean over the folds, and one standard deviation around it."""
    figure = paper(9.0, 5.4, title)
    axes = figure.add_subplot()
    plain(axes, x="training rows", y="wrong answers")
    lines = (("rows left out", curve.held_out, 4), ("training rows", curve.training, 5))
    for name, errors, number in lines:
        mean, deviation, style = errors.mean(axis=1), errors.std(axis=1, ddof=1), look(number)
        axes.plot(curve.rows, mean, label=f"{name}: {100 * mean[-1]:.2f}% at the end", linewidth=1.8, **style)
        low, high = np.maximum(mean - deviation, 0.0), mean + deviation
        axes.fill_between(curve.rows, low, high, color=style["color"], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_xticks(curve.rows, [f"{size:,}" for size in curve.rows])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(curve.rows[0] / 1.1, curve.rows[-1] * 1.1)
    axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_formatter(percent)
    about = f"mean of {curve.training.shape[1]} folds, and one standard deviation around it"
    above(axes, 2, handlelength=3.6, title=about, alignment="left")
    return finish(figure)
