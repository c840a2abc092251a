"""The fewest errors that any hyperplane makes on all rows, beside what each learner makes on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..data.batch import Batch
from ..errors import SettingError
from ..features.pipeline import Options
from ..theory.fewest.errors import minimum_error
from ..theory.problem import as_problem
from .parts import parts
from .race import Plan, Watch
from .race import compare as compare_learners
from .result import Comparison


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


class Limits(NamedTuple):
    """seconds: of each search, None: no limit. told: called with (found, proven)."""

    seconds: float | None = 60.0
    told: Callable[[int, int], None] | None = None


USUAL = Limits()


def check_two(y: Any) -> None:
    """SettingError where the fewest errors make no sense: one hyperplane parts two classes."""
    count = np.unique(y).size
    if count > 2:
        about = "is about one hyperplane, which parts two classes"
        raise SettingError(f"{{optimum}} {about}; the data have {count}", optimum=True)


def with_optimum(
    found: Comparison, data: Batch, plan: Plan, limits: Limits = USUAL, watch: Watch | None = None
) -> Comparison:
    """The comparison with each learner's errors y·u ≤ 0 on all rows of the data, and the fewest possible.

    Folds teach each learner a part of the rows, so it learns once more, from all of them (with a test set it has done
    so). The rows of a scaling by columns have the same hyperplanes as the rows as they are; those made unit long have
    others, and products of columns too: such scalings have an optimum of their own. Voted is no hyperplane and may err
    less often. Raises SettingError for more than two classes.
    """
    assert data.y is not None
    check_two(data.y)
    alone = found if found.tested else compare_learners(data, None, replace(plan, scoring=None), data, watch)
    n = data.n
    own = {row.contender: None if row.training_error is None else round(row.training_error * n) for row in alone.rows}
    rows = [row._replace(on_all=own.get(row.contender)) for row in found.rows]
    optima: dict[str, Optimum] = {}
    for key in dict.fromkeys(space(row.contender.scale, plan.options) for row in rows):
        made = parts(data, data, plan.options, [key])[key]
        best = minimum_error(
            as_problem(made.rows, made.y, True, plan.positive), time_limit=limits.seconds, progress=limits.told
        )
        learners = [
            (row.contender.name, row.on_all)
            for row in rows
            if row.contender.is_linear and space(row.contender.scale, plan.options) == key
        ]
        errors = min([best.errors, *(count for _, count in learners if count is not None)])
        optima[key] = Optimum(max(errors, best.lower_bound), best.lower_bound, n, learners)
    pick = next(row for row in rows if row.contender == found.pick.contender)
    return replace(found, rows=rows, pick=pick, optima=optima)


def space(scale: str, options: Options) -> str:
    """The scaling whose hyperplanes are the same: "none" for all that move and stretch columns alone."""
    return scale if "unit" in scale or options.degree > 1 else "none"
