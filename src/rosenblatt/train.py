"""Data × rule × memory → a run: orders, learning rates, epochs, stopping."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .catalog import rule_name
from .core.dispatch import loop_for
from .core.following import follower_of, hand_on, with_log
from .core.learn import LOSS, LOSS_WEIGHT, MISTAKES, RECORD, UPDATES, Keep, State, learn, new_state
from .core.learn_many import OneVsRest, learn_many
from .core.rows import Array, Csr, Rows, n_rows, values_of, width
from .errors import DataError, ModelError, SettingError
from .rules.multi_class import MultiClassPerceptron
from .rules.perceptron import Perceptron
from .settings import Settings
from .validation import Best, Validation, begin_validation, no_better, validate

SEGMENT = 1 << 16
"""Rows between two looks at the clock, the callback and Ctrl-C."""


class Chunk(NamedTuple):
    """Rows ready to learn from. y: (n,) float64, ±1 for two classes, else class numbers 0 … K−1.

    weight: (n,) float64 > 0 multiplies the steps, or None; rows of weight 0 are left out of the order.
    """

    rows: Rows
    y: Array
    weight: Array | None = None


class Limits(NamedTuple):
    """When to stop at the latest: epochs, updates, seconds of this call; None: no such limit."""

    max_iter: int | None = 1000
    max_updates: int | None = None
    max_time: float | None = None


class Event(NamedTuple):
    """What a callback is told: the run, rows done of the rows of this epoch, and whether the epoch has ended."""

    run: Run
    done: int
    total: int
    epoch_ended: bool


Measure = Callable[[tuple[Array, Array]], float]
Callback = Callable[[Event], Any]
"""True from it ends the run, and so does a text, which becomes the stop reason."""


@dataclass
class Run:
    """Everything that goes on changing while learning. Saved whole, it resumes exactly.

    epoch: epochs finished. position: (chunk, place) inside an unfinished one, of data of so
    many rows. blocks: t of the learning rate.
    history: per epoch, the lists mistakes, updates, loss (weighted mean per row) and class_mistakes.
    mark: the state's counters n and m[0] when the present epoch began.
    best: the epoch that answers, where learning was validated; history["validation"] has the scores.
    """

    settings: Settings
    state: State
    memory: Any
    epoch: int = 0
    position: tuple[int, int] = (0, 0)
    rows: int = 0
    blocks: int = 0
    best_loss: float = float("inf")
    stale: int = 0
    converged: bool = False
    stop_reason: str = "nothing learned yet"
    history: dict[str, list[Any]] = field(
        default_factory=lambda: {"mistakes": [], "updates": [], "loss": [], "class_mistakes": []}
    )
    mark: tuple[Array, Array] | None = None
    best: Best | None = None

    @property
    def answering(self) -> tuple[Any, State]:
        """(memory, state) that predict: of the best epoch on the validation rows, or as they are now."""
        return (self.memory, self.state) if self.best is None else (self.best.memory, self.best.state)

    @property
    def many(self) -> bool:
        return self.state.w.ndim == 2

    @property
    def joint(self) -> bool:
        return self.many and self.settings.multi_class == "multi-class-perceptron"

    @property
    def loop_rule(self) -> Any:
        """What the loop calls. Two classes learn the multi-class perceptron as the perceptron: w = (w₊ − w₋)/2."""
        rule = self.settings.rule
        if hasattr(rule, "missing"):
            raise ModelError(f"to go on learning, give the rule {rule.missing!r} again; model files hold no code")
        if self.joint:
            return rule if hasattr(rule, "steps") else MultiClassPerceptron()  # type: ignore[call-arg]
        if isinstance(rule, MultiClassPerceptron):
            rule = Perceptron()  # type: ignore[call-arg]
        if not hasattr(rule, "step"):
            raise SettingError(f"rule {rule_name(rule)!r} has only `steps`, for three and more classes; here are two")
        return OneVsRest(rule) if self.many else rule

    def loop(self, rows: Rows) -> Callable[..., int]:
        return loop_for(learn_many if self.many else learn, self.loop_rule, rows)

    def record(self, n: Array, m: Array) -> None:
        """An entry of the history, from the state's counters n and m[0] as they were at its beginning."""
        self.history["mistakes"].append(int(self.state.n[MISTAKES] - n[MISTAKES]))
        self.history["updates"].append(int(self.state.n[UPDATES] - n[UPDATES]))
        self.history["loss"].append(mean_loss(self.state))
        self.history["class_mistakes"].append((self.state.m[0] - m).tolist())

    def lay_out_for(self, rows: Rows) -> None:
        """Turn the weights over where these rows' storage wants the other order; see core/rows.py."""
        by_column = self.many and isinstance(rows, Csr)
        if by_column != self.memory.by_column:
            self.state = self.state._replace(w=np.ascontiguousarray(self.state.w.T))
            self.memory.transpose()


