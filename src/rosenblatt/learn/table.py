"""The table of all parameters of a learner: its own, and those that its parts declare, found where the parts are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..memory import memory_classes
from ..optimizers import optimizer_classes
from ..parameters import LEARNER, Parameter, defaults, ordered
from .rule import rule_classes
from .schedule import schedule_classes


def _parts() -> dict[str, dict[str, Any]]:
    """setting → what can be chosen for it, by name."""
    return {"keep": memory_classes(), "optimizer": optimizer_classes(), "learning_rate": schedule_classes()}


def declared() -> dict[str, Parameter]:
    """name → entry of what memories, optimizers and schedules take."""
    return {each.name: each for known in _parts().values() for part in known.values() for each in part.parameters}


@lru_cache(maxsize=1)
def learner_table() -> dict[str, Parameter]:
    """name → entry, in the order of the documentation."""
    table = ordered(LEARNER, declared().values())
    for name, known in {"rule": rule_classes(), **_parts()}.items():
        entry = table[name]
        choices = () if entry.kind is object else tuple(known)  # a rule is checked where it is made
        table[name] = entry._replace(choices=choices, help=entry.help.replace("{choices}", ", ".join(known)))
    return table


DEFAULTS: dict[str, Any] = defaults(learner_table().values())
"""name → default of every parameter of a learner. tol and eta0 "auto": the rule's own (`rosenblatt inspect` and the
rules' pages name them)."""
