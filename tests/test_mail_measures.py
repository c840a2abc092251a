"""The measures of the TREC spam track, against a plain reference and scipy; and whether 95 % are 95 %."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import beta, mannwhitneyu

import naive
from rosenblatt.core.rows import Array
from rosenblatt.mail import measures as module
from rosenblatt.mail.measures import (
    LIMITS,
    Judged,
    differences,
    draws,
    intervals,
    lam,
    measures,
    one_minus_roca,
    through_at,
    weighted,
)

SCORES = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12).map(np.array)
"""With ties."""


def judged(ham: Array, spam: Array, *lines: float) -> Judged:
    cuts = [(ham > line, spam <= line) for line in lines or (0.0, 1.0)]
    return Judged(ham, spam, *(np.stack(side, axis=1) for side in zip(*cuts, strict=True)))


@given(ham=SCORES, spam=SCORES, limit=st.sampled_from([0.0, 0.001, 0.1, 0.25, 0.5]))
def test_ranks_as_by_all_pairs_and_all_lines(ham: Array, spam: Array, limit: float) -> None:
    assert one_minus_roca(ham, spam) == pytest.approx(naive.one_minus_roca(ham, spam), abs=1e-12)
    assert through_at(ham, spam, limit) == pytest.approx(naive.through_at(ham, spam, limit))


def test_scipy_says_the_same() -> None:
    rng = np.random.default_rng(1)
    ham, spam = rng.normal(0, 1, 300).round(1), rng.normal(2, 1, 200).round(1)
    below = mannwhitneyu(spam, ham).statistic / (300 * 200)
    assert one_minus_roca(ham, spam) == pytest.approx(1 - below, abs=1e-12)
    assert lam(0.02, 0.3) == pytest.approx(expit((logit(0.02) + logit(0.3)) / 2))
    found = measures(judged(ham, spam))
    assert found[3] == pytest.approx(naive.lam(int((ham > 0).sum()), 300, int((spam <= 0).sum()), 200))
    assert found[4:6] == pytest.approx([(ham > 0).mean(), (spam <= 0).mean()])
    assert found[7:9] == pytest.approx([(ham > 1).mean(), (spam <= 1).mean()])


def test_without_a_class_what_needs_it_is_not_defined() -> None:
    only = judged(np.array([1.0, -1.0]), np.array([]))
    assert [math.isnan(value) for value in measures(only)] == [True, True, True, True, False, True, True, False, True]
    assert np.isnan(intervals([only])).all() and np.isnan(differences([only], [only])[1]).all()


def test_weights_of_one_give_the_measures_themselves() -> None:
    """And whole weights those of mails that come so often."""
    rng = np.random.default_rng(2)
    ham, spam = rng.integers(-4, 3, 40).astype(float), rng.integers(-2, 5, 30).astype(float)
    often = rng.integers(0, 4, 40), rng.integers(1, 3, 30)
    drawn = next(draws(40, 30, 2))
    nothing = [np.zeros((1, 2))] * 2
    for heavy, light in ((np.ones(40, int), np.ones(30, int)), often):
        own = drawn._replace(
            ham=heavy[None, :] * 1.0, spam=light[None, :] * 1.0, more_ham=nothing[0], more_spam=nothing[1]
        )
        own = own._replace(ham_like=drawn.ham_like[:1], spam_like=drawn.spam_like[:1])
        found = weighted(judged(ham, spam), own, [0])[0]
        expected = measures(judged(np.repeat(ham, heavy), np.repeat(spam, light)))
        defined = [0, 1, 2, 4, 5, 7, 8]  # LAM adds its own halves
        assert found[defined] == pytest.approx(expected[defined])


def test_a_mail_that_is_added_counts_as_one_that_is_there() -> None:
    ham, spam = np.array([0.0, 1.0, 2.0, 3.0]), np.array([2.5, 4.0, 5.0])
    drawn = next(draws(4, 3, 1))
    one = np.ones((1, 1))
    own = drawn._replace(ham=np.ones((1, 4)), spam=np.ones((1, 3)), more_ham=one, more_spam=one)
    own = own._replace(ham_like=np.array([1]), spam_like=np.array([2]))  # a ham of 4.0, a spam of 2.0
    found = weighted(judged(ham, spam), own, [0])[0]
    expected = measures(judged(np.append(ham, 4.0), np.append(spam, 2.0)))
    assert found[: 1 + len(LIMITS)] == pytest.approx(expected[: 1 + len(LIMITS)])


def test_a_share_is_drawn_from_jeffreys_posterior() -> None:
    ham, spam = np.zeros(500), np.r_[np.zeros(3), np.ones(97)]
    low, high = intervals([judged(ham, spam, 0.5)])
    assert (low[4], low[5], high[5]) == (0.0, pytest.approx(beta(3.5, 97.5).ppf(0.025), rel=0.2),
                                         pytest.approx(beta(3.5, 97.5).ppf(0.975), rel=0.2))  # fmt: skip
    assert high[4] == pytest.approx(beta(0.5, 500.5).ppf(0.975), rel=0.3), "of no ham lost"


def pair(rng: np.random.Generator, hams: int, spams: int) -> tuple[Judged, Judged]:
    """Scores as two judges give them of the same mails: one spam of a hundred looks like ham, two ham of a thousand
    like spam."""
    ham, spam = rng.normal(0, 1, hams), rng.normal(6, 1.2, spams)
    odd = rng.random(hams) < 0.002, rng.random(spams) < 0.01
    ham[odd[0]], spam[odd[1]] = rng.normal(4, 2, odd[0].sum()), rng.normal(0, 2, odd[1].sum())
    other = ham + rng.normal(0, 0.5, hams), spam + rng.normal(0, 0.5, spams)
    return judged(ham, spam, 2.5, 3.2), judged(*other, 2.5, 3.2)


def resampled(rng: np.random.Generator, own: Judged) -> Array:
    """The limits that whole mails give, drawn with replacement."""
    drawn, d = next(draws(len(own.ham), len(own.spam), 1)), 64
    heavy, light = (rng.multinomial(n, np.full(n, 1 / n), d) for n in (len(own.ham), len(own.spam)))
    none = np.zeros((d, 1))
    drawn = drawn._replace(ham=heavy * 1.0, spam=light * 1.0, more_ham=none, more_spam=none)
    return np.asarray(np.quantile(weighted(own, drawn, [0])[:, [0, 1, 7]], [0.025, 0.975], axis=0))


def test_95_percent_hold_the_true_value_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the measures, and of the difference of two judges. Resampled mails do not: they know what was seen only."""
    monkeypatch.setattr(module, "DRAWS", 256)
    rng, times = np.random.default_rng(3), 150
    true, other = map(measures, pair(rng, 400_000, 400_000))
    held, apart, plain = np.zeros(9), np.zeros(9), np.zeros(3)
    for time in range(times):
        one, two = pair(rng, 800, 400)
        low, high = intervals([one], time)
        held += (low <= true) & (true <= high)
        _, (low, high) = differences([one], [two], time)
        apart += (low <= true - other) & (true - other <= high)
        low, high = resampled(rng, one)
        plain += (low <= true[[0, 1, 7]]) & (true[[0, 1, 7]] <= high)
    assert (held / times).min() >= 0.87 and (apart / times).min() >= 0.87, (held, apart)
    assert (held / times).mean() >= 0.92 and (apart / times).mean() >= 0.92
    assert (plain / times).max() < 0.87, plain
