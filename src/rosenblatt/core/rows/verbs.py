"""What rows can do, however they are stored: a kind of rows is a file of this folder, and nobody else asks which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, Self, TypeVar

import numpy as np

Array = np.ndarray[Any, Any]
Index = int | np.unsignedinteger[Any]
"""A row's number; unsigned in compiled loops."""
K = TypeVar("K", bound="Rows")


class Rows(Protocol):
    """n rows x_i of `width` columns in `dtype`, float32 or float64; a NamedTuple of arrays that are not written to.

    The first five verbs are compiled into the loop: `dot` x_i·w, `add` w += a·x_i, `sq_norm` ‖x_i‖², and for K classes
    `dots` and `add_to`, on weights that are (d, K) where `by_column`, else (K, d), so that the inner loop walks memory
    in order. The others are called around it. A kind that has no columns to show (rows known only through their inner
    products) refuses `matrix`, `scaled` and `column_sums` by a DataError that names it.
    """

    @property
    def by_column(self) -> bool: ...

    def dot(self, i: Index, w: Array) -> float: ...

    def add(self, i: Index, a: float, w: Array) -> None: ...

    def sq_norm(self, i: Index) -> float: ...

    def dots(self, i: Index, w: Array, out: Array) -> None: ...

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None: ...

    @classmethod
    def restored(cls, parts: dict[str, Array]) -> Self:
        """The rows of these arrays, by the names of the fields, as a model file holds them; checked."""

    @property
    def n(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def stored(self) -> int:
        """How many values are held."""

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def take(self, chosen: Array) -> Self:
        """The chosen rows, in that order."""

    def blocks(self, size: int) -> Iterator[Self]:
        """The rows, at most `size` at a time, as views."""

    def stacked(self, others: list[Any]) -> Self:
        """These rows and others, one below the other, in the storage of these."""

    def products(self, other: Any) -> Array:
        """(n, m) float64 inner products with m other rows of the same kind."""

    def combine(self, a: Array) -> Array:
        """(d,) Σ a_i·x_i, as weights; a: (n,)."""

    def scores(self, w: Array) -> Array:
        """(n,) or (n, K) w·x of weights (d,) or (K, d)."""

    def sq_norms(self) -> Array:
        """(n,) float64 ‖x‖²."""

    def astype(self, dtype: Any) -> Self:
        """The same values in another dtype; self where it is that already."""

    def largest(self) -> float:
        """The largest magnitude of all values; NaN or infinity where one is."""

    def first_not_finite(self) -> tuple[int, int, float]:
        """(row, column, value) of the first value that is NaN or infinite; there is one."""

    def key(self, i: int) -> bytes:
        """What tells two rows apart: equal rows have equal keys."""

    def matrix(self) -> Any:
        """The rows as numpy or scipy see them."""


def frozen(values: Array) -> Array:
    """A read-only C-ordered aligned view (a copy only where needed): one compiled type for all that users bring."""
    view = np.require(values, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


def floats(values: Array) -> Array:
    """float32 and float64 as they are, anything else as float64."""
    values = np.asarray(values)
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def inner(x: Any, y: Any) -> Array:
    """(n, m) float64 x·yᵀ of matrices, dense or sparse."""
    products = x @ y.T
    return np.asarray(products if isinstance(products, np.ndarray) else products.toarray(), np.float64)
