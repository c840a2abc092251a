"""Texts as their runs of characters, for the kernel `spectrum`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, Csr, csr
from ..kernels.spectrum import BITS
from ..mailtext.fields import Document
from ..mailtext.tokens import hashed
from .hashing import Hashing

PRIME = np.uint64(0x100000001B3)


class Spectrum(Hashing):
    """Runs of `length` characters, counted in 2^20 columns; a new field of a mail begins new runs, which are others."""

    kind = "spectrum"
    parameters = ()

    def __init__(self, length: int = 4, precision: str = "float64") -> None:
        super().__init__(BITS, False, "count", precision)
        self.length = length

    def __reduce__(self) -> tuple[Any, ...]:
        return Spectrum, (self.length, self.precision)

    def read(self, documents: list[Document]) -> Csr:
        parts = [np.unique(self._columns(document), return_counts=True) for document in documents]
        ends = np.cumsum([0, *(columns.size for columns, _ in parts)])
        columns = np.concatenate([np.empty(0, np.uint64), *(columns for columns, _ in parts)]).astype(np.uint32)
        counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in parts)])
        return csr(counts.astype(self.precision), columns, ends, self.width)

    def _columns(self, document: Document) -> Array:
        return np.concatenate([np.empty(0, np.uint64), *(self._of(tag, text) for tag, text in document)])

    def _of(self, tag: str, text: str) -> Array:
        """(runs,) the column of each run of a text."""
        plain = " ".join(text.lower().split())
        codes = np.frombuffer(plain.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
        count = max(0, codes.size - self.length + 1)
        keys = np.full(count, hashed(tag), np.uint64)
        for k in range(self.length):
            keys = (keys ^ codes[k : k + count]) * PRIME
            keys ^= keys >> np.uint64(32)
        return np.asarray(keys & np.uint64(self.width - 1))

    def names_in(self, documents: list[Document]) -> dict[int, dict[str, int]]:
        """None: a run has no name, since rows of a kernel's base have numbers."""
        return {}

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"length": self.length}

    @classmethod
    def restore(cls, recipe: dict[str, Any], tensors: dict[str, Any]) -> Spectrum:
        return cls(int(recipe["length"]), recipe["precision"])
