"""What a call of `train` has, whichever way its optimizer goes through the rows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..core.learn import UPDATES, Keep, Steps
from ..core.rows import Array
from .observers import Watch
from .run import Chunk, Chunks, Limits, Measure, Run, Survey
from .stop import Stop


class Trainer:
    """One call of `train`: what stays the same from epoch to epoch."""

    def __init__(self, run: Run, chunks: Chunks, limits: Limits, measure: Measure | None, watch: Watch) -> None:
        self.run, self.chunks, self.limits, self.measure, self.watch = run, chunks, limits, measure, watch
        self.survey = Survey.of(chunks)
        self.begun = time.monotonic()
        self._loops: dict[type, Any] = {}
        self._kept: Keep | None = None
        self.most = None if limits.max_updates is None else int(run.state.n[UPDATES]) + limits.max_updates

    def loop(self, rows: Any) -> Any:
        """The compiled loop for rows like these."""
        if type(rows) not in self._loops:
            self._loops[type(rows)] = self.run.loop(rows)
        return self._loops[type(rows)]

    def keep(self, rows: Any, block: int) -> Keep:
        """What the memory keeps, made for rows like these, at most so many of them a block."""
        run = self.run
        if run.lay_out_for(rows) or self._kept is None:
            self._kept = self.watch.keep(run.memory.keep(run.state, run.joint, block))
        return self._kept

    def consider(self) -> None:
        """The weights as they are, for a memory that looks at them on the way."""
        self.run.memory.candidate(self.run.state, self.measure)

    def remeasure(self) -> None:
        if self.run.memory.needs_measure and self.measure is not None:
            self.run.memory.remeasure(self.measure)

    def limit(self) -> Stop | None:
        """The limit that has been reached."""
        if self.most is not None and self.run.state.n[UPDATES] >= self.most:
            return Stop("updates", self.limits.max_updates)
        seconds = self.limits.max_time
        return Stop("time", seconds) if seconds is not None and time.monotonic() >= self.begun + seconds else None

    def steps(self, chunk: Chunk, order: Array, rates: Array, block: int, whole: tuple[Any, ...] = ()) -> Steps:
        """What the loop gets. rates: η_t by position. whole: of parts, `Steps`' fields from there on."""
        run, alpha = self.run, self.run.settings.alpha
        c = rates if chunk.weight is None else rates * chunk.weight[order]
        decay = 1.0 - rates * alpha if alpha > 0.0 else np.empty(0)
        scratch = np.empty((block, run.state.b.size) if run.many else block)
        carry = np.zeros(1 + run.state.b.size, np.int64)
        whole = whole or (0, True, run.state.w, run.state.b, carry)
        return Steps(chunk.y, order, c, decay, scratch, block, *whole)
