"""How far behind the best a learner is, with an interval that takes the pairing and the reuse of rows into account.

    folds        d ± t_{k−1}·√((1/k + m/n)·s²)   of k differences with mean d, deviation s; n training, m test rows
    one test set, errors    (2p − 1)·(b + c)/m  with p from Clopper & Pearson's interval for b of b + c
    one test set, a scorer  d ± t_{g−1}·√((g − 1)/g·Σ(d_i − d̄)²)  with d_i without group i of g

Folds share most of their training rows, so their differences are not independent; the plain t interval is far too
short. The factor 1/k + m/n mends that (Nadeau & Bengio 2003). b and c count the rows that only the one or only the
other gets wrong, as in McNemar's test, exactly. The third is the jackknife that leaves out a group at a time.
"""

from typing import NamedTuple

import numpy as np

from ..core.rows import Array
from ..data.folds import fold_numbers

LEVEL = 0.95
GROUPS = 20


class Interval(NamedTuple):
    """A difference, its interval at LEVEL, and the two-sided p-value of no difference."""

    value: float
    low: float
    high: float
    p: float

    @property
    def includes_zero(self) -> bool:
        return self.low <= 0.0 <= self.high


def over_folds(differences: Array, train: float, test: float) -> Interval:
    """The corrected resampled t interval of a mean difference. differences: (k,), k ≥ 2; train, test: rows a fold."""
    k, mean = len(differences), float(np.mean(differences))
    variance = (1.0 / k + test / train) * float(np.var(differences, ddof=1))
    return _student(mean, variance, k - 1)


def over_rows(wrong: Array, best: Array) -> Interval:
    """The paired interval of a difference of error rates, exact given the number of rows on which the two differ.

    wrong, best: (m,) bool, errors on the same rows. Two that never differ have an interval of width 0.
    """
    from scipy.stats import binomtest

    b, c, m = int((wrong & ~best).sum()), int((best & ~wrong).sum()), len(wrong)
    if b + c == 0:
        return Interval(0.0, 0.0, 0.0, 1.0)
    test = binomtest(b, b + c)
    limits = test.proportion_ci(LEVEL, method="exact")
    share = (b + c) / m
    return Interval((b - c) / m, (2 * limits.low - 1) * share, (2 * limits.high - 1) * share, float(test.pvalue))


def over_groups(value: float, without: Array) -> Interval:
    """The jackknife interval of a difference. value: on all rows; without: (g,) it with each group left out."""
    return _student(value, jackknife(without), len(without) - 1)


def jackknife(without: Array) -> float:
    """The variance of a value, from those with each group left out."""
    g = len(without)
    return (g - 1) / g * float(((without - without.mean()) ** 2).sum())


def groups(y: Array, seed: int) -> Array:
    """(m,) a group 0 … GROUPS − 1 for each row, at random, each class spread evenly over them."""
    return fold_numbers(y, GROUPS, seed)


def _student(value: float, variance: float, freedom: int) -> Interval:
    from scipy.stats import t

    half = float(t.ppf(0.5 + LEVEL / 2, freedom)) * variance**0.5
    same = 1.0 if value == 0.0 else 0.0
    p = 2.0 * float(t.sf(abs(value) / variance**0.5, freedom)) if variance > 0.0 else same
    return Interval(value, value - half, value + half, p)


def holm(p: Array) -> Array:
    """(m,) p-values for m tests at once (Holm 1979): the smallest times m, the next times m − 1, …, never falling."""
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(np.minimum(p[order] * np.arange(len(p), 0, -1), 1.0))
    out = np.empty(len(p))
    out[order] = raised
    return out
