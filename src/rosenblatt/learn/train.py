"""Chunks × settings → a run: epoch by epoch, or by picking one mistake after the other."""

from typing import Any

from ..core.rows import Array
from .epochs import Epochs
from .observers import Watch, observers_of
from .picks import Picker
from .run import Chunks, Limits, Measure, Run, Stop


def train(
    run: Run,
    chunks: Chunks,
    limits: Limits,
    measure: Measure | None = None,
    observers: Any = (),
    order: Array | None = None,
) -> None:
    """Go on learning from the chunks until the rule is finished or a limit comes; `run` says which, and has the result.

    chunks: any iterable that can be gone through again; one chunk is held at a time. measure: (w, b) → what the pocket
    maximises, over all rows. observers: one or many, functions of an `Event` too. order: (m,) row numbers
    of a single chunk to use in each epoch. Raises DataError when the weights overflow.
    """
    run.check_goes_on()
    watching = observers_of(observers)
    if not any(observer.chooses for observer in watching):
        run.best = None
    watch = Watch(watching, run, chunks, order)
    run.converged, run.stop = False, Stop("start")
    if run.settings.optimizer.picks:
        run.stop = Picker(run, chunks, limits, measure, watch).learn()
    else:
        run.stop = Epochs(run, chunks, limits, measure, watch, order).learn()
    watch.end(run)
