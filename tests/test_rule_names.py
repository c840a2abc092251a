"""The names of rules, and rules of one's own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import SettingError
from rosenblatt.learn.rule import rule_classes, rule_from, rule_name
from rosenblatt.learn.run import Limits
from test_rules import drawn, learn

# --- names and rules of one's own ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", rule_classes())
def test_names_go_both_ways(name: str) -> None:
    value = rule_from(name)
    assert rule_name(value) == name and rule_from(type(value)) == value == rule_from(value)


@given(st.floats(1e-300, 1e300))
def test_parameters_survive_their_name_to_the_last_digit(tau: float) -> None:
    """The model file keeps the name: a rounded parameter would not resume exactly."""
    assert rule_from(rule_name(rule_from(f"margin:tau={tau!r}"))) == rule_from("margin")._replace(tau=tau)


class Plain:
    """A rule as a user writes it: one method, a number on the class, one on the object."""

    share = 0.5

    def __init__(self, tau: float = 2) -> None:
        self.tau = tau

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return self.share * y if y * u < self.tau else 0.0


class Fields(NamedTuple):
    tau: float = 2
    share: float = 0.5

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return self.share * y if y * u < self.tau else 0.0


@pytest.mark.parametrize("jit", ["0", "1"])
def test_a_rule_of_ones_own_is_a_class_with_one_method(monkeypatch: pytest.MonkeyPatch, jit: str) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", jit)
    x, y = drawn(1)
    runs = [learn(x, y, Limits(3), rule=rule) for rule in (Plain, Plain(), Plain(2.0), Fields, Fields(2, 0.5))]
    wanted = learn(x, y, Limits(3), rule="margin:tau=2", eta0=0.5)
    for run in runs:
        np.testing.assert_allclose(run.state.w, wanted.state.w, rtol=1e-12)
        assert run.history["mistakes"] == wanted.history["mistakes"]
    other = learn(x, y, Limits(3), rule=Plain(0.25))
    assert not np.allclose(other.state.w, wanted.state.w), "the object's own number counts"


def test_a_rule_of_ones_own_can_be_pickled() -> None:
    import pickle

    value = rule_from(Plain(3.0))
    again = pickle.loads(pickle.dumps(value))
    assert again == value and again.step(1.0, 1.0, 1.0) == value.step(1.0, 1.0, 1.0) == 0.5


class Restless:
    def step(self, u: float, y: float, sq_norm: float) -> Any:
        return self.helper(u)  # type: ignore[attr-defined]


class Nothing:
    def step(self, u: float, y: float, sq_norm: float) -> Any:
        if y * u <= 0:
            return y


@pytest.mark.parametrize(("rule", "why"), [(Restless, "Unknown attribute 'helper'"), (Nothing, "")])
def test_a_rule_that_cannot_be_compiled_is_one_sentence(monkeypatch: pytest.MonkeyPatch, rule: type, why: str) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "1")
    x, y = drawn(1)
    with pytest.raises(SettingError, match=f"rule {rule.__name__} cannot be compiled .*{why}") as caught:
        learn(x, y, rule=rule)
    assert "\n" not in str(caught.value) and "ROSENBLATT_JIT=0" in str(caught.value)
