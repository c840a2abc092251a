"""Probabilities and thresholds on the command line: what follows learning, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model.model import Model

KINDS = {"max_false_positives": (1, 0), "max_false_negatives": (0, 1)}
"""A limit → the classes (numbers) that such a mistake says, and whose rows it is made on."""


def choice(model: Model) -> dict[str, Any]:
    """The record of a chosen threshold, with the shares of mistakes and their exact 95 % intervals."""
    from ..model.thresholds import exact_interval

    made = model.choice or {}
    shares: dict[str, Any] = {}
    for kind, of in (("false_positives", "negatives"), ("false_negatives", "positives")):
        if made:
            shares[f"{kind}_rate"] = made[kind] / made[of]
            shares[f"{kind}_interval"] = exact_interval(made[kind], made[of])
    return {"value": model.cut, **made, **shares}


def told_calibration(found: dict[str, Any]) -> str:
    text = f"probabilities: {found['kind']}, from {found['rows']:,} rows in {found['folds']} held-out folds"
    if "log_loss" in found:
        text += f": log-loss {found['log_loss']:.4f}, Brier {found['brier']:.4f} there"
    return text


def told_threshold(found: dict[str, Any], classes: list[str]) -> Iterator[str]:
    """The record for people."""
    from ..model.thresholds import HELD_OUT
    from ..report.words import table

    yield f"threshold {found['value']:.6g}: {classes[1]} above it; chosen on {found['rows']}, where"
    lines = []
    for kind, k, total in (("false_positives", 0, "negatives"), ("false_negatives", 1, "positives")):
        low, high = found[f"{kind}_interval"]
        shares = f"{found[f'{kind}_rate']:.3%}, 95 % interval {low:.3%} to {high:.3%}"
        lines.append(["", f"{classes[k]} called {classes[1 - k]}", f"{found[kind]:,}", f"of {found[total]:,}", shares])
    yield from table(lines, right=(2, 3))
    yield from _promise(found, classes)
    if found["rows"] == HELD_OUT:
        yield "models of folds scored these rows, so all of this is near, not exact, least with --keep last or pocket;"
        yield "evaluate it on other rows, or choose there, with `rosenblatt threshold`"
    else:
        yield "the intervals are a little too good, for rows that chose the threshold; evaluate it on others"


def _promise(found: dict[str, Any], classes: list[str]) -> Iterator[str]:
    """What is known of rows to come."""
    from ..model.thresholds import HELD_OUT

    if found["by"] == "cost":
        cost = found["cost"]
        total = found["false_positives"] * cost[classes[0]] + found["false_negatives"] * cost[classes[1]]
        costs = ", ".join(f"{name} {cost[name]:g}" for name in classes)
        yield f"the least cost of mistakes there: {total:g} ({costs})"
        return
    said, own = KINDS[found["by"]]
    limit = f"limit: at most {100 * found['limit']:.6g} % of {classes[own]} called {classes[said]}"
    sure, n = f"{100 * found['confidence']:.6g} % confidence", found["negatives" if own == 0 else "positives"]
    if found["promised"] or found.get("promised_by_folds"):
        if_so = ", if the model scores them as those of the folds would" if found["rows"] == HELD_OUT else ""
        yield f"{limit}: holds for rows to come, with {sure}{if_so}"
    elif found["rows_needed"] is None:
        yield f"{limit}: on these rows; nothing is promised for rows to come"
    else:
        yield (
            f"{limit}: kept on these rows, NOT promised for rows to come: with {sure} that takes "
            f"{found['rows_needed']:,} rows of {classes[own]} without a mistake, and here are {n:,}"
        )
