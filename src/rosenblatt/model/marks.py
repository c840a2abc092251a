"""Which rows a model has learned from: a sketch of them, small enough for its file, so that nothing is promised of what
it knows already."""

import numpy as np

from ..core.rows import Array, Rows

KEPT = 256
"""Marks of a model: 1 kB, whatever the number of rows."""
BLOCK = 1 << 16
_ODD = np.uint64(0x9E3779B97F4A7C15)


def marks(rows: Rows) -> Array:
    """(n,) uint32: a number for each row, equal for equal rows, however they are stored.

    x·r with fixed random weights r, to 32 bits, because the order of a sum depends on the storage; then mixed.
    """
    rows = rows.given
    r = 1.0 + np.random.default_rng(0).random(rows.width)
    with np.errstate(all="ignore"):
        sums = [np.asarray(part.matrix() @ r, np.float64) + 0.0 for part in rows.blocks(BLOCK)]  # + 0: no −0
    bits = np.concatenate([*sums, np.empty(0)]).view(np.uint64) + np.uint64(1 << 19) >> np.uint64(20)
    return np.asarray(bits * _ODD >> np.uint64(32)).astype(np.uint32)


def kept(rows: Rows, before: Array | None = None) -> Array:
    """(≤ KEPT,) the lowest marks of the rows, and of those known before: a random sample of the different rows, and the
    same whatever their order and the number of calls (Broder 1997)."""
    found = marks(rows)
    return np.unique(found if before is None else np.concatenate([before, found]))[:KEPT]


def share_known(known: Array | None, found: Array) -> float:
    """The share of the rows with the marks `found` that a model with the marks `known` has learned from, estimated by
    those that are low enough to have been kept; 0 where nothing is known."""
    if known is None or not known.size:
        return 0.0
    low = found[found <= known[-1]] if known.size == KEPT else found
    return float(np.isin(low, known).mean()) if low.size else 0.0
