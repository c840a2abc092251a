"""The theorems one by one, on the run that a ledger has followed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.rows import Array
from ...errors import Message
from ...learn.rule import rule_name
from ...rules.margin import Margin
from ...rules.perceptron import Perceptron
from ...rules.until_right import UntilRight
from ..proof.certificate import Separator
from .bounds import Bound, final_margin
from .follow import (
    BELOW_LINE,
    EXCESS,
    LEAST_ALONG,
    LEAST_COSINE,
    MOST_OFF,
    MOST_SQUARE,
    STEPS,
    TOO_LONG,
    TOO_MANY,
    UNDERSHOT,
)
from .one_pass import one_pass
from .recheck import recheck
from .yardstick import noise

if TYPE_CHECKING:
    from .ledger import Ledger


def findings(ledger: Ledger) -> list[Bound]:
    """Each theorem with its numbers, or with the first of its conditions that fails."""
    return [find(ledger) for find in FINDERS]


def _perceptron(ledger: Ledger) -> Bound:
    says = "the perceptron's mistakes are at most R̄²/γ̄²"
    why = _rule(ledger, Perceptron) or _begun(ledger) or _separator(ledger)
    if why:
        return Bound("perceptron", says, why)
    return _counted(ledger, Bound("perceptron", says, limit=ledger.limit, measured=ledger.mistakes))


def _along(ledger: Ledger) -> Bound:
    says = "w̄_k·u ≥ kηγ̄: each addition moves the weights towards the separator by ηγ̄ at least"
    why = _begun(ledger) or _separator(ledger) or _step(ledger)
    return _on_the_way(ledger, Bound("progress", says, why, None if why else 1.0, least=True), LEAST_ALONG)


def _length(ledger: Ledger) -> Bound:
    says = "‖w̄_k‖² ≤ kη²R̄²: each addition makes the weights longer by that at most"
    if ledger.kind is not None and ledger.kind.tau:
        says = "‖w̄_k‖² ≤ k(η²R̄² + 2ητ): each addition makes the weights longer by that at most"
    why = _begun(ledger) or _step(ledger)
    return _on_the_way(ledger, Bound("length", says, why, None if why else 1.0), MOST_SQUARE)


def _cosine(ledger: Ledger) -> Bound:
    says = "cos(w̄_k, u) ≥ √k·γ̄/R̄: the angle to the separator is at most that"
    if ledger.kind is not None and ledger.kind.tau:
        says = "cos(w̄_k, u) ≥ √k·γ̄/√(R̄² + 2τ/η): the angle to the separator is at most that"
    why = _begun(ledger) or _separator(ledger) or _step(ledger)
    return _on_the_way(ledger, Bound("angle", says, why, None if why else 1.0, least=True), LEAST_COSINE)


def _update(ledger: Ledger) -> Bound:
    says = "each addition raises y·u of its own row by exactly η‖x̄‖²"
    if why := ledger.why_not or _step(ledger):
        return Bound("update", says, why)
    assert ledger.trail is not None
    f, n = ledger.trail.f, ledger.trail.n
    numbers = {"steps": int(n[STEPS]), "still wrong": int(n[UNDERSHOT])}
    return Bound("update", says, limit=0.0, measured=float(f[MOST_OFF]), numbers=numbers)


def _margin_updates(ledger: Ledger) -> Bound:
    says = "the margin perceptron's updates are at most (R̄² + 2τ/η)/γ̄²"
    why = _rule(ledger, Margin) or _begun(ledger) or _separator(ledger)
    if why:
        return Bound("margin perceptron", says, why)
    return _counted(ledger, Bound("margin perceptron", says, limit=ledger.limit, measured=ledger.additions))


def _margin_finished(ledger: Ledger) -> Bound:
    says = "a finished margin perceptron has at least the margin γ̄·τ/(ηR̄² + 2τ)"
    why = _rule(ledger, Margin) or _begun(ledger) or _separator(ledger)
    if not why and not ledger.run.finished:  # type: ignore[union-attr]
        why = ledger.run.stop_reason.within("it has not finished (", ")")  # type: ignore[union-attr]
    if why:
        return Bound("finished margin", says, why)
    assert ledger.yardstick is not None
    limit = final_margin(ledger.longest, ledger.yardstick.margin, ledger.law.tau, ledger.law.eta)
    own = own_margin(ledger, last=True)
    return Bound("finished margin", says, "", limit, own, least=True, numbers=_numbers(ledger))


def _online_use(ledger: Ledger) -> Bound:
    says = "each mistake mended at once: wrong predictions are at most the margin perceptron's updates, (R̄² + 2)/γ̄²"
    why = _rule(ledger, UntilRight) or _begun(ledger) or _separator(ledger)
    if why:
        return Bound("online use", says, why)
    found = _counted(ledger, Bound("online use", says, limit=ledger.limit, measured=ledger.additions))
    return replace(found, measured=ledger.mistakes, numbers={**found.numbers, "additions": ledger.additions})


def _one_pass(ledger: Ledger) -> Bound:
    says = "one pass makes at most ((R̄ + D)/γ)² mistakes, for any unit u and any γ > 0; D: what rows lack of γ"
    why = _rule(ledger, Perceptron) or _begun(ledger)
    run = ledger.run
    assert run is not None
    if not why and run.settings.optimizer.picks:
        name = run.settings.optimizer.name
        why = Message("rows are picked ({optimizer:s}), there are no passes", optimizer=name)
    if not why and not (ledger.whole and run.epoch > ledger.before[2]):
        why = "the first pass has not ended yet"
    if why:
        return Bound("one pass", says, why)
    times = None if ledger.order is None else np.bincount(ledger.order, minlength=ledger.problem.n)
    best = one_pass(ledger.problem, times, _directions(ledger))
    made = run.history["mistakes"][ledger.before[2]]
    numbers = {"R̄": best.length, "γ": best.margin, "D": best.missing, "w": best.w, "b": best.b}
    found = Bound("one pass", says, "", best.limit, made, numbers=numbers)
    if found.holds or not np.isfinite(best.margin):
        return found
    assert ledger.trail is not None  # of the mistakes that rounding made, as in `recheck`
    rounded = ledger.trail.f[EXCESS] / (made * ledger.law.eta**2)
    most = ((np.sqrt(best.length**2 + rounded) + best.missing) / best.margin) ** 2
    return replace(found, rechecked=bool(made <= most * (1.0 + 1e-9)))


def _never_stops(ledger: Ledger) -> Bound:
    says = "where no hyperplane is without an error, each epoch of the perceptron has a mistake: it never stops"
    why = _rule(ledger, Perceptron)
    mistakes = [] if ledger.run is None else ledger.run.history["mistakes"][ledger.before[2] :]
    if not why and ledger.separable is not False:
        why = "the rows are separable" if ledger.separable else "whether the rows are separable is not known"
    why = why or ("" if mistakes else "no epoch has ended yet")
    if why:
        return Bound("never stops", says, why)
    found = Bound("never stops", says, "", 1.0, min(mistakes), least=True, numbers={"epochs": len(mistakes)})
    return found if found.holds or _separates(ledger) else replace(found, rechecked=True)


def _own_margin(ledger: Ledger) -> Bound:
    says = "no separator has a larger margin than γ̄"
    if ledger.run is None or ledger.run.many:
        return Bound("own margin", says, ledger.why_not)
    yard = ledger.yardstick
    if yard is None or not yard.best:
        return Bound("own margin", says, _separator(ledger) or "the separator given need not be the best")
    margin = own_margin(ledger)
    if margin is None:
        return Bound("own margin", says, "voted answers are not those of one hyperplane")
    limit = max(yard.margin, yard.most or 0.0)
    w, b = _answer(ledger)
    room = noise(ledger.problem, w, b) / max(float(np.sqrt(w @ w + b * b)), 1e-300)
    numbers = {"γ̄": yard.margin}
    return Bound("own margin", says, "", limit, margin, numbers=numbers, rechecked=margin <= limit + room)


FINDERS = (
    _perceptron, _margin_updates, _margin_finished, _online_use, _along, _length, _cosine, _update, _one_pass,
    _never_stops, _own_margin,
)  # fmt: skip


# --- conditions ---


def _rule(ledger: Ledger, kind: type) -> str:
    """What the theorem is about is another rule."""
    if ledger.run is None or ledger.run.many:
        return ledger.why_not
    rule = ledger.run.rule
    return "" if isinstance(rule, kind) else f"the rule is {rule_name(rule)}; the theorem is about rule {kind.name}"  # type: ignore[attr-defined]


def _begun(ledger: Ledger) -> str:
    return ledger.why_not or ("" if ledger.from_zero else "learning did not begin at zero weights")


def _separator(ledger: Ledger) -> str:
    if ledger.yardstick is not None:
        return ""
    return "the rows are not separable" if ledger.separable is False else "no separator was found in the time given"


def _step(ledger: Ledger) -> str:
    return "" if ledger.additions else "no step was made"


# --- numbers ---


def _numbers(ledger: Ledger) -> dict[str, Any]:
    assert ledger.yardstick is not None
    own = {"R̄²": ledger.longest, "γ̄": ledger.yardstick.margin}
    return own | ({"τ": ledger.law.tau, "η": ledger.law.eta} if ledger.law.tau else {})


def _counted(ledger: Ledger, bound: Bound) -> Bound:
    """A bound on counts; where rounding could decide, it is decided exactly."""
    assert ledger.trail is not None
    bound = replace(bound, numbers=_numbers(ledger))
    if bound.holds:
        return bound
    recheck(ledger.problem, ledger.law, ledger.trail, ledger.yardstick, TOO_MANY)
    return replace(bound, rechecked=bound.measured == ledger.additions)


def _on_the_way(ledger: Ledger, bound: Bound, place: int) -> Bound:
    """A line that each step was held against: the nearest that the run came to it, as a share of the line."""
    if not bound.applies:
        return bound
    assert ledger.trail is not None
    curves = ledger.curves()
    name = {LEAST_ALONG: "along", MOST_SQUARE: "square", LEAST_COSINE: "cosine"}[place]
    numbers = {"k": ledger.additions, "end": float(curves[name][-1]), "line": float(curves[f"{name}_line"][-1])}
    found = replace(bound, measured=float(ledger.trail.f[place]), numbers=numbers)
    # Each step that broke the line by more than the slack was rechecked when it was made, and the slack widened.
    widest = float(ledger.law.slack[[BELOW_LINE, TOO_LONG]].max())
    off = found.measured - 1.0 if not found.least else 1.0 - found.measured  # type: ignore[operator]
    return replace(found, rechecked=off <= 4.0 * widest)


def _answer(ledger: Ledger) -> tuple[Array, float]:
    assert ledger.run is not None
    memory, state = ledger.run.answering
    (w,), (b,) = memory.answer(state)
    return w.astype(float), float(b)


def own_margin(ledger: Ledger, last: bool = False) -> float | None:
    """min y·u/‖w̄‖ of the weights that answer, or of the last ones; None where those are no single hyperplane."""
    assert ledger.run is not None
    if not ledger.run.answering[0].is_linear and not last:
        return None
    w, b = _answer(ledger)
    if last:
        (w,), (b,) = ledger.run.memory.weights(ledger.run.state)
        w, b = w.astype(float), float(b)
    size = float(np.sqrt(w @ w + b * b))
    return float(ledger.problem.margins(w, b).min()) / size if size > 0.0 else 0.0


def _directions(ledger: Ledger) -> list[Array]:
    """Where the search for the best u of one pass begins: the separator, and what was learned."""
    (w,), (b,) = ledger.run.memory.weights(ledger.run.state)  # type: ignore[union-attr]
    found = [(w.astype(float), float(b)), _answer(ledger)]
    if ledger.yardstick is not None:
        found.append((ledger.yardstick.w, ledger.yardstick.b))
    return [np.append(w, b) if ledger.problem.fit_intercept else w for w, b in found]


def _separates(ledger: Ledger) -> bool:
    """Whether the weights have each row on its right side, exactly."""
    (w,), (b,) = ledger.run.memory.weights(ledger.run.state)  # type: ignore[union-attr]
    return Separator.of(w, b).check(ledger.problem)
