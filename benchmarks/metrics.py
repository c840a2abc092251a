"""Time of one epoch with a metric against the same rule without one, in the same run.

    python benchmarks/metrics.py [--rounds 5] [--data ../shared/data] [--json]

The rule is logistic; arow and scw, which bring their step, stand beside it too. Rounds alternate between the learners;
a figure is the ratio of the least CPU times of an epoch, the difference between a fit of 1 + EPOCHS and one of 1, over
EPOCHS. Sparse rows are repeated until they hold two million values, dense ones are as many as take 64 MB at most; every
tenth label is wrong, so that none of the learners is finished. within: at most 3.0 of CSR in float64, 2.3 in float32,
and 2.7 of dense.
"""

from __future__ import annotations

import json
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser
from accuracy import load
from epoch import least
from scipy.sparse import csr_array, vstack

from rosenblatt import LinearClassifier

EPOCHS = 10
VALUES = 2_000_000
METRICS = ("adagrad", "normalised", "ftrl", "arow", "scw")
LIMITS = {("csr", "float64"): 3.0, ("csr", "float32"): 2.3, ("dense", "float64"): 2.7, ("dense", "float32"): 2.7}
FIXED = {"tol": None, "shuffle": False, "eta0": 0.1}


def words(metric: str) -> dict[str, Any]:
    alone = metric in ("arow", "scw")
    return {"metric": metric, **FIXED, **({"eta0": "auto"} if alone else {"rule": "logistic"})}


def measure(x: Any, y: Any, limit: float, rounds: int) -> dict[str, Any]:
    """Milliseconds of an epoch without a metric, and the ratios to it."""
    runs = {
        (metric, k): partial(lambda metric, k: LinearClassifier(max_iter=k, **words(metric)).fit(x, y), metric, k)
        for metric in ("none", *METRICS)
        for k in (1, 1 + EPOCHS)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for metric in ("none", *METRICS):
            runs[metric, 1]()  # which compiles
        best = least(runs, rounds)
    ms = {metric: 1000.0 * (best[metric, 1 + EPOCHS] - best[metric, 1]) / EPOCHS for metric in ("none", *METRICS)}
    ratios = {metric: ms[metric] / ms["none"] for metric in METRICS}
    return {"none ms": ms["none"], **ratios, "within": max(ratios.values()) <= limit}


def wrong(y: Any) -> Any:
    """The labels, a tenth of them the other one."""
    return np.where(np.random.default_rng(0).random(y.size) < 0.1, y.min() + y.max() - y, y)


def rows(folder: Path, name: str, storage: str, dtype: str) -> tuple[Any, Any]:
    x, y = load(folder, name)
    if storage == "csr":
        often = -(-VALUES // x.nnz)
        return csr_array(vstack([x] * often).astype(dtype)), wrong(np.tile(y, often))
    few = min(x.shape[0], (1 << 26) // (x.shape[1] * np.dtype(dtype).itemsize))
    return x[:few].toarray().astype(dtype), wrong(y[:few])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=5)
    arguments = parsed(options)
    for name in ("a9a", "rcv1_small"):
        for (storage, dtype), limit in LIMITS.items():
            row = {"data": f"{name} {storage} {dtype}"}
            row |= measure(*rows(arguments.data, name, storage, dtype), limit, arguments.rounds)
            told = (f"{k} {v:.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items())
            print(json.dumps(row) if arguments.json else "  ".join(told), flush=True)


if __name__ == "__main__":
    main()
