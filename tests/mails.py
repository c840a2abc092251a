"""What the tests of the mail readers share: mails on disk and in archives, and all that a source gives."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.data.batch import Batch
from rosenblatt.mail.digest import digest
from rosenblatt.mail.store.learning import Store, Verdict
from rosenblatt.mailtext.fields import Document
from rosenblatt.read.mail.source import MailSource


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


def all_of(source: MailSource) -> tuple[list[Document], list[str] | None, list[str]]:
    batches: list[Batch] = list(source)
    documents = [document for batch in batches for document in batch.rows]
    ids = [name for batch in batches for name in batch.ids or ()]
    y = None if batches[0].y is None else np.concatenate([batch.y for batch in batches]).tolist()  # type: ignore[misc]
    return documents, y, ids  # type: ignore[return-value]


A = b"Subject: a\n\nb"
"""A mail."""
MAILS = {
    "b/spam/2.eml": b"Subject: two\n\nfree",
    "b/spam/1.eml": b"Subject: one\n\nfree",
    "a/Ham/old/3.eml": b"Subject: three\n\nlunch",
}


LINE = b"From someone@example.org Thu Aug 22 12:36:23 2002\n"
TWO = LINE + b"Subject: one\n\nfree\n\n" + LINE + b"Subject: two\n\nlunch\n"
"""An mbox of two mails."""
DOCUMENTS = [[("subject", "one"), ("", "free\n")], [("subject", "two"), ("", "lunch\n")]]


def raws(path: Path) -> dict[str, bytes]:
    """The mails of a packed corpus, by name."""
    with tarfile.open(path) as archive:
        files = {member.name: file.read() for member in archive if (file := archive.extractfile(member)) is not None}
    return {name: raw for name, raw in files.items() if not name.endswith((".csv", ".gitattributes"))}


def shipped() -> list[tuple[str, bytes]]:
    """(name, mail) of the mails that come with the program, spam and ham mixed."""
    path = Path(rosenblatt.__file__).parent / "datasets" / "mails.tar.xz"
    return sorted(raws(path).items(), key=lambda item: item[0][-30:])


def learned_store(path: Path, mails: list[tuple[str, bytes]]) -> str:
    """A store that has learned these; the names say what is spam."""
    with Store(str(path)) as store:
        store.learn([Verdict(digest(raw), store.look(raw), "spam" in name) for name, raw in mails])
    return str(path)


ODD_LINES = (
    b"Subject: a", b"To: b", b"X-Spam-Flag: YES", b"x-spam-status \t: No,", b"X-BOGOSITY: Spam", b"X-Spam-Scores: 1",
    b"Status: RO", b"X-UID: 5", b"content-length: 3", b"Lines : 7", b" folded", b"\tfolded", b" ", b"", b"", b"broken",
    b"From a@b Thu Aug 22 12:36:23 2002", b">From a", b">>From a", b"From:", b"\0\xff", b": none", b"X-Spam-Flag",
)  # fmt: skip


def odd_mails(ends: tuple[bytes, ...] = (b"\n", b"\r\n", b"\r")) -> st.SearchStrategy[bytes]:
    """Mails of such lines in any order, with one kind of line ends or all of them, and perhaps none after the last."""
    line = st.sampled_from(ODD_LINES)
    one = st.builds(lambda lines, end: end.join(lines), st.lists(line, max_size=9), st.sampled_from(ends))
    several = st.lists(st.builds(bytes.__add__, line, st.sampled_from(ends)), max_size=9).map(b"".join)
    return one | several
