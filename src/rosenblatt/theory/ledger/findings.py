"""The theorems one by one, on the run that a ledger has followed.

On one pass over any rows a convex search finds the best u and γ: the bound is ((R̄ + D)/γ)² with D² =
Σ max(0, γ − y·u·x̄)². With v = u/γ its root is R̄·‖v‖ + ‖max(0, 1 − y·v·x̄)‖₂, which is convex in v: one search finds u
and γ together, and whatever v it stops at gives a valid bound. v → 0 gives n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...errors import Message, plural
from ...learn.rule import rule_name
from ...rules.margin import Margin
from ...rules.perceptron import Perceptron
from ...rules.until_right import UntilRight
from ..problem import Problem
from ..proof.certificate import Separator
from . import follow
from .bounds import Bound, longest, noise, shaped
from .follow import Trail, recheck

if TYPE_CHECKING:
    from .ledger import Ledger


def findings(ledger: Ledger) -> list[Bound]:
    """Each theorem with its numbers, or with the first of its conditions that fails."""
    statements = STATEMENTS | (WITH_TAU if ledger.kind is not None and ledger.kind.tau else {})
    bounds = []
    for name, (measured, conditions) in THEOREMS.items():
        why = next(filter(None, (condition(ledger) for condition in conditions)), "")
        bound = Bound(name, statements[name], why)
        bounds.append(bound if why else measured(ledger, bound))
    return bounds


# --- conditions: what fails, or "" ---


def _two_classes(ledger: Ledger) -> str:
    return ledger.why_not if ledger.followed.many else ""


def _perceptron(ledger: Ledger, kind: Any = Perceptron) -> str:
    """What the theorem is about is another rule."""
    rule = ledger.followed.rule
    other = f"the rule is {rule_name(rule)}; the theorem is about rule {kind.name}"
    return _two_classes(ledger) or shaped(ledger.followed.settings) or ("" if isinstance(rule, kind) else other)


_margin_perceptron = partial(_perceptron, kind=Margin)
_until_right = partial(_perceptron, kind=UntilRight)


def _from_zero(ledger: Ledger) -> str:
    return ledger.why_not or ("" if ledger.from_zero else "learning did not begin at zero weights")


def _separator(ledger: Ledger) -> str:
    if ledger.yardstick is not None:
        return ""
    if ledger.separable is False:
        return f"the rows are not separable{_where(ledger)}"
    return (
        "float64 has too few digits for the hyperplane of the widest margin"
        if ledger.separable
        else "no separator was found in the time given"
    )


def _best_separator(ledger: Ledger) -> str:
    best = ledger.yardstick is not None and ledger.yardstick.best
    return "" if best else _separator(ledger) or "the separator given need not be the best"


def _not_separable(ledger: Ledger) -> str:
    if ledger.separable is False:
        return ""
    where = _where(ledger)
    return (
        f"the rows are separable{where}" if ledger.separable else f"whether the rows are separable{where} is not known"
    )


def _where(ledger: Ledger) -> str:
    """Which hyperplanes are meant, where it is not those with an offset."""
    return "" if ledger.followed.settings.fit_intercept else " through the origin"


def _stepped(ledger: Ledger) -> str:
    return "" if ledger.additions else "no step was made"


def _finished(ledger: Ledger) -> str:
    run = ledger.followed
    return "" if run.finished else run.stop_reason.within("it has not finished (", ")")


def _all_rows(ledger: Ledger) -> str:
    """An epoch without a mistake says nothing of all rows at one weight vector."""
    if ledger.left_out:
        return f"{plural(ledger.left_out, 'row')} of {ledger.problem.n:,} are not learned from"
    alpha = ledger.followed.settings.alpha
    return Message("L2 shrinks the weights ({alpha:g})", alpha=alpha) if alpha > 0.0 else ""


def _passes(ledger: Ledger) -> str:
    run = ledger.followed
    if run.settings.optimizer.picks:
        return Message("rows are picked ({optimizer:s}), there are no passes", optimizer=run.settings.optimizer.name)
    return "" if ledger.whole and run.epoch > ledger.before[2] else "the first pass has not ended yet"


def _an_epoch(ledger: Ledger) -> str:
    return "" if _mistakes(ledger) else "no epoch has ended yet"


def _one_hyperplane(ledger: Ledger) -> str:
    linear = ledger.followed.answering[0].is_linear
    return ledger.elsewhere if linear else "voted answers are not those of one hyperplane"


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
    directions = np.array([ledger.problem.joined(w, b) for w, b in starts])
    if ledger.searched is None or not np.array_equal(ledger.searched[0], directions):
        ledger.searched = directions, one_pass(ledger.problem, times, list(directions))
    best = ledger.searched[1]
    made = _mistakes(ledger)[0]
    numbers = {"R̄": best.length, "γ": best.margin, "D": best.missing, "w": best.w, "b": best.b}
    bound = replace(bound, limit=best.limit, measured=made, numbers=numbers)
    if bound.holds or not np.isfinite(best.margin):
        return bound
    # What rounding added for each of the mistakes: see `recheck`.
    rounded = _trail(ledger).f[follow.EXCESS] / (made * ledger.law.eta**2)
    most = ((np.sqrt(best.length**2 + rounded) + best.missing) / best.margin) ** 2
    return replace(bound, rechecked=bool(made <= most * (1.0 + 1e-9)))


def _for_ever(ledger: Ledger, bound: Bound) -> Bound:
    made = _mistakes(ledger)
    bound = replace(bound, limit=1.0, measured=min(made), least=True, numbers={"epochs": len(made)})
    right = bound.holds or Separator.of(*ledger.weights).check(ledger.problem)
    return bound if right else replace(bound, rechecked=True)


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
    return ledger.in_rows(w), float(b)


def _margin_of(ledger: Ledger, w: Array, b: float) -> float:
    """min y·u/‖w̄‖."""
    size = float(np.sqrt(w @ w + b * b))
    return float(ledger.problem.margins(w, b).min()) / size if size > 0.0 else 0.0


STATEMENTS = {
    "perceptron": "the perceptron's mistakes are at most R̄²/γ̄²",
    "margin perceptron": "the margin perceptron's updates are at most (R̄² + 2τ/η)/γ̄²",
    "finished margin": "a finished margin perceptron has at least the margin γ̄·τ/(ηR̄² + 2τ)",
    "online use": "each mistake mended at once: wrong predictions are at most the margin perceptron's updates, "
    "(R̄² + 2)/γ̄²",
    "progress": "w̄_k·u ≥ kηγ̄: each addition moves the weights towards the separator by ηγ̄ at least",
    "length": "‖w̄_k‖² ≤ kη²R̄²: each addition makes the weights longer by that at most",
    "angle": "cos(w̄_k, u) ≥ √k·γ̄/R̄: the angle to the separator is at most that",
    "update": "each addition raises y·u of its own row by exactly η‖x̄‖²",
    "one pass": "one pass makes at most ((R̄ + D)/γ)² mistakes, for any unit u and any γ > 0; D: what rows lack of γ",
    "never stops": "where no hyperplane is without an error, each epoch of the perceptron has a mistake: it never "
    "stops",
    "own margin": "no separator has a larger margin than γ̄",
}
WITH_TAU = {
    "length": "‖w̄_k‖² ≤ k(η²R̄² + 2ητ): each addition makes the weights longer by that at most",
    "angle": "cos(w̄_k, u) ≥ √k·γ̄/√(R̄² + 2τ/η): the angle to the separator is at most that",
}
"""The statement for rules that have a τ, where it is another one."""
THEOREMS: dict[str, tuple[Callable[[Ledger, Bound], Bound], list[Callable[[Ledger], str]]]] = {
    "perceptron": (partial(_counted, mistakes=True), [_perceptron, _from_zero, _separator]),
    "margin perceptron": (_counted, [_margin_perceptron, _from_zero, _separator]),
    "finished margin": (_final_margin, [_margin_perceptron, _from_zero, _separator, _finished]),
    "online use": (_mended, [_until_right, _from_zero, _separator]),
    "progress": (partial(_on_the_way, place=follow.LEAST_ALONG, curve="along"), [_from_zero, _separator, _stepped]),
    "length": (partial(_on_the_way, place=follow.MOST_SQUARE, curve="square"), [_from_zero, _stepped]),
    "angle": (partial(_on_the_way, place=follow.LEAST_COSINE, curve="cosine"), [_from_zero, _separator, _stepped]),
    "update": (_raised, [attrgetter("why_not"), _stepped]),
    "one pass": (_first_pass, [_perceptron, _from_zero, _passes]),
    "never stops": (_for_ever, [_perceptron, _not_separable, _all_rows, _an_epoch]),
    "own margin": (_own_margin, [_two_classes, _best_separator, _one_hyperplane]),
}
"""name → the bound with its numbers, where all conditions are met; and the conditions: each says what fails, or ""."""


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
    first = [problem.joined(mean, problem.y @ root.times), *starts]
    # How large v·y·x̄ is, to begin with v of a size that means something.
    sized = [(v, float(np.sqrt(np.mean(root.scores(v) ** 2)))) for v in first]
    tried = [v * (size / own) for v, own in sized if own > 0.0 for size in SIZES]
    best = min(tried, key=root.value, default=np.zeros(first[0].size))
    if np.any(best):
        searched = minimize(root.both, best, jac=True, method="L-BFGS-B", options={"maxiter": LOOKS}).x
        best = min((best, np.asarray(searched)), key=root.value)
    value, size = root.value(best), float(np.linalg.norm(best))
    if not size > 0.0 or value**2 >= root.times.sum():
        return _far(root, first[0])
    margin = 1.0 / size
    w, b = problem.parted(best)
    return OnePass(value**2, w / size, b / size, margin, root.missing(best) * margin, root.length)


def _far(root: _Root, v: Array) -> OnePass:
    """No u says more than that each row is a mistake once: γ so large that D/γ is √n."""
    n, size = float(root.times.sum()), float(np.linalg.norm(v))
    unit = v / size if size > 0.0 else np.eye(1, v.size)[0]
    return OnePass(n, *root.problem.parted(unit), np.inf, np.inf, root.length)


class _Root:
    """R̄·‖v‖ + ‖max(0, 1 − y·v·x̄)‖ and its slope."""

    def __init__(self, problem: Problem, times: Array) -> None:
        self.problem, self.times, self.length = problem, times, longest(problem) ** 0.5

    def scores(self, v: Array) -> Array:
        return self.problem.margins(*self.problem.parted(v))

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
        slope = self.problem.joined(-(self.problem.x.T @ pull), -pull.sum())
        slope = slope / max(missing, SMALL) + v * (self.length / max(size, SMALL))
        return self.length * size + missing, slope
