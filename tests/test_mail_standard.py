"""What is read here in a fraction of the time, against the standard package and the rules themselves."""

from __future__ import annotations

import random
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_tz
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.mailtext import mail, mime
from rosenblatt.mailtext.content import STRUCTURED, parameter
from rosenblatt.mailtext.headers import DATED, _when

TYPES = [
    "text/plain", "TEXT/Html", "multipart/mixed", "inline", "attachment", "a/b/c", "text", "", " ", ";",
    "charset=", "=",
    "CharSet=us-ascii", "boundary=", "name=", "filename=", '"a b.pdf"', '""', '"', "<x>", '"<x>"', "utf-8",
    "x ", "\n\t",
    "filename*=utf-8''%41", "name*0=a", "name*1=b", "(c)", "'", "\\", "\xe9", "=?utf-8?q?a?=", "----=_x.1", "charset=b",
]  # fmt: skip
METHODS = ("get_content_type", "get_content_disposition", "get_filename", "get_boundary", "get_content_charset")
VALUE = st.none() | st.lists(st.sampled_from(TYPES), max_size=8).map("".join) | st.sampled_from(
    ['text/plain; charset="utf-8"; name="a b.pdf"', "attachment; filename=b.pdf;", "a/b;boundary=x;boundary=y"]
)  # fmt: skip


@given(VALUE, VALUE)
def test_parameters(kind: str | None, disposition: str | None) -> None:
    message, headers = Message(), {}
    for name, value in zip(STRUCTURED, (kind, disposition), strict=True):
        if value is not None:
            message[name] = value
            headers[name] = [value.encode()]
    for method in METHODS:
        try:
            expected: Any = getattr(message, method)()
        except Exception:
            expected = None
        found = parameter(headers, method, "default")
        assert found == (expected or "") or (found == "default" and not isinstance(expected, str)), method


LINES = [
    b"From: a@b", b"Subject : x", b"SUBJECT:", b" folded", b"\tmore: less", b"X-A:b:c", b"", b"no header", b"\xe9: x",
    b"To: \xe9", b"Subject:\t y ", b"a\0: b",
]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])), max_size=8))
def test_headers(lines: list[tuple[bytes, bytes]]) -> None:
    block = b"".join(mime.PROPER.findall(b"".join(map(b"".join, lines))))
    message = BytesHeaderParser().parsebytes(mime.SPACED.sub(rb"\1:", block))
    expected = [(name, str(value).encode("utf-8", "surrogateescape")) for name, value in message.raw_items()]
    assert mime._split(block) == expected


PIECES = [
    "v1agra", "fr*ee", "f r e e", "a b c", "f.r.e.e", "sooo", "!!", "www.", "FREE", "Xxx", "a@b1c", "\u0442",
    "x\u200by", "$$", " ", "\n", "\x1c", "\u3000", "-", "_", "\xe9", "IIII", "(so)", '"F-', "e\u00ade",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=9))
def test_signs_of_pieces_are_those_of_the_text(parts: list[str]) -> None:
    for text in ("".join(parts), " ".join(parts)):
        looks = mail.ODD if text.isascii() else mail.ODD | mail.ODD_LETTERS
        expected = {name for name, look in {**looks, "words": mail.SHOUTED}.items() if look.search(text)}
        assert mail.shown(text) == expected | ({"spaced"} if mail.APART.search(text) else set())


def test_dates() -> None:
    usual, edits = (
        "Thu, 22 Aug 2002 18:26:25 +0700 (ICT)",
        ["", "a", "0", "9", " ", ",", "-", "+", "Jun", ":", "\t", "12"],
    )
    draw, same = random.Random(1), 0
    for _ in range(20_000):
        text = list(draw.choice([usual, "2 Feb 1999 09:01 -0530", "Mon, 31 Dec 2001 23:59:59 -0000"]))
        for _ in range(draw.randint(0, 3)):
            place = draw.randrange(len(text))
            text[place : place + draw.randint(0, 1)] = draw.choice(edits)
        date = "".join(text)
        if DATED.match(date):
            parsed: Any = parsedate_tz(date)
            if parsed is None:
                pytest.raises(TypeError, _when, date)
            else:
                assert _when(date) == (*parsed[:3], parsed[9]), date
                same += 1
    assert same > 5000


@pytest.mark.parametrize("text", ["", "plain", "two\r\n lines", "cr\rhere", "=?utf-8?q?a=20b?=", "é", "=?x"])
def test_header_text(text: str) -> None:
    """What is plain ASCII takes a shorter way to the same."""
    assert mime.decode_header(text.encode()).text == mime.decode_header(text.encode() + "é".encode()).text.removesuffix(
        "é"
    )
