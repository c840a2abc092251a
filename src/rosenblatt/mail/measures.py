"""How well mails were told apart, as the TREC spam track measures it, and how sure that is.

    1 − ROCA   the share of the pairs of a ham and a spam in which the ham has the higher score; ties count half
    lost       the share of the ham with the verdict spam
    through    the share of the spam without it
    LAM        logit⁻¹((logit lost + logit through)/2), each of the two as (n + ½)/(N + 1)
    through at x lost   the spam that is missed by the lowest line at which at most the share x of the ham is lost

Source: Cormack and Lynam, TREC 2005 Spam Track Overview.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..data.checks import at_most

LIMITS = (0.001, 0.005)
"""Shares of the ham that may be lost."""
DRAWS = 1_000
LEVEL = 0.95
CHUNK = 64
"""Draws at a time: 64 of 75,000 mails are 38 MB."""
HALF = 0.5
"""What a mail weighs that is added for what can happen and did not: that of Jeffreys' prior, and LAM's own ½."""


class Judged(NamedTuple):
    """What was said of ham and of spam, each in the same order of mails whenever they are compared.

    ham, spam: scores. ham_lost, spam_through: for each cut a column of wrong verdicts, (H, c) and (S, c) bool.
    """

    ham: Array
    spam: Array
    ham_lost: Array
    spam_through: Array


def one_minus_roca(ham: Array, spam: Array) -> float:
    """P(ham > spam) + ½·P(ham = spam) over all pairs; NaN without ham or spam. O(n log n)."""
    if not (len(ham) and len(spam)):
        return float("nan")
    ranked = np.sort(ham)
    below = np.searchsorted(ranked, spam, "left") + np.searchsorted(ranked, spam, "right")
    return 1.0 - float(below.sum()) / (2.0 * len(ham) * len(spam))


def through_at(ham: Array, spam: Array, limit: float) -> float:
    """The share of the spam at or below the lowest line that loses at most this share of the ham; NaN without either.

    Ham above the line is lost, so the line is the score of the (k + 1)-th highest ham, k = ⌊limit·H⌋.
    """
    if not (len(ham) and len(spam)):
        return float("nan")
    line = np.sort(ham)[len(ham) - 1 - at_most(len(ham), limit)]
    return float(np.mean(spam <= line))


def lam(lost: Any, through: Any) -> Any:
    """The logistic average of two shares in (0, 1)."""
    odds = np.sqrt(lost / (1.0 - lost) * (through / (1.0 - through)))
    return odds / (1.0 + odds)


def measures(judged: Judged) -> Array:
    """(2 + L + 3c,): 1 − ROCA, through at each limit, then of each cut LAM, lost and through; NaN: not defined."""
    ham, spam = judged.ham, judged.spam
    lost, through = judged.ham_lost, judged.spam_through
    out = [one_minus_roca(ham, spam), *(through_at(ham, spam, limit) for limit in LIMITS)]
    for k in range(lost.shape[1]):
        a, b = int(lost[:, k].sum()), int(through[:, k].sum())
        both = len(ham) and len(spam)
        mean = lam((a + 0.5) / (len(ham) + 1), (b + 0.5) / (len(spam) + 1)) if both else np.nan
        out += [float(mean), a / len(ham) if len(ham) else np.nan, b / len(spam) if len(spam) else np.nan]
    return np.array(out)


class Drawn(NamedTuple):
    """Weights of the mails in some draws, (d, H) and (d, S); of mails that are added, (d, a); and as which mails of the
    other class those look that are added first, (d,)."""

    ham: Array
    spam: Array
    more_ham: Array
    more_spam: Array
    ham_like: Array
    spam_like: Array


def draws(hams: int, spams: int, more: int, seed: int = 0) -> Iterator[Drawn]:
    """Weights of the Bayesian bootstrap, class by class, DRAWS in all: of each mail exponential, and of `more` added
    ones as of half a mail. hams, spams: at least 1.

    A share is then drawn from Beta(n + ½, N − n + ½), Jeffreys' posterior. Plain resampling says of no ham lost [0, 0],
    whatever their number, and its 95 % of 1 − ROCA are 84 to 89 % (1,000 ham, 400 spam): what spoils it are a few mails
    that look like the other class, and one more or less of them was drawn or not. Source: Rubin 1981.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, DRAWS, CHUNK):
        d = min(CHUNK, DRAWS - start)
        ham, spam = rng.standard_exponential((d, hams)), rng.standard_exponential((d, spams))
        more_ham, more_spam = rng.standard_gamma(HALF, (2, d, more))
        yield Drawn(ham, spam, more_ham, more_spam, rng.integers(spams, size=d), rng.integers(hams, size=d))


