"""What a run seems to violate, looked at once more in exact arithmetic.

The weights after k additions are η·Σ c_i·y_i·x̄_i, with c_i the additions of row i: from the counts alone each side of
each theorem is an exact fraction. Only what the run itself rounded is not: `excess`, measured on the way, says how much
longer w̄ became than a run without rounding would have allowed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ...errors import BoundViolated
from ..problem import Problem
from .follow import ADDITIONS, BELOW_LINE, COEFFICIENT, EXCESS, RAISE, RIGHT_ROW, TOO_LONG, TOO_MANY, Law, Trail
from .yardstick import Whole, Yardstick, exact_least, exact_longest, exact_sum, squared_length


class Exact(NamedTuple):
    """Squares, so that no root is needed. along: w̄_k·v for the separator v as given, not of unit length."""

    k: int
    eta: Fraction
    per: Fraction
    square: Fraction
    along: Fraction
    least: Fraction
    length: Fraction
    excess: Fraction


def recheck(problem: Problem, law: Law, trail: Trail, yard: Yardstick | None, wrong: int) -> None:
    """Raises BoundViolated unless exact arithmetic says that it was rounding. wrong: as `follow` returns it."""
    k = int(trail.n[ADDITIONS])
    if wrong in (COEFFICIENT, RIGHT_ROW, RAISE):
        raise BoundViolated(f"step {k:,} of the run {_STEPS[wrong]}; this is an error in rosenblatt, please report it")
    found = exactly(problem, law, trail, yard)
    left, right = _sides(found, wrong)
    if left > right:
        raise BoundViolated(
            f"after {k:,} additions {_LINES[wrong]} ({float(left):.17g} > {float(right):.17g}), in exact arithmetic; "
            f"this is an error in rosenblatt, please report it"
        )


_STEPS = {
    COEFFICIENT: "has another length than the rule gives it",
    RIGHT_ROW: "is on a row that the rule calls right",
    RAISE: "does not raise y·u by its length times ‖x̄‖²",
}
_LINES = {
    TOO_LONG: "‖w̄_k‖² is above its line k·(η²R̄² + 2ητ)",
    BELOW_LINE: "w̄_k·u is below its line kηγ",
    TOO_MANY: "k is above its bound (R̄² + 2τ/η)/γ²",
}


def exactly(problem: Problem, law: Law, trail: Trail, yard: Yardstick | None) -> Exact:
    """Both sides of every theorem. A run from zero weights only."""
    eta, k = Fraction(law.eta), int(trail.n[ADDITIONS])
    total, scale = exact_sum(problem, trail.counts)
    square = eta * eta * Fraction(sum(x * x for x in total.values()), scale * scale)
    per = eta * eta * exact_longest(problem) + 2 * eta * Fraction(law.tau)
    excess = Fraction(float(trail.f[EXCESS])) * Fraction(1001, 1000)
    if yard is None:
        return Exact(k, eta, per, square, Fraction(0), Fraction(0), Fraction(1), excess)
    weights = Whole.of([*yard.w.tolist(), yard.b])
    along = eta * Fraction(sum(x * weights.numbers[j] for j, x in total.items()), scale * weights.scale)
    length = squared_length([Fraction(value) for value in yard.w.tolist()], Fraction(yard.b))
    return Exact(k, eta, per, square, along, exact_least(problem, yard.w, yard.b), length, excess)


def _sides(found: Exact, wrong: int) -> tuple[Fraction, Fraction]:
    """(left, right) of the inequality left ≤ right that a theorem states."""
    line = found.k * found.eta * found.least
    if wrong == BELOW_LINE:
        return line, found.along
    most = found.k * found.per + found.excess
    return (line * line, most * found.length) if wrong == TOO_MANY else (found.square, most)
