"""The maximum margin: the shortest w with y(w·x + b) ≥ 1 on every row, with bounds that hold for certain."""

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...core.rows import Array
from ...data.checks import check_seconds
from ...errors import DataError
from ..problem import Problem, as_problem
from ..proof.certificate import Separator
from ..proof.exact import NOT_IN_FLOATS, Floats, checked, in_floats, nearest, other_offset
from ..space import in_lengths
from .exact import exactly
from .points import Points
from .solver import GOOD, Widest, shares, widest

MET = 1e-6
"""The relative gap at which bounds have met."""
NAMES = ("w", "b", "margin", "lower_bound", "upper_bound", "gap", "support", "multipliers", "in_floats")
"""What a margin has, with the bias counted or not."""


@dataclass(frozen=True, repr=False)
class MaxMargin:
    """The widest margins of separable rows, each with its own hyperplane; lengths in the units of the data.

    w: (d,), b: the shortest w with y(w·x + b) ≥ 1 on every row, b = 0 through the origin. in_floats: whether they, as
    the floats they are, have every row right, exactly and as X @ w + b comes out in float64; False where the margin is
    so thin that no such floats were found: `separable` has a hyperplane in whole numbers then.
    margin: γ = 1/‖w‖, with a free offset: the distance one sees; without intercept γ₀. Infinite where one class is
    alone and the offset is free (w = 0). lower_bound ≤ γ ≤ upper_bound for certain: the first from w and its best
    offset, of which b is the float (`attained` is what is left of the margin), the second from an exactly feasible dual
    point. Up to 64 columns, where those are more than 1e-9 apart, both are γ itself, found in fractions and rounded
    down and up, and w, b and the multipliers are rounded, too. gap: upper_bound/lower_bound − 1.
    support, multipliers: the rows of that dual point and its λ > 0, each class's sum 1 (through the origin: the sum of
    all): γ is half the distance of the two points Σλx of the classes' hulls, γ₀ the norm of Σ λ·y·x.
    margin_with_bias: γ̄, with the bias counted as a feature: the largest min y·(w̄·x̄)/‖w̄‖ over w̄ = (w, b), x̄ = (x, 1):
    the margin in the mistake bounds; γ̄ ≤ γ. Its own are w_with_bias, b_with_bias, lower_bound_with_bias,
    upper_bound_with_bias, gap_with_bias, support_with_bias, multipliers_with_bias, in_floats_with_bias. None of them
    without intercept.
    In a kernel's space w is the weights a, (u,), of the distinct rows, as `in_kernel` says, lengths are √(aᵀKa), and
    the bounds hold for K itself: they are as far apart as its rounding makes them.
    problem: the rows as they were held. seconds: wall time. complete: the bounds have met (gap ≤ 1e-6); False where
    time_limit ended the search, or numbers had too few digits, as with 100 columns whose sizes differ by 1e10.
    """

    w: Array
    b: float
    margin: float
    lower_bound: float
    upper_bound: float
    gap: float
    support: Array
    multipliers: Array
    in_floats: bool
    w_with_bias: Array | None
    b_with_bias: float | None
    margin_with_bias: float | None
    lower_bound_with_bias: float | None
    upper_bound_with_bias: float | None
    gap_with_bias: float | None
    support_with_bias: Array | None
    multipliers_with_bias: Array | None
    in_floats_with_bias: bool | None
    problem: Problem = field(repr=False)
    seconds: float = 0.0
    complete: bool = True

    @property
    def fit_intercept(self) -> bool:
        """Whether `margin` is γ, else it is γ₀."""
        return self.problem.fit_intercept

    @cached_property
    def attained(self) -> float:
        """min y(w·x + b)/‖w‖ of w and b as the floats they are: exact, then rounded. On rows 1e8 from the origin it was
        8e-9 below `lower_bound`; not above 0 where they do not separate the rows."""
        return nearest(self.problem, Separator.of(self.w, self.b))[1]

    def __str__(self) -> str:
        of = f"{len(self.support):,} of {self.problem.n:,} rows hold it"
        gap = f"gap {max(self.gap, self.gap_with_bias or 0.0):.1g}, {of}; {self.seconds:.2f} s"
        gap += "" if self.in_floats else f"; {NOT_IN_FLOATS}"
        if not self.fit_intercept:
            return f"margin through the origin {self.margin:.6g} ({gap})"
        return f"margin {self.margin:.6g}, with the bias counted {self.margin_with_bias:.6g} ({gap})"

    def __repr__(self) -> str:
        return f"<MaxMargin: {self}>"


