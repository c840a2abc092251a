"""A mail and the filter's headers: against a plain reading line by line, what parsers make of it, what is written."""

from __future__ import annotations

import email
import re
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mails import odd_mails, raws
from rosenblatt.datasets import path
from rosenblatt.mail import Look, Opinion
from rosenblatt.mail.rewriting import LONGEST, NAMES, STYLES, headers_for, rewritten

OURS = {"X-Spam-Status": "No", "X-Spam-Score": "-1.0"}
ADDED = b"X-Spam-Status: No\nX-Spam-Score: -1.0\n"
CRLF, CR = ADDED.replace(b"\n", b"\r\n"), ADDED.replace(b"\n", b"\r")
FROM = b"From a@b Thu Aug 22 12:36:23 2002\n"


def naive(raw: bytes, ours: Mapping[str, str]) -> bytes:
    """Line by line."""
    mark = b"\r" if b"\r" in raw and b"\n" not in raw else b"\n"
    lines = [line for line in re.split(rb"(?<=" + mark + b")", raw) if line]
    first = int(bool(lines) and lines[0].startswith(b"From "))
    while first < len(lines) and lines[first][:1] in (b" ", b"\t"):
        first += 1
    kept: list[bytes] = []
    headers, taken = True, False
    for line in lines[first:]:
        name = re.match(rb"[!-9;-~]+(?=[ \t]*:)", line)
        folded = taken and line[:1] in (b" ", b"\t")
        if line in (mark, b"\r\n") or not (kept or name or folded or re.match(b">+From ", line)):
            headers = False
        taken = headers and (name[0].decode().title() in NAMES if name else folded)
        kept += [] if taken else [line]
    ended = [line for line in lines[first:] + lines[:1] if line.endswith(b"\n")]
    end = mark if mark == b"\r" else b"\r\n" if ended and ended[0].endswith(b"\r\n") else b"\n"
    top = b"".join(lines[:first])
    top += end if top and not top.endswith(mark) else b""
    return top + b"".join(f"{name}: {value}".encode() + end for name, value in ours.items()) + b"".join(kept)


@given(odd_mails(), st.sampled_from([OURS, {"X-Bogosity": "Ham, x"}]))
def test_a_plain_reading_writes_the_same(raw: bytes, ours: dict[str, str]) -> None:
    out = rewritten(raw, ours)
    assert out == naive(raw, ours)
    assert rewritten(out, ours) == out


CASES = {
    "mail": (b"Subject: a\n\nb\n", ADDED + b"Subject: a\n\nb\n"),
    "empty": (b"", ADDED),
    "no blank line": (b"Subject: a", ADDED + b"Subject: a"),
    "body only": (b"hello", ADDED + b"hello"),
    "body that begins with a blank line": (b"\n\nX-Spam-Flag: YES\n", ADDED + b"\n\nX-Spam-Flag: YES\n"),
    "text with such a line": (b"He wrote\nX-Spam-Flag: YES\n", ADDED + b"He wrote\nX-Spam-Flag: YES\n"),
    "its own, and text": (ADDED + b"He wrote\nX-Spam-Flag: YES\n", ADDED + b"He wrote\nX-Spam-Flag: YES\n"),
    "CRLF": (b"A: a\r\nX-Spam-Flag: YES\r\n\r\nb", CRLF + b"A: a\r\n\r\nb"),
    "CR": (b"A: a\rX-Spam-Flag: YES\r\rX-Spam-Flag: b\r", CR + b"A: a\r\rX-Spam-Flag: b\r"),
    "a CR among LF": (b"A: a\rX-Spam-Flag: YES\n\n", ADDED + b"A: a\rX-Spam-Flag: YES\n\n"),
    "mbox": (FROM + b"A: a\n", FROM + ADDED + b"A: a\n"),
    "LF before CRLF": (FROM + b"A: a\r\n", FROM + CRLF + b"A: a\r\n"),
    "mbox in mbox": (FROM + b">From x\nX-Spam-Flag: YES\nA: a\n", FROM + ADDED + b">From x\nA: a\n"),
    "only From": (b"From x", b"From x\n" + ADDED),
    "folded": (b"A: a\nX-Spam-Flag: YES\n 1\n\t2\nB: b\n c\n\n d", ADDED + b"A: a\nB: b\n c\n\n d"),
    "folded first": (FROM + b"\tx\nA: a\n", FROM + b"\tx\n" + ADDED + b"A: a\n"),
    "indented": (b"  x", b"  x\n" + ADDED),
    "forged behind a broken line": (b"A: a\nbroken\nx-bogosity : Ham\nB: b\n\nc", ADDED + b"A: a\nbroken\nB: b\n\nc"),
    "alike": (b"X-Spam-Status-X: a\nX-Spam: b\n\n", ADDED + b"X-Spam-Status-X: a\nX-Spam: b\n\n"),
    "bytes": (b"A: \0\xff\n\n\0\xff\x80\r", ADDED + b"A: \0\xff\n\n\0\xff\x80\r"),
}


@pytest.mark.parametrize("name", CASES)
def test_by_hand(name: str) -> None:
    raw, out = CASES[name]
    assert rewritten(raw, OURS) == out == naive(raw, OURS)


