"""What the theorems say: is there a hyperplane without an error, and how many mistakes may it take to get there?"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..errors import DataError
from ..learn.run import Run
from ..model.model import Model
from ..theory.ledger.bounds import followable, kind_of, longest, mistake_limit
from ..theory.problem import Problem, as_problem

if TYPE_CHECKING:
    from ..theory.separability import Separability


@dataclass(frozen=True)
class Verdict:
    """One class against another, or against the rest.

    classes: the negative and the positive one. proof: what is proven. margin: γ̄ of the widest margin with the bias
    counted (through the origin γ₀), None where there is none or it was not found. longest: R̄², the square of the
    longest row with the bias counted. limit: the most mistakes that the learner can make, and why_not: why it has no
    such limit. perceptron: the perceptron's limit, R̄²/γ̄². mistakes: what the run made, of this class. numbers: of the
    rows of the two classes among all; None: all rows.
    """

    classes: tuple[Any, Any]
    proof: Separability
    longest: float
    mistakes: int
    margin: float | None = None
    limit: float | None = None
    perceptron: float | None = None
    why_not: str = ""
    numbers: Array | None = None

    @property
    def separable(self) -> bool | None:
        return self.proof.separable

    @property
    def rows(self) -> list[int]:
        """Numbers, from 0, of the rows that prove that there is no hyperplane."""
        rows = self.proof.rows
        return [] if rows is None else (rows if self.numbers is None else self.numbers[rows]).tolist()

    def as_dict(self, first: int = 0) -> dict[str, Any]:
        """JSON-able. first: the number of the first row."""
        own = {name: getattr(self, name) for name in ("mistakes", "margin", "limit", "perceptron")}
        return {
            "classes": list(self.classes), "separable": self.separable, "kind": self.proof.kind,
            "rows": [row + first for row in self.rows],
            "tried": self.proof.tried, "longest_row_squared": self.longest, **own, "why_not": self.why_not or None,
        }  # fmt: skip


class Question(NamedTuple):
    """Rows of two sides, and their numbers among all; None: all."""

    problem: Problem
    numbers: Array | None = None


def questions(rows: Rows, y: Array, classes: Array, fit_intercept: bool, joint: bool) -> list[Question]:
    """Of two classes one, of more one for each against the rest. classes: as the model has them, positive last.

    joint: one for every two classes: where K weight vectors are learned together, w_a − w_b parts the classes a and b.
    """
    if classes.size > 2 and joint:
        found = []
        for pair in combinations(classes.tolist(), 2):
            numbers = np.flatnonzero(np.isin(y, pair))
            found.append(Question(as_problem(rows.take(numbers), y[numbers], fit_intercept, pair[1]), numbers))
        return found
    positives = classes.tolist() if classes.size > 2 else [classes[-1]]
    return [Question(as_problem(rows, y, fit_intercept, positive)) for positive in positives]


def verdicts(asked: list[Question], model: Model, seconds: float) -> list[Verdict]:
    """The proofs, and where there is a hyperplane the margin and what it limits. seconds: for all of them."""
    from ..theory.separability import separable

    end = time.monotonic() + seconds
    made = np.sum(model.run.history["class_mistakes"], axis=0) if model.run.history["class_mistakes"] else None
    found = []
    for number, (problem, numbers) in enumerate(asked):
        share = max((end - time.monotonic()) / (len(asked) - number), 0.01)
        proof = separable(problem, time_limit=share)
        mistakes = 0 if made is None or numbers is not None else int(made[number])
        verdict = Verdict(problem.classes, proof, longest(problem), mistakes, numbers=numbers)
        wanted = proof.separable and numbers is None
        found.append(_limited(verdict, model, max(share - proof.seconds, 0.01)) if wanted else verdict)
    return found


def _limited(verdict: Verdict, model: Model, seconds: float) -> Verdict:
    """With the margin and the mistakes that it allows."""
    from ..theory.margins.maximum import max_margin

    problem = verdict.proof.problem
    try:
        found = max_margin(problem, time_limit=seconds)
    except DataError:
        return verdict
    margin = found.margin_with_bias if problem.fit_intercept else found.margin
    if margin is None or not 0.0 < margin < np.inf:
        return verdict
    run = alone(model)
    why_not = "the classes are learned together" if run is None else followable(run, None)
    limit = None
    if run is not None and not why_not:
        kind = kind_of(run.rule)
        assert kind is not None  # or it could not be followed
        limit = mistake_limit(verdict.longest, margin, kind.tau, float(run.settings.eta0))
    return replace(
        verdict, margin=margin, limit=limit, perceptron=mistake_limit(verdict.longest, margin), why_not=why_not
    )


def alone(model: Model) -> Run | None:
    """The run of one class: of one-vs-rest, which is such learners side by side, one of them. None where the classes
    are learned together."""
    run = model.run
    if not run.many:
        return run
    return None if run.joint else replace(run, state=run.state._replace(w=run.state.w[0]))
