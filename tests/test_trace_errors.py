"""Training errors in the record, on request: those of the kept weights, in the file, made again, and shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from learners import problem
from recorded import same
from rosenblatt import LinearClassifier
from rosenblatt.errors import DataError, SettingError
from rosenblatt.report.page.frames import frames_of
from rosenblatt.report.pictures.runs import errors_of
from rosenblatt.trace import Record, Trace, lines, observer, read, save, verify


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def counted(classes: int = 2, weights: int = 1 << 20, **words: Any) -> tuple[Record, Any]:
    p, trace = problem(classes), Trace(weights, errors=True)
    with pytest.warns(Warning):
        LinearClassifier(**{"max_iter": 3, "tol": None, **words}).fit(p.x, p.y, callback=trace)
    return trace.record, p


def plain(w: Any, b: Any, x: Any, y: Any) -> float:
    """Rows that are wrong by these weights, one by one."""
    wrong = 0
    for row, label in zip(x, y, strict=True):
        u = [float(own @ row) + bias for own, bias in zip(w, b, strict=True)]
        if len(u) == 1:
            wrong += label * u[0] <= 0.0
        else:
            wrong += any(u[k] >= u[int(label)] for k in range(len(u)) if k != label)
    return wrong / len(y)


@pytest.mark.parametrize(
    ("classes", "words"),
    [(2, {}), (3, {}), (3, {"multi_class": "multi-class-perceptron"}), (2, {"rule": "logistic", "optimizer": "batch"}),
     (2, {"metric": "arow"}), (3, {"keep": "voted"}), (2, {"alpha": 0.1, "rule": "logistic"})],
)  # fmt: skip
def test_they_are_those_of_the_kept_weights(classes: int, words: dict[str, Any]) -> None:
    record, p = counted(classes, **words)
    assert len(record.kept.errors) == len(record)
    for k in range(1, len(record) + 1):
        assert record.error(k) == pytest.approx(plain(*record.weights(k), p.x, p.y), abs=1e-15)  # type: ignore[misc]
    with pytest.raises(DataError, match=f"there is no update {len(record) + 1}; the run has"):
        record.error(len(record) + 1)


def test_a_row_on_the_border_is_an_error_whatever_its_class() -> None:
    trace = Trace(errors=True)
    with pytest.warns(Warning):
        LinearClassifier(max_iter=1, tol=None, shuffle=False).fit([[0.0], [1.0], [0.0]], [0, 1, 2], callback=trace)
    record = trace.record
    w, b = record.weights(len(record))  # type: ignore[misc]
    assert record.error(len(record)) == plain(w, b, [[0.0], [1.0], [0.0]], [0, 1, 2])


def test_of_many_rows_each_second_is_counted_and_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, p = counted(2)
    monkeypatch.setattr(observer, "MOST_SCORES", len(p.y) * (len(whole) // 2))
    thin, _ = counted(2)
    there = ~np.isnan(thin.kept.errors)
    assert there[-1] and np.array_equal(np.flatnonzero(there)[::-1], np.arange(len(there))[::-1][::4])
    np.testing.assert_array_equal(thin.kept.errors[there], whole.kept.errors[there])
    few, _ = counted(2, weights=8)  # and where few weights are kept, of those
    assert 0 < len(few.kept.update) <= 2 and [few.error(k) for k in few.kept.update.tolist()] == [
        whole.error(k) for k in few.kept.update.tolist()
    ]


@pytest.mark.parametrize("numbers", [lines.NUMBERS, 0])
def test_written_read_and_made_again(tmp_path: Path, numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "NUMBERS", numbers)
    path, (record, _) = tmp_path / "run.jsonl", counted(3)
    save(record, path)
    same(read(path), record)
    assert verify(path).exact and read(path).facts["errors"] is True
    if numbers:
        text = f'"error":{record.error(2)!r}'
        assert text in path.read_text()
        path.write_text(path.read_text().replace(text, '"error":0.125', 1))
        assert [(each.field, each.file) for each in verify(path).differences][0] == ("error", 0.125)


def test_pictures_and_pages_read_them(tmp_path: Path) -> None:
    record, _ = counted(2)
    seen, ways = errors_of(record, ["each"])
    rowless = replace(record, chunk=None)
    again = errors_of(rowless)
    np.testing.assert_array_equal(again[0], seen)
    np.testing.assert_array_equal(again[1]["each"], ways["each"])
    with pytest.raises(DataError, match="best: needs the rows, which are not in the record"):
        errors_of(rowless, ["best"])
    frame = frames_of(record, [0, 1], None)["counted"]
    assert "training error" not in frame[0] and frame[1]["training error"] == f"{record.error(1):.1%}"


def test_in_the_shell(tmp_path: Path) -> None:
    data, path = tmp_path / "data.csv", tmp_path / "run.jsonl"
    data.write_text("a,b,kind\n0,0,no\n2,2,no\n0,2,yes\n2,1,yes\n3,1,yes\n")
    done = well("trace", data, "--order", "given", "--epochs", "2", "--errors", "-o", path, "--json").json
    record = read(path)
    errors = record.kept.errors
    found = {"last": errors[-1], "least": errors.min(), "update": int(errors.argmin()) + 1}
    found |= {"keep": "last", "last_update": len(record)}
    assert done["training_error"] == found == well("replay", path, "--json").json["training_error"]
    least = f"least {errors.min():.1%} after update {found['update']}"
    said = f"training error: {errors[-1]:.1%} after update {len(record)}; {least}"
    assert said in well("replay", path).out
    out = well("trace", data, "--order", "given", "--epochs", "2", "--errors").out
    assert said in out and "nothing was written" in out
    assert well("trace", data, "--weights", "5", "--epochs", "2", "-o", path).out and verify(path).exact
    assert len(read(path).kept.update) <= 2 < len(read(path))
    assert "training error" not in well("replay", path).out
    for words, why in (
        (["--kernel", "rbf"], "a run with a kernel keeps none; leave it out"),
        (["--l1", "0.1", "--rule", "logistic"], "a run with L1 keeps none; leave it out"),
        (["--weights", "0"], "--errors counts those of kept weights, and --weights 0 keeps none; choose one of them"),
    ):
        refused = run("trace", data, "--errors", *words)
        assert refused.code == 2 and why in refused.err


@pytest.mark.parametrize(("words", "why"), [
    ({"errors": 1}, "errors must be True or False, found 1"),
    ({"errors": True, "weights": 0}, "errors=True counts those of kept weights, and weights=0 keeps none"),
])  # fmt: skip
def test_what_is_refused(words: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingError, match=why):
        Trace(**words)