def weighted(judged: Judged, drawn: Drawn, wrong: Sequence[int]) -> Array:
    """(d, measures): `measures` with these weights. wrong: which of the mails that are added have a wrong verdict."""
    out = [*_by_scores(judged, drawn)]
    for k in range(judged.ham_lost.shape[1]):
        lost = _share(drawn.ham, judged.ham_lost[:, k], drawn.more_ham, wrong)
        through = _share(drawn.spam, judged.spam_through[:, k], drawn.more_spam, wrong)
        out += [lam(lost, through), lost, through]
    return np.stack(out, axis=1)


def _share(weights: Array, of: Array, more: Array, wrong: Sequence[int]) -> Array:
    some = weights[:, of].sum(axis=1) + more[:, wrong].sum(axis=1)
    return np.asarray(some / (weights.sum(axis=1) + more.sum(axis=1)))


def _by_scores(judged: Judged, drawn: Drawn) -> Iterator[Array]:
    """1 − ROCA, and through at each limit; of the mails that are added the first ones: a ham with the score of a spam
    and a spam with that of a ham."""
    ham, spam = np.argsort(judged.ham), np.argsort(judged.spam)
    u, v, row = judged.ham[ham], judged.spam[spam], np.arange(len(drawn.ham))
    below, missed = (np.pad(np.cumsum(w, axis=1), ((0, 0), (1, 0))) for w in (drawn.ham[:, ham], drawn.spam[:, spam]))
    g, h = drawn.more_ham[:, 0], drawn.more_spam[:, 0]
    p, q = judged.spam[drawn.ham_like], judged.ham[drawn.spam_like]
    hams, spams = below[:, -1], missed[:, -1]

    def twice(sums: Array, scores: Array, of: Array) -> Array:
        """Twice the weight of the scores below, of ties once. of: (d,)."""
        return np.asarray(sums[row, np.searchsorted(scores, of)] + sums[row, np.searchsorted(scores, of, "right")])

    pairs = below[:, np.searchsorted(u, v)] + below[:, np.searchsorted(u, v, "right")]
    right = np.einsum("ij,ij->i", drawn.spam[:, spam], pairs)
    right += h * twice(below, u, q) + g * (2 * spams - twice(missed, v, p)) + g * h * (1.0 + np.sign(q - p))
    yield 1.0 - right / (2.0 * (hams + g) * (spams + h))
    above = hams[:, None] - below[:, 1:] + g[:, None] * (p[:, None] > u)  # of each ham: the weight of higher scores
    own = hams - below[row, np.searchsorted(u, p, "right")]
    for limit in LIMITS:
        most = limit * (hams + g)
        fits = above <= most[:, None]
        line = np.where(fits.any(axis=1), u[np.argmax(fits, axis=1)], np.inf)
        line = np.where(own <= most, np.minimum(line, p), line)
        yield (missed[row, np.searchsorted(v, line, "right")] + h * (q <= line)) / (spams + h)


def limits(value: Array, drawn: Array) -> Array:
    """(2, measures): between them are LEVEL of the draws (DRAWS, measures), and the value itself."""
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0], axis=0)
    return np.stack([np.minimum(low, value), np.maximum(high, value)])


def intervals(runs: Sequence[Judged], seed: int = 0) -> Array:
    """(2, measures) the limits of the mean of `measures` over runs on the same mails; NaN with one class."""
    value = np.mean([measures(run) for run in runs], axis=0)
    hams, spams = len(runs[0].ham), len(runs[0].spam)
    if not (hams and spams):
        return np.full((2, len(value)), np.nan)
    drawn = [np.mean([weighted(run, each, [0]) for run in runs], axis=0) for each in draws(hams, spams, 2, seed)]
    return limits(value, np.concatenate(drawn))


def differences(runs: Sequence[Judged], others: Sequence[Judged], seed: int = 0) -> tuple[Array, Array]:
    """The mean of `measures` of runs less that of others on the same mails, (measures,), and its limits. Of the mails
    that are added one is wrong in both, one only here, one only there, one in neither."""
    value = np.mean([measures(a) - measures(b) for a, b in zip(runs, others, strict=True)], axis=0)
    hams, spams = len(runs[0].ham), len(runs[0].spam)
    if not (hams and spams):
        return value, np.full((2, len(value)), np.nan)
    pairs = list(zip(runs, others, strict=True))
    drawn = [
        np.mean([weighted(a, each, [0, 1]) - weighted(b, each, [0, 2]) for a, b in pairs], axis=0)
        for each in draws(hams, spams, 4, seed)
    ]
    return value, limits(value, np.concatenate(drawn))
