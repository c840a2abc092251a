"""Fields of a mail that are worked out: links, capitals, spelling, sender, headers; and who counts as known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import run
from rosenblatt.core.rows import matrix
from rosenblatt.data.batch import AtHand, Batch
from rosenblatt.errors import DataError, ModelError, SettingError
from rosenblatt.features.pipeline import Features, Options
from rosenblatt.features.senders import NAME, Senders, address, read_senders
from rosenblatt.mailtext.fields import FAILED, FIELDS, LATER, MADE, Document, checked, is_made
from rosenblatt.mailtext.grammar import grammar
from rosenblatt.mailtext.headers import addresses
from rosenblatt.mailtext.links import authority, domain, parents, place
from rosenblatt.mailtext.mail import STEPS, capitals, parse, spelling
from rosenblatt.mailtext.tokens import tokens
from rosenblatt.model.model import Model

ALL = ("subject", *MADE)


def found(raw: bytes, field: str) -> dict[str, set[str]]:
    """tag → the words of one field, with those of its parts."""
    out: dict[str, set[str]] = {}
    for tag, text in parse(raw, ALL):
        if tag.split(".")[0] == field:
            out.setdefault(tag, set()).update(text.split())
    return out


def html(source: str) -> bytes:
    return b"Subject: x\nContent-Type: text/html\n\n" + source.encode()


# --- links -----------------------------------------------------------------------------------------------------------

LINKS: list[tuple[bytes, set[str], set[str]]] = [
    (b"Subject: x\n\nsee http://www.Example.com/a?b, ftp://b.de!", {"www.example.com", "example.com", "b.de"}, set()),
    (b"Subject: x\n\nsee WWW.example.com, not awww.example.org", {"www.example.com", "example.com"}, set()),
    (b"Subject: x\n\n<https://a.example.com:8080/>", {"a.example.com", "example.com"}, {"port"}),
    (b"Subject: x\n\nhttps://a.example:443/ http://b.example:80", {"a.example", "b.example"}, set()),
    (html('<a href="http://0x7f.1/">x</a><img src=http://3221226219/i.gif>'), {"0x7f.1", "3221226219"}, {"ip"}),
    (html("<a href='http://192.0.2.7/x'>x</a>"), {"192.0.2.7"}, {"ip"}),
    (html('<a href="http://bank.example@evil.example/">x</a>'), {"evil.example"}, {"user"}),
    (html('<a href="http://e%76il.example/">x</a>'), {"evil.example"}, {"escaped"}),
    (html('<a href="http://xn--e1afmkfd.example/">x</a>'), {"xn--e1afmkfd.example"}, {"punycode"}),
    (html('<a href="h&#116;tp://a.example/">x</a>'), {"a.example"}, set()),
    (html('<a href=" javascript:alert(1)">x</a>'), set(), {"script"}),
    (html('<a href="http://evil.example/">http://www.bank.example.com/login</a>'), {"evil.example"}, {"disguised"}),
    (html('<a href="http://www.bank.co.uk/"><b>bank.co.uk</b></a>'), {"www.bank.co.uk", "bank.co.uk", "co.uk"}, set()),
    (html('<a href="mailto:a@b.example">a@b.example</a><a href="/x">x</a>'), set(), set()),
    (html('<html xmlns="http://www.w3.org/x"><p>no link</p>'), set(), set()),
    (b"Subject: x\n\nno link :// and http:// and ://. at all", set(), set()),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "hosts", "odd"), LINKS)
def test_hosts_of_links_and_what_is_odd_about_them(raw: bytes, hosts: set[str], odd: set[str]) -> None:
    words = found(raw, "links")
    shown = hosts | {"bank.example.com", "www.bank.example.com", "example.com"} if "disguised" in odd else hosts
    assert words.get("links", set()) == shown
    assert words.get("links.odd", set()) == odd
    assert set(words) <= {"links", "links.odd"}


def test_places_and_domains() -> None:
    assert authority("http://a.example/b://c") == "a.example" and authority("mailto:x@y") == ""
    assert place("[::1]:8080") == ("[::1]", ["ip", "port"])
    assert parents("a.b.example.com") == ("a.b.example.com", "b.example.com", "example.com")
    assert parents("192.0.2.7") == ("192.0.2.7",) and parents("") == ()
    assert domain("a.example.co.uk") == "example.co.uk" and domain("a.example.com") == "example.com"
    assert domain("co.uk") == "co.uk"


# --- capitals and spelling -------------------------------------------------------------------------------------------


def test_capitals_are_told_in_steps() -> None:
    assert capitals("body", "ABcd efgh ij") == [("capitals.body", "5% 10% 20%")]
    assert capitals("subject", "GET FREE MONEY") == [("capitals.subject", "5% 10% 20% 30% 50% 80% words")]
    assert capitals("body", "nothing to see here, all is quiet") == capitals("body", "Ab") == []
    assert capitals("body", "ÄÖÜ äöüäöü") == [("capitals.body", "5% 10% 20% 30%")]
    assert tokens([("", "80%")]) == ["80%"]
    assert tuple(sorted(STEPS)) == STEPS


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_letters_of_ascii_count_as_those_of_other_texts(text: str) -> None:
    words = {word for _, found in capitals("body", text) for word in found.split()}
    if sum(c.isalpha() for c in text) >= 8:
        upper = sum(c.isupper() for c in text) / sum(c.isalpha() for c in text)
        assert {word for word in words if "%" in word} == {f"{step}%" for step in STEPS if upper * 100 >= step - 1e-9}


SPELLINGS = [
    ("buy v1agra", "digits"), ("pure c@sh", "digits"), ("f r e e", "spaced"), ("f.r.e.e now", "spaced"),
    ("get c*a*s*h", "spaced broken"), ("fr*ee", "broken"), ("vi^agra", "broken"), ("sooo freeee", "repeated"),
    ("now!!", "marks"), ("$$", "marks"), ("what??", "marks"), ("p\u0430ypal", "mixed"), ("v\u200biagra", "invisible"),
    ("U.S.A. and e.g. this, i.e. that", ""), ("joe@foo.com http://x.example/a1b?c=d0e", ""), ("www.x.com xxx III", ""),
    ("mp3 and b2b in 2024", ""), ("2*3 * 4", ""), ("well-known facts! really?", ""), ("\u043f\u0440\u0438 mail", ""),
    ("\u0915\u094d\u200d\u0937", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "odd"), SPELLINGS)
def test_odd_spellings(text: str, odd: str) -> None:
    assert spelling("body", text) == ([("spelling.body", odd)] if odd else [])


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("hello there. how are you? well. yes i am, thanks", "i small10% small30% small60% small90%"),
        ("Hello there. How are you? Well. Yes, I am.", ""),
        ("Fine. this is. Good. And that.", "small10% small30%"),
        ("It is free !", "before"),
        ("Yes,no", "after"),
        ("The end.Next one", "after"),
        ("See www.example.org,or a.b@example.org.Now", ""),
        ("Dear Sir,, hello", "repeated"),
        ("Well.. perhaps", "repeated"),
        ("Well... perhaps", ""),
        ("This is the the end", "twice"),
        ("> this is the the end\nRight.", ""),
        ("one " * 2 + "two three " * 30, "twice endless"),
        ("\n\n".join(["This has no mark at its end at all"] * 3), "open10% open30% open60% open90%"),
        ("\n\n".join(["This has a mark at its end, you see."] * 3), ""),
        ("(i) the first, (ii) the second; i.e. all", ""),
        ("", ""),
    ],
)
def test_signs_of_grammar(text: str, signs: str) -> None:
    assert grammar("body", text) == ([("grammar.body", signs)] if signs else [])


def test_grammar_is_a_field_that_is_asked_for() -> None:
    raw = b"Subject: the the\n\nIt is free !\n"
    assert found(raw, "grammar") == {"grammar.subject": {"twice"}, "grammar.body": {"before"}}


def test_style_of_subject_and_body() -> None:
    raw = b"Subject: FREE CASH!!\n\nf r e e money for you, my friend"
    assert found(raw, "spelling") == {"spelling.subject": {"marks"}, "spelling.body": {"spaced"}}
    assert set(found(raw, "capitals")) == {"capitals.subject"}


# --- sender and headers ----------------------------------------------------------------------------------------------

SENDERS = [
    (b"From: Ann <Ann@Mail.example.org>", ["ann@mail.example.org", "mail.example.org", "example.org"], set()),
    (b"From: ann@example.org", ["ann@example.org", "example.org"], {"bare"}),
    (b"From: ann@example.org (Ann)", ["ann@example.org", "example.org"], set()),
    (b'From: "boss@bank.example" <x@evil.example>', ["x@evil.example", "evil.example"], {"name"}),
    (b"From: A <a@x.example>, B <b@x.example>", ["a@x.example", "x.example"], {"several"}),
    (b"From: Win <win20241@x.example>", ["win20241@x.example", "x.example"], {"digits"}),
    (b"From: =?utf-8?q?Ann_=3Cann=40x.example=3E?=", ["ann@x.example", "x.example"], set()),
    (b"From: nobody", [], {"none"}),
    (b"Subject: x", [], {"none"}),
]


@pytest.mark.parametrize(("header", "words", "odd"), SENDERS)
def test_the_sender(header: bytes, words: list[str], odd: set[str]) -> None:
    document = parse(header + b"\n\nhi", ("sender",))
    own = [text for tag, text in document if tag == "sender"]
    assert [text.split() for text in own] == ([words] if words else [])
    assert {word for tag, text in document if tag == "sender.odd" for word in text.split()} == odd
    assert address(document) == (words[0] if words else None)


MAIL = b"""\
Received: a
Received: b
Date: Tue, 05 Mar 2002 10:00:00 +0100
From: Ann <ann@a.example>
To: you@b.example
Reply-To: other@c.example
Message-ID: <1@a.example>
Subject: Re: hello
MIME-Version: 1.0
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64
X-Spam-Status: Yes
Delivered-To: collector@corpus.example
List-Id: <corpus.example>
Status: RO

