"""Bytes → files: compressed by suffix, and there only when they are whole."""

import bz2
import contextlib
import gzip
import lzma
import os
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
def alone(path: str | None) -> Iterator[None]:
    """Nobody else who asks for this file by `alone` has it meanwhile: they wait, and then find the new one. Where files
    cannot be locked, as on Windows, nothing is waited for; nor for None."""
    with ExitStack() as stack:
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            while path is not None and os.path.isfile(path):
                file = open(path, "rb")  # noqa: SIM115
                fcntl.flock(file, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    stack.enter_context(file)
                    break
                file.close()  # it was replaced while this one waited
        yield


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
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(self._temporary, 0o666 & ~mask)
            os.replace(self._temporary, self.path)
            self._temporary = None
            folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

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
