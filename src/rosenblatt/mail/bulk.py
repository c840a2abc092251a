"""Many mails → columns: the same that `Look` gives of each, in half the time.

What the body's words mean is looked up by compiled code (`features.bag`), and the checksums of four characters are
worked out for many mails at a time. The rest is `Look` itself. It loads numpy, and numba after a megabyte of text: for
a few mails `Look` is sooner.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any
from zlib import crc32

import numpy as np

from ..core.rows import Array
from ..features.bag import Bag
from .features import GRAM, MOST, RUNNING, Look, Looked, Reading, Running, Texts, first_words, sender_of

CHUNK = 64
"""Mails at a time."""
ALL = 0xFFFFFFFF
AFTER = np.array(
    [[crc32(bytes([byte]) + bytes(3 - place), ALL) ^ ALL for byte in range(256)] for place in range(4)], np.uint32
)
"""(4, 256): what each byte of four in a row leaves in the state of the checksum."""
BEFORE = np.uint32(crc32(GRAM.encode()) ^ ALL)
"""The state before these four."""


def _foreign_grams(reading: Reading[int], texts: Texts) -> Iterable[int]:
    return () if texts.head.isascii() else RUNNING["ngrams"](reading, texts)


OWN: Running = {**RUNNING, "words": first_words, "ngrams": _foreign_grams}
"""What is left to `Look`."""


class Bulk:
    """`look` for many mails. It remembers words, and so is best kept."""

    def __init__(self, look: Look) -> None:
        self.look, self._bag = look, Bag(look.column)

    def __reduce__(self) -> tuple[Any, ...]:
        return _kept, (self.look.groups, self.look.bits, self.look.trusted)

    def __call__(self, raws: Iterable[bytes]) -> Iterator[Looked]:
        """What is seen of each, in their order; `CHUNK` are taken at a time."""
        return chain.from_iterable(map(self.few, chunks(raws)))

    def few(self, raws: Sequence[bytes]) -> list[Looked]:
        """The same of a few mails: time and room for what is common to them grow with their number."""
        look, own, sizes = self.look, array("q"), []
        documents = [look.document(raw) for raw in raws]
        texts: list[Texts] = []
        for document in documents:
            found, text = look.read(document, look.reading, OWN)
            before = len(own)
            own.extend(chain.from_iterable(found.values()))
            sizes.append(len(own) - before)
            texts.append(text)
        keys = [np.repeat(np.arange(len(raws)) << 32, sizes) | np.frombuffer(own or array("q", [0])[:0], np.int64)]
        if "words" in look.groups:
            keys.append(self._bag.keys([[("", of.body), ("", of.subject), ("subject", of.subject)] for of in texts]))
        if "ngrams" in look.groups:
            keys.append(_grams([of.head for of in texts], look.bits))
        ordered = np.sort(np.concatenate(keys))
        ordered = ordered[np.diff(ordered, prepend=-1) > 0]  # np.unique takes six times as long
        ends = np.searchsorted(ordered, np.arange(len(raws) + 1) << 32).tolist()
        columns = ordered.astype(np.uint32)  # without the row
        return [
            Looked(array("I", columns[start:end].tobytes()), sender_of(document)) if end - start <= MOST else look(raw)
            for raw, document, (start, end) in zip(raws, documents, pairwise(ends), strict=True)
        ]


def chunks(raws: Iterable[bytes]) -> Iterator[list[bytes]]:
    some = iter(raws)
    return iter(lambda: list(islice(some, CHUNK)), [])


@lru_cache(maxsize=2)
def _kept(*settings: Any) -> Bulk:
    """In a process that works for another."""
    return Bulk(Look(*settings))


def _grams(texts: Sequence[str], bits: int) -> Array:
    """row·2^32 + column of the four characters in a row of those texts that are ASCII."""
    parts = [text.encode() if text.isascii() else b"" for text in texts]
    data = np.frombuffer(b"".join(parts) + bytes(3), np.uint8)
    lengths = np.array([len(part) for part in parts], np.int64)
    counts = np.maximum(lengths - 3, 0)
    row = np.repeat(np.arange(len(texts)), counts)
    at = np.arange(len(row)) + (np.cumsum(lengths) - lengths - np.cumsum(counts) + counts)[row]
    h = np.full(len(row), ALL, np.uint32)
    for place in range(4):
        h ^= AFTER[place, data[at + place] ^ np.uint8(BEFORE >> np.uint32(8 * place) & np.uint32(255))]
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return row << 32 | (h ^ h >> np.uint32(16)) & np.uint32((1 << bits) - 1)
