"""`rosenblatt doctor`: why a learner does not converge on data, and what helps."""

from typing import Any

import click

from ..data.labels import tidy
from ..doctor import Plan, diagnose
from ..errors import SettingError, naming
from ..features.pipeline import SCALE
from ..learn.settings import WORDS
from ..recipe.recipe import Recipe
from .command import as_written, command, given, in_shell
from .options import data_options, json_option, learner_options, like, only_option
from .output import notes, show
from .problem import read, wanted
from .progress import Progress

SIDES = ("only", "positive", "fit_intercept")
"""Options that say what is held against what."""


@command(data="DATA...")
@json_option
@like("max_iter", "Trials", "The most passes over the data of each run.")
@like("max_updates", "Trials", "The most updates of each run.")
@like("max_time", "Trials", "The most seconds of everything that is proven and tried.", default=60.0, words={})
@like("calibrate_folds", "Trials", "Parts for the errors on held-out rows.", name="folds", option="--folds")
@like("random_state", "Trials", "Of orders and folds.")
@only_option("Trials")
@learner_options
@data_options
def doctor(data: str, as_json: bool, **words: Any) -> None:
    """Say why a learner does not converge on the labelled rows of DATA, and what helps.

    The learner is the one that `train` with the same options would learn. Whether a hyperplane without an error exists
    is proven; each treatment is tried, on all rows and on held-out ones.

    Example:
        rosenblatt doctor sonar.svm.xz
        rosenblatt doctor table.csv --rule margin --scale standard --max-time 20
    """
    if "scoring" in given(words):
        raise SettingError("--scoring: the doctor counts errors; `compare` sorts by a scorer")
    asked = wanted(words, None)
    if (virtual := asked.recipe["virtual"]) is not None:
        text = "{virtual:s}: what is proven and tried here is of the rows as they are; leave it out"
        raise SettingError(text, virtual=str(virtual))
    with Progress() as progress:
        rows = read(data, asked, progress)
        y = tidy(rows.y)
        with naming(rows.origin):
            diagnosis = diagnose(rows.rows.given, y, _plan(rows, y, asked.recipe, words), progress.runs())
    if rows.problems[0].numbers is not None:
        rows.notes["rows are counted without those that are left out"] = 0
    notes(rows.notes)
    page = diagnosis.page(data, _reading() + _scaled(rows, asked), in_shell)
    show({"data": data, **diagnosis.as_dict(first=1)}, page, as_json)


def _reading() -> str:
    """The options that were given of those that say which rows there are, and in which features; texts are scaled."""
    params = click.get_current_context().command.params
    here = [str(p.name) for p in params if getattr(p, "section", "") in ("Reading", "Features") or p.name in SIDES]
    return "".join(f" {part}" for part in as_written(here))


def _scaled(rows: Any, asked: Any) -> str:
    """How texts are scaled where nothing was asked for: the other commands of proof take values as they are."""
    return f" --scale {SCALE[rows.kind]}" if asked.recipe.features.scale is None and rows.kind == "documents" else ""


def _plan(rows: Any, y: Any, recipe: Recipe, words: dict[str, Any]) -> Any:
    """What is asked, in the terms of `rosenblatt.doctor`."""
    asked = {name: words[name] for name in ("max_updates", "max_time", "folds", "positive", "degree")}
    asked |= {"scale": recipe.features.scale or SCALE[rows.kind], "texts": rows.kind == "documents"}
    learner = {name: value for name, value in recipe.words.items() if name in WORDS}
    weight, names = recipe.class_weight(y), rows.problems[0].names
    return Plan(learner, words["max_iter"], class_weight=weight, names=names, **asked)
