"""Files → bytes: plain or compressed, by path or from standard input, in blocks of whole lines, with clear errors."""

import bz2
import gzip
import io
import lzma
import os
import re
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import DataError, located
from .parse import count_newlines
from .remote import is_remote, open_remote, remote_size

PathLike = str | os.PathLike[str]
BLOCK = 2 << 20
"""Bytes of text in a block. svmlight by block: 256 KB 348 MB/s, 1 MB 407, 2 MB 405, 8 MB 303: fresh pages cost."""
LONGEST_LINE = 1 << 28
"""Bytes of a line that are read, 20 million values: a file of 2 MB can hold one of 2 GB, which took 5.9 GB."""
COMPRESSED = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstandard"}
BEGINNING = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<xz>\xfd7zXZ\0)|(?P<bzip2>BZh.(?:1AY&SY|\x17rE8P\x90))|(?P<zstandard>\x28\xb5\x2f\xfd)",
    re.DOTALL,
)
"""First bytes of a file that is compressed, by the name of how."""
STDIN = "standard input"

REST = 0.05
"""Seconds without a byte after which a pipe rests. A fast writer is never so slow, and keeps its full blocks."""


class Ahead:
    """A stream some of whose bytes were read already. more: gives further ones; not exactly as many as asked for."""

    def __init__(self, more: Callable[[int], bytes], ahead: bytes = b"") -> None:
        self._more, self._ahead = more, ahead

    def read(self, size: int = -1) -> bytes:
        here = self._ahead or self._more(size) or b""
        end = size if size >= 0 else len(here)
        self._ahead = here[end:]
        return here[:end]

    def close(self) -> None: ...


class _Counted(Ahead):
    """A raw stream whose first bytes were looked at, and how many have been read."""

    def __init__(self, raw: Any) -> None:
        # read1 gives what a pipe holds now; read would wait for all of it.
        read = getattr(raw, "read1", raw.read)
        self.position = 0
        self.head = b""
        # A line shorter than that is all that a pipe may hold for now.
        while len(self.head) < 16 and not self.head.endswith(b"\n") and (more := read(16 - len(self.head))):
            self.head += more
        super().__init__(read, self.head)

    def read(self, size: int = -1) -> bytes:
        data = super().read(size)
        self.position += len(data)
        return data


def _frames(source: Ahead, kind: str) -> Iterator[bytes]:
    """Decompressed frames of zstandard, xz or bzip2. The packages' own readers take a zstandard frame that is cut short
    for a whole one, and pass over whatever comes after the others."""
    error: type[Exception] = OSError
    make: Callable[[], Any] = lzma.LZMADecompressor if kind == "xz" else bz2.BZ2Decompressor
    if kind == "zstandard":
        import zstandard

        error, make = zstandard.ZstdError, lambda: zstandard.ZstdDecompressor().decompressobj()
    frame: Any = None
    left = b""
    while data := left or source.read(4096):  # 4 KB: one call returns all that its input expands to
        if frame is None and kind == "xz" and not (data := data.lstrip(b"\0")):  # zeros may part streams
            left = b""
            continue
        frame = frame or make()
        try:
            out = frame.decompress(data)
        except error as failure:
            raise OSError(str(failure)) from failure
        left = frame.unused_data
        frame = None if frame.eof else frame
        if out:
            yield out
    if frame is not None:
        raise EOFError


def _unpacked(source: Ahead, kind: str) -> Ahead:
    frames = _frames(source, kind)
    return Ahead(lambda size: next(frames, b""))


def compression(head: bytes) -> str | None:
    """What the first bytes of a file say it is."""
    look = BEGINNING.match(head)
    return look and look.lastgroup


UNPACKERS: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda file: gzip.GzipFile(fileobj=file, mode="rb"),
    "xz": lambda file: _unpacked(file, "xz"),
    "bzip2": lambda file: _unpacked(file, "bzip2"),
    "zstandard": lambda file: _unpacked(file, "zstandard"),
}


class ByteStream(io.RawIOBase):
    """Decompressed bytes of one file. A damaged or shortened archive raises DataError naming the file.

    name: for messages. bytes_read, bytes_total: place in the file as stored (compressed) and its size; the size is
    None where nobody knows it (standard input).
    """

    def __init__(self, raw: Any, name: str, total: int | None) -> None:
        self.name, self.bytes_total, self._raw, self._ahead = name, total, raw, b""
        self._kind: str | None = None
        try:
            self._counted = _Counted(raw)
        except OSError as error:
            raise self._failed(f"it cannot be read ({error.strerror})", "expected a readable file") from error
        self._kind = compression(self._counted.head)
        expected = COMPRESSED.get(packing(_local_name(name)))
        if expected is not None and self._kind is None:
            raise self._failed(f"found no {expected} data", f"expected {expected} data, or a name without the suffix")
        self._inner = UNPACKERS[self._kind](self._counted) if self._kind else self._counted

    def _failed(self, found: str, expected: str) -> DataError:
        self.close()
        return located(self.name, None, found, expected)

    @property
    def bytes_read(self) -> int:
        return self._counted.position

    @property
    def is_plain(self) -> bool:
        """Whether the bytes are those of the file, not decompressed ones."""
        return self._kind is None

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(BLOCK), b""))
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data
        try:
            return self._inner.read(size)  # type: ignore[no-any-return]
        except EOFError as error:
            raise self._failed(f"the {self._kind} data are cut short", "expected a complete file") from error
        except (OSError, zlib.error, lzma.LZMAError) as error:
            found = f"the {self._kind} data are damaged ({error})" if self._kind else f"it cannot be read ({error})"
            raise self._failed(found, "expected an intact file") from error

    def rests(self) -> bool:
        """Whether this is a pipe of plain text in which nothing has arrived for a while."""
        if self._kind is not None or self.bytes_total is not None or self._ahead:
            return False
        try:
            return not select.select([self._raw], [], [], REST)[0]
        except (OSError, ValueError, TypeError):  # no file of the system
            return False

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, fewer only at the end, without being read."""
        ahead, self._ahead = self._ahead, b""
        while len(ahead) < size and (more := self.read(size - len(ahead))):
            ahead += more
        self._ahead = ahead
        return ahead[:size]

    def first_line(self, limit: int = 1 << 16) -> bytes:
        """The first line that is neither blank nor a # comment, without being read; b"" if none is in `limit` bytes."""
        while True:
            ahead, self._ahead = self._ahead, b""
            more = self.read(limit)
            self._ahead = ahead + more
            lines = self._ahead.removeprefix(b"\xef\xbb\xbf").split(b"\n")
            at_end = not more or len(self._ahead) >= limit
            for line in lines if at_end else lines[:-1]:
                if line.strip() and not line.lstrip().startswith(b"#"):
                    return line.rstrip(b"\r")
            if at_end:
                return b""

    def close(self) -> None:
        if not self.closed and self._raw is not _stdin():
            self._raw.close()
        super().close()


