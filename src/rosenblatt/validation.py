"""Early stopping: rows that are not learned from say which epoch was the best, and that one answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .core.learn import State

if TYPE_CHECKING:
    from .train import Run


class Best(NamedTuple):
    """The best epoch so far on validation rows: its score, its number from 1, and all that answered then."""

    score: float
    epoch: int
    memory: Any
    state: State


class Validation(NamedTuple):
    """How good a run answers rows that it does not learn from; what of it and where, for messages."""

    score: Callable[[Run], float]
    name: str = "accuracy"


def begin_validation(run: Run, validation: Validation | None) -> None:
    """The best epoch of an earlier call is measured anew, so that like is compared with like; without validation the
    run answers as it is."""
    best, run.best = run.best, None
    if validation is not None and best is not None:
        score = validation.score(replace(run, memory=best.memory, state=best.state))
        run.best = best._replace(score=score)


def validate(run: Run, validation: Validation | None) -> None:
    """The epoch that has just ended becomes the best one if its score is strictly better."""
    if validation is None:
        return
    score = validation.score(replace(run, best=None))
    scores = run.history.setdefault("validation", [None] * (run.epoch - 1))
    scores += [None] * (run.epoch - 1 - len(scores))
    scores.append(score)
    if run.best is None or score > run.best.score:
        run.best = Best(score, run.epoch, run.memory.copy(), State(*(array.copy() for array in run.state)))


def no_better(run: Run, validation: Validation | None) -> str:
    """Why validation ends learning, or nothing."""
    if validation is None or run.best is None or run.epoch - run.best.epoch < run.settings.n_iter_no_change:
        return ""
    return (
        f"{validation.name} on the validation rows no better for {run.settings.n_iter_no_change} epochs "
        f"(best: {run.best.score:.4f} in epoch {run.best.epoch})"
    )
