"""`rosenblatt summary`: what is in data, before learning from them."""

from collections.abc import Iterator
from typing import Any

from ..doctor.summary import COLUMN, summarise
from ..report.advice import of_data
from ..report.words import listed, plural, short, table
from .command import Number, command, option
from .options import json_option, reading, reading_options
from .output import notes, show
from .progress import Progress
from .sources import as_it_is, unlabelled_option

LISTED = 6
"""Names that are listed of columns with something odd."""


@command(data="IN...")
@option("Output", "--columns", type=Number(int, 0, all=None), default=10, show_default=True,
        help="Columns to show, those of the widest range first.")  # fmt: skip
@json_option
@reading_options
@unlabelled_option
def summary(data: str, columns: int | None, as_json: bool, unlabelled: bool, **words: Any) -> None:
    """Say what is in IN: rows, classes, ranges of the columns, constant and duplicate ones, rows that are there twice;
    of texts and mails, words and lengths.

    Values are finite: a row with another one is refused, or with --bad skip left out and counted.

    Example:
        rosenblatt summary spambase.svm.xz --columns 5
    """
    source: Any = as_it_is(data, reading(words), unlabelled)
    with Progress() as progress:
        values = summarise(progress.reading(source), lambda: _names(source))
    values = {
        "data": data,
        "format": source.recipe()["format"],
        **values,
        "advice": of_data(values),
        "notes": dict(source.notes),
    }
    if "columns" in values:
        values["columns"] = values["columns"][:columns]
    notes(source.notes)
    show(values, _text(values), as_json)


def _names(source: Any) -> Any:
    """What the columns are called, by number; None: they are counted from 1."""
    names = getattr(source, "feature_names", None)
    return range(1 << 62) if names is None and getattr(source, "base", 1) == 0 else names


def _text(values: dict[str, Any]) -> Iterator[str]:
    size = f", {plural(values['features'], 'feature')}" if "features" in values else ""
    yield f"{values['data']}: {values['format']}, {plural(values['rows'], 'row')}{size}"
    shares = [f"{short(label, 20)} {n:,} ({n / values['rows']:.1%})" for label, n in values["class_rows"].items()]
    yield f"classes: {listed(shares, 12)}" if shares else "no labels"
    yield from _texts(values) if values["kind"] == "texts" else _numbers(values)
    odd = values["contradicting_rows"]
    twins = f", {odd:,} of them or their twins with another label" if odd else ""
    yield f"rows that repeat an earlier one: {values['duplicate_rows']:,}{twins}"
    if values.get("columns"):
        yield from _columns(values)
    yield from (f"hint: {line}" for line in values["advice"])


def _numbers(values: dict[str, Any]) -> Iterator[str]:
    if values["min"] is None:
        yield "no columns: every row has a label only"
        return
    yield f"values: {values['min']:.6g} to {values['max']:.6g}, {values['density']:.2%} of them not zero"
    yield f"rows without values: {values['zero_rows']:,}"
    yield f"columns without values: {_counted(values['empty_columns'], values['empty'])}"
    yield f"constant columns: {_counted(values['constant_columns'])}"
    yield "duplicate columns: " + _counted([f"{one} = {other}" for one, other in values["duplicate_columns"]])


def _counted(names: list[Any], count: int | None = None) -> str:
    """How many, and the first names. count: of more than are named."""
    shown = listed([short(name, 40) for name in names[: LISTED + 1]], LISTED, ", ...")
    return f"{len(names) if count is None else count:,}" + (f" ({shown})" if names else "")


def _columns(values: dict[str, Any]) -> list[str]:
    rows = [[short(each["name"], 30), *(f"{each[key]:.6g}" for key in COLUMN[1:])] for each in values["columns"]]
    return table([["column", *COLUMN[1:]], *rows], right=range(1, 6))


def _texts(values: dict[str, Any]) -> Iterator[str]:
    yield f"words: {values['words']:,}, different ones {values['different_words']:,}"
    if list(values["fields"]) != ["text"]:
        yield "fields: " + ", ".join(f"{name} {count:,}" for name, count in values["fields"].items())
    yield f"texts without words: {values['empty_texts']:,}"
    rows = [["all", values["length"]], *values["length_of_class"].items()]
    cells = [[short(name, 20), *(f"{length:,.6g}" for length in spread.values())] for name, spread in rows[:13]]
    yield from table([["words a text", *values["length"]], *cells], right=range(1, 5))
