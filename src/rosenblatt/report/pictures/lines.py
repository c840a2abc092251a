"""Pictures of lines: a learning curve, the rounds of experts, and a run against the lines that the theorems draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from ...compare.learning_curve import LearningCurve
from ...compare.result import Comparison, Row
from ...core.rows import Array
from ...errors import DataError
from ...theory.ledger.bounds import whole
from .canvas import INK, above, finish, legend, lines_of, look, paper, percent, plain, say
from .labels import readable
from .learners import wrong

if TYPE_CHECKING:
    from ...theory.ledger.ledger import Ledger

Played = tuple[str, Array, Array, Array, Array]
"""name, rounds, own (expected) mistakes, the best expert's, the most (inf: no bound)."""
PANELS = (
    ("along", "Progress: w̄·u stays above its line, and below the one of ‖w̄‖; where they meet, it ends", "w̄·u"),
    ("square", "Length: ‖w̄‖² stays below its line", "‖w̄‖²"),
    ("cosine", "Angle: its cosine stays above its line, and below 1", "cos(w̄, u)"),
)
"""(curve, what it shows, label of its axis)."""
POWERS = {"along_line": 1.0, "square_line": 1.0, "cosine_line": 0.5}
"""How the theorems' lines grow with the number of additions."""
PATHS = 8
"""Lines of a path of L1, beyond which none is told from another."""
NARROW = 8.0
"""Ratio of the most weights to the fewest, below which their axis is linear."""
BEYOND = 50
"""Points of a line between the last addition and where the run must have ended."""
FEW = 12.0
"""Times the additions made at which the lines meet, up to which a plain scale shows the run."""


def figure_of_path(comparison: Comparison, title: str | Sequence[str]) -> Figure:
    """Error (or score) by the weights that are not 0: a line a learner, a point for each strength of its L1."""
    paths: dict[Any, list[Row]] = {}
    for row in comparison.rows:  # the best first, so that the lines come in the order of their best points
        if row.nonzero_weights is not None:
            paths.setdefault(row.contender._replace(l1=0.0), []).append(row)
    shown = list(paths.items())[:PATHS]
    left_out = f"the best {PATHS} of {len(paths)} learners" if len(paths) > PATHS else ""
    more = "what more wrong labels do is in the table" if len(comparison.noise) > 1 else ""
    figure = paper(9.0, 5.8, [*lines_of(title), *wrong(comparison), *filter(None, [left_out, more])])
    axes = figure.add_subplot()
    scoring = comparison.scoring
    plain(axes, x="weights that are not 0", y="wrong answers" if scoring is None else readable(scoring))
    for number, (learner, rows) in enumerate(shown):
        along = sorted(rows, key=lambda row: row.nonzero_weights or 0.0)
        at, values = [row.nonzero_weights or 0.0 for row in along], [row.measured[0] for row in along]
        axes.plot(at, values, label=readable(learner.name, 44), linewidth=1.6, markersize=5.0, **look(number))
    counts = [row.nonzero_weights or 0.0 for _, rows in shown for row in rows]
    if max(counts) < NARROW * min(counts):  # a logarithmic axis would have two labels, or one
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    elif min(counts) > 0.0:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    else:
        axes.set_xscale("symlog", linthresh=1.0, linscale=0.3)
        axes.set_xlim(left=0.0)
    axes.xaxis.set_major_formatter(number_of)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if scoring is None:
        axes.set_ylim(bottom=0.0)
        axes.yaxis.set_major_formatter(percent)
    above(axes, 2, handlelength=3.6)
    return finish(figure)


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
    if len(curve.rows) == 1:
        axes.plot([], [], linestyle="none", label="one size only: of half of it chance says more than the data")
    above(axes, 2, handlelength=3.6, title=about, alignment="left")
    return finish(figure)


def figure_of_experts(lines: Sequence[Played], title: str, what: str = "mistakes") -> Figure:
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
    if any(np.isfinite(most).any() for *_, most in lines):  # of rounds with sleepers none is drawn
        top.plot([], [], color=INK, linestyle=":", linewidth=1.2, label="its bound")
    top.set_ylim(bottom=0.0)
    above(top, 3, handlelength=3.0)
    return finish(figure)


def figure_of_bound(curves: dict[str, Any], limit: float | None, title: str | Sequence[str]) -> Figure:
    """Three panels by the additions so far, of `Ledger.curves()`; limit: where the run must have ended."""
    if not curves:
        figure = paper(9.0, 2.0, title)
        say(figure.add_subplot(), "the theorems are not about such steps")
        return finish(figure)
    figure = paper(9.0, 10.0, title)
    for axes, (name, what, unit) in zip(figure.subplots(3, 1), PANELS, strict=True):
        plain(axes, what, "additions (of the perceptron: mistakes)", unit)
        if len(curves.get("additions", ())) and name in curves:
            _draw(axes, curves, name, limit)
        else:
            why = "no step was made" if name == "square" else "no separator to compare with"
            say(axes, why)
    return finish(figure)


