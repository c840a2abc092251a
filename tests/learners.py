"""What the tests of learning share: small data, rows of every kind, and a run of the package beside its reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

import naive
from rosenblatt.core.loop import BIAS
from rosenblatt.core.rows import Rows, csr, dense
from rosenblatt.learn.rule import rule_classes, rule_from
from rosenblatt.learn.run import Chunk, Limits, Run, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes
from rosenblatt.model.model import Model
from rosenblatt.theory.ledger.ledger import Ledger

Array = np.ndarray[Any, Any]

KINDS = ("dense-float64", "dense-float32", "csr-float64", "csr-float32")
PROBLEMS = ("two classes", "one-vs-rest", "multi-class-perceptron")
STEP_RULES = tuple(name for name, cls in rule_classes().items() if hasattr(cls, "step"))
"""Discovered: every rule for two classes, the day its file is there."""
REFERENCED = tuple(name for name in STEP_RULES if name in naive.RULES and name in naive.LOSSES)
"""Those of which tests/naive.py says the same in its own words; one test names those that lack it."""
ANSWERED = tuple(name for name in memory_classes() if name in ("last", "averaged", "voted", "pocket"))
"""Memories of which `expected` knows the answer; one test names those that it does not."""
QUIET = ("perceptron", "margin", "until-right", "passive-aggressive", "passive-aggressive-2")
"""Rules that are zero when right."""
SEED = 5


def rows_of(x: Array, kind: str) -> Rows:
    storage, dtype = kind.split("-")
    if storage == "dense":
        return dense(x.astype(dtype))
    sparse = csr_array(x.astype(dtype))
    return csr(sparse.data, sparse.indices, sparse.indptr, x.shape[1])


def tolerance(kind: str) -> float:
    return 1e-12 if kind.endswith("64") else 1e-4


class Problem(NamedTuple):
    """x: (n, d) exactly representable in float32. y: ±1, or class numbers. fresh: rows to predict."""

    x: Array
    y: Array
    classes: int
    fresh: Array


def problem(classes: int = 2, n: int = 12, d: int = 4, seed: int = 1) -> Problem:
    """Rows that no learner gets all right, a third of the values zero, one row all zeros."""
    r = np.random.default_rng([seed, classes])
    x = r.normal(size=(n, d)).astype(np.float32).astype(float)
    x[r.random((n, d)) < 0.3] = 0.0
    x[n // 2] = 0.0
    y = r.integers(classes, size=n).astype(float)
    y[:classes] = np.arange(classes)
    fresh = r.normal(size=(9, d)).astype(np.float32).astype(float)
    return Problem(x, 2.0 * y - 1.0 if classes == 2 else y, classes, fresh)


def separable(classes: int = 2) -> Problem:
    """Rows that a line, or one line a class, gets all right, with offset; the zero row too if there are two classes."""
    p = problem(classes, n=14)
    if classes == 2:
        return p._replace(y=np.where(p.x @ np.array([1.0, -2.0, 0.5, 1.5]) + 0.25 > 0, 1.0, -1.0))
    x = p.x[np.abs(p.x).sum(axis=1) > 0.0]
    normals = np.array([[3.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, -1.0], [-3.0, -3.0, 1.0, 0.0]])
    return p._replace(x=x, y=(x @ normals.T).argmax(axis=1).astype(float))


def errors(x: Array, y: Array) -> Callable[[tuple[Array, Array]], float]:
    """What the pocket maximises: minus the rows whose own score is not above 0, or above all others."""

    def measure(weights: tuple[Array, Array]) -> float:
        w, b = np.atleast_2d(weights[0]), np.atleast_1d(weights[1])
        wrong = 0
        for row, label in zip(x, y, strict=True):
            u = w @ row + b
            if u.size == 1:
                wrong += bool(label * u[0] <= 0.0)
            else:
                wrong += bool(u[int(label)] <= np.delete(u, int(label)).max())
        return -float(wrong)

    return measure


def orders(n: int, epochs: int, weight: Array | None = None, seed: int = SEED) -> list[list[int]]:
    """The documented order of epoch e, default_rng([seed, e]), without rows of weight 0."""
    every = (np.random.default_rng([seed, e]).permutation(n) for e in range(epochs))
    return [[int(i) for i in order if weight is None or weight[i] > 0] for order in every]


def learned(p: Problem, kind: str, epochs: int | None, weight: Array | None = None, **words: Any) -> Run:
    """A run of the package on the problem; words: settings, in the API's words."""
    settings = Settings.of(**{"random_state": SEED, "tol": None, **words})
    run = new_run(settings, rows_of(p.x, kind), p.classes)
    go_on(run, p, kind, Limits(epochs), weight)
    return run


def go_on(run: Run, p: Problem, kind: str, limits: Limits, weight: Array | None = None, chunks: int = 1) -> None:
    """Learn on from the problem's rows, in so many chunks. A ledger follows: the theorems hold on each run."""
    parts = np.array_split(np.arange(len(p.x)), chunks)
    given = [Chunk(rows_of(p.x[i], kind), p.y[i], None if weight is None else weight[i]) for i in parts]
    ledger = Ledger()
    train(run, given, limits, errors(p.x, p.y) if run.memory.needs_measure else None, ledger)
    ledger.look()


def model(run: Run, classes: int) -> Model:
    return Model(run=run, classes=np.arange(classes))


