"""Texts → a number for each piece between blanks, remembered: plain Python for little text, compiled for much."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.dispatch import jit_enabled
from ..mailtext.tokens import Memory
from .tokenize import FRESH, PIECES, USED, Room, Table, Texts, find_pieces

Array = np.ndarray[Any, Any]
MUCH = 1 << 20
"""Bytes of text after which compiled code pays: Python needs 0.1 s for them, numba 0.3 s to be imported."""
CHUNK = 1 << 17
"""Bytes of text that are numbered in one call."""
SLOTS = 1 << 20
"""Places of the table (12 MB), twice the pieces that are remembered."""
SPREAD = 0x9E3779B97F4A7C15


class Pieces:
    """`make(tag, piece)` for every piece of text, once while it is remembered.

    make: the number, int64, of a piece in a field with this tag. forget: called when everything is forgotten.
    """

    def __init__(self, make: Callable[[str, str], int], forget: Callable[[], None]) -> None:
        self._make, self._forget = make, forget
        self._seen = 0
        self._memories: dict[str, Memory[int]] = {}
        self._seeds: dict[str, int] = {}
        self._table = _table(0)
        self._numbers = array("q")

    def find(self, tags: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[Array, Array]]:
        """Chunk by chunk: the numbers of all pieces in order, and the text that each is from, (m,) int64.

        `forget` may be called between two chunks.
        """
        self._seen += sum(map(len, texts))
        if self._seen < MUCH or not jit_enabled():
            yield self._plain(tags, texts)
        else:
            for first, blobs in _chunks(texts):
                yield self._chunk(tags, first, blobs)

    def _plain(self, tags: Sequence[str], texts: Sequence[str]) -> tuple[Array, Array]:
        if sum(map(len, self._memories.values())) > SLOTS // 2:
            self._clear()
        numbers: list[int] = []
        ends = [0]
        for tag, text in zip(tags, texts, strict=True):
            if tag not in self._memories:
                self._memories[tag] = Memory(partial(self._make, tag))
            numbers.extend(map(self._memories[tag].__getitem__, text.split()))
            ends.append(len(numbers))
        return np.array(numbers, np.int64), np.repeat(np.arange(len(texts)), np.diff(ends))

    def _chunk(self, tags: Sequence[str], first: int, blobs: list[bytes]) -> tuple[Array, Array]:
        text = b"".join(blobs)
        most = len(text) // 2 + len(blobs)
        if len(self._numbers) + most > len(self._table.keys) // 2:
            # Larger than SLOTS only for a single text of more than a megabyte.
            self._clear()
            slots = max(SLOTS, 1 << (2 * most).bit_length())
            self._table = _table(slots)
        seeds = [self._seeds.setdefault(tag, len(self._seeds)) for tag in tags[first : first + len(blobs)]]
        texts = Texts(
            np.frombuffer(text, np.uint8),
            np.cumsum([len(blob) for blob in blobs]),
            np.array(seeds, np.uint64) * np.uint64(SPREAD),
        )
        room = Room(np.empty(most, np.int32), np.empty(most, np.int32), np.empty((most, 3), np.int64))
        state = np.zeros(3, np.int64)
        state[USED] = len(self._numbers)
        find_pieces(texts, self._table, room, state)
        for place, start, end in room.fresh[: state[FRESH]].tolist():
            piece = text[start:end].decode("utf-8", "surrogatepass")
            self._numbers.append(self._make(tags[first + place], piece))
        pieces = slice(0, state[PIECES])
        return np.asarray(self._numbers)[room.number[pieces]], room.text[pieces].astype(np.int64) + first

    def _clear(self) -> None:
        self._memories.clear()
        self._numbers = array("q")
        self._table = _table(0)
        self._forget()


def _table(slots: int) -> Table:
    return Table(np.zeros(slots, np.uint64), np.empty(slots, np.int32))


def _chunks(texts: Sequence[str]) -> Iterator[tuple[int, list[bytes]]]:
    """(place of the first, texts as bytes), about CHUNK bytes at a time."""
    first, size = 0, 0
    blobs: list[bytes] = []
    for place, text in enumerate(texts):
        blobs.append(text.encode("utf-8", "surrogatepass"))
        size += len(blobs[-1])
        if size >= CHUNK:
            yield first, blobs
            first, size, blobs = place + 1, 0, []
    if blobs:
        yield first, blobs
