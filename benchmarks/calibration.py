"""Probabilities on a9a: our calibrated perceptrons beside scikit-learn's LogisticRegression.

    python benchmarks/calibration.py [--data ../shared/data] [--json]

Learned from the 32,561 training rows, measured on the 16,281 test rows: log-loss and Brier score (0 is best), what they
are relative to LogisticRegression's, and the calibration error in ten ranges. The same learners without calibration,
wrapped in scikit-learn's CalibratedClassifierCV, stand beside: `ensemble=False` makes the curve as ours does.
`reaches LogisticRegression + 2 %` is what the averaged perceptron, by `--calibrate sigmoid`, must show.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser
from accuracy import load
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression

from rosenblatt import LinearClassifier
from rosenblatt.model.metrics import probability_metrics

LEARNERS: dict[str, dict[str, Any]] = {
    "averaged perceptron": {"keep": "averaged", "max_iter": 10},
    "pocket perceptron": {"keep": "pocket", "max_iter": 10},
    "averaged margin": {"rule": "margin:tau=10", "keep": "averaged", "max_iter": 10},
    "averaged passive-aggressive": {"rule": "passive-aggressive:C=0.01", "keep": "averaged", "max_iter": 10},
    "averaged logistic": {"rule": "logistic", "keep": "averaged", "max_iter": 10, "eta0": 0.02},
}


def models() -> Iterator[tuple[str, Any]]:
    """(name, estimator); the first one is what the others are compared with."""
    yield "scikit-learn LogisticRegression", LogisticRegression(max_iter=2000)
    for name, words in LEARNERS.items():
        for kind in ("sigmoid", "isotonic"):
            yield f"{name}, {kind}", LinearClassifier(**words, calibrate=kind)
            plain = LinearClassifier(**words)
            yield (
                f"{name}, {kind}, by CalibratedClassifierCV",
                CalibratedClassifierCV(plain, method=kind, ensemble=False),
            )
    yield "averaged logistic, its own probabilities", LinearClassifier(**LEARNERS["averaged logistic"])


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    x, y = load(folder, "a9a")
    test, labels = load(folder, "a9a", ".t", x.shape[1])
    truth, first = (labels > 0).astype(int), None
    for name, estimator in models():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = estimator.fit(x, y).predict_proba(test)
        logs = np.log(np.clip(p, 1e-15, None))  # theirs may be 0
        seconds = time.perf_counter() - start
        found = probability_metrics(logs, truth)
        first = first or found
        ratios = {f"{key} / LogisticRegression": found[key] / first[key] for key in ("log_loss", "brier")}
        row = {"model": name, **found, **ratios, "seconds": seconds}
        if name == "averaged perceptron, sigmoid":
            row["reaches LogisticRegression + 2 %"] = max(ratios.values()) <= 1.02
        yield row


def main() -> None:
    options = parser(__doc__)
    arguments = parsed(options)
    for row in rows(arguments.data):
        told = (f"{key} {value:.4f}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items())
        print(json.dumps(row) if arguments.json else "; ".join(told), flush=True)


if __name__ == "__main__":
    main()
