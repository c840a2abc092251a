"""What can be chosen, found by discovery, and values from their texts: `margin:tau=2`, `pocket:every=10`."""

import importlib
import importlib.util
import inspect
import sys
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import metrics, rules
from ..errors import SettingError, short
from ..lazy import members
from ..parameters import pairs, positive
from .others import RULES_OF_OTHERS


@cache
def rule_classes() -> dict[str, type]:
    """name → class for every rule in rules/, in alphabetical order of the names."""
    return dict(sorted((members(rules, "step") | members(rules, "steps")).items()))


def rule_from(given: Any) -> Any:
    """A rule value from a name ("margin", "margin:tau=2"), a rule class or a rule value.

    "script.py:Mine" is the class Mine of a Python file. A user's own rule needs only `step(self, u, y, sq_norm)`;
    numbers that it or its class keeps as attributes become its parameters. Raises SettingError for an unknown name or
    parameter, for a parameter of ours that is not > 0, for an object without a step, and for one with another's name.
    """
    if isinstance(given, str):
        return _positive(_named(given))
    value = made_of(given, "rule") if inspect.isclass(given) else given
    if not (hasattr(value, "step") or hasattr(value, "steps")):
        raise SettingError(f"{given!r} is not a rule; a rule has a method step(self, u, y, sq_norm)")
    check_name(value, rule_classes(), "rule")
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _positive(value)
    return _as_tuple(value)


def made_of(cls: type, what: str) -> Any:
    """A value of a class of one's own. what: "rule" or "metric", for the message."""
    try:
        return cls()
    except Exception as error:
        raise SettingError(f"{what} {cls.__name__} cannot be made: {type(error).__name__}: {error}") from None


def check_name(value: Any, known: dict[str, type], what: str) -> None:
    """SettingError where a rule or metric of one's own has no text for a name, or a known one's: model files and
    messages would take it for that."""
    name = getattr(value, "name", type(value).__name__)
    if not isinstance(name, str):
        raise SettingError(f"{what} {type(value).__name__}: its name must be a text, not {short(repr(name))}")
    name = name.partition(":")[0]
    if known.get(name) not in (None, type(value)):
        raise SettingError(f"{what} {type(value).__name__}: the name {name!r} is taken; give it another `name`")


def _positive(rule: Any) -> Any:
    """The rule with floats for parameters; of ours each is > 0."""
    if type(rule) not in rule_classes().values():
        return type(rule)(*(float(v) if isinstance(v, (int, float)) else v for v in rule))
    return positive(rule, "rule")


def _named(text: str) -> Any:
    name, _, own = text.partition(":")
    if name.endswith(".py"):
        return rule_from(_from_script(Path(name), own))
    known = rule_classes()
    if name not in known:
        if not hasattr(members(metrics, "move").get(name), "plain") and name in members(metrics, "move"):
            raise SettingError(f"unknown rule {name!r}: that is a metric; say {{metric}}", metric=text)
        plain_name = name.lower().replace("_", "-")
        near = [RULES_OF_OTHERS.get(plain_name, plain_name if plain_name in known else "")]
        near = [*filter(None, near), *get_close_matches(plain_name, known, 1)]
        hint = f"did you mean {near[0]}? The" if near else "the"
        raise SettingError(f"unknown rule {name!r}; {hint} rules are {', '.join(known)}, or FILE.py:CLASS of your own")
    cls: Any = known[name]
    return cls(**dict(pairs(text, cls._fields, "rule")))


def _from_script(path: Path, name: str) -> Any:
    """The class `name` of a Python file: a rule of the user's own. This runs the file."""
    if not path.is_file():
        raise SettingError(f"rule file {path}: there is no such file")
    spec = importlib.util.spec_from_file_location(f"rule_file_{path.stem}", path)  # not to hide another module
    assert spec is not None and spec.loader is not None  # the suffix is .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # numba finds the class again by the module's name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SettingError(f"rule file {path} fails to run: {type(error).__name__}: {error}") from None
    if not hasattr(module, name):
        raise SettingError(f"rule file {path} has no class {name!r}; write FILE.py:CLASS")
    return getattr(module, name)


_CONVERTED: dict[tuple[type, tuple[str, ...]], Any] = {}


def _as_tuple(value: Any) -> Any:
    """A plain object with a step, as the NamedTuple that the compiler understands.

    Its numbers, set on the object or in the class, become fields, but for those that a rule says about itself.
    """
    cls = type(value)
    own = {name: v for c in reversed(cls.__mro__[:-1]) for name, v in vars(c).items()} | getattr(value, "__dict__", {})
    about = ("eta0", "tol", "reach", "exact", "endless", "mends")
    fields = {
        name: float(v)
        for name, v in own.items()
        if isinstance(v, (int, float, np.number)) and not name.startswith("_") and name not in about
    }
    key = (cls, tuple(fields))
    if key not in _CONVERTED:
        base: Any = NamedTuple(cls.__name__, [(name, float) for name in fields])  # type: ignore[misc]
        kept = {name: v for name, v in own.items() if not name.startswith("__") and name not in fields}
        kept |= {"__slots__": (), "__module__": cls.__module__}
        kept["__reduce__"] = lambda self: (_again, (cls, self._asdict()))
        _CONVERTED[key] = type(cls.__name__, (base,), kept)  # type: ignore[call-overload]
    return _CONVERTED[key](**fields)


def _again(cls: Any, fields: dict[str, float]) -> Any:
    """What pickle calls: the converted class has no name of its own to be found by."""
    value = cls.__new__(cls)
    vars(value).update(fields)
    return _as_tuple(value)


def rule_name(rule: Any) -> str:
    """The rule's name on the command line, with the parameters that differ from its defaults, to the last digit."""
    name: str = getattr(rule, "name", type(rule).__name__)
    if type(rule)._fields and not hasattr(rule, "missing"):
        defaults = type(rule)._field_defaults
        texts = [f"{v:g}" if float(f"{v:g}") == v else repr(float(v)) for v in rule]
        changed = [f"{f}={t}" for f, t, v in zip(rule._fields, texts, rule, strict=True) if defaults.get(f) != v]
        if changed:
            name += ":" + ",".join(changed)
    return name
