"""One wrong row after the other (PLA, lecture note 004), until there is none: the way of the pick optimizers."""

from functools import partial
from typing import Any

import numpy as np

from ..core.loop import LOSS, LOSS_WEIGHT, UPDATES
from ..core.rows import Array
from ..errors import SettingError
from .converged import Scan, asks_for_a_step, own_and_best
from .epochs import Trainer
from .observers import Event, Walked, Watch
from .run import Chunk, Chunks, Limits, Measure, Run, Stop

LIMIT = 100_000
"""Updates after which picking gives up when max_updates is None: it counts no epochs."""
EVERY = 100
"""Updates between two looks of the observers."""


Part = tuple[int, Chunk, Array, Array]
"""A chunk's number, the chunk, its rows that are wrong, and their margins."""


class Picker(Trainer):
    """The way of the optimizers that pick one wrong row of all for each update, until there is none (PLA, note 004).

    Stops when no row is wrong, or after max_updates (default 100,000: epochs are not counted here) or max_time. Raises
    SettingError for a rule that also steps when right.
    """

    def __init__(self, run: Run, chunks: Chunks, limits: Limits, measure: Measure | None, watch: Watch) -> None:
        if limits.max_updates is None:
            limits = limits._replace(max_updates=LIMIT)
        super().__init__(run, chunks, limits, measure, watch)
        self.settled: set[tuple[int, int]] = set()
        self.scan = Scan(run)
        _refuse_restless(run.settings.rule)
        self.remeasure()
        self.consider()

    def learn(self) -> Stop:
        """Learn until no row is wrong, or an observer or a limit ends it."""
        run = self.run
        before = (run.state.n.copy(), run.state.m[0].copy())
        run.state.f[LOSS] = run.state.f[LOSS_WEIGHT] = 0.0
        stop = None
        while stop is None:
            stop = self.limit() or self._step()
        self.consider()
        run.record(*before)
        return stop

    def _step(self) -> Stop | None:
        run = self.run
        parts = self._wrong()
        if not parts:
            run.converged = not asks_for_a_step(run, self.chunks, True)
            return Stop("no mistake")
        self._update(*self._choose(parts))
        updates, most = int(run.state.n[UPDATES]), self.limits.max_updates
        if updates % EVERY:
            return None
        assert self.most is not None and most is not None
        stops = self.watch.epoch(Event(run, updates + most - self.most, most, False))
        return stops[0] if stops else None

    def _wrong(self) -> list[Part]:
        """The wrong rows of all chunks; of an optimizer that takes the first, of the first chunk with one."""
        run, parts = self.run, list[Part]()
        weights = run.memory.weights(run.state)
        for number, (chunk, u, wrong) in enumerate(self.scan.wrong(self.chunks, weights)):
            wrong[[row for at, row in self.settled if at == number]] = 0
            rows = np.flatnonzero(wrong)
            if rows.size:
                parts.append((number, chunk, rows, _margins(run, chunk.y[rows], u[rows])))
                if not run.settings.optimizer.scan:
                    break
        return parts

    def _choose(self, parts: list[Part]) -> tuple[int, Chunk, int]:
        """(number of the chunk, chunk, row)."""
        run = self.run
        random = partial(np.random.default_rng, [run.settings.random_state, int(run.state.n[UPDATES])])
        numbers, chunks, rows, margins = zip(*parts, strict=True)
        place = run.settings.optimizer.place(np.concatenate(margins), random)
        part = np.repeat(np.arange(len(parts)), [len(own) for own in rows])
        if place >= part.size:
            raise IndexError(f"{run.settings.optimizer.name} chose the place {place} behind the last wrong row")
        return numbers[part[place]], chunks[part[place]], int(np.concatenate(rows)[place])

    def _update(self, number: int, chunk: Chunk, row: int) -> None:
        run, before = self.run, int(self.run.state.n[UPDATES])
        kept = self.keep(chunk.rows, 1)._replace(stop=False)
        steps = self.steps(chunk, np.array([row]), run.settings.rates(run.blocks, 1), 1)
        self.loop(chunk.rows, steps, kept)(self.rule, chunk.rows, steps, run.state, kept, 0)
        run.blocks += 1
        # The loop sums a score in another order than the matrix product. A row that only the latter calls wrong makes
        # no step, and would be picked for ever: it waits until the weights have changed.
        self.settled = {*self.settled, (number, row)} if run.state.n[UPDATES] == before else set()
        self.watch.returned(run.memory, kept, chunk.rows, Walked(number, steps.order))
        self.consider()


def _margins(run: Run, y: Array, u: Array) -> Array:
    """y·u, or of more classes the row's own score less the best other one."""
    if not run.many:
        return np.asarray(y * u[:, 0])
    right, best = own_and_best(u, y)
    return np.asarray(right - best)


def restless(rule: Any) -> bool:
    """Whether a rule steps also where it is right."""
    return hasattr(rule, "step") and bool(rule.step(10.0, 1.0, 1.0) or rule.step(-10.0, -1.0, 1.0))


def _refuse_restless(rule: Any) -> None:
    if restless(rule):
        name = getattr(rule, "name", type(rule).__name__)
        text = f"rule {name!r} steps also when right (score 10, label +1), so there is always a row to pick; "
        raise SettingError(text + "use {optimizer}", optimizer="online")
