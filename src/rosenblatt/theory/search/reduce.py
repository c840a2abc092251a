"""What needs no solver: rows that contradict each other, and columns whose sign is the class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.rows import Array, Csr
from ..problem import Problem

FIRST = 1_000
"""Rows looked at first: in most data they leave no column of one sign."""
BLOCK = 4_000_000
"""Numbers at a time after that."""
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
                x = problem.x[stage.rows]
                margins = np.abs(np.asarray(x @ w) + b)
                columns = abs(x[:, stage.columns]).astype(np.float64)
                longest = np.asarray(
                    columns.max(axis=0).toarray().ravel() if hasattr(columns, "toarray") else columns.max(axis=0)
                )
                scale = np.ldexp(1.0, -np.frexp(longest)[1])
                least = (margins.max(initial=0.0) or 1.0) + margins
                weight = 2.0 * float((least / (columns @ scale)).max())
                if not np.isfinite(weight):
                    return None
                w[stage.columns] = stage.signs * scale * np.ldexp(1.0, np.frexp(weight)[1])
        return (w, b) if np.isfinite(w).all() else None


def reduced(problem: Problem) -> Reduction:
    """Without the columns of one sign and their rows, and without columns that are 0 in all rows left."""
    signs_of = _sparse_signs if isinstance(problem.rows, Csr) else _dense_signs
    rows, columns, stages = np.arange(problem.n), np.arange(problem.d), []
    candidates = columns
    for _ in range(LOOKS):
        above, below = signs_of(problem, rows, candidates)
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


def _dense_signs(problem: Problem, rows: Array, columns: Array) -> tuple[Array, Array]:
    """(c,) whether y·x is above 0 anywhere, and below; of columns that have both, only that."""
    above, below = np.zeros(len(columns), bool), np.zeros(len(columns), bool)
    start, size = 0, FIRST
    while start < len(rows):
        left = np.flatnonzero(~(above & below))
        if not left.size:
            break
        chosen = rows[start : start + size]
        x = problem.x[chosen[:, None], columns[left]] if len(rows) < problem.n else problem.x[start : start + size]
        x = x[:, columns[left]] if len(rows) == problem.n else x
        positive = problem.y[chosen] > 0
        one, other = x[positive], x[~positive]
        above[left] |= (one > 0).any(axis=0) | (other < 0).any(axis=0)
        below[left] |= (one < 0).any(axis=0) | (other > 0).any(axis=0)
        start, size = start + size, max(FIRST, BLOCK // max(len(left), 1))
    return above, below


def _sparse_signs(problem: Problem, rows: Array, columns: Array) -> tuple[Array, Array]:
    x = problem.x if len(rows) == problem.n else problem.x[rows]
    signs = np.sign(x.data) * np.repeat(problem.y[rows], np.diff(x.indptr))
    above = np.bincount(x.indices[signs > 0], minlength=problem.d) > 0
    below = np.bincount(x.indices[signs < 0], minlength=problem.d) > 0
    return above[columns], below[columns]


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
    found = [np.unique([one[i], other[k]]) for i, k in zip(at, to, strict=True)]
    return sorted(found, key=lambda pair: (len(pair), *pair))[:most]


def _hashes(problem: Problem, signs: Array) -> Array:
    """(n,) uint64 of signs·x: a sum of their bits times odd numbers, modulo 2⁶⁴, the same wherever the row stands."""
    factors = np.random.default_rng(0).integers(0, 2**63, problem.d, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    bits = np.uint64 if problem.dtype == np.float64 else np.uint32
    x = problem.x
    if isinstance(problem.rows, Csr):
        values = x.data * np.repeat(signs, np.diff(x.indptr)).astype(x.dtype) + x.dtype.type(0)
        terms = _mixed(values.view(bits)) * factors[x.indices]
        ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return np.asarray(ends[x.indptr[1:]] - ends[x.indptr[:-1]])
    out = np.empty(problem.n, np.uint64)
    size = max(1, 500_000 // max(problem.d, 1))
    for start in range(0, problem.n, size):
        part = x[start : start + size] * signs[start : start + size, None].astype(x.dtype) + x.dtype.type(0)
        out[start : start + size] = (_mixed(part.view(bits)) * factors).sum(axis=1, dtype=np.uint64)
    return out


def _mixed(bits: Array) -> Array:
    """Whole numbers have bits only at the top, and a product modulo 2⁶⁴ carries none down."""
    wide = bits.astype(np.uint64)
    return wide ^ (wide >> np.uint64(32)) ^ (wide << np.uint64(17))
