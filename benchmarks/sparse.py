"""How few weights a model needs: its errors beside the weights that are not zero, along a path of --l1.

    python benchmarks/sparse.py [sms | spamassassin_dev | rcv1_small …] [--data ../shared/data] [--json]

Ten epochs of logistic regression: FTRL-proximal (eta0=1), and truncated gradient, with AdaGrad and without a metric
(eta0=0.5, falling as 1/√t). sms and mails: words as `train` makes them, 5 folds (stratified, shuffled, seed 0), each
with a dictionary of its own; weights are the mean of the folds'. rcv1_small: its test part. sms comes with the package.
The last line of each learner is the smallest model with at most 1.1 times the errors of the one without L1.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parser
from accuracy import parts
from sklearn.model_selection import StratifiedKFold

import rosenblatt.datasets
from rosenblatt import LinearClassifier
from rosenblatt.data.batch import AtHand, Batch
from rosenblatt.features.pipeline import Features
from rosenblatt.read import open_source

LEARNERS: dict[str, tuple[dict[str, Any], tuple[float, ...]]] = {
    "ftrl": ({"metric": "ftrl", "eta0": 1.0}, (0.0, 0.1, 0.3, 1.0, 2.0, 3.0)),
    "adagrad": ({"metric": "adagrad"}, (0.0, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4)),
    "truncated": ({"eta0": 0.5, "learning_rate": "sqrt"}, (0.0, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4)),
}
ENOUGH = 1.1
"""Times the errors without L1."""


def folds(origin: Path) -> Iterator[tuple[Any, Any, Any, Any]]:
    """(train rows, train labels, test rows, test labels) of texts or mails."""
    batches = list(open_source(str(origin)))
    documents, y = [each for batch in batches for each in batch.rows], np.concatenate([batch.y for batch in batches])
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(y, y):
        features, rows, labels, _ = Features.fit(AtHand(Batch([documents[i] for i in train], y[train])))
        held = features.transform(Batch([documents[i] for i in test], None))
        yield rows.matrix(), labels, held.matrix(), y[test]


def path(name: str, data: list[tuple[Any, Any, Any, Any]]) -> Iterator[dict[str, Any]]:
    rows = sum(len(part[3]) for part in data)
    for learner, (words, strengths) in LEARNERS.items():
        found: list[dict[str, Any]] = []
        for l1 in strengths:
            made = LinearClassifier("logistic", l1=l1, tol=None, max_iter=10, **words)
            errors, nonzero = 0, 0
            for x, y, test, labels in data:
                made.fit(x, y)
                errors += int((made.predict(test) != labels).sum())
                nonzero += int(np.count_nonzero(made.coef_))
            line = {"set": name, "learner": learner, "l1": l1, "error %": 100.0 * errors / rows, "errors": errors}
            found.append({**line, "weights": round(nonzero / len(data))})
            found[-1]["share of the full model's %"] = 100.0 * found[-1]["weights"] / found[0]["weights"]
            yield found[-1]
        smallest = min((each for each in found if each["errors"] <= ENOUGH * found[0]["errors"]), key=weights_of)
        yield {**smallest, "within": f"{ENOUGH} times the full model's errors"}


def weights_of(line: dict[str, Any]) -> int:
    return int(line["weights"])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("only", nargs="*", help="names of sets")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.only or ["sms", "spamassassin_dev", "rcv1_small"]:
        shipped = Path(rosenblatt.datasets.__file__).parent / f"{name}.txt.xz"
        archive = arguments.data / name / f"{name}.tar.xz"
        place = next((each for each in (shipped, archive) if each.exists()), arguments.data / name)
        if not place.exists():
            print(f"{name}: there is no {place}; name the folder of the data sets with --data")
            continue
        numbers = (arguments.data / name / f"{name}.svm.xz").exists()
        for row in path(name, list(parts(arguments.data, name) if numbers else folds(place))):
            told = (f"{k} {v:.3f}" if isinstance(v, float) and k != "l1" else f"{k} {v}" for k, v in row.items())
            print(json.dumps(row) if arguments.json else "; ".join(told), flush=True)


if __name__ == "__main__":
    main()
