"""Texts → lines: label, TAB, text; the text alone where there are no labels."""

from __future__ import annotations

from ..data.batch import Batch
from . import Writer
from .cells import document_text, label_texts

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
