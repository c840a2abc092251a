"""`rosenblatt mail filter`: a mail in, the same mail with a verdict out. Plain Python, started anew for every mail.

Whatever goes wrong, the mail goes out as it came in; then the exit code is `UNCHANGED`.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import BinaryIO

from ..mailtext.mail import MAIL_LIMIT
from .rewriting import STYLES, headers_for, rewritten

UNCHANGED = 75
"""EX_TEMPFAIL of sysexits.h."""
BLOCK = 1 << 20
OPTIONS = {"store": "", "site": "", "style": "spam"}
"""What can be said on the command line, with what stands for nothing said."""


def plain_words(words: list[str]) -> dict[str, str] | None:
    """Options as `--name value` or `--name=value`; None where there is anything else, which click is to say or do."""
    options, rest = dict(OPTIONS), list(words)
    while rest:
        name, is_joined, value = rest.pop(0).partition("=")
        if name[:2] != "--" or name[2:] not in OPTIONS or not (is_joined or rest):
            return None
        options[name[2:]] = value if is_joined else rest.pop(0)
    return options if options["style"] in STYLES else None


def filtered(head: bytes, store: str, site: str, style: str) -> bytes:
    """A mail, or its first `MAIL_LIMIT` bytes, with the verdict of a store."""
    from .store.file import default_path
    from .store.reading import reader_of

    with reader_of(store or default_path(), site) as reader:
        opinion = reader.opinion(reader.looked(head))
        return rewritten(head, headers_for(opinion, reader.scale.threshold, style))


def run(source: BinaryIO, target: int, store: str = "", site: str = "", style: str = "spam") -> int:
    """Read a mail, write it with a verdict to a file descriptor; the exit code."""
    code = 0
    try:
        head = source.read(MAIL_LIMIT)
    except OSError as error:
        _say(f"the mail could not be read: {error.strerror}")
        return UNCHANGED
    try:
        out = filtered(head, store, site, style)
    except Exception as error:
        _say(f"{error or type(error).__name__}; the mail is unchanged")
        code, out = UNCHANGED, head
    try:
        while out:
            written = 0
            while written < len(out):
                written += os.write(target, out[written : written + BLOCK])
            out = source.read(BLOCK)
    except OSError as error:
        _say(f"the mail could not be written: {error.strerror}")
        return UNCHANGED
    return code


def _say(text: str) -> None:
    """On standard error; where that is closed or full, nobody hears it, and the mail goes on."""
    with suppress(OSError):
        if sys.stderr is not None:
            print(f"rosenblatt mail filter: {text}", file=sys.stderr, flush=True)


def main(words: list[str]) -> int | None:
    """With the words of the command line: the exit code, or None where the words are not plain."""
    options = plain_words(words)
    return None if options is None else run(standard_input(), 1, **options)


def standard_input() -> BinaryIO:
    """Empty where it is closed."""
    return io.BytesIO() if sys.stdin is None else sys.stdin.buffer
