"""Mails below a folder: one file a mail, maildirs, mbox files, and the three mixed; or in a tar archive of one.

A maildir is a folder with subfolders cur, new and tmp, one file a mail, its flags at the end of the file's name.
"""

import io
import os
import re
import stat
import tarfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePosixPath
from typing import IO

from ...errors import DataError, located
from ..open import ByteStream
from .mbox import LEFT_OUT, LOOK, is_mbox, split
from .store import (
    ARCHIVE,
    FIRST,
    INFO,
    LINKS,
    NO_MAIL,
    PAIR,
    UNREADABLE,
    Entries,
    Entry,
    Folders,
    Store,
    entry,
    note_of,
)

MAILS, UNFINISHED = ("cur", "new"), "tmp"
DELIVERED = re.compile(r"\d{6,}[._]\S*$")
"""How names of mails in a maildir begin: the second of delivery."""

SERVERS = ("dovecot-", "dovecot.", "courierimap", "maildirfolder")
"""How files begin that servers keep in a maildir."""
INBOX = "INBOX"
"""What a maildir's own mails lie in, where it has subfolders."""


_File = tuple[str, int, Folders | None]
"""A file that can be a mail: its path, its size, the parts of its maildir's path below the root or None."""


class Folder(Store):
    """The mails below a folder in the order of their paths; links are counted and not followed.

    kind: "maildir": only what lies in maildirs; "mbox": every file is an mbox; else each file as it looks. In a
    maildir the mails of `new` and `cur` count, with the maildir's place as their folders, but not those marked as
    trashed or drafts, nor what is not delivered yet (`tmp`).
    """

    _done = 0
    _file: IO[bytes] | None = None

    @property
    def bytes_read(self) -> int:
        return self._done + (self._file.tell() if self._file and not self._file.closed else 0)

    def entries(self) -> Entries:
        files, maildirs = self._walk()
        if self._kind == "maildir" and not maildirs:
            raise located(self.origin, None, "found no maildir", "expected a folder that holds cur, new and tmp")
        with_inner = {maildir[:i] for maildir in maildirs for i in range(len(maildir))} & maildirs
        self.bytes_total, self._done = sum(size for _, size, _ in files), 0
        for below, size, maildir in sorted(files):
            open_it = lambda below=below: self._open(below)  # noqa: E731
            if maildir is None:
                mbox = self._mbox or (True if self._is_named_mbox(below) else None)
                yield entry(below, PurePosixPath(below).parts[:-1], open_it, mbox)
            else:
                own = (INBOX,) if maildir in with_inner else ()
                yield Entry(below, (*folder_names(maildir), *own), open_it, None, False, True)
            self._done += size

    def _open(self, below: str) -> IO[bytes]:
        self._file = open(os.path.join(self.origin, below), "rb", buffering=0)  # noqa: SIM115  (closed by the reader)
        return self._file

    def _is_named_mbox(self, below: str) -> bool:
        """Whether a file without a suffix is an mbox, as mail programs keep them (Inbox, Junk): a folder by name."""
        name = PurePosixPath(below).name
        if "." in name or not NAMED.search(name):
            return False
        try:
            with open(os.path.join(self.origin, below), "rb") as file:
                return is_mbox(file.read(LOOK)) and (name.lower() in PAIR or _holds_two(file))
        except OSError:
            return False

    def _walk(self) -> tuple[list[_File], set[Folders]]:
        """All files that can be mails, and the maildirs."""
        seen: list[_File] = []
        maildirs: set[Folders] = set()
        a_part = is_part(self.origin)
        for folder, folders, files in os.walk(self.origin, onerror=lambda error: self._note(UNREADABLE)):
            parts = PurePosixPath(os.path.relpath(folder, self.origin).replace(os.sep, "/")).parts
            if is_maildir(folders):
                maildirs.add(parts)
            maildir = parts[:-1] if parts and parts[-1] in (*MAILS, UNFINISHED) and parts[:-1] in maildirs else None
            maildir = () if a_part and not parts else maildir
            for name in [*folders, *files]:
                try:
                    status = os.lstat(os.path.join(folder, name))
                except OSError as error:
                    self._note(note_of(error))
                    continue
                if stat.S_ISLNK(status.st_mode):
                    self._note(LINKS)
                elif not stat.S_ISDIR(status.st_mode):
                    below = "/".join([*parts, name])
                    good = stat.S_ISREG(status.st_mode) and parts not in maildirs  # there lie a server's own files
                    asked = self._kind != "maildir" or maildir is not None
                    refused = refusal(below, maildir is not None) if good and asked else NO_MAIL
                    if refused:
                        self._note(refused)
                    else:
                        seen.append((below, status.st_size, maildir))
        return seen, maildirs


NAMED = re.compile(r"[^\W\d_]{2}")
"""A name of words, unlike those of single mails (`178945`, `00f3`)."""


