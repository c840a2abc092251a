"""Pictures of a model's answers to labelled rows: who is taken for whom, what each threshold would do (ROC and DET; the
corner where good models live is enlarged), how reliable its probabilities are, and the sheet of them all."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy.special import ndtri

from ...core.rows import Array
from ...data.labels import class_numbers
from ...model.metrics import most_confused
from ...model.model import Model
from ...model.reliability import Bin, bins, expected_error, happened
from .canvas import INK, PALETTE, finish, legend, look, paper, percent, plain, say
from .labels import readable

FEW = 4
"""Classes whose confusion takes no more room than a ROC."""
WIDEST = 20
"""Classes up to which the whole table is drawn."""
ROOMY = 7
"""Classes up to which a cell has room for the share below the count."""
WORDS = 46
"""Letters that have room below the table side by side."""
DARK = 0.4
"""Share of a row beyond which its cell is so dark that the count is white."""
MOST_PAIRS = 15
MOST = 8
"""Classes with a line of their own look; of more, those with the smallest areas have one."""
SHARES = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
FINE = 300.0
"""Points of a DET curve to a unit of its axes: what is closer cannot be seen, and makes files large."""

NOTHING = "not defined: there is no threshold between rows that are all of one class"
ROOM = 0.06
"""Of an axis, between two of its labels."""


class Answers(NamedTuple):
    """A model's answers to labelled rows.

    scores: (n,) or (n, K). truth, predicted: (n,) class numbers. classes: the K labels.
    probabilities: (n, K), or None.
    """

    scores: Array
    truth: Array
    predicted: Array
    classes: Sequence[Any]
    probabilities: Array | None = None


def answers_of(model: Model, scores: Array, y: Array) -> Answers:
    """y: (n,) labels that are the model's classes."""
    truth, predicted = (class_numbers(part, model.classes) for part in (y, model.labels(scores)))
    probabilities = np.exp(model.log_probabilities(scores)) if model.has_probabilities else None
    return Answers(scores, truth, predicted, model.classes.tolist(), probabilities)


def figure_of_answers(answers: Answers, title: str | Sequence[str]) -> Figure:
    """Confusion, ROC and DET; reliability too where there are probabilities."""
    many = len(answers.classes)
    counts = np.zeros((many, many), int)
    np.add.at(counts, (answers.truth, answers.predicted), 1)
    found = curves(answers.scores, answers.truth, answers.predicted, answers.classes)
    sure = answers.probabilities is not None
    if many <= FEW and not sure:
        figure = paper(16.4 if many == 2 else 19.0, 5.9, title)
        panels = figure.subplot_mosaic([["table", "roc", "det"]])
    elif many <= FEW:
        figure = paper(13.0 if many == 2 else 15.0, 11.4, title)
        panels = figure.subplot_mosaic([["table", "roc"], ["sure", "det"]])
    else:
        figure = paper(20.0 if sure else 17.4, 10.4, title)
        parts: Any = figure.subfigures(1, 2, width_ratios=[0.82, 1.0] if sure else [1.1, 1.0])
        names: Any = {"width_ratios": [1.0, 1.0 if sure else 0.62]}
        panels = parts[1].subplot_mosaic([["roc", "names"], ["det", "sure" if sure else "."]], **names)
        panels["table"] = parts[0].subplots()
    draw_confusion(panels["table"], counts, answers.classes)
    draw_roc(panels["roc"], found)
    draw_det(panels["det"], found)
    if answers.probabilities is not None:
        of = f"class {readable(answers.classes[1])}" if many == 2 else "the answer"
        draw_reliability(panels["sure"], bins(*happened(answers.probabilities, answers.truth)), of)
        panels["sure"].set_box_aspect(1)
    if "names" in panels:
        panels["names"].set_axis_off()
    draw_names(panels["roc" if many > FEW else "det"], found, panels.get("names"))
    return finish(figure)


