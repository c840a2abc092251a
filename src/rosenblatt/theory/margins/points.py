"""Rows of a problem as a margin sees them: scaled all alike, centred, with or without the bias as a column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.rows import Array, Csr, matrix, squared_norms, take, values_of
from ..problem import Problem

BLOCK = 4 << 20
"""Values that are made float64 at once: 32 MB, so that float32 rows of many GB are never copied whole."""


@dataclass(frozen=True)
class Points:
    """The n points of a problem, times one power of two: the same for all columns, as anything else moves the margin.

    free: the hyperplane has an offset that costs nothing (γ). counted: the bias is a column like any other (γ̄).
    Neither: through the origin (γ₀). scale: a power of two that brings the largest value to about 1; the margin is
    scaled with it.
    centre: (d̄,) subtracted, rounded, from the rows the solver gets; 0 unless free, where it changes nothing but digits
    (an offset of 1e8 leaves a solver 8 digits otherwise). norms: (n,) ‖x̄‖·scale, not less than they are.
    """

    problem: Problem
    free: bool
    counted: bool
    scale: float
    centre: Array
    norms: Array

    @classmethod
    def of(cls, problem: Problem, counted: bool = False) -> Points:
        free = problem.fit_intercept and not counted
        values = values_of(problem.rows)
        largest = max(float(np.abs(values).max(initial=0.0)), float(counted))
        scale = math.ldexp(1.0, max(-1000, min(1000, -math.frexp(largest)[1]))) if largest else 1.0
        if scale == 1.0 or 1e-100 < scale < 1e100:
            squares = squared_norms(problem.rows) * scale**2
        else:
            squares = squared_norms(_scaled(problem.rows, scale))
        squares = squares + (scale**2 if counted else 0.0)
        norms = np.sqrt(squares) * (1.0 + (problem.d + 8) * 2.0**-53)
        centre = np.zeros(problem.d + counted)
        if free and not isinstance(problem.rows, Csr) and problem.d:
            step = max(1, BLOCK // problem.d)
            sums = [(values[i : i + step].astype(np.float64) * scale).sum(axis=0) for i in range(0, problem.n, step)]
            centre = np.sum(sums, axis=0) / problem.n
        return cls(problem, free, counted, scale, centre, norms)

    @property
    def width(self) -> int:
        """d̄: the columns, and the bias where it is counted."""
        return len(self.centre)

    @property
    def y(self) -> Array:
        return self.problem.y

    def chosen(self, rows: Array, dtype: Any = np.float64) -> Any:
        """(k, d̄) x̄·scale of these rows, exact; sparse ones stay sparse. dtype: float64 or longer."""
        x = matrix(take(self.problem.rows, rows)).astype(dtype) * dtype(self.scale)
        if not self.counted:
            return x
        bias = np.full((len(rows), 1), self.scale, dtype)
        if isinstance(x, np.ndarray):
            return np.concatenate([x, bias], axis=1)
        from scipy.sparse import csr_array, hstack

        return csr_array(hstack([x, csr_array(bias)]))

    def signed(self, rows: Array) -> Any:
        """(k, d̄) float64 y·(x̄·scale − centre): what the solver gets."""
        x, y = self.chosen(rows), self.y[rows]
        if isinstance(x, np.ndarray):
            return (x - self.centre) * y[:, None]
        from scipy.sparse import csr_array

        return csr_array(x.multiply(y[:, None]))

    def margins(self, w: Array) -> Array:
        """(n,) y·(w·x̄)·scale, rounded. w: (d̄,)."""
        x, d = self.problem.x, self.problem.d
        if isinstance(x, np.ndarray):
            step = max(1, BLOCK // max(1, d))
            parts = [(x[i : i + step].astype(np.float64) * self.scale) @ w[:d] for i in range(0, len(x), step)]
            scores = np.concatenate(parts)
        else:
            scores = np.asarray(x @ (w[:d] * self.scale))
        return (scores + w[d] * self.scale if self.counted else scores) * self.y  # type: ignore[no-any-return]


def _scaled(rows: Any, scale: float) -> Any:
    if isinstance(rows, Csr):
        return rows._replace(data=rows.data.astype(np.float64) * scale)
    return rows._replace(values=rows.values.astype(np.float64) * scale)
