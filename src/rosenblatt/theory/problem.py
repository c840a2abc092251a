"""Rows of two classes as the theorems see them: finite, without duplicate entries, each with a sign."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows, matrix
from ..data.checks import check_finite, labels_from, rows_from
from ..data.labels import place_of
from ..errors import DataError, SettingError, plain

MOST = 1 << 25
"""Columns at most, in use or not: some twenty vectors of so many, 0.25 GB each, are made."""


class Problem(NamedTuple):
    """Rows x, signs y, and whether there is a bias.

    rows: n rows of d columns, float32 or float64, whose values are meant as they are held: each is an exact dyadic
    number. CSR rows have sorted columns without duplicates. y: (n,) float64, ±1. classes: the labels of −1 and +1; with
    more than two in the data, "the rest" stands for the others, with a single one None for the one that is missing.
    fit_intercept: with offset, x̄ = (x, 1), else through the origin, x̄ = x. names: the columns', for messages, or None.
    numbers: (n,) the rows' own in the data, from 1, where others were left out; None: one after the other. space: of a
    kernel, whose values the columns are (see `space`); None: they are features.
    """

    rows: Rows
    y: Array
    classes: tuple[Any, Any]
    fit_intercept: bool = True
    names: Sequence[str] | None = None
    numbers: Array | None = None
    space: Any = None

    def __repr__(self) -> str:
        sides = f"{self.classes[1]!r} against {self.classes[0]!r}"
        rows = self.given
        size = f"{rows.n:,} {rows.storage} rows, {rows.width:,} columns, {rows.dtype}"
        return f"<Problem: {size}, {self.where}; {sides}>"

    @property
    def n(self) -> int:
        """Rows."""
        return self.rows.n

    @property
    def d(self) -> int:
        """Columns, without that of the bias."""
        return self.rows.width

    @property
    def given(self) -> Rows:
        """The rows as they are, whatever the columns of the problem are made of."""
        return self.rows if self.space is None else self.space.given  # type: ignore[no-any-return]

    @property
    def kernel(self) -> str | None:
        """In whose space they are seen, None: in none."""
        return None if self.space is None else self.space.name

    @property
    def where(self) -> str:
        """`with offset, in the space of rbf:gamma=2.0`: which hyperplanes are meant."""
        where = "with offset" if self.fit_intercept else "through the origin"
        return where if self.space is None else f"{where}, in the space of {self.kernel}"

    @property
    def x(self) -> Any:
        """The rows as numpy or scipy see them: (n, d), dense, or a csr_array."""
        return matrix(self.rows)

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, in which the values are held."""
        return self.rows.dtype

    def scores(self, w: Array, b: float = 0.0) -> Array:
        """(n,) u = w·x + b in float64. w: (d,)."""
        return np.asarray(self.x @ np.asarray(w, np.float64)) + b

    def margins(self, w: Array, b: float = 0.0) -> Array:
        """(n,) functional margins y·u, rounded: a sign near 0 is not yet a proof."""
        return self.y * self.scores(w, b)

    def length(self, w: Array) -> float:
        """‖w‖, in a kernel's space √(wᵀKw)."""
        return float(np.linalg.norm(w)) if self.space is None else self.space.length(w)  # type: ignore[no-any-return]

    def parted(self, v: Array) -> tuple[Array, float]:
        """(w, b) of weights v in one, that of the bias last; through the origin (v, 0)."""
        return (v[:-1], float(v[-1])) if self.fit_intercept else (v, 0.0)

    def joined(self, w: Array, b: Any) -> Array:
        """The weights in one, the inverse of `parted`."""
        return np.append(w, b) if self.fit_intercept else np.asarray(w)

    def take(self, chosen: Array) -> Problem:
        """These rows only, in this order, as plain columns; the classes stay."""
        numbers = None if self.numbers is None else self.numbers[chosen]
        return self._replace(rows=self.rows.take(chosen), y=self.y[chosen], numbers=numbers, space=None)

    def numbered(self, rows: Any) -> Array:
        """The numbers in the data, from 1, of these rows, from 0."""
        places = np.asarray(rows, np.int64)
        return places + 1 if self.numbers is None else self.numbers[places]  # type: ignore[no-any-return]

    def blocks(self, values: int, rows: Array | None = None) -> Iterator[tuple[slice, Rows]]:
        """(place, rows there) of some so many values each: of all rows, or of those with these numbers, in their order;
        views where none is left out."""
        numbers, size = np.arange(self.n) if rows is None else rows, self.rows.height(values)
        places = [slice(start, min(start + size, len(numbers))) for start in range(0, len(numbers), size)]
        if len(numbers) == self.n:
            return zip(places, self.rows.blocks(size), strict=True)
        return ((place, self.rows.take(numbers[place])) for place in places)

    def digest(self) -> str:
        """SHA-256 of storage, dtype, shape, values and signs, in hex: says which data a certificate is about."""
        found = hashlib.sha256()
        found.update(f"{self.rows.storage} {self.dtype.newbyteorder('<').str} {self.n} {self.d}\n".encode())
        for part in self.rows.parts():
            little = np.ascontiguousarray(part, part.dtype.newbyteorder("<"))
            found.update(little.data if little.size else b"")
        found.update(self.y.astype(np.int8).tobytes())
        return found.hexdigest()


def as_problem(X: Any, y: Any, fit_intercept: bool = True, positive: Any = None, names: Any = None) -> Problem:
    """A `Problem` of rows and labels, or X itself where it is one.

    X: (n, d) array, DataFrame or scipy sparse matrix, or rows of this package; float32 and float64 are kept, all else
    must be exact in float64. y: (n,) labels. fit_intercept: with offset, default True. names: of the columns, for
    messages; default: those of a DataFrame. positive: the label of +1: the last of two, and needed with more, where it
    is taken against the rest. Raises DataError for NaN, infinite and masked values, for whole numbers above 2⁵³,
    for more than 2²⁵ columns, where there are no rows, where a label is missing, and where rows and labels do not fit;
    SettingError for a positive that is not there.
    """
    if isinstance(X, Problem):
        return X
    if not isinstance(fit_intercept, (bool, np.bool_, int)) or fit_intercept not in (0, 1):
        raise SettingError("{fit_intercept} must be True or False", fit_intercept=fit_intercept)
    if names is None and hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
    rows = rows_from(X).without_duplicates()
    check_width(rows)
    labels = labels_from(y, rows.n)
    if not len(labels):
        raise DataError("there are no rows; a theorem needs at least one")
    check_finite(rows, names)
    signs, classes = _signs(labels, positive)
    return Problem(rows, signs, classes, bool(fit_intercept), names)


def check_width(rows: Rows) -> None:
    """DataError for more columns than vectors of them can be made."""
    if rows.width > MOST:
        used = f"values stand in {len(rows.used_columns()):,} of them"
        raise DataError(f"{rows.width:,} columns are too many; {used}: leave out the others, if no index is mistyped")


def _signs(labels: Array, positive: Any) -> tuple[Array, tuple[Any, Any]]:
    classes = np.unique(labels)
    named = classes.tolist()
    if positive is None and classes.size > 2:
        many = f"there are {classes.size} classes ({plain(', '.join(map(str, named[:10])))})"
        raise SettingError(f"{many}; name the one that {{positive.name}} is", positive=None)
    at = classes.size - 1 if positive is None else place_of(positive, classes)
    rest = None if classes.size == 1 else named[1 - at] if classes.size == 2 else "the rest"
    return np.where(labels == classes[at], 1.0, -1.0), (rest, named[at])
