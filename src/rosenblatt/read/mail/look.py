"""How files of mails look at their beginning."""

from __future__ import annotations

import os
import re

from ..open import PathLike
from .mbox import is_mbox

HEADER = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:return-path|received|delivered-to|subject|from|to|date|message-id|reply-to|mime-version"
    rb"|content-type|x-[a-z-]+):[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*(?:[a-z][a-z-]*:|\r?\n)",
    re.IGNORECASE,
)
"""A well-known header, and another one or the end of the headers."""


def is_tar(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a tar archive (of any writer since 1988)."""
    return head[257:262] == b"ustar"


def is_mail(head: bytes) -> bool:
    """Whether a file that begins with these bytes is one mail."""
    return HEADER.match(head) is not None


def is_index(head: bytes, path: PathLike) -> bool:
    """Whether the file of this path and beginning is a TREC index: its first line is a word, and a file that exists."""
    words = os.fsdecode(head.partition(b"\n")[0]).split(maxsplit=1)
    if len(words) != 2 or "\0" in words[1]:
        return False
    return os.path.isfile(os.path.join(os.path.dirname(path), words[1].strip()))


def holds_mail(head: bytes, path: PathLike | None) -> bool:
    """Whether a file that begins with these bytes holds mails. path: where it can be opened again."""
    return is_tar(head) or is_mbox(head) or is_mail(head) or (path is not None and is_index(head, path))