PGI+aGk8L2I+
"""


def test_headers_say_how_a_mail_was_made() -> None:
    assert found(MAIL, "headers") == {
        "headers": {"reply-to", "mime-version", "list-id"},
        "headers.type": {"text", "html"},
        "headers.coding": {"base64"},
        "headers.reply": {"other", "false"},
        "headers.hops": {"1", "2"},
    }


def test_headers_that_tell_the_collection_are_left_out() -> None:
    """What differs between a corpus of spam and one of ham only because they were collected apart."""
    other = b"".join(
        line + b"\n" for line in MAIL.split(b"\n") if not line.startswith((b"X-Spam", b"Delivered", b"Status"))
    )
    for here, elsewhere in ((b"Mar 2002", b"Mar 2019"), (b"Received: a", b"Received: x"), (b"<corpus.", b"<list.")):
        assert here in other
        other = other.replace(here, elsewhere)
    assert found(other, "headers") == found(MAIL, "headers")


HEADERS = [
    (b"Date: Wed, 05 Mar 2002 10:00:00 +0100", "headers.date", {"weekday"}),
    (b"Date: 05 Mar 2002 10:00:00", "headers.date", {"no-zone"}),
    (b"Date: Tue, 05 Mar 2002 10:00:00 +2300", "headers.date", {"odd-zone"}),
    (b"Date: Tue, 05 Mar 2002 10:00:00 GMT", "headers.date", set()),
    (b"Date: yesterday", "headers.date", {"broken"}),
    (b"Date: 32 Foo 99999999999", "headers.date", {"broken"}),
    (b"X-Mailer: x", "headers.date", {"none"}),
    (b"X-Mailer: x", "headers.id", {"none"}),
    (b"X-Mailer: x", "headers.type", {"none"}),
    (b"X-Mailer: x", "headers.to", {"none"}),
    (b"Message-ID: <[abc@x", "headers.id", {"broken"}),
    (b"From: a@b.example\nMessage-ID: <1@localhost>", "headers.id", {"no-dot", "other"}),
    (b"From: a@b.example\nMessage-ID: <1@mx.b.example>", "headers.id", set()),
    (b"To: undisclosed-recipients:;", "headers.to", {"hidden"}),
    (b"From: a@b.example\nTo: a@b.example", "headers.to", {"self"}),
    (b"To: " + b", ".join(b"a%d@b.example" % i for i in range(6)), "headers.to", {"many"}),
    (b"Subject: Re: x\nReferences: <1@x.example>", "headers.reply", set()),
    (b"From: a@b.example\nReply-To: c@mail.b.example", "headers.reply", set()),
]


@pytest.mark.parametrize(("lines", "tag", "words"), HEADERS)
def test_odd_headers(lines: bytes, tag: str, words: set[str]) -> None:
    """peers.md, Mail: `Message-ID: <[abc@x` among them (cpython#105802)."""
    assert found(lines + b"\nMIME-Version: 1.0\n\nhi", "headers").get(tag, set()) == words


def test_a_mail_without_headers_has_no_words_for_them() -> None:
    assert [tag for tag, _ in parse(b"just a text\nof two lines", ("sender", "headers"))] == [""]


def test_addresses() -> None:
    assert addresses('"b@x.example" <A@Y.example>') == ("a@y.example", "b@x.example")
    assert addresses("nobody <>") == ()


# --- all of them -----------------------------------------------------------------------------------------------------


@given(st.binary(max_size=300))
def test_any_bytes_give_a_document(raw: bytes) -> None:
    for mail in (raw, html("") + raw, b"Subject: " + raw + b"\n\n", b"From: " + raw, b"Date: " + raw + b"\n\nhi"):
        document = parse(mail, ALL)
        assert document[-1] != FAILED
        for tag, text in document:
            assert tag == "" or is_made(tag) or tag == "subject"
            text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    "body",
    [b"a1" * 200_000, b"a " * 200_000, b"<a href=" * 50_000, b"a.b" * 150_000, b"://" * 150_000, b"A" * 400_000,
     b"a*" * 200_000, b"<a href=http://x>" * 20_000, b"aaa" * 150_000, b"=http://" * 50_000, b"www." * 100_000],
    ids=lambda body: body[:8].decode(),
)  # fmt: skip
def test_long_mails_are_read_in_time(body: bytes) -> None:
    """Patterns whose time grows with the square of a mail's length would take minutes here."""
    assert parse(b"Subject: x\nContent-Type: text/html\n\n" + body, ALL)[-1] != FAILED


