"""What readers got wrong, a test for each line of the list of faults: mails first, then tables, svmlight and arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from command import MAIL as WRITTEN
from command import run, well
from mails import LINE, TWO, A, all_of, save
from reading import PACK, Write, refusal, texts, whole
from rosenblatt.data.checks import rows_from
from rosenblatt.errors import DataError
from rosenblatt.mailtext.mail import parse
from rosenblatt.mailtext.mime import decode, is_mail
from rosenblatt.read import from_recipe, open_source
from rosenblatt.read.mail import mbox, store
from rosenblatt.read.mail.source import MailSource

# --- C1: where mails of an mbox part ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"From ",
        b"From - ",
        b"From a@b 16 Sep 2016 22:26:51 +0200",
        b'From "A B" <a@b> Fri Sep 16 22:26:51 2016',
        b"From john smith at example.com Mon Sep 16 22:26:51 2016",
        "From a@b jeu. 22 août 2002 12:36:23".encode(),
        "From a@b Чт авг 22 12:36:23 2002".encode(),
    ],
)
@pytest.mark.parametrize("header", [b"Subject: ", b"X-Mozilla-Status: ", b"DKIM-Signature: ", b"received: "])
def test_c1_any_from_line_before_a_header_parts_mails(tmp_path: Path, line: bytes, header: bytes) -> None:
    mail = line + b"\n" + header + b"a\n\nb\n\n"
    save(tmp_path, {"box.mbox": mail * 3, "box": LINE + mail[len(line) + 1 :] + mail})
    assert len(all_of(MailSource(tmp_path / "box.mbox"))[2]) == 3
    assert len(all_of(MailSource(tmp_path / "box"))[2]) == 2


def test_c1_mails_without_a_blank_line_between_part_and_are_counted(tmp_path: Path) -> None:
    save(tmp_path, {"box": TWO.replace(b"\n\nFrom", b"\nFrom")})
    source = MailSource(tmp_path / "box")
    assert [document[1][1] for document in all_of(source)[0]] == ["free\n", "lunch\n"]
    assert source.notes == {mbox.NO_BLANK: 1}


@pytest.mark.parametrize("between", [b"\nFrom a@b.c\nhello\n", b"he wrote:\nFrom joe yesterday\nSubject: x\n"])
def test_c1_what_remains_odd_is_counted(tmp_path: Path, between: bytes) -> None:
    save(tmp_path, {"box": LINE + A + b"\n" + between})
    source = MailSource(tmp_path / "box")
    assert len(all_of(source)[0]) == 1
    assert source.notes == {mbox.ODD: 1}


def test_c1_prose_is_neither_a_mail_nor_odd(tmp_path: Path) -> None:
    save(tmp_path, {"box": LINE + A + b"\n\nFrom the desk of\nthe president\n\nFrom now on: all\n"})
    source = MailSource(tmp_path / "box")
    assert (len(all_of(source)[0]), source.notes) == (1, {})


# --- C2: what is a mail ----------------------------------------------------------------------------------------------

NO_MAILS = {
    "Thumbs.db": b"\xd0\xcf\x11\xe0" + bytes(600),
    "desktop.ini": b"[.ShellClassInfo]\r\nIconIndex=0\r\n",
    "note.msg": b"\xd0\xcf\x11\xe0" + bytes(600),
    "a.pdf": b"%PDF-1.4\nSubject: a\n",
    "a.png": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "Junk.msf": b'// <!-- <mdb:mork:z v="1.4"/> -->\n< <(a=c)> // (f=iso-8859-1)\n',
    "empty": b"",
    "blank": b"\n\n",
    "program": b"\x7fELF" + bytes(50),
    "notes.txt": b"buy milk\nand bread\n",
    "broken.eml": b"a\0b\0c" + bytes(50),
}


def test_c2_files_that_are_no_mails_are_counted(tmp_path: Path) -> None:
    save(tmp_path, {f"spam/{name}": raw for name, raw in NO_MAILS.items()} | {"spam/1": A, "ham/2": A})
    source = MailSource(tmp_path)
    assert all_of(source)[1:] == (["ham", "spam"], ["ham/2", "spam/1"])
    assert source.notes == {store.NO_MAIL: len(NO_MAILS)}


@pytest.mark.parametrize("name", sorted(NO_MAILS.keys() - {"notes.txt"}))
def test_c2_a_single_file_that_is_no_mail_is_an_error(tmp_path: Path, name: str) -> None:
    save(tmp_path, {name: NO_MAILS[name]})
    message = refusal(lambda: from_recipe(tmp_path / name, {"format": "mail", "fields": ["subject"]}))
    assert message == f"{tmp_path / name}: {store.HEADERLESS}"


def test_c2_mails_that_lost_their_headers_are_mails_by_name_or_place(tmp_path: Path) -> None:
    save(tmp_path, {"spam/1.eml": b"free money", "box/cur/123456.a:2,S": b"free", "box/new/x": b"", "box/tmp/y": b""})
    assert all_of(MailSource(tmp_path, labelled=False))[2] == ["box/cur/123456.a:2,S", "spam/1.eml"]


MAIL = "Subject: señor\nTo: a@b.c\n\nfree\n"


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_c2_utf16_mails_are_decoded(codec: str) -> None:
    raw = MAIL.encode(codec)
    assert is_mail(raw)
    assert parse(raw) == parse(MAIL.encode())
    declared = MAIL.replace("\n\n", "\nContent-Type: text/plain; charset=utf-16\n\n").encode(codec)
    assert parse(declared, ["subject"])[:2] == parse(MAIL.encode(), ["subject"])


PLIST = b'<?xml version="1.0"?>\n<plist><dict><key>flags</key>\n<integer>%d</integer></dict></plist>\n'


def test_c2_emlx_is_the_mail_within(tmp_path: Path) -> None:
    raw = b"%-10d\n" % len(A) + A
    save(tmp_path, {"ham/1.emlx": raw + PLIST % 8589934593, "ham/2.emlx": raw + PLIST % 8589934595})
    source = MailSource(tmp_path, labelled=False)
    assert (all_of(source)[0], source.notes) == ([parse(A)], {mbox.LEFT_OUT: 1})
    assert all_of(open_source(tmp_path / "ham" / "1.emlx"))[0] == [parse(A)]


@pytest.mark.parametrize(
    ("header", "note"),
    [
        (b"X-Mozilla-Status: 0009", mbox.LEFT_OUT),
        (b"Status: RO\nX-Status: D", mbox.LEFT_OUT),
        (b"Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA", mbox.OWN_DATA),
        (b"X-Mozilla-Status: 0001", None),
        (b"X-Status: A", None),
    ],
)
def test_c2_deleted_mails_of_an_mbox_are_left_out(tmp_path: Path, header: bytes, note: str | None) -> None:
    save(tmp_path, {"a.mbox": LINE + header + b"\nTo: a\n\nX-Status: D\n\n" + TWO})
    source = MailSource(tmp_path / "a.mbox")
    first = [] if note else ["a.mbox:1"]
    assert all_of(source)[2] == [*first, "a.mbox:2", "a.mbox:3"]
    assert source.notes == ({note: 1} if note else {})


# --- D: charsets -----------------------------------------------------------------------------------------------------


def test_d1_a_foreign_byte_spoils_no_text() -> None:
    assert decode("dzień grün ".encode() + b"\x80\xe9!", "utf-8") == ("dzień grün €é!", "wrong utf-8")
    long = "中文测试很长的文本" * 3
    assert decode(long.encode("gb18030") + b"\xff!", "gbk") == (long + "ÿ!", "wrong gbk")
    assert decode("dzień ".encode() + b"\x80" + "ń".encode()[:1], "utf-8", cut=True).text == "dzień €"


def test_d1_a_foreign_byte_spoils_no_line_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("ham\tdzień ".encode() + b"\x80\n")
    source = open_source(path)
    assert next(iter(source)).rows == [[("", "dzień €")]]
    assert source.notes == {"lines with bytes that are no UTF-8, read as Windows-1252": 1}


@pytest.mark.parametrize("charset", ["windows-1252", "iso-8859-1", "iso-8859-2", "koi8-r", "us-ascii", "utf-16"])
def test_d2_utf8_beats_a_declared_charset_of_single_bytes(charset: str) -> None:
    raw = f"Content-Type: text/plain; charset={charset}\n\n".encode() + "grüße, dzień".encode()
    assert parse(raw, ["charset"]) == [("", "grüße, dzień"), ("charset", f"wrong {charset}")]


@pytest.mark.parametrize(
    ("text", "charset"), [("grüße", "windows-1252"), ("привет, Пётр", "koi8-r"), ("привет", "cp1251"), ("中文", "big5")]
)
def test_d2_a_right_charset_is_believed(text: str, charset: str) -> None:
    assert decode(text.encode(charset), charset) == (text, "")


def test_d3_undeclared_bytes_are_windows_1252() -> None:
    assert decode(b"\x93hi\x94 \x80 \x81").text == "“hi” € \x81"
    assert parse(b"Subject: \x93hi\x94\n\n\x80")[:2] == [("subject", "“hi”"), ("", "€")]


PLAIN = b"Content-Type: text/plain; charset=gbk\n\n%s\n"


@pytest.mark.parametrize("subject", ["gbk", "utf-8"])
@pytest.mark.parametrize("form", [PLAIN, b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + PLAIN + b"--b--\n"])
def test_d3_a_raw_subject_has_the_charset_of_the_mail(subject: str, form: bytes) -> None:
    raw = b"Subject: " + "发票代开".encode(subject) + b"\n" + form % "发票".encode("gbk")
    document = parse(raw, ["subject"])
    assert (document[0], document[1][1].strip()) == (("subject", "发票代开"), "发票")


# --- B6 to B8: folders, indexes, standard input ----------------------------------------------------------------------


def home(tmp_path: Path) -> tuple[Path, Path]:
    """(a model of mails, a home of mails in folders that are labels in part)."""
    for kind, word in (("spam", "free"), ("ham", "lunch")):
        save(tmp_path / "train", {f"{kind}/{i}": WRITTEN.format(word, word).encode() for i in range(3)})
    well("train", tmp_path / "train", "-o", tmp_path / "m.model")
    save(tmp_path / "home", {"inbox/1": A, "lists/2": A, "spam/3": A, "spam/4": A})
    return tmp_path / "m.model", tmp_path / "home"


def test_b6_prediction_needs_no_labels(tmp_path: Path) -> None:
    model, data = home(tmp_path)
    done = well("predict", model, data, "--ids")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["inbox/1", "lists/2", "spam/3", "spam/4"]
    assert "outside" not in done.err
    from rosenblatt.model.model import Model

    assert len(Model.load(model).predict(data)) == 4
    assert len(well("explain", model, data, "--json").out.splitlines()) >= 4


def test_b6_labels_lie_along_the_path(tmp_path: Path) -> None:
    model, _ = home(tmp_path)
    save(tmp_path / "held" / "ham", {"a/1": A, "b/2": A})
    assert well("evaluate", model, tmp_path / "held" / "ham").out.startswith("2 rows")
    assert well("evaluate", model, tmp_path / "held" / "ham" / "a" / "1").out.startswith("1 row")


def test_b6_an_mbox_without_a_suffix_is_a_folder(tmp_path: Path) -> None:
    save(tmp_path, {"spam": TWO, "ham": LINE + A, "178": LINE + A, "Junk.msf": b"// x"})
    assert all_of(MailSource(tmp_path))[1] == ["ham", "spam", "spam"]
    save(tmp_path / "flat", {"1": LINE + A, "2": LINE + A, "one": LINE + A})
    assert all_of(MailSource(tmp_path / "flat"))[1] is None


def test_b6_one_labelled_folder_among_others_names_the_option(tmp_path: Path) -> None:
    save(tmp_path, {"spam/1": A, "list/2": A, "work/3": A})
    done = run("train", tmp_path, "-o", tmp_path.parent / "m")
    assert done.code == 3
    assert "found only folders named 'spam', and 2 mails outside of them; expected two labels (--folders" in done.err


def test_b7_an_index_reads_all_mails_of_an_mbox(tmp_path: Path) -> None:
    save(tmp_path, {"index": b"spam a.mbox\nham b\nham c\n", "a.mbox": TWO, "b": A, "c": TWO})
    source = MailSource(tmp_path / "index")
    assert all_of(source)[1:] == (["spam", "spam", "ham", "ham"], ["a.mbox:1", "a.mbox:2", "b", "c"])
    assert source.notes == {store.ONE_MAIL: 1}


def test_b7_an_index_whose_first_path_is_missing(tmp_path: Path) -> None:
    save(tmp_path, {"full/index": b"spam ../data/1\nham ../data/2\n", "data/2": A})
    assert "index, line 1: found '../data/1', which is not there" in refusal(
        lambda: open_source(tmp_path / "full/index")
    )


def test_b8_what_is_piped_in_as_a_mail_is_one(tmp_path: Path) -> None:
    model, _ = home(tmp_path)
    inside = LINE + A + b"\n\n" + LINE + b"no header\n\n" + LINE.replace(b"2002", b"2003") + b"he wrote\n"
    assert well("predict", model, "-", given=inside).out.count("\n") == 1
    assert well("predict", model, "-", "--format", "mail", given=TWO).out.count("\n") == 1
    assert well("predict", model, "-", "--format", "mbox", given=TWO).out.count("\n") == 2
    assert well("predict", model, "-", given=TWO).out.count("\n") == 2


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
    assert source.notes == {"label by its look is column": 3, "bad lines skipped": 1}


def test_b3_one_line_says_which_column_is_the_label(write: Write) -> None:
    path = write("a,b\n5,0.5\n6,1.7\n7,0.5\n", "f.csv")
    assert "note: label by its look, 'b', is column: 2\n" in well("train", path, "-o", path.with_name("m")).err
    assert well("predict", path.with_name("m"), path).err == ""
    assert "label" not in run("train", path, "--label", "b", "-o", path.with_name("m")).err


def test_b3_the_index_of_pandas_is_no_feature(write: Write) -> None:
    source = open_source(write(",a,b,y\n7,5,1,0\n3,6,0,1\n2,7,1,1\n", "p.csv"))
    assert (source.feature_names, whole(source)[0][0]) == (["a", "b"], [5.0, 1.0])
    assert source.notes == {"columns ignored (column 1)": 1}
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
