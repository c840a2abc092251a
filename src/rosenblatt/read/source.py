"""What the readers of single files share; and those of arrays and columns: values that must be finite, and places."""

import inspect
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..data.labels import tidy
from ..errors import DataError, located
from ..mailtext.mime import FOREIGN
from ..parameters import Parameter
from .open import STDIN, ByteStream, PathLike, blocks, is_folder, is_read_once, open_bytes

Block = tuple[list[str], int]
"""Lines and the number of the first."""
NO_UTF8 = "lines with bytes that are no UTF-8, read as Windows-1252"


def decoded_lines(text: bytes) -> tuple[list[str], int]:
    """The lines of a block without their ends, and how many had bytes that are no UTF-8, read as Windows-1252."""
    text = text.replace(b"\r\n", b"\n")
    try:
        return text.decode().split("\n")[:-1], 0
    except UnicodeDecodeError:
        pass
    lines, other = [], 0
    for line in text.split(b"\n")[:-1]:
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            lines.append(line.decode("utf-8", FOREIGN))
            other += 1
    return lines, other


class FileSource:
    """What the readers of single files share: the place in the file, the notes, and reading standard input only once.

    path: a file, `-`, or a stream whose first line was looked at to find its format. What a reader says of itself, so
    that help, pages, messages and `open_source` find it:

    name            of the format; a class without one is no reader
    rank            optional: its place in lists
    suffixes        of its files, as ".csv"
    aliases         other names of the format, each with the options that it stands for
    lines           whether its suffixes are but hints, as its files are lines that can be looked at
    hint            a suffix that makes a file of lines likely of this format, where its look does not say another
    by_name         options where the format is asked for by its own name, not found by suffix or look
    magic           how its files begin, where they are not lines; see also `begins` and `likeness`
    kind            "rows" or "documents"; "" where it depends on the file, whose source then says it
    family          formats of one family have the same choices: a model of the one reads the other
    takes_folders   whether a folder is read by it
    widening        whether later rows may have more columns than the first ones
    parameters      the user's own, of the table; each is an argument of the constructor
    further         what else the constructor takes, by name, with defaults: what a program says, not a user

    All arguments are in `asked`. A reader fills in `batches`, and where need be `_prepare` and `recipe`.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    aliases: dict[str, dict[str, Any]] = {}
    hint = ""
    lines = False
    by_name: dict[str, Any] = {}
    magic: tuple[bytes, ...] = ()
    kind = "rows"
    feature_names: list[str] | None = None
    """Of the columns, where they have names."""
    family = ""
    takes_folders = False
    widening = False
    parameters: tuple[Parameter, ...] = ()
    further: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        keyword, path = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter("path", inspect.Parameter.POSITIONAL_ONLY)
        names = {each.name: each.default for each in cls.parameters} | cls.further
        rest = [inspect.Parameter(name, keyword, default=default) for name, default in names.items()]
        cls.__signature__ = inspect.Signature([path, *rest])  # type: ignore[attr-defined]

    def __init__(self, path: PathLike | ByteStream, **words: Any) -> None:
        """TypeError for a word that there is not, SettingError for a value out of its range."""
        bound = inspect.signature(type(self)).bind(path, **words)
        bound.apply_defaults()
        self.asked: Any = SimpleNamespace(**bound.arguments)
        for each in self.parameters:
            if each.name in words:
                each.check(words[each.name])
        self._path, self._opened = path, False
        self._stream: Any = None
        """What knows how far the reading is."""
        if isinstance(path, ByteStream):
            self.origin, self.one_shot = path.name, True
        else:
            self.origin = STDIN if str(path) == "-" else str(path)
            self.one_shot = not (self.takes_folders and is_folder(path)) and is_read_once(path)
        self.notes: dict[str, int] = {}
        self.always: dict[str, int] = {}
        """What is noted of each reading."""
        self._prepare()

    def _prepare(self) -> None:
        """What a reader makes of its arguments before the first reading."""

    @classmethod
    def begins(cls, head: bytes, path: PathLike | None) -> bool:
        """Whether a file with these first bytes is surely of this format. path: where it can be opened again."""
        return head.startswith(cls.magic)

    @classmethod
    def likeness(cls, line: bytes, name: str) -> int:
        """How much the first line of a file of this name looks like the format: 0 is not at all, the most wins."""
        return 0

    @classmethod
    def surely(cls, lines: list[bytes]) -> bool:
        """Whether a file of lines with these first ones is of the format, whatever its name says."""
        return False

    def recipe(self) -> dict[str, Any]:
        """What a model must know to read new data alike."""
        return {"format": self.name}

    def placed(self, name: str) -> str:
        """Where a row comes from, by its id, among several files."""
        return name

    def batches(self) -> Iterator[Batch]:
        """One reading of the file; batches without rows are passed over."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Batch]:
        none = True
        try:
            for batch in self.batches():
                if batch.n:
                    none = False
                    yield batch
        except DataError as error:
            error.notes = self.notes
            raise
        if none:
            raise self._no_rows()

    @property
    def bytes_read(self) -> int:
        """Place in the file as stored, for a progress bar."""
        return int(getattr(self._stream, "bytes_read", 0))

    @property
    def bytes_total(self) -> int | None:
        return getattr(self._stream, "bytes_total", None)

    def _begin(self) -> None:
        """The notes begin anew. DataError where there is no second reading."""
        if self.one_shot and self._opened:
            raise DataError(f"{self.origin}: it can be read only once; several passes over the data need a file")
        self._opened = True
        self.notes.clear()
        self.notes.update(self.always)

    def _open(self) -> ByteStream:
        """The stream for one reading."""
        self._begin()
        stream = self._stream = self._path if isinstance(self._path, ByteStream) else open_bytes(self._path)
        return stream

    def _decoded(self, stream: ByteStream) -> Iterator[Block]:
        """The lines of a text."""
        for text, at in blocks(stream, self.asked.block_bytes):
            lines, other = decoded_lines(text)
            self._note(NO_UTF8, other)
            yield lines, at

    def _note(self, what: str, count: int = 1) -> None:
        if count:
            self.notes[what] = self.notes.get(what, 0) + count

    def _numbered(self, batch: Batch, numbers: Any) -> Batch:
        """With the rows' own numbers, where some may be skipped."""
        return batch._replace(numbers=np.asarray(numbers)) if self.asked.bad == "skip" else batch

    def _note_columns(self, columns: Any) -> None:
        """Which column was taken for the label, where nobody said it, and which are not used."""
        if columns.guessed and columns.label is not None and not isinstance(self.asked.expect, int):
            self._note(columns.guess(), columns.label + 1)
        self._note(*columns.ignored())

    def _no_rows(self, what: str = "rows", expected: str = "expected at least one") -> DataError:
        notes = ", ".join(f"{note}: {count}" for note, count in self.notes.items())
        return located(self.origin, None, f"found no {what}" + (f" ({notes})" if notes else ""), expected)


