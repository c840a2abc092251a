"""The rows as a search sees them: signed, scaled by powers of two, without what cannot matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array, Rows
from ..problem import Problem
from .reduce import Reduction, reduced

BLOCK = 1_000_000
"""Numbers worked on at a time, 8 MB: they stay in the cache."""
FAR = 8
"""A column is centred where its middle is this many times as far from 0 as its values are from the middle."""

SAMPLE, FEWEST = 20_000_000, 10_000
"""Numbers, and rows at least, from which the ranges of columns are taken."""


class View(NamedTuple):
    """z = s·y·((x − centre)·2^exponents, 1), of the rows and columns that are left; s a power of two for each row.

    problem: the rows as they are. reduction: rows and columns that are left, and how to come back. centre: (c,) what is
    subtracted, 0 in most columns and always without an offset. exponents: (c,) ints.
    """

    problem: Problem
    reduction: Reduction
    centre: Array
    exponents: Array

    @property
    def active(self) -> Array:
        """Numbers of the rows that are left."""
        return self.reduction.rows

    @property
    def width(self) -> int:
        """Columns that are left, the bias included."""
        return len(self.exponents) + self.problem.fit_intercept

    def signed(self, rows: Array) -> tuple[Rows, Array]:
        """k rows z of `width` columns in float64, stored as the data are, and (k,) s. rows: their numbers."""
        x = self._shifted(self.problem.rows.take(rows))
        x = x.with_column(np.ones(x.n)) if self.problem.fit_intercept else x
        s = _unit(x.largest_by_row())
        return x.times(s * self.problem.y[rows]), s

    def margins(self, w: Array) -> Array:
        """(active,) y·u of weights for z, rounded, each times a positive number: its sign is what it is for."""
        out = np.empty(len(self.active))
        whole, b = self._plain(w)
        for place, x in blocks(self.active, self.problem):
            if self.centre.any():
                scores = self._shifted(x).scores(w[: len(self.exponents)])
                scores = scores + (w[-1] if self.problem.fit_intercept else 0.0)
            else:
                scores = x.scores(whole) + b
            out[place] = self.problem.y[self.active[place]] * scores
        return out

    def lifted(self, w: Array) -> tuple[Array, float] | None:
        """(w, b) for the whole problem: also on the right side of the rows that were left out. None on overflow."""
        whole, b = self._plain(w)
        b -= float(whole[self.reduction.columns] @ self.centre)
        return self.reduction.lifted(self.problem, whole, b)

    def _plain(self, w: Array) -> tuple[Array, float]:
        """The same weights for the columns as they are, before the centre is subtracted."""
        whole = np.zeros(self.problem.d)
        whole[self.reduction.columns] = np.ldexp(w[: len(self.exponents)], self.exponents)
        return whole, float(w[-1]) if self.problem.fit_intercept else 0.0

    def _shifted(self, x: Rows) -> Rows:
        columns, far = self.reduction.columns, self.centre.any()

        def scaled(values: Array, columns: Any) -> Array:
            values = values - self.centre[columns] if far else values
            return np.asarray(np.ldexp(values, self.exponents[columns]))  # the power alone overflows for subnormals

        return (x.take_columns(columns) if len(columns) < self.problem.d else x).astype(np.float64).mapped(scaled)


def view_of(problem: Problem, whole: bool = False) -> View:
    """The view of a problem: reduced, unless it is to be whole, centred, scaled."""
    reduction = Reduction(np.arange(problem.n), np.arange(problem.d), []) if whole else reduced(problem)
    low, high = _ranges(problem, reduction)
    centre = np.zeros(len(low))
    if problem.fit_intercept and problem.rows.shiftable:
        # x and the middle are within a factor of 2 of each other, so that the difference is exact (P. Sterbenz, 1974).
        middle = low / 2 + high / 2
        with np.errstate(over="ignore"):  # of values near 1e308; no middle is above infinity
            centre = np.where(np.abs(middle) > FAR * np.maximum(high - middle, middle - low), middle, 0.0)
    longest = np.maximum(np.abs(low - centre), np.abs(high - centre))
    exponents = np.where(longest > 0, -np.frexp(longest)[1], 0)
    return View(problem, reduction, centre, exponents)


def blocks(rows: Array, problem: Problem) -> Iterator[tuple[slice, Rows]]:
    """(place in rows, these rows) of some `BLOCK` numbers each; views where nothing is left out. rows: numbers."""
    size = problem.rows.height(BLOCK)
    places = (slice(start, min(start + size, len(rows))) for start in range(0, len(rows), size))
    if len(rows) == problem.n:
        yield from zip(places, problem.rows.blocks(size), strict=True)
    else:
        yield from ((place, problem.rows.take(rows[place])) for place in places)


def _ranges(problem: Problem, reduction: Reduction) -> tuple[Array, Array]:
    """(c,) least and greatest value of each column that is left, over the rows that are left."""
    columns = reduction.columns
    low, high = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    if not len(columns) or not len(reduction.rows):
        return np.zeros(len(columns)), np.zeros(len(columns))
    if not problem.rows.shiftable:  # so the size is all that matters, and taking the rows that are left costs more
        longest = problem.rows.largest_by_column()[columns]
        return -longest, longest
    some = reduction.rows
    if len(some) * problem.d > SAMPLE:  # a guess of the scale will do, and 1e6 rows of 130 columns take 0.3 s
        some = np.random.default_rng(0).permutation(some)[: max(FEWEST, SAMPLE // problem.d)]
    for _, rows in blocks(some, problem):
        part = (rows.take_columns(columns) if len(columns) < problem.d else rows).matrix()
        low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
    return low.astype(np.float64), high.astype(np.float64)


def _unit(longest: Array) -> Array:
    """The power of two that brings each between ½ and 1, as far as floats hold it; 1 for 0."""
    return np.ldexp(1.0, np.where(longest > 0, np.minimum(-np.frexp(longest)[1], 1000), 0))
