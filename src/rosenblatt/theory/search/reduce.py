"""What needs no solver: rows that contradict each other, and columns whose sign is the class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem

BLOCK = 100_000
"""Numbers hashed at a time: a9a takes 9 ms so, 19 ms with five times as many, which leave the cache."""
LOOKS = 100
"""Rounds of leaving out; what would go in later ones stays, which is slower and not wrong."""


class Stage(NamedTuple):
    """Columns where y·x has one sign, and the rows that are not 0 in all of them."""

    columns: Array
    signs: Array
    rows: Array


class Reduction(NamedTuple):
    """What is left: numbers of rows and columns, and what went, round by round.

    Where y·x_j ≥ 0 in every row, λ ≥ 0 with Σ λ y x_j = 0 must be 0 in the rows with x_j ≠ 0, and these rows are on the
    right side of any hyperplane whose w_j is large enough. So they and the column do not matter, again and again.
    """

    rows: Array
    columns: Array
    stages: list[Stage]

    def lifted(self, problem: Problem, w: Array, b: float) -> tuple[Array, float] | None:
        """(w, b) with weights for the columns that went, the last ones first: each so large that its rows are right.

        The rows that are left, and those of later rounds, are 0 in these columns. None where a weight overflows.
        """
        w = w.copy()
        with np.errstate(all="ignore"):
            for stage in reversed(self.stages):
                rows = problem.rows.take(stage.rows)
                margins = np.abs(rows.scores(w) + b)
                columns = rows.take_columns(stage.columns).astype(np.float64)
                scale = np.ldexp(1.0, -np.frexp(columns.largest_by_column())[1])
                least = (margins.max(initial=0.0) or 1.0) + margins
                weight = 2.0 * float((least / (abs(columns.matrix()) @ scale)).max())
                if not np.isfinite(weight):
                    return None
                w[stage.columns] = stage.signs * scale * np.ldexp(1.0, np.frexp(weight)[1])
        return (w, b) if np.isfinite(w).all() else None


def reduced(problem: Problem) -> Reduction:
    """Without the columns of one sign and their rows, and without columns that are 0 in all rows left."""
    rows, columns, stages = np.arange(problem.n), np.arange(problem.d), []
    candidates = columns
    for _ in range(LOOKS):
        above, below = problem.rows.column_signs(rows, problem.y[rows], candidates)
        one = above != below
        # A column that has both signs may have one when rows have gone, so all are looked at again.
        if not one.any():
            columns = np.setdiff1d(columns, candidates[~above & ~below], assume_unique=True)
            break
        chosen = candidates[one]
        x = problem.x[rows][:, chosen]
        gone = np.asarray((x != 0).sum(axis=1)).ravel() > 0
        stages.append(Stage(chosen, np.where(above[one], 1.0, -1.0), rows[gone]))
        rows = rows[~gone]
        columns = np.setdiff1d(columns, chosen, assume_unique=True)
        candidates = columns
        if not rows.size or not columns.size:
            break
    return Reduction(rows, columns, stages)


def opposite_pairs(problem: Problem, most: int = 3) -> list[Array]:
    """Pairs of rows with z = −z', by a hash of their bits: equal rows of both classes, or through the origin also x and
    −x of one class, or a row of zeros alone. Numbers of rows; whether they are opposite is for an exact check to say.
    """
    y = problem.y > 0
    if problem.fit_intercept:
        keys = _hashes(problem, np.ones(problem.n))
        one, other = np.flatnonzero(y), np.flatnonzero(~y)
        mine, theirs = keys[one], keys[other]
    else:
        one = other = np.arange(problem.n)
        mine, theirs = _hashes(problem, problem.y), _hashes(problem, -problem.y)
    _, at, to = np.intersect1d(mine, theirs, return_indices=True)
    pairs = [np.unique([one[i], other[k]]) for i, k in zip(at, to, strict=True)]
    return sorted(pairs, key=lambda pair: (len(pair), *pair))[:most]


def _hashes(problem: Problem, signs: Array) -> Array:
    """(n,) uint64 of signs·x: a sum of their bits times odd numbers, modulo 2⁶⁴, the same wherever the row stands."""
    factors = np.random.default_rng(0).integers(0, 2**63, problem.d, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    bits = np.uint64 if problem.dtype == np.float64 else np.uint32
    zero = problem.dtype.type(0)

    def terms(values: Array, columns: Any) -> Array:
        return _mixed((values + zero).view(bits)) * factors[columns]  # −0 + 0 is 0

    signs, size = signs.astype(problem.dtype), problem.rows.height(BLOCK)
    blocks = zip(range(0, problem.n, size), problem.rows.blocks(size), strict=True)
    return np.concatenate([rows.times(signs[start : start + size]).sums(terms) for start, rows in blocks])


def _mixed(bits: Array) -> Array:
    """Whole numbers have bits only at the top, and a product modulo 2⁶⁴ carries none down."""
    wide = bits.astype(np.uint64)
    return wide ^ (wide >> np.uint64(32)) ^ (wide << np.uint64(17))
