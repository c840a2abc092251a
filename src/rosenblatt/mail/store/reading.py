"""A mail judged by what a store holds. Plain Python: no numpy, as a filter is a new process for every mail."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from ..features import SENDERS, Look, Looked, known
from ..opinion import Opinion, Scale
from .file import meta, opened, refused

NUMBERS = "SELECT col, numbers FROM weights WHERE col IN (SELECT value FROM json_each(?))"


class Reader:
    """A store, to judge by. path: of its file. Raises StoreError."""

    def __init__(self, path: str) -> None:
        self.path, self.connection = path, opened(path)
        with refused(path):
            read: dict[str, Any] = meta(self.connection, "reading") or {}
        self.scale = Scale(*read["scale"])
        self.look = Look(read["groups"], read["bits"], read["trusted"])
        self._factors: list[float] = read["factors"]
        self._numbers = struct.Struct(f"<{len(self._factors)}d").unpack

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.connection.close()

    def looked(self, raw: bytes) -> Looked:
        """What is seen of a mail, also of what is known of its sender."""
        return self.with_sender(self.look(raw))

    def with_sender(self, looked: Looked) -> Looked:
        if not looked.sender or SENDERS not in self.look.groups:
            return looked
        return self.look.with_names(looked, known(looked.sender, self._sender(looked.sender)))

    def weights(self, columns: Iterable[int]) -> dict[int, float]:
        """column → weight in the mixed score, of those that are known."""
        with refused(self.path):
            rows = self.connection.execute(NUMBERS, (json.dumps([*columns]),)).fetchall()
        factors, numbers = self._factors, self._numbers
        return {column: sum(map(float.__mul__, factors, numbers(blob))) for column, blob in rows}

    def opinion(self, looked: Looked) -> Opinion:
        """looked: with its sender's names."""
        total = math.fsum(self.weights(looked.columns).values())
        return self.scale.opinion(total / math.sqrt(max(len(looked.columns), 1)))

    def _sender(self, address: str) -> dict[str, tuple[int, int]]:
        with refused(self.path):
            row = self.connection.execute("SELECT spam, ham FROM senders WHERE address = ?", (address,)).fetchone()
        return {address: row} if row else {}