def _stdin() -> Any:
    return getattr(sys.stdin, "buffer", sys.stdin)


def plain_name(path: PathLike) -> str:
    """A file's name in lower case, without a suffix that says how it is compressed; of a URL that of its path."""
    return uncompressed(_local_name(str(path)))


def packing(path: str) -> str:
    """The suffix that says how a file is compressed, as it stands; "" where there is none."""
    suffix = Path(path).suffix
    return suffix if suffix.lower() in COMPRESSED else ""


def uncompressed(path: str) -> str:
    """The name without that suffix."""
    return path.removesuffix(packing(path))


def _local_name(path: str) -> str:
    return Path(re.split("[?#]", path)[0] if is_remote(path) else path).name.lower()


def is_folder(path: PathLike) -> bool:
    return not is_remote(path) and os.path.isdir(path)


def is_read_once(path: PathLike) -> bool:
    """Whether there is one chance to read it: standard input or a pipe. Raises DataError as `file_size` does."""
    return str(path) == "-" or (not is_remote(path) and file_size(path) is None)


def file_size(path: PathLike) -> int | None:
    """Size of a file, None where nobody knows it (a pipe). Raises DataError for what cannot be a file of data."""
    if is_remote(path):
        return remote_size(str(path))
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise located(str(path), None, "there is no such file", "expected a file, or - for standard input") from None
    except (OSError, ValueError) as error:
        raise located(str(path), None, f"it cannot be opened ({error})", "expected a readable file") from error
    if stat.S_ISDIR(status.st_mode):
        raise located(str(path), None, "it is a folder", "expected a file")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def open_bytes(path: PathLike) -> ByteStream:
    """The decompressed bytes of a file, of standard input for `-`, or of an address such as https://… or s3://….

    gzip, xz, bzip2 and zstandard are known by their first bytes, whatever the name. Raises DataError where there is
    no such file, or it is a folder, may not be read, or has a suffix like .gz but is not compressed so.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise located(STDIN, None, "it is closed", "expected data on standard input")
        return ByteStream(_stdin(), STDIN, None)
    if is_remote(path):
        return ByteStream(*open_remote(str(path)))
    total = file_size(path)
    try:
        raw = open(path, "rb", buffering=0)  # noqa: SIM115  (closed by ByteStream)
    except OSError as error:
        found = f"it cannot be opened ({error.strerror})"
        raise located(str(path), None, found, "expected a readable file") from error
    return ByteStream(raw, str(path), total)


def _filled(stream: ByteStream, size: int) -> bytes:
    """`size` bytes, or fewer at the end, or where a pipe rests after a whole line: `tail -f` is answered at once."""
    pieces = []
    while size > 0 and (data := stream.read(size)):
        pieces.append(data)
        size -= len(data)
        if data.endswith(b"\n") and stream.rests():
            break
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _without_mark(text: bytes, name: str) -> bytes:
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise located(name, 1, "found UTF-16 text", "expected UTF-8")
    return text.removeprefix(b"\xef\xbb\xbf")


def blocks(stream: ByteStream, block_bytes: int = BLOCK) -> Iterator[tuple[bytes, int]]:
    """Whole lines, about `block_bytes` at a time, as (text, number of its first line); each text ends in a newline.

    A byte-order mark at the start is dropped. A pipe that rests gives what has come, so that no reader waits for more.
    """
    unfinished: list[bytes] = []
    line, size = 1, 0
    while data := _filled(stream, block_bytes):
        cut = data.rfind(b"\n") + 1
        if cut == 0:
            unfinished.append(data)
            size += len(data)
            if size > LONGEST_LINE:
                found = f"found a line of more than {LONGEST_LINE >> 20} MB"
                raise located(stream.name, line, found, "expected shorter lines, one for each row")
            continue
        text = b"".join([*unfinished, memoryview(data)[:cut]])
        unfinished, size = [data[cut:]], len(data) - cut
        lines = count_newlines(text)
        yield _without_mark(text, stream.name) if line == 1 else text, line
        line += lines
    text = b"".join(unfinished)
    if line == 1:
        text = _without_mark(text, stream.name)
        if b"\r" in text.rstrip(b"\r"):
            raise located(stream.name, 1, "found lines that end in CR alone", "expected them to end in LF or CR LF")
    if text:
        yield text + b"\n", line
