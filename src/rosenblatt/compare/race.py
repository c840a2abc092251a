"""The trials themselves: every contender on every part, side by side in threads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.loop import UPDATES
from ..core.rows import Array
from ..data.batch import Batch
from ..data.folds import folds_of
from ..errors import DataError, Message, RosenblattError, SettingError, plain, plural
from ..features.pipeline import DEFAULT, Options
from ..learn.observers import Event, Observer
from ..learn.run import Stop
from ..model.fit import Task
from ..model.metrics import scorer
from ..model.model import Model
from ..recipe.recipe import Recipe
from ..recipe.training import learn
from ..recipe.trial import Part, Trial, Watch, counted, in_numbers, parts, warm_up
from .contenders import LINEAR, Contender
from .intervals import GROUPS, groups

EPOCHS = 300
"""The most epochs. Averaged, standardised: spambase has 7.04 % errors after 50 and 7.00 % after 1000; vowel, with the
multi-class perceptron, 45.2 % after 50, 42.4 % after 300 and 41.5 % after 1000."""
FEWEST = 20
WORK = 60_000_000
"""Numbers that a run may visit, about 0.2 s: epochs are fewer than EPOCHS, but not than FEWEST, on larger data."""
VOTES = 300_000_000
"""Test rows times vectors of all voted learners together. Each vote takes some 40 ns: 12 s of one core. A voted learner
ends with the epoch in which it has used up its share; it is judged by whole epochs, or not at all."""
FIRST = 10
"""How many times its share the first epoch may take; beyond that the learner is not compared."""


NOISE = 0x401
"""Of the seeds of noise. Orders have (seed, epoch): of the same seed, an epoch would begin with all wrong rows."""


@dataclass(frozen=True)
class Plan:
    """How to compare.

    learners: who takes part; None: all (see `contenders`). folds: ≥ 2, default 5; not used with a test set. scoring:
    the name of a scikit-learn scorer to sort by; None: the error rate. noise: shares of the training rows, 0 ≤ p < 1,
    that get the label of another class, by the seed; all is compared at each, and sorted at the smallest. epochs: the
    most of a run; None: by `WORK`.
    max_time: the most seconds of a run; None: no limit, and the same result on every machine and number of threads.
    jobs: threads; None: one a core. seed: of the folds and of the orders. positive: the positive label of two.
    options: how documents become rows; their scale is the contenders' own.
    """

    learners: Sequence[Contender] | None = None
    folds: int = 5
    scoring: str | None = None
    noise: Sequence[float] = ()
    epochs: int | None = None
    max_time: float | None = None
    jobs: int | None = None
    seed: int = 0
    positive: Any = None
    options: Options = DEFAULT


def folds(y: Array, count: int, seed: int) -> list[tuple[Array, Array]]:
    """(training, test) row numbers of exactly so many folds. DataError where a class has too few rows."""
    if count < 2:
        raise SettingError("{folds:s} must be a whole number ≥ 2", folds=count)
    values, counts = np.unique(y, return_counts=True)
    if values.size < 2:
        raise DataError(f"the labels have only one class, {values.tolist()[0]!r}; a classifier needs at least two")
    if counts.min() < count:
        rare, has = values.tolist()[int(counts.argmin())], int(counts.min())
        most = "{folds_} or fewer" if has > 1 else "a file of its own to test on"
        why = f"class {plain(repr(rare))} has {plural(has, 'row')}, too few for {{folds}} with one of it in each"
        raise DataError(f"{why}; use {most}", folds=count, folds_=has)
    return folds_of(y, count, seed)


def check_noise(shares: Sequence[Any]) -> None:
    """SettingError for what is no share."""
    for share in shares:
        if not (isinstance(share, int | float) and 0.0 <= share < 1.0):
            raise SettingError("{noise}: a share of the training rows is 0 or more and below 1", noise=share)


def flipped(data: Batch, share: float, seed: Sequence[int]) -> Batch:
    """The same rows, so large a share of them with the label of another class; those of a smaller share are among
    those of a larger one."""
    classes, codes = np.unique(np.asarray(data.y), return_inverse=True)
    random = np.random.default_rng(seed)
    wrong = random.permutation(data.n)[: round(share * data.n)]
    further = random.integers(1, classes.size, data.n)
    codes[wrong] = (codes[wrong] + further[wrong]) % classes.size
    return data._replace(y=classes[codes])


class Ending(Observer):
    """Ends a run at once where the race is stopped, and with the epoch in which it has made so many voters."""

    def __init__(self, stopped: threading.Event, voters: int | None) -> None:
        self.stopped, self.voters = stopped, voters

    def epoch(self, event: Event) -> Stop | None:
        if self.stopped.is_set():
            return Stop("callback")
        full = self.voters is not None and event.run.state.n[UPDATES] >= self.voters
        return Stop("epochs", event.run.epoch) if full and event.epoch_ended else None


@dataclass
class Race:
    """All contenders on all parts, and what came of it.

    pairs: (training, test) data of each part. trials: contender → one a part; failed: contender → the reason.
    """

    plan: Plan
    learners: list[Contender]
    pairs: list[tuple[Batch, Batch]]
    trials: dict[Contender, list[Trial]] = field(default_factory=dict)
    failed: dict[Contender, Message] = field(default_factory=dict)
    interrupted: bool = False

    def __post_init__(self) -> None:
        self.trials = self.trials or {contender: [] for contender in self.learners}
        self.measure: Any = None if self.plan.scoring is None else scorer(self.plan.scoring)
        classes = np.unique(self.pairs[0][0].y).size  # type: ignore[arg-type]
        self.vectors = 1 if classes == 2 else classes
        self.votes = VOTES // (len(self.pairs) * max(1, sum(not c.is_linear for c in self.learners)))
        self.stopped = threading.Event()
        self.parts: dict[tuple[str, str], Part] = {}

    @property
    def running(self) -> list[Contender]:
        return [contender for contender in self.learners if contender not in self.failed]

    def run(self, number: int, watch: Watch) -> None:
        """One part. Ctrl-C lets no run go on beyond its epoch, and is raised again."""
        (train, test), count, each = self.pairs[number], len(self.pairs), len(self.learners)

        def later(what: str, done: int = 0) -> None:
            watch(what, number * each + done, count * each)

        later(f"features of part {number + 1} of {count}" if count > 1 else "features")
        self._make_parts(train, test)
        later("compiling")
        for contender in self.running:
            try:
                part = self._part(contender)
                warm_up(self._recipe(contender), part.rows, part.y)
            except SettingError as error:
                self.failed[contender] = error.message
        pool = ThreadPoolExecutor(self.plan.jobs or _cores())
        futures = {pool.submit(self._trial, contender): contender for contender in self.running}
        try:
            with self._products_by_one():
                self._follow(futures, later)
        except BaseException:
            self.stopped.set()
            raise
        finally:
            pool.shutdown(cancel_futures=self.stopped.is_set())
            for future, contender in futures.items():  # in the order of the contenders, whoever was first
                if not future.cancelled():
                    self._take(contender, future, f"of the training rows of fold {number + 1}, " if count > 1 else "")

    def _products_by_one(self) -> Any:
        """Products of matrices in the thread that asks for them, whose time is measured."""
        if all(c.space == LINEAR for c in self.learners):
            return nullcontext()
        from threadpoolctl import threadpool_limits

        return threadpool_limits(1, "blas")

    def _make_parts(self, train: Batch, test: Batch) -> None:
        train, test, options = in_numbers(train, test, self.plan.options)
        for space in dict.fromkeys(c.space for c in self.learners):
            own = [c for c in self.running if c.space == space]
            of = own[0].recipe.features if own else options
            curved = {} if space == LINEAR else {"degree": of.degree, "map": of.map, "kernel": of.kernel}
            try:
                made = parts(train, test, options._replace(**curved), list(dict.fromkeys(c.scale for c in own)))
                self.parts |= {(scale, space): part for scale, part in made.items()}
            except (DataError, SettingError) as error:  # too many products, say
                if space == LINEAR:
                    raise
                self.failed |= dict.fromkeys(own, error.message)

    def _part(self, contender: Contender) -> Part:
        return self.parts[contender.scale, contender.space]

    def _follow(self, futures: dict[Future[Trial | None], Contender], watch: Callable[[str, int], None]) -> None:
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=0.1)
            first = next((futures[f] for f in futures if f in pending), None)
            watch(first.name if first else "", len(self.learners) - len(pending))
            for future in done:
                error = future.exception()
                if error is not None and not isinstance(error, RosenblattError):
                    raise error

    def _take(self, contender: Contender, future: Future[Trial | None], where: str) -> None:
        error = future.exception()
        if isinstance(error, RosenblattError):
            self.failed[contender] = error.message.within(where if str(error).startswith("row ") else "")
        elif error is None and (trial := future.result()) is not None:
            self.trials[contender].append(trial)

    def _trial(self, contender: Contender) -> Trial | None:
        part, recipe = self._part(contender), self._recipe(contender)
        rows = part.rows.alone() if hasattr(part.rows, "alone") else part.rows
        voters = None if contender.is_linear else max(1, self.votes // (part.test.n * self.vectors))
        begun = time.thread_time()
        learned = learn(recipe, rows, part.y, Task(observers=[Ending(self.stopped, voters)]))
        seconds = time.thread_time() - begun + (0.0 if contender.space == LINEAR else part.seconds)
        if self.stopped.is_set():
            return None
        updates = int(learned.model.run.state.n[UPDATES])
        if voters is not None and updates > FIRST * voters:
            raise DataError(
                f"not compared: {updates:,} vectors would vote on {part.test.n:,} rows, which takes too long"
            )
        return counted(learned, part, self.votes, self._score)._replace(seconds=seconds)

    def _recipe(self, contender: Contender) -> Recipe:
        """The contender's, with the plan's limits for this part."""
        part, plan = self._part(contender), self.plan
        epochs = plan.epochs or min(EPOCHS, max(FEWEST, WORK // max(1, part.rows.size * self.vectors)))
        return contender.recipe.instead(
            max_iter=epochs, max_time=plan.max_time, random_state=plan.seed, positive=plan.positive
        )

    def _score(self, model: Model, scores: Array, part: Part) -> tuple[float, Array | None] | None:
        """The scorer's value, and for a single test set its values with each group left out."""
        if self.measure is None:
            return None
        answers: Any = copy(model)
        answers.scores = scores.__getitem__  # they are known: rows are their numbers
        every = np.arange(len(part.truth))
        score = self.measure(answers, every, part.truth)
        if np.isnan(score):
            raise SettingError("{scoring} is not a number for this learner", scoring=self.plan.scoring)
        if len(self.pairs) > 1:
            return score, None
        group = groups(part.truth, self.plan.seed)
        left = [every[group != g] for g in range(GROUPS)]
        return score, np.array([self.measure(answers, rows, part.truth[rows]) for rows in left])

    def without_unfinished(self) -> Race:
        """After Ctrl-C: the parts that all contenders have finished, else the contenders that have finished the first.
        KeyboardInterrupt where that is nothing, or a score from a single fold, of which no deviation is known."""
        kept = max(min((len(self.trials[c]) for c in self.running), default=0), 1)
        trials = {c: own[:kept] for c, own in self.trials.items() if len(own) >= kept}
        alone = any(own[0].score is not None and own[0].score[1] is None for own in trials.values())
        if not any(c in trials for c in self.running) or (kept == 1 and alone):
            raise KeyboardInterrupt
        learners = [c for c in self.learners if c in trials or c in self.failed]
        return replace(self, learners=learners, trials=trials, pairs=self.pairs[:kept], interrupted=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
