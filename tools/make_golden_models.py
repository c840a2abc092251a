"""Writes the files of this release that all later ones must go on reading: tests/golden/VERSION-*.model and *.json.

    python tools/make_golden_models.py

Run once when a release is made; a file that is there already is left as it is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import rosenblatt
from rosenblatt import LinearClassifier
from rosenblatt.core.rows import Array, dense
from rosenblatt.data.batch import AtHand, Batch
from rosenblatt.data.folds import folds_for
from rosenblatt.data.labels import class_numbers
from rosenblatt.features.pipeline import Features, Options
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.mailtext.fields import Document
from rosenblatt.model.calibration import calibration
from rosenblatt.model.fit import Held, Task, fit
from rosenblatt.model.model import Model
from rosenblatt.model.thresholds import Wish, chosen
from rosenblatt.recipe.cross_scores import cross_scores
from rosenblatt.theory import Problem, as_problem, separable
from rosenblatt.theory.proof.certificate import Certificate
from rosenblatt.theory.proof.certificate_file import save_certificate
from rosenblatt.theory.proof.farkas import enclose

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


def calibrated(model: Model, kind: str, scores: Array, y: Array) -> Model:
    """With curves fitted to scores of three held-out folds."""
    codes = class_numbers(y, model.classes)
    return replace(model, calibration=calibration(kind, scores, codes, None, folds_for(y, 3)))


def mail() -> Model:
    """Runs of words, fields of a mail and a known sender; isotonic, validated, with a threshold of its own."""
    documents: list[Document] = [
        [("subject", text), ("", text), ("sender", f"{n % 2}@example.org")] for n, text in enumerate(TEXTS)
    ] * 3
    y = np.tile(LABELS, 3)
    options = Options(word_ngrams=2)
    features, rows, _, _ = Features.fit(AtHand(Batch(documents, y)), options)
    settings = Settings.of(keep="averaged", random_state=1)
    model = fit(rows, y, settings, Limits(6), Task(validation=Held(rows.take(np.arange(6)), y[:6])))
    model.features, model.reading = features, {"format": "mail", "fields": ["subject", "sender"]}
    scores = cross_scores(model, rows, y, Task(), 3)
    model = calibrated(model, "isotonic", scores, y)
    return chosen(model, scores, y, Wish(cost={"ham": 5.0, "spam": 1.0}), "held-out folds")


def products() -> Model:
    """Products of columns, standardised, three classes with sigmoid probabilities."""
    rows = dense(np.array(ROWS * 6))
    y = np.array(CLASSES * 6)
    features, scaled, _, _ = Features.fit(AtHand(Batch(rows, y)), Options(degree=2, scale="standard"))
    model = fit(scaled, y, Settings.of(rule="margin", keep="averaged"), Limits(20))
    model.features = features
    return calibrated(model, "sigmoid", cross_scores(model, scaled, y, Task(), 3), y)


def certificates() -> dict[str, tuple[Problem, Certificate]]:
    """AND can be separated, XOR cannot, and many random labels cannot either: one of each kind of proof."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    conjunction, parity = as_problem(corners, [0, 0, 0, 1]), as_problem(corners, ["even", "odd", "odd", "even"])
    r = np.random.default_rng(3)
    noise = as_problem(r.normal(size=(40, 2)), r.integers(0, 2, 40))
    signed = noise.signed(np.arange(40))
    weights = np.full(40, 1.0 / 40.0)
    weights -= np.linalg.pinv(signed.T) @ (signed.T @ weights)
    near = enclose(noise, np.arange(40), weights)
    proofs = {"separator": (conjunction, separable(conjunction)), "farkas": (parity, separable(parity))}
    found = {kind: (problem, proof.certificate) for kind, (problem, proof) in proofs.items()}
    return {**found, "enclosure": (noise, near)}  # type: ignore[dict-item]


if __name__ == "__main__":
    for kind, (problem, certificate) in certificates().items():
        path = FOLDER / f"{rosenblatt.__version__}-{kind}.json"
        if not path.exists():
            save_certificate(path, certificate, problem)
            print(path)
    for make in (words, voted, mail, products):
        path = FOLDER / f"{rosenblatt.__version__}-{make.__name__}.model"
        if not path.exists():
            make().save(path)
            print(path)
