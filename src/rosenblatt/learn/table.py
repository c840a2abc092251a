"""The table of all parameters of a learner: its own, and those that its parts declare, found where the parts are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..catalog import rule_classes
from ..memory import memory_classes
from ..parameters import LEARNER, Parameter, defaults, ordered

# Until memories, optimizers and schedules declare them as `parameters`: then this goes, and `_declared` finds them.
_OWNED = (
    Parameter(
        "counting", "notes", help="voted: survivals count from 0 or 1: {choices}.", metavar="NAME",
        meaning='keep="voted": a vector\'s survival count starts at 0 (lecture notes) or 1 (Freund & Schapire 1999).',
        choices=("notes", "freund-schapire"), after="fit_intercept", needs=("keep", "voted"),
    ),
    Parameter(
        "check_every", 0, int, "pocket: measure after each N updates as well.", least=0, own="every",
        meaning='keep="pocket": also measure after so many updates; 0: at record runs and the ends of epochs only.',
        after="counting", needs=("keep", "pocket"),
    ),
    Parameter(
        "batch_size", 32, int, "Rows a block of mini-batch.", least=0, above=True, takes="int ≥ 1", own="size",
        meaning='Rows a block of optimizer="mini-batch"; the mean of their steps is applied.',
        after="alpha", needs=("optimizer", "mini-batch"),
    ),
    Parameter(
        "epsilon", 1e-12, float, "batch: stop when the mean step is shorter.", least=0, section="Run",
        meaning='optimizer="batch" stops when ‖δ‖, the mean step of an epoch, is below this.',
        after="n_iter_no_change", needs=("optimizer", "batch"),
    ),
    Parameter(
        "decay", 1e-3, float, "How fast: eta/(1 + t*decay), or its root.", least=0, meaning="See learning_rate.",
        after="learning_rate",
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def learner_table() -> dict[str, Parameter]:
    """name → entry, in the order of the documentation."""
    declared = [each for part in memory_classes().values() for each in getattr(part, "parameters", ())]
    names = {each.name for each in declared}
    table = ordered(LEARNER, [*declared, *(each for each in _OWNED if each.name not in names)])
    for name, choices in _choices().items():
        entry = table[name]
        known = () if entry.kind is object else choices  # a rule is checked where it is made
        table[name] = entry._replace(choices=known, help=entry.help.replace("{choices}", ", ".join(choices)))
    return table


def _choices() -> dict[str, tuple[str, ...]]:
    from ..defaults import OPTIMIZERS, SCHEDULES

    return {
        "rule": tuple(rule_classes()),
        "keep": tuple(memory_classes()),
        "optimizer": OPTIMIZERS,
        "learning_rate": SCHEDULES,
    }


DEFAULTS: dict[str, Any]
"""name → default of every parameter of a learner. tol and eta0 "auto": the rule's own (`rosenblatt inspect` and the
rules' pages name them)."""


def __getattr__(name: str) -> Any:
    if name == "DEFAULTS":
        globals()["DEFAULTS"] = defaults(learner_table().values())
        return globals()["DEFAULTS"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
