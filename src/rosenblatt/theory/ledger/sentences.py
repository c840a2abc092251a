"""The ledger in sentences, with the user's own numbers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from .bounds import Bound, whole
from .reasons import WHY, many

if TYPE_CHECKING:
    from .ledger import Ledger

WIDE = 96
BARS = {"R̄": "R", "γ̄": "γ₀", "x̄": "x", "w̄": "w"}
"""Through the origin there is no offset to count as a feature."""


def told(ledger: Ledger, found: list[Bound], explain: bool = False, say: Callable[[str], str] = str) -> list[str]:
    """Lines of at most 96 columns: what was followed, each theorem, and with `explain` a paragraph on each.

    say: how the settings in a reason are said, as in the words of the shell.
    """
    lines = _head(ledger, say)
    for bound in found:
        if not bound.applies:
            continue
        lines += _wrapped(f"{bound.name}: {_SAID[bound.name](ledger, bound)}; holds", "", "  ")
        if explain:
            lines += [*_wrapped(WHY[bound.name](ledger, bound), "  ", "  "), ""]
    if lines[-1] == "" and all(bound.applies for bound in found):
        lines.pop()
    for bound in found:
        if not bound.applies:
            lines += _wrapped(f"{bound.name}: does not apply: {say(bound.why_not)}", "", "  ")
    return lines if _has_bias(ledger) else [_bare(line) for line in lines]


def _has_bias(ledger: Ledger) -> bool:
    assert ledger.run is not None
    return ledger.run.settings.fit_intercept


def _bare(line: str) -> str:
    for barred, bare in BARS.items():
        line = line.replace(barred, bare)
    return line


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    """Lines that do not part a number from its letter."""
    held = text.replace(" = ", "\u00a0=\u00a0").replace(" %", "\u00a0%")
    lines = textwrap.wrap(held, WIDE, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def _head(ledger: Ledger, say: Callable[[str], str]) -> list[str]:
    run = ledger.run
    assert run is not None
    words = run.settings.words()
    order = "rows shuffled" if run.settings.shuffle else "rows in the order given"
    order = "" if run.settings.optimizer.picks else f", {order}"
    lines = [
        f"followed: rule {words['rule']}, keep {words['keep']}, {words['optimizer']}{order}, eta {words['eta0']:g}"
    ]
    epochs = run.epoch - ledger.before[2]
    spent = f" in {many(epochs, 'epoch')}" if epochs else ""
    made = f"{many(ledger.mistakes, 'mistake')}, {many(ledger.updates, 'update')}{spent}"
    lines.append(f"  {made}: {say(run.stop_reason)}")
    if run.many:
        return lines
    yard = ledger.yardstick
    if yard is not None:
        whose = "the largest of all separators" if yard.best else f"of {yard.origin}"
        return [*lines, f"  separable: γ̄ = {yard.margin:.6g}, {whose}; R̄² = {ledger.longest:.6g}"]
    why = "not separable" if ledger.separable is False else "not known to be separable: no separator was found in time"
    return [*lines, f"  {why}; R̄² = {ledger.longest:.6g}"]


def percent(share: float | None) -> str:
    """`46 %`, `0.0123 %`: two digits, more of a whole number."""
    if share is None:
        return "–"
    hundred = 100.0 * share
    return f"{hundred:.0f} %" if hundred >= 10.0 else f"{hundred:.2g} %"


def _whole(limit: float | None) -> str:
    """The most whole things that a limit allows."""
    assert limit is not None
    return f"{whole(limit):,}" if limit < 1e15 else f"{limit:.3g}"


# --- what was found ---


def _mistakes(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    return (
        f"{many(bound.measured or 0, 'mistake')} of at most {_whole(bound.limit)} possible "
        f"(R̄² = {n['R̄²']:.6g}, γ̄ = {n['γ̄']:.6g}): {percent(bound.share)} used"
    )


def _updates(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    return (
        f"{many(bound.measured or 0, 'update')} of at most {_whole(bound.limit)} possible "
        f"(R̄² = {n['R̄²']:.6g}, τ = {n['τ']:g}, η = {n['η']:g}, γ̄ = {n['γ̄']:.6g}): {percent(bound.share)} used"
    )


def _finished(ledger: Ledger, bound: Bound) -> str:
    return f"{bound.measured:.6g}, at least {bound.limit:.6g} was promised ({bound.share:.3g} times that)"


def _online(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    return (
        f"{many(bound.measured or 0, 'wrong prediction')}, mended by {many(n['additions'], 'addition')}, of at most "
        f"{_whole(bound.limit)} possible (R̄² = {n['R̄²']:.6g}, γ̄ = {n['γ̄']:.6g}): {percent(bound.share)} used"
    )


def _line(what: str, nearest: str) -> Callable[[Ledger, Bound], str]:
    def said(ledger: Ledger, bound: Bound) -> str:
        n = bound.numbers
        side = "at least" if bound.least else "at most"
        return (
            f"{what} = {n['end']:.6g} after {many(n['k'], 'addition')}, {side} {n['line']:.6g}; "
            f"{nearest} {percent(bound.measured)} of its line on the way"
        )

    return said


def _update(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    return (
        f"{many(n['steps'], 'step')}, each raised y·w̄·x̄ of its row by η‖x̄‖² as far as can be computed; "
        f"{many(n['still wrong'], 'row')} stayed wrong"
    )


def _pass(ledger: Ledger, bound: Bound) -> str:
    n = bound.numbers
    how = f"R̄ = {n['R̄']:.6g}, γ = {n['γ']:.6g}, D = {n['D']:.6g}" if math.isfinite(n["γ"]) else "no u says more"
    return (
        f"{many(bound.measured or 0, 'mistake')} in the first epoch of at most {_whole(bound.limit)} possible "
        f"({how}): {percent(bound.share)} used"
    )


def _never(ledger: Ledger, bound: Bound) -> str:
    least = many(bound.measured or 0, "mistake")
    return f"{least} or more in each of {many(bound.numbers['epochs'], 'epoch')}; it would go on for ever"


def _own(ledger: Ledger, bound: Bound) -> str:
    margin, best = bound.measured or 0.0, bound.numbers["γ̄"]
    if margin <= 0.0:
        return f"{margin:.6g}: the weights that answer are no separator (the largest margin is γ̄ = {best:.6g})"
    return f"{margin:.6g}, {percent(margin / best)} of the largest one, γ̄ = {best:.6g}"


_SAID: dict[str, Callable[[Ledger, Bound], str]] = {
    "perceptron": _mistakes,
    "margin perceptron": _updates,
    "finished margin": _finished,
    "online use": _online,
    "progress": _line("w̄·u", "never below"),
    "length": _line("‖w̄‖²", "never above"),
    "angle": _line("cos(w̄, u)", "never below"),
    "update": _update,
    "one pass": _pass,
    "never stops": _never,
    "own margin": _own,
}
