"""Models of which most weights are nothing: small files, the same bits when read, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as from_bytes

from command import run
from learners import KINDS, SEED, Problem, errors, everything, model, problem, rows_of, same_bits
from rosenblatt import Model, Recipe
from rosenblatt.core.loop import UPDATES
from rosenblatt.core.rows import csr
from rosenblatt.errors import ModelError, SettingError
from rosenblatt.learn.run import Chunk, Limits, Run, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.model import file as model_file
from rosenblatt.model.sparse import packed, unpacked
from test_faults_forged import forged

Array = np.ndarray[Any, Any]
GRADIENT = {"rule": "logistic", "eta0": 0.3}
LEARNERS: dict[str, dict[str, Any]] = {
    "truncated": {**GRADIENT, "l1": 0.05},
    "truncated, decayed": {**GRADIENT, "l1": 0.05, "alpha": 0.3},
    "truncated, pocket": {**GRADIENT, "l1": 0.05, "keep": "pocket"},
    "adagrad": {**GRADIENT, "metric": "adagrad", "l1": 0.01},
    "adagrad, averaged": {**GRADIENT, "metric": "adagrad", "keep": "averaged"},
    "normalised": {**GRADIENT, "metric": "normalised", "keep": "averaged"},
    "normalised, blocks": {**GRADIENT, "metric": "normalised", "l1": 0.01, "optimizer": "mini-batch", "batch_size": 5},
    "ftrl": {**GRADIENT, "metric": "ftrl", "l1": 0.2, "alpha": 0.1, "keep": "averaged"},
    "arow": {"metric": "arow:r=0.3", "keep": "averaged"},
    "scw": {"metric": "scw", "keep": "pocket"},
    "nherd": {"metric": "nherd"},
    "softmax": {**GRADIENT, "rule": "softmax", "metric": "adagrad", "l1": 0.01},
}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def learned(p: Problem, kind: str, epochs: int, **words: Any) -> Run:
    run = new_run(Settings.of(**{"random_state": SEED, "tol": None, **words}), rows_of(p.x, kind), p.classes)
    go_on(run, p, kind, Limits(epochs))
    return run


def go_on(run: Run, p: Problem, kind: str, limits: Limits) -> None:
    measure = errors(p.x, p.y) if run.memory.needs_measure else None
    train(run, [Chunk(rows_of(p.x, kind), p.y)], limits, measure)


def through_a_file(run: Run, classes: int, path: Path) -> Run:
    Model(run=run, classes=np.arange(classes)).save(path)
    return Model.load(path).run


# --- arrays --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(200,), (3, 200), (200, 3), (2, 600)])
def test_arrays_come_back_bit_for_bit(shape: tuple[int, ...], dtype: Any) -> None:
    """Also zeros below 0, what is no number, and rows of which each holds another number in most places."""
    random = np.random.default_rng(0)
    for usual in (0.0, -0.0, 1.5, np.nan):
        array = np.full(shape, usual, dtype)
        array.ravel()[::7] = random.normal(size=array.ravel()[::7].size)
        array.ravel()[[3, 5, 8]] = 0.0, -0.0, np.inf
        array[0] += dtype(0) if shape[0] > 3 else dtype(2)
        shapes, tensors = packed({"a": array, "b": array[:1].copy()})
        assert list(shapes) == ["a"] if array[:1].size <= 64 else ["a", "b"]
        assert sum(values.nbytes for name, values in tensors.items() if name[0] == "a") < array.nbytes / 1.5
        back = unpacked(shapes, tensors)
        assert sorted(back) == ["a", "b"]
        assert back["a"].tobytes() == array.tobytes() and back["a"].shape == shape and back["a"].dtype == dtype


def test_arrays_without_a_usual_number_stay_as_they_are() -> None:
    full = {"w": np.random.default_rng(0).normal(size=300), "n": np.zeros(300, np.int64), "few": np.zeros(64)}
    full["half"] = np.where(np.arange(300) % 2 == 0, full["w"], 0.0)
    shapes, tensors = packed(full)
    assert shapes == {} and all(tensors[name] is full[name] for name in full)


# --- models --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("words", LEARNERS.values(), ids=[*LEARNERS])
def test_learning_in_pieces_through_files_is_learning_at_once(tmp_path: Path, words: Any, classes: int) -> None:
    """Wide rows, so that arrays are written by place; both storages, for the weights lie the one way or the other."""
    p = problem(classes, n=14, d=7)
    wide = np.zeros((14, 150))
    wide[:, 11::20] = p.x
    p = p._replace(x=wide, fresh=np.zeros((2, 150)))
    for kind in ("dense-float32", "csr-float64"):
        whole, pieces = learned(p, kind, 3, **words), learned(p, kind, 0, **words)
        for updates in (5, 20):
            more = updates - int(pieces.state.n[UPDATES])
            go_on(pieces, p, kind, Limits(3 - pieces.epoch, max_updates=more))
            pieces = through_a_file(pieces, classes, tmp_path / "model")
        header = model_file._read(str(tmp_path / "model"))[0]
        assert {"state.w", "state.c"} <= set(header["sparse"])
        assert header["schema"] == 3
        go_on(pieces, p, kind, Limits(3 - pieces.epoch))
        same_bits(everything(pieces, p, kind), everything(whole, p, kind), kind)
        for name, values in whole.state._asdict().items():
            assert values.tobytes() == getattr(pieces.state, name).tobytes(), name


def wide_model(**words: Any) -> tuple[Model, Any]:
    """A model of 2^20 columns, of which rows have 2,000; and the rows."""
    random = np.random.default_rng(0)
    columns = np.sort(random.choice(1 << 20, 2000, replace=False))
    rows = csr(random.normal(size=2000), columns.reshape(20, 100).T.ravel(), np.arange(0, 2001, 20), 1 << 20)
    run = new_run(Settings.of(**words), rows, 2)
    train(run, [Chunk(rows, np.where(random.random(100) < 0.5, 1.0, -1.0))], Limits(1))
    return Model(run=run, classes=np.array([0, 1])), rows


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ({"metric": "arow", "keep": "averaged"}, 100_000),
        ({"rule": "logistic", "metric": "adagrad", "l1": 0.01}, 100_000),
        ({"rule": "logistic", "l1": 0.01}, 75_000),
        ({"rule": "logistic", "metric": "ftrl", "l1": 0.1}, 100_000),
    ],
)
def test_a_million_columns_of_which_two_thousand_were_seen_are_a_small_file(
    tmp_path: Path, words: dict[str, Any], most: int
) -> None:
    made, rows = wide_model(**words)
    made.save(tmp_path / "m")
    made.final().save(tmp_path / "final")
    assert (tmp_path / "m").stat().st_size < most
    assert (tmp_path / "final").stat().st_size < min(most / 2, 30_000)
    for name in ("m", "final"):
        assert np.array_equal(Model.load(tmp_path / name).decision(rows), made.decision(rows))


def test_what_plain_steps_have_learned_is_written_as_ever(tmp_path: Path) -> None:
    """No array by place, no word of metrics, and the schema of before."""
    made, _ = wide_model()
    made.save(tmp_path / "m")
    header = model_file._read(str(tmp_path / "m"))[0]
    assert header["schema"] == 1 and not {"sparse", "final"} & set(header) and "metric" not in header["settings"]
    assert from_bytes((tmp_path / "m").read_bytes())["state.w"].shape == (1 << 20,)


def test_a_model_without_columns(tmp_path: Path) -> None:
    for words in ({"metric": "arow"}, {"rule": "logistic", "l1": 0.1}):
        made = Recipe(**words, max_iter=2).fit(np.empty((4, 0)), [0, 1, 1, 1])
        made.save(tmp_path / "m")
        assert Model.load(tmp_path / "m").predict(np.empty((2, 0))).tolist() == [1, 1]


# --- final ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("keep", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("words", [{}, {"rule": "logistic", "metric": "adagrad"}], ids=["plain", "adagrad"])
def test_a_final_model_answers_as_before(tmp_path: Path, words: Any, keep: str, classes: int) -> None:
    p = problem(classes, n=20)
    for kind in KINDS:
        made = model(learned(p, kind, 2, keep=keep, **words), classes)
        made.final().save(tmp_path / "f")
        back = Model.load(tmp_path / "f")
        assert not [name for name in from_bytes((tmp_path / "f").read_bytes()) if "memory" in name or "state.c" in name]
        assert np.array_equal(back.decision(rows_of(p.fresh, kind)), made.decision(rows_of(p.fresh, kind)))
        assert back.run.history == made.run.history and back.run.stop_reason == made.run.stop_reason
        with pytest.raises(ModelError, match="not what learning on needs; begin a new one with start"):
            go_on(back.run, p, kind, Limits(1))
        assert not made.run.final, "the model itself goes on"


def test_a_final_model_of_the_best_epoch(tmp_path: Path) -> None:
    r = np.random.default_rng(0)
    x, y = r.normal(size=(80, 4)), r.integers(0, 2, 80)
    made = Recipe(keep="averaged", rule="logistic", l1=0.0, metric="adagrad", validation=0.3).fit(x, y)
    assert made.run.best is not None
    made.final().save(tmp_path / "f")
    back = Model.load(tmp_path / "f")
    assert np.array_equal(back.decision(x), made.decision(x)) and back.run.best.epoch == made.run.best.epoch
    assert not [name for name in from_bytes((tmp_path / "f").read_bytes()) if name.startswith("best.")]
    begun = Recipe(start=back, max_iter=1, eta0=1e-300).fit(x, y)  # a new one may begin with it
    assert np.array_equal(begun.weights[0], made.weights[0])


def test_voted_weights_are_never_final() -> None:
    p = problem()
    with pytest.raises(SettingError, match="keep='voted' answers by all that it has learned"):
        model(learned(p, KINDS[0], 1, keep="voted"), 2).final()


# --- in the shell --------------------------------------------------------------------------------------------------


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    lines = [f"{'spam' if i % 3 == 0 else 'ham'}\tword{i % 7} word{i % 5} other{i}\n" for i in range(60)]
    (tmp_path / "t.txt").write_text("".join(lines))
    return "t.txt"


def test_train_and_inspect_count_what_is_not_zero(texts: str) -> None:
    told = run("train", texts, "-o", "m", "--rule", "logistic", "--metric", "adagrad", "--l1", "0.3", "--epochs", "2")
    inspected, found = run("inspect", "m"), json.loads(run("inspect", "m", "--json").out)
    w = Model.load("m").weights[0]
    count, share = np.count_nonzero(w), f"{np.count_nonzero(w) / w.size:.1%}"
    line = f"weights: {count} of {w.size} are not zero ({share})"
    assert 0 < count < w.size and line in told.out.splitlines()
    assert f"{line}; steps were made in {found['columns_moved']} columns" in inspected.out.splitlines()
    assert (found["weights"], found["nonzero_weights"]) == (w.size, count) and count <= found["columns_moved"] <= w.size
    assert found["settings"]["metric"] == "adagrad" and found["settings"]["l1"] == 0.3
    given = json.loads(
        run("train", texts, "-o", "m", "--rule", "logistic", "--l1", "0.3", "--epochs", "2", "--json").out
    )
    assert 0 < given["nonzero_weights"] < given["weights"] == w.size
    plainly = run("train", texts, "-o", "p")
    assert "are not zero" not in plainly.out + run("inspect", "p").out
    assert json.loads(run("inspect", "p", "--json").out)["columns_moved"] is None


def test_final_in_the_shell(texts: str) -> None:
    words = ("train", texts, "--rule", "logistic", "--metric", "adagrad", "--epochs", "2")
    run(*words, "-o", "m")
    told = run(*words, "-o", "f", "--final")
    assert "--continue" not in told.out and Path("f").stat().st_size < Path("m").stat().st_size
    assert run("predict", "f", texts, "--scores").out == run("predict", "m", texts, "--scores").out
    assert "final: no more than what answers" in run("inspect", "f").out
    refused = run("train", texts, "-o", "g", "--continue", "f")
    assert refused.code == 4 and refused.err.count("\n") == 1 and "begin a new one with --start" in refused.err
    assert run("train", texts, "-o", "g", "--start", "f").code == 0
    refused = run("train", texts, "-o", "g", "--keep", "voted", "--final")
    assert refused.code == 2 and "--keep voted answers by all" in refused.err


# --- forged files --------------------------------------------------------------------------------------------------


def test_forged_parts_of_an_array_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = rows_of(np.eye(100) * np.array([1.0] * 10 + [0.0] * 90), "csr-float64")
    made = new_run(Settings.of(metric="arow"), rows, 3)
    train(made, [Chunk(rows, np.arange(100) % 3 + 0.0)], Limits(1))
    Model(run=made, classes=np.arange(3)).save("m")
    header, tensors = model_file._read("m")[0], from_bytes(Path("m").read_bytes())
    name, (at, values, usual) = "state.w", (tensors[f"state.w.{part}"] for part in ("at", "values", "usual"))
    assert at.size > 2 and header["sparse"]["state.w"] == [100, 3]
    forged(header, tensors)
    assert np.array_equal(Model.load("forged").run.state.w, made.state.w)
    others: list[dict[str, Any]] = [
        {"at": at[::-1]}, {"at": np.append(at[:-1], 300).astype(at.dtype)}, {"at": at * 0}, {"at": at[1:]},
        {"at": at.astype(np.int32)}, {"at": at.astype(float)}, {"at": at[None]}, {"at": None}, {"values": None},
        {"values": values[1:]}, {"values": values.astype(np.float32)}, {"usual": usual[:, :2]}, {"usual": usual[0]},
        {"usual": usual.astype(np.float32)}, {"usual": usual * np.nan}, {"values": values * np.inf},
    ]  # fmt: skip
    for other in others:
        parts = {**tensors, **{f"{name}.{part}": value for part, value in other.items()}}
        forged(header, {key: value for key, value in parts.items() if value is not None})
        with pytest.raises(ModelError, match=r"^forged: damaged: [^\n]{1,300}$"):
            Model.load("forged")
    for shape in ([100], [3, 100], [100, 4], [101, 3], [], [0, 3], [2**31, 3], [2**62, 3], "x", None, [100.0, 3]):
        forged({**header, "sparse": {**header["sparse"], name: shape}}, tensors)
        with pytest.raises(ModelError, match=r"^forged: [^\n]{1,300}$"):
            Model.load("forged")
    gradient = {"rule": "logistic", "metric": "adagrad", "l1": 0.1}
    for words in ({"metric": "none"}, {"metric": "none", "l1": 0.1}, gradient):
        forged({**header, "settings": {**header["settings"], **words}}, tensors)
        with pytest.raises(ModelError, match="^forged: damaged: it has not what its metric and L1 remember, or more$"):
            Model.load("forged")
    for sparse in ({}, {**header["sparse"], "state.z": [100]}, {**header["sparse"], "state.n": [5]}):
        forged({**header, "sparse": sparse}, tensors)
        with pytest.raises(ModelError, match="^forged: damaged: "):
            Model.load("forged")
