"""The widest margin by row generation: a quadratic program on few rows, the most violated others added, and again.

The last digits come from the equations of the support, solved directly with residuals in longer numbers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array, laid_out
from ..proof.certificate import Separator
from .points import LONG, Points, lower_bound, upper_bound

GOOD = 1e-9
"""The relative gap at which nothing more is tried; what is asked of every separable set is 1e-6."""
FIRST = 200
"""Rows of the first program, or 2(d̄ + 1) if those are more (up to LARGEST): those nearest to the other class's mean."""
LARGEST = 1000
"""Rows that are added at once, at most: a program of 1,000 dense rows takes some seconds."""
ROUNDS = 200
SMALL = 100
"""Columns up to which the program in w is taken, beyond only where there are over four times as many rows: it takes
some 16 ns·k·d² for k rows, the kernel form 0.9 ns·k³, which squares the condition of the rows."""
AGAIN = 6


class Widest(NamedTuple):
    """The best w with the best dual point. w: (d̄,). offset: b for w as it is scaled. rows, multipliers: the dual point,
    all > 0. lower, upper: of the margin. complete: False where time ran out. plane: the exact hyperplane, if known, of
    which (w, offset) are the floats, and lower the margin."""

    w: Array
    offset: float
    rows: Array
    multipliers: Array
    lower: float
    upper: float
    complete: bool = True
    plane: Separator | None = None

    @property
    def gap(self) -> float:
        """upper/lower − 1; infinite without a separator."""
        return max(0.0, self.upper / self.lower - 1.0) if self.lower > 0.0 else np.inf

    def better(self, other: Widest | None) -> Widest:
        """The best of both, side by side: w of one, the dual point of the other."""
        if other is None:
            return self
        a = self if self.lower >= other.lower else other
        b = self if self.upper <= other.upper else other
        return Widest(a.w, a.offset, b.rows, b.multipliers, a.lower, b.upper)


def widest(points: Points, start: Array, deadline: float, known: Array | None = None) -> Widest | None:
    """The widest margin, or None where a program had no solution: then no hyperplane separates the rows (which is the
    solver's word, not a proof). start: rows to begin with. deadline: of `time.monotonic`. known: (d̄,) w that separates:
    the solver's word to the contrary is not believed then, and the answer is never None."""
    working = np.union1d(start, _first(points)).astype(np.int64)
    best = None
    if known is not None:  # the means of the rows are a dual point
        best = _looked_at(points, known / np.abs(known).max(initial=1e-300), working, np.ones(len(working)))
    for _ in range(ROUNDS):
        solution = _program(points, working, best, deadline)
        if solution is None:
            return best
        w, multipliers = solution
        keep = multipliers > 0.0
        best = _looked_at(points, w, working[keep], multipliers[keep]).better(best)
        more = _violated(points, working, w)
        if not len(more) and best.gap > GOOD:
            for better, rows, shares in polished(points, working, w, multipliers):
                best, w = _looked_at(points, better, rows, shares).better(best), better
            more = _violated(points, working, w)
        if best.gap <= GOOD or not len(more):
            break
        if time.monotonic() > deadline:
            return best._replace(complete=False) if best else None
        working = np.union1d(_needed(points, working, solution), more)
    return None if best is None else _pruned(points, best)


def shares(points: Points, best: Widest) -> Array:
    """λ with each class's sum 1, or through the origin the sum of all."""
    out, y = best.multipliers.copy(), points.y[best.rows]
    for side in [y > 0, y < 0] if points.free else [y != 0]:
        out[side] /= out[side].sum()
    return out


def _pruned(points: Points, best: Widest) -> Widest:
    """Without the rows that an interior point leaves with next to nothing: the fewest whose bound is as good."""
    for share in 10.0 ** np.arange(-3, -14, -1):
        keep = best.multipliers > share * best.multipliers.max()
        rows, multipliers = best.rows[keep], best.multipliers[keep]
        upper = upper_bound(points, rows, multipliers)
        if upper <= best.upper + (max(GOOD, best.gap) / 10) * best.lower:
            return best._replace(rows=rows, multipliers=multipliers, upper=upper)
    return best


def _looked_at(points: Points, w: Array, rows: Array, multipliers: Array) -> Widest:
    lower, offset = lower_bound(points, w)
    return Widest(w, offset, rows, multipliers, lower, upper_bound(points, rows, multipliers))


def _first(points: Points) -> Array:
    """Rows of either class with the least margin along the difference of the means."""
    n, y = points.problem.n, points.y
    if n <= FIRST:
        return np.arange(n)
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)]
    x = points.problem.x
    means = [np.asarray(x[side].mean(axis=0, dtype=np.float64)).ravel() for side in sides if len(side)]
    w = means[0] - means[1] if len(means) == 2 else means[0]
    margins = points.margins(np.append(w, 0.0) if points.counted else w)
    many = max(FIRST, min(2 * (points.width + 1), LARGEST)) // 2
    return np.concatenate([side[_smallest(margins[side], many)] for side in sides])


