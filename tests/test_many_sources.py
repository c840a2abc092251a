"""Several DATA as one, and labels that are said of them: in every command, from Python and from the shell."""

from __future__ import annotations

import mailbox
from pathlib import Path

import numpy as np
import pytest

from command import MAIL, NUMBERS, TABLE, WORDS, mail_folder, one_of_each, run, well, write
from mails import pack
from rosenblatt import Recipe
from rosenblatt.errors import DataError
from rosenblatt.model.model import Model
from rosenblatt.read import open_source
from rosenblatt.read.several import Several, from_words

ALL = ("--min-documents", "1")


def texts(label: str) -> list[str]:
    return [line.partition("\t")[2] for line in WORDS.splitlines() if line.startswith(label)]


def raw(text: str) -> str:
    return MAIL.format(text.split()[0], text)


def stores(root: Path, label: str) -> dict[str, Path]:
    """The mails of a label in every kind of store, without a folder that says which it is."""
    box, maildir = mailbox.mbox(root / f"{label[0]}.mbox"), mailbox.Maildir(root / f".{label[0]}")
    for text in texts(label):
        box.add(raw(text).encode())
        maildir.add(raw(text))
    box.close()
    files = {f"x/{number}.eml": raw(text).encode() for number, text in enumerate(texts(label))}
    for name, mail in files.items():
        write(root / f"folder-{label[0]}" / name, mail)
    made = {"mbox": root / f"{label[0]}.mbox", "maildir": root / f".{label[0]}", "folder": root / f"folder-{label[0]}"}
    return {**made, "tar": pack(root / f"{label[0]}.tar", files)}


def same(one: Path, other: Path, model: str = "m") -> None:
    a, b = Model.load(one / model), Model.load(other / model)
    names = [str(name) for name in a.feature_names or ()]
    order = [[str(name) for name in b.feature_names].index(name) for name in names] if names else slice(None)
    assert a.classes.tolist() == b.classes.tolist()
    assert np.array_equal(a.weights[0], b.weights[0][:, order]) and np.array_equal(a.weights[1], b.weights[1])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", ["mbox", "maildir", "folder", "tar"])
def test_labels_by_word_train_and_evaluate_mails_of_every_store(here: Path, kind: str) -> None:
    spam, ham = stores(here, "spam")[kind], stores(here, "ham")[kind]
    data = (f"spam={spam}", f"ham={ham}")
    done = well("train", *data, "-o", "m", *ALL)
    assert "6 rows (ham: 3, spam: 3; positive: spam)" in done.out
    assert well("evaluate", "m", *data, "--json").json["errors"] == 0
    assert well("predict", "m", spam, ham).out.split() == ["spam"] * 3 + ["ham"] * 3
    assert well("summary", *data, "--json").json["class_rows"] == {"ham": 3, "spam": 3}
    ids = [line.split("\t")[0] for line in well("predict", "m", *data, "--ids").out.splitlines()]
    assert ids[0].startswith(str(spam)) and (kind != "folder" or Path(ids[0]).is_file())


def test_a_part_of_a_maildir_and_several_parts_of_one_label(here: Path) -> None:
    spam, ham = stores(here, "spam"), stores(here, "ham")
    trashed = next((ham["maildir"] / "new").iterdir())
    trashed.rename(ham["maildir"] / "cur" / f"{trashed.name.partition(':')[0]}:2,ST")
    for each in (ham["maildir"] / "new").iterdir():
        each.rename(ham["maildir"] / "cur" / f"{each.name.partition(':')[0]}:2,S")
    done = well(
        "train", f"spam={spam['maildir']}/new", f"ham={ham['maildir']}/cur", f"ham={ham['mbox']}", "-o", "m", *ALL
    )
    assert "8 rows (ham: 5, spam: 3" in done.out and "trashed or drafts, skipped: 1" in done.err


def test_the_same_rows_in_parts_make_the_same_model(here: Path) -> None:
    """Of each format: two halves as two DATA, and by words where rows have no labels."""
    for name, text, head in (("a.svm", NUMBERS, 0), ("a.csv", TABLE, 1), ("a.txt", WORDS, 0)):
        lines = text.splitlines(keepends=True)
        write(here / name, text)
        write(here / f"1{name}", "".join(lines[:4]))
        write(here / f"2{name}", "".join([*lines[:head], *lines[4:]]))
        well("train", name, "-o", "whole", *(ALL if "txt" in name else ()))
        well("train", f"1{name}", f"2{name}", "-o", "parts", *(ALL if "txt" in name else ()))
        assert Path("whole").read_bytes() == Path("parts").read_bytes()
        halves = well("predict", "whole", f"1{name}", f"2{name}", "--scores").out
        assert halves == well("predict", "whole", name, "--scores").out


