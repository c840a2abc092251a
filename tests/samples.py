"""Small data and names that the tests of the estimators share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_classification

import rosenblatt
from rosenblatt.memory import memory_classes

NAMES = [name for name in rosenblatt.__all__ if hasattr(getattr(rosenblatt, name), "partial_fit")]
"""Estimators that learn by steps; the one of the widest margin has tests of its own."""
SHAPED = [name for name in NAMES if hasattr(getattr(rosenblatt, name), "metric")]
"""Those with a metric, which are tested in plain Python: eight compiled loops each would take longer than the tests."""
KEEPS = list(memory_classes())


def two_classes(seed: int = 0, n: int = 120) -> tuple[Any, Any]:
    return make_classification(n, 6, n_informative=4, flip_y=0.1, random_state=seed)


def three_classes(seed: int = 0, n: int = 150) -> tuple[Any, Any]:
    return make_blobs(n, centers=3, n_features=4, cluster_std=3.0, random_state=seed)


def same(one: Any, other: Any, x: Any) -> bool:
    return bool(
        np.array_equal(*(each.coef_ if hasattr(each, "coef_") else each.dual_coef_ for each in (one, other)))
        and np.array_equal(one.intercept_, other.intercept_)
        and np.array_equal(one.decision_function(x), other.decision_function(x))
        and (one.t_, one.n_updates_, one.mistakes_) == (other.t_, other.n_updates_, other.mistakes_)
    )


def blobs(n: int, seed: int, apart: float = 2.0) -> tuple[Any, Any]:
    """n rows of two classes, alternating, that overlap."""
    y = np.arange(n) % 2
    return np.random.default_rng(seed).normal(size=(n, 3)) + apart * y[:, None] / 3**0.5, y


def csv_of(X: Any, y: Any, names: tuple[str, str] = ("ham", "spam")) -> str:
    rows = (",".join([names[c], *map(repr, x.tolist())]) for x, c in zip(X, y, strict=True))
    return "kind,a,b,c\n" + "\n".join(rows) + "\n"
