"""Exact resume: learning in pieces, through files, stopped anywhere, is learning at once, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learners import KINDS, STEP_RULES, Problem, everything, go_on, learned, model, problem, rows_of, same_bits
from rosenblatt.core.loop import UPDATES
from rosenblatt.learn.run import Chunk, Limits, Run
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes
from rosenblatt.model.model import Model

KEEPS = tuple(memory_classes())
EPOCHS = 6


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def through_a_file(run: Run, p: Problem, path: Path) -> Run:
    Model(run=run, classes=np.arange(p.classes)).save(path)
    return Model.load(path).run


GRID = [
    (rule, keep, classes, kind)
    for rule in (*STEP_RULES, "multi-class-perceptron")
    for keep in KEEPS
    for classes in (2, 3)
    for kind in (KINDS if rule == "perceptron" else ("csr-float64",))  # rows are the loop's, and no part of the state
    if rule in STEP_RULES or classes == 3
]


@pytest.mark.parametrize(("rule", "keep", "classes", "kind"), GRID)
def test_learning_in_pieces_is_learning_at_once(
    plain: None, tmp_path: Path, rule: str, keep: str, classes: int, kind: str
) -> None:
    """peers.md, Training: six epochs at once ≡ six times one ≡ two, a file, four ≡ stopped in mid-epoch."""
    p = problem(classes)
    words = {"rule": rule, "keep": keep, "alpha": 0.3, "eta0": 0.5, "learning_rate": "sqrt", "decay": 0.01}
    for chunks in (1, 2):
        whole = learned(p, kind, 0, **words)
        go_on(whole, p, kind, Limits(EPOCHS), chunks=chunks)
        wanted = everything(whole, p, kind)
        assert whole.epoch == EPOCHS, "the test needs data that are not finished early"

        one_by_one = learned(p, kind, 0, **words)
        for _ in range(EPOCHS):
            go_on(one_by_one, p, kind, Limits(1), chunks=chunks)
        same_bits(everything(one_by_one, p, kind), wanted, f"one by one, {chunks} chunks")

        saved = learned(p, kind, 0, **words)
        go_on(saved, p, kind, Limits(2), chunks=chunks)
        saved = through_a_file(saved, p, tmp_path / "model")
        go_on(saved, p, kind, Limits(EPOCHS - 2), chunks=chunks)
        same_bits(everything(saved, p, kind), wanted, f"through a file, {chunks} chunks")

        stopped = learned(p, kind, 0, **words)
        middles = 0
        for updates in (3, 8, 9, 14, 17):
            more = updates - int(stopped.state.n[UPDATES])
            go_on(stopped, p, kind, Limits(EPOCHS - stopped.epoch, max_updates=more), chunks=chunks)
            assert stopped.state.n[UPDATES] == updates and stopped.stop_reason == f"step limit (max_updates={more})"
            middles += stopped.position != (0, 0)
            stopped = through_a_file(stopped, p, tmp_path / "model")
        assert middles >= 2, "the test needs stops in the middle of an epoch"
        go_on(stopped, p, kind, Limits(EPOCHS - stopped.epoch), chunks=chunks)
        same_bits(everything(stopped, p, kind), wanted, f"stopped in mid-epoch, {chunks} chunks")


def test_the_state_of_tol_is_kept_too(plain: None, tmp_path: Path) -> None:
    p, kind = problem(), KINDS[0]
    words = {"rule": "logistic", "tol": 0.003, "n_iter_no_change": 4}
    whole = learned(p, kind, 500, **words)
    assert "loss fell by less than" in whole.stop_reason
    pieces = learned(p, kind, 0, **words)
    while not pieces.stop_reason.startswith("loss"):
        go_on(pieces, p, kind, Limits(1))
        pieces = through_a_file(pieces, p, tmp_path / "model")
    same_bits(everything(pieces, p, kind), everything(whole, p, kind), "tol")


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("classes", [2, 3])
def test_compiled_resume(tmp_path: Path, keep: str, classes: int) -> None:
    """The same bits from machine code: its order of summing must not depend on where a run was stopped."""
    p = problem(classes, n=200, d=19)
    for kind in KINDS:
        for words in ({"rule": "perceptron"}, {"rule": "logistic", "optimizer": "mini-batch", "batch_size": 7}):
            words = {**words, "keep": keep, "alpha": 0.01, "eta0": 0.5}
            whole, pieces = learned(p, kind, 6, **words), learned(p, kind, 0, **words)
            for updates in (31, 60, 61, 100):
                more = updates - int(pieces.state.n[UPDATES])
                go_on(pieces, p, kind, Limits(6 - pieces.epoch, max_updates=more))
                pieces = through_a_file(pieces, p, tmp_path / "model")
            go_on(pieces, p, kind, Limits(6 - pieces.epoch))
            same_bits(everything(pieces, p, kind), everything(whole, p, kind), f"{kind} {words}")


def test_a_callback_may_stop_and_the_run_goes_on(plain: None) -> None:
    p, kind = problem(), KINDS[0]
    whole, pieces = learned(p, kind, 4), learned(p, kind, 0)
    told: list[tuple[int, int, bool]] = []

    def stop(event: Any) -> bool:
        told.append((event.done, event.total, event.epoch_ended))
        return True

    while pieces.epoch < 4:
        train(pieces, [Chunk(rows_of(p.x, kind), p.y)], Limits(10), observers=stop)
        assert pieces.stop_reason == "stopped by the callback"
    assert told == [(12, 12, True)] * 4
    same_bits(everything(pieces, p, kind), everything(whole, p, kind), "callback")


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("together", [False, True])
def test_dense_and_sparse_calls_may_follow_each_other(plain: None, keep: str, together: bool) -> None:
    """Weights of many classes lie the other way round for sparse rows; every memory turns over with them."""
    p = problem(3)
    words = {"rule": "perceptron", "keep": keep, "multi_class": "multi-class-perceptron" if together else "one-vs-rest"}
    for first, second in ((KINDS[0], "csr-float64"), ("csr-float64", KINDS[0])):
        mixed, same = learned(p, first, 2, **words), learned(p, first, 2, **words)
        go_on(mixed, p, second, Limits(3))
        go_on(same, p, first, Limits(3))
        for found, wanted in zip(mixed.memory.answer(mixed.state), same.memory.answer(same.state), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
        decisions = [model(run, 3).decision(rows_of(p.fresh, first)) for run in (mixed, same)]
        np.testing.assert_allclose(decisions[0], decisions[1], rtol=1e-12)
