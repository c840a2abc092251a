"""What must be known of all rows before the first one is written: columns, and numbers for word labels."""

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from ..data.batch import Batch
from ..data.labels import is_text, tidy
from ..errors import DataError, SettingError
from ..read.columns import is_number
from . import Shape, Writer, open_writer

PIECE = 1 << 20
"""Values that are written at a time."""
TAKEN = ("label", "text")
"""Names by which a table's label and text are found; a column of numbers gets another."""


def look(batches: Iterable[Batch]) -> tuple[int, list[str]]:
    """Columns of the widest row, and the labels that a reader gives as text, sorted: one pass over the data."""
    widest, labels = 0, set()
    for batch in batches:
        if not isinstance(batch.rows, list):
            widest = max(widest, batch.rows.width)
        if batch.y is not None and is_text(batch.y):
            labels.update(set(batch.y.tolist()))
    return widest, sorted(map(str, labels))


def needs_look(first: Batch, format: str, asked: Shape) -> bool:
    """Whether all data must be seen first: sparse rows may become wider, and words need numbers."""
    words = format == "svmlight" and asked.numbers is None and first.y is not None and is_text(first.y)
    grows = not isinstance(first.rows, list) and first.rows.growing
    return words or (grows and format != "svmlight" and asked.width == 0)


def label_numbers(labels: Sequence[str]) -> dict[str, float] | None:
    """None where all labels are numbers. Else, of the labels as sorted: −1 and 1 for two, 0, 1, 2 … for others."""
    if not is_text(tidy(np.array(labels, object))):
        return None
    values = [-1.0, 1.0] if len(labels) == 2 else [float(k) for k in range(len(labels))]
    return dict(zip(labels, values, strict=True))


def parsed_numbers(text: str) -> dict[str, float]:
    """`spam=1,ham=-1`. Raises SettingError."""
    numbers = {}
    for word in text.split(","):
        label, _, number = word.rpartition("=")
        if not label or not is_number(number) or not np.isfinite(float(number)):
            raise SettingError("{numbers}: write LABEL=NUMBER,LABEL=NUMBER, as spam=1,ham=-1", numbers=text)
        numbers[label] = float(number)
    return numbers


def free_names(names: list[str]) -> list[str]:
    """Names that no reader of tables takes for the label's or the text's: `text` becomes `text_`."""
    lower = {name.lower() for name in names}
    free = []
    for name in names:
        while name.lower() in TAKEN or (name.lower() in lower and name.endswith("_") and name in free):
            name += "_"
        free.append(name)
    return free


def write_all(batches: Iterable[Batch], file: BinaryIO, format: str, shape: Shape) -> tuple[int, int, dict[str, int]]:
    """All batches to an opened file: the rows and columns that were written, and what the writer had to change.

    Raises DataError where there are none, or some have no labels and others do.
    """
    writer: Writer | None = None
    rows = widest = 0
    for batch in batches:
        writer = writer or open_writer(file, format, shape)
        if (batch.y is None) != (shape.label is None):
            raise DataError("some rows have labels and others have none")
        for part in _pieces(batch):
            writer.write(part)
            rows += part.n
        widest = max(widest, 0 if isinstance(batch.rows, list) else batch.rows.width)
    if writer is None:
        raise DataError("found no rows; expected at least one")
    writer.close()
    return rows, shape.width or widest, writer.notes


def _pieces(batch: Batch) -> Iterator[Batch]:
    """The same rows, not too many at a time: a batch can be all data."""
    n = batch.n
    height = n if isinstance(batch.rows, list) else max(1, n * PIECE // max(batch.rows.size, 1))
    if height >= n:
        yield batch
        return
    for start in range(0, n, height):
        yield batch.take(np.arange(start, min(start + height, n)))
