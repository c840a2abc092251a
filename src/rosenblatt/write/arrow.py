"""Rows or texts → Parquet or Arrow (Feather): one column a feature, and the label last."""

from typing import Any, BinaryIO

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..data.labels import is_text
from . import Shape, Writer
from .lines import document_text, label_texts


class ParquetWriter(Writer):
    """Columns of float64, or float32 where the rows are; labels as they are: numbers, or text."""

    def __init__(self, file: BinaryIO, shape: Shape) -> None:
        from ..read.arrow import needed

        super().__init__(file, shape)
        self._arrow = needed()
        self._out: Any = None

    def write(self, batch: Batch) -> None:
        y: Array | None = batch.y if self._shape.label is not None else None
        labels = None if y is None else self._labels(y)
        if isinstance(batch.rows, list):
            texts = [document_text(document).encode("utf-8", "replace").decode() for document in batch.rows]
            self._put([self._arrow.array(texts, self._arrow.string())], ["text"], labels)
            return
        for part, values in batch.rows.dense_blocks(self._shape.width):
            columns = [self._arrow.array(np.ascontiguousarray(values[:, j])) for j in range(values.shape[1])]
            self._put(columns, self._shape.called(), None if labels is None else labels[part])

    def close(self) -> None:
        if self._out is not None:
            self._out.close()

    def _labels(self, y: Array) -> Any:
        return self._arrow.array(label_texts(y), self._arrow.string()) if is_text(y) else self._arrow.array(y)

    def _put(self, columns: list[Any], names: list[str], labels: Any) -> None:
        if labels is not None:
            columns, names = [*columns, labels], [*names, str(self._shape.label)]
        table = self._arrow.Table.from_arrays(columns, names=names)
        if self._out is None:
            self._out = self._opened(table.schema)
        self._out.write_table(table)

    def _opened(self, schema: Any) -> Any:
        from pyarrow import parquet

        return parquet.ParquetWriter(self._file, schema)


class ArrowWriter(ParquetWriter):
    """The same as an Arrow file (Feather version 2)."""

    def _opened(self, schema: Any) -> Any:
        return self._arrow.ipc.new_file(self._file, schema)
