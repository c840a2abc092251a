"""Files of every release so far load and answer as they did (peers.md, Models: an older model file loads)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from going_on import KEPT, went_on
from rosenblatt.core.rows import dense
from rosenblatt.data.batch import Batch
from rosenblatt.errors import DataError
from rosenblatt.model.model import Model
from rosenblatt.theory import as_problem, read_certificate

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path.name for path in GOLDEN.glob("*.model"))
PROOFS = sorted(path.name for path in GOLDEN.glob("[0-9]*.json"))


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("-words.model")])
def test_words(name: str) -> None:
    model = Model.load(GOLDEN / name)
    rows = model.rows(Batch([[("", "free money")], [("", "lunch at noon")], [("", "")]], None))
    assert model.labels(model.scores(rows)).tolist() == ["spam", "ham", "ham"]
    assert np.exp(model.log_probabilities(model.scores(rows)))[0, 1] > 0.5
    assert model.run.epoch == 3 and model.run.history["mistakes"]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("-voted.model")])
def test_voted(name: str) -> None:
    model = Model.load(GOLDEN / name)
    scores = model.scores(dense(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 0.5]])))
    assert scores.shape == (4, 3) and np.abs(scores).max() <= 1.0
    assert model.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("-mail.model")])
def test_mail(name: str) -> None:
    model = Model.load(GOLDEN / name)
    mail = [("subject", "free money"), ("", "free money now"), ("sender", "0@example.org")]
    other = [("subject", "lunch"), ("", "lunch at noon"), ("sender", "9@example.org")]
    rows = model.rows(Batch([mail, other], None))
    assert model.labels(model.scores(rows)).tolist() == ["spam", "ham"]
    assert {"free money", "sender.known"} <= set(model.features.names)
    assert model.calibration is not None and model.choice is not None and model.choice["by"] == "cost"
    assert model.run.best is not None and len(model.run.history["validation"]) == model.run.epoch


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("-products.model")])
def test_products(name: str) -> None:
    model = Model.load(GOLDEN / name)
    rows = model.rows(Batch(dense(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 0.5]])), None))
    assert rows.values.shape == (4, 5) and model.labels(model.scores(rows)).tolist() == [0, 1, 2, 1]
    assert np.exp(model.log_probabilities(model.scores(rows))).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("name", PROOFS)
def test_certificates(name: str) -> None:
    corners, r = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.random.default_rng(3)
    rows, labels = {
        "separator": (corners, [0, 0, 0, 1]),
        "farkas": (corners, ["even", "odd", "odd", "even"]),
        "enclosure": (r.normal(size=(40, 2)), r.integers(0, 2, 40)),
    }[name.rsplit("-", 1)[1].removesuffix(".json")]
    proof = read_certificate(GOLDEN / name)
    assert proof.certificate.kind in name
    assert proof.verify(as_problem(rows, labels)) is True
    with pytest.raises(DataError, match="rows are not those"):
        proof.verify(as_problem(np.asarray(rows) + 1.0, labels))


@pytest.mark.parametrize("name", FILES)
def test_they_go_on_to_the_same_bits(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Three more epochs in plain Python: what 0.3.0 made of each."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    kept, found = json.loads(KEPT.read_text(encoding="utf-8"))[name], went_on(name)
    assert found["counts"] == kept["counts"]
    for part, right in zip(found["weights"], kept["weights"], strict=True):
        np.testing.assert_allclose(part, right, rtol=1e-12)
    if not name.endswith("-words.model"):  # logistic regression: an exponential is the C library's
        assert (found["state"], found["memory"]) == (kept["state"], kept["memory"])


def test_this_release_has_its_files() -> None:
    kinds, proofs = ("words", "voted", "mail", "products"), ("separator", "farkas", "enclosure")
    assert {"0.1.0-words.model", "0.1.0-voted.model"} <= set(FILES)
    assert {f"{version}-{kind}.model" for version in ("0.2.0", "0.3.0") for kind in kinds} <= set(FILES)
    assert {f"0.3.0-{kind}.json" for kind in proofs} <= set(PROOFS)