def finished(run: Run, p: Problem, rule: str) -> bool:
    """spec.md, `converged_`: no row asks for a step at the weights that answer; by a vote, or of many classes, none is
    called wrong."""
    memory, state = run.answering
    u = memory.scores(rows_of(p.x, "dense-float64"), state)
    if not memory.is_linear or p.classes > 2:
        scores = u if p.classes > 2 else np.stack([-u[:, 0], u[:, 0]], axis=1)
        own = scores[np.arange(len(p.y)), ((p.y + 1) / 2 if p.classes == 2 else p.y).astype(int)]
        return bool((own > np.sort(scores, axis=1)[:, -2]).all())
    step, q = steps_of(rule)[0], (p.x**2).sum(axis=1) + float(state.f[BIAS])
    return not any(step(*row) for row in zip(u[:, 0], p.y, q, strict=True))


class Expected(NamedTuple):
    """By the references: the last and the answering weights, (K, d) and (K,); decisions on fresh rows; per epoch."""

    last: tuple[Array, Array]
    answer: tuple[Array, Array]
    decision: Array
    mistakes: list[int]
    updates: list[int]
    loss: list[float]


def steps_of(rule: str) -> tuple[Any, Any]:
    """The reference step and loss of a rule with parameters, `margin:tau=2`; one of REFERENCED."""
    value, name = rule_from(rule), rule.partition(":")[0]
    own = value._asdict()
    return lambda u, y, q: naive.RULES[name](u, y, q, **own), lambda u, y: naive.LOSSES[name](u, y, **own)


def paths(p: Problem, rule: str, together: bool, how: naive.How, some: list[list[int]]) -> list[list[naive.Block]]:
    """The reference runs: one for two classes, K for one-vs-rest, one of all classes together."""
    if together:
        return [naive.learn_together(p.x, p.y, p.classes, some, how)]
    step, loss = steps_of(rule)
    if p.classes == 2:
        return [naive.learn(p.x, p.y, step, loss, some, how)]
    return naive.one_vs_rest(p.x, p.y, p.classes, step, loss, some, how)


def expected(runs: list[list[naive.Block]], p: Problem, keep: str, first: int = 0, every: int = 0) -> Expected:
    """What the package should hold after these runs, one, or K side by side."""
    joint = runs[0][0].after[0].ndim == 2
    whole = runs[0] if p.classes == 2 or joint else naive.side_by_side(runs)
    if keep == "pocket":
        measure = errors(p.x, p.y)
        answer = naive.pocket(whole, lambda w, b: measure((w, b)), every)
    else:
        reader = {"last": naive.last, "averaged": naive.averaged, "voted": lambda a: naive.mean_voter(a, first)}[keep]
        answers = [reader(path) for path in runs]
        answer = answers[0] if len(runs) == 1 else tuple(np.array(part) for part in zip(*answers, strict=True))
    w, b = np.atleast_2d(answer[0]), np.atleast_1d(answer[1])
    if keep != "voted":
        decision = p.fresh @ w.T + b
    elif joint:
        decision = naive.votes_together(whole, p.fresh, first)
    else:
        decision = np.stack([naive.votes(path, p.fresh, first) for path in runs], axis=1)
    epochs = range(whole[-1].epoch + 1)
    shares = [sum(block.share for block in whole if block.epoch == e) for e in epochs]
    return Expected(
        (np.atleast_2d(whole[-1].after[0]), np.atleast_1d(whole[-1].after[1])),
        (w, b),
        decision[:, 0] if decision.shape[1] == 1 else decision,
        [sum(sum(block.wrong) for path in runs for block in path if block.epoch == e) for e in epochs],
        [sum(block.moved for block in whole if block.epoch == e) for e in epochs],
        [sum(block.loss for block in whole if block.epoch == e) / shares[e] for e in epochs],
    )


def agree(run: Run, p: Problem, wanted: Expected, kind: str, note: str = "") -> None:
    """Assert that the package's run holds what the references say."""
    near = tolerance(kind)

    def same(found: Any, right: Any, what: str) -> None:
        right = np.asarray(right)
        size = float(np.abs(right).max(initial=0.0))
        slack = near * max(size, 1e-3)
        np.testing.assert_allclose(found, right, rtol=near, atol=slack, err_msg=f"{what} {note} {kind}")

    assert run.history["mistakes"] == wanted.mistakes, f"mistakes {note} {kind}"
    assert run.history["updates"] == wanted.updates, f"updates {note} {kind}"
    same(run.history["loss"], wanted.loss, "loss")
    for found, right, what in zip(run.memory.weights(run.state), wanted.last, ("w", "b"), strict=True):
        same(found, right, f"last {what}")
    for found, right, what in zip(run.memory.answer(run.state), wanted.answer, ("w", "b"), strict=True):
        same(found, right, f"answering {what}")
    same(model(run, p.classes).decision(rows_of(p.fresh, kind)), wanted.decision, "decision")
    assert run.state.w.dtype == np.dtype(kind.split("-")[1]), "float32 stays float32"


def everything(run: Run, p: Problem, kind: str) -> dict[str, Any]:
    """All that a run holds and says."""
    held: dict[str, Any] = {f"state.{name}": value for name, value in run.state._asdict().items()}
    held |= {f"memory.{name}": value for name, value in run.memory.saved().items()}
    held |= {name: getattr(run, name) for name in ("epoch", "position", "blocks", "best_loss", "stale", "history")}
    held["answer w"], held["answer b"] = run.memory.answer(run.state)
    held["decision"] = model(run, p.classes).decision(rows_of(p.fresh, kind))
    return held


def same_bits(found: dict[str, Any], wanted: dict[str, Any], note: str) -> None:
    assert found.keys() == wanted.keys(), note
    for name, value in wanted.items():
        if isinstance(value, np.ndarray):
            assert found[name].dtype == value.dtype, f"{name} {note}"
            assert np.array_equal(found[name], value), f"{name} {note}"
        else:
            assert found[name] == value, f"{name} {note}"
