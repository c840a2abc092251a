"""Theorems about a run as small values: what they say, their limit, what was measured, and by which separator."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...errors import BoundViolated, DataError, Message
from ...learn.rule import rule_name
from ...learn.run import Run
from ...learn.settings import Settings
from ...rules.margin import Margin
from ...rules.perceptron import Perceptron
from ...rules.until_right import UntilRight
from ..problem import Problem
from ..proof.certificate import Separator
from ..proof.integers import fractions

SLACK = 1e-9
"""Relative, of rounding in what was summed along a run; beyond it the run is looked at in exact arithmetic."""


@dataclass(frozen=True, repr=False)
class Bound:
    """One theorem on one run.

    name: as in the docs. statement: in words. why_not: the condition that fails, or "". limit: what the theorem allows;
    measured: what the run did, in the same unit. least: measured must be ≥ limit, not ≤. numbers: what goes into the
    limit, by symbol. rechecked: decided in exact arithmetic, as rounding could have decided.
    """

    name: str
    statement: str
    why_not: str = ""
    limit: float | None = None
    measured: float | None = None
    least: bool = False
    numbers: dict[str, Any] = field(default_factory=dict)
    rechecked: bool = False

    def __repr__(self) -> str:
        if not self.applies:
            return f"<Bound: {self.name}: does not apply: {self.why_not}>"
        sign = "≥" if self.least else "≤"
        return f"<Bound: {self.name}: {self.measured:.6g} {sign} {self.limit:.6g}, {self.as_dict()['verdict']}>"

    @property
    def applies(self) -> bool:
        """Whether all conditions of the theorem are met."""
        return not self.why_not

    @property
    def share(self) -> float | None:
        """measured/limit: how much of what is allowed was used, or how far above the least it is."""
        if self.limit is None or self.measured is None or not self.limit > 0.0:
            return None
        return self.measured / self.limit

    @property
    def holds(self) -> bool | None:
        """None where the theorem does not apply. A relative SLACK is given for rounding."""
        if not self.applies:
            return None
        assert self.limit is not None and self.measured is not None
        least, most = self.limit * (1.0 - SLACK), self.limit * (1.0 + SLACK)
        return self.rechecked or (self.measured >= least if self.least else self.measured <= most)

    def as_dict(self) -> dict[str, Any]:
        """JSON-able, the share and the verdict with it."""
        own = {name: getattr(self, name) for name in ("name", "statement", "limit", "measured", "numbers")}
        verdict = "holds" if self.holds else "does not apply" if self.holds is None else "violated"
        return {**own, "share": self.share, "verdict": verdict, "why_not": self.why_not or None}


def violated(what: str) -> BoundViolated:
    """The error for what no run can do."""
    return BoundViolated(f"{what}; this is an error in rosenblatt, please report it")


class Kind(NamedTuple):
    """What the theorems need to know of a rule that adds η·y·x̄. start: a step is made at y·u ≤ start; tau: no addition
    is made above it; many: a step may be several additions."""

    start: float
    tau: float
    many: bool


def kind_of(rule: Any) -> Kind | None:
    """The perceptron, the margin perceptron, or until-right; None for a rule that the theorems are not about."""
    if isinstance(rule, Perceptron):
        return Kind(0.0, 0.0, False)
    if isinstance(rule, Margin):
        return Kind(float(rule.tau), float(rule.tau), False)
    if isinstance(rule, UntilRight):
        return Kind(0.0, 1.0, True)
    return None


def shaped(settings: Settings) -> str:
    """Why steps are not η·y·x̄ in all columns, or ""."""
    if settings.pulls:
        return Message("L1 pulls the weights ({l1:g})", l1=settings.l1)
    how = Message("each column has a step of its own ({metric:s})", metric=rule_name(settings.metric))
    return how if settings.shaped else ""


def followable(run: Run, weight: Array | None) -> str:
    """Why the steps of this run are not those of the theorems, or ""."""
    settings = run.settings
    if run.many:
        return f"{run.state.b.size} classes are learned; the theorem is about one class against the rest"
    if why := shaped(settings):
        return why
    rule = run.rule
    if kind_of(rule) is None:
        return f"the rule is {rule_name(rule)}; the theorem is about steps of η·y·x̄"
    if not settings.optimizer.picks and (settings.optimizer.whole or settings.optimizer.block(2) > 1):
        why = "steps are made for blocks of rows ({optimizer:s}), not for one row at a time"
        return Message(why, optimizer=settings.optimizer.name)
    if not hasattr(settings.schedule, "constant"):
        how = getattr(settings.schedule, "name", "a function of t")
        return Message("the learning rate is not constant ({learning_rate:s})", learning_rate=how)
    if settings.budget is not None:
        return Message("steps are made within {budget.name}, not by each row itself", budget=settings.budget)
    if settings.alpha > 0.0:
        return Message("L2 shrinks the weights ({alpha:g})", alpha=settings.alpha)
    if weight is not None and not (weight == 1.0).all():
        return "rows have weights, which multiply the steps"
    if isinstance(rule, UntilRight) and settings.eta0 != 1.0:
        return Message("the rule counts its additions for a learning rate of 1 ({eta0:g})", eta0=settings.eta0)
    return ""


def mistake_limit(longest: float, margin: float, tau: float = 0.0, eta: float = 1.0) -> float:
    """(R̄² + 2τ/η)/γ̄². tau = 0: the perceptron's R̄²/γ̄². longest: R̄²; margin: γ̄ of a separator."""
    return (longest + 2.0 * tau / eta) / margin / margin


