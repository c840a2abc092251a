"""A store made anew from the mails that are kept, as another look at mails or other columns ask for."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import Any, NamedTuple

from ..paths import Mail
from .bulk import learn
from .care import restore
from .file import StoreError, meta, opened, refused
from .learning import SETTINGS, Store

NO_MAILS = "keeps no mails; `rosenblatt mail store --keep 10000` begins to keep those that are learned from then on"


class Rebuilt(NamedTuple):
    """mails: learned anew. gone: learned once, and not kept."""

    mails: int
    gone: int


def rebuild(path: str, asked: Mapping[str, Any], jobs: int = 1) -> Rebuilt:
    """Learn the mails that are kept anew, in the order of their verdicts and with the times of these, by settings of
    which those in `asked` are new. The new store is made beside the old one, and put into its place when it is whole,
    also for those who have that open. StoreError where no mail is kept."""
    new, last = f"{path}.rebuilt{os.getpid()}", 0
    try:
        with closing(opened(path)) as old, refused(path):
            before = SETTINGS | meta(old, "settings")
            if not _last(old):
                raise StoreError(f"{path}: {NO_MAILS}")
            with Store(new, {**before, **asked}, before["site"]) as store:
                while last < _last(old):  # others may learn meanwhile
                    last, mails = _last(old), _mails(old, last)
                    for _ in learn(store, mails, jobs):
                        pass
                store.connection.execute("ATTACH ? AS old", (path,))
                store.connection.execute(TIMES)
                (made,), (all_,) = (store.connection.execute(f"SELECT count(*) FROM {of}messages").fetchone()
                                    for of in ("main.", "old."))  # fmt: skip
        restore(path, new)
    finally:
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(new + end)
    return Rebuilt(made, all_ - made)


TIMES = "UPDATE main.messages SET time = (SELECT time FROM old.messages AS o WHERE o.digest = main.messages.digest)"


def _last(store: Any) -> int:
    return int(store.execute("SELECT coalesce(max(id), 0) FROM mails").fetchone()[0])


def _mails(store: Any, after: int) -> Iterator[Mail]:
    for number, kind, raw in store.execute("SELECT id, kind, raw FROM mails WHERE id > ? ORDER BY id", (after,)):
        yield Mail(f"mail {number}", zlib.decompress(raw), kind)
