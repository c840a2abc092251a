"""What a mail has added, as bytes: `packed` and `unpacked`."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ...core.rows import Array
from ..judge import Learned
from ..record import Counted

HEAD = struct.Struct("<IHHI?Id")
"""Columns, rows of numbers, experts, which of the rows are one number (a bit each), and what was counted."""
LEVEL = 1
"""Of zlib: higher ones save 1 % more of what is mostly digits of floats."""


def packed(learned: Learned) -> bytes:
    """Columns as differences, numbers as float64; a row whose numbers are all alike as one."""
    k, m = learned.numbers.shape
    alike = [bool(m and (row == row[0]).all()) for row in learned.numbers]
    bits = sum(1 << i for i, is_one in enumerate(alike) if is_one)
    head = HEAD.pack(m, k, len(learned.losses), bits, *learned.counted)
    differences = np.diff(learned.columns.astype("<u4"), prepend=np.zeros(1, "<u4"))
    rows = [row[:1] if is_one else row for row, is_one in zip(learned.numbers, alike, strict=True)]
    parts = [learned.losses, *rows]
    text = b"".join([head, _planes(differences), *(part.astype("<f8").tobytes() for part in parts)])
    return zlib.compress(text, LEVEL)


def unpacked(data: bytes) -> Learned:
    """The inverse. ValueError and the like where the bytes are others."""
    text = zlib.decompress(data)
    m, k, experts, bits, *counted = HEAD.unpack_from(text)
    at = HEAD.size + 4 * m
    columns = np.frombuffer(text[HEAD.size : at], np.uint8).reshape(4, m).T.copy().view("<u4")[:, 0].cumsum(dtype="<u4")
    floats = np.frombuffer(text, "<f8", offset=at)
    losses, floats = floats[:experts], floats[experts:]
    numbers, at = np.empty((k, m)), 0
    for i in range(k):
        size = 1 if bits >> i & 1 else m
        numbers[i], at = floats[at : at + size], at + size
    return Learned(columns, numbers, losses, Counted(*counted))


def _planes(values: Array) -> bytes:
    """All lowest bytes first, then all second ones, …: most of the higher ones are 0."""
    return values.view(np.uint8).reshape(-1, 4).T.tobytes()
