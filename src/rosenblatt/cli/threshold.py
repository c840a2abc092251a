"""`rosenblatt threshold`: where a model draws the line between two classes, chosen on labelled data."""

from __future__ import annotations

from typing import Any

import click

from .options import Command, json_option, option, reading_options
from .probabilities import threshold_options

EXAMPLE = """\
rosenblatt threshold spam.model other-mails/ --max-false-positives 0.1% -o careful.model
rosenblatt threshold spam.model other-mails/ --cost spam=1,ham=10 -o careful.model"""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@option("Output", "-o", "--output", metavar="NEW", required=True, help="The model file to write.")
@json_option
@threshold_options
@reading_options
def threshold(model: str, data: str, output: str, as_json: bool, **words: Any) -> None:
    """Choose on DATA the score above which MODEL calls a row positive, and write the model with it.

    The rows of DATA must be labelled, and better not those that MODEL has learned from. A limit is kept with the stated
    confidence for rows to come, if there are enough rows; if there are not, it is kept on these rows, and that is said.
    """
    from pathlib import Path

    from ..errors import SettingError
    from ..model.model import Model
    from ..read.anything import source_like
    from .output import check_writable, notes, to_json, write_lines
    from .probabilities import choice, told_threshold
    from .progress import Progress
    from .recipe import recipe_of
    from .sources import output_errors

    recipe = recipe_of(words)
    if recipe.wish.empty:
        raise SettingError("choose a threshold by --max-false-positives, --max-false-negatives or --cost")
    check_writable(Path(output), model, data)
    learned = Model.load(model)
    if len(learned.classes) != 2:
        raise SettingError(f"{model}: a threshold is for two classes; the model has {len(learned.classes)}")
    source = source_like(data, learned, labelled=True, **recipe.reading)
    with Progress() as progress:
        new = recipe.choose_threshold(learned, progress.reading(source), called=_called(data))
    notes(source.notes)
    with output_errors(output):
        new.save(output)
    found = {**choice(new), "before": learned.cut, "classes": new.classes, "model": output}
    told = [*told_threshold(found, [str(label) for label in new.classes]), f"wrote {output}"]
    write_lines([to_json(found)] if as_json else told)


def _called(data: str) -> str:
    """What the rows are called in the record that the model keeps."""
    import os

    return "standard input" if data == "-" else os.path.basename(os.path.normpath(data))
