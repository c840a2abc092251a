"""Pictures of whole runs, off their records: loss, training error and what calms it, learning rates side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from ...core.rows import Array
from ...errors import DataError, SettingError
from ...kernels import kernel_name
from ...learn.converged import mistaken
from ...learn.settings import Settings
from ...trace.record import Record, error_of, keeping_none
from .canvas import INK, PALETTE, above, finish, lines_of, look, paper, percent, plain
from .labels import readable
from .lines import number_of
from .training import marked, scale_epochs

POINTS = 400
"""Places of a run at which its training error is drawn."""
MOST_SCORES = 1 << 26
"""Scores of rows by all weights, up to which they vote: some seconds."""
WIDE_RANGE = 50.0
"""Ratio of losses beyond which their axis is logarithmic."""
MOST_RATES = 6
MOVING = 4
"""Weights whose paths are drawn: those that move most."""
WAYS = {
    "each": "the weights then",
    "mean": "the mean of all weights so far",
    "best": "the best weights so far",
    "vote": "the vote of all weights so far",
}


def figure_of_loss(losses: Mapping[str, Sequence[float]], title: str | Sequence[str] = "") -> Figure:
    """The mean loss of each epoch, a line a run."""
    losses = {name: each for name, each in losses.items() if len(each)}
    if not losses:
        raise DataError("no epoch was finished; there is no loss to draw")
    figure = paper(9.0, 5.4, title)
    axes = figure.add_subplot()
    draw_losses(axes, losses)
    _scale_losses(axes, losses.values())
    if len(losses) > 1:
        above(axes, 2, handlelength=3.4)
    return finish(figure)


def draw_losses(axes: Axes, losses: Mapping[str, Sequence[float]], first: int = 4) -> None:
    """Lines by epoch; first: the number of the first one's look."""
    plain(axes, x="epoch (one pass over the training data)", y="mean loss of a row")
    for number, (name, each) in enumerate(losses.items(), first):
        values = np.where(np.isfinite(each), each, np.nan)
        style = {**look(number), "markersize": 4.5, "linewidth": 1.7, "label": readable(name, 40)}
        axes.plot(range(1, len(values) + 1), values, markevery=marked(len(values)), **style)
    scale_epochs(axes, max(map(len, losses.values())))


def _scale_losses(axes: Axes, losses: Iterable[Sequence[float]]) -> None:
    """Logarithmic where the losses differ much."""
    together = np.concatenate([np.asarray(each, float) for each in losses])
    together = together[np.isfinite(together)]
    if together.size and together.min() > 0.0 and together.max() > WIDE_RANGE * together.min():
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(number_of)
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif together.size:
        axes.set_ylim(bottom=min(0.0, float(together.min())))


# --- the training error, and what calms it ---------------------------------------------------------------------------


def figure_of_errors(record: Record, ways: Sequence[str] | None = None, title: str | Sequence[str] = "") -> Figure:
    """E_in of the weights after each update, and of what could be made of all so far."""
    ways = [ways] if isinstance(ways, str) else ways
    unknown = [way for way in ways or () if way not in WAYS]
    if unknown:
        raise SettingError(f"there is no way {unknown[0]!r} of answering; there are {', '.join(WAYS)}")
    seen, errors = errors_of(record, ways)
    why = {} if ways else {way: text for way, text in _missing(record).items() if way not in errors}
    said = [f"{' and '.join(why)} left out: {text}" for text in dict.fromkeys(why.values())]
    figure = paper(9.6, 5.6, [*lines_of(title), *said])
    axes = figure.add_subplot()
    plain(axes, x="rows learned from", y="training error: rows with y·u ≤ 0, or called another class")
    for number, way in enumerate(WAYS):
        if way not in errors:
            continue
        each = errors[way]
        style: dict[str, Any] = (
            {"color": "#8a8a8a", "linewidth": 1.0} if way == "each" else {**look(number + 3), "linewidth": 2.0}
        )
        style |= {"marker": "" if len(each) > 1 else "o", "drawstyle": "steps-post"}
        axes.plot(seen, each, label=f"{WAYS[way]}: {percent(round(float(each[-1]), 4))} at the end", **style)
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_formatter(percent)
    above(axes, 2, handlelength=2.6)
    return finish(figure)


