"""A new metric is one source file: that of docs/own-metric.md, in a copy of the package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
import rosenblatt
from pages import DOCS, blocks, pages

Array = np.ndarray[Any, Any]
PACKAGE = Path(rosenblatt.__file__).parent

CODE = """
import json, sys
import numpy as np
from scipy.sparse import csr_array
from rosenblatt import LinearClassifier
x, y = np.array(json.loads(sys.argv[1])), np.array(json.loads(sys.argv[2]))
words = {"rule": "logistic", "metric": "rmsprop:gamma=0.8", "eta0": 0.3, "max_iter": 2, "shuffle": False, "tol": None}
kinds = [(kind, keep) for kind in (np.asarray, csr_array) for keep in ("last", "averaged")]
made = [LinearClassifier(**words, keep=keep).fit(kind(x), y) for kind, keep in kinds]
print(json.dumps([[*m.coef_[0], *m.intercept_] for m in made]))
"""


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs Python with the copy, plainly."""
    pages()  # skips where they are not
    shutil.copytree(PACKAGE, tmp_path / "rosenblatt", ignore=shutil.ignore_patterns("__pycache__"))
    (block,) = blocks(DOCS / "own-metric.md", "python")
    (tmp_path / "rosenblatt" / "metrics" / "rmsprop.py").write_text(block.text, encoding="utf-8")
    own = {**os.environ, "PYTHONPATH": str(tmp_path), "ROSENBLATT_JIT": "0", "COLUMNS": "100"}

    def python(*words: str) -> str:
        line = [sys.executable, *words]
        done = subprocess.run(line, env=own, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return python


def eager(x: Array, y: Array, gamma: float, eta: float) -> list[Array]:
    """Every row lets all of G shrink."""
    w, G, path = np.zeros(x.shape[1]), np.zeros(x.shape[1]), []
    for i in [*range(len(x))] * 2:
        g = naive.logistic(float(x[i] @ w), y[i], 0.0) * x[i]
        G = gamma * G + (1 - gamma) * g**2
        w = w + np.divide(eta * g, np.sqrt(G), out=np.zeros_like(g), where=g != 0)
        path.append(w)
    return path


def test_rmsprop_is_one_file(run: Any, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    x = np.where(random.random((30, 4)) < 0.5, random.normal(size=(30, 4)), 0.0)
    y = np.where(random.random(30) < 0.5, 1, -1)
    path = eager(np.hstack([x, np.ones((30, 1))]), y, 0.8, 0.3)
    found = json.loads(run("-c", CODE, json.dumps(x.tolist()), json.dumps(y.tolist())))
    for weights, wanted in zip(found, [path[-1], np.mean(path, axis=0)] * 2, strict=True):
        np.testing.assert_allclose(weights, wanted, rtol=1e-9, atol=1e-12)

    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)
        for label, row in zip(y, x.tolist(), strict=True)
    ]
    (tmp_path / "d.svm").write_text("\n".join(lines) + "\n")
    shell = ("-m", "rosenblatt", "train")
    words = "--rule logistic --metric rmsprop:gamma=0.8 --eta 0.3 --epochs 2 --order given --tol none --scale none"
    run(*shell, "d.svm", "-o", "d.model", *words.split())
    weights = run("-c", "from rosenblatt.model.model import Model; print(Model.load('d.model').weights[0][0].tolist())")
    np.testing.assert_allclose(json.loads(weights), path[-1][:4], rtol=1e-9)
    assert "rmsprop" in run(*shell, "--help")
