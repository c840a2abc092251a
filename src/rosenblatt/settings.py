"""The four choices that make a learner, checked once: rule, optimisation, memory and what belongs to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .catalog import rule_from, rule_name
from .core.rows import Array, Rows, squared_norms
from .defaults import OPTIMIZERS, SCHEDULES
from .errors import SettingError
from .learn.table import DEFAULTS
from .memory import memory_classes, new_memory
from .parameters import MULTI_CLASS

_UNIT_CHOICES = {"optimizer": OPTIMIZERS, "multi_class": MULTI_CLASS}


@dataclass(frozen=True)
class Settings:
    """What is learned and how; every value checked. See `rosenblatt.estimators.LinearClassifier` for the meanings."""

    rule: Any
    keep: str
    optimizer: str
    eta0: float | str
    learning_rate: str | Callable[[int], float]
    decay: float
    alpha: float
    batch_size: int
    shuffle: bool
    random_state: int
    fit_intercept: bool
    tol: float | None
    n_iter_no_change: int
    epsilon: float
    counting: str
    check_every: int
    multi_class: str

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Settings from the words of the API or the command line, defaults filled in; SettingError says what is off."""
        words = {**{name: DEFAULTS[name] for name in cls.__dataclass_fields__ if name in DEFAULTS}, **given}
        rule = rule_from(words["rule"])
        words["rule"] = rule
        if hasattr(rule, "steps"):
            words["multi_class"] = "multi-class-perceptron"
        words["tol"] = getattr(rule, "tol", None) if words["tol"] == "auto" else words["tol"]
        _check({**words, "eta0": getattr(rule, "eta0", 1.0) if words["eta0"] == "auto" else words["eta0"]})
        return cls(**words)

    def resolved(self, rows: Rows, weight: Array | None = None) -> Settings:
        """The same with eta0="auto" made a number: the rule's own, and for a rule with a `reach` never so large that
        one step moves a score by more: η ≤ reach/max(weight·‖x̄‖²). Without this the linear unit diverges on large
        values and the sigmoid and tanh units saturate, where nothing is learned any more.
        """
        if self.eta0 != "auto":
            return self
        eta0 = float(getattr(self.rule, "eta0", 1.0))
        reach = getattr(self.rule, "reach", None)
        if reach is not None:
            with np.errstate(over="ignore"):  # rows too long for sums are refused where learning begins
                norms = squared_norms(rows) + (1.0 if self.fit_intercept else 0.0)
            longest = float((norms if weight is None else norms * weight).max(initial=0.0))
            eta0 = min(eta0, reach / longest) if longest > 0.0 else eta0
        return replace(self, eta0=eta0)

    def block(self, rows: int) -> int:
        """Rows scored at the same weights: 1, batch_size or all."""
        sizes = {"online": 1, "mini-batch": self.batch_size, "batch": max(rows, 1)}
        return min(sizes.get(self.optimizer, 1), max(rows, 1))

    def rates(self, first: int, count: int) -> Array:
        """η_t for the blocks t = first … first + count − 1."""
        t = np.arange(first, first + count)
        if callable(self.learning_rate):
            return self._own_rates([float(self.learning_rate(int(i))) for i in t], first)
        rate = float(self.eta0)
        if self.learning_rate == "inverse":
            return rate / (1.0 + t * self.decay)
        if self.learning_rate == "sqrt":
            return rate / np.sqrt(1.0 + t * self.decay)
        return np.full(count, rate)

    def _own_rates(self, rates: list[float], first: int) -> Array:
        for t, rate in enumerate(rates, start=first):
            if not (np.isfinite(rate) and rate >= 0.0 and rate * self.alpha < 1.0):
                limit = f" and below 1/alpha = {1.0 / self.alpha:g}" if self.alpha > 0.0 else ""
                raise SettingError(f"learning_rate({t}) = {rate:g}; a learning rate must be a finite number ≥ 0{limit}")
        return np.array(rates)

    def memory(self) -> Any:
        own: dict[str, dict[str, Any]] = {"voted": {"counting": self.counting}, "pocket": {"every": self.check_every}}
        return new_memory(self.keep, **own.get(self.keep, {}))

    def words(self) -> dict[str, Any]:
        """JSON-able; a callable learning rate becomes "callable" and must be given again to go on learning."""
        out = {name: getattr(self, name) for name in self.__dataclass_fields__}
        out = {name: value.item() if isinstance(value, np.generic) else value for name, value in out.items()}
        out["rule"] = rule_name(self.rule)
        if callable(self.learning_rate):
            out["learning_rate"] = "callable"
        return out


def _check(words: dict[str, Any]) -> None:
    choices: dict[str, tuple[str, ...]] = {**_UNIT_CHOICES, "keep": tuple(memory_classes())}
    for name, allowed in choices.items():
        if words[name] not in allowed:
            raise SettingError(f"unknown {name}={words[name]!r}; one of {', '.join(allowed)}")
    if not callable(words["learning_rate"]) and words["learning_rate"] not in SCHEDULES:
        known = ", ".join(SCHEDULES)
        raise SettingError(f"unknown learning_rate={words['learning_rate']!r}; one of {known}, or a function of t")
    positive = ("eta0", "batch_size", "n_iter_no_change")
    for name in (*positive, "decay", "alpha", "epsilon", "check_every"):
        value = words[name]
        if not isinstance(value, (int, float, np.number)) or not np.isfinite(value) or value < 0:
            raise SettingError(f"{name}={value!r} must be a number ≥ 0")
        if name in positive and value == 0:
            raise SettingError(f"{name}={value!r} must be > 0")
    for name in ("batch_size", "n_iter_no_change", "check_every", "random_state"):
        value = words[name]
        if not isinstance(value, (int, np.integer)) or value < 0:
            raise SettingError(f"{name}={value!r} must be a whole number ≥ 0")
    if words["tol"] is not None and not (isinstance(words["tol"], (int, float, np.number)) and words["tol"] >= 0):
        raise SettingError(f'tol={words["tol"]!r} must be None, "auto" or a number ≥ 0')
    rule = words["rule"]
    together = hasattr(rule, "steps") or rule_name(rule) == "perceptron"
    if words["multi_class"] == "multi-class-perceptron" and not together:
        raise SettingError(
            f"multi_class='multi-class-perceptron' is a rule of its own, so it does not go with rule "
            f"{rule_name(rule)!r}; use multi_class='one-vs-rest'"
        )
    if words["alpha"] > 0 and not callable(words["learning_rate"]) and words["eta0"] * words["alpha"] >= 1:
        raise SettingError(
            f"eta0·alpha = {words['eta0'] * words['alpha']:g} would turn the weights over; it must stay below 1"
        )
    if words["optimizer"].startswith("pick") and words["tol"] is not None:
        raise SettingError(
            f"optimizer={words['optimizer']!r} picks mistakes until there is none, so it needs a rule that is zero "
            f"when right and no tol; rule {rule_name(words['rule'])!r} with tol={words['tol']} is not"
        )
