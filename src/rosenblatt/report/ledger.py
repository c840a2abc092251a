"""A ledger in sentences, with the user's own numbers: what each theorem says of the run, and why it is true."""

import math
import re
from collections.abc import Callable
from typing import Any

from ..kernels import kernel_name
from ..theory.ledger.bounds import Bound, whole
from ..theory.ledger.ledger import Ledger
from .words import large, plural, wrapped

WIDE = 96
BARS = {"R̄": "R", "γ̄": "γ₀", "x̄": "x", "w̄": "w"}
"""Through the origin there is no offset to count as a feature."""

LINE = "= {end:.6g} after {k additions}, {side} {line:.6g}; never {beyond} {nearest} of its line on the way"
OUTCOMES = {
    "perceptron": "{mistakes} of at most {most} possible (R̄² = {R̄²:.6g}, γ̄ = {γ̄:.6g}): {used} used",
    "margin perceptron": "{updates} of at most {most} possible "
    "(R̄² = {R̄²:.6g}, τ = {τ:g}, η = {η:g}, γ̄ = {γ̄:.6g}): {used} used",
    "finished margin": "{measured:.6g}, at least {limit:.6g} was promised ({share:.3g} times that)",
    "online use": "{wrong predictions}, mended by {additions made}, of at most {most} possible "
    "(R̄² = {R̄²:.6g}, γ̄ = {γ̄:.6g}): {used} used",
    "progress": f"w̄·u {LINE}",
    "length": f"‖w̄‖² {LINE}",
    "angle": f"cos(w̄, u) {LINE}",
    "update": "{steps made}, each raised y·w̄·x̄ of its row by η‖x̄‖² as far as can be computed; "
    "{wrong rows} stayed wrong",
    "one pass": "{mistakes} in the first epoch of at most {most} possible "
    "(R̄ = {R̄:.6g}, γ = {γ:.6g}, D = {D:.6g}): {used} used",
    "one pass, no u": "{mistakes} in the first epoch of at most {most} possible (its row count; no bound "
    "found is below that): {used} used",
    "never stops": "{mistakes} or more in each of {epochs made}; it would go on for ever",
    "own margin": "{measured:.6g}, {of the best} of the largest one, γ̄ = {γ̄:.6g}",
    "own margin, none": "{measured:.6g}: the weights that answer are no separator (the largest margin is γ̄ = {γ̄:.6g})",
}
"""What came of each theorem."""
REASONS = {
    "perceptron": "Why: let u be the separator, of length 1. A mistake adds ηy·x̄, which moves w̄ towards u by ηy·u·x̄ ≥ "
    "ηγ̄ = {step:.6g}; so after k mistakes w̄·u ≥ kηγ̄. It makes ‖w̄‖² larger by 2ηy·w̄·x̄ + η²‖x̄‖², where the first part "
    "is ≤ 0 because it was a mistake; so ‖w̄‖² ≤ kη²R̄², with R̄² = {R̄²:.6g}. But w̄·u ≤ ‖w̄‖: k grows faster than √k, and "
    "they meet at k = R̄²/γ̄² = {limit:,.6g}. η cancels.",
    "margin perceptron": "Why: as for the perceptron, an update moves w̄ towards u by ηγ̄ at least. It is made where "
    "y·w̄·x̄ < τ, so ‖w̄‖² grows by η²R̄² + 2ητ = {growth:.6g} at most. With w̄·u ≤ ‖w̄‖ that ends at k = "
    "(R̄² + 2τ/η)/γ̄² = {limit:,.6g}.",
    "finished margin": "Why: when it is finished each row has y·w̄·x̄ ≥ τ = {τ:g}, so its margin is τ/‖w̄‖ at least. The "
    "bound on k and that on ‖w̄‖² together give ‖w̄‖ ≤ (ηR̄² + 2τ)/γ̄ = {longest:.6g}.",
    "online use": "Why: a wrong prediction is mended at once, by adding y·x̄ until y·w̄·x̄ ≥ 1. Each addition is made "
    "where it is below 1, so it is an update of a margin perceptron with τ = η = 1, and there are at most (R̄² + 2)/γ̄² "
    "= {limit:,.6g} of them. Each wrong prediction has at least one: {measured:,.0f} ≤ {additions:,}.",
    "progress": "Why: adding ηy·x̄ adds ηy·u·x̄ to w̄·u, and no row has y·u·x̄ below γ̄. So each of the {k:,} additions "
    "gave at least ηγ̄ = {step:.6g}.",
    "length": "Why: ‖w̄ + ηy·x̄‖² = ‖w̄‖² + 2ηy·w̄·x̄ + η²‖x̄‖². An addition is made only where y·w̄·x̄ is small (≤ τ = "
    "{τ:g}), so it adds at most {step:.6g}, each of {k:,} times.",
    "angle": "Why: the cosine is w̄·u/‖w̄‖. Above is at least kηγ̄, below at most the root of the line of ‖w̄‖²; the "
    "quotient grows like √k and stands at {line:.6g} now. No cosine is above 1, hence the bound on mistakes.",
    "update": "Why: after w̄ ← w̄ + ηy·x̄ the score of the same row, w̄·x̄, has grown by ηy·x̄·x̄, and y times it by "
    "η‖x̄‖². That may be too little: {wrong rows} stayed wrong, one step of many.",
    "one pass": "Why: give each row that lacks something of the margin γ = {γ:.6g} a coordinate of its own that makes "
    "up for it. In those coordinates the rows are separable, and one pass makes the same mistakes, because no two rows "
    "share one. What all rows lack together, D = {D:.6g}, is what the separator must be longer for. u and γ are the "
    "best that a convex search found; any others give a true bound, too.",
    "one pass, no u": "Why: a row that a pass comes to is one mistake at most.",
    "never stops": "Why: an epoch without a mistake would leave the weights as they are, and so have each row on its "
    "right side: they would separate the rows, which nothing does.",
    "own margin": "Why: γ̄ is the largest of all margins, by definition. The perceptron stops at the first separator, "
    "not at the best: a margin rule, or averaging, comes nearer to {γ̄:.6g}.",
}
REASONS["own margin, none"] = REASONS["own margin"]


