"""NumPy arrays (.npy): a row a row; labels are a column of it, or a second array."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..errors import located
from ..parameters import Parameter
from .array_file import ArrayFile, as_numbers, numbers
from .columns import Column
from .open import ByteStream, PathLike, open_bytes
from .parameters import BAD, LABEL
from .rows import ROOM, ArraySource, as_labels

BESIDE = re.compile(r"^X(?=[._-])", re.IGNORECASE)


class Npy(ArraySource):
    """A source of `Batch(Dense, y)` from an array of two dimensions; more (images) are taken as rows of all values.

    path: a file of numpy.save (also compressed), or `-`. A C-ordered array is read a piece at a time, a
        Fortran-ordered one whole. float32 (and float16) is kept as float32, other numbers become float64.
    label: a column by number, counting from 1 (−1: the last), or a second .npy file. Default: `y.npy` beside `X.npy`,
        `y_train.npy` beside `X_train.npy`.
    labelled: True (default): labels must be there. "auto": without them y is None; a column of labels is there if the
        array is one wider than the model. False: y is None.
    width: features, from a model; DataError where there are more or fewer.
    y: float64, or object holding str. Pickled arrays are refused: reading runs no code.
    """

    format = "npy"

    parameters: tuple[Parameter, ...] = (LABEL, BAD)

    def __init__(
        self,
        path: PathLike | ByteStream,
        *,
        label: Column | None = None,
        labelled: bool | Literal["auto"] = True,
        width: int | None = None,
        bad: Literal["error", "skip"] = "error",
    ) -> None:
        super().__init__(path, bad)
        self.width, self.labelled = width, labelled
        self._column, self._label_file = column_or_name(label)

    def recipe(self) -> dict[str, Any]:
        return {"format": self.format} | ({} if self._column is None else {"label": self._column})

    def __iter__(self) -> Iterator[Batch]:
        with self._open() as stream:
            array = ArrayFile(stream, self.origin)
            yield from self._batches(array, self._labels())

    def _labels(self) -> Array | None:
        """The labels that lie in a file of their own."""
        if self.labelled is False or self._column is not None:
            return None
        path = self._label_file or _beside(self.origin)
        if path is None:
            return None
        with open_bytes(path) as stream:
            return label_array(ArrayFile(stream, path))

    def _batches(self, array: ArrayFile, labels: Array | None) -> Iterator[Batch]:
        kind = as_numbers(array)
        if len(array.shape) < 2:
            found = f"found an array of {len(array.shape)} dimension{'s' * (len(array.shape) != 1)}"
            raise located(array.name, None, found, "expected rows and columns")
        n, columns = array.shape[0], math.prod(array.row_shape)
        label = self._label_column(array, columns, labels is not None)
        width = columns - (label is not None)
        if self.width not in (None, width):
            raise located(array.name, None, f"found {width} columns of features", f"expected the model's {self.width}")
        if labels is not None and len(labels) != n:
            raise located(array.name, None, f"found {n} rows and {len(labels)} labels", "expected as many of both")
        if not n:
            raise self._no_rows()
        whole = array.whole().reshape(n, -1) if array.fortran else None
        height = max(1, ROOM // max(columns, 1))
        for start in range(0, n, height):
            stop = min(start + height, n)
            values = array.take(stop - start).reshape(stop - start, -1) if whole is None else whole[start:stop]
            y = None if labels is None else labels[start:stop]
            if label is not None:
                if self.labelled is not False:
                    self._finite(values[:, label : label + 1], start + 1)
                    y = as_labels(values[:, label])
                values = np.delete(values, label, axis=1)
            yield self._dense_batch(numbers(values, kind), None if self.labelled is False else y, start + 1)
        if whole is None:
            array.at_end()

    def _label_column(self, array: ArrayFile, columns: int, elsewhere: bool) -> int | None:
        """Which column holds the labels, from 0; None where none does."""
        column = self._column
        if column is None or (self.width == columns and self.labelled is not True):
            if self.labelled is True and not elsewhere:
                raise located(
                    array.name, None, "found no labels", "expected a column or a file of them ({label:s})", label=""
                )
            return None
        if not 1 <= abs(column) <= columns:
            raise located(array.name, None, f"found {columns} columns", f"expected a column {column}")
        return column - 1 if column > 0 else columns + column


def column_or_name(label: Column | None) -> tuple[int | None, str | None]:
    """What names labels: a column's number, or a file or array."""
    try:
        return (None if label is None else int(label)), None
    except ValueError:
        return None, str(label)


def label_array(array: ArrayFile) -> Array:
    """Labels (n,), or of shape (n, 1), as readers give them."""
    if len(array.shape) != 1 and array.row_shape != (1,):
        raise located(array.name, None, f"found labels of the shape {array.shape}", "expected one label for each row")
    if array.kind.kind not in "fiubUS":
        raise located(array.name, None, f"found labels of type {array.kind}", "expected numbers or text")
    labels = as_labels(array.whole().ravel())
    if labels.dtype != object and not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels))) + 1
        found = f"found the label {labels[row - 1]}"
        raise located(f"{array.name}, row {row}", None, found, "expected a finite number")
    return labels


def _beside(path: str) -> str | None:
    folder, name = os.path.split(path)
    labels, found = BESIDE.subn("y", name)
    other = os.path.join(folder, labels)
    return other if found and os.path.isfile(other) else None
