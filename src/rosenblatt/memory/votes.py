"""The arithmetic of voting: replaying a log of steps as scores, survival counts and the mean vector.

One class's log is a `Path`. Between two folds (where the scale was multiplied into the weights) raw scores are running
sums of coef·K(row, x); a fold multiplies what came before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.rows import Array


class Path(NamedTuple):
    """One class's steps, in order. row: (e,) support row, −1 at a fold. coef: (e,) raw coefficient; a fold's scale.

    scale: (e,) after the step. starts: (r,) places after which a new weight vector starts. counts: (r + 1,) survivals
    of the vectors, the first being the one before any mistake.
    """

    row: Array
    coef: Array
    scale: Array
    starts: Array
    counts: Array


def segments(path: Path) -> Iterator[tuple[int, int, float]]:
    """(begin, end, factor): stretches without a fold, and the factor that the fold before each applies."""
    begin, factor = 0, 1.0
    for fold in np.flatnonzero(path.row < 0):
        yield begin, int(fold), factor
        begin, factor = int(fold) + 1, float(path.coef[fold])
    yield begin, path.row.size, factor


def biases(path: Path, start: float, weight: float) -> Array:
    """(r + 1,) the bias of each vector: true coefficients summed; L2 does not shrink it."""
    steps = np.where(path.row >= 0, path.coef * path.scale * weight, 0.0)
    return start + np.concatenate([[0.0], np.cumsum(steps)[path.starts]])


def vector_scores(path: Path, products: Array, start: Array) -> Array:
    """(m, r + 1) score, without bias, of m rows by each vector. products: (m, support) x·x_s; start: (m,) x·w_0."""
    scores = np.empty((products.shape[0], path.starts.size + 1))
    scores[:, 0] = start
    running = start.astype(float)
    for begin, end, factor in segments(path):
        running = running * factor
        raw = products[:, path.row[begin:end]] * path.coef[begin:end]
        np.cumsum(raw, axis=1, out=raw)
        raw += running[:, None]
        low, high = np.searchsorted(path.starts, [begin, end])
        here = path.starts[low:high]
        scores[:, low + 1 : high + 1] = raw[:, here - begin] * path.scale[here]
        if end > begin:
            running = raw[:, -1]
    return scores


def mean_weights(path: Path) -> tuple[Array, float]:
    """(e,) how much each step's row weighs in Σ c_n·w_n, and how much w_0 does."""
    alpha = np.zeros(path.row.size)
    ahead = 0.0
    for begin, end, factor in reversed(list(segments(path))):
        later = np.zeros(end - begin)
        low, high = np.searchsorted(path.starts, [begin, end])
        here = path.starts[low:high]
        later[here - begin] = path.counts[low + 1 : high + 1] * path.scale[here]
        suffix = ahead + np.cumsum(later[::-1])[::-1]
        alpha[begin:end] = path.coef[begin:end] * suffix
        ahead = (suffix[0] if end > begin else ahead) * factor
    return alpha, ahead + float(path.counts[0])
