"""What a search works on and what it has found so far.

The rows are seen signed, scaled by powers of two, without what cannot matter or needs no solver. The methods hand in
floats, and only what an exact check confirms is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array, Rows
from ..problem import Problem
from ..proof.certificate import Certificate
from ..proof.exact import certified_separator
from ..proof.farkas import enclose, farkas_near, farkas_on
from ..proof.integers import signed

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
        longest = x.largest_by_row()  # to between ½ and 1, as far as floats hold the power of two; 1 for 0
        s = np.ldexp(1.0, np.where(longest > 0, np.minimum(-np.frexp(longest)[1], 1000), 0))
        return x.times(s * self.problem.y[rows]), s

    def margins(self, w: Array) -> Array:
        """(active,) y·u of weights for z, rounded, each times a positive number: its sign is what it is for."""
        (whole, b), own = self._plain(w), self.problem.parted(w)[0]
        parts, far = self.problem.blocks(BLOCK, self.active), self.centre.any()
        scores = [self._shifted(x).scores(own) if far else x.scores(whole) for _, x in parts]
        return self.problem.y[self.active] * (np.concatenate([np.zeros(0), *scores]) + b)

    def lifted(self, w: Array) -> tuple[Array, float] | None:
        """(w, b) for the whole problem: also on the right side of the rows that were left out. None on overflow."""
        whole, b = self._plain(w)
        b -= float(whole[self.reduction.columns] @ self.centre)
        return self.reduction.lifted(self.problem, whole, b)

    def _plain(self, w: Array) -> tuple[Array, float]:
        """The same weights for the columns as they are, before the centre is subtracted."""
        whole, (own, b) = np.zeros(self.problem.d), self.problem.parted(w)
        whole[self.reduction.columns] = np.ldexp(own, self.exponents)
        return whole, b

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
    for _, rows in problem.blocks(BLOCK, some):
        part = (rows.take_columns(columns) if len(columns) < problem.d else rows).matrix()
        low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
    return low.astype(np.float64), high.astype(np.float64)


HASHED_AT_ONCE = 100_000
"""Numbers hashed at a time: a9a takes 9 ms so, 19 ms with five times as many, which leave the cache."""
LOOKS = 100
"""Rounds of leaving out; what would go in later ones stays, which is slower and not wrong."""


class Reduction(NamedTuple):
    """What is left: numbers of rows and columns, and what went, round by round: columns where y·x has one sign, that
    sign, and the rows that are not 0 in all of them.

    Where y·x_j ≥ 0 in every row, λ ≥ 0 with Σ λ y x_j = 0 must be 0 in the rows with x_j ≠ 0, and these rows are on the
    right side of any hyperplane whose w_j is large enough. So they and the column do not matter, again and again.
    """

    rows: Array
    columns: Array
    stages: list[tuple[Array, Array, Array]]

    def lifted(self, problem: Problem, w: Array, b: float) -> tuple[Array, float] | None:
        """(w, b) with weights for the columns that went, the last ones first: each so large that its rows are right.

        The rows that are left, and those of later rounds, are 0 in these columns. None where a weight overflows.
        """
        w = w.copy()
        with np.errstate(all="ignore"):
            for chosen, signs, numbers in reversed(self.stages):
                rows = problem.rows.take(numbers)
                margins = np.abs(rows.scores(w) + b)
                columns = rows.take_columns(chosen).astype(np.float64)
                scale = np.ldexp(1.0, -np.frexp(columns.largest_by_column())[1])
                least = (margins.max(initial=0.0) or 1.0) + margins
                weight = 2.0 * float((least / (abs(columns.matrix()) @ scale)).max())
                if not np.isfinite(weight):
                    return None
                w[chosen] = signs * scale * np.ldexp(1.0, np.frexp(weight)[1])
        return (w, b) if np.isfinite(w).all() else None


def reduced(problem: Problem) -> Reduction:
    """Without the columns of one sign and their rows, and without columns that are 0 in all rows left."""
    rows, columns, stages = np.arange(problem.n), np.arange(problem.d), []
    for _ in range(LOOKS):
        above, below = problem.rows.column_signs(rows, problem.y[rows], columns)
        one = above != below
        # A column that has both signs may have one when rows have gone, so all are looked at again.
        if not one.any():
            columns = columns[above | below]
            break
        chosen = columns[one]
        x = problem.x[rows][:, chosen]
        gone = np.asarray((x != 0).sum(axis=1)).ravel() > 0
        stages.append((chosen, np.where(above[one], 1.0, -1.0), rows[gone]))
        rows = rows[~gone]
        columns = columns[~one]
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

    def terms(values: Array, columns: Any) -> Array:
        # Whole numbers have bits only at the top, and a product modulo 2⁶⁴ carries none down. −0 + 0 is 0.
        wide = (values + 0).view(bits).astype(np.uint64)
        return (wide ^ (wide >> np.uint64(32)) ^ (wide << np.uint64(17))) * factors[columns]

    signs = signs.astype(problem.dtype)
    return np.concatenate([rows.times(signs[at]).sums(terms) for at, rows in problem.blocks(HASHED_AT_ONCE)])


Watch = Callable[[str], None]
UNSURE = 10_000
"""Rows that floats cannot tell from wrong ones, up to which a hyperplane is worth an exact check (2 s for 1e6 rows)."""
LOOKED_AT = 200
PER_STEP = 2e-9
"""Seconds: 112 s for 1,001 columns of 53 bits, 3 s for 600 of 8."""
DEAR = 20.0
"""Seconds from which an enclosure is tried first: 3 s where the exact multipliers took 110."""


@dataclass
class Hunt:
    """The problem, how the methods see it, and what came of them.

    deadline: of `time.monotonic()`, or None. say: is told which method is at work. tried: a sentence for each method
    that did not decide it. basis: rows of the last basis of the linear program. contradictory: rows for which Newton's
    method found no hyperplane.
    """

    problem: Problem
    view: View
    deadline: float | None
    say: Watch
    certificate: Certificate | None = None
    tried: list[str] = field(default_factory=list)
    basis: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    contradictory: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def done(self) -> bool:
        return self.certificate is not None

    def left(self) -> float | None:
        """Seconds, or None for no limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def running(self) -> bool:
        left = self.left()
        return left is None or left > 0

    def failed(self, what: str) -> None:
        if not self.done:
            self.tried.append(what if self.running() else f"{what} (time is up)")

    def separator(self, w: Array, margins: Array) -> bool:
        """Hand in weights of the view, and their margins."""
        if not np.isfinite(w).all() or not w.any():
            return False
        longest = float(np.abs(w).max())
        if margins.min(initial=1.0) <= -1e-6 * longest or (margins <= 1e-9 * longest).sum() > UNSURE:
            return False
        lifted = self.view.lifted(w)
        return lifted is not None and self.hyperplane(*lifted)

    def hyperplane(self, w: Array, b: float) -> bool:
        """Hand in weights of the problem as it is."""
        self.certificate = certified_separator(self.problem, w, b)
        return self.done

    def support(self, rows: Array) -> bool:
        """Hand in rows that may have a Farkas certificate."""
        if len(rows):
            self.say(f"exact multipliers for {len(rows):,} rows")
            self.certificate = farkas_on(self.problem, np.asarray(rows))
        return self.done

    def multipliers(self, rows: Array, lam: Array) -> bool:
        """Hand in rows and λ > 0 that nearly combine to 0: made exact where that is possible, else enclosed."""
        lam = np.asarray(lam, np.float64)
        rows, lam = rows[lam > 0], lam[lam > 0]
        makers = [("exact multipliers", farkas_near), ("multipliers within bounds", enclose)]
        if self._dear(rows):
            makers.reverse()
        for what, make in makers:
            self.say(f"{what} for {len(rows):,} rows")
            self.certificate = make(self.problem, rows, lam)
            if self.done or not self.running():
                break
        return self.done

    def _dear(self, rows: Array) -> bool:
        """Whether exact multipliers would take long: c³ steps with as many bits as a value has."""
        some = signed(self.problem, rows[:LOOKED_AT]).numerators
        longest = max(abs(int(some.min())), abs(int(some.max()))).bit_length()
        seconds = self.view.width**3 * longest * PER_STEP
        return seconds > min(DEAR, DEAR if self.deadline is None else (self.left() or 0.0))