def test_fields_as_before_give_the_documents_of_before() -> None:
    """Models of 0.1.0 name these fields."""
    old = ("subject", "html", "attachment", "charset", "missing")
    raw = html('<a href="http://192.0.2.7/">FREE!!</a>')
    assert [tag for tag, _ in parse(raw, old)] == ["subject", "", "html"]
    assert set(FIELDS) >= set(old) and set(LATER) == set(MADE) - set(old)


def test_names_of_fields_are_checked() -> None:
    assert checked(["Subject", " links ", "x-mailer", "links"]) == ["subject", "links", "x-mailer"]
    with pytest.raises(SettingError, match="'link' would be a header of that name; for the field write links"):
        checked(["link"])
    for bad in ("", "a b", "sub:ject"):
        with pytest.raises(SettingError, match="is no name"):
            checked([bad])


# --- known senders ---------------------------------------------------------------------------------------------------


def mail(sender: str | None, text: str = "hi there") -> Document:
    own = [] if sender is None else [("sender", f"{sender} {sender.rpartition('@')[2]}")]
    return [("", text), *own]


ANN, BOB, EVE = "ann@a.example", "bob@b.example", "eve@e.example"


def values(rows: Any, column: int) -> list[float]:
    return [float(x) for x in matrix(rows).toarray()[:, column]]


