"""NumPy archives (.npz) of rows and labels, and SciPy's sparse matrices in them, read a piece at a time."""

import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np

from ..core.rows import Array, Rows, csr, from_matrix
from ..data.batch import Batch
from ..errors import Message, SettingError, plural
from .arrays import Npy, label_array
from .open import PathLike
from .parameters import ARRAY, BAD, LABEL
from .source import ROOM, seekable

USUAL = {
    "X": ["y"],
    "X_train": ["y_train"],
    "X_test": ["y_test"],
    "data": ["labels", "label", "target", "y"],
    "features": ["labels"],
    "images": ["labels"],
    "train_images": ["train_labels"],
    "test_images": ["test_labels"],
    "arr_0": ["arr_1"],
}
"""Usual names of rows and labels, the first that is there counts; in any case of letters."""
CSR = "csr"
SPARSE = {CSR: ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "coo": ("data", "row", "col")}
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, LookupError)
"""What zipfile raises for a damaged archive."""


class Npz(Npy):
    """A source of `Batch(Dense, y)`, or `Batch(Csr, y)` from the sparse matrix of `scipy.sparse.save_npz`.

    path: an archive of numpy.savez, or `-`. array: the rows by name; default: the first that is there of X, X_train,
        X_test, data, features, images …; other arrays are ignored. label: the labels by name, a column of the rows by
        number, or a .npy file; default: what goes with the rows' name (y, y_train, labels, target …), else `y.npy`
        beside `X.npz`, as `save_npz` has no labels.
    labelled, width, bad: as in `Npy`; a narrower sparse matrix is widened to the model's width.
    CSR is read a piece at a time, other sparse formats whole; columns twice in a row are summed, as SciPy means it.
    feature_names: the texts of an array `names`, one a column, as soon as rows are read; else None.
    """

    name = "npz"
    rank = 4
    suffixes = (".npz",)
    magic = (b"PK\x03\x04",)

    @classmethod
    def begins(cls, head: bytes, path: PathLike | None) -> bool:
        """Other zip archives hold no arrays."""
        return super().begins(head, path) and head[30 : 30 + int.from_bytes(head[26:28], "little")].endswith(b".npy")

    parameters = (ARRAY, LABEL, BAD)

    def batches(self) -> Iterator[Batch]:
        with self._open() as stream, seekable(self._path, stream) as self._file:
            try:
                with zipfile.ZipFile(self._file) as self._archive:
                    yield from self._arrays()
            except DAMAGE as error:
                found = f"it is no zip archive, or a damaged one ({error})"
                raise self._wrong(found, "expected an intact archive of numpy.savez") from None

    def _arrays(self) -> Iterator[Batch]:
        names = [name.removesuffix(".npy") for name in self._archive.namelist() if name.endswith(".npy")]
        if "names" in names:
            called = self._whole("names")
            self.feature_names = called.tolist() if called.dtype.kind == "U" and called.ndim == 1 else None
        if "format" in names and self.asked.array is None:
            yield from self._sparse(names)
            return
        rows = self._name_of_rows(names)
        label = self._name_of_labels(rows, names)
        self._note("arrays ignored", len([other for other in names if other not in (rows, label, "names")]))
        labels = self._labels_of(label)
        with self._member(rows) as member:
            yield from self._batches_of(self._array(member, self._place(rows)), labels)

    def _place(self, name: str) -> str:
        return f"{self.origin}, array {name}"

    def _member(self, name: str) -> IO[bytes]:
        return self._archive.open(f"{name}.npy")

    def _whole(self, name: str) -> Array:
        with self._member(name) as member:
            return self._array(member, self._place(name)).whole()

    def _name_of_rows(self, names: list[str]) -> str:
        asked: str | None = self.asked.array
        rows = asked or _usual(names, USUAL) or (names[0] if len(names) == 1 else None)
        if rows is None or rows not in names:
            found = f"found the arrays {', '.join(names[:20])}" if names else "found no arrays"
            usual = Message("expected one of a usual name, as X (or {array:s})", array="NAME")
            raise self._wrong(found, usual if asked is None else f"expected an array {asked!r}")
        return rows

    def _name_of_labels(self, rows: str, names: list[str]) -> str | None:
        """The array of the labels that goes with that of the rows; None: there is none."""
        if self._column is not None:
            return None
        if self._label_name is not None and self._label_name not in names:
            if os.path.isfile(self._label_name):
                return None
            raise self._wrong(f"found the arrays {', '.join(names[:20])}", f"expected {self._label_name!r}")
        usual = (labels for each, labels in USUAL.items() if each.lower() == rows.lower())
        return self._label_name or _usual(names, next(usual, []))

    def _labels_of(self, name: str | None) -> Array | None:
        if name is None or self.asked.labelled is False:
            return self._labels()  # in a file beside
        with self._member(name) as member:
            return label_array(self._array(member, self._place(name)))

    # --- sparse ------------------------------------------------------------------------------------------------------

    def _sparse(self, names: list[str]) -> Iterator[Batch]:
        if self._column is not None:
            text = "{label.name}: a sparse matrix has its labels in an array of their own; name that"
            raise SettingError(text, label=None)
        format, shape = self._whole("format").item(), self._whole("shape").tolist()
        kind = format.decode("latin-1") if isinstance(format, bytes) else str(format)
        if kind not in SPARSE or not set(SPARSE[kind]) <= set(names) or len(shape) != 2:
            raise self._wrong(f"found a sparse matrix of format {kind!r}", f"expected {', '.join(SPARSE)}, whole")
        n, width = int(shape[0]), int(shape[1])
        most = width if self.asked.width is None else self.asked.width
        if width > most:
            raise self._wrong(f"found {plural(width, 'column')}", f"expected the model's {most}, or fewer")
        labels = self._sparse_labels(names)
        if labels is not None and len(labels) != n:
            raise self._wrong(
                f"found {plural(n, 'row')} and {plural(len(labels), 'label')}", "expected as many of both"
            )
        if not n:
            return
        first = 0
        for part in self._csr(n, width) if kind == CSR else self._others(kind, (n, width)):
            rows = part.widened(most).without_duplicates()
            yield self._finite_batch(rows, None if labels is None else labels[first : first + rows.n], first + 1)
            first += rows.n

    def _sparse_labels(self, names: list[str]) -> Array | None:
        if self.asked.labelled is False:
            return None
        name = self._name_of_labels("X", names) or self._name_of_labels("features", names)
        labels = self._labels_of(name)
        if labels is None and self.asked.labelled is True:
            wanted = Message("expected an array y beside it, or a file y.npy beside X.npz ({label:s})", label="NAME")
            raise self._wrong("found a sparse matrix without labels", wanted)
        return labels

    def _beside(self) -> str | None:
        return self._there(os.path.splitext(self.origin)[0] + ".npy")

    def _csr(self, n: int, width: int) -> Iterator[Rows]:
        starts = self._whole(SPARSE[CSR][2]).astype(np.int64)
        if len(starts) != n + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
            raise self._wrong("its row pointers do not fit the shape", "expected an intact matrix")
        with self._member("data") as one, self._member("indices") as two:
            data, indices = (self._array(file, self._place(name)) for file, name in ((one, "data"), (two, "indices")))
            if data.number is None or indices.kind.kind not in "iu" or len(data.shape) != 1 or len(indices.shape) != 1:
                raise self._wrong("its arrays are no vectors of numbers", "expected an intact matrix")
            if not data.shape[0] == indices.shape[0] == starts[-1]:
                raise self._wrong("its values, columns and row pointers do not fit", "expected an intact matrix")
            row = 0
            while row < n:
                end = max(row + 1, int(np.searchsorted(starts, starts[row] + ROOM, side="right")) - 1)
                count = int(starts[end] - starts[row])
                values, columns = data.take(count).astype(data.number), indices.take(count).astype(np.int64)
                if count and not 0 <= int(columns.min()) <= int(columns.max()) < width:
                    raise self._wrong(f"found a column outside 0 to {width - 1}", "expected an intact matrix")
                yield csr(values, columns, starts[row : end + 1] - starts[row], width)
                row = end
            data.at_end()
            indices.at_end()

    def _others(self, kind: str, shape: tuple[int, int]) -> Iterator[Rows]:
        from scipy.sparse import coo_array, csc_array

        one, two, three = (self._whole(name) for name in SPARSE[kind])
        try:
            matrix = coo_array((one, (two, three)), shape) if kind == "coo" else csc_array((one, two, three), shape)
            matrix.check_format() if kind == "csc" else None
            yield from_matrix(matrix)
        except (ValueError, TypeError) as error:
            raise self._wrong(f"it is damaged ({error})", "expected an intact matrix") from None


def _usual(names: list[str], wanted: Iterable[str]) -> str | None:
    """The first of the wanted names that is there, in any case of letters."""
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[each.lower()] for each in wanted if each.lower() in lower), None)
