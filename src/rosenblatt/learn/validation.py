"""Early stopping: rows that are not learned from say which epoch was the best, and that one answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..core.learn import State
from ..core.rows import Array
from .observers import Event, Observer
from .run import Best, Chunks, Run
from .stop import Stop


class Validation(Observer):
    """Ends a run after n_iter_no_change epochs without a better score; the best epoch answers, the first of equals.

    score: how good a run answers rows that it does not learn from; more is better. name: what of it, for messages.
    """

    chooses = True

    def __init__(self, score: Callable[[Run], float], name: str = "accuracy") -> None:
        self.score, self.name = score, name

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        """The best epoch of an earlier call is measured anew, so that like is compared with like."""
        if run.best is not None:
            score = self.score(replace(run, memory=run.best.memory, state=run.best.state, best=None))
            run.best = run.best._replace(score=score)
        return False

    def epoch(self, event: Event) -> Stop | None:
        """The epoch that has just ended becomes the best one if its score is strictly better."""
        run = event.run
        if not event.epoch_ended:
            return None
        score = self.score(replace(run, best=None))
        scores = run.history.setdefault("validation", [None] * (run.epoch - 1))
        scores += [None] * (run.epoch - 1 - len(scores))
        scores.append(score)
        if run.best is None or score > run.best.score:
            run.best = Best(score, run.epoch, run.memory.copy(), State(*(array.copy() for array in run.state)))
        if run.epoch - run.best.epoch < run.settings.n_iter_no_change:
            return None
        text = (
            f"{self.name} on the validation rows no better for {run.settings.n_iter_no_change} epochs "
            f"(best: {run.best.score:.4f} in epoch {run.best.epoch})"
        )
        return Stop("validation", note=text)
