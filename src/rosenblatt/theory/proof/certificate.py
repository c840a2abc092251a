"""What proves a verdict, and how it is checked without a solver: in integers, or in floats with bounds on their errors.

Not separable in floats: near approximate multipliers there are exact ones, none below 0. With λ̂ > 0 on k rows, A the
matrix of their y·x̄ and B its rows of a basis, the exact correction δ of the basis solves Bᵀδ = −r, r = Aᵀλ̂. Let R be
any matrix, G = I − R·Bᵀ and α = ‖G‖∞. If α < 1, then B is regular, δ is there, ‖δ‖∞ ≤ ‖Rr‖∞/(1 − α) and |δᵢ| ≤ |Rr|ᵢ +
Σⱼ|Gᵢⱼ|·‖δ‖∞. If that is below λ̂ᵢ on the whole basis, λ̂ + δ is positive and exact: the data are not separable. Every
quantity is bounded from above with its own rounding error (S. Rump, Verification methods, Acta Numerica 2010, section
10). Rows and columns are scaled by powers of two first, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar, Self

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .integers import TINY, UNIT, bounded_margins, combined, float_of, flushes, margins, whole


@dataclass(frozen=True, repr=False)
class Separator:
    """A hyperplane without an error: y(w·x + b) > 0 for every row.

    w: (d,) numerators, b: numerator, of the weights and the bias; denominator > 0 of all. Without an offset b is 0.
    """

    w: tuple[int, ...]
    b: int
    denominator: int
    kind: ClassVar[str] = "separator"
    claim: ClassVar[str] = "separable: y(w·x + b) > 0 for every row"

    @classmethod
    def of(cls, w: Iterable[float | Fraction], b: float | Fraction) -> Self:
        """Of finite floats or fractions, exactly: over their least common denominator."""
        ratios = [value.as_integer_ratio() for value in (*w, b)]
        denominator = lcm(*(below for _, below in ratios))
        *numerators, last = (above * (denominator // below) for above, below in ratios)
        return cls(tuple(numerators), last, denominator)

    def check(self, problem: Problem) -> bool:
        """Whether every y(w·x + b) is above 0, exactly. For n·d = 6·10⁷ rounding decides nearly all rows (0.3 s)."""
        if not self.fits(problem):
            return False
        rounded, bound = bounded_margins(problem, *self.floats(self.denominator))
        return not (rounded < -bound).any() and self._right(problem, np.flatnonzero(~(rounded > bound)))

    def plain(self, problem: Problem) -> bool:
        """The same in integers alone, for all rows."""
        return self.fits(problem) and self._right(problem, np.arange(problem.n))

    def _right(self, problem: Problem, rows: Array) -> bool:
        return all((values > 0).all() for _, values, _ in margins(problem, self.w, self.b, rows))

    def right_rows(self, problem: Problem) -> Array:
        """(n,) bool, y(w·x + b) > 0, exactly."""
        rounded, bound = bounded_margins(problem, *self.floats(self.denominator))
        right = rounded > bound
        for rows, values, _ in margins(problem, self.w, self.b, np.flatnonzero(~right & ~(rounded < -bound))):
            right[rows] = values > 0
        return right

    def least(self, problem: Problem, rows: Array, bounded: tuple[Array, Array] | None = None) -> tuple[Fraction, int]:
        """(min y(w·x + b) of these rows, exactly; the number of the first row that has it).

        bounded: `bounded_margins` of all rows, for any positive multiple of (w, b), where they are at hand.
        """
        rounded, bound = bounded or bounded_margins(problem, *self.floats())
        racing = rows[~(rounded[rows] - bound[rows] > (rounded + bound)[rows].min())]
        each = [
            (Fraction(values.min(), self.denominator << -e), int(block[values.argmin()]))
            for block, values, e in margins(problem, self.w, self.b, racing)
        ]
        return min(each)

    def fits(self, problem: Problem) -> bool:
        integers = all(map(whole, (*self.w, self.b, self.denominator)))
        return integers and self.denominator > 0 and not self.flaw(problem.d, problem.fit_intercept)

    def flaw(self, d: int, fit_intercept: bool) -> str:
        """Why it is none for d columns, in words, or ""."""
        if len(self.w) != d:
            return f"{len(self.w):,} weights for {d:,} columns"
        return "" if fit_intercept or not self.b else "b must be 0 without an offset"

    def __repr__(self) -> str:
        """Python writes no decimal integers of more than 4,300 digits."""
        return f"<Separator: {len(self.w):,} weights, denominator of {self.denominator.bit_length():,} bits>"

    @property
    def unit(self) -> int:
        """The denominator of w and b as `floats` scales them."""
        longest = max((abs(each) for each in (*self.w, self.b)), default=0)
        return 1 << longest.bit_length() if longest > self.denominator else self.denominator

    def floats(self, unit: int | None = None) -> tuple[Array, float]:
        """(w, b) in float64, scaled so that the longest weight is near 1, or that `unit` is 1; rounding may have made a
        tie of them: see `floats.in_floats`."""
        unit = unit or self.unit
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
    claim: ClassVar[str] = "not separable: λ ≥ 0, Σλ = 1, Σ λᵢ yᵢ x̄ᵢ = 0"

    def check(self, problem: Problem) -> bool:
        """Whether it proves that the problem is not separable, exactly (3,840 rows of 784 pixels, 3,800 bits: 1 s)."""
        if not all(map(whole, (*self.rows, *self.multipliers, self.denominator))):
            return False  # numpy's integers overflow
        if self.flaw() or self.denominator <= 0 or min(self.rows) < 0 or max(self.rows) >= problem.n:
            return False
        return not combined(problem, np.array(self.rows), self.multipliers)

    plain = check

    def flaw(self, d: int = 0, fit_intercept: bool = True) -> str:
        """What it lacks, whatever the rows are, in words, or ""."""
        flaw = _flaw(self.rows, self.multipliers)
        if flaw or min(self.multipliers) < 0:
            return flaw or "a multiplier is negative"
        fit = sum(self.multipliers) == self.denominator
        return "" if fit else "the multipliers do not sum to the denominator"

    def __repr__(self) -> str:
        return f"<Farkas: {len(self.rows):,} rows, denominator of {self.denominator.bit_length():,} bits>"

    @classmethod
    def of(cls, rows: Iterable[int], values: Sequence[int]) -> Self:
        """Of multipliers up to a factor, some above 0: in lowest terms, in the order of the rows, without zeros."""
        part = gcd(*values)
        pairs = sorted((row, value // part) for row, value in zip(rows, values, strict=True) if value)
        return cls(tuple(row for row, _ in pairs), tuple(value for _, value in pairs), sum(value for _, value in pairs))

    def renumbered(self, numbers: Array) -> Farkas:
        """The same proof, of rows that have these numbers among others."""
        return Farkas.of(numbers[list(self.rows)].tolist(), self.multipliers)

    @property
    def fractions(self) -> list[Fraction]:
        """(k,) λ."""
        return [Fraction(each, self.denominator) for each in self.multipliers]


@dataclass(frozen=True, repr=False)
class Enclosure:
    """A proof in floating point with bounds on its own errors: some λ near these, none below 0, has Σ λᵢ yᵢ x̄ᵢ = 0.

    rows: (k,) numbers of rows, from 0. multipliers: (k,) float64 λ̂ > 0. basis: those of the rows on which the exact λ
    differs from λ̂. See above for the theorem behind it.
    """

    rows: tuple[int, ...]
    multipliers: tuple[float, ...]
    basis: tuple[int, ...]
    kind: ClassVar[str] = "enclosure"
    claim: ClassVar[str] = "not separable: near these multipliers are exact λ > 0 with Σ λᵢ yᵢ x̄ᵢ = 0"

    def check(self, problem: Problem) -> bool:
        """Whether the bounds hold, all of them computed anew."""
        rows, lam = np.array(self.rows, np.int64), np.array(self.multipliers, np.float64)
        if self.flaw() or flushes() or rows.min() < 0 or rows.max() >= problem.n:
            return False
        values = equations(problem, rows) if (lam >= 2.0**-900).all() and (lam <= 1.0).all() else None
        if values is None or len(self.basis) != values.shape[1]:
            return False
        place = np.flatnonzero(np.isin(rows, self.basis))
        if not len(place):
            return True  # every x̄ of these rows is 0
        scale = np.frexp(lam[place])[1] - 1  # 2^scale ≤ λ
        square = np.ldexp(values[place], scale[:, None]).T
        if not (np.ldexp(square.T, -scale[:, None]) == values[place]).all():
            return False  # a subnormal number was rounded
        room = np.ldexp(lam[place], -scale)
        with np.errstate(all="ignore"):
            bound = _correction(square, *_residual(values, lam))
        return bound is not None and bool((bound < room).all())

    plain = check

    def flaw(self, d: int = 0, fit_intercept: bool = True) -> str:
        """As of `Farkas`."""
        fit = len(set(self.basis)) == len(self.basis) and set(self.basis) <= set(self.rows)
        return _flaw(self.rows, self.multipliers) or ("" if fit else "the basis must be some of the rows, none twice")

    def renumbered(self, numbers: Array) -> Enclosure:
        """The same proof, of rows that have these numbers, ascending, among others."""
        rows, basis = (tuple(numbers[list(part)].tolist()) for part in (self.rows, self.basis))
        return Enclosure(rows, self.multipliers, basis)

    def __repr__(self) -> str:
        return f"<Enclosure: {len(self.rows):,} rows, {len(self.basis):,} of them a basis>"


def _flaw(rows: Sequence[int], multipliers: Sequence[float]) -> str:
    if not rows or len(rows) != len(multipliers):
        return f"{len(multipliers):,} multipliers for {len(rows):,} rows"
    return "" if len(set(rows)) == len(rows) else "a row number is there twice"


Certificate = Separator | Farkas | Enclosure


MOST = 300_000_000
"""Numbers (rows times columns) that are laid out, at the most: 2.4 GB."""
SPLIT = 2.0**27 + 1.0


def equations(problem: Problem, rows: Array) -> Array | None:
    """(k, c) float64 y·x̄, each column exactly scaled to at most 1; without columns that add no equation: those of
    zeros, and with an offset constant ones. None where that is too much, or not exact."""
    chosen = problem.rows.take(rows)
    used = chosen.used_columns()
    if len(rows) * len(used) > MOST:
        return None
    x = chosen.take_columns(used).astype(np.float64).toarray()
    idle = (x == x[0]).all(axis=0) if problem.fit_intercept else (x == 0).all(axis=0)
    x = x[:, ~idle]
    if problem.fit_intercept:
        x = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    exponents = np.frexp(np.abs(x).max(axis=0, initial=0.0))[1]
    scaled = np.ldexp(x, -exponents)
    if not (np.ldexp(scaled, exponents) == x).all():
        return None
    return np.asarray(scaled * problem.y[rows][:, None])


def _residual(values: Array, lam: Array) -> tuple[Array, Array]:
    """(c,) r = Σ λᵢ aᵢⱼ and a bound on its error: products in four exact parts, sums rounded once (math.fsum)."""
    high, low = _parts(values)
    big, small = (part[:, None] for part in _parts(lam))
    r = np.empty(values.shape[1])
    for j in range(values.shape[1]):
        h, lo = high[:, j : j + 1], low[:, j : j + 1]
        terms = np.concatenate([h * big, h * small, lo * big, lo * small], axis=None)
        r[j] = math.fsum(terms.tolist())
    return r, np.abs(r) * (2.0 * UNIT) + 8.0 * len(values) * TINY


def _parts(values: Array) -> tuple[Array, Array]:
    """a = high + low exactly, each of at most 26 bits (T. Dekker, 1971), so that products of parts are exact."""
    c = SPLIT * values
    high = c - (c - values)
    return high, values - high


def _correction(square: Array, r: Array, error: Array) -> Array | None:
    """(c,) bounds on |δ| for square·δ = −r, r known within error. None where no inverse proves the matrix regular."""
    c = len(square)
    up = 1.0 + 8.0 * (c + 8) * UNIT
    tiny = 8.0 * (c + 8.0) ** 2 * TINY
    try:
        inverse = np.linalg.inv(square)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(inverse).all() or c * UNIT > 1e-4:
        return None
    size = np.abs(inverse)
    product = inverse @ square
    product[np.arange(c), np.arange(c)] -= 1.0
    rounding = 2.0 * (c + 8) * UNIT
    gaps = (np.abs(product).sum(axis=1) * up + rounding * (size @ (np.abs(square).sum(axis=1) + 1.0)) + rounding) * up
    gaps = gaps + tiny * (1.0 + size.sum(axis=1))
    alpha = float(gaps.max())
    if not alpha < 0.5:
        return None
    first = (np.abs(inverse @ r) + size @ (error + rounding * np.abs(r))) * up + tiny * (1.0 + size.sum(axis=1))
    longest = float(first.max()) / (1.0 - alpha) * (1.0 + 8.0 * UNIT)
    return np.asarray((first + gaps * longest) * up)
