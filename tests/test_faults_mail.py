"""What readers of mails got wrong, a test for each line of the list of faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import MAIL as WRITTEN
from command import run, well
from mails import LINE, TWO, A, all_of, save
from reading import refusal
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
    inside = LINE + A + b"\n\n" + b"From someone yesterday\nno header\n\nFrom now on\nhe wrote\n"
    assert well("predict", model, "-", given=inside).out.count("\n") == 1
    assert well("predict", model, "-", "--format", "mail", given=TWO).out.count("\n") == 1
    assert well("predict", model, "-", "--format", "mbox", given=TWO).out.count("\n") == 2
    assert well("predict", model, "-", given=TWO).out.count("\n") == 2