def new_run(
    settings: Settings,
    rows: Rows,
    classes: int,
    start: tuple[Array, Array] | None = None,
    weight: Array | None = None,
) -> Run:
    """A run at its start, for rows like these. classes: 2 or more. start: (w, b), (K, d) and (K,), else zeros."""
    settings, d = settings.resolved(rows, weight), width(rows)
    k = 1 if classes == 2 else classes
    by_column = k > 1 and isinstance(rows, Csr)
    shape = (d,) if k == 1 else (d, k) if by_column else (k, d)
    try:
        state = new_state(shape, k, values_of(rows).dtype, 1.0 if settings.fit_intercept else 0.0)
    except MemoryError:
        raise DataError(f"weights for {d:,} columns do not fit into memory; is a column's index mistyped?") from None
    if start is not None:
        state.w[...] = start[0][0] if k == 1 else start[0].T if by_column else start[0]
        state.b[...] = start[1]
    memory = settings.memory()
    memory.by_column = by_column
    return Run(settings, state, memory)


def train(
    run: Run,
    chunks: Sequence[Chunk],
    limits: Limits,
    measure: Measure | None = None,
    callback: Callback | None = None,
    order: Array | None = None,
    validation: Validation | None = None,
) -> None:
    """Go on learning from the chunks until the rule is finished or a limit comes; `run` says which, and has the result.

    measure: (w, b) → what the pocket maximises, over all rows. order: (m,) row numbers of a single chunk to use in each
    epoch. validation: learning also stops after n_iter_no_change epochs without a better score, and the best epoch
    answers (the first of equals). Raises DataError when the weights overflow.
    """
    trainer = _Trainer(run, chunks, limits, measure, callback, order)
    begin_validation(run, validation)
    run.converged, run.stop_reason = False, ""
    if limits.max_iter is not None and limits.max_iter < 1:
        run.stop_reason = "epoch limit (max_iter)"
        return
    if stopped := trainer.limit():
        run.stop_reason = stopped
        return
    for count in range(1, (limits.max_iter or 2**62) + 1):
        stopped = trainer.epoch(validation)
        if not stopped:
            stopped = trainer.finished() or no_better(run, validation) or trainer.limit()
            if not stopped and count == limits.max_iter:
                stopped = f"epoch limit (max_iter={limits.max_iter})"
        if stopped:
            run.stop_reason = stopped
            if run.memory.needs_measure and run.position != (0, 0):
                run.memory.last_candidate(run.state, measure)
            return


