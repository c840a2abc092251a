"""Two directions in which rows of many columns are looked at: w, and where the rows spread most across it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, svds

from ...core.rows import Array

SMALL = 300
"""Rows or columns up to which all principal components are made; of more only the first, by Lanczos' method."""
MOST = 1 << 24
"""Values of which a dense copy is made for that, 128 MB."""
NOTHING = 1e-9
"""Of a length, what is rounding."""


class Directions(NamedTuple):
    """A plane in the space of rows of d columns. centre: (d,) a point of it. axes: (2, d) of length 1 and at right
    angles; of one column the second is 0. names: of the axes."""

    centre: Array
    axes: Array
    names: tuple[str, str]

    def places(self, x: Any) -> Array:
        """(n, 2) where rows (n, d), dense or sparse, are in the plane, from its centre."""
        return self.arrows(x) - self.axes @ self.centre

    def arrows(self, vectors: Any) -> Array:
        """(n, 2) of vectors (n, d), which have a length and a direction but no place."""
        return np.asarray(vectors @ self.axes.T, float)

    def cut(self, w: Array, b: Any) -> tuple[Array, Array]:
        """(K, 2) and (K,): w·x + b of weights (K, d), (K,) at a place of the plane. Where w lies in the plane, that is
        the score of every row at its own place."""
        return self.arrows(w), np.asarray(w @ self.centre + b)

    def points(self, places: Array) -> Array:
        """(m, d) the points at these (m, 2) places."""
        return np.asarray(self.centre + places @ self.axes)


def directions(x: Any, w: Array | None = None, names: Sequence[Any] | None = None) -> Directions:
    """The plane in which rows x (n, d), dense or sparse, and weights w (K, d) are looked at.

    One or two columns are the axes themselves. Of more, two classes (K = 1): w, and the first principal component of
    the rows at a right angle to it; more classes: the two directions in which their weights differ most. Where weights
    have no direction, or w is None, principal components. names: of the columns.
    """
    d = x.shape[1]
    if d <= 2:
        called = [f"x{'₁₂'[j]}" if names is None else str(names[j]) for j in range(d)]
        return Directions(np.zeros(d), np.eye(2, d), (called[0], called[1] if d == 2 else ""))
    centre = np.asarray(x.mean(axis=0), float).ravel()
    axes, said = np.zeros((0, d)), list[str]()
    if w is not None and np.isfinite(w).all() and len(w) == 1:
        axes, said = _with(axes, w[0]), ["w: the score grows to the right"]
    elif w is not None and np.isfinite(w).all():
        axes = _components(w - w.mean(axis=0), np.zeros(d), axes, 2)
        said = ["where the weights of the classes differ most", "where they differ most at a right angle to it"]
    own = len(axes)
    axes = _components(x, centre, axes, 2 - own)
    rest = ["first principal component", "second principal component"][: 2 - own]
    said = [*said[:own], *(f"{name} at a right angle to it" if own else name for name in rest)]
    for j in range(d):  # rows that differ in no other direction
        axes = _with(axes, np.eye(1, d, j)[0]) if len(axes) < 2 else axes
    return Directions(centre, axes, (said[0], said[1]))


def turned(plane: Directions, first: Array, second: Array, names: tuple[str, str]) -> Directions:
    """The plane through the same centre in which both vectors (d,) lie, the first one along its first axis; the axes
    of `plane` stand in for what has no direction of its own."""
    axes = np.zeros((0, len(first)))
    for vector in (first, second, *plane.axes):
        axes = _with(axes, vector) if len(axes) < 2 else axes
    return Directions(plane.centre, axes, names)


def _with(axes: Array, vector: Array) -> Array:
    """(k + 1, d) the axes, and what of the vector is at right angles to them; the axes alone where nothing is."""
    size = float(np.linalg.norm(vector))
    across = vector / (size or 1.0)
    for _ in range(2):  # once more, for what is left may be mostly rounding
        across = across - (axes @ across) @ axes
    length = float(np.linalg.norm(across))
    return np.vstack([axes, across / length]) if length > NOTHING else axes


def _components(x: Any, centre: Array, beside: Array, count: int) -> Array:
    """`beside` (k, d), and `count` principal components of rows x around the centre at right angles to it, as far as
    there are; else other directions."""
    n, d = x.shape

    def spread(v: Array) -> Array:
        v = v.ravel() - beside.T @ (beside @ v.ravel())
        return np.asarray(x @ v - float(centre @ v))

    def back(u: Array) -> Array:
        v = np.asarray(x.T @ u.ravel()) - centre * float(u.sum())
        return v - beside.T @ (beside @ v)

    axes = beside
    if count == 0:
        return axes
    if min(n, d) <= SMALL and n * d <= MOST or min(n, d) <= 3:
        rows = (x if isinstance(x, np.ndarray) else x.toarray()) - centre
        rows = rows - (rows @ beside.T) @ beside
        _, sizes, found = np.linalg.svd(rows, full_matrices=False)
    else:
        operator = LinearOperator((n, d), matvec=spread, rmatvec=back, dtype=float)
        _, sizes, found = svds(operator, k=count, v0=np.ones(min(n, d)), solver="arpack")
        sizes, found = sizes[::-1], found[::-1]
    for size, axis in zip(sizes, found, strict=True):
        if len(axes) < len(beside) + count and size > NOTHING * sizes[0]:
            axes = _with(axes, axis * (1.0 if axis[np.argmax(np.abs(axis))] > 0.0 else -1.0))
    return axes
