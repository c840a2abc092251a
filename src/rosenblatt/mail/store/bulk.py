"""Many mails learned into a store, in batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator

from ..digest import digest
from ..looking import SPAM, Seer, mapped
from ..paths import Mail
from .learning import AGAIN, Store, Verdict

BATCH, SECONDS = 1024, 0.6
"""Mails of a transaction, and how long they may take to be looked at: what is lost when the process is killed."""
CACHE = 1 << 16
"""KB of the file in memory. A batch writes to most pages of the weights; with 2 MB, as usual, all are read anew."""


def learn(store: Store, mails: Iterable[Mail], jobs: int = 1) -> Iterator[Counter[str]]:
    """Learn mails of `KINDS`, a batch a transaction; after each, how many by what became of them (`NEW`, …) so far.

    What is learned already is not looked at. jobs: processes that look; the result is the same.
    """
    done = Counter[str]()
    store.connection.execute(f"PRAGMA cache_size=-{CACHE}")

    def unknown() -> Iterator[tuple[bytes, Mail]]:
        for mail in mails:
            key = digest(mail.raw)
            if store.knows(key, mail.kind == SPAM):
                done[AGAIN] += 1
            else:
                yield key, mail

    batch, begun = list[Verdict](), time.monotonic()
    for seen in mapped(Seer(store.look).few, unknown(), jobs, lambda item: len(item[1].raw)):
        batch.append(Verdict(*seen))
        if len(batch) >= BATCH or time.monotonic() - begun >= SECONDS:
            done.update(store.learn(batch))
            yield done
            batch, begun = [], time.monotonic()
    if batch:
        done.update(store.learn(batch))
    yield done
