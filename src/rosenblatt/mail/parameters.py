"""What can be set of a judge, each declared once, and the judge that is made of it."""

from typing import Any

from ..errors import SettingError
from ..parameters import Parameter, defaults
from .features import BITS, DEFAULT, GROUPS, Look
from .judge import Judge

JUDGE = (
    Parameter(
        "groups", None, list, f"What is looked at in a mail, of {', '.join(GROUPS)}.", metavar="A,B,...",
        section="Judge", shown=",".join(DEFAULT),
    ),
    Parameter(
        "bits", BITS, int, "Features are hashed to 2^bits columns.", least=8, most=28, metavar="N", section="Judge",
        refusal="{bits} must be a whole number from 8 to 28",
    ),
)  # fmt: skip


def judge_from(**words: Any) -> Judge:
    """A judge that has learned nothing. words: as JUDGE names them. Raises SettingError for others, or out of range."""
    settings = defaults(JUDGE) | words
    unknown = [name for name in words if name not in defaults(JUDGE)]
    if unknown:
        raise SettingError(f"unknown {{{unknown[0]}}} of a judge", **{unknown[0]: words[unknown[0]]})
    for each in JUDGE:
        each.check(settings[each.name])
    groups = DEFAULT if settings["groups"] is None else tuple(settings["groups"])
    other = [name for name in groups if name not in GROUPS]
    if other or not groups:
        found = f"{{groups.name}}: unknown {other[0]!r}" if other else "{groups.name}: there is none"
        raise SettingError(f"{found}; expected some of {', '.join(GROUPS)}", groups=None)
    return Judge(Look(groups, settings["bits"]))
