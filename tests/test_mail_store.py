"""The store: any sequence of learning, changing and forgetting is its replay; what cannot be used is said."""

from __future__ import annotations

import math
import os
import sqlite3
import stat
import subprocess
import sys
import zlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mails import learned_store, shipped
from rosenblatt.mail.digest import digest
from rosenblatt.mail.features import Look, Looked
from rosenblatt.mail.judge import Judge, Learned
from rosenblatt.mail.opinion import Opinion
from rosenblatt.mail.paths import Mail
from rosenblatt.mail.record import Counted
from rosenblatt.mail.store import additions, bulk, judging
from rosenblatt.mail.store.additions import packed, unpacked
from rosenblatt.mail.store.care import backup, compact, dump, publish, restore
from rosenblatt.mail.store.file import APPLICATION, VERSION, StoreError, opened
from rosenblatt.mail.store.learning import ADDED, AGAIN, CHANGED, NEW, TOO_OLD, Store, Verdict
from rosenblatt.mail.store.reading import Reader

BITS = 8
SMALL = {"bits": BITS}
SENDERS = ("", "ann@example.org", "bob@example.org")


def mail(number: int) -> Looked:
    """One of some mails, always the same."""
    rng = np.random.default_rng(number)
    return Looked(array("I", sorted(rng.choice(1 << BITS, 20, replace=False).tolist())), SENDERS[number % 3])


def verdict(number: int, spam: bool) -> Verdict:
    return Verdict(sha256(b"%d" % number).digest(), mail(number), spam, f"mail {number}")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "mail.db")


def content(path: str) -> tuple[Any, ...]:
    """(numbers of each column, senders, messages) in a file, in plain SQL."""
    with sqlite3.connect(path) as connection:
        weights = np.zeros((7, 1 << BITS))
        for column, blob in connection.execute("SELECT col, numbers FROM weights"):
            weights[:, column] = np.frombuffer(blob, "<f8")
        senders = dict((address, (spam, ham)) for address, spam, ham in connection.execute("SELECT * FROM senders"))
        messages = connection.execute("SELECT digest, spam, sender, added FROM messages ORDER BY tick").fetchall()
    connection.close()
    return weights, {address: counts for address, counts in senders.items() if any(counts)}, messages


def messages_of(path: str) -> dict[bytes, tuple[Any, ...]]:
    """digest → (tick, verdict, score, thought, time)"""
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT digest, tick, spam, score, thought, time FROM messages ORDER BY tick"
        ).fetchall()
    connection.close()
    return {digest: tuple(row) for digest, *row in rows}


def near(a: Any, b: Any) -> bool:
    """To 10⁻⁹ of the largest entry, each kind of number for itself."""
    size = np.abs(b).max(axis=-1, initial=1e-3, keepdims=True)
    return bool((np.abs(a - b) <= 1e-9 * size).all())


class Entry(NamedTuple):
    """added: None while it waits."""

    tick: int
    spam: bool
    added: Any


