"""mbox files: where mails part, both variants, escapes, labels, names, memory."""

from __future__ import annotations

import mailbox
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mails import DOCUMENTS, LINE, TWO, all_of, save
from reading import PACK, Write, refusal
from rosenblatt.mailtext.mail import parse
from rosenblatt.read import open_source
from rosenblatt.read.mail import mbox
from rosenblatt.read.mail.mbox import is_mbox, split
from rosenblatt.read.mail.source import CUT, MailSource


def parted(content: bytes, step: int = 1 << 20) -> list[bytes]:
    """The mails of an mbox that comes `step` bytes at a time."""
    place = 0

    def read(size: int) -> bytes:
        nonlocal place
        data = content[place : place + min(size, step)]
        place += len(data)
        return data

    return list(split(read))


# --- where mails part ------------------------------------------------------------------------------------------------

SEPARATORS = [
    b"From someone@example.org Thu Aug 22 12:36:23 2002",
    b"From someone@example.org  Thu Aug  2 12:36 2002",
    b"From - Mon Jan 01 00:00:00 2001",
    b"From  Mon Jan 01 00:00:00 2001",
    b"From MAILER-DAEMON Fri Jul  8 12:08:34 EDT 2011",
    b"From 1541234567890@xxx Mon Jan 01 12:00:00 +0000 2018",
    b"From user at example.org  Wed Aug  1 12:34:56 2007",
    b'From "a b"@example.org Wed, 1 Aug 2007 12:34:56 +0200',
    b"From ???@??? Tue Aug 22 12:36:23 2002 remote from site",
    b"From a@example.org 2002-08-22 12:36:23",
    b"From zvfjenphuq@[1086695621] [ufa]  Sun Aug  5 09:51:15 2001",
]
PROSE = [
    b"From the desk of the president",
    b"From Monday on we meet at 12:30",
    b"From now on, Thu Aug 22 12:36:23 2002 is a holiday",
    b"From now [as agreed before] Thu Aug 22 12:36:23 2002",
    b"From a@example.org",
    b"From: someone@example.org Thu Aug 22 12:36:23 2002",
    b"from someone@example.org Thu Aug 22 12:36:23 2002",
    b" From someone@example.org Thu Aug 22 12:36:23 2002",
    b">From someone@example.org Thu Aug 22 12:36:23 2002",
]


@pytest.mark.parametrize("line", SEPARATORS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_that_part_mails(line: bytes, end: bytes) -> None:
    first, second = b"Subject: a" + end * 2 + b"b" + end, b"Subject: c" + end * 2 + b"d" + end
    content = line + end + first + end + line + end + second
    assert is_mbox(content)
    assert parted(content) == [first, second]
    assert parted(content + end) == [first, second]
    assert parted(b"\xef\xbb\xbf" + end + content, 7) == [first, second]


@pytest.mark.parametrize("line", PROSE)
def test_peers_a_body_line_that_begins_with_from_parts_nothing(line: bytes) -> None:
    """peers: a body line "From the desk…" splits the message → blank line and date checked."""
    mail = b"Subject: a\n\nb\n\n" + line + b"\nc\n"
    assert not is_mbox(line + b"\n")
    assert parted(LINE + mail + b"\n" + TWO, 11)[0] == mail.replace(b"\n>From", b"\nFrom")


def test_a_separating_line_needs_a_blank_one_before_it() -> None:
    mail = b"Subject: a\n\nhe wrote:\n" + LINE + b"b\n"
    assert parted(LINE + mail) == [mail]


def test_peers_escaped_lines_are_restored() -> None:
    """peers: `>From` stays escaped (cpython#93376) → both variants: mboxo and mboxrd."""
    body = b"Subject: a\n\n>From here\n>>From there\n>>>From far\n> From a quotation\nsee >From\n"
    expected = b"Subject: a\n\nFrom here\n>From there\n>>From far\n> From a quotation\nsee >From\n"
    assert parted(LINE + body + b"\n" + TWO)[0] == expected


# --- Content-Length --------------------------------------------------------------------------------------------------


def counted(body: bytes, length: int | None = None, end: bytes = b"\n") -> bytes:
    """A mail that says its length."""
    return end.join([b"Subject: a", b"Content-Length: %d" % (len(body) if length is None else length), b"", body])


@pytest.mark.parametrize("step", [1, 50, 1 << 20])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_length_that_leads_to_the_next_mail_is_believed(step: int, end: bytes) -> None:
    """mboxcl2: nothing is escaped, so nothing is restored. mboxcl escapes as well."""
    line = LINE.replace(b"\n", end)
    plain = counted(end.join([b"b", b"", line + b">From c", b""]), end=end)
    escaped = counted(b">From b" + end, end=end)
    content = line + plain + end + line + escaped + end + line + plain
    assert parted(content, step) == [plain, escaped.replace(b">", b""), plain]
    assert parted(content + end, step) == [plain, escaped.replace(b">", b""), plain]


@pytest.mark.parametrize("length", [0, 1, 3, 40, 10**9, 10**11])
def test_a_wrong_length_is_not(length: int) -> None:
    """As where a mail was altered after its length was counted, or somebody hopes to hide a mail by it."""
    mail = counted(b"b\n>From c\n", length)
    assert parted(LINE + mail + b"\n" + TWO)[:2] == [mail.replace(b">", b""), b"Subject: one\n\nfree\n"]


# --- properties ------------------------------------------------------------------------------------------------------

TEXT = st.text("aF >:\n", max_size=40).map(lambda text: text.replace("\nFrom ", "\nFrom the "))
RAW = st.builds("Subject: {}\nX: {}\n\n{}".format, st.integers(0, 9), st.integers(0, 9), TEXT)


@given(st.lists(RAW, min_size=1, max_size=6), st.integers(1, 200))
def test_what_the_standard_library_writes_is_read_as_the_mails(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], step: int
) -> None:
    path = tmp_path_factory.mktemp("box") / "some.mbox"
    box = mailbox.mbox(path)
    for text in texts:
        box.add(text.encode())
    box.close()
    raws = [raw if raw.endswith(b"\n") else raw + b"\n" for raw in map(str.encode, texts)]
    assert parted(path.read_bytes(), step) == raws
    documents, _, ids = all_of(MailSource(path))
    assert documents == [parse(raw) for raw in raws]
    assert ids == [f"some.mbox:{number}" for number in range(1, len(raws) + 1)]


