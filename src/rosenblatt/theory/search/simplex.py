"""Narrow data: the linear program of Farkas' lemma, with rows added as they are needed, by HiGHS."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from ...core.rows import Array, Rows, from_matrix
from ..highs import solver
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
        import highspy

        self._kinds, self._infinite, self._width = highspy.HighsBasisStatus, highspy.kHighsInf, width
        tolerances = {f"{side}_feasibility_tolerance": 1e-10 for side in ("primal", "dual")}
        self._solver = solver(solver="simplex", presolve="off", simplex_strategy=DUAL, **tolerances)
        right = np.zeros(width + 1)
        right[-1] = 1.0
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
        low, high = np.zeros(k), np.full(k, self._infinite)
        self._solver.addCols(k, cost, low, high, len(indices), starts, indices, values)

    def solve(self, seconds: float | None) -> tuple[Array, float, Array] | None:
        """(weights, objective, numbers of the rows in the basis, in order of adding); None where it did not end."""
        seconds = PATIENCE if seconds is None else max(0.0, seconds)
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + seconds)
        self._solver.run()
        if "Optimal" not in self._solver.modelStatusToString(self._solver.getModelStatus()):
            return None
        duals = np.asarray(self._solver.getSolution().row_dual, np.float64)
        status = self._solver.getBasis().col_status[2 * self._width :]
        basic = np.array([i for i, kind in enumerate(status) if kind == self._kinds.kBasic], np.int64)
        return -duals[:-1], float(self._solver.getInfo().objective_function_value), basic


def generate(hunt: Hunt, start: Array | None = None, rounds: int | None = None) -> None:
    """Add rows until the hunt has found something or none is left to add. The hunt is told the rows in the last basis.

    start: the rows to begin with, default a sample of all. rounds: at the most, default `ROUNDS`.
    """
    rounds = ROUNDS if rounds is None else rounds
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
        weights, objective, basic = solution
        hunt.basis = rows[basic]
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


look = partial(generate, rounds=1)
"""One look at a sample: with noise in the labels it has a proof mostly."""


def support(hunt: Hunt) -> None:
    """The proof from rows for which another method has found no hyperplane."""
    if hunt.contradictory.size:
        generate(hunt, hunt.contradictory, 1)


def wide(hunt: Hunt) -> None:
    """The last resort for many columns, where it can take for ever."""
    if hunt.deadline is None:
        hunt.deadline = time.monotonic() + LONGEST
    generate(hunt)
