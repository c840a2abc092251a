"""Hashed words: a column without a dictionary, for text whose words are not known beforehand and must not pile up."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Csr
from ..mailtext.fields import Document
from ..mailtext.tokens import hashed
from ..parameters import Parameter
from .bag import Bag, check, regrouped, valued
from .ngrams import WORDS, Grams, text_names
from .parameters import BITS, SIGNED
from .step import Step


class Collisions(NamedTuple):
    """words: different ones; columns: that they share; rate: share of the words that are not alone in theirs."""

    words: int
    columns: int
    rate: float


def _ranked(words: Counter[str]) -> dict[str, int]:
    return dict(sorted(words.items(), key=lambda item: (-item[1], item[0])))


class Hashing(Step):
    """Bag of words over 2^bits columns. Nothing is learned: documents are rows as soon as they are read.

    bits: 1 … 31, default 18 (262,144 columns). signed: half of the words count negatively, so that words which share
    a column cancel in the mean; off by default, because two words of one class can then erase each other.
    values, precision, grams: as for `Vocabulary`. The same word has the same column in every process, on every machine.
    """

    kind = "hashed"
    takes = "documents"
    parameters: tuple[Parameter, ...] = (BITS, SIGNED)

    def __init__(
        self,
        bits: int = 18,
        signed: bool = False,
        values: str = "present",
        precision: str = "float64",
        grams: Grams = WORDS,
    ) -> None:
        check(values, precision)
        BITS.check(bits)
        self.bits, self.signed, self.values, self.precision, self.grams = bits, signed, values, precision, grams
        # A signed word's column lies beyond the width where it counts negatively.
        self._bag = Bag(self._signed_column if signed else self.column, grams)

    def __reduce__(self) -> tuple[Any, ...]:
        return Hashing, (self.bits, self.signed, self.values, self.precision, self.grams)

    @property
    def width(self) -> int:
        return 1 << self.bits

    names = None

    def column(self, name: str) -> int:
        """The column of a tagged word."""
        return hashed(name) & (self.width - 1)

    def _signed_column(self, name: str) -> int:
        column = self.column(name)
        return column if hashed(name) >> 31 else column + self.width

    def read(self, documents: list[Document]) -> Csr:
        """(n, 2^bits) rows; the columns of each row ascend."""
        entries = self._bag.entries(documents)
        if self.signed:  # negative words are added to the columns that they belong to
            amounts = np.where(entries.columns < self.width, entries.counts, -entries.counts)
            entries = regrouped(entries._replace(counts=amounts), entries.columns & (self.width - 1))
        return valued(entries, self.width, self.values, self.precision)

    def names_in(self, documents: list[Document]) -> dict[int, dict[str, int]]:
        """The words behind the columns that occur in some documents, with their counts, the most frequent first."""
        by_column: dict[int, Counter[str]] = {}
        for tag, text in chain.from_iterable(documents):
            for name in text_names(tag, text, self.grams):
                by_column.setdefault(self.column(name), Counter())[name] += 1
        return {column: _ranked(words) for column, words in by_column.items()}

    def collisions(self, documents: list[Document]) -> Collisions:
        """How many different words there are, in how many columns, and the share of them that share a column."""
        sizes = np.array([len(words) for words in self.names_in(documents).values()], np.int64)
        words = int(sizes.sum())
        return Collisions(words, len(sizes), float(sizes[sizes > 1].sum()) / max(words, 1))

    def expected_rate(self, used: int) -> float:
        """The share of words that must be expected not to be alone in their column, where `used` columns occur.

        A word is alone with probability (1 − 1/M)^(n−1) ≈ e^(−n/M) among n words and M columns, which is also the
        expected share of columns left empty: so the share of columns used is the rate of collisions. `collisions`
        counts them, but needs the documents again.
        """
        return used / self.width

    def recipe(self) -> dict[str, Any]:
        names = ("bits", "signed", "values", "precision")
        return super().recipe() | {name: getattr(self, name) for name in names} | self.grams.recipe()

    @classmethod
    def restore(cls, recipe: dict[str, Any], tensors: dict[str, Any]) -> Hashing:
        SIGNED.check(recipe["signed"])
        return cls(recipe["bits"], recipe["signed"], recipe["values"], recipe["precision"], Grams.restore(recipe))
