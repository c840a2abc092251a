"""`summary` and `head`: what is in data, compared with plain numpy."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from command import NUMBERS, TABLE, mail_folder, one_of_each, run, well, write
from rosenblatt.core.rows import csr, dense, matrix
from rosenblatt.data.batch import Batch
from rosenblatt.doctor.summary import summarise
from rosenblatt.read import open_source

FEW = st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, 1e200, 5e-324])
MATRICES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=FEW)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plain(values: Any, y: Any) -> dict[str, Any]:
    """The same by the plainest means."""
    values = values + 0.0  # one zero
    groups = defaultdict(list)
    for row, label in zip(values.tolist(), y.tolist(), strict=True):
        groups[tuple(row)].append(label)
    mixed = [labels for labels in groups.values() if len(set(labels)) > 1]
    columns = [tuple(column) for column in values.T.tolist()]
    return {
        "rows": len(values),
        "features": values.shape[1],
        "density": np.count_nonzero(values) / values.size,
        "zero_rows": int((values == 0).all(axis=1).sum()),
        "min": values.min(),
        "max": values.max(),
        "empty_columns": [j + 1 for j, c in enumerate(columns) if set(c) == {0.0}],
        "constant_columns": [j + 1 for j, c in enumerate(columns) if len(set(c)) == 1 and c[0] != 0],
        "duplicate_columns": [
            [j + 1, columns.index(c) + 1] for j, c in enumerate(columns) if columns.index(c) < j and len(set(c)) > 1
        ],
        "duplicate_rows": len(values) - len(groups),
        "contradicting_rows": sum(map(len, mixed)),
        "surely_wrong": sum(len(labels) - max(Counter(labels).values()) for labels in mixed),
    }


@given(values=MATRICES, data=st.data())
def test_every_figure_is_that_of_plain_means(values: Any, data: Any) -> None:
    """Dense, sparse, in one batch or in many, of growing width as svmlight gives them."""
    y = data.draw(hnp.arrays(np.float64, len(values), elements=st.sampled_from([0.0, 1.0])))
    n = len(values)
    cut = data.draw(st.integers(0, n))
    parts = [part for part in (slice(0, cut), slice(cut, n)) if part.start < part.stop]
    wanted = plain(values, y)
    by_dense = summarise(Batch(dense(values[p]), y[p]) for p in parts)
    by_sparse = summarise(Batch(_sparse(values[p], i == len(parts) - 1), y[p]) for i, p in enumerate(parts))
    for found in (by_dense, by_sparse):
        assert {key: found[key] for key in wanted} == wanted
    with np.errstate(all="ignore"):
        spread = np.ptp(values, axis=0)
    for found in (by_dense, by_sparse):
        for column in found["columns"]:
            own = values[:, column["name"] - 1]
            assert (column["min"], column["max"]) == (own.min(), own.max())
            assert column["nonzero"] == np.count_nonzero(own)
            assert column["mean"] == pytest.approx(np.mean(own / 8) * 8, rel=1e-9, abs=1e-300)
        assert [spread[c["name"] - 1] for c in found["columns"]] == sorted(spread.tolist(), reverse=True)


def _sparse(values: Any, whole: bool) -> Any:
    there = values != 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    columns = np.nonzero(there)[1]
    width = values.shape[1] if whole else int(columns.max(initial=0)) + 1
    return csr(values[there], columns, indptr, width)


def test_what_is_odd_is_named(here: Path) -> None:
    write(here / "t.csv", "a,b,twin,one,none,y\n1,1000,1,5,0,p\n2,2000,2,5,0,q\n1,1000,1,5,0,q\n0,0,0,5,0,p\n")
    found = well("summary", "t.csv", "--json").json
    assert found["duplicate_columns"] == [["twin", "a"]]
    assert (found["constant_columns"], found["empty_columns"]) == (["one"], ["none"])
    assert found["class_rows"] == {"p": 2, "q": 2}
    assert (found["duplicate_rows"], found["contradicting_rows"], found["surely_wrong"]) == (1, 2, 1)
    assert [each["name"] for each in found["columns"][:2]] == ["b", "a"]
    done = well("summary", "t.csv", "--columns", "1")
    assert "duplicate columns: 1 (twin = a)" in done.out and "\nb " in done.out and "\na " not in done.out
    assert "hint: the ranges of the columns differ by a factor of 1e+03: --scale standard makes them alike" in done.out
    assert "no classifier can be right on 1 of the rows" in done.out


def test_hints_are_options_that_there_are(here: Path) -> None:
    write(here / "u.svm", "1 1:1\n" + "-1 1:2\n" * 30)
    out = well("summary", "u.svm").out
    assert "one class has 30 times the rows of the other: --class-weight balanced" in out
    well("train", "u.svm", "-o", "m", "--class-weight", "balanced", "--scale", "standard")
    write(here / "one.svm", "1 1:1\n")
    assert "only one class" in well("summary", "one.svm").out
    write(here / "label.svm", "1\n-1\n")
    assert "no columns" in well("summary", "label.svm").out


def test_rows_without_labels_and_bad_ones(here: Path) -> None:
    write(here / "a.csv", "1,2\n3,x\n5,6\n")
    done = well("summary", "a.csv", "--unlabelled", "--bad", "skip", "--json")
    assert (done.json["rows"], done.json["class_rows"], done.json["features"]) == (2, {}, 2)
    assert done.json["notes"] == {"bad lines skipped": 1} and "bad lines skipped: 1" in done.err
    assert "no labels" in well("summary", "a.csv", "--unlabelled", "--bad", "skip").out
    assert run("summary", "a.csv", "--unlabelled").code == 3


def test_columns_are_called_as_in_the_file() -> None:
    found = well("summary", "-", "--base", "0", "--json", given="1 0:2 3:1\n0 3:5\n").json
    assert [each["name"] for each in found["columns"]][:2] == [3, 0] and found["empty_columns"] == [1, 2]


def test_texts_and_mails(here: Path) -> None:
    write(here / "w.txt", "b\tone two\na\tone\nb\tone two\na\t\n")
    found = well("summary", "w.txt", "--json").json
    assert (found["words"], found["different_words"], found["empty_texts"]) == (5, 2, 1)
    assert found["length"] == {"min": 0, "median": 1.5, "mean": 1.25, "max": 2}
    assert list(found["length_of_class"]) == ["a", "b"] and found["length_of_class"]["b"]["mean"] == 2
    assert found["duplicate_rows"] == 1
    mail_folder(here / "mails")
    done = well("summary", "mails")
    assert "classes: ham 3 (50.0%), spam 3 (50.0%)" in done.out and "subject 6" in done.out


def test_every_format(here: Path) -> None:
    for path in one_of_each(here / "each").values():
        assert json.loads(well("summary", path, "--json").out)["rows"] == 6
        assert len(well("head", path, "--json", "-n", "9").out.splitlines()) == 6


@pytest.mark.parametrize("name", ["spambase", "a9a", "iris"])
def test_real_data(shared_data: Callable[[str], Path], name: str) -> None:
    path = shared_data(name) / f"{name}.svm.xz"
    found = well("summary", path, "--json", "--columns", "all", ROSENBLATT_JIT="1").json
    x, y = [], []
    for batch in open_source(path):
        x.append(matrix(batch.rows).toarray())
        y.append(batch.y)
    values, labels = np.concatenate(x), np.concatenate(y)
    wanted = plain(values, labels)
    assert {key: found[key] for key in wanted} == wanted
    mean, sd = values.mean(axis=0), values.std(axis=0)
    for column in found["columns"]:
        j = column["name"] - 1
        assert column["mean"] == pytest.approx(mean[j]) and column["sd"] == pytest.approx(sd[j])


# --- head ------------------------------------------------------------------------------------------------------------


def test_head_of_each_kind(here: Path) -> None:
    write(here / "n.svm", NUMBERS)
    assert well("head", "n.svm", "-n", "2").out == "1  1  1:2  3:1\n2  -1  2:3\n"
    write(here / "t.csv", TABLE)
    assert (
        well("head", "t.csv", "-n", "2").out == "   label   wide  high\n1  square     2     0\n2  tall       0     3\n"
    )
    first = well("head", "t.csv", "-n", "1", "--json").json
    assert first == {"row": 1, "id": None, "label": "square", "values": {"wide": 2.0, "high": 0.0}}
    mail_folder(here / "mails")
    lines = well("head", "mails", "-n", "1").out.splitlines()
    assert lines[0] == "1  ham  ham/1.eml" and lines[1].strip() == "subject: lunch"
    wide = "1 " + " ".join(f"{j}:{j}" for j in range(1, 50)) + "\n"
    assert well("head", "-", given=wide).out.rstrip().endswith("8:8  and 41 more")


def test_head_reads_no_further_than_it_must(here: Path) -> None:
    write(here / "n.svm", "1 1:1\n" * 600_000 + "bad\n")
    assert well("head", "n.svm", "-n", "1", ROSENBLATT_JIT="1").out == "   label  1\n1  1      1\n"
    assert run("head", "n.svm", "-n", "0").code == 2


@given(label=st.text(min_size=1, max_size=30).filter(str.strip), text=st.text(max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_what_is_shown_stays_on_its_line(label: str, text: str) -> None:
    label, text = " ".join(label.split()) or "x", " ".join(text.split())
    Path("w.txt").write_text(f"{label}\t{text}\n", encoding="utf-8", errors="replace", newline="")
    out = well("head", "w.txt", "--format", "text").out
    assert out.count("\n") == 1 and "\x1b" not in out
