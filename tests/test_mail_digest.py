"""What a mail is known by: the same in every store and after the filter, and another for every other mail."""

from __future__ import annotations

import io
import mailbox
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mails import LINE, odd_mails, raws
from rosenblatt.datasets import path
from rosenblatt.mail.digest import MARKS, digest
from rosenblatt.mail.rewriting import NAMES, rewritten
from rosenblatt.read.mail.mbox import split
from test_mail_rewriting import LONG

MAIL = b"Subject: a\nTo: b\n\nc\n>From d\ne\n"
ALIKE = {
    "CRLF": MAIL.replace(b"\n", b"\r\n"),
    "CR": MAIL.replace(b"\n", b"\r"),
    "CR in an mbox": MAIL.replace(b"\n", b"\r") + b"\n",
    "From": LINE + MAIL,
    "From twice": LINE + b">" + LINE + MAIL,
    "unquoted": MAIL.replace(b">From", b"From"),
    "quoted": MAIL.replace(b">From", b">>From"),
    "blank lines": MAIL + b"\n\n",
    "blank line first": b"\n" + MAIL,
    "no end": MAIL[:-1],
    **{name: b"Subject: a\n%s: x\n y\nTo: b" % name.lower().encode() + MAIL[16:] for name in (*MARKS, *NAMES)},
}


@pytest.mark.parametrize("name", ALIKE)
def test_the_same_mail(name: str) -> None:
    assert digest(ALIKE[name]) == digest(MAIL) == sha256(b"Subject: a\nTo: b\n\nc\nFrom d\ne").digest()


@pytest.mark.parametrize(
    "other",
    [b"Subject: a\n\nc\n>From d\ne\n", MAIL + b"f", MAIL.replace(b"\n\nc", b"\n\nStatus: RO\nc"), b"X-" + MAIL,
     MAIL.replace(b"\n\nc", b"\n\n\nc"), MAIL.replace(b"From", b"from"), MAIL.replace(b"c", b" c"), b""],
)  # fmt: skip
def test_another_mail(other: bytes) -> None:
    assert digest(other) != digest(MAIL)


LINES = st.lists(
    st.sampled_from([b"a", b"b", b"a ", b"ab", b"", b"Status: RO", b"X-Bogosity: Ham", b"From:"]), max_size=4
)


@given(LINES, LINES)
def test_bodies_differ_in_blank_lines_at_the_end_only(one: list[bytes], other: list[bytes]) -> None:
    a, b = (b"Subject: a\n\n-\n" + b"\n".join(lines).rstrip(b"\n") for lines in (one, other))
    assert (digest(a) == digest(b)) == (a.rstrip(b"\n") == b.rstrip(b"\n"))


@given(odd_mails(), st.sampled_from(NAMES))
def test_the_filter_changes_nothing(raw: bytes, name: str) -> None:
    assert digest(rewritten(raw, {name: "x"})) == digest(raw)


def stored(mails: list[bytes], by: type[mailbox.Mailbox], folder: Path) -> list[bytes]:  # type: ignore[type-arg]
    """What a store of the standard package gives back."""
    box = by(f"{folder}/{by.__name__}")
    keys = [box.add(raw) for raw in mails]
    back = [box.get_bytes(key) for key in keys]
    box.close()
    return back


@given(odd_mails((b"\n", b"\r\n")))
@settings(max_examples=100)
def test_stores_change_nothing(raw: bytes) -> None:
    # The package's mbox makes two mails of one with two `From ` lines at its top.
    assume(not raw.startswith(b"From ") or not raw.partition(b"\n")[2].startswith(b"From "))
    with tempfile.TemporaryDirectory() as folder:
        back = [mail for store in (mailbox.mbox, mailbox.Maildir) for mail in stored([raw], store, Path(folder))]
    assert list(map(digest, back)) == [digest(raw)] * 2


def test_the_shipped_mails(tmp_path: Path) -> None:
    """No two are alike, and each is the same in every store, as it lies there and filtered."""
    mails = list(raws(path("mails")).values())
    digests = list(map(digest, mails))
    assert len(set(digests)) == len(mails) == 1000
    filtered = [rewritten(raw, {"X-Spam-Status": "No"}) for raw in mails]
    assert list(map(digest, filtered)) == digests
    assert list(map(digest, stored(filtered, mailbox.mbox, tmp_path))) == digests
    assert list(map(digest, split(io.BytesIO((tmp_path / "mbox").read_bytes()).read))) == digests
    assert list(map(digest, stored(mails[:50], mailbox.Maildir, tmp_path))) == digests[:50]
    assert [digest(raw.replace(b"\n", b"\r\n")) for raw in mails] == digests


def test_awkward_mails(shared_data: Callable[[str], Path]) -> None:
    """Those alike differ in their line ends only."""
    mails = list(raws(shared_data("awkward_dev") / "awkward_dev.tar.xz").values())
    assert len(mails) > 400
    alike = Counter((digest(raw), raw.replace(b"\r\n", b"\n").strip(b"\n")) for raw in mails)
    assert len(alike) == len({key for key, _ in alike}) and sum(n > 1 for n in alike.values()) > 2
    for raw in mails:
        assert digest(rewritten(raw, {"X-Spam-Flag": "YES"})) == digest(raw)


@pytest.mark.skipif(shutil.which("formail") is None, reason="formail is not here")
def test_formail() -> None:
    for raw in [MAIL, b"hello\nFrom there", *list(raws(path("mails")).values())[::50]]:
        assert digest(subprocess.run("formail", input=raw, capture_output=True, check=True).stdout) == digest(raw)


@pytest.mark.parametrize("name", LONG)
def test_time_is_linear(name: str) -> None:
    start = time.process_time()
    digest(LONG[name])
    assert time.process_time() - start < 2  # .1 s on one machine


def test_digest_and_headers_load_no_numpy() -> None:
    code = "import sys, rosenblatt.mail.digest as d; print(len(d.digest(b'')), 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "32 False\n"
