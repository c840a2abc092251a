"""Many mails → columns: the same that `Look` gives of each, in half the time.

What the body's words mean is looked up by compiled code (`features.bag`), and the checksums of four characters are
worked out for many mails at a time. The rest is `Look` itself. It loads numpy, and numba after a megabyte of text: for
a few mails `Look` is sooner.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from ..core.collecting import without_collecting
from ..core.dispatch import Kernel
from ..core.rows import Array
from ..features.bag import NIL, ONE, Bag
from ..mailtext.mail import BEYOND, FEWEST, STEPS
from .features import (
    GRAM,
    MOST,
    RUNNING,
    SHOUT,
    Look,
    Looked,
    Reading,
    Running,
    Texts,
    first_words,
    sender_of,
    style_names,
)

Item = TypeVar("Item")

CHUNK, ROOM = 256, 1 << 22
"""Mails at a time, and bytes after which it is fewer."""
ALL = 0xFFFFFFFF
AFTER = np.array(
    [[crc32(bytes([byte]) + bytes(3 - place), ALL) ^ ALL for byte in range(256)] for place in range(4)], np.uint32
)
"""(4, 256): what each byte of four in a row leaves in the state of the checksum."""
GRAM_STATE, SHOUT_STATE = (np.uint32(crc32(name.encode()) ^ ALL) for name in (GRAM, SHOUT))
"""What it is after these."""
UPPER, LOWER, INSIDE, LARGE, LETTER = map(np.uint8, (1, 2, 4, 8, 16))
KIND = np.zeros(256, np.uint8)
KIND[list(b".@/-_0123456789")] = INSIDE
KIND[ord("A") : ord("Z") + 1] = UPPER
KIND[ord("a") : ord("z") + 1] = LOWER
OTHERS = "\x80\x81\x82\x83\x84"
KIND[list(OTHERS.encode("latin-1"))] = LOWER, INSIDE, LARGE, LETTER, 0
"""INSIDE: before or behind a word in capitals (`mailtext.mail.SHOUTED`), it is part of an address or a name; a dot only
before it. OTHERS: what stands for characters beyond ASCII, by what they are: small, a digit, large, another letter, no
letter."""
LETTERS = UPPER | LOWER | LARGE | LETTER
MANY = 40
"""Different characters beyond ASCII that are replaced one by one."""


def capitals(text: Array, ends: Array, counts: Array, words: Array) -> int:
    """Count the capitals of some texts in ASCII and `OTHERS`, and find the words in them; returns how many there are.

    To be filled: counts (n, 3) int64, capital and small letters and words that are `mailtext.mail.SHOUTED`; words, with
    room for a fourth of the letters, int64 text·2^32 + the checksum of each word that is `SHOUTED`, not stirred.
    """
    found, p = 0, NIL
    for r in range(ends.size):
        first, stop, large, small = p, np.uint64(ends[r]), 0, 0
        while p < stop:
            start, upper = p, 0
            while p < stop and KIND[text[p]] & LETTERS != 0:
                kind = KIND[text[p]]
                upper += 1 if kind == UPPER else 0
                large += 1 if kind & (UPPER | LARGE) != 0 else 0
                small += 1 if kind == LOWER else 0
                p += ONE
            size = p - start
            if 3 <= size <= 40 and upper == size:
                h = SHOUT_STATE
                for q in range(start, p):
                    h = AFTER[3, (h ^ np.uint32(text[q])) & np.uint32(255)] ^ (h >> np.uint32(8))
                words[found] = r << 32 | np.int64(h ^ np.uint32(ALL))
                found += 1
                before = start > first and KIND[text[start - ONE]] == INSIDE
                behind = p < stop and KIND[text[p]] == INSIDE and text[p] != DOT
                if size <= 20 and not before and not behind:
                    counts[r, 2] += 1
            p += ONE
        p, counts[r, 0], counts[r, 1] = stop, large, small
    return found


find_capitals = Kernel(capitals)
DOT = np.uint8(ord("."))


PARTS = ("body", "subject")


def _foreign_grams(reading: Reading[int], texts: Texts) -> Iterable[int]:
    return () if texts.head.isascii() else RUNNING["ngrams"](reading, texts)


OWN: Running = {**RUNNING, "words": first_words, "ngrams": _foreign_grams, "style": lambda reading, texts: ()}
"""What is left to `Look`."""


class Bulk:
    """`look` for many mails. It remembers words, and so is best kept."""

    def __init__(self, look: Look) -> None:
        self.look, self._bag = look, Bag(look.column)

    def __reduce__(self) -> tuple[Any, ...]:
        return _kept, (self.look.groups, self.look.bits, self.look.trusted)

    def __call__(self, raws: Iterable[bytes]) -> Iterator[Looked]:
        """What is seen of each, in their order; they are taken by `chunks`."""
        return chain.from_iterable(map(self.few, chunks(raws)))

    def few(self, raws: Sequence[bytes]) -> list[Looked]:
        """The same of at most 65,536 mails, all in memory together. All that is made for it goes by itself: looking for
        garbage among it took 35 µs a mail of 370."""
        return without_collecting(self._few, raws)  # type: ignore[no-any-return]

    def _few(self, raws: Sequence[bytes]) -> list[Looked]:
        look, own, sizes = self.look, array("q"), []
        documents = [look.document(raw) for raw in raws]
        texts: list[Texts] = []
        for document in documents:
            found, text = look.read(document, look.reading, OWN)
            before = len(own)
            own.extend(chain.from_iterable(found.values()))
            sizes.append(len(own) - before)
            texts.append(text)
        keys = [np.repeat(np.arange(len(raws)) << 32, sizes) | np.frombuffer(own or NOTHING, np.int64)]
        if "words" in look.groups:
            keys.append(self._bag.keys([[("", of.body), ("", of.subject), ("subject", of.subject)] for of in texts]))
        if "ngrams" in look.groups:
            keys.append(_grams([of.head for of in texts], look.bits))
        if "style" in look.groups:
            keys.append(self._style([text for of in texts for text in (of.body, of.subject)]))
        columns, ends = _rows(np.concatenate(keys), len(raws))
        return [
            Looked(array("I", columns[start:end].tobytes()), sender_of(document)) if end - start <= MOST else look(raw)
            for raw, document, (start, end) in zip(raws, documents, pairwise(ends), strict=True)
        ]

    def _style(self, texts: Sequence[str]) -> Array:
        """row·2^32 + column of the style. texts: body and subject of each mail."""
        narrow = list(map(_narrow, texts))
        data = np.frombuffer("".join([text or "" for text in narrow]).encode("latin-1"), np.uint8)
        ends = np.cumsum([len(text or "") for text in narrow])
        counts, words = np.zeros((len(texts), 3), np.int64), np.empty(len(data) // 4 + 1, np.int64)
        found = words[: find_capitals(data, ends, counts, words)]
        names, keys = self.look.reading.names, array("q")
        for place, text in enumerate(texts):
            if narrow[place] is None:  # its counts are 0
                keys.extend([place >> 1 << 32 | names[name] for name in style_names(PARTS[place & 1], text)])
        upper, letters = counts[:, 0], counts[:, 0] + counts[:, 1]
        reached = {f"{step}%": (letters >= FEWEST) & (100 * upper >= step * letters) for step in STEPS}
        own = [found >> 33 << 32 | _stirred(found.astype(np.uint32), self.look.bits)]
        for word, there in (reached | {"words": counts[:, 2] > 0}).items():
            columns = np.array([names[f"capitals.{part}:{word}"] for part in PARTS])
            at = np.flatnonzero(there)
            own.append(at >> 1 << 32 | columns[at & 1])
        return np.concatenate([np.frombuffer(keys or NOTHING, np.int64), *own])


def _narrow(text: str) -> str | None:
    """With each character beyond ASCII as one of `OTHERS`; None where that is not worth it, or would say too little."""
    if text.isascii():
        return text
    beyond = set(BEYOND.sub("", text))
    if len(beyond) > MANY or not beyond.isdisjoint(OTHERS):
        return None
    for c in beyond:
        letter = c.isalnum() and not c.isdecimal()
        if not letter and (c.isupper() or c.islower()):  # in a circle
            return None
        kinds = (letter and c.islower(), c.isdecimal(), letter and c.isupper(), letter, True)
        text = text.replace(c, OTHERS[kinds.index(True)])
    return text


NOTHING = np.empty(0, np.int64)


def _rows(keys: Array, n: int) -> tuple[Array, list[int]]:
    """(columns, ends): the distinct columns of each row, ascending, from row·2^32 + column.

    Each row is sorted by itself: 64 rows of 500 take 0.1 ms, all of them together 0.9.
    """
    row = (keys >> 32).astype(np.uint16)
    columns, sizes = keys[np.argsort(row, kind="stable")].astype(np.uint32), np.bincount(row, minlength=n)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    for start, end in pairwise(ends.tolist()):
        columns[start:end].sort()
    new = np.ones(len(columns) + 1, bool)
    new[1:-1] = columns[1:] != columns[:-1]
    new[ends] = True
    return columns[new[:-1]], np.concatenate([[0], np.cumsum(new)])[ends].tolist()


def chunks(mails: Iterable[Item], size: Callable[[Item], int] = len) -> Iterator[list[Item]]:  # type: ignore[assignment]
    """The mails, a few at a time. size: bytes of one."""
    few, room = list[Item](), ROOM
    for mail in mails:
        few.append(mail)
        room -= size(mail)
        if len(few) == CHUNK or room <= 0:
            yield few
            few, room = [], ROOM
    if few:
        yield few


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
        h ^= AFTER[place, data[at + place] ^ np.uint8(GRAM_STATE >> np.uint32(8 * place) & np.uint32(255))]
    return row << 32 | _stirred(h, bits)


def _stirred(h: Array, bits: int) -> Array:
    """Columns of checksums, uint32, as `hashed` has them."""
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return (h ^ h >> np.uint32(16)) & np.uint32((1 << bits) - 1)