BODY = st.lists(st.sampled_from([b"From ", b">", LINE, b"\n", b"a", b"From the desk"]), max_size=12).map(b"".join)


@given(st.lists(BODY, min_size=1, max_size=5), st.integers(1, 99))
def test_mboxrd_is_undone_exactly(bodies: list[bytes], step: int) -> None:
    """Whatever the bodies, escaping and reading gives them back: the property for which mboxrd was made."""
    mails = [b"Subject: a\n\n" + body + b"\n" for body in bodies]
    content = b"\n".join(LINE + re.sub(rb"^(>*From )", rb">\1", mail, flags=re.MULTILINE) for mail in mails)
    assert parted(content + b"\n", step) == mails


@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_after_a_separating_line_give_mails(content: bytes, step: int) -> None:
    """However they come, and never more of them than there are separating lines."""
    mails = parted(LINE + content, step)
    assert mails == parted(LINE + content)
    assert 1 <= len(mails) <= 1 + content.count(b"From ")


# --- as a source -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", PACK)
def test_an_mbox_is_known_by_its_suffix_or_its_look(write: Write, stdin: Any, suffix: str) -> None:
    packed = PACK[suffix](TWO)
    for name in ("inbox.mbox" + suffix, "inbox"):
        documents, y, ids = all_of(open_source(write(packed, name)))
        assert (documents, y, ids) == (DOCUMENTS, None, [f"{name}:1", f"{name}:2"])
    stdin(packed)
    assert all_of(open_source("-"))[0] == DOCUMENTS
    stdin(packed)
    piped = open_source("-", "mbox")
    assert all_of(piped)[2] == ["standard input:1", "standard input:2"]
    assert piped.one_shot and piped.recipe() == MailSource(write(TWO)).recipe()


def test_a_file_of_one_mail_has_no_number(write: Write) -> None:
    """Corpora keep the line `From …` at the start of single mails."""
    one = LINE + b"Subject: a\n\nb\n\nFrom me\n"
    assert all_of(MailSource(write(one, "00001.7c53")))[2] == ["00001.7c53"]
    assert all_of(MailSource(write(one, "a.mbox")))[2] == ["a.mbox:1"]
    assert all_of(MailSource(write(TWO, "a.eml")))[2] == ["a.eml"]


