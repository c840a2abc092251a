"""The file of a run: what is read is what was written, to the last bit, and what is no whole file says where."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learners import KINDS, problem
from recorded import fitted, recorded, same
from rosenblatt import KernelPerceptron, LinearClassifier, Perceptron
from rosenblatt.errors import ModelError
from rosenblatt.learn.metric import shaping
from rosenblatt.learn.rule import rule_classes
from rosenblatt.memory import memory_classes
from rosenblatt.optimizers import optimizer_classes
from rosenblatt.trace import lines, packing, read, save


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.fixture
def lines_of(tmp_path: Path) -> Any:
    """The lines of a small run, and its file."""
    path = tmp_path / "run.jsonl"
    save(recorded(), path)
    return path, path.read_text().splitlines()


@pytest.mark.parametrize("classes", [2, 3])
def test_what_is_read_is_what_was_written(tmp_path: Path, classes: int) -> None:
    path = tmp_path / "run.jsonl"
    choices = [{"rule": rule} for rule in rule_classes()]
    choices += [{"keep": keep} for keep in memory_classes()]
    choices += [{"optimizer": optimizer} for optimizer in optimizer_classes()]
    choices += [{"metric": name} for name, metric in shaping().items() if hasattr(metric, "stride")]
    choices += [{"rule": "logistic", "alpha": 0.1}, {"learning_rate": "sqrt", "decay": 0.5}]
    for number, words in enumerate(choices):
        if not (classes == 2 and words.get("rule") == "multi-class-perceptron"):
            record = recorded(classes, KINDS[number % len(KINDS)], **words)
            assert save(record, path) == [str(path)]
            same(read(path), record)


def test_labels_names_order_start_weights_and_kernels(tmp_path: Path) -> None:
    p, path = problem(3), tmp_path / "run.jsonl"
    y = np.array(["no", "yes", "può"])[p.y.astype(int)]
    start, order = {"coef_init": np.arange(12.0).reshape(3, 4) / 7, "intercept_init": [0.1, 0.2, 0.3]}, [3, 1, 1, 0]
    weight = np.linspace(0.0, 1.0, len(y))
    runs = [
        fitted(Perceptron(max_iter=2), p.x, y, order=order, **start),
        fitted(LinearClassifier(rule="logistic", max_iter=2), p.x.astype(np.float32), y, sample_weight=weight),
        fitted(KernelPerceptron(kernel="rbf", max_iter=2), p.x, y),
        fitted(KernelPerceptron(kernel="precomputed", max_iter=2), p.x @ p.x.T, y),
    ]
    for record in runs:
        save(record, path)
        same(read(path), record)
    assert json.loads(path.read_text().splitlines()[1])["entries"][0]["class"] in ("no", "yes", "può")
    save(runs[0], path)
    assert json.loads(path.read_text().splitlines()[0])["order"] == [4, 2, 2, 1], "rows are counted from 1"


def test_a_run_that_goes_on_has_its_state(tmp_path: Path) -> None:
    p, path = problem(), tmp_path / "run.jsonl"
    learner = Perceptron(max_iter=2, warm_start=True).fit(p.x, p.y)
    record = fitted(learner, p.x, p.y)
    assert record.begun is not None and record.begun[0]["epoch"] == 2
    save(record, path)
    same(read(path), record)


def test_long_runs_and_wide_weights_lie_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines then have each second, fourth … update, and as ever each epoch with its digest."""
    path, record = tmp_path / "run.jsonl", recorded(3)
    save(record, path)
    whole = [json.loads(line) for line in path.read_text().splitlines()]
    monkeypatch.setattr(lines, "NUMBERS", 10)
    assert save(record, path) == [str(path), f"{path}.safetensors"]
    same(read(path), record)
    assert all("w" not in json.loads(line) for line in path.read_text().splitlines())
    monkeypatch.setattr(lines, "EVENTS", 10)
    save(record, path)
    same(read(path), record)
    thin = [json.loads(line) for line in path.read_text().splitlines()]
    updates = [line["update"] for line in thin if "update" in line]
    assert updates == list(range(updates[0], len(record) + 1, updates[0])) and updates[0] in (4, 8)
    assert [line for line in thin if "by" in line] == [line for line in whole if "by" in line]
    assert sum(len(line["entries"]) for line in thin if "update" in line) <= 10
    beside = Path(f"{path}.safetensors")
    beside.write_bytes(beside.read_bytes()[:-1] + b"?")
    with pytest.raises(ModelError, match="run.jsonl: changed since it was written"):
        read(path)
    beside.unlink()
    with pytest.raises(ModelError, match=r"run.jsonl.safetensors: cannot be read: .*; arrays of .*run.jsonl lie there"):
        read(path)


