"""Rows that are moved, not read: lines of files, and mails of a folder as lines of an index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..errors import located
from ..read.mail.store import is_index
from ..read.open import open_bytes
from ..read.source import filled
from ..write.records import Record, Records
from .sources import as_it_is

FILES = "expected a folder with one file for each mail, or an index of such files"


class Mails:
    """The mails of a folder as lines `label path`, the path counted from the folder of the index that is written.

    Raises DataError where mails do not lie in files of their own, and where they have no labels.
    """

    header = b""
    format = "index"

    def __init__(self, path: str, source: Any, output: str) -> None:
        self._source, self._root = source, os.path.realpath(path)
        if not os.path.isdir(path):
            with open_bytes(path) as stream:
                if not is_index(filled(stream, 4096), path):
                    raise located(source.origin, None, "found mails that are no files of their own", FILES)
            self._root = os.path.dirname(self._root)
        self._base = os.path.dirname(os.path.realpath(output)) if output != "-" else os.getcwd()
        self.notes: dict[str, int] = source.notes
        self.labelled = True

    def __iter__(self) -> Iterator[Record]:
        for batch in self._source:
            if batch.y is None:
                raise located(self._source.origin, None, "found mails without labels", "expected labelled folders")
            for label, name in zip(batch.y.tolist(), batch.ids, strict=True):
                file = os.path.join(self._root, name)
                if not os.path.isfile(file):
                    raise located(self._source.origin, None, f"found {name!r}, which is no file of its own", FILES)
                if not label or label.split() != [label]:
                    found = f"found the label {label!r}"
                    raise located(self._source.origin, None, found, "expected one without blanks, for an index")
                yield os.fsencode(f"{label} {os.path.relpath(file, self._base)}\n"), label


def moved_rows(path: str, reading: dict[str, Any], labelled: bool | str, output: str) -> Records | Mails:
    """The rows of a file or folder. labelled: False where no labels are wanted. output: where an index will lie."""
    source: Any = as_it_is(path, reading, unlabelled=False)
    if source.recipe()["format"] == "mail":
        return Mails(path, source, output)
    return Records(path, source, labelled)
