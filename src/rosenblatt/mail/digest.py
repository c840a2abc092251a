"""One mail → what it is known by: `digest(raw)`, the same however it was stored, and before and after the filter."""

import hashlib
import re

from .rewriting import NAMES, lines_of

MARKS = (
    "Status", "X-Status", "X-UID", "X-Keywords", "X-IMAP", "X-IMAPbase", "Content-Length", "Lines",
    "X-Mozilla-Status", "X-Mozilla-Status2", "X-Mozilla-Keys", "X-Gmail-Labels",
)  # fmt: skip
"""What mail programs write into an mbox: whether a mail was read, its labels, number and size."""
MARKED = re.compile(b"^" + lines_of((*MARKS, *NAMES)), re.MULTILINE)
BEGIN = re.compile(rb"(?:>*+From [^\n]*+\n?+)*+")
QUOTED = re.compile(rb"^>++From ", re.MULTILINE)


def digest(raw: bytes) -> bytes:
    r"""SHA-256 (32 bytes) of the canonical mail.

    Lines end with \n. Lone \r count as such: they are the line ends of mails without \n, which a copy in an mbox has
    at least one of. Gone are headers of `MARKS` and those that the filter writes, up to the first blank line (programs
    add them behind broken lines too); `From ` lines at the top, also several, as an mbox put into an mbox has them;
    every `>` before `From ` (mboxo quotes `From ` only, mboxrd also what is quoted; both are read here); blank lines
    at both ends, of which mbox adds one, and formail one before a mail without headers.
    """
    text = raw.replace(b"\r\n", b"\n")
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    stop = 0 if text.startswith(b"\n") else text.find(b"\n\n") + 1 or len(text)
    text = MARKED.sub(b"", text[:stop]) + text[stop:]
    begin = BEGIN.match(text)
    text = text[begin.end() if begin else 0 :].replace(b"\r", b"\n")
    if b">From " in text:
        text = QUOTED.sub(b"From ", text)
    return hashlib.sha256(text.strip(b"\n")).digest()
