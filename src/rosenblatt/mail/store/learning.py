"""Verdicts learned, changed and forgotten. One process at a time, a batch a transaction.

What a mail has added to each number is kept with it, and forgetting subtracts it. So the store is at any time the sum
of what its mails have added, and a forgotten one has become an example without a step.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ..features import BITS, DEFAULT, STEPS, Look, Looked, known
from ..judge import LOST, Judge, Learned
from ..record import Counted
from .additions import packed, unpacked
from .file import WAITS, StoreError, meta, opened, refused, set_meta, turn
from .order import NONE, Order
from .reading import LOOKED_AT, NUMBERS, SENDER, Reader, site_of

SETTINGS: dict[str, Any] = {
    "groups": [*DEFAULT], "bits": BITS, "trusted": [], LOST.name: LOST.default, "whole": 5000, "keep": 0,
}  # fmt: skip
"""Of a store, from its first mail on. whole: latest mails whose additions are kept; they alone can be forgotten.
keep: latest mails that are kept as they are, for `rebuild`."""
SUBJECT = 80
"""Characters of a subject that are kept."""
NEW, AGAIN, CHANGED, ADDED = "new", "again", "changed", "added"
"""What became of a verdict. added: an old mail has another verdict now, but what it added long ago stays."""


class Verdict(NamedTuple):
    """digest: see `mail.digest`. spam: what it is. subject: to list it by. kept: (kind, compressed mail) to be kept, or
    None. time: of the verdict, None for now."""

    digest: bytes
    looked: Looked
    spam: bool
    subject: str = ""
    kept: tuple[str, bytes] | None = None
    time: float | None = None


class Store:
    """A store, to be learned into. It is made where it is missing, with `settings` (default: `SETTINGS`). Raises
    StoreError."""

    def __init__(
        self,
        path: str,
        settings: Mapping[str, Any] | None = None,
        site: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        self.path, self._now = path, now
        self.connection = opened(path, write=True, create=True)
        with refused(path), turn(self.connection):
            saved = meta(self.connection, "settings")
            if saved is None:
                self._begin({**SETTINGS, **(settings or {}), "site": os.path.abspath(site) if site else ""})
                return
        if site and os.path.abspath(site) != saved["site"]:
            begun = f"stands on {saved['site']}" if saved["site"] else "stands on no other"
            raise StoreError(f"{path}: {begun}, not on {site}; a store keeps what it began with")
        self._settled(saved)

    def _begin(self, settings: dict[str, Any]) -> None:
        """A store without a mail. One that stands on a site's looks at mail as that does, and begins with its record
        and its trust in the experts."""
        clocks = None
        if settings["site"]:
            with Reader(settings["site"]) as site:
                settings.update(site.settings)
                clocks = meta(site.connection, "judge")
        self._settled(settings)
        if clocks:
            self.judge.begin_with(clocks)
        set_meta(self.connection, "settings", settings)
        self._write_judge()

    def _settled(self, settings: dict[str, Any]) -> None:
        self.settings = settings = SETTINGS | settings
        self._looked_at = {name: settings[name] for name in LOOKED_AT}
        self.look = Look(settings["groups"], settings["bits"], settings["trusted"])
        self._site = site_of(self.path, settings["site"], self._looked_at)
        self._of_senders = [self.look.column(name) for name in SENDER_NAMES]
        self._forget_memory()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if "_reading" in vars(self):
            self._reading.close()
        self.connection.close()  # the last: it alone can bring the log into the file
        if self._site:
            self._site.close()

    # --- what users do -----------------------------------------------------------------------------------------------

    def learn(self, verdicts: Sequence[Verdict]) -> list[str]:
        """Learn them in this order: all, or on any error none. What became of each: `NEW`, `AGAIN`, ….

        A mail counts once, with its last verdict: another one is forgotten first, and learned anew at the end. What
        `Order` says comes between.
        """
        with self._turn():
            out, batch = list[str](), dict[bytes, Verdict]()
            for each in verdicts:
                if each.digest in batch and batch[each.digest].spam != each.spam:
                    self._learn(batch)
                known_as = self._known(each.digest)
                if each.digest in batch or (known_as and known_as.spam == each.spam):
                    out.append(AGAIN)
                    continue
                out.append(NEW if known_as is None else CHANGED if known_as.added else ADDED)
                if known_as:
                    self._learn(batch)
                    self._forget(known_as)
                self._take(each, batch)
            self._learn(batch)
        return out

    def forget(self, digests: Iterable[bytes]) -> int:
        """Forget these mails, all or none. How many were known. StoreError for one that is too old to be forgotten."""
        with self._turn():
            found = [message for message in map(self._known, dict.fromkeys(digests)) if message is not None]
            for message in found:
                if message.added is None:
                    kept = f"of the latest {self.settings['whole']:,} only"
                    text = f"what this mail added is no longer kept ({kept}); `rosenblatt mail rebuild` begins anew"
                    raise StoreError(f"{self.path}: {text}")
                self._forget(message)
        return len(found)

    def knows(self, digest: bytes, spam: bool) -> bool:
        """Whether a mail is learned, with this verdict; also while another thread learns."""
        with refused(self.path):
            row = self._reading.execute("SELECT spam FROM messages WHERE digest = ?", (digest,)).fetchone()
        return row is not None and bool(row[0]) == spam

    def change(self, **settings: Any) -> None:
        """Change `max_false_positives`, `whole` or `keep`. What goes by the other settings is learned: they stay."""
        with self._turn():
            self.settings |= settings
            self.judge.lost = self.settings[LOST.name]
            set_meta(self.connection, "settings", self.settings)

    # --- inside ------------------------------------------------------------------------------------------------------

    @cached_property
    def _reading(self) -> sqlite3.Connection:
        return opened(self.path)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """A transaction in which the judge in memory is as the file has it; what it has come to is written."""
        with refused(self.path):
            try:
                with turn(self.connection):
                    self._refresh()
                    yield
                    self._write()
                self._version = self._data_version()
            except BaseException:
                self._forget_memory()
                raise

    def _data_version(self) -> int:
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    def _forget_memory(self) -> None:
        settings = self.settings
        self.judge = Judge(self.look, max_false_positives=settings[LOST.name])
        self._version, self.order = -1, Order((0, 0), (0, 0))
        self._loaded = np.zeros(1 << self.look.bits, bool)
        self._changed = np.zeros(1 << self.look.bits, bool)
        self._base = [np.zeros(array.shape) for array in self.judge.numbers()] if self._site else []
        self._senders: dict[str, tuple[int, int]] = {}
        self._changed_senders: set[str] = set()

    def _refresh(self) -> None:
        if self._version == self._data_version():
            return
        self.settings = SETTINGS | meta(self.connection, "settings")
        if any(self.settings[name] != own for name, own in self._looked_at.items()):
            raise StoreError(f"{self.path}: it was rebuilt meanwhile; run the command again")
        self._forget_memory()
        self.judge.set_clocks(meta(self.connection, "judge"))
        (self._tick,) = self.connection.execute("SELECT coalesce(max(tick), 0) FROM messages").fetchone()
        self._tick = max(self._tick, meta(self.connection, "tick") or 0)
        waiting = dict(self.connection.execute(f"SELECT spam, count(*) FROM messages WHERE {WAITS} GROUP BY spam"))
        known = self.judge.record.totals
        self.order = Order(known, [waiting.get(kind, 0) for kind in (0, 1)], meta(self.connection, "order"))

    def _known(self, digest: bytes) -> _Message | None:
        row = self.connection.execute(MESSAGE, (digest,)).fetchone()
        return row and _Message(*row)

    def _take(self, each: Verdict, batch: dict[bytes, Verdict]) -> None:
        """Learn it with the next ones, or let it wait; before it, one of the other kind may have its turn."""
        if self.order.waits(each.spam):
            self._wait(each)
            return
        if self.order.brings(each.spam):
            first = self._first_waiting(not each.spam)
            batch[first.digest] = first
            self.order.learns(first.spam)
        elif self.order.rehearses(each.spam):
            self._learn(batch)
            self._rehearse(not each.spam)
        batch[each.digest] = each
        self.order.learns(each.spam)

    def _wait(self, each: Verdict) -> None:
        """Keep a mail that has added nothing so far, and of which nothing was thought."""
        columns, k = np.frombuffer(each.looked.columns, np.uint32), len(self.judge.numbers())
        nothing = np.zeros((k, len(columns))), np.zeros(len(self.judge.experts)), Counted(each.spam, 0, 0.0)
        self._insert([each], [(0.0, "")], packed([Learned(columns, *nothing)], np.zeros(k)))
        self.order.waiting[each.spam] += 1

    def _first_waiting(self, spam: bool) -> Verdict:
        """Take the first out of those of a kind that wait."""
        tick, digest, when, sender, subject, added = self.connection.execute(FIRST_WAITING, (spam,)).fetchone()
        self.connection.execute("DELETE FROM messages WHERE tick = ?", (tick,))
        self.order.waiting[spam] -= 1
        return Verdict(digest, Looked(array("I", unpacked(added).columns.tobytes()), sender), spam, subject, time=when)

    def _rehearse(self, spam: bool) -> None:
        """Forget a mail of this kind and learn it again at the end, as it was seen then; what counts in the record is
        how it was first met, but the middle between the kinds goes with it."""
        kept, behind = self._tick - self.settings["whole"], self.order.behind[spam]
        find = self.connection.execute
        row = (
            behind != NONE
            and find(LATEST, (spam, kept, behind)).fetchone()
            or find(LATEST, (spam, kept, self._tick + 1)).fetchone()
        )
        self.order.row = 0
        if row is None:
            return
        tick, added = row
        old, noted = unpacked(added), list[Learned]()
        self._load(old.columns.astype(np.int64))
        self.judge.forget(old, "")
        self.judge.learn([Looked(array("I", old.columns.tobytes()), "")], [spam], noted)
        new = noted[0]._replace(counted=self.judge.record.recount(noted[0].counted, old.counted.at))
        self._changed[new.columns] = True
        self._tick += 1
        find("UPDATE messages SET tick = ?, added = ? WHERE tick = ?", (self._tick, *self._packed([new]), tick))
        self.order.behind[spam] = tick

    def _learn(self, batch: dict[bytes, Verdict]) -> None:
        """Learn and write what is in the batch."""
        verdicts = list(batch.values())
        batch.clear()
        if not verdicts:
            return
        judge, noted = self.judge, []  # type: ignore[var-annotated]
        addresses = {address for each in verdicts for address in each.looked.sender.split()}
        self._load_senders(addresses)
        self._load(np.concatenate([self._of_senders, *(each.looked.columns for each in verdicts)]).astype(np.int64))
        opinions = judge.learn([each.looked for each in verdicts], [each.spam for each in verdicts], noted)
        self._changed[np.concatenate([learned.columns for learned in noted])] = True
        self._changed_senders |= addresses
        self._insert(verdicts, [(thought.score, thought.verdict) for thought in opinions], self._packed(noted))

    def _packed(self, noted: Sequence[Learned]) -> list[bytes]:
        changed = np.flatnonzero(self._changed)
        return packed(noted, np.array([np.abs(kind[changed]).max(initial=0.0) for kind in self.judge.numbers()]))

    def _insert(self, verdicts: Sequence[Verdict], thought: Sequence[tuple[float, str]], added: list[bytes]) -> None:
        rows, now = [], self._now()
        for each, own, text in zip(verdicts, thought, added, strict=True):
            self._tick += 1
            when = now if each.time is None else each.time
            about = each.looked.sender, each.subject[:SUBJECT]
            rows.append((self._tick, each.digest, when, each.spam, *own, *about, text))
        self.connection.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        kept = [(each.digest, *each.kept) for each in verdicts if each.kept]
        self.connection.executemany("INSERT OR REPLACE INTO mails (digest, kind, raw) VALUES (?, ?, ?)", kept)

    def _forget(self, message: _Message) -> None:
        if not message.thought:
            self.order.waiting[message.spam] -= 1
        elif message.added is not None:
            self.order.known[message.spam] -= 1
            learned = unpacked(message.added)
            self._load(learned.columns.astype(np.int64))
            self._load_senders({*message.sender.split()})
            self.judge.forget(learned, message.sender)
            self._changed[learned.columns] = True
            self._changed_senders |= {*message.sender.split()}
        self.connection.execute(
            "DELETE FROM mails WHERE digest IN (SELECT digest FROM messages WHERE tick = ?)", (message.tick,)
        )
        self.connection.execute("DELETE FROM messages WHERE tick = ?", (message.tick,))

    def _load(self, columns: Array) -> None:
        """Bring what the file knows of these columns into the judge."""
        needed = ~self._loaded
        self._loaded[columns] = True
        needed = np.flatnonzero(needed & self._loaded)
        numbers = self.judge.numbers()
        rows = self.connection.execute(NUMBERS, (json.dumps(needed.tolist()),)).fetchall()
        if rows:
            found = np.array([column for column, _ in rows])
            values = np.frombuffer(b"".join(blob for _, blob in rows), "<f8").reshape(len(rows), len(numbers))
            for array, own in zip(numbers, values.T, strict=True):
                array[found] = own
        if self._site and needed.size:
            self._load_base(needed.tolist(), numbers)

    def _load_base(self, columns: list[int], numbers: list[Array]) -> None:
        """Let the experts' weights begin with the site's."""
        found = self._site.by_expert(columns) if self._site else {}
        places, at = [], 0
        for expert in self.judge.experts:
            places.append(at)
            at += len(expert.numbers())
        for column, weights in found.items():
            for place, weight in zip(places, weights, strict=True):
                self._base[place][column] = weight
                numbers[place][column] += weight

    def _load_senders(self, addresses: set[str]) -> None:
        for address in addresses - self._senders.keys():
            row = self.connection.execute(SENDER, (address,)).fetchone()
            own, base = row or (0, 0), self._site.sender(address) if self._site else (0, 0)
            self._senders[address] = base
            self.judge.senders[address] = own[0] + base[0], own[1] + base[1]

    def _write(self) -> None:
        changed = np.flatnonzero(self._changed)
        values = np.stack([array[changed] for array in self.judge.numbers()], axis=1)
        if self._site:
            values -= np.stack([array[changed] for array in self._base], axis=1)
        data, size = np.ascontiguousarray(values, "<f8").tobytes(), values.itemsize * values.shape[1]
        self.connection.execute(WRITE, (data, json.dumps(changed.tolist()), size))
        senders = [
            (address, self.judge.senders[address][0] - site[0], self.judge.senders[address][1] - site[1])
            for address, site in ((address, self._senders[address]) for address in sorted(self._changed_senders))
        ]
        self.connection.executemany("INSERT OR REPLACE INTO senders VALUES (?, ?, ?)", senders)
        self._changed[changed] = False
        self._changed_senders.clear()
        self.connection.execute(TOO_OLD, (self._tick - self.settings["whole"],))
        latest = "(SELECT max(id) FROM mails)"
        self.connection.execute(f"DELETE FROM mails WHERE id <= {latest} - ?", (self.settings["keep"],))
        set_meta(self.connection, "tick", self._tick)
        set_meta(self.connection, "order", self.order.as_dict())
        self._write_judge()

    def _write_judge(self) -> None:
        judge, look = self.judge, self.look
        set_meta(self.connection, "judge", judge.clocks())
        own = {"groups": look.groups, "bits": look.bits, "trusted": look.trusted}
        how = {"scale": [*judge.record.scale(judge.lost)], "shares": judge.shares().tolist()}
        factors = [expert.factors() for expert in judge.experts]
        set_meta(self.connection, "reading", {**own, **how, "factors": factors, "site": self.settings["site"]})


class _Message(NamedTuple):
    tick: int
    spam: int
    sender: str
    thought: str
    added: bytes | None


WRITE = "INSERT OR REPLACE INTO weights SELECT value, substr(?1, key * ?3 + 1, ?3) FROM json_each(?2)"
"""All numbers behind each other. 0.8 µs a row of 50,000; a statement for each row took 1.8."""
TOO_OLD = f"UPDATE messages SET added = NULL WHERE tick <= ? AND added IS NOT NULL AND NOT {WAITS}"
MESSAGE = "SELECT tick, spam, sender, thought, added FROM messages WHERE digest = ?"
FIRST_WAITING = f"""SELECT tick, digest, time, sender, subject, added FROM messages
WHERE {WAITS} AND spam = ? ORDER BY tick LIMIT 1"""
LATEST = f"""SELECT tick, added FROM messages
WHERE spam = ? AND tick > ? AND tick < ? AND added IS NOT NULL AND NOT {WAITS} ORDER BY tick DESC LIMIT 1"""
"""Of a kind, between two ticks, of which all is kept."""
SENDER_NAMES = (*known("", {}), *known("", {"": (max(STEPS), max(STEPS))}))
"""All that a sender can have."""
