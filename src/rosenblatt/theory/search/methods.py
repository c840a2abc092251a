"""Narrow data: the linear program of Farkas' lemma by HiGHS. Wide data: Newton's method on the logistic loss.

The program has rows added as they are needed. The logistic loss has a least value exactly where no hyperplane is
without an error. At its minimum Σ λᵢ zᵢ = 0 with λᵢ = 1/(1 + exp(zᵢ·w)) > 0, which is nearly Farkas' proof; where there
is no minimum the weights grow until all zᵢ·w > 0. Newton's method finds out in some 10 to 60 steps, on a part of the
rows to which those are added that its weights get wrong.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from ...core.rows import Array, Rows, from_matrix
from ..highs import basic, solved, solver
from .hunt import Hunt

FIRST = 10
"""Times the width: rows to begin with."""
ADDED = 100
"""Rows added at least in a round, half of them the worst, half spread over all that are wrong."""
ROUNDS = 300
ZERO = 1e-9
"""Objective below which there may be no hyperplane. It decides what is tried next, never the verdict."""
LONGEST = 120.0
"""Seconds for many columns where no time limit was given."""
DUAL = 1
"""HiGHS's number of the dual simplex method: 0.2 s for 3,406 rows of 131 columns, where its primal one went round in a
circle."""
PATIENCE = 30.0
"""Seconds for one solution."""


class Program:
    """min Σ(p + q), Σ λ z + p − q = 0, Σ λ = 1, all ≥ 0. Its duals (−w, t): t = max min z·w over |w| ≤ 1.

    At 0 the λ in the basis are Farkas' proof. New rows are new columns here, which leave the basis feasible.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        tolerances = {f"{side}_feasibility_tolerance": 1e-10 for side in ("primal", "dual")}
        self._solver = solver(solver="simplex", presolve="off", simplex_strategy=DUAL, **tolerances)
        right = np.append(np.zeros(width), 1.0)
        none, starts = np.zeros(0, np.int32), np.zeros(width + 1, np.int32)
        self._solver.addRows(width + 1, right, right, 0, starts, none, np.zeros(0))
        each = np.arange(width, dtype=np.int32)
        for sign in (1.0, -1.0):
            self._add(np.ones(width), each, each, np.full(width, sign))

    def add(self, z: Rows) -> None:
        """z: k rows of `width` columns."""
        values, columns, ends = from_matrix(z.matrix()).with_column(np.ones(z.n)).compressed()
        self._add(np.zeros(z.n), ends[:-1].astype(np.int32), columns.astype(np.int32), values)

    def _add(self, cost: Array, starts: Array, indices: Array, values: Array) -> None:
        k = len(cost)
        low, high = np.zeros(k), np.full(k, np.inf)
        self._solver.addCols(k, cost, low, high, len(indices), starts, indices, values)

    def solve(self, seconds: float | None) -> tuple[Array, float, Array] | None:
        """(weights, objective, numbers of the rows in the basis, in order of adding); None where it did not end."""
        seconds = PATIENCE if seconds is None else max(0.0, seconds)
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + seconds)
        self._solver.run()
        if not solved(self._solver):
            return None
        duals = np.asarray(self._solver.getSolution().row_dual, np.float64)
        rows = np.flatnonzero(basic(self._solver)[2 * self._width :])
        return -duals[:-1], float(self._solver.getInfo().objective_function_value), rows


def linear_program(hunt: Hunt, start: Array | None = None, rounds: int = ROUNDS) -> None:
    """Add rows until the hunt has found something or none is left to add. The hunt is told the rows in the last basis.

    start: the rows to begin with, default a sample of all. rounds: at the most.
    """
    view, active = hunt.view, hunt.view.active
    rng = np.random.default_rng(0)
    rows = rng.permutation(active)[: FIRST * view.width + ADDED] if start is None else start
    program = Program(view.width)
    program.add(view.signed(rows)[0])
    for turn in range(rounds):
        hunt.say(f"linear program, {len(rows):,} rows")
        solution = program.solve(hunt.left())
        if solution is None:
            break
        weights, objective, held = solution
        hunt.basis = rows[held]
        if objective < ZERO and hunt.support(hunt.basis):
            break
        margins = view.margins(weights)
        if hunt.separator(weights, margins):
            break
        bad = np.flatnonzero(margins <= 0)
        bad = bad[~np.isin(active[bad], rows)]
        if not bad.size or turn == rounds - 1 or not hunt.running():
            break
        half = max(ADDED, view.width) // 2 * (1 + turn // 10)
        chosen = np.union1d(bad[np.argsort(margins[bad])[:half]], rng.permutation(bad)[:half])
        rows = np.concatenate([rows, active[chosen]])
        program.add(view.signed(active[chosen])[0])
    if rounds > 1:
        hunt.failed(f"a linear program in floats, {len(rows):,} rows")


