"""What the tests of records share: runs on little data that are recorded, and records that are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from learners import SEED, errors, problem, rows_of
from rosenblatt.learn.run import Chunk, Limits, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.trace import Record, Trace
from rosenblatt.trace.lines import Line, as_text

Array = np.ndarray[Any, Any]


def recorded(
    classes: int = 2, kind: str = "dense-float64", chunks: int = 1, limits: Limits | None = None, **words: Any
) -> Record:
    """Three epochs, or twenty picks."""
    p = problem(classes)
    settings = Settings.of(**{"random_state": SEED, "tol": None, **words})
    run, trace = new_run(settings, rows_of(p.x, kind), p.classes), Trace()
    parts = np.array_split(np.arange(len(p.x)), chunks)
    measure = errors(p.x, p.y) if run.memory.needs_measure else None
    limits = Limits(3, 20 if settings.optimizer.picks else None) if limits is None else limits
    train(run, [Chunk(rows_of(p.x[i], kind), p.y[i]) for i in parts], limits, measure, trace)
    return trace.record


def fitted(learner: Any, *data: Any, fit: str = "fit", **words: Any) -> Record:
    trace = Trace()
    getattr(learner, fit)(*data, callback=trace, **words)
    return trace.record


def same(found: Record, wanted: Record) -> None:
    """All that a record says is the same, to the last bit."""
    for part in ("entries", "updates", "kept"):
        for name, value in getattr(wanted, part)._asdict().items():
            own = getattr(getattr(found, part), name)
            assert own.dtype == value.dtype, (part, name)
            np.testing.assert_array_equal(own, value)
    for name in ("epochs", "stop", "facts", "sizes"):
        assert getattr(found, name) == getattr(wanted, name), name
    assert found.settings.words() == wanted.settings.words()
    assert found.classes.tolist() == wanted.classes.tolist()
    assert (None if found.names is None else list(found.names)) == (None if wanted.names is None else [*wanted.names])
    for one, other in zip(found.start, wanted.start, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (found.order is None) == (wanted.order is None) and (found.begun is None) == (wanted.begun is None)
    if wanted.order is not None:
        assert found.order is not None and found.order.tolist() == np.asarray(wanted.order).tolist()
    if wanted.begun is not None and found.begun is not None:
        assert found.begun[0] == wanted.begun[0] and found.begun[1].keys() == wanted.begun[1].keys()
        for name, value in wanted.begun[1].items():
            np.testing.assert_array_equal(found.begun[1][name], value)
    if wanted.chunk is not None and found.chunk is not None:
        assert type(found.chunk.rows) is type(wanted.chunk.rows)
        for one, other in zip(found.chunk.rows.given, wanted.chunk.rows.given, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(found.chunk.y, wanted.chunk.y)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where each number, text and empty value of a line stands."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [place for key, each in pairs for place in places(each, (*at, key))]
    return inner or [at]


def changed(line: Line, place: tuple[Any, ...]) -> tuple[str, Any]:
    """(the line with another value there, that value)."""
    import json

    line = json.loads(as_text(line))
    holder: Any = line
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value = another(holder[place[-1]])
    return as_text(line), value


def another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return float(np.nextafter(value, np.inf))
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return ("b" if value[:1] == "a" else "a") + value[1:]
    return "something"