def test_mbox_files_in_folders(tmp_path: Path) -> None:
    """The stem of an mbox is a folder like others: spam.mbox is labelled, and so is spam/2002.mbox."""
    save(tmp_path, {"a/ham.mbox": TWO, "a/Spam.mbox": TWO, "a/other.mbox": TWO})
    source = MailSource(tmp_path / "a")
    assert all_of(source)[1:] == (
        ["spam", "spam", "ham", "ham"],
        ["Spam.mbox:1", "Spam.mbox:2", "ham.mbox:1", "ham.mbox:2"],
    )
    save(tmp_path, {"b/spam/2002.mbox.gz": PACK[".gz"](TWO), "b/spam/1.eml": b"a", "b/ham/x": TWO})
    assert all_of(MailSource(tmp_path / "b"))[1:] == (
        ["ham", "ham", "spam", "spam", "spam"],
        ["ham/x:1", "ham/x:2", "spam/1.eml", "spam/2002.mbox.gz:1", "spam/2002.mbox.gz:2"],
    )
    save(tmp_path, {"c/news.mbox": TWO, "c/lists.mbox": TWO})
    assert all_of(MailSource(tmp_path / "c"))[1] == ["lists", "lists", "news", "news"]
    assert all_of(MailSource(tmp_path / "c", labels=["news"]))[1] == ["news", "news"]
    save(tmp_path, {"d/Junk": TWO, "d/Inbox": TWO})
    assert all_of(MailSource(tmp_path / "d"))[1] == ["Inbox", "Inbox", "Junk", "Junk"]
    assert all_of(MailSource(tmp_path / "d", store="mbox"))[1] == ["Inbox", "Inbox", "Junk", "Junk"]


def test_the_name_of_a_single_mbox_can_be_a_label(write: Write) -> None:
    assert all_of(MailSource(write(TWO, "spam.mbox")))[1] == ["spam", "spam"]
    assert all_of(MailSource(write(TWO, "junk.mbox"), labels=["junk"]))[1] == ["junk", "junk"]
    assert all_of(MailSource(write(TWO, "junk.mbox")))[1] is None
    assert "without a label" in refusal(lambda: MailSource(write(TWO, "junk.mbox"), labelled=True))


def test_what_is_no_mbox_is_refused(write: Write) -> None:
    message = refusal(lambda: open_source(write(b"hello\nworld\n", "a.mbox")))
    assert "a.mbox, line 1: found 'hello'" in message and "From address date" in message
    assert "found 'hello'" in refusal(lambda: open_source(write(b"hello\n", "a"), "mbox"))
    assert "found no mail" in refusal(lambda: open_source(write(b"", "a.mbox")))


def test_an_mbox_that_is_cut_short(write: Write) -> None:
    """Its last mail is; a compressed one is an error."""
    assert [len(raw) for raw in parted(TWO[:-9])] == [19, 11]
    path = write(PACK[".gz"](TWO * 50)[:-20], "a.mbox.gz")
    assert "cut short" in refusal(lambda: open_source(path))


# --- memory ----------------------------------------------------------------------------------------------------------


def peak(content: Callable[[int], bytes], step: int) -> tuple[int, int]:
    """(mails, bytes that were held at most) of a stream."""
    tracemalloc.start()
    try:
        mails = sum(1 for _ in split(content))
        return mails, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def repeated(piece: bytes, times: int) -> Callable[[int], bytes]:
    left = times

    def read(size: int) -> bytes:
        nonlocal left
        left -= 1
        return piece if left >= 0 else b""

    return read


def test_a_large_mbox_needs_little_memory() -> None:
    """100 MB in mails of 1 MB."""
    mail = LINE + b"Subject: a\n\n" + b"word " * 200_000 + b"\n\n"
    mails, held = peak(repeated(mail, 100), len(mail))
    assert mails == 100 and held < 8 << 20


def test_a_mail_without_end_needs_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where it ends, the next one begins."""
    monkeypatch.setattr(mbox, "MAIL_LIMIT", 1 << 20)
    monkeypatch.setattr(mbox, "HEAD_LIMIT", 1 << 10)
    pieces = iter([LINE, *[b"x" * (1 << 20)] * 40, b"\n\n" + LINE, b"Subject: b\n\nc\n"])
    tracemalloc.start()
    mails = list(split(lambda size: next(pieces, b"")))
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(mails) == 2 and mails[1] == b"Subject: b\n\nc\n"
    assert 1 << 20 < len(mails[0]) < 8 << 20 and held < 24 << 20


def test_a_long_mail_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    monkeypatch.setattr("rosenblatt.read.mail.source.MAIL_LIMIT", 16)
    source = MailSource(write(TWO, "a.mbox"))
    assert all_of(source)[0] == [[("subject", "one"), ("", "fr")], [("subject", "two"), ("", "lu")]]
    assert source.notes == {CUT: 2}
