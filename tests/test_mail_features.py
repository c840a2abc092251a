"""Raw mail → columns: the names of each group against a plain reading, what is safe, and what is bounded."""

from __future__ import annotations

import lzma
import os
import pickle
import random
import subprocess
import sys
import tarfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.hashing import Hashing
from rosenblatt.mail.features import DEFAULT, GROUPS, MOST, SAFE, Look, Looked, known
from rosenblatt.mailtext import parse, tokens

MAIL = b"""Received: from mx.example.org by collector
From: "Ann B" <ann@mail.example.org>
To: bob@example.net
Cc: eve@example.net
Reply-To: ann@elsewhere.example
Subject: FREE money
Date: Thu, 22 Aug 2002 18:26:25 +0700
Message-ID: <20020822.GA17@mail.example.org>
In-Reply-To: <7@example.net>
X-Mailer: Outlook 9
X-Priority: 1
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_b_1"

--=_b_1
Content-Type: text/html; charset=x-none

<p class=big>free money, don't w a i t ! FREE <a href="http://www.shop.example/login/now">v1agra</a> ,it
begins here. and here. and there. and ends</p>
--=_b_1
Content-Type: application/pdf; name="report.pdf"
Content-Transfer-Encoding: base64

AAAA
--=_b_1--
"""
FIRST, ALL = Look(), Look(GROUPS)


def plain(name: str, bits: int) -> int:
    """The column of a name, step by step."""
    h = crc32(name.encode("utf-8", "surrogatepass"))
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = (h ^ (h >> shift)) * factor % 2**32
    return (h ^ (h >> 16)) % 2**bits


def printed(code: str, **environment: str) -> str:
    """What a new Python prints."""
    command, around = [sys.executable, "-c", code], {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=around).stdout


def columns_of(look: Look, raw: bytes) -> array[int]:
    return array("I", sorted({plain(name, look.bits) for names in look.names(raw).values() for name in names}))


NAMES = {
    "senders": [],
    "headers": [
        "from:ann", "from:ann@mail.example.org", "from:@mail.example.org", "has:from", "to:bob@example.net",
        "to:eve@example.net", "has:cc", "has:reply-to", "reply-to:@elsewhere.example", "headers.reply:other",
        "x-mailer:outlook", "x-mailer:9", "x-priority:1", "mime-version:1.0", "content-type:multipart/mixed",
        "has:in-reply-to", "in-reply-to:@example.net", "id:0+.A+0+", "id:@mail.example.org", "date:+0700",
        "date:18", "date:Thu", "date:a, 0 a 0 0:0:0 +0", "sender:example.org", "headers.type:multipart",
    ],
    "style": ["capitals.subject:30%", "capitals.subject:words",
        "capitals.body:5%", "capitals.body:words", "shouted:FREE"],
    "attachments": ["attachment:report.pdf", "attachment:pdf", "attachment:application/pdf", "attachment:1k"],
    "links": ["links:www.shop.example", "links:shop.example", "links.path:login", "links.path:now"],
    "markup": ["tag:p", "tag:a", "attribute:class", "attribute:href"],
    "words": ["free", "money", "don't", "don", "subject:money", "first:free", "first:t"],
    "ngrams": ["4:FREE", "4:EE m", "4:ann@", '4:y\n"A'],
    "spelling": ["spelling.body:digits", "spelling.body:spaced", "charset:unknown", "charset:x-none"],
    "grammar": ["grammar.body:small30%", "grammar.body:before"],
    "bodygrams": ["4:free", "4:e mo", "4:n't "],
    "pairs": ["1:free+money", "2:free+free", "1:money+don't"],
}  # fmt: skip


@pytest.mark.parametrize("group", GROUPS)
def test_each_group_can_be_switched(group: str) -> None:
    names = ALL.names(MAIL)
    assert set(NAMES[group]) <= names[group]
    assert Look([group]).names(MAIL) == {group: names[group]}
    rest = ALL.without(group)
    assert rest.names(MAIL) == {other: names[other] for other in GROUPS if other != group}
    assert Look([group])(MAIL).columns == columns_of(Look([group]), MAIL)
    assert rest(MAIL).columns == columns_of(rest, MAIL)


def test_names_that_are_none() -> None:
    """A boundary is new in every mail, a hop is the collector's."""
    names = set().union(*ALL.names(MAIL).values())
    assert not [name for name in names if "=_b_1" in name or "hops" in name or "collector" in name]
    assert ALL.names(b"")["headers"] == set() and "missing:body" in ALL.names(b"")["spelling"]


