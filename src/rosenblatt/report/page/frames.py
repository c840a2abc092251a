"""A record as the frames of a film: for each update that is shown what is drawn, what is said and what is counted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array, matrix
from ...trace.record import Record
from ..pictures.directions import Directions, directions
from ..trace import sentence, signed, wrong
from ..words import printable, short
from .bound import went_on

FIRST = 100
"""Updates that are all shown: what each did is seen best where w is small."""
MOST = 2000
"""Updates shown beside those, some 400 bytes each; of more every second, fourth, eighth …"""
POINTS = 2000
"""Rows drawn; more hide each other."""
MARKED = 200
"""Rows of one update that are marked."""
NEAR = 2.5
"""Of one column, room is made for borders that are so many times its extent away from its middle."""
SAME_SCALE = 4.0
"""Ranges that differ by less than this share one scale, so that w is at a right angle to its line."""
FEW = 3
"""Columns up to which w is written out, and classes whose own is."""
DIGITS = 9
"""Of what is drawn."""
LARGE = 1e100
"""Numbers from here on are not drawn: products of them may be none."""


class Scene(NamedTuple):
    """What stays: places (n, 2) of all rows and their classes (n,), which of them are drawn, the ranges of both axes,
    where arrows begin, whether there are any (w is at a right angle to its line where both axes have one scale), and
    what is to be said of the picture."""

    plane: Directions
    places: Array
    y: Array
    drawn: Array
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    tail: tuple[float, float]
    arrows: bool
    notes: list[str]


def shown(record: Record) -> list[int]:
    """The updates that are shown, 0 first: all, or the first 100, then every second, fourth … and the last; of those
    whose weights are known where some are."""
    every, last, kept = 1, len(record), record.kept.update
    if len(kept):
        every = int(kept[0])
    while last > MOST * every:
        every *= 2
    first = min(FIRST, last) if not len(kept) or record.rebuilt(1) is not None else 0
    return sorted({*range(first + 1), *range(0, last + 1, every), last})


def scene_of(record: Record, updates: list[int]) -> Scene | None:
    """The plane that the rows are looked at in; None where they are not at hand, or too large to be drawn."""
    if record.chunk is None:
        return None
    rows = record.chunk.rows
    x = matrix(getattr(rows, "given", rows))  # rows of a kernel hold those that were given
    last = next((own for k in reversed(updates) if (own := record.weights(k)) is not None), None)
    w = None if last is None else last[0]
    plane = directions(x, w if w is not None and w.any() else None, record.names)
    places, classes = plane.places(x), len(record.classes)
    if not (np.abs(places) < LARGE).all():
        return None
    y = record.chunk.y.astype(int) if len(record.start[1]) > 1 else (record.chunk.y > 0.0).astype(int)
    notes = []
    if x.shape[1] == 1:
        places[:, 1] = y
        notes.append("One column; the classes are drawn one above the other.")
    elif x.shape[1] > 2:
        notes.append(
            f"{x.shape[1]:,} columns, seen in the plane of two directions through the middle of the rows. "
            + ("Lines are cuts through that plane; rows" if len(record.kept.update) else "Rows")
            + " lie before and behind it"
            + (", so that a row may be drawn on the wrong side" if len(record.kept.update) else "")
            + (" of all lines but the last." if w is not None and len(w) == 1 and len(record.kept.update) else ".")
        )
    drawn = np.arange(len(y))
    if drawn.size > POINTS:
        drawn = np.sort(np.random.default_rng(0).permutation(drawn)[:POINTS])
        notes.append(f"{POINTS:,} of the {len(y):,} rows are drawn, and those that an update moved by.")
    lanes = classes if x.shape[1] == 1 else 0
    corners = np.vstack([places, _borders(record, updates, plane, places)]) if lanes else places
    (x_range, y_range), same = _ranges(corners, lanes)
    tail, inner = -plane.axes @ plane.centre, 0.25 * np.diff([x_range, y_range]).ravel()
    middle = np.mean([x_range, y_range], axis=1)
    if lanes or (np.abs(tail - middle) > inner).any():
        tail = middle  # from where no arrow leaves the picture
    if not (same or lanes):
        notes.append("The two axes have scales of their own, so that w is not drawn: it would not be at a right angle.")
    start = float(tail[0]), float(tail[1])
    return Scene(plane, places, y, drawn, x_range, y_range, start, same or lanes > 0, notes)


def _borders(record: Record, updates: list[int], plane: Directions, places: Array) -> Array:
    """(m, 2) of one column: where the scores are 0 after the updates that are shown, if that is near the rows."""
    low, length = places.min(axis=0)[0], np.ptp(places[:, 0]) or 1.0
    own = [weights for k in updates if (weights := record.weights(k)) is not None and weights[0].shape[1]]
    cuts = [plane.cut(*weights) for weights in own]
    found = np.array([-b / w[0] for ws, bs in cuts for w, b in zip(ws, bs, strict=True) if w[0]])
    near = found[np.abs(found - low - length / 2.0) < NEAR * length]
    return np.column_stack([near, np.zeros(len(near))])


def _ranges(places: Array, lanes: int) -> tuple[list[tuple[float, float]], bool]:
    """Of both axes, with some room, and whether they are of the same length, as they are where they are alike. lanes:
    of one column, how many classes are drawn one above the other."""
    low, high = places.min(axis=0), places.max(axis=0)
    if lanes:
        low[1], high[1] = -0.5, lanes - 0.5
    length = high - low
    length[length == 0.0] = length.max() or 1.0
    same = bool(length.max() <= SAME_SCALE * length.min()) and not lanes
    if same:
        length[:] = length.max()
    sides = np.column_stack([(low + high) / 2.0 - 0.58 * length, (low + high) / 2.0 + 0.58 * length]).tolist()
    return [(left, right) for left, right in sides], same


def frames_of(record: Record, updates: list[int], scene: Scene | None) -> dict[str, list[Any]]:
    """Lists as long as `updates`: update, told, wrong (whether a row was wrong before it), marks (places of its rows),
    moved (classes), lines (of each class the numbers a, b, c of a·x + b·y + c = 0, or None), and what is counted."""
    out: dict[str, list[Any]] = {
        name: [] for name in ("update", "told", "wrong", "marks", "moved", "lines", "mistakes", "counted")
    }
    for k in updates:
        own = record.of(k) if k else None
        rows = [] if own is None else np.unique(own.row)[:MARKED].tolist()
        out["update"].append(k)
        out["told"].append(sentence(record, k) if k else _beginning(record))
        out["wrong"].append(own is not None and wrong(record, own, own.u) > 0)
        out["marks"].append([] if scene is None else [_rounded(scene.places[row]) for row in rows])
        out["moved"].append([] if own is None else np.unique(own.cls).tolist())
        out["mistakes"].append(int(record.updates.mistakes[k - 1]) if k else 0)
        weights = record.rebuilt(k) if k <= FIRST and len(record.kept.update) else record.weights(k)
        out["lines"].append(None if scene is None or weights is None else _lines(scene, *weights))
        out["counted"].append(_counted(record, k, weights))
    return out


def _lines(scene: Scene, w: Array, b: Array) -> Any:
    normals, offsets = scene.plane.cut(w, b)
    if not (np.abs(normals) < LARGE).all() or not (np.abs(offsets) < LARGE).all():
        return None
    return [_rounded([*normal, offset]) for normal, offset in zip(normals, offsets, strict=True)]


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def _beginning(record: Record) -> str:
    if not went_on(record):
        return "before the first update: all weights are 0, and so is every score"
    return "before the first update: the weights that learning went on from"


def _whose(record: Record, update: int) -> list[tuple[int, str]]:
    """(its number, ` of setosa`) of each class whose weights are written out: of more than two those that the update
    moved."""
    if len(record.start[1]) == 1:
        return [(0, "")]
    moved = np.unique(record.of(update).cls)[:FEW].tolist() if update else []
    names = [short(printable(str(record.classes[k])), 20) or "(empty)" for k in moved]
    return [(k, f" of {name}") for k, name in zip(moved, names, strict=True)]


def _counted(record: Record, update: int, weights: tuple[Array, Array] | None) -> dict[str, str]:
    """Name → number, as text, of what is told beside the picture."""
    updates, at = record.updates, update - 1
    out = {"update": f"{update:,} of {len(record):,}"}
    if update:
        out |= {"epoch": f"{updates.epoch[at]:,}", "rows seen": f"{updates.seen[at]:,}"}
    out["mistakes"] = f"{updates.mistakes[at]:,}" if update else "0"
    if weights is not None:
        w, b = weights
        out["‖w‖"] = signed(float(np.linalg.norm(w)))
        for k, of in _whose(record, update):
            if w.shape[1] <= FEW:
                out[f"w{of}"] = f"({', '.join(map(signed, w[k].tolist()))})"
            out[f"b{of}"] = signed(float(b[k]))
        error = record.error(update)
        if error is not None:
            out["training error"] = f"{error:.1%}"
    elif update and not np.isnan(updates.norm[at]):
        out["‖w‖"] = signed(float(updates.norm[at]))
    return out
