"""One table of parameters: what each is called in Python and in the shell, its default, its range, and what it means.

Who needs a parameter declares it: rules in their fields, memories, optimizers, schedules, readers and feature steps as
`parameters`. This file has the form of an entry, and those of the learner itself, which belong to nobody else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .errors import SettingError


class Parameter(NamedTuple):
    """One entry.

    name: in Python. default; kind: float, int, bool or str. help: a sentence for `--help`. meaning: what the
    documentation says, where that is more. least: the smallest value, or with `above` the largest that is too small.
    below: the smallest that is too large. choices: the only values. words: texts that stand for values, as {"none":
    None}. option: in the shell; default: `--name`; "": none. own: its name inside the text of its owner, as `every` in
    `pocket:every=10`; default: the name. needs: (parameter, value) without which it has no effect. section: of the
    help.
    """

    name: str
    default: Any
    kind: type = str
    help: str = ""
    meaning: str = ""
    least: float | None = None
    above: bool = False
    below: float | None = None
    choices: tuple[str, ...] = ()
    words: dict[str, Any] = {}  # noqa: RUF012 (a NamedTuple's default is never changed)
    option: str | None = None
    own: str = ""
    needs: tuple[str, Any] | None = None
    section: str = "Learner"

    @property
    def flag(self) -> str:
        """The option in the shell, or "" where there is none."""
        return "--" + self.name.replace("_", "-") if self.option is None else self.option

    @property
    def inner(self) -> str:
        """The name inside its owner's text."""
        return self.own or self.name

    def read(self, text: str) -> Any:
        """The value that a text stands for. SettingError where it stands for none, or for one out of range."""
        value: Any = self.words.get(text, text)
        if self.kind in (int, float) and isinstance(value, str):
            try:
                value = self.kind(text)
            except ValueError:
                value = text
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """SettingError where it is none of the choices or words, no number, or out of range."""
        if self.choices:
            if value not in self.choices:
                listed = ", ".join(self.choices)
                raise SettingError(f"unknown {{{self.name}}}; one of {listed}", **{self.name: value})
            return
        if any(value is word or (isinstance(word, str) and value == word) for word in self.words.values()):
            return
        if self.kind in (int, float):
            self._check_number(value)

    def _check_number(self, value: Any) -> None:
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
        whole = self.kind is int and not (number and isinstance(value, (int, np.integer)))
        outside = not number or not math.isfinite(value) or (self.least is not None and value < self.least)
        if whole or outside:
            self._refuse(value, f"{'a whole number' if self.kind is int else 'a number'} ≥ {self.least or 0:g}")
        if self.above and value == self.least:
            self._refuse(value, f"> {self.least:g}")
        if self.below is not None and not value < self.below:
            self._refuse(value, f"below {self.below:g}")

    def _refuse(self, value: Any, range_: str) -> None:
        words = ["None" if word is None else f'"{word}"' for word in self.words.values()]
        what = f"{', '.join(words)} or {range_}" if words else range_
        raise SettingError(f"{{{self.name}}} must be {what}", **{self.name: value})


def defaults(parameters: Iterable[Parameter]) -> dict[str, Any]:
    return {each.name: each.default for each in parameters}
