"""Products of two columns, hashed: pairs of words, of which there are too many for a column each.

    columns   0 … d − 1             x_j as given
              d … d + 2^bits − 1    Σ ± x_i·x_j of the pairs i < j that fall there

A row of m values has m(m − 1)/2 pairs, whatever d is; of 50,000 words there are 1,250 million. Half of the pairs count
negatively, so that those which share a column cancel in the mean: over all ways to hash, products of such rows are in
the mean those with a column for each pair, x·z + Σ_{i<j} x_i·x_j·z_i·z_j. `python benchmarks/pairs.py` has errors and
seconds. Source: Weinberger et al. 2009, "Feature hashing for large scale multitask learning".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.dispatch import Kernel
from ..core.rows import Array, Rows, csr
from ..errors import DataError
from ..parameters import Parameter
from .maps import Map
from .quadratic import MOST, check_memory

BITS = Parameter(
    "map_bits", 20, int, own="bits", least=1, most=26, help="pairs: 2^bits columns for them.",
    refusal="map: bits={map_bits.value} must be a whole number from 1 to 26",
)  # fmt: skip
LOW, SIXTEEN, THIRTEEN, SIGN = np.uint64(0xFFFFFFFF), np.uint64(16), np.uint64(13), np.uint64(31)
FIRST, SECOND = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35)


def stirred(h: Any) -> Any:
    """32 bits of 32, each made of all, none the same for two (MurmurHash3's last step). In uint64 nothing overflows."""
    h = ((h ^ h >> SIXTEEN) * FIRST) & LOW
    h = ((h ^ h >> THIRTEEN) * SECOND) & LOW
    return h ^ h >> SIXTEEN


class Made(NamedTuple):
    """What is filled. values, columns: with room for all; ends: (n + 1,). place: (2^bits,) −1 each; where a column is.
    hashes: those of the columns of one row, with room for the longest."""

    values: Array
    columns: Array
    ends: Array
    place: Array
    hashes: Array


def pair_up(data: Array, columns: Array, ends: Array, d: int, made: Made) -> None:
    """Each row's own values, then its pairs, a column once."""
    out, place, hashes, mask, p = made.values, made.place, made.hashes, np.uint64(made.place.size - 1), 0
    for i in range(ends.size - 1):
        first, m, begun = ends[i], ends[i + 1] - ends[i], p
        for q in range(m):
            out[p], made.columns[p], hashes[q] = (
                data[first + q],
                columns[first + q],
                stirred(np.uint64(columns[first + q])),
            )
            p += 1
        for q in range(m):
            for r in range(q + 1, m):
                h = stirred((hashes[q] + hashes[r]) & LOW)
                value, c = data[first + q] * data[first + r], np.int64(h & mask)
                if h >> SIGN:
                    value = -value
                if place[c] >= begun:
                    out[place[c]] += value
                else:
                    out[p], made.columns[p], place[c] = value, d + c, p
                    p += 1
        made.ends[i + 1] = p


pair_rows = Kernel(pair_up)


class Pairs(Map):
    """columns: d, those before it."""

    name = "pairs"
    parameters = (BITS,)

    def __init__(self, bits: int = 20, columns: int = 0) -> None:
        self.bits, self.columns = bits, columns

    @property
    def width(self) -> int:
        return self.columns + (1 << self.bits)

    def drawn(self, rows: Rows) -> Pairs:
        """Nothing is left to chance: the same columns, the same hashes."""
        if rows.width > MOST // 2:
            found = f"{{map}} takes at most {MOST // 2:,} columns"
            raise DataError(f"{found}, and the data have {rows.width:,}", map=self.text)
        return Pairs(self.bits, rows.width)

    def transform(self, rows: Rows) -> Rows:
        data, columns, ends = rows.compressed()
        m = np.diff(ends)
        count = len(data) + int((m * (m - 1) // 2).sum())
        found = f"{{map}} makes up to {count:,} values of {rows.n:,} rows and {self.width:,} columns"
        check_memory(count * (rows.dtype.itemsize + 4), found, map=self.text)
        made = Made(
            np.empty(count, rows.dtype), np.empty(count, np.uint32), np.zeros(rows.n + 1, np.int64),
            np.full(1 << self.bits, -1), np.empty(int(m.max(initial=0)), np.uint64),
        )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore"):
            pair_rows.for_work(count)(data, columns, ends, self.columns, made)
        used = int(made.ends[-1])
        return csr(made.values[:used], made.columns[:used], made.ends, self.width)

    def met(self, columns: Array) -> dict[int, list[tuple[int, int]]]:
        own = np.sort(columns[columns < self.columns])
        first, second = np.triu_indices(own.size, 1)
        hashes = stirred(own.astype(np.uint64))
        hashes = stirred((hashes[first] + hashes[second]) & LOW) & np.uint64((1 << self.bits) - 1)
        out = dict[int, list[tuple[int, int]]]()
        for h, i, j in zip(hashes.tolist(), own[first].tolist(), own[second].tolist(), strict=True):
            out.setdefault(self.columns + h, []).append((i, j))
        return out

    def called(self, column: int, given: Callable[[int], str], met: dict[int, list[tuple[int, int]]]) -> str:
        """`free*prize`, of two pairs in one column `free*prize|good*day`; `pairs #17` where none of them is known."""
        if column < self.columns:
            return given(column)
        return "|".join(f"{given(i)}*{given(j)}" for i, j in met.get(column, ())) or f"pairs #{column - self.columns}"

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"columns": self.columns}

    @classmethod
    def of(cls, asked: Any, recipe: dict[str, Any], tensors: dict[str, Array]) -> Pairs:
        return cls(asked.bits, recipe["columns"])

    def fits(self, width: int) -> bool:
        return type(self.columns) is int and self.columns == width <= MOST // 2
