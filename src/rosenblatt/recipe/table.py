"""All words of a recipe: those of a learner, of features and of reading, and what belongs to the data at hand."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..features import parameters as features
from ..learn.settings import learner_table
from ..memory import memory_from
from ..model.thresholds import THRESHOLD
from ..optimizers import optimizer_from
from ..parameters import Parameter, ordered
from ..read import reading_table

NOT_HERE = ("shuffle", "early_stopping", "validation_fraction", "warm_start", "n_jobs")
"""Words of scikit-learn's estimators for what a recipe says by `order`, `validation` and `fit_more`."""

VALIDATION = Parameter(
    "validation", None, object, metavar="SHARE|FILE", section="Run", after="tol",
    help="Learn from the other rows only, and stop when these get no better; the best epoch answers.",
    meaning="A share of the rows, or labelled rows of one's own (data as of fit, or (X, y)), to stop early by: after"
            " `n_iter_no_change` epochs without a better accuracy (or `scoring`) on them. The best epoch answers.",
    takes="float in (0, 1), data or None", shown="",
)  # fmt: skip
ORDER = Parameter(
    "order", "shuffled", object, metavar="ORDER", section="Run", after="random_state",
    help="shuffled (anew each epoch), given, or a FILE of row numbers, from 1.",
    meaning='"shuffled": anew each epoch; "given": as they come; a file of row numbers, counted from 1, a line each; or'
            " an array of them, counted from 0: what each epoch goes through.",
    takes='"shuffled", "given", path or array',
)  # fmt: skip
START = Parameter(
    "start", None, object, metavar="MODEL|random:S", section="Output", shown="", words={"none": None},
    help="Begin anew, with this model's weights and features; random:S: with weights from N(0, S^2), by the seed.",
    meaning="A model, or the path of one, whose weights and features a new one begins with; or `random:S`: weights from"
            " N(0, S²), S > 0, drawn by `random_state`, and biases 0. None: all weights are 0.",
    takes="Model, path, random:S or None",
)  # fmt: skip


@lru_cache(maxsize=1)
def recipe_table() -> dict[str, Parameter]:
    """name → entry of every word, in the order of the documentation."""
    learner = [each for each in learner_table().values() if each.name not in NOT_HERE]
    own = ordered(learner, [VALIDATION, ORDER])
    reading = {name: each for name, each in reading_table().items() if name not in own}
    return own | {each.name: each for each in [*THRESHOLD, START, *features.FEATURES]} | reading


def without_effect(words: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The words that have no effect beside the others, and what each needs: {word: value, or None for any}. To ignore
    one would hide a slip."""
    table = recipe_table()

    def said(name: str) -> Any:
        return words.get(name, table[name].default)

    limits = ("max_false_positives", "max_false_negatives")
    needs: dict[str, dict[str, Any]] = {}
    if said("validation") is None and not memory_from(str(said("keep"))).needs_measure:
        needs["scoring"] = {"keep": "pocket", "validation": None}
    if said("kernel") is None:
        needs["budget"] = {"kernel": None}
    for name, entry in table.items():
        if entry.needs is not None and str(said(entry.needs[0])).partition(":")[0] != str(entry.needs[1]):
            needs[name] = dict([entry.needs])
    if said("kernel") is None:
        needs["virtual"] = {"kernel": None}
    if optimizer_from(said("optimizer")).picks:
        needs["max_iter"] = {"optimizer": "online", "": "another that goes through all rows; a pick is an update"}
    if all(said(name) is None for name in limits):
        needs["confidence"] = dict.fromkeys(limits)
    if all(said(name) is None for name in (*limits, "cost", "at", "calibrate")):
        needs["calibrate_folds"] = {"calibrate": None, "": "a threshold's option"}
    return {name: needs[name] for name in needs if name in words and not is_default(name, words[name])}


def is_default(name: str, value: Any) -> bool:
    """Whether a word says what is so in any case, which hides nothing."""
    default = recipe_table()[name].default
    return value is default or (type(value) is type(default) and bool(value == default))
