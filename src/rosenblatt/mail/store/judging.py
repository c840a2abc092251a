"""Mails judged by a store, a few or many: `judged(reader, mails)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from ..opinion import Opinion
from ..paths import Mail
from .reading import Reader

if TYPE_CHECKING:
    from ...core.rows import Array

FEW, ROOM = 200, 64 << 20
"""Mails, and bytes, up to which they are judged one by one; all weights of a store of 100,000 mails take half a second
to read."""


def judged(reader: Reader, mails: Iterable[Mail]) -> Iterator[tuple[Mail, Opinion]]:
    """What is thought of each, in their order. `FEW` need no numpy; of more, none is judged alone."""
    mails, first, room = iter(mails), list[Mail](), ROOM
    for mail in mails:
        first.append(mail)
        room -= len(mail.raw)
        if len(first) > FEW or room < 0:
            yield from _together(reader, chain(first, mails))
            return
    for mail in first:
        yield mail, reader.opinion(reader.looked(mail.raw))


def _together(reader: Reader, mails: Iterator[Mail]) -> Iterator[tuple[Mail, Opinion]]:
    import numpy as np

    from ..bulk import Bulk, chunks

    bulk, weights = Bulk(reader.look), _weights(reader)
    for some in chunks(mails, lambda mail: len(mail.raw)):
        looked = [reader.with_sender(each) for each in bulk.few([mail.raw for mail in some])]
        for mail, each in zip(some, looked, strict=True):
            own = weights[np.frombuffer(each.columns, np.uint32)]
            score = float(own.sum()) / max(len(own), 1) ** 0.5 - reader.scale.middle
            yield mail, reader.scale.of_score(score)


def _weights(reader: Reader) -> Array:
    """(2^bits,) of all columns in the mixed score."""
    import numpy as np

    from .file import refused

    out = np.zeros(1 << reader.look.bits)
    for store in filter(None, (reader, reader.site)):
        with refused(store.path):
            rows = store.connection.execute("SELECT col, numbers FROM weights").fetchall()
        if rows:
            numbers = np.frombuffer(b"".join(blob for _, blob in rows), "<f8").reshape(len(rows), -1)
            out[[column for column, _ in rows]] += numbers[:, :-1] @ np.array(store.flat(reader.shares))
    return out
