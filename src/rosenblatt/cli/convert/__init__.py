"""`rosenblatt convert`: the same rows in another format, or texts and mails as numbers."""

from __future__ import annotations

from typing import Any

import click

from ...errors import SettingError
from ..command import command, given, option
from ..options import FEATURES, data_options, json_option
from ..output import check_writable, note, notes, show
from ..sources import read_twice, unlabelled_option


@command(data="IN", output="OUT")
@option("Output", "--to", metavar="FORMAT", help="svmlight, csv, tsv, parquet, arrow, npz, text.  [default: by name]")
@option(
    "Output",
    "--to-base",
    type=click.Choice(["0", "1"]),
    metavar="0|1",
    help="svmlight: the index of the first column written.  [default: 1]",
)
@option(
    "Output",
    "--numbers",
    metavar="L=N,...",
    help="svmlight: numbers for labels that are words.  [default: -1 and 1; of more than two 0, 1, 2 ...]",
)
@option("Output", "--ids", is_flag=True, help="svmlight: where each row comes from, as a comment at its end.")
@option("Output", "--names", metavar="FILE", help="Names of the columns, a line each.  [default: IN's own]")
@json_option
@option("Features", "--model", metavar="MODEL", help="The numbers that this model would see.")
@data_options
@unlabelled_option
def convert(data: str, output: str, as_json: bool, unlabelled: bool, **words: Any) -> None:
    """Write the rows of IN to OUT in the format that its name says: .svm, .csv, .tsv, .parquet, .arrow, .npz, .txt,
    also compressed (.gz, .xz, .bz2, .zst).

    Every number comes back with the same bits. Texts and mails become lines (label, TAB, text) or a table of texts;
    for svmlight and npz, or with an option of features, they become numbers just as `train` makes them, and the words
    are written to OUT.names, one for each column. "-" is standard input, or output.

    Example:
        rosenblatt convert spambase.svm.xz spambase.csv
        rosenblatt convert mails/ mails.svm.gz --model spam.model --ids
        rosenblatt convert table.csv - --to svmlight | head
    """
    from ...write import output_format
    from ..progress import Progress
    from .run import converted

    if output == "-" and as_json:
        raise SettingError("--json is printed where the data go; name a file as OUT")
    words["to"] = output_format(output, words["to"])
    if output != "-":
        check_writable(output, data, words["model"], words["names"])
    words["given"] = given(words) & set(FEATURES)
    with Progress(printing=output == "-") as progress, read_twice(data) as path:
        written = converted(path, output, words, unlabelled, progress)
    notes(written.pop("notes"))
    if output == "-":
        return
    features = f" of {written['features']:,} features" if written["features"] else ""
    show(written, [f"{written['rows']:,} rows{features} written to {output}"], as_json)
    if as_json:
        return
    if written["numbers"]:
        note("note: labels: " + ", ".join(f"{label} = {number:g}" for label, number in written["numbers"].items()))
    if written["names"]:
        note(f"note: names of the columns: {written['names']}")