def test_rows_that_are_too_large_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "EMBEDDED", 100)
    monkeypatch.setattr(lines, "EMBEDDED", 100)
    record, path = recorded(), tmp_path / "run.jsonl"
    save(record, path)
    found = read(path)
    assert found.chunk is None and found.facts["rows"] == packing.about_rows(record.chunk)
    save(found, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == path.read_text()


def test_a_packed_file(tmp_path: Path) -> None:
    record, path = recorded(), tmp_path / "run.jsonl.gz"
    save(record, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    same(read(path), record)


def test_the_digest_of_an_epoch_is_what_the_page_says(lines_of: Any) -> None:
    """docs/guide/trace.md, from the lines alone: name, type, shape and bytes of each column, in the names' order."""
    _, texts = lines_of
    events = [json.loads(text) for text in texts[1:-1]]
    own = []
    for event in events:
        if "update" in event:
            own.append(event)
            continue
        columns: dict[str, list[Any]] = {}
        for update in own:
            for name in ("epoch", "seen", "mistakes", "norm", "shrunk"):
                columns.setdefault(name, []).append(update[name])
            for entry in update["entries"]:
                values = {**entry, "row": entry["row"] - 1, "cls": 0, "update": update["update"]}
                for name in ("update", "row", "cls", "y", "u", "a", "after", "b"):
                    columns.setdefault(name, []).append(values[name])
        found = hashlib.sha256()
        for name in sorted(columns):
            code = {"cls": "i"}.get(name, "q" if name in ("update", "row", "epoch", "seen", "mistakes") else "d")
            found.update(f"{name} <{ {'i': 'i4', 'q': 'i8', 'd': 'f8'}[code] } ({len(columns[name])},)\n".encode())
            found.update(struct.pack(f"<{len(columns[name])}{code}", *columns[name]))
        assert found.hexdigest() == event["digest"]
        own = []
    assert sum("digest" in event for event in events) == 3


def test_a_file_that_is_cut_off_says_so(lines_of: Any) -> None:
    path, texts = lines_of
    whole = path.read_bytes()
    for end in [*range(0, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(ModelError, match=f"^{path}(, line [0-9]+)?: (cut off|no JSON|not a trace)"):
            read(path)
    path.write_text("\n".join(texts[:5]) + "\n")
    with pytest.raises(ModelError, match=f"^{path}, line 5: cut off: the last line of a trace has its end"):
        read(path)


@pytest.mark.parametrize(
    ("line", "text", "why"),
    [
        (3, "{oops", "line 3: no JSON"),
        (3, "[1, 2]", "line 3: found .*; expected an object"),
        (3, "\ufffd", "line 3: no JSON"),
        (3, '{"update":2}', "changed since"),
        (1, '{"format":"rosenblatt-trace"}', "line 1: version is None; expected a number"),
        (1, '{"format":"rosenblatt-trace","version":true}', "line 1: version is True; expected a number"),
        (1, '{"format":"rosenblatt-trace","version":2}', "line 1: written by a newer version .version 2 .*up to 1"),
        (1, '{"format":"rosenblatt-traces","version":1}', "line 1: format is 'rosenblatt-traces'; expected"),
        (1, '{"format":"other","version":1}', "not a trace of rosenblatt"),
        (1, "1 1:2 2:3", "not a trace of rosenblatt"),
    ],
)
def test_what_is_no_trace(lines_of: Any, line: int, text: str, why: str) -> None:
    path, texts = lines_of
    texts[line - 1] = text
    path.write_text("\n".join(texts) + "\n")
    with pytest.raises(ModelError, match=f"^{path}.*{why}"):
        read(path)


def test_a_forged_file_is_refused_by_its_line(lines_of: Any) -> None:
    """With the right digests, so that only its contents are wrong: never a traceback."""
    path, texts = lines_of
    whole = [json.loads(text) for text in texts]

    def forge(line: int, **values: Any) -> None:
        own = [dict(each) for each in whole]
        own[line - 1].update(values)
        last = {"end": own.pop()["end"]}
        path.write_text("".join(f"{text}\n" for _, text in lines.closing(iter([*own, last]))))

    for line, values in [
        (1, {"settings": {}}), (1, {"settings": {**whole[0]["settings"], "rule": "margin:tau=-1"}}),
        (1, {"classes": {"kind": "str"}}), (1, {"weights": {"shape": ["a", 2], "budget": 0}}), (1, {"rows": {"y": 3}}),
        (1, {"rows": {**whole[0]["rows"], "y": packing.pack(np.zeros(3))}}), (1, {"order": ["x"]}),
        (1, {"begun": {"run": {}, "arrays": {"w": {"beside": "none"}}}}),
        (2, {"entries": [{}]}), (2, {"entries": 5}), (2, {"norm": "long"}), (2, {"w": [["x"]]}), (2, {"update": None}),
        (2, {"seen": True}), (2, {"mistakes": [1]}),
        (len(whole) - 1, {"loss": "much"}), (len(whole) - 1, {"more": 1}),
    ]:  # fmt: skip
        forge(line, **values)
        with pytest.raises(ModelError, match=f"^{path}, line {line}: "):
            read(path)
    for name, value in (("row", 0), ("row", 13)):
        forge(2, entries=[{**whole[1]["entries"][0], name: value}])
        with pytest.raises(ModelError, match="name rows, classes or updates that there are not"):
            read(path)
    for end in ({**whole[-1]["end"], "updates": 3}, {}, {**whole[-1]["end"], "beside": {"entries.u": "0"}}):
        forge(len(whole), end=end)
        with pytest.raises(ModelError, match=f"^{path}"):
            read(path)


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("mine\n")
    monkeypatch.setattr(lines, "NUMBERS", 10)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.numpy.save", full)
    with pytest.raises(ModelError, match="run.jsonl: cannot be written: No space left on device"):
        save(recorded(), path)
    assert [each.name for each in tmp_path.iterdir()] == ["run.jsonl"] and path.read_text() == "mine\n"
