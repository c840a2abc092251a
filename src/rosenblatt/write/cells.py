"""What the writers share: labels as text or as numbers, rows of one width, and how batches are cut to size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.digits import shortest
from ..core.rows import Array, Csr, Dense, Rows, csr, n_rows
from ..errors import DataError
from . import Shape

ROOM = 1 << 21
"""Values of a dense block that is made from sparse rows: 16 MB."""


def label_texts(y: Array) -> list[str]:
    """Labels as text: numbers in their shortest form."""
    if y.dtype == object:
        return [str(label) for label in y]
    if y.dtype.kind in "iub":
        return [str(int(label)) for label in y]
    texts = {value: shortest(value) for value in np.unique(y).tolist()}
    return [texts[value] for value in y.tolist()]


def label_numbers(y: Array, shape: Shape) -> Array:
    """(n,) float64. DataError for a label that is no number and has none in `shape.numbers`."""
    if y.dtype != object:
        return y.astype(np.float64)
    found = {}
    for label in dict.fromkeys(str(label) for label in y):
        try:
            number = float(label.replace("_", "?")) if shape.numbers is None else shape.numbers[label]
        except (ValueError, KeyError):
            raise DataError(f"the label {label!r} has no number; the format needs one for each label") from None
        if not np.isfinite(number):
            raise DataError(f"the label {label!r} is no finite number, which the format needs")
        found[label] = number
    return np.array([found[str(label)] for label in y], np.float64)


def dense_blocks(rows: Rows, columns: int) -> Iterator[tuple[slice, Array]]:
    """(rows, their values as a dense array of so many columns), a few at a time where they are sparse."""
    if isinstance(rows, Dense):
        yield slice(0, n_rows(rows)), rows.values
        return
    height = max(1, ROOM // max(columns, 1))
    for start in range(0, n_rows(rows), height):
        part = slice(start, min(start + height, n_rows(rows)))
        at = rows.indptr[part.start : part.stop + 1]
        block = np.zeros((part.stop - part.start, columns), rows.data.dtype)
        row = np.repeat(np.arange(len(block)), np.diff(at))
        block[row, rows.indices[at[0] : at[-1]]] = rows.data[at[0] : at[-1]]
        yield part, block


def sparse(rows: Rows) -> Csr:
    """Only the values that are not zero; −0.0, whose sign would be lost, is kept."""
    if isinstance(rows, Csr):
        return rows
    values = rows.values
    there = (values != 0) | np.signbit(values)
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(there, axis=1))]).astype(np.int64)
    return csr(values[there], np.nonzero(there)[1], indptr, values.shape[1])


def widened(rows: Rows, columns: int) -> Rows:
    """Sparse rows with so many columns: a file that is read in pieces is as wide as what has been read so far."""
    return csr(rows.data, rows.indices, rows.indptr, columns) if isinstance(rows, Csr) else rows


def document_text(document: list[tuple[str, str]]) -> str:
    """The fields of a document, one after the other."""
    return document[0][1] if len(document) == 1 else "\n".join(text for _, text in document if text)


def in_float64(rows: Rows) -> Any:
    """The values' bits, as the writers of text need them: every float32 is a float64."""
    values = rows.values if isinstance(rows, Dense) else rows.data
    return np.ascontiguousarray(values, np.float64).view(np.uint64)
