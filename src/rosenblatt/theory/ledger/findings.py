"""The theorems one by one, on the run that a ledger has followed.

On one pass over any rows a convex search finds the best u and γ: the bound is ((R̄ + D)/γ)² with D² =
Σ max(0, γ − y·u·x̄)². With v = u/γ its root is R̄·‖v‖ + ‖max(0, 1 − y·v·x̄)‖₂, which is convex in v: one search finds u
and γ together, and whatever v it stops at gives a valid bound. v → 0 gives n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...errors import Message
from ...learn.rule import rule_name
from ...rules.margin import Margin
from ...rules.perceptron import Perceptron
from ...rules.until_right import UntilRight
from ..problem import Problem
from ..proof.certificate import Separator
from . import follow
from .bounds import Bound, longest, noise
from .follow import Trail, recheck

if TYPE_CHECKING:
    from .ledger import Ledger


class Theorem(NamedTuple):
    """name, statement: as of a `Bound`. conditions: each says what fails, or "". measured: the bound with its numbers,
    where all are met. with_tau: the statement for rules that have a τ, where it is another one."""

    name: str
    statement: str
    conditions: tuple[Callable[[Ledger], str], ...]
    measured: Callable[[Ledger, Bound], Bound]
    with_tau: str = ""


def findings(ledger: Ledger) -> list[Bound]:
    """Each theorem with its numbers, or with the first of its conditions that fails."""
    tau = ledger.kind is not None and ledger.kind.tau
    bounds = []
    for theorem in THEOREMS:
        why = next(filter(None, (condition(ledger) for condition in theorem.conditions)), "")
        bound = Bound(theorem.name, tau and theorem.with_tau or theorem.statement, why)
        bounds.append(bound if why else theorem.measured(ledger, bound))
    return bounds


# --- conditions: what fails, or "" ---


def _two_classes(ledger: Ledger) -> str:
    return ledger.why_not if ledger.followed.many else ""


def _perceptron(ledger: Ledger, kind: Any = Perceptron) -> str:
    """What the theorem is about is another rule."""
    rule = ledger.followed.rule
    other = f"the rule is {rule_name(rule)}; the theorem is about rule {kind.name}"
    return _two_classes(ledger) or ("" if isinstance(rule, kind) else other)


_margin_perceptron = partial(_perceptron, kind=Margin)
_until_right = partial(_perceptron, kind=UntilRight)


def _followable(ledger: Ledger) -> str:
    return ledger.why_not


def _from_zero(ledger: Ledger) -> str:
    return ledger.why_not or ("" if ledger.from_zero else "learning did not begin at zero weights")


def _separator(ledger: Ledger) -> str:
    if ledger.yardstick is not None:
        return ""
    return "the rows are not separable" if ledger.separable is False else "no separator was found in the time given"


def _best_separator(ledger: Ledger) -> str:
    best = ledger.yardstick is not None and ledger.yardstick.best
    return "" if best else _separator(ledger) or "the separator given need not be the best"


def _not_separable(ledger: Ledger) -> str:
    if ledger.separable is False:
        return ""
    return "the rows are separable" if ledger.separable else "whether the rows are separable is not known"


def _stepped(ledger: Ledger) -> str:
    return "" if ledger.additions else "no step was made"


def _finished(ledger: Ledger) -> str:
    run = ledger.followed
    return "" if run.finished else run.stop_reason.within("it has not finished (", ")")


def _passes(ledger: Ledger) -> str:
    run = ledger.followed
    if run.settings.optimizer.picks:
        return Message("rows are picked ({optimizer:s}), there are no passes", optimizer=run.settings.optimizer.name)
    return "" if ledger.whole and run.epoch > ledger.before[2] else "the first pass has not ended yet"


def _an_epoch(ledger: Ledger) -> str:
    return "" if _mistakes(ledger) else "no epoch has ended yet"


def _one_hyperplane(ledger: Ledger) -> str:
    linear = ledger.followed.answering[0].is_linear
    return "" if linear else "voted answers are not those of one hyperplane"


# --- numbers ---


def _trail(ledger: Ledger) -> Trail:
    assert ledger.trail is not None  # of each run whose steps are those of the theorems
    return ledger.trail


def _mistakes(ledger: Ledger) -> list[int]:
    """Of each epoch."""
    return ledger.followed.history["mistakes"][ledger.before[2] :]


def _numbers(ledger: Ledger) -> dict[str, Any]:
    own = {"R̄²": ledger.longest, "γ̄": ledger.margin}
    return own | ({"τ": ledger.law.tau, "η": ledger.law.eta} if ledger.law.tau else {})


def _counted(ledger: Ledger, bound: Bound, mistakes: bool = False) -> Bound:
    """A bound on additions, which the perceptron's mistakes are; where rounding could decide, it is decided exactly."""
    measured = ledger.mistakes if mistakes else ledger.additions
    bound = replace(bound, limit=ledger.limit, measured=measured, numbers=_numbers(ledger))
    if bound.holds:
        return bound
    recheck(ledger.problem, ledger.law, _trail(ledger), ledger.yardstick, follow.TOO_MANY)
    return replace(bound, rechecked=bound.measured == ledger.additions)


