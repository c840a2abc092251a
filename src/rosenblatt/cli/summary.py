"""`rosenblatt summary`: what is in data, before learning from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from .options import Command, Number, json_option, option, reading, reading_options
from .sources import unlabelled_option

EXAMPLE = """\
rosenblatt summary spambase.svm.xz --columns 5"""
LISTED = 6
"""Names that are listed of columns with something odd."""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("data", metavar="IN")
@option("Output", "--columns", type=Number(int, 0, all=None), default=10, show_default=True,
        help="Columns to show, those of the widest range first.")  # fmt: skip
@json_option
@reading_options
@unlabelled_option
def summary(data: str, columns: int | None, as_json: bool, unlabelled: bool, **words: Any) -> None:
    """Say what is in IN: rows, classes, ranges of the columns, constant and duplicate ones, rows that are there twice;
    of texts and mails, words and lengths.

    Values are finite: a row with another one is refused, or with --bad skip left out and counted.
    """
    from ..report.data_summary import summarise
    from .output import notes, to_json, write_lines
    from .progress import Progress
    from .sources import as_it_is

    source: Any = as_it_is(data, reading(words), unlabelled)
    with Progress() as progress:
        found = summarise(progress.reading(source), lambda: _names(source))
    found = {"data": data, "format": source.recipe()["format"], **found, "notes": dict(source.notes)}
    if "columns" in found:
        found["columns"] = found["columns"][:columns]
    notes(source.notes)
    write_lines([to_json(found)] if as_json else _told(found))


def _names(source: Any) -> list[str] | None:
    names = source.feature_names
    if names is None and getattr(source, "base", 1) == 0:
        return _FromZero()
    return names  # type: ignore[no-any-return]


class _FromZero(list[str]):
    """Columns as a file that counts from 0 calls them."""

    def __getitem__(self, column: Any) -> Any:
        return int(column)


def _told(found: dict[str, Any]) -> Iterator[str]:
    from .output import plural, short

    size = f", {plural(found['features'], 'feature')}" if "features" in found else ""
    yield f"{found['data']}: {found['format']}, {plural(found['rows'], 'row')}{size}"
    shares = [
        f"{short(label, 20)} {count:,} ({count / found['rows']:.1%})" for label, count in found["class_rows"].items()
    ]
    more = f" and {len(shares) - 12} more" if len(shares) > 12 else ""
    yield f"classes: {', '.join(shares[:12])}{more}" if shares else "no labels"
    yield from _texts(found) if found["kind"] == "texts" else _numbers(found)
    twins = (
        f", {found['contradicting_rows']:,} of them or their twins with another label"
        if found["contradicting_rows"]
        else ""
    )
    yield f"rows that repeat an earlier one: {found['duplicate_rows']:,}{twins}"
    if found.get("columns"):
        yield from _columns(found)
    yield from (f"hint: {line}" for line in found["advice"])


def _numbers(found: dict[str, Any]) -> Iterator[str]:
    if found["min"] is None:
        yield "no columns: every row has a label only"
        return
    yield f"values: {found['min']:.6g} to {found['max']:.6g}, {found['density']:.2%} of them not zero"
    yield f"rows without values: {found['zero_rows']:,}"
    for key, what in (("empty_columns", "columns without values"), ("constant_columns", "constant columns")):
        yield f"{what}: {_listed(found[key])}"
    yield "duplicate columns: " + _listed([f"{one} = {other}" for one, other in found["duplicate_columns"]])


def _listed(names: list[Any]) -> str:
    from .output import short

    shown = ", ".join(short(str(name), 40) for name in names[:LISTED])
    more = ", ..." if len(names) > LISTED else ""
    return f"{len(names):,}" + (f" ({shown}{more})" if names else "")


def _columns(found: dict[str, Any]) -> list[str]:
    from .output import short, table

    keys = ("min", "max", "mean", "sd", "nonzero")
    rows = [[short(str(each["name"]), 30), *(f"{each[key]:.6g}" for key in keys)] for each in found["columns"]]
    return table([["column", *keys], *rows], right=range(1, 6))


def _texts(found: dict[str, Any]) -> Iterator[str]:
    from .output import short, table

    yield f"words: {found['words']:,}, different ones {found['different_words']:,}"
    if list(found["fields"]) != ["text"]:
        yield "fields: " + ", ".join(f"{name} {count:,}" for name, count in found["fields"].items())
    yield f"texts without words: {found['empty_texts']:,}"
    keys = ("min", "median", "mean", "max")
    rows = [["all", found["length"]], *found["length_of_class"].items()]
    cells = [[short(str(name), 20), *(f"{spread[key]:,.6g}" for key in keys)] for name, spread in rows[:13]]
    yield from table([["words a text", *keys], *cells], right=range(1, 5))
