"""What is looked at in many mails, also by several processes at once; in their order, few of them in memory."""

from __future__ import annotations

import atexit
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain
from multiprocessing import get_context, parent_process
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

from ..mailtext.headers import addresses, header
from .bulk import CHUNK, ROOM, Bulk, chunks
from .features import SENDERS, Look, Looked
from .paths import Mail

FEW = 500
"""Mails below which the work is not divided: another process takes 0.3 s to start."""
AHEAD = 4
"""Chunks of each process that are at work or wait to be taken."""

SPAM, HAM, SENT = "spam", "ham", "sent"
KINDS = (SPAM, HAM, SENT)
"""What its user says that a mail is. sent: by themselves."""
TO, QUOTED = ("to", "cc", "bcc"), re.compile(r'"[^"]*"')
"""Whom a mail went to; names there can be other people's addresses."""
OF_FROM = ("from:", "sender:")
"""How names begin that a sender gives."""

Item = TypeVar("Item")
Made = TypeVar("Made")


def mapped(
    few: Callable[[list[Item]], list[Made]], mails: Iterable[Item], jobs: int = 1, size: Callable[[Any], int] = len
) -> Iterator[Made]:
    """What `few` makes of some mails at a time, in their order, on `jobs` processes, this one among them, where there
    are `FEW` mails or more. size: bytes of one."""
    mails, first = iter(mails), list[Item]()
    if jobs > 1:
        room = FEW * ROOM // CHUNK
        while len(first) < FEW and room > 0 and (more := next(mails, None)) is not None:
            first.append(more)
            room -= size(more)
        if len(first) == FEW or room <= 0:
            yield from _divided(few, chunks(chain(first, mails), size), jobs)
            return
    yield from chain.from_iterable(map(few, chunks(chain(first, mails), size)))


def _divided(few: Callable[[list[Item]], list[Made]], chunks: Iterator[list[Item]], jobs: int) -> Iterator[Made]:
    # Not forked: what this process has loaded by now may have threads. Ctrl-C is for this one; the others end by
    # themselves: a Pool kills them, and where one was writing waits for ever.
    pool, waiting = ProcessPoolExecutor(jobs - 1, get_context("spawn"), _begin, (few,)), deque[Any]()
    try:
        for chunk in chunks:
            with _undisturbed():
                waiting.append((pool.submit(_work, chunk), chunk))
            while len(waiting) >= jobs * AHEAD or (waiting and waiting[0][0].done()):
                yield from _taken(few, waiting)
        while waiting:
            yield from _taken(few, waiting)
    finally:
        pool.shutdown(cancel_futures=True)


def _taken(few: Callable[[list[Item]], list[Made]], waiting: deque[Any]) -> list[Made]:
    """What was made of the first chunk; until it is there, this process works at those that no other has begun.

    So one process less has to start, which takes 0.6 s of CPU, and all are busy until the end.
    """
    for place, (future, chunk) in enumerate(waiting):
        if waiting[0][0].done():
            break
        if future.cancel():
            own = Future[list[Made]]()
            own.set_result(few(chunk))
            waiting[place] = own, ()
    return waiting.popleft()[0].result()  # type: ignore[no-any-return]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the end; processes that are begun meanwhile never hear of it.

    A thread of a library may take the signal in spite of the mask, and then it is raised here, within what begins them.
    """
    heard: list[int] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    is_main = current_thread() is main_thread()  # no other may ask for signals
    usual = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number)) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, usual or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if heard:
        raise KeyboardInterrupt


_few: Callable[[list[Any]], list[Any]]
"""Of a process that looks. What is handed over with each chunk would begin each with empty memories."""


def _begin(few: Callable[[list[Any]], list[Any]]) -> None:
    global _few
    _few = few
    if parent_process() is not None:
        atexit.register(os._exit, 0)  # to take apart what it remembers takes 0.3 s
        Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Where that is killed, this one would wait for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _work(chunk: list[Any]) -> list[Any]:
    return _few(chunk)


class Seer:
    """Mails, each behind its digest → (digest, looked, spam, subject), as they are learned. look: by which."""

    def __init__(self, look: Look) -> None:
        self.look, self.words, self._bulk = look, look, Bulk(look)
        for group in ("headers", SENDERS, "ngrams"):
            self.words = self.words.without(group)
        self.senders = Look([group for group in look.groups if group == "headers"], look.bits)

    def few(self, mails: Sequence[tuple[bytes, Mail]]) -> list[tuple[bytes, Looked, bool, str]]:
        received = iter(self._bulk.few([mail.raw for _, mail in mails if mail.kind != SENT]))
        return [
            (key, self._sent(raw) if kind == SENT else next(received), kind == SPAM, header(raw, "subject"))
            for key, (_, raw, kind) in mails
        ]

    def _sent(self, raw: bytes) -> Looked:
        """What a mail that its user has sent teaches: the words of its body, and that those whom it went to are known.
        Nothing of From and other headers, by which spam in the user's name would be known as ham."""
        people = addresses(",".join(QUOTED.sub("", header(raw, name)) for name in TO))
        names = set[str]()
        for address in people:
            own = self.senders.names(f"From: {address}\n\n".encode())
            names |= {name for group in own.values() for name in group if name.startswith(OF_FROM)}
        return self.look.with_names(self.words(raw), names)._replace(sender=" ".join(people))
