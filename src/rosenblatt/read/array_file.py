"""One array in a stream of bytes, of NumPy or idx: its header, then its rows, a few at a time. Nothing is unpickled."""

from __future__ import annotations

import math
import struct
import warnings
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError, RosenblattError, located
from .rows import filled

IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
NUMPY = "expected a NumPy array as numpy.save writes it"
IDX = "expected an idx file (two zero bytes, a type, the number of dimensions, their sizes)"


class ArrayFile:
    """An array that is read from its beginning to its end: numpy.load reads all of it, and from no pipe in pieces.

    stream: what has `read`, behind the header. name: for messages. kind: the dtype. number: that in which its values
    are held, float32 or float64, None where they are no real numbers.
    """

    def __init__(self, stream: Any, name: str, shape: tuple[int, ...], kind: Any, fortran: bool = False) -> None:
        self._stream, self.name, self.shape, self.kind, self.fortran = stream, name, shape, kind, fortran
        real = kind.kind in "fiub" and kind.itemsize <= 8
        self.number: Any = (np.float32 if kind.kind == "f" and kind.itemsize <= 4 else np.float64) if real else None
        self._read = 0

    @property
    def row_shape(self) -> tuple[int, ...]:
        return tuple(self.shape[1:])

    def take(self, rows: int) -> Array:
        """The next rows of a C-ordered array."""
        return self._values(rows * math.prod(self.row_shape)).reshape(rows, *self.row_shape)

    def whole(self) -> Array:
        values = self._values(math.prod(self.shape))
        self.at_end()
        return values.reshape(self.shape, order="F" if self.fortran else "C")

    def at_end(self) -> None:
        """DataError where more follows than the header says."""
        if self._stream.read(1):
            raise self._misfit(f"found more than the {math.prod(self.shape)} values that its header names")

    def _values(self, count: int) -> Array:
        size = count * self.kind.itemsize
        data = filled(self._stream, size)
        if len(data) < size:
            there = self._read + len(data) // self.kind.itemsize
            raise self._misfit(f"it is cut short: found {there} of {math.prod(self.shape)} values")
        self._read += count
        return np.frombuffer(data or bytes(self.kind.itemsize), self.kind, count)

    def _misfit(self, found: str) -> DataError:
        return located(self.name, None, found, "expected an intact array")


def numpy_array(stream: Any, name: str) -> ArrayFile:
    """What numpy.save wrote. DataError for what is no array, or a pickled one, which could run code."""
    start = filled(stream, 8)
    if len(start) < 8 or not start.startswith(np.lib.format.MAGIC_PREFIX):
        raise located(name, None, "found no NumPy array", NUMPY)
    try:
        if start[6] > 2:
            raise ValueError(f"version {start[6]}")
        header = np.lib.format.read_array_header_1_0 if start[6] == 1 else np.lib.format.read_array_header_2_0
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of a header that only looks like one of Python 2
            shape, fortran, kind = header(stream)
    except RosenblattError:
        raise
    except Exception as error:  # numpy parses it as Python: whatever the tokeniser says
        found = "its header is damaged or unknown (" + " ".join(str(error).split())[:80] + ")"
        raise located(name, None, found, NUMPY) from None
    if kind.hasobject:
        found = "found an array of Python objects (pickled), which is never loaded, since it could run code"
        raise located(name, None, found, "expected numbers")
    if any(size < 0 for size in shape):
        raise located(name, None, f"found the shape {shape}", NUMPY)
    return ArrayFile(stream, name, shape, kind, fortran)


def idx_array(stream: Any, name: str) -> ArrayFile:
    """What an idx file (MNIST) holds: a type, a shape, and the values, all big-endian."""
    start = filled(stream, 4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in IDX_TYPES or start[3] == 0:
        raise located(name, None, f"found {start.hex(' ') or 'no bytes'} at the start", IDX)
    sizes = filled(stream, 4 * start[3])
    if len(sizes) < 4 * start[3]:
        raise located(name, None, "it is cut short in its header", IDX)
    return ArrayFile(stream, name, struct.unpack(f">{start[3]}I", sizes), np.dtype(IDX_TYPES[start[2]]))
