"""The fewest errors that any hyperplane makes on all rows, beside what each learner makes on them."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..data.batch import AtHand, Batch
from ..errors import SettingError
from ..features.pipeline import Features, Options
from ..recipe.trial import Watch
from ..theory.fewest.errors import minimum_error
from ..theory.problem import as_problem
from .race import Plan
from .result import Comparison, Row
from .result import compare as compare_learners


class Optimum(NamedTuple):
    """Of rows of one scaling. errors: found; lower_bound: proven; n: rows. learners: (name, errors on all rows) of
    those that end with one hyperplane; one that makes fewer than the search has found is what is found."""

    errors: int
    lower_bound: int
    n: int
    learners: list[tuple[str, int | None]]

    @property
    def words(self) -> str:
        """`29 of 150 (optimal)`, `26 of 150 found, 21 proven`."""
        if self.errors == self.lower_bound:
            return f"{self.errors:,} of {self.n:,} (optimal)"
        return f"{self.errors:,} of {self.n:,} found, {self.lower_bound:,} proven"


def check_two(y: Any, noise: Any = ()) -> None:
    """SettingError where the fewest errors make no sense: one hyperplane parts two classes, as they are labelled."""
    if noise:
        raise SettingError(
            "{optimum} is about the labels as they are; leave {noise.name} out", optimum=True, noise=noise
        )
    count = np.unique(y).size
    if count > 2:
        about = "is about one hyperplane, which parts two classes"
        raise SettingError(f"{{optimum}} {about}; the data have {count}", optimum=True)


def with_optimum(
    comparison: Comparison, data: Batch, plan: Plan, seconds: float | None = 60.0, watch: Watch | None = None
) -> Comparison:
    """The comparison with each learner's errors y·u ≤ 0 on all rows of the data, and the fewest possible.

    Folds teach each learner a part of the rows, so it learns once more, from all of them (with a test set it has done
    so). The rows of a scaling by columns have the same hyperplanes as the rows as they are; those made unit long have
    others, and products of columns too: such scalings have an optimum of their own. Voted is no hyperplane and may err
    less often. seconds: of each search, None: no limit. Raises SettingError for more than two classes, and for noise.
    """
    assert data.y is not None
    check_two(data.y, plan.noise)
    n, alone = data.n, comparison
    if not comparison.tested:
        alone = compare_learners(data, None, replace(plan, scoring=None), data, watch)
    own = {row.contender: None if row.training_error is None else round(row.training_error * n) for row in alone.rows}
    rows = [row._replace(on_all=own.get(row.contender)) for row in comparison.rows]
    spaces: dict[str, list[Row]] = {}
    for row in rows:
        spaces.setdefault(space(row.contender.scale, plan.options), []).append(row)
    optima: dict[str, Optimum] = {}
    for key, members in spaces.items():
        scaled = Features.fit(AtHand(data), plan.options._replace(scale=key))[1]
        problem = as_problem(scaled, data.y, True, plan.positive)
        best = minimum_error(problem, time_limit=seconds)
        learners = [(row.contender.name, row.on_all) for row in members if row.contender.is_linear]
        errors = min([best.errors, *(count for _, count in learners if count is not None)])
        optima[key] = Optimum(max(errors, best.lower_bound), best.lower_bound, n, learners)
    pick = next(row for row in rows if row.contender == comparison.pick.contender)
    return replace(comparison, rows=rows, pick=pick, optima=optima)


def space(scale: str, options: Options) -> str:
    """The scaling whose hyperplanes are the same: "none" for all that move and stretch columns alone."""
    return scale if "unit" in scale or options.degree > 1 else "none"
