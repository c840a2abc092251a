"""The reliability diagram: its table against a plain reference, and what is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve

from rosenblatt.model.reliability import bins, expected_error, happened
from rosenblatt.report.pictures.answers import draw_reliability
from rosenblatt.report.pictures.canvas import paper


def said(n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 0.5, n)
    return p, rng.random(n) < p**1.5


def test_the_bins_are_scikit_learns() -> None:
    p, event = said()
    found = bins(p, event)
    share, mean = calibration_curve(event, p, n_bins=10)
    assert np.allclose([each.share for each in found], share) and np.allclose([each.mean for each in found], mean)
    for each in found:
        theirs = binomtest(round(each.share * each.rows), each.rows).proportion_ci(method="exact")
        assert (each.low, each.high) == pytest.approx((theirs.low, theirs.high))
    assert sum(each.rows for each in found) == p.size
    assert expected_error(found) == pytest.approx(sum(e.rows * abs(e.mean - e.share) for e in found) / p.size)


def test_ends_of_ranges_and_empty_ones() -> None:
    found = bins(np.array([0.0, 0.0, 1.0]), np.array([False, True, True]))
    assert [(each.mean, each.share, each.rows) for each in found] == [(0.0, 0.5, 2), (1.0, 1.0, 1)]


def test_what_the_probability_is_of() -> None:
    two = np.array([[0.9, 0.1], [0.2, 0.8]])
    p, event = happened(two, np.array([0, 1]))
    assert p.tolist() == [0.1, 0.8] and event.tolist() == [False, True]
    three = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    p, event = happened(three, np.array([1, 2]))
    assert p.tolist() == [0.5, 0.7] and event.tolist() == [False, True]


def test_what_is_drawn() -> None:
    found = bins(*said())
    axes = paper(6.0, 5.0).add_subplot()
    draw_reliability(axes, found, "class spam")
    assert axes.get_xlabel() == "probability of class spam" and f"{expected_error(found):.3f}" in axes.get_title("left")
    diagonal, points = axes.lines[:2]
    assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    assert np.allclose(points.get_xdata(), [each.mean for each in found])
    assert np.allclose(points.get_ydata(), [each.share for each in found])
    bars = axes.collections[0].get_segments()
    assert np.allclose([bar[:, 1] for bar in bars], [(each.low, each.high) for each in found])
