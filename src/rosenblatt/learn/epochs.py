"""Epoch after epoch over all chunks, block by block: orders, learning rates, and when a rule has finished."""

import time
from typing import Any

import numpy as np

from ..core.loop import LOSS, LOSS_WEIGHT, RECORD, UPDATES, Keep, Steps
from ..core.rows import Array
from ..errors import DataError, plain
from .converged import asks_at, asks_for_a_step, fell_little, start_loss, unsettled
from .metric import metric_classes
from .observers import Event, Walked, Watch
from .rule import rule_classes, rule_name
from .run import Chunk, Chunks, Limits, Measure, Run, Stop, Survey


def against_overflow(run: Run) -> str:
    """What may help, a template with {eta0}: a rule or metric of one's own may make numbers too large by itself."""
    parts = {"move": (run.settings.metric, metric_classes()), "step": (run.rule, rule_classes())}
    own = [(verb, part) for verb, (part, known) in parts.items() if type(part) not in known.values()]
    lower = "" if run.settings.brings else " or lower {eta0.name}"
    mend = [f", or mend the {verb} of {plain(rule_name(part))}" for verb, part in own]
    return f"scale the features{lower}{''.join(mend)}"


class Trainer:
    """One call of `train`: what stays the same from epoch to epoch, however its optimizer goes through the rows."""

    def __init__(self, run: Run, chunks: Chunks, limits: Limits, measure: Measure | None, watch: Watch) -> None:
        self.run, self.chunks, self.limits, self.measure, self.watch = run, chunks, limits, measure, watch
        self.survey = Survey.of(chunks)
        self.begun = time.monotonic()
        self._loops: dict[type, Any] = {}
        self._kept: Keep | None = None
        self._gradient: tuple[Array, Array] | None = None
        self.rule = run.loop_rule_within(watch.around)
        self.most = None if limits.max_updates is None else int(run.state.n[UPDATES]) + limits.max_updates

    def loop(self, rows: Any, steps: Steps, keep: Keep) -> Any:
        """The loop for rows like these, compiled: the first time that takes 1 to 4 s, which no time limit counts."""
        if type(rows) not in self._loops:
            begun, loop = time.monotonic(), self.run.loop(rows, self.rule)
            loop(self.rule, rows, steps._replace(order=steps.order[:0]), self.run.state, keep, 0)
            self._loops[type(rows)] = loop
            self.begun += time.monotonic() - begun
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
        run, settings, k = self.run, self.run.settings, self.run.state.b.size
        decay = 1.0 - rates * settings.alpha if settings.decays else np.empty(0)
        carry = np.zeros(1 + k, np.int64)
        if not settings.shaped:
            c = rates if chunk.weight is None else rates * chunk.weight[order]
            scratch = np.empty((block, k) if run.many else block)
            whole = whole or (0, True, run.state.w, run.state.b, carry)
            return Steps._make((chunk.y, order, c, decay, scratch, block, *whole, np.empty(0)))
        c = np.ones(order.size) if chunk.weight is None else chunk.weight[order]
        whole = whole or (0, True, *self.gradient(block), carry)
        return Steps._make((chunk.y, order, c, decay, np.empty((block, k)), block, *whole, rates))

    def gradient(self, block: int) -> tuple[Array, Array]:
        """Where the steps of a block come together, of more rows than one; zeros between blocks."""
        if self._gradient is None:
            w, b = self.run.state[:2]
            self._gradient = (np.zeros_like(w), np.zeros_like(b)) if block > 1 else (w[:0], b[:0])
        return self._gradient


SEGMENT = 1 << 16
"""Rows between two looks at the clock, the observers and Ctrl-C."""


