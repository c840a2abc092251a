"""idx files (MNIST): images as an array of numbers, their labels in a second file."""

import os
import re
from typing import Any

from ..errors import Message, located
from .arrays import IDX_TYPES, ArrayFile, Npy, idx_array
from .open import COMPRESSED, ByteStream, PathLike, uncompressed

IMAGES = re.compile(r"images([-.])idx\d")


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
    _rows = "images"

    def __init__(self, path: PathLike | ByteStream, **words: Any) -> None:
        super().__init__(path, **words)
        self._column, self._label_name = None, None if self.asked.label is None else str(self.asked.label)

    def _beside(self) -> str | None:
        folder, name = os.path.split(self.origin)
        labels, count = IMAGES.subn(r"labels\1idx1", uncompressed(name))
        paths = [os.path.join(folder, labels + suffix) for suffix in ("", *COMPRESSED)]
        return next(filter(os.path.isfile, paths), None) if count else None

    def _check(self, array: ArrayFile) -> None:
        if len(array.shape) < 2:
            found = f"found {len(array.shape)} dimension of size {array.shape[0]}"
            wanted = Message("expected images, of two dimensions or more; labels go to {label:s}", label="")
            raise self._wrong(found, wanted)
        if 0 in array.row_shape:
            raise self._wrong("found images without pixels", "expected at least one")

    def _too_wide(self, array: ArrayFile, width: int) -> Exception:
        size = " x ".join(map(str, array.row_shape))
        return self._wrong(f"found images of {size} pixels", f"expected the model's {self.asked.width}")

    def _no_labels(self, array: ArrayFile) -> Exception:
        return located(self.origin, None, "found no file of labels beside it", "expected one ({label:s})", label="FILE")
