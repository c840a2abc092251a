"""Updates of a run as pictures: what was added to w, and how the line turned; one of them, the first ones side by side,
or as a film."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...core.rows import Array
from ...errors import DataError, SettingError
from ...learn.converged import mistaken
from ...trace.record import Entries, Record
from ..trace import jointly, sentence
from . import MOST_FRAMES, MOST_PANELS
from .canvas import FILLS, INK, beside, finish, lines_of, paper, plain, with_fonts
from .directions import Directions, directions, turned
from .labels import readable
from .lettering import Lettering
from .points import MOST_POINTS, draw_points, limits, points, shape
from .regions import draw_areas
from .runs import never_kept

GRID = 150
"""Places a side at which the answers are asked."""
INCHES = 4.3
"""Of a side of the axes."""
FARTHER = 3.0
"""Times the extent of the rows: if the origin is that far away, arrows do not start there."""
LONGEST = 3.0
"""Of the extent of what is seen: longer arrows are drawn shorter, all by the same factor."""
SHORTEST = 0.1
"""Of the same: if all arrows of w are shorter than that, all are drawn longer."""
SENTENCE = 400
"""Letters of what is said of an update; that of three classes has some 300."""
FEW = 6
"""Rows that moved together, up to which their marks are large."""
LETTERS = 12
"""Of the name of an axis, to an inch of it."""
MOST_ARROWS = 3
"""Classes whose arrows are drawn."""
MOST_NAMES = 12
"""Classes that are named."""
STILL = ",\nstill wrong (undershoot)"
WRONG = "wrong after it"
BEFORE, AFTER = "before the update", "after the update"
DASHED: Any = (0, (5, 3))
STEP = "#8E44AD"
DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
UNDERSHOOT = "#D55E00"
"""Vermilion, for a row that is still wrong after its update; it has another mark as well."""


class View(NamedTuple):
    """How the updates of one picture are seen. seen: the plane. places: (n, 2) of the rows. y: (n,) class numbers.
    origin: (2,) where arrows of w start. x_too: whether x is drawn from there. scale: by which arrows of w are longer
    than they are. box: the limits of the axes."""

    seen: Directions
    places: Array
    y: Array
    origin: Array
    x_too: bool
    scale: float
    box: tuple[tuple[float, float], tuple[float, float]]


class Move(NamedTuple):
    """An update k: (w, b) before and after it, (K, d) and (K,), its entries, and the rows that moved."""

    k: int
    before: tuple[Array, Array]
    after: tuple[Array, Array]
    entries: Entries
    rows: Array


def move(record: Record, k: int) -> Move:
    """DataError where there is no such update, or its weights are not known."""
    own = record.of(k)
    if record.chunk is None:
        raise DataError("the record has no rows to draw; with_rows reads them anew")
    if record.settings.kernel is not None:
        raise DataError("a run with a kernel has no weights in the space of the columns; its updates cannot be drawn")
    before, after = record.rebuilt(k - 1), record.rebuilt(k)
    if before is None or after is None:
        what = f"the weights before and after update {k:,} are not in the record"
        raise DataError(f"{what}; {never_kept(record) or 'record with room for more, as Trace(weights=10**8)'}")
    return Move(k, before, after, own, np.unique(own.row))


def view(record: Record, moves: Sequence[Move]) -> View:
    """How these updates are seen: of more than two columns, one alone in the plane of its w before and after, in which
    every row keeps both scores; several by the w after the last of them, and the first principal component across."""
    chunk = record.chunk
    assert chunk is not None
    x, many = chunk.rows.matrix(), len(record.start[1]) > 1
    seen = directions(x, moves[-1].after[0], record.names)
    if x.shape[1] > 2 and len(moves) == 1 and not many:
        names = ("w after the update: its score grows to the right", "at a right angle to it, in the plane of both w")
        seen = turned(seen, moves[0].after[0][0], moves[0].before[0][0], names)
    elif x.shape[1] > 2 and not many:
        seen = seen._replace(names=(f"w after update {moves[-1].k:,}: its score grows to the right", seen.names[1]))
    places = seen.places(x)
    y = chunk.y.astype(int) if many else (chunk.y > 0.0).astype(int)
    if x.shape[1] == 1:  # the classes one above the other
        places[:, 1] = (y - y.mean()) * 0.3 * (np.ptp(places[:, 0]) or 1.0)
    low, high = places.min(axis=0), places.max(axis=0)
    extent = float((high - low).max()) or 1.0
    zero = -seen.axes @ seen.centre
    near = bool((np.maximum(low - zero, zero - high) < FARTHER * extent).all())
    origin = zero if near else (low + high) / 2.0
    arrows = np.vstack([seen.arrows(w[_classes(each)]) for each in moves for w in (each.before[0], each.after[0])])
    size = max(extent, float(np.abs(places - origin).max())) if near else extent
    longest, scale = float(np.linalg.norm(arrows, axis=1).max()), 1.0
    if longest > LONGEST * size or 0.0 < longest < SHORTEST * size:
        scale = _round(0.6 * size / longest)
    corners = [places, origin + scale * arrows, origin[None]]
    return View(seen, places, y, origin, near, scale, limits(np.vstack(corners)))


def _classes(each: Move) -> Array:
    """The classes that an update moved: rows of the weights."""
    return np.unique(each.entries.cls)


def _round(factor: float) -> float:
    """1, 2 or 5 times a power of ten, not above this factor."""
    power = 10.0 ** np.floor(np.log10(factor))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= factor * (1.0 + 1e-9)))


def _depth(record: Record, moves: Sequence[Move]) -> list[str]:
    """What is to be said where a row's own answer may be another than that of its place."""
    width, many = record.start[0].shape[1], len(record.start[1]) > 1
    if width <= 2 or (len(moves) == 1 and not many):
        return []
    return [f"{width:,} columns in two directions: rows lie before and behind the plane; a ring tells those wrong"]