ROOM = 1 << 20
"""Values in a batch, 8 MB as float64."""
COPY = 1 << 20


class ArraySource(FileSource):
    """What the readers of binary numbers share. Rows are counted from 1 in messages.

    bad: a row with a value that is not finite: "error" (default) or "skip" it and count it in `notes`.
    """

    _file: Any = None
    """What `seekable` made of the stream, of readers that go back and forth."""

    @property
    def bytes_read(self) -> int:
        if self._file is None:
            return super().bytes_read
        return 0 if self._file.closed else int(self._file.tell())

    def _good_rows(self, rows: Rows, first: int, names: list[str] | None = None) -> Array:
        """(n,) bool: the rows that can be used. DataError for another one, unless they are skipped."""
        with np.errstate(invalid="ignore"):
            good = rows.finite()
        if not good.all():
            row, column, value = rows.first_not_finite()
            called = f"column {column + 1}" + ("" if names is None else f" ({names[column]})")
            self._bad_row(first + row, f"found {value} in {called}", "expected a finite number")
            self._note("bad rows skipped", int(np.count_nonzero(~good)))
        return good

    def _bad_row(self, row: int, found: str, expected: str) -> None:
        if self.asked.bad == "error":
            raise self._wrong(found, expected, row)

    def _wrong(self, found: str, expected: str, row: int | None = None) -> DataError:
        return located(self.origin if row is None else f"{self.origin}, row {row}", None, found, expected)

    def _finite_batch(self, rows: Rows, y: Array | None, first: int, places: Array | None = None) -> Batch:
        """places: of the rows, from 0, behind the first."""
        good = self._good_rows(rows, first)
        batch = self._numbered(Batch(rows, y), first + (np.arange(rows.n) if places is None else places))
        return batch if good.all() else batch.take(np.flatnonzero(good))


def as_labels(values: Array) -> Array:
    """Labels of an array as readers give them: floats and short integers as float64, long ones as they are; text."""
    if values.dtype.kind == "f" or (values.dtype.kind in "iu" and values.dtype.itemsize < 8):
        return values.astype(np.float64)
    return values.astype(values.dtype.newbyteorder("=")) if values.dtype.kind in "iu" else tidy(values).astype(str)


def seekable(path: PathLike | ByteStream, stream: ByteStream) -> IO[bytes]:
    """A file in which one can go back and forth: the file itself, or a temporary copy of what is packed or piped.

    The stream is closed.
    """
    if not isinstance(path, ByteStream) and stream.is_plain and os.path.isfile(path):
        stream.close()
        return open(path, "rb")
    with stream, ExitStack() as stack:
        copy = stack.enter_context(tempfile.TemporaryFile())
        shutil.copyfileobj(stream, copy, COPY)
        stack.pop_all()
    copy.seek(0)
    return copy


def filled(stream: Any, size: int) -> bytes:
    """So many bytes; fewer only at the end. Never asks for more than a megabyte: a damaged header may say anything."""
    parts = []
    while size > 0 and (data := stream.read(min(size, COPY))):
        parts.append(data)
        size -= len(data)
    return parts[0] if len(parts) == 1 else b"".join(parts)
