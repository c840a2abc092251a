"""Runs of 4 characters in the dual beside the bag of words: 2,000 lines of SMS, 5 folds, averaged, 10 epochs.

python benchmarks/spectrum_sms.py
"""

import time
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

from rosenblatt import Recipe
from rosenblatt.datasets import load_sms

ROWS, FOLDS = 2000, 5
LEARNERS = {
    "bag of words": {},
    "bag of words and of 4 characters": {"char_ngrams": "4-4"},
    "spectrum": {"kernel": "spectrum"},
    "spectrum:unit=true": {"kernel": "spectrum:unit=true"},
    "poly:degree=2, bag of words": {"kernel": "poly:degree=2"},
}


def main() -> None:
    texts, labels = (np.array(part[:ROWS], dtype=object) for part in load_sms())
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(texts, labels.astype(str)))
    for name, words in LEARNERS.items():
        begun, wrong, support = time.perf_counter(), 0, []
        for kept, out in folds:
            model = Recipe(keep="averaged", max_iter=10, **words).fit(list(texts[kept]), labels[kept].astype(str))
            wrong += int((model.predict(list(texts[out])) != labels[out]).sum())
            support.append(model.width if "kernel" in words else 0)
        seconds = (time.perf_counter() - begun) / FOLDS
        print(f"{name:34} {wrong:3} of {ROWS} wrong  {np.mean(support):5.0f} support vectors  {seconds:.2f} s a fold")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
