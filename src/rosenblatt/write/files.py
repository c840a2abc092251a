"""Bytes → files: compressed by suffix, and there only when they are whole."""

import bz2
import contextlib
import gzip
import lzma
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from ..read.open import packing


@contextlib.contextmanager
def whole_files(*paths: str, packed: bool = True) -> Iterator[list[BinaryIO]]:
    """Files to write to, which take their names when all are whole; on any error none is there.

    paths: names (packed: .gz, .xz, .bz2 and .zst are compressed), or `-` for standard output, to which bytes go at
    once, as they do to a pipe or device. A link stays a link. Raises OSError where something cannot be written.
    """
    with ExitStack() as outer:
        places = [outer.enter_context(contextlib.closing(_Place(path))) for path in paths]
        with ExitStack() as inner:
            packers = [PACKERS[packing(place.name).lower() if packed else ""] for place in places]
            yield [inner.enter_context(pack(place.file)) for pack, place in zip(packers, places, strict=True)]
        for place in places:
            place.finish()
        for place in places:
            place.rename()


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """One file, as it is whatever its suffix; see `whole_files`."""
    with whole_files(os.path.realpath(path), packed=False) as files:
        yield files[0]


@contextlib.contextmanager
def held(path: str | os.PathLike[str], waiting: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Nobody else who asks for it changes this file until the end: they wait, and then read what came of it.

    waiting: called once where another one has it. The lock is on the file itself (flock), and ends with the program.
    Where there is none, as on some networks' disks, or no such file, nothing is held.
    """
    with ExitStack() as stack:
        file = None
        while file is None or not _is_at(file, path):  # who had it has put another in its place
            stack.close()
            try:
                file = stack.enter_context(open(path, "rb"))
            except OSError:
                break
            if not _locked(file, waiting):
                break
        yield


def _is_at(file: IO[bytes], path: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except OSError:
        return False


def _locked(file: IO[bytes], waiting: Callable[[], object]) -> bool:
    """Whether it is; after the one that has it."""
    try:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
    except (ImportError, OSError):
        return False
    return True


class _Place:
    """A temporary file beside the one to be; of a pipe or device, itself; of `-`, standard output."""

    def __init__(self, path: str) -> None:
        self.name, self.path = path, os.path.realpath(path)
        self._temporary: str | None = None
        self._is_standard = path == "-"
        if self._is_standard:
            sys.stdout.flush()
            self.file = cast(IO[bytes], sys.stdout.buffer)
            return
        if os.path.exists(self.path) and not os.path.isfile(self.path) and not os.path.isdir(self.path):
            self.file = open(self.path, "wb")  # noqa: SIM115
            return
        folder, name = os.path.split(self.path)
        handle, self._temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        self.file = os.fdopen(handle, "wb")

    def finish(self) -> None:
        self.file.flush()
        if self._temporary is not None:
            os.fsync(self.file.fileno())
        if not self._is_standard:
            self.file.close()

    def rename(self) -> None:
        if self._temporary is not None:
            os.chmod(self._temporary, self._mode())
            os.replace(self._temporary, self.path)
            self._temporary = None
            folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _mode(self) -> int:
        """Of the file that is replaced: who may not read it may not read the new one. Else what is usual."""
        with contextlib.suppress(FileNotFoundError):
            return stat.S_IMODE(os.stat(self.path).st_mode)
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask

    def close(self) -> None:
        """Leaves nothing behind that is not whole."""
        with contextlib.suppress(OSError):
            if not self._is_standard:
                self.file.close()
        if self._temporary is not None:
            Path(self._temporary).unlink(missing_ok=True)


def _zstandard(raw: Any) -> Any:
    import zstandard

    return zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)


PACKERS: dict[str, Callable[[Any], Any]] = {
    "": contextlib.nullcontext,
    ".gz": lambda raw: gzip.GzipFile("", "wb", 6, raw, mtime=0),
    ".xz": lambda raw: lzma.LZMAFile(raw, "wb"),  # noqa: SIM115  (closed by who asked for it)
    ".bz2": lambda raw: bz2.BZ2File(raw, "wb"),
    ".zst": _zstandard,
}
"""By suffix, what compresses to a file; the same bytes give the same file (gzip without name and time)."""
