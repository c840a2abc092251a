"""What keeps a store well: copies of it, a text of it, less of it, and whether it is whole."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import numpy as np

from .additions import packed, unpacked
from .file import APPLICATION, StoreDamaged, StoreError, check_file, opened, refused, turn


def backup(path: str, to: str) -> None:
    """A copy as of one moment, while others read and learn. It takes its name when it is whole, so that a damaged store
    never takes the place of an older backup; only its owner reads it."""
    _copied(path, to, 0o600)


def publish(path: str, to: str) -> None:
    """A snapshot that others may read, for their own stores to stand on, without the mails that are kept. No process
    writes it ever, so that it opens where its folder cannot be written."""
    _copied(path, to, 0o644, "DELETE FROM mails")


def _copied(path: str, to: str, mode: int, change: str = "") -> None:
    with (
        closing(opened(path)) as store,
        _beside(to, mode) as begun,
        closing(sqlite3.connect(begun, isolation_level=None)) as copy,
    ):
        store.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        if (found := whole(copy)) != "ok":
            raise StoreDamaged(f"{path}: it is damaged ({found}); {to} is left as it was")
        copy.execute(change)
        copy.execute("VACUUM")


def restore(path: str, backup: str) -> str:
    """Everything as in the backup, also for those who have the store open. A damaged store is put aside as
    `path`.damaged, which is returned, else "". Any other file stays, and is a StoreError."""
    check_file(path)  # or a device would be put aside
    aside = ""
    with closing(opened(backup)) as source:
        with refused(backup):
            if (found := whole(source)) != "ok":
                raise StoreError(f"{backup}: it is damaged ({found}); nothing was restored")
        try:
            target = opened(path, write=True, create=True)
        except StoreDamaged:
            if not _was_store(path):
                raise
            aside = f"{path}.damaged"
            for suffix in ("", "-wal", "-shm"):
                if os.path.exists(path + suffix):
                    os.replace(path + suffix, f"{aside}{suffix}")
            target = opened(path, write=True, create=True)
        with closing(target), refused(path):
            source.backup(target)
            target.execute("PRAGMA journal_mode=WAL")
    return aside


def _was_store(path: str) -> bool:
    """Whether the head of a file says so, which nothing can be read of."""
    with open(path, "rb") as file:
        return file.read(100)[68:72] == APPLICATION.to_bytes(4, "big")


def dump(path: str) -> Iterator[dict[str, Any]]:
    """All of it as JSON holds it, for people and programs: each setting and sum, mail, sender and column."""
    with closing(opened(path)) as store, refused(path):
        store.execute("BEGIN")
        for key, value in store.execute("SELECT key, value FROM meta ORDER BY key"):
            yield {"meta": key, "value": json.loads(value)}
        for row in store.execute("SELECT tick, digest, time, spam, score, thought, sender, subject FROM messages"):
            tick, digest, time, spam, score, thought, sender, subject = row
            yield {"tick": tick, "digest": digest.hex(), "time": time, "verdict": "spam" if spam else "ham",
                   "score": score, "thought": thought, "sender": sender, "subject": subject}  # fmt: skip
        for address, spam, ham in store.execute("SELECT address, spam, ham FROM senders ORDER BY address"):
            yield {"sender": address, "spam": spam, "ham": ham}
        for column, blob in store.execute("SELECT col, numbers FROM weights ORDER BY col"):
            yield {"column": column, "numbers": np.frombuffer(blob, "<f8").tolist()}


class Compacted(NamedTuple):
    """columns: that were taken out; left: that stay. before, after: bytes of the file."""

    columns: int
    left: int
    before: int
    after: int


def compact(path: str, least: int = 2) -> Compacted:
    """Take out what fewer than `least` learned mails had, from the weights and from what mails have added, and give
    its room back. What stays is as it was; a mail is forgotten exactly in what stays."""
    with closing(opened(path, write=True)) as store, refused(path):
        before = os.path.getsize(path)
        with turn(store):
            met = {column: np.frombuffer(blob, "<f8")[-1] for column, blob in store.execute("SELECT * FROM weights")}
            rare = np.array(sorted(column for column, mails in met.items() if mails < least - 0.5), np.uint32)
            store.executemany("DELETE FROM weights WHERE col = ?", ((column,) for column in rare.tolist()))
            for tick, blob in store.execute("SELECT tick, added FROM messages WHERE added IS NOT NULL").fetchall():
                learned = unpacked(blob)
                keep = ~np.isin(learned.columns, rare)
                if not keep.all():
                    less = learned._replace(columns=learned.columns[keep], numbers=learned.numbers[:, keep])
                    (text,) = packed([less], np.zeros(len(less.numbers)))
                    store.execute("UPDATE messages SET added = ? WHERE tick = ?", (text, tick))
            store.execute("DELETE FROM senders WHERE spam = 0 AND ham = 0")
        store.execute("VACUUM")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Compacted(len(rare), len(met) - len(rare), before, os.path.getsize(path))


def whole(connection: sqlite3.Connection) -> str:
    """ "ok", or the first thing that SQLite finds wrong."""
    return str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])


@contextmanager
def _beside(path: str, mode: int) -> Iterator[str]:
    """A new file's name; the file takes the right one when all has gone well."""
    check_file(path)
    begun = f"{path}.new{os.getpid()}"
    with refused(path):
        os.close(os.open(begun, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode))
        try:
            yield begun
            os.chmod(begun, mode)
            file = os.open(begun, os.O_RDONLY)
            os.fsync(file)
            os.close(file)
            os.replace(begun, path)
        except BaseException:
            if os.path.exists(begun):
                os.unlink(begun)
            raise
