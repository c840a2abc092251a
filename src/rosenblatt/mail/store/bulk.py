"""Many mails learned into a store, in batches."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from ..digest import digest
from ..looking import SPAM, Seer, mapped
from ..paths import Mail
from .learning import AGAIN, Store, Verdict

BATCH, SECONDS = 1024, 0.6
"""Mails of a transaction, and how long they may take to be looked at, half as long where one is learned beside the
next: what is lost when the process is killed."""
CACHE = 1 << 16
"""KB of the file in memory. A batch writes to most pages of the weights; with 2 MB, as usual, all are read anew."""


def learn(store: Store, mails: Iterable[Mail], jobs: int = 1, first: bool = False) -> Iterator[Counter[str]]:
    """Learn mails of `KINDS`, a batch a transaction; after each, how many by what became of them (`NEW`, …) so far.

    What is learned already is not looked at. jobs: processes that look; the result is the same. Where there are more,
    a batch is learned in a thread while the next is looked at: half of that is SQLite's work, and that of compiled
    code. first: a verdict that was given stays.
    """
    done, kept = Counter[str](), dict[tuple[bytes, bool], tuple[str, bytes]]()
    store.connection.execute(f"PRAGMA cache_size=-{CACHE}")

    def unknown() -> Iterator[tuple[bytes, Mail]]:
        given = set[bytes]()  # the store does not know them yet, or by an older verdict
        for mail in mails:
            key = digest(mail.raw)
            spam = mail.kind == SPAM
            if key not in given and (store.knows(key, spam) or (first and store.knows(key, not spam))):
                done[AGAIN] += 1
            else:
                given.add(key)
                if store.settings["keep"]:
                    kept[key, spam] = mail.kind, zlib.compress(mail.raw)
                yield key, mail

    seen = mapped(Seer(store.look).few, unknown(), jobs, lambda item: len(item[1].raw))
    verdicts = (Verdict(*each, kept.pop((each[0], each[2]), None)) for each in seen)
    batches = _batches(verdicts, SECONDS if jobs == 1 else SECONDS / 2)
    for became in map(store.learn, batches) if jobs == 1 else _beside(store, batches):
        done.update(became)
        yield done
    yield done


def _batches(verdicts: Iterator[Verdict], seconds: float) -> Iterator[list[Verdict]]:
    batch, begun = list[Verdict](), time.monotonic()
    for each in verdicts:
        batch.append(each)
        if len(batch) >= BATCH or time.monotonic() - begun >= seconds:
            yield batch
            batch, begun = [], time.monotonic()
    if batch:
        yield batch


def _beside(store: Store, batches: Iterator[list[Verdict]]) -> Iterator[list[str]]:
    """What became of each; one at a time, and all that were begun, also when this is stopped."""
    with ThreadPoolExecutor(1) as thread:
        before: Future[list[str]] | None = None
        for batch in batches:
            if before:
                yield before.result()
            before = thread.submit(store.learn, batch)
        if before:
            yield before.result()
