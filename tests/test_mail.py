"""Raw mail → documents: every awkward mail gives features, none raises, and folders and archives give labels."""

from __future__ import annotations

import base64
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.mailtext import mail, mime
from rosenblatt.mailtext.fields import FAILED
from rosenblatt.mailtext.mail import RUN_LIMIT, TAG_LIMIT, parse, read_html
from rosenblatt.mailtext.mime import decode, decode_header
from rosenblatt.mailtext.tokens import tokens


def words(raw: bytes, tag: str = "") -> list[str]:
    """All tokens of one field of a mail."""
    return [word for name, text in parse(raw) if name == tag for word in tokens([("", text)])]


def texts(raw: bytes, tag: str) -> list[str]:
    return [text for name, text in parse(raw) if name == tag]


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
    "half of a pair": (b"Subject: =?utf-7?Q?a+2AA-b?=\n\n", "subject", ["a", "b"]),
    "unknown encoding": (b"Content-Transfer-Encoding: x-none\n\nfree money", "", ["free", "money"]),
    "unknown type": (b"Content-Type: nonsense\n\nfree money", "", ["free", "money"]),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_mail(name: str) -> None:
    """peers.md, Mail: unknown charsets, malformed ids, and what else breaks parsers."""
    raw, tag, expected = AWKWARD[name]
    found = words(raw, tag)
    assert set(expected) <= set(found)
    assert FAILED not in parse(raw)


def test_absence_is_a_feature() -> None:
    nothing = [("", ""), ("missing", "subject"), ("missing", "body")]
    assert parse(b"") == parse(b"\n\n\n") == parse(b"To: x\n\n") == nothing
    assert parse(b"Subject: \n\nhi") == [("subject", ""), ("", "hi")]


def test_what_readers_do_not_see_is_no_text() -> None:
    html = (
        b"Content-Type: text/html\n\n<style>p{color:red}</style><!-- secret --><p class=c1>seen<script>var q</script>"
    )
    assert words(html) == ["seen"]
    assert {"class", "c1"} <= set(words(html, "html"))


def test_block_tags_end_a_word_and_others_do_not() -> None:
    assert tokens([("", read_html("<td>a1</td><td>b1</td>c<i>d</i>e<br>f<!-- -->g")[0])]) == ["a1", "b1", "cde", "fg"]


@pytest.mark.parametrize("page", ["<div>" * (TAG_LIMIT + 1) + "deep", "<a " + "x " * RUN_LIMIT + ">deep&amp;"])
def test_pages_on_which_the_parser_takes_quadratic_time_are_only_stripped(page: str) -> None:
    assert tokens([("", read_html(page)[0])])[0] == "deep"


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
    assert parse(raw, ("to",)) == [("to", "b"), ("to", "c"), ("", "d")]
    assert [tag for tag, _ in parse(raw)] == ["subject", "", "html", "charset"]
    assert parse(b"\nd", ("to", "missing")) == [("", "d"), ("missing", "to")]


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
    assert FAILED not in parse(raw)
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
    parse(raw)
    tracemalloc.start()
    try:
        document = parse(raw)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20
    assert document == [("subject", "hi"), ("", "hello\n"), ("attachment", "  application/zip large")]


def test_text_is_read_up_to_a_limit() -> None:
    raw = b"Subject: a\n\n" + b"word " * (mail.TEXT_LIMIT // 5 * 3)
    assert sum(len(text) for _, text in parse(raw)) <= mail.TEXT_LIMIT + 10
    many = MULTIPART + (b"\n" + b"word " * 100_000 + b"\n--b\n") * 20
    assert sum(len(text) for _, text in parse(many)) <= 2 * mail.TEXT_LIMIT


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_raise(raw: bytes) -> None:
    assert FAILED not in parse(raw, (*mail.FIELDS, "from", "content-type"))


PIECES = [raw for raw, _, _ in AWKWARD.values()] + [
    b"\n", b"\r\n", b"\n\n", b"--b", b"--b--\n", b"=?", b"?=", b'"', b";", b"Content-Type: ", b"begin 644 x\n", b"\xff",
    b"text/html", b"multipart/mixed; boundary=b\n", b"charset*0*=utf-7''+;", b"Content-Transfer-Encoding: base64\n",
    b"=",
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=8)), max_size=8))
def test_pieces_of_awkward_mails_never_raise(pieces: list[bytes]) -> None:
    document = parse(b"".join(pieces))
    assert FAILED not in document
    assert all(isinstance(tag, str) and isinstance(text, str) for tag, text in document)


@given(st.binary(max_size=60), st.text(max_size=20))
def test_charset_ladder(data: bytes, declared: str) -> None:
    """peers.md, Mail: declared, then UTF-8, for any bytes and any name; never fails, whatever the bytes."""
    assert isinstance(decode(data, declared).text, str)
    unknown = decode(data, "x-unknown")
    assert unknown.problem == "unknown x-unknown"
    try:
        expected = data.decode()
    except UnicodeDecodeError:
        expected = data.decode("utf-8", mime.FOREIGN)
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
