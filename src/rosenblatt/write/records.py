"""Files of lines → their rows as bytes, just as they stand, with labels on request."""

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..errors import located
from ..read.columns import is_number
from ..read.open import BLOCK, blocks, open_bytes
from ..read.table import MAX_CELL
from .digits import shortest

LINES = ("svmlight", "table", "text")
"""Formats whose rows are lines."""
SKIPPED = "blank lines and comments left out"
Record = tuple[bytes, str | None]


class Records:
    """The rows of a file of lines: (bytes with the closing newline, label or None), in order.

    path: a file that can be opened again. source: its reader, which knows the columns. header: line 1 of a table with
    names, else b"". Lines that hold no row are left out, and counted in `notes`. labelled: False where the rows have
    no labels. Raises DataError where a row has no label, and for a format whose rows are not lines.
    """

    def __init__(self, path: str, source: Any, labelled: bool | str = "auto") -> None:
        self.path, self.origin = path, source.origin
        self.format = str(source.recipe()["format"])
        if self.format not in LINES:
            found = f"its rows ({self.format}) are no lines"
            raise located(self.origin, None, found, "expected svmlight, CSV or text lines (`rosenblatt convert`)")
        self.notes: Counter[str] = Counter()
        self.header = b""
        self._columns: Any = source.columns if self.format == "table" else None
        self._delimiter: str = getattr(source, "delimiter", ",")
        self.labelled = labelled is not False and self._has_labels()
        if self.format == "table" and source.columns.names is not None:
            self.header = next(self._table())[0]

    def __iter__(self) -> Iterator[Record]:
        self.notes.clear()
        rows = self._lines() if self.format != "table" else self._rows_of_table()
        first = next(rows, None)
        if first is None:
            raise located(self.origin, None, "found no rows", "expected at least one")
        yield first
        yield from rows

    def _has_labels(self) -> bool:
        if self.format == "table":
            return self._columns.label is not None
        with open_bytes(self.path) as stream:
            line = stream.first_line()
        return b"\t" in line if self.format == "text" else b":" not in (line.split() or [b":"])[0]

    def _raw(self) -> Iterator[tuple[list[bytes], int]]:
        """Lines with their newlines, a block at a time, and the number of the first."""
        with open_bytes(self.path) as stream:
            for text, line in blocks(stream, BLOCK):
                yield [part + b"\n" for part in text.split(b"\n")[:-1]], line

    # --- svmlight and text -------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[Record]:
        label_of = self._svmlight_label if self.format == "svmlight" else self._text_label
        blank = self.format == "svmlight" or self.labelled
        for lines, first in self._raw():
            for i, line in enumerate(lines):
                start = line.lstrip()[:1]
                if blank and (not start or (start == b"#" and self.format == "svmlight")):
                    self.notes[SKIPPED] += 1
                elif self.labelled:
                    yield line, label_of(line, first + i)
                else:
                    yield line, None

    def _svmlight_label(self, line: bytes, number: int) -> str:
        label = line.split(b"#", 1)[0].split()[0].decode("utf-8", "replace")
        if not is_number(label):
            raise located(self.origin, number, f"found {label[:40]!r}", "expected a number as the label")
        return shortest(float(label))

    def _text_label(self, line: bytes, number: int) -> str:
        label, tab, _ = line.partition(b"\t")
        if not tab or not label.strip():
            found = line[:40].decode("utf-8", "replace").rstrip()
            raise located(self.origin, number, f"found {found!r}", "expected a label, a TAB, and the text")
        return label.strip().decode("utf-8", "replace")

    # --- tables ------------------------------------------------------------------------------------------------------

    def _rows_of_table(self) -> Iterator[Record]:
        rows = self._table()
        if self.header:
            next(rows)
        for row, cells, line in rows:
            yield row, self._label(cells, line) if self.labelled else None

    def _table(self) -> Iterator[tuple[bytes, list[bytes], int]]:
        """(row, its cells where they are asked for, line). Lines are rows until one has a quote; from there on the csv
        module finds where rows end."""
        read = self._raw()
        between = self._delimiter.encode()
        for lines, first in read:
            if any(b'"' in line for line in lines):
                yield from self._quoted(chain([(lines, first)], read))
                return
            for i, line in enumerate(lines):
                if not line.strip(b" \t\r\n".replace(between, b"")):
                    self.notes[SKIPPED] += 1
                else:
                    yield line, line.rstrip(b"\r\n").split(between) if self.labelled else [], first + i

    def _quoted(self, read: Iterator[tuple[list[bytes], int]]) -> Iterator[tuple[bytes, list[bytes], int]]:
        held: list[bytes] = []
        place = [0]

        def feed() -> Iterator[str]:
            for lines, first in read:
                for i, line in enumerate(lines):
                    held.append(line)
                    place[0] = first + i
                    yield line.decode("utf-8", "surrogateescape")

        csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
        try:
            for cells in csv.reader(feed(), delimiter=self._delimiter, strict=True):
                row, number = b"".join(held), place[0] - len(held) + 1
                held.clear()
                if len(cells) < 2 and not "".join(cells).strip():
                    self.notes[SKIPPED] += 1
                else:
                    yield row, [cell.encode("utf-8", "surrogateescape") for cell in cells], number
        except csv.Error as error:
            found = f"found broken quotes ({error})"
            raise located(self.origin, place[0], found, "expected quotes that close") from None

    def _label(self, cells: list[bytes], line: int) -> str:
        columns = self._columns
        if len(cells) != columns.width or not cells[columns.label].strip():
            wanted = f"expected {columns.width} cells, with a label in {columns.called(columns.label)}"
            raise located(self.origin, line, f"found {len(cells)} cell{'s' * (len(cells) != 1)}", wanted)
        return cells[columns.label].strip().decode("utf-8", "replace")
