"""The record of a run: what it says of each update is what happened, and the run is the one that nobody watches."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest

from learners import KINDS, SEED, errors, problem, rows_of
from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.core.loop import MISTAKES, UPDATES
from rosenblatt.core.verbs import sees
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.metric import shaping
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.run import Chunk, Limits, Run, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes
from rosenblatt.optimizers import optimizer_classes
from rosenblatt.theory import Ledger
from rosenblatt.trace import Trace
from rosenblatt.trace import observer as module
from rosenblatt.trace.replay import replay

Array = np.ndarray[Any, Any]
OPTIMIZERS = tuple(optimizer_classes())


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def recorded(classes: int = 2, kind: str = "dense-float64", chunks: int = 1, **words: Any) -> tuple[Trace, Run, Array]:
    """(trace, a run without one, rows) of three epochs."""
    p, runs, trace = problem(classes), [], Trace()
    for observer in (trace, ()):
        settings = Settings.of(**{"random_state": SEED, "tol": None, **words})
        run = new_run(settings, rows_of(p.x, kind), p.classes)
        parts = np.array_split(np.arange(len(p.x)), chunks)
        measure = errors(p.x, p.y) if run.memory.needs_measure else None
        limits = Limits(3, 20 if settings.optimizer.picks else None)
        train(run, [Chunk(rows_of(p.x[i], kind), p.y[i]) for i in parts], limits, measure, observer)
        runs.append(run)
    return trace, runs[1], p.x


def check(trace: Trace, alone: Run, x: Array, places: float = 1e-12, shaped: bool = False) -> None:
    """The watched run is the one alone, and each update says what the weights on both sides of it say."""
    run, record = trace.run, trace.record
    entries, updates, kept = record.entries, record.updates, record.kept
    for one, other in zip(run.state, alone.state, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(updates.seen) == run.state.n[UPDATES] == entries.update.max(initial=0)
    assert updates.mistakes[-1:] <= run.state.n[MISTAKES]
    assert (np.diff(updates.seen) >= 0).all() and (np.diff(updates.mistakes) >= 0).all()
    (w, b), (end_w, end_b) = record.start, run.memory.weights(run.state)
    assert kept.update.tolist() == list(range(1, len(updates.seen) + 1))
    for k, (after, bias) in enumerate(zip(kept.w, kept.b, strict=True)):
        own = record.of(k + 1)
        before = np.einsum("ij,ij->i", x[own.row], w[own.cls]) + b[own.cls]
        now = np.einsum("ij,ij->i", x[own.row], after[own.cls]) + bias[own.cls]
        np.testing.assert_allclose(own.after, now, atol=places, rtol=places)
        shrunk = updates.shrunk[k]
        if shrunk == 1.0 and not sees(run.settings.loop_metric):
            np.testing.assert_allclose(own.u, before, atol=places, rtol=places)
        np.testing.assert_allclose(updates.norm[k], np.linalg.norm(after), atol=places, rtol=places)
        if not shaped and shrunk == 1.0:
            made = np.array(w)
            np.add.at(made, own.cls, own.a[:, None] * x[own.row])
            np.testing.assert_allclose(after, made, atol=places, rtol=places)
        w, b = after, bias
    if not sees(run.settings.loop_metric):  # one that sees rows changes weights without an update
        np.testing.assert_allclose(w, end_w, atol=places, rtol=places)
    np.testing.assert_allclose(b, end_b, atol=places, rtol=places)


@pytest.mark.parametrize(("rule", "classes"), [*product(rule_classes(), (2, 3))])
def test_every_rule_and_optimizer(rule: str, classes: int) -> None:
    for optimizer in OPTIMIZERS:
        try:
            trace, alone, x = recorded(classes, rule=rule, optimizer=optimizer)
        except SettingError as error:  # it says that the two do not go together
            assert "optimizer" in str(error) or "rule" in str(error)
            continue
        check(trace, alone, x)


@pytest.mark.parametrize("keep", memory_classes())
def test_every_memory_and_kind_of_rows(keep: str) -> None:
    for kind, classes in product(KINDS, (2, 3)):
        trace, alone, x = recorded(classes, kind, keep=keep)
        check(trace, alone, x, 1e-12 if kind.endswith("64") else 1e-5)


@pytest.mark.parametrize(("metric", "classes"), [*product(shaping(), (2, 3))])
def test_every_metric(metric: str, classes: int) -> None:
    for kind in KINDS:
        rule = {} if hasattr(shaping()[metric], "stride") else {"rule": "logistic"}
        trace, alone, x = recorded(classes, kind, metric=metric, **rule)
        check(trace, alone, x, 1e-12 if kind.endswith("64") else 1e-4, shaped=True)


@pytest.mark.parametrize("classes", [2, 3])
def test_shrinking_is_told_apart(classes: int) -> None:
    """With L2 the score after is that before, shrunk without its bias, and the step along the row."""
    trace, alone, x = recorded(classes, rule="logistic", alpha=0.1, eta0=0.5)
    check(trace, alone, x)
    entries, shrunk = trace.record.entries, trace.record.updates.shrunk
    assert np.allclose(shrunk, 0.95) and len(shrunk) == 36
    b = entries.b - entries.a
    wanted = shrunk[entries.update - 1] * (entries.u - b) + b + entries.a * ((x[entries.row] ** 2).sum(axis=1) + 1.0)
    np.testing.assert_allclose(entries.after, wanted, atol=1e-12)


@pytest.mark.parametrize("optimizer", ["online", "batch"])
def test_several_chunks_count_their_rows_on(optimizer: str) -> None:
    """A block that is cut into chunks is one update; what its rows score after it is not known then."""
    whole, _, x = recorded(optimizer=optimizer, shuffle=False)
    parts, alone, _ = recorded(optimizer=optimizer, shuffle=False, chunks=3)
    assert parts.record.entries.row.tolist() == whole.record.entries.row.tolist()
    assert parts.record.entries.update.tolist() == whole.record.entries.update.tolist()
    np.testing.assert_allclose(parts.record.entries.u, whole.record.entries.u, atol=1e-12)
    if optimizer == "online":
        check(parts, alone, x)
    else:
        assert np.isnan(parts.record.entries.after).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_kernel(classes: int) -> None:
    """The scores are those in the kernel's space; its weights are of rows, and are not kept."""
    p = problem(classes)
    trace, learner = Trace(), KernelPerceptron(kernel="poly", shuffle=False, max_iter=3)
    learner.fit(p.x, p.y, callback=trace)
    entries, k = trace.record.entries, (1.0 + p.x @ p.x.T) ** 3
    w, b = np.zeros((entries.cls.max() + 1, len(p.x))), np.zeros(entries.cls.max() + 1)
    for row, cls, u, a, after in zip(entries.row, entries.cls, entries.u, entries.a, entries.after, strict=True):
        np.testing.assert_allclose(u, w[cls] @ k[row] + b[cls], atol=1e-9)
        w[cls, row] += a
        b[cls] += a
        np.testing.assert_allclose(after, w[cls] @ k[row] + b[cls], atol=1e-9)
    assert len(trace.record.kept.update) == 0 and np.isnan(trace.record.updates.norm).all() and len(entries.u) > 10


