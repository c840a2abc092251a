"""K given as a matrix: rows are kernel values with the rows that are learned from."""

from __future__ import annotations

import numpy as np

from ..core.rows import Array, Rows, dense, laid_out
from ..errors import DataError, plural


class Precomputed:
    """K(x_i, x_j) = X[i, j]: X is (n, n) to learn from, and (m, n) to answer for, as scikit-learn's SVC takes it."""

    name = "precomputed"
    parameters = ()
    pairwise = True
    """Rows are chosen from as columns are, as scikit-learn's splits must."""

    def fitted(self, rows: Rows) -> Precomputed:
        if rows.n != rows.width:
            found = f"{plural(rows.n, 'row')} of {plural(rows.width, 'value')}"
            raise DataError(
                f"kernel precomputed: found {found}; expected K of each row with each, as many values as rows"
            )
        return self

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
