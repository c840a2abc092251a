"""When a run stops, what it says about it, and which settings are refused."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import naive
from learners import KINDS, QUIET, STEP_RULES, errors, problem, rows_of, separable, steps_of
from rosenblatt.core.loop import UPDATES
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.run import _TEXTS, Chunk, Limits, Run, Stop, new_run, stop_from
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def stopped(p: Any, limits: Limits, **words: Any) -> Any:
    run = new_run(Settings.of(**words), rows_of(p.x, KINDS[0]), p.classes)
    measure = errors(p.x, p.y) if words.get("keep") == "pocket" else None
    train(run, [Chunk(rows_of(p.x, KINDS[0]), p.y)], limits, measure)
    return run


@pytest.mark.parametrize("rule", QUIET)
def test_a_rule_that_is_zero_when_right_stops_at_the_first_epoch_without_an_update(plain: None, rule: str) -> None:
    """peers.md, Training: the default tol of others stops early with errors left, and tol=None never stops at zero."""
    p = separable()
    run = stopped(p, Limits(None), rule=rule)
    assert run.stop_reason == "an epoch without an update" and run.converged
    assert run.history["updates"].index(0) == run.epoch - 1
    w, b = run.memory.weights(run.state)
    assert (p.y * (p.x @ w[0] + b[0]) > 0).all()


def test_the_same_for_many_classes(plain: None) -> None:
    run = stopped(separable(3), Limits(5000), rule="perceptron", multi_class="multi-class-perceptron")
    assert run.stop_reason == "an epoch without an update" and run.converged


@pytest.mark.parametrize("rule", STEP_RULES)
@pytest.mark.parametrize("keep", memory_classes())
def test_limits_are_named_and_exact(plain: None, rule: str, keep: str) -> None:
    """peers.md, Training: nobody can tell which rule stopped it → `stop_reason`."""
    p = problem()
    run = stopped(p, Limits(2), rule=rule, keep=keep)
    assert (run.stop_reason, run.epoch, run.converged) == ("epoch limit (max_iter=2)", 2, False)
    run = stopped(p, Limits(None, max_updates=5), rule=rule, keep=keep)
    assert (run.stop_reason, int(run.state.n[UPDATES])) == ("step limit (max_updates=5)", 5)
    assert not run.converged
    run = stopped(p, Limits(None, max_updates=0), rule=rule, keep=keep)
    assert (run.stop_reason, int(run.state.n[UPDATES])) == ("step limit (max_updates=0)", 0)
    run = stopped(p, Limits(None, max_time=0.0), rule=rule, keep=keep)
    assert run.stop_reason == "time limit (max_time=0 s)" and run.state.n[UPDATES] == 0


@pytest.mark.parametrize("words", [{}, {"rule": "logistic", "metric": "adagrad"}, {"optimizer": "pick-first"}], ids=str)
@pytest.mark.parametrize("slow_at", [1, 2])
def test_compiling_is_not_learning(
    plain: None, monkeypatch: pytest.MonkeyPatch, words: dict[str, Any], slow_at: int
) -> None:
    """A loop's first call compiles it, and takes a minute here; where the second does, that is learning's."""
    clock, calls, wanted = [0.0], [0], Run.loop

    def loop(run: Run, rows: Any, rule: Any = None) -> Any:
        def called(*args: Any) -> int:
            calls[0] += 1
            clock[0] += 60.0 if calls[0] == slow_at else 0.0
            return wanted(run, rows, rule)(*args)

        return called

    monkeypatch.setattr(Run, "loop", loop)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    run = stopped(problem(), Limits(3, 10 if "optimizer" in words else None, max_time=30.0), tol=None, **words)
    assert (run.stop.kind == "time") is (slow_at == 2)


def test_batch_perceptron_stops_below_epsilon_with_the_mistakes_that_are_left(plain: None) -> None:
    """Spec: ‖δ‖ < ε can leave mistakes, so `converged` means none. The last gradient is the first one below ε."""
    p = problem()._replace(x=np.array([[1.0, 0.0], [1.0, 0.0], [0.001, 1.0]]), y=np.array([1.0, -1.0, 1.0]))
    run = stopped(p, Limits(1000), rule="perceptron", optimizer="batch", epsilon=0.4, fit_intercept=False)
    path = naive.learn(p.x, p.y, *steps_of("perceptron"), [[0, 1, 2]] * 50, naive.How(block=3, bias=0.0))
    delta = [float(np.linalg.norm(block.after[0] - block.before[0])) for block in path]
    assert run.stop_reason == "small gradient (below epsilon=0.4)"
    assert run.epoch == 1 + next(i for i, d in enumerate(delta) if d < 0.4)
    assert not run.converged and run.history["mistakes"][-1] > 0


@pytest.mark.parametrize("rule", ["linear", "logistic", "perceptron"])
def test_tol_stops_after_so_many_epochs_without_progress(plain: None, rule: str) -> None:
    p = problem()
    run = stopped(p, Limits(500), rule=rule, tol=0.01, n_iter_no_change=3)
    losses, stale, best = run.history["loss"], 0, float("inf")
    for e, loss in enumerate(losses, start=1):
        stale = stale + 1 if loss > best - 0.01 else 0
        best = min(best, loss)
        assert (stale >= 3) == (e == run.epoch)
    assert run.stop_reason.endswith("tol=0.01 for 3 epochs") and run.converged == (rule != "perceptron")


def test_overflow_is_an_error_that_says_what_to_do(plain: None) -> None:
    """peers.md, Training: huge values overflow silently."""
    p = problem()._replace(x=problem().x * 1e200)
    with np.errstate(all="ignore"):
        with pytest.raises(DataError, match="overflowed in epoch 1 .*linear.*scale the features or lower eta0"):
            stopped(p, Limits(5), rule="linear", eta0=1.0)
        with pytest.raises(DataError, match="overflowed in epoch 1 "):
            stopped(p, Limits(5, max_updates=9), rule="linear", eta0=1.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rule": "perzeptron"}, "unknown rule 'perzeptron'; did you mean perceptron? The rules are linear"),
        ({"rule": "margin:tau"}, "'tau' is not of the form parameter=value"),
        ({"rule": "margin:C=1"}, "has no parameter 'C'; its parameters: tau"),
        ({"rule": "margin:tau=0"}, "tau=0 must be a number > 0"),
        ({"rule": "passive-aggressive:C=nan"}, "C=nan must be a number > 0"),
        ({"rule": object()}, "is not a rule; a rule has a method step"),
        ({"optimizer": "newton"}, "unknown optimizer='newton'; one of online"),
        ({"keep": "best"}, "unknown keep='best'; one of last, averaged"),
        ({"eta0": 0.0}, "eta0=0.0 must be a number > 0"),
        ({"eta0": float("nan")}, "eta0=nan must be a number > 0"),
        ({"batch_size": 2.5}, "batch_size=2.5 must be a whole number"),
        ({"random_state": -1}, "random_state=-1 must be a whole number ≥ 0"),
        ({"eta0": 0.5, "alpha": 2.0}, "eta0·alpha = 1 would turn the weights over"),
        ({"optimizer": "pick-worst", "rule": "logistic"}, "needs a rule that is zero when right"),
        ({"multi_class": "multi-class-perceptron", "rule": "logistic"}, "does not go with rule 'logistic'"),
    ],
)
def test_settings_that_make_no_sense_are_one_sentence(words: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError) as caught:
        Settings.of(**words)
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", _TEXTS)
@pytest.mark.parametrize("limit", [None, 7, 0.25, 1e-12])
def test_a_stop_comes_back_from_its_text(kind: str, limit: Any) -> None:
    """Model files hold the text; a setting that it names is in the words of whoever reads it."""
    stop = Stop(kind, limit, 5 if "{n}" in _TEXTS[kind][0] else "") if _TEXTS[kind][1] else Stop(kind)
    assert stop_from(stop.text) == stop and str(stop.text) == str(stop_from(stop.text).text)
    said = stop.text.in_words(lambda name, shown: "--" + name + ("" if shown is None else f" {shown}"))
    assert "=" not in said and ("--" in said) == bool(stop.setting)


def test_a_text_of_ones_own_is_a_stop_too() -> None:
    for text in ("enough {braces}", "an epoch without an updat", ""):
        assert stop_from(text) == Stop("own", note=text) and stop_from(text).text == text


@pytest.mark.parametrize(("rate", "alpha"), [(-1.0, 0.0), (float("nan"), 0.0), (2.0, 0.5)])
def test_a_learning_rate_of_ones_own_is_checked(plain: None, rate: float, alpha: float) -> None:
    with pytest.raises(SettingError, match=r"learning_rate\(3\) = "):
        stopped(problem(), Limits(1), learning_rate=lambda t: 0.1 if t < 3 else rate, alpha=alpha)


def test_two_classes_learn_the_multi_class_perceptron_as_the_perceptron(plain: None) -> None:
    p = problem()
    joint, single = (stopped(p, Limits(3), rule=rule) for rule in ("multi-class-perceptron", "perceptron"))
    assert np.array_equal(joint.state.w, single.state.w) and joint.history == single.history
