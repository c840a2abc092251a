"""`rosenblatt train`: labelled data → a model file."""

from __future__ import annotations

from typing import Any

import click

from .options import (
    Command,
    features_options,
    json_option,
    learner_options,
    option,
    reading,
    reading_options,
    run_options,
)

EXAMPLE = """\
rosenblatt train mails/ -o spam.model --keep averaged
rosenblatt train heart.svm.xz -o heart.model --scale standard --rule logistic"""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("data", metavar="DATA")
@option("Output", "-o", "--output", metavar="MODEL", required=True, help="The model file to write.")
@option("Output", "--continue", "before", metavar="MODEL", help="Go on from this model, by its own recipe, exactly.")
@json_option
@learner_options
@run_options
@features_options
@reading_options
@click.pass_context
def train(ctx: click.Context, data: str, output: str, before: str | None, as_json: bool, **words: Any) -> None:
    """Learn a linear classifier from the labelled rows of DATA and write it to a file.

    DATA: an svmlight or CSV file, text lines (label, TAB, text), a folder of mails (spam/ and ham/ anywhere below), or
    a tar of one; plain or compressed. "-" is standard input.
    """
    from pathlib import Path

    from ..errors import ModelError
    from ..train import Limits
    from . import learn
    from .output import OutputError, check_writable, notes, to_json, write_lines
    from .progress import Progress
    from .summary import summary, told

    check_writable(Path(output), data, words["order"])
    limits = Limits(words["max_iter"], words["max_updates"], words["max_time"])
    given = {name for name in words if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    with Progress() as progress:
        work = learn.Work(data, reading(words), words, given, limits, progress)
        done = learn.new(work) if before is None else learn.further(work, before)
    try:
        done.model.save(output)
    except ModelError as error:
        raise OutputError(str(error)) from None
    notes(done.notes)
    found = summary(done, output)
    write_lines([to_json(found)] if as_json else told(found))
