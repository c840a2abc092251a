"""What is looked at in many mails, also by several processes at once; in their order, few of them in memory."""

from __future__ import annotations

import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from multiprocessing import get_context
from typing import Any, TypeVar

from ..mailtext.headers import addresses, header
from .features import SENDERS, Look, Looked
from .paths import Mail
from .rewriting import rewritten

FEW = 500
"""Mails below which the work is not divided: another process takes 0.3 s to start."""
CHUNK, BYTES = 16, 1 << 22
"""Mails, or bytes, that a process is handed at once."""
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
    """What `few` makes of some mails at a time, in their order, on `jobs` processes where there are `FEW` mails or
    more. size: bytes of one."""
    mails, first = iter(mails), list[Item]()
    if jobs > 1:
        room = FEW * BYTES // CHUNK
        while len(first) < FEW and room > 0 and (more := next(mails, None)) is not None:
            first.append(more)
            room -= size(more)
        if len(first) == FEW or room <= 0:
            yield from _divided(few, _chunks(chain(first, mails), size), jobs)
            return
    yield from chain.from_iterable(map(few, _chunks(chain(first, mails), size)))


def _divided(few: Callable[[list[Item]], list[Made]], chunks: Iterator[list[Item]], jobs: int) -> Iterator[Made]:
    # Not forked: what this process has loaded by now may have threads.
    with get_context("spawn").Pool(jobs, _begin, (few,)) as pool:
        waiting = deque[Any]()
        for chunk in chunks:
            waiting.append(pool.apply_async(_work, (chunk,)))
            if len(waiting) >= jobs * AHEAD:
                yield from waiting.popleft().get()
        while waiting:
            yield from waiting.popleft().get()


def _chunks(mails: Iterator[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
    chunk, room = list[Item](), BYTES
    for mail in mails:
        chunk.append(mail)
        room -= size(mail)
        if len(chunk) == CHUNK or room <= 0:
            yield chunk
            chunk, room = [], BYTES
    if chunk:
        yield chunk


_few: Callable[[list[Any]], list[Any]]
"""Of a process that looks. What is handed over with each chunk would begin each with empty memories."""


def _begin(few: Callable[[list[Any]], list[Any]]) -> None:
    global _few
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that began it, which ends this one
    _few = few


def _work(chunk: list[Any]) -> list[Any]:
    return _few(chunk)


class Seer:
    """Mails, each behind its digest → (digest, looked, spam, subject), as they are learned. look: by which."""

    def __init__(self, look: Look) -> None:
        self.look, self.words = look, look
        for group in ("headers", SENDERS, "ngrams"):
            self.words = self.words.without(group)
        self.senders = Look([group for group in look.groups if group == "headers"], look.bits)

    def few(self, mails: Sequence[tuple[bytes, Mail]]) -> list[tuple[bytes, Looked, bool, str]]:
        return [
            (key, (self._sent if kind == SENT else self.look)(rewritten(raw, {})), kind == SPAM, header(raw, "subject"))
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