def errors_of(record: Record, ways: Sequence[str] | None = None) -> tuple[Array, dict[str, Array]]:
    """(r,) rows learned from, and of each way (r,) the training error then: after each update whose weights were kept,
    at most 400 of them evenly spaced. ways: None: all that can be had. DataError where one cannot."""
    kept, chunk = record.kept, record.chunk
    counted = np.flatnonzero(~np.isnan(kept.errors)) if chunk is None else np.arange(len(kept.update))
    if not len(record):
        raise DataError("the run made no update; there is nothing to draw")
    if not len(counted):
        none = never_kept(record)
        raise DataError(f"{none or 'the record has no rows, or no weights'}; there is no training error to draw")
    why = _missing(record)
    for way in ways or ():
        if way in why:
            raise DataError(f"{way}: {why[way]}")
    asked = [way for way in WAYS if way in (ways or WAYS) and way not in why]
    shown = counted[np.unique(np.linspace(0, len(counted) - 1, POINTS).astype(int))]
    seen = record.updates.seen[kept.update - 1]
    found = {"each": kept.errors[shown] if chunk is None else _errors(record, kept.w[shown], kept.b[shown])}
    if "mean" in asked:
        found["mean"] = _errors(record, *_means(record, seen, shown))
    if "best" in asked:
        own = found["each"] if len(shown) == len(seen) else _errors(record, kept.w, kept.b)
        own = np.minimum.accumulate(np.append(_errors(record, *(part[None] for part in record.start)), own))
        found["best"] = own[1:][shown]
    if "vote" in asked:
        found["vote"] = _votes(record, seen)[shown]
    return seen[shown], {way: found[way] for way in asked}


def never_kept(record: Record) -> str:
    """Why no run like this keeps weights; "" where it could."""
    why, of = keeping_none(record.settings), ", whose weights are of rows," * (record.settings.kernel is not None)
    return f"a run {why}{of} keeps no weights" if why else ""


def _missing(record: Record) -> dict[str, str]:
    """The ways of answering that cannot be had, and why."""
    kept, chunk = len(record.kept.update), record.chunk
    if chunk is None:
        return dict.fromkeys(("mean", "best", "vote"), "needs the rows, which are not in the record")
    if kept < len(record):
        return dict.fromkeys(("mean", "vote"), "needs the weights after each update; Trace(weights=10**8) keeps more")
    scores = kept * len(chunk.y) * len(record.start[1])
    return {"vote": f"would ask for {scores:,} scores"} if scores > MOST_SCORES else {}


def _errors(record: Record, w: Array, b: Array) -> Array:
    """(c,) of weights (c, K, d), (c, K)."""
    assert record.chunk is not None
    return np.array([error_of(record.chunk, own, bias) for own, bias in zip(w, b, strict=True)])


def _means(record: Record, seen: Array, shown: Array) -> tuple[Array, Array]:
    """(r, K, d), (r, K): the mean of the weights after each row so far, right after the updates `shown`."""
    w, b = record.start[0].astype(float) * (seen[0] - 1), record.start[1] * (seen[0] - 1)
    means: tuple[list[Array], list[Array]] = ([], [])
    at = 0
    for k in range(int(shown[-1]) + 1):
        own, bias = record.kept.w[k], record.kept.b[k]
        if k == shown[at]:
            means[0].append((w + own) / seen[k])
            means[1].append((b + bias) / seen[k])
            at += 1
        rows = seen[k + 1] - seen[k] if k + 1 < len(seen) else 0
        w, b = w + rows * own, b + rows * bias
    return np.array(means[0]), np.array(means[1])


def _votes(record: Record, seen: Array) -> Array:
    """(c,) the training error of the vote, right after each update, of all weights so far by how many rows in a row
    they had right."""
    assert record.chunk is not None
    rows, y, many = record.chunk.rows, record.chunk.y, len(record.start[1]) > 1
    missed = np.diff(record.updates.mistakes, prepend=0) > 0
    votes, out = np.zeros((rows.n, len(record.start[1]))), np.empty(len(seen))
    current, since = record.start, 0
    for k in range(len(seen)):
        if missed[k]:  # the weights since the last mistake have had their time
            count = seen[k] - 1 - since
            u = rows.scores(current[0]) + current[1]
            votes += count * (_winners(u) if many else np.where(u > 0.0, 1.0, -1.0))
            current, since = (record.kept.w[k], record.kept.b[k]), seen[k]
        u = votes if np.any(votes) else rows.scores(record.kept.w[k]) + record.kept.b[k]
        out[k] = np.mean(mistaken(u if many else u[:, 0], y))
    return out


