"""Rows of a problem as a margin sees them: scaled all alike, centred, with or without the bias as a column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.rows import Array, Rows
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
        largest = max(problem.rows.largest(), float(counted))
        scale = math.ldexp(1.0, max(-1000, min(1000, -math.frexp(largest)[1]))) if largest else 1.0
        if scale == 1.0 or 1e-100 < scale < 1e100:
            squares = problem.rows.sq_norms() * scale**2
        else:
            squares = _scaled(problem.rows, scale).sq_norms()
        squares = squares + (scale**2 if counted else 0.0)
        norms = np.sqrt(squares) * (1.0 + (problem.d + 8) * 2.0**-53)
        centre = np.zeros(problem.d + counted)
        if free and problem.rows.shiftable and problem.d:
            parts = (part.astype(np.float64).toarray() for part in problem.rows.blocks(problem.rows.height(BLOCK)))
            centre = np.sum([(part * scale).sum(axis=0) for part in parts], axis=0) / problem.n
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
        return self._barred(rows).matrix().astype(dtype) * dtype(self.scale)

    def signed(self, rows: Array) -> Any:
        """(k, d̄) float64 y·(x̄·scale − centre): what the solver gets."""
        x = _scaled(self._barred(rows), self.scale)
        x = x.mapped(lambda values, columns: values - self.centre[columns]) if self.centre.any() else x
        return x.times(self.y[rows]).matrix()

    def margins(self, w: Array) -> Array:
        """(n,) y·(w·x̄)·scale, rounded. w: (d̄,)."""
        rows, d = self.problem.rows, self.problem.d
        parts = rows.blocks(rows.height(BLOCK))
        scores = np.concatenate([_scaled(part, self.scale).scores(w[:d]) for part in parts])
        return (scores + w[d] * self.scale if self.counted else scores) * self.y  # type: ignore[no-any-return]

    def _barred(self, rows: Array) -> Rows:
        """x̄ of these rows, not scaled."""
        x = self.problem.rows.take(rows)
        return x.with_column(np.ones(x.n)) if self.counted else x


def _scaled(rows: Rows, scale: float) -> Rows:
    return rows.astype(np.float64).mapped(lambda values, _: values * scale)