class Replay:
    """A log, played in memory: each entry steps from the sum of what those that are left have added."""

    def __init__(self) -> None:
        self.judge = Judge(Look(bits=BITS))
        self.left: dict[int, Entry] = {}
        self.tick, self.row, self.behind = 0, list[bool](), [math.inf, math.inf]

    def learn(self, number: int, spam: bool) -> str:
        known = self.left.get(number)
        if known and known.spam == spam:
            return AGAIN
        if known:
            self.forget(number)
        others = [other for other, entry in self.left.items() if entry.spam != spam]
        waiting = [other for other in others if self.left[other].added is None]
        if not others:
            self.left[number] = Entry(self.next(), spam, None)
            return CHANGED if known else NEW
        if waiting:
            self.left.pop(waiting[0])
            self.step(waiting[0], not spam)
        elif len(self.row) >= 2 * (len(self.left) - len(others)) / len(others) + 2 and self.row[-1] == spam:
            self.rehearse(not spam, {self.left[other].tick: other for other in others})
        self.step(number, spam)
        return CHANGED if known else NEW

    def next(self) -> int:
        self.tick += 1
        return self.tick

    def step(self, number: int, spam: bool) -> None:
        noted: list[Any] = []
        self.judge.learn([mail(number)], [spam], noted)
        self.left[number] = Entry(self.next(), spam, noted[0])
        self.row = [*self.row, spam] if self.row[-1:] == [spam] else [spam]

    def rehearse(self, spam: bool, others: dict[int, int]) -> None:
        """The latest before the one rehearsed last, or the latest of all; as it was seen, and counted, at first."""
        tick = max((tick for tick in others if tick < self.behind[spam]), default=max(others))
        number = others[tick]
        old, noted = self.left.pop(number).added, list[Any]()
        self.judge.forget(old, "")
        self.judge.learn([Looked(array("I", old.columns.tolist()), "")], [spam], noted)
        added = noted[0]._replace(counted=self.judge.record.recount(noted[0].counted, old.counted.at))
        self.left[number] = Entry(self.next(), spam, added)
        self.behind[spam], self.row = tick, []

    def forget(self, number: int) -> int:
        if number not in self.left:
            return 0
        added = self.left.pop(number).added
        if added is not None:
            self.judge.forget(added, mail(number).sender)
        return 1

    def check(self, path: str) -> None:
        weights, senders, messages = content(path)
        assert near(weights, np.stack(self.judge.numbers()))
        assert senders == {address: counts for address, counts in self.judge.senders.items() if any(counts)}
        assert [(digest, bool(spam)) for digest, spam, *_ in messages] == [
            (sha256(b"%d" % number).digest(), entry.spam) for number, entry in self.left.items()
        ]
        with Reader(path) as reader:
            assert math.isclose(reader.scale.middle, self.judge.record.middle, rel_tol=1e-9, abs_tol=1e-9)
        total = np.zeros_like(weights)  # the second way: the sum of what is in the file
        for *_, added in messages:
            learned = unpacked(added)
            total[:, learned.columns] += learned.numbers
        assert near(weights, total)


@contextmanager
def fresh() -> Iterator[str]:
    """A path of its own for each example."""
    with TemporaryDirectory() as folder:
        yield os.path.join(folder, "mail.db")


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("learn"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("row"), st.sampled_from([10, 22, 34]), st.booleans()),
        st.tuples(st.just("forget"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("another process"), st.just(0), st.just(False)),
    ),
    max_size=40,
)


@given(ACTIONS)
def test_any_sequence_is_its_replay(actions: list[tuple[str, int, bool]]) -> None:
    with fresh() as path:
        replay, stores, at = Replay(), [Store(path, SMALL), Store(path)], 0
        for what, number, spam in actions:
            if what == "learn":
                assert stores[at].learn([verdict(number, spam)]) == [replay.learn(number, spam)]
            elif what == "row":  # long enough that mails of the other kind come back
                for each in range(number, number + 12):
                    assert stores[at].learn([verdict(each, spam)]) == [replay.learn(each, spam)]
            elif what == "forget":
                assert stores[at].forget([verdict(number, spam).digest]) == replay.forget(number)
            else:
                at = 1 - at
        replay.check(path)
        stores[at].forget([verdict(number, False).digest for number in range(46)])
        weights, senders, messages = content(path)
        assert np.abs(weights).max() < 1e-9 and not senders and not messages
        for store in stores:
            store.connection.close()


@given(st.lists(st.tuples(st.integers(0, 25), st.booleans(), st.sampled_from([1, 1, 12])), max_size=12),
       st.integers(1, 30))  # fmt: skip
def test_bulk_is_one_by_one(rows: list[tuple[int, bool, int]], size: int) -> None:
    verdicts = [(first + more, spam) for first, spam, length in rows for more in range(length)]
    with fresh() as path:
        replay, out = Replay(), []
        with Store(path, SMALL) as store:
            for at in range(0, len(verdicts), size):
                out += store.learn([verdict(*each) for each in verdicts[at : at + size]])
        assert out == [replay.learn(*each) for each in verdicts]
        replay.check(path)


