"""Who takes part: rule × memory × scaling × optimizer, without the combinations that say nothing new."""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from ..errors import SettingError
from ..features import scaling
from ..features.pipeline import SCALE
from ..learn.rule import rule_classes, rule_from, rule_name
from ..learn.settings import DEFAULTS
from ..memory import memory_classes, memory_from
from ..optimizers import optimizer_classes, optimizer_from
from ..parameters import member
from ..recipe.recipe import Recipe

SCALINGS = {"documents": (SCALE["documents"], "none"), "rows": ("none", "standard")}
"""Of texts and of numbers. Standardised, the averaged perceptron's 31.5 % errors on spambase are 7.0 %."""


class Contender(NamedTuple):
    """A learner in the words of `rosenblatt train`. scale: how its rows are scaled. value: the rule itself."""

    rule: str
    keep: str = "last"
    scale: str = "none"
    optimizer: str = DEFAULTS["optimizer"]
    value: Any = None

    @property
    def name(self) -> str:
        """`margin averaged standard`: rule, memory, scaling, and the optimizer unless it is online."""
        shown = self[:3] if self.optimizer == DEFAULTS["optimizer"] else self[:4]
        return " ".join(shown)

    @property
    def is_linear(self) -> bool:
        """Whether one hyperplane answers."""
        return bool(memory_from(self.keep).is_linear)

    @property
    def words(self) -> dict[str, str]:
        return {"rule": self.rule, "keep": self.keep, "scale": self.scale, "optimizer": self.optimizer}

    @property
    def recipe(self) -> Recipe:
        """What learns it: `contender.recipe.fit(X, y)`."""
        return Recipe(**{**self.words, "rule": self.rule if self.value is None else self.value})


def contenders(
    kind: str,
    classes: int,
    rules: Sequence[Any] | None = None,
    keeps: Sequence[str] | None = None,
    scalings: Sequence[str] | None = None,
    optimizers: Sequence[str] = (DEFAULTS["optimizer"],),
) -> list[Contender]:
    """All combinations, in order; None: all rules, all memories, `SCALINGS` of the kind of data.

    kind: "rows" or "documents". classes: how many there are. Left out, unless asked for by name: the multi-class
    perceptron on two classes, where it is the perceptron; voted for the units, whose weights move without a mistake,
    so that few of them ever get a vote; and, always, optimizers that pick mistakes for rules that step without one.
    Raises SettingError for names that are unknown, and where nothing is left.
    """
    check(keeps, scalings, optimizers)
    named = []
    for rule in rule_classes() if rules is None else rules:
        value = rule_from(rule)
        if rules is not None or classes > 2 or not hasattr(value, "steps"):
            named.append((rule if isinstance(rule, str) else rule_name(value), value))
    learners = [
        Contender(name, keep, scale, optimizer, value)
        for scale, (name, value), optimizer, keep in product(
            scalings or SCALINGS[kind], named, optimizers, keeps or memory_classes()
        )
        if getattr(value, "tol", None) is None
        or not optimizer_from(optimizer).picks
        and (keeps is not None or memory_from(keep).is_linear)
    ]
    if not learners:
        raise SettingError(f"optimizer {', '.join(optimizers)}: none of the rules is zero when right, which it needs")
    return list(dict.fromkeys(learners))


def check(keeps: Sequence[str] | None, scalings: Sequence[str] | None, optimizers: Sequence[str]) -> None:
    """SettingError for a name that is none."""
    choices = (("keep", keeps or (), memory_classes()), ("optimizer", optimizers, optimizer_classes()))
    for what, names, known in choices:
        for name in names:
            if name.partition(":")[0] not in known:
                raise SettingError(f"unknown {what} {name!r}; one of {', '.join(known)}")
            member(name, known, what)
    for text in scalings or ():
        scaling.parse(text)


def split_names(text: str) -> list[str]:
    """`"margin:tau=2,logistic"` → `["margin:tau=2", "logistic"]`; a comma before `name=` is inside a rule."""
    names = re.split(r",(?![^,:]*=)", re.sub(r"\s*,\s*", ",", text.strip()))
    return [name for name in names if name]
