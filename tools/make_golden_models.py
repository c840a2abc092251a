"""Writes the model files of this release that all later ones must go on reading: tests/golden/VERSION-*.model.

    python tools/make_golden_models.py

Run once when a release is made; a file that is there already is left as it is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rosenblatt
from rosenblatt import LinearClassifier
from rosenblatt.batch import AtHand, Batch, Document
from rosenblatt.features.pipeline import Features
from rosenblatt.fit import fit
from rosenblatt.model import Model
from rosenblatt.settings import Settings
from rosenblatt.train import Limits

FOLDER = Path(__file__).parent.parent / "tests" / "golden"
TEXTS = ["free money now", "money for free", "lunch at noon", "noon or lunch now", "free lunch", "now at work"]
LABELS = np.array(["spam", "spam", "ham", "ham", "spam", "ham"], object)
ROWS, CLASSES = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 0.5]], [0, 1, 2, 1]


def words() -> Model:
    documents: list[Document] = [[("", text)] for text in TEXTS]
    features, rows, y, _ = Features.fit(AtHand(Batch(documents, LABELS)))
    model = fit(rows, y, Settings.of(rule="logistic", keep="averaged"), Limits(3))
    model.features, model.reading = features, {"format": "text"}
    return model


def voted() -> Model:
    return LinearClassifier(keep="voted", max_iter=3).fit(ROWS, CLASSES).model_  # type: ignore[no-any-return]


if __name__ == "__main__":
    for make in (words, voted):
        path = FOLDER / f"{rosenblatt.__version__}-{make.__name__}.model"
        if not path.exists():
            make().save(path)
            print(path)
