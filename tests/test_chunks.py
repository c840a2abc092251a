"""Learning from chunks that can only be gone through, again and again: nothing is counted, indexed or stacked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import naive
from learners import KINDS, PROBLEMS, QUIET, SEED, errors, problem, rows_of, separable, steps_of
from rosenblatt.core.loop import UPDATES
from rosenblatt.learn.run import Chunk, Limits, Run, Survey, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes
from rosenblatt.optimizers import optimizer_classes
from rosenblatt.theory.ledger.ledger import Ledger
from rosenblatt.theory.stopping import StopWhenNotSeparable

Array = np.ndarray[Any, Any]
PICKS = [name for name, cls in optimizer_classes().items() if cls.picks]


BATCHES = [(rule, kind) for rule in ("perceptron", "margin", "logistic") for kind in PROBLEMS[:2]]
BATCHES.append(("perceptron", PROBLEMS[2]))


class Stream:
    """Chunks of rows that are made anew for each pass, as those that are read from a file are; it knows no length."""

    def __init__(self, x: Array, y: Array, cuts: list[int], kind: str = KINDS[0], weight: Array | None = None) -> None:
        self.x, self.y, self.weight, self.cuts, self.kind = x, y, weight, [0, *cuts, len(x)], kind
        self.passes = self.held = 0

    def __iter__(self) -> Iterator[Chunk]:
        self.passes += 1
        for first, end in zip(self.cuts[:-1], self.cuts[1:], strict=True):
            part = slice(first, end)
            weight = None if self.weight is None else self.weight[part]
            yield Chunk(rows_of(self.x[part], self.kind), self.y[part], weight)


def learned(p: Any, cuts: list[int], limits: Limits, kind: str = KINDS[0], weight: Any = None, **words: Any) -> Run:
    settings = Settings.of(**{"random_state": SEED, "tol": None, **words})
    stream = Stream(p.x, p.y, cuts, kind, weight)
    run = new_run(settings, rows_of(p.x[:1], kind), p.classes, reach=Survey.of(stream, settings).reach)
    train(run, stream, limits, errors(p.x, p.y) if run.memory.needs_measure else None)
    return run


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


CUTS = ([], [5], [1, 2, 9], [4, 4, 11], list(range(1, 12)), [12, 12])
"""With empty chunks, and in one case a last chunk whose only row has no weight."""


@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize(
    ("rule", "kind_of"),
    [
        *((rule, kind) for rule in ("perceptron", "margin", "logistic") for kind in PROBLEMS[:2]),
        ("perceptron", PROBLEMS[2]),
    ],
)
def test_batch_weights_are_the_same_for_every_cutting(plain: None, rule: str, keep: str, kind_of: str) -> None:
    p = problem(2 if kind_of == PROBLEMS[0] else 3, n=13)
    p.x[6] = 1.0  # a row of zeros is right or wrong by a bias that is 0 or 1e-17, as its sum was ordered
    multi = kind_of if kind_of == PROBLEMS[2] else "one-vs-rest"
    weight = np.array([1.0, 2.0, 0.0, 0.5] * 3 + [0.0])
    for words in ({}, {"alpha": 0.1, "eta0": 0.5, "learning_rate": "inverse"}):
        for kind in (KINDS[0], KINDS[2]):
            for own in (None, weight):
                more = {"rule": rule, "keep": keep, "optimizer": "batch", "multi_class": multi, **words}
                runs = [learned(p, cuts, Limits(3), kind, own, **more) for cuts in CUTS]
                for run in runs[1:]:
                    assert run.history["mistakes"] == runs[0].history["mistakes"]
                    assert run.history["updates"] == runs[0].history["updates"]
                    assert run.epoch == 3 and run.blocks == runs[0].blocks
                    for found, right in zip(
                        run.memory.answer(run.state), runs[0].memory.answer(runs[0].state), strict=True
                    ):
                        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)
                    scores, wanted = (r.memory.scores(rows_of(p.fresh, kind), r.state) for r in (run, runs[0]))
                    np.testing.assert_allclose(scores, wanted, rtol=1e-11, atol=1e-11)


def test_the_cut_batch_is_the_reference(plain: None) -> None:
    p = problem()
    path = naive.learn(p.x, p.y, *steps_of("perceptron"), [list(range(12))] * 4, naive.How(block=12))
    run = learned(p, [3, 7], Limits(4), optimizer="batch", shuffle=False)
    w, b = run.memory.weights(run.state)
    np.testing.assert_allclose(w[0], path[-1].after[0], rtol=1e-12)
    np.testing.assert_allclose(b[0], path[-1].after[1], rtol=1e-12)


@pytest.mark.parametrize("rule", ["linear", "sigmoid", "logistic"])
def test_the_learning_rate_auto_comes_from_all_chunks(plain: None, rule: str) -> None:
    p = problem()
    p.x[-1] *= 50.0  # the longest row is in the last chunk
    runs = [learned(p, cuts, Limits(1), rule=rule, shuffle=False) for cuts in CUTS]
    assert len({run.settings.eta0 for run in runs}) == 1
    for run in runs[1:]:
        assert np.array_equal(run.state.w, runs[0].state.w), "online, in the order given: the same for every cutting"


@pytest.mark.parametrize("optimizer", PICKS)
@pytest.mark.parametrize("keep", memory_classes())
def test_picking_goes_through_all_chunks(plain: None, keep: str, optimizer: str) -> None:
    p = separable()
    runs = [learned(p, cuts, Limits(None), keep=keep, optimizer=optimizer) for cuts in CUTS]
    for run in runs:
        assert run.stop.kind == "no mistake" and run.state.n[UPDATES] == runs[0].state.n[UPDATES]
        np.testing.assert_allclose(run.state.w, runs[0].state.w, rtol=1e-12)


@pytest.mark.parametrize("cuts", CUTS)
def test_the_pocket_measures_on_all_chunks(plain: None, cuts: list[int]) -> None:
    p = problem(n=12)
    run = learned(p, cuts, Limits(6), keep="pocket", shuffle=False)
    whole = learned(p, [], Limits(6), keep="pocket", shuffle=False)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(run.memory.answer(run.state), whole.memory.answer(whole.state), strict=True)
    )


def test_a_later_chunk_has_an_order_of_its_own(plain: None) -> None:
    """Epoch e of the first chunk by [seed, e], as where there is one only; of chunk c by [seed, e, c]."""
    p = problem(n=12)
    run = learned(p, [5], Limits(2))
    orders = []
    for epoch in range(2):
        first = np.random.default_rng([SEED, epoch]).permutation(5)
        orders.append([*first.tolist(), *(np.random.default_rng([SEED, epoch, 1]).permutation(7) + 5).tolist()])
    path = naive.learn(p.x, p.y, *steps_of("perceptron"), orders, naive.How())
    np.testing.assert_allclose(run.memory.weights(run.state)[0][0], path[-1].after[0], rtol=1e-12)


@pytest.mark.parametrize("rule", QUIET[:3])
def test_observers_follow_a_stream(plain: None, rule: str) -> None:
    """The ledger and the proof see the same rows, whatever the chunks."""
    p = separable()
    summaries = []
    for cuts in CUTS[:3]:
        settings = Settings.of(rule=rule, shuffle=False)
        run, ledger = new_run(settings, rows_of(p.x[:1], KINDS[0]), 2), Ledger()
        train(run, Stream(p.x, p.y, cuts), Limits(200), None, [ledger, StopWhenNotSeparable(np.array([-1, 1]))])
        assert run.stop.kind == "no update"
        summaries.append([(bound.name, bound.holds, bound.limit, bound.measured) for bound in ledger.bounds()])
    assert summaries[0] == summaries[1] == summaries[2]


def test_a_proof_ends_a_stream(plain: None) -> None:
    p = problem()
    run = new_run(Settings.of(), rows_of(p.x[:1], KINDS[0]), 2)
    asking = StopWhenNotSeparable(np.array([-1, 1]))
    train(run, Stream(p.x, p.y, [5]), Limits(500), None, asking)
    assert (
        asking.not_separable is not None
        and run.stop.kind == "not separable"
        and run.stop_reason == asking.not_separable.reason
    )
