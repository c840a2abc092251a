"""A run in words: what each update did to its row's score, read off the record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..core.rows import Array
from ..trace.observer import record_of
from ..trace.record import Entries, Record
from .words import listed, plural, printable, short

NAMED = 3
"""Classes named in a sentence at the most."""
SHAKY = 1e-4
"""A difference this much smaller than what it is of is told to one digit: of float32 rows the next are rounding."""


def sentences(record: Record, first: int = 1, last: int | None = None) -> Iterator[str]:
    """`sentence` of each update of a record from `first` to `last`, None: to the end. DataError where there is no such
    update."""
    record = record_of(record)
    for update in range(first, (len(record) if last is None else last) + 1):
        yield sentence(record, update)


def told(record: Record) -> Iterator[str]:
    """The same for people: before the first update of each epoch its number."""
    for update, text in enumerate(sentences(record)):
        epoch = record.updates.epoch[update]
        if not update or epoch > record.updates.epoch[update - 1]:
            yield f"epoch {epoch:,}"
        yield text


def sentence(record: Record, update: int) -> str:
    """What this update of a record did, from 1: the score of its row before, what was added to it, the score after, and
    whether that is right. Rows are numbered from 1. DataError where there is no such update.

    Where several rows moved together: how many, how many of them were wrong before, and how many are after it.
    """
    record = record_of(record)
    own, head = record.of(update), f"update {update:,}"
    if len(set(own.row.tolist())) > 1:
        return f"{head}: {_together(record, own, update)}"
    label = _label(record, own)
    head += f", row {own.row[0] + 1:,}{f' ({label})' if label else ''}: "
    if jointly(record):
        return head + _race(record, own, update)
    if len(record.start[1]) == 1:
        return head + _move(record, own, update, 0)
    return head + _moves(record, own, update)


def jointly(record: Record) -> bool:
    """Whether classes are learned together: a row is right where its own class is ahead of all others."""
    return len(record.start[1]) > 1 and record.settings.multi_class == "multi-class-perceptron"


def wrong(record: Record, own: Entries, u: Array) -> int:
    """How many rows of an update are wrong by these scores of its entries, a row of the data once: where a class that
    moved has y·u ≤ 0, or, of classes that are learned together, another one that moved is not below the row's own."""
    rows = np.unique(own.row)
    if not jointly(record):
        return len(np.unique(own.row[own.y * u <= 0.0]))
    return sum(_lead(own, u, own.row == row) <= 0.0 for row in rows)


def signed(number: float) -> str:
    """`−2.1`, `1,240`, `3e-12`: to three digits, and never 0 where it is not."""
    size = abs(float(number))
    sign = "−" if number < 0.0 else ""
    if math.isnan(size) or math.isinf(size):
        return "not a number" if math.isnan(size) else f"{sign}∞"
    return sign + (f"{size:,.0f}" if 999.5 <= size < 1e9 else f"{size:.3g}")


def _lead(own: Entries, u: Array, of: Array) -> float:
    """How far a row's own class is ahead of the best other one that moved."""
    mine, others = u[of & (own.y > 0.0)], u[of & (own.y < 0.0)]
    if np.isnan(u[of]).any():
        return math.nan
    # A class whose step rounded to 0 had all of the probability.
    return math.inf if not mine.size or not others.size else float(mine[0] - others.max())


# --- one row of two classes, or a class against the rest ---


def _moves(record: Record, own: Entries, update: int) -> str:
    """Of each class that moved; those that did the same side by side, and of many the row's own and the worst."""
    alike: dict[str, list[int]] = {}
    for i in sorted(range(len(own.row)), key=lambda i: (own.y[i] < 0.0, own.y[i] * own.after[i])):
        alike.setdefault(_move(record, own, update, i), []).append(i)
    parts = list[str]()
    for move, places in list(alike.items())[:NAMED]:
        sides = [f"{'towards' if own.y[i] > 0.0 else 'away from'} {_name(record, own.cls[i])}" for i in places]
        parts.append(f"{listed(sides, NAMED)}: {move}")
    rest = [own.y[i] * own.after[i] for places in list(alike.values())[NAMED:] for i in places]
    if rest:
        known = "" if np.isnan(rest).any() else f", {sum(u > 0.0 for u in rest):,} of them right now"
        parts.append(f"away from {len(rest):,} more {'class' if len(rest) == 1 else 'classes'}{known}")
    return "; ".join(parts)


def _move(record: Record, own: Entries, update: int, i: int) -> str:
    y, before, after = own.y[i], own.y[i] * own.u[i], own.y[i] * own.after[i]
    was = f"was right by {signed(before)}" if before > 0.0 else f"y·u was {signed(before)}"
    was += ", which is a mistake" if before == 0.0 else ""
    if np.isnan(after):
        return f"{was}; what it is after the update was not measured"
    base, shrunk = before, record.updates.shrunk[update - 1]
    if shrunk != 1.0:
        b = y * float(record.bias(update - 1)[own.cls[i]])
        base = shrunk * (before - b) + b
        was += f", {signed(base)} when L2 had shrunk w by {_percent(shrunk)}" if base != before else ""
    return f"{was}, {_added(record, own, i, (base, after))}, {_now(before, base, after)}"


