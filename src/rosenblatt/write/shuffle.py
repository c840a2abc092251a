"""Any number of records in a random order that is a function of the seed alone, in bounded memory."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO

import numpy as np

HELD = 1 << 26
"""Bytes of records that are held in memory."""
OVERHEAD = 150
"""Bytes that Python needs for a record beside its own."""
BUCKETS = 64
DRAWN = 4096
HEAD = struct.Struct("<dQ")
Keyed = tuple[float, int, bytes]


def shuffled(records: Iterable[bytes], seed: int, held: int = HELD) -> Iterator[bytes]:
    """The records in the order `np.argsort(np.random.default_rng(seed).random(n), kind="stable")`.

    Record i has the i-th random number as its key, and records come by ascending key. Where they need more than `held`
    bytes they go to temporary files by the size of the key, and each file is put in order by itself (or again in
    parts), so the order does not depend on the memory. Disk: once the records' size.
    """
    return (record for _, _, record in _in_order(_keyed(records, seed), 0.0, 1.0, held))


def _keyed(records: Iterable[bytes], seed: int) -> Iterator[Keyed]:
    rng = np.random.default_rng(seed)
    keys: list[float] = []
    for number, record in enumerate(records):
        if not keys:
            keys = rng.random(DRAWN).tolist()[::-1]
        yield keys.pop(), number, record


def _in_order(records: Iterator[Keyed], low: float, high: float, held: int) -> Iterator[Keyed]:
    """Records with keys in [low, high), by key."""
    here: list[Keyed] = []
    size = 0
    for record in records:
        here.append(record)
        size += len(record[2]) + OVERHEAD
        if size > held and len(here) > 1:
            break
    else:
        here.sort(key=_key)
        yield from here
        return
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(BUCKETS)]
        _deal(here, files, low, high)
        here = []
        _deal(records, files, low, high)
        step = (high - low) / BUCKETS
        for place, file in enumerate(files):
            file.seek(0)
            yield from _in_order(_read(file), low + place * step, low + (place + 1) * step, held)
            file.close()


def _deal(records: Iterable[Keyed], files: Sequence[IO[bytes]], low: float, high: float) -> None:
    scale = BUCKETS / (high - low)
    for key, _, record in records:
        place = min(max(int((key - low) * scale), 0), BUCKETS - 1)
        files[place].write(HEAD.pack(key, len(record)))
        files[place].write(record)


def _read(file: IO[bytes]) -> Iterator[Keyed]:
    number = 0
    while head := file.read(HEAD.size):
        key, size = HEAD.unpack(head)
        yield key, number, file.read(size)
        number += 1


def _key(record: Keyed) -> float:
    return record[0]
