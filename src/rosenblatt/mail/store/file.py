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
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...errors import DataError

APPLICATION, VERSION = 0x726F7362, 1
"""`application_id` ("rosb") and `user_version` of the file."""
WAIT = 30.0
"""Seconds to wait for another process's turn; a batch takes at most one."""
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE weights (col INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TABLE senders (address TEXT PRIMARY KEY, spam INTEGER NOT NULL, ham INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE messages (
    tick INTEGER PRIMARY KEY, digest BLOB UNIQUE NOT NULL, time REAL NOT NULL, spam INTEGER NOT NULL,
    score REAL NOT NULL, thought TEXT NOT NULL, sender TEXT NOT NULL, subject TEXT NOT NULL, added BLOB);
"""
WAITS = "thought = ''"
LATER = (
    f"CREATE INDEX IF NOT EXISTS waiting ON messages (spam, tick) WHERE {WAITS}",
    "CREATE TABLE IF NOT EXISTS mails (id INTEGER PRIMARY KEY, digest BLOB UNIQUE NOT NULL, kind TEXT NOT NULL,"
    " raw BLOB NOT NULL)",
)
"""What a store gets when it is first opened to be written, as those without it can be read as they are."""
MIGRATIONS: dict[int, str] = {}
"""Version → what makes the next one of it."""


class StoreError(DataError):
    """A store that is not there, or cannot be used."""


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
    if os.path.isdir(path):
        raise StoreError(f"{path}: found a folder; expected the file of a store")
    if not exists and not create:
        raise StoreError(f"{path}: there is no store; `rosenblatt mail learn` makes one")
    with refused(path):
        if not exists:
            _make(path)
        mode = "rw" if write else "ro"
        connection = sqlite3.connect(
            f"file:{quote(os.path.abspath(path))}?mode={mode}", uri=True, timeout=WAIT, isolation_level=None
        )
        try:
            _check(connection, path, write)
        except BaseException:
            connection.close()
            raise
    return connection


def _make(path: str) -> None:
    """An empty store takes its name when it is whole, so that no other process meets half of one."""
    folder = Path(path).parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    begun = f"{path}.new{os.getpid()}"
    os.close(os.open(begun, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        connection = sqlite3.connect(begun, isolation_level=None)
        connection.executescript(
            f"PRAGMA application_id={APPLICATION}; PRAGMA user_version={VERSION}; {TABLES} PRAGMA journal_mode=WAL"
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
        for statement in LATER:
            connection.execute(statement)


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
        elif "malformed" in text:
            text = "it is damaged; `rosenblatt mail store --restore BACKUP` puts a backup in its place"
        elif "readonly" in text:
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
