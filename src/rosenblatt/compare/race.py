"""The runs themselves: every contender on every part, side by side in threads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.learn import MISTAKES, UPDATES
from ..core.rows import Array
from ..data.batch import Batch
from ..data.checks import check_finite
from ..data.labels import class_list
from ..errors import DataError, Message, RosenblattError, SettingError
from ..features.pipeline import DEFAULT, Options
from ..learn.converged import training_errors
from ..learn.observers import Event
from ..learn.run import Limits
from ..learn.settings import Settings
from ..model.fit import Task, fit
from ..model.metrics import scorer
from ..model.model import Model
from .contenders import Contender, contenders
from .intervals import GROUPS, groups
from .parts import Part, batch, folds, parts, same_kind

EPOCHS = 300
"""The most epochs. Averaged, standardised: spambase has 7.04 % errors after 50 and 7.00 % after 1000; vowel, with the
multi-class perceptron, 45.2 % after 50, 42.4 % after 300 and 41.5 % after 1000."""
FEWEST = 20
WORK = 60_000_000
"""Numbers that a run may visit, about 0.2 s: epochs are fewer than EPOCHS, but not than FEWEST, on larger data."""
VOTES = 300_000_000
"""Test rows times vectors of all voted learners together. Each vote takes some 40 ns: 12 s of one core."""


@dataclass(frozen=True)
class Plan:
    """How to compare.

    learners: who takes part; None: all (see `contenders`). folds: ≥ 2, default 5; not used with a test set. scoring:
    the name of a scikit-learn scorer to sort by; None: the error rate. epochs: the most of a run; None: by `WORK`.
    max_time: the most seconds of a run; None: no limit, and the same result on every machine and number of threads.
    jobs: threads; None: one a core. seed: of the folds and of the orders. positive: the positive label of two.
    options: how documents become rows; their scale is the contenders' own.
    """

    learners: Sequence[Contender] | None = None
    folds: int = 5
    scoring: str | None = None
    epochs: int | None = None
    max_time: float | None = None
    jobs: int | None = None
    seed: int = 0
    positive: Any = None
    options: Options = DEFAULT


class Turn(NamedTuple):
    """One contender on one part.

    wrong: (m,) bool, the test rows it gets wrong. training_error: the share with y·u ≤ 0, None where it would take too
    many votes. stop: why it stopped; limited: a limit came first. seconds: CPU time of learning. score, without: of the
    scorer, and with each group of test rows left out.
    """

    wrong: Array
    training_error: float | None
    mistakes: int
    updates: int
    epochs: int
    stop: str
    limited: bool
    seconds: float
    score: float | None = None
    without: Array | None = None


Watch = Callable[[str, int, int], None]
"""Is told what is being done, and how many of how many runs are done."""


class Ran(NamedTuple):
    """All turns. turns[contender][part]; failed: contender → the reason. sizes: (training, test) rows of each part."""

    learners: list[Contender]
    turns: dict[Contender, list[Turn]]
    failed: dict[Contender, Message]
    sizes: list[tuple[int, int]]
    baseline: list[tuple[float, float | None]]
    interrupted: bool


def compare(X: Any, y: Any = None, plan: Plan = Plan(), test: Any = None, watch: Watch | None = None) -> Any:
    """A `Comparison` of the plan's learners on labelled rows, in folds or on a test set.

    X: (n, d) array or sparse matrix, or a list of texts; or a `Batch`, with y=None. test: (X, y) or a `Batch`. Raises
    DataError for values that are not finite, classes that are too small for the folds, and where nobody could learn;
    SettingError for names and numbers that make no sense. Ctrl-C ends it with what is done (`interrupted`).
    """
    from .result import comparison

    data = X if isinstance(X, Batch) else batch(X, y)
    held = test if test is None or isinstance(test, Batch) else batch(*test)
    if data.y is None or (held is not None and held.y is None):
        raise DataError("there are no labels; rows to compare learners on need one each")
    return comparison(_run(data, held, plan, watch or (lambda what, done, of: None)), plan, held is not None)


def _run(data: Batch, test: Batch | None, plan: Plan, watch: Watch) -> Ran:
    measure = None if plan.scoring is None else scorer(plan.scoring)
    for name, least in (("epochs", 1), ("jobs", 1), ("max_time", 0)):
        value = getattr(plan, name)
        if value is not None and not value >= least:
            raise SettingError(f"{{{name}}} must be None or a number ≥ {least}", **{name: value})
    assert data.y is not None
    kind, classes = "documents" if isinstance(data.rows, list) else "rows", np.unique(data.y)
    learners = list(plan.learners if plan.learners is not None else contenders(kind, classes.size))
    class_list(data.y, plan.positive)
    for rows in [data.rows] + ([test.rows] if test is not None else []):
        if not isinstance(rows, list):
            check_finite(rows)
    if test is None:
        split = folds(data.y, plan.folds, plan.seed)
        pairs = [(data.take(train), data.take(out)) for train, out in split]
    else:
        same_kind(data, test)
        pairs = [(data, test)]
    total = len(pairs) * len(learners)
    ran = Ran(learners, {c: [] for c in learners}, {}, [], [], False)
    try:
        for number, (train, out) in enumerate(pairs):
            before = number * len(learners)
            watch(f"features of part {number + 1} of {len(pairs)}" if len(pairs) > 1 else "features", before, total)
            made = parts(train, out, plan.options, list(dict.fromkeys(c.scale for c in learners)))
            ran.sizes.append((len(train.y), len(out.y)))  # type: ignore[arg-type]
            ran.baseline.append(_most_frequent(made[learners[0].scale], plan.scoring))
            race = _Race(ran, made, plan, measure, len(pairs))
            race.run(_later(watch, before, total))
    except KeyboardInterrupt:
        return _what_is_done(ran)
    return ran


def _later(watch: Watch, before: int, total: int) -> Callable[[str, int], None]:
    """Of one part's runs: how many of all are done."""
    return lambda what, done: watch(what, before + done, total)


