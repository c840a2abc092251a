"""svmlight (libsvm) files → batches of sparse rows: `label [qid:N] index:value index:value … [# comment]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, csr
from ..data.batch import Batch
from ..errors import Message, SettingError, located
from . import parse
from .columns import NUMBER
from .open import BLOCK, blocks
from .parameters import BAD, BASE, DUPLICATES, WIDER
from .source import FileSource

EXPECTED: dict[int, str] = {
    parse.BAD_LABEL: "expected a finite number as the label (word labels: CSV, or text lines)",
    parse.NO_LABEL: "expected a label before the first index:value (labelled=False where there is none)",
    parse.BAD_PAIR: "expected index:value",
    parse.BAD_VALUE: "expected index:value with a finite decimal number",
    parse.HIGH_INDEX: f"expected an index of at most {parse.MAX_INDEX}",
    parse.LOW_INDEX: Message("expected indices from 1 ({base.name} 0 where the file counts from 0)", base=0),
}
LINE = re.compile(
    rb"[ \t]*(?:%s|\d+:%s)(?:[ \t]+(?:qid:\d+|\d+:[ \t]*+\S*+))*[ \t]*(?:#.*)?" % (NUMBER.pattern, NUMBER.pattern)
)
SEVERAL = re.compile(rb"[ \t]*%s(?:,%s)+[ \t]+\d+:" % (NUMBER.pattern, NUMBER.pattern))
ONE = "expected one label; several in a row are not supported"
FAR = 200
"""Bytes of a line in which a field is easily seen."""
BETWEEN = re.compile(rb"[ \t\r\n#]")


class _Block(NamedTuple):
    """A block of whole lines and the number of its first."""

    text: bytes
    line: int

    def field_at(self, position: int) -> str:
        """What stands there between blanks, of at most 60 bytes on either side."""
        before = BETWEEN.split(self.text[max(0, position - 60) : position])[-1]
        after = BETWEEN.split(self.text[position : position + 60])[0]
        return repr((before + after).decode("utf-8", "replace"))


class _Rows(NamedTuple):
    """Parsed rows while they are put right, as in `Parsed`; bad: (rows,) bool, to be left out; numbers: (rows,) theirs
    in the file."""

    labels: Array
    starts: Array
    row_ends: Array
    columns: Array
    data: Array
    bad: Array
    numbers: Array

    def row_of_values(self) -> Array:
        return np.repeat(np.arange(self.labels.size), np.diff(self.row_ends))

    def chosen(self, values: Array) -> _Rows:
        """The values of a mask or of increasing positions."""
        row = self.row_of_values()[values]
        row_ends = np.zeros(self.labels.size + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=self.labels.size), out=row_ends[1:])
        return self._replace(row_ends=row_ends, columns=self.columns[values], data=self.data[values])


class Svmlight(FileSource):
    """A source of `Batch(Csr, y)`, y float64 as read. Never needs the whole file.

    path: a file (also compressed), or `-`.
    base: the index that the file gives its first column, 0 or 1 (default 1). It is never guessed.
    width: number of columns, from a model. None: as wide as what has been read so far.
    wider: a row with a column beyond the width: "error" (default), or "skip" and count its values there in `notes`.
    dtype: float64 (default) or float32, rounded once from the float64.
    duplicates: a column twice in one row: "error" (default), "sum", or "last".
    bad: a line that cannot be read: "error" (default), or "skip" it and count it in `notes`.
    labelled: True (default): each row begins with a label. False: y is None, labels are read past. "auto": as the
        first row.
    Blank lines and comments are no rows; a label alone is a row of zeros; unsorted columns are sorted.
    """

    name = "svmlight"
    rank = 0
    suffixes = (".svm", ".svmlight", ".libsvm", ".dat", ".t")
    aliases = {"libsvm": {}}
    lines = True
    parameters = (BASE, DUPLICATES, WIDER, BAD)
    further = {"width": None, "dtype": np.float64, "labelled": True, "block_bytes": BLOCK}
    widening = True

    def _prepare(self) -> None:
        if np.dtype(self.asked.dtype) not in (np.float32, np.float64):
            raise SettingError("{dtype}: choose float32 or float64", dtype=self.asked.dtype)
        self.base, self._dtype = int(self.asked.base), np.dtype(self.asked.dtype)

    @classmethod
    def likeness(cls, line: bytes, name: str) -> int:
        return 3 if LINE.fullmatch(line) or SEVERAL.match(line) else 0

    @classmethod
    def surely(cls, lines: list[bytes]) -> bool:
        return all(b":" in line and LINE.fullmatch(line) is not None for line in lines)

    def recipe(self) -> dict[str, Any]:
        return {**super().recipe(), "base": self.base}

    def batches(self) -> Iterator[Batch]:
        widest = self._row = 0
        with self._open() as stream:
            labelled = self.asked.labelled
            if labelled == "auto":
                labelled = b":" not in (stream.first_line().split() or [b""])[0]
            for text, line in blocks(stream, self.asked.block_bytes):
                rows = self._read(_Block(text, line), bool(labelled))
                widest = max(widest, int(rows.columns.max()) + 1 if rows.columns.size else 0)
                yield self._batch(rows, widest if self.asked.width is None else self.asked.width, bool(labelled))

    def _batch(self, rows: _Rows, width: int, labelled: bool) -> Batch:
        if rows.columns.size and int(rows.columns.max()) >= width:
            inside = rows.columns < width
            self._note(f"values in columns beyond {width} skipped", int(np.count_nonzero(~inside)))
            rows = rows.chosen(inside)
        batch = Batch(csr(rows.data, rows.columns, rows.row_ends, width), rows.labels if labelled else None)
        batch = self._numbered(batch, rows.numbers)
        return batch.take(np.flatnonzero(~rows.bad)) if rows.bad.any() else batch

    def _read(self, block: _Block, labelled: bool) -> _Rows:
        """The rows of a block, in order; those to be left out hold no values."""
        out = parse.room(block.text)
        kernel = parse.parse_svmlight.for_work(len(block.text))
        code, at = kernel(block.text, 0, self.base, labelled, out)
        skipped: list[int] = []
        while code != parse.OK:
            field = block.field_at(at)
            self._refuse(
                block, at, f"found {field}", ONE if code == parse.BAD_LABEL and "," in field else EXPECTED[code]
            )
            skipped.append(int(out.used[parse.ROWS]))
            code, at = kernel(block.text, block.text.find(b"\n", at) + 1, self.base, labelled, out)
        n, nnz, hards, qids, ignored = out.used.tolist()
        self._note("qid fields skipped", qids)
        self._note("labels ignored", ignored)
        bad, places = np.zeros(n, bool), np.arange(n)
        numbers = self._row + 1 + places + np.searchsorted(skipped, places, side="right")
        self._row += n + len(skipped)
        values = out.columns[:nnz], out.data[:nnz]
        rows = _Rows(out.labels[:n], out.starts[:n], out.row_ends[: n + 1], *values, bad, numbers)
        self._convert_hard(rows, out.hard[:hards], block)
        rows = self._cast(rows, block)
        if out.disorder[:n].any():
            rows = self._in_order(rows, block)
        if self.asked.width is not None and self.asked.wider == "error":
            self._refuse_wider(rows, block, self.asked.width)
        return rows.chosen(~bad[rows.row_of_values()]) if bad.any() else rows

    def _refuse(self, block: _Block, position: int, found: str, expected: str) -> None:
        if self.asked.bad == "error":
            place = position - block.text.rfind(b"\n", 0, position)
            found += f" at byte {place} of the line" if place > FAR else ""
            raise located(self.origin, block.line + block.text.count(b"\n", 0, position), found, expected)
        self._note("bad lines skipped")

    def _refuse_row(self, rows: _Rows, row: int, block: _Block, problem: tuple[str, str]) -> None:
        if not rows.bad[row]:
            self._refuse(block, int(rows.starts[row]), *problem)
            rows.bad[row] = True

    def _refuse_wider(self, rows: _Rows, block: _Block, width: int) -> None:
        """CSV and arrays refuse rows of more columns too: what has no weight cannot count."""
        if rows.columns.size and int(rows.columns.max()) >= width:
            wanted = f"expected indices up to {width - 1 + self.base}, the model's ({{wider:s}} leaves others out)"
            for p in np.flatnonzero(rows.columns >= width).tolist():
                found = f"found index {int(rows.columns[p]) + self.base}"
                self._refuse_row(rows, _row_of(rows, p), block, (found, Message(wanted, wider="skip")))

    def _convert_hard(self, rows: _Rows, hard: Array, block: _Block) -> None:
        """Numbers that the kernel leaves to Python's float; one that overflows is refused."""
        for slot, start, end in hard.tolist():
            value = float(block.text[start:end])
            if slot >= 0:
                rows.data[slot] = value
            else:
                rows.labels[-1 - slot] = value
            if np.isinf(value):
                row = _row_of(rows, slot) if slot >= 0 else -1 - slot
                found = f"found {block.field_at(start)}"
                self._refuse_row(rows, row, block, (found, "expected a number within the range of float64"))

    def _cast(self, rows: _Rows, block: _Block) -> _Rows:
        if self._dtype == np.float64:
            return rows
        with np.errstate(over="ignore"):
            data = rows.data.astype(self._dtype)
        for p in np.flatnonzero(np.isinf(data)).tolist():
            problem = f"found {float(rows.data[p])!r}", f"expected a number within the range of {self._dtype}"
            self._refuse_row(rows, _row_of(rows, p), block, problem)
        return rows._replace(data=data)

    def _in_order(self, rows: _Rows, block: _Block) -> _Rows:
        """Columns sorted within each row, and a column that is there twice treated as asked."""
        row = rows.row_of_values()
        order = np.lexsort((rows.columns, row))
        rows = rows._replace(columns=rows.columns[order], data=rows.data[order])
        first = np.ones(len(row), bool)
        first[1:] = (row[1:] != row[:-1]) | (rows.columns[1:] != rows.columns[:-1])
        if first.all():
            return rows
        if self.asked.duplicates == "error":
            for p in np.flatnonzero(~first).tolist():
                found = f"found index {int(rows.columns[p]) + self.base} twice"
                once = Message('expected each once (or {duplicates:s}, "last")', duplicates='"sum"')
                self._refuse_row(rows, int(row[p]), block, (found, once))
            return rows
        starts = np.flatnonzero(first)
        ends = np.append(starts[1:], len(row)) - 1
        if self.asked.duplicates == "last":
            return rows.chosen(ends)
        with np.errstate(over="ignore"):
            data = np.add.reduceat(rows.data, starts)
        rows = rows.chosen(starts)._replace(data=data)
        for p in np.flatnonzero(np.isinf(data)).tolist():
            found = f"found values of index {int(rows.columns[p]) + self.base} whose sum overflows"
            problem = found, f"expected a sum within the range of {self._dtype}"
            self._refuse_row(rows, _row_of(rows, p), block, problem)
        return rows


def _row_of(rows: _Rows, value: int) -> int:
    return int(np.searchsorted(rows.row_ends, value, side="right")) - 1
