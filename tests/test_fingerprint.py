"""A fingerprint changes with behaviour and with nothing else. No test here compiles."""

from __future__ import annotations

import enum
import math
import types
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from rosenblatt.core.fingerprint import fingerprint
from rosenblatt.core.verbs import METHODS


def rule(source: str, **names: Any) -> type:
    scope: dict[str, Any] = {"__name__": "own", **names}
    exec(source, scope)
    return scope["Rule"]  # type: ignore[no-any-return]


def module(**values: Any) -> types.ModuleType:
    made = types.ModuleType("helpers")
    vars(made).update(values)
    return made


BODY = "class Rule:\n    def step(self, u, y, q{default}):\n        return {value}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"value": "y * 2.0"}, {"value": "y * 3.0"}),
        ({"value": "y + u"}, {"value": "y - u"}),
        ({"value": "y * K", "K": 1.0}, {"value": "y * K", "K": 2.0}),
        ({"value": "y * K[0]", "K": (1.0, 2.0)}, {"value": "y * K[0]", "K": (3.0, 2.0)}),
        ({"value": "y * K[0]", "K": np.array([1.0, 2.0])}, {"value": "y * K[0]", "K": np.array([1.5, 2.0])}),
        ({"value": "y * K.pi", "K": math}, {"value": "y * K.pi", "K": types.SimpleNamespace(pi=3.0)}),
        ({"value": "y * K.size", "K": module(size=1)}, {"value": "y * K.size", "K": module(size=2)}),
        ({"value": "y * K.f(u)", "K": module(f=lambda u: u)}, {"value": "y * K.f(u)", "K": module(f=lambda u: -u)}),
        ({"value": "k", "default": ", k=1.0"}, {"value": "k", "default": ", k=2.0"}),
        ({"value": "f(u)", "f": lambda u: u}, {"value": "f(u)", "f": lambda u: -u}),
        ({"value": "max(f(v) for v in (u, y))", "f": lambda u: u}, {"value": "max(f(v) for v in (u, y))", "f": abs}),
    ],
)
def test_a_fingerprint_sees_what_behaviour_depends_on(one: dict[str, Any], other: dict[str, Any]) -> None:
    def made(value: str, default: str = "", **names: Any) -> str:
        return fingerprint(rule(BODY.format(value=value, default=default), **names), names=METHODS)

    assert made(**one) == made(**one) != made(**other)


FUNCTION = """
def f(u, v):
    return u
"""


def function(source: str, **names: Any) -> types.FunctionType:
    scope: dict[str, Any] = {"__name__": "own", **names}
    exec(compile(source, "<own>", "exec", dont_inherit=True), scope)
    return scope["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "other",
    [
        '# A comment\ndef f(u, v):\n    """A docstring."""\n\n    return u  # another\n',
        "def f(u: float, v: int) -> 'float':\n    w: int\n    return u\n",
    ],
)
def test_a_fingerprint_does_not_see_comments_docstrings_and_hints(other: str) -> None:
    assert fingerprint(function(FUNCTION)) == fingerprint(function(other))
    for line in ("return None", "return u + 1000", "if u: return v", "return (u, 'A docstring.')"):
        one, two = FUNCTION.replace("return u", line), other.replace("return u", line)
        assert fingerprint(function(one)) == fingerprint(function(two)) != fingerprint(function(other)), line


def wrapped(factor: float) -> Callable[..., Any]:
    """A decorator's wrapper says which function it wraps, and is more than that."""

    def inner(u: float) -> float:
        return factor * math.sqrt(u)

    inner.__wrapped__ = math.sqrt  # type: ignore[attr-defined]
    return inner


class Jitted:
    """A function that its author has compiled, as numba shows it."""

    def __init__(self, function: Any, **options: Any) -> None:
        self.py_func, self.targetoptions = function, options


def fields(*names: str, kind: Any = int) -> Any:
    return NamedTuple("Fields", [(name, kind) for name in names])  # type: ignore[misc]


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [
        ("def f(u):\n    return K(u)\n", wrapped(1.0), wrapped(2.0)),
        ("def f(u):\n    return K(u)\n", Jitted(len), Jitted(sum)),
        ("def f(u):\n    return K(u)\n", Jitted(len, fastmath=True), Jitted(len, fastmath=False)),
        ("def f(u):\n    return u in K\n", {"a", "b"}, {"a", "c"}),
        ("def f(u):\n    return K.RED\n", enum.Enum("K", {"RED": 1}), enum.Enum("K", {"RED": 2})),
        ("def f(u: K):\n    return u.x\n", fields("x", "y"), fields("y", "x")),
        ("def f(u: 'K'):\n    return u.x\n", fields("x"), fields("y", "x")),
        ("def f(u: K):\n    return u.a.x\n", fields("a", kind=fields("x")), fields("a", kind=fields("y", "x"))),
        ("def f(u):\n    return K.x\n", fields("x", "y")(1, 2), fields("y", "x")(1, 2)),
        ("def f(u):\n    return K()\n", namedtuple("K", "x", defaults=(1,)), namedtuple("K", "x", defaults=(2,))),
        ("def f(u):\n    return g(u) + K.b\ndef g(u):\n    return K.a\n", module(a=1, b=1), module(a=2, b=1)),
        ("def f(u):\n    return g(u) + K.b\ndef g(u):\n    return K.a\n", module(a=1, b=1), module(a=1, b=2)),
        ("def f(u):\n    return np.argsort(u) + K\n", 1, 1.0),
    ],
)
def test_a_fingerprint_sees_through_names(source: str, one: Any, other: Any) -> None:
    assert fingerprint(function(source, K=one, np=np)) != fingerprint(function(source, K=other, np=np))
