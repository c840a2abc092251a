"""A third kind of rows: known only through their inner products with the rows that were learned from.

A weight vector is Σ_j w_j·φ(x_j), so that "column" j of the weights belongs to row j. It stands here, outside the
package, because nothing in the package may know of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError

Array = np.ndarray[Any, Any]


class Gram(NamedTuple):
    """products: (n, s) with the s rows that may be learned from. own: (n,) which of these each row is, −1: none."""

    products_: Array
    own: Array

    def dot(self, i: Any, w: Array) -> float:
        s = w.dtype.type(0)
        for j in range(w.size):
            s += self.products_[i, j] * w[j]
        return s  # type: ignore[no-any-return]

    def add(self, i: Any, a: float, w: Array) -> None:
        w[self.own[i]] += w.dtype.type(a)

    def sq_norm(self, i: Any) -> float:
        return self.products_[i, self.own[i]]  # type: ignore[no-any-return]

    def dots(self, i: Any, w: Array, out: Array) -> None:
        for k in range(out.size):
            s = w.dtype.type(0)
            for j in range(w.shape[1]):
                s += self.products_[i, j] * w[k, j]
            out[k] = s

    def add_to(self, i: Any, k: int, a: float, w: Array) -> None:
        w[k, self.own[i]] += w.dtype.type(a)

    @property
    def by_column(self) -> bool:
        return False

    @property
    def n(self) -> int:
        return len(self.own)

    @property
    def width(self) -> int:
        return self.products_.shape[1]  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return self.products_.size

    @property
    def dtype(self) -> Any:
        return self.products_.dtype

    def take(self, chosen: Array) -> Gram:
        return Gram(self.products_[chosen], self.own[chosen])

    @property
    def given(self) -> Gram:
        return self

    def kept_rows(self, chosen: Array) -> Gram:
        return self.take(chosen)

    def blocks(self, size: int) -> Iterator[Gram]:
        for start in range(0, self.n, size):
            yield Gram(self.products_[start : start + size], self.own[start : start + size])

    def stacked(self, others: list[Gram]) -> Gram:
        both = [self, *others]
        return Gram(*(np.concatenate([part[field] for part in both]) for field in range(2)))

    def products(self, other: Gram) -> Array:
        return self.products_[:, other.own].astype(float)

    def combine(self, a: Array) -> Array:
        return np.bincount(self.own, a, self.width)

    def scores(self, w: Array) -> Array:
        return np.asarray(self.products_ @ w.T)

    def sq_norms(self) -> Array:
        return self.products_[np.arange(self.n), self.own].astype(float).clip(0.0)  # of other rows it is not known

    def astype(self, dtype: Any) -> Gram:
        return self._replace(products_=self.products_.astype(dtype))

    def largest(self) -> float:
        return float(np.abs(self.products_).max(initial=0.0))

    def key(self, i: int) -> bytes:
        return self.own[i].tobytes()  # type: ignore[no-any-return]

    def matrix(self) -> Any:
        raise DataError("rows known only through their inner products have no columns")


def gram(x: Array) -> Gram:
    """All rows of x, (n, d), by their inner products with each other."""
    return Gram(x @ x.T, np.arange(len(x)))


def fresh(x: Array, learned: Array) -> Gram:
    """Other rows, by their inner products with those that were learned from."""
    return Gram(x @ learned.T, np.full(len(x), -1))
