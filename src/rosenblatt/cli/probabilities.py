"""Probabilities and thresholds on the command line: the options, what follows learning, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .command import Share, flag, option, together

if TYPE_CHECKING:
    from ..core.rows import Array
    from ..model.model import Model
    from ..recipe.thresholds import Wish
    from .learn import Done

KINDS = {"max_false_positives": (1, 0), "max_false_negatives": (0, 1)}
"""A limit → the classes (numbers) that such a mistake says, and whose rows it is made on."""


threshold_options = together([
    option("Threshold", "--max-false-positives", type=Share(), metavar="SHARE",
           help="The most negative rows to call positive, as 0.1%.  [default: none]"),
    option("Threshold", "--max-false-negatives", type=Share(), metavar="SHARE",
           help="The most positive rows to call negative.  [default: none]"),
    option("Threshold", "--cost", metavar="COSTS",
           help="LABEL=COST,...: what a mistake on a row of each class costs; the least sum.  [default: none]"),
    option("Threshold", "--confidence", type=Share(), metavar="SHARE", default=0.95,
           help="With which a limit holds for rows to come; 0: for the rows at hand only.  [default: 95%]"),
])  # fmt: skip
THRESHOLD = ("max_false_positives", "max_false_negatives", "cost")


class Plan(NamedTuple):
    """What is to follow learning. how: (kind, folds), or None. folds: also for a threshold alone."""

    how: tuple[str, int] | None
    wish: Wish
    folds: int


def plan(words: dict[str, Any], given: set[str]) -> Plan:
    """What was asked for; SettingError before anything is read where it does not fit together."""
    from ..errors import SettingError
    from ..recipe.cross_scores import way

    wish = wish_of(words, given)
    if "calibrate_folds" in given and words["calibrate"] is None and wish.empty:
        raise SettingError("--calibrate-folds has an effect only with --calibrate or a threshold's option")
    folds = words["calibrate_folds"]
    return Plan(way(words["calibrate"], folds), wish, folds)


def wish_of(words: dict[str, Any], given: set[str]) -> Wish:
    """What a threshold is to be chosen by; empty where no option was given."""
    from ..errors import SettingError
    from ..recipe.thresholds import Wish

    asked = [name for name in THRESHOLD if words[name] is not None]
    if len(asked) > 1:
        raise SettingError(f"{flag(asked[0])} and {flag(asked[1])}: a threshold is chosen by one of them")
    if "confidence" in given and (not asked or asked == ["cost"]):
        raise SettingError("--confidence has an effect only with --max-false-positives or --max-false-negatives")
    cost = None if words["cost"] is None else _costs(words["cost"])
    wish = Wish(words["max_false_positives"], words["max_false_negatives"], cost, words["confidence"])
    if asked:
        wish.check()
    return wish


def _costs(text: str) -> dict[str, float]:
    from ..errors import SettingError
    from ..read.columns import is_number

    out = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        if not equals or not is_number(number):
            raise SettingError(f"--cost {text}: {part!r} is not of the form LABEL=COST, as spam=1,ham=10")
        out[name] = float(number)
    return out


def answering(done: Done, asked: Plan) -> tuple[Model, dict[str, Any]]:
    """(model, what is told of it): calibrated and with a threshold, from scores of held-out folds.

    A model that went on learning repeats what was made for its old scores, unless something else is asked for; a
    threshold that was chosen on other rows is left out, with a note.
    """
    from ..data.checks import combined_weight
    from ..data.labels import class_numbers
    from ..recipe.cross_scores import curves, held_out_scores, too_few
    from ..recipe.thresholds import chosen
    from .data import naming
    from .output import note

    asked = _as_before(done, asked)
    if asked.how is None and asked.wish.empty:
        return done.model, {}
    model, y, found = done.model, done.y, {}
    with naming(done.origin):
        scores = held_out_scores(model, done.rows, y, done.task, asked.folds)
        if asked.how is not None:
            if told := too_few(y, model.classes):
                note(f"note: {told}")
            weight = combined_weight(y, model.classes, done.task.class_weight, None)
            model = replace(model, calibration=curves(model, asked.how, scores, y, weight))
            found["calibration"] = _measured(model, scores, class_numbers(y, model.classes))
        if not asked.wish.empty:
            model = _by_folds(chosen(model, scores, y, asked.wish, HELD_OUT))
            found["threshold"] = choice(model)
    return model, found


def _by_folds(model: Model) -> Model:
    """Other models scored these rows: what is promised of the folds is not promised of this model."""
    made = model.choice or {}
    if "promised" in made:
        made = {**made, "promised": False, "promised_by_folds": made["promised"]}
    return replace(model, choice=made)


HELD_OUT = "held-out folds"
"""Scored by the folds' models, not by the one that is kept. How often that one kept a limit of 5 % on rows to come,
chosen so on 1,000 rows (8 normal columns, a quarter of the labels turned by noise) with confidence 95 %: averaged 59 of
60 times, voted 14 of 15, pocket 50 of 60, last 39 of 60."""


def _as_before(done: Done, asked: Plan) -> Plan:
    """What a model that goes on had, where nothing else is asked for."""
    from ..recipe.thresholds import Wish
    from .output import note

    before = done.before
    if before is None:
        return asked
    if asked.how is None and before.calibration is not None:
        asked = asked._replace(how=(before.calibration.kind, before.calibration.folds), folds=before.calibration.folds)
    if asked.wish.empty and before.choice is not None:
        made = before.choice
        if made["rows"] == HELD_OUT:
            value = made["cost"] if made["by"] == "cost" else made["limit"]
            return asked._replace(wish=Wish(**{made["by"]: value, "confidence": made["confidence"]}))
        note("note: the threshold was chosen for the scores before, on other rows; choose it again with threshold")
    return asked


def _measured(model: Model, scores: Array, truth: Array) -> dict[str, Any]:
    """The calibration, and how good its probabilities are on the rows that it was fitted to."""
    from ..report.metrics import probability_metrics

    made = model.calibration
    assert made is not None
    logs = replace(model, threshold=None).log_probabilities(replace(model, threshold=None).from_raw(scores))
    return {"kind": made.kind, "folds": made.folds, "rows": made.rows, **probability_metrics(logs, truth)}


def choice(model: Model) -> dict[str, Any]:
    """The record of a chosen threshold, with the shares of mistakes and their exact 95 % intervals."""
    from ..recipe.thresholds import exact_interval

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
