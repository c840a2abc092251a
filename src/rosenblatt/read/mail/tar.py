"""Mails in a tar archive, read as a stream and once."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO

from ...errors import DataError, located
from ..open import ByteStream
from .folder import DELIVERED, MAILS, UNFINISHED, folder_names, refusal
from .store import LINKS, NO_MAIL, Entries, Entry, Store, entry

BLOCK = 512


class Tar(Store):
    """The mails of an archive in the order in which they lie in it; otherwise as in a folder.

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
            yield Entry(member.name, folder_names(path.parts[:-2]), open_it, None, False)
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
