"""Who watches a run: a list of observers, each told when learning begins, of its steps, of epochs, and of its end.

Progress, validation, the ledger of theorems, the proof that no hyperplane exists, and functions of one's own are
observers; none knows of the others.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.loop import Keep, State, log_space
from ..core.rows import Array
from ..errors import SettingError, plain
from .run import Best, Chunks, Run, Stop

ROOM = 1 << 16
"""Logged steps between two visits of Python."""


class Event(NamedTuple):
    """What an observer is told: the run, rows done of the rows of this epoch (of an optimizer that picks its rows:
    updates done of the most), and whether the epoch has ended."""

    run: Run
    done: int
    total: int
    epoch_ended: bool


class Walked(NamedTuple):
    """What the loop has learned from before it returned. number: of the chunk. rows: (m,) their numbers in it, in the
    order in which they were learned from. whole: they are a part of one block of so many rows, 0: of none; last: no
    part of it follows."""

    number: int
    rows: Array
    whole: int = 0
    last: bool = True


class Observer:
    """Sees a run and does nothing; the base of those that do.

    chooses: whether it chooses the epoch that answers (`Run.best`); without such a one the run answers as it is.
    """

    chooses = False

    def about(self, **facts: Any) -> None:
        """What is known of what will be learned: classes, names of the columns; a recipe, and where the data are."""

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        """Learning begins. True: `steps` are wanted. order: of the rows of a single chunk, where one was given."""
        return False

    def around(self, rule: Any) -> Any:
        """The rule, or a `Recorder` around it, which the loop tells what it does."""
        return rule

    def walked(self, walked: Walked) -> None:
        """The loop has returned, and what a recorder has written since the last time is of these rows."""

    def steps(self, keep: Keep, number: int) -> None:
        """What the loop logged since the last call, in the chunk of this number."""

    def epoch(self, event: Event) -> Stop | None:
        """An epoch has ended, or, where `event` says so, goes on after 65,536 rows. A stop ends the run."""
        return None

    def end(self, run: Run) -> None:
        """Learning is over."""


class Callback(Observer):
    """A function of an `Event`: True from it ends the run, and so does a text, which becomes the stop reason.

    One that has the methods begin, steps and end as well is told as an observer is.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        for name in ("about", "begin", "around", "walked", "steps", "end") if hasattr(function, "steps") else ("end",):
            setattr(self, name, getattr(function, name, getattr(self, name)))

    def epoch(self, event: Event) -> Stop | None:
        answer = self.function(event)
        if isinstance(answer, str) and answer:
            return Stop("own", note=answer)
        return Stop("callback") if answer is True else None


def observers_of(watching: Any) -> list[Observer]:
    """Observers and functions, one or many or None, as observers."""
    if watching is None:
        return []
    if not isinstance(watching, Observer) and not callable(watching):
        if isinstance(watching, (str, bytes)) or not isinstance(watching, Iterable):
            raise SettingError(f"observers are functions of an event, or observers; found {plain(repr(watching))}")
        return [observer for each in watching for observer in observers_of(each)]
    return [watching if isinstance(watching, Observer) else Callback(watching)]


class Watch:
    """The observers of one call of `train`, asked as one."""

    def __init__(self, observers: list[Observer], run: Run, chunks: Chunks, order: Array | None = None) -> None:
        if len({id(observer) for observer in observers}) < len(observers):
            raise SettingError("an observer is given twice; each follows a run once")
        self.observers = observers
        self.followers = [observer for observer in observers if observer.begin(run, chunks, order)]

    def keep(self, keep: Keep) -> Keep:
        """The same, with a log where somebody wants the steps."""
        return log_space(keep, ROOM) if self.followers and not keep.row.size else keep

    def around(self, rule: Any) -> Any:
        """The rule with all that stands around it."""
        for observer in self.observers:
            rule = observer.around(rule)
        return rule

    def returned(self, memory: Any, keep: Keep, rows: Any, walked: Walked) -> None:
        """The loop has returned: its log goes to those who want it and to the memory."""
        for follower in self.followers:
            follower.steps(keep, walked.number)
        for observer in self.observers:
            observer.walked(walked)
        memory.collect(keep, rows)
        keep.used[0] = 0

    def epoch(self, event: Event) -> list[Stop]:
        """The stops that are asked for."""
        return [stop for observer in self.observers if (stop := observer.epoch(event)) is not None]

    def end(self, run: Run) -> None:
        for observer in self.observers:
            observer.end(run)


class Validation(Observer):
    """Early stopping: ends a run after n_iter_no_change epochs without a better score; the best epoch answers, the
    first of equals.

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
        scores = run.history.setdefault("validation", [])
        scores += [*[None] * (run.epoch - 1 - len(scores)), score]  # no score of epochs before it was asked for
        if run.best is None or score > run.best.score:
            run.best = Best(score, run.epoch, run.memory.copy(), State(*(array.copy() for array in run.state)))
        if run.epoch - run.best.epoch < run.settings.n_iter_no_change:
            return None
        text = f"{self.name} on the validation rows no better for {run.settings.n_iter_no_change} epochs"
        return Stop("validation", note=f"{text} (best: {run.best.score:.4f} in epoch {run.best.epoch})")
