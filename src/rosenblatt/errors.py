"""Errors a user can cause, each one clear sentence; the command line turns them into exit codes.

A sentence that mentions a setting is a template: `SettingError("{eta0} must be a number ≥ 0", eta0=-1)` says
`eta0=-1 …` to a reader of Python and `--eta -1 …` to one of the shell. `{eta0:g}` and `{eta0:s}` choose how the value
is written, `{eta0.name}` and `{eta0.value}` are one of the two alone, `{eta0_}` is the setting with another value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import partial
from numbers import Real
from typing import Any, Self

Word = Callable[[str, str | None], str]
"""(name of a setting, its value as Python writes it, or None) → how a face of the program says it."""


def in_python(name: str, shown: str | None) -> str:
    """`eta0=0.1`, or `eta0`."""
    return name if shown is None else f"{name}={shown}"


class _Mention:
    """A setting in a template: `{eta0}`, `{eta0:g}`, `{eta0.name}`, `{eta0.value}`."""

    def __init__(self, name: str, value: Any, word: Word) -> None:
        self._said, self._value, self._word = name, value, word

    def __format__(self, form: str) -> str:
        value = self._value
        number = form not in ("", "s") and isinstance(value, Real) and not isinstance(value, bool)
        return self._word(self._said, format(value, form) if number else str(value) if form == "s" else repr(value))

    @property
    def name(self) -> str:
        return self._word(self._said, None)

    @property
    def value(self) -> str:
        return repr(self._value)


class Message(str):
    """A text that knows the settings it mentions: as it stands in the words of Python, `in_words` in those of others.

    Templates have braces where settings stand; a text without settings is what it is, and a message stays itself.
    """

    template: str
    settings: dict[str, Any]

    def __new__(cls, template: str, /, **settings: Any) -> Message:
        if isinstance(template, Message):
            return template
        made = super().__new__(cls, _filled(template, settings, in_python))
        made.template, made.settings = template, settings
        return made

    def in_words(self, word: Word) -> str:
        return _filled(self.template, self.settings, word)

    def within(self, before: str, after: str = "") -> Message:
        """The same message with something said before and after it."""
        if not self.settings:
            return Message(f"{before}{self}{after}")
        return Message(f"{plain(before)}{self.template}{plain(after)}", **self.settings)

    def __reduce__(self) -> Any:
        return partial(Message, self.template, **self.settings), ()


def _filled(template: str, settings: dict[str, Any], word: Word) -> str:
    if not settings:
        return template
    mentions = {name: _Mention(name.rstrip("_"), value, word) for name, value in settings.items()}
    return template.format(**mentions)


def short(text: Any, most: int = 80) -> str:
    """Text on one line, cut at `most` characters; control characters, which a terminal would obey, become blanks."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def plural(count: float, what: str) -> str:
    """`1 row`, `1,234 rows`."""
    return f"{count:,} {what if count == 1 else what + 's'}"


def plain(text: Any) -> str:
    """A text from outside, to stand in a template: its braces are no settings."""
    return str(text).replace("{", "{{").replace("}", "}}")


class RosenblattError(ValueError):
    """Any error caused by what was given: data, model file or settings. `exit_code` is the shell's.

    message: a text, a `Message`, or a template with the settings that it mentions.
    """

    exit_code = 1

    def __init__(self, message: str, /, **settings: Any) -> None:
        self.message = Message(message, **settings)
        super().__init__(str(self.message))

    def saying(self, message: str) -> Self:
        """The same error with another message."""
        made = copy(self)
        made.message = Message(message)
        made.args = (str(message),)
        return made

    def within(self, before: str, after: str = "") -> Self:
        """The same error with something said before and after it."""
        return self.saying(self.message.within(before, after))


class DataError(RosenblattError):
    """Data that cannot be read or learned from. Names file, line or row, what was found, what would be right."""

    exit_code = 3
    names_its_file = False
    """Whether it is known to begin with where it is: that of one of several files."""
    empty = False
    """Whether the data are there, and there is nothing in them."""
    notes: Mapping[str, int] = {}
    """What was noted of the reading before."""


class ModelError(RosenblattError):
    """A model file that is damaged, truncated, foreign, or from a newer version."""

    exit_code = 4


class SettingError(RosenblattError):
    """A setting outside its range, or two settings that do not go together."""

    exit_code = 2


class BoundViolated(AssertionError):
    """A theorem fails on what was measured, in exact arithmetic too: an error in this program, never in the data."""


def located(origin: str, line: int | None, found: str, expected: str, **settings: Any) -> DataError:
    """The one form of a data error: `file, line 3: found …; expected …`. expected: as of an error."""
    place = origin if line is None else f"{origin}, line {line}"
    return DataError(Message(expected, **settings).within(f"{place}: {found}; "))


@contextmanager
def naming(origin: str, *others: str) -> Iterator[None]:
    """What is wrong with data names them: their origin, unless it begins with that, or with one of the others."""
    try:
        yield
    except DataError as error:
        known = error.names_its_file or str(error).startswith((origin, *others))
        raise error.within("" if known else f"{origin}: ") from None
