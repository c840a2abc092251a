"""Mails below a folder: one file a mail, maildirs, mbox files, and the three mixed."""

from __future__ import annotations

import os
import stat
from pathlib import PurePosixPath
from typing import IO, NamedTuple

from ...errors import located
from .labels import Folders
from .maildir import MAILS, UNFINISHED, folder_names, is_left_out, is_maildir
from .store import ARCHIVE, LEFT_OUT, LINKS, NO_MAIL, UNREADABLE, VANISHED, Entries, Entry, Note, entry

SERVERS = ("dovecot-", "dovecot.", "courierimap", "maildirfolder")
"""How files begin that servers keep in a maildir."""
INBOX = "INBOX"
"""What a maildir's own mails lie in, where it has subfolders."""


class _Found(NamedTuple):
    """A file that can be a mail. maildir: the parts of its maildir's path below the root, None outside of maildirs."""

    below: str
    size: int
    maildir: Folders | None


class Folder:
    """The mails below a folder in the order of their paths; links are counted and not followed.

    kind: "maildir": only what lies in maildirs; "mbox": every file is an mbox; else each file as it looks. In a
    maildir the mails of `new` and `cur` count, with the maildir's place as their folders, but not those marked as
    trashed or drafts, nor what is not delivered yet (`tmp`).
    """

    broken = False

    def __init__(self, root: str | os.PathLike[str], kind: str, note: Note) -> None:
        self._root, self._kind, self._note = os.fspath(root), kind, note
        self._done = 0
        self._file: IO[bytes] | None = None
        self.bytes_total: int | None = 0

    @property
    def bytes_read(self) -> int:
        return self._done + (self._file.tell() if self._file and not self._file.closed else 0)

    def entries(self) -> Entries:
        found, maildirs = self._walk()
        if self._kind == "maildir" and not maildirs:
            raise located(self._root, None, "found no maildir", "expected a folder that holds cur, new and tmp")
        with_inner = {maildir[:i] for maildir in maildirs for i in range(len(maildir))} & maildirs
        self.bytes_total, self._done = sum(each.size for each in found), 0
        for below, size, maildir in sorted(found):
            open_it = lambda below=below: self._open(below)  # noqa: E731
            if maildir is None:
                yield entry(below, PurePosixPath(below).parts[:-1], open_it, True if self._kind == "mbox" else None)
            else:
                own = (INBOX,) if maildir in with_inner else ()
                yield Entry(below, (*folder_names(maildir), *own), open_it, None, False)
            self._done += size

    def _open(self, below: str) -> IO[bytes]:
        self._file = open(os.path.join(self._root, below), "rb", buffering=0)  # noqa: SIM115  (closed by the reader)
        return self._file

    def _walk(self) -> tuple[list[_Found], set[Folders]]:
        """All files that can be mails, and the maildirs."""
        found: list[_Found] = []
        maildirs: set[Folders] = set()
        for folder, folders, files in os.walk(self._root, onerror=lambda error: self._note(UNREADABLE)):
            parts = PurePosixPath(os.path.relpath(folder, self._root).replace(os.sep, "/")).parts
            if is_maildir(folders):
                maildirs.add(parts)
            maildir = parts[:-1] if parts and parts[-1] in (*MAILS, UNFINISHED) and parts[:-1] in maildirs else None
            for name in [*folders, *files]:
                try:
                    status = os.lstat(os.path.join(folder, name))
                except OSError as error:
                    self._note(VANISHED if isinstance(error, FileNotFoundError) else UNREADABLE)
                    continue
                if stat.S_ISLNK(status.st_mode):
                    self._note(LINKS)
                elif not stat.S_ISDIR(status.st_mode):
                    good = stat.S_ISREG(status.st_mode) and parts not in maildirs  # there lie a server's own files
                    refused = self._refused(parts, name, maildir) if good else NO_MAIL
                    if refused:
                        self._note(refused)
                    else:
                        found.append(_Found("/".join([*parts, name]), status.st_size, maildir))
        return found, maildirs

    def _refused(self, parts: Folders, name: str, maildir: Folders | None) -> str | None:
        """Why a file is not read."""
        if maildir is None:
            return None if self._kind != "maildir" and can_be_mail("/".join([*parts, name])) else NO_MAIL
        if parts[-1] == UNFINISHED or name.startswith("."):
            return NO_MAIL
        return LEFT_OUT if is_left_out(name) else None


def can_be_mail(path: str) -> bool:
    """Not hidden, no archive, no list that corpora (`cmds`, *.csv) and mail servers keep beside their mails."""
    parts = [part for part in PurePosixPath(path).parts if part not in (".", "..")]
    name = parts[-1].lower()
    hidden = any(part.startswith(".") for part in parts)
    a_list = name == "cmds" or name.endswith(".csv") or name.startswith(SERVERS)
    return not (hidden or a_list or ARCHIVE.search(name))
