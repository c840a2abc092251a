"""Documents → sparse rows, for any way of turning a word into a column: what a dictionary and hashing share.

Texts become numbers of their pieces: what stands between blanks is hashed and looked up in one pass, by plain Python
for little text, compiled for much. What a piece means (its words, their columns) is for others to say, once for each
new piece: words repeat, so rules of any length cost nothing here. Two pieces are taken for one where their 64-bit
hashes agree: for a million pieces that has a probability of 3e-8. On mail text 120 MB/s; `str.split` and a dict 25.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from ..core.dispatch import Kernel, jit_enabled
from ..core.rows import Array, Csr, csr
from ..mailtext.fields import Document, is_made
from ..mailtext.tokens import EDGES, SEPARATORS, Memory, tagged, units
from .ngrams import WORDS, Grams, Ragged, Runs, piece_names
from .parameters import PRECISION, VALUES

BLANK = 32
FOLD = np.arange(256, dtype=np.uint8)
"""How each byte counts; `BLANK`: between pieces."""
FOLD[:33] = BLANK
FOLD[list(SEPARATORS.encode())] = BLANK
FOLD[ord("A") : ord("Z") + 1] += 32
OUTSIDE = (FOLD == BLANK) | np.isin(np.arange(256), list(EDGES.encode()))
"""Bytes that no piece begins or ends with."""
BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
NIL, ONE, HALF = np.uint64(0), np.uint64(1), np.uint64(32)
"""Also of places in the text, as numba would wrap those that could be negative."""


class Texts(NamedTuple):
    """Texts one after the other. text: uint8. ends: (n,) int64. seeds: (n,) uint64, so that the same piece in another
    kind of text is another piece."""

    text: Array
    ends: Array
    seeds: Array


class Table(NamedTuple):
    """The pieces met so far: keys uint64 (0: a free place) and numbers int32, of a power of two that exceeds them."""

    keys: Array
    numbers: Array


def find(texts: Texts, table: Table, used: int, spans: Array, out: Array, fresh: Array) -> tuple[int, int]:
    """Number the pieces of some texts; returns how many there are, and how many are new. used: the next new number.

    To be filled, with room for all pieces: spans: (·, 3) uint64 hash, start and end of each. out: (2, ·) int32 number
    and text of each. fresh: int32 places of the new ones. All are hashed before any is looked up, as the table exceeds
    the processor's caches: together they wait for memory half as long.
    """
    text, ends, seeds = texts
    keys, numbers = table
    mask = np.uint64(keys.size - 1)
    p, m, new = NIL, NIL, 0
    for r in range(ends.size):
        stop, seed = np.uint64(ends[r]), seeds[r] ^ BASIS
        while p < stop:
            while p < stop and OUTSIDE[text[p]]:
                p += ONE
            h, start, own, end = seed, p, seed, p
            while p < stop and FOLD[text[p]] != BLANK:
                h = (h ^ np.uint64(FOLD[text[p]])) * PRIME
                p += ONE
                if not OUTSIDE[text[p - ONE]]:
                    own, end = h, p
            if start < end:
                spans[m, 0], spans[m, 1], spans[m, 2] = own, start, end
                out[1, m] = r
                m += ONE
    for i in range(m):
        h = spans[i, 0]
        h = (h ^ (h >> HALF)) * PRIME
        h = h ^ (h >> HALF)
        if h == NIL:
            h = PRIME
        slot = h & mask
        while keys[slot] != h and keys[slot] != NIL:
            slot = (slot + ONE) & mask
        if keys[slot] == NIL:
            keys[slot], numbers[slot] = h, used + new
            fresh[new] = i
            new += 1
        out[0, i] = numbers[slot]
    return int(m), new


find_pieces = Kernel(find)


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
            self._table = _table(max(SLOTS, 1 << (2 * most).bit_length()))
        seeds = [self._seeds.setdefault(tag, len(self._seeds)) for tag in tags[first : first + len(blobs)]]
        ends, spread = np.cumsum([len(blob) for blob in blobs]), np.array(seeds, np.uint64) * np.uint64(SPREAD)
        texts = Texts(np.frombuffer(text, np.uint8), ends, spread)
        spans, out, fresh = np.empty((most, 3), np.uint64), np.empty((2, most), np.int32), np.empty(most, np.int32)
        m, new = find_pieces(texts, self._table, len(self._numbers), spans, out, fresh)
        number, place = out[:, :m]
        for where, (_, start, end) in zip(place[fresh[:new]].tolist(), spans[fresh[:new]].tolist(), strict=True):
            piece = text[start:end].decode("utf-8", "surrogatepass")
            self._numbers.append(self._make(tags[first + where], piece))
        return np.asarray(self._numbers)[number], place.astype(np.int64) + first

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


parameters = (VALUES, PRECISION)
NONE = -1
"""The column of a word that has none."""


class Entries(NamedTuple):
    """Sparse rows before they have a width. counts: (nnz,) int64; columns: (nnz,) int64; lengths: (n,) int64."""

    counts: Array
    columns: Array
    lengths: Array


class Bag:
    """The columns of a document's words and runs, and how often each occurs.

    column: name → column, 0 … 2^32 − 1, or NONE. A piece of text is remembered as its columns and, where runs of words
    are wanted, as its words, by number. What is remembered changes while rows are made, so threads that share a bag
    wait for each other, batch by batch.
    """

    def __init__(self, column: Callable[[str], int], grams: Grams = WORDS) -> None:
        self._column, self._grams = column, grams
        self._numbers: dict[str, int] = {}
        self._tagged: list[str] = []
        self._words: list[str] = []
        self._runs = Runs(grams.words, column, self._tagged, self._words)
        self._own, self._running = Ragged(), Ragged()
        self._pieces = Pieces(self._number, self._forget)
        self._lock = Lock()

    def _number(self, tag: str, piece: str) -> int:
        parts = units(piece)
        if self._grams.words > 1:
            words = [] if is_made(tag) else [part[0] for part in parts]
            names = list(tagged(tag, words))
            for name, word in zip(names, words, strict=True):
                if name not in self._numbers:
                    self._numbers[name] = len(self._words)
                    self._tagged.append(name)
                    self._words.append(word)
            self._running.append([self._numbers[name] for name in names])
        columns = map(self._column, piece_names(tag, parts, self._grams))
        return self._own.append([column for column in columns if column != NONE])

    def _forget(self) -> None:
        for memory in (self._numbers, self._tagged, self._words, self._runs, self._own, self._running):
            memory.clear()

    def _keys(self, numbers: Array, field: Array, rows: Array) -> Array:
        """row·2^32 + column for every word and run. numbers, field: (m,) of each piece. rows: the row of each field."""
        columns, lengths = self._own.take(numbers)
        keys = np.repeat(rows[field] << 32, lengths) | columns
        if self._grams.words == 1:
            return keys
        words, several = self._running.take(numbers)
        text = np.repeat(field, several)
        runs, places = self._runs.columns(words, text)
        there = runs != NONE
        return np.concatenate([keys, rows[text[places[there]]] << 32 | runs[there]])

    def keys(self, documents: Sequence[Document]) -> Array:
        """row·2^32 + column of every word and run of the documents, int64."""
        fields = [(tag, text, row) for row, document in enumerate(documents) for tag, text in document]
        rows = np.array([row for _, _, row in fields], np.int64)
        parts = [np.empty(0, np.int64)]
        with self._lock:
            for numbers, field in self._pieces.find([tag for tag, _, _ in fields], [text for _, text, _ in fields]):
                parts.append(self._keys(numbers, field, rows))
        return np.concatenate(parts)

    def entries(self, documents: Sequence[Document]) -> Entries:
        """Each document's columns in ascending order, with counts."""
        keys, counts = np.unique(self.keys(documents), return_counts=True)
        lengths = np.bincount(keys >> 32, minlength=len(documents))
        return Entries(counts, keys & 0xFFFFFFFF, lengths)


