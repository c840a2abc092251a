"""Memories: averaged, voted and pocket beyond the plain grid of test_learn.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import naive
from learners import (
    KINDS,
    PROBLEMS,
    SEED,
    Problem,
    agree,
    errors,
    everything,
    expected,
    go_on,
    learned,
    model,
    orders,
    paths,
    problem,
    rows_of,
    same_bits,
    separable,
    steps_of,
)
from rosenblatt.core.loop import SCALE, UPDATES
from rosenblatt.errors import SettingError
from rosenblatt.learn.run import Chunk, Limits, Run, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes, memory_from

KEEPS = tuple(memory_classes())


def choices(*rules: str) -> list[tuple[str, str]]:
    """Each rule for two classes and one-vs-rest, and the multi-class perceptron, which is a rule of its own."""
    return [(rule, kind_of) for rule in rules for kind_of in PROBLEMS[:2]] + [("perceptron", PROBLEMS[2])]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


# --- long runs with decay --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "kind_of"), choices("perceptron", "linear"))
@pytest.mark.parametrize("keep", ["averaged", "voted"])
def test_folding_the_scale_keeps_the_digits(plain: None, keep: str, rule: str, kind_of: str) -> None:
    """0.95 a step, 480 steps: without folding the scale would be 2e-11 and the differences without digits."""
    p = problem(2 if kind_of == "two classes" else 3, n=40)
    words = {} if kind_of == "two classes" else {"multi_class": kind_of}
    how = naive.How(naive.constant(0.1), l2=0.5)
    runs = paths(p, rule, kind_of == "multi-class-perceptron", how, orders(40, 12))
    wanted = expected(runs, p, keep)
    for kind in KINDS:
        run = learned(p, kind, 12, rule=rule, keep=keep, eta0=0.1, alpha=0.5, **words)
        assert run.state.f[SCALE] > 0.01
        if keep == "voted":
            assert (run.memory.log()["row"] < 0).sum() >= 5, "the scale was folded into the weights on the way"
        agree(run, p, wanted, kind)


# --- voted -----------------------------------------------------------------------------------------------------------


def by_hand() -> Problem:
    """One feature, no bias: w = 0 (missed), 1 (right, right, wrong), −1 (wrong), 2."""
    x = np.array([[1.0], [2.0], [1.0], [-2.0], [3.0]])
    y = np.array([1.0, 1.0, 1.0, 1.0, 1.0])
    return Problem(x, y, 2, np.array([[1.0], [-1.0], [0.0]]))


@pytest.mark.parametrize(("counting", "counts"), [("notes", [0, 2, 0, 0]), ("freund-schapire", [0, 3, 1, 1])])
def test_survival_counts_by_hand(plain: None, counting: str, counts: list[int]) -> None:
    """Lecture note 000 counts right answers from 0, Freund & Schapire from 1; the start votes with its own count."""
    p = by_hand()
    run = learned(p, KINDS[0], 1, keep="voted", counting=counting, shuffle=False, fit_intercept=False)
    path = run.memory.path(run.state, 0)
    assert path.counts.tolist() == counts
    path_by_hand = naive.learn(p.x, p.y, *steps_of("perceptron"), [range(5)], naive.How(bias=0.0))
    assert [count for _, _, count in naive.voters(path_by_hand, int(counting != "notes"))] == counts
    decision = model(run, 2).decision(rows_of(p.fresh, KINDS[0]))
    votes = [w for w, n in zip([0, 1, -1, 2], counts, strict=True) for _ in range(n)]
    for row, found in zip(p.fresh[:, 0], decision, strict=True):
        assert found == pytest.approx(np.mean([1 if w * row > 0 else -1 for w in votes]), abs=1e-15)


@pytest.mark.parametrize("counting", ["notes", "freund-schapire"])
@pytest.mark.parametrize(("rule", "kind_of"), choices("perceptron", "margin", "logistic"))
def test_both_countings(plain: None, rule: str, kind_of: str, counting: str) -> None:
    p = problem(2 if kind_of == "two classes" else 3)
    words = {} if kind_of == "two classes" else {"multi_class": kind_of}
    for block in (1, 8):
        runs = paths(p, rule, kind_of == "multi-class-perceptron", naive.How(block=block), orders(12, 4))
        wanted = expected(runs, p, "voted", int(counting != "notes"))
        for kind in KINDS:
            run = learned(
                p, kind, 4, rule=rule, keep="voted", counting=counting, eta0=1.0, batch_size=8,
                optimizer="online" if block == 1 else "mini-batch", **words,
            )  # fmt: skip
            agree(run, p, wanted, kind, counting)


def test_when_no_vector_survived_anything_the_last_weights_answer(plain: None) -> None:
    p = by_hand()._replace(y=np.array([1.0, -1.0, 1.0, 1.0, 1.0]))
    p = p._replace(x=p.x[:2], y=p.y[:2])
    run = learned(p, KINDS[0], 1, keep="voted", shuffle=False, fit_intercept=False)
    assert run.memory.path(run.state, 0).counts.sum() == 0 and run.state.w.tolist() == [-1.0]
    assert model(run, 2).decision(rows_of(p.fresh, KINDS[0])).tolist() == [-1.0, 1.0, 0.0]
    assert run.memory.answer(run.state)[0].tolist() == [[-1.0]]


def test_the_log_holds_steps_and_each_row_once_never_vectors(plain: None) -> None:
    p = problem(n=30, d=6)
    run = learned(p, KINDS[2], 20, keep="voted")
    log, support = run.memory.log(), run.memory.support
    assert len(log["row"]) == run.state.n[UPDATES] > 60
    assert support.n == support.rows.n <= 30, "a row that made steps in many epochs is stored once"
    assert run.memory.saved().keys() >= {"start_w", "log_row", "log_count", "support_data"}


def test_a_full_log_is_emptied_on_the_way(plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for a few steps only: the loop returns in mid-epoch, and nothing changes."""
    p = problem(3)
    wanted = learned(p, KINDS[0], 5, keep="voted", alpha=0.4)
    monkeypatch.setattr("rosenblatt.memory.voted.ROOM", 7)
    found = learned(p, KINDS[0], 5, keep="voted", alpha=0.4)
    same_bits(everything(found, p, KINDS[0]), everything(wanted, p, KINDS[0]), "small log")