def figure_of_update(record: Record, k: int, title: str | Sequence[str] = "") -> Figure:
    """Before and after update k, from 1, and what happened in a sentence."""
    each = move(record, k)
    figure = paper(9.2, 6.7, [*lines_of(title), sentence(record, k), *_depth(record, [each])])
    seen, axes = view(record, [each]), figure.add_subplot()
    draw_update(axes, record, each, seen, INCHES)
    _legend(axes, record, [each], seen)
    return finish(figure)


def figure_of_strip(record: Record, k: int, title: str | Sequence[str] = "") -> Figure:
    """The first k updates side by side, each with its sentence."""
    moves = [move(record, number) for number in range(1, _count(record, k, MOST_PANELS) + 1)]
    across = min(len(moves), 4 if len(moves) > 6 or len(moves) == 4 else 3)
    down = -(-len(moves) // across)
    told = [textwrap.wrap(readable(sentence(record, each.k), SENTENCE), 42) for each in moves]
    lines = [*lines_of(title), *_depth(record, moves)]
    high = 3.3 + 0.15 * max(map(len, told))
    figure = paper(3.5 * across + 2.4, high * down + 0.2 + 0.3 * len(lines), lines)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    seen = view(record, moves)
    for axes, each, words in zip(panels, moves, told, strict=False):
        draw_update(axes, record, each, seen, 2.6)
        if (each.k - 1) % across:
            axes.set_ylabel("")
        axes.set_title("\n".join(words), loc="left", color=INK, fontsize=8.5)
    for axes in panels[len(moves) :]:
        axes.set_axis_off()
    _legend(panels[across - 1], record, moves, seen)
    return finish(figure)


def frames(record: Record, k: int, title: str | Sequence[str] = "") -> Iterator[Figure]:
    """A sheet for each of the first k updates, all laid out alike."""
    moves = [move(record, number) for number in range(1, _count(record, k, MOST_FRAMES) + 1)]
    seen = view(record, moves)
    for each in moves:
        figure = paper(8.6, 7.0)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.1, 0.085, 0.62, 0.79))
        draw_update(axes, record, each, seen, INCHES)
        _legend(axes, record, moves, seen)
        lines = [*lines_of(title), sentence(record, each.k), *_depth(record, moves)]
        words = [part for line in lines for part in textwrap.wrap(readable(line, SENTENCE), 92)]
        figure.text(0.015, 0.985, "\n".join(words[:5]), ha="left", va="top", color=INK, fontsize=11)
        yield with_fonts(figure)


