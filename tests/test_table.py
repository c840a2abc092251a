"""CSV and TSV files."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading import WRITTEN, Write, refusal, texts, whole
from rosenblatt.core.rows import Dense
from rosenblatt.errors import DataError, SettingError
from rosenblatt.read import from_recipe, open_source
from rosenblatt.read.table import Table

# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_table_with_a_header(write: Write) -> None:
    source = Table(write("a,b,label\n1,2,spam\n3,4.5, ham \n", "t.csv"))
    assert source.kind == "rows" and source.feature_names == ["a", "b"]
    assert whole(source) == ([[1, 2], [3, 4.5]], ["spam", "ham"])
    (batch,) = source
    assert isinstance(batch.rows, Dense) and batch.y.dtype == object


@pytest.mark.parametrize(
    ("content", "names", "label", "labels"),
    [
        ("1,2,3\n4,5,6\n", None, 3, ["3", "6"]),  # no header: the last
        ("spam,2,3\nham,5,6\n", None, 1, ["spam", "ham"]),  # the only one that is not a number
        ("a,b,c\n1,2,3\n", ["a", "b"], "c", ["3"]),
        ("y,b,c\n1,2,3\n", ["b", "c"], "y", ["1"]),
        ("a,Class,c\n1,2,3\n", ["a", "c"], "Class", ["2"]),
        ("0,1,label\n1,2,3\n", ["0", "1"], "label", ["3"]),
        ('"a","b","species"\n1,2,"x, y"\n', ["a", "b"], "species", ["x, y"]),
        ("\ufeffa,b\r\n\r\n1,2\r\n", ["a"], "b", ["2"]),
        ("a;b\n1;2\n", ["a"], "b", ["2"]),
    ],
)
def test_header_and_label_are_found(write: Write, content: str, names: Any, label: Any, labels: list[str]) -> None:
    source = Table(write(content, "t.csv"))
    assert source.feature_names == names and source.recipe()["label"] == label
    assert whole(source)[1] == labels


def test_header_label_and_delimiter_as_asked(write: Write) -> None:
    path = write("a,b,c\n1,2,3\n", "abc.csv")
    assert whole(Table(path, label="a"))[1] == ["1"] == whole(Table(path, label=1))[1]
    assert whole(Table(path, label="2"))[1] == ["2"] == whole(Table(path, label=-2))[1]
    assert whole(Table(write("1,2\n3,4\n", "t.csv"), header=True))[1] == ["4"]
    assert "'a' in column 1" in refusal(lambda: Table(path, header=False))
    message = refusal(lambda: Table(path, label="z"))
    assert "'z'" in message and "a, b, c" in message
    refusal(lambda: Table(path, label=4))
    assert "found one cell" in refusal(lambda: Table(write("1 1:2\n", "t.csv")))
    refusal(lambda: Table(path, label=0), SettingError)
    refusal(lambda: Table(path, delimiter=",,"), SettingError)
    assert whole(Table(write("1|2\n", "t.csv"), delimiter="|"))[0] == [[1]]
    assert whole(Table(write("1\t2\n", "t.tsv.gz".replace(".gz", ""))))[0] == [[1]]
    assert "'a'" in refusal(lambda: Table(write("a,a,label\n1,2,3\n", "t.csv")))


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        ("1,,x", "an empty cell in column 2 (b)"),
        ("1,abc,x", "'abc' in column 2 (b)"),
        ("nan,1,x", "'nan' in column 1 (a)"),
        ("inf,1,x", "'inf' in column 1 (a)"),
        ("1,1e999,x", "'1e999' in column 2 (b)"),
        ("1_000,1,x", "'1_000' in column 1 (a)"),
        ("1,2", "2 cells"),
        ("1,2,x,4", "4 cells"),
        ("1,2,", "an empty cell in column 3 (label)"),
    ],
)
@pytest.mark.parametrize("quotes", [False, True])
@pytest.mark.parametrize("size", [8, 1 << 20])
def test_peers_bad_cells_name_line_and_column(write: Write, bad: str, found: str, quotes: bool, size: int) -> None:
    """peers: strict by default, a counter when told to skip; underscores, nan and 1e400 refused."""
    start = '"5","6","a\nb"\n' if quotes else "5,6,a\n\n"
    path = write(f"a,b,label\n{start}{bad}\n7,8,c\n", "t.csv")
    message = refusal(lambda: Table(path, block_bytes=size))
    assert f"{path}, line 4: found {found}" in message
    source = Table(path, bad="skip", block_bytes=size)
    assert whole(source) == ([[5, 6], [7, 8]], ["a\nb" if quotes else "a", "c"])
    assert source.notes == {"bad lines skipped": 1}


def test_broken_quotes_name_the_line(write: Write) -> None:
    assert "line 3" in refusal(lambda: Table(write('a,label\n1,x\n2,"y\n3,z\n', "t.csv")))
    assert "line 2" in refusal(lambda: Table(write('1,x\n"2"3,y\n', "t.csv")))


cell = st.one_of(WRITTEN, st.floats(allow_nan=False, allow_infinity=False).map(lambda v: f" {v!r} "))


@given(
    st.lists(st.tuples(cell, cell, st.sampled_from(["x", '"x,y"', '"a\n""b"""', "ü"])), min_size=1), st.integers(1, 99)
)
def test_cells_are_those_of_float_whichever_reader(tmp_path_factory: Any, rows: list[Any], size: int) -> None:
    """peers (text): quotes, delimiters and newlines in cells survive."""
    rows = [row for row in rows if all(math.isfinite(float(c)) for c in row[:2])] or [("1", "2", "x")]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("a,b,label\n" + "".join(",".join(row) + "\n" for row in rows), newline="")
    values, labels = whole(Table(path, block_bytes=size))
    assert np.array(values).tobytes() == np.array([[float(a), float(b)] for a, b, _ in rows]).tobytes()
    assert labels == [c[1:-1].replace('""', '"') if c[0] == '"' else c for _, _, c in rows]


