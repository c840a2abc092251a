"""Batches → files: one writer a format, chosen by name or by suffix.

A new format is one file with a class like `SvmlightWriter` and one line in `OUTPUTS`.
"""

import importlib
import math
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..data.batch import Batch
from ..errors import DataError, SettingError, plain
from ..read.open import uncompressed
from .files import whole_files

__all__ = ["OUTPUTS", "Output", "Shape", "Writer", "open_writer", "output_format", "whole_files"]


class Shape(NamedTuple):
    """What a writer must know before the first row.

    kind: "rows" or "documents". width: columns of all rows (0 for documents). names: of the columns, or None.
    label: what the column of labels is called; None where there are no labels. numbers: {label as text: number}, for a
    format whose labels are numbers; None where they are numbers already. base: the first column's index in svmlight.
    ids: write where each row comes from, where the format has a place for it.
    """

    kind: str
    width: int = 0
    names: list[str] | None = None
    label: str | None = "label"
    numbers: dict[str, float] | None = None
    base: int = 1
    ids: bool = False

    def called(self) -> list[str]:
        """A name for every column: its own, or x1, x2 …"""
        return self.names if self.names is not None else [f"x{j + 1}" for j in range(self.width)]


class Writer:
    """What writes batches to an opened file; the file is closed by who opened it. notes: what had to be changed."""

    def __init__(self, file: BinaryIO, shape: Shape) -> None:
        self._file, self._shape = file, shape
        self.notes: dict[str, int] = {}

    def write(self, batch: Batch) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """What can be written only when all rows are known."""


MOST_COLUMNS = 1 << 20
"""Of a table, which has a cell for each: those of two rows with an index of 2^31 − 1 would take 4 GB and minutes."""


class Output(NamedTuple):
    """Where a writer lives (module.Class), its file suffixes, the kinds of data it can hold, and how many columns."""

    writer: str
    suffixes: tuple[str, ...]
    kinds: tuple[str, ...] = ("rows",)
    options: dict[str, Any] = {}  # noqa: RUF012
    most: float = MOST_COLUMNS


BOTH = ("rows", "documents")
OUTPUTS = {
    "svmlight": Output("lines.SvmlightWriter", (".svm", ".svmlight", ".libsvm", ".dat", ".t"), most=math.inf),
    "csv": Output("lines.TableWriter", (".csv",), BOTH, {"delimiter": ","}),
    "tsv": Output("lines.TableWriter", (".tsv",), BOTH, {"delimiter": "\t"}),
    "text": Output("lines.TextWriter", (".txt",), ("documents",)),
    "parquet": Output("arrow.ParquetWriter", (".parquet", ".pq"), BOTH),
    "arrow": Output("arrow.ArrowWriter", (".arrow", ".feather", ".ipc"), BOTH),
    "npz": Output("arrays.NpzWriter", (".npz",), most=math.inf),
}


def output_format(path: str, to: str | None = None) -> str:
    """The format of a file to write: `to`, else by its suffix without .gz, .xz, .bz2 or .zst.

    Raises SettingError for an unknown format, and where neither says it.
    """
    if to is not None:
        name = {"libsvm": "svmlight", "table": "csv", "feather": "arrow"}.get(to, to)
        if name not in OUTPUTS:
            raise SettingError(f"{{to}}: choose {', '.join(OUTPUTS)}", to=to)
        return name
    suffix = Path(uncompressed(path)).suffix.lower()
    for name, output in OUTPUTS.items():
        if suffix in output.suffixes:
            return name
    known = ", ".join(output.suffixes[0] for output in OUTPUTS.values())
    found = f"{plain(path)}: its name does not say the format"
    raise SettingError(f"{found}; end it in {known}, or name the format ({{to:s}})", to="")


def open_writer(file: BinaryIO, format: str, shape: Shape) -> Writer:
    """A writer of batches. Raises SettingError where the format cannot hold such data."""
    output = OUTPUTS[format]
    if shape.kind not in output.kinds:
        found, wanted = ("texts", "numbers") if shape.kind == "documents" else ("numbers", "texts")
        raise SettingError(f"{format} holds {wanted}, and these data are {found}; choose another format")
    if shape.width > output.most:
        found = f"{format} has a cell for every column, and {shape.width:,} columns are more than {output.most:,}"
        raise DataError(f"{found}; svmlight and npz hold them, if no column's index is mistyped")
    module, _, cls = output.writer.rpartition(".")
    writer: Writer = getattr(importlib.import_module(f".{module}", __package__), cls)(file, shape, **output.options)
    return writer