def check_count(k: Any, most: int) -> None:
    """SettingError where it is no number of updates to draw."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= most:
        raise SettingError(f"the number of updates must be from 1 to {most}, found {k!r}")


def _count(record: Record, k: int, most: int) -> int:
    """How many updates are drawn: k, or as many as there are."""
    check_count(k, most)
    if not len(record):
        raise DataError("the run made no update; there is nothing to draw")
    return min(int(k), len(record))


# --- one update ------------------------------------------------------------------------------------------------------


def draw_update(axes: Axes, record: Record, each: Move, v: View, inches: float) -> None:
    """Draw the areas of the answers and the line after the update, the line before it dashed; the rows, those that are
    wrong after it with a ring; the row that moved, and w before and after with the step from one to the other."""
    letters = int(inches * LETTERS)
    names = (readable(name, 60) if name else "" for name in v.seen.names)
    plain(axes, "", *("\n".join(textwrap.wrap(name, letters)) for name in names))
    axes.grid(False)
    axes.set(xlim=v.box[0], ylim=v.box[1], box_aspect=1)
    if v.seen.axes.shape[1] == 1:
        axes.set(yticks=[])
    words = Lettering(axes, inches, v.places[:MOST_POINTS])
    many = len(record.start[1]) > 1
    across, up = np.meshgrid(np.linspace(*v.box[0], GRID), np.linspace(*v.box[1], GRID))
    grid = np.column_stack([across.ravel(), up.ravel()])
    before, after = (_scores(v.seen.cut(*each_of), grid) for each_of in (each.before, each.after))
    if (after != after[:, :1]).any():  # not of weights 0, which answer nothing
        draw_areas(axes, across, up, after, 1.8 if many else 0.0, record.classes.tolist() if inches == INCHES else ())
    if many:
        for k in range(after.shape[1]):
            others = np.where(np.arange(after.shape[1]) == k, -np.inf, before)
            lead = before[:, k] - others.max(axis=1)
            once = np.ma.masked_where(others.argmax(axis=1) < k, lead).reshape(
                across.shape
            )  # two classes share a border
            if lead.min() < 0.0 < lead.max():
                axes.contour(across, up, once, levels=[0.0], colors=[INK], linewidths=1.4, linestyles=[DASHED])
    _rows(axes, record, each, v)
    _arrows(axes, record, each, v, words)
    if many:
        return
    lines = [(each.before, BEFORE, DASHED), (each.after, AFTER, "-")]
    for weights, _, _ in lines:
        (w,), (b,) = v.seen.cut(*weights)
        words.avoid_line(w, float(b))
    for weights, name, style in lines:
        (w,), (b,) = v.seen.cut(*weights)
        ends = words.ends(w, float(b))
        if ends is not None:
            axes.plot(ends[:, 0], ends[:, 1], color=INK, linestyle=style, linewidth=1.8, label=name, zorder=1.6)
            words.along(name.split()[0], w, float(b), must=False)


def _scores(cut: tuple[Array, Array], places: Array) -> Array:
    """(m, K) of places, K at least 2."""
    scores = places @ cut[0].T + cut[1]
    return np.column_stack([-scores, scores]) if scores.shape[1] == 1 else scores


def _rows(axes: Axes, record: Record, each: Move, v: View) -> None:
    """The rows, and marks around those that moved."""
    assert record.chunk is not None
    scores = record.chunk.rows.scores(each.after[0]) + each.after[1]
    wrong = mistaken(scores[:, 0] if scores.shape[1] == 1 else scores, record.chunk.y)
    draw_points(axes, points(v.places, v.y, wrong), [str(label) for label in record.classes], WRONG)
    still = np.isin(each.rows, _undershot(record, each, wrong))
    for own, marker, more, color in ((each.rows[~still], "D", "", INK), (each.rows[still], "X", STILL, UNDERSHOOT)):
        if own.size:
            size = 330.0 if len(each.rows) <= FEW else 110.0
            ring: dict[str, Any] = {"s": size, "facecolors": "none", "edgecolors": color, "linewidths": 2.0}
            x, y = v.places[own].T
            axes.scatter(x, y, marker=marker, label=_moved(own) + more, zorder=4.5, **ring)


def _undershot(record: Record, each: Move, wrong: Array) -> Array:
    """The rows that moved and are still wrong: where y·u ≤ 0 after it, or, of classes that are learned together and
    where that was not measured, where another class answers. wrong: (n,) bool."""
    own = each.entries
    if jointly(record) or np.isnan(own.after).any():
        return each.rows[wrong[each.rows]]
    return np.unique(own.row[own.y * own.after <= 0.0])


def _moved(rows: Array) -> str:
    return f"row {rows[0] + 1:,}, moved" if len(rows) == 1 else f"{len(rows):,} rows moved"


def _arrows(axes: Axes, record: Record, each: Move, v: View, words: Lettering) -> None:
    """x, w before and after, and the step from tip to tip; of many classes in their colours."""
    many = len(record.start[1]) > 1
    for k in _classes(each)[:MOST_ARROWS] if many else [0]:
        ends = [v.origin + v.scale * v.seen.arrows(w[k]) for w, _ in (each.before, each.after)]
        dark = FILLS[k % len(FILLS)] if many else INK
        name = f"w of {readable(record.classes[k], 14)}" if many else "w"
        number = "" if many else str(each.k - 1).translate(DIGITS)
        arrow(axes, v.origin, ends[0], color=dark, alpha=0.45, linewidth=2.2)
        arrow(axes, v.origin, ends[1], color=dark, linewidth=2.6)
        arrow(axes, ends[0], ends[1], color=STEP, linewidth=2.0)
        for tip in ends:
            words.avoid(v.origin + np.linspace(0.0, 1.0, 9)[:, None] * (tip - v.origin))
        new = name if many else f"w{str(each.k).translate(DIGITS)}"
        words.beside(new, ends[1], ends[1] - v.origin, size=10.5, fontweight="bold", color=dark)
        if not many and (ends[0] != v.origin).any():
            words.beside(f"w{number}", ends[0], ends[0] - v.origin, size=10.5, color="#666666")
        own = each.entries.cls == k
        middle, flat = (ends[0] + ends[1]) / 2.0, ends[1] - ends[0]
        if flat.any():
            words.beside(_step(each.entries.a[own]), middle, (flat[1], -flat[0]), size=10.0, color=STEP)
    if len(each.rows) == 1 and v.x_too:
        place = v.places[each.rows[0]]
        arrow(axes, v.origin, place, color=INK, linewidth=1.0, linestyle=(0, (1, 2)))
        words.beside("x", place, place - v.origin, size=10.5)


def _step(a: Array) -> str:
    """What was added: `+x`, `−x`, `+0.5x`, or a sum of several rows."""
    if len(a) != 1:
        return "the step"
    size = "" if abs(a[0]) == 1.0 else f"{abs(a[0]):.3g}"
    return f"{'+' if a[0] > 0.0 else '−'}{size}x"


def arrow(axes: Axes, foot: Array, tip: Array, **style: Any) -> None:
    """From foot to tip; nothing where they are one."""
    if (foot != tip).any():
        own = {"arrowstyle": "-|>", "shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 14.0, **style}
        axes.annotate("", tuple(tip.tolist()), tuple(foot.tolist()), arrowprops=own, zorder=6)


def _legend(axes: Axes, record: Record, moves: Sequence[Move], v: View) -> None:
    """Beside the axes, for all the moves alike: the classes, and what the marks and lines are."""
    assert record.chunk is not None
    style: dict[str, Any] = {"linestyle": "none", "markerfacecolor": "none", "markersize": 11}
    present = axes.get_legend_handles_labels()[1] if len(moves) == 1 else None
    mended = next((label for label in present or () if label.endswith("moved")), "moved")
    still = next((label for label in present or () if label.endswith(STILL)), f"moved{STILL}")
    entries = [
        *(Line2D([], [], linestyle="none", markersize=7, label=readable(label, 20), **shape(k))
          for k, label in enumerate(record.classes[:MOST_NAMES])),
        Line2D([], [], marker="o", markeredgecolor=INK, label=WRONG, **style),
        Line2D([], [], marker="D", markeredgecolor=INK, markeredgewidth=2, label=mended, **style),
        Line2D([], [], marker="X", markeredgecolor=UNDERSHOOT, markeredgewidth=2, label=still, **style),
        Line2D([], [], color=INK, linestyle=DASHED, linewidth=1.8, label=BEFORE),
        Line2D([], [], color=INK, linewidth=1.8, label=AFTER),
    ]  # fmt: skip
    lines = (BEFORE, AFTER) if len(record.start[1]) > 1 else ()
    if present is not None:
        entries = [each for each in entries if each.get_label() in present or each.get_label() in lines]
    if v.scale != 1.0:
        entries.append(Line2D([], [], linestyle="none", label=f"arrows of w and the\nstep: {v.scale:g} times"))
    beside(axes, handles=entries, borderaxespad=0.0, alignment="left")
