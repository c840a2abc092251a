"""Golden models go on learning: what comes of each is kept beside it, in `golden/going-on.json`.

PYTHONPATH=tests python tests/going_on.py    write what comes of the files that are not in it yet
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.core.rows import dense
from rosenblatt.data.batch import Batch
from rosenblatt.learn.run import Limits
from rosenblatt.model.fit import learn_more
from rosenblatt.model.model import Model

GOLDEN = Path(__file__).parent / "golden"
KEPT = GOLDEN / "going-on.json"
TEXTS = [
    "free prize now",
    "lunch at noon",
    "free money",
    "see you at noon",
    "prize money now",
    "see lunch",
    "free at noon",
]
LABELS = ["spam", "ham", "spam", "ham", "spam", "ham", "ham"]
ROWS = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 0.5], [0.25, -2.0], [-0.5, 1.5], [2.0, -0.25]]


def data(name: str) -> tuple[Batch, Any]:
    """Rows and labels that fit a golden model."""
    if name.endswith("-words.model"):
        return Batch([[("", text)] for text in TEXTS], None), np.array(LABELS, object)
    if name.endswith("-mail.model"):
        mails = [
            [("subject", text.split()[0]), ("", text), ("sender", f"{n}@example.org")] for n, text in enumerate(TEXTS)
        ]
        return Batch(mails, None), np.array(LABELS, object)
    return Batch(dense(np.array(ROWS)), None), np.array([0, 1, 2, 1, 0, 2, 1])


def went_on(name: str) -> dict[str, Any]:
    """What a golden model is after three more epochs, in plain Python: digests of what is saved, and weights.

    Sums and products in one order are the same bits on every machine; exponentials (logistic regression) and matrix
    products (the mean of the voters) need not be, so that the weights are kept as numbers as well.
    """
    from safetensors.numpy import load_file

    os.environ["ROSENBLATT_JIT"] = "0"
    model = Model.load(GOLDEN / name)
    batch, y = data(name)
    model = learn_more(model, model.rows(batch), y, Limits(3))
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        tensors = load_file(Path(folder) / "model")
    parts = {
        part: hashlib.sha256(b"".join(tensors[key].tobytes() for key in sorted(tensors) if key.startswith(part)))
        for part in ("state.", "memory.")
    }
    run = model.run
    return {
        **{part.rstrip("."): digest.hexdigest() for part, digest in parts.items()},
        "weights": [part.ravel().astype(float).tolist() for part in model.weights],
        "counts": {"epoch": run.epoch, "mistakes": run.history["mistakes"], "updates": run.history["updates"]},
    }


if __name__ == "__main__":
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for path in sorted(GOLDEN.glob("*.model")):
        kept.setdefault(path.name, went_on(path.name))
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
