"""A run of perceptron steps made once more from its log, and each step held against the lines of the theorems.

Two classes, one row a step: `w̄ ← w̄ + a·x̄`. Kept in float64 whatever the run's dtype; what the run itself may have
rounded away is bounded on the way (DRIFT), so that a step on a right row is told from a rounded one.

What a run seems to violate is looked at once more in exact arithmetic. The weights after k additions are
η·Σ c_i·y_i·x̄_i, with c_i the additions of row i: from the counts alone each side of each theorem is an exact fraction.
Only what the run itself rounded is not: `excess`, measured on the way, says how much longer w̄ became than a run without
rounding would have allowed.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...core.dispatch import Kernel
from ...core.rows import Array, Index, Rows
from ...core.verbs import add, dot
from ..problem import Problem
from ..proof.integers import combined, fractions
from .bounds import Yardstick, exact_least, exact_longest, squared_length, violated

# Places in Trail.f and Trail.n.
ALONG, SQUARE, EXCESS, DRIFT, LEAST_ALONG, MOST_SQUARE, LEAST_COSINE, MOST_OFF = range(8)
ADDITIONS, STEPS, UNDERSHOT, RECORDS, NEXT = range(5)
# What can be wrong with a step, as `follow` returns it; each has a slack of its own in Law.slack.
FINE, COEFFICIENT, RIGHT_ROW, RAISE, BELOW_LINE, TOO_LONG, TOO_MANY = range(7)
GROWTH = 1.04
"""Between two recorded points: 2,729,231 mistakes leave some 320."""
MOST_RECORDS = 1200
"""1.04 to this power is more than 2⁶³."""


class Trail(NamedTuple):
    """Where the run is. w: (d,) float64; b: (1,). counts: (n,) int64, additions of each row.

    f: ALONG w̄·u; SQUARE ‖w̄‖²; EXCESS what rounding added to ‖w̄‖² beyond the theorem's steps; DRIFT a bound on the
    length of the run's own rounding; LEAST_ALONG, MOST_SQUARE, LEAST_COSINE: the worst shares of their lines so far;
    MOST_OFF: the largest relative difference between what a step raised y·u by and |a|·‖x̄‖².
    n: ADDITIONS k; STEPS; UNDERSHOT: steps whose row stayed wrong; RECORDS; NEXT: the k of the next record.
    record: (MOST_RECORDS, 3) k, ALONG, SQUARE.
    """

    w: Array
    b: Array
    counts: Array
    f: Array
    n: Array
    record: Array


class Law(NamedTuple):
    """What must hold. along: (n,) x̄_i·u of the unit separator u, or zeros where there is none. squares:
    (n,) ‖x̄‖², in float64 also of float32 rows. eta: η.

    start: a step is made where y·u ≤ this. tau: each addition is made where y·u ≤ this. many: a step may be several
    additions. bias: 1 or 0. margin: of u, 0 where there is none. longest: R̄². unit: the rounding unit of the run's
    dtype. terms: the most summands of a score. lines: whether w̄ began at zero. slack: by what can be wrong, relative.
    """

    along: Array
    squares: Array
    eta: float
    start: float
    tau: float
    many: bool
    bias: float
    margin: float
    longest: float
    unit: float
    terms: float
    lines: bool
    slack: Array


class Log(NamedTuple):
    """Steps that were made. row: (s,) int64; coef: (s,) float64, the true a of each. y: (n,) labels ±1 of the rows."""

    row: Array
    coef: Array
    y: Array


def follow(rows: Rows, log: Log, law: Law, trail: Trail, first: int) -> tuple[int, int]:
    """(step, what is wrong) of the first step from `first` on that breaks the law, else (number of steps, FINE).

    The step that breaks it has been made.
    """
    row, coef, y = log
    w, b, f, n, slack = trail.w, trail.b, trail.f, trail.n, law.slack
    per = law.eta * law.eta * law.longest + 2.0 * law.eta * law.tau
    for p in range(first, row.size):
        a = coef[p]
        if a == 0.0:
            continue
        i: Index = np.uint64(row[p])
        u = dot(rows, i, w) + b[0] * law.bias
        q = law.squares[i]
        long, size, length = abs(a), np.sqrt(q), np.sqrt(f[SQUARE])
        times = np.rint(long / law.eta) if law.many else 1.0
        wrong = FINE
        if a * y[i] <= 0.0 or abs(long - law.eta * times) > slack[COEFFICIENT] * long:
            wrong = COEFFICIENT
        noise = law.terms * size * length
        if y[i] * u - law.start > slack[RIGHT_ROW] * (size * f[DRIFT] + law.unit * noise):
            wrong = RIGHT_ROW
        add(rows, i, a, w)
        b[0] += a * law.bias
        after = dot(rows, i, w) + b[0] * law.bias
        raised, due = y[i] * (after - u), long * q
        off = abs(raised - due)
        room = 2.3e-16 * law.terms * (2.0 * size * length + due)
        if off > slack[RAISE] * room:
            wrong = RAISE
        if due > 0.0:
            f[MOST_OFF] = max(f[MOST_OFF], max(off - room, 0.0) / due)
        if y[i] * after <= law.start:
            n[UNDERSHOT] += 1
        gain = 2.0 * a * u + a * a * q
        f[ALONG] += a * law.along[i]
        f[SQUARE] = max(f[SQUARE] + gain, 0.0)
        f[EXCESS] += max(0.0, gain - times * (law.eta * law.eta * q + 2.0 * law.eta * law.tau))
        f[DRIFT] += law.unit * (length + 3.0 * long * size)
        trail.counts[i] += np.int64(times)
        n[ADDITIONS] += np.int64(times)
        n[STEPS] += 1
        if law.lines and wrong == FINE:
            k = float(n[ADDITIONS])
            most = k * per
            if most > 0.0:
                f[MOST_SQUARE] = max(f[MOST_SQUARE], f[SQUARE] / most)
            if f[SQUARE] > most * (1.0 + slack[TOO_LONG]):
                wrong = TOO_LONG
            if law.margin > 0.0:
                line = k * law.eta * law.margin
                f[LEAST_ALONG] = min(f[LEAST_ALONG], f[ALONG] / line)
                if f[SQUARE] > 0.0:
                    f[LEAST_COSINE] = min(f[LEAST_COSINE], f[ALONG] / np.sqrt(f[SQUARE]) * np.sqrt(most) / line)
                if f[ALONG] < line * (1.0 - slack[BELOW_LINE]):
                    wrong = BELOW_LINE
                if line * line > most * (1.0 + slack[TOO_MANY]):
                    wrong = TOO_MANY
            if n[ADDITIONS] >= n[NEXT] and n[RECORDS] < trail.record.shape[0]:
                trail.record[n[RECORDS], 0] = k
                trail.record[n[RECORDS], 1] = f[ALONG]
                trail.record[n[RECORDS], 2] = f[SQUARE]
                n[RECORDS] += 1
                n[NEXT] = max(n[ADDITIONS] + 1, np.int64(k * GROWTH))
        if wrong != FINE:
            return p, wrong
    return row.size, FINE


follow_steps = Kernel(follow, exact=True, rows=True)


def new_trail(w: Array, b: float, n: int) -> Trail:
    """At the start: weights w, (d,), and b, for n rows."""
    f = np.zeros(8)
    f[SQUARE] = float(w.astype(float) @ w.astype(float)) + b * b
    f[[LEAST_ALONG, LEAST_COSINE]] = np.inf
    counts, places = np.zeros(n, np.int64), np.zeros(5, np.int64)
    return Trail(w.astype(np.float64), np.array([float(b)]), counts, f, places, np.zeros((MOST_RECORDS, 3)))


def recheck(problem: Problem, law: Law, trail: Trail, yard: Yardstick | None, wrong: int) -> None:
    """Raises BoundViolated unless exact arithmetic says that it was rounding. wrong: as `follow` returns it."""
    k = int(trail.n[ADDITIONS])
    if wrong in (COEFFICIENT, RIGHT_ROW, RAISE):
        raise violated(f"step {k:,} of the run {_STEPS[wrong]}")
    left, right = _sides(problem, law, trail, yard, wrong)
    if left > right:
        sides = f"{float(left):.17g} > {float(right):.17g}"
        raise violated(f"after {k:,} additions {_LINES[wrong]} ({sides}), in exact arithmetic")


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
    weights = np.array(list(total.values()), object)
    if wrong == TOO_LONG:
        return eta * eta * squared_length(weights, 0), most
    assert yard is not None  # without a separator there is no other line
    separator = fractions(np.append(yard.w, yard.b))
    line = k * eta * exact_least(problem, yard.w, yard.b)
    if wrong == BELOW_LINE:
        return line, eta * (weights @ separator[list(total)])
    return line * line, most * squared_length(separator[:-1], separator[-1])
