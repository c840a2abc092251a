"""What came of a judge of mail on a stream, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..mail.evaluation import CUTS, OF_CUTS, OF_SCORES, Ablation, Difference, Evaluation
from ..mail.measures import LIMITS
from .words import plural, table

OF_LINES = ("LAM %", "real mail lost %", "spam through %")
OF_RANKS = ("(1-ROCA) %", *(f"spam through %, {100 * limit:g} % lost" for limit in LIMITS))
ORDERS = {"given": "in the given order", "shuffled": "shuffled"}


def percent(value: float, sign: str = "") -> str:
    """`0.045`, `28.40`: three digits behind the point below one."""
    return "not defined" if math.isnan(value) else f"{value:{sign}.{3 if abs(value) < 0.9995 else 2}f}"


def as_text(made: Evaluation) -> list[str]:
    """Lines for people; the first says which mails."""
    spam, plan = int(made.spam.sum()), made.plan
    seeds = f"seed {plan.seed}" if plan.repeat == 1 else f"seeds {plan.seed} to {plan.seed + plan.repeat - 1}"
    how = [ORDERS[plan.order], *([seeds] if plan.order != "given" or plan.noise else [])]
    how += [f"{100 * plan.noise:g} % of the verdicts wrong"] if plan.noise else []
    how += [f"verdicts after {plural(plan.delay, 'more mail')}"] if plan.delay else []
    how += [] if plan.feedback_first is None else [f"verdicts of the first {plan.feedback_first:,}"]
    how += [] if made.runs[0].arrived.any() else ["so that none came"]
    lines = [f"{made.origin}: {plural(len(made.spam), 'mail')}, {len(made.spam) - spam:,} ham and {spam:,} spam"]
    lines += [", ".join(how), "", *_measured(made.values, made.limits, ""), ""]
    if plan.order == "given" and np.count_nonzero(np.diff(made.spam)) == 1:
        first, then = ("spam", "ham") if made.spam[0] else ("ham", "spam")
        lines.append(f"all {first} came before all {then}: --order shuffled mixes them")
    if not 0 < spam < len(made.spam):
        lines.append(f"all mails are {'spam' if spam else 'ham'}: what needs both is not defined")
    lines += [_unsure(made), *_judge(made)]
    if plan.repeat > 1:
        own = [OF_LINES[0], "lost %", "through %"]
        head = ["seed", OF_RANKS[0], *own, f"threshold: {own[0]}", *own[1:]]
        shown = [0, *range(len(OF_SCORES), made.each.shape[1])]
        rows = [
            [str(run.seed), *(percent(own[k]) for k in shown)] for run, own in zip(made.runs, made.each, strict=True)
        ]
        lines += ["", *table([head, *rows], right=range(len(head)))]
    return lines


def _measured(values: Any, limits: Any, sign: str) -> list[str]:
    """All measures with their intervals, the two lines side by side."""

    def cell(k: int) -> list[str]:
        low, high = limits[:, k]
        return [percent(values[k], sign), "" if np.isnan(low) else f"({percent(low, sign)} to {percent(high, sign)})"]

    first, step = len(OF_SCORES), len(OF_CUTS)
    rows = [["", "p > .5", "95 %", "threshold", "95 %"]]
    rows += [[name, *cell(first + k), *cell(first + step + k)] for k, name in enumerate(OF_LINES)]
    rows += [[name, *cell(k), "", ""] for k, name in enumerate(OF_RANKS)]
    return table(rows, right=(1, 3))


def _unsure(made: Evaluation) -> str:
    """How many mails have no verdict but that, on average over the runs."""
    shares = []
    for name, own in (("ham", ~made.spam), ("spam", made.spam)):
        if own.any():
            share = np.mean([np.mean(run.verdicts[own[run.order]] == "unsure") for run in made.runs])
            shares.append(f"{100 * share:.1f} % of the {name}")
    return f"unsure by the threshold: {', '.join(shares)}; unsure spam counts as through"


def _judge(made: Evaluation) -> list[str]:
    """What the judge of the first run has come to: its threshold's promise, and its experts."""
    own = made.runs[0].judge
    low, high = own["interval_percent"]
    kept = "shown" if own["shown"] else "not yet shown"
    experts = ", ".join(f"{each['weight']:.3f} {each['expert']}" for each in own["experts"])
    lost = f"{own['ham_above']} of {own['ham']:,} ham above it, {percent(low)} to {percent(high)} %"
    return [
        f"threshold {own['threshold']:.3g} at the end: {lost}; at most {own['target_percent']:g} %: {kept}",
        f"experts at the end: {experts}; regret {own['regret']:.2f}, at most {own['regret_bound']:.2f}",
    ]


def difference_text(made: Difference) -> list[str]:
    """Lines for people: what is more here, and on which mails the two differ."""
    value, limits = made.measured()
    lines = [f"here less {made.path}; below 0 is better here:", "", *_measured(value, limits, "+"), ""]
    for name, counts in zip(CUTS, made.moved(), strict=True):
        better, worse = ([counts[f"{kind}_{how}"] for kind in ("ham", "spam")] for how in ("better", "worse"))
        lines.append(
            f"{'by the threshold' if name else 'at p > .5'}: {sum(better):,} right here and wrong there"
            f" ({better[0]:,} ham, {better[1]:,} spam), {sum(worse):,} wrong here and right there"
            f" ({worse[0]:,} ham, {worse[1]:,} spam)"
        )
    return lines


def ablation_text(rows: Sequence[Ablation]) -> list[str]:
    """Lines for people: with all groups, then how much more it is without each."""
    head = ["", OF_RANKS[0], OF_LINES[0], f"{OF_RANKS[0]}, 5 % wrong", f"{OF_LINES[0]}, 5 % wrong"]
    numbers = [[each.values[k] for each in (row.clean, row.noisy) for k in (0, len(OF_SCORES))] for row in rows]
    lines = [["all groups", *map(percent, numbers[0])]]
    for row, own in zip(rows[1:], numbers[1:], strict=True):
        more = [percent(a - b, "+") for a, b in zip(own, numbers[0], strict=True)]
        lines.append([f"without {row.without}", *more])
    return [*as_text(rows[0].clean)[:2], "", *table([head, *lines], right=range(1, 5))]
