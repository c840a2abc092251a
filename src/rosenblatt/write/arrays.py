"""Rows → a NumPy archive: `X` and `y`, or SciPy's `save_npz` (CSR) with `y` beside it. No pickles."""

import shutil
import tempfile
import zipfile
from typing import IO, Any, BinaryIO, cast

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..data.labels import tidy
from ..read.npz import CSR, SPARSE
from . import Shape, Writer

COPY = 1 << 20
DATA, COLUMNS, ENDS = SPARSE[CSR]
"""The arrays of a sparse matrix, as SciPy calls them."""


class NpzWriter(Writer):
    """Arrays of one kind of number each; float32 stays float32. sklearn and `scipy.sparse.load_npz` read the file.

    An archive says first how long an array is, so the numbers wait in temporary files until all are there; the labels
    wait in memory.
    """

    def __init__(self, file: BinaryIO, shape: Shape) -> None:
        super().__init__(file, shape)
        self._parts: dict[str, IO[bytes]] = {}
        self._kinds: dict[str, Any] = {}
        self._labels: list[Array] = []
        self._rows, self._stored = 0, 0

    def write(self, batch: Batch) -> None:
        assert not isinstance(batch.rows, list)
        rows = batch.rows
        if rows.growing:
            values, columns, ends = rows.compressed()
            self._add(DATA, values)
            self._add(COLUMNS, columns.astype(np.int64 if self._shape.width > 2**31 else np.int32))
            self._add(ENDS, ends[1:] + self._stored)
            self._stored += len(values)
        else:
            self._add("X", rows.toarray())
        self._rows += rows.n
        if batch.y is not None and self._shape.label is not None:
            self._labels.append(batch.y)

    def close(self) -> None:
        width = self._shape.width
        with zipfile.ZipFile(cast(IO[bytes], _Forward(self._file)), "w") as archive:
            if DATA in self._parts:
                self._copy(archive, DATA, (self._stored,))
                self._copy(archive, COLUMNS, (self._stored,))
                self._copy(archive, ENDS, (self._rows + 1,), bytes(8))
                _put(archive, "shape", np.array([self._rows, width], np.int64))
                _put(archive, "format", np.array(b"csr"))
            else:
                self._copy(archive, "X", (self._rows, width))
            if self._labels:
                y = np.concatenate(self._labels)
                _put(archive, "y", tidy(y) if y.dtype == object else y)  # of lines: numbers, or text
            if self._shape.names is not None:
                _put(archive, "names", np.array(self._shape.names, np.str_))

    def _add(self, name: str, values: Array) -> None:
        if name not in self._parts:
            self._parts[name] = tempfile.TemporaryFile()  # noqa: SIM115
            self._kinds[name] = values.dtype
        self._parts[name].write(np.ascontiguousarray(values, self._kinds[name]).data)

    def _copy(self, archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], before: bytes = b"") -> None:
        header = {"descr": np.lib.format.dtype_to_descr(self._kinds[name]), "fortran_order": False, "shape": shape}
        with archive.open(_member(name), "w", force_zip64=True) as member, self._parts[name] as part:
            np.lib.format.write_array_header_1_0(member, header)
            member.write(before)
            part.seek(0)
            shutil.copyfileobj(part, member, COPY)


class _Forward:
    """A file that is only written on: an archive goes back otherwise, which a compressed file or a pipe cannot."""

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush


def _member(name: str) -> zipfile.ZipInfo:
    """Without the time, so that the same rows give the same bytes."""
    info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _put(archive: zipfile.ZipFile, name: str, values: Array) -> None:
    with archive.open(_member(name), "w", force_zip64=True) as member:
        np.lib.format.write_array(member, values, allow_pickle=False)
