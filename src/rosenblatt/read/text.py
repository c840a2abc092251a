"""Text lines → batches of documents: `label<TAB>text`, or the text alone where there is no label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from ..data.batch import Batch
from ..errors import located
from ..mailtext.document import Document
from .columns import is_number
from .open import ByteStream, PathLike, blocks
from .source import FileSource, decoded_lines

BLOCK = 1 << 20


class TextLines(FileSource):
    """A source of `Batch([Document], y)`, one document a line, y object holding str.

    path: a file (also compressed), or `-`. UTF-8; a line that is not is read as latin-1 and counted in `notes`.
    labelled: True (default): label, TAB, text. False: the whole line is text, y is None. "auto": as the first line,
        which has a label if what stands before its first TAB is one of `classes` (anything, where classes is None).
    classes: the model's, for "auto"; numbers are compared as numbers.
    Blank lines are skipped where there are labels, and are empty documents where there are none. Raises DataError
    naming the line that has no label where it should.
    """

    kind = "documents"

    def __init__(
        self,
        path: PathLike | ByteStream,
        *,
        labelled: bool | Literal["auto"] = True,
        classes: Sequence[Any] | None = None,
        block_bytes: int = BLOCK,
    ) -> None:
        super().__init__(path)
        self.labelled, self.block_bytes = labelled, block_bytes
        self._strict = labelled == "auto" and classes is not None
        self._names = {str(c) for c in classes or ()}
        self._numbers = {float(c) for c in self._names if is_number(c)}

    def recipe(self) -> dict[str, Any]:
        return {"format": "text"}

    def __iter__(self) -> Iterator[Batch]:
        seen, labelled = False, self.labelled
        with self._open() as stream:
            for text, at in blocks(stream, self.block_bytes):
                lines, other = decoded_lines(text)
                self._note("lines read as latin-1", other)
                if labelled == "auto":
                    first = next((line for line in lines if line.strip()), None)
                    labelled = labelled if first is None else self._label(first) is not None
                batch = self._labelled_batch(lines, at) if labelled is True else _plain_batch(lines)
                if batch.rows:
                    seen = True
                    yield batch
        if not seen:
            raise self._no_rows()

    def _label(self, line: str) -> str | None:
        """The label of a line, None where it has none."""
        label, tab, _ = line.partition("\t")
        label = label.strip()
        if not tab or not label:
            return None
        if self._strict and label not in self._names:
            known = is_number(label) and float(label) in self._numbers
            return label if known else None
        return label

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


def _plain_batch(lines: list[str]) -> Batch:
    return Batch([[("", line)] for line in lines], None)
