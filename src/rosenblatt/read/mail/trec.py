"""An index as the TREC spam tracks have it: lines `spam ../data/inmail.1`, a label and a mail's file."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import IO

from ...errors import located
from ..open import PathLike
from .store import Entries, Entry, Store

EXPECTED = "expected a label and the path of a mail, counted from the index's folder"


class Index(Store):
    """The mails of an index in its order, with its labels. A file that is not there is an error naming the line."""

    broken = True
    """What is wrong with a mail is wrong in the index, which says that it is there."""

    _place = 0

    @property
    def bytes_read(self) -> int:
        return self._place

    def entries(self) -> Entries:
        with self._opened() as stream:
            lines = stream.read().split(b"\n")
        read, total = 0, sum(map(len, lines)) + len(lines)
        for number, line in enumerate(lines, 1):
            read += len(line) + 1
            words = os.fsdecode(line).split(maxsplit=1)
            if not words:
                continue
            if len(words) < 2:
                raise located(self.origin, number, f"found {line[:40].decode('utf-8', 'replace')!r}", EXPECTED)
            label, name = words[0], words[1].strip()
            open_it = lambda name=name, number=number: self._open(name, number)  # noqa: E731
            yield Entry(name, PurePosixPath(name).parts[:-1], open_it, label, False)
            self._place = (self.bytes_total or 0) * read // total
        self._place = self.bytes_total or 0

    def _open(self, name: str, number: int) -> IO[bytes]:
        try:
            return open(os.path.join(os.path.dirname(self.origin), name), "rb", buffering=0)
        except (OSError, ValueError) as error:
            gone = isinstance(error, FileNotFoundError)
            found = f"found {name!r}, which {'is not there' if gone else f'cannot be read ({error})'}"
            raise located(self.origin, number, found, EXPECTED) from error


def is_index(head: bytes, path: PathLike) -> bool:
    """Whether the file of this path and beginning is a TREC index: its first line is a word, and a file that exists."""
    words = os.fsdecode(head.partition(b"\n")[0]).split(maxsplit=1)
    if len(words) != 2 or "\0" in words[1]:
        return False
    return os.path.isfile(os.path.join(os.path.dirname(path), words[1].strip()))
