"""`diagnose`: from rows and labels to all that is known about why a learner does not converge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.checks import check_seconds, labels_from, rows_from
from ..data.folds import folds_of
from ..data.labels import class_list
from ..errors import DataError, SettingError, plain
from ..learn.run import Limits
from ..learn.settings import DEFAULTS, WORDS, Settings
from ..model.fit import Task
from ..theory.problem import as_problem
from .facts import Facts, facts
from .treatments import Given, treatments
from .trials import Case, Trial, as_it_is, tried
from .verdict import Verdict, questions, verdicts

Watch = Callable[[str, int, int], None]
PROOFS = 0.25
"""The share of the time that proofs and margins may take; the learner as it is has as much, the trials the rest."""


@dataclass(frozen=True)
class Plan:
    """What is asked about, and how long it may take.

    learner: words of `LinearClassifier` that differ from their defaults (rule, keep, optimizer, eta0 …). epochs: the
    most of each run, default 1000, as `fit` has. max_updates: of each run. max_time: seconds for everything, default
    60; what needs less is the same on every machine. folds: ≥ 2, default 5, for the errors on held-out rows.
    class_weight: as of `LinearClassifier`, default None. positive: the label of +1; of more than two classes it is
    taken against the rest, without it each is. given: how the rows are scaled already. names: of the columns; default:
    those of a DataFrame, else numbers from 1.
    """

    learner: Mapping[str, Any] = field(default_factory=dict)
    epochs: int | None = DEFAULTS["max_iter"]
    max_updates: int | None = None
    max_time: float = 60.0
    folds: int = 5
    positive: Any = None
    class_weight: Any = None
    given: Given = Given()
    names: Sequence[str] | None = None


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What was found; `print(diagnosis)` is the page.

    facts: of rows and columns. verdicts: one for two classes, else one for each class against the rest. trials: the
    learner as it is, then each treatment. settings: of the learner, None where there is one class only. advice: what to
    do, in sentences, what helps most first. plan: what was asked. seconds: it took so long.
    """

    facts: Facts
    verdicts: list[Verdict]
    trials: list[Trial]
    settings: Settings | None
    plan: Plan
    seconds: float

    @property
    def converged(self) -> bool:
        """Whether the learner converged as it is."""
        return bool(self.trials) and self.trials[0].converged

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane without an error exists, of more classes one for each; None: not decided, as where every
        two of classes that are learned together can be parted, which says nothing of all of them at once."""
        found = [verdict.separable for verdict in self.verdicts]
        known = all(found) and bool(found) and all(verdict.numbers is None for verdict in self.verdicts)
        return False if False in found else True if known else None

    @property
    def best(self) -> Trial | None:
        """The fewest errors on held-out rows, the first of equals."""
        scored = [trial for trial in self.trials if trial.error is not None]
        return min(scored, key=lambda trial: trial.error, default=None)  # type: ignore[arg-type, return-value]

    @property
    def advice(self) -> list[str]:
        """What to do, in sentences, what helps most first."""
        from .advice import advice

        return advice(self)

    def page(self, data: str = "DATA", options: str = "", say: Callable[[str], str] = str) -> Iterator[str]:
        """Lines of at most 100 characters. data: what commands on it call the data, and options how they read it.

        say: how another face of the program says a reason that mentions settings.
        """
        from .page import page

        return page(self, data, options, say)

    def __str__(self) -> str:
        return "\n".join(self.page())

    def __repr__(self) -> str:
        verdict = {None: "separable or not is not known", True: "separable", False: "not separable"}[self.separable]
        converged = "converged" if self.converged else "did not converge"
        return f"<Diagnosis: {converged}, {verdict}; {len(self.trials)} trials; print it for the page>"

    def as_dict(self, first: int = 0) -> dict[str, Any]:
        """JSON-able, everything. first: the number of the first row."""
        return {
            "facts": self.facts.as_dict(first),
            "learner": None if self.settings is None else self.settings.words(),
            "converged": self.converged,
            "separable": self.separable,
            "verdicts": [verdict.as_dict(first) for verdict in self.verdicts],
            "trials": [trial.as_dict() for trial in self.trials],
            "best": None if self.best is None else self.best.treatment.options,
            "advice": self.advice,
            "seconds": self.seconds,
        }


def diagnose(X: Any, y: Any, plan: Plan = Plan(), watch: Watch | None = None) -> Diagnosis:
    """Why a learner does not converge on these rows, and what helps: proven where it can be, tried where not.

    X: (n, d) array, DataFrame or sparse matrix of finite numbers. y: (n,) labels; with one class alone only the facts
    are given. plan: what is asked, default `Plan()`. watch: is told what is being done, and how many of how many trials
    are done. Raises DataError for NaN, infinite values and no rows; SettingError for settings that make no sense.
    """
    begun = time.monotonic()
    watch = watch or (lambda what, done, of: None)
    _check(plan)
    if plan.names is None and hasattr(X, "columns"):
        plan = replace(plan, names=[str(name) for name in X.columns])
    settings, words = Settings.of(**plan.learner), dict(plan.learner)
    rows, labels = _rows(X, y, plan)
    found = facts(rows, labels, plan.names)
    if len(found.class_rows) < 2:
        return Diagnosis(found, [], [], None, plan, time.monotonic() - begun)
    positive = plan.positive if len(found.class_rows) == 2 else None
    classes = class_list(labels, positive)
    task = Task(positive, plan.class_weight, names=plan.names)
    limits = Limits(plan.epochs, plan.max_updates, None)
    case = Case(rows, labels, words, limits, task, folds_of(labels, plan.folds, settings.random_state))
    watch("the learner as it is", 0, 0)
    case = as_it_is(case, plan.max_time * PROOFS)
    watch("proofs", 0, 0)
    assert case.model is not None
    joint = settings.multi_class != "one-vs-rest"
    asked = questions(rows, labels, classes, settings.fit_intercept, joint)
    proven = verdicts(asked, case.model, plan.max_time * PROOFS)
    # "Pick one mistake" counts no epochs: its limit is one of updates.
    longer = not case.model.run.finished and not settings.optimizer.picks
    longer = longer and all(verdict.separable for verdict in proven)
    what = treatments(settings, rows, classes.size, plan.given, longer)
    left = plan.max_time - (time.monotonic() - begun)
    trials = tried(case, what, max(left, 1.0), watch)
    return Diagnosis(found, proven, trials, case.model.run.settings, plan, time.monotonic() - begun)


def _check(plan: Plan) -> None:
    if not isinstance(plan, Plan):
        raise SettingError("{plan} must be a Plan", plan=plan)
    if plan.max_time is None:
        raise SettingError("{max_time} must be a number of seconds above 0", max_time=None)
    check_seconds("max_time", plan.max_time)
    for name, least in (("epochs", 1), ("max_updates", 1), ("folds", 2)):
        value, free = getattr(plan, name), " None or" if name != "folds" else ""
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not (whole and value >= least) and not (free and value is None):
            raise SettingError(f"{{{name}}} must be{free} a whole number ≥ {least}", **{name: value})
    if not isinstance(plan.learner, Mapping):
        raise SettingError(
            "{learner} must be a dict of words of LinearClassifier, as rule and keep", learner=plan.learner
        )
    unknown = [name for name in plan.learner if name not in WORDS]
    if unknown:
        found = f"{plain(repr(unknown[0]))} is no word of LinearClassifier about learning"
        raise SettingError(f"{{learner}}: {found}", learner=unknown[0])


def _rows(X: Any, y: Any, plan: Plan) -> tuple[Rows, Array]:
    """The rows as the theorems see them, and the labels; of more classes with `positive` this one and "the rest"."""
    rows = rows_from(X)
    labels = labels_from(y, rows.n)
    if not len(labels):
        raise DataError("there are no rows; a diagnosis needs at least one row")
    if plan.names is not None and len(plan.names) != rows.width:
        raise SettingError(f"names: there are {len(plan.names)} of them, but {rows.width} columns")
    values = np.unique(labels)
    problem = as_problem(rows, labels, True, plan.positive if plan.positive is not None else values[-1], plan.names)
    if plan.positive is not None and values.size > 2:
        rest, name = problem.classes
        return problem.rows, np.where(problem.y > 0, str(name), str(rest))
    return problem.rows, labels
