"""Where mails come from: what folders, archives, indexes and single files have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol

from ...errors import DataError
from ..open import COMPRESSED, ByteStream, PathLike, compression, file_size, open_bytes, plain_name
from .labels import Folders
from .mbox import MAIL_LIMIT, is_mbox, split

NO_MAIL = "files that are no mail, skipped"
LINKS = "links, not followed"
UNREADABLE = "unreadable files, skipped"
VANISHED = "files that vanished meanwhile"
LEFT_OUT = "mails marked as trashed or drafts, skipped"

ARCHIVE = re.compile(r"\.(?:tar|tgz|txz|tbz2?|tzst)(?:\.\w+)?$", re.IGNORECASE)
MBOX = ".mbox"
FIRST = 1 << 20
"""Bytes that are read of a file before it is decided what it is; nearly every mail is shorter."""


class NotMbox(DataError):
    """A file that should be an mbox and is none."""


class File(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *problem: Any) -> Any: ...


Note = Callable[[str], None]


class Entry(NamedTuple):
    """A file of one mail or, as mbox, of many.

    folders: names that can be labels, from the outermost; label: where the store itself knows it. open: must be called
    before the next entry is asked for. mbox: True and False where the name says it, None: by its first line.
    """

    name: str
    folders: Folders
    open: Callable[[], File]
    label: str | None = None
    mbox: bool | None = None


Entries = Generator[Entry, None, None]


class Store(Protocol):
    """Gives the same entries each time. broken: what went wrong is the fault of the store, not of one file in it.

    bytes_read, bytes_total: how far the reading is, for a progress bar; the total is None where nobody knows it.
    """

    broken: bool
    bytes_total: int | None

    @property
    def bytes_read(self) -> int: ...

    def entries(self) -> Entries: ...


class Single:
    """One file, of a mail or of many."""

    broken = True
    """There is nothing beside it to go on with."""

    def __init__(self, given: PathLike | ByteStream, mbox: bool | None) -> None:
        self._given, self._mbox = given, mbox
        self._stream = given if isinstance(given, ByteStream) else None
        self.bytes_total = self._stream.bytes_total if self._stream else file_size(given)  # type: ignore[arg-type]

    @property
    def bytes_read(self) -> int:
        return self._stream.bytes_read if self._stream else 0

    def entries(self) -> Entries:
        given = self._given
        name = Path(given.name if isinstance(given, ByteStream) else str(given)).name
        yield entry(name, (), self._open, self._mbox)

    def _open(self) -> ByteStream:
        self._stream = self._given if isinstance(self._given, ByteStream) else open_bytes(self._given)
        return self._stream


def entry(name: str, folders: Folders, open: Callable[[], File], mbox: bool | None = None) -> Entry:
    """An entry for a file; the stem of an mbox file (by suffix, or where `mbox` says so) is a folder like others."""
    plain = plain_name(name)
    if mbox or plain.endswith(MBOX):
        return Entry(name, (*folders, _stem(name)), open, None, True)
    return Entry(name, folders, open, None, False if plain.endswith(".eml") else mbox)


def _stem(name: str) -> str:
    """`lists/spam.mbox.gz` → spam."""
    stem = PurePosixPath(name).name
    for suffix in (*COMPRESSED, MBOX):
        stem = stem[: -len(suffix)] if stem.lower().endswith(suffix) else stem
    return stem


def messages(file: File, name: str, mbox: bool | None) -> Iterator[tuple[str, bytes]]:
    """(name, raw) of the mails in a file: one, or those of an mbox, which are called `name:1`, `name:2` …

    A compressed file is read as what it holds. A file that is an mbox by its look only and holds one mail has no
    number. Raises DataError where the file is damaged, or should be an mbox and is not.
    """
    head = _up_to(file, FIRST)
    if compression(head):
        yield from messages(ByteStream(_Rest(head, file), name, None), name, mbox)
        return
    looks = mbox is not False and is_mbox(head)
    if mbox and not looks and head:
        line = head[:40].partition(b"\n")[0].decode("utf-8", "replace")
        raise NotMbox(f"{name}, line 1: found {line!r}; expected `From address date`, as an mbox begins with")
    if not looks:
        if head or not mbox:
            yield name, head if len(head) < FIRST else head + _up_to(file, MAIL_LIMIT + 1 - FIRST)
        return
    held: bytes | None = None
    number = 0
    for raw in split(_Rest(head, file).read):
        if held is not None:
            yield f"{name}:{number}", held
        held, number = raw, number + 1
    if held is not None:
        yield f"{name}:{number}" if mbox or number > 1 else name, held


class _Rest:
    """A file some of which was read already."""

    def __init__(self, head: bytes, file: File) -> None:
        self._head, self._file = head, file

    def read(self, size: int) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._file.read(size)

    def close(self) -> None: ...


def _up_to(file: File, limit: int) -> bytes:
    """All of a file, but not more than `limit` bytes."""
    parts: list[bytes] = []
    while limit > 0 and (data := file.read(limit)):
        parts.append(data)
        limit -= len(data)
    return parts[0] if len(parts) == 1 else b"".join(parts)