def test_numbers_and_tables_and_texts_without_labels(here: Path) -> None:
    write(here / "p.svm", "1:2 3:1\n1:1\n1:4 2:1\n"), write(here / "n.svm", "2:3\n2:2 3:1\n4:1\n")
    write(here / "p.csv", "wide,high\n2,0\n1,0\n"), write(here / "n.csv", "wide,high\n0,3\n1,2\n")
    write(here / "p.txt", "\n".join(texts("spam"))), write(here / "n.txt", "\n".join(texts("ham")))
    for suffix, rows in (("svm", 3), ("csv", 2), ("txt", 3)):
        done = well("train", f"yes=p.{suffix}", f"no=n.{suffix}", "-o", "m", *(ALL if suffix == "txt" else ()))
        assert f"(no: {rows}, yes: {rows}; positive: yes)" in done.out
        answers = well("predict", "m", f"p.{suffix}", f"n.{suffix}").out.split()
        assert answers == ["yes"] * rows + ["no"] * rows
    well("train", "1=p.svm", "0=n.svm", "-o", "m")
    assert Model.load("m").classes.tolist() == [0, 1]


def test_python_says_it_as_dict_and_list(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spam, ham = stores(here, "spam"), stores(here, "ham")
    monkeypatch.setenv("HOME", str(here))
    data = {"spam": "~/s.mbox", "ham": [ham["maildir"], "folder-h"]}
    model = Recipe(min_documents=1).fit(data)
    assert model.evaluate(data)["confusion"] == [[6, 0], [0, 3]]
    assert model.predict([spam["mbox"], ham["mbox"]]).tolist() == ["spam"] * 3 + ["ham"] * 3
    assert len(model.explain([Path("s.mbox"), {"ham": "h.mbox"}])) == 6
    well("train", "spam=~/s.mbox", "ham=.h", "ham=folder-h", "-o", "m", *ALL)
    assert np.array_equal(Model.load("m").weights[0], model.weights[0])
    with pytest.raises(DataError, match=r"their labels are in the files, not in y"):
        Recipe().fit([str(spam["mbox"])], [1])
    held = Recipe(min_documents=1, validation={"spam": "s.mbox", "ham": "h.mbox"})
    assert Recipe.from_dict(held.fit(data).recipe)["validation"] == {"spam": "s.mbox", "ham": "h.mbox"}


def test_validation_and_test_files_take_words_too(here: Path) -> None:
    stores(here, "spam"), stores(here, "ham")
    data = ("spam=s.mbox", "ham=h.mbox")
    both = ("--validation", "spam=s.tar", "--validation", "ham=h.tar")
    assert "validation per epoch: 1" in well("train", *data, *both, "-o", "m", *ALL).out.replace("0.5 ", "")
    assert Recipe.from_dict(Model.load("m").recipe)["validation"] == [{"spam": "s.tar"}, {"ham": "h.tar"}]
    well("train", *data, "-o", "n", "--continue", "m")
    assert "a share of the rows stands alone" in run("train", *data, "--validation", "0.2", *both[:2], "-o", "m").err
    tests = ("--test", "spam=s.tar", "--test", "ham=h.tar")
    compared = well("compare", *data, *tests, "--keeps", "last", "--rules", "perceptron", *ALL).out
    assert "tested on 6 rows of spam=s.tar ham=h.tar" in " ".join(compared.split())
    assert "rosenblatt train spam=s.mbox ham=h.mbox -o MODEL" in compared


def test_every_command_that_reads_data_takes_several(here: Path) -> None:
    write(here / "a.svm", NUMBERS), write(here / "b.svm", NUMBERS)
    well("train", "a.svm", "b.svm", "-o", "m")
    for words in (
        ("evaluate", "m"), ("explain", "m"), ("head",), ("summary",), ("separable",), ("margin",), ("bound",),
        ("optimum",), ("doctor", "--max-time", 5), ("experts", "--learners", "perceptron"),
        ("threshold", "m", "--cost", "1=1,-1=2", "-o", "t"),
    ):  # fmt: skip
        assert well(*words, "a.svm", "b.svm").out or words[0] == "threshold"
    well("convert", "a.svm", "b.svm", "c.csv")
    assert len((here / "c.csv").read_text().splitlines()) == 13
    well("shuffle", "a.svm", "b.svm", "s.svm")
    assert sorted((here / "s.svm").read_text().splitlines()) == sorted(2 * NUMBERS.splitlines())
    assert "several files have no name for the parts" in run("split", "a.svm", "b.svm").err
    well("split", "a.svm", "b.svm", "-o", "part")
    well("separable", "a.svm", "b.svm", "--save", "proof")
    assert well("verify", "proof", "a.svm", "b.svm").out
    assert "a table of advice is one file" in run("experts", "a.svm", "b.svm").err


def test_mails_with_labels_by_word_are_split_as_an_index(here: Path) -> None:
    stores(here, "spam"), stores(here, "ham")
    well("split", "spam=folder-s", "ham=folder-h", "-o", "part", "--test", 0.34)
    well("train", "part.train", "-o", "m", *ALL)
    assert well("evaluate", "m", "part.test", "--json").json["rows"] == 2
    write(here / "p.txt", "\n".join(texts("spam")))
    assert "cannot be written to lines that stay as they are" in run("shuffle", "a=p.txt", "p.txt", "o.txt").err


def test_a_file_of_that_name_is_no_label(here: Path) -> None:
    write(here / "spam=x.txt", WORDS)
    assert from_words(["spam=x.txt"]) == "spam=x.txt" and not isinstance(from_words(["spam=x.txt"]), Several)
    assert "6 rows (ham: 3, spam: 3" in well("train", "spam=x.txt", "-o", "m", *ALL).out
    assert not isinstance(from_words(["https://example.org/a?b=c"]), Several)
    assert not isinstance(from_words(["year/month=2/x.csv"]), Several)


def test_errors_name_the_part(here: Path) -> None:
    places = one_of_each(here)
    write(here / "empty.mbox", ""), stores(here, "spam"), stores(here, "ham")
    for words, said in {
        ("spam=s.mbox", "ham=no.mbox"): "no.mbox: there is no such file",
        ("spam=s.mbox", "ham=empty.mbox"): "empty.mbox: found no",
        ("spam=s.mbox", "spam=s.tar"): "spam=s.mbox spam=s.tar: the labels have only one class, 'spam'",
        ("not spam=s.mbox", "ham=h.mbox"): "found the label 'not spam' for s.mbox; expected one without blanks",
        ("numbers.svm", "table.csv"): "table.csv: it would be read as table, but numbers.svm as svmlight",
        ("spam=s.mbox", "ham=numbers.svm"): "numbers.svm: it would be read as svmlight, but spam=s.mbox as mail",
    }.items():
        done = run("train", *words, "-o", "m")
        assert done.code and said in done.err, done.err
    write(here / "wide.csv", "wide,kind\n1,square\n")
    done = run("train", places["table"], "wide.csv", "-o", "m")
    assert done.code == 3 and "wide.csv" in done.err and "high" in done.err
    write(here / "bad.svm", NUMBERS + "1 1:x\n")
    assert run("train", "numbers.svm", "bad.svm", "-o", "m").err.startswith("Error: bad.svm, line 7: ")
    well("train", "numbers.svm", "-o", "m")
    write(here / "other.svm", "1 1:1\n7 1:2\n")
    for words in (("evaluate", "m"), ("threshold", "m", "--cost", "1=1,-1=2", "-o", "t")):
        done = run(*words, "numbers.svm", "other.svm")
        assert done.err.startswith("Error: other.svm, row 2: unknown label 7"), done.err
    assert "unknown label 'spam'" in run("evaluate", "m", "spam=numbers.svm").err
    with pytest.raises(DataError, match="found int for the label 'a'; expected a path, or several"):
        Recipe().fit({"a": 1})


def test_several_are_read_one_after_the_other(here: Path) -> None:
    """A part is opened when the one before it has been read, and what was skipped is counted over all."""
    for name in "ab":
        write(here / f"{name}.svm", f"# {name}\n{NUMBERS}bad\n")
    source = open_source(from_words(["a.svm", "b.svm"]), bad="skip")
    batches = iter(source)
    assert next(batches).n == 6 and source.bytes_total is None
    assert [batch.n for batch in batches] == [6]
    assert source.notes == {"bad lines skipped": 2} and source.bytes_total == source.bytes_read
    many = from_words(["a.svm"] * 5)
    assert isinstance(many, Several) and many.origin == "a.svm and 4 more"


def test_a_pipe_is_one_of_several(here: Path) -> None:
    mail_folder(here / "mails")
    write(here / "b.txt", "\n".join(texts("ham")))
    done = well("train", "spam=-", "ham=b.txt", "-o", "m", *ALL, "--format", "text", given="\n".join(texts("spam")))
    assert "6 rows (ham: 3, spam: 3" in done.out


def test_lines_that_say_their_label_themselves_are_no_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The label would be the word that tells the classes apart."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("spam\tfree money now\nspam\tcall free now\n")
    Path("b.txt").write_text("hello there friend\nsee you there\n")
    done = run("train", "spam=a.txt", "ham=b.txt", "-o", "m", "--min-documents", "1")
    said = "found 'spam' and a TAB before the text of every line; expected texts alone, or the file without spam="
    assert (done.code, done.err) == (3, f"Error: a.txt: {said}\n")
    assert not Path("m").exists()