def test_words_and_worked_out_fields_are_those_of_mailtext() -> None:
    document = parse(
        MAIL, ("subject", "capitals", "spelling", "grammar", "charset", "links", "links.path", "attachment")
    )
    body = [("", text) for tag, text in document if tag in ("", "subject")]
    words = ALL.names(MAIL)["words"]
    assert {name for name in words if not name.startswith("first:")} == set(
        tokens([*body, *(field for field in document if field[0] == "subject")])
    )
    made = {f"{tag}:{word}" for tag, text in document if tag not in ("", "subject") for word in text.lower().split()}
    listed = set().union(
        *(ALL.names(MAIL)[group] for group in ("style", "spelling", "grammar", "links", "attachments"))
    )
    assert made == {name for name in listed if not name.startswith("shouted:")}


def test_columns_are_the_same_everywhere() -> None:
    """Written down once; and a name has the column that `Hashing` gives it."""
    columns = {"free": 223350, "subject:free": 624811, "4:\u20ac\ud800x\U0001f600": 210384, "": 0}
    for name, column in columns.items():
        assert Look(bits=20).column(name) == plain(name, 20) == Hashing(20).column(name) == column
        assert Look(bits=4).column(name) == column % 16
    code = f"from rosenblatt.mail.features import Look, GROUPS; print(Look(GROUPS)({MAIL!r}).columns)"
    assert {printed(code, PYTHONHASHSEED=seed) for seed in ("1", "2")} == {f"{ALL(MAIL).columns}\n"}


def test_a_plain_mail_loads_no_library() -> None:
    """The filter has 100 ms for a mail in a new process."""
    raw = MAIL.replace(b"text/html", b"text/plain").replace(b"<", b" ")
    code = f"import sys; from rosenblatt.mail.features import Look; Look()({raw!r}); print(*sys.modules)"
    assert not {"numpy", "numba", "email", "selectolax", "click", "sklearn"} & set(printed(code).split())


FORGED = [
    b"X-Spam-Status: Yes, score=99", b"X-Spam-Flag: YES", b"X-Bogosity: Spam", b"Status: RO", b"X-Keywords: junk",
    b"Received: from a by b\n\twith folds; Thu, 22 Aug 2002 18:26:25 +0700", b"Return-Path: <spam@example.com>",
    b"Delivered-To: bob@example.com", b"List-Id: <x.example>", b"List-Unsubscribe: <mailto:x@example.com>",
    b"Authentication-Results: mx.example.org; spf=fail", b"X-Anything: words of some filter", b"Sender: x@example.com",
    b"DKIM-Signature: v=1; a=rsa-sha256",
]  # fmt: skip


@pytest.mark.parametrize("line", FORGED)
def test_what_others_add_changes_nothing(line: bytes) -> None:
    forged = ALL(line + b"\n" + MAIL), ALL(MAIL.replace(b"\nDate", b"\n" + line + b"\n" + line + b"\nDate"))
    assert [looked == ALL(MAIL) for looked in forged] == [True, True]
    assert not any(line.lower().startswith(name.encode() + b":") for name in SAFE)


def test_results_count_where_a_trusted_server_wrote_them() -> None:
    def named(*lines: bytes) -> set[str]:
        look = Look(["headers"], trusted=["MX.example.org"])
        return {name for name in look.names(b"\n".join([*lines, MAIL]))["headers"] if name.startswith("auth:")}

    ours = b"Authentication-Results: mx.example.org 1;\n spf=pass smtp.mailfrom=a.example;\n dkim=FAIL (bad)"
    assert named(ours) == {"auth:spf=pass", "auth:dkim=fail"}
    assert named(b"Authentication-Results: mx.example.com; spf=pass") == named(b"Authentication-Results:") == set()
    assert named(b"Authentication-Results: other; spf=none", ours, ours.replace(b"pass", b"fail")) == named(ours)
    assert Look(["words"], trusted=["mx.example.org"]).names(ours + b"\n" + MAIL).keys() == {"words"}


def test_line_ends_do_not_matter() -> None:
    assert ALL(MAIL.replace(b"\n", b"\r\n")) == ALL(MAIL)


def test_a_mail_has_at_most_so_many_columns() -> None:
    """The first groups are whole; of the words, those with the lowest columns, whichever come first."""
    words = [f"word{i}" for i in random.Random(1).sample(range(30_000), 20_000)]
    head = b"From: ann@example.org\nSubject: hello\n\n"
    looks = [ALL(head + " ".join(order).encode()) for order in (words, words[::-1])]
    for looked in looks:
        assert len(looked.columns) == len(set(looked.columns)) == MOST
        assert looked.columns.tolist() == sorted(looked.columns)
        assert looked.dropped > 10_000
        assert set(looked.columns) >= set(Look(["headers"])(head).columns)
    first = set(looks[0].columns) - set(Look(["style", "headers"])(head).columns)
    lowest = sorted(Look(["words"], 30).column(word) & 0xFFFFF for word in words)
    assert len(first & set(lowest[:7000])) > 6900
    assert len(first & set(looks[1].columns)) > 7900
    assert ALL(MAIL).dropped == 0


