"""What may help: a change of the learner, of the scaling, or of the features, in the words of a recipe."""

from typing import Any

from ..core.rows import Rows
from ..recipe.recipe import Recipe

MOST = 30_000_000
"""Numbers that products of columns may come to: 0.25 GB, an epoch of some 0.05 s."""
ALONE, PASSIVE = "one-vs-rest", "passive-aggressive"


def treatments(
    recipe: Recipe, rows: Rows, classes: int, numbers: bool, scale: str, longer: bool
) -> dict[str, dict[str, Any]]:
    """What it is called → the words that change: what is worth a try, the smaller changes first, without those that
    change nothing.

    numbers: rows of numbers without products, which can be scaled and multiplied. scale: how they are scaled already.
    longer: also without end.
    """
    settings = recipe.settings
    own, together = settings.words(), hasattr(settings.rule, "steps")
    rule, scaled = own["rule"], "standard" in scale
    apart = classes > 2 and settings.multi_class == ALONE
    alone = {} if settings.multi_class == ALONE or together else {"multi_class": ALONE}
    mean, best = {"keep": "averaged"}, {"keep": "pocket"}
    averaged, square = mean.items() <= own.items(), numbers and _products(rows) <= MOST
    spread = {} if scaled else {"scale": _further(scale, "standard")}
    worth: dict[str, tuple[bool, dict[str, Any]]] = {
        "as it is": (True, {}),
        "the same, until it is finished": (longer, {"max_iter": None}),
        "columns of equal spread": (numbers and not scaled, spread),
        "rows of equal length": (numbers and "unit" not in scale, {"scale": _further(scale, "unit")}),
        "also learn from narrow escapes": (not rule.startswith("margin"), {"rule": "margin", **alone}),
        "steps as long as needed": (not rule.startswith(PASSIVE), {"rule": PASSIVE, **alone}),
        "learn the classes together": (apart and rule == "perceptron", {"multi_class": "multi-class-perceptron"}),
        "the mean of all weights": (not averaged, mean),
        "the best weights on the way": (not best.items() <= own.items(), best),
        "curved borders": (square, {"degree": 2}),
        "equal spread, mean of weights": (numbers and not averaged and not scaled, {**spread, **mean}),
        "both, and curved borders": (square and not averaged, {**spread, "degree": 2, **mean}),
    }
    return {what: words for what, (worthwhile, words) in worth.items() if worthwhile}


def _further(scale: str, step: str) -> str:
    return step if scale == "none" else f"{scale}+{step}"


def _products(rows: Rows) -> float:
    d = rows.size / max(rows.n, 1)
    return max(rows.n * d * (d + 3.0) / 2.0, rows.width * (rows.width + 3.0) / 2.0)