def _needed(points: Points, rows: Array, solution: tuple[Array, Array]) -> Array:
    """The rows of a program that has grown large, less those that are far from its hyperplane."""
    if len(rows) <= LARGEST:
        return rows
    w, multipliers = solution
    margins = points.margins(w)[rows]
    near = margins < np.sort(margins)[len(rows) // 2]
    return rows[near | (multipliers > 1e-7 * multipliers.max())]


def _smallest(values: Array, many: int) -> Array:
    return np.argsort(values, kind="stable")[:many] if many < len(values) else np.arange(len(values))


def _violated(points: Points, working: Array, w: Array) -> Array:
    """Rows outside that lie nearer to the hyperplane than those inside, the worst of each class first."""
    margins = points.margins(w)
    inside = np.zeros(len(margins), bool)
    inside[working] = True
    many, more = min(max(len(working) // 4, 50), LARGEST // 2), []
    for side in [points.y > 0, points.y < 0]:
        here = np.flatnonzero(side & ~inside)
        held = side & inside if points.free else inside
        if len(here) and held.any():
            here = here[margins[here] < margins[held].min()]
            more.append(here[_smallest(margins[here], many)])
    return np.concatenate(more) if more else np.zeros(0, np.int64)


def _program(points: Points, rows: Array, before: Widest | None, deadline: float) -> tuple[Array, Array] | None:
    """(w, λ) of min ½‖w‖² with y(w·x̄ + b) ≥ 1 on these rows; None where the solver finds that there is no such w.

    The rows are divided by what the margin is expected to be, so that w has a length of about 1: 300 columns, 200 rows
    and ‖w‖ = 0.1 ended with a gap of 2e-3, with ‖w‖ = 1 of 2e-13. So, where the guess was bad, a second time.
    """
    m, y = points.signed(rows), points.y[rows] if points.free else None
    form = _primal if len(rows) > 4 * points.width or points.width <= SMALL else _dual
    guess = before.upper * points.scale if before and np.isfinite(before.upper) else 1.0
    known = before is not None and before.lower > 0.0
    best: tuple[Array, Array] | None = None
    least = np.inf
    for _ in range(AGAIN):
        solution = form(m / (guess or 1.0), y, max(deadline - time.monotonic(), 0.1))
        if solution is None:
            if not known:
                break
            guess /= 30.0
            continue
        w, multipliers = solution[0], np.maximum(solution[1], 0.0)
        upper = upper_bound(points, rows, multipliers) * points.scale
        gap = _gap(m, y, w, upper)
        if best is None or gap < least:
            best, least = (w, multipliers), gap
        if gap < GOOD or not 0.0 < upper < np.inf or time.monotonic() > deadline:
            break
        guess = upper if not 0.5 < upper / guess < 2.0 else guess * 3.0
    return best


def _gap(m: Any, y: Array | None, w: Array, upper: float) -> float:
    """upper over the margin of w on these rows, less 1; rounded."""
    margins = np.asarray(m @ w)
    sides = [margins] * 2 if y is None else [margins[y > 0], margins[y < 0]]
    least = sum(side.min() for side in sides if len(side)) / 2
    with np.errstate(over="ignore"):  # of a w far off
        norm = float(np.linalg.norm(w))
    return upper * norm / float(least) - 1.0 if least > 0 else np.inf


def _primal(m: Any, y: Array | None, seconds: float) -> tuple[Array, Array] | None:
    """Variables (w, b), constraints m·w + y·b ≥ 1."""
    from scipy.sparse import csc_matrix, diags, hstack

    k, d = m.shape
    p, a = np.ones(d), csc_matrix(-m)
    if y is not None:
        p, a = np.append(p, 0.0), hstack([a, csc_matrix(-y[:, None])])
    solution = _solved(diags(p), np.zeros(len(p)), a, -np.ones(k), seconds)
    return None if solution is None else (solution[0][:d], solution[1])


def _dual(m: Any, y: Array | None, seconds: float) -> tuple[Array, Array] | None:
    """The kernel form: min ½λᵀGλ − Σλ, λ ≥ 0, with G = m·mᵀ of the rows, and Σ yλ = 0 where the offset is free."""
    from scipy.sparse import csc_matrix, identity, vstack

    k = m.shape[0]
    a = identity(k, format="csc") * -1.0
    if y is not None:
        a = vstack([csc_matrix(y[None, :]), a])
    solution = _solved(np.triu(laid_out(m @ m.T)), -np.ones(k), a, np.zeros(a.shape[0]), seconds, int(y is not None))
    if solution is None:
        return None
    multipliers = np.maximum(solution[0], 0.0)
    return np.asarray(m.T @ multipliers), multipliers


def _solved(p: Any, q: Array, a: Any, b: Array, seconds: float, equal: int = 0) -> tuple[Array, Array] | None:
    """(x, z) of min ½xᵀPx + qᵀx with Ax ≤ b, in the first `equal` rows Ax = b. None where the program has no solution,
    or none was found; one that is merely inaccurate is judged by its bounds."""
    import clarabel
    from scipy.sparse import csc_matrix

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads, settings.time_limit = False, 1, seconds
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(equal)] * (equal > 0) + [clarabel.NonnegativeConeT(len(b) - equal)]
    solution = clarabel.DefaultSolver(csc_matrix(p), q, csc_matrix(a), b, cones, settings).solve()
    x, z = np.array(solution.x), np.array(solution.z)
    infeasible = str(solution.status).removeprefix("Almost") in ("PrimalInfeasible", "DualInfeasible")
    return None if infeasible or not (np.isfinite(x).all() and np.isfinite(z).all()) else (x, z)


MOST = 1_000_000
"""Values of the support's rows up to which they are factorised: some 0.5 s. Nor are they where they are more than twice
the columns: of the 813 rows of mushrooms that touch the margin in 126 dimensions, none is "the" one to leave out."""
STEPS = 60
"""Rows that are taken in or left out, at most."""
RANK = 1e-13
"""Singular values below this share of the largest are none."""


def polished(points: Points, rows: Array, w: Array, multipliers: Array) -> Iterator[tuple[Array, Array, Array]]:
    """(w, rows, λ) from those of the ascending rows that touch the margin, by an active set: equations y(w·x̄ + b) = 1
    on them; out with the row of the most negative λ, in with the one that violates most, until there is neither.

    An interior point stops where its own matrix, whose condition is squared, has no more digits: with a margin of 1e-5,
    200 rows of about 4, at a gap of 5e-4; this reached 5e-11. What limits it is the rounding of w itself.
    """
    active = _touching(points, rows, w, multipliers)
    for _ in range(STEPS):
        if not len(active) or len(active) > 2 * points.width + 2 or len(active) * points.width > MOST:
            return
        solved = _equations(points, active)
        if solved is None:
            return
        w, shares = solved
        low = shares < -1e-12 * np.abs(shares).max()
        if low.any():
            active = np.delete(active, int(shares.argmin()))
            continue
        keep = shares > 0.0
        yield w, active[keep], shares[keep]
        margins = _margins(points, rows, w)
        worst = int(margins.argmin())
        held = margins[np.searchsorted(rows, active)].min()
        if margins[worst] >= held or rows[worst] in active:
            return
        active = np.append(active, rows[worst])


def _margins(points: Points, rows: Array, w: Array) -> Array:
    """(k,) margins y·(w·x̄ + b) at the best offset, in long double."""
    scores, y = np.asarray(points.chosen(rows, LONG) @ w.astype(LONG)), points.y[rows]
    if points.free and (y > 0).any() and (y < 0).any():
        scores = scores - (scores[y > 0].min() + scores[y < 0].max()) / 2
    return np.asarray(scores * y)


def _touching(points: Points, rows: Array, w: Array, multipliers: Array) -> Array:
    """Rows whose share of the dual point outweighs their distance from the margin: one of the two is 0 at the end."""
    margins = _margins(points, rows, w)
    least = margins.min()
    slack = (margins - least) / max(abs(float(least)), 1e-300)
    return rows[multipliers / max(float(multipliers.max()), 1e-300) > slack]


def _equations(points: Points, rows: Array) -> tuple[Array, Array] | None:
    """(w, λ): the shortest w with y(w·x̄ + b) = 1 on these rows, and the combination of them that w is.

    With a free offset the rows are taken from the first one, so that a common offset costs no digits.
    """
    x, y = laid_out(points.chosen(rows, LONG)), points.y[rows]
    if points.free:
        if len(np.unique(y)) < 2:
            return None
        differences, aims = x[1:] - x[0], (y[1:] - y[0]).astype(LONG)
    else:
        differences, aims = x * y[:, None], np.ones(len(y), LONG)
    try:
        u, s, vt = np.linalg.svd(differences.astype(np.float64), full_matrices=False)
    except np.linalg.LinAlgError:
        return None
    kept = s > RANK * s[0]
    if not kept.any():
        return None
    u, s, v = u[:, kept], s[kept], vt[kept].T
    w = _refined(aims, differences.shape[1], lambda w: differences @ w, lambda r: v @ (u.T @ r / s))
    shares = _refined(aims, len(aims), lambda a: differences @ (differences.T @ a), lambda r: u @ (u.T @ r / s / s))
    if points.free:
        shares = np.concatenate([[-shares.sum()], shares]) * y
    w, shares = w.astype(np.float64), shares.astype(np.float64)
    return (w, shares) if np.isfinite(w).all() and np.isfinite(shares).all() and w.any() else None


def _refined(aims: Array, size: int, apply: Any, solve: Any) -> Array:
    """The solution of apply(x) = aims: three times the residual in long double, the correction in float64."""
    x = np.zeros(size, LONG)
    for _ in range(4):
        x = x + solve((aims - apply(x)).astype(np.float64))
    return x
