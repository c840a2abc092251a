"""A run that ends as soon as it is proven that it never would: the rows have no separating hyperplane."""

import time
import warnings
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ..core.loop import UPDATES
from ..core.rows import Array, stack
from ..errors import DataError, Message, SettingError, plain
from ..kernels.rows import KernelRows
from ..learn.observers import Event, Observer
from ..learn.rule import rule_name
from ..learn.run import Chunks, Run, Stop, learned_from
from ..learn.settings import Settings
from . import separability
from .problem import as_problem
from .space import Space, in_space

PATIENCE = 10.0
"""Seconds that a first question may take; later ones as long as learning took so far. All sets of d ≤ 130 columns are
decided in 2 s, so that the same run stops at the same epoch on every machine."""
FIRST_PICKS = 100
"""Updates of an optimizer that picks its rows before the first question: it has no epochs."""


@dataclass(frozen=True)
class NotSeparable:
    """Why a run was ended.

    proof: the verdict with its certificate, `.save(path)` writes it; about all rows, of two classes learned together
    with others about the rows of these two, and in a kernel's space about those that are learned from. rows: numbers,
    from 0, of the rows of the certificate among all. classes:
    of two classes both; of one-vs-rest "the rest" and the class; of classes learned together two of them. epoch: epochs
    of the run when it was proven.
    """

    proof: separability.Separability
    rows: list[int]
    classes: tuple[Any, Any]
    many: bool
    epoch: int

    @property
    def reason(self) -> str:
        """What `stop_reason_` says."""
        rows = f"{len(self.rows):,} row{'s' if len(self.rows) > 1 else ''} of a certificate"
        if not self.many:
            return f"proven not separable ({rows})"
        rest, positive = self.classes
        which = f"class {positive} against the rest" if rest == "the rest" else f"class {rest} against class {positive}"
        return f"proven not separable: {which} ({rows})"


