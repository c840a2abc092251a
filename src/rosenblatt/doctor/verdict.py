"""What the theorems say: is there a hyperplane without an error, and how many mistakes may it take to get there?"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows import Array, Rows
from ..errors import DataError
from ..kernels.rows import KernelRows
from ..learn.run import Run
from ..model.model import Model
from ..recipe.training import Learned
from ..theory.ledger.bounds import followable, kind_of, longest, mistake_limit
from ..theory.problem import Problem, as_problem
from ..theory.space import Space, in_lengths, in_space

if TYPE_CHECKING:
    from ..theory.fewest.errors import MinimumError
    from ..theory.separability import Separability

SMALL = 20_000
"""Values of the rows up to which the fewest errors are looked for: heart has 3,510, iris 600."""


@dataclass(frozen=True)
class Verdict:
    """One class against another, or against the rest.

    classes: the negative and the positive one. proof: what is proven. margin: γ̄ of the widest margin with the bias
    counted (through the origin γ₀), None where there is none or it was not found. longest: R̄², the square of the
    longest row with the bias counted. limit: the most mistakes that the learner can make, and why_not: why it has no
    such limit, or no margin was found. perceptron: the perceptron's limit, R̄²/γ̄². mistakes: what the run made, of this
    class. numbers: of the rows of the two classes among all; None: all rows.
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


Question = tuple[Problem, Array | None]
"""Rows of two sides, and their numbers among all; None: all."""


def questions(rows: Rows, y: Array, model: Model) -> list[Question]:
    """Of two classes one, of more one for each against the rest; where K weight vectors are learned together, one for
    every two classes, as w_a − w_b parts the classes a and b."""
    classes, fit_intercept = model.classes, model.run.settings.fit_intercept
    if model.run.joint:
        pairs = combinations(classes.tolist(), 2)
        asked = [(pair[1], np.flatnonzero(np.isin(y, pair))) for pair in pairs]
        return [(as_problem(rows.take(own), y[own], fit_intercept, positive), own) for positive, own in asked]
    positives = classes.tolist() if classes.size > 2 else [classes[-1]]
    return [(as_problem(rows, y, fit_intercept, positive), None) for positive in positives]


def verdicts(rows: Rows, y: Array, learned: Learned, seconds: float) -> list[Verdict]:
    """The proofs, and where there is a hyperplane the margin and what it limits. seconds: for all of them."""
    from ..theory.separability import Separability, separable

    asked = questions(rows, y, learned.model)
    end, history, made = time.monotonic() + seconds, learned.model.run.history["class_mistakes"], []
    for number, (problem, numbers) in enumerate(asked):
        share = max((end - time.monotonic()) / (len(asked) - number), 0.01)
        mistakes = sum(epoch[number] for epoch in history) if numbers is None else 0
        try:
            problem, square = _seen(problem, learned.rows, numbers)
        except DataError as error:  # the values are those of no kernel, or too many
            undecided = Separability(None, None, problem, [str(error)], 0.0)
            made.append(Verdict(problem.classes, undecided, np.inf, mistakes, numbers=numbers))
            continue
        proof = separable(problem, time_limit=share)
        verdict = Verdict(problem.classes, proof, square, mistakes, numbers=numbers)
        if proof.separable and numbers is None:
            verdict = _limited(verdict, learned, max(share - proof.seconds, 0.01))
        made.append(verdict)
    return made


def _seen(problem: Problem, rows: Rows, numbers: Array | None) -> tuple[Problem, float]:
    """The problem, in the space of a kernel where the rows are known by one, and R̄². DataError as of `Space`."""
    if isinstance(rows, KernelRows):
        problem = in_space(problem, Space.of(rows if numbers is None else rows.take(numbers)))
    return problem, longest(in_lengths(problem))


def fewest_errors(proven: list[Verdict], seconds: float) -> MinimumError | None:
    """The fewest errors of any hyperplane, found and proven, of two classes that none parts; None of more classes, of
    many rows, and where a kernel's values are rounded, which hides ties."""
    from ..theory.fewest.errors import minimum_error

    proof = proven[0].proof
    space, few = proof.problem.space, proof.problem.n * max(proof.problem.d, 1) <= SMALL
    if len(proven) > 1 or proof.separable is not False or not few or not (space is None or space.exact):
        return None
    return minimum_error(proof.problem, time_limit=seconds)


def _limited(verdict: Verdict, learned: Learned, seconds: float) -> Verdict:
    """With the margin and the mistakes that it allows."""
    from ..theory.margins.maximum import NoMargin, max_margin

    problem = verdict.proof.problem
    try:
        widest = max_margin(problem, time_limit=seconds)
    except NoMargin as error:
        return replace(verdict, why_not=error.message if error.separable else "")
    margin = widest.margin_with_bias if problem.fit_intercept else widest.margin
    if margin is None or not 0.0 < margin < np.inf:
        return verdict
    run, limit = alone(learned.model), None
    why_not = "the classes are learned together" if run is None else followable(run, learned.row_weight)
    if run is not None and not why_not:
        kind: Any = kind_of(run.rule)  # there is one, or it could not be followed
        limit = mistake_limit(verdict.longest, margin, kind.tau, float(run.settings.eta0))
    perceptron = mistake_limit(verdict.longest, margin)
    return replace(verdict, margin=margin, limit=limit, perceptron=perceptron, why_not=why_not)


def alone(model: Model) -> Run | None:
    """The run of one class: of one-vs-rest, which is such learners side by side, one of them. None where the classes
    are learned together."""
    run = model.run
    if not run.many:
        return run
    return None if run.joint else replace(run, state=run.state._replace(w=run.state.w[0]))
