"""Pick one mistake (PLA, lecture note 004): choose a row that the rule calls wrong, step, until there is none."""

from __future__ import annotations

import time

import numpy as np

from .core.dispatch import loop_for
from .core.following import follower_of, hand_on, with_log
from .core.learn import BIAS, LOSS, LOSS_WEIGHT, UPDATES
from .core.pick import wrong_rows, wrong_rows_many
from .core.rows import Array, matrix, n_rows, squared_norms
from .defaults import PICK_LIMIT
from .errors import SettingError
from .train import Callback, Chunk, Event, Limits, Measure, Run, told

NONE: Array = np.empty(0)


def pick(
    run: Run, chunk: Chunk, limits: Limits, measure: Measure | None = None, callback: Callback | None = None
) -> None:
    """Learn by picking the first, a random or the worst wrong row of all, one update each.

    worst: the most negative margin, the lowest row on ties. Stops when no row is wrong, or after max_updates (default
    100,000: epochs are not counted here) or max_time. Raises SettingError for a rule that also steps when right.
    """
    picker = _Picker(run, chunk, measure, callback)
    most = PICK_LIMIT if limits.max_updates is None else limits.max_updates
    end = int(run.state.n[UPDATES]) + most
    deadline = None if limits.max_time is None else time.monotonic() + limits.max_time
    before = (run.state.n.copy(), run.state.m[0].copy())
    run.state.f[LOSS] = run.state.f[LOSS_WEIGHT] = 0.0
    run.converged, run.stop_reason = False, ""
    while not run.stop_reason:
        if run.state.n[UPDATES] >= end:
            run.stop_reason = f"step limit (max_updates={most})"
        elif deadline is not None and time.monotonic() >= deadline:
            run.stop_reason = f"time limit (max_time={limits.max_time:g} s)"
        elif (row := picker.choose()) < 0:
            run.converged, run.stop_reason = True, "no row is wrong any more"
        else:
            picker.update(row)
            updates = int(run.state.n[UPDATES])
            if updates % 100 == 0:
                run.stop_reason = told(callback, Event(run, updates + most - end, most, False))
    if run.memory.needs_measure:
        run.memory.candidate(run.state, measure)
    run.record(*before)


class _Picker:
    def __init__(self, run: Run, chunk: Chunk, measure: Measure | None, callback: Callback | None) -> None:
        self.run, self.chunk, self.measure = run, chunk, measure
        run.lay_out_for(chunk.rows)
        self.x = matrix(chunk.rows)
        self.sq_norms = squared_norms(chunk.rows) + run.state.f[BIAS]
        self.wrong = np.empty(n_rows(chunk.rows), np.uint8)
        self.settled: list[int] = []
        self.follower = follower_of(callback, run, [chunk])
        self.keep = with_log(run.memory.keep(run.state, run.joint, 1)._replace(stop=False), self.follower)
        self.loop = run.loop(chunk.rows)
        self.scan = loop_for(wrong_rows_many if run.many else wrong_rows, run.loop_rule)
        self.scratch = np.empty((1, run.state.b.size) if run.many else 1)
        if run.memory.needs_measure and measure is not None:
            run.memory.remeasure(measure)
            run.memory.candidate(run.state, measure)
        self._refuse_restless_rules()

    def _refuse_restless_rules(self) -> None:
        rule = self.run.settings.rule
        if hasattr(rule, "step") and (rule.step(10.0, 1.0, 1.0) or rule.step(-10.0, -1.0, 1.0)):
            raise SettingError(
                f"rule {getattr(rule, 'name', type(rule).__name__)!r} steps also when right (score 10, label +1), "
                f"so there is always a row to pick; use optimizer='online'"
            )

    def choose(self) -> int:
        """The row to learn from, or −1."""
        w, b = self.run.memory.weights(self.run.state)
        u = np.ascontiguousarray(np.asarray(self.x @ w.T, float) + b)
        self.scan(self.run.loop_rule, u, self.chunk.y, self.sq_norms, self.wrong)
        if self.chunk.weight is not None:
            self.wrong[self.chunk.weight <= 0.0] = 0
        self.wrong[self.settled] = 0
        rows = np.flatnonzero(self.wrong)
        if rows.size == 0:
            return -1
        return int(rows[self._place(rows, u)])

    def _place(self, rows: Array, u: Array) -> int:
        how = self.run.settings.optimizer
        if how == "pick-random":
            seed = [self.run.settings.random_state, int(self.run.state.n[UPDATES])]
            return int(np.random.default_rng(seed).integers(rows.size))
        if how == "pick-worst":
            return int(self._margins(rows, u).argmin())
        return 0

    def _margins(self, rows: Array, u: Array) -> Array:
        y = self.chunk.y[rows]
        if not self.run.many:
            return np.asarray(y * u[rows, 0])
        right = u[rows, y.astype(int)]
        rivals = u[rows].copy()
        rivals[np.arange(rows.size), y.astype(int)] = -np.inf
        return np.asarray(right - rivals.max(axis=1))

    def update(self, row: int) -> None:
        run, settings = self.run, self.run.settings
        rate, before = settings.rates(run.blocks, 1), int(run.state.n[UPDATES])
        weight = 1.0 if self.chunk.weight is None else self.chunk.weight[row]
        decay = 1.0 - rate * settings.alpha if settings.alpha > 0.0 else NONE
        order = np.array([row])
        self.loop(
            run.loop_rule, self.chunk.rows, self.chunk.y, order, rate * weight, decay, 1, run.state, self.keep,
            self.scratch, 0,
        )  # fmt: skip
        run.blocks += 1
        # The loop sums a score in another order than the matrix product. A row that only the latter calls wrong makes
        # no step, and would be picked for ever: it waits until the weights have changed.
        self.settled = [*self.settled, row] if run.state.n[UPDATES] == before else []
        hand_on(self.follower, run.memory, self.keep, self.chunk.rows)
        if run.memory.needs_measure and self.measure is not None:
            run.memory.candidate(run.state, self.measure)
