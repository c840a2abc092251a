"""Model files with a changed header and a right digest: refused when loaded, or they answer."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes

from command import WORDS as TEXTS
from command import mail_folder, run, write
from rosenblatt import Model, Recipe
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.model import file as model_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here, with small data of each kind."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    for classes, name in ((2, "two.csv"), (3, "three.csv")):
        rows = (f"{a:.2f},{b:.2f},{'xyz'[random.integers(classes)]}\n" for a, b in random.normal(size=(30, 2)))
        write(tmp_path / name, "".join(["a,b,kind\n", *rows]))
    write(tmp_path / "t.txt", TEXTS * 2)
    mail_folder(tmp_path / "mails")


STRANGE: list[object] = [None, -1, 1.5, 2**70, "x", [1, 2**31], [[]], {"a": 1}]
FEW = {"max_iter": 2, "min_documents": 1}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "voted": ("three.csv", {"keep": "voted"}),
    "texts": ("t.txt", {**FEW, "char_ngrams": "2-3"}),
}
SLOW: dict[str, tuple[str, dict[str, Any]]] = {
    "validated": ("two.csv", {"keep": "pocket", "validation": 0.3}),
    "kernel": ("three.csv", {"keep": "voted", "kernel": "poly:degree=2"}),
    "calibrated": ("two.csv", {"calibrate": "isotonic", "calibrate_folds": 3, "cost": {"x": 1, "y": 2}, "degree": 2}),
    "averaged": ("three.csv", {"keep": "averaged", "scale": "standard"}),
    "hashed": ("t.txt", {"dictionary": "hashed", "bits": 4}),
    "limited": ("two.csv", {"keep": "averaged", "max_false_positives": 0.2}),
    "at": ("two.csv", {"rule": "logistic", "at": 0.7, "start": "random:0.1"}),
    "together": ("three.csv", {"multi_class": "multi-class-perceptron", "calibrate": "sigmoid", "calibrate_folds": 3}),
    "blocks": ("two.csv", {"rule": "margin:tau=2", "optimizer": "mini-batch", "alpha": 0.01, "positive": "x"}),
    "pulled": ("t.txt", {"dictionary": "hashed", "bits": 8, "rule": "logistic", "metric": "adagrad", "l1": 0.01}),
    "kernel of texts": ("t.txt", {**FEW, "kernel": "rbf", "keep": "averaged", "validation": 0.3}),
    "mails": ("mails", {**FEW, "fields": ["subject", "sender", "links", "headers", "grammar", "spelling"]}),
}


def model_of(kind: str) -> tuple[Model, str]:
    data, words = (MODELS | SLOW)[kind]
    return Recipe(**{"max_iter": 2, **words}).fit(data), data


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
    uses = [
        model.decision, model.evaluate, model.explain, lambda _: model.save("again"), lambda _: repr(model),
        lambda data: Recipe(max_iter=1).fit_more(model, data),
        lambda data: Recipe(at=0.5).choose_threshold(model, data),
    ]  # fmt: skip
    for use in uses:
        with contextlib.suppress(RosenblattError):
            use(data)
    shown = run("inspect", "forged", "--json")
    assert shown.code in (0, 4) and "internal" not in shown.err, what


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [*MODELS, *(pytest.param(kind, marks=pytest.mark.slow) for kind in SLOW)])
def test_f3_a_forged_model_file_is_damaged_or_answers(kind: str) -> None:
    model, data = model_of(kind)
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
    (("reading", "format"), None),
    (("reading", "label"), 0),
    (("reading", "fields"), [0.5]),
])  # fmt: skip
def test_f3_numbers_out_of_range_are_refused_when_the_file_is_loaded(path: tuple[str, ...], value: object) -> None:
    model_of("texts")[0].save("whole")
    forged(changed(model_file._read("whole")[0], path, value), from_bytes(Path("whole").read_bytes()))
    shown = run("predict", "forged", "t.txt")
    assert shown.code == 4 and shown.err.startswith("Error: forged: ") and shown.out == ""