def test_voting_in_parts_is_voting_at_once(plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(3)
    for together in ("one-vs-rest", "multi-class-perceptron"):
        run = learned(p, KINDS[0], 5, keep="voted", multi_class=together)
        whole = model(run, 3).decision(rows_of(p.fresh, KINDS[0]))
        with monkeypatch.context() as patched:
            patched.setattr("rosenblatt.memory.voted.BLOCK", 1)
            assert np.array_equal(model(run, 3).decision(rows_of(p.fresh, KINDS[0])), whole)


# --- pocket ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [0, 1, 3])
@pytest.mark.parametrize("classes", [2, 3])
def test_pocket_at_record_runs_at_epochs_ends_and_denser_on_request(plain: None, classes: int, every: int) -> None:
    p = problem(classes, n=25)
    for block in (1, 8):
        for rule in ("perceptron", "linear"):
            runs = paths(p, rule, False, naive.How(naive.constant(0.25), block), orders(25, 6))
            for kind in KINDS:
                run = learned(
                    p, kind, 6, rule=rule, keep="pocket", eta0=0.25, check_every=every, batch_size=8,
                    optimizer="online" if block == 1 else "mini-batch",
                )  # fmt: skip
                agree(run, p, expected(runs, p, "pocket", every=every), kind, f"every={every} block={block}")


def test_pocket_looks_no_more_often_than_it_says(plain: None) -> None:
    """At the start, at each record run, at each epoch's end: after every update cost 6.3 s for 1.2 ms of learning."""
    p = problem(n=25)
    looks: list[float] = []
    count = errors(p.x, p.y)

    def measure(weights: Any) -> float:
        looks.append(count(weights))
        return looks[-1]

    run = new_run(Settings.of(keep="pocket", random_state=SEED), rows_of(p.x, KINDS[0]), 2)
    train(run, [Chunk(rows_of(p.x, KINDS[0]), p.y)], Limits(6), measure)
    path = naive.learn(p.x, p.y, *steps_of("perceptron"), orders(25, 6), naive.How())
    records, longest, now = 0, 0, 0
    for block in path:
        records += block.wrong[0] and now > longest
        longest, now = (max(longest, now), 0) if block.wrong[0] else (longest, now + 1)
    assert len(looks) == 1 + records + 6 and records > 0
    assert count(run.memory.answer(run.state)) == max(looks)


def test_equal_is_not_better(plain: None) -> None:
    p = problem()
    run = new_run(Settings.of(keep="pocket"), rows_of(p.x, KINDS[0]), 2)
    train(run, [Chunk(rows_of(p.x, KINDS[0]), p.y)], Limits(3), lambda weights: 0.0)
    w, b = run.memory.answer(run.state)
    assert not w.any() and not b.any(), "the start stays in the pocket"


def test_what_is_in_the_pocket_is_measured_anew_on_new_rows(plain: None) -> None:
    p, other = separable(), problem()
    run = learned(p, KINDS[0], 50, keep="pocket")
    assert run.memory.best == 0.0
    go_on(run, other, KINDS[0], Limits(3))
    count = errors(other.x, other.y)
    assert run.memory.best == count(run.memory.answer(run.state)) < 0.0


# --- all -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_copy_goes_on_alone_and_answering_changes_nothing(plain: None, keep: str, classes: int) -> None:
    p = problem(classes)
    run = learned(p, KINDS[0], 2, keep=keep, alpha=0.1)
    before = everything(run, p, KINDS[0])
    before = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in before.items()}
    before["history"] = {name: list(values) for name, values in run.history.items()}
    memory = run.memory.copy()
    twin = Run(run.settings, type(run.state)(*(a.copy() for a in run.state)), memory, run.epoch, blocks=run.blocks)
    go_on(twin, p, KINDS[0], Limits(3))
    for array in run.memory.answer(run.state):
        array += 1.0
    same_bits(everything(run, p, KINDS[0]), before, "after the copy has gone on")


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("classes", [2, 3])
def test_before_the_first_row_every_memory_answers_zero(plain: None, keep: str, classes: int) -> None:
    p = problem(classes)
    run = learned(p, KINDS[0], 0, keep=keep)
    w, b = run.memory.answer(run.state)
    assert w.shape == ((1, 4) if classes == 2 else (3, 4)) and not w.any() and not b.any()
    assert run.stop_reason == "epoch limit (max_iter)"


def test_unknown_names_are_one_sentence() -> None:
    with pytest.raises(SettingError, match="unknown keep='best'; one of last, averaged, "):
        memory_from("best")
    with pytest.raises(SettingError, match="unknown counting='mine'; one of notes, freund-schapire"):
        memory_from("voted", counting="mine")
