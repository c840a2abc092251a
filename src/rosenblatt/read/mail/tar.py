"""Mails in a tar archive, read as a stream and once."""

from __future__ import annotations

import tarfile
from pathlib import PurePosixPath
from typing import Any

from ...errors import DataError, located
from ..open import ByteStream, PathLike, file_size, open_bytes
from .folder import can_be_mail
from .maildir import MAILS, NAME, UNFINISHED, folder_names, is_left_out
from .store import LEFT_OUT, LINKS, NO_MAIL, Entries, Entry, Note, entry

BLOCK = 512


class Tar:
    """The mails of an archive in the order in which they lie in it; otherwise as in a folder.

    A maildir's mails are known by their names: `cur` or `new`, and the second of delivery.
    """

    def __init__(self, given: PathLike | ByteStream, kind: str, note: Note) -> None:
        self._given, self._mbox, self._note = given, True if kind == "mbox" else None, note
        self._stream = given if isinstance(given, ByteStream) else None
        self.broken = False
        self.bytes_total = self._stream.bytes_total if self._stream else file_size(given)  # type: ignore[arg-type]

    @property
    def bytes_read(self) -> int:
        return self._stream.bytes_read if self._stream else 0

    def entries(self) -> Entries:
        self._stream = self._given if isinstance(self._given, ByteStream) else open_bytes(self._given)
        self.broken = False
        with _Checked(self._stream, self) as checked:
            try:
                with tarfile.open(fileobj=checked, mode="r|") as archive:  # type: ignore[call-overload]
                    while (member := archive.next()) is not None:
                        archive.members = []  # it keeps all of them, 1 KB each
                        found = self._entry(archive, member)
                        if found is not None:
                            yield found
                checked.check_end()
            except tarfile.TarError as error:
                raise self.failed(error) from error

    def failed(self, error: Exception | str) -> DataError:
        self.broken = True
        name = self._stream.name if self._stream else str(self._given)
        found = f"it is no tar archive, or a damaged one ({error})"
        return located(name, None, found, "expected an intact archive of raw mails")

    def _entry(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> Entry | None:
        """What a member is, if it can be a mail; else it is counted."""
        if member.issym() or member.islnk():
            self._note(LINKS)
            return None
        if member.isdir():
            return None
        path = PurePosixPath(member.name)
        folder = path.parent.name
        in_maildir = folder in (*MAILS, UNFINISHED) and NAME.match(path.name) is not None
        good = member.isfile() and (folder != UNFINISHED if in_maildir else can_be_mail(member.name))
        if not good or (in_maildir and is_left_out(path.name)):
            self._note(LEFT_OUT if good else NO_MAIL)
            return None
        open_it = lambda: _Member(archive, member, self)  # noqa: E731
        if in_maildir:
            return Entry(member.name, folder_names(path.parts[:-2]), open_it, None, False)
        return entry(member.name, path.parts[:-1], open_it, self._mbox)


class _Member:
    """A file in an archive, whose errors are the archive's."""

    def __init__(self, archive: tarfile.TarFile, member: tarfile.TarInfo, tar: Tar) -> None:
        self._file, self._tar = archive.extractfile(member), tar

    def read(self, size: int) -> bytes:
        try:
            return self._file.read(size) if self._file else b""
        except tarfile.TarError as error:
            raise self._tar.failed(error) from error

    def __enter__(self) -> _Member:
        return self

    def __exit__(self, *problem: Any) -> None: ...


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

    def __enter__(self) -> _Checked:
        return self

    def __exit__(self, *problem: Any) -> None:
        self._stream.close()
