"""A kind of rows that the package has never seen runs through the loop, for every rule, memory and optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gram import fresh, gram
from learners import PROBLEMS, QUIET, SEED, STEP_RULES, problem, rows_of
from rosenblatt.core import dispatch
from rosenblatt.core.rows import Array, Csr, Dense, Index, csr, dense
from rosenblatt.core.verbs import dot
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.memory import memory_classes
from rosenblatt.model.fit import Task, fit
from rosenblatt.optimizers import optimizer_classes

RULES = [(rule, kind) for rule in STEP_RULES for kind in PROBLEMS[:2]] + [("perceptron", PROBLEMS[2])]


def models(x: Any, y: Any, rows: Any, **words: Any) -> tuple[Any, Any]:
    """The same learner on rows as they are and as this kind has them."""
    settings = Settings.of(**{"random_state": SEED, "tol": None, **words})
    limits = Limits(4, max_updates=60)
    return fit(rows_of(x, "dense-float64"), y, settings, limits), fit(rows, y, settings, limits)


def same(rule: str, kind: str, **words: Any) -> None:
    p = problem(2 if kind == PROBLEMS[0] else 3, n=16)
    if kind == PROBLEMS[2]:
        words["multi_class"] = kind
    plain, own = models(p.x, p.y, gram(p.x), rule=rule, **words)
    assert own.run.history["mistakes"] == plain.run.history["mistakes"]
    assert own.run.stop == plain.run.stop
    note = f"{rule} {kind} {words}"
    np.testing.assert_allclose(own.run.history["loss"], plain.run.history["loss"], rtol=1e-9, err_msg=note)
    wanted, found = plain.decision(rows_of(p.fresh, "dense-float64")), own.decision(fresh(p.fresh, p.x))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=note)
    if not plain.run.joint:
        np.testing.assert_allclose(own.weights[0] @ p.x, plain.weights[0], rtol=1e-9, atol=1e-9, err_msg=note)


@pytest.mark.parametrize(("rule", "kind"), RULES)
@pytest.mark.parametrize("keep", memory_classes())
def test_every_rule_and_memory(monkeypatch: pytest.MonkeyPatch, rule: str, kind: str, keep: str) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    same(rule, kind, keep=keep)
    same(rule, kind, keep=keep, alpha=0.1, eta0=0.5)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("optimizer", optimizer_classes())
def test_every_optimizer(monkeypatch: pytest.MonkeyPatch, optimizer: str, kind: str) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    for rule in (QUIET if optimizer_classes()[optimizer].picks else STEP_RULES) if kind != PROBLEMS[2] else QUIET[:1]:
        same(rule, kind, optimizer=optimizer)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_compiled(kind: str) -> None:
    """Machine code for a class of the tests: not cached on disk by a name that another process would not find."""
    same("perceptron", kind, keep="averaged")


def test_on_the_way_through_calls_and_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Early stopping asks rows that were not learned from."""
    from rosenblatt.model.fit import Held

    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    p = problem(n=16)
    held = fresh(p.fresh, p.x)
    task = Task(validation=Held(held, np.resize([1.0, -1.0], len(p.fresh))))
    model = fit(gram(p.x), p.y, Settings.of(keep="voted"), Limits(30), task)
    assert model.run.best is not None and len(model.run.history["validation"]) == model.run.epoch


def test_what_it_has_not_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="have no columns"):
        gram(np.eye(2)).matrix()


# --- one loop, several kinds of rows ---------------------------------------------------------------------------------


def scores(rows: Any, w: Any, out: Any) -> None:
    for i in range(out.size):
        out[i] = dot(rows, np.uint64(i), w)


class Wrong(Dense):
    """Rows that numba cannot compile."""

    __slots__ = ()

    def dot(self, i: Index, w: Array) -> Any:
        return self.helper(i)  # type: ignore[attr-defined]


def test_a_loop_that_meets_other_rows_takes_the_one_compiled_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """One index of machine code must never name two classes of rows."""
    monkeypatch.setenv("ROSENBLATT_JIT", "1")
    values, out = np.array([[1.0, 2.0], [0.0, 3.0]]), np.empty(2)
    kinds = dense(values), csr(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3]), 2)
    loop = dispatch.loop_for(scores, kinds[0])
    for rows in kinds:
        loop(rows, np.array([1.0, 10.0]), out)
        assert out.tolist() == [21.0, 30.0]
    ours = {key[1]: loop for key, loop in dispatch._LOOPS.items() if key[0] is scores}
    assert {key: len(loop.signatures) for key, loop in ours.items()} == {(Dense,): 1, (Csr,): 1}  # type: ignore[attr-defined]
    with pytest.raises(SettingError, match="rows Wrong cannot be compiled .*Unknown attribute 'helper'") as caught:
        loop(Wrong(values), np.ones(2), out)
    assert "\n" not in str(caught.value)


def test_without_the_compiler_the_loop_is_the_function_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.core.loop import learn
    from rosenblatt.rules.perceptron import Perceptron

    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    assert dispatch.loop_for(learn, Perceptron(), dense(np.ones((1, 1)))) is learn
