"""Do events said to have a probability of 70 % happen in 70 % of the cases? The table and its measure."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.rows import Array
from .thresholds import exact_interval

BINS = 10


class Bin(NamedTuple):
    """The rows with a probability in a range. mean: their mean probability. share: of those that came true; low, high:
    its exact 95 % interval. rows: how many."""

    mean: float
    share: float
    low: float
    high: float
    rows: int


def happened(probabilities: Array, truth: Array) -> tuple[Array, Array]:
    """(p, event): (n,) the probability said, and whether it came true.

    probabilities: (n, K). truth: (n,) class numbers. Two classes: of the positive one. More: the largest probability,
    and whether that class is the true one.
    """
    if probabilities.shape[1] == 2:
        return probabilities[:, 1], truth == 1
    return probabilities.max(axis=1), probabilities.argmax(axis=1) == truth


def bins(p: Array, event: Array, many: int = BINS) -> list[Bin]:
    """The rows by equal ranges of p, lowest first; a range without rows is left out."""
    place, made = np.minimum((p * many).astype(int), many - 1), []
    for k in np.unique(place):
        rows = place == k
        count, true = int(rows.sum()), int(event[rows].sum())
        made.append(Bin(float(p[rows].mean()), true / count, *exact_interval(true, count), count))
    return made


def expected_error(parts: Sequence[Bin]) -> float:
    """Σ count·|mean − share| / n: by how much the probabilities are wrong on average."""
    total = sum(each.rows for each in parts)
    return sum(each.rows * abs(each.mean - each.share) for each in parts) / total