@pytest.mark.parametrize("dictionary", ["words", "hashed"])
def test_a_sender_is_known_by_another_mail(dictionary: str) -> None:
    """A mail does not speak for itself: one of a kind is unknown. Labels are not looked at."""
    docs = [mail(ANN), mail(ANN), mail(BOB), mail(None)]
    options = Options(dictionary=dictionary, scale="none", min_documents=1)
    features, rows, _, _ = Features.fit(AtHand(Batch(docs, np.array(["a", "b", "a", "b"], object))), options)
    assert values(rows, features.columns - 1) == [1, 1, 0, 0]
    flipped = Features.fit(AtHand(Batch(docs, np.array(["b", "b", "b", "a"], object))), options)[1]
    np.testing.assert_array_equal(matrix(flipped).toarray(), matrix(rows).toarray())
    restored = Features.restore(json.loads(json.dumps(features.recipe())), features.tensors())
    again = restored.transform(Batch([*docs, mail(EVE)], None))
    assert values(again, features.columns - 1) == [1, 1, 0, 0, 0]
    assert restored.names is None if dictionary == "hashed" else (restored.names or [])[-1] == NAME
    assert restored.senders is not None and restored.senders.known == {ANN}


def test_without_senders_nothing_changes() -> None:
    features = Features.fit(AtHand(Batch([mail(None), mail(None)], None)))[0]
    assert features.senders is None and features.recipe()["senders"] is None
    assert NAME not in (features.names or [])