def test_one_kind_waits_for_the_other(path: str, tmp_path: Path) -> None:
    other = str(tmp_path / "side by side")
    with Store(path, SMALL) as store, Store(other, SMALL) as two:
        store.learn([verdict(number, True) for number in range(20)])
        assert not content(path)[0].any() and not content(path)[1] and store.order.waiting == [0, 20]
        with Reader(path) as reader:
            assert reader.opinion(reader.with_sender(mail(3))) == Opinion(0.0, 0.5, "unsure")
        assert store.learn([verdict(3, True)]) == [AGAIN] and store.forget([verdict(19, True).digest]) == 1
        assert store.learn([verdict(18, False)]) == [CHANGED] and store.order.waiting == [0, 17]
        for number in (*range(20, 30), *range(30, 40)):
            store.learn([verdict(number, False)])
        pairs = zip(range(18), (18, *range(20, 37)), strict=True)
        two.learn([verdict(*each) for spam, ham in pairs for each in ((spam, True), (ham, False))])
        two.learn([verdict(number, False) for number in range(37, 40)])
    assert near(content(path)[0], content(other)[0]) and content(path)[1] == content(other)[1]


def test_a_long_row_of_one_kind_brings_back_the_other(path: str) -> None:
    """Verdicts, what was thought, and the record's counts stay; columns and sender are those of the first time."""
    with Store(path, SMALL) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(40)])
        record, first = store.judge.record.counts.copy(), messages_of(path)
        store.learn([verdict(number, True) for number in range(40, 60)])
        again = [digest for digest, row in messages_of(path).items() if digest in first and row[0] != first[digest][0]]
        # before 45, 50 and 56: rows of 5, 5 and 6 for 25, 30 and 36 spam and 20 ham
        assert again == [verdict(number, False).digest for number in (39, 37, 35)]
        assert all(messages_of(path)[digest][1:] == row[1:] for digest, row in first.items())
        assert (store.judge.record.counts[0] == record[0]).all()
        store.change(whole=0)
        store.learn([verdict(number, True) for number in range(60, 80)])
        assert len(messages_of(path)) == 80, "where nothing is kept, nothing is learned again"


def test_a_reader_judges_as_the_judge_does(path: str) -> None:
    judge = Judge(Look(bits=BITS))
    with Store(path, SMALL) as store:
        for number in range(40):
            store.learn([verdict(number, number % 2 == 0)])
            judge.learn([mail(number)], [number % 2 == 0])
            if number == 0:  # it waits for the first ham
                continue
            with Reader(path) as reader:
                for other in range(number, number + 5):
                    own, theirs = reader.opinion(reader.with_sender(mail(other))), judge.score([mail(other)])[0]
                    assert own.verdict == theirs.verdict
                    assert math.isclose(own.score, theirs.score, rel_tol=1e-9, abs_tol=1e-9)
                    assert math.isclose(own.probability, theirs.probability, rel_tol=1e-9, abs_tol=1e-9)


def test_an_old_mail_changes_its_verdict_but_is_not_forgotten(path: str) -> None:
    with Store(path, SMALL | {"whole": 3}) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(5)])
        assert [added is None for *_, added in content(path)[2]] == [True, True, False, False, False]
        assert store.learn([verdict(0, False)]) == [ADDED]
        with pytest.raises(StoreError, match=r"no longer kept .of the latest 3 only.*mail rebuild"):
            store.forget([verdict(3, False).digest, verdict(1, False).digest])
        assert len(content(path)[2]) == 5, "all or none"


def test_a_threshold_moves_at_once(path: str) -> None:
    with Store(path, SMALL) as store, Store(path) as other:
        store.learn([verdict(number, number % 2 == 0) for number in range(1200)])
        thresholds = []
        for lost in (0.001, 0.1, 0.001):
            other.change(max_false_positives=lost)
            with Reader(path) as reader:
                thresholds.append(reader.scale.threshold)
        assert thresholds[0] == thresholds[2] > thresholds[1]
        assert store.learn([verdict(1200, False)]) == [NEW] and store.judge.lost == 0.001


def test_only_its_owner_reads_it(path: str) -> None:
    with Store(path, SMALL) as store:
        store.learn([verdict(1, True)])
        files = [Path(path), Path(f"{path}-wal"), Path(f"{path}-shm")]
        assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 3


