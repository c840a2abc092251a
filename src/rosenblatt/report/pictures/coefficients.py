"""What a model looks for: the strongest features of each class, by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.rows import Array
from ...model.evidence import Names, strongest
from ...model.model import Model
from .canvas import FILLS, INK, finish, paper, plain, say
from .labels import readable

MOST = 40
"""Bars of a class; more cannot be read."""
WIDE = 30
"""Classes drawn, six rows of five."""


def figure_of_model(model: Model, top: int | None, path: str) -> Figure:
    """path: what the model is called. top: None: as many as can be read."""
    what = f"the strongest {model.part}s of each class" + ("" if model.run.memory.is_linear else ", mean of the voters")
    classes, title = model.classes.tolist(), [f"{path}: {what}"]
    return figure_of_coefficients(model.weights[0], classes, Names(model), MOST if top is None else top, title)


def figure_of_coefficients(
    w: Array, classes: Sequence[Any], names: Any, top: int, title: str | Sequence[str]
) -> Figure:
    """Bars of the `top` (at most 40) strongest features: of two classes both in one panel, else a panel a class.

    w: (1, d) for two classes, else (K, d). classes: the K labels. names: column → the feature's name.
    """
    shown = min(top, MOST, w.shape[1])
    if len(classes) == 2:
        figure = paper(8.6, 1.9 + 0.24 * 2 * max(2, shown), title)
        _both(figure.add_subplot(), w[0], classes, names, shown)
        return finish(figure)
    classes = classes[:WIDE]
    across = min(len(classes), 3 if len(classes) <= 9 else 4 if len(classes) <= 16 else 5)
    down = -(-len(classes) // across)
    figure = paper(3.5 * across, 0.7 + down * (0.9 + 0.22 * max(3, shown)), title)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for k, axes in enumerate(panels):
        if k < len(classes):
            _one(axes, w[k], classes[k], names, shown)
        else:
            axes.set_axis_off()
    return finish(figure)


def _both(axes: Axes, w: Array, classes: Sequence[Any], names: Any, top: int) -> None:
    """The positive class to the right, hatched the negative one to the left."""
    plain(axes, x=f"weight  (left: {readable(classes[0])}, right: {readable(classes[1])})")
    up, down = strongest(w, top), strongest(-w, top)
    columns = [*up, *down[::-1]]
    if not columns:
        say(axes, "all weights are 0")
        return
    for k, (own, places) in enumerate(((down[::-1], np.arange(len(up), len(columns))), (up, np.arange(len(up))))):
        style: dict[str, Any] = {"color": FILLS[1 - k], "edgecolor": INK, "linewidth": 0.6, "hatch": "" if k else "///"}
        axes.barh(places, w[own], label=readable(classes[k]), **style)
    axes.axvline(0.0, color=INK, linewidth=1.0)
    _named(axes, names, columns, 34)


def _one(axes: Axes, w: Array, label: Any, names: Any, top: int) -> None:
    plain(axes, readable(label, 22))
    columns = list(strongest(w, top, either=True))
    if not columns:
        say(axes, "all weights are 0")
        return
    axes.barh(np.arange(len(columns)), w[columns], color=FILLS[0], edgecolor=INK, linewidth=0.6)
    if (w[columns] > 0.0).all():
        axes.set_xlim(left=0.0)
    else:
        axes.axvline(0.0, color=INK, linewidth=1.0)
    axes.locator_params(axis="x", nbins=4)
    _named(axes, names, columns, 18)
    axes.set_ylim(max(top, 3) - 0.4, -0.6)


def _named(axes: Axes, names: Any, columns: list[Any], letters: int) -> None:
    axes.set_yticks(np.arange(len(columns)), [readable(names[j], letters) for j in columns], fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(columns) - 0.4, -0.6)
    axes.grid(False, axis="y")
