"""What rows can do, however they are stored: a kind of rows is a file of this folder, and nobody else asks which."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

Array = np.ndarray[Any, Any]
Index = int | np.unsignedinteger[Any]
"""A row's number; unsigned in compiled loops."""


class Layout(NamedTuple):
    """Where products of columns go. starts: (d+1,) int64, the column of each column's first product, and how many there
    are in all. shift: 1 without squares. alone: squares only."""

    starts: Array
    shift: int
    alone: bool

    def products_of(self, m: Array) -> Array:
        """How many products rows of m values have."""
        return m if self.alone else m * (m + 1) // 2 - self.shift * m


class Rows(Protocol):
    """n rows x_i of `width` columns in `dtype`, float32 or float64; a NamedTuple of arrays that are not written to.

    The first five verbs are compiled into the loop: `dot` x_i·w, `add` w += a·x_i, `sq_norm` ‖x_i‖², and for K classes
    `dots` and `add_to`, on weights that are (d, K) where `by_column`, else (K, d), so that the inner loop walks memory
    in order. `span`, `column`, `value` and `layout` walk a row's columns in the loop of metrics: `span` (start, end) of
    its places p, `layout` (base, jump) of the weights of K classes, column j of class k at k·base + j·jump; a row has a
    column once. The others are called around them. A kind that has no columns to show (rows known only through their
    inner products) refuses `matrix` and what is asked of columns (`scaled`, `column_sums` …) by a DataError that names
    it.
    """

    @property
    def by_column(self) -> bool: ...

    def dot(self, i: Index, w: Array) -> float: ...

    def add(self, i: Index, a: float, w: Array) -> None: ...

    def sq_norm(self, i: Index) -> float: ...

    def dots(self, i: Index, w: Array, out: Array) -> None: ...

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None: ...

    @property
    def adjoining(self) -> bool:
        """Whether a row has all columns, in the order of the weights."""

    def span(self, i: Index) -> tuple[Index, Index]: ...

    def column(self, i: Index, p: Index) -> Index: ...

    def value(self, i: Index, p: Index) -> float: ...

    def layout(self, d: int, classes: int) -> tuple[int, int]: ...

    @classmethod
    def restored(cls, parts: dict[str, Array]) -> Self:
        """The rows of these arrays, by the names of the fields, as a model file holds them; checked."""

    @property
    def n(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def take(self, chosen: Array) -> Self:
        """The chosen rows, in that order."""

    @property
    def given(self) -> Any:
        """The rows with columns to show: themselves, or as they were before a kernel."""

    def kept_rows(self, chosen: Array) -> Any:
        """What a memory keeps of chosen rows: enough to combine them, and for others' `products` with them."""

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

    # --- for features and files ---

    @property
    def size(self) -> int:
        """How many values are stored."""

    @property
    def value_bytes(self) -> int:
        """The memory that one stored value takes, with its column where that is stored too."""

    def stored(self, axis: int) -> Array:
        """How many values each column (axis 0) or each row (axis 1) stores, (d,) or (n,)."""

    def nonzeros(self, axis: int) -> Array:
        """How many values of each column (axis 0) or each row (axis 1) are not zero, (d,) or (n,)."""

    def finite(self) -> Array:
        """(n,) bool: whether all values of a row are finite."""

    def row(self, i: int) -> tuple[Array, Array]:
        """(columns, values) that row i stores; the columns are int64."""

    def toarray(self) -> Array:
        """(n, d) all values, zeros too."""

    def dense_blocks(self, width: int) -> Iterator[tuple[slice, Array]]:
        """(which rows, their values as an array of so many columns), a few rows at a time where zeros are filled in."""

    def pieces(self, values: int) -> Iterator[Self]:
        """The rows, so many values at a time; where zeros are left out, all of them, if there are any."""

    def compressed(self) -> tuple[Array, Array, Array]:
        """(values, uint32 columns, ends): row i is what lies between ends[i] and ends[i + 1]. What is stored, and of an
        array what is not zero; −0.0, whose sign would be lost, is kept."""

    def take_columns(self, chosen: Array | list[int]) -> Self:
        """The chosen columns, in that order."""

    def widened(self, width: int) -> Self:
        """The same rows in so many columns, at least as many as there are; the new ones are zero."""

    def with_column(self, values: Array) -> Self:
        """The rows with one more column, the last. values: (n,)."""

    def with_products(self, layout: Layout, expand: Callable[[int], Callable[..., None]]) -> Self:
        """The rows with products of their columns. expand: bytes to fill → the kernel `features.quadratic.expand`."""

    def without_duplicates(self) -> Self:
        """The same rows, columns ascending in each, with the sum of what a row has several times in one column."""

    def scaled(self, scale: Callable[..., Array], *columns: Array) -> Self:
        """The rows with scale(x_ij, column_j, …) for x_ij, computed in float64; scale(0, …) must be 0 where zeros are
        left out. columns: (d,) each."""

    def to_length(self, length: float) -> Self:
        """The rows x·length/‖x‖; rows of zeros stay."""

    def ranges(self) -> tuple[Array, Array]:
        """(d,) each: the least and the largest of the values that each column stores; inf and −inf of none."""

    def largest_by_column(self) -> Array:
        """(d,) float64 max |x_ij| over i; 0 of none."""

    def column_sums(self, of: Callable[..., Array], *columns: Array) -> Array:
        """(d,) Σ_i of(x_ij, column_j, …); of(0, …) must be 0. columns: (d,) each."""

    def column_moments(self, unit: Array) -> tuple[Array, Array]:
        """(d,) each: mean and Σ(x − mean)² of each column of x/unit, of at least one row. unit: (d,) > 0."""

    def digests(self, hashed: Callable[[Array], Array], by_row: Array, by_column: list[Array]) -> tuple[Array, Array]:
        """(d,) Σ_i hashed(x_ij)·by_row[i] and (n, k) Σ_j hashed(x_ij)·by_column[k][j], modulo 2^64; hashed(0) is 0."""

    # --- for proofs ---

    @property
    def storage(self) -> str:
        """What files and people call it: "dense", "sparse"."""

    @property
    def growing(self) -> bool:
        """Whether rows of a file that is read in pieces may become wider: a column that is not there yet is 0."""

    @property
    def shiftable(self) -> bool:
        """Whether a vector can be subtracted from every row: not where zeros are left out."""

    def parts(self) -> list[Array]:
        """The arrays that say what the rows are, beside n and d: a digest is about these."""

    def height(self, values: int) -> int:
        """How many rows hold so many values on average, at least 1: for work in blocks that stay in the cache."""

    def entries(self) -> tuple[Array, Array, Array]:
        """(row, column, value) of everything that may differ from 0, row by row."""

    def same(self) -> Array:
        """(n,) numbers, equal where rows are equal: −0 is 0, stored or not."""

    def used_columns(self) -> Array:
        """Ascending numbers of the columns that may differ from 0 somewhere."""

    def times(self, factors: Array) -> Self:
        """a_i·x_i; factors: (n,) a."""

    def mapped(self, f: Callable[[Array, Any], Array]) -> Self:
        """f(values, columns) of what is stored, f(0) = 0; columns: an index into (d,) that gives each value its own."""

    def sums(self, terms: Callable[[Array, Any], Array]) -> Array:
        """(n,) uint64 sums over each row, modulo 2⁶⁴, of terms(values, columns) as for `mapped`."""

    def largest_by_row(self) -> Array:
        """(n,) max_j |x_ij|."""

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


def laid_out(x: Any) -> Array:
    """The array of what numpy or scipy hold."""
    return x if isinstance(x, np.ndarray) else np.asarray(x.toarray())


class Stored:
    """What kinds that hold their values do alike: they derive from a NamedTuple, whose first array holds the values,
    and from this."""

    __slots__ = ()

    @property
    def dtype(self: Any) -> np.dtype[Any]:
        return self[0].dtype  # type: ignore[no-any-return]

    @property
    def size(self: Any) -> int:
        return self[0].size  # type: ignore[no-any-return]

    def products(self: Any, other: Any) -> Array:
        return np.asarray(laid_out(self.matrix() @ other.matrix().T), np.float64)

    def combine(self: Any, a: Array) -> Array:
        return np.asarray(self.matrix().T @ a)

    def scores(self: Any, w: Array) -> Array:
        return np.asarray(self.matrix() @ w.T)

    @property
    def given(self: Any) -> Any:
        return self

    def kept_rows(self: Any, chosen: Array) -> Any:
        return self.take(chosen)

    def astype(self: Any, dtype: Any) -> Any:
        return self if self.dtype == dtype else self._make([frozen(self[0].astype(dtype)), *self[1:]])

    def largest(self: Any) -> float:
        return float(np.maximum(abs(self[0].max()), abs(self[0].min()))) if self.size else 0.0

    def toarray(self: Any) -> Array:
        return laid_out(self.matrix())

    def first_not_finite(self: Any) -> tuple[int, int, float]:
        i = int(np.flatnonzero(~self.finite())[0])
        columns, values = self.row(i)
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        return i, int(columns[at]), values[at]

    def largest_by_row(self: Any) -> Array:
        return laid_out(abs(self.matrix()).max(axis=1)).ravel() if self.width else np.zeros(self.n, self.dtype)

    def largest_by_column(self: Any) -> Array:
        low, high = self.ranges()
        return np.maximum(np.maximum(-low, high), 0.0).astype(np.float64)  # type: ignore[no-any-return]

    def parts(self: Any) -> list[Array]:
        return list(self[:3])
