"""A record as lines of JSON, each a dict, and the arrays that lie beside them: what docs/guide/trace.md describes."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..data import labels
from .packing import EMBEDDED, about_rows, arrays_of, digest_of, pack
from .record import Entries, Record, Updates

FORMAT, VERSION = "rosenblatt-trace", 1
"""The version is raised whenever an older program could misread a newer file."""
EVENTS = 100_000
"""Entries that the lines hold. Of more, all lie beside, and the lines have those of each second, fourth … update."""
NUMBERS = 100_000
"""Numbers of kept weights that the lines hold, 2 MB; more lie beside."""
SHORT = 12
"""Letters of a field's digest."""
RECORDED = ("machine", "recipe", "data", "files", "weights", "errors")
"""Facts that have fields of their own."""

Line = dict[str, Any]


class Written(NamedTuple):
    """lines: one dict each, the last one the end without its digests. beside: arrays by name."""

    lines: Iterator[Line]
    beside: dict[str, Array]


def as_text(line: Line) -> str:
    """One line, in its one form. ASCII, as names of files need not be valid Unicode."""
    return json.dumps(line, separators=(",", ":"))


def written(record: Record, stated: Record | None = None) -> Written:
    """A record as its file holds it, before `closing`. stated: whose digests are given, default its own."""
    beside: dict[str, Array] = {}
    stated = record if stated is None else stated
    head = _head(record, beside)
    many = len(record.entries.update) > EVENTS
    wide = many or record.kept.w.size > NUMBERS
    if many:
        for what, columns in (("entries", record.entries), ("updates", record.updates)):
            beside |= {f"{what}.{name}": values for name, values in columns._asdict().items()}
    if wide and len(record.kept.update):
        own = record.kept._asdict()
        if np.isnan(record.kept.errors).all():
            del own["errors"]
        beside |= {f"kept.{name}": values for name, values in own.items()}
    end = {
        "stop": record.stop,
        "epochs": len(record.epochs),
        "updates": len(record),
        "entries": len(record.entries.update),
        "after": len(record) - ended(record),
        "digest": digest_of_updates(stated, ended(stated), len(stated)),
        "beside": {name: digest_of({name: values}) for name, values in beside.items()},
    }
    return Written(chain([head], _events(record, wide, stated), [{"end": end}]), beside)


def closing(lines: Iterator[Line]) -> Iterator[tuple[Line, str]]:
    """The lines with their texts; the last one with a digest of each field of it and of the first, and of all lines."""
    whole, fields, line = hashlib.sha256(), dict[str, str](), dict[str, Any]()
    for line in lines:
        text = as_text(line)
        whole.update(f"{text}\n".encode())
        if "format" in line or "end" in line:
            fields |= {name: digest_of_field(value) for name, value in leaves(line)}
        if "end" not in line:
            yield line, text
    line = {**line, "fields": fields, "digest": whole.hexdigest()}
    yield line, as_text(line)


