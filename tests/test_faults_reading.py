"""What readers got wrong, a test for each line of the list of faults: tables, svmlight and arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from command import run, well
from mails import save
from reading import PACK, Write, refusal, texts, whole
from rosenblatt.data.checks import rows_from
from rosenblatt.errors import DataError
from rosenblatt.read import from_recipe, open_source

# --- B1 to B3: what the columns of a table mean ----------------------------------------------------------------------

SMS = "ham,lunch at noon\nspam,free money\nham,see you\nspam,prize now\n"


@pytest.mark.parametrize("header", ["v1,v2\n", ""])
def test_b1_a_label_that_never_recurs_is_a_header(write: Write, header: str) -> None:
    source = open_source(write(header + SMS, "sms.csv"), label="1", text="2")
    assert texts(source)[1] == ["ham", "spam", "ham", "spam"]
    assert source.recipe()["label"] == ("v1" if header else 1)


def test_b1_a_model_by_position_refuses_a_header(write: Write) -> None:
    numbers = open_source(write("1,2,x\n3,4,y\n", "n.csv"))
    recipes = [open_source(write(SMS, "sms.csv"), label="1", text="2").recipe(), numbers.recipe()]
    for recipe, data in zip(recipes, ["v1,v2\n" + SMS, "a,b,label\n5,6,x\n"], strict=True):
        path = write(data, "new.csv")
        assert "found a header (" in refusal(lambda path=path, recipe=recipe: from_recipe(path, recipe))
        assert sum(batch.n for batch in from_recipe(path, recipe, header=True)) == data.count("\n") - 1


def test_b2_what_is_dropped_by_number_is_dropped_by_name(write: Write) -> None:
    recipe = open_source(write("id,a,b,label\n1,2,3,x\n2,3,1,y\n", "t.csv"), drop=["1"]).recipe()
    assert recipe["drop"] == ["id"]
    for data in ("b,label,a\n2,x,3\n", "b,a,id\n2,3,9\n", "b,a\n2,3\n"):
        assert whole(from_recipe(write(data, "u.csv"), recipe))[0] == [[3.0, 2.0]]


def test_b2_a_model_of_texts_needs_no_dropped_column(write: Write) -> None:
    recipe = open_source(write("id,text,label\n1,hi there,x\n2,free,y\n", "t.csv"), drop=["id"]).recipe()
    assert texts(from_recipe(write("label,text\nx,hi\n", "u.csv"), recipe)) == (["hi"], ["x"])
    refusal(lambda: open_source(write("label,text\nx,hi\n", "u.csv"), drop=["id"]))


def test_b3_a_missing_value_makes_no_label(write: Write) -> None:
    source = open_source(write("?,5,1\n2,6,0\n3,7,1\n", "q.csv"), bad="skip")
    assert whole(source) == ([[2.0, 6.0], [3.0, 7.0]], ["0", "1"])
    assert source.notes == {"label by its look (--label NAME for another), column": 3, "bad lines skipped": 1}


def test_b3_one_line_says_which_column_is_the_label(write: Write) -> None:
    path = write("a,b\n5,0.5\n6,1.7\n7,0.5\n", "f.csv")
    said = "note: label by its look, 'b' (--label NAME for another), column: 2\n"
    assert said in well("train", path, "-o", path.with_name("m")).err
    assert well("predict", path.with_name("m"), path).err == ""
    assert "label" not in run("train", path, "--label", "b", "-o", path.with_name("m")).err


def test_b3_the_index_of_pandas_is_no_feature(write: Write) -> None:
    source = open_source(write(",a,b,y\n7,5,1,0\n3,6,0,1\n2,7,1,1\n", "p.csv"))
    assert (source.feature_names, whole(source)[0][0]) == (["a", "b"], [5.0, 1.0])
    assert source.notes == {
        "label by its name, 'y' (--label NAME for another), column": 4,
        "columns ignored (column 1)": 1,
    }
    assert whole(from_recipe(write(",a,b\n9,5,1\n", "u.csv"), source.recipe()))[0] == [[5.0, 1.0]]
    assert len(whole(open_source(write(",a,y\n1,5,0\n1,6,1\n", "p.csv")))[0][0]) == 2


# --- C3 to C5: the structure of rows ---------------------------------------------------------------------------------


@pytest.mark.parametrize("jit", ["0", "1"])
def test_c3_a_blank_may_follow_the_colon(write: Write, monkeypatch: pytest.MonkeyPatch, jit: str) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", jit)
    rows = b"1 1: .50 2:\t3 \n-1 2:  4\n"
    for name in ("a.svm", "a"):
        assert whole(open_source(write(rows, name))) == ([[0.5, 3.0], [0.0, 4.0]], [1.0, -1.0])
    assert "found '1:'" in refusal(lambda: open_source(write(b"1 1:\n", "a.svm")))
    assert "found '1:'" in refusal(lambda: open_source(write(b"1 1: 2:3\n", "a.svm")))


@pytest.mark.parametrize("end", ["txt", "csv", "tsv"])
def test_c4_of_a_mail_only_subject_and_body_are_text(tmp_path: Path, end: str) -> None:
    raw = b"Subject: FREE MONEY NOW\nFrom: joe@x.org\nContent-Type: text/html\n\n<html><b>BUY v1agra NOW</b></html>"
    save(tmp_path, {"in/spam/1.eml": raw, "in/ham/2.eml": raw})
    well("convert", tmp_path / "in", tmp_path / f"out.{end}", "--mail-fields", "subject,from,html,capitals,spelling")
    written = (tmp_path / f"out.{end}").read_text()
    assert "FREE MONEY NOW" in written and "BUY v1agra NOW" in written
    assert not any(word in written for word in ("<b>", "words", "%", "joe@"))


ONE_CELL = [
    "1|2|3\n4|5|6\n",
    "@relation x\n@data\n1,2\n",
    "1 2 3\n4 5 6\n",
    "sep=;\na;y\n1;x\n",
    "# comment\na,label\n1,x\n",
]


@pytest.mark.parametrize("text", ONE_CELL)
def test_c5_one_cell_rows_name_the_delimiter(write: Write, text: str) -> None:
    write(text, "o.csv")
    write(text, "o")
    for name in ("o.csv", "o"):
        path = write(text, name)
        assert "--delimiter" in run("train", path, "-o", path.with_name("m")).err


@pytest.mark.parametrize("name", ["a.csv", "a.svm", "a.txt", "a"])
def test_c5_line_ends_of_cr_alone_are_said(write: Write, name: str) -> None:
    rows = {"a.svm": b"1 1:2\r-1 1:3\r", "a.txt": b"ham\thi\rspam\tfree\r"}.get(name, b"a,label\r1,x\r2,y\r")
    assert "found lines that end in CR alone" in refusal(lambda: open_source(write(rows, name)))


@pytest.mark.parametrize("name", ["m.svm", "m"])
def test_c5_several_labels_are_said(write: Write, name: str) -> None:
    message = refusal(lambda: open_source(write(b"1,2 1:0.5\n3 1:2\n", name)))
    assert message.endswith("line 1: found '1,2'; expected one label; several in a row are not supported")


# --- F2 and F5 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.svm.gz", "a.csv.gz", "a.txt.gz"])
def test_f2_a_line_has_a_limit(write: Write, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("rosenblatt.read.open.LONGEST_LINE", 8 << 20)
    path = write(PACK[".gz"](b"1 1:2\n" * (name[2] == "s") + b"1" * (30 << 20)), name)
    assert "found a line of more than 8 MB; expected shorter lines" in refusal(lambda: open_source(path))


def test_f5_head_reads_no_more_than_it_shows(write: Write) -> None:
    rows = "".join(f"{i % 2} 1:{i}\n" for i in range(60_000))
    for data, name in ((rows + "broken\n", "a.svm"), (rows.replace(" 1:", ",") + "broken\n", "a.csv")):
        assert well("head", write(data, name), "-n", "1").out


def test_f5_no_part_of_a_split_is_empty(write: Write) -> None:
    path = write("1 1:2\n-1 1:3\n", "a.svm")
    done = run("split", path)
    assert (done.code, list(path.parent.glob("a.t*"))) == (3, [])
    assert "found 2 rows, of which the part 'test' would have none" in done.err


def test_f5_digits_of_other_scripts_are_no_numbers(write: Write) -> None:
    assert "found '٣'" in refusal(lambda: open_source(write("a,label\n1,x\n٣,y\n", "t.csv")))


@pytest.mark.parametrize("suffix", PACK)
def test_f5_junk_behind_an_archive_is_said(write: Write, suffix: str) -> None:
    rows = PACK[suffix](b"1 1:2\n-1 1:3\n")
    assert whole(open_source(write(rows * 2, "a.svm" + suffix)))[1] == [1.0, -1.0, 1.0, -1.0]
    assert "a.svm" in refusal(lambda: open_source(write(rows + b"junk and more of it", "a.svm" + suffix)))
    if suffix == ".xz":
        assert len(whole(open_source(write(rows + bytes(8) + rows + bytes(4), "a.svm.xz")))[0]) == 4


def test_f4_wider_rows_are_an_error_wherever_a_model_reads(write: Write, tmp_path: Path) -> None:
    train, wide = write("1 1:2 2:1\n-1 2:3\n1 1:1\n-1 2:4\n", "a.svm"), write("1 1:2\n-1 2:3 4:1\n", "wide.svm")
    model = tmp_path / "m.model"
    well("train", train, "-o", model)
    said = "wide.svm, line 2: found index 4; expected indices up to 2, the model's (--wider skip leaves others out)"
    for words in (["predict", model, wide], ["evaluate", model, wide], ["explain", model, wide]):
        assert said in run(*words).err
        done = well(*words, "--wider", "skip")
        assert "note: values in columns beyond 2 skipped: 1" in done.err
    assert said in run("train", train, "--validation", wide, "-o", model).err
    recipe = {"format": "svmlight", "base": 1}
    assert len(whole(from_recipe(wide, recipe, width=2, bad="skip"))[0]) == 1
    assert len(whole(from_recipe(wide, recipe, width=2, wider="skip"))[0]) == 2


NUMBERS = {
    "tabs": "1.5\t2\t14.88\n2\t3\t15.26\n",
    "commas": "1.5,2,x\n2,3,y\n",
    "two": "14.88,5\n15.26,6\n",
    "header": "a\tb\tclass\n1\t2\t3\n3\t4\t5\n",
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("name", ["a.txt", "a.svm", "a.dat.gz"])
def test_b4_content_decides_and_a_note_says_so(write: Write, stdin: Any, kind: str, name: str) -> None:
    data = NUMBERS[kind].encode()
    source = open_source(write(PACK[".gz"](data) if name.endswith("gz") else data, name))
    said = "text" if name == "a.txt" else "svmlight"
    found = whole(source)
    assert source.notes[f"read as table, as it looks, though its name says {said} (--format decides)"] == 0
    stdin(data)
    assert whole(open_source("-")) == found
    assert whole(from_recipe(write(data, "b.txt"), source.recipe())) == found


def test_b4_svmlight_in_a_table_s_name(write: Write) -> None:
    path = write("1 1:2\n-1 2:3\n", "a.csv")
    assert whole(open_source(path))[1] == [1.0, -1.0]
    done = well("head", path)
    assert done.err == "note: read as svmlight, as it looks, though its name says table (--format decides)\n"
    assert "--delimiter" in run("head", path, "--format", "csv", "--label", "1").err


@pytest.mark.parametrize("line", ["ham\t5", "spam\tfree, prize", "ham\t1,2,3", "one, two", "14.88 5", "ham\tlunch"])
def test_b4_texts_stay_texts(write: Write, line: str) -> None:
    source = open_source(write(f"{line}\n" * 3, "a.txt"), labelled="auto")
    assert source.recipe()["format"] == "text" and not source.notes


def test_g3_the_place_in_a_long_line_is_said(write: Write) -> None:
    row = "1 " + " ".join(f"{i}:1" for i in range(1, 500))
    message = refusal(lambda: open_source(write(f"1 1:1\n{row} 500:x\n", "a.svm")))
    assert f"line 2: found '500:x' at byte {len(row) + 2} of the line; expected" in message


@pytest.mark.parametrize("column", [["x", "y"], pd.to_datetime(["2020-01-01", "2020-01-02"])])
def test_g3_a_column_of_a_dataframe_that_holds_no_numbers_is_named(column: Any) -> None:
    with pytest.raises(DataError, match="^column 'when': the rows "):
        rows_from(pd.DataFrame({"a": [1, 2], "when": column, "b": [3, 4]}))
