"""Every treatment tried: learned on all rows, and held out in folds, within its share of the time."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.learn import MISTAKES, UPDATES
from ..core.rows import Array, Rows
from ..errors import RosenblattError
from ..features import scaling
from ..features.quadratic import Quadratic
from ..features.step import Step, fitted_chain, transformed
from ..learn.converged import training_errors
from ..learn.run import Limits
from ..learn.settings import Settings
from ..model.fit import Task, fit
from ..model.model import Model
from .treatments import Treatment


class Case(NamedTuple):
    """The rows, their labels, and how they are learned. words: of `Settings.of`. folds: (training, held-out) numbers.

    model: what came of the learner as it is, on all rows, and the seconds that it took.
    """

    rows: Rows
    y: Array
    words: dict[str, Any]
    limits: Limits
    task: Task
    folds: list[tuple[Array, Array]]
    model: Model | None = None
    seconds: float = 0.0


class Trial(NamedTuple):
    """One treatment. training_errors: of all n rows, y·u ≤ 0. wrong: (n,) bool, rows that are wrong when held out, None
    where a class has a single row. seconds: wall time, of all. slow: a time limit ended the run on all rows. failed:
    why there are no numbers, or "".
    """

    treatment: Treatment
    training_errors: int = 0
    wrong: Array | None = None
    converged: bool = False
    mistakes: int = 0
    updates: int = 0
    epochs: int = 0
    seconds: float = 0.0
    stop: str = ""
    failed: str = ""

    @property
    def slow(self) -> bool:
        return self.stop.startswith("time limit")

    @property
    def error(self) -> float | None:
        """The share of held-out rows that are wrong."""
        return None if self.wrong is None else float(self.wrong.mean())

    def better_than(self, other: Trial) -> bool:
        """Clearly so on held-out rows: of the b + c rows on which the two differ, |b − c| > 2√(b + c)."""
        if self.wrong is None or other.wrong is None:
            return False
        gained = int(np.count_nonzero(other.wrong & ~self.wrong))
        lost = int(np.count_nonzero(self.wrong & ~other.wrong))
        return gained - lost > 2.0 * np.sqrt(gained + lost)

    def as_dict(self) -> dict[str, Any]:
        names = ("training_errors", "error", "converged", "mistakes", "updates", "epochs", "seconds", "stop")
        own = {name: None if self.failed else getattr(self, name) for name in names}
        return {"what": self.treatment.what, "options": self.treatment.options, **own, "failed": self.failed or None}


def tried(
    case: Case, treatments: list[Treatment], seconds: float, watch: Callable[[str, int, int], None]
) -> list[Trial]:
    """All of them; what one leaves of its share of the time is the others'. Learning without end comes last, and has
    what is left, up to half of all: on sonar 5 s, where a share of 60 s would be 2."""
    end, found = time.monotonic() + seconds, {}
    places = sorted(range(len(treatments)), key=lambda place: treatments[place].longer)
    for number, place in enumerate(places):
        watch(treatments[place].what, number, len(treatments))
        left = max(end - time.monotonic(), 0.0) / (len(treatments) - number)
        found[place] = _trial(case, treatments[place], max(min(left, seconds / 2.0), 0.2))
    return [found[place] for place in range(len(treatments))]


def as_it_is(case: Case, seconds: float) -> Case:
    """With the model of the learner as it is. DataError where it cannot learn."""
    _compile(case, Treatment("as it is"))
    begun = time.monotonic()
    model = _fitted(case, Treatment("as it is"), seconds)[0]
    return case._replace(model=model, seconds=time.monotonic() - begun)


def _compile(case: Case, treatment: Treatment) -> None:
    """The rule's loop on a row of each class, before its time is measured: some 2 s where it never ran before."""
    few = np.unique(case.y, return_index=True)[1]
    # What is wrong with the settings, learning from all rows says; few rows may overflow where all do not.
    with contextlib.suppress(RosenblattError):
        fit(case.rows.take(few), case.y[few], _settings(case, treatment), Limits(1, 1), case.task)


def _trial(case: Case, treatment: Treatment, seconds: float) -> Trial:
    _compile(case, treatment)
    begun = time.monotonic()
    try:
        known = case.model is not None and not treatment.options
        model, rows = (case.model, case.rows) if known else _fitted(case, treatment, seconds / 2.0)
        assert model is not None
        errors = training_errors(model.scores(rows), case.y, model.classes)
        left = seconds - (time.monotonic() - begun)
        wrong = _held_out(case, treatment, max(left, 0.1)) if case.folds else None
    except RosenblattError as error:
        return Trial(treatment, failed=error.message)
    run = model.run
    return Trial(
        treatment, errors, wrong, run.finished, int(run.state.n[MISTAKES]), int(run.state.n[UPDATES]), run.epoch,
        time.monotonic() - begun + (case.seconds if known else 0.0), run.stop_reason,
    )  # fmt: skip


def _fitted(case: Case, treatment: Treatment, seconds: float) -> tuple[Model, Rows]:
    rows = _prepared(case.rows, treatment)[1]
    return fit(rows, case.y, _settings(case, treatment), _limits(case, treatment, seconds), case.task), rows


def _held_out(case: Case, treatment: Treatment, seconds: float) -> Array:
    wrong = np.zeros(len(case.y), bool)
    for kept, out in case.folds:
        steps, rows = _prepared(case.rows.take(kept), treatment)
        limits = _limits(case, treatment, seconds / len(case.folds))
        model = fit(rows, case.y[kept], _settings(case, treatment), limits, case.task)
        wrong[out] = model.labels(model.scores(transformed(steps, case.rows.take(out)))) != case.y[out]
    return wrong


def _prepared(rows: Rows, treatment: Treatment) -> tuple[list[Step], Rows]:
    """The steps that scale the rows and add products, and the rows as they leave them."""
    products = [Quadratic()] if treatment.degree == 2 else []
    return fitted_chain([*scaling.parse(treatment.scale or "none"), *products], rows)


def _settings(case: Case, treatment: Treatment) -> Settings:
    return Settings.of(**{**case.words, **treatment.words})


def _limits(case: Case, treatment: Treatment, seconds: float) -> Limits:
    limits = Limits(None) if treatment.longer else case.limits
    most = seconds if limits.max_time is None else min(limits.max_time, seconds)
    return limits._replace(max_time=most)
