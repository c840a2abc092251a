"""`rosenblatt train`: labelled data → a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import Command, json_option, learner_options, option, reading, reading_options, run_options

if TYPE_CHECKING:
    from ..model import Model

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
@reading_options
@click.pass_context
def train(ctx: click.Context, data: str, output: str, before: str | None, as_json: bool, **words: Any) -> None:
    """Learn a linear classifier from the labelled rows of DATA and write it to a file.

    DATA: an svmlight or CSV file, text lines (label, TAB, text), a folder of mails (spam/ and ham/ anywhere below), or
    a tar of one; plain or compressed. "-" is standard input.
    """
