"""One raw mail → the columns that it has: words and what else is looked at, hashed."""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from ..mailtext import parse, tokens

BITS = 20
MOST = 8_000
"""Columns of a mail."""


class Looked(NamedTuple):
    """columns: distinct, ascending, below 2^bits; each has the value 1/√m, so that the row has length 1. sender: the
    address in From, "" without one."""

    columns: list[int]
    sender: str


class Look(NamedTuple):
    """What is looked at. bits: of the hash."""

    bits: int = BITS

    def __call__(self, raw: bytes) -> Looked:
        mask = (1 << self.bits) - 1
        columns = dict.fromkeys(crc32(token.encode("utf-8", "surrogatepass")) & mask for token in tokens(parse(raw)))
        return Looked(sorted(list(columns)[:MOST]), "")