def draw_reliability(axes: Axes, found: Sequence[Bin], of: str) -> None:
    """The share that came true over the mean probability, with exact 95 % intervals. On the diagonal they agree."""
    error = expected_error(found)
    plain(axes, f"reliability; on average off by {error:.3f}", f"probability of {of}", "share that came true")
    axes.plot([0.0, 1.0], [0.0, 1.0], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="as it should be")
    x, y = [each.mean for each in found], [each.share for each in found]
    down, up = [each.share - each.low for each in found], [each.high - each.share for each in found]
    style: dict[str, Any] = {"color": PALETTE[5], "marker": "o", "linewidth": 1.6, "capsize": 3.0}
    axes.errorbar(x, y, (down, up), label="rows of a range, with 95 % interval", **style)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    legend(axes)


# --- who is taken for whom -------------------------------------------------------------------------------------------


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
    worst = most_confused(counts, MOST_PAIRS)
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


# --- what each threshold would do ------------------------------------------------------------------------------------


class Curve(NamedTuple):
    """One class against the rest. false, true: (t,) rates of false and true positives, falling thresholds.

    point: the two rates of the model's own answers. negatives, positives: rows.
    """

    label: str
    false: Array
    true: Array
    area: float
    point: tuple[float, float]
    negatives: int
    positives: int


def curves(scores: Array, truth: Array, answers: Array, classes: Sequence[Any]) -> list[Curve]:
    """The curves of scores (n,) or (n, K). truth, answers: (n,) class numbers.

    Two classes: one curve, of the second. More: each class that occurs against the rest. None where no class can be
    compared with another one, or a score is not finite.
    """
    if not np.isfinite(scores).all():
        return []
    parts = [(1, scores)] if scores.ndim == 1 else enumerate(scores.T)
    found = [_curve(own, truth == k, answers == k, str(classes[k])) for k, own in parts]
    return [curve for curve in found if curve is not None]


def _curve(scores: Array, truth: Array, answers: Array, label: str) -> Curve | None:
    from sklearn.metrics import auc, roc_curve

    positives = int(truth.sum())
    negatives = truth.size - positives
    if not positives or not negatives:
        return None
    false, true, _ = roc_curve(truth, scores, drop_intermediate=False)
    point = (float((answers & ~truth).sum() / negatives), float((answers & truth).sum() / positives))
    return Curve(label, false, true, float(auc(false, true)), point, negatives, positives)


def draw_roc(axes: Axes, found: list[Curve]) -> None:
    """Draw true against false positives, the model's own answers as points, and the corner top left enlarged."""
    title = f"ROC, positive: {readable(found[0].label)} (area {found[0].area:.4f})" if len(found) == 1 else "ROC"
    title += ": each class against the rest" if len(found) > 1 else ""
    plain(axes, title, "false positive rate", "true positive rate")
    if not found:
        say(axes, NOTHING)
        return
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), box_aspect=1)
    axes.xaxis.set_major_formatter(percent)
    axes.yaxis.set_major_formatter(percent)
    axes.plot([0, 1], [0, 1], color="#9a9a9a", linewidth=1.0, linestyle=(0, (2, 2)))
    _lines(axes, found, lambda curve: (curve.false, curve.true), lambda curve: curve.point)
    _corner(axes, found)


def draw_det(axes: Axes, found: list[Curve]) -> None:
    """Draw misses against false positives on normal-deviate axes: bell-shaped scores give a straight line.

    A rate of 0 is drawn at half a row.
    """
    plain(axes, "DET: both kinds of error, small ones enlarged", "false positive rate", "false negative rate")
    if not found:
        say(axes, NOTHING)
        return
    edges = [0.5 / max(curve.negatives for curve in found), 0.5 / max(curve.positives for curve in found)]
    ends = [max(0.55, *(min(0.97, 1.3 * rate) for rate in rates)) for rates in zip(*map(_errors, found), strict=True)]
    for axis, edge, end in zip("xy", edges, ends, strict=True):
        edge = min(edge, 0.3)
        shares = _apart([share for share in SHARES if edge <= share < end], ndtri(end) - ndtri(edge))
        names = [f"{100 * share:g}%" for share in shares]
        axes.set(**{f"{axis}lim": (ndtri(edge) - 0.08, ndtri(end)), f"{axis}ticks": ndtri(shares)})
        axes.set(**{f"{axis}ticklabels": names})
    axes.tick_params(axis="x", labelrotation=45)
    axes.set_box_aspect(1)
    _lines(axes, found, _deviates, lambda curve: tuple(float(part) for part in _bent(curve, *_errors(curve))))


