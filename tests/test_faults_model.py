"""Inputs that once went wrong in comparisons, models, thresholds and experts, each with the right value.

Names: test_<line of the list of faults>_…."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from rosenblatt.compare.intervals import over_rows, paired

# --- A1: the interval of a difference on one test set -----------------------------------------------------------------

ROWS = (30, 50, 100, 200, 500, 1000)
BOTH, ONE, OTHER = (0.0, 0.01, 0.05, 0.2), (0.01, 0.02, 0.05, 0.08, 0.15, 0.3), (0.0, 0.01, 0.02, 0.05, 0.15)
"""Shares of the rows that both learners, only the one, and only the other get wrong."""
SHARES = [(a, b, c) for a, b, c in product(BOTH, ONE, OTHER) if c <= b]


def coverage(n: int, a: float, b: float, c: float, few: float = 1e-6) -> float:
    """The chance that the interval holds b − c: summed exactly over the tables (both, one, other, neither) of n rows,
    but for counts so far out that they have less than `few` together: those count against it."""
    shares = np.array([a, b, c, 1 - a - b - c])
    spans = [np.arange(binom.ppf(few, n, p), binom.isf(few, n, p) + 1) for p in (a, b, c)]
    i, j, k = (count.ravel() for count in np.meshgrid(*spans, indexing="ij"))
    fits = i + j + k <= n
    counts = np.stack([i, j, k, n - i - j - k])[:, fits]
    chance = np.exp(gammaln(n + 1) + (xlogy(counts, shares[:, None]) - gammaln(counts + 1)).sum(axis=0))
    low, high = paired(*counts[:3], n)
    return float(chance[(low <= b - c + 1e-12) & (b - c <= high + 1e-12)].sum())


def test_a1_one_learner_alone_wrong_on_fifty_of_a_thousand() -> None:
    wrong = np.arange(1000) < 50
    found = over_rows(wrong, np.zeros(1000, bool))
    assert found.value == 0.05
    np.testing.assert_allclose(found[1:3], (0.0375, 0.0653), atol=1e-4)
    other = over_rows(np.zeros(1000, bool), wrong)
    np.testing.assert_allclose(other[1:3], (-found.high, -found.low), rtol=1e-12)


def test_a1_newcombes_own_example() -> None:
    """Newcombe 1998, Table II: 36, 12, 2, 0 of 50: [0.0569, 0.3404] by method 10."""
    np.testing.assert_allclose(paired(36, 12, 2, 50), (0.0569, 0.3404), atol=5e-5)


@pytest.mark.parametrize("n", [30, 100, 200])
@pytest.mark.parametrize(("a", "b", "c"), [(0.0, 0.08, 0.01), (0.0, 0.05, 0.0), (0.05, 0.02, 0.02), (0.2, 0.15, 0.0)])
def test_a1_nineteen_of_twenty_intervals_hold_the_truth(n: int, a: float, b: float, c: float) -> None:
    assert coverage(n, a, b, c) >= 0.94


@pytest.mark.slow
@pytest.mark.parametrize("n", ROWS)
def test_a1_coverage_on_the_grid(n: int) -> None:
    """Exactly, at every point: some 90 shares for each number of rows."""
    found = {shares: coverage(n, *shares) for shares in SHARES}
    worst = min(found, key=found.__getitem__)
    assert found[worst] >= 0.94, worst
