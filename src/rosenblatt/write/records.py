"""Files of lines → their rows as bytes, just as they stand, with labels on request."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import chain, islice
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
            self.header = next(self._rows())[0]

    def __iter__(self) -> Iterator[Record]:
        self.notes.clear()
        label_of = {"svmlight": self._svmlight_label, "text": self._text_label, "table": self._cell_label}[self.format]
        none = True
        for row, cells, line in islice(self._rows(), int(self.header != b""), None):
            none = False
            yield row, label_of(cells, line) if self.labelled else None
        if none:
            raise located(self.origin, None, "found no rows", "expected at least one")

    def _has_labels(self) -> bool:
        if self.format == "table":
            return self._columns.label is not None
        with open_bytes(self.path) as stream:
            line = stream.first_line()
        return b"\t" in line if self.format == "text" else b":" not in (line.split() or [b":"])[0]

    # --- rows --------------------------------------------------------------------------------------------------------

    def _blank(self) -> re.Pattern[bytes]:
        """What a line looks like that holds no row."""
        if self.format == "table":
            return re.compile(rb"[%s]*" % b" \t\r\n".replace(self._delimiter.encode(), b""))
        if self.format == "text":
            return re.compile(rb"\s*" if self.labelled else rb"")
        return re.compile(rb"\s*(?:#.*\n)?")

    def _rows(self) -> Iterator[tuple[bytes, Any, int]]:
        """(row, the same or its cells, its first line). Lines are rows until one of a table has a quote; from there on
        the csv module finds where rows end."""
        is_blank, quotes = self._blank().fullmatch, self.format == "table"
        with open_bytes(self.path) as stream:
            read = ((BytesIO(text).readlines(), first) for text, first in blocks(stream, BLOCK))
            for lines, first in read:
                if quotes and any(b'"' in line for line in lines):
                    yield from self._quoted(chain(lines, chain.from_iterable(more for more, _ in read)), first)
                    return
                for number, line in enumerate(lines, first):
                    if is_blank(line):
                        self.notes[SKIPPED] += 1
                    else:
                        yield line, line, number

    def _quoted(self, lines: Iterator[bytes], first: int) -> Iterator[tuple[bytes, list[str], int]]:
        held: list[bytes] = []

        def texts() -> Iterator[str]:
            for text in lines:
                held.append(text)
                yield text.decode("utf-8", "replace")

        csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
        reader = csv.reader(texts(), delimiter=self._delimiter, strict=True)
        try:
            for cells in reader:
                row, line = b"".join(held), first + reader.line_num - len(held)
                held.clear()
                if len(cells) < 2 and not "".join(cells).strip():
                    self.notes[SKIPPED] += 1
                else:
                    yield row, cells, line
        except csv.Error as error:
            found = f"found broken quotes ({error})"
            raise located(self.origin, first + reader.line_num - 1, found, "expected quotes that close") from None

    # --- labels ------------------------------------------------------------------------------------------------------

    def _svmlight_label(self, row: bytes, line: int) -> str:
        label = row.split(b"#", 1)[0].split()[0].decode("utf-8", "replace")
        if not is_number(label):
            raise located(self.origin, line, f"found {label[:40]!r}", "expected a number as the label")
        return shortest(float(label))

    def _text_label(self, row: bytes, line: int) -> str:
        label, tab, _ = row.partition(b"\t")
        if not tab or not label.strip():
            found = row[:40].decode("utf-8", "replace").rstrip()
            raise located(self.origin, line, f"found {found!r}", "expected a label, a TAB, and the text")
        return label.strip().decode("utf-8", "replace")

    def _cell_label(self, row: bytes | list[str], line: int) -> str:
        columns = self._columns
        cells = row if isinstance(row, list) else row.decode("utf-8", "replace").rstrip("\r\n").split(self._delimiter)
        label = cells[columns.label].strip() if len(cells) == columns.width else ""
        if not label:
            wanted = f"expected {columns.width} cells, with a label in {columns.called(columns.label)}"
            raise located(self.origin, line, f"found {len(cells)} cell{'s' * (len(cells) != 1)}", wanted)
        return label
