"""The loops against the plain references: every rule × optimisation × memory × rows × classes × decay × bias."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import naive
from learners import (
    ANSWERED,
    KINDS,
    PROBLEMS,
    REFERENCED,
    SEED,
    STEP_RULES,
    agree,
    errors,
    expected,
    finished,
    learned,
    orders,
    paths,
    problem,
    rows_of,
    separable,
    steps_of,
)
from rosenblatt.core import dispatch
from rosenblatt.core.loop import UPDATES, learn, learn_many
from rosenblatt.core.rows import dense
from rosenblatt.errors import SettingError
from rosenblatt.learn.run import Chunk, Limits, new_run
from rosenblatt.learn.settings import Settings, learner_table
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes

EPOCHS = 3
# A zero row's score is the bias alone, and steps of a mean over 5 rows cancel to 0 or to 1e-17: whole powers of two are
# exact. 12 rows are blocks of 8 and 4, and 16 rows one block.
ETA = 0.5
BATCH = 8
ROWS = {"online": 12, "mini-batch": 12, "batch": 16}
OPTIMIZERS = learner_table()["optimizer"].choices
SWEEPS = tuple(name for name in OPTIMIZERS if name in ROWS)
RULES = (*REFERENCED, "margin:tau=0.25", "passive-aggressive:C=0.125", "passive-aggressive-2:C=0.125")
ALPHA = 0.5
"""Strong enough (a factor of 3/4 a block) for the scale to be folded into the weights within these few steps."""


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def block_of(optimizer: str) -> int:
    return {"online": 1, "mini-batch": BATCH, "batch": ROWS["batch"]}[optimizer]


@cache
def references(rule: str, optimizer: str, kind_of: str, alpha: float, bias: bool) -> tuple[Any, Any]:
    """The problem and the reference runs: the same for every memory and storage."""
    p = problem(2 if kind_of == "two classes" else 3, ROWS[optimizer])
    how = naive.How(naive.constant(ETA), block_of(optimizer), float(bias), alpha)
    return p, paths(p, rule, kind_of == "multi-class-perceptron", how, orders(len(p.x), EPOCHS))


def test_every_rule_memory_and_optimizer_has_a_reference() -> None:
    """A new one is compared with nothing, and fails here only, until the tests say the same in their own words."""
    lacking = sorted(set(STEP_RULES) - set(REFERENCED))
    assert not lacking, f"tests/naive.py has no reference of {', '.join(lacking)}: add a line to RULES and to LOSSES"
    lacking = sorted(set(memory_classes()) - set(ANSWERED))
    assert not lacking, f"no reference of {', '.join(lacking)}: add it to tests/naive.py, `expected` and ANSWERED"
    lacking = sorted(set(OPTIMIZERS) - set(SWEEPS) - set(PICKS))
    assert not lacking, f"no reference of {', '.join(lacking)}: add it to ROWS and `block_of`, or to CHOOSERS"
    assert set(naive.RULES) == set(naive.LOSSES) == set(REFERENCED), "tests/naive.py has a rule that rules/ has not"


@pytest.mark.parametrize("keep", ANSWERED)
@pytest.mark.parametrize("optimizer", SWEEPS)
@pytest.mark.parametrize("rule", RULES)
def test_plain(plain: None, rule: str, optimizer: str, keep: str) -> None:
    """Without the compiler: weights, bias, mistakes, updates, loss, the answer and the decisions."""
    for kind_of in PROBLEMS if rule == "perceptron" else PROBLEMS[:2]:
        for alpha in (0.0, ALPHA):
            for bias in (True, False):
                p, runs = references(rule, optimizer, kind_of, alpha, bias)
                wanted = expected(runs, p, keep)
                for kind in KINDS if rule == "perceptron" else KINDS[::3]:  # compiled, all rules see all kinds
                    words = {"rule": rule, "optimizer": optimizer, "keep": keep, "alpha": alpha, "fit_intercept": bias}
                    if kind_of in ("one-vs-rest", "multi-class-perceptron"):
                        words["multi_class"] = kind_of
                    run = learned(p, kind, EPOCHS, eta0=ETA, batch_size=BATCH, **words)
                    agree(run, p, wanted, kind, f"{kind_of} alpha={alpha} bias={bias}")


def weights_with_zeros(n: int) -> Any:
    weight = np.random.default_rng(3).uniform(0.5, 2.0, n)
    weight[[1, n - 1]] = 0.0
    return weight


RATES = {
    "constant": ({}, naive.constant(ETA)),
    "inverse": ({"learning_rate": "inverse", "decay": 0.3}, naive.inverse(ETA, 0.3)),
    "sqrt": ({"learning_rate": "sqrt", "decay": 0.3}, naive.sqrt(ETA, 0.3)),
    "callable": ({"learning_rate": lambda t: 1.0 / (2 + t)}, lambda t: 1 / (2 + t)),
}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("optimizer", SWEEPS)
@pytest.mark.parametrize("rule", ["perceptron", "logistic", "passive-aggressive"])
def test_learning_rates_and_sample_weights(plain: None, rule: str, optimizer: str, rate: str) -> None:
    """η_t counts blocks from 0, over epochs; weights multiply the steps, and rows of weight 0 are left out."""
    words, eta = RATES[rate]
    for kind_of in PROBLEMS if rule == "perceptron" else PROBLEMS[:2]:
        p = problem(2 if kind_of == "two classes" else 3, ROWS[optimizer])
        weight = weights_with_zeros(len(p.x))
        how = naive.How(eta, block_of(optimizer), 1.0, 0.2, weight)
        runs = paths(p, rule, kind_of == PROBLEMS[2], how, orders(len(p.x), EPOCHS, weight))
        more = {} if kind_of == PROBLEMS[0] else {"multi_class": kind_of}
        for keep in ANSWERED:
            for kind in KINDS:
                run = learned(
                    p, kind, EPOCHS, weight, rule=rule, optimizer=optimizer, keep=keep, eta0=ETA, batch_size=BATCH,
                    alpha=0.2, **words, **more,
                )  # fmt: skip
                agree(run, p, expected(runs, p, keep), kind, f"{kind_of} {keep}")


@pytest.mark.parametrize("rule", ["perceptron", "linear"])
def test_a_weight_is_not_repetition_for_a_rule_driven_by_mistakes(plain: None, rule: str) -> None:
    """peers.md, Training: weights [1, 2, 1, 3] gave (7, 0.5), repeats (3, 1.5): the weight multiplies the step."""
    x, y, weight = np.array([[1.0], [2.0], [-1.0], [0.5]]), np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 2, 1, 3])
    p = problem()._replace(x=x, y=y)
    words = {"rule": rule, "shuffle": False, "eta0": 0.5}
    weighted = learned(p, KINDS[0], 1, weight, **words)
    again = np.repeat(np.arange(4), weight.astype(int))
    repeated = learned(p._replace(x=x[again], y=y[again]), KINDS[0], 1, **words)
    path = paths(p, rule, False, naive.How(naive.constant(0.5), weight=weight), [list(range(4))])[0]
    assert weighted.state.w[0] == path[-1].after[0][0] and weighted.state.b[0] == path[-1].after[1]
    assert weighted.state.w[0] != repeated.state.w[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_given_start_and_a_given_order(plain: None, classes: int, kind: str) -> None:
    """The start counts as the first voter, the first candidate, and in every average."""
    p = problem(classes)
    r = np.random.default_rng(4)
    w = r.normal(size=(classes if classes > 2 else 1, 4)).astype(np.float32).astype(float)
    b = r.normal(size=len(w))
    order = [3, 1, 4, 1, 5, 9, 2, 6]
    for keep in ANSWERED:
        settings = Settings.of(rule="perceptron", keep=keep, tol=None)
        run = new_run(settings, rows_of(p.x, kind), classes, (w, b))
        measure = errors(p.x, p.y) if keep == "pocket" else None
        train(run, [Chunk(rows_of(p.x, kind), p.y)], Limits(2), measure, order=np.array(order))
        step, loss = steps_of("perceptron")
        runs = [
            naive.learn(
                p.x, p.y if classes == 2 else np.where(p.y == k, 1.0, -1.0), step, loss, [order] * 2,
                naive.How(start=(w[k], b[k])),
            )
            for k in range(len(w))
        ]  # fmt: skip
        agree(run, p, expected(runs, p, keep), kind, keep)


# --- pick one mistake ------------------------------------------------------------------------------------------------


def at_random() -> Any:
    counter = iter(range(10**6))
    return lambda rows, margins: int(np.random.default_rng([SEED, next(counter)]).integers(len(rows)))


CHOOSERS: dict[str, Callable[[], Any]] = {
    "pick-first": lambda: lambda rows, margins: 0,
    "pick-worst": lambda: lambda rows, margins: margins.index(min(margins)),
    "pick-random": at_random,
}
PICKS = tuple(name for name in OPTIMIZERS if name in CHOOSERS)


@pytest.mark.parametrize("optimizer", PICKS)
@pytest.mark.parametrize("rule", ["perceptron", "margin", "until-right"])
def test_picking_one_mistake(plain: None, rule: str, optimizer: str) -> None:
    """First, random (its choices drawn by default_rng([seed, updates])), worst: until no row is wrong."""
    p = separable()
    path = naive.pick_one(p.x, p.y, steps_of(rule)[0], CHOOSERS[optimizer](), naive.How())
    for keep in ("last", "averaged", "voted"):
        for kind in KINDS:
            settings = Settings.of(rule=rule, optimizer=optimizer, keep=keep, random_state=SEED)
            run = new_run(settings, rows_of(p.x, kind), 2)
            train(run, [Chunk(rows_of(p.x, kind), p.y)], Limits())
            wanted = expected([path], p, keep)
            agree(run, p, wanted._replace(loss=run.history["loss"]), kind, keep)
            assert run.stop_reason == "no row is wrong any more" and run.converged == finished(run, p, rule)
            assert run.epoch == 0 and run.state.n[UPDATES] == len(path), "one pick is one update, and no epoch"


@pytest.mark.parametrize("rule", REFERENCED)
def test_picking_needs_a_rule_that_is_zero_when_right(plain: None, rule: str) -> None:
    p = separable()
    settings = Settings.of(rule=rule, optimizer="pick-first", tol=None)
    run = new_run(settings, rows_of(p.x, KINDS[0]), 2)
    if steps_of(rule)[0](10.0, 1.0, 1.0) == 0.0:
        train(run, [Chunk(rows_of(p.x, KINDS[0]), p.y)], Limits(max_updates=3))
        assert run.state.n[UPDATES] == 3 and run.stop_reason == "step limit (max_updates=3)" and not run.converged
    else:
        with pytest.raises(SettingError, match="also when right"):
            train(run, [Chunk(rows_of(p.x, KINDS[0]), p.y)], Limits(max_updates=3))


@pytest.mark.parametrize("optimizer", PICKS)
@pytest.mark.parametrize("kind_of", PROBLEMS[1:])
def test_picking_among_many_classes_ends_without_a_wrong_row(plain: None, kind_of: str, optimizer: str) -> None:
    p = separable(3)
    for kind in KINDS[::3]:
        settings = Settings.of(rule="perceptron", optimizer=optimizer, multi_class=kind_of)
        run = new_run(settings, rows_of(p.x, kind), 3)
        train(run, [Chunk(rows_of(p.x, kind), p.y)], Limits(max_updates=2000))
        if run.converged:
            w, b = run.memory.weights(run.state)
            u = p.x @ w.T + b
            assert (u.argmax(axis=1) == p.y).all()
        else:
            assert run.state.n[UPDATES] == 2000


# --- compiled --------------------------------------------------------------------------------------------------------

SIGNATURES = 2 * len(KINDS) * len(STEP_RULES) + len(KINDS)
"""At most so many compiled versions of the loops: two for each rule and each of KINDS, and the joint one."""


def compiled_agrees(rule: str, optimizer: str, kind_of: str, keep: str, kind: str, alpha: float = 0.0) -> None:
    p, runs = references(rule, optimizer, kind_of, alpha, True)
    more = {} if kind_of == PROBLEMS[0] else {"multi_class": kind_of}
    run = learned(
        p, kind, EPOCHS, rule=rule, optimizer=optimizer, keep=keep, eta0=ETA, batch_size=BATCH, alpha=alpha, **more
    )
    agree(run, p, expected(runs, p, keep), kind, f"{kind_of} {keep} {optimizer} alpha={alpha}")


def rules_and_storages() -> list[Any]:
    """Each rule with one kind of rows, in turn; with the others in `make test-slow`, as each is a loop to compile."""
    return [
        pytest.param(rule, kind, marks=() if (i + j) % len(KINDS) == 0 else pytest.mark.slow)
        for i, rule in enumerate(REFERENCED)
        for j, kind in enumerate(KINDS)
    ]


@pytest.mark.parametrize(("rule", "kind"), rules_and_storages())
def test_compiled_every_rule_and_storage(rule: str, kind: str) -> None:
    for optimizer in SWEEPS:
        for alpha in (0.0, ALPHA):
            compiled_agrees(rule, optimizer, "two classes", "last", kind, alpha)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kind_of", PROBLEMS)
@pytest.mark.parametrize("keep", ANSWERED)
def test_compiled_every_memory_and_storage_for_two_rules(keep: str, kind_of: str, kind: str) -> None:
    for rule in ("perceptron",) if kind_of == PROBLEMS[2] else ("perceptron", "logistic"):
        for optimizer in SWEEPS:
            compiled_agrees(rule, optimizer, kind_of, keep, kind, ALPHA)
            compiled_agrees(rule, optimizer, kind_of, keep, kind)


def test_nothing_but_rule_and_storage_makes_a_new_compiled_version() -> None:
    """Memory, blocks, decay, weights, schedules, bias, read-only and Fortran-ordered data are all run-time values."""
    p = problem()
    before = None
    frozen = p.x.copy()
    frozen.flags.writeable = False
    for x in (p.x, np.asfortranarray(p.x), frozen):
        for optimizer in SWEEPS:
            for keep in memory_classes():
                for words in ({}, {"alpha": 0.1, "fit_intercept": False, "learning_rate": "sqrt", "check_every": 1}):
                    settings = Settings.of(rule="perceptron", optimizer=optimizer, keep=keep, **words)
                    run = new_run(settings, dense(x), 2)
                    weight = np.ones(12) if words else None
                    measure = errors(p.x, p.y) if keep == "pocket" else None
                    train(run, [Chunk(dense(x), p.y, weight)], Limits(1), measure)
                    before = before or len(dispatch.versions())
                    assert len(dispatch.versions()) == before
    ours = {key: compiled for key, compiled in dispatch._LOOPS.items() if key[0] in (learn, learn_many)}
    ours = {key: compiled for key, compiled in ours.items() if all(c.__module__[:11] == "rosenblatt." for c in key[1])}
    for key, compiled in ours.items():
        assert len(compiled.signatures) <= len(KINDS), key
    assert sum(len(compiled.signatures) for compiled in ours.values()) <= SIGNATURES
