"""`rosenblatt trace`: learns as `train` does, and writes each update of the run to a file in the place of a model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..errors import DataError, SettingError
from ..recipe.table import START
from ..recipe.training import Learned
from ..report.answers import dimensions, dimensions_text
from ..report.words import class_counts, plural, series
from ..trace import Record
from ..trace.observer import KEPT_NUMBERS
from .command import Number, command, in_shell, option, option_of, switch
from .drawing import Drawing, learning_options
from .options import json_option, recipe_options
from .output import notes, show
from .progress import Progress
from .recipe import noted
from .recording import check_run, error_text, learner_text, numbered_text, recorder, training_error, write_record
from .train import asked_recipe, first_model, learned

NOWHERE = "nothing was written: -o RUN writes the run, --html PAGE plays it, --tell says each update"
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@command(data="DATA...")
@option("Output", "-o", "--output", metavar="RUN", help="The file of the run to write; .gz, .xz and .zst are packed.")
@option("Output", "--continue", "before", metavar="MODEL", help="Go on from this model, by its own recipe, exactly.")
@option_of(START)
@option("Output", "--weights", type=Number(int, 0), default=KEPT_NUMBERS, metavar="N",
        help="Keep so many numbers of weights, of a long run those after each second, fourth … update.  "
             "[default: 1,048,576, 8 MB]")  # fmt: skip
@switch("Output", "--errors", "Count the training errors of the weights that are kept, too.")
@learning_options
@json_option
@recipe_options
def trace(data: str, output: str | None, before: str | None, start: str | None, as_json: bool, **words: Any) -> None:
    """Learn from DATA as `train` does, and record each update: its rows, scores before and after, steps, weights.

    RUN has one line of JSON for each update and each epoch. Of long runs and wide rows the arrays lie beside it, in
    RUN.safetensors. `rosenblatt replay` runs it again. No model is written.

    Example:
        rosenblatt trace points.csv -o run.jsonl --order given
        rosenblatt trace heart.svm.xz -o run.jsonl --rule logistic --epochs 5
        rosenblatt trace points.csv --order given --tell
        rosenblatt trace points.csv --plot updates.png --film run.gif --html run.html
        rosenblatt trace points.csv --plot orders.png --picture orders
        rosenblatt replay run.jsonl --verify
    """
    if before is not None and start is not None:
        raise SettingError("--continue goes on with a model and --start begins a new one; choose one of them")
    drawing, budget = Drawing.of(words), (words.pop("weights"), words.pop("errors"))
    read = (data, before, start, words["order"], words["validation"])
    check_run(output, *read)
    drawing.check(output, *read)
    recipe, record = asked_recipe(words, before, start), recorder(data, *budget)
    again = drawing.again(recipe, before)
    first = first_model(before, start)
    drawing.check_kept(recipe.settings if before is None or first is None else first.run.settings)
    watching = [record, *([] if again is None else again.observers)]
    with Progress() as progress, noted():
        trained = learned(recipe, data, first, before is not None, progress, watching)
        progress.end()
        many = None if again is None else partial(again.figure, trained, data, progress)
        written = write_record(record, output)  # first: a picture that cannot be drawn is no reason to lose the run
        try:
            drawing.draw(record.record, data, many)
        except DataError as error:
            raise error.within("" if output is None else f"{output} is written, and then: ") from None
    notes(trained.notes)
    nowhere = output is None and not drawing.files and not drawing.tell
    values, own = _values(trained, record.record, written), record.record
    lines = chain(drawing.told(own), _text(values, own), [NOWHERE] * nowhere)
    show(lambda: values | drawing.values(own), lines, as_json, [*written["files"], *drawing.files])


def _values(trained: Learned, record: Record, written: dict[str, Any]) -> dict[str, Any]:
    """The run as `--json` prints it."""
    model, settings = trained.model, record.settings
    return {
        "rows": trained.rows.n,
        **dimensions(model),
        "classes": model.classes,
        "positive": model.classes[1] if len(model.classes) == 2 else None,
        "class_rows": {str(label): int(np.count_nonzero(trained.y == label)) for label in model.classes},
        "learner": settings.learner,
        "keep": settings.keep,
        "optimizer": settings.optimizer.name,
        "epochs": len(record.epochs),
        "mistakes_per_epoch": [epoch["mistakes"] for epoch in record.epochs],
        "mistakes": record.mistakes,
        **{name: written[name] for name in ("updates", "entries", "files", "bytes")},
        "training_error": training_error(record),
        "stop_reason": trained.model.run.stop_reason,
        "notes": trained.notes,
    }


def _text(values: dict[str, Any], record: Record) -> Iterator[str]:
    """The same for people."""
    classes = class_counts(values["class_rows"], 10)
    classes += f"; positive: {values['positive']}" if values["positive"] is not None else ""
    yield f"{plural(values['rows'], 'row')} ({classes}), {dimensions_text(values)}"
    counts = ", ".join(plural(values[name], name[:-1]) for name in ("updates", "mistakes", "epochs"))
    yield f"{learner_text(record.settings)}: {counts}"
    if values["mistakes_per_epoch"]:
        yield f"mistakes per epoch: {series(values['mistakes_per_epoch'])}"
    yield from numbered_text(record)
    if error := values["training_error"]:
        yield error_text(error)
    yield f"stopped: {in_shell(values['stop_reason'])}"
    if values["files"]:
        yield f"recorded: {size_text(values['bytes'])}"


def size_text(count: int) -> str:
    """`12.3 kB`."""
    for factor, unit in UNITS:
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return plural(count, "byte")