def leaves(line: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """(`settings.eta0`, value) of each field of a line. Lists are values."""
    if not isinstance(line, dict) or not line:
        yield name, line
        return
    for key, value in line.items():
        yield from leaves(value, f"{name}.{key}" if name else key)


def digest_of_field(value: Any) -> str:
    """Short: it is to find a slip, and the digest of all lines is long."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:SHORT]


def ended(record: Record) -> int:
    """Updates by the end of the last epoch that was finished."""
    return int(record.epochs[-1]["by"]) if record.epochs else 0


def digest_of_updates(record: Record, first: int, last: int) -> str:
    """SHA-256 over all numbers of the updates from first + 1 to last, and of their entries."""
    part = slice(*np.searchsorted(record.entries.update, [first + 1, last + 1]).tolist())
    entries = Entries(*(_one_nan(values[part]) for values in record.entries))
    updates = Updates(*(_one_nan(values[first:last]) for values in record.updates))
    return digest_of({**entries._asdict(), **updates._asdict()})


def _one_nan(values: Array) -> Array:
    return np.where(np.isnan(values), np.nan, values) if values.dtype.kind == "f" else values


# --- the first line ---


def _head(record: Record, beside: dict[str, Array]) -> Line:
    facts, chunk = record.facts, record.chunk
    rows = facts.get("rows") if chunk is None else about_rows(chunk)
    own = {} if chunk is None else arrays_of(chunk)
    embedded = chunk is not None and sum(values.nbytes for values in own.values()) <= EMBEDDED
    w, b = record.start
    begun = None
    if record.begun is not None:
        state, tensors = record.begun
        begun = {"run": state, "arrays": {name: _put(f"begun.{name}", v, beside) for name, v in tensors.items()}}
    zero = not (w.any() or b.any())
    return {
        "format": FORMAT,
        "version": VERSION,
        **facts.get("machine", {}),
        "settings": record.settings.words(),
        "recipe": facts.get("recipe"),
        "data": {"name": facts.get("data"), "files": facts.get("files"), "chunks": list(record.sizes), **(rows or {})},
        "classes": labels.to_json(np.asarray(record.classes)),
        "names": None if record.names is None else list(map(str, record.names)),
        "order": None if record.order is None else (np.asarray(record.order) + 1).tolist(),
        "weights": {"shape": list(w.shape), "budget": facts.get("weights"), "errors": facts.get("errors", False)},
        "start": None if zero else {"w": _put("start.w", w, beside), "b": _put("start.b", b, beside)},
        "begun": begun,
        "more": {name: value for name, value in facts.items() if name not in (*RECORDED, "rows")},
        "rows": {name: pack(values) for name, values in own.items()} if embedded else None,
    }


def _put(name: str, values: Array, beside: dict[str, Array]) -> Any:
    """The array itself, or, of a large one, the name by which it lies beside."""
    if values.nbytes <= EMBEDDED:
        return pack(values)
    beside[name] = values
    return {"beside": name}


# --- updates and epochs ---


def _events(record: Record, wide: bool, stated: Record) -> Iterator[Line]:
    chosen = _chosen(record)
    lines, at = _update_lines(record, chosen, wide), 0
    by = 0
    for epoch in record.epochs:
        count = int(np.searchsorted(chosen, epoch["by"], "right"))
        yield from (next(lines) for _ in range(count - at))
        loss = _number(float(epoch["loss"]))
        yield {**epoch, "loss": loss, "digest": digest_of_updates(stated, by, epoch["by"])}
        at, by = count, epoch["by"]
    yield from lines


def _chosen(record: Record) -> Array:
    """Numbers of the updates that have a line."""
    n, step = len(record), 1
    counts = np.bincount(record.entries.update, minlength=n + 1)
    while counts[step::step].sum() > EVENTS:
        step *= 2
    return np.arange(step, n + 1, step)


def _update_lines(record: Record, chosen: Array, wide: bool) -> Iterator[Line]:
    entries, updates, kept = record.entries, record.updates, record.kept
    own = np.isin(entries.update, chosen)
    ends = np.searchsorted(entries.update[own], chosen, "right").tolist()
    classes = np.asarray(record.classes)
    labeled = classes[entries.cls[own]] if classes.size > 2 else np.repeat(classes[-1:], np.count_nonzero(own))
    names = ("row", "class", "y", "u", "a", "after", "b")
    ints = (entries.row[own] + 1).tolist(), labeled.tolist(), entries.y[own].astype(np.int64).tolist()
    columns = *ints, *(_numbers(values[own]) for values in (entries.u, entries.a, entries.after, entries.b))
    rows = [dict(zip(names, each, strict=True)) for each in zip(*columns, strict=True)]
    whole = (updates.epoch, updates.seen, updates.mistakes, updates.norm, updates.shrunk)
    heads = zip(chosen.tolist(), *(_numbers(values[chosen - 1]) for values in whole), strict=True)
    places = {} if wide else {number: at for at, number in enumerate(kept.update.tolist())}
    first = 0
    for head, end in zip(heads, ends, strict=True):
        line = dict(zip(("update", *Updates._fields), head, strict=True))
        line["entries"] = rows[first:end]
        if (at := places.get(head[0])) is not None:
            line |= {"w": [_numbers(w) for w in kept.w[at]], "b": _numbers(kept.b[at])}
            line |= {"error": float(kept.errors[at])} if kept.errors[at] == kept.errors[at] else {}
        yield line
        first = end


def _numbers(values: Array) -> list[Any]:
    """Plain numbers to the last digit, None for what is not finite."""
    return values.tolist() if values.dtype.kind != "f" else list(map(_number, values.tolist()))


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
