"""What proves a verdict, and how it is checked: integers over one denominator, without a solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, ClassVar

import numpy as np

from ...core.rows import Array, Csr
from ..problem import Problem
from .integers import columns_of, dyadic, float_of, signed, whole

BLOCK = 2_000_000
"""Numbers that are turned into integers at a time: some 100 MB as Python objects."""


@dataclass(frozen=True, repr=False)
class Separator:
    """A hyperplane without an error: y(w·x + b) > 0 for every row.

    w: (d,) numerators, b: numerator, of the weights and the bias; denominator > 0 of all. Without an offset b is 0.
    """

    w: tuple[int, ...]
    b: int
    denominator: int
    kind: ClassVar[str] = "separator"

    def check(self, problem: Problem) -> bool:
        """Whether every y(w·x + b) is above 0, exactly. For n·d = 6·10⁷ rounding decides nearly all rows (0.3 s)."""
        from .filter import undecided

        if not self.fits(problem):
            return False
        w = np.array([float_of(each, self.denominator) for each in self.w])
        if not np.isfinite(w).all():
            return self.plain(problem)
        left = undecided(problem, w, float_of(self.b, self.denominator))
        return left is not None and all(value > 0 for value in exact_scores(problem, self.w, self.b, left, True))

    def plain(self, problem: Problem) -> bool:
        """The same in integers alone, for all rows."""
        return self.fits(problem) and all(
            value > 0 for value in exact_scores(problem, self.w, self.b, np.arange(problem.n), True)
        )

    def fits(self, problem: Problem) -> bool:
        if not all(map(whole, (*self.w, self.b, self.denominator))):
            return False
        return self.denominator > 0 and len(self.w) == problem.d and (problem.fit_intercept or self.b == 0)

    def __repr__(self) -> str:
        """Python writes no decimal integers of more than 4,300 digits."""
        return f"<Separator: {len(self.w):,} weights, denominator of {self.denominator.bit_length():,} bits>"

    @property
    def unit(self) -> int:
        """The denominator of w and b as `floats` scales them."""
        longest = max((abs(each) for each in (*self.w, self.b)), default=0)
        return 1 << longest.bit_length() if longest > self.denominator else self.denominator

    def floats(self) -> tuple[Array, float]:
        """(w, b) in float64, scaled so that the longest weight is near 1; rounding may have made a tie of them: see
        `floats.in_floats`."""
        unit = self.unit
        return np.array([float_of(each, unit) for each in self.w], np.float64), float_of(self.b, unit)


@dataclass(frozen=True, repr=False)
class Farkas:
    """A proof that there is no such hyperplane: λ ≥ 0, Σλ = 1, Σ λᵢ yᵢ x̄ᵢ = 0.

    rows: (k,) numbers of rows, from 0, none twice. multipliers: (k,) numerators of λ, at least 0, that sum to
    denominator.
    """

    rows: tuple[int, ...]
    multipliers: tuple[int, ...]
    denominator: int
    kind: ClassVar[str] = "farkas"

    def check(self, problem: Problem) -> bool:
        """Whether it proves that the problem is not separable, exactly (3,840 rows of 784 pixels, 3,800 bits: 1 s)."""
        if not (self.rows and len(self.rows) == len(self.multipliers) and len(set(self.rows)) == len(self.rows)):
            return False
        if not all(map(whole, (*self.rows, *self.multipliers, self.denominator))):
            return False  # numpy's integers overflow
        if min(self.multipliers) < 0 or sum(self.multipliers) != self.denominator or self.denominator <= 0:
            return False
        if min(self.rows) < 0 or max(self.rows) >= problem.n:
            return False
        return not any(combined(problem, self.rows, self.multipliers))

    plain = check

    def __repr__(self) -> str:
        return f"<Farkas: {len(self.rows):,} rows, denominator of {self.denominator.bit_length():,} bits>"

    @property
    def fractions(self) -> list[Fraction]:
        """(k,) λ."""
        return [Fraction(each, self.denominator) for each in self.multipliers]


@dataclass(frozen=True, repr=False)
class Enclosure:
    """A proof in floating point with bounds on its own errors: some λ near these, none below 0, has Σ λᵢ yᵢ x̄ᵢ = 0.

    rows: (k,) numbers of rows, from 0. multipliers: (k,) float64 λ̂ > 0. basis: those of the rows on which the exact λ
    differs from λ̂. See `enclosure` for the theorem behind it.
    """

    rows: tuple[int, ...]
    multipliers: tuple[float, ...]
    basis: tuple[int, ...]
    kind: ClassVar[str] = "enclosure"

    def check(self, problem: Problem) -> bool:
        """Whether the bounds hold, all of them computed anew."""
        from .enclosure import holds

        return holds(problem, self)

    plain = check

    def __repr__(self) -> str:
        return f"<Enclosure: {len(self.rows):,} rows, {len(self.basis):,} of them a basis>"


Certificate = Separator | Farkas | Enclosure
KINDS: dict[str, Any] = {each.kind: each for each in (Separator, Farkas, Enclosure)}


def blocks(problem: Problem, rows: Array) -> Iterator[Array]:
    """Row numbers in blocks of some `BLOCK` numbers."""
    size = max(1, BLOCK // (problem.d + 1))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def exact_scores(problem: Problem, w: tuple[int, ...], b: int, rows: Array, sign: bool) -> Iterator[int]:
    """A positive multiple of w·x + b for each row, times y with `sign`: the same multiple only within a block of rows,
    and for the sign alone."""
    for block in blocks(problem, rows):
        for value, y in zip(scaled_scores(problem, w, b, block)[0], problem.y[block], strict=True):
            yield -value if sign and y < 0 else value


def scaled_scores(problem: Problem, w: tuple[int, ...], b: int, rows: Array) -> tuple[list[int], int]:
    """([w·x + b, …], e) in integers: the scores are these times 2^e, over the denominator of w and b."""
    if isinstance(problem.rows, Csr):
        return _sparse_scores(problem, w, b, rows)
    found = columns_of(problem, rows)
    least = int(found.exponents.min(initial=0))
    bar = [*w, b] if problem.fit_intercept else list(w)
    bar = [bar[j] << (int(e) - least) for j, e in zip(found.columns, found.exponents, strict=True)]
    return [sum(map(mul, row, bar)) for row in found.numerators.tolist()], least


def _sparse_scores(problem: Problem, w: tuple[int, ...], b: int, rows: Array) -> tuple[list[int], int]:
    """Entry by entry, because the columns of some thousand rows are too many to lay out."""
    x = problem.x[rows]
    m, e = dyadic(x.data)
    least = min(int(e.min(initial=0)), 0)
    ends, columns, numerators, shifts = x.indptr.tolist(), x.indices.tolist(), m.tolist(), (e - least).tolist()
    scores = []
    for start, end in zip(ends[:-1], ends[1:], strict=True):
        terms = (w[columns[p]] * numerators[p] << shifts[p] for p in range(start, end))
        scores.append(sum(terms) + (b << -least))
    return scores, least


def combined(problem: Problem, rows: tuple[int, ...], multipliers: tuple[int, ...]) -> list[int]:
    """Σ λᵢ yᵢ x̄ᵢ, each column in a unit of its own: Python integers, one for each column that occurs."""
    numbers = np.asarray(rows, np.int64)
    if isinstance(problem.rows, Csr):
        return _combined_sparse(problem, numbers, multipliers)
    found = signed(problem, numbers)
    total = [0] * found.numerators.shape[1]
    for j in range(len(total)):
        total[j] = sum(map(mul, multipliers, found.numerators[:, j].tolist()))
    return total


def _combined_sparse(problem: Problem, rows: Array, multipliers: tuple[int, ...]) -> list[int]:
    x = problem.x[rows]
    m, e = dyadic(x.data)
    least = int(e.min(initial=0))
    entries = np.repeat(np.arange(len(rows)), np.diff(x.indptr)).tolist()
    weights = [each if y > 0 else -each for each, y in zip(multipliers, problem.y[rows], strict=True)]
    total: dict[int, int] = {}
    for i, j, value, shift in zip(entries, x.indices.tolist(), m.tolist(), (e - least).tolist(), strict=True):
        total[j] = total.get(j, 0) + (weights[i] * value << shift)
    return [*total.values(), *([sum(weights)] if problem.fit_intercept else [])]
