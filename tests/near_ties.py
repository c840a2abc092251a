"""Problems at the edge between separable and not, and the truth about each, in fractions of the rounded values.

The truth is found by the criss-cross method on y·x̄·w̄ ≥ 1, written as plainly as can be; nothing of the package is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

SEED = 20240617
COUNT = 500


class NearTie(NamedTuple):
    """X: (n, d) array or csr_array, float64 or float32, n·d ≤ 500. y: (n,) ±1. name: of the kind."""

    name: str
    X: Any
    y: np.ndarray[Any, Any]
    fit_intercept: bool

    @property
    def dense(self) -> np.ndarray[Any, Any]:
        return np.asarray(self.X.todense() if hasattr(self.X, "todense") else self.X)


def near_ties(count: int = COUNT, seed: int = SEED) -> Iterator[NearTie]:
    """The same ones each time: all kinds in turn, each dense in float64, then as CSR, then in float32."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        name = list(KINDS)[i % len(KINDS)]
        n, d = int(rng.integers(4, 26)), int(rng.integers(1, 11))
        x, y = KINDS[name](rng, n, d)
        if abs(y.sum()) == n:
            y[0] *= -1
        storage = i // len(KINDS) % 4
        if storage == 2:
            x = x.astype(np.float32)
        if storage in (1, 2) and i % 2 == 0:
            yield NearTie(f"{name} {i}", csr_array(x), y, i % 3 != 0)
        else:
            yield NearTie(f"{name} {i}", np.ascontiguousarray(x), y, i % 3 != 0)


Made = tuple[Any, Any]


def small_margin(rng: Any, n: int, d: int) -> Made:
    """Rows moved along w until the nearest are 1e-9 to 1e-14 from the plane, some a little beyond it."""
    w, b = rng.normal(size=d), rng.normal()
    x = rng.normal(size=(n, d))
    u = x @ w + b
    y = np.where(u > 0, 1.0, -1.0)
    gap = 10.0 ** -rng.uniform(9, 14) * rng.choice([1.0, 1.0, -1.0], n)
    near = rng.random(n) < 0.6
    x[near] += ((y * gap - u)[:, None] * w / (w @ w))[near]
    return x, y


def scaled(rng: Any, n: int, d: int) -> Made:
    x, y = small_margin(rng, n, d)
    return x * 10.0 ** rng.uniform(-8, 8, d), y


def far_away(rng: Any, n: int, d: int) -> Made:
    x, y = small_margin(rng, n, d)
    return x * 10.0 ** rng.uniform(-3, 3) + 1e8, y


def moment_curve(rng: Any, n: int, d: int) -> Made:
    """(t, t², …, t^d) with signs that change d times along it, as a plane can, or d + 1 times, as none can."""
    t = np.sort(rng.uniform(-1.5, 1.5, n))
    changes = min(d + int(rng.integers(0, 2)), n - 1)
    cuts = np.sort(rng.choice(np.arange(1, n), changes, replace=False))
    y = 1.0 - 2.0 * (np.searchsorted(cuts, np.arange(n), side="right") % 2)
    return t[:, None] ** np.arange(1, d + 1), y


def touching_hulls(rng: Any, n: int, d: int) -> Made:
    """A row of one class is a rounded mean of rows of the other, or so nearly as 1e-9 to 1e-15."""
    x, y = small_margin(rng, n, d)
    up = np.flatnonzero(y > 0)
    if up.size > 1 and up.size < n:
        weights = rng.dirichlet(np.ones(min(up.size, d)))
        mean = weights @ x[up[: weights.size]]
        x[np.flatnonzero(y < 0)[0]] = mean + rng.choice([0.0, 10.0 ** -rng.uniform(9, 15)]) * rng.normal(size=d)
    return x, y


def touching_whole(rng: Any, n: int, d: int) -> Made:
    """Small whole numbers, whose hulls often share exactly a point, a face, or a row."""
    x = rng.integers(-2, 3, (n, d)).astype(np.float64)
    w = rng.integers(-2, 3, d)
    y = np.where(x @ w > 0, 1.0, np.where(x @ w < 0, -1.0, rng.choice([-1.0, 1.0])))
    return x * 10.0 ** rng.integers(-3, 3), y


def opposite_twins(rng: Any, n: int, d: int) -> Made:
    """A row twice with both labels, or nearly: one number of one of them is the next float."""
    x, y = small_margin(rng, n, d)
    x[-1], y[-1] = x[0], -y[0]
    if rng.random() < 0.6:
        j = rng.integers(d)
        x[-1, j] = np.nextafter(x[-1, j], rng.choice([-np.inf, np.inf]))
    return x, y


def collinear(rng: Any, n: int, d: int) -> Made:
    """Points on a line, as nearly as floats can say, with signs that change once or twice along it."""
    t = np.sort(rng.choice([rng.normal(size=n), np.arange(n) / 10.0]))
    y = np.where(np.arange(n) < rng.integers(1, n), -1.0, 1.0)
    if rng.random() < 0.5:
        y[rng.integers(n)] *= -1
    return t[:, None] * rng.normal(size=d) + rng.normal(size=d), y


KINDS: dict[str, Callable[[Any, int, int], Made]] = {
    made.__name__: made
    for made in (
        small_margin, scaled, far_away, moment_curve, touching_hulls, touching_whole, opposite_twins, collinear,
    )
}  # fmt: skip


def truth(case: NearTie) -> bool:
    """Whether some w̄ has y·x̄·w̄ > 0 on all rows."""
    x = np.asarray(case.dense, np.float64)
    rows = [[Fraction(value) for value in row] + [Fraction(1)] * case.fit_intercept for row in x.tolist()]
    return feasible([[value * int(y) for value in row] for row, y in zip(rows, case.y, strict=True)])


def feasible(rows: list[list[Fraction]]) -> bool:
    """Whether some w has a·w ≥ 1 for all rows a: the criss-cross method (T. Terlaky, 1985) in fractions.

    A dictionary says each slack s_i = a_i·w − 1 by what is free. First every w is exchanged for a slack. Then, as long
    as some slack is negative, the first such is exchanged for the first variable that can raise it; where none can, all
    coefficients of a sum that must be positive are at most 0, and there is no such w.
    """
    n, d = len(rows), len(rows[0])
    table = {i: {**{n + j: row[j] for j in range(d) if row[j]}, None: Fraction(-1)} for i, row in enumerate(rows)}
    for j in range(n, n + d):
        row = next((i for i in sorted(table) if i < n and table[i].get(j)), None)
        if row is not None:
            _exchange(table, row, j)
    while True:
        row = next((i for i in sorted(table) if i < n and table[i].get(None, 0) < 0), None)
        if row is None:
            return True
        column = next((j for j in sorted(k for k in table[row] if k is not None) if table[row][j] > 0), None)
        if column is None:
            return False
        _exchange(table, row, column)


def _exchange(table: dict[int, dict[int | None, Fraction]], row: int, column: int) -> None:
    """Solve the equation of `row` for `column`, and put that into the others."""
    old = table.pop(row)
    factor = old.pop(column)
    new: dict[int | None, Fraction] = {j: -value / factor for j, value in old.items()}
    new[row] = 1 / factor
    for other, equation in table.items():
        if column in equation:
            weight = equation.pop(column)
            for j, value in new.items():
                total = equation.get(j, Fraction(0)) + weight * value
                if total:
                    equation[j] = total
                else:
                    equation.pop(j, None)
        table[other] = equation
    table[column] = new
