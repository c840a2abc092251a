"""One NumPy array in a stream of bytes: its header, then its rows, a few at a time. Nothing is unpickled."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError, RosenblattError, located
from .rows import filled

MAGIC = b"\x93NUMPY"
EXPECTED = "expected a NumPy array as numpy.save writes it"


class ArrayFile:
    """An array that is read from its beginning to its end.

    stream: what has `read`; name: for messages. shape, kind (dtype), fortran: from its header. Raises DataError for
    anything that is no array of numbers or texts, as a pickled one, which could run code.
    """

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self.name = stream, name
        start = filled(stream, 8)
        if len(start) < 8 or not start.startswith(MAGIC):
            raise located(name, None, "found no NumPy array", EXPECTED)
        try:
            if start[6] > 2:
                raise ValueError(f"version {start[6]}")
            header = np.lib.format.read_array_header_1_0 if start[6] == 1 else np.lib.format.read_array_header_2_0
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # of a header that only looks like one of Python 2
                self.shape, self.fortran, self.kind = header(stream)
        except RosenblattError:
            raise
        except Exception as error:  # numpy parses it as Python: whatever the tokeniser says
            found = "its header is damaged or unknown (" + " ".join(str(error).split())[:80] + ")"
            raise located(name, None, found, EXPECTED) from None
        if self.kind.hasobject:
            found = "found an array of Python objects (pickled), which is never loaded, since it could run code"
            raise located(name, None, found, "expected numbers")
        if any(size < 0 for size in self.shape):
            raise located(name, None, f"found the shape {self.shape}", EXPECTED)
        self._read = 0

    @property
    def row_shape(self) -> tuple[int, ...]:
        return tuple(self.shape[1:])

    def take(self, rows: int) -> Array:
        """The next rows of a C-ordered array."""
        count = rows * math.prod(self.row_shape)
        return np.frombuffer(self._bytes(count), self.kind, count).reshape(rows, *self.row_shape)

    def whole(self) -> Array:
        count = math.prod(self.shape)
        values = np.frombuffer(self._bytes(count), self.kind, count)
        self.at_end()
        return values.reshape(self.shape, order="F" if self.fortran else "C")

    def at_end(self) -> None:
        """DataError where more follows than the header says."""
        if self._stream.read(1):
            raise self._misfit(f"found more than the {math.prod(self.shape)} values that its header names")

    def _bytes(self, count: int) -> bytes:
        size = count * self.kind.itemsize
        data = filled(self._stream, size)
        if len(data) < size:
            there = self._read + len(data) // self.kind.itemsize
            raise self._misfit(f"it is cut short: found {there} of {math.prod(self.shape)} values")
        self._read += count
        return data or bytes(self.kind.itemsize)

    def _misfit(self, found: str) -> DataError:
        return located(self.name, None, found, "expected an intact array")


def as_numbers(array: ArrayFile) -> Any:
    """float32 or float64, in which the numbers of an array are held. DataError for what are no real numbers."""
    if array.kind.kind not in "fiub" or array.kind.itemsize > 8:
        raise located(array.name, None, f"found values of type {array.kind}", "expected real numbers of up to 64 bits")
    return np.float32 if array.kind.kind == "f" and array.kind.itemsize <= 4 else np.float64


def numbers(values: Array, kind: Any) -> Array:
    return np.ascontiguousarray(values, kind)
