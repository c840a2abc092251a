"""What a trial of traces found, kind by kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt import LinearClassifier
from rosenblatt.report.trace import sentence
from rosenblatt.trace import Trace, read, verify


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    r = np.random.default_rng(3)
    rows = [f"{x:.3f},{z:.3f},{'no' if x + z + e < 0 else 'yes'}" for x, z, e in r.normal(size=(40, 3))]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["a,b,kind", *rows]) + "\n")
    return path


@pytest.mark.parametrize("words", [
    ["--map", "fourier:components=5"], ["--map", "nystroem:components=5"], ["--map", "pairs:bits=4"],
    ["--degree", "2"], ["--map", "fourier:components=5", "--kernel", "linear"],
])  # fmt: skip
@pytest.mark.parametrize("kind", ["csv", "svm", "npz"])
def test_columns_that_are_made_have_names_that_end(tmp_path: Path, data: Path, words: list[str], kind: str) -> None:
    """Names of mapped columns, and of products of nameless ones, are made as they are asked for: listing them never
    ended."""
    path, x = tmp_path / "run.jsonl", np.random.default_rng(0).normal(size=(20, 2))
    y = np.where(x @ [1.0, 1.0] > 0.0, 1, -1)
    if kind == "svm":
        data = tmp_path / "data.svm"
        data.write_text("".join(f"{label} 1:{a} 2:{b}\n" for label, (a, b) in zip(y, x, strict=True)))
    if kind == "npz":
        data = tmp_path / "data.npz"
        np.savez(data, X=x, y=y)
    well("trace", data, *words, "--epochs", "2", "-o", path)
    record = read(path)
    assert record.chunk is not None and len(record.names or ()) == record.chunk.rows.given.width
    assert verify(path).exact


@pytest.mark.parametrize("words", [{"l1": 0.1}, {"metric": "adagrad", "l1": 0.1}, {"metric": "adagrad"}])
def test_the_step_of_l1_and_of_metrics_comes_without_the_rate(words: dict[str, Any]) -> None:
    """a·x is not what was added: η·a·Σx is."""
    trace, x = Trace(), np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(Warning):
        LinearClassifier("logistic", max_iter=1, eta0=0.03, **words).fit(x, x.sum(axis=1) > 0.0, callback=trace)
    record = trace.record
    for k in (1, 5, 9):
        own = record.of(k)
        square = "x̄ᵀΣx̄" if "metric" in words else "‖x̄‖²"
        dot = "·" if "metric" in words else ""
        assert f"adds η·y·a{dot}{square} = " in sentence(record, k)
        if "metric" not in words:
            added = 0.03 * own.a[0] * (x[own.row[0]] @ x[own.row[0]] + 1.0)
            assert own.after[0] - own.u[0] == pytest.approx(added, rel=1e-9)


def test_a_run_that_goes_on_counts_what_was_recorded(tmp_path: Path, data: Path) -> None:
    model, path = tmp_path / "model", tmp_path / "run.jsonl"
    first = well("train", data, "-o", model, "--epochs", "2", "--json").json
    found = well("trace", data, "--continue", model, "-o", path, "--epochs", "3", "--json").json
    assert found["mistakes"] == found["updates"] == sum(found["mistakes_per_epoch"])
    assert found["mistakes"] == len(read(path))
    before = read(path).before
    assert before == (2, first["updates"], sum(first["mistakes_per_epoch"]))
    assert (
        f"went on with a model, after 2 epochs, {before[1]} updates, {before[2]} mistakes" in well("replay", path).out
    )
    assert well("replay", path, "--json").json["mistakes"] == found["mistakes"]


def test_what_is_said_of_errors_rates_and_numbers(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    words = ["--weights", "8", "--errors", "--epochs", "3", "--validation", "0.25"]
    said = well("trace", data, *words, "-o", path).out
    record = read(path)
    last = int(record.kept.update[-1])
    assert last < len(record) and f"training error: {record.error(last):.1%} after update {last:,}; least" in said
    assert "η = 1" in said and "rows are numbered among the 30 that were learned from" in said
    assert "of the running weights, not of what pocket keeps" in well("trace", data, *words, "--keep", "pocket").out
    assert "η" not in well("trace", data, "--metric", "arow", "--epochs", "1").out
    assert "η = 0.5 at first, sqrt" in well("trace", data, "--eta", "0.5", "--schedule", "sqrt", "--epochs", "1").out


@pytest.mark.parametrize("line", [0, 1, -1])
def test_a_field_that_was_added_is_found_in_each_line(tmp_path: Path, data: Path, line: int) -> None:
    path = tmp_path / "run.jsonl"
    well("trace", data, "--epochs", "2", "-o", path)
    lines = path.read_text().splitlines()
    lines[line] = json.dumps({"zzz": 1, **json.loads(lines[line])}, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")
    done = run("replay", path, "--verify")
    assert done.code == 1 and "zzz" in done.out


def test_a_row_of_many_classes_is_one_row(tmp_path: Path) -> None:
    data, path = tmp_path / "data.csv", tmp_path / "run.jsonl"
    data.write_text("a,b,kind\n0,1,x\n1,0,y\n1,1,z\n")
    well("trace", data, "--epochs", "1", "--order", "given", "-o", path)
    first = next(line for line in well("replay", path).out.splitlines() if line.split()[:3] == ["1", "1", "1"])
    assert first.split()[3:7] == ["x", "and", "2", "more"]
