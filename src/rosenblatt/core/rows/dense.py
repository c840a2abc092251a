"""Rows as one array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .verbs import Array, Index, floats, frozen, inner


class Dense(NamedTuple):
    """Rows as one C-ordered array. values: (n, d) float32 or float64."""

    values: Array

    # --- compiled into the loop ---

    def dot(self, i: Index, w: Array) -> float:
        s = w.dtype.type(0)
        for j in range(w.size):
            s += self.values[i, j] * w[j]
        return s  # type: ignore[no-any-return]

    def add(self, i: Index, a: float, w: Array) -> None:
        step = w.dtype.type(a)
        for j in range(w.size):
            w[j] += step * self.values[i, j]

    def sq_norm(self, i: Index) -> float:
        s = self.values.dtype.type(0)
        for j in range(self.values.shape[1]):
            s += self.values[i, j] * self.values[i, j]
        return s  # type: ignore[no-any-return]

    def dots(self, i: Index, w: Array, out: Array) -> None:
        for k in range(out.size):
            s = w.dtype.type(0)
            for j in range(w.shape[1]):
                s += self.values[i, j] * w[k, j]
            out[k] = s

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None:
        step = w.dtype.type(a)
        for j in range(w.shape[1]):
            w[k, j] += step * self.values[i, j]

    # --- around it ---

    @classmethod
    def restored(cls, parts: dict[str, Array]) -> Dense:
        return dense(parts["values"])

    @property
    def by_column(self) -> bool:
        return False

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def width(self) -> int:
        return self.values.shape[1]  # type: ignore[no-any-return]

    @property
    def stored(self) -> int:
        return self.values.size

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype  # type: ignore[no-any-return]

    def take(self, chosen: Array) -> Dense:
        return dense(self.values[chosen])

    def blocks(self, size: int) -> Iterator[Dense]:
        for start in range(0, self.n, size):
            yield Dense(self.values[start : start + size])

    def stacked(self, others: list[Any]) -> Dense:
        return dense(np.concatenate([self.values, *(_values(other) for other in others)]))

    def products(self, other: Any) -> Array:
        return inner(self.values, other.matrix())

    def combine(self, a: Array) -> Array:
        return np.asarray(self.values.T @ a)

    def scores(self, w: Array) -> Array:
        return np.asarray(self.values @ w.T)

    def sq_norms(self) -> Array:
        return np.asarray(np.einsum("ij,ij->i", self.values, self.values, dtype=np.float64))

    def astype(self, dtype: Any) -> Dense:
        return self if self.dtype == dtype else dense(self.values.astype(dtype))

    def largest(self) -> float:
        values = self.values
        return float(np.maximum(abs(values.max()), abs(values.min()))) if values.size else 0.0

    def first_not_finite(self) -> tuple[int, int, float]:
        row, column = divmod(int(np.flatnonzero(~np.isfinite(self.values.ravel()))[0]), self.width)
        return row, column, self.values[row, column]

    def key(self, i: int) -> bytes:
        return self.values[i].tobytes()  # type: ignore[no-any-return]

    def matrix(self) -> Array:
        return self.values


def _values(rows: Any) -> Array:
    values = rows.matrix()
    return values if isinstance(values, np.ndarray) else values.toarray()


def dense(values: Array) -> Dense:
    """Rows from an (n, d) array. float32 and float64 are kept, anything else becomes float64."""
    return Dense(frozen(floats(values)))
