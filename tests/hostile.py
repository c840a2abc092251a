"""Mails as nobody means them, of any size and broken in any place, and what holds of every mail whatever is in it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import count

from hypothesis import strategies as st

from mails import ODD_LINES
from rosenblatt.features import bag
from rosenblatt.mail.bulk import Bulk
from rosenblatt.mail.digest import digest
from rosenblatt.mail.features import GROUPS, MOST, Look
from rosenblatt.mail.filtering import filtered
from rosenblatt.mail.rewriting import headers_for
from rosenblatt.mail.store.reading import Reader
from rosenblatt.mailtext.fields import FAILED
from rosenblatt.mailtext.headers import header
from test_mail_rewriting import naive

HEAD = b"From: a@b.example\nSubject: s\n"
MULTIPART, HTML = (HEAD + b"Content-Type: %s\n\n" % kind for kind in (b"multipart/mixed; boundary=b", b"text/html"))
ESCAPED = b'--b\nContent-Type: text/plain; a%d="' + b'\\";' * 480 + b"\n\nx\n"
"""A part whose parameters the standard package is asked about."""


def of(unit: bytes | str, head: bytes = HEAD + b"\n") -> Callable[[int], bytes]:
    """A mail of `unit` again and again, as long as is wanted."""
    data = unit.encode() if isinstance(unit, str) else unit
    return lambda size: head + (data * (size // len(data) + 1))[: max(size - len(head), 0)]


def new(unit: bytes, head: bytes = HEAD + b"\n") -> Callable[[int], bytes]:
    """The same with another number in each."""

    def mail(size: int) -> bytes:
        units, left = [head], size - len(head)
        for number in count():
            if left <= 0:
                return b"".join(units)
            x = number * 2654435761 % (1 << 32)
            units.append(unit % ((x,) * unit.count(b"%")))
            left -= len(units[-1])
        raise AssertionError

    return mail


def in_base64(text: bytes, line: int = 76) -> Callable[[int], bytes]:
    def mail(size: int) -> bytes:
        packed = base64.b64encode(of(text)(size * 3 // 4))
        lines = (packed[at : at + line] for at in range(0, len(packed), line))
        return HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"\n".join(lines)

    return mail


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "words": new(b"%x "),
    "words, not ASCII": new("é%xЖ中文 ".encode()),
    "one line": of(b"a"),
    "one word of signs": of(b"a."),
    "Chinese without a blank": of("中"),
    "emoji": of("\U0001f600"),
    "marks on one letter": of("\u0301\u0327\u0323"),
    "ligatures of 18 letters": of("\ufdfa"),
    "NULs": of(b"\0"),
    "bytes of no charset": of(b"\x81\x8d\xff"),
    "a wrong charset": of("中文".encode("gb18030") + b"\xff", HEAD + b"Content-Type: text/plain; charset=gb2312\n\n"),
    "headers": new(b"X-%x: %x\n", HEAD),
    "one header": of(b" a@b.example,\n", HEAD + b"To: x,\n"),
    "encoded words": of(b" =?utf-8?b?YWJj?=\n", b"Subject:"),
    "nested": new(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", HEAD),
    "mails in mails": of(b"Content-Type: message/rfc822\n\n", HEAD),
    "parts": of(b"--b\n\nx\n", MULTIPART),
    "parts with odd parameters": new(ESCAPED, MULTIPART),
    "boundaries to guess": of(b"--" + b"q" * 60 + b"\n", HEAD + b"Content-Type: multipart/mixed\n\n"),
    "tags": new(b"<t%x a%x=1>", HTML),
    "tags in tags": of(b"<div>", HTML),
    "one tag": of(b" a=b", HTML + b"<a"),
    "9,990 tags in tags": lambda size: HTML + (b"<b><i><p>" * 3330)[:size],
    "entities": of(b"&", HTML),
    "base64": in_base64(b"word "),
    "base64 in one line": in_base64(b"<b>x</b>", 1 << 30),
    "base64 of nothing": of(b"-A", HEAD + b"Content-Transfer-Encoding: base64\n\n"),
    "quoted-printable": of(b"a=3D"),
    "uuencoded files": of(b"begin 644 a\n#0V%T\n"),
    "addresses": new(b"a%x@b%x.example, ", b"From: "),
    "links": new(b"http://h%x.example/%x/%x "),
    "links in HTML": new(b"<a href=http://h%x.example/>www.example.com</a>", HTML),
}  # fmt: skip
"""Name → a mail of so many bytes."""

CHARSETS = (b"utf-8", b"us-ascii", b"iso-2022-jp", b"utf-7", b"hz", b"utf-16", b"idna", b"x-none", b"\xff", b"")
CODINGS = (b"base64", b"quoted-printable", b"x-uuencode", b"7bit", b"x-none", b"base64\0", b"")
BODIES = (
    b"free money", b"PGI+eDwvYj4=", b"=41=\n=3D=", b"begin 644 a.exe\n#0V%T\n`\nend\n", b"<html><a href='x",
    b"<p>a&#0;&amp", b"http://a@1.2.3.4:99/%41", b"\0\xff\xfe", "caf\u00e9 \u0301\u0327 \ufdfa 中文".encode(),
    b"\x1b$B$\"", b"~{<:~}", b"a\rb\r\n\r", b"--b\n", b"--b--\n", b"",
)  # fmt: skip
LINES = (
    *ODD_LINES, b"To: a@b, \"c\" <d@e>", b"Date: Mon, 32 Jan 99999 25:61 +9999", b"Message-ID: <@>",
    b"Reply-To: <<>>", b"Subject: =?utf-8?B?w?= =?x?Q?=?=", b"Content-Disposition: attachment; filename*0*=utf-7''+;",
    b"MIME-Version: 1.0", b"Content-Type", b"Content-Type: ;;;=\"", b"From: =?utf-7?Q?a+2AA-b=40x.y?=",
    b"Authentication-Results: a; b=c",
)  # fmt: skip


def broken_mails(size: int) -> st.SearchStrategy[bytes]:
    """Trees of parts that are open, wrongly declared or cut, with foreign bytes in them; up to about `size` bytes."""
    line = st.sampled_from(LINES) | st.binary(max_size=20)
    body = st.sampled_from(BODIES) | st.binary(max_size=60) | st.text(max_size=30).map(
        lambda text: text.encode("utf-8", "surrogatepass"))  # fmt: skip
    kind = st.builds(
        b"Content-Type: %s; charset=%s\nContent-Transfer-Encoding: %s".__mod__,
        st.tuples(*map(st.sampled_from, ((b"text/plain", b"text/html", b"image/x", b""), CHARSETS, CODINGS))),
    )  # fmt: skip
    leaf = st.builds(lambda lines, body: b"\n".join([*lines, b"", body]), st.lists(line | kind, max_size=5), body)
    several = st.sampled_from([b"multipart/mixed; boundary=b", b'multipart/digest; boundary="c', b"message/rfc822"])

    def around(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
        return st.builds(
            lambda lines, kind, parts, mark, end: b"\n".join(
                [*lines, b"Content-Type: " + kind, b"", *(mark + part for part in parts), end]
            ),
            st.lists(line, max_size=3), several, st.lists(inner, max_size=3),
            st.sampled_from([b"--b\n", b"--c\n", b""]), st.sampled_from([b"--b--", b"--c--", b"", b"--b"]),
        )  # fmt: skip

    tree = st.recursive(leaf, around, max_leaves=8)
    large = st.builds(lambda make, size: make(size), st.sampled_from([*HOSTILE.values()]), st.integers(0, size))
    cut = st.builds(
        lambda mail, foreign, at, stop: (mail[: at % (len(mail) + 1)] + foreign + mail[at % (len(mail) + 1) :])[:stop],
        tree | large, st.binary(max_size=8), st.integers(0, size), st.integers(0, 2 * size) | st.none(),
    )  # fmt: skip
    return tree | cut | st.builds(lambda mail: mail.replace(b"\n", b"\r\n"), tree) | large


ALL, BULK = Look(GROUPS, trusted=["a"]), Bulk(Look(GROUPS, trusted=["a"]))
BULK._bag._pieces._seen = bag.MUCH
"""So that the compiled code reads these few, too."""


def assert_sound(raw: bytes, store: str) -> None:
    """A mail is taken apart, alone as among others, and the filter changes nothing in it but its own headers."""
    document = ALL.document(raw)
    assert FAILED not in document
    looked = ALL.looked(document, ALL.read(document, ALL.reading)[0].values())
    (looked.sender + header(raw, "subject")).encode()  # so that a store can keep them
    assert len(looked.columns) <= MOST and BULK.few([raw, b""])[0] == looked
    style = ("spam", "bogofilter")[len(raw) % 2]
    out = filtered(raw, store, "", style)
    with Reader(store) as reader:
        opinion = reader.opinion(reader.looked(raw))
        assert out == naive(raw, headers_for(opinion, reader.scale.threshold, style))
    assert digest(out) == digest(raw)
