"""The choices that make a learner, checked once: rule, optimizer, memory, schedule, and what belongs to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import SettingError
from ..memory import memory_from
from ..optimizers import optimizer_from
from .rule import rule_from, rule_name
from .schedule import Own, given_again, schedule_from
from .table import DEFAULTS, declared, learner_table


@dataclass(frozen=True, eq=False)
class Settings:
    """What is learned and how; every value checked. See `rosenblatt.LinearClassifier` for the meanings.

    memory: as it is before anything was learned; each run learns into a copy. optimizer, schedule: values of
    `optimizers/` and `schedule.py`.
    """

    rule: Any
    memory: Any
    optimizer: Any
    schedule: Any
    eta0: float | str
    alpha: float
    shuffle: bool
    random_state: int
    fit_intercept: bool
    tol: float | None
    n_iter_no_change: int
    multi_class: str

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Settings from the words of the API or the command line, defaults filled in; SettingError says what is off."""
        words = {**{name: DEFAULTS[name] for name in WORDS}, **given}
        rule = rule_from(words["rule"])
        if hasattr(rule, "steps"):
            words["multi_class"] = "multi-class-perceptron"
        words["tol"] = getattr(rule, "tol", None) if words["tol"] == "auto" else words["tol"]
        memory, optimizer = memory_from(words.pop("keep"), **words), optimizer_from(words.pop("optimizer"), **words)
        schedule = schedule_from(words["learning_rate"], words["decay"], words["alpha"])
        settings = cls(
            rule=rule, memory=memory, optimizer=optimizer, schedule=schedule,
            **{name: words[name] for name in _PLAIN},
        )  # fmt: skip
        _check(settings, words)
        return settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and (self.words(), self.schedule) == (other.words(), other.schedule)

    __hash__ = None  # type: ignore[assignment]

    @property
    def keep(self) -> str:
        """The memory's name, as `keep` takes it."""
        return str(self.words()["keep"])

    @property
    def rate(self) -> float:
        """η, where it is a number; of "auto" the rule's own."""
        return float(getattr(self.rule, "eta0", 1.0) if self.eta0 == "auto" else self.eta0)

    @property
    def reach(self) -> float | None:
        """What keeps η "auto" small, of a rule that large values would upset; None where η is what it is."""
        return getattr(self.rule, "reach", None) if self.eta0 == "auto" else None

    def resolved(self, longest: float) -> Settings:
        """The same with eta0="auto" made a number: the rule's own, and for a rule with a `reach` never so large that
        one step moves a score by more: η ≤ reach/max(weight·‖x̄‖²). Without this the linear unit diverges on large
        values and the sigmoid and tanh units saturate, where nothing is learned any more.

        longest: max(weight·‖x̄‖²) over all rows, asked for where there is a `reach`.
        """
        reach, eta0 = self.reach, self.rate
        if reach is not None and longest > 0.0:
            eta0 = min(eta0, reach / longest)
        return replace(self, eta0=eta0 if self.eta0 == "auto" else self.eta0)

    def rates(self, first: int, count: int) -> Array:
        """η_t for the blocks t = first … first + count − 1."""
        return self.schedule.rates(self.eta0, np.arange(first, first + count))  # type: ignore[no-any-return]

    def words(self) -> dict[str, Any]:
        """JSON-able, as the constructor of an estimator takes them. What an optimizer or a schedule does not take has
        its default; a callable learning rate becomes "callable" and must be given again to go on learning."""
        out: dict[str, Any] = {name: DEFAULTS[name] for name in WORDS}
        out |= {name: getattr(self, name) for name in _PLAIN}
        for word, value in (("keep", self.memory), ("optimizer", self.optimizer), ("learning_rate", self.schedule)):
            out |= {parameter.name: getattr(value, parameter.inner) for parameter in value.parameters}
            out[word] = "callable" if isinstance(value, Own) else value.name
        out = {name: value.item() if isinstance(value, np.generic) else value for name, value in out.items()}
        out["rule"] = rule_name(self.rule)
        return out


_PLAIN = ("eta0", "alpha", "shuffle", "random_state", "fit_intercept", "tol", "n_iter_no_change", "multi_class")
WORDS = ("rule", "keep", "optimizer", "learning_rate", *_PLAIN, *declared())
"""Names of what makes a learner, in the Python API and in model files."""


def settings_from(words: dict[str, Any]) -> Settings:
    """The inverse of `Settings.words`."""
    if words["learning_rate"] == "callable":
        words = {**words, "learning_rate": given_again}
    return Settings.of(**words)


def _check(settings: Settings, words: dict[str, Any]) -> None:
    for name, value in words.items():
        if name != "learning_rate":  # `schedule_from` has read it, as others have read what is gone from the words
            learner_table()[name].check(value)
    _check_together(settings)


def _check_together(settings: Settings) -> None:
    rule, name = settings.rule, rule_name(settings.rule)
    together = hasattr(rule, "steps") or name == "perceptron"
    if settings.multi_class == "multi-class-perceptron" and not together:
        text = f"{{multi_class}} is a rule of its own, so it does not go with rule {name!r}; use {{multi_class_}}"
        raise SettingError(text, multi_class=settings.multi_class, multi_class_="one-vs-rest")
    if settings.alpha > 0 and not isinstance(settings.schedule, Own) and settings.rate * settings.alpha >= 1:
        product = f"{{eta0.name}}·{{alpha.name}} = {settings.rate * settings.alpha:g}"
        why = "would turn the weights over; it must stay below 1"
        raise SettingError(f"{product} {why}", eta0=settings.rate, alpha=settings.alpha)
    if settings.optimizer.picks and settings.tol is not None:
        raise SettingError(
            "{optimizer} picks mistakes until there is none, so it needs a rule that is zero when right and "
            f"no {{tol.name}}; rule {name!r} with {{tol:s}} is not",
            optimizer=settings.optimizer.name,
            tol=settings.tol,
        )