class _Trainer:
    """One call of `train`: what stays the same from epoch to epoch."""

    def __init__(
        self,
        run: Run,
        chunks: Sequence[Chunk],
        limits: Limits,
        measure: Measure | None,
        callback: Callback | None,
        order: Array | None,
    ) -> None:
        self.run, self.chunks, self.limits = run, chunks, limits
        self.measure, self.callback, self.given_order = measure, callback, order
        self.most = None if limits.max_updates is None else int(run.state.n[UPDATES]) + limits.max_updates
        self.deadline = None if limits.max_time is None else time.monotonic() + limits.max_time
        self.constant: Array | None = None
        self.total = sum(n_rows(chunk.rows) for chunk in chunks)
        if run.rows != self.total:  # a place in other data means nothing here
            run.position = (0, 0)
        run.rows = self.total
        run.lay_out_for(chunks[0].rows)
        longest = max(n_rows(chunk.rows) for chunk in chunks)
        self.follower = follower_of(callback, run, chunks, order)
        keep: Keep = run.memory.keep(run.state, run.joint, run.settings.block(longest))
        self.keep = with_log(keep, self.follower)
        self.loop = run.loop(chunks[0].rows)
        if run.memory.needs_measure and measure is not None:
            run.memory.remeasure(measure)
            if run.position == (0, 0):  # a run that goes on in mid-epoch considers what it would have without the stop
                run.memory.candidate(run.state, measure)

    def order(self, number: int, chunk: Chunk) -> Array:
        """Epoch e's order: shuffled by default_rng([seed, e]) (of a later chunk: [seed, e, its number])."""
        run, n = self.run, n_rows(chunk.rows)
        if self.given_order is not None:
            order = self.given_order
        elif run.settings.shuffle:
            seed = [run.settings.random_state, run.epoch] + ([number] if number else [])
            order = np.random.default_rng(seed).permutation(n)
        else:
            order = np.arange(n)
        return order if chunk.weight is None else order[chunk.weight[order] > 0.0]

    def epoch(self, validation: Validation | None) -> str:
        """One pass over the chunks, or the rest of one; returns why it was cut short, or nothing."""
        run, done = self.run, 0
        if run.position == (0, 0):
            run.state.f[LOSS] = run.state.f[LOSS_WEIGHT] = 0.0
            run.mark = (run.state.n.copy(), run.state.m[0].copy())
            self.start = run.memory.weights(run.state) if run.settings.optimizer == "batch" else None
        for number, chunk in enumerate(self.chunks):
            if number >= run.position[0]:
                stopped = self.walk(number, chunk, done)
                self._check_overflow()
                if stopped:
                    return stopped
                run.position = (number + 1, 0)
                if number + 1 < len(self.chunks) and (stopped := self.limit()):
                    return stopped
            done += n_rows(chunk.rows)
        run.position = (0, 0)
        run.epoch += 1
        if self.run.memory.needs_measure:
            run.memory.candidate(run.state, self.measure)
        assert run.mark is not None
        run.record(*run.mark)
        validate(run, validation)
        return told(self.callback, Event(run, self.total, self.total, True))

    def _check_overflow(self) -> None:
        run = self.run
        if not (np.isfinite(run.state.w).all() and np.isfinite(run.state.b).all()):
            raise DataError(
                f"the weights overflowed in epoch {run.epoch + 1} (rule {rule_name(run.settings.rule)}, eta0="
                f"{run.settings.eta0:g}, largest value {_largest(self.chunks):g}); scale the features or lower eta0"
            )

    def walk(self, number: int, chunk: Chunk, done: int) -> str:
        """Learn from one chunk in its order."""
        run, settings = self.run, self.run.settings
        order = self.order(number, chunk)
        block = settings.block(order.size)
        rates = self.rates(order.size, block)
        c = rates if chunk.weight is None else rates * chunk.weight[order]
        decay = 1.0 - rates * settings.alpha if settings.alpha > 0.0 else np.empty(0)
        scratch = np.empty((block, run.state.b.size) if run.many else block)
        segment = max(block, SEGMENT // block * block)
        p = run.position[1]
        for stop in range(segment, order.size + segment, segment):
            part = order[:stop]
            while p < part.size:
                record, due = run.state.n[RECORD], run.memory.next_stop(int(run.state.n[UPDATES]))
                keep = self.keep._replace(until=self._next_return())
                p = self.loop(run.loop_rule, chunk.rows, chunk.y, part, c, decay, block, run.state, keep, scratch, p)
                hand_on(self.follower, run.memory, self.keep, chunk.rows, number)
                if run.memory.needs_measure and (run.state.n[RECORD] > record or run.state.n[UPDATES] == due > 0):
                    run.memory.candidate(run.state, self.measure)
                if p < order.size and (stopped := self.limit()):
                    run.position = (number, p)
                    return stopped
            if p < order.size and (stopped := told(self.callback, Event(run, done + p, self.total, False))):
                run.position = (number, p)
                return stopped
        run.blocks += -(-order.size // block)
        return ""

    def rates(self, size: int, block: int) -> Array:
        """η_t by position. A constant one is made once: that saves 5 % of an epoch of 200,000 sparse rows."""
        run = self.run
        if run.settings.learning_rate == "constant" and self.constant is not None and self.constant.size == size:
            return self.constant
        self.constant = np.repeat(run.settings.rates(run.blocks, -(-size // block)), block)[:size]
        return self.constant

    def finished(self) -> str:
        """Why the rule is done after this epoch, or nothing. Sets `converged`."""
        run, settings = self.run, self.run.settings
        mistakes, updates = run.history["mistakes"][-1], run.history["updates"][-1]
        if updates == 0:
            run.converged = mistakes == 0
            return "an epoch without an update"
        if settings.optimizer == "batch" and self._gradient_norm() < settings.epsilon:
            run.converged = mistakes == 0 or settings.tol is not None
            return f"small gradient (below epsilon={settings.epsilon:g})"
        if settings.tol is None:
            return ""
        loss = run.history["loss"][-1]
        run.stale = run.stale + 1 if loss > run.best_loss - settings.tol else 0
        run.best_loss = min(run.best_loss, loss)
        if run.stale < settings.n_iter_no_change:
            return ""
        own = getattr(settings.rule, "tol", None) is not None
        run.converged = own or mistakes == 0
        what = "loss fell by less than" if own else "no progress by"
        return f"{what} tol={settings.tol:g} for {settings.n_iter_no_change} epochs"

    def limit(self) -> str:
        """The limit that has been reached, or nothing."""
        if self.most is not None and self.run.state.n[UPDATES] >= self.most:
            return f"step limit (max_updates={self.limits.max_updates})"
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return f"time limit (max_time={self.limits.max_time:g} s)"
        return ""

    def _next_return(self) -> int:
        updates = int(self.run.state.n[UPDATES])
        stops = [s for s in (self.run.memory.next_stop(updates), self.most or 0) if s > updates]
        return min(stops, default=0)

    def _gradient_norm(self) -> float:
        """‖δ‖ of the batch: how far the weights moved, over η."""
        (w, b), (w0, b0) = self.run.memory.weights(self.run.state), self.start or (0.0, 0.0)
        rate = float(self.run.settings.rates(self.run.blocks - 1, 1)[0])
        moved = float(np.sqrt(((w - w0).astype(float) ** 2).sum() + ((b - b0) ** 2).sum()))
        return moved / rate if rate > 0 else 0.0


def told(callback: Callback | None, event: Event) -> str:
    """Why the callback ends the run, or nothing."""
    answer = None if callback is None else callback(event)
    return "stopped by the callback" if answer is True else answer if isinstance(answer, str) else ""


def mean_loss(state: State) -> float:
    """The loss per row, each weighted by its step's c = η_t·weight, since the sums were reset."""
    return float(state.f[LOSS] / state.f[LOSS_WEIGHT]) if state.f[LOSS_WEIGHT] > 0.0 else 0.0


def _largest(chunks: Sequence[Chunk]) -> float:
    return max((float(np.abs(values_of(c.rows)).max()) for c in chunks if values_of(c.rows).size), default=0.0)
