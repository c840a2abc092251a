"""The file of a store: SQLite in WAL mode, its tables, and what is said where it is none.

meta      what the judge has come to, as JSON: its settings, the experts' clocks, losses, the record of scores
weights   column → what is known of it: float64 numbers in the order of `Judge.numbers`
senders   address → mails learned, (spam, ham)
messages  each learned mail: its digest, verdict, what was thought of it before, what it has added; nothing was thought
          of one that waits (`order`)
mails     raw mails, compressed, as far as they are kept (`rebuild`)
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...errors import DataError

APPLICATION, VERSION = 0x726F7362, 2
"""`application_id` ("rosb") and `user_version` of the file."""
WAIT = 30.0
"""Seconds to wait for another process's turn; a batch takes at most one."""
UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE weights (col INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TABLE senders (address TEXT PRIMARY KEY, spam INTEGER NOT NULL, ham INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE messages (
    tick INTEGER PRIMARY KEY, digest BLOB UNIQUE NOT NULL, time REAL NOT NULL, spam INTEGER NOT NULL,
    score REAL NOT NULL, thought TEXT NOT NULL, sender TEXT NOT NULL, subject TEXT NOT NULL, added BLOB);
"""
WAITS = "thought = ''"
LATER = f"""
CREATE INDEX kept ON messages (tick) WHERE added IS NOT NULL;
CREATE INDEX waiting ON messages (spam, tick) WHERE {WAITS};
CREATE TABLE mails (id INTEGER PRIMARY KEY, digest BLOB UNIQUE NOT NULL, kind TEXT NOT NULL, raw BLOB NOT NULL);
"""
"""Of 100,000 mails those that grow too old are found by `kept` in .1 ms; to look at each took 8 ms of each write."""
MIGRATIONS = {1: LATER}
"""Version → what makes the next one of it. Since 2, what mails have added has another form; both are read."""


class StoreError(DataError):
    """A store that is not there, or cannot be used."""


class StoreDamaged(StoreError):
    """What is in the file is no store, or no longer one."""


class StoreBusy(StoreError):
    """Another process has it; the same may go well later."""


def default_path() -> str:
    """$ROSENBLATT_STORE, or rosenblatt/mail.db in the user's folder for data."""
    own = os.environ.get("ROSENBLATT_STORE")
    home = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return own or os.path.join(home, "rosenblatt", "mail.db")


def opened(path: str, write: bool = False, create: bool = False) -> sqlite3.Connection:
    """A connection to a store; no transaction is open. create: make it where it is missing. StoreError."""
    exists = os.path.exists(path)
    check_file(path)
    if not exists and not create:
        raise StoreError(f"{path}: there is no store; `rosenblatt mail learn` makes one")
    with refused(path):
        if not exists:
            _make(path)
        try:
            return _connected(path, "rw" if write else "ro")
        except sqlite3.OperationalError as error:
            # SQLite reads beside those who write with the help of a file that it makes. Where it cannot, and nothing
            # waits in another file to be written into this one, this one is read as it is.
            waits = os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal")
            if write or waits or error.sqlite_errorcode & 255 not in UNWRITABLE:
                raise
            return _connected(path, "ro&immutable=1")


def _connected(path: str, mode: str) -> sqlite3.Connection:
    # Not by urllib, which takes 3 ms to load, and refuses names that are not UTF-8.
    place = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    place = f"file:{place}?mode={mode}"
    connection = sqlite3.connect(place, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        _check(connection, path, mode == "rw")
    except BaseException:
        connection.close()
        raise
    return connection


def check_file(path: str) -> None:
    """StoreError for a folder, a device or a pipe; nothing there is well."""
    if os.path.exists(path) and not os.path.isfile(path):
        found = "a folder" if os.path.isdir(path) else "no ordinary file"
        raise StoreError(f"{path}: found {found}; expected the file of a store")


def _make(path: str) -> None:
    """An empty store takes its name when it is whole, so that no other process meets half of one."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True, mode=0o700)
    begun = f"{path}.new{os.getpid()}"
    os.close(os.open(begun, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        connection = sqlite3.connect(begun, isolation_level=None)
        connection.executescript(
            f"PRAGMA application_id={APPLICATION}; PRAGMA user_version={VERSION}; {TABLES} {LATER}"
            "PRAGMA journal_mode=WAL"
        )
        connection.close()
        with suppress(FileExistsError):
            os.link(begun, path)  # unlike a rename, not over that of another process
    finally:
        os.unlink(begun)


def _check(connection: sqlite3.Connection, path: str, write: bool) -> None:
    (application,), (version,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise StoreError(f"{path}: found another program's file; expected a store that `rosenblatt mail learn` made")
    if version > VERSION:
        text = f"found a store of version {version}; this program knows those up to {VERSION}, a newer one reads it"
        raise StoreError(f"{path}: {text}")
    if write:
        connection.execute("PRAGMA synchronous=FULL")
        _migrate(connection)
    elif version < VERSION:
        raise StoreError(
            f"{path}: found a store of version {version}; `rosenblatt mail store` makes it one of {VERSION}"
        )


def _migrate(connection: sqlite3.Connection) -> None:
    with turn(connection):
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for old in range(version, VERSION):
            for statement in MIGRATIONS[old].split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={old + 1}")


@contextmanager
def turn(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction: all of it or, on any error, nothing. Other processes wait for theirs."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def refused(path: str) -> Iterator[None]:
    """What SQLite and the system say, as a StoreError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "not a database" in text:
            text = "found another file; expected a store that `rosenblatt mail learn` made"
            raise StoreDamaged(f"{path}: {text}") from None
        if "malformed" in text:
            text = "it is damaged; `rosenblatt mail store --restore BACKUP` puts a backup in its place"
            raise StoreDamaged(f"{path}: {text}") from None
        if "readonly" in text:
            text = "it cannot be written: it, or its folder, is read-only"
        elif "locked" in text:
            raise StoreBusy(f"{path}: another process has kept it busy for {WAIT:g} seconds; try again") from None
        raise StoreError(f"{path}: {text}") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be used: {error.strerror or error}") from None


def meta(connection: sqlite3.Connection, key: str) -> Any:
    """A value of `meta`, None where there is none."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def set_meta(connection: sqlite3.Connection, key: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value, allow_nan=False)))
