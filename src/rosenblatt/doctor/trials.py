"""Every treatment tried: learned on all rows, and held out in folds, within its share of the time."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..errors import RosenblattError
from ..model.fit import Task
from ..recipe.recipe import Recipe
from ..recipe.training import Learned, learn
from ..recipe.trial import Part, Trial, Watch, counted, part, warm_up


class Case(NamedTuple):
    """The rows with their labels, the recipe of the learner as it is, what is said beside it, and the folds: (training,
    held-out) row numbers. scale: how the rows are scaled already. first: the learner as it is, taught all rows."""

    rows: Rows
    y: Array
    recipe: Recipe
    task: Task
    folds: list[tuple[Array, Array]]
    scale: str = "none"
    first: Learned | None = None


def tried(case: Case, treatments: dict[str, dict[str, Any]], seconds: float, watch: Watch) -> list[Trial]:
    """All of them; what one leaves of its share of the time is the others'. Learning without end comes last, and has
    what is left, up to half of all: on sonar 5 s, where a share of 60 s would be 2."""
    end, trials = time.monotonic() + seconds, {}
    for number, what in enumerate(sorted(treatments, key=lambda what: "max_iter" in treatments[what])):
        watch(what, number, len(treatments))
        left = max(end - time.monotonic(), 0.0) / (len(treatments) - number)
        trials[what] = _trial(case, what, treatments[what], max(min(left, seconds / 2.0), 0.2))
    return [trials[what] for what in treatments]


def as_it_is(case: Case, seconds: float) -> Case:
    """With the learner as it is, taught all rows. DataError where it cannot learn."""
    warm_up(case.recipe, case.rows, case.y)
    return case._replace(first=_learned(case, case.recipe, _whole(case), seconds)[0])


def _trial(case: Case, what: str, words: Mapping[str, Any], seconds: float) -> Trial:
    try:
        recipe = (case.recipe.without("max_updates") if "max_iter" in words else case.recipe).instead(**words)
        warm_up(recipe, case.rows, case.y)
        begun = time.monotonic()
        first = None if words else case.first
        learned = first or _learned(case, recipe, _whole(case), seconds / 2.0)[0]
        trial = counted(learned)
        left = max(seconds - (time.monotonic() - begun), 0.1)
        wrong = np.zeros(case.rows.n, bool)
        for fold in case.folds:
            wrong[fold[1]] = counted(*_learned(case, recipe, fold, left / len(case.folds)), most_votes=0).wrong
    except RosenblattError as error:
        return Trial(what, words, failed=error.message)
    taken = time.monotonic() - begun + (0.0 if first is None else first.seconds)
    return trial._replace(what=what, words=words, wrong=wrong if case.folds else None, seconds=taken)


def _whole(case: Case) -> tuple[Array, Array]:
    """All rows to learn from, none held out."""
    return np.arange(case.rows.n), np.arange(0)


def _learned(case: Case, recipe: Recipe, split: tuple[Array, Array], seconds: float) -> tuple[Learned, Part]:
    scale = (recipe.features.scale or "none").removeprefix(f"{case.scale}+")
    train, held = (Batch(case.rows.take(numbers), case.y[numbers]) for numbers in split)
    made = part(train, held, recipe.features._replace(scale=scale))
    return learn(recipe.with_(max_time=seconds), made.rows, made.y, case.task), made