class NoMargin(DataError):
    """There is no margin, or none was found. separable: what was proven of the rows, None where nothing was."""

    def __init__(self, message: str, separable: bool | None = None) -> None:
        super().__init__(message)
        self.separable = separable


def max_margin(
    X: Any, y: Any = None, fit_intercept: bool = True, positive: Any = None, *, time_limit: float | None = None
) -> MaxMargin:
    """The shortest w with y(w·x + b) ≥ 1 on every row, and the margin γ = 1/‖w‖ (γ₀ without intercept), and γ̄.

    X: (n, d) array, DataFrame or sparse matrix; or a `Problem`, which has the labels and the intercept with it, as the
    one of a kernel's space, `in_kernel`. y: (n,)
    labels. fit_intercept: default True; False: through the origin. positive: see `as_problem`. time_limit: seconds > 0,
    default None, no limit; what is found by then is returned with its gap. Raises DataError where no hyperplane
    separates the rows, where none was found in time, and as `as_problem`; SettingError for a bad time_limit.
    Source: lecture note 002, section 2.2; the shortest w of V. Vapnik and A. Chervonenkis, 1964.
    """
    check_seconds("time_limit", time_limit)
    begin = time.monotonic()
    deadline = math.inf if time_limit is None else begin + time_limit
    problem = as_problem(X, y, fit_intercept, positive)
    if problem.space is not None:
        return _in_space(problem, time_limit, deadline)
    none, alone = np.zeros(0, np.int64), problem.fit_intercept and np.unique(problem.y).size == 1
    plain, widest_plain = _alone(problem) if alone else _solved(problem, Points.of(problem), none, deadline)
    complete, counted = widest_plain.complete and widest_plain.gap <= MET, dict[str, Any]()
    if problem.fit_intercept:
        counted, other = _solved(problem, Points.of(problem, True), plain["support"], deadline, widest_plain)
        complete = complete and other.complete and other.gap <= MET
    with_bias: dict[str, Any] = {f"{name}_with_bias": counted.get(name) for name in NAMES}
    return MaxMargin(**plain, **with_bias, problem=problem, seconds=time.monotonic() - begin, complete=complete)


def _in_space(problem: Problem, time_limit: float | None, deadline: float) -> MaxMargin:
    """In a kernel's space: that of the root's rows, whose dual point has the weights of the rows."""
    found = None
    with suppress(NoMargin):
        found = max_margin(in_lengths(problem), time_limit=time_limit)
    if found is None or found.lower_bound**2 <= problem.space.error:
        _separator(problem, deadline)
        raise NoMargin(_hidden(problem), True)
    changes: dict[str, Any] = {"problem": problem}
    for end in ["", "_with_bias"] if problem.fit_intercept else [""]:
        of = {name: getattr(found, f"{name}{end}") for name in NAMES}
        own = _of_space(problem, of, hulls=problem.fit_intercept and not end)
        changes |= {f"{name}{end}": value for name, value in own.items()}
    gaps = [value for name, value in changes.items() if name.startswith("gap")]
    return replace(found, **changes, complete=found.complete and max(gaps) <= MET)


def _of_space(problem: Problem, of: dict[str, Any], hulls: bool) -> dict[str, Any]:
    """One of the margins, of the rows of a root, as one of K. hulls: it is half a distance of theirs.

    Weights of rows are those of the root's w, or of the dual point: with v = Σ λ y φ(x), ‖v‖ is γ, or twice that, and
    w = v/‖v‖/γ. Those keep the last digits, these are small where K is nearly singular: the better are taken. A change
    of K by `error` changes ‖v‖² by as much for any λ of sum 1, by four times as much for two sums of 1, of which γ² is
    a quarter.
    """
    space, margin = problem.space, of["margin"]
    rows, signs = of["support"], problem.y[of["support"]]
    b, counted = of["b"], problem.fit_intercept and not hulls
    dual = space.combined(rows, of["multipliers"] * signs / ((1 + hulls) * margin * margin))
    w = max((space.weights(of["w"]), dual), key=lambda a: _least(problem, a, b, counted))
    lower = math.sqrt(max(of["lower_bound"] ** 2 - space.error, 0.0)) * (1.0 - 2.0**-50)
    upper = math.sqrt(of["upper_bound"] ** 2 + space.error) * (1.0 + 2.0**-50)
    gap = max(0.0, upper / lower - 1.0) if lower else math.inf
    if not len(rows):  # one class alone
        lower, upper, gap = math.inf, math.inf, 0.0
    hold = checked(problem, w, b).hold
    return {"w": w, "lower_bound": lower, "upper_bound": upper, "gap": gap, "in_floats": hold}