def test_weights_are_thinned_evenly_where_there_is_no_room_for_all() -> None:
    """19 numbers are room for four of the weights; then for each second, fourth …"""
    p, trace = problem(n=60), Trace(weights=4 * 4 + 3)
    Perceptron(max_iter=20).fit(p.x, p.y, callback=trace)
    whole = Trace()
    Perceptron(max_iter=20).fit(p.x, p.y, callback=whole)
    few, all_ = trace.record.kept, whole.record.kept
    step = few.update[0]
    assert (
        len(few.update) in (2, 3, 4)
        and step > 100
        and few.update.tolist() == list(range(step, len(whole.record.updates.seen) + 1, step))
    )
    np.testing.assert_array_equal(few.w, all_.w[few.update - 1])
    np.testing.assert_array_equal(few.b, all_.b[few.update - 1])
    none = Trace(weights=0)
    Perceptron(max_iter=2).fit(p.x, p.y, callback=none)
    assert len(none.record.kept.update) == 0 and len(none.record.entries.u)


def test_what_is_asked_of_no_run_is_refused() -> None:
    with pytest.raises(DataError, match="has recorded no run yet"):
        _ = Trace().record
    with pytest.raises(SettingError, match="whole number"):
        Trace(weights=-1)
    trace, _, _ = recorded()
    with pytest.raises(DataError, match="there is no update 0; the run has"):
        trace.record.of(0)
    stopped = "stopped: epoch limit (max_iter=3)"
    run = trace.run
    counts = f"3 epochs, {run.state.n[UPDATES]} updates, {run.state.n[MISTAKES]} mistakes"
    assert repr(run) == f"<Run: perceptron; {counts}; epoch limit (max_iter=3)>"
    assert repr(trace) == f"<Trace: <Record: {len(trace.record)} updates of perceptron; {stopped}>>"


