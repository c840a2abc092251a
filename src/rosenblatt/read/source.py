"""What the readers of single files share."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

from ..errors import DataError, located
from ..parameters import Parameter
from .open import STDIN, ByteStream, PathLike, is_read_once, open_bytes


def decoded_lines(text: bytes) -> tuple[list[str], int]:
    """The lines of a block without their ends, and how many were not UTF-8 and were read as latin-1."""
    text = text.replace(b"\r\n", b"\n")
    try:
        return text.decode().split("\n")[:-1], 0
    except UnicodeDecodeError:
        pass
    lines, other = [], 0
    for line in text.split(b"\n")[:-1]:
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            lines.append(line.decode("latin-1"))
            other += 1
    return lines, other


class FileSource:
    """What the readers of single files share: the place in the file, the notes, and reading standard input only once.

    path: a file, `-`, or a stream whose first line was looked at to find its format. parameters: the user's own, of the
    table; each is an argument of the constructor.
    """

    kind = "rows"
    parameters: tuple[Parameter, ...] = ()
    further: dict[str, Any] = {}
    """What else the constructor takes, by name, with defaults: what a program says, not a user."""
    widening = False
    """Whether later rows may have more columns than the first ones."""

    def __init_subclass__(cls) -> None:
        """A constructor that takes `**words` has the signature of its parameters and what it takes further."""
        if cls.further:
            keyword, path = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter("path", inspect.Parameter.POSITIONAL_ONLY)
            names = {each.name: each.default for each in cls.parameters} | cls.further
            rest = [inspect.Parameter(name, keyword, default=default) for name, default in names.items()]
            cls.__signature__ = inspect.Signature([path, *rest])  # type: ignore[attr-defined]

    def _arguments(self, words: dict[str, Any]) -> SimpleNamespace:
        """All of them by name, with their defaults, checked. TypeError for one that there is not."""
        bound = inspect.signature(type(self)).bind(self._path, **words)
        bound.apply_defaults()
        found = SimpleNamespace(**bound.arguments)
        for each in self.parameters:
            if each.name in words:
                each.check(words[each.name])
        return found

    def __init__(self, path: PathLike | ByteStream) -> None:
        self._path, self._opened = path, False
        self._stream: ByteStream | None = None
        if isinstance(path, ByteStream):
            self.origin, self.one_shot = path.name, True
        else:
            self.origin = STDIN if str(path) == "-" else str(path)
            self.one_shot = is_read_once(path)
        self.notes: dict[str, int] = {}
        self._column_names: list[str] | None = None

    @property
    def bytes_read(self) -> int:
        """Place in the file as stored, for a progress bar."""
        return self._stream.bytes_read if self._stream is not None else 0

    @property
    def bytes_total(self) -> int | None:
        return self._stream.bytes_total if self._stream is not None else None

    @property
    def feature_names(self) -> list[str] | None:
        """Of the columns, where they have names."""
        return self._column_names

    def _open(self) -> ByteStream:
        """The stream for one reading; the notes begin anew."""
        if self.one_shot and self._opened:
            raise DataError(f"{self.origin}: it can be read only once; several passes over the data need a file")
        self._opened = True
        self.notes.clear()
        self._stream = self._path if isinstance(self._path, ByteStream) else open_bytes(self._path)
        return self._stream

    def _note(self, what: str, count: int = 1) -> None:
        if count:
            self.notes[what] = self.notes.get(what, 0) + count

    def _no_rows(self) -> DataError:
        notes = ", ".join(f"{what}: {count}" for what, count in self.notes.items())
        return located(self.origin, None, "found no rows" + (f" ({notes})" if notes else ""), "expected at least one")