look = partial(linear_program, rounds=1)
"""One look at a sample: with noise in the labels it has a proof mostly."""


def support(hunt: Hunt) -> None:
    """The proof from rows for which another method has found no hyperplane."""
    if hunt.contradictory.size:
        linear_program(hunt, hunt.contradictory, 1)


def wide(hunt: Hunt) -> None:
    """The last resort for many columns, where it can take for ever."""
    if hunt.deadline is None:
        hunt.deadline = time.monotonic() + LONGEST
    linear_program(hunt)


STEPS = 120
CONVERGED = 1e-14
"""|Σ λ z| as a share of Σ λ, at which the multipliers are as good as floats get."""
RIDGE = 1e-12
"""Of the mean curvature, added so that the equations can be solved where columns depend on each other."""

NARROW = 300
"""Columns up to which the linear program makes a proof of what this method finds: on far fewer rows, for 0.02 s at 120
columns; at 1e3 it takes minutes."""
NEWTON_FIRST = 6
"""Times the width: rows to begin with. Fewer are mostly separable by chance."""
NEWTON_ADDED = 10
"""Times the width: rows added in a round at the most."""
MOST = 60_000_000
"""Numbers of the rows looked at together, 500 MB."""
NEWTON_ROUNDS = 60
NEARLY = 1e-7
"""Residual from which multipliers may be made exact."""


def minimise(z: Array, start: Array | None, running: Callable[[], bool]) -> tuple[Array, Array, float, int]:
    """Newton's method on Σ log(1 + exp(−z·w)), until no row is wrong, or the gradient is 0, or it gets no further.

    z: (k, c) signed rows. start: (c,) weights to begin with. running: False when time is up. Gives (c,) the weights;
    (k,) multipliers λ; their residual max|Σ λ z| / Σ λ; how many rows have z·w ≤ 0.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    k, c = z.shape
    w = np.zeros(c) if start is None else start.copy()
    u = z @ w
    value, best = _loss(u), np.inf
    lam, residual, wrong, stale = _logistic(-u), np.inf, k, 0
    for _ in range(STEPS):
        gradient = lam @ z
        if not np.isfinite(gradient).all():
            break
        curved = z * np.sqrt(lam * (1.0 - lam))[:, None]
        square = curved.T @ curved
        square[np.diag_indices(c)] += RIDGE * square.trace() / c + 1e-300
        try:
            step = cho_solve(cho_factor(square, overwrite_a=True, check_finite=False), gradient)
        except LinAlgError:
            break
        along, length = z @ step, 1.0
        wanted = float(gradient @ step)
        while (new := _loss(u + length * along)) > value - 1e-4 * length * wanted + 1e-12 * value and length > 1e-6:
            length /= 2
        w, u, value = w + length * step, u + length * along, new
        lam = _logistic(-u)
        residual = float(np.abs(lam @ z).max(initial=0.0) / lam.sum()) if lam.any() else np.inf
        wrong = int((u <= 0).sum())
        stale = 0 if residual < 0.9 * best else stale + 1
        best = min(best, residual)
        # Near the limits of floats the residual only goes up and down; far from them Newton's method has its detours.
        if not wrong or residual < CONVERGED or (best < 1e-11 and stale >= 3) or not running():
            break
    return w, lam, residual, wrong


def _loss(u: Array) -> float:
    return float(np.logaddexp(0.0, -u).sum())


def _logistic(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return np.asarray(np.where(u >= 0, 1.0, e) / (1.0 + e))


def newton(hunt: Hunt) -> None:
    """Look at more and more rows until there is a hyperplane, or none for these, or time is up.

    Rows without a hyperplane are left to the linear program, unless there are too many columns for it.
    """
    view, active = hunt.view, hunt.view.active
    width, limit = view.width, max(1, MOST // view.width)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(active)[: min(len(active), NEWTON_FIRST * width, limit)])
    weights = None
    for _ in range(NEWTON_ROUNDS):
        hunt.say(f"Newton's method, {len(rows):,} rows")
        z, s = view.signed(rows)
        weights, multipliers, residual, wrong = minimise(z.toarray(), weights, hunt.running)
        if wrong:
            if residual < NEARLY:
                hunt.contradictory = rows
                if width > NARROW:
                    hunt.multipliers(rows, multipliers * s)
            break
        margins = view.margins(weights)
        if hunt.separator(weights, margins):
            break
        bad = np.flatnonzero(margins <= 0)
        new = np.setdiff1d(active[bad[np.argsort(margins[bad])[: NEWTON_ADDED * width]]], rows)
        if not new.size or len(rows) + len(new) > limit or not hunt.running():
            break
        rows = np.union1d(rows, new)
        weights = weights / 2  # long weights make the loss flat where new rows pull; half of them were soon found again
    if not hunt.contradictory.size or width > NARROW:
        hunt.failed(f"Newton's method on the logistic loss, {len(rows):,} rows")
