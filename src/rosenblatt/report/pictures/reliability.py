"""Probabilities against what came true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...model.reliability import Bin, expected_error
from .canvas import INK, PALETTE, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_reliability(axes: Axes, found: Sequence[Bin], of: str) -> None:
    """The share that came true over the mean probability, with exact 95 % intervals. On the diagonal they agree."""
    error = expected_error(found)
    plain(axes, f"reliability; on average off by {error:.3f}", f"probability of {of}", "share that came true")
    axes.plot([0.0, 1.0], [0.0, 1.0], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="as it should be")
    x, y = [each.mean for each in found], [each.share for each in found]
    down, up = [each.share - each.low for each in found], [each.high - each.share for each in found]
    axes.errorbar(
        x,
        y,
        (down, up),
        color=PALETTE[5],
        marker="o",
        linewidth=1.6,
        capsize=3.0,
        label="rows of a range, with 95 % interval",
    )
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.legend(loc="upper left", frameon=False)
