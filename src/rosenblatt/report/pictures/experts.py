"""The picture of `experts`: mistakes of each algorithm, of the best expert, and the most that the theorems allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ...core.rows import Array
from .canvas import INK, above, finish, look, paper, plain

Line = tuple[str, Array, Array, Array, Array]
"""name, rounds, own (expected) mistakes, the best expert's, the most (inf: no bound)."""


def figure_of_experts(lines: Sequence[Line], title: str, what: str = "mistakes") -> Figure:
    """Above: mistakes, or losses, by round, bounds dotted in the algorithm's colour. Below: each algorithm less the
    best expert."""
    figure = paper(9.0, 7.0, title)
    top, below = figure.subplots(2, 1, sharex=True)
    plain(top, y=what)
    plain(below, x="round", y="more than the best expert")
    below.xaxis.get_major_locator().set_params(integer=True)
    if lines:
        _, rounds, _, best, _ = lines[0]
        top.plot(rounds, best, color=INK, linewidth=2.6, alpha=0.35, label="best expert so far")
    for number, (name, rounds, own, best, most) in enumerate(lines, 1):
        style = {**look(number), "marker": ""}
        top.plot(rounds, own, label=name, linewidth=1.6, **style)
        below.plot(rounds, own - best, linewidth=1.6, **style)
        if np.isfinite(most).any():
            seen = np.where(np.isfinite(most), most, np.nan)
            top.plot(rounds, seen, color=style["color"], linestyle=":", linewidth=1.2)
    top.plot([], [], color=INK, linestyle=":", linewidth=1.2, label="its bound")
    top.set_ylim(bottom=0.0)
    above(top, 3, handlelength=3.0)
    return finish(figure)