def test_nothing_prints_pages_of_numbers() -> None:
    trace = Trace()
    rows = np.random.default_rng(0).normal(size=(50, 3))
    Perceptron(max_iter=5, tol=None).fit(rows, np.arange(50) % 2, callback=trace)
    record = trace.record
    for each in (record, record.chunk, record.entries, record.updates, record.kept):
        assert len(repr(each)) < 150 and "\n" not in repr(each)
    assert repr(record.of(1)).startswith("Entries(update=array([1]), row=array([")


def test_a_run_is_recorded_by_one_trace() -> None:
    """Two would stand around each other, and the inner one would hear of nothing."""
    X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    one, two = Trace(), Trace()
    with pytest.raises(SettingError, match="a run is recorded by one trace"):
        Perceptron().fit(X, y, callback=[one, two])
    for twice in (one, Ledger()):
        with pytest.raises(SettingError, match="an observer is given twice"):
            Perceptron().fit(X, y, callback=[twice, twice])
    Perceptron().fit(X, y, callback=[one, Ledger()])
    assert len(one.record) == one.run.state.n[UPDATES] > 0  # type: ignore[union-attr]


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_that_come_one_by_one(classes: int) -> None:
    """partial_fit is watched as fit is: a record for each call, which goes on where the last one ended."""
    p, learner, plain = problem(classes), Perceptron(), Perceptron()
    for row, label in zip(p.x[:9], p.y[:9], strict=True):
        trace = Trace()
        learner.partial_fit([row], [label], classes=np.unique(p.y), callback=trace)
        plain.partial_fit([row], [label], classes=np.unique(p.y))
        record = trace.record
        assert len(record) in (0, 1) and record.stop == learner.stop_reason_
        w, b = (record.weights(1) or record.start) if len(record) else record.start
        np.testing.assert_array_equal(w, learner.coef_)
        np.testing.assert_array_equal(b, learner.intercept_)
        np.testing.assert_array_equal(plain.coef_, learner.coef_)


def test_a_run_without_end_is_ended_before_its_record_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 1000)
    X, y, trace = [[0.0], [0.0]], [0, 1], Trace()
    learner = Perceptron(max_iter=None).fit(X, y, callback=trace)
    record = trace.record
    assert 1000 <= len(record) < 1010 and len(record.epochs) == learner.n_iter_
    assert learner.stop_reason_ == record.stop == "the record is full, with 1,000 entries"
    assert [each["by"] for each in record.epochs] == np.cumsum([each["updates"] for each in record.epochs]).tolist()
    assert replay(record).exact


def test_a_long_record_takes_what_its_numbers_take() -> None:
    """Many short epochs were 26 arrays each: 24 GB where the numbers were 2."""
    X, y, trace = [[0.0], [0.0]], [0, 1], Trace(weights=0)
    tracemalloc.start()
    Perceptron(max_iter=1000).fit(X, y, callback=trace)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    own = sum(values.nbytes for part in (trace.record.entries, trace.record.updates) for values in part)
    assert own > 130_000 and taken < 6 * own