@pytest.fixture
def others(tmp_path: Path) -> Iterator[dict[str, str]]:
    made = {name: str(tmp_path / name) for name in ("text", "another", "newer", "cut", "folder")}
    Path(made["text"]).write_text("no database, but longer than the header of one\n" * 10)
    for name, application, version in (("another", 7, 1), ("newer", APPLICATION, VERSION + 1)):
        with sqlite3.connect(made[name]) as connection:
            connection.execute(f"PRAGMA application_id={application}")
            connection.execute(f"PRAGMA user_version={version}")
        connection.close()
    with Store(made["cut"], SMALL) as store:
        store.learn([verdict(number, True) for number in range(20)])
    data = Path(made["cut"]).read_bytes()
    Path(made["cut"]).write_bytes(data[: len(data) // 2])
    Path(made["folder"]).mkdir()
    yield made


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("text", "found another file; expected a store that `rosenblatt mail learn` made"),
        ("another", "found another program's file; expected a store"),
        ("newer", f"found a store of version {VERSION + 1}; this program knows those up to {VERSION}"),
        ("cut", "it is damaged; `rosenblatt mail store --restore BACKUP`"),
        ("folder", "found a folder; expected the file of a store"),
    ],
)
def test_what_is_no_store(name: str, words: str, others: dict[str, str]) -> None:
    before = Path(others[name]).read_bytes() if name != "folder" else b""
    for use in (lambda path: Reader(path).looked(b"From: a\n\nb"), lambda path: Store(path).learn([verdict(1, True)])):
        with pytest.raises(StoreError, match=words) as error:
            use(others[name])
        assert str(error.value).startswith(others[name])
    assert name == "folder" or Path(others[name]).read_bytes() == before


def test_no_store(path: str) -> None:
    with pytest.raises(StoreError, match="there is no store; `rosenblatt mail learn` makes one"):
        opened(path)
    assert not os.path.exists(path)


WRITER = """
import sys
sys.path.insert(0, {tests!r})
from test_mail_store import Store, verdict
with Store({path!r}, {{"bits": 8}}) as store:
    for number in range({first}, {first} + 20):
        store.learn([verdict(number, number % 2 == 0)])
"""


def packed_1(learned: Learned) -> bytes:
    """As stores of version 1 have it."""
    k, m = learned.numbers.shape
    alike = [bool((row == row[0]).all()) for row in learned.numbers]
    bits = sum(1 << i for i, is_one in enumerate(alike) if is_one)
    columns = np.diff(learned.columns.astype("<u4"), prepend=np.zeros(1, "<u4")).view(np.uint8).reshape(-1, 4).T
    rows = [row[:1] if is_one else row for row, is_one in zip(learned.numbers, alike, strict=True)]
    head = additions.HEAD.pack(m, k, len(learned.losses), bits, *learned.counted)
    return zlib.compress(b"".join([head, columns.tobytes(), *(part.astype("<f8").tobytes() for part in (
        learned.losses, *rows))]), 1)  # fmt: skip


def test_a_store_of_version_1_goes_on(path: str) -> None:
    replay = Replay()
    with Store(path, SMALL) as store:
        for number in range(20):
            store.learn([verdict(number, number % 2 == 0)])
            replay.learn(number, number % 2 == 0)
    with sqlite3.connect(path) as connection:
        for tick, added in connection.execute("SELECT tick, added FROM messages").fetchall():
            learned = unpacked(added)
            again = unpacked(text := packed_1(learned))
            assert all(np.array_equal(own, other) for own, other in zip(learned, again, strict=True))
            connection.execute("UPDATE messages SET added = ? WHERE tick = ?", (text, tick))
        for later in ("INDEX kept", "INDEX waiting", "TABLE mails"):
            connection.execute(f"DROP {later}")
        connection.execute("PRAGMA user_version=1")
    connection.close()
    with pytest.raises(StoreError, match="found a store of version 1; `rosenblatt mail store` makes it one of 2"):
        Reader(path)
    with Store(path) as store:
        for number in (3, 7):
            assert store.forget([verdict(number, False).digest]) == replay.forget(number) == 1
        store.learn([verdict(40, True)])
        replay.learn(40, True)
        replay.check(path)
        (plan,) = store.connection.execute(f"EXPLAIN QUERY PLAN {TOO_OLD}", (5,)).fetchall()
        assert "INDEX kept" in plan[3], "also where it was brought up"
    with Reader(path) as reader:
        assert math.isclose(
            reader.opinion(reader.with_sender(mail(5))).score, replay.judge.score([mail(5)])[0].score, abs_tol=1e-9
        )