def test_what_is_known_of_a_sender_becomes_columns() -> None:
    sender = FIRST(MAIL).sender
    assert sender == "ann@mail.example.org"
    assert known(sender, {}) == known("", {"": (0, 0)}) == ["known:never"]
    assert known(sender, {sender: (1, 5)}) == ["known.spam:1", "known.ham:1", "known.ham:2", "known.ham:4"]
    more = FIRST.with_names(FIRST(MAIL), ["known:never"])
    assert set(more.columns) - set(FIRST(MAIL).columns) == {FIRST.column("known:never")}
    full = FIRST.with_names(Looked(array("I", range(MOST)), ""), ["known:never"])
    assert len(full.columns) == MOST and FIRST.column("known:never") in full.columns
    assert full.columns.tolist() == sorted(set(full.columns))


def test_settings() -> None:
    look = Look(["words", "headers", "words"], 10, ["A.example"])
    assert look.groups == ("headers", "words") and max(look(MAIL).columns) < 1024
    again = pickle.loads(pickle.dumps(look))
    assert (again.groups, again.bits, again.trusted, again(MAIL)) == (look.groups, 10, ("a.example",), look(MAIL))
    assert FIRST.groups == DEFAULT
    with pytest.raises(SettingError, match="groups 'word' is unknown; it must be one of headers, senders, style"):
        Look(["word"])
    for bits in (0, 31):
        with pytest.raises(SettingError, match=f"bits {bits} is out of range; it must be 1 to 30"):
            Look(bits=bits)


@given(
    st.binary(max_size=300), st.sampled_from([b"", MAIL[:400], MAIL, MAIL.replace(b"\n", b"\r")]), st.integers(0, 400)
)
def test_any_bytes_give_columns(raw: bytes, mail: bytes, place: int) -> None:
    broken = mail[:place] + raw + mail[place:]
    looked = ALL(broken)
    assert looked.columns == columns_of(ALL, broken) and "missing" not in looked.sender


HOSTILE = {
    "words": b"\n\n" + b" ".join(b"w%d" % i for i in range(200_000)),
    "one word": b"\n\n" + b"a" * 2_000_000,
    "signs": b"\n\n" + b"x.a1b." * 300_000,
    "pieces of one letter": b"\n\n" + b"a b " * 500_000,
    "Message-ID": b"Message-ID: <" + b"aA0" * 100_000 + b"@x>\n\n",
    "From": b"From: " + b"a@b, " * 50_000 + b"\n\n",
    "Date": b"Date: " + b"1" * 100_000 + b"\nSubject: x\n\n",
    "headers": b"From: a@b.example\n" * 20_000 + b"\nx",
    "results": b"Authentication-Results: a;" + b" x=y;" * 50_000 + b"\nSubject: x\n\n",
    "links": b"\n\n" + b"http://a.b.c.example/x/y " * 40_000,
    "markup": b"Content-Type: text/html\n\n" + b"<a href=x " * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mails_take_bounded_time(name: str) -> None:
    start = time.process_time()
    looked = Look(GROUPS, trusted=["a"])(HOSTILE[name])
    assert time.process_time() - start < 10  # 2 s at most on one machine; what is quadratic would take minutes
    assert len(looked.columns) <= MOST


def test_every_awkward_mail_gives_columns(shared_data: Callable[[str], Path]) -> None:
    path = shared_data("awkward_dev") / "awkward_dev.tar.xz"
    with lzma.open(path) as plain_tar, tarfile.open(fileobj=plain_tar) as archive:
        raws = [file.read() for member in archive if (file := archive.extractfile(member)) is not None]
    assert len(raws) > 400
    for raw in raws:
        looked = ALL(raw)
        assert 0 < len(looked.columns) <= MOST
        if looked.dropped == 0 and len(raw) < 100_000:
            assert looked.columns == columns_of(ALL, raw)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"groups": "words"}, "groups='words' must be names in a list"),
        ({"groups": [1]}, "groups=[1] must be names in a list"),
        ({"trusted": "mx.example.org"}, "trusted='mx.example.org' must be names in a list"),
        ({"bits": True}, "bits=True must be a whole number from 1 to 30"),
        ({"bits": 20.5}, "bits=20.5 must be a whole number from 1 to 30"),
        ({"bits": "20"}, "bits='20' must be a whole number from 1 to 30"),
    ],
)
def test_a_look_of_other_kinds_is_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError) as error:
        Look(**words)
    assert str(error.value) == said


def test_a_mail_is_bytes() -> None:
    for mail in ("From: a", None, bytearray(b"From: a")):
        with pytest.raises(DataError, match="found a mail of type .*; expected its bytes"):
            Look()(mail)  # type: ignore[arg-type]
    assert Look(bits=np.int64(20)).bits == 20
