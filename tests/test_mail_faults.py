"""Bad days of a store: killed at any moment, a full disk, read-only, a clock that goes back, another program's lock."""

from __future__ import annotations

import ast
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from command import process, run, well
from mails import learned_store, save, shipped
from rosenblatt.mail.filtering import filtered
from rosenblatt.mail.store import file as store_file
from rosenblatt.mail.store.care import backup, publish, restore, whole
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


def intact(path: str) -> list[tuple[bytes, int]]:
    """(digest, verdict) of the mails of a store, which opens and is whole."""
    connection = opened(path)
    assert whole(connection) == "ok"
    messages = connection.execute("SELECT digest, spam FROM messages ORDER BY tick").fetchall()
    connection.close()
    return messages


def killed(path: str, times: int) -> None:
    rng, known = random.Random(0), 0
    for _ in range(times):
        known += acknowledged(path, known, rng.uniform(0.0, 0.3))
        messages = intact(path)
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


REAL = shipped()


def learning_killed(folder: Path, times: int, mails: int) -> None:
    """`mail learn PATH…` at random moments; then the same command completes it, and the store is as if nobody had."""
    save(folder, {f"{'spam' if 'spam' in name else 'ham'}/{at:04}": raw for at, (name, raw) in enumerate(REAL[:mails])})
    words = ("mail", "learn", "--spam", folder / "spam", "--ham", folder / "ham", "--jobs", 1, "--store")
    start, rng, learned, path = time.monotonic(), random.Random(0), list[tuple[bytes, int]](), str(folder / "mail.db")
    with process(*words, folder / "whole.db") as running:
        running.communicate()
    seconds = time.monotonic() - start
    for _ in range(times):
        start = time.monotonic()
        with process(*words, path) as running:
            try:
                running.communicate(timeout=rng.uniform(0.3, 1.0) * seconds)
                seconds = min(seconds, time.monotonic() - start)  # the machine has become less busy
            except subprocess.TimeoutExpired:
                running.kill()
                running.communicate()
        if os.path.exists(path):
            messages = intact(path)
            assert messages[: len(learned)] == learned, "what was learned stays, in its order"
            learned = messages
        if len(learned) == mails:
            for file in folder.glob("mail.db*"):
                file.unlink()
            learned = []
    done = well(*words, path, "--json").json
    assert (done["new"], done["known"]) == (mails - len(learned), len(learned))
    columns = [dict(opened(each).execute("SELECT * FROM weights")) for each in (path, str(folder / "whole.db"))]
    assert columns[0].keys() == columns[1].keys() and intact(path) == intact(str(folder / "whole.db"))
    numbers = [np.frombuffer(b"".join(each[key] for key in sorted(each)), "<f8") for each in columns]
    assert np.abs(numbers[0] - numbers[1]).max() < 1e-9


def test_bulk_learning_killed_at_any_moment(tmp_path: Path) -> None:
    learning_killed(tmp_path, 4, 150)


@pytest.mark.slow
def test_bulk_learning_killed_fifty_times(tmp_path: Path) -> None:
    learning_killed(tmp_path, 50, 300)


def filter_killed(folder: Path, times: int) -> None:
    """Nothing comes out of it but the beginning of the right mail, and the store is as it was."""
    store, rng, seconds = learned_store(folder / "mail.db", REAL[:40]), random.Random(0), 0.0
    learned = intact(store)
    for at in range(-2, times):
        raw = REAL[at % len(REAL)][1] + b"x" * (3_000_000 * (at % 2))
        start, right = time.monotonic(), filtered(raw, store, "", "spam")
        with process("mail", "filter", "--store", store) as running:
            try:
                out, _ = running.communicate(raw, timeout=None if at < 0 else rng.uniform(0.0, 1.2) * seconds)
            except subprocess.TimeoutExpired:
                running.kill()
                out, _ = running.communicate()
        if at < 0:
            seconds = time.monotonic() - start
            assert out == right
        assert right.startswith(out) and (running.returncode < 0 or out == right)
        assert intact(store) == learned


def test_the_filter_killed_at_any_moment(tmp_path: Path) -> None:
    filter_killed(tmp_path, 4)


@pytest.mark.slow
def test_the_filter_killed_fifty_times(tmp_path: Path) -> None:
    filter_killed(tmp_path, 50)


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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    try:
        made = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("a small file system cannot be mounted here: no mount")
    if made.returncode:
        pytest.skip("a small file system cannot be mounted here: not root, or not allowed")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_file_system_loses_nothing_that_was_there(small_disk: Path) -> None:
    path, done = str(small_disk / "mail.db"), 0
    (small_disk / "other").write_bytes(bytes(300_000))
    with Store(path, SMALL) as store, pytest.raises(StoreError, match="mail.db: .*(full|I/O)"):
        while done < 5000:
            store.learn([verdict(done, done % 2 == 0)])
            done += 1
    assert 0 < done < 5000 and len(intact(path)) == done
    (small_disk / "more").write_bytes(b"x" * os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize)
    with Reader(path) as reader:  # also where there is no room for a file to read by
        reader.opinion(verdict(1, True).looked)
    (small_disk / "other").unlink()
    with Store(path) as store:
        store.learn([verdict(7000, False)])
    assert len(intact(path)) == done + 1


NOBODY = 65534


def faces(store: str, site: str) -> list[object]:
    """What the commands say of a mail by a store, or a site's, and whether they learn."""
    raw, words = REAL[50][1], ["--store", store, *(["--site", site] if site else [])]
    done = [run("mail", "classify", *words, given=raw), run("mail", "explain", *words, given=raw)]
    out = filtered(raw, store, site, "spam")
    learned = run("mail", "learn", "--spam", "--store", site or store, given=raw)
    return [*map(tuple, done), out, learned.code, learned.err.rpartition(": ")[2]]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("is_published", [True, False])
def test_another_user_judges_and_does_not_learn(is_published: bool) -> None:
    """By a site's store, and by any that they may read, in a folder where they cannot write."""
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are root's alone
        folder = Path(place)
        names = "copy.db", "mail.db"
        for name in names:
            learned = learned_store(folder / f"own-{name}", REAL[:40])
            publish(learned, str(folder / name)) if is_published else os.rename(learned, folder / name)
            os.chmod(folder / name, 0o644)
        os.chmod(folder, 0o755)
        paths = [(place + "/none", f"{place}/{name}") if is_published else (f"{place}/{name}", "") for name in names]
        right = faces(*paths[0])  # also loads all that nobody might not
        read, write = os.pipe()
        if (child := os.fork()) == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(write, repr(faces(*paths[1])).encode())
            os._exit(0)
        os.close(write)
        with open(read, "rb") as told:
            said = ast.literal_eval(told.read().decode())
        assert os.waitpid(child, 0)[1] == 0
        assert said[:3] == right[:3]
        assert said[3:] == [69, "it, or its folder, is read-only\n"], said


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
        backup(path, f"{path}.copy")
        with pytest.raises(StoreError, match="kept it busy"):
            restore(path, f"{path}.copy")
        assert not os.path.exists(f"{path}.damaged")
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