def _apart(shares: list[float], length: float) -> list[float]:
    """Those that have room for their labels on an axis of this length in normal deviates, the largest first."""
    kept: list[float] = []
    for share in reversed(shares):
        if not kept or ndtri(kept[0]) - ndtri(share) > ROOM * length:
            kept.insert(0, share)
    return kept


def draw_names(axes: Axes, found: list[Curve], place: Axes | None = None) -> None:
    """The legend of several curves, each class with its area: right of the axes, or on an empty place."""
    if len(found) > 1:
        legend(
            place or axes, *axes.get_legend_handles_labels(), loc="upper left",
            bbox_to_anchor=(0.0 if place else 1.02, 1.0), handlelength=3.4, borderaxespad=0.0, alignment="left",
            title="area under ROC, class\n(points: the model's answers)",
        )  # fmt: skip


def _lines(axes: Axes, found: list[Curve], line: Any, point: Any) -> None:
    """Draw the curves; of many classes, only those with the smallest areas in a look of their own."""
    hard = sorted(range(len(found)), key=lambda k: found[k].area)[: MOST if len(found) <= MOST else MOST - 2]
    rest = [k for k in range(len(found)) if k not in hard]
    for place, k in enumerate(rest):
        label = f"the {len(rest)} others" if place == 0 else None
        axes.plot(*line(found[k]), color="#b5b5b5", linewidth=0.9, label=label, zorder=1.8)
    for number, k in enumerate(sorted(hard)):
        style, curve = look(number), found[k]
        marker, color = style.pop("marker"), style["color"]
        label = f"{curve.area:.4f} {readable(curve.label, 24)}"
        x, y = point(curve)
        axes.plot(*line(curve), linewidth=1.7, **style)
        if x <= axes.get_xlim()[1] and y <= axes.get_ylim()[1]:
            dot: dict[str, Any] = {"marker": marker, "markersize": 8, "markeredgecolor": "white", "color": color}
            axes.plot([x], [y], clip_on=False, zorder=5, linestyle="none", **dot)
        axes.plot([], [], marker=marker, linewidth=1.7, label=label, **style)


def _corner(axes: Axes, found: list[Curve]) -> None:
    """The corner top left, with the model's own answers, enlarged in the empty corner at the bottom right."""
    wide = max(0.01, 1.5 * max(curve.point[0] for curve in found))
    high = max(0.01, 1.5 * max(1.0 - curve.point[1] for curve in found))
    if not all(float(np.interp(0.4, curve.false, curve.true)) > 0.72 for curve in found) or max(wide, high) > 0.4:
        return
    inset = axes.inset_axes((0.44, 0.13, 0.52, 0.5))
    plain(inset)
    inset.set(xlim=(-0.02 * wide, wide), ylim=(1.0 - high, 1.0 + 0.02 * high))
    inset.xaxis.set_major_formatter(percent)
    inset.yaxis.set_major_formatter(percent)
    inset.tick_params(labelsize=8)
    inset.locator_params(nbins=4)
    inset.spines[:].set_visible(True)
    _lines(inset, found, lambda curve: (curve.false, curve.true), lambda curve: curve.point)
    axes.add_patch(Rectangle((0, 1.0 - high), wide, high, fill=False, edgecolor="#8a8a8a", linewidth=1.0))
    axes.plot([wide, 0.44 * 1.04 - 0.02], [1.0 - high, 0.63 * 1.04 - 0.02], color="#8a8a8a", linewidth=0.8)


def _errors(curve: Curve) -> tuple[float, float]:
    return curve.point[0], 1.0 - curve.point[1]


def _bent(curve: Curve, false: Any, missed: Any) -> tuple[Any, Any]:
    x, y = 0.5 / curve.negatives, 0.5 / curve.positives
    return ndtri(np.clip(false, x, 1.0 - x)), ndtri(np.clip(missed, y, 1.0 - y))


def _deviates(curve: Curve) -> tuple[Array, Array]:
    """The DET curve in normal deviates, without points that cannot be told apart."""
    x, y = _bent(curve, curve.false, 1.0 - curve.true)
    places = np.column_stack([np.round(x * FINE), np.round(y * FINE)])
    kept = np.concatenate([[True], (np.diff(places, axis=0) != 0.0).any(axis=1)])
    return x[kept], y[kept]