def _winners(u: Array) -> Array:
    """(n, K) 1 for the best class of each row."""
    return np.asarray(np.eye(u.shape[1])[u.argmax(axis=1)])


# --- learning rates side by side -------------------------------------------------------------------------------------


def check_rates(rates: Sequence[float]) -> None:
    """SettingError for too many to be seen side by side, or none, and for what is none."""
    if not 1 <= len(rates) <= MOST_RATES:
        raise SettingError(f"rates must be 1 to {MOST_RATES} learning rates, found {len(rates)}")
    wrong = [each for each in rates if isinstance(each, bool) or not isinstance(each, Real) or not each >= 0]
    if wrong or len(set(rates)) != len(rates):
        raise SettingError(f"rates must be numbers ≥ 0, each another one; found {', '.join(map(repr, rates))}")


def figure_of_rates(records: Mapping[str, Record], title: str | Sequence[str] = "") -> Figure:
    """A column a run: above its loss by epoch, below the weights that move most, by update."""
    if not records:
        raise DataError("there is no run to draw")
    losses = {name: [float(epoch["loss"]) for epoch in record.epochs] for name, record in records.items()}
    bare = next((name for name, each in losses.items() if not each), None)
    if bare is not None:
        raise DataError(f"{bare}: no epoch was finished; there is no loss to draw")
    for record in records.values():
        check_moving(record.settings)
    figure = paper(3.6 * len(records) + 0.8, 6.4, title)
    panels: Any = figure.subplots(2, len(records), squeeze=False)
    for number, (name, record) in enumerate(records.items()):
        top, below = panels[:, number]
        if number:
            top.sharey(panels[0, 0])
        draw_losses(top, {name: losses[name]})
        top.set_title(readable(name, 34), loc="left", color=INK, fontsize=11)
        _paths(below, record)
        if number:
            top.set_ylabel("")
            below.set_ylabel("")
    _scale_losses(panels[0, 0], losses.values())
    above(panels[1, 0], 2, handlelength=1.8, fontsize=9)
    return finish(figure)


def check_moving(settings: Settings) -> None:
    """SettingError where weights on the way are not kept, or there are no epochs."""
    if settings.kernel is not None:
        raise SettingError("learning rates are drawn by weights of columns, and {kernel:s} has weights of rows",
                           kernel=kernel_name(settings.kernel))  # fmt: skip
    if settings.pulls:
        raise SettingError("learning rates are drawn by weights on the way, which are not kept with {l1.name}", l1=None)
    if settings.optimizer.picks:
        name = settings.optimizer.name
        raise SettingError("learning rates are drawn by epochs, and {optimizer:s} has none", optimizer=name)


def _paths(axes: Axes, record: Record) -> None:
    """Of the first class, the bias, and the weights that move most."""
    many = f" of class {readable(record.classes[0], 16)}" if len(record.start[1]) > 1 else ""
    plain(axes, x="update", y=f"weights{many}")
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    kept = record.kept
    w = np.concatenate([record.start[0][None, 0], kept.w[:, 0]])
    way = np.abs(np.diff(w, axis=0)).sum(axis=0)
    most = np.sort(np.argsort(-way, kind="stable")[: MOVING - 1])
    at = np.append(0, kept.update)
    for number, j in enumerate(most):
        name = f"w of {record.names[j]}" if record.names is not None else f"w of column {j + 1}"
        style = {"color": PALETTE[5 - number], "linestyle": look(number)["linestyle"]}
        axes.plot(at, w[:, j], label=readable(name, 22), linewidth=1.4, **style)
    bias = np.append(record.start[1][0], kept.b[:, 0])
    if bias.any():
        axes.plot(at, bias, label="bias", color=INK, linewidth=1.0, linestyle=(0, (1, 1)))
