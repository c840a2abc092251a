"""NumPy archives (.npz) of rows and labels, and SciPy's sparse matrices in them, read a piece at a time."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Literal

import numpy as np

from ..core.rows import Array, Rows, csr, from_matrix
from ..data.batch import Batch
from ..errors import Message, SettingError
from .array_file import ArrayFile, as_numbers, numbers
from .arrays import Npy, label_array
from .columns import Column
from .open import ByteStream, PathLike
from .parameters import ARRAY, BAD, LABEL
from .rows import ROOM, seekable

PAIRS = (
    ("X", "y"),
    ("X_train", "y_train"),
    ("X_test", "y_test"),
    ("data", "labels"),
    ("data", "label"),
    ("data", "target"),
    ("data", "y"),
    ("features", "labels"),
    ("images", "labels"),
    ("train_images", "train_labels"),
    ("test_images", "test_labels"),
    ("arr_0", "arr_1"),
)
"""Usual names of rows and labels, the first that is there counts; in any case of letters."""
CSR = "csr"
SPARSE = {CSR: ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "coo": ("data", "row", "col")}
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, LookupError)
"""What zipfile raises for a damaged archive."""


class Npz(Npy):
    """A source of `Batch(Dense, y)`, or `Batch(Csr, y)` from the sparse matrix of `scipy.sparse.save_npz`.

    path: an archive of numpy.savez, or `-`. array: the rows by name; default: the first that is there of X, X_train,
        X_test, data, features, images …; other arrays are ignored. label: the labels by name, or a column of the rows
        by number; default: what goes with the rows' name (y, y_train, labels, target …), which `save_npz` has not.
    labelled, width, bad: as in `Npy`; a narrower sparse matrix is widened to the model's width.
    CSR is read a piece at a time, other sparse formats whole; columns twice in a row are summed, as SciPy means it.
    feature_names: the texts of an array `names`, one a column, as soon as rows are read; else None.
    """

    format = "npz"

    parameters = (ARRAY, LABEL, BAD)

    def __init__(
        self,
        path: PathLike | ByteStream,
        *,
        array: str | None = None,
        label: Column | None = None,
        labelled: bool | Literal["auto"] = True,
        width: int | None = None,
        bad: Literal["error", "skip"] = "error",
    ) -> None:
        super().__init__(path, label=label, labelled=labelled, width=width, bad=bad)
        self.array = array
        self._file: IO[bytes] | None = None

    @property
    def bytes_read(self) -> int:
        return self._file.tell() if self._file is not None and not self._file.closed else 0

    def __iter__(self) -> Iterator[Batch]:
        with self._open() as stream, seekable(self._path, stream) as file:
            self._file = file
            try:
                with zipfile.ZipFile(file) as archive:
                    yield from self._archive(archive)
            except DAMAGE as error:
                found = f"it is no zip archive, or a damaged one ({error})"
                raise self._wrong(found, "expected an intact archive of numpy.savez") from None

    def _archive(self, archive: zipfile.ZipFile) -> Iterator[Batch]:
        names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
        if "names" in names:
            called = self._small(archive, "names")
            self._column_names = called.tolist() if called.dtype.kind == "U" and called.ndim == 1 else None
        if "format" in names and self.array is None:
            yield from self._sparse(archive, names)
            return
        name, label = self._chosen(names)
        self._note("arrays ignored", len([other for other in names if other not in (name, label, "names")]))
        labels = None
        if label is not None and self.labelled is not False:
            with _opened(archive, label) as member:
                labels = label_array(self._array(member, label))
        with _opened(archive, name) as member:
            yield from self._batches(self._array(member, name), labels)

    def _array(self, member: IO[bytes], name: str) -> ArrayFile:
        return ArrayFile(member, f"{self.origin}, array {name}")

    def _chosen(self, names: list[str]) -> tuple[str, str | None]:
        """The names of the rows and of the labels (None: no such array)."""
        known = {name.lower(): name for name in reversed(names)}
        if self.array is not None and self.array not in names:
            raise self._wrong(f"found the arrays {', '.join(names[:20])}", f"expected an array {self.array!r}")
        rows = self.array
        if rows is None:
            rows = next((known[each.lower()] for each, _ in PAIRS if each.lower() in known), None)
        if rows is None and len(names) == 1:
            rows = names[0]
        if rows is None:
            found = f"found the arrays {', '.join(names[:20])}" if names else "found no arrays"
            raise self._wrong(found, Message("expected one of a usual name, as X (or {array:s})", array="NAME"))
        return rows, self._label_name(rows, names, known)

    def _label_name(self, rows: str, names: list[str], known: dict[str, str]) -> str | None:
        if self._column is not None:
            return None
        if self._label_file is not None:
            if self._label_file not in names:
                raise self._wrong(f"found the arrays {', '.join(names[:20])}", f"expected {self._label_file!r}")
            return self._label_file
        pairs = (label.lower() for each, label in PAIRS if each.lower() == rows.lower())
        return next((known[label] for label in pairs if label in known), None)

    # --- sparse ------------------------------------------------------------------------------------------------------

    def _sparse(self, archive: zipfile.ZipFile, names: list[str]) -> Iterator[Batch]:
        if self._column is not None:
            raise SettingError(
                "{label.name}: a sparse matrix has its labels in an array of their own; name that", label=None
            )
        format, shape = self._small(archive, "format").item(), self._small(archive, "shape").tolist()
        kind = format.decode("latin-1") if isinstance(format, bytes) else str(format)
        if kind not in SPARSE or not set(SPARSE[kind]) <= set(names) or len(shape) != 2:
            raise self._wrong(f"found a sparse matrix of format {kind!r}", f"expected {', '.join(SPARSE)}, whole")
        n, width = int(shape[0]), int(shape[1])
        if self.width is not None and width > self.width:
            raise self._wrong(f"found {width} columns", f"expected the model's {self.width}, or fewer")
        labels = self._sparse_labels(archive, names, n)
        if not n:
            raise self._no_rows()
        parts = self._csr(archive, n, width) if kind == CSR else self._others(archive, kind, (n, width))
        first = 0
        for part in parts:
            rows = part.widened(width if self.width is None else self.width).without_duplicates()
            good = self._finite_rows(rows, first + 1)
            y = None if labels is None else labels[first : first + rows.n]
            first += rows.n
            if not good.all():
                rows, y = rows.take(np.flatnonzero(good)), None if y is None else y[good]
            yield Batch(rows, y)

    def _sparse_labels(self, archive: zipfile.ZipFile, names: list[str], n: int) -> Array | None:
        if self.labelled is False:
            return None
        known = {each.lower(): each for each in names if each not in SPARSE[CSR]}
        name = self._label_name("X", names, known) or self._label_name("features", names, known)
        if name is None:
            if self.labelled is True:
                wanted = Message("expected an array y beside it ({label:s})", label="NAME")
                raise self._wrong("found a sparse matrix without labels", wanted)
            return None
        with _opened(archive, name) as member:
            labels = label_array(self._array(member, name))
        if len(labels) != n:
            raise self._wrong(f"found {n} rows and {len(labels)} labels", "expected as many of both")
        return labels

    def _small(self, archive: zipfile.ZipFile, name: str) -> Array:
        with _opened(archive, name) as member:
            return self._array(member, name).whole()

    def _csr(self, archive: zipfile.ZipFile, n: int, width: int) -> Iterator[Rows]:
        starts = self._small(archive, SPARSE[CSR][2]).astype(np.int64)
        if len(starts) != n + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
            raise self._wrong("its row pointers do not fit the shape", "expected an intact matrix")
        with _opened(archive, "data") as one, _opened(archive, "indices") as two:
            data, indices = self._array(one, "data"), self._array(two, "indices")
            kind = as_numbers(data)
            if indices.kind.kind not in "iu" or len(data.shape) != 1 or len(indices.shape) != 1:
                raise self._wrong("its arrays are no vectors of numbers", "expected an intact matrix")
            if not data.shape[0] == indices.shape[0] == starts[-1]:
                raise self._wrong("its values, columns and row pointers do not fit", "expected an intact matrix")
            row = 0
            while row < n:
                end = max(row + 1, int(np.searchsorted(starts, starts[row] + ROOM, side="right")) - 1)
                count = int(starts[end] - starts[row])
                values, columns = numbers(data.take(count), kind), indices.take(count).astype(np.int64)
                self._check_columns(columns, width)
                yield csr(values, columns, starts[row : end + 1] - starts[row], width)
                row = end
            data.at_end()
            indices.at_end()

    def _others(self, archive: zipfile.ZipFile, kind: str, shape: tuple[int, int]) -> Iterator[Rows]:
        from scipy.sparse import coo_array, csc_array

        one, two, three = (self._small(archive, name) for name in SPARSE[kind])
        try:
            found = coo_array((one, (two, three)), shape) if kind == "coo" else csc_array((one, two, three), shape)
            found.check_format() if kind == "csc" else None
            rows = from_matrix(found)
        except (ValueError, TypeError) as error:
            raise self._wrong(f"it is damaged ({error})", "expected an intact matrix") from None
        yield rows

    def _check_columns(self, columns: Array, width: int) -> None:
        if columns.size and not 0 <= int(columns.min()) <= int(columns.max()) < width:
            raise self._wrong(f"found a column outside 0 to {width - 1}", "expected an intact matrix")

    def _finite_rows(self, rows: Rows, first: int) -> Array:
        good = rows.finite()
        if not good.all():
            row, _, value = rows.first_not_finite()
            self._bad_row(first + row, f"found {value}", "expected finite numbers")
            self._note("bad rows skipped", int(np.count_nonzero(~good)))
        return good


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    return archive.open(f"{name}.npy")
