"""What rows can do, however they are stored: a kind of rows is a file of this folder, and nobody else asks which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

    @property
    def n(self) -> int: ...

    @property
    def width(self) -> int: ...

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

    # --- for proofs ---

    @property
    def storage(self) -> str:
        """What files and people call it: "dense", "sparse"."""

    @property
    def stored(self) -> int:
        """How many values are held: n·d, or those alone that may differ from 0."""

    @property
    def shiftable(self) -> bool:
        """Whether a vector can be subtracted from every row: not where zeros are left out."""

    def parts(self) -> list[Array]:
        """The arrays that say what the rows are, beside n and d: a digest is about these."""

    def height(self, values: int) -> int:
        """How many rows hold so many values on average, at least 1: for work in blocks that stay in the cache."""

    def toarray(self) -> Array:
        """(n, d) float64."""

    def row(self, i: int) -> tuple[Array, Array]:
        """(columns, values) of row i, ascending: all that may differ from 0."""

    def entries(self) -> tuple[Array, Array, Array]:
        """(row, column, value) of everything that may differ from 0, row by row."""

    def same(self) -> Array:
        """(n,) numbers, equal where rows are equal: −0 is 0, stored or not."""

    def picked(self, columns: Array) -> Self:
        """These columns, in that order."""

    def used_columns(self) -> Array:
        """Ascending numbers of the columns that may differ from 0 somewhere."""

    def with_ones(self) -> Self:
        """One more column, the last, of ones: x̄."""

    def times(self, factors: Array) -> Self:
        """a_i·x_i; factors: (n,) a."""

    def mapped(self, f: Callable[[Array, Any], Array]) -> Self:
        """f(values, columns) of what is stored, f(0) = 0; columns: an index into (d,) that gives each value its own."""

    def sums(self, terms: Callable[[Array, Any], Array]) -> Array:
        """(n,) uint64 sums over each row, modulo 2⁶⁴, of terms(values, columns) as for `mapped`."""

    def largest_by_row(self) -> Array:
        """(n,) max_j |x_ij|."""

    def largest_by_column(self) -> Array:
        """(d,) float64 max_i |x_ij|."""

    def column_signs(self, rows: Array, signs: Array, columns: Array) -> tuple[Array, Array]:
        """(c,) whether ±x is above 0 in any of these rows, and below. rows: ascending numbers; signs: (rows,) ±1."""


def frozen(values: Array) -> Array:
    """A read-only C-ordered aligned view (a copy only where needed): one compiled type for all that users bring."""
    view = np.require(values, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


def floats(values: Array) -> Array:
    """float32 and float64 as they are, anything else as float64."""
    values = np.asarray(values)
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