def in_sentences(
    ledger: Ledger, bounds: list[Bound], explain: bool = False, say: Callable[[str], str] = str
) -> list[str]:
    """Lines of at most 96 columns: what was followed, each theorem, and with `explain` a paragraph on each.

    say: how the settings in a reason are said, as in the words of the shell.
    """
    lines = _head(ledger, say)
    for bound in bounds:
        if not bound.applies:
            continue
        case, values = _case(bound), _values(ledger, bound)
        lines += _wrapped(f"{bound.name}: {OUTCOMES[case].format_map(values)}; holds", "", "  ")
        if explain:
            lines += [*_wrapped(REASONS[case].format_map(values), "  ", "  "), ""]
    if lines[-1] == "" and all(bound.applies for bound in bounds):
        lines.pop()
    for bound in bounds:
        if not bound.applies:
            lines += _wrapped(f"{bound.name}: does not apply: {say(bound.why_not)}", "", "  ")
    if ledger.followed.settings.fit_intercept:
        return lines
    return [re.sub("|".join(BARS), lambda barred: BARS[barred[0]], line) for line in lines]


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    """Lines that do not part a number from its letter."""
    held = text.replace(" = ", "\u00a0=\u00a0").replace(" %", "\u00a0%")
    return [line.replace("\u00a0", " ") for line in wrapped(held, WIDE, first, rest)]


def _head(ledger: Ledger, say: Callable[[str], str]) -> list[str]:
    run = ledger.followed
    words = run.settings.words()
    order = "rows shuffled" if run.settings.shuffle and ledger.order is None else "rows in the order given"
    order += f", {ledger.left_out:,} of {ledger.first_row[-1]:,} left out" if ledger.left_out else ""
    order = "" if run.settings.optimizer.picks else f", {order}"
    eta = "" if run.settings.brings else f", eta {words['eta0']:g}"
    kernel = "" if run.settings.kernel is None else f", kernel {kernel_name(run.settings.kernel)}"
    epochs = run.epoch - ledger.before[2]
    spent = f" in {plural(epochs, 'epoch')}" if epochs else ""
    lines = [
        f"followed: {'' if run.settings.brings else 'rule '}{run.settings.learner}{kernel}, keep {words['keep']}, "
        f"{words['optimizer']}{order}{eta}",
        f"  {plural(ledger.mistakes, 'mistake')}, {plural(ledger.updates, 'update')}{spent}: {say(run.stop_reason)}",
    ]
    if run.many:
        return lines
    yard = ledger.yardstick
    if yard is not None:
        whose = "the largest of all separators" if yard.best else f"of {yard.origin}"
        return [*lines, f"  separable: γ̄ = {yard.margin:.6g}, {whose}; R̄² = {ledger.longest:.6g}"]
    where = "" if run.settings.fit_intercept else " through the origin"
    why = {
        True: f"separable{where}, but float64 has too few digits for the hyperplane of the widest margin",
        False: f"not separable{where}",
        None: f"not known to be separable{where}: no separator was found in time",
    }[ledger.separable]
    return [*lines, f"  {why}; R̄² = {ledger.longest:.6g}"]


def _case(bound: Bound) -> str:
    """Which sentence of its theorem fits."""
    if bound.name == "one pass" and not math.isfinite(bound.numbers["γ"]):
        return "one pass, no u"
    if bound.name == "own margin" and (bound.measured or 0.0) <= 0.0:
        return "own margin, none"
    return bound.name


def _values(ledger: Ledger, bound: Bound) -> dict[str, Any]:
    """What the sentences of a theorem that applies may mention, as numbers or in words."""
    n, measured, limit = bound.numbers, bound.measured or 0, bound.limit or 0.0
    values = {**n, "measured": measured, "limit": limit, "share": bound.share, "used": _percent(bound.share)}
    values |= {f"{what}s": plural(measured, what) for what in ("mistake", "update", "wrong prediction")}
    values |= {f"{name} made": plural(n[name], name[:-1]) for name in ("additions", "steps", "epochs") if name in n}
    values["most"] = f"{whole(limit):,}" if limit < 1e15 else large(limit)
    if "still wrong" in n:
        values["wrong rows"] = plural(n["still wrong"], "row")
    if bound.name == "own margin":
        values["of the best"] = _percent(measured / n["γ̄"])
    elif "R̄²" in n:
        eta, tau = ledger.law.eta, ledger.law.tau
        values |= {"step": eta * n["γ̄"], "growth": eta**2 * n["R̄²"] + 2 * eta * tau}
        values["longest"] = (eta * n["R̄²"] + 2 * tau) / n["γ̄"]
    elif "line" in n:
        values |= {"step": n["line"] / n["k"], "τ": ledger.law.tau, "k additions": plural(n["k"], "addition")}
        side, beyond = ("at least", "below") if bound.least else ("at most", "above")
        values |= {"side": side, "beyond": beyond, "nearest": _percent(measured)}
    return values


def _percent(share: float | None) -> str:
    """`46 %`, `0.0123 %`: two digits, more of a whole number."""
    if share is None:
        return "–"
    hundred = 100.0 * share
    return f"{hundred:.0f} %" if hundred >= 10.0 else f"{hundred:.2g} %"
