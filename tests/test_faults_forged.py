"""Model files with a changed header and a right digest: refused when loaded, or they answer."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes
from scipy import sparse

from command import run, write
from rosenblatt import Model, Recipe
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.model import file as model_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, with a small file."""
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "a.svm", "1 1:1\n-1 2:1\n")


# --- F3: a model file with a changed header and a right digest ---

TEXTS = ["free money now", "lunch at noon", "free prize", "see you at noon", "money prize", "at lunch"] * 2
STRANGE: list[object] = [None, -1, 1.5, 2**70, "x", [1, 2**31], {"a": 1}]


def models() -> dict[str, tuple[Model, object]]:
    random = np.random.default_rng(0)
    x, three = random.normal(size=(30, 3)), random.integers(0, 3, 30)
    y = (x[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wish = {"calibrate": "isotonic", "calibrate_folds": 3, "cost": {0: 1, 1: 2}, "degree": 2}
        return {
            "calibrated": (Recipe(max_iter=2, **wish).fit(x, y), x),
            "voted": (Recipe(max_iter=2, keep="voted").fit(x, three), x),
            "validated": (Recipe(max_iter=2, keep="pocket", validation=0.3).fit(x, y), x),
            "averaged": (Recipe(max_iter=2, keep="averaged", scale="standard").fit(sparse.csr_array(x), three), x),
            "texts": (Recipe(min_documents=1, char_ngrams="2-3").fit(TEXTS, ["spam", "ham"] * 6), TEXTS),
            "hashed": (Recipe(dictionary="hashed", bits=4, max_iter=2).fit(TEXTS, ["spam", "ham"] * 6), TEXTS),
        }


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for name in value if isinstance(value, dict) else range(min(len(value), 1)) if isinstance(value, list) else ():
        yield from places(value[name], (*path, name))


def changed(header: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    made: Any = json.loads(json.dumps(header))
    inner = made
    for name in path[:-1]:
        inner = inner[name]
    if value is STRANGE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return made


def forged(header: dict[str, Any], tensors: dict[str, Any]) -> None:
    """A file of these parts, with a digest that fits."""
    own = {name: value for name, value in header.items() if name != "digest"}
    tensors = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    own["digest"] = model_file._digest(own, tensors)
    Path("forged").write_bytes(to_bytes(tensors, metadata={model_file.KEY: json.dumps(own, sort_keys=True)}))


def refused_or_answers(data: Any, what: object) -> None:
    try:
        model = Model.load("forged")
    except ModelError as error:
        assert str(error).startswith("forged: ") and "\n" not in str(error) and len(str(error)) < 400, what
        return
    for use in (model.decision, model.explain, lambda _: model.save("again"), lambda _: repr(model)):
        with contextlib.suppress(RosenblattError):
            use(data)
    shown = run("inspect", "forged", "--json")
    assert shown.code in (0, 4) and "internal" not in shown.err, what


@pytest.mark.parametrize("kind", ["calibrated", "voted", "validated", "averaged", "texts", "hashed"])
def test_f3_a_forged_model_file_is_damaged_or_answers(kind: str) -> None:
    model, data = models()[kind]
    model.save("whole")
    raw = Path("whole").read_bytes()
    header = model_file._read("whole")[0]
    tensors = from_bytes(raw)
    forged(header, tensors)
    assert np.array_equal(Model.load("forged").decision(data), model.decision(data))
    for path in filter(None, places(header)):
        for value in () if path[0] in ("digest", "schema") else (*STRANGE, STRANGE):
            forged(changed(header, path, value), tensors)
            refused_or_answers(data, (path, value))
    for name, array in tensors.items():
        others = [array.ravel()[:0], array.astype(np.float32), array * 0 - 1, None]
        for other in others:
            forged(header, {key: value for key, value in {**tensors, name: other}.items() if value is not None})
            refused_or_answers(data, (name, other))


@pytest.mark.parametrize(("path", "value"), [
    (("features", "dictionary", "char_ngrams"), [0, 2**31]),
    (("features", "dictionary", "word_ngrams"), 2**31),
    (("features", "width"), 2**31),
    (("epoch",), 2**31),
    (("history",), {}),
    (("settings", "keep"), "all"),
])  # fmt: skip
def test_f3_numbers_out_of_range_are_refused_when_the_file_is_loaded(path: tuple[str, ...], value: object) -> None:
    models()["texts"][0].save("whole")
    forged(changed(model_file._read("whole")[0], path, value), from_bytes(Path("whole").read_bytes()))
    shown = run("predict", "forged", "a.svm")
    assert shown.code == 4 and shown.err.startswith("Error: forged: ") and shown.out == ""