KINDS = st.sampled_from([0.0, 1.0, 2.5, -1e300, 1e-300])
MAILS = st.lists(
    st.integers(0, 5).flatmap(lambda m: st.tuples(*[st.lists(KINDS, min_size=m, max_size=m)] * 3)),
    min_size=1, max_size=4,
)  # fmt: skip


@given(MAILS)
def test_what_was_added_comes_back(mails: list[tuple[list[float], ...]]) -> None:
    noted = [
        Learned(np.arange(len(kinds[0])), np.array(kinds), np.array([0.1, i]), Counted(i % 2 == 0, i, 2.5))
        for i, kinds in enumerate(mails)
    ]
    for own, text in zip(noted, packed(noted, np.zeros(3)), strict=True):
        assert all(np.array_equal(mine, other) for mine, other in zip(own, unpacked(text), strict=True))


def test_what_differs_by_rounding_takes_one_number() -> None:
    large = 2.0**20
    numbers = np.array([[1.0, np.nextafter(1.0, 2.0), 1.0], [1.0, 1.0 + large * 1e-14, 1.0]])
    (text,) = packed([Learned(np.arange(3), numbers, np.zeros(1), Counted(True, 1, 0.0))], np.array([1.0, large]))
    assert unpacked(text).numbers.tolist() == [[1.0] * 3, numbers[1].tolist()]


def test_two_writers_at_once(path: str) -> None:
    tests = os.path.dirname(__file__)
    codes = [WRITER.format(tests=tests, path=path, first=first) for first in (0, 100)]
    processes = [subprocess.Popen([sys.executable, "-c", code]) for code in codes]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    weights, _, messages = content(path)
    assert len(messages) == 40
    total = np.zeros_like(weights)
    for *_, added in messages:
        learned = unpacked(added)
        total[:, learned.columns] += learned.numbers
    assert near(weights, total)


def test_a_backup_is_as_of_its_moment_and_brings_it_back(path: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy")
    with Store(path, SMALL) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(10)])
        then = content(path)
        backup(path, copy)
        store.learn([verdict(number, number % 2 == 0) for number in range(10, 20)])
        restore(path, copy)
        assert np.array_equal(content(path)[0], then[0]) and content(path)[1:] == then[1:]
        store.learn([verdict(30, True)])  # which had it open
        assert len(content(path)[2]) == 11
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    Path(path).write_bytes(Path(path).read_bytes()[:9000])
    assert restore(path, copy) == f"{path}.damaged"
    assert len(content(path)[2]) == 10
    assert sorted(os.listdir(tmp_path)) == ["copy", "mail.db", "mail.db.damaged"]


def test_a_damaged_backup_restores_nothing(path: str, others: dict[str, str]) -> None:
    with Store(path, SMALL) as store:
        store.learn([verdict(1, True)])
    for name in ("text", "another", "newer", "cut", "folder"):
        with pytest.raises(StoreError):
            restore(path, others[name])
    assert len(content(path)[2]) == 1


def test_a_backup_takes_the_place_of_no_other_file(path: str, others: dict[str, str], tmp_path: Path) -> None:
    copy = str(tmp_path / "copy")
    with Store(path, SMALL) as store:
        store.learn([verdict(1, True)])
    backup(path, copy)
    for name in ("text", "another", "newer", "folder"):
        before = os.stat(others[name])
        with pytest.raises(StoreError):
            restore(others[name], copy)
        assert os.path.samestat(os.stat(others[name]), before) and not os.path.exists(f"{others[name]}.damaged")


