"""From what a solver found in floats to a proof: exact hyperplanes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .certificate import Separator
from .filter import bounded_margins

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
    separator = as_given(problem, w, b) or other_offset(problem, w)
    if separator is None and problem.n * problem.d <= SMALL and w.any():
        for bits in ROUNDED:
            separator = other_offset(problem, rounded(w, bits))
            if separator is not None:
                break
    return separator


def rounded(w: Array, bits: int) -> Array:
    """Weights as multiples of 2^−bits of the longest."""
    unit = np.ldexp(1.0, int(np.frexp(np.abs(w).max())[1]) - bits)
    return np.asarray(np.round(w / unit) * unit) if unit > 0 else w


def as_given(problem: Problem, w: Array, b: float) -> Separator | None:
    """These very floats as a proof, None where they are none."""
    separator = Separator.of(w, b)
    return separator if separator.check(problem, (w, b)) else None


def right_rows(problem: Problem, w: Array, b: float) -> Array:
    """(n,) bool, y(w·x + b) > 0 in exact arithmetic, for float64 w and b."""
    w = np.asarray(w, np.float64)
    return Separator.of(w, b).right_rows(problem, (w, b))


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
    if positive is None or negative is None:
        b = 1 - positive if positive is not None else negative - 1 if negative is not None else Fraction(0)
        return Separator.of(w, _near(b))
    return Separator.of(w, between(-positive, negative)) if -positive < negative else None


def between(low: Fraction, high: Fraction) -> Fraction:
    """A number strictly between, the middle where a float is there, as short as needed where none is."""
    middle = (low + high) / 2
    near = _near(middle)
    return near if low < near < high else middle


def _near(value: Fraction) -> Fraction:
    try:
        return Fraction(float(value))
    except OverflowError:
        return value
