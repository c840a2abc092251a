"""Who takes part: rule × memory × scaling × optimizer, without the combinations that say nothing new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from ..catalog import rule_classes, rule_from, rule_name
from ..errors import SettingError
from ..features import scaling
from ..features.pipeline import SCALE
from ..learn.table import learner_table

SCALINGS = {"documents": (SCALE["documents"], "none"), "rows": ("none", "standard")}
"""Of texts and of numbers. Standardised, the averaged perceptron's 31.5 % errors on spambase are 7.0 %."""


class Contender(NamedTuple):
    """A learner in the words of `rosenblatt train`. scale: how its rows are scaled. value: the rule itself."""

    rule: str
    keep: str = "last"
    scale: str = "none"
    optimizer: str = "online"
    value: Any = None

    @property
    def name(self) -> str:
        """`margin averaged standard`: rule, memory, scaling, and the optimizer unless it is online."""
        shown = self[:3] if self.optimizer == "online" else self[:4]
        return " ".join(shown)

    @property
    def words(self) -> dict[str, str]:
        return {"rule": self.rule, "keep": self.keep, "scale": self.scale, "optimizer": self.optimizer}

    @property
    def options(self) -> str:
        """What to write behind `rosenblatt train`."""
        optimizer = "" if self.optimizer == "online" else f" --optimizer {self.optimizer}"
        return f"--rule {self.rule} --keep {self.keep} --scale {self.scale}{optimizer}"


def contenders(
    kind: str,
    classes: int,
    rules: Sequence[Any] | None = None,
    keeps: Sequence[str] | None = None,
    scalings: Sequence[str] | None = None,
    optimizers: Sequence[str] = ("online",),
) -> list[Contender]:
    """All combinations, in order; None: all rules, all memories, `SCALINGS` of the kind of data.

    kind: "rows" or "documents". classes: how many there are. Left out, unless asked for by name: the multi-class
    perceptron on two classes, where it is the perceptron; voted for the units, whose weights move without a mistake,
    so that few of them ever get a vote; and, always, optimizers that pick mistakes for rules that step without one.
    Raises SettingError for names that are unknown, and where nothing is left.
    """
    check(keeps, scalings, optimizers)
    given = list(rule_classes() if rules is None else rules)
    values = [rule_from(rule) for rule in given]
    named = [(rule if isinstance(rule, str) else rule_name(v), v) for rule, v in zip(given, values, strict=True)]
    if rules is None and classes == 2:
        named = [(name, value) for name, value in named if not hasattr(value, "steps")]
    found = [
        Contender(name, keep, scale, optimizer, value)
        for scale, (name, value), optimizer, keep in product(
            scalings or SCALINGS[kind], named, optimizers, keeps or learner_table()["keep"].choices
        )
        if (keeps is not None or keep != "voted" or getattr(value, "tol", None) is None)
        and not (optimizer.startswith("pick") and getattr(value, "tol", None) is not None)
    ]
    if not found:
        raise SettingError(f"optimizer {', '.join(optimizers)}: none of the rules is zero when right, which it needs")
    return list(dict.fromkeys(found))


def check(keeps: Sequence[str] | None, scalings: Sequence[str] | None, optimizers: Sequence[str]) -> None:
    """SettingError for a name that is none."""
    table = learner_table()
    choices = (("keep", keeps or (), table["keep"].choices), ("optimizer", optimizers, table["optimizer"].choices))
    for what, given, known in choices:
        for name in given:
            if name not in known:
                raise SettingError(f"unknown {what} {name!r}; one of {', '.join(known)}")
    for text in scalings or ():
        scaling.parse(text)


def split_names(text: str) -> list[str]:
    """`"margin:tau=2,logistic"` → `["margin:tau=2", "logistic"]`; a comma before `name=` is inside a rule."""
    return list(_joined(part.strip() for part in text.split(",")))


def _joined(parts: Iterator[str]) -> Iterator[str]:
    held = ""
    for part in parts:
        if held and ":" in held and "=" in part.partition(":")[0]:
            held += f",{part}"
        else:
            if held:
                yield held
            held = part
    if held:
        yield held
