"""What is said of a model's weights, of its probabilities and of its threshold."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model.model import Model
from ..model.thresholds import HELD_OUT, MOSTLY, exact_interval
from .words import plural, table

A_FEW = 0.1
"""The share of rows that the model has learned from, from which on it is said."""
KINDS = {"max_false_positives": (1, 0), "max_false_negatives": (0, 1)}
"""A limit → the classes (numbers) that such a mistake says, and whose rows it is made on."""


def choice(model: Model) -> dict[str, Any]:
    """The record of a chosen threshold, with the shares of mistakes and their exact 95 % intervals."""
    made = model.choice or {}
    shares: dict[str, Any] = {}
    for kind, of in (("false_positives", "negatives"), ("false_negatives", "positives")):
        if made:
            shares[f"{kind}_rate"] = made[kind] / made[of]
            shares[f"{kind}_interval"] = exact_interval(made[kind], made[of])
    return {"value": model.cut, **made, **shares}


def nonzeros(model: Model) -> dict[str, int]:
    """How many weights there are, of all classes together, and how many are not 0."""
    w = model.weights[0]
    return {"weights": w.size, "nonzero_weights": int(np.count_nonzero(w))}


def dimensions(model: Model) -> dict[str, int]:
    """The features of the data, and in a kernel's space the support vectors."""
    if model.run.settings.kernel is None:
        return {"features": model.width}
    return {"features": model.given_width, "support_vectors": model.width}


def dimensions_text(record: dict[str, Any]) -> str:
    """The same for people."""
    counted = {"features": "feature", "support_vectors": "support vector"}
    return ", ".join(plural(record[name], what) for name, what in counted.items() if name in record)


def nonzeros_text(record: dict[str, Any]) -> str:
    """The same for people."""
    count, total = record["nonzero_weights"], record["weights"]
    return f"weights: {count:,} of {total:,} are not zero ({count / max(total, 1):.1%})"


def calibration_text(record: dict[str, Any]) -> str:
    """Where the probabilities come from, and how good they are there."""
    text = f"probabilities: {record['kind']}, from {record['rows']:,} rows in {record['folds']} held-out folds"
    if "log_loss" in record:
        text += f": log-loss {record['log_loss']:.4f}, Brier {record['brier']:.4f} there"
    return text + ("; of rows weighted by class, not of the data as they are" if "weighted_by_class" in record else "")


def called(classes: list[str], k: int, wrong: int, total: int) -> list[str]:
    """`ham called spam  3  of 120`, in cells: the rows of class k of two that are wrong."""
    return ["", f"{classes[k]} called {classes[1 - k]}", f"{wrong:,}", f"of {total:,}"]


def threshold_lines(record: dict[str, Any], classes: list[str]) -> Iterator[str]:
    """The record for people."""
    before = f" (before {record['before']:.6g})" if "before" in record else ""
    yield f"threshold {record['value']:.6g}{before}: {classes[1]}, the positive class, above it"
    kept = ", before the model went on" if record.get("kept") else ""
    yield f"chosen on {record['rows']}{kept}, where"
    lines = []
    for kind, k, total in (("false_positives", 0, "negatives"), ("false_negatives", 1, "positives")):
        low, high = record[f"{kind}_interval"]
        there = [f"(before {record[f'{kind}_before']:,})"] if before else []
        shares = f"{record[f'{kind}_rate']:.3%}, 95 % interval {low:.3%} to {high:.3%}"
        lines.append([*called(classes, k, record[kind], record[total]), *there, shares])
    yield from table(lines, right=(2, 3))
    yield from _promise(record, classes)
    known = record.get("known", 0.0)
    if kept:
        yield "the model has learned more since then: choose it again with `rosenblatt threshold`"
    elif known >= A_FEW:
        much = "too good; choose on others" if known >= MOSTLY else "a little too good"
        share = "these" if known == 1.0 else f"about {known:.0%} of these"
        yield f"the model has learned from {share} rows: all of this is {much}"
    elif record["rows"] == HELD_OUT:
        yield "models of folds scored these rows, so all of this is near, not exact, least with --keep last or pocket;"
        yield "evaluate it on other rows, or choose there, with `rosenblatt threshold`"
    else:
        yield "the intervals are a little too good, for rows that chose the threshold; evaluate it on others"


def _promise(record: dict[str, Any], classes: list[str]) -> Iterator[str]:
    """What is known of rows to come."""
    if record["by"] == "cost":
        cost = record["cost"]
        total = record["false_positives"] * cost[classes[0]] + record["false_negatives"] * cost[classes[1]]
        costs = ", ".join(f"{name} {cost[name]:g}" for name in classes)
        yield f"the least cost of mistakes there: {total:g} ({costs})"
        return
    if record["by"] == "at":
        return
    said, own = KINDS[record["by"]]
    limit = f"limit: at most {100 * record['limit']:.6g} % of {classes[own]} called {classes[said]}"
    sure, n = f"{100 * record['confidence']:.6g} % confidence", record["negatives" if own == 0 else "positives"]
    if "allows" in record:
        more = f"more {classes[own]} may be called {classes[said]} there"
        yield f"the line stays; the limit would allow --at {record['allows']:.6g}, but {more}"
    if record.get("kept"):
        yield f"{limit}: kept there, NOT promised for the model as it is now"
    elif record["promised"] or record.get("promised_by_folds"):
        and_if = "the model has not learned from these"
        if record["rows"] == HELD_OUT:
            and_if = "the model scores them as those of the folds would"
        yield f"{limit}: holds for rows to come, with {sure}, if they are of the same kind, and {and_if}"
    elif record.get("known", 0.0) >= MOSTLY and record["confidence"] > 0.0:
        yield f"{limit}: kept on these rows, NOT promised for rows to come: the model knew these"
    elif record["rows_needed"] is None:
        yield f"{limit}: on these rows; nothing is promised for rows to come"
    else:
        yield (
            f"{limit}: kept on these rows, NOT promised for rows to come: with {sure} that takes "
            f"{record['rows_needed']:,} rows of {classes[own]} without a mistake, and here are {n:,}"
        )
