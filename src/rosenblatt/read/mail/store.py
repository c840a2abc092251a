"""Where mails come from: what folders, archives, indexes and single files have in common."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Iterator
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from ...errors import DataError, located
from ...mailtext.mail import MAIL_LIMIT
from ...mailtext.mime import is_deleted, is_mail
from ..open import Ahead, ByteStream, PathLike, compression, file_size, is_folder, open_bytes, plain_name, uncompressed
from ..several import TWICE
from ..source import filled
from .mbox import LEFT_OUT, is_mbox, refusal, split

NO_MAIL = "files that are no mail, skipped"
LINKS = "links, not followed"
UNREADABLE = "unreadable files, skipped"
VANISHED = "files that vanished meanwhile"

PAIR = ("ham", "spam")
"""The folders that are looked for where no labels are named, in any case of letters."""
ARCHIVE = re.compile(r"\.(?:tar|tgz|txz|tbz2?|tzst)(?:\.\w+)?$", re.IGNORECASE)
MBOX = re.compile(r"\.mbox\Z", re.IGNORECASE)
FIRST = 1 << 20
"""Bytes that are read of a file before it is decided what it is; nearly every mail is shorter."""


INFO = re.compile(r"[:;!]2,([A-Za-z]*)$")
"""The flags of a mail in a maildir: `:2,FS`; other marks stand for the colon where a file system forbids it."""


def refound(path: str, listed: dict[str, dict[str, str]]) -> str:
    """The same path, or that of a maildir's mail that has other flags by now, or was read and so moved to `cur`.
    listed: folder → mails by their names without flags, of folders that were looked into."""
    folder, name = os.path.split(path)
    if os.path.basename(folder) in ("cur", "new") and not os.path.exists(path):
        for each in (folder, os.path.join(os.path.dirname(folder), "cur")):
            if each not in listed:
                listed[each] = {INFO.sub("", mail): mail for mail in os.listdir(each)} if os.path.isdir(each) else {}
            if own := listed[each].get(INFO.sub("", name)):
                return os.path.join(each, own)
    return path


class NoMail(DataError):
    """A file that should be a mail, or an mbox, and is none."""


HEADERLESS = "found no mail; expected one that begins with headers, as `Subject: …`"


def note_of(error: Exception) -> str:
    """What is noted of a file that is passed over because of this."""
    if isinstance(error, NoMail):
        return NO_MAIL
    return VANISHED if isinstance(error, FileNotFoundError) else UNREADABLE


Folders = tuple[str, ...]
File = Any
"""What has `read(size)` and can be used in a `with`."""
Note = Callable[[str], None]


class Entry(NamedTuple):
    """A file of one mail or, as mbox, of many.

    folders: names that can be labels, from the outermost; label: where the store itself knows it. open: must be called
    before the next entry is asked for. mbox: True and False where the name says it, None: by its first line. sure: the
    name or the place says that it is a mail, though it may have lost its headers.
    """

    name: str
    folders: Folders
    open: Callable[[], File]
    label: str | None = None
    mbox: bool | None = None
    sure: bool = False


Entries = Generator[Entry, None, None]


class Store:
    """A place of mails, which gives the same entries each time.

    path: a file, or a stream that was begun. kind: what it shall be taken for, as of `MailSource`. note: counts what
    is passed over. broken: what went wrong is the fault of the store, not of one file in it. bytes_total: how far
    reading will go, None where nobody knows it.
    """

    broken = False

    def __init__(self, path: PathLike | ByteStream, kind: str, note: Note) -> None:
        self._path, self._kind, self._note = path, kind, note
        self._mbox = True if kind == "mbox" else None
        self._stream = path if isinstance(path, ByteStream) else None
        self.origin = path.name if isinstance(path, ByteStream) else os.fspath(path)
        self.bytes_total = path.bytes_total if isinstance(path, ByteStream) else None
        if not isinstance(path, ByteStream) and not is_folder(path):
            self.bytes_total = file_size(path)

    @property
    def bytes_read(self) -> int:
        """How far the reading is, for a progress bar."""
        return self._stream.bytes_read if self._stream else 0

    def entries(self) -> Entries:
        raise NotImplementedError

    def _opened(self) -> ByteStream:
        self._stream = self._path if isinstance(self._path, ByteStream) else open_bytes(self._path)
        return self._stream


ONE = "mail"
"""The kind that takes what comes on standard input for one mail, whatever lines are in it."""


class Single(Store):
    """One file, of a mail or of many."""

    broken = True
    """There is nothing beside it to go on with."""

    def entries(self) -> Entries:
        made = entry(Path(self.origin).name, (), self._opened, self._mbox)
        one = self._kind == ONE and isinstance(self._path, ByteStream)
        yield made._replace(mbox=False, sure=True) if one else made


def entry(name: str, folders: Folders, open: Callable[[], File], mbox: bool | None = None) -> Entry:
    """An entry for a file; the stem of an mbox file (by suffix, or where `mbox` says so) is a folder like others."""
    plain = plain_name(name)
    if mbox or MBOX.search(plain):
        stem = MBOX.sub("", uncompressed(PurePosixPath(name).name))  # lists/spam.mbox.gz → spam
        return Entry(name, (*folders, stem), open, None, True)
    named = plain.endswith((".eml", ".emlx"))
    return Entry(name, folders, open, None, False if named else mbox, named)


def messages(file: File, entry: Entry, note: Note) -> Iterator[tuple[str, bytes]]:
    """(name, raw) of the mails in a file: one, or those of an mbox, which are called `name:1`, `name:2` …

    A compressed file is read as what it holds. A file that is an mbox by its look only and holds one mail has no
    number. Raises DataError where the file is damaged, and NoMail where it is no mail, or should be an mbox and is not.
    """
    name, mbox, head = entry.name, entry.mbox, filled(file, FIRST)
    if compression(head):
        yield from messages(ByteStream(Ahead(file.read, head), name, None), entry, note)
        return
    looks = mbox is not False and is_mbox(head)
    if mbox and not looks and head:
        line = head[:40].partition(b"\n")[0].decode("utf-8", "replace")
        raise NoMail(f"{name}, line 1: found {line!r}; expected `From address date`, as an mbox begins with")
    if not looks:
        if mbox and not head:
            return
        if not is_mail(head, entry.sure):
            raise NoMail(f"{name}: {HEADERLESS}")
        raw = head if len(head) < FIRST else head + filled(file, MAIL_LIMIT + 1 - FIRST)
        if entry.label is not None and is_mbox(head) and len(list(islice(split(Ahead(file.read, head).read), 2))) > 1:
            note(ONE_MAIL)
        if is_deleted(raw):
            note(LEFT_OUT)
        else:
            yield name, raw
        return
    mails = split(Ahead(file.read, head).read, note)
    begun = [] if mbox else list(islice(mails, 2))
    for number, raw in enumerate(chain(begun, mails), 1):
        refused = refusal(raw)
        if refused:
            note(refused)
        else:
            yield name if len(begun) == 1 else f"{name}:{number}", raw


ONE_MAIL = "files of an index that look like several mails, read as one (their names do not end in .mbox)"
INDEXED = "expected a label and the path of a mail, counted from the index's folder"


class Index(Store):
    """The mails of an index of the TREC spam tracks: lines `spam ../data/inmail.1`, a label and the file of a mail, or
    of an mbox by its suffix; in its order, with its labels. A file that is not there is an error naming the line."""

    broken = True
    """What is wrong with a mail is wrong in the index, which says that it is there."""

    _place = 0

    @property
    def bytes_read(self) -> int:
        return self._place

    def entries(self) -> Entries:
        with self._opened() as stream:
            lines = stream.read().removeprefix(BOM_UTF8).split(b"\n")
        read, total = 0, sum(map(len, lines)) + len(lines)
        seen, listed, root = dict[str, tuple[int, str]](), dict[str, dict[str, str]](), os.path.dirname(self.origin)
        for number, line in enumerate(lines, 1):
            read += len(line) + 1
            words = os.fsdecode(line).split(maxsplit=1)
            if not words:
                continue
            if len(words) < 2:
                raise located(self.origin, number, f"found {line[:40].decode('utf-8', 'replace')!r}", INDEXED)
            label, name = words[0], words[1].strip()
            if (now := refound(os.path.join(root, name), listed)) != os.path.join(root, name):
                name = os.path.relpath(now, root or ".")
            first, other = seen.setdefault(os.path.normpath(name), (number, label))
            if other != label:
                found = f"found {name!r} as {label}, which line {first} says is {other}"
                raise located(self.origin, number, found, "expected one label")
            if first != number:
                self._note(TWICE)
                continue
            open_it = lambda name=name, number=number: self._open(name, number)  # noqa: E731
            many = MBOX.search(plain_name(name)) is not None
            yield Entry(name, PurePosixPath(name).parts[:-1], open_it, label, many, True)
            self._place = (self.bytes_total or 0) * read // total
        self._place = self.bytes_total or 0

    def _open(self, name: str, number: int) -> IO[bytes]:
        try:
            return open(os.path.join(os.path.dirname(self.origin), name), "rb", buffering=0)
        except (OSError, ValueError) as error:
            gone = isinstance(error, FileNotFoundError)
            found = f"found {name!r}, which {'is not there' if gone else f'cannot be read ({error})'}"
            raise located(self.origin, number, found, INDEXED) from error


A_PATH = re.compile(r"[A-Za-z]\w*[ \t]+[^\s:,;]*/[^\s:,;]*")


def is_index(head: bytes, path: PathLike) -> bool:
    """Whether the file of this path and beginning is a TREC index: its first line is a word, and a file that exists; or
    each of the first lines looks so, whether or not the files are there."""
    lines = [line.strip() for line in os.fsdecode(head).split("\n")[:-1] if line.strip()][:10]
    words = (lines[0] if lines else os.fsdecode(head)).split(maxsplit=1)
    if len(words) != 2 or "\0" in words[1]:
        return False
    there = os.path.isfile(refound(os.path.join(os.path.dirname(path), words[1].strip()), {}))
    return there or (bool(lines) and all(map(A_PATH.fullmatch, lines)))
