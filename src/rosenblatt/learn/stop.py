"""Why a run stopped: a kind and its limit. Here alone it becomes a text, and a text of a model file a stop again."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..errors import Message, plain

# kind → (text, the setting whose value it names, with its form). `{n}` stands for the stop's other number.
_TEXTS: dict[str, tuple[str, str]] = {
    "start": ("nothing learned yet", ""),
    "no update": ("an epoch without an update", ""),
    "no mistake": ("no row is wrong any more", ""),
    "small gradient": ("small gradient (below {epsilon:g})", "epsilon"),
    "settled": ("loss fell by less than {tol:g} for {n} epochs", "tol"),
    "unsettled": ("loss fell by less than {tol:g} for {n}; a smaller {eta0.name} may help", "tol"),
    "no progress": ("no progress by {tol:g} for {n} epochs", "tol"),
    "epochs": ("epoch limit ({max_iter})", "max_iter"),
    "updates": ("step limit ({max_updates})", "max_updates"),
    "time": ("time limit ({max_time:g} s)", "max_time"),
    "callback": ("stopped by the callback", ""),
}
LIMITS = ("epochs", "updates", "time")


class Stop(NamedTuple):
    """Why a run stopped.

    kind: one of the table's; or one whose text is the note: "validation", "not separable", and "own", a callback's.
    limit: the value of the setting that decided, if one did. note: a second number, or the text.
    """

    kind: str
    limit: Any = None
    note: Any = ""

    @property
    def is_limit(self) -> bool:
        """Cut short: it was not the rule that had finished, nor data or validation that ended it."""
        return self.kind in LIMITS

    @property
    def yields(self) -> bool:
        """Whether a rule that has finished in the same epoch is the better reason."""
        return self.kind == "validation"

    @property
    def setting(self) -> str:
        """The name of the setting that decided, or ""."""
        return _TEXTS[self.kind][1] if self.kind in _TEXTS else ""

    @property
    def text(self) -> Message:
        """What `stop_reason_` says, in the words of Python; `in_words` has it in others."""
        if self.kind not in _TEXTS:
            return self.note if isinstance(self.note, Message) else Message(self.note)
        template, setting = _TEXTS[self.kind]
        if not setting:
            return Message(template)
        if self.limit is None:
            template = re.sub(rf"\{{{setting}[^}}]*\}}", f"{{{setting}.name}}", template)
        template = template.replace("{n}", plain(self.note))
        return Message(template, **{setting: self.limit}, **({"eta0": None} if "eta0" in template else {}))


def stop_from(text: str) -> Stop:
    """The stop that a model file tells of; a text that is none of the table's stays one."""
    for kind, (template, setting) in _TEXTS.items():
        pattern = re.escape(template).replace(r"\{n\}", "(?P<note>.+)").replace(r"\{eta0\.name\}", "eta0")
        pattern = re.sub(r"\\\{(\w+)(:g)?\\\}", r"\1(=(?P<limit>[^ )]+))?", pattern)
        found = re.fullmatch(pattern, text)
        if found and setting:
            parts = {"note": "", **found.groupdict()}
            return Stop(kind, *(_number(parts[name]) for name in ("limit", "note")))
        if found:
            return Stop(kind)
    return Stop("own", note=text)


def _number(text: str | None) -> Any:
    if text is None or not re.fullmatch(r"[\d.e+-]+", text):
        return text
    return int(text) if text.isdecimal() else float(text)
