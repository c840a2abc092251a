"""Many mails learned into a store, in batches."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator

from ..digest import digest
from ..looking import SPAM, Seer, mapped
from ..paths import Mail
from .learning import AGAIN, Store, Verdict

BATCH, SECONDS = 256, 0.5
"""Mails of a transaction, and how long they may take to be looked at: what is lost when the process is killed."""


def learn(store: Store, mails: Iterable[Mail], jobs: int = 1, first: bool = False) -> Iterator[Counter[str]]:
    """Learn mails of `KINDS`, a batch a transaction; after each, how many by what became of them (`NEW`, …) so far.

    What is learned already is not looked at. jobs: processes that look; the result is the same. first: a verdict that
    was given stays.
    """
    done, kept = Counter[str](), dict[tuple[bytes, bool], tuple[str, bytes]]()

    def unknown() -> Iterator[tuple[bytes, Mail]]:
        for mail in mails:
            key = digest(mail.raw)
            if store.knows(key, mail.kind == SPAM) or (first and store.knows(key, mail.kind != SPAM)):
                done[AGAIN] += 1
            else:
                if store.settings["keep"]:
                    kept[key, mail.kind == SPAM] = mail.kind, zlib.compress(mail.raw)
                yield key, mail

    batch, begun = list[Verdict](), time.monotonic()
    for seen in mapped(Seer(store.look).few, unknown(), jobs, lambda item: len(item[1].raw)):
        batch.append(Verdict(*seen, kept.pop((seen[0], seen[2]), None)))
        if len(batch) >= BATCH or time.monotonic() - begun >= SECONDS:
            done.update(store.learn(batch))
            yield done
            batch, begun = [], time.monotonic()
    if batch:
        done.update(store.learn(batch))
    yield done
