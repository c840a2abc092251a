"""Kernels that are functions of x·z, ‖x‖² and ‖z‖²."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core.rows import Array, Rows, laid_out
from ..parameters import Parameter

UNIT = Parameter(
    "kernel_unit", False, bool, own="unit", help="Divide K by √(K(x, x)·K(z, z)), so that every row has length 1.",
    words={"true": True, "false": False}, refusal="kernel: unit {kernel_unit.value} must be true or false",
)  # fmt: skip


FEW = 0.05
"""With a smaller share of values that are not 0, sparse rows are multiplied as they are: 256 by 256 rows of 27,535 runs
of characters took 1.6 ms instead of 187; with 11 %, as in a9a, 256 by 2,000 took 26 ms instead of 8."""


def products(a: Rows, b: Rows) -> Array:
    """(n, m) inner products in the rows' dtype."""
    left, right = a.matrix(), b.matrix()
    if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray) and right.nnz < FEW * b.n * b.width:
        return laid_out((left @ right.T).toarray())
    return laid_out(left @ (right.T if isinstance(right, np.ndarray) else right.toarray().T))


class Product:
    """The base of these kernels. unit: K/√(K(x, x)·K(z, z)), where 0 stays 0. by_length: whether K asks for ‖x‖²."""

    unit = False
    by_length = False

    def of(self, products: Array, a: Any, b: Any) -> Array:
        """K of (n, m) inner products, which may be overwritten; a: (n, 1), b: (1, m) squared lengths, or (n,) each;
        None where nobody asks, which saves a tenth of the time."""
        raise NotImplementedError

    def fitted(self, rows: Rows) -> Self:
        return self

    def lengths(self, rows: Rows) -> Array:
        """(n,) ‖x‖² as `of` takes them."""
        return rows.sq_norms()

    def base(self, rows: Rows) -> Rows:
        return rows

    def own(self, rows: Rows, own: Array) -> Array:
        norms = rows.sq_norms()
        values = self.of(norms.copy(), norms, norms)
        return (values > 0.0).astype(float) if self.unit else values

    @property
    def asks_lengths(self) -> bool:
        return self.unit or self.by_length

    def block(self, a: Rows, b: Rows, lengths: tuple[Array, Array] | None = None) -> Array:
        """lengths: (n,) and (m,) ‖x‖² of both, where they are known."""
        inner = products(a, b)
        if not self.asks_lengths:
            return self.of(inner, None, None)
        lengths = (a.sq_norms(), b.sq_norms()) if lengths is None else lengths
        left, right = (each.astype(inner.dtype) for each in lengths)
        values = self.of(inner, left[:, None], right[None, :])
        if self.unit:
            values *= self._shrinking(left)[:, None].astype(inner.dtype)
            values *= self._shrinking(right)[None, :].astype(inner.dtype)
        return values

    def _rounding(self, rows: Rows, degree: int, whole: bool) -> Array:
        """`rounding` of a kernel that is the power of a sum of products. whole: its own numbers are.

        A sum of d products is off by d·2⁻⁵³·‖x‖·‖z‖ at the most, and the power by `degree` times as much of what it
        would be with ‖x‖·‖z‖ in the place of x·z, which is at most √(K(x, x)·K(z, z)); twice that, for what else is
        rounded. Below 2⁵³ whole numbers are held as they are.
        """
        norms = rows.sq_norms()
        own = self.of(norms.copy(), norms, norms)
        if whole and not self.unit and own.max(initial=0.0) < 2.0**53 and is_whole(rows):
            return np.zeros(rows.n)
        share = 2.0 * degree * (rows.width + 8) * UNIT_ROUND
        return np.sqrt((4.0 * share + 16.0 * UNIT_ROUND) * (own > 0.0) if self.unit else share * own)

    def _shrinking(self, norms: Array) -> Array:
        """1/√K(x, x), 0 where that is 0."""
        norms = norms.astype(float)
        own = self.of(norms.copy(), norms, norms)
        return np.divide(1.0, np.sqrt(own), out=np.zeros(own.shape), where=own > 0.0)


UNIT_ROUND = 2.0**-53


def is_whole(rows: Rows) -> bool:
    """Whether all values are whole numbers."""
    held = rows.matrix()
    values = held if isinstance(held, np.ndarray) else held.data
    return bool((values == np.rint(values)).all())


def power(values: Array, degree: int) -> Array:
    """values^degree by squarings."""
    out: Any = None
    while degree:
        if degree & 1:
            out = values.copy() if out is None else np.multiply(out, values, out=out)
        degree >>= 1
        if degree:
            values = np.multiply(values, values, out=values)
    return out  # type: ignore[no-any-return]
