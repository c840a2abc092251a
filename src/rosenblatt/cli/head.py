"""`rosenblatt head`: the first rows of data, as they are read."""

from collections.abc import Iterator
from typing import Any

from ..data.batch import Batch
from ..report.words import short, table
from ..write.digits import shortest
from .command import Number, command, option
from .options import json_option, reading, reading_options
from .output import notes, to_json, write_lines
from .sources import first_rows, unlabelled_option

WIDEST = 12
"""Columns up to which rows are shown as a table."""
MOST = 8
"""Values shown of a row with more."""


@command(data="IN...")
@option("Output", "-n", "--rows", "count", type=Number(int, 1), default=5, show_default=True, help="How many rows.")
@json_option
@reading_options
@unlabelled_option
def head(data: str, count: int, as_json: bool, unlabelled: bool, **words: Any) -> None:
    """Show the first rows of IN with their labels, numbered from 1: how the program reads them.

    Example:
        rosenblatt head spambase.svm.xz -n 3
    """
    source = first_rows(data, reading(words), unlabelled)
    rows = list(_rows(source, count))
    write_lines(map(to_json, rows) if as_json else _text(rows))
    notes(source.notes)


def _rows(source: Any, count: int) -> Iterator[dict[str, Any]]:
    """{"row", "id", "label", and "values" (name or number → value) or "text" (field → text)}."""
    row = 0
    for batch in source:
        for i in range(min(batch.n, count - row)):
            row += 1
            label = None if batch.y is None else batch.y[i : i + 1].tolist()[0]
            own = None if batch.ids is None else str(batch.ids[i])
            number = row if batch.numbers is None else int(batch.numbers[i])
            yield {"row": number, "id": own, "label": label, **_content(batch, i, source)}
        if row >= count:
            return


def _content(batch: Batch, i: int, source: Any) -> dict[str, Any]:
    rows = batch.rows
    if isinstance(rows, list):
        texts: dict[str, str] = {}
        for tag, text in rows[i]:
            texts[tag or "text"] = f"{texts[tag]}\n{text}" if tag in texts else text
        return {"text": texts}
    names = source.feature_names
    base = int(getattr(source, "base", 1))
    columns, values = (each.tolist() for each in rows.row(i))
    named = ((names[j] if names else str(j + base), value) for j, value in zip(columns, values, strict=True))
    return {"values": dict(named)}


def _text(rows: list[dict[str, Any]]) -> list[str]:
    labelled = any(row["label"] is not None for row in rows)
    if all("text" in row for row in rows):
        return [line for row in rows for line in _document(row)]
    columns = list(rows[0]["values"])
    if len(columns) <= WIDEST and all(list(row["values"]) == columns for row in rows):
        heads = ["", *(["label"] if labelled else []), *(short(name, 20) for name in columns)]
        cells = [[*_begin(row, labelled), *(f"{v:.6g}" for v in row["values"].values())] for row in rows]
        return table([heads, *cells], right=range(2 if labelled else 1, len(heads)))
    lines = []
    for row in rows:
        shown = [f"{short(name, 20)}:{shortest(value)}" for name, value in list(row["values"].items())[:MOST]]
        more = len(row["values"]) - len(shown)
        rest = [f"and {more:,} more"] if more > 0 else []
        lines.append("  ".join([*_begin(row, labelled), *shown, *rest]) or "no values")
    return lines


def _begin(row: dict[str, Any], labelled: bool) -> list[str]:
    """The row's number and its label, where rows have one."""
    label = row["label"]
    text = shortest(label) if isinstance(label, float) else short(label, 20)
    return [str(row["row"]), *([text] if labelled else [])]


def _document(row: dict[str, Any]) -> Iterator[str]:
    parts = [*_begin(row, row["label"] is not None), *([row["id"]] if row["id"] else [])]
    fields = row["text"]
    if list(fields) == ["text"]:
        yield "  ".join([*parts, short(fields["text"], 100)])
        return
    yield "  ".join(parts)
    for tag, text in fields.items():
        yield f"    {tag}: {short(text, 90)}"