class StopWhenNotSeparable(Observer):
    """An observer that asks after epochs 1, 2, 4, 8 … of a call whether the rows are separable, and ends the run when
    it is proven that they are not; while nothing is proven, and when they are, the run goes on as it would have.

    labels: (K,) the classes, for messages. max_time: seconds of the run, which questions do not exceed. not_separable:
    a `NotSeparable`, or None. The rows of all chunks are held at once when the first question is asked. Of rows known
    by a kernel it is asked in the kernel's space. Warns at the end of a run that has not converged where the last
    question was not decided. Raises SettingError for more values of a kernel than are held, and for those of none.
    """

    def __init__(self, labels: Array, max_time: float | None = None) -> None:
        self.labels, self.max_time = labels, max_time
        self.not_separable: NotSeparable | None = None
        self._pending: list[tuple[Any, ...]] = []
        self._space: Space | None = None

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        self._run, self._epochs, self._spent, self._tried = run, 0, 0.0, list[str]()
        self._next = FIRST_PICKS if run.settings.optimizer.picks else 1
        self._before = int(run.state.n[UPDATES])
        self._chunks, self._order = chunks, order
        self._rows: Any = None
        self._hold_space()
        self._begun = time.monotonic()
        joint = run.joint and run.many
        classes = range(len(self.labels))
        self._pending = list(combinations(classes, 2)) if joint else [(k,) for k in classes] if run.many else [(1,)]
        return False

    def epoch(self, event: Event) -> Stop | None:
        if self._pending and self._due(event):
            self._ask()
            if self.not_separable is not None:
                return Stop("not separable", self.not_separable, self.not_separable.reason)
        return None

    def end(self, run: Run) -> None:
        if self._pending and self._tried and not run.converged:
            where = "" if self._space is None else f" in the space of {self._space.name}"
            text = f"{{stop_if_not_separable:s}}: whether the rows are separable{where} was not decided"
            why = plain("; ".join(self._tried))
            warnings.warn(Message(f"{text}, and nothing was stopped: {why}", stop_if_not_separable=True), stacklevel=2)

    # --- inside ---

    def _due(self, event: Event) -> bool:
        run = event.run
        if run.settings.optimizer.picks:
            done = int(run.state.n[UPDATES]) - self._before
        elif event.epoch_ended:
            self._epochs += 1
            done = self._epochs if run.history["updates"][-1] else 0  # an epoch without an update ends the run itself
        else:
            return False
        if done < self._next:
            return False
        self._next = 2 * done
        return True

    def _ask(self) -> None:
        """One question for each class (or pair) that is not known to be separable yet."""
        asked = time.monotonic()
        budget = max(PATIENCE, asked - self._begun - self._spent)
        if self.max_time is not None:
            budget = min(budget, self.max_time - (asked - self._begun))
        for which in list(self._pending):
            problem, numbers = self._problem(which)
            left = budget - (time.monotonic() - asked)
            if left <= 0.0:
                break
            verdict = separability.separable(problem, time_limit=left)
            self._tried = verdict.tried
            if verdict.separable is not None:
                self._pending.remove(which)
            if verdict.separable is False:
                self.not_separable = self._proven(verdict, which, numbers)
                self._pending = []
                break
        self._spent += time.monotonic() - asked

    def _proven(self, verdict: Any, which: tuple[Any, ...], numbers: Array | None) -> NotSeparable:
        proof: Any = verdict.certificate
        if numbers is not None:  # what some rows prove, all of them do
            proof = proof.renumbered(numbers)
            if len(which) == 1 and self._space is None:
                verdict = replace(verdict, certificate=proof, problem=self._whole(which))
        return NotSeparable(verdict, list(proof.rows), verdict.problem.classes, self._run.many, self._run.epoch)

    def _hold_space(self) -> None:
        """Where rows are known by a kernel, before the first epoch: an error of it comes then, and not after it."""
        self._space = None
        if not isinstance(next(iter(self._chunks)).rows, KernelRows):
            return
        self._known: Any = stack([chunk.rows for chunk in self._chunks])
        try:
            self._space = Space.of(self._known)
            _ = self._space.pivots
        except DataError as error:
            raise SettingError(f"{{stop_if_not_separable}}: {plain(error)}", stop_if_not_separable=True) from None

    def _problem(self, which: tuple[Any, ...]) -> tuple[Any, Array | None]:
        """(problem, numbers) of the rows that are learned from, of two classes learned together those of these two;
        numbers among all, None: all. Of a kernel in the space of these rows: columns of others are none of theirs."""
        whole = self._whole(which)
        mine = self._learned & np.isin(self._codes, which) if len(which) == 2 else self._learned
        if mine.all():
            return whole if self._space is None else in_space(whole, self._space), None
        numbers = np.flatnonzero(mine)
        problem = whole.take(numbers)
        if self._space is not None:
            problem = in_space(problem, Space.of(self._known.take(numbers)))
        return problem, numbers

    def _whole(self, which: tuple[Any, ...]) -> Any:
        """All rows, with the signs of one class against the rest, or of the second of a pair."""
        if self._rows is None:
            parts = list(self._chunks)
            self._rows, y = stack([chunk.rows.given for chunk in parts]), np.concatenate([chunk.y for chunk in parts])
            self._learned = learned_from(parts, self._order)
            self._codes = y.astype(int) if self._run.many else (y > 0).astype(int)
        problem = as_problem(self._rows, self._codes, self._run.settings.fit_intercept, which[-1])
        names = [label.item() if hasattr(label, "item") else label for label in self.labels]
        rest = names[which[0]] if len(which) == 2 else "the rest" if self._run.many else names[0]
        return problem._replace(classes=(rest, names[which[-1]]))


def check_separating(settings: Settings) -> None:
    """SettingError for a rule that does not look for a separating hyperplane: there is nothing that it waits for."""
    value = settings.rule
    if getattr(value, "tol", None) is not None:
        raise SettingError(
            f"{{stop_if_not_separable}} goes with rules that stop at a separating hyperplane; rule "
            f"{rule_name(value)!r} stops when its loss settles, separable or not",
            stop_if_not_separable=True,
        )
