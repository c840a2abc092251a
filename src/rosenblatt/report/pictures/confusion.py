"""Who is taken for whom: the table of true and predicted classes, or the most frequent mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...core.rows import Array
from ...model.metrics import most_confused
from .canvas import INK, plain, say
from .labels import readable

WIDEST = 20
"""Classes up to which the whole table is drawn."""
ROOMY = 7
"""Classes up to which a cell has room for the share below the count."""
WORDS = 46
"""Letters that have room below the table side by side."""
DARK = 0.4
"""Share of a row beyond which its cell is so dark that the count is white."""
MOST = 15


def draw_confusion(axes: Axes, counts: Array, classes: Sequence[Any]) -> None:
    """Draw (K, K) counts, row: the true class, column: the predicted one. Darker: a larger share of the row."""
    if len(classes) > WIDEST:
        _draw_pairs(axes, counts, classes)
        return
    plain(axes, "confusion: rows, and shares of the true class" if len(classes) <= ROOMY else "confusion: rows",
          "predicted", "true")  # fmt: skip
    axes.grid(False)
    axes.spines[:].set_visible(False)
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(totals, 1)
    # The root makes a share of 1 % visible beside one of 99 %.
    axes.imshow(np.sqrt(shares), cmap="Blues", vmin=0.0, vmax=1.15, aspect="equal")
    names = [readable(label, 24) for label in classes]
    places, longest = np.arange(len(classes)), max(len(name.replace("\\$", "$")) for name in names)
    axes.set_xticks(places, names, rotation=90 if longest * len(classes) > WORDS else 0)
    axes.set_yticks(places, names)
    axes.tick_params(length=0)
    axes.set_xticks(places[1:] - 0.5, minor=True)
    axes.set_yticks(places[1:] - 0.5, minor=True)
    axes.grid(True, which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    for (i, j), count in np.ndenumerate(counts):
        if count or len(classes) <= ROOMY:
            share = float(shares[i, j]) if len(classes) <= ROOMY and totals[i, 0] else None
            words = f"{count:,}" if share is None else f"{count:,}\n{100 * share:.1f}%"
            text = axes.text(j, i, words, ha="center", va="center", fontsize=_size(int(count), len(classes)))
            text.set_color("white" if shares[i, j] > DARK else INK)


def _size(count: int, classes: int) -> int:
    return 11 if classes <= ROOMY else 10 if classes <= 12 else 9 if count < 1000 else 7


def _draw_pairs(axes: Axes, counts: Array, classes: Sequence[Any]) -> None:
    """Draw the most frequent mistakes as bars."""
    plain(axes, "the most frequent mistakes", "rows")
    worst = most_confused(counts, MOST)
    if not worst:
        say(axes, "no row is wrong")
        return
    places = np.arange(len(worst))
    bars = axes.barh(places, [n for n, _, _ in worst], color="#56B4E9", edgecolor=INK, linewidth=0.7)
    axes.bar_label(bars, [f"{n:,} of {int(counts[i].sum()):,}" for n, i, _ in worst], padding=3, color=INK, fontsize=9)
    axes.set_yticks(places, [f"{readable(classes[i], 18)} called {readable(classes[j], 18)}" for _, i, j in worst])
    axes.set_xlim(0, 1.25 * worst[0][0])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
