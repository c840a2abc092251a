"""Why each theorem is true, with the numbers of a run in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from .bounds import Bound

if TYPE_CHECKING:
    from .ledger import Ledger


def many(count: float, what: str) -> str:
    return f"{count:,.0f} {what if count == 1 else what + 's'}"


def _why_mistakes(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    return (
        f"Why: let u be the separator, of length 1. A mistake adds ηy·x̄, which moves w̄ towards u by ηy·u·x̄ ≥ ηγ̄ = "
        f"{ledger.law.eta * n['γ̄']:.6g}; so after k mistakes w̄·u ≥ kηγ̄. It makes ‖w̄‖² larger by 2ηy·w̄·x̄ + "
        f"η²‖x̄‖², where the first part is ≤ 0 because it was a mistake; so ‖w̄‖² ≤ kη²R̄², with R̄² = "
        f"{n['R̄²']:.6g}. But w̄·u ≤ ‖w̄‖: k grows faster than √k, and they meet at k = R̄²/γ̄² = {bound.limit:,.6g}. "
        f"η cancels."
    )


def _why_updates(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    return (
        f"Why: as for the perceptron, an update moves w̄ towards u by ηγ̄ at least. It is made where y·w̄·x̄ < τ, so "
        f"‖w̄‖² grows by η²R̄² + 2ητ = {ledger.law.eta**2 * n['R̄²'] + 2 * ledger.law.eta * n['τ']:.6g} at most. With "
        f"w̄·u ≤ ‖w̄‖ that ends at k = (R̄² + 2τ/η)/γ̄² = {bound.limit:,.6g}."
    )


def _why_finished(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    longest = (n["η"] * n["R̄²"] + 2 * n["τ"]) / n["γ̄"]
    return (
        f"Why: when it is finished each row has y·w̄·x̄ ≥ τ = {n['τ']:g}, so its margin is τ/‖w̄‖ at least. The bound "
        f"on k and that on ‖w̄‖² together give ‖w̄‖ ≤ (ηR̄² + 2τ)/γ̄ = {longest:.6g}."
    )


def _why_online(ledger: Ledger, bound: Bound) -> str:
    return (
        f"Why: a wrong prediction is mended at once, by adding y·x̄ until y·w̄·x̄ ≥ 1. Each addition is made where it is "
        f"below 1, so it is an update of a margin perceptron with τ = η = 1, and there are at most (R̄² + 2)/γ̄² = "
        f"{bound.limit:,.6g} of them. Each wrong prediction has at least one: {bound.measured:,.0f} ≤ "
        f"{bound.numbers['additions']:,}."
    )


def _why_progress(ledger: Ledger, bound: Bound) -> str:
    step = bound.numbers["line"] / bound.numbers["k"]
    return (
        f"Why: adding ηy·x̄ adds ηy·u·x̄ to w̄·u, and no row has y·u·x̄ below γ̄. So each of the "
        f"{bound.numbers['k']:,} additions gave at least ηγ̄ = {step:.6g}."
    )


def _why_length(ledger: Ledger, bound: Bound) -> str:
    step = bound.numbers["line"] / bound.numbers["k"]
    return (
        f"Why: ‖w̄ + ηy·x̄‖² = ‖w̄‖² + 2ηy·w̄·x̄ + η²‖x̄‖². An addition is made only where y·w̄·x̄ is small (≤ τ = "
        f"{ledger.law.tau:g}), so it adds at most {step:.6g}, each of {bound.numbers['k']:,} times."
    )


def _why_angle(ledger: Ledger, bound: Bound) -> str:
    return (
        f"Why: the cosine is w̄·u/‖w̄‖. Above is at least kηγ̄, below at most the root of the line of ‖w̄‖²; the "
        f"quotient grows like √k and stands at {bound.numbers['line']:.6g} now. No cosine is above 1, hence the bound "
        f"on mistakes."
    )


def _why_update(ledger: Ledger, bound: Bound) -> str:
    return (
        f"Why: after w̄ ← w̄ + ηy·x̄ the score of the same row, w̄·x̄, has grown by ηy·x̄·x̄, and y times it by η‖x̄‖². "
        f"That may be too little: {many(bound.numbers['still wrong'], 'row')} stayed wrong, one step of many."
    )


def _why_pass(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    if not math.isfinite(n["γ"]):
        return "Why: a pass comes to each row once, so it makes no more mistakes than there are rows."
    return (
        f"Why: give each row that lacks something of the margin γ = {n['γ']:.6g} a coordinate of its own that makes "
        f"up for it. In those coordinates the rows are separable, and one pass makes the same mistakes, because no "
        f"two rows share one. What all rows lack together, D = {n['D']:.6g}, is what the separator must be longer "
        f"for. u and γ are the best that a convex search found; any others give a true bound, too."
    )


def _why_never(ledger: Ledger, bound: Bound) -> str:
    return (
        "Why: an epoch without a mistake would leave the weights as they are, and so have each row on its right "
        "side: they would separate the rows, which nothing does."
    )


def _why_own(ledger: Ledger, bound: Bound) -> str:
    return (
        f"Why: γ̄ is the largest of all margins, by definition. The perceptron stops at the first separator, not at "
        f"the best: a margin rule, or averaging, comes nearer to {bound.numbers['γ̄']:.6g}."
    )


WHY: dict[str, Callable[[Ledger, Bound], str]] = {
    "perceptron": _why_mistakes,
    "margin perceptron": _why_updates,
    "finished margin": _why_finished,
    "online use": _why_online,
    "progress": _why_progress,
    "length": _why_length,
    "angle": _why_angle,
    "update": _why_update,
    "one pass": _why_pass,
    "never stops": _why_never,
    "own margin": _why_own,
}
