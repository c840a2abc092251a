"""CSV and TSV files → batches of dense rows, or of documents where there is a column of text."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice, tee
from typing import Any

import numpy as np

from ..core.rows import dense
from ..data.batch import Batch
from ..errors import DataError, SettingError, located
from ..mailtext.fields import Document
from .columns import DECIMAL_COMMA, NUMBER, Columns, checked, choose, is_number
from .open import ByteStream
from .parameters import BAD, DELIMITER, DROP, HEADER, LABEL, TEXT
from .source import Block, FileSource

BLOCK = 1 << 20
"""Bytes of text in a batch; for the moment each cell is a Python string of some 60 bytes."""
LOOKED = 100
"""First lines that are looked at, as far as they have come, for what the columns mean."""
MAX_CELL = 1 << 26
"""Characters in a cell; the csv module's own limit of 131,072 is less than a long mail."""
DELIMITERS = ",\t;"

BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d)")
"""Commas that may part cells, or a number where semicolons do."""

Record = tuple[int, list[str]]
"""The line a row begins on, and its cells."""


def _is_plain_number(cell: bytes) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


class Table(FileSource):
    """A source of `Batch(Dense float64, y)` or, with a text column, of `Batch([Document], y)`; y object holding str.

    path: a file (also compressed), or `-`. Blank lines are no rows. Quoted cells may hold delimiters and newlines.
    label, text: a column by name, or by number counting from 1 (−1: the last). The default label is the column called
        label, class, target or y (y as the last, or as the first of numbers without an x); else the only one that is
        not a number in the first row; else the last. The default
        text is the column called text; if there is one, columns other than label and text are ignored.
    header: True, False or "auto" (default): line 1 is one if a cell is label, class, target, text or a name asked
        for, or if none of its cells is a number while some cell of the next row is, or if the label in it does not
        recur though others do. A first column without a name, all of different whole numbers, is no feature.
    delimiter: default: tab for .tsv, else the most frequent of comma, tab and semicolon in line 1.
    labelled: True (default): a label must be there. "auto": without one y is None. False: y is None.
    drop: columns by name or number that are left out, as an id; new data of a model need not have them.
    learned: the columns are those of a model's recipe.
    expect: the model's feature names, matched by name in any order, or how many features it has.
    bad: a row that cannot be used (cells missing, no number): "error" (default) or "skip" it and count it in `notes`.

    Numbers are Python's `float(cell)`, without underscores, nan and inf. `kind`, `feature_names` and `recipe()` are
    known before the rows are read. Raises DataError naming line and column.
    """

    name = "table"
    rank = 1
    suffixes = (".csv", ".tsv")
    aliases = {"csv": {}, "tsv": {"delimiter": "\t"}}
    kind = ""
    family = "columns"
    lines = True
    parameters = (LABEL, TEXT, DROP, HEADER, DELIMITER, BAD)
    further = {"labelled": True, "expect": None, "learned": False, "block_bytes": BLOCK}

    def _prepare(self) -> None:
        delimiter = checked(self.asked).delimiter
        if delimiter is not None and len(delimiter) != 1:
            raise SettingError("{delimiter}: give one character", delimiter=delimiter)
        self._begun: Iterator[Block] | None = None
        stream = self._open()
        try:
            self.delimiter = delimiter or self._likely_delimiter(stream)
            self._blank = " \t".replace(self.delimiter, "")
            self.columns = self._look(self._decoded(stream))
        finally:
            if not self.one_shot:
                stream.close()
        self.kind, self.feature_names = self.columns.kind, self.columns.feature_names
        self._label = None if self.asked.labelled is False else self.columns.label

    @classmethod
    def likeness(cls, line: bytes, name: str) -> int:
        return int(any(delimiter in line for delimiter in DELIMITERS.encode()))

    @classmethod
    def surely(cls, lines: list[bytes]) -> bool:
        """Numbers and at most one word, or such a line below one of words."""
        rows = [line.split(max((b",", b"\t", b";"), key=lines[0].count)) for line in lines]
        cells = rows[0] if len(rows) < 2 or any(map(_is_plain_number, rows[0])) else rows[1]
        words = [cell for cell in cells if not _is_plain_number(cell)]
        alike = len(cells) == len(rows[0]) and not any(len(cell.split()) > 1 for cell in [*words, *rows[0]])
        return alike and len(cells) - len(words) >= max(2, len(cells) - 1)

    def recipe(self) -> dict[str, Any]:
        features = None if self.kind == "documents" else self.feature_names or len(self.columns.features)
        own = self.columns.recipe(header=self.asked.header, expect=features)
        return {**super().recipe(), **own}

    def batches(self) -> Iterator[Batch]:
        read = self._begun or self._decoded(self._open())
        self._begun = None
        self._note_columns(self.columns)
        self._row = 0
        try:
            yield from self._batches(read)
        finally:
            if self._stream is not None:
                self._stream.close()

    def _look(self, read: Iterator[Block]) -> Columns:
        """The columns, from the first two records; what was read is kept where it cannot be read again."""
        read, again, first_block = tee(read, 3)
        first = [cells for _, cells in islice(self._records(read), 2)]
        if not first:
            raise self._no_rows()
        if self.one_shot:
            self._begun = again
        lines, at = next(first_block)
        sample: list[list[str]] = []
        with suppress(DataError):  # the sample ends inside of a quoted cell
            sample.extend(cells for _, cells in self._records(iter([(lines[:LOOKED], at)])))
        columns = self._columns_of(first + sample[2:])
        if len(first) == 1 and columns.names is None and columns.text is None and not any(map(is_number, first[0])):
            raise located(self.origin, 1, "found names, and no rows below them", "expected rows of numbers")
        return columns

    def _columns_of(self, rows: list[list[str]]) -> Columns:
        """The meaning of the columns, from the first rows."""
        return choose(rows, self.asked, self.origin)

    def _batches(self, read: Iterator[Block]) -> Iterator[Batch]:
        """Blocks without quotes go to numpy's reader (124 MB/s; the csv module and float: 36)."""
        header = self.columns.names is not None
        for lines, at in read:
            first = next((i for i, line in enumerate(lines) if line.strip(self._blank)), None)
            if first is None:
                continue
            if header and lines[first].count('"') % 2 == 0:  # no quoted newline: the header is this line
                lines, at, header = lines[first + 1 :], at + first + 1, False
            if header or any('"' in line for line in lines):
                yield from self._careful_batches(chain([(lines, at)], read), at, header)
                return
            plain = [line for line in lines if line.strip(self._blank)]
            try:
                batches = iter([self._plain_batch(plain)] if plain else [])
            except ValueError:
                batches = self._careful_batches(iter([(lines, at)]), at)
            yield from batches

    def _careful_batches(self, read: Iterator[Block], at: int, header: bool = False) -> Iterator[Batch]:
        """Record by record, with quotes, and an error for what is wrong."""
        held: list[list[str]] = []
        numbers: list[int] = []
        size = 0
        for line, cells in islice(self._records(read, at), int(header), None):
            problem = self._problem(cells)
            self._row += 1
            if problem is None:
                held.append(cells)
                numbers.append(self._row)
                size += sum(map(len, cells))
            elif self.asked.bad == "error":
                raise located(self.origin, line, *problem)
            else:
                self._note("bad lines skipped")
            if size >= self.asked.block_bytes:
                yield self._numbered(self._batch(held), numbers)
                held, numbers, size = [], [], 0
        if held:
            yield self._numbered(self._batch(held), numbers)

    def _records(self, read: Iterator[Block], at: int = 1) -> Iterator[Record]:
        """at: the number of the first line."""
        csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
        line, lines = at, (line + "\n" for block, _ in read for line in block)
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        try:
            for cells in reader:
                if len(cells) > 1 or "".join(cells).strip(self._blank):
                    yield line, cells
                line = at + reader.line_num
        except csv.Error as error:
            found = f"found broken quotes ({error})"
            raise located(self.origin, line, found, "expected quotes that close, doubled inside a cell") from None

    def _likely_delimiter(self, stream: ByteStream) -> str:
        if ".tsv" in self.origin.lower()[-8:]:
            return "\t"
        line = stream.first_line().decode("latin-1")
        line = BETWEEN_DIGITS.sub("", line) if ";" in line else line
        return max(DELIMITERS, key=line.count)

    def _plain_batch(self, lines: list[str]) -> Batch:
        """A batch from lines without quotes. Raises ValueError where a line is not good; `_problem` says why."""
        columns, between = self.columns, self.delimiter
        if self.kind == "documents" or not columns.features:
            raise ValueError
        if any(line.count(between) != columns.width - 1 for line in lines):
            raise ValueError
        labels = None
        if self._label is not None:
            back = columns.width - self._label
            labels = np.array([line.rsplit(between, back)[-back].strip() for line in lines], object)
            if not labels.all():
                raise ValueError
        values = np.loadtxt(lines, delimiter=between, comments=None, usecols=columns.features, ndmin=2)
        if len(values) != len(lines) or not np.isfinite(values).all():
            raise ValueError
        self._row += len(lines)
        return self._numbered(Batch(dense(values), labels), np.arange(self._row - len(lines), self._row) + 1)

    def _batch(self, rows: list[list[str]]) -> Batch:
        columns = self.columns
        labels = None if self._label is None else np.array([cells[self._label].strip() for cells in rows], object)
        if columns.text is not None:
            documents: list[Document] = [[("", cells[columns.text])] for cells in rows]
            return Batch(documents, labels)
        values = [[float(_as_number(cells[p])) for p in columns.features] for cells in rows]
        return Batch(dense(np.array(values).reshape(len(rows), -1)), labels)

    def _problem(self, cells: list[str]) -> tuple[str, str] | None:
        columns = self.columns
        if len(cells) != columns.width:
            return f"found {len(cells)} cell{'s' * (len(cells) != 1)}", f"expected {columns.width}"
        if self._label is not None and not cells[self._label].strip():
            return f"found an empty cell in {columns.called(self._label)}", "expected a label"
        for p in columns.features:
            number = _as_number(cells[p])
            if not is_number(number) or not np.isfinite(float(number)):
                found = f"found {cells[p][:60]!r}" if cells[p].strip() else "found an empty cell"
                return f"{found} in {columns.called(p)}", columns.numbers(self.asked, self._wanted(cells[p]))
        return None

    def _wanted(self, cell: str) -> str:
        comma = "with a point, not a comma " if DECIMAL_COMMA.fullmatch(cell.strip()) else ""
        return f"a finite number {comma}("


def _as_number(cell: str) -> str:
    """True and False are 1 and 0, as they are in Parquet."""
    return {"true": "1", "false": "0"}.get(cell.strip().lower(), cell)