def test_a_damaged_store_takes_the_place_of_no_backup(path: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy")
    with Store(path, SMALL) as store:
        store.learn([verdict(number, True) for number in range(20)])
    backup(path, copy)
    data, before = bytearray(Path(path).read_bytes()), Path(copy).read_bytes()
    data[3 * 4096 : 4 * 4096] = bytes(range(256)) * 16
    Path(path).write_bytes(data)
    for write_out in (backup, publish):
        with pytest.raises(StoreError, match=f"{path}: it is damaged"):
            write_out(path, copy)
    assert Path(copy).read_bytes() == before and not list(tmp_path.glob("copy?*"))


def test_a_store_of_any_name_opens(tmp_path: Path) -> None:
    for name in ("a b", "a%20?b#c", os.fsdecode(b"\xff\n.db")):
        with Store(str(tmp_path / name), SMALL) as store:
            store.learn([verdict(1, True)])
        with Reader(str(tmp_path / name)) as reader:
            assert reader.opinion(mail(1)).verdict


def test_what_was_begun_is_learned_when_it_is_stopped(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is learned while the next is looked at; in whole batches, in their order."""
    monkeypatch.setattr(bulk, "BATCH", 10)
    monkeypatch.setattr(bulk, "SECONDS", 1e9)
    monkeypatch.setattr(bulk, "mapped", lambda few, items, *rest: (seen for item in items for seen in few([item])))
    threads = set[bool]()

    def mails() -> Iterator[Mail]:
        for number in range(25):
            yield Mail("", b"Subject: number %d\n\nhello" % number, "spam" if number % 2 else "ham")
        raise KeyboardInterrupt

    class Watched(Store):
        def learn(self, verdicts: Sequence[Verdict]) -> list[str]:
            threads.add(current_thread() is main_thread())
            return super().learn(verdicts)

    with Watched(path, SMALL) as store, pytest.raises(KeyboardInterrupt):
        list(bulk.learn(store, mails(), 2))
    assert threads == {False}
    digests = [digest(b"Subject: number %d\n\nhello" % number) for number in range(25)]
    assert [row[0] for row in content(path)[2]] == digests[:20]


@pytest.mark.parametrize("jobs", [1, 2])
def test_of_two_verdicts_in_one_command_the_last_one_wins(path: str, jobs: int) -> None:
    """Also where it is the one that was known before."""
    mails = {kind: Mail("", b"Subject: a\n\nhello", kind) for kind in ("spam", "ham")}
    with Store(path, SMALL) as store:
        for kinds in (["spam"], ["ham", "spam"], ["spam", "ham"]):
            *_, done = bulk.learn(store, [mails[kind] for kind in kinds], jobs)
            assert store.knows(digest(mails["ham"].raw), kinds[-1] == "spam"), kinds
    assert done == {AGAIN: 1, CHANGED: 1}


def test_what_is_no_file_stays_where_it_is(path: str, tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with Store(path, SMALL):
        pass
    for use in (lambda: restore(pipe, path), lambda: backup(path, pipe), lambda: publish(path, pipe)):
        with pytest.raises(StoreError, match="pipe: found no ordinary file; expected the file of a store"):
            use()
    assert stat.S_ISFIFO(os.stat(pipe).st_mode) and [*tmp_path.glob("pipe*")] == [Path(pipe)]


def test_compacted_it_is_the_same_in_what_stays(path: str) -> None:
    with Store(path, SMALL) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(10)])
        before, met = content(path)[0], content(path)[0][-1]
        made = compact(path, least=2)
        after = content(path)[0]
        stays = met >= 2
        assert made.columns == (met == 1).sum() > 0 and made.left == stays.sum()
        assert np.array_equal(after[:, stays], before[:, stays]) and not after[:, ~stays].any()
        store.forget([verdict(number, False).digest for number in range(10)])
        assert np.abs(content(path)[0]).max() < 1e-9


def test_a_dump_is_all_of_it(path: str) -> None:
    with Store(path, SMALL) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(10)])
    entries = list(dump(path))
    assert [entry["verdict"] for entry in entries if "tick" in entry] == ["spam", "ham"] * 5
    numbers = np.zeros((7, 1 << BITS))
    for entry in entries:
        if "column" in entry:
            numbers[:, entry["column"]] = entry["numbers"]
    assert np.array_equal(numbers, content(path)[0])


def test_a_snapshot_opens_where_nothing_can_be_written(path: str, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    site = str(tmp_path / "site" / "mail.db")
    with Store(path, SMALL) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(10)])
    publish(path, site)
    assert stat.S_IMODE(os.stat(site).st_mode) == 0o644
    os.chmod(tmp_path / "site", 0o555)
    try:
        with Reader(path) as own, Reader(site) as theirs:
            assert own.opinion(mail(3)) == theirs.opinion(mail(3))
        assert os.listdir(tmp_path / "site") == ["mail.db"]
    finally:
        os.chmod(tmp_path / "site", 0o755)


def test_a_snapshot_goes_on_as_the_store(path: str, tmp_path: Path) -> None:
    """As whoever copies one begins with it: it lacks the mails that were kept, and nothing else."""
    site = str(tmp_path / "site.db")
    with Store(path, SMALL | {"keep": 10}) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(10)])
    publish(path, site)
    for each in (path, site):
        with Store(each) as store:
            assert store.learn([verdict(10, True)]) == [NEW]
            assert store.forget([verdict(3, False).digest]) == 1
    assert np.array_equal(content(site)[0], content(path)[0])


def test_a_user_stands_on_the_sites_store(path: str, tmp_path: Path) -> None:
    """The user's verdicts step from the sum of both, and change the user's own numbers only."""
    site, whole = str(tmp_path / "site.db"), Judge(Look(bits=BITS))
    with Store(path, SMALL) as store:
        store.learn([verdict(number, number % 2 == 0) for number in range(30)])
    publish(path, site)
    whole.learn([mail(number) for number in range(30)], [number % 2 == 0 for number in range(30)])
    before, own = Path(site).read_bytes(), str(tmp_path / "own.db")
    with Store(own, site=site) as store:
        with Reader(own) as reader:
            for number in range(40):
                assert math.isclose(reader.opinion(reader.with_sender(mail(number))).score,
                                    whole.score([mail(number)])[0].score, rel_tol=1e-9, abs_tol=1e-9)  # fmt: skip
            thought = reader.opinion(reader.with_sender(mail(31)))
        store.learn([verdict(31, thought.score < 0)])
    with Store(own) as store, Reader(own) as reader:  # it remembers where the site's is
        again = reader.opinion(reader.with_sender(mail(31)))
        assert again.score * thought.score < 0 or abs(again.score) < abs(thought.score)
        assert content(own)[1] == {SENDERS[1]: (int(thought.score < 0), int(thought.score >= 0))}
        store.forget([verdict(31, False).digest])
        assert np.abs(content(own)[0]).max() < 1e-9 and not content(own)[1]
        judge = whole.score([mail(31)])[0]
    with Reader(own) as reader:
        assert math.isclose(reader.opinion(reader.with_sender(mail(31))).score, judge.score, rel_tol=1e-9, abs_tol=1e-9)
    assert Path(site).read_bytes() == before
    os.unlink(site)
    for use in (Reader, Store):
        with pytest.raises(StoreError, match=r"site.db: there is no store"):
            use(own)


def test_a_site_of_other_columns_is_refused(path: str, tmp_path: Path) -> None:
    site = str(tmp_path / "site.db")
    with Store(site, {"bits": 9}), Store(path, SMALL):
        pass
    with pytest.raises(StoreError, match="stands on no other, not on .*site.db; a store keeps what it began with"):
        Store(path, site=site)
    own = str(tmp_path / "own.db")
    with Store(own, site=site) as store:
        assert store.look.bits == 9
    os.replace(path, site)
    for use in (Reader, Store):
        with pytest.raises(StoreError, match=r"site.db: bits is 8 there, 9 in .*own.db, which stands on it; begin"):
            use(own)


def test_many_mails_are_judged_as_each_is(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shipped()
    site = str(tmp_path / "site.db")
    learned_store(Path(path), real[:100])
    publish(path, site)
    own = str(tmp_path / "own.db")
    with Store(own, site=site) as store:
        store.learn([Verdict(digest(raw), store.look(raw), "spam" in name) for name, raw in real[100:120]])
    monkeypatch.setattr(judging, "FEW", 5)
    for store_path in (path, own):
        with Reader(store_path) as reader:
            made = list(judging.judged(reader, (Mail(name, raw) for name, raw in real[100:200])))
            assert [mail.path for mail, _ in made] == [name for name, _ in real[100:200]]
            for mail_, opinion in made:
                alone = reader.opinion(reader.looked(mail_.raw))
                assert opinion.verdict == alone.verdict and math.isclose(opinion.score, alone.score, abs_tol=1e-9)
