"""What can be set of a judge, each declared once, and the judge that is made of it."""

from collections.abc import Iterable
from typing import Any

from ..errors import SettingError
from ..parameters import Parameter, defaults, nearest
from .features import BITS, DEFAULT, GROUPS, Look
from .judge import LOST, Judge

JUDGE = (
    Parameter(
        "groups", None, list, f"What is looked at in a mail, of {', '.join(GROUPS)}.", metavar="A,B,...",
        section="Judge", shown=f"those before {GROUPS[len(DEFAULT)]}",
    ),
    Parameter(
        "bits", BITS, int, "Features are hashed to 2^bits columns.", least=8, most=28, metavar="N", section="Judge",
        refusal="{bits} must be a whole number from 8 to 28",
    ),
    LOST,
)  # fmt: skip


def judge_from(**words: Any) -> Judge:
    """A judge that has learned nothing. words: as JUDGE names them. Raises SettingError for others, or out of range."""
    settings = defaults(JUDGE) | words
    unknown = next((name for name in words if name not in defaults(JUDGE)), None)
    if unknown is not None:
        raise SettingError(f"a judge has no setting {unknown}; it has {', '.join(defaults(JUDGE))}")
    for each in JUDGE:
        each.check(settings[each.name])
    groups = settings["groups"]
    if isinstance(groups, str) or not isinstance(groups, Iterable | None):
        raise SettingError("{groups} must be names in a list", groups=groups)
    groups = DEFAULT if groups is None else tuple(groups)
    other = [name for name in groups if name not in GROUPS]
    if other or not groups:
        found = f"{{groups.name}}: unknown {other[0]!r}" if other else "{groups.name}: there is none"
        near = nearest(str(other[0]), GROUPS) if other else ""
        also = f"; did you mean {near}?" * bool(near)
        raise SettingError(f"{found}; expected some of {', '.join(GROUPS)}{also}", groups=None)
    return Judge(Look(groups, int(settings["bits"])), max_false_positives=float(settings["max_false_positives"]))