def whole(limit: float) -> int:
    """The most mistakes that a finite limit allows: 187.9 allow 187; what is rounded to just below 4 allows 4."""
    return int(limit * (1.0 + 1e-12))


CLOSE = 1e-6
"""A least y·u of fewer good digits than this is worked out exactly."""


class Yardstick(NamedTuple):
    """A separator w̄ = (w, b), b = 0 through the origin, and its margin: least/length for the unit separator w̄/‖w̄‖.

    w: (d,) float64. least: min y·(w̄·x̄) > 0. length: ‖w̄‖. origin: what it is called. best: whether no separator has a
    larger margin, as far as is known; most: a margin that certainly none has, or None.
    """

    w: Array
    b: float
    least: float
    length: float
    origin: str = "the separator given"
    best: bool = False
    most: float | None = None

    @property
    def margin(self) -> float:
        """γ̄ of this separator (through the origin γ₀)."""
        return self.least / self.length

    def along(self, problem: Problem) -> Array:
        """(n,) x̄·u of the unit separator u."""
        return problem.scores(self.w, self.b) / self.length

    @classmethod
    def of(cls, problem: Problem, separator: Any, **known: Any) -> Yardstick:
        """From (w, b). Raises DataError for what are no two things, and where they do not have every row on its right
        side."""
        try:
            w, b = separator
        except (TypeError, ValueError):
            what = f"the separator is {str(separator)[:40]}"
            raise DataError(f"{what}; expected (w, b), or what max_margin gives") from None
        try:
            w, b = np.asarray(w, np.float64).ravel(), float(b)
        except (TypeError, ValueError):
            raise DataError("the separator's weights are no numbers; expected w, one for each column, and b") from None
        if w.size != problem.d:
            raise DataError(f"the separator has {w.size} weights, but the rows have {problem.d} columns")
        if not (np.isfinite(w).all() and np.isfinite(b)):
            raise DataError("the separator's weights are not finite")
        if b != 0.0 and not problem.fit_intercept:
            raise DataError(f"the separator has the offset {b:g}, but the hyperplanes go through the origin")
        least = float(problem.margins(w, b).min())
        rough = noise(problem, w, b)
        if abs(least) < rough / CLOSE:
            least = float(exact_least(problem, w, b))
        if not least > 0.0:
            wrong = int(np.count_nonzero(problem.margins(w, b) <= rough))
            raise DataError(f"the separator is none: {wrong:,} of {problem.n:,} rows are not on its right side")
        with np.errstate(over="ignore"):
            length = float(squared_length(w, b)) ** 0.5
        return cls(w, b, least, length if 0.0 < length < np.inf else math.hypot(*w, b), **known)


def noise(problem: Problem, w: Array, b: float) -> float:
    """How far a rounded score may be from the true one, at the most."""
    sizes = np.asarray(abs(problem.x) @ np.abs(w)) + abs(b)
    return float(sizes.max()) * (problem.d + 3) * 2.3e-16


def squared_length(w: Any, b: Any) -> Any:
    """‖w̄‖²: the bias counts. In floats, or of Fractions exactly."""
    return w @ w + b * b


def longest(problem: Problem) -> float:
    """R̄² = max ‖x̄‖² (through the origin R²)."""
    return float(problem.rows.sq_norms().max()) + (1.0 if problem.fit_intercept else 0.0)


def radius(problem: Problem) -> float:
    """R̄ (through the origin R), also of values whose squares float64 does not hold."""
    size = problem.rows.largest()
    if size == 0.0 or 1e-100 < size < 1e100:
        return longest(problem) ** 0.5
    scaled = problem.rows.astype(np.float64).mapped(lambda values, _: values / size)
    return math.hypot(size * float(scaled.sq_norms().max()) ** 0.5, problem.fit_intercept)


# --- exact ------------------------------------------------------------------------------------------------------------


def exact_least(problem: Problem, w: Array, b: float) -> Fraction:
    """min y·(w̄·x̄)."""
    return Separator.of(w, b).least(problem, np.arange(problem.n))[0]


def exact_longest(problem: Problem) -> Fraction:
    """R̄² exactly."""
    norms = problem.rows.sq_norms()
    close = np.flatnonzero(norms >= norms.max() * (1.0 - 1e-9)).tolist()
    exact = (fractions(problem.rows.row(i)[1]) for i in close)
    return Fraction(max(row @ row for row in exact)) + int(problem.fit_intercept)
