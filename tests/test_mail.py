"""Raw mail → documents: every awkward mail gives features, none raises, and folders and archives give labels."""

from __future__ import annotations

import base64
import io
import os
import sys
import tarfile
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.batch import Batch, Document
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.tokens import tokens
from rosenblatt.read import mail, mail_folder, mime
from rosenblatt.read.charset import decode, decode_header
from rosenblatt.read.html import RUN_LIMIT, TAG_LIMIT, read_html
from rosenblatt.read.mail import FAILED, parse_mail
from rosenblatt.read.mail_folder import MailFolder


def words(raw: bytes, tag: str = "") -> list[str]:
    """All tokens of one field of a mail."""
    return [word for name, text in parse_mail(raw) if name == tag for word in tokens(text)]


def texts(raw: bytes, tag: str) -> list[str]:
    return [text for name, text in parse_mail(raw) if name == tag]


MULTIPART = b'Subject: hi\nContent-Type: multipart/mixed; boundary="b"\n\npreamble\n--b\n'
PNG = base64.encodebytes(bytes(range(256)) * 12)

# name: (raw mail, tag of the field that is looked at, the words that must be in it)
AWKWARD: dict[str, tuple[bytes, str, list[str]]] = {
    "unknown charset, valid UTF-8": (
        b"Subject: a\nContent-Type: text/plain; charset=x-foo\n\n" + "señor".encode(),
        "",
        ["señor"],
    ),
    "unknown charset is named": (b"Content-Type: text/plain; charset=x-foo\n\nhi", "charset", ["unknown", "x-foo"]),
    "wrong charset, Latin-1 bytes": (b"Content-Type: text/plain; charset=utf-8\n\nse\xf1or", "", ["señor"]),
    "wrong charset is named": (b"Content-Type: text/plain; charset=utf-8\n\nse\xf1or", "charset", ["wrong", "utf-8"]),
    "no codec for text": (b"Content-Type: text/plain; charset=zip\n\nhi there", "", ["hi", "there"]),
    "NUL in the charset": (b"Content-Type: text/plain; charset=\0\n\nhi", "", ["hi"]),
    "superset of the charset": (
        b"Content-Type: text/plain; charset=gb2312\n\n" + "朱镕基中".encode("gb18030"),
        "",
        ["朱镕", "镕基"],
    ),
    "charset of the HTML itself": (
        b"Content-Type: text/html\n\n<meta charset=koi8-r><p>" + "привет".encode("koi8-r"),
        "",
        ["привет"],
    ),
    "malformed message id": (b"Message-ID: <[abc@x\nSubject: free\n\nhello", "subject", ["free"]),
    "bad base64": (b"Subject: a\nContent-Transfer-Encoding: base64\n\nZnJl*ZSBtb25leQ", "", ["free", "money"]),
    "base64 in name only": (b"Subject: a\nContent-Transfer-Encoding: base64\n\njust plain words", "", ["plain"]),
    "bad quoted-printable": (b"Content-Transfer-Encoding: quoted-printable\n\nfr=65=\ne =ZZ =", "", ["free"]),
    "undeclared quoted-printable": (
        b"Subject: a\n\n" + b"x" * 60 + b" mon=\ney\n" + b"y" * 60 + b" fre=\ne\n",
        "",
        ["money", "free"],
    ),
    "missing boundary": (b"Content-Type: multipart/mixed\n\n--q1\nContent-Type: text/plain\n\nhello", "", ["hello"]),
    "wrong boundary": (
        b"Content-Type: multipart/mixed; boundary=no\n\n--q1\nContent-Type: text/plain\n\nhello\n--q1--\n",
        "",
        ["hello"],
    ),
    "multipart without parts": (b"Content-Type: multipart/mixed; boundary=b\n\nhello there", "", ["hello"]),
    "last boundary missing": (MULTIPART + b"\none\n--b\n\ntwo", "", ["one", "two"]),
    "inner boundary left open": (
        MULTIPART + b"Content-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--\n",
        "",
        ["one", "two"],
    ),
    "only headers": (b"Subject: lonely\nFrom: a@b.c\n", "subject", ["lonely"]),
    "no headers": (b"just a line of text\nand another", "", ["just", "another"]),
    "text that begins like a header": (b"Note: buy milk\nand bread", "", ["note", "milk", "bread"]),
    "no blank line": (b"Subject: a\nMIME-Version: 1.0\nfree money now\nmore", "", ["free", "money", "more"]),
    "mbox line first": (b"From joe@x.org Mon Jan  1\nSubject: hello\n\nbody", "subject", ["hello"]),
    "escaped mbox line first": (b">From joe@x.org Mon Jan  1\nSubject: hello\n\nbody", "subject", ["hello"]),
    "subject before the headers": (b"free money\nContent-Type: text/plain\n\nbody", "", ["free", "money", "body"]),
    "broken line among headers": (b"To: x\nnonsense here\nSubject: hello\n\nbody", "subject", ["hello"]),
    "blank before the colon": (b"Subject : hello\nTo: x\n\nbody", "subject", ["hello"]),
    "byte-order mark": (b"\xef\xbb\xbfSubject: hello\n\nbody", "subject", ["hello"]),
    "carriage returns only": (b"Subject: hello\r\rbody here", "", ["body"]),
    "8-bit header, UTF-8": ("Subject: señor\n\n".encode(), "subject", ["señor"]),
    "8-bit header, Latin-1": (b"Subject: se\xf1or\n\n", "subject", ["señor"]),
    "8-bit file name": (
        b'Content-Type: image/png; name="caf\xc3\xa9.png"\n\n',
        "attachment",
        ["café.png", "png", "image"],
    ),
    "encoded header": (b"Subject: =?utf-8?Q?caf=C3=A9_free?=\n\n", "subject", ["café", "free"]),
    "adjacent encoded words": (b"Subject: =?utf-8?B?dmlh?=\n =?utf-8?Q?gra?= now\n\n", "subject", ["viagra", "now"]),
    "character cut in two": (b"Subject: =?utf-8?B?Y2Fmww==?= =?utf-8?B?qQ==?=\n\n", "subject", ["café"]),
    "bytes of a character apart": (b"Subject: =?utf-8?Q?caf=C3?= =?utf-8?Q?=A9?=\n\n", "subject", ["café"]),
    "language in the encoded word": (b"Subject: =?utf-8*en?Q?free?=\n\n", "subject", ["free"]),
    "invalid encoded words": (b"Subject: =?utf-8?X?abc?= =?no?Q?free?= =?utf-8?B?\n\n", "subject", ["free"]),
    "NUL bytes": (b"Subject: a\0b\n\nfree\0money\0", "", ["free", "money"]),
    "HTML that is not declared": (b"hello<html><body>V<b>i</b>agra<script>x1()</script></body>", "", ["viagra"]),
    "HTML cut off": (b"Content-Type: text/html\n\n<p>free<td>money<a href='http://x.org", "", ["free", "money"]),
    "rfc822 inside": (b"Content-Type: message/rfc822\n\nSubject: x\n\ninner words", "", ["inner", "words"]),
    "delivery status": (b"Content-Type: message/delivery-status\n\nAction: failed", "", ["failed"]),
    "uuencoded block": (b"Subject: a\n\nsee\nbegin 644 a.exe\n#0V%T\n`\nend\nthere", "", ["see", "there"]),
    "uuencoded body": (
        b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a.txt\n#0V%T\n\xff\n`\nend\n",
        "",
        ["cat"],
    ),
    "unknown encoding": (b"Content-Transfer-Encoding: x-none\n\nfree money", "", ["free", "money"]),
    "unknown type": (b"Content-Type: nonsense\n\nfree money", "", ["free", "money"]),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_mail(name: str) -> None:
    """peers.md, Mail: unknown charsets, malformed ids, and what else breaks parsers."""
    raw, tag, expected = AWKWARD[name]
    found = words(raw, tag)
    assert set(expected) <= set(found)
    assert FAILED not in parse_mail(raw)


def test_absence_is_a_feature() -> None:
    nothing = [("", ""), ("missing", "subject"), ("missing", "body")]
    assert parse_mail(b"") == parse_mail(b"\n\n\n") == parse_mail(b"To: x\n\n") == nothing
    assert parse_mail(b"Subject: \n\nhi") == [("subject", ""), ("", "hi")]


def test_what_readers_do_not_see_is_no_text() -> None:
    html = (
        b"Content-Type: text/html\n\n<style>p{color:red}</style><!-- secret --><p class=c1>seen<script>var q</script>"
    )
    assert words(html) == ["seen"]
    assert {"class", "c1"} <= set(words(html, "html"))


def test_block_tags_end_a_word_and_others_do_not() -> None:
    assert tokens(read_html("<td>a1</td><td>b1</td>c<i>d</i>e<br>f<!-- -->g").text) == ["a1", "b1", "cde", "fg"]


@pytest.mark.parametrize("page", ["<div>" * (TAG_LIMIT + 1) + "deep", "<a " + "x " * RUN_LIMIT + ">deep&amp;"])
def test_pages_on_which_the_parser_takes_quadratic_time_are_only_stripped(page: str) -> None:
    assert tokens(read_html(page).text)[0] == "deep"


def test_preamble_and_epilogue_are_not_read() -> None:
    assert words(MULTIPART + b"\nhello\n--b--\nepilogue\n") == ["hello"]


def test_attachments_are_name_type_and_size() -> None:
    """Their contents are not read; the size is that of the decoded bytes, as the next power of four."""
    raw = MULTIPART + (
        b'Content-Type: image/png; name="a.png"\nContent-Disposition: attachment\n'
        b"Content-Transfer-Encoding: base64\n\n" + PNG + b"--b\nContent-Disposition: attachment; filename="
        b"=?utf-8?Q?price_list.TXT?=\n\nsecret words\n--b--\n"
    )
    assert texts(raw, "attachment") == ["a.png png image/png 4k", "price list.TXT TXT text/plain 1k"]
    assert words(raw) == []


def test_uuencoded_files_are_attachments() -> None:
    assert texts(AWKWARD["uuencoded block"][0], "attachment") == ["a.exe exe uuencoded 1k"]


def test_fields_are_chosen() -> None:
    raw = b"Subject: a\nTo: b\nTo: c\nContent-Type: text/html; charset=x-foo\n\n<b>d"
    assert parse_mail(raw, ("to",)) == [("to", "b"), ("to", "c"), ("", "d")]
    assert [tag for tag, _ in parse_mail(raw)] == ["subject", "", "html", "charset"]
    assert parse_mail(b"\nd", ("to", "missing")) == [("", "d"), ("missing", "to")]


def test_all_text_parts_are_read() -> None:
    raw = MULTIPART + b"\none\n--b\nContent-Type: text/html\n\n<p>two\n--b\nContent-Type: text/x-odd\n\nthree\n--b--\n"
    assert words(raw) == ["one", "two", "three"]


@pytest.mark.parametrize(
    "inner", ["multipart/mixed; boundary=b%d\n\n--b%d\nContent-Type: ", "message/rfc822\n\nTo: x\nContent-Type: "]
)
def test_nesting_of_a_thousand_levels(inner: str) -> None:
    """The recursion limit is not reached: parts are kept on a list, and not opened below DEPTH_LIMIT."""
    levels = "".join(inner.replace("%d", str(level)) for level in range(1000))
    raw = f"Subject: deep\nContent-Type: {levels}text/plain\n\nbottom".encode()
    assert texts(raw, "subject") == ["deep"]
    assert FAILED not in parse_mail(raw)
    assert len(list(mime.parts(raw))) < 1000


def test_the_number_of_parts_is_limited() -> None:
    assert len(list(mime.parts(MULTIPART + b"--b\n\nx\n" * 5000))) <= mime.PART_LIMIT + 2


def test_huge_headers_are_cut() -> None:
    """A parameter list of 200 KB would take the standard package minutes: it is not taken apart."""
    raw = b"Subject: free " + b"x" * 1_000_000 + b"\n" + b"Content-Type: text/plain; " + b'";' * 100_000 + b"\n\nbody"
    assert texts(raw, "subject")[0].startswith("free xxx")
    assert len(texts(raw, "subject")[0]) <= 20_000


def test_a_large_attachment_is_never_copied() -> None:
    """peers.md, Mail: a 30 MB attachment costs 240 MB elsewhere."""
    size = 30 << 20
    head = MULTIPART + b"\nhello\n--b\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n"
    raw = head + b"QUJD\n" * (size // 5) + b"--b--\n"
    parse_mail(raw)
    tracemalloc.start()
    try:
        document = parse_mail(raw)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20
    assert document == [("subject", "hi"), ("", "hello\n"), ("attachment", "  application/zip large")]


def test_text_is_read_up_to_a_limit() -> None:
    raw = b"Subject: a\n\n" + b"word " * (mail.TEXT_LIMIT // 5 * 3)
    assert sum(len(text) for _, text in parse_mail(raw)) <= mail.TEXT_LIMIT + 10
    many = MULTIPART + (b"\n" + b"word " * 100_000 + b"\n--b\n") * 20
    assert sum(len(text) for _, text in parse_mail(many)) <= 2 * mail.TEXT_LIMIT


def test_what_nobody_foresaw_still_gives_a_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One bad message never stops a folder, and is counted."""

    def broken(raw: bytes) -> None:
        raise RecursionError

    monkeypatch.setattr(mail, "parts", broken)
    assert parse_mail(b"Subject: a\n\nse\xf1or") == [("", "Subject: a\n\nseñor"), FAILED]
    save(tmp_path, {"spam/1": b"free", "ham/1": b"lunch"})
    source = MailFolder(tmp_path)
    assert len(all_of(source)[0]) == 2
    assert source.notes == {mail_folder.AS_TEXT: 2}


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_raise(raw: bytes) -> None:
    assert FAILED not in parse_mail(raw, (*mail.FIELDS, "from", "content-type"))


PIECES = [raw for raw, _, _ in AWKWARD.values()] + [
    b"\n", b"\r\n", b"\n\n", b"--b", b"--b--\n", b"=?", b"?=", b'"', b";", b"Content-Type: ", b"begin 644 x\n", b"\xff",
    b"text/html", b"multipart/mixed; boundary=b\n", b"charset*0*=utf-7''+;", b"Content-Transfer-Encoding: base64\n", b"=",
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=8)), max_size=8))
def test_pieces_of_awkward_mails_never_raise(pieces: list[bytes]) -> None:
    document = parse_mail(b"".join(pieces))
    assert FAILED not in document
    assert all(isinstance(tag, str) and isinstance(text, str) for tag, text in document)


@given(st.binary(max_size=60), st.text(max_size=20))
def test_charset_ladder(data: bytes, declared: str) -> None:
    """peers.md, Mail: declared, then UTF-8, then Latin-1, for any bytes and any name."""
    assert isinstance(decode(data, declared).text, str)
    unknown = decode(data, "x-unknown")
    assert unknown.problem == "unknown x-unknown"
    try:
        expected = data.decode()
    except UnicodeDecodeError:
        expected = data.decode("latin-1")
    assert unknown.text == decode(data).text == expected


def test_a_text_that_a_limit_cuts_inside_a_character_keeps_its_charset() -> None:
    data = "señor".encode() + "ñ".encode()[:1]
    assert decode(data, "utf-8", cut=True) == ("señor", "")
    assert decode(data, "utf-8").problem == "wrong utf-8"


@given(st.binary(max_size=100))
def test_any_header_decodes(raw: bytes) -> None:
    assert isinstance(decode_header(raw).text, str)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
def test_encoded_headers_round_trip(text: str) -> None:
    from email.header import Header

    raw = Header(text, "utf-8", maxlinelen=30).encode().encode()
    assert decode_header(raw).text == text


# --- folders and archives --------------------------------------------------------------------------------------------


def save(root: Path, files: dict[str, bytes]) -> None:
    for name, raw in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)


def pack(path: Path, files: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, raw in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return path


def all_of(source: MailFolder) -> tuple[list[Document], list[str] | None, list[str]]:
    batches: list[Batch] = list(source)
    documents = [document for batch in batches for document in batch.rows]
    ids = [name for batch in batches for name in batch.ids or ()]
    y = None if batches[0].y is None else np.concatenate([batch.y for batch in batches]).tolist()  # type: ignore[misc]
    return documents, y, ids  # type: ignore[return-value]


MAILS = {
    "b/spam/2.eml": b"Subject: two\n\nfree",
    "b/spam/1.eml": b"Subject: one\n\nfree",
    "a/Ham/old/3.eml": b"Subject: three\n\nlunch",
}


def test_folders_named_spam_and_ham_are_labels_wherever_they_are(tmp_path: Path) -> None:
    save(tmp_path, MAILS)
    documents, y, ids = all_of(MailFolder(tmp_path))
    assert ids == ["a/Ham/old/3.eml", "b/spam/1.eml", "b/spam/2.eml"]
    assert y == ["ham", "spam", "spam"]
    assert documents[1] == [("subject", "one"), ("", "free")]


def test_the_nearest_labelled_folder_counts(tmp_path: Path) -> None:
    save(tmp_path, {"spam/ham/1": b"a b", "ham/spam/deep/2": b"a b"})
    assert all_of(MailFolder(tmp_path))[1] == ["spam", "ham"]


@pytest.mark.parametrize("packed", [False, True])
def test_other_folders_are_labels_where_there_are_no_such(tmp_path: Path, packed: bool) -> None:
    files = {"news/sci.space/1": b"a", "news/sci.space/x/2": b"b", "news/rec.autos/3": b"c"}
    save(tmp_path, files)
    source = MailFolder(pack(tmp_path / "n.tar.gz", files) if packed else tmp_path / "news")
    documents, y, ids = all_of(source)
    found = {name.split("news/")[-1]: label for name, label in zip(ids, y or [], strict=True)}
    assert found == {"sci.space/1": "sci.space", "sci.space/x/2": "sci.space", "rec.autos/3": "rec.autos"}


def test_labels_can_be_named(tmp_path: Path) -> None:
    save(tmp_path, {"good/1": b"a", "bad/2": b"b", "other/3": b"c"})
    source = MailFolder(tmp_path, labels=["good", "bad"])
    assert all_of(source)[1] == ["bad", "good"]
    assert source.notes == {mail_folder.OUTSIDE: 1}
    with pytest.raises(DataError, match="no labelled folders named ugly"):
        list(MailFolder(tmp_path, labels=["ugly"]))


def test_without_labels(tmp_path: Path) -> None:
    """labelled=False gives every mail; "auto" gives labels only where folders tell mails apart."""
    save(tmp_path, {"spam/1": b"a", "2": b"b"})
    assert all_of(MailFolder(tmp_path, labelled=False))[1:] == (None, ["2", "spam/1"])
    save(tmp_path / "flat", {"1": b"a", "2": b"b"})
    assert all_of(MailFolder(tmp_path / "flat"))[1] is None
    with pytest.raises(DataError, match="found no labelled folders; expected raw mails in folders"):
        list(MailFolder(tmp_path / "flat", labelled=True))


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"])
def test_archives(tmp_path: Path, suffix: str) -> None:
    """In the order of the archive, twice the same, with the labels of the folders."""
    mode = {".tar": "w", ".tar.xz": "w:xz", ".tar.bz2": "w:bz2"}.get(suffix, "w:gz")
    files = {**MAILS, "b/index.csv": b"path,label", "a/cmds": b"mv", "a/Ham/.hidden": b"x"}
    source = MailFolder(pack(tmp_path / f"mails{suffix}", files, mode))
    for _ in range(2):
        documents, y, ids = all_of(source)
        assert ids == list(MAILS)
        assert y == ["spam", "spam", "ham"]
        assert documents[0] == [("subject", "two"), ("", "free")]
        assert source.notes == {mail_folder.NO_MAIL: 3}
    assert source.bytes_read == source.bytes_total == (tmp_path / f"mails{suffix}").stat().st_size


def test_batches_and_progress(tmp_path: Path) -> None:
    save(tmp_path, {f"spam/{number:03}": b"Subject: x\n\ny" for number in range(7)} | {"ham/a": b"z"})
    source = MailFolder(tmp_path, batch_size=3)
    assert [len(batch.rows) for batch in source] == [3, 3, 2]
    assert source.bytes_read == source.bytes_total == 7 * 13 + 1
    assert source.recipe() == {"format": "mail", "fields": list(mail.FIELDS)}


def test_one_mail_from_a_file_and_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, {"spam/one.eml": b"Subject: one\n\nfree"})
    documents, y, ids = all_of(MailFolder(tmp_path / "spam" / "one.eml"))
    assert (documents, y, ids) == ([[("subject", "one"), ("", "free")]], None, ["one.eml"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Subject: two\n\nfree")))
    source = MailFolder("-")
    assert source.one_shot
    assert all_of(source)[0] == [[("subject", "two"), ("", "free")]]
    with pytest.raises(DataError, match="read only once"):
        list(source)


def test_links_and_special_files_are_counted_and_not_followed(tmp_path: Path) -> None:
    save(tmp_path, MAILS)
    (tmp_path / "b" / "spam" / "link.eml").symlink_to(tmp_path / "b" / "spam" / "1.eml")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "b" / "spam" / "pipe")
    source = MailFolder(tmp_path)
    assert len(all_of(source)[2]) == 3
    assert source.notes == {mail_folder.LINKS: 2, mail_folder.NO_MAIL: 1}


def test_unreadable_files_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, MAILS)
    read = mail_folder._read_file

    def refused(path: str) -> bytes:
        if path.endswith("1.eml"):
            raise PermissionError
        return read(path)

    monkeypatch.setattr(mail_folder, "_read_file", refused)
    source = MailFolder(tmp_path)
    assert len(all_of(source)[2]) == 2
    assert source.notes == {mail_folder.UNREADABLE: 1}


def test_names_that_cannot_be_printed(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/spam"
    os.mkdir(folder)
    try:
        with open(folder + b"/caf\xe9.eml", "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (tmp_path / "ham").mkdir()
    assert all_of(MailFolder(tmp_path))[2] == ["spam/caf\ufffd.eml"]


def damaged(tmp_path: Path) -> Path:
    path = pack(tmp_path / "cut.tar.gz", {"spam/1": os.urandom(5000), "ham/2": os.urandom(5000)})
    path.write_bytes(path.read_bytes()[:4000])
    return path


def no_archive(tmp_path: Path) -> Path:
    path = tmp_path / "text.tar"
    path.write_bytes(b"hello " * 200)
    return path


def empty_folder(tmp_path: Path) -> Path:
    save(tmp_path, {"empty/cmds": b"x"})
    return tmp_path / "empty"


BAD_PATHS: list[tuple[Callable[[Path], Path], str]] = [
    (lambda path: path / "none", "there is no such file"),
    (empty_folder, r"found no mail \(files that are no mail, skipped: 1\); expected raw mails in folders named spam"),
    (no_archive, "it is no tar archive, or a damaged one"),
    (damaged, "cut short"),
]


@pytest.mark.parametrize(("make", "message"), BAD_PATHS)
def test_errors_name_the_path_and_what_would_be_right(
    tmp_path: Path, make: Callable[[Path], Path], message: str
) -> None:
    path = make(tmp_path)
    with pytest.raises(DataError, match=message) as caught:
        list(MailFolder(path))
    assert str(path) in str(caught.value)


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="batch_size 0"):
        MailFolder(tmp_path, batch_size=0)
    with pytest.raises(SettingError, match="labelled 'yes'"):
        MailFolder(tmp_path, labelled="yes")


# --- full corpora ----------------------------------------------------------------------------------------------------


def test_every_awkward_mail_yields_features(shared_data: Callable[[str], Path]) -> None:
    """None raises, none falls back to plain text, and each has words or says what is missing."""
    path = shared_data("awkward_dev") / "awkward_dev.tar.xz"
    source = MailFolder(path, labelled=False)
    documents, _, ids = all_of(source)
    without = [name for name, doc in zip(ids, documents, strict=True) if not any(tokens(text) for _, text in doc)]
    assert len(documents) >= 467
    assert mail_folder.AS_TEXT not in source.notes
    assert without == []


def test_labels_of_the_corpora(shared_data: Callable[[str], Path]) -> None:
    for name, expected in [("csdmc2010_dev", {"ham": 2043, "spam": 957}), ("mini_newsgroups", {"sci.med": 100})]:
        _, y, _ = all_of(MailFolder(shared_data(name) / f"{name}.tar.xz"))
        found = Counter(y)
        assert {label: found[label] for label in expected} == expected
