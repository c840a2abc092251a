"""From what a solver found in floats to a proof: exact hyperplanes, and exact multipliers."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from .certificate import Separator, scaled_scores
from .farkas import farkas_near, farkas_on
from .filter import bounded_scores, undecided
from .integers import common

__all__ = ["certified_separator", "farkas_near", "farkas_on"]
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
    found = as_given(problem, w, b) or other_offset(problem, w)
    if found is None and problem.n * problem.d <= SMALL and w.any():
        for bits in ROUNDED:
            found = other_offset(problem, rounded(w, bits))
            if found is not None:
                break
    return found


def rounded(w: Array, bits: int) -> Array:
    """Weights as multiples of 2^−bits of the longest."""
    unit = np.ldexp(1.0, int(np.frexp(np.abs(w).max())[1]) - bits)
    return np.asarray(np.round(w / unit) * unit) if unit > 0 else w


def as_given(problem: Problem, w: Array, b: float) -> Separator | None:
    """These very floats as a proof, None where they are none."""
    left = undecided(problem, w, b)
    if left is None:
        return None
    found = separator_of(w, Fraction(b))
    signs = problem.y[left]
    for start in range(0, len(left), 10_000):
        part = slice(start, start + 10_000)
        scores, _ = scaled_scores(problem, found.w, found.b, left[part])
        if any((score if y > 0 else -score) <= 0 for score, y in zip(scores, signs[part], strict=True)):
            return None
    return found


def other_offset(problem: Problem, w: Array) -> Separator | None:
    """With an offset between the classes: above every −w·x of the positive rows, below every one of the negative."""
    if not problem.fit_intercept:
        return as_given(problem, w, 0.0)
    scores, bound = bounded_scores(problem, w, 0.0)
    if not np.isfinite(bound).all():
        scores, bound = np.zeros_like(scores), np.full_like(bound, np.inf)
    positive = problem.y > 0
    if not positive.all() and positive.any():
        least = -scores[positive] - bound[positive]
        most = -scores[~positive] + bound[~positive]
        if least.max() >= most.min():
            return None
    low = _highest(problem, w, np.flatnonzero(positive), -scores, bound)
    high = _highest(problem, w, np.flatnonzero(~positive), scores, bound)
    if low is None or high is None:
        b = low + 1 if low is not None else -high - 1 if high is not None else Fraction(0)
        return separator_of(w, _near(b))
    return separator_of(w, between(low, -high)) if low < -high else None


def _highest(problem: Problem, w: Array, rows: Array, about: Array, bound: Array) -> Fraction | None:
    """The exact largest of ∓w·x over rows of one class, from about (n,) within bound; None without rows."""
    if not rows.size:
        return None
    candidates = rows[~(about[rows] + bound[rows] < (about[rows] - bound[rows]).max())]
    sign = -1 if problem.y[rows[0]] > 0 else 1
    numerators, denominator = common(w)
    highest: Fraction | None = None
    for start in range(0, len(candidates), 10_000):
        scores, e = scaled_scores(problem, tuple(numerators), 0, candidates[start : start + 10_000])
        best = Fraction(max(sign * score for score in scores), denominator) * Fraction(2) ** e
        highest = best if highest is None or best > highest else highest
    return highest


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


def separator_of(w: Array, b: Fraction) -> Separator:
    """Integers of (w, b), in lowest terms."""
    numerators, below = common(w)
    denominator = below * b.denominator // gcd(below, b.denominator)
    scale = denominator // below
    return Separator(
        tuple(each * scale for each in numerators), b.numerator * (denominator // b.denominator), denominator
    )
