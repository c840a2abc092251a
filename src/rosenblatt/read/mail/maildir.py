"""Maildirs: folders with subfolders cur, new and tmp, one file a mail, its flags at the end of the file's name."""

from __future__ import annotations

import re
from collections.abc import Collection

MAILS, UNFINISHED = ("cur", "new"), "tmp"
INFO = re.compile(r"[:;!]2,([A-Za-z]*)$")
"""The flags: `:2,FS`; other marks stand for the colon where a file system forbids it."""
NAME = re.compile(r"\d{6,}[._]\S*$")
"""How names of mails in a maildir begin: the second of delivery."""


def is_maildir(folders: Collection[str]) -> bool:
    """Whether a folder with these subfolders is one. Copies often lose the empty folders: two of the three will do."""
    return "cur" in folders and ("new" in folders or UNFINISHED in folders)


def is_left_out(name: str) -> bool:
    """Whether a mail's flags say trashed (T) or draft (D).

    Where a trashed mail lies no longer says what it is, and a draft is no mail that somebody sent or received. Seen,
    replied, passed and flagged mails are mails.
    """
    info = INFO.search(name)
    return info is not None and not {"T", "D"}.isdisjoint(info[1])


def folder_names(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of a maildir's path as a mail program shows them: `.Archive.2020` (Maildir++) is 2020 in Archive."""
    names: list[str] = []
    for part in parts:
        names += filter(None, part.split(".")) if part.startswith(".") and part not in (".", "..") else [part]
    return tuple(names)