@given(odd_mails() | st.binary(max_size=50))
def test_without_ours_it_is_the_mail_again(raw: bytes) -> None:
    assume(not any(name.lower().encode() in raw.lower() for name in NAMES))
    out = rewritten(raw, OURS)
    (added,) = (form for form in (ADDED, CRLF, CR) if form in out)
    before, _, after = out.partition(added)
    assert before + after == raw or (not after and before in (raw + b"\n", raw + b"\r\n", raw + b"\r"))


@given(odd_mails((b"\n", b"\r\n")) | odd_mails((b"\r",)))
def test_a_parser_reads_what_is_written(raw: bytes) -> None:
    message = email.message_from_bytes(rewritten(raw, OURS))
    assert {name: message.get_all(name) for name in OURS} == {name: [value] for name, value in OURS.items()}


def is_as_before(raw: bytes, ours: dict[str, str]) -> None:
    out = rewritten(raw, ours)
    assert out == naive(raw, ours)
    assert rewritten(out, ours) == out
    message = email.message_from_bytes(out)
    assert [message.get_all(name) for name in ours] == [[value] for value in ours.values()]


def test_the_shipped_mails() -> None:
    """Their columns stay: a mail says the same before and after the filter."""
    mails, look = raws(path("mails")), Look()
    assert len(mails) == 1000
    for number, raw in enumerate(mails.values()):
        is_as_before(raw, OURS)
        assert number % 5 or look(rewritten(raw, OURS)) == look(raw)


def test_awkward_mails(shared_data: Callable[[str], Path]) -> None:
    mails = raws(shared_data("awkward_dev") / "awkward_dev.tar.xz")
    assert len(mails) > 400
    for raw in mails.values():
        is_as_before(raw, {"X-Bogosity": "Ham, tests=bogofilter"})


LONG = {
    "body": b"Subject: a\n\n" + b"x y z\n" * 500_000,
    "one line": b"x" * 3_000_000,
    "headers": b"X-Spam-Flag: YES\n" * 180_000,
    "folded": b"X-Spam-Flag: YES\n" + b" x\n" * 1_000_000,
    "indented": b" x\n" * 1_000_000,
    "returns": b"\r" * 3_000_000,
    "blanks": b"X-Spam-Flag" + b" " * 3_000_000,
    "names": b"X-Spam-Flag" * 300_000 + b"\n",
    "every second": b"A:\nX-Bogosity:\n" * 200_000,
}


@pytest.mark.parametrize("name", LONG)
def test_time_is_linear(name: str) -> None:
    start = time.process_time()
    rewritten(LONG[name], OURS)
    assert time.process_time() - start < 2  # .04 s on one machine; what is quadratic would take hours


def test_memory_is_bounded() -> None:
    raw = LONG["every second"]
    tracemalloc.start()
    rewritten(raw, OURS)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(raw)
    tracemalloc.stop()


# --- what is written -------------------------------------------------------------------------------------------------


def test_what_recipes_match() -> None:
    """In the words of common recipes: procmail's and maildrop's conditions, sieve's `spamtest`."""
    spam, unsure = Opinion(4.23, 0.99871, "spam"), Opinion(3.97, 0.5, "unsure")
    values = headers_for(spam, 3.98)
    assert re.match(r"Yes, score=4\.2 required=4\.0 ", values.pop("X-Spam-Status"))
    assert values == {"X-Spam-Flag": "YES", "X-Spam-Score": "4.2"}
    values = headers_for(unsure, 3.98)
    assert re.match(r"No, score=3\.9 required=4\.0 verdict=unsure ", values.pop("X-Spam-Status"))
    assert values == {"X-Spam-Score": "3.9"}
    for opinion in (spam, unsure, Opinion(-1.0, 0.001, "ham")):
        (value,) = headers_for(opinion, 3.98, "bogofilter").values()
        begin = f"{opinion.verdict.capitalize()}, tests=bogofilter, spamicity={opinion.probability:.6f}, "
        assert value.startswith(begin)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.floats(0.0, 1.0), st.sampled_from(sorted(STYLES)))
@example(3.96, 3.98, 0.5, "spam")
@example(3.9800001, 3.98, 0.5, "spam")
def test_any_opinion_is_a_line(score: float, threshold: float, probability: float, style: str) -> None:
    opinion = Opinion(score, probability, "spam" if score > threshold else "unsure")
    values = headers_for(opinion, threshold, style)
    assert set(values) <= set(NAMES) and max(map(len, values.values())) < 100
    assert rewritten(b"", values).count(b"\n") == len(values)
    if numbers := re.search(r"score=(-?\d+\.\d) required=(-?\d+\.\d) ", values.get("X-Spam-Status", "")):
        assert (float(numbers[1]) >= float(numbers[2])) == (opinion.verdict == "spam")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Subject", "x"),
        ("X-Bogosity", "a\nb"),
        ("X-Bogosity", "ä"),
        ("X-Bogosity", "\0"),
        ("X-Bogosity", "x" * LONGEST),
    ],
)
def test_only_lines_of_ours_are_written(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="expected one of X-Spam-Status, "):
        rewritten(b"Subject: a\n\nb", {name: value})
