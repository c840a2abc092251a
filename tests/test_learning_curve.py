"""Error by the number of training rows: what is learned from, and the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pictured import assert_legible, texts
from rosenblatt import AveragedPerceptron, plots
from rosenblatt.compare.learning_curve import learning_curve
from rosenblatt.data.folds import fold_numbers, stratified
from rosenblatt.errors import DataError, SettingError

RANDOM = np.random.default_rng(7)


def test_a_learning_curve_learns_from_growing_parts_and_never_from_the_fold_left_out() -> None:
    y = np.array([0] * 60 + [1] * 40)
    seen: list[set[int]] = []

    def train(chosen: Any) -> Any:
        seen.append(set(chosen.tolist()))

        def answers(asked: Any) -> Any:
            asked_for = set(asked.tolist())
            assert asked_for == seen[-1] or not asked_for & seen[-1]
            return np.where(np.isin(asked, chosen), y[asked], 0)

        return answers

    told: list[tuple[int, int]] = []
    curve = learning_curve(y, train, folds=4, watch=lambda *done: told.append(done))
    assert curve.rows.tolist() == [18, 37, 75]
    assert [len(each) for each in seen] == [18, 37, 75] * 4
    assert all(seen[3 * k] < seen[3 * k + 1] < seen[3 * k + 2] for k in range(4)), "each part holds the smaller ones"
    assert not curve.training.any() and curve.held_out == pytest.approx(np.full((3, 4), 0.4))
    assert told == [(done, 12) for done in range(1, 13)]


def test_folds_and_parts_have_the_classes_in_proportion() -> None:
    y = RANDOM.permutation(np.repeat(["a", "b", "c"], [70, 25, 5]))
    fold = fold_numbers(y, 5, 0)
    assert [[int((y[fold == k] == label).sum()) for label in "abc"] for k in range(5)] == [[14, 5, 1]] * 5
    order = stratified(y, np.arange(100), 0)
    assert sorted(order) == list(range(100)) and set(y[order[:3]]) == {"a", "b", "c"}
    for size in (20, 50):
        assert abs((y[order[:size]] == "a").sum() - 0.7 * size) <= 1


@pytest.mark.parametrize("y", [[0] * 30, [0, 1] * 2])
def test_too_little_for_a_learning_curve_is_said(y: list[int]) -> None:
    with pytest.raises(DataError, match="too few for a learning curve of 5 folds"):
        learning_curve(np.array(y), lambda chosen: lambda asked: asked, 5)
    with pytest.raises(SettingError, match="folds=1"):
        learning_curve(np.array([0, 1] * 20), lambda chosen: lambda asked: asked, 1)


def test_the_picture_of_a_learning_curve() -> None:
    X, y = make_blobs(200, 2, centers=2, cluster_std=2.0, random_state=0)
    figure = plots.learning_curve(AveragedPerceptron(max_iter=3), X, y, title="$t$")
    (axes,) = figure.axes
    assert_legible(figure)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "20", "40", "80", "160"]
    assert [line.get_label().split(":")[0] for line in axes.lines] == ["rows left out", "training rows"]
    assert any("mean of 5 folds, and one standard deviation" in text for text in texts(figure))
