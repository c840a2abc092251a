"""From what a solver found in floats to an exact hyperplane, and from that to floats that do the same."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .certificate import Separator
from .integers import bounded_margins, float_of

ROUNDED = (40, 26, 16, 10)
"""Bits to which weights are rounded where they fail as they are."""
SMALL = 1_000_000
"""Numbers n·d up to which rounded weights are tried, 4 passes more."""


def certified_separator(problem: Problem, w: Array, b: float) -> Separator | None:
    """The hyperplane (w, b) as a proof, or with another offset, or rounded weights, where only those have no error.

    w: (d,) floats; b: ignored without an offset. None where none of these separates the classes exactly. Rows whose
    sign a bound on rounding proves cost two matrix products (6·10⁷ numbers: 0.1 s); the others are decided in integers.
    """
    w = np.asarray(w, np.float64)
    b = float(b) if problem.fit_intercept else 0.0
    if not (np.isfinite(w).all() and np.isfinite(b)):
        return None
    bits = ROUNDED if problem.n * problem.d <= SMALL and w.any() else ()
    tries = (other_offset(problem, each) for each in chain([w], (rounded(w, each) for each in bits)))
    return as_given(problem, w, b) or next(filter(None, tries), None)


def rounded(w: Array, bits: int) -> Array:
    """Weights as multiples of 2^−bits of the longest."""
    unit = np.ldexp(1.0, int(np.frexp(np.abs(w).max())[1]) - bits)
    return np.asarray(np.round(w / unit) * unit) if unit > 0 else w


def as_given(problem: Problem, w: Array, b: float) -> Separator | None:
    """These very floats as a proof, None where they are none."""
    separator = Separator.of(w, b)
    return separator if separator.check(problem) else None


def other_offset(problem: Problem, w: Array) -> Separator | None:
    """With an offset between the classes: above every −w·x of the positive rows, below every one of the negative."""
    if not problem.fit_intercept:
        return as_given(problem, w, 0.0)
    rounded, bound = bounded_margins(problem, w, 0.0)
    if not np.isfinite(bound).all():
        rounded, bound = np.zeros_like(rounded), np.full_like(bound, np.inf)
    sides = [np.flatnonzero(problem.y > 0), np.flatnonzero(problem.y < 0)]
    if all(side.size for side in sides) and sum((rounded + bound)[side].min() for side in sides) <= 0.0:
        return None
    through = Separator.of(w, 0.0)
    positive, negative = (through.least(problem, side, (rounded, bound))[0] if side.size else None for side in sides)
    low = -positive if positive is not None else (Fraction(1) if negative is None else negative) - 2
    high = low + 2 if negative is None else negative
    return Separator.of(w, between(low, high)) if low < high else None


def between(low: Fraction, high: Fraction) -> Fraction:
    """A number strictly between, the middle where a float is there, as short as needed where none is."""
    middle = (low + high) / 2
    with suppress(OverflowError):
        if low < float(middle) < high:
            return Fraction(float(middle))
    return middle


TRIES = 40
"""Other roundings of an exact hyperplane: of 57 thin ones that failed as they were 18 then held; 1,000 tries, which
took 50 times as long, made 29 of it."""
FEW = 20_000
"""Numbers n·d̄ up to which they are tried."""
NEAR = 2.0**-20
"""A hyperplane is that much longer at the most, so that another rounding is no other hyperplane."""


NOT_IN_FLOATS = "no float64 w and b were found that have these rows right"


class Floats(NamedTuple):
    """A hyperplane in float64. exact: y(w·x + b) > 0 on every row, for the floats as they are, in exact arithmetic.
    computed: X @ w + b comes out so, too, with X as it is held: dense and sparse rows are summed in other orders."""

    w: Array
    b: float
    exact: bool
    computed: bool

    @property
    def hold(self) -> bool:
        """Whether who uses them sees what was promised."""
        return self.exact and self.computed


def in_floats(
    problem: Problem,
    separator: Separator,
    first: Iterable[tuple[Array, float]] = (),
    accept: Callable[[Array, float], bool] = lambda w, b: True,
    longest: float | None = None,
    move: bool = True,
) -> Floats:
    """Floats that have every row right, near an exact hyperplane that has; where none are found, it rounded.

    Tried by turns: those given first, the hyperplane rounded, and, where rows are few, some others up to 2⁻²⁰ longer,
    whose numbers are rounded otherwise. Those that are right exactly come before those that are not. accept: what else
    is asked of (w, b). longest: the size of the longest weight, near 1 as a rule. move: whether the offset may go to
    the middle between the classes.
    """
    unit = max(map(abs, separator.w)) / Fraction(longest) if longest else Fraction(separator.unit)
    best: Floats | None = None
    for w, b in chain(first, _roundings(problem, separator, unit, move)):
        new = checked(problem, w, b, accept)
        if best is None or (new.exact, new.computed) > (best.exact, best.computed) and new.exact:
            best = new
        if best.hold:
            break
    assert best is not None
    return best


def checked(problem: Problem, w: Array, b: float, accept: Callable[[Array, float], bool] = lambda w, b: True) -> Floats:
    """(w, b), and what is true of them."""
    if not (np.isfinite(w).all() and np.isfinite(b)):
        return Floats(w, b, False, False)
    with np.errstate(all="ignore"):  # what is not finite is not right
        computed = bool((problem.margins(w, b) > 0.0).all())
    return Floats(w, b, (not problem.n or as_given(problem, w, b) is not None) and accept(w, b), computed)


def _roundings(problem: Problem, separator: Separator, unit: Fraction, move: bool) -> Iterator[tuple[Array, float]]:
    few = problem.n * (problem.d + 1) <= FEW
    factors = [1.0, *(1.0 + NEAR * np.random.default_rng(0).random(TRIES if few else 0)).tolist()]
    for factor in factors:
        scale = Fraction(factor) / unit
        numbers = [float_of(each * scale.numerator, scale.denominator) for each in (*separator.w, separator.b)]
        w = np.array(numbers[:-1], np.float64)
        yield w, numbers[-1]
        moved = other_offset(problem, w) if move and problem.fit_intercept and np.isfinite(w).all() else None
        if moved is not None:
            yield w, float_of(moved.b, moved.denominator)


def nearest(problem: Problem, separator: Separator) -> tuple[int, float]:
    """(number of the row nearest to the hyperplane, its distance y(w·x + b)/‖w‖): of the exact numbers, then rounded.

    Infinite without weights.
    """
    margin, row = separator.least(problem, np.arange(problem.n))
    longest = max(map(abs, separator.w), default=0)
    if not longest:
        return row, float("inf")
    length = problem.length(separator.floats(longest)[0])
    least = float_of(margin.numerator * separator.denominator, margin.denominator * longest)
    return row, least / length if length > 0.0 else float("inf")
