"""Time of one epoch against scikit-learn's Perceptron and against reading the same memory, in the same run.

    python benchmarks/epoch.py [--rounds 7] [--json]

Rounds alternate between the programs; the figure is the ratio of the least CPU times. An epoch is the difference
between a fit of 6 epochs and one of 1, over 5, so that neither program's set-up counts. Data: 60,000 × 784 dense, and
200,000 × 47,000 CSR with 89 values a row, in float32 and float64, noisy labels so that both keep making mistakes.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier

from rosenblatt import LinearClassifier

EPOCHS = 5
FIXED = {"tol": None, "shuffle": False}


def dense(dtype: Any) -> tuple[Any, Any]:
    """60,000 × 784, the shape of MNIST."""
    return labelled(np.random.default_rng(0).normal(size=(60_000, 784)).astype(dtype))


def csr(columns: Any, dtype: Any) -> tuple[Any, Any]:
    """Rows with random values in these columns, which are made to ascend."""
    n, per_row = columns.shape
    columns = np.sort(columns, axis=1) + np.arange(per_row)
    values = np.random.default_rng(2).random(columns.size).astype(dtype)
    starts = np.arange(n + 1, dtype=np.int32) * per_row
    return labelled(csr_array((values, columns.ravel().astype(np.int32), starts), shape=(n, 47_000)))


def sparse(dtype: Any) -> tuple[Any, Any]:
    """200,000 × 47,000 with 89 values a row, the shape of RCV1; all columns equally often."""
    return csr(np.random.default_rng(0).integers(0, 46_911, (200_000, 89)), dtype)


def words(dtype: Any) -> tuple[Any, Any]:
    """The same, but with columns as unequal as words are: the logarithm of the rank is uniform."""
    return csr((46_911 ** np.random.default_rng(0).random((200_000, 89))).astype(int) - 1, dtype)


def labelled(x: Any) -> tuple[Any, Any]:
    """Labels of a random plane, with noise."""
    rng = np.random.default_rng(1)
    u = x @ rng.normal(size=x.shape[1]).astype(x.dtype)
    return x, (u + 0.1 * u.std() * rng.normal(size=u.size) > np.median(u)).astype(int)


def least(functions: dict[Any, Callable[[], Any]], rounds: int) -> dict[Any, float]:
    """The least CPU seconds of each, taken in turn."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.process_time()
            function()
            best[name] = min(best[name], time.process_time() - start)
    return best


def measure(x: Any, y: Any, rounds: int) -> dict[str, float]:
    """Milliseconds an epoch and the ratios to ours."""
    values = x.data if hasattr(x, "indptr") else x
    averaged = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None, "average": True}
    programs: dict[str, Callable[[int], Any]] = {
        "ours": lambda k: LinearClassifier(max_iter=k, **FIXED).fit(x, y),
        "scikit-learn": lambda k: ScikitPerceptron(max_iter=k, **FIXED).fit(x, y),
        "ours averaged": lambda k: LinearClassifier(keep="averaged", max_iter=k, **FIXED).fit(x, y),
        "scikit-learn averaged": lambda k: SGDClassifier(max_iter=k, **averaged, **FIXED).fit(x, y),
        "read floor": lambda k: [values.sum() for _ in range(k)],
    }
    runs = {(name, k): partial(f, k) for name, f in programs.items() for k in (1, 1 + EPOCHS)}
    runs["ours", 1](), runs["ours averaged", 1]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = least(runs, rounds)
    ms = {name: 1000.0 * (best[name, 1 + EPOCHS] - best[name, 1]) / EPOCHS for name in programs}
    row = {f"{name} ms": value for name, value in ms.items()}
    row["scikit-learn/ours"] = ms["scikit-learn"] / ms["ours"]
    row["averaged: scikit-learn/ours"] = ms["scikit-learn averaged"] / ms["ours averaged"]
    row["ours/read floor"] = ms["ours"] / ms["read floor"]
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    for shape in (dense, sparse, words):
        for dtype in (np.float32, np.float64):
            row = {"data": f"{shape.__name__} {dtype.__name__}", **measure(*shape(dtype), arguments.rounds)}
            if arguments.json:
                print(json.dumps(row), flush=True)
            else:
                told = (f"{k} {v:.2f}" if isinstance(v, float) else f"{v:16}" for k, v in row.items())
                print("  ".join(told), flush=True)


if __name__ == "__main__":
    main()