def test_tables_of_text(write: Write) -> None:
    path = write('text,id,label\n"free, ""now""\nline",7,spam\nhi,8,ham\n', "t.csv")
    source = Table(path)
    assert source.kind == "documents" and source.feature_names is None
    assert texts(source) == (['free, "now"\nline', "hi"], ["spam", "ham"])
    assert source.notes == {"columns ignored (id)": 1}
    assert texts(Table(write("ham,hi\nspam,free\n", "t.csv"), text=2)) == (["hi", "free"], ["ham", "spam"])
    message = refusal(lambda: Table(write("text,a,b\nx,1,2\n", "t.csv")))
    assert "label" in message
    refusal(lambda: Table(write("ham,hi\n", "t.csv"), text=2, label=2))
    long = "word " * 100_000
    assert texts(Table(write(f"label,text\nham,{long}\n", "t.csv")))[0] == [long]


def test_a_line_that_is_not_utf8_is_read_as_latin1(write: Write) -> None:
    source = Table(write(b"label,text\nham,caf\xe9\nham,caf\xc3\xa9\n", "t.csv"))
    assert texts(source)[0] == ["café", "café"] == texts(source)[0]
    assert source.notes == {"lines with bytes that are no UTF-8, read as Windows-1252": 1}


def test_new_tables_are_matched_by_name(write: Write) -> None:
    """peers: feature order and unseen features; width comes from the model."""
    recipe = json.loads(json.dumps(Table(write("a,b,label\n1,2,x\n", "t.csv")).recipe()))
    again = lambda content, **options: from_recipe(write(content, "new.csv"), recipe, **options)  # noqa: E731
    assert whole(again("a,b,label\n1,2,x\n")) == ([[1, 2]], ["x"])
    assert whole(again("label,b,a\nx,2,1\n")) == ([[1, 2]], ["x"])
    assert whole(again("b,a\n2,1\n")) == ([[1, 2]], None)
    assert whole(again("b,a,label\n2,1,x\n", labelled=False)) == ([[1, 2]], None)
    assert "'b'" in refusal(lambda: again("a,label\n1,x\n"))
    assert "'c'" in refusal(lambda: again("a,b,c\n1,2,3\n"))
    assert "no header" in refusal(lambda: again("1,2\n"))
    assert "'label'" in refusal(lambda: again("a,b\n1,2\n", labelled=True))
    assert "label='a'" in refusal(lambda: again("a,b,label\n1,2,x\n", label="a"))
    assert "no rows" in refusal(lambda: again("a,b,label\n"))


def test_new_tables_without_names_are_matched_by_number(write: Write) -> None:
    recipe = Table(write("x,1,2\n", "t.csv")).recipe()
    assert (recipe["expect"], recipe["label"]) == (2, 1)
    again = lambda content, **options: from_recipe(write(content, "new.csv"), recipe, **options)  # noqa: E731
    assert whole(again("y,3,4\n")) == ([[3, 4]], ["y"])
    assert whole(again("3,4\n")) == ([[3, 4]], None)
    assert "3 columns" in refusal(lambda: again("x,3,4,5\n"))
    assert "model's 2" in refusal(lambda: again("3\n", labelled=False))


# --- columns that are left out ---------------------------------------------------------------------------------------

WITH_ID = "id,a,b,kind\nr1,1,2,x\nr2,2,1,y\nr3,1,3,x\n"


@pytest.mark.parametrize("drop", [["id"], ["1"], [1]])
def test_a_column_that_is_dropped_is_not_looked_at(write: Write, drop: list[Any]) -> None:
    """An id is no number, and no label. New data of the model may have it or not."""
    path = write(WITH_ID, "id.csv")
    with pytest.raises(DataError, match=r"found 'r1' in column 1 \(id\); expected a finite number \(drop= leaves"):
        list(open_source(path))
    source = open_source(path, drop=drop)
    (batch,) = source
    assert batch.rows.values.tolist() == [[1, 2], [2, 1], [1, 3]] and batch.y.tolist() == ["x", "y", "x"]
    (again,) = from_recipe(path, source.recipe())
    assert again.rows.values.tolist() == batch.rows.values.tolist()
    if drop == ["id"]:
        (bare,) = from_recipe(write("b,a\n2,1\n", "bare.csv"), source.recipe())
        assert bare.rows.values.tolist() == [[1, 2]]


def test_what_cannot_be_dropped_is_said(write: Write) -> None:
    path = write(WITH_ID, "id.csv")
    for drop, said in {"ids": "expected a column 'ids'", "9": "expected a column '9'"}.items():
        with pytest.raises(DataError, match=said):
            list(open_source(path, drop=[drop]))
    with pytest.raises(DataError, match="found the label among the columns to drop"):
        list(open_source(path, drop=["id", "kind"], label="kind"))
    with pytest.raises(DataError, match="found only the label"):
        list(open_source(path, drop=["id", "a", "b"]))


def test_without_names_columns_are_dropped_by_number(write: Write) -> None:
    source = open_source(write("r1,1,2,x\nr2,2,1,y\n", "bare.csv"), drop=[1])
    (batch,) = source
    assert batch.rows.values.tolist() == [[1, 2], [2, 1]]
    (new,) = from_recipe(write("5,6\n", "new.csv"), source.recipe(), labelled="auto")
    assert new.rows.values.tolist() == [[5, 6]] and new.y is None
