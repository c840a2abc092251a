"""`rosenblatt threshold`: where a model draws the line between two classes, chosen on labelled data."""

import os
from typing import Any

from ..errors import SettingError
from ..model.model import Model
from ..read.anything import source_like
from ..read.several import Several
from ..report.answers import choice, threshold_lines
from .command import command, option
from .options import json_option, plot_option, reading_options, threshold_options
from .output import check_writable, notes, show
from .pictures import check_picture, write_picture
from .progress import Progress
from .recipe import recipe_of
from .sources import output_errors


@command(model="MODEL", data="DATA...")
@option("Output", "-o", "--output", metavar="NEW", required=True, help="The model file to write.")
@plot_option("With --cost: draw ROC, and what each threshold costs: a .png, .svg or .pdf.")
@json_option
@threshold_options
@reading_options
def threshold(model: str, data: str, output: str, plot: str | None, as_json: bool, **words: Any) -> None:
    """Choose on DATA the score above which MODEL calls a row positive, and write the model with it.

    The rows of DATA must be labelled. A limit is kept with the stated confidence for rows to come of the same kind, if
    there are enough rows, and MODEL has not learned from them; else it is kept on these rows, and that is said. A limit
    never moves the line to where more of those mistakes are made than before: --at does.

    Example:
        rosenblatt threshold spam.model other-mails/ --max-false-positives 0.1% -o careful.model
        rosenblatt threshold spam.model other-mails/ --cost spam=1,ham=10 -o careful.model
        rosenblatt threshold spam.model other-mails/ --cost spam=1,ham=10 -o careful.model --plot costs.png
        rosenblatt threshold spam.model other-mails/ --at 0.9 -o careful.model
    """
    recipe = recipe_of(words)
    if recipe.wish.empty:
        raise SettingError("choose a threshold by --max-false-positives, --max-false-negatives, --cost or --at")
    if plot is not None and recipe["cost"] is None:
        raise SettingError("--plot draws what thresholds cost; say by {cost.name} what mistakes do", cost=None)
    check_writable(output, model, data)
    check_picture("--plot", plot, model, data, output)
    learned = Model.load(model)
    if len(learned.classes) != 2:
        raise SettingError(f"{model}: a threshold is for two classes; the model has {len(learned.classes)}")
    source = source_like(data, learned, labelled=True, **recipe.reading)
    # What the rows are called in the record that the model keeps.
    one = data != "-" and not isinstance(data, Several)
    called = os.path.basename(os.path.normpath(data)) if one else str(source.origin)
    rows: list[Any] = []
    with Progress() as progress:
        new = recipe.choose_threshold(learned, progress.reading(source), None, called, lambda *seen: rows.extend(seen))
    notes(source.notes)
    with output_errors(output):
        new.save(output)
    if plot is not None:
        write_picture(_picture(learned, rows, recipe["cost"], [f"{model} on {data}"]), plot)
    values = {**choice(new), "positive": new.classes[1], "classes": new.classes, "model": output}
    values["pictures"] = [plot] if plot else []
    show(values, threshold_lines(values, [str(label) for label in new.classes]), as_json, [output, plot])


def _picture(model: Model, rows: list[Any], cost: Any, title: list[str]) -> Any:
    """rows: their scores as learned, from which the threshold of before is taken, and their labels."""
    from ..report.pictures.margins import costs_of

    scores, labels = rows
    return costs_of(model.from_raw(scores), labels == model.classes[1], cost, model.classes, title)
