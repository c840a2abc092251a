"""NumPy arrays (.npy): a row a row; labels are a column of it, or a second array. And idx files (MNIST): images as an
array of numbers, their labels in a second file.

An array of NumPy or idx is read from a stream of bytes: its header, then its rows, a few at a time. Nothing is
unpickled.
"""

import math
import os
import re
import struct
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.rows import Array, dense
from ..data.batch import Batch
from ..errors import DataError, RosenblattError, located
from ..parameters import Parameter
from .open import COMPRESSED, open_bytes, uncompressed
from .parameters import BAD, LABEL
from .source import ROOM, ArraySource, as_labels, filled

IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
NUMPY = "expected a NumPy array as numpy.save writes it"
IDX = "expected an idx file (two zero bytes, a type, the number of dimensions, their sizes)"


class ArrayFile:
    """An array that is read from its beginning to its end: numpy.load reads all of it, and from no pipe in pieces.

    stream: what has `read`, behind the header. name: for messages. kind: the dtype. number: that in which its values
    are held, float32 or float64, None where they are no real numbers.
    """

    def __init__(self, stream: Any, name: str, shape: tuple[int, ...], kind: Any, fortran: bool = False) -> None:
        self._stream, self.name, self.kind, self.fortran = stream, name, kind, fortran
        self.shape, self.row_shape = shape, shape[1:]
        real = kind.kind in "fiub" and kind.itemsize <= 8
        self.number: Any = (np.float32 if kind.kind == "f" and kind.itemsize <= 4 else np.float64) if real else None
        self._read = 0

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
            raise self.wrong(f"found more than the {math.prod(self.shape)} values that its header names")

    def _values(self, count: int) -> Array:
        size = count * self.kind.itemsize
        data = filled(self._stream, size)
        if len(data) < size:
            there = self._read + len(data) // self.kind.itemsize
            raise self.wrong(f"it is cut short: found {there} of {math.prod(self.shape)} values")
        self._read += count
        return np.frombuffer(data or bytes(self.kind.itemsize), self.kind, count)

    def wrong(self, found: str, expected: str = "expected an intact array", **settings: Any) -> DataError:
        return located(self.name, None, found, expected, **settings)


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


BESIDE = re.compile(r"^X(?=[._-])", re.IGNORECASE)
IMAGES = re.compile(r"images([-.])idx\d")


