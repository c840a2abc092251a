"""One more column for mails, `sender.known`: 1 where the sender is known.

Known is who sent at least two of the training mails, or whoever a file names. No label is looked at, and no mail speaks
for itself: its sender is known only by another mail. What is known is stored in the model as it stands, an address a
line (the dictionary of a model that reads senders holds their addresses as well).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import SettingError, located
from ..mailtext.fields import Document
from .parameters import KNOWN_SENDERS
from .step import Step, as_lines, from_lines
from .word_file import lines_of

NAME = "sender.known"
FIELD = "sender"
FEWEST = 2
"""Mails of the training set by which a sender is known."""


def address(document: Document) -> str | None:
    """Whom a mail is from; None where that was not read, or From has no address."""
    return next((text.split()[0] for tag, text in document if tag == FIELD and text), None)


class Senders(Step):
    """known: addresses in lower case; `@example.org` stands for everyone there. path: a file that names more, or None,
    read when the step is fitted."""

    kind = "senders"
    takes = "documents"
    nothing: Counter[str] = Counter()
    parameters = (KNOWN_SENDERS,)

    def __init__(self, known: Iterable[str] = (), path: str | None = None) -> None:
        self.known, self.path = frozenset(known), path

    def read(self, documents: list[Document]) -> tuple[str | None, ...]:
        """The sender of each mail."""
        return tuple(map(address, documents))

    def stacked(self, parts: Iterable[Any]) -> tuple[str | None, ...]:
        return tuple(chain.from_iterable(parts))

    def taken(self, batch: tuple[str | None, ...], numbers: Array) -> tuple[str | None, ...]:
        return tuple(batch[number] for number in numbers)

    def partial(self, batch: Any) -> Counter[str]:
        """How many of the mails each sender has sent."""
        return Counter(filter(None, self.prepared(batch)))

    def merge(self, a: Counter[str], b: Counter[str]) -> Counter[str]:
        return a + b

    def finish(self, partial: Counter[str]) -> Any:
        """None where neither the mails nor a file say anything of senders: there is no such column then."""
        if self.path is not None and not partial:
            text = "{known_senders:s} has an effect only where mails are read with the field sender"
            raise SettingError(text, known_senders=self.path)
        known = {sender for sender, mails in partial.items() if mails >= FEWEST}
        return Senders(known | (set() if self.path is None else read_senders(self.path))) if partial else None

    def __contains__(self, sender: str | None) -> bool:
        return sender is not None and (sender in self.known or "@" + sender.rpartition("@")[2] in self.known)

    def transform(self, batch: Any) -> Array:
        """(n,) the values of the column."""
        return np.array([sender in self for sender in self.prepared(batch)], float)

    def tensors(self) -> dict[str, Array]:
        return {"senders": as_lines(sorted(self.known), "replace")}

    @classmethod
    def restore(cls, tensors: dict[str, Array]) -> Senders:
        return cls(filter(None, from_lines(tensors, "senders", "list of senders")))


def read_senders(path: str) -> set[str]:
    """The senders of a file: an address, or @ and a domain, a line; # begins a comment. DataError names the line."""
    senders = set()
    for number, line in enumerate(lines_of(path), 1):
        sender = line.partition("#")[0].strip().lower()
        if sender and ("@" not in sender[:-1] or len(sender.split()) > 1):
            wanted = "expected an address, as ann@example.org, or @example.org for everyone there"
            raise located(path, number, f"found {sender[:40]!r}", wanted)
        senders |= {sender} - {""}
    return senders
