"""Rows or texts → CSV or TSV with a header; the label is the last column of numbers, the first of texts."""

from __future__ import annotations

import re
from typing import BinaryIO

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from . import Shape, Writer, digits
from .cells import document_text, in_float64, label_texts


class TableWriter(Writer):
    """Cells that `Table` reads back with the same bits; quoted where they must be, lines end in \\n.

    The header is always there: without it `1,2,class` could be taken for one.
    """

    def __init__(self, file: BinaryIO, shape: Shape, delimiter: str = ",") -> None:
        super().__init__(file, shape)
        self._delimiter = delimiter
        self._special = re.compile(rf'["\r\n{delimiter}]|^\s|\s$')
        label = [] if shape.label is None else [shape.label]
        self._lines([[*label, "text"] if shape.kind == "documents" else [*shape.called(), *label]])

    def write(self, batch: Batch) -> None:
        texts: list[str] | None = None
        if self._shape.label is not None and batch.y is not None:
            texts = label_texts(batch.y)
        if isinstance(batch.rows, list):
            bodies = [document_text(document) for document in batch.rows]
            self._lines([[body] for body in bodies] if texts is None else list(zip(texts, bodies, strict=True)))
            return
        tails = [b""] * batch.n
        if texts is not None:
            cells = {text: self._cell(text) for text in set(texts)}
            tails = [cells[text] for text in texts]
        for part, values in batch.rows.dense_blocks(self._shape.width):
            self._numbers(values, tails[part])

    def _numbers(self, values: Array, tails: list[bytes]) -> None:
        n, d = values.shape
        ends = digits.ends_of(tails)
        out = np.empty((digits.LONGEST + 1) * n * d + ends.room, np.uint8)
        size = digits.written(digits.dense_lines, n * d, out, ends, in_float64(values), ord(self._delimiter))
        self._file.write(out[:size].data)

    def _lines(self, rows: list[list[str]] | list[tuple[str, str]]) -> None:
        lines = "".join(self._delimiter.join(map(self._quoted, cells)) + "\n" for cells in rows)
        self._file.write(lines.encode("utf-8", "replace"))

    def _quoted(self, cell: str) -> str:
        """The csv module leaves a carriage return without quotes, and then refuses to read it."""
        return '"' + cell.replace('"', '""') + '"' if not cell or self._special.search(cell) else cell

    def _cell(self, text: str) -> bytes:
        """A label as the last cell, behind what parts it from the one before."""
        between = self._delimiter if self._shape.width else ""
        return (between + self._quoted(text)).encode("utf-8", "replace")
