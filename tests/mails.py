"""What the tests of the mail readers share: mails on disk and in archives, and all that a source gives."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np

from rosenblatt.data.batch import Batch
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
