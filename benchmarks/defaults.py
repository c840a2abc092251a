"""Which learner to begin with: errors over all sets, one pass and many, clean labels and 5 % of them wrong.

    python benchmarks/defaults.py [SET …] [--passes 1 20] [--noise 0 0.05] [--data ../shared/data] [--json]

The test part is the given one, else a stratified third of the rows (`random_state=0`). Numbers of at most 300 columns
are learned as given and standardised, others as given, texts and mails as the words and scale that `rosenblatt train`
makes of them. Flipped labels are those of training rows, to another class (`default_rng(1)`). Mean over 3 orders.

A learner's figure is its error over the least of that set, form, passes and noise; printed are the geometric mean of
these ratios, the worst, and the mean rank.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser
from accuracy import SPLIT, load
from compare import read
from scipy.stats import gmean, rankdata
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearClassifier
from rosenblatt.core.rows import matrix
from rosenblatt.data.batch import AtHand, Batch
from rosenblatt.features.pipeline import Features, Options

NUMBERS = (*SPLIT, "w1a", "spambase", "heart_scale", "german_scale", "breast_cancer_w", "ionosphere", "sonar", "pima",
           "vowel", "dna_splice", "usps_test", "iris")  # fmt: skip
TEXTS: dict[str, tuple[str, dict[str, Any]]] = {
    "spamassassin_dev": ("tar.xz", {}),
    "lingspam_dev": ("tar.xz", {}),
    "csdmc2010_dev": ("tar.xz", {}),
    "sms_dev": ("csv.gz", {"text": "text", "label": "label"}),
    "imdb_dev": ("csv.gz", {"text": "text", "label": "label"}),
    "sentence_polarity": ("csv.gz", {"text": "text", "label": "label"}),
    "mini_newsgroups": ("tar.xz", {}),
}
LEARNERS: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "perceptron, averaged": {"keep": "averaged"},
    "margin, averaged": {"rule": "margin", "keep": "averaged"},
    "passive-aggressive, averaged": {"rule": "passive-aggressive", "keep": "averaged"},
    "passive-aggressive C=0.01, averaged": {"rule": "passive-aggressive:C=0.01", "keep": "averaged"},
    "logistic": {"rule": "logistic"},
    "logistic, averaged": {"rule": "logistic", "keep": "averaged"},
    "logistic, adagrad 0.5": {"rule": "logistic", "metric": "adagrad", "eta0": 0.5},
    "logistic, adagrad 0.1": {"rule": "logistic", "metric": "adagrad", "eta0": 0.1},
    "logistic, adagrad 0.5, averaged": {"rule": "logistic", "metric": "adagrad", "eta0": 0.5, "keep": "averaged"},
    "logistic, normalised": {"rule": "logistic", "metric": "normalised"},
    "logistic, normalised, averaged": {"rule": "logistic", "metric": "normalised", "keep": "averaged"},
    "margin, adagrad 0.5, averaged": {"rule": "margin", "metric": "adagrad", "eta0": 0.5, "keep": "averaged"},
    "arow r=1": {"metric": "arow"},
    "arow r=1, averaged": {"metric": "arow", "keep": "averaged"},
    "arow r=10": {"metric": "arow:r=10"},
    "arow r=0.1": {"metric": "arow:r=0.1"},
    "scw": {"metric": "scw"},
    "scw, averaged": {"metric": "scw", "keep": "averaged"},
    "nherd": {"metric": "nherd"},
    "ftrl": {"rule": "logistic", "metric": "ftrl"},
}


def numbers(folder: Path, name: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """(form, (train rows, test rows, train labels, test labels))"""
    x, y = load(folder, name)
    if name in SPLIT:
        test, answers = load(folder, name, ".t")
        width = max(x.shape[1], test.shape[1])
        x.resize(x.shape[0], width), test.resize(test.shape[0], width)
        parts = x, test, y, answers
    else:
        parts = train_test_split(x, y, test_size=1 / 3, stratify=y, random_state=0)
    x, test, y, answers = parts
    if x.shape[1] > 300:
        yield "as given", parts
        return
    x, test = x.toarray(), test.toarray()
    yield "as given", (x, test, y, answers)
    scaler = StandardScaler().fit(x)
    yield "standard", (scaler.transform(x), scaler.transform(test), y, answers)


def texts(folder: Path, name: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """As `numbers`."""
    ending, how = TEXTS[name]
    documents, y = read(folder / name / f"{name}.{ending}", **how)[:2]
    train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
    features, rows, labels, _ = Features.fit(AtHand(Batch([documents[i] for i in train], y[train])), Options())
    answers = features.transform(Batch([documents[i] for i in test], None))
    yield "words", (matrix(rows), matrix(answers), labels, y[test])


def flipped(y: Any, share: float) -> Any:
    rng = np.random.default_rng(1)
    classes, codes = np.unique(y, return_inverse=True)
    wrong = rng.random(len(y)) < share
    return classes[(codes + wrong * rng.integers(1, len(classes), len(y))) % len(classes)]


def error(words: dict[str, Any], parts: tuple[Any, ...], passes: int, noise: float) -> float:
    """In %, the mean of 3 orders."""
    x, test, y, answers = parts
    y = flipped(y, noise)
    fits = (LinearClassifier(max_iter=passes, tol=None, random_state=s, **words).fit(x, y) for s in range(3))
    return float(np.mean([100.0 * (model.predict(test) != answers).mean() for model in fits]))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("only", nargs="*", choices=[*NUMBERS, *TEXTS, []], help="names of sets")
    options.add_argument("--passes", nargs="+", type=int, default=[1, 20])
    options.add_argument("--noise", nargs="+", type=float, default=[0.0, 0.05])
    arguments = parsed(options)
    warnings.simplefilter("ignore")
    cells: dict[tuple[int, float], list[list[float]]] = {}
    for name in arguments.only or (*NUMBERS, *TEXTS):
        for form, parts in (texts if name in TEXTS else numbers)(arguments.data, name):
            for passes in arguments.passes:
                for noise in arguments.noise:
                    errors = {key: error(words, parts, passes, noise) for key, words in LEARNERS.items()}
                    cells.setdefault((passes, noise), []).append(list(errors.values()))
                    row = {"set": name, "form": form, "passes": passes, "noise": noise, "errors": errors}
                    least = min(errors, key=lambda key: errors[key])
                    told = f"{name}, {form}, {passes} passes, noise {noise:g}: least {errors[least]:.2f} % by {least}"
                    print(json.dumps(row) if arguments.json else told, flush=True)
    ratios = {}
    for (passes, noise), table in cells.items():
        values = np.array(table) + 0.1  # of sets without errors, too, a ratio
        ratios[f"{passes} passes, noise {noise:g}"] = values / values.min(axis=1, keepdims=True)
    for title, cell in {**ratios, "all of these": np.concatenate([*ratios.values()])}.items():
        mean, ranks = gmean(cell, axis=0), rankdata(cell, axis=1).mean(axis=0)
        print(f"\n{title}: mean ratio, worst, mean rank; {len(cell)} rows")
        for k in np.argsort(mean):
            print(f"{list(LEARNERS)[k]:38}{mean[k]:6.2f} {cell[:, k].max():7.2f} {ranks[k]:6.1f}", flush=True)


if __name__ == "__main__":
    main()
