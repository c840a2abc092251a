"""Rows and texts → lines.

text        label, TAB, text; the text alone where there are no labels
CSV, TSV    with a header; the label is the last column of numbers, the first of texts
svmlight    `label index:value index:value … [# id]`
"""

import re
from typing import Any, BinaryIO

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..data.labels import is_text
from ..errors import DataError
from . import Shape, Writer, digits
from .digits import shortest


def label_texts(y: Array) -> list[str]:
    """Labels as text: numbers in their shortest form."""
    if is_text(y):
        return [str(label) for label in y]
    if y.dtype.kind in "iub":
        return [str(int(label)) for label in y]
    texts = {value: shortest(value) for value in np.unique(y).tolist()}
    return [texts[value] for value in y.tolist()]


def label_numbers(y: Array, shape: Shape) -> Array:
    """(n,) float64. DataError for a label that is no number and has none in `shape.numbers`."""
    if not is_text(y):
        return y.astype(np.float64)
    numbers = {}
    for label in dict.fromkeys(str(label) for label in y):
        try:
            number = float(label.replace("_", "?")) if shape.numbers is None else shape.numbers[label]
        except (ValueError, KeyError):
            raise DataError(f"the label {label!r} has no number; the format needs one for each label") from None
        if not np.isfinite(number):
            raise DataError(f"the label {label!r} is no finite number, which the format needs")
        numbers[label] = number
    return np.array([numbers[str(label)] for label in y], np.float64)


TEXTS = ("", "subject")
"""Fields of a mail that are text."""


def document_text(document: list[tuple[str, str]]) -> str:
    """A text; of a mail its subject and its body, as other fields are no running text."""
    return document[0][1] if len(document) == 1 else "\n".join(text for tag, text in document if text and tag in TEXTS)


def in_float64(values: Array) -> Any:
    """The values' bits, as the writers of text need them: every float32 is a float64."""
    return np.ascontiguousarray(values, np.float64).view(np.uint64)


BREAKS = "line breaks inside texts, written as blanks"
TABS = "tabs and line breaks inside labels, written as blanks"


class TextWriter(Writer):
    """Lines that `TextLines` reads back; a line break inside a text becomes a blank, and is counted."""

    def write(self, batch: Batch) -> None:
        assert isinstance(batch.rows, list)
        lines = [self._line(document_text(document), BREAKS) for document in batch.rows]
        if batch.y is not None and self._shape.label is not None:
            labels = label_texts(batch.y)
            known = {label: self._line(label, TABS).replace("\t", " ") for label in set(labels)}
            lines = [f"{known[label]}\t{line}" for label, line in zip(labels, lines, strict=True)]
        self._file.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))

    def _line(self, text: str, what: str) -> str:
        breaks = text.count("\n") + text.endswith("\r")
        if breaks:
            self.notes[what] = self.notes.get(what, 0) + breaks
            text = text.replace("\r\n", " ").replace("\n", " ")
            text = text[:-1] + " " if text.endswith("\r") else text
        return text


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
        texts = None if self._shape.label is None or batch.y is None else label_texts(batch.y)
        if isinstance(batch.rows, list):
            bodies = [document_text(document) for document in batch.rows]
            self._lines([[body] for body in bodies] if texts is None else list(zip(texts, bodies, strict=True)))
            return
        tails = [b"\n"] * batch.n
        if texts is not None:
            between = self._delimiter if self._shape.width else ""
            cells = {text: f"{between}{self._quoted(text)}\n".encode("utf-8", "replace") for text in set(texts)}
            tails = [cells[text] for text in texts]
        for part, values in batch.rows.dense_blocks(self._shape.width):
            self._numbers(values, tails[part])

    def _numbers(self, values: Array, tails: list[bytes]) -> None:
        n, d = values.shape
        ends = digits.ends_of(tails)
        out = np.empty((digits.LONGEST + 1) * n * d + ends.text.size, np.uint8)
        size = digits.written(digits.dense_lines, n * d, out, ends, in_float64(values), ord(self._delimiter))
        self._file.write(out[:size].data)

    def _lines(self, rows: list[list[str]] | list[tuple[str, str]]) -> None:
        lines = "".join(self._delimiter.join(map(self._quoted, cells)) + "\n" for cells in rows)
        self._file.write(lines.encode("utf-8", "replace"))

    def _quoted(self, cell: str) -> str:
        """The csv module leaves a carriage return without quotes, and then refuses to read it."""
        return '"' + cell.replace('"', '""') + '"' if not cell or self._special.search(cell) else cell


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
        tails = [b"\n"] * n
        if self._shape.ids and batch.ids is not None:
            tails = [f" # {' '.join(str(name).split())}\n".encode("utf-8", "replace") for name in batch.ids]
        columns = columns.astype(np.uint64) + np.uint64(self._shape.base)
        ends = digits.ends_of(heads), digits.ends_of(tails)
        out = np.empty(LONGEST_PAIR * len(values) + sum(end.text.size for end in ends), np.uint8)
        size = digits.written(digits.sparse_lines, len(values), out, *ends, in_float64(values), columns, row_ends)
        self._file.write(out[:size].data)


def _as_wide(values: Array, columns: Array, row_ends: Array, width: int) -> tuple[Array, Array, Array]:
    """The same, with a value in the last column of the first row."""
    end = int(row_ends[1])
    if end and int(columns[end - 1]) == width - 1:
        return values, columns, row_ends
    return np.insert(values, end, 0.0), np.insert(columns, end, width - 1), np.append(row_ends[:1], row_ends[1:] + 1)
