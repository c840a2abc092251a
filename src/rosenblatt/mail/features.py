"""One raw mail → the columns that it has: words and what else is looked at, hashed."""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from ..mailtext import parse, tokens

BITS = 20
GROUPS = ("words",)
"""What can be looked at."""
MOST = 8_000
"""Columns of a mail."""


class Looked(NamedTuple):
    """columns: distinct, ascending, below 2^bits; each has the value 1/√m, so that the row has length 1. sender: the
    address in From, "" without one."""

    columns: list[int]
    sender: str


class Look(NamedTuple):
    """What is looked at. groups: some of GROUPS. bits: of the hash."""

    groups: tuple[str, ...] = GROUPS
    bits: int = BITS

    def without(self, group: str) -> Look:
        """The same, but for one group."""
        return self._replace(groups=tuple(name for name in self.groups if name != group))

    def __call__(self, raw: bytes) -> Looked:
        mask = (1 << self.bits) - 1
        words = tokens(parse(raw)) if "words" in self.groups else []
        columns = dict.fromkeys(crc32(token.encode("utf-8", "surrogatepass")) & mask for token in words)
        return Looked(sorted(list(columns)[:MOST]), "")