def _now(before: float, base: float, after: float) -> str:
    if before <= 0.0:
        end = "right" if after > 0.0 else "still wrong" if after == 0.0 else "still wrong"
        return f"now {signed(after)}: {end}{' (undershoot)' if base < after <= 0.0 else ''}"
    way = "moved on" if after > before else "moved back" if after < before else "stays"
    return f"{way} {'at' if after == before else 'to'} {signed(after)}: {'still right' if after > 0.0 else 'now wrong'}"


def _added(record: Record, own: Entries, i: int, scores: tuple[float, float]) -> str:
    """The step, as a formula and a number."""
    base, after = scores
    added, step = after - base, own.y[i] * own.a[i]
    if added == 0.0:
        return "the update does not move it"
    settings = record.settings
    x = "x̄" if settings.fit_intercept else "x"
    square = f"‖{x}‖²" if hasattr(settings.metric, "plain") else f"{x}ᵀΣ{x}"
    if settings.kernel is not None:
        square = "(k(x, x) + 1)" if settings.fit_intercept else "k(x, x)"
    eta = settings.shaped and not settings.brings  # then the step comes without it
    whole = step == (1.0 if eta else settings.rate) and (eta or hasattr(settings.schedule, "constant"))
    dot = "" if square.startswith(("‖", "(")) else "·"
    formula = f"η{dot}{square}" if whole else f"{'η·' if eta else ''}y·a{dot}{square}"
    unsure = abs(added) < SHAKY * max(abs(base), abs(after))
    size = f"about {signed(float(f'{added:.0e}'))}" if unsure else signed(added)
    # Of a metric that takes L1 on itself, in the same step, there is no formula.
    what = f"{size}, L1 counted in" if settings.l1 > 0.0 and not settings.pulls else f"{formula} = {size}"
    return f"{'the update' if whole else f'the step y·a = {signed(step)}'} adds {what}"


def _percent(shrunk: float) -> str:
    return f"{signed(100.0 * (1.0 - shrunk))} %"


# --- classes that are learned together ---


def _race(record: Record, own: Entries, update: int) -> str:
    of = np.ones(len(own.row), bool)
    before, after = _lead(own, own.u, of), _lead(own, own.after, of)
    moves = [f"{signed(u)} → {signed(v)}" for u, v in zip(own.u, own.after, strict=True)]
    ways = [f"{_name(record, cls)} ({move})" for cls, move in zip(own.cls, moves, strict=True)]
    towards, away = ([way for way, y in zip(ways, own.y, strict=True) if y * side > 0.0] for side in (1.0, -1.0))
    went = [f"{side} {listed(names, NAMED)}" for side, names in (("towards", towards), ("away from", away)) if names]
    was = _standing(record, own, own.u, before)
    if np.isnan(after):
        return f"{was}; {', '.join(went)}; what the scores are after the update was not measured"
    shrunk = record.updates.shrunk[update - 1]
    went += [f"L2 shrank w by {_percent(shrunk)}"] if shrunk != 1.0 else []
    return f"{was}; {', '.join(went)}: {_end(record, own, before, after, shrunk)}"


def _standing(record: Record, own: Entries, u: Array, lead: float) -> str:
    if lead == math.inf:
        return "was right"
    rival = _name(record, _rival(own, u))
    if lead == 0.0:
        return f"tied with {rival}, which is a mistake"
    return f"was right, ahead of {rival} by {signed(lead)}" if lead > 0.0 else f"was behind {rival} by {signed(-lead)}"


def _end(record: Record, own: Entries, before: float, after: float, shrunk: float) -> str:
    if after == math.inf:
        return "still right"
    rival = _name(record, _rival(own, own.after))
    if after <= 0.0:
        how = f"tied with {rival}" if after == 0.0 else f"behind {rival} by {signed(-after)}"
        word = "now wrong" if before > 0.0 else "still wrong (undershoot)" if after > before else "still wrong"
        return f"{word}, {how}"
    others = own.u[own.y < 0.0]
    whole = len(own.row) == len(record.start[1])
    # What did not move was not above the best that did, before the update.
    if not whole and (shrunk != 1.0 or own.after[own.y > 0.0][0] <= others.max()):
        return f"ahead of {rival} by {signed(after)}; a class that did not move may be ahead of it"
    return f"{'still right' if before > 0.0 else 'right'}, ahead of {rival} by {signed(after)}"


def _rival(own: Entries, u: Array) -> int:
    others = np.flatnonzero(own.y < 0.0)
    return int(own.cls[others[np.argmax(u[others])]])


# --- several rows ---


def _together(record: Record, own: Entries, update: int) -> str:
    rows = len(np.unique(own.row))
    shrunk = record.updates.shrunk[update - 1]
    shrank = f", and L2 shrank w by {_percent(shrunk)}" if shrunk != 1.0 else ""
    end = f"{wrong(record, own, own.after):,} after it"
    if np.isnan(own.after).any():
        end = "how many after it was not measured"
    bad = f"{wrong(record, own, own.u):,} of them wrong before it"
    return f"{plural(rows, 'row')} moved w together{shrank}; {bad}, {end}"


# --- names ---


def _name(record: Record, cls: int) -> str:
    labels: Sequence[object] = record.classes.tolist()
    return short(printable(str(labels[cls])), 24) or "(empty)"


def _label(record: Record, own: Entries) -> str:
    """The row's class; "" where that is not known."""
    if len(record.start[1]) == 1:
        return _name(record, int(own.y[0] > 0.0))
    mine = own.cls[own.y > 0.0]
    if mine.size:
        return _name(record, int(mine[0]))
    return "" if record.chunk is None else _name(record, int(record.chunk.y[own.row[0]]))
