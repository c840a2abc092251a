"""A mail judged by what a store holds. Plain Python: no numpy, as a filter is a new process for every mail."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

from ..features import Look, Looked
from ..opinion import Opinion, Scale
from .file import StoreError, meta, opened, refused

NUMBERS = "SELECT col, numbers FROM json_each(?) CROSS JOIN weights ON col = value"


SENDER = "SELECT spam, ham FROM senders WHERE address = ?"
LOOKED_AT = ("groups", "bits", "trusted")
"""Settings by which mails are looked at: they stay as a store began."""


class Reader:
    """A store, to judge by, with the site's store that it stands on. path: of its file. Raises StoreError."""

    def __init__(self, path: str) -> None:
        self.path, self.connection = path, opened(path)
        with refused(path):
            self.connection.execute("BEGIN")  # factors and weights are of one moment, whoever learns meanwhile
            read: dict[str, Any] = meta(self.connection, "reading")
        self.scale, self.shares = Scale(*read["scale"]), read["shares"]
        self.settings = {name: read[name] for name in LOOKED_AT}
        self.look = Look(**self.settings)
        self._factors: list[list[float]] = read["factors"]
        self.site = site_of(path, read["site"], self.settings)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()
        if self.site:
            self.site.close()

    def looked(self, raw: bytes) -> Looked:
        """What is seen of a mail, also of what is known of its sender."""
        return self.with_sender(self.look(raw))

    def with_sender(self, looked: Looked) -> Looked:
        return self.look.with_sender(looked, self.sender)

    def weights(self, columns: Iterable[int]) -> dict[int, float]:
        """column → weight in the mixed score, of those that are known."""
        wanted = json.dumps([*columns])
        total = self._weights(wanted, self.shares)
        for column, weight in self.site._weights(wanted, self.shares).items() if self.site else ():
            total[column] = total.get(column, 0.0) + weight
        return total

    def _weights(self, columns: str, shares: list[float]) -> dict[int, float]:
        flat = self.flat(shares)
        return {column: sum(map(float.__mul__, flat, numbers)) for column, numbers in self._numbers(columns)}

    def _numbers(self, columns: str) -> Iterator[tuple[int, tuple[float, ...]]]:
        """What is known of each column, without the mails that had it."""
        unpack = struct.Struct(f"<{sum(map(len, self._factors))}d8x").unpack
        with refused(self.path):
            rows = self.connection.execute(NUMBERS, (columns,)).fetchall()
        return ((column, unpack(blob)) for column, blob in rows)

    def flat(self, shares: list[float]) -> list[float]:
        """What to multiply a column's numbers with, so that their sum is its weight in the mixed score."""
        return [share * factor for share, own in zip(shares, self._factors, strict=True) for factor in own]

    def by_expert(self, columns: Iterable[int]) -> dict[int, list[float]]:
        """column → its weight in the score of each expert."""
        out = {}
        for column, numbers in self._numbers(json.dumps([*columns])):
            left = iter(numbers)
            out[column] = [sum(factor * next(left) for factor in own) for own in self._factors]
        return out

    def opinion(self, looked: Looked) -> Opinion:
        """looked: with its sender's names."""
        return self.scale.of_score(math.fsum([*self.contributions(looked).values(), -self.scale.middle]))

    def contributions(self, looked: Looked) -> dict[int, float]:
        """column → what it adds to the score, of those that are known. With the middle taken away, their `math.fsum` is
        the score to the last bit."""
        length = math.sqrt(max(len(looked.columns), 1))
        return {column: weight / length for column, weight in self.weights(looked.columns).items()}

    def sender(self, address: str) -> tuple[int, int]:
        """(spam, ham) learned of an address."""
        with refused(self.path):
            row = self.connection.execute(SENDER, (address,)).fetchone()
        spam, ham = row or (0, 0)
        more = self.site.sender(address) if self.site else (0, 0)
        return spam + more[0], ham + more[1]


def reader_of(path: str, site: str = "") -> Reader:
    """The store at `path`, or the site's, for who has none yet. StoreError, also where it stands on another."""
    if site and not os.path.exists(path):
        return Reader(site)
    reader = Reader(path)
    if site and (reader.site is None or os.path.abspath(site) != reader.site.path):
        reader.close()
        raise StoreError(f"{path}: stands on {reader.site.path if reader.site else 'no other'}, not on {site}")
    return reader


def site_of(path: str, site: str, settings: dict[str, Any]) -> Reader | None:
    """The site's store that a store stands on, None where it stands on none. StoreError where that looks at mail in
    another way by now."""
    if not site:
        return None
    reader = Reader(site)
    if reader.site:
        reader.close()
        raise StoreError(f"{site}: stands on a site's store itself; expected one that stands on none")
    for name, own in settings.items():
        if reader.settings[name] != own:
            reader.close()
            text = f"{name} is {reader.settings[name]} there, {own} in {path}, which stands on it"
            raise StoreError(f"{site}: {text}; begin {path} anew")
    return reader
