"""What a search has found so far: the methods hand in floats, and only what an exact check confirms is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from ..proof.certificate import Certificate
from ..proof.exact import certified_separator
from ..proof.farkas import enclose, farkas_near, farkas_on
from ..proof.integers import signed
from .view import View

Watch = Callable[[str], None]
UNSURE = 10_000
"""Rows that floats cannot tell from wrong ones, up to which a hyperplane is worth an exact check (2 s for 1e6 rows)."""
SAMPLE = 200
PER_STEP = 2e-9
"""Seconds: 112 s for 1,001 columns of 53 bits, 3 s for 600 of 8."""
DEAR = 20.0
"""Seconds from which an enclosure is tried first: 3 s where the exact multipliers took 110."""


@dataclass
class Hunt:
    """The problem, how the methods see it, and what came of them.

    deadline: of `time.monotonic()`, or None. watch: is told which method is at work. tried: a sentence for each method
    that did not decide it. basis: rows of the last basis of the linear program. contradictory: rows for which Newton's
    method found no hyperplane.
    """

    problem: Problem
    view: View
    deadline: float | None
    watch: Watch | None = None
    certificate: Certificate | None = None
    tried: list[str] = field(default_factory=list)
    basis: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    contradictory: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def done(self) -> bool:
        return self.certificate is not None

    def left(self) -> float | None:
        """Seconds, or None for no limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def running(self) -> bool:
        left = self.left()
        return left is None or left > 0

    def say(self, what: str) -> None:
        if self.watch is not None:
            self.watch(what)

    def failed(self, what: str) -> None:
        if not self.done:
            self.tried.append(what if self.running() else f"{what} (time is up)")

    def separator(self, w: Array, margins: Array) -> bool:
        """Hand in weights of the view, and their margins."""
        if not np.isfinite(w).all() or not w.any():
            return False
        longest = float(np.abs(w).max())
        if margins.min(initial=1.0) <= -1e-6 * longest or (margins <= 1e-9 * longest).sum() > UNSURE:
            return False
        lifted = self.view.lifted(w)
        return lifted is not None and self.hyperplane(*lifted)

    def hyperplane(self, w: Array, b: float) -> bool:
        """Hand in weights of the problem as it is."""
        self.certificate = certified_separator(self.problem, w, b)
        return self.done

    def support(self, rows: Array) -> bool:
        """Hand in rows that may have a Farkas certificate."""
        if len(rows):
            self.say(f"exact multipliers for {len(rows):,} rows")
            self.certificate = farkas_on(self.problem, np.asarray(rows))
        return self.done

    def multipliers(self, rows: Array, lam: Array) -> bool:
        """Hand in rows and λ > 0 that nearly combine to 0: made exact where that is possible, else enclosed."""
        lam = np.asarray(lam, np.float64)
        rows, lam = rows[lam > 0], lam[lam > 0]
        makers = [("exact multipliers", farkas_near), ("multipliers within bounds", enclose)]
        if self._dear(rows):
            makers.reverse()
        for what, make in makers:
            self.say(f"{what} for {len(rows):,} rows")
            self.certificate = make(self.problem, rows, lam)
            if self.done or not self.running():
                break
        return self.done

    def _dear(self, rows: Array) -> bool:
        """Whether exact multipliers would take long: c³ steps with as many bits as a value has."""
        some = signed(self.problem, rows[:SAMPLE]).numerators
        longest = max(abs(int(some.min())), abs(int(some.max()))).bit_length()
        seconds = self.view.width**3 * longest * PER_STEP
        return seconds > min(DEAR, DEAR if self.deadline is None else (self.left() or 0.0))