def regrouped(entries: Entries, columns: Array) -> Entries:
    """The same rows with other columns, ascending in each: what comes into the same column is added, what into none
    (`NONE`) leaves. columns: (nnz,)."""
    kept = columns != NONE
    rows = np.repeat(np.arange(len(entries.lengths)), entries.lengths)[kept]
    keys, place = np.unique(rows << 32 | columns[kept], return_inverse=True)
    lengths = np.bincount(keys >> 32, minlength=len(entries.lengths))
    return Entries(np.bincount(place, entries.counts[kept]), keys & 0xFFFFFFFF, lengths)


def check(values: str, precision: str) -> None:
    """Raises SettingError for a kind of value or a precision that there is not."""
    VALUES.check(values)
    PRECISION.check(precision)


def valued(entries: Entries, width: int, values: str, precision: str) -> Csr:
    """Rows of the chosen values: 1 for present, the count, or its share of the row's counts (zero rows stay zero)."""
    ends = np.concatenate([[0], np.cumsum(entries.lengths)])
    data = entries.counts
    if values == "present":
        data = np.sign(data)
    elif values == "share":
        row = np.repeat(np.arange(len(entries.lengths)), entries.lengths)
        totals = np.bincount(row, weights=np.abs(data), minlength=len(entries.lengths))
        data = data / np.maximum(totals, 1.0)[row]
    return csr(data.astype(precision, copy=False), entries.columns.astype(np.uint32), ends, width)