def _holds_two(file: IO[bytes]) -> bool:
    """Whether a second mail begins in the first part of an mbox."""
    file.seek(0)
    return len(list(islice(split(io.BytesIO(file.read(FIRST)).read), 2))) > 1


def refusal(path: str, in_maildir: bool) -> str | None:
    """Why a file is not read, None where it is."""
    folder, name = PurePosixPath(path).parent.name, PurePosixPath(path).name
    if not in_maildir:
        return None if can_be_mail(path) else NO_MAIL
    if folder == UNFINISHED or name.startswith("."):
        return NO_MAIL
    return LEFT_OUT if is_left_out(name) else None


def can_be_mail(path: str) -> bool:
    """Not hidden, no archive, no list that corpora (`cmds`, *.csv) and mail servers keep beside their mails."""
    parts = [part for part in PurePosixPath(path).parts if part not in (".", "..")]
    name = parts[-1].lower()
    hidden = any(part.startswith(".") for part in parts)
    a_list = name == "cmds" or name.endswith(".csv") or name.startswith(SERVERS)
    return not (hidden or a_list or ARCHIVE.search(name))


def is_maildir(folders: Collection[str]) -> bool:
    """Whether a folder with these subfolders is one. Copies often lose the empty folders: two of the three will do."""
    return "cur" in folders and ("new" in folders or UNFINISHED in folders)


def is_part(path: str) -> bool:
    """Whether a folder is `cur` or `new` of a maildir."""
    above, name = os.path.split(os.path.abspath(path))
    return name in MAILS and is_maildir([each for each in (*MAILS, UNFINISHED) if os.path.isdir(f"{above}/{each}")])


def is_left_out(name: str) -> bool:
    """Whether a mail's flags say trashed (T) or draft (D).

    Where a trashed mail lies no longer says what it is, and a draft is no mail that somebody sent or received. Seen,
    replied, passed and flagged mails are mails.
    """
    info = INFO.search(name)
    return info is not None and not {"T", "D"}.isdisjoint(info[1])


def folder_names(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of a maildir's path as a mail program shows them: `.Archive.2020` (Maildir++) is 2020 in Archive."""
    names: list[str] = []
    for part in parts:
        names += filter(None, part.split(".")) if part.startswith(".") and part not in (".", "..") else [part]
    return tuple(names)


BLOCK = 512


class Tar(Store):
    """The mails of a tar archive, read as a stream and once, in the order in which they lie in it; otherwise as in a
    folder.

    A maildir's mails are known by their names: `cur` or `new`, and the second of delivery.
    """

    def entries(self) -> Entries:
        self.broken = False
        with self._opened() as stream:
            checked = _Checked(stream, self)
            try:
                with tarfile.open(fileobj=checked, mode="r|") as archive:  # type: ignore[call-overload]
                    while (member := archive.next()) is not None:
                        archive.members = []  # it keeps all of them, 1 KB each
                        yield from self._entry(archive, member)
                checked.check_end()
            except tarfile.TarError as error:
                raise self.failed(error) from error

    def failed(self, error: Exception | str) -> DataError:
        self.broken = True
        found = f"it is no tar archive, or a damaged one ({error})"
        return located(self.origin, None, found, "expected an intact archive of raw mails")

    def _entry(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[Entry]:
        """What a member is, if it can be a mail; else it is counted."""
        if member.isdir():
            return
        path = PurePosixPath(member.name)
        in_maildir = path.parent.name in (*MAILS, UNFINISHED) and DELIVERED.match(path.name) is not None
        open_it = lambda: _opened(archive, member, self)  # noqa: E731
        if member.issym() or member.islnk():
            self._note(LINKS)
        elif refused := refusal(member.name, in_maildir) if member.isfile() else NO_MAIL:
            self._note(refused)
        elif in_maildir:
            yield Entry(member.name, folder_names(path.parts[:-2]), open_it, None, False, True)
        else:
            yield entry(member.name, path.parts[:-1], open_it, self._mbox)


@contextmanager
def _opened(archive: tarfile.TarFile, member: tarfile.TarInfo, tar: Tar) -> Iterator[IO[bytes] | None]:
    """A file in an archive, whose errors are the archive's."""
    try:
        yield archive.extractfile(member)
    except tarfile.TarError as error:
        raise tar.failed(error) from error


class _Checked:
    """A stream that knows whether an archive ended as it should.

    tarfile takes an archive that is cut off between two members for a whole one; a whole one ends in zeros.
    """

    def __init__(self, stream: ByteStream, tar: Tar) -> None:
        self._stream, self._tar, self._last = stream, tar, b""

    def read(self, size: int) -> bytes:
        try:
            data = self._stream.read(size)
        except DataError:
            self._tar.broken = True
            raise
        self._last = (self._last + data[-BLOCK:])[-BLOCK:] if data else self._last
        return data

    def check_end(self) -> None:
        if any(self._last):
            raise self._tar.failed("unexpected end of data")
