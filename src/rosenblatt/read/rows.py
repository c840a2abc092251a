"""What the readers of arrays and columns share: labels that lie elsewhere, values that must be finite, and places."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from typing import IO, Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..errors import DataError, located
from .open import ByteStream, PathLike
from .source import FileSource

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

    def _finite_batch(self, rows: Rows, y: Array | None, first: int) -> Batch:
        good = self._good_rows(rows, first)
        batch = Batch(rows, y)
        return batch if good.all() else batch.take(np.flatnonzero(good))


def as_labels(values: Array) -> Array:
    """Labels of an array as readers give them: numbers as float64 where they are whole in it, else as text."""
    if values.dtype.kind == "f" or (values.dtype.kind in "iu" and (np.abs(values.astype(float)) <= 2.0**53).all()):
        return values.astype(np.float64)
    if values.dtype.kind == "S":
        return np.array([label.decode("utf-8", "replace") for label in values.tolist()], object)
    return np.array([str(label) for label in values.tolist()], object)


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