def _mended(ledger: Ledger, bound: Bound) -> Bound:
    bound = _counted(ledger, bound)
    return replace(bound, measured=ledger.mistakes, numbers={**bound.numbers, "additions": ledger.additions})


def _on_the_way(ledger: Ledger, bound: Bound, place: int, curve: str) -> Bound:
    """A line that each step was held against: the nearest that the run came to it, as a share of the line."""
    curves, measured, least = ledger.curves(), float(_trail(ledger).f[place]), place != follow.MOST_SQUARE
    numbers = {"k": ledger.additions, "end": float(curves[curve][-1]), "line": float(curves[f"{curve}_line"][-1])}
    # Each step that broke the line by more than the slack was rechecked when it was made, and the slack widened.
    widest = float(ledger.law.slack[[follow.BELOW_LINE, follow.TOO_LONG]].max())
    off = 1.0 - measured if least else measured - 1.0
    return replace(bound, limit=1.0, measured=measured, least=least, numbers=numbers, rechecked=off <= 4.0 * widest)


def _raised(ledger: Ledger, bound: Bound) -> Bound:
    f, n = _trail(ledger).f, _trail(ledger).n
    numbers = {"steps": int(n[follow.STEPS]), "still wrong": int(n[follow.UNDERSHOT])}
    return replace(bound, limit=0.0, measured=float(f[follow.MOST_OFF]), numbers=numbers)


def _final_margin(ledger: Ledger, bound: Bound) -> Bound:
    eta, tau = ledger.law.eta, ledger.law.tau
    limit = ledger.margin * tau / (eta * ledger.longest + 2.0 * tau)
    own = _margin_of(ledger, *ledger.weights)
    return replace(bound, limit=limit, measured=own, least=True, numbers=_numbers(ledger))


def _first_pass(ledger: Ledger, bound: Bound) -> Bound:
    times = None if ledger.order is None else np.bincount(ledger.order, minlength=ledger.problem.n)
    starts = [ledger.weights, _answer(ledger)]
    if ledger.yardstick is not None:
        starts.append((ledger.yardstick.w, ledger.yardstick.b))
    bar = ledger.problem.fit_intercept
    best = one_pass(ledger.problem, times, [np.append(w, b) if bar else w for w, b in starts])
    made = _mistakes(ledger)[0]
    numbers = {"R̄": best.length, "γ": best.margin, "D": best.missing, "w": best.w, "b": best.b}
    bound = replace(bound, limit=best.limit, measured=made, numbers=numbers)
    if bound.holds or not np.isfinite(best.margin):
        return bound
    rounded = _trail(ledger).f[follow.EXCESS] / (
        made * ledger.law.eta**2
    )  # of the mistakes that rounding made: see `recheck`
    most = ((np.sqrt(best.length**2 + rounded) + best.missing) / best.margin) ** 2
    return replace(bound, rechecked=bool(made <= most * (1.0 + 1e-9)))