def _least(problem: Problem, a: Array, b: float, counted: bool) -> float:
    """min y·u/‖w‖, rounded."""
    with np.errstate(all="ignore"):
        least = float(problem.margins(a, b).min()) / (math.hypot(problem.length(a), b * counted) or math.inf)
    return least if math.isfinite(least) else -math.inf


def _solved(
    problem: Problem, points: Points, start: Array, deadline: float, plain: Widest | None = None
) -> tuple[dict[str, Any], Widest]:
    """One of the margins, with all that belongs to it by its name. plain: that of γ, if known."""
    best = widest(points, start, deadline)
    if best is None or not best.lower > 0.0:
        known = _separator(problem, deadline).floats() if plain is None else (plain.w, plain.offset)
        best = widest(points, start, deadline, np.append(known[0], known[1]) if points.counted else known[0])
    if best is not None and best.gap > GOOD:
        best = exactly(points, best, deadline)
    if best is None or not best.lower > 0.0:
        by = f"by {nearest(problem, _separator(problem, deadline))[1]:.3g} at least"
        why = "but float64 has too few digits to find the widest margin"
        raise NoMargin(f"the rows are separable {_how(problem)}, {by}, {why}", True)
    if plain is not None:  # γ̄ ≤ γ: the better bound where rows lie 1e8 from the origin
        best = best._replace(upper=min(best.upper, plain.upper))
    length = best.lower * float(np.linalg.norm(best.w))
    with np.errstate(all="ignore"):
        w, b = problem.parted(best.w / length) if points.counted else (best.w / length, best.offset / length)
    if not (np.isfinite(w).all() and np.isfinite(b)):
        raise NoMargin(f"the rows are separable {_how(problem)}, by a margin so small that w is beyond float64", True)
    floats = _checked(problem, points, best, w, b)
    bounds = (best.lower, best.lower, best.upper, best.gap)
    values = (floats.w, floats.b, *bounds, best.rows, shares(points, best), floats.hold)
    return dict(zip(NAMES, values, strict=True)), best


def _alone(problem: Problem) -> tuple[dict[str, Any], Widest]:
    """One class with a free offset: w = 0 and b = ±1 do, and no margin is too wide."""
    w, b, none = np.zeros(problem.d), float(problem.y[0]), np.zeros(0, np.int64)
    values = (w, b, math.inf, math.inf, math.inf, 0.0, none, np.zeros(0), True)
    return dict(zip(NAMES, values, strict=True)), Widest(w, b, none, np.zeros(0), math.inf, math.inf)


def _checked(problem: Problem, points: Points, best: Widest, w: Array, b: float) -> Floats:
    """(w, b), or the same rounded otherwise, where as they are they have rows on the wrong side."""
    floats = checked(problem, w, b)
    if floats.hold or not np.isfinite(w).all():
        return floats
    plane = problem.parted(best.w) if points.counted else (best.w, best.offset)
    exact = best.plane or (None if points.counted else other_offset(problem, best.w)) or Separator.of(*plane)
    return in_floats(problem, exact, [(w, b)], longest=float(np.abs(w).max(initial=0.0)), move=points.free)


def _separator(problem: Problem, deadline: float) -> Separator:
    """A hyperplane that separates, by the exact search, as a solver's "infeasible" is no proof: it was said of 100 rows
    with a margin of 1e-7. DataError where there is none, or none is found."""
    from ..separability import separable

    limit = None if math.isinf(deadline) else max(deadline - time.monotonic(), 0.1)
    verdict = separable(problem, time_limit=limit)
    if verdict.separable is None:
        raise NoMargin(f"no hyperplane {_how(problem)} was found that separates the rows: {'; '.join(verdict.tried)}")
    if verdict.kind == "theorem":
        raise NoMargin(_hidden(problem), True)
    if not isinstance(verdict.certificate, Separator):
        proof = f"{len(verdict.rows)} of them prove it" if verdict.rows is not None else "that is proven"
        raise NoMargin(f"the rows are not separable {_how(problem)} ({proof}); a margin needs rows that are", False)
    return verdict.certificate


def _hidden(problem: Problem) -> str:
    return f"the rows are separable {_how(problem)}, but by a margin that the rounding of K hides"


def _how(problem: Problem) -> str:
    how = "with an offset" if problem.fit_intercept else "through the origin"
    return how if problem.space is None else f"{how} in the space of {problem.kernel}"
