"""Verdicts learned, changed and forgotten. One process at a time, a batch a transaction.

What a mail has added to each number is kept with it, and forgetting subtracts it. So the store is at any time the sum
of what its mails have added, and a forgotten one has become an example without a step.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ..features import BITS, DEFAULT, STEPS, Look, Looked, known
from ..judge import LOST, Judge
from .additions import packed, unpacked
from .file import StoreError, meta, opened, refused, set_meta, turn
from .reading import LOOKED_AT, NUMBERS, SENDER, Reader, site_of

SETTINGS: dict[str, Any] = {
    "groups": [*DEFAULT], "bits": BITS, "trusted": [], LOST.name: LOST.default, "whole": 5000,
}  # fmt: skip
"""Of a store, from its first mail on. whole: latest mails whose additions are kept; they alone can be forgotten."""
SUBJECT = 80
"""Characters of a subject that are kept."""
NEW, AGAIN, CHANGED, ADDED = "new", "again", "changed", "added"
"""What became of a verdict. added: an old mail has another verdict now, but what it added long ago stays."""


class Verdict(NamedTuple):
    """digest: see `mail.digest`. spam: what it is. subject: to list it by."""

    digest: bytes
    looked: Looked
    spam: bool
    subject: str = ""


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
        self.settings = settings
        self.look = Look(settings["groups"], settings["bits"], settings["trusted"])
        self._site = site_of(self.path, settings["site"], {name: settings[name] for name in LOOKED_AT})
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

        A mail counts once, with its last verdict: another one is forgotten first, and learned anew at the end.
        """
        with self._turn():
            out, waiting = list[str](), dict[bytes, Verdict]()
            for each in verdicts:
                if each.digest in waiting and waiting[each.digest].spam != each.spam:
                    self._learn(waiting)
                known_as = self._known(each.digest)
                if each.digest in waiting or (known_as and known_as.spam == each.spam):
                    out.append(AGAIN)
                    continue
                out.append(NEW if known_as is None else CHANGED if known_as.added else ADDED)
                if known_as:
                    self._learn(waiting)
                    self._forget(known_as)
                waiting[each.digest] = each
            self._learn(waiting)
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
        """Change `max_false_positives` or `whole`. What goes by the other settings is learned: they stay."""
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
        self._version = -1
        self._loaded = np.zeros(1 << self.look.bits, bool)
        self._changed = np.zeros(1 << self.look.bits, bool)
        self._base = [np.zeros(array.shape) for array in self.judge.numbers()] if self._site else []
        self._senders: dict[str, tuple[int, int]] = {}
        self._changed_senders: set[str] = set()

    def _refresh(self) -> None:
        if self._version == self._data_version():
            return
        self.settings = meta(self.connection, "settings")
        self._forget_memory()
        self.judge.set_clocks(meta(self.connection, "judge"))
        (self._tick,) = self.connection.execute("SELECT coalesce(max(tick), 0) FROM messages").fetchone()
        self._tick = max(self._tick, meta(self.connection, "tick") or 0)

    def _known(self, digest: bytes) -> _Message | None:
        row = self.connection.execute(MESSAGE, (digest,)).fetchone()
        return row and _Message(*row)

    def _learn(self, waiting: dict[bytes, Verdict]) -> None:
        """Learn and write those that wait."""
        verdicts = list(waiting.values())
        waiting.clear()
        if not verdicts:
            return
        judge, noted = self.judge, []  # type: ignore[var-annotated]
        addresses = {address for each in verdicts for address in each.looked.sender.split()}
        self._load_senders(addresses)
        self._load(np.concatenate([self._of_senders, *(each.looked.columns for each in verdicts)]).astype(np.int64))
        opinions = judge.learn([each.looked for each in verdicts], [each.spam for each in verdicts], noted)
        self._changed[np.concatenate([learned.columns for learned in noted])] = True
        self._changed_senders |= addresses
        changed = np.flatnonzero(self._changed)
        largest = np.array([np.abs(array[changed]).max(initial=0.0) for array in judge.numbers()])
        rows, now = [], self._now()
        for each, thought, added in zip(verdicts, opinions, packed(noted, largest), strict=True):
            self._tick += 1
            own = each.spam, thought.score, thought.verdict, each.looked.sender, each.subject[:SUBJECT]
            rows.append((self._tick, each.digest, now, *own, added))
        self.connection.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _forget(self, message: _Message) -> None:
        if message.added is not None:
            learned = unpacked(message.added)
            self._load(learned.columns.astype(np.int64))
            self._load_senders({*message.sender.split()})
            self.judge.forget(learned, message.sender)
            self._changed[learned.columns] = True
            self._changed_senders |= {*message.sender.split()}
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
        set_meta(self.connection, "tick", self._tick)
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
    added: bytes | None


WRITE = "INSERT OR REPLACE INTO weights SELECT value, substr(?1, key * ?3 + 1, ?3) FROM json_each(?2)"
"""All numbers behind each other. 0.8 µs a row of 50,000; a statement for each row took 1.8."""
TOO_OLD = "UPDATE messages SET added = NULL WHERE tick <= ? AND added IS NOT NULL"
MESSAGE = "SELECT tick, spam, sender, added FROM messages WHERE digest = ?"
SENDER_NAMES = (*known("", {}), *known("", {"": (max(STEPS), max(STEPS))}))
"""All that a sender can have."""