def _for_ever(ledger: Ledger, bound: Bound) -> Bound:
    made = _mistakes(ledger)
    bound = replace(bound, limit=1.0, measured=min(made), least=True, numbers={"epochs": len(made)})
    return (
        bound if bound.holds or Separator.of(*ledger.weights).check(ledger.problem) else replace(bound, rechecked=True)
    )


def _own_margin(ledger: Ledger, bound: Bound) -> Bound:
    yard = ledger.yardstick
    assert yard is not None
    w, b = _answer(ledger)
    margin, limit = _margin_of(ledger, w, b), max(yard.margin, yard.most or 0.0)
    room = noise(ledger.problem, w, b) / max(float(np.sqrt(w @ w + b * b)), 1e-300)
    return replace(bound, limit=limit, measured=margin, numbers={"γ̄": yard.margin}, rechecked=margin <= limit + room)


def _answer(ledger: Ledger) -> tuple[Array, float]:
    memory, state = ledger.followed.answering
    (w,), (b,) = memory.answer(state)
    return w.astype(float), float(b)


def _margin_of(ledger: Ledger, w: Array, b: float) -> float:
    """min y·u/‖w̄‖."""
    size = float(np.sqrt(w @ w + b * b))
    return float(ledger.problem.margins(w, b).min()) / size if size > 0.0 else 0.0


THEOREMS = (
    Theorem(
        "perceptron",
        "the perceptron's mistakes are at most R̄²/γ̄²",
        (_perceptron, _from_zero, _separator),
        partial(_counted, mistakes=True),
    ),
    Theorem(
        "margin perceptron",
        "the margin perceptron's updates are at most (R̄² + 2τ/η)/γ̄²",
        (_margin_perceptron, _from_zero, _separator),
        _counted,
    ),
    Theorem(
        "finished margin",
        "a finished margin perceptron has at least the margin γ̄·τ/(ηR̄² + 2τ)",
        (_margin_perceptron, _from_zero, _separator, _finished),
        _final_margin,
    ),
    Theorem(
        "online use",
        "each mistake mended at once: wrong predictions are at most the margin perceptron's updates, (R̄² + 2)/γ̄²",
        (_until_right, _from_zero, _separator),
        _mended,
    ),
    Theorem(
        "progress",
        "w̄_k·u ≥ kηγ̄: each addition moves the weights towards the separator by ηγ̄ at least",
        (_from_zero, _separator, _stepped),
        partial(_on_the_way, place=follow.LEAST_ALONG, curve="along"),
    ),
    Theorem(
        "length",
        "‖w̄_k‖² ≤ kη²R̄²: each addition makes the weights longer by that at most",
        (_from_zero, _stepped),
        partial(_on_the_way, place=follow.MOST_SQUARE, curve="square"),
        "‖w̄_k‖² ≤ k(η²R̄² + 2ητ): each addition makes the weights longer by that at most",
    ),
    Theorem(
        "angle",
        "cos(w̄_k, u) ≥ √k·γ̄/R̄: the angle to the separator is at most that",
        (_from_zero, _separator, _stepped),
        partial(_on_the_way, place=follow.LEAST_COSINE, curve="cosine"),
        "cos(w̄_k, u) ≥ √k·γ̄/√(R̄² + 2τ/η): the angle to the separator is at most that",
    ),
    Theorem("update", "each addition raises y·u of its own row by exactly η‖x̄‖²", (_followable, _stepped), _raised),
    Theorem(
        "one pass",
        "one pass makes at most ((R̄ + D)/γ)² mistakes, for any unit u and any γ > 0; D: what rows lack of γ",
        (_perceptron, _from_zero, _passes),
        _first_pass,
    ),
    Theorem(
        "never stops",
        "where no hyperplane is without an error, each epoch of the perceptron has a mistake: it never stops",
        (_perceptron, _not_separable, _an_epoch),
        _for_ever,
    ),
    Theorem(
        "own margin",
        "no separator has a larger margin than γ̄",
        (_two_classes, _best_separator, _one_hyperplane),
        _own_margin,
    ),
)


