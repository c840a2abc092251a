"""Bad days of a store: killed at any moment, a full disk, a clock that goes back, another program's lock."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import run
from rosenblatt.mail.store import file as store_file
from rosenblatt.mail.store.care import whole
from rosenblatt.mail.store.file import VERSION, StoreError, opened
from rosenblatt.mail.store.learning import Store
from rosenblatt.mail.store.reading import Reader
from test_mail_store import SMALL, content, verdict

TESTS = os.path.dirname(__file__)
WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from command import run
from test_mail_store import SMALL, Store, verdict
with Store(sys.argv[2], SMALL) as store:
    for number in range(int(sys.argv[3]), 10_000):
        store.learn([verdict(number, number % 2 == 0)])
        print(number, flush=True)
"""


def acknowledged(path: str, first: int, seconds: float) -> int:
    """Verdicts that a process has acknowledged before it was killed, after so many seconds of learning."""
    environment = {**os.environ, "ROSENBLATT_JIT": "0"}
    command = [sys.executable, "-c", WRITER, TESTS, path, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().split("\n")
    return len([line for line in lines if line.strip()])


def killed(path: str, times: int) -> None:
    rng, known = random.Random(0), 0
    for _ in range(times):
        known += acknowledged(path, known, rng.uniform(0.0, 0.3))
        with opened(path) as connection:
            assert whole(connection) == "ok"
        connection.close()
        _, _, messages = content(path)
        assert known <= len(messages) <= known + 1, "all that were acknowledged, and perhaps one that was just written"
        known = len(messages)
        with Reader(path) as reader:
            assert reader.opinion(verdict(1, True).looked).verdict in ("spam", "ham", "unsure")
    with Store(path) as store:
        assert store.learn([verdict(number, number % 2 == 0) for number in range(known)]) == ["again"] * known
        store.forget([verdict(number, True).digest for number in range(known)])
    assert abs(content(path)[0]).max() < 1e-9


def test_killed_at_any_moment(tmp_path: Path) -> None:
    killed(str(tmp_path / "mail.db"), 4)


@pytest.mark.slow
def test_killed_fifty_times(tmp_path: Path) -> None:
    killed(str(tmp_path / "mail.db"), 50)


FULL = """
import resource, signal, sys
sys.path.insert(0, sys.argv[1])
from command import run
from test_mail_store import SMALL, Store, verdict
from rosenblatt.mail.store.file import StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store(sys.argv[2], SMALL)
store.learn([verdict(number, True) for number in range(5)])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
done = 5
try:
    while done < 5000:
        store.learn([verdict(done, True)])
        done += 1
except StoreError as error:
    print(error)
print(done)
"""


def test_a_full_disk_loses_nothing_that_was_there(tmp_path: Path) -> None:
    path = str(tmp_path / "mail.db")
    environment = {**os.environ, "ROSENBLATT_JIT": "0"}
    made = subprocess.run(
        [sys.executable, "-c", FULL, TESTS, path], capture_output=True, text=True, env=environment, check=True
    )
    error, done = made.stdout.splitlines()
    assert error.startswith(f"{path}: ") and ("full" in error or "I/O" in error), error
    assert len(content(path)[2]) == int(done) > 5
    with Store(path) as store:
        assert whole(store.connection) == "ok"
        store.learn([verdict(7000, False)])


def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    path, times = str(tmp_path / "mail.db"), iter([5e8, 4e8, 3e8])
    with Store(path, SMALL, now=lambda: next(times)) as store:
        for number in range(3):
            store.learn([verdict(number, True)])
    assert [row[0] for row in content(path)[2]] == [verdict(number, True).digest for number in range(3)]


def test_another_process_has_it_for_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "WAIT", 0.2)
    path = str(tmp_path / "mail.db")
    with Store(path, SMALL) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process has kept it busy for 0.2 seconds; try again"):
            store.learn([verdict(1, True)])
        assert run("mail", "forget", "--from", "ann@example.org", "--store", path).code == 75
        with Reader(path) as reader:  # nobody who reads waits
            reader.opinion(verdict(1, True).looked)
        other.execute("ROLLBACK")
        other.close()
        assert store.learn([verdict(1, True)]) == ["new"]


def test_an_older_version_is_brought_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "mail.db")
    with Store(path, SMALL) as store:
        store.learn([verdict(1, True)])
    later = {VERSION: "CREATE TABLE more (x); INSERT INTO more VALUES (1)", VERSION + 1: "DROP TABLE more"}
    monkeypatch.setattr(store_file, "VERSION", VERSION + 2)
    monkeypatch.setattr(store_file, "MIGRATIONS", later)
    words = f"found a store of version {VERSION}; `rosenblatt mail store` makes it one of {VERSION + 2}"
    with pytest.raises(StoreError, match=words):
        Reader(path)
    with Store(path) as store:
        store.learn([verdict(2, True)])
        assert store.connection.execute("PRAGMA user_version").fetchone() == (VERSION + 2,)
    assert len(content(path)[2]) == 2
    with Reader(path):
        pass


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "mail.db")
    with Store(path, SMALL):
        pass
    monkeypatch.setattr(store_file, "VERSION", VERSION + 1)
    monkeypatch.setattr(store_file, "MIGRATIONS", {VERSION: "CREATE TABLE more (x); SELECT absent"})
    with pytest.raises(StoreError, match="no such column: absent"):
        Store(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchone() is None
    connection.close()
