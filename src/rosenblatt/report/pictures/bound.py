"""The picture of a ledger: what a run did against the lines that the theorems draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...theory.ledger.bounds import whole
from .canvas import INK, finish, legend, look, paper, plain, say

PANELS = (
    ("along", "Progress: w̄·u stays above its line", "w̄·u"),
    ("square", "Length: ‖w̄‖² stays below its line", "‖w̄‖²"),
    ("cosine", "Angle: its cosine stays above its line, and below 1", "cos(w̄, u)"),
)


def figure_of_bound(curves: dict[str, Any], limit: float | None, title: str | Sequence[str]) -> Figure:
    """Three panels by the additions so far, of `Ledger.curves()`; limit: where the run must have ended."""
    figure = paper(9.0, 10.0, title)
    for axes, (name, what, unit) in zip(figure.subplots(3, 1), PANELS, strict=True):
        plain(axes, what, "additions (of the perceptron: mistakes)", unit)
        if len(curves.get("additions", ())) and name in curves:
            _draw(axes, curves, name, limit)
        else:
            say(axes, "no step was made" if name == "square" else "no separator to compare with")
    return finish(figure)


def _draw(axes: Axes, curves: dict[str, Any], name: str, limit: float | None) -> None:
    k = np.asarray(curves["additions"], float)
    for number, own, label in ((4, name, "this run"), (5, f"{name}_line", "the theorem's line")):
        style = {**look(number), "marker": "o" if len(k) == 1 else ""}
        axes.plot(k, curves[own], label=label, linewidth=1.8, **style)
    if len(k) > 1:
        axes.set_xscale("log")
        if name != "cosine" and min(np.min(curves[name]), np.min(curves[f"{name}_line"])) > 0.0:
            axes.set_yscale("log")
    if limit is not None and np.isfinite(limit):
        axes.axvline(limit, color=INK, linewidth=1.0, linestyle=(0, (2, 2)), label=f"at most {whole(limit):,}")
    legend(axes, handlelength=3.4)
