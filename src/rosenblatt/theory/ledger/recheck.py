"""What a run seems to violate, looked at once more in exact arithmetic.

The weights after k additions are η·Σ c_i·y_i·x̄_i, with c_i the additions of row i: from the counts alone each side of
each theorem is an exact fraction. Only what the run itself rounded is not: `excess`, measured on the way, says how much
longer w̄ became than a run without rounding would have allowed.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...errors import BoundViolated
from ..problem import Problem
from ..proof.integers import combined
from .follow import ADDITIONS, BELOW_LINE, COEFFICIENT, EXCESS, RAISE, RIGHT_ROW, TOO_LONG, TOO_MANY, Law, Trail
from .yardstick import Yardstick, exact_least, exact_longest, squared_length


def recheck(problem: Problem, law: Law, trail: Trail, yard: Yardstick | None, wrong: int) -> None:
    """Raises BoundViolated unless exact arithmetic says that it was rounding. wrong: as `follow` returns it."""
    k = int(trail.n[ADDITIONS])
    if wrong in (COEFFICIENT, RIGHT_ROW, RAISE):
        raise BoundViolated(f"step {k:,} of the run {_STEPS[wrong]}; this is an error in rosenblatt, please report it")
    left, right = _sides(problem, law, trail, yard, wrong)
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


def _sides(problem: Problem, law: Law, trail: Trail, yard: Yardstick | None, wrong: int) -> tuple[Fraction, Fraction]:
    """(left, right) of the inequality left ≤ right that a theorem states: squares, so that no root is needed, and the
    separator as it was given, not of unit length. Of a run from zero weights only."""
    eta, k = Fraction(law.eta), int(trail.n[ADDITIONS])
    excess = Fraction(float(trail.f[EXCESS])) * Fraction(1001, 1000)
    most = k * (eta * eta * exact_longest(problem) + 2 * eta * Fraction(law.tau)) + excess
    added = np.flatnonzero(trail.counts)
    total = combined(problem, added, trail.counts[added].tolist())
    if wrong == TOO_LONG:
        return eta * eta * squared_length(list(total.values()), Fraction(0)), most
    assert yard is not None  # without a separator there is no other line
    w, b = [Fraction(value) for value in yard.w.tolist()], Fraction(yard.b)
    line = k * eta * exact_least(problem, yard.w, yard.b)
    if wrong == BELOW_LINE:
        return line, eta * sum((value * [*w, b][j] for j, value in total.items()), Fraction(0))
    return line * line, most * squared_length(w, b)