class Epochs(Trainer):
    """The way of the optimizers that go through all rows."""

    def __init__(
        self, run: Run, chunks: Chunks, limits: Limits, measure: Measure | None, watch: Watch, order: Array | None
    ) -> None:
        super().__init__(run, chunks, limits, measure, watch)
        self.own_order = order
        if run.rows != self.survey.n:  # a place in other data means nothing here
            run.position = (0, 0)
        run.rows = self.survey.n
        self.together = run.settings.optimizer.whole and self.survey.chunks > 1
        self.constant: Array | None = None
        if run.epoch == 0 and run.position == (0, 0) and run.settings.own_tol is not None:
            run.start_loss = start_loss(run, self.chunks)
        self.remeasure()
        if run.position == (0, 0):
            self.consider()  # a run that goes on in mid-epoch considers what it would have without the stop

    def learn(self) -> Stop:
        """Learn until an observer, the rule or a limit ends it."""
        run, most = self.run, self.limits.max_iter
        if most is not None and most < 1:
            return Stop("epochs")
        count, stop = 0, self.limit()
        while stop is None:
            count += 1
            stop = self.epoch() or self._after(Stop("epochs", most) if count == most else None)
        if run.position != (0, 0):
            run.memory.last_candidate(run.state, self.measure)
        return stop

    def _after(self, last: Stop | None) -> Stop | None:
        """Why an epoch was the last one: an observer, the rule, validation, a limit, or no more are allowed."""
        asked = self.watch.epoch(Event(self.run, self.survey.n, self.survey.n, True))
        firm = [stop for stop in asked if stop.kind != "validation"]  # a rule that has finished is the better reason
        if firm:
            return firm[0]
        stop = self.finished() or next(iter(asked), None) or self.limit() or last
        own = self.run.settings.own_tol
        if stop is not None and stop.is_limit and self.run.settings.tol is None and own is not None:
            self.run.converged = fell_little(self.run, own) and not unsettled(self.run, own)  # tol None only goes on
        return stop

    def order(self, number: int, chunk: Chunk) -> Array:
        """Epoch e's order: shuffled by default_rng([seed, e]) (of a later chunk: [seed, e, its number])."""
        run, n = self.run, len(chunk.y)
        if self.own_order is not None:
            order = self.own_order
        elif run.settings.shuffle:
            seed = [run.settings.random_state, run.epoch] + ([number] if number else [])
            order = np.random.default_rng(seed).permutation(n)
        else:
            order = np.arange(n)
        return order if chunk.weight is None else order[chunk.weight[order] > 0.0]

    def epoch(self) -> Stop | None:
        """One pass over the chunks, or the rest of one; returns why it was cut short."""
        run, done, left = self.run, 0, self.survey.chunks
        if run.position == (0, 0):
            run.state.f[LOSS] = run.state.f[LOSS_WEIGHT] = 0.0
            run.mark = (run.state.n.copy(), run.state.m[0].copy())
            self.start = run.memory.weights(run.state) if run.settings.optimizer.whole else None
        # Of a block that is cut into chunks all is scored at the weights before it, and the steps go into others.
        carry = np.zeros(1 + run.state.b.size, np.int64)
        into: tuple[Any, ...] = ()
        if self.together:
            apart = (
                self.gradient(self.survey.longest) if run.settings.shaped else (run.state.w.copy(), run.state.b.copy())
            )
            into = (*apart, carry)
        for number, chunk in enumerate(self.chunks):
            left -= 1
            if number >= run.position[0]:
                whole = (self.survey.learned, number == self.survey.last, *into) if self.together else ()
                stop = self.walk(number, chunk, done, whole)
                self._check_overflow()
                if stop is not None:
                    return stop
                run.position = (number + 1, 0)
                if left and not self.together and (stop := self.limit()) is not None:
                    return stop
            done += len(chunk.y)
        if into and not run.settings.shaped:
            run.state.w[...], run.state.b[...] = into[:2]
            self._check_overflow()
        run.blocks += 1 if self.together else 0
        run.position = (0, 0)
        run.epoch += 1
        self.consider()
        assert run.mark is not None
        run.record(*run.mark)
        return None

    def _check_overflow(self) -> None:
        run = self.run
        if not (np.isfinite(run.state.w).all() and np.isfinite(run.state.b).all()):
            largest = max(chunk.rows.largest() for chunk in self.chunks)
            eta = "" if run.settings.brings else ", {eta0:g}"
            found = f"the weights overflowed in epoch {run.epoch + 1} ({plain(run.settings.learner)}{eta}"
            wanted = f"largest value {largest:g}); {against_overflow(run)}"
            raise DataError(f"{found}, {wanted}", eta0=run.settings.eta0)

    def walk(self, number: int, chunk: Chunk, done: int, whole: tuple[Any, ...]) -> Stop | None:
        """Learn from one chunk in its order."""
        run, settings = self.run, self.run.settings
        order = self.order(number, chunk)
        kept = self.keep(chunk.rows, settings.optimizer.block(self.survey.longest))
        block = settings.optimizer.block(order.size)
        steps = self.steps(chunk, order, self.rates(order.size, block), block, whole)
        loop = self.loop(chunk.rows, steps, kept)
        segment = max(block, SEGMENT // block * block)
        p = run.position[1]
        for end in range(segment, order.size + segment, segment):
            steps = steps._replace(order=order[:end])
            while p < steps.order.size:
                record, due = run.state.n[RECORD], run.memory.next_stop(int(run.state.n[UPDATES]))
                keep = kept._replace(until=self._next_return())
                start, p = p, loop(self.rule, chunk.rows, steps, run.state, keep, p)
                self.watch.returned(
                    run.memory, kept, chunk.rows, Walked(number, order[start:p], steps.whole, steps.last)
                )
                if run.state.n[RECORD] > record or run.state.n[UPDATES] == due > 0:
                    self.consider()
                if p < order.size and not whole and (stop := self.limit()) is not None:
                    run.position = (number, p)
                    return stop
            if p < order.size and (stops := self.watch.epoch(Event(run, done + p, self.survey.n, False))):
                run.position = (number, p)
                return stops[0]
        run.blocks += 0 if whole else -(-order.size // block)
        return None

    def rates(self, size: int, block: int) -> Array:
        """η_t by position. A constant one is made once: that saves 5 % of an epoch of 200,000 sparse rows."""
        run = self.run
        if self.constant is not None and self.constant.size == size:
            return self.constant
        rates = np.repeat(run.settings.rates(run.blocks, -(-size // block)), block)[:size]
        self.constant = rates if hasattr(run.settings.schedule, "constant") else None
        return rates

    def finished(self) -> Stop | None:
        """Why the rule is done after this epoch. Sets `converged`."""
        run, settings = self.run, self.run.settings
        stop = self._finished()
        if stop is None:
            return None
        own = settings.own_tol
        if own is None:
            still = stop.kind == "no update"
            shrunk = "pulled" if settings.pulls else "shrunk" if settings.alpha > 0.0 else ""
            if still and (shrunk or (self.own_order is not None and np.unique(self.own_order).size < self.survey.n)):
                still = not asks_at(run, self.chunks, run.memory.weights(run.state))
                stop = stop if still else Stop(shrunk or "left out")
            run.converged = not asks_for_a_step(run, self.chunks, still)
            return stop
        why = unsettled(run, own if settings.tol is None else settings.tol)
        run.converged = not why
        if why and stop.kind == "settled":
            kind = "adrift" if settings.brings else "unsettled"
            return Stop(kind, stop.limit, f"{stop.note} epochs, and does not settle ({why})")
        return stop

    def _finished(self) -> Stop | None:
        run, settings = self.run, self.run.settings
        if run.history["updates"][-1] == 0:
            return Stop("no update")
        if settings.optimizer.whole and self._gradient_norm() < settings.optimizer.epsilon:
            return Stop("small gradient", settings.optimizer.epsilon)
        if settings.tol is None:
            return None
        loss = run.history["loss"][-1]
        run.stale = run.stale + 1 if loss > run.best_loss - settings.tol else 0
        run.best_loss = min(run.best_loss, loss)
        if run.stale < settings.n_iter_no_change:
            return None
        kind = "no progress" if settings.own_tol is None else "settled"
        return Stop(kind, settings.tol, settings.n_iter_no_change)

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
