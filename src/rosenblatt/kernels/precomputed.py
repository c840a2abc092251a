"""K given as a matrix: rows are kernel values with the rows that are learned from."""

from __future__ import annotations

import hashlib

import numpy as np

from ..core.rows import Array, Rows, dense, laid_out
from ..errors import DataError, ModelError, plural
from .blocks import check_own

ALIKE = 1e-6
"""Share of the largest K(x, x) by which values may differ from those of a kernel: float32 has about 1e-7."""
PIECE = 1 << 20
"""Values that are looked at together."""


class Precomputed:
    """K(x_i, x_j) = X[i, j]: X is (n, n) to learn from, and (m, n) to answer for, as scikit-learn's SVC takes it."""

    name = "precomputed"
    parameters = ()
    pairwise = True
    """Rows are chosen from as columns are, as scikit-learn's splits must."""

    arrays = ("mark",)

    def __init__(self) -> None:
        self.mark: Array | None = None
        """(16,) uint8 a digest of K of the rows that are learned from, by which they are known again."""

    def fitted(self, rows: Rows) -> Precomputed:
        if rows.n != rows.width:
            found = f"{plural(rows.n, 'row')} of {plural(rows.width, 'value')}"
            raise DataError(
                f"kernel precomputed: found {found}; expected K of each row with each, as many values as rows"
            )
        _check(rows)
        new = Precomputed()
        new.mark = _digest(rows)
        return new

    def holding(self, arrays: dict[str, Array], width: int) -> Precomputed:
        self.mark = arrays["mark"]
        if self.mark.shape != (16,) or self.mark.dtype != np.uint8:
            raise ModelError("damaged: the mark of its kernel's rows is none")
        return self

    def check_more(self, rows: Rows) -> None:
        """K of other rows with those that have weights says nothing of K with each other."""
        if self.mark is None or rows.n != rows.width or not np.array_equal(self.mark, _digest(rows)):
            why = "its values are of the rows that learning began with; expected the same rows again"
            raise DataError(f"kernel precomputed: found other rows to go on with, and {why}")

    def base(self, rows: Rows) -> Rows:
        """The numbers of the columns: what is kept of a row."""
        return dense(np.arange(rows.n, dtype=np.float64)[:, None])

    def block(self, a: Rows, b: Rows) -> Array:
        columns = b.toarray()[:, 0].astype(np.int64)
        return np.asarray(laid_out(a.matrix())[:, columns], np.float64)

    def own(self, rows: Rows, own: Array) -> Array:
        """0 of rows that are not of the base: it is not known."""
        values = laid_out(rows.matrix())[np.arange(rows.n), np.maximum(own, 0)]
        return np.where(own >= 0, values, 0.0).astype(float).clip(0.0)


def _check(rows: Rows) -> None:
    """DataError for an (n, n) matrix that is no kernel's: K(x, x) < 0, or not symmetric."""
    held = rows.matrix()
    diagonal = np.asarray(held.diagonal(), float)
    room = ALIKE * float(np.abs(diagonal).max(initial=0.0))
    check_own(diagonal, room, "precomputed")
    size, turned = max(1, PIECE // max(1, rows.n)), held.T if isinstance(held, np.ndarray) else held.T.tocsr()
    for start in range(0, rows.n, size):
        part = slice(start, start + size)
        here, there = (laid_out(each[part]) for each in (held, turned))
        here, there = (each if isinstance(each, np.ndarray) else each.toarray() for each in (here, there))
        off = np.abs(here - there)
        if off.max(initial=0.0) > room:
            i, j = np.unravel_index(off.argmax(), off.shape)
            values = f"K of rows {start + i + 1:,} and {j + 1:,} is {here[i, j]:g}, and the other way round"
            raise DataError(f"kernel precomputed is none: {values} {there[i, j]:g}; expected the same")


def _digest(rows: Rows) -> Array:
    hashed = hashlib.blake2b(digest_size=16)
    for part in rows.pieces(PIECE):
        hashed.update(np.ascontiguousarray(part.toarray() + 0.0, float).tobytes())
    return np.frombuffer(hashed.digest(), np.uint8).copy()