LOOKS = 200
"""At most so many steps of the search; it is near its end after some 60."""
SIZES = np.geomspace(1e-3, 1e3, 25)
SMALL = 1e-12


class OnePass(NamedTuple):
    """limit: ((R̄ + D)/γ)². w, b: u, of unit length. margin: γ; missing: D. length: R̄."""

    limit: float
    w: Array
    b: float
    margin: float
    missing: float
    length: float


def one_pass(problem: Problem, times: Array | None = None, starts: Sequence[Array] = ()) -> OnePass:
    """The smallest bound found on the mistakes of one pass from zero weights.

    times: (n,) how often the pass comes to each row, None: once. starts: directions (d̄,) to begin at: separators,
    weights that were learned.
    """
    from scipy.optimize import minimize

    root = _Root(problem, np.ones(problem.n) if times is None else np.asarray(times, float))
    mean = problem.x.T @ (problem.y * root.times)
    first = [np.append(mean, problem.y @ root.times) if problem.fit_intercept else np.asarray(mean), *starts]
    tried = [v * (size / norm) for v in first if (norm := _root(v, root)) > 0.0 for size in SIZES]
    best = min(tried, key=root.value, default=np.zeros(first[0].size))
    if np.any(best):
        searched = minimize(root.both, best, jac=True, method="L-BFGS-B", options={"maxiter": LOOKS}).x
        best = min((best, np.asarray(searched)), key=root.value)
    value = root.value(best)
    size = float(np.linalg.norm(best))
    if not size > 0.0 or value**2 >= root.times.sum():
        return _far(root, first[0])
    margin = 1.0 / size
    w, b = (best[:-1], float(best[-1])) if problem.fit_intercept else (best, 0.0)
    return OnePass(value**2, w / size, b / size, margin, root.missing(best) * margin, root.length)


def _root(v: Array, root: _Root) -> float:
    """How large v·y·x̄ is, to begin with v of a size that means something."""
    return float(np.sqrt(np.mean(root.scores(v) ** 2)))


def _far(root: _Root, v: Array) -> OnePass:
    """No u says more than that each row is a mistake once: γ so large that D/γ is √n."""
    n, size = float(root.times.sum()), float(np.linalg.norm(v))
    unit = v / size if size > 0.0 else np.eye(1, v.size)[0]
    w, b = (unit[:-1], float(unit[-1])) if root.problem.fit_intercept else (unit, 0.0)
    return OnePass(n, w, b, np.inf, np.inf, root.length)


class _Root:
    """R̄·‖v‖ + ‖max(0, 1 − y·v·x̄)‖ and its slope."""

    def __init__(self, problem: Problem, times: Array) -> None:
        self.problem, self.times, self.length = problem, times, longest(problem) ** 0.5

    def scores(self, v: Array) -> Array:
        w, b = (v[:-1], float(v[-1])) if self.problem.fit_intercept else (v, 0.0)
        return self.problem.margins(w, b)

    def missing(self, v: Array) -> float:
        """D/γ."""
        lack = np.maximum(0.0, 1.0 - self.scores(v))
        return float(np.sqrt(self.times @ lack**2))

    def value(self, v: Array) -> float:
        return self.length * float(np.linalg.norm(v)) + self.missing(v)

    def both(self, v: Array) -> tuple[float, Array]:
        lack = np.maximum(0.0, 1.0 - self.scores(v))
        missing, size = float(np.sqrt(self.times @ lack**2)), float(np.linalg.norm(v))
        pull = self.times * lack * self.problem.y
        slope = -(self.problem.x.T @ pull)
        slope = np.append(slope, -pull.sum()) if self.problem.fit_intercept else np.asarray(slope)
        slope = slope / max(missing, SMALL) + v * (self.length / max(size, SMALL))
        return self.length * size + missing, slope
