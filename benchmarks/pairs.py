"""Pairs of words, hashed (`--map pairs`), beside single words and pairs of neighbours: errors on texts, time and size.

    python benchmarks/pairs.py [--sets sms agnews_dev imdb_dev] [--folds 5] [--data ../shared/data] [--json]

The averaged perceptron, 5 epochs, over the folds: errors in %; CPU seconds to learn from the texts of a fold, all in;
columns of the last fold. sms comes with the package, the others are read where they are at hand. many:
words of a single text are columns as well.
"""

from __future__ import annotations

import json
import time
import warnings
from typing import Any

import numpy as np
from _command_line import parsed, parser
from sklearn.model_selection import StratifiedKFold

from rosenblatt import Recipe
from rosenblatt.datasets import load_sms
from rosenblatt.read import open_source

LEARNERS: dict[str, dict[str, Any]] = {
    "words": {},
    "words, and pairs of neighbours": {"word_ngrams": 2},
    **{f"pairs:bits={bits}": {"map": f"pairs:bits={bits}"} for bits in (14, 16, 18, 20, 22)},
    "many": {"min_documents": 1},
    "many, pairs:bits=20": {"min_documents": 1, "map": "pairs:bits=20"},
}
LINE = "{set:11} {learner:31} {error:6.2f} %  {seconds:6.2f} s  {width:9,} columns"


def texts_of(name: str, folder: Any) -> tuple[list[str], Any]:
    """(texts, labels)"""
    if name == "sms":
        texts, labels = load_sms()
        return list(texts), np.asarray(labels, str)
    source = open_source(folder / name / f"{name}.csv.gz", "csv", text="text", label="label")
    batches = list(source)
    labels = np.concatenate([np.asarray(batch.y, str) for batch in batches])
    return [" ".join(text for _, text in document) for batch in batches for document in batch.rows], labels


def tried(name: str, learner: str, data: tuple[list[str], Any], folds: int) -> dict[str, Any]:
    texts, labels = data
    wrong, seconds = 0, 0.0
    for kept, out in StratifiedKFold(folds, shuffle=True, random_state=0).split(texts, labels):
        begun = time.process_time()
        model = Recipe(keep="averaged", max_iter=5, **LEARNERS[learner]).fit([texts[i] for i in kept], labels[kept])
        seconds += time.process_time() - begun
        wrong += int((model.predict([texts[i] for i in out]) != labels[out]).sum())
    return {"set": name, "learner": learner, "error": 100.0 * wrong / len(texts), "seconds": seconds / folds,
            "width": model.width}  # fmt: skip


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", nargs="+", default=["sms", "agnews_dev", "imdb_dev"])
    options.add_argument("--folds", type=int, default=5)
    given = parsed(options)
    warnings.simplefilter("ignore")  # that the limit of epochs came first
    Recipe(map="pairs", max_iter=1, keep="averaged").fit(load_sms()[0], load_sms()[1])  # compiles
    for name in given.sets:
        data = texts_of(name, given.data)
        for learner in LEARNERS:
            row = tried(name, learner, data, given.folds)
            print(json.dumps(row) if given.json else LINE.format(**row), flush=True)


if __name__ == "__main__":
    main()