def figure_of_proof(ledger: Ledger, title: str | Sequence[str] = "") -> Figure:
    """The proof of convergence on one run: (w̄·u)² between η²k²γ̄² and ‖w̄‖², which is below η²kR̄² (of a margin
    perceptron k(η²R̄² + 2ητ)). The theorems' lines meet at k = limit: there it must have ended. DataError with the
    condition that fails where the theorem does not apply."""
    applies = next(bound for bound in ledger.bounds() if bound.name == "progress")
    if applies.why_not or ledger.limit is None:
        raise DataError(f"the proof is not about this run: {applies.why_not}")
    curves, limit = ledger.curves(), ledger.limit
    k = np.asarray(curves["additions"], float)
    figure = paper(9.4, 6.2, title)
    axes = figure.add_subplot()
    plain(axes, x="additions k (of the perceptron: mistakes)", y="squared length")
    at = np.unique(np.concatenate([k, np.geomspace(k[0], max(2.0 * limit, k[-1]), 4 * BEYOND)]))
    rate, step = float(curves["square_line"][-1] / k[-1]), float(curves["along_line"][-1] / k[-1])
    run = {"linestyle": "-", "marker": "o" if len(k) == 1 else ""}
    shown = (
        (at, rate * at, "‖w̄‖² at most: k times what one addition adds", {**look(4), "marker": ""}),
        (k, curves["square"], "‖w̄‖² of this run", {**look(5), **run}),
        (k, np.square(curves["along"]), "(w̄·u)² of this run, never above it", {**look(3), **run}),
        (at, np.square(step * at), "(w̄·u)² at least: it grows as k²", {**look(6), "marker": ""}),
    )  # fmt: skip
    for x, y, label, style in shown:
        axes.plot(x, y, label=label, linewidth=2.0, **style)
    axes.plot([limit], [rate * limit], marker="o", color=INK, markersize=8, linestyle="none", zorder=5)
    axes.axvline(limit, color=INK, linewidth=1.0, linestyle=(0, (2, 2)))
    few = limit <= FEW * k[-1]
    if not few:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(number_of)
            axis.set_minor_formatter(NullFormatter())
    axes.set_xlim(0.0 if few else 0.9 * at[0], 1.25 * limit if few else at[-1])
    axes.set_ylim(bottom=0.0 if few else None, top=1.6 * rate * limit if few else None)
    text = f"they meet at k = {limit:,.4g}:\nat most {whole(limit):,} additions,\nthis run made {int(k[-1]):,}"
    where: dict[str, Any] = {"xy": (limit, 0.04), "xycoords": axes.get_xaxis_transform(), "textcoords": "offset points"}
    axes.annotate(text, xytext=(-5, 0), ha="right", va="bottom", color=INK, **where)
    above(axes, 2, handlelength=3.2)
    return finish(figure)


def _draw(axes: Axes, curves: dict[str, Any], name: str, limit: float | None) -> None:
    k = np.asarray(curves["additions"], float)
    ends = limit is not None and np.isfinite(limit)
    lines = {f"{name}_line": "the theorem's line"}
    if name == "along":
        lines["square_line"] = "the line of ‖w̄‖"
    axes.plot(k, curves[name], label="this run", linewidth=1.8, **{**look(4), "marker": "o" if len(k) == 1 else ""})
    least = [np.min(curves[name])]
    for number, (line, label) in enumerate(lines.items(), 5):
        at, values = _to_the_end(k, np.asarray(curves[line], float), POWERS[line], limit if ends else None)
        values = np.sqrt(values) if name == "along" and line == "square_line" else values
        axes.plot(at, values, label=label, linewidth=1.8, **{**look(number), "marker": "o" if len(at) == 1 else ""})
        least.append(values.min())
    if len(k) > 1 or ends:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(number_of)
        if name != "cosine" and min(least) > 0.0:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(number_of)
            axes.yaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_minor_formatter(NullFormatter())
    if limit is not None and ends:
        axes.axvline(limit, color=INK, linewidth=1.0, linestyle=(0, (2, 2)), label=f"at most {whole(limit):,}")
    legend(axes, handlelength=3.4)


def _to_the_end(k: Array, line: Array, power: float, limit: float | None) -> tuple[Array, Array]:
    """A line of the theorems, which grows as k to this power, drawn on to where the run must have ended."""
    if limit is None or limit <= k[-1]:
        return k, line
    more = np.geomspace(k[-1], limit, BEYOND)
    return np.append(k, more), np.append(line, line[-1] * (more / k[-1]) ** power)


@FuncFormatter
def number_of(value: float, _: Any) -> str:
    """`1,000`, `0.01`, `1e+07`: as the text of the command has them, and no powers of ten."""
    return f"{value:,.0f}" if 1.0 <= value < 1e7 else f"{value:g}"