class _Race:
    """One part, all contenders."""

    def __init__(self, ran: Ran, made: dict[str, Part], plan: Plan, measure: Any, count: int) -> None:
        self.ran, self.made, self.plan, self.measure, self.count = ran, made, plan, measure, count
        self.votes = VOTES // (count * max(1, sum(not c.is_linear for c in ran.learners)))
        self.stopped = threading.Event()

    def run(self, watch: Callable[[str, int], None]) -> None:
        """All contenders that have not failed yet. Ctrl-C lets no run go on beyond its epoch, and is raised again."""
        watch("compiling", 0)
        running = [c for c in self.ran.learners if c not in self.ran.failed]
        for contender in running:
            self._compile(contender)
        running = [c for c in running if c not in self.ran.failed]
        pool = ThreadPoolExecutor(self.plan.jobs or _cores())
        try:
            futures = {pool.submit(self._turn, c): c for c in running}
            self._follow(futures, watch)
        except BaseException:
            self.stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            for future, contender in futures.items():
                if future.done() and not future.cancelled():
                    self._take(contender, future)
            raise
        pool.shutdown()
        for future, contender in futures.items():  # in the order of the contenders, whoever was first
            self._take(contender, future)

    def _follow(self, futures: dict[Future[Turn | None], Contender], watch: Callable[[str, int], None]) -> None:
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=0.1)
            first = next((futures[f] for f in futures if f in pending), None)
            watch(first.name if first else "", len(self.ran.learners) - len(pending))
            for future in done:
                error = future.exception()
                if error is not None and not isinstance(error, RosenblattError):
                    raise error

    def _take(self, contender: Contender, future: Future[Turn | None]) -> None:
        try:
            turn = future.result()
        except RosenblattError as error:
            rows = f"of the training rows of fold {len(self.ran.sizes)}, " if self.count > 1 else ""
            self.ran.failed[contender] = error.message.within(rows if str(error).startswith("row ") else "")
        else:
            if turn is not None:
                self.ran.turns[contender].append(turn)

    def _compile(self, contender: Contender) -> None:
        """The rule's loop on a row of each class, before threads ask for it at once and its time is measured."""
        part = self.made[contender.scale]
        few = np.unique(part.y, return_index=True)[1]
        try:
            fit(part.rows.take(few), part.y[few], _settings(contender, self.plan), Limits(max_iter=1))
        except SettingError as error:
            self.ran.failed[contender] = error.message
        except DataError:
            pass  # the few rows may overflow where all do not, and the other way round

    def _turn(self, contender: Contender) -> Turn | None:
        part, plan = self.made[contender.scale], self.plan
        task = Task(positive=plan.positive, observers=self._stop)
        begun = time.thread_time()
        model = fit(part.rows, part.y, _settings(contender, plan), self._limits(contender, part), task)
        seconds = time.thread_time() - begun
        if self.stopped.is_set():
            return None
        scores = model.scores(part.test)
        score, without = self._scores(model, scores, part)
        state, stop = model.run.state, model.run.stop
        return Turn(
            model.labels(scores) != part.truth, self._training_error(model, part), int(state.n[MISTAKES]),
            int(state.n[UPDATES]), model.run.epoch, stop.text, stop.is_limit, seconds, score, without,
        )  # fmt: skip

    def _stop(self, event: Event) -> bool:
        return self.stopped.is_set()

    def _limits(self, contender: Contender, part: Part) -> Limits:
        many = _weight_vectors(part.y)
        size = max(1, part.rows.size * many)
        epochs = self.plan.epochs or min(EPOCHS, max(FEWEST, WORK // size))
        votes = None
        if not contender.is_linear:
            votes = max(1, self.votes // (part.test.n * many))
        return Limits(epochs, votes, self.plan.max_time)

    def _training_error(self, model: Model, part: Part) -> float | None:
        vectors = int(model.run.state.n[UPDATES]) * _weight_vectors(part.y)
        if not model.run.memory.is_linear and part.rows.n * vectors > self.votes:
            return None
        return training_errors(model.scores(part.rows), part.y, model.classes) / len(part.y)

    def _scores(self, model: Model, scores: Array, part: Part) -> tuple[float | None, Array | None]:
        """The scorer's value, and for a single test set its values with each group left out."""
        if self.measure is None:
            return None, None
        answers: Any = _Answers(model, scores)
        every = np.arange(len(part.truth))
        score = self.measure(answers, every, part.truth)
        if np.isnan(score):
            raise SettingError("{scoring} is not a number for this learner", scoring=self.plan.scoring)
        if self.count > 1:
            return score, None
        group = groups(part.truth, self.plan.seed)
        left = [every[group != g] for g in range(GROUPS)]
        return score, np.array([self.measure(answers, rows, part.truth[rows]) for rows in left])


class _Answers:
    """A model whose scores are known: rows are their numbers."""

    def __init__(self, model: Model, scores: Array) -> None:
        self._model, self._scores = model, scores

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def scores(self, rows: Array) -> Array:
        return self._scores[rows]


def _settings(contender: Contender, plan: Plan) -> Settings:
    rule = contender.rule if contender.value is None else contender.value
    return Settings.of(rule=rule, keep=contender.keep, optimizer=contender.optimizer, random_state=plan.seed)


def _weight_vectors(y: Array) -> int:
    classes = np.unique(y).size
    return 1 if classes == 2 else classes


def _most_frequent(part: Part, scoring: str | None) -> tuple[float, float | None]:
    """(error, score) of calling every row what most training rows are."""
    from sklearn.dummy import DummyClassifier
    from sklearn.metrics import get_scorer

    values, codes = np.unique(np.concatenate([part.y, part.truth]), return_inverse=True)
    own, truth = codes[: len(part.y)], codes[len(part.y) :]
    dummy = DummyClassifier(strategy="prior").fit(np.zeros((len(own), 1)), own)
    error = float((dummy.predict(np.zeros((len(truth), 1))) != truth).mean())
    if scoring is None:
        return error, None
    try:
        return error, float(get_scorer(scoring)(dummy, np.zeros((len(truth), 1)), truth))
    except (ValueError, AttributeError):
        return error, None


def _what_is_done(ran: Ran) -> Ran:
    """After Ctrl-C: the parts that all contenders have finished, else the contenders that have finished the first."""
    alive = [c for c in ran.learners if c not in ran.failed]
    whole = min((len(ran.turns[c]) for c in alive), default=0)
    kept = max(whole, 1)
    turns = {c: found[:kept] for c, found in ran.turns.items() if len(found) >= kept}
    scored = [found[0] for found in turns.values() if found[0].score is not None]
    if not any(c in turns for c in alive) or (kept == 1 and any(turn.without is None for turn in scored)):
        raise KeyboardInterrupt  # nothing, or a score from a single fold, of which no deviation is known
    learners = [c for c in ran.learners if c in turns or c in ran.failed]
    return ran._replace(
        learners=learners, turns=turns, sizes=ran.sizes[:kept], baseline=ran.baseline[:kept], interrupted=True
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rows_of(ran: Ran) -> list[tuple[Contender, list[Turn]]]:
    """Contenders with their turns, without those that failed."""
    return [(c, ran.turns[c]) for c in ran.learners if c not in ran.failed]
