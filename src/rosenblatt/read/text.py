"""Text lines → batches of documents: `label<TAB>text`, or the text alone where there is no label."""

from collections.abc import Iterator

import numpy as np

from ..data.batch import Batch
from ..errors import located
from ..mailtext.fields import Document
from .columns import NUMBER, is_number
from .source import FileSource

BLOCK = 1 << 20
NO_TEXT = (b"label", b"text", b"class")
"""Cells that are names of columns."""


class TextLines(FileSource):
    """A source of `Batch([Document], y)`, one document a line, y object holding str.

    path: a file (also compressed), or `-`. UTF-8; other bytes are Windows-1252, and their lines counted in `notes`.
    labelled: True (default): label, TAB, text. False: the whole line is text, y is None. "auto": as the first line,
        which has a label if what stands before its first TAB is one of `classes` (anything, where classes is None).
    classes: the model's, for "auto"; numbers are compared as numbers.
    Blank lines are skipped where there are labels, and are empty documents where there are none. Raises DataError
    naming the line that has no label where it should.
    """

    name = "text"
    rank = 7
    kind = "documents"
    hint = ".txt"
    further = {"labelled": True, "classes": None, "block_bytes": BLOCK}

    def _prepare(self) -> None:
        self._strict = self.asked.labelled == "auto" and self.asked.classes is not None
        self._names = {str(c) for c in self.asked.classes or ()}
        self._numbers = {float(c) for c in self._names if is_number(c)}

    @classmethod
    def likeness(cls, line: bytes, name: str) -> int:
        """A single TAB in front of words parts a label from a text; numbers or names are a table."""
        cells = [cell.strip() for cell in line.split(b"\t")]
        two = len(cells) == 2 and not NUMBER.fullmatch(cells[1]) and cells[1].lower() not in NO_TEXT
        return 2 if cls.hint in name or two else 0

    def batches(self) -> Iterator[Batch]:
        labelled = self.asked.labelled
        with self._open() as stream:
            for lines, at in self._decoded(stream):
                if labelled == "auto":
                    first = next((line for line in lines if line.strip()), None)
                    labelled = labelled if first is None else self._label(first) is not None
                if labelled is True:
                    yield self._labelled_batch(lines, at)
                else:
                    yield Batch([[("", line)] for line in lines], None)

    def _label(self, line: str) -> str | None:
        """The label of a line, None where it has none."""
        label, tab, _ = line.partition("\t")
        label = label.strip()
        known = not self._strict or label in self._names or (is_number(label) and float(label) in self._numbers)
        return label if tab and label and known else None

    def _labelled_batch(self, lines: list[str], at: int) -> Batch:
        labels: list[str] = []
        documents: list[Document] = []
        for i, line in enumerate(lines):
            if not line.strip():
                self._note("blank lines skipped")
                continue
            label = self._label(line)
            if label is None:
                found = f"found {line[:40]!r}"
                wanted = "one of the labels " + ", ".join(sorted(self._names)) if self._strict else "a label"
                raise located(self.origin, at + i, found, f"expected {wanted}, a TAB, and the text")
            labels.append(label)
            documents.append([("", line.partition("\t")[2])])
        return Batch(documents, np.array(labels, object))
