"""idx files (MNIST): an array of numbers, first its type and shape, all big-endian; its labels in a second file."""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..errors import DataError, Message, located
from .open import COMPRESSED, ByteStream, PathLike, open_bytes
from .parameters import BAD, LABEL
from .rows import ROOM, ArraySource, filled

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
IMAGES = re.compile(r"images([-.])idx\d")
EXPECTED = "expected an idx file (two zero bytes, a type, the number of dimensions, their sizes)"


class _Header(NamedTuple):
    kind: np.dtype[Any]
    shape: tuple[int, ...]


class Idx(ArraySource):
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

    parameters = (LABEL, BAD)

    def __init__(
        self,
        path: PathLike | ByteStream,
        *,
        label: str | None = None,
        labelled: bool | Literal["auto"] = True,
        width: int | None = None,
        bad: Literal["error", "skip"] = "error",
    ) -> None:
        super().__init__(path, bad)
        self.width, self.labelled, self.label = width, labelled, None if label is None else str(label)

    def recipe(self) -> dict[str, Any]:
        return {"format": "idx"}

    def __iter__(self) -> Iterator[Batch]:
        labels = self._labels()
        with self._open() as stream:
            header = _header(stream)
            if len(header.shape) < 2:
                found = f"found {len(header.shape)} dimension of size {header.shape[0]}"
                wanted = Message("expected images, of two dimensions or more; labels go to {label:s}", label="")
                raise self._wrong(found, wanted)
            n, width = header.shape[0], math.prod(header.shape[1:])
            if not width:
                raise self._wrong("found images without pixels", "expected at least one")
            if self.width not in (None, width):
                size = " x ".join(map(str, header.shape[1:]))
                raise self._wrong(f"found images of {size} pixels", f"expected the model's {self.width}")
            if labels is not None and len(labels) != n:
                raise self._wrong(f"found {n} images and {len(labels)} labels", "expected as many labels as images")
            if not n:
                raise self._no_rows()
            height = max(1, ROOM // max(width, 1))
            for start in range(0, n, height):
                values = _values(stream, header, min(height, n - start) * width, start * width)
                y = None if labels is None else labels[start : start + height]
                yield self._dense_batch(values.reshape(-1, width), y, start + 1)
            _at_end(stream, header)

    def _labels(self) -> Array | None:
        """(n,) float64, or None where there are none and need not be."""
        if self.labelled is False:
            return None
        path = self.label or _beside(self.origin)
        if path is None:
            if self.labelled == "auto":
                return None
            raise self._wrong("found no file of labels beside it", Message("expected one ({label:s})", label="FILE"))
        with open_bytes(path) as stream:
            header = _header(stream)
            if len(header.shape) != 1:
                raise located(path, None, f"found {len(header.shape)} dimensions", "expected labels, of one dimension")
            labels = _values(stream, header, header.shape[0], 0).astype(np.float64)
            _at_end(stream, header)
        return labels


def _beside(images: str) -> str | None:
    """The file of labels of the usual name that is there."""
    folder, name = os.path.split(images)
    stem = name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in COMPRESSED else name
    labels, found = IMAGES.subn(r"labels\1idx1", stem)
    if not found:
        return None
    paths = [os.path.join(folder, labels + suffix) for suffix in ("", *COMPRESSED)]
    return next(filter(os.path.isfile, paths), None)


def _header(stream: ByteStream) -> _Header:
    start = filled(stream, 4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in TYPES or start[3] == 0:
        raise located(stream.name, None, f"found {start.hex(' ') or 'no bytes'} at the start", EXPECTED)
    sizes = filled(stream, 4 * start[3])
    if len(sizes) < 4 * start[3]:
        raise located(stream.name, None, "it is cut short in its header", EXPECTED)
    return _Header(np.dtype(TYPES[start[2]]), struct.unpack(f">{start[3]}I", sizes))


def _values(stream: ByteStream, header: _Header, count: int, before: int) -> Array:
    data = filled(stream, count * header.kind.itemsize)
    if len(data) < count * header.kind.itemsize:
        size = math.prod(header.shape)
        there = before + len(data) // header.kind.itemsize
        raise _misfit(stream, f"it is cut short: found {there} of {size} values")
    values = np.frombuffer(data, header.kind)
    return values.astype(np.float32 if header.kind == ">f4" else np.float64)


def _at_end(stream: ByteStream, header: _Header) -> None:
    if stream.read(1):
        raise _misfit(stream, f"found more than the {math.prod(header.shape)} values that its header names")


def _misfit(stream: ByteStream, found: str) -> DataError:
    return located(stream.name, None, found, "expected an intact idx file")