class Npy(ArraySource):
    """A source of `Batch(Dense, y)` from an array of two dimensions; more (images) are taken as rows of all values.

    path: a file of numpy.save (also compressed), or `-`. A C-ordered array is read a piece at a time, a
        Fortran-ordered one whole. float32 (and float16) is kept as float32, other numbers become float64.
    label: a column by number, counting from 1 (−1: the last), or a second .npy file. Default: `y.npy` beside `X.npy`,
        `y_train.npy` beside `X_train.npy`.
    labelled: True (default): labels must be there. "auto": without them y is None; a column of labels is there if the
        array is one wider than the model. False: y is None.
    width: features, from a model; DataError where there are more or fewer.
    y: numbers or text, as in the array. Pickled arrays are refused: reading runs no code.
    """

    name = "npy"
    rank = 5
    suffixes: tuple[str, ...] = (".npy",)
    magic: tuple[bytes, ...] = (np.lib.format.MAGIC_PREFIX,)
    family = "arrays"
    parameters: tuple[Parameter, ...] = (LABEL, BAD)
    further = {"labelled": True, "width": None}

    _array = staticmethod(numpy_array)
    _rows, _label_word = "rows", ""
    _no_labels = "found no labels", "expected a column or a file of them ({label:s})"
    _other_width = "found {width} columns of features"

    def _prepare(self) -> None:
        self._column: int | None = None
        self._label_name: str | None = None
        try:
            self._column = None if self.asked.label is None else int(self.asked.label)
        except ValueError:
            self._label_name = str(self.asked.label)

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | ({} if self._column is None else {"label": self._column})

    def batches(self) -> Iterator[Batch]:
        with self._open() as stream:
            array = self._array(stream, self.origin)
            yield from self._batches_of(array, self._labels())

    def _labels(self) -> Array | None:
        """The labels that lie in a file of their own."""
        path = self._label_name or self._beside()
        if self.asked.labelled is False or self._column is not None or path is None:
            return None
        with open_bytes(path) as stream:
            return label_array(self._array(stream, path))

    def _beside(self) -> str | None:
        """The file of labels of the usual name that is there."""
        return self._there(self.origin)

    def _there(self, rows: str) -> str | None:
        folder, name = os.path.split(rows)
        labels, count = BESIDE.subn("y", name)
        path = os.path.join(folder, labels)
        return path if count and os.path.isfile(path) else None

    def _batches_of(self, array: ArrayFile, labels: Array | None) -> Iterator[Batch]:
        self._check(array)
        n, columns = array.shape[0], math.prod(array.row_shape)
        label = self._label_column(array, columns, labels is not None)
        width = columns - (label is not None)
        if self.asked.width not in (None, width):
            found = self._other_width.format(width=width, size=" x ".join(map(str, array.row_shape)))
            raise array.wrong(found, f"expected the model's {self.asked.width}")
        if labels is not None and len(labels) != n:
            raise array.wrong(f"found {n} {self._rows} and {len(labels)} labels", "expected as many of both")
        whole = array.whole().reshape(n, -1) if array.fortran and n else None
        height = max(1, ROOM // max(columns, 1))
        for start in range(0, n, height):
            stop = min(start + height, n)
            values = array.take(stop - start).reshape(stop - start, -1) if whole is None else whole[start:stop]
            y, places = None if labels is None else labels[start:stop], np.arange(stop - start)
            if label is not None:
                if self.asked.labelled is not False:
                    y = as_labels(values[:, label])
                    good = self._good_rows(dense(values[:, label : label + 1].astype(array.number)), start + 1)
                    values, y, places = (each if good.all() else each[good] for each in (values, y, places))
                values = np.delete(values, label, axis=1)
            rows = dense(np.ascontiguousarray(values, array.number))
            yield self._finite_batch(rows, None if self.asked.labelled is False else y, start + 1, places)
        if whole is None:
            array.at_end()

    def _check(self, array: ArrayFile) -> None:
        if array.number is None:
            raise array.wrong(f"found values of type {array.kind}", "expected real numbers of up to 64 bits")
        if len(array.shape) < 2:
            found = f"found an array of {len(array.shape)} dimension{'s' * (len(array.shape) != 1)}"
            raise array.wrong(found, "expected rows and columns")

    def _label_column(self, array: ArrayFile, columns: int, elsewhere: bool) -> int | None:
        """Which column holds the labels, from 0; None where none does."""
        column = self._column
        if column is None or (self.asked.width == columns and self.asked.labelled is not True):
            if self.asked.labelled is True and not elsewhere:
                raise array.wrong(*self._no_labels, label=self._label_word)
            return None
        if not 1 <= abs(column) <= columns:
            raise array.wrong(f"found {columns} columns", f"expected a column {column}")
        return column - 1 if column > 0 else columns + column


def label_array(array: ArrayFile) -> Array:
    """Labels (n,), or of shape (n, 1), as readers give them."""
    if len(array.shape) != 1 and array.row_shape != (1,):
        raise array.wrong(f"found labels of the shape {array.shape}", "expected one label for each row")
    if array.kind.kind not in "fiubUS":
        raise array.wrong(f"found labels of type {array.kind}", "expected numbers or text")
    labels = as_labels(array.whole().ravel())
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels))) + 1
        found = f"found the label {labels[row - 1]}"
        raise located(f"{array.name}, row {row}", None, found, "expected a finite number")
    return labels


class Idx(Npy):
    """A source of `Batch(Dense, y)`: each image is a row of all its pixels, y float64. Reads a piece at a time.

    path: the images, of any type and at least two dimensions (also compressed), or `-`.
    label: the file of the labels. Default: beside the images, by the usual name: `…-labels-idx1-ubyte` for
        `…-images-idx3-ubyte`, in any compression.
    labelled: True (default): a file of labels must be there. "auto": without one y is None. False: y is None.
    width: pixels in an image, from a model; DataError where the images are of another size.
    Values are float32 where the file holds these, else float64, as they are: 0 … 255 (`--scale` makes them smaller).
    Raises DataError for a file that is no idx file, is cut short or too long, and where images and labels are not as
    many.
    """

    name = "idx"
    rank = 6
    suffixes = (".idx", ".idx2-ubyte", ".idx3-ubyte")
    magic = tuple(bytes([0, 0, kind]) for kind in IDX_TYPES)
    family = ""

    _array = staticmethod(idx_array)
    _rows, _label_word = "images", "FILE"
    _no_labels = "found no file of labels beside it", "expected one ({label:s})"
    _other_width = "found images of {size} pixels"

    def _prepare(self) -> None:
        self._column, self._label_name = None, None if self.asked.label is None else str(self.asked.label)

    def _beside(self) -> str | None:
        folder, name = os.path.split(self.origin)
        labels, count = IMAGES.subn(r"labels\1idx1", uncompressed(name))
        paths = [os.path.join(folder, labels + suffix) for suffix in ("", *COMPRESSED)]
        return next(filter(os.path.isfile, paths), None) if count else None

    def _check(self, array: ArrayFile) -> None:
        if len(array.shape) < 2:
            found = f"found {len(array.shape)} dimension of size {array.shape[0]}"
            raise array.wrong(found, "expected images, of two dimensions or more; labels go to {label:s}", label="")
        if 0 in array.row_shape:
            raise array.wrong("found images without pixels", "expected at least one")