def test_a_file_of_known_senders(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_bytes(b"\xef\xbb\xbf# friends\nBob@B.example  # a friend\n\n@e.example\r\n")
    assert read_senders(str(path)) == {BOB, "@e.example"}
    docs = [mail(ANN), mail(BOB), mail(EVE), mail("x@f.e.example")]
    features, rows, _, _ = Features.fit(AtHand(Batch(docs, None)), Options(scale="none", known_senders=str(path)))
    assert values(rows, features.columns - 1) == [0, 1, 1, 0]
    path.write_text("ann@a.example\nno address\n")
    with pytest.raises(DataError, match=r"known.txt, line 2: found 'no address'"):
        Features.fit(AtHand(Batch(docs, None)), Options(known_senders=str(path)))
    with pytest.raises(DataError, match="nowhere: cannot be read"):
        Features.fit(AtHand(Batch(docs, None)), Options(known_senders=str(tmp_path / "nowhere")))
    path.write_text("ann@a.example\n")
    with pytest.raises(SettingError, match="has an effect only where mails are read with the field sender"):
        Features.fit(AtHand(Batch([mail(None)], None)), Options(known_senders=str(path)))


def test_damaged_senders_are_refused() -> None:
    for tensors in ({}, {"senders": np.array([255], np.uint8)}):
        with pytest.raises(ModelError, match="list of senders is missing or damaged"):
            Senders.restore(tensors)
    assert Senders.restore(Senders([]).tensors()).known == frozenset()


def test_all_of_it_on_the_command_line(tmp_path: Path) -> None:
    """Trained, stored, explained by name; the model keeps the fields it was trained on."""
    for i in range(6):
        label, sender, text = ("spam", f"x{i}@s.example", "FREE CASH!! http://192.0.2.7/") if i % 2 else (
            "ham", ANN, "see you at noon, and bring the papers")  # fmt: skip
        folder = tmp_path / "mails" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i}.eml").write_text(f"From: A <{sender}>\nSubject: hi\n\n{text}\n")
    known, model = tmp_path / "known", tmp_path / "m"
    known.write_text("x1@s.example\n")
    fields = "subject,links,capitals,spelling,sender,headers"
    done = run("train", tmp_path / "mails", "-o", model, "--mail-fields", fields, "--known-senders", known)
    assert done.code == 0, done.err
    told = run("inspect", model, "--top", "all").out
    for name in ("sender.known", "links:192.0.2.7", "links.odd:ip", "capitals.body:words", "spelling.body:marks",
                 "sender:ann@a.example", "headers.date:none"):  # fmt: skip
        assert name in told
    assert "2 known senders" in told and "schema 2" in told
    assert Model.load(model).reading["fields"] == fields.split(",")
    assert "sender.known" in run("explain", model, tmp_path / "mails", "--row", "1", "--top", "all").out
    assert run("evaluate", model, tmp_path / "mails").out.startswith("6 rows, 0 wrong")
    done = run("train", tmp_path / "mails", "-o", model, "--known-senders", known)
    assert done.code == 2 and f"--known-senders {known} has an effect only" in done.err
