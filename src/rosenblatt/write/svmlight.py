"""Sparse rows → svmlight lines: `label index:value index:value … [# id]`."""

from __future__ import annotations

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from . import Writer, digits
from .cells import in_float64, label_numbers, label_texts

LONGEST_PAIR = digits.LONGEST + 12
"""Bytes of ` 4294967295:` and a number."""


class SvmlightWriter(Writer):
    """Lines that `Svmlight` reads back with the same bits; explicit zeros of sparse rows stay.

    Nobody writes down how many columns there are, so the last one is given in the first row, as zero if need be: every
    program then reads as many. (peers.md: dumping and loading `[[0, 5], [3, 0]]` must not lose a column.)
    """

    _first = True

    def write(self, batch: Batch) -> None:
        assert not isinstance(batch.rows, list)
        n, (values, columns, row_ends) = batch.n, batch.rows.compressed()
        if self._first and n and self._shape.width:
            values, columns, row_ends = _as_wide(values, columns, row_ends, self._shape.width)
            self._first = False
        heads = [b""] * n
        if batch.y is not None and self._shape.label is not None:
            heads = [text.encode() for text in label_texts(label_numbers(batch.y, self._shape))]
        tails = [b""] * n
        if self._shape.ids and batch.ids is not None:
            tails = [f" # {' '.join(str(name).split())}".encode() for name in batch.ids]
        columns = columns.astype(np.uint64) + np.uint64(self._shape.base)
        ends = digits.ends_of(heads), digits.ends_of(tails)
        out = np.empty(LONGEST_PAIR * len(values) + sum(end.room for end in ends), np.uint8)
        size = digits.written(digits.sparse_lines, len(values), out, *ends, in_float64(values), columns, row_ends)
        self._file.write(out[:size].data)


def _as_wide(values: Array, columns: Array, row_ends: Array, width: int) -> tuple[Array, Array, Array]:
    """The same, with a value in the last column of the first row."""
    end = int(row_ends[1])
    if end and int(columns[end - 1]) == width - 1:
        return values, columns, row_ends
    return np.insert(values, end, 0.0), np.insert(columns, end, width - 1), np.append(row_ends[:1], row_ends[1:] + 1)
