"""What new users found about labels: text stays text, codes keep their zeros, long numbers are not rounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt import AveragedPerceptron, Model, Recipe
from rosenblatt.data.labels import as_classes, class_numbers, tidy

X = np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0], [-2.0, 1.0]])
TEXT = np.array(["1", "1", "0", "0"])
CODES = np.array(["01067", "01067", "89073", "89073"])


def frame(y: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": y})


@pytest.mark.parametrize("text", [TEXT, CODES])
def test_text_labels_stay_text_in_what_has_types(tmp_path: Path, text: Any) -> None:
    pandas, path = pytest.importorskip("pandas"), str(tmp_path / "x.parquet")
    table = frame(text)
    table.to_parquet(path)
    table.to_feather(tmp_path / "x.feather")
    np.savez(tmp_path / "x.npz", X=X, y=text)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", text)
    kinds = [text, text.tolist(), text.astype(object), pandas.Series(text), pandas.Series(text, dtype="category")]
    fits = [Recipe().fit(X, y) for y in kinds] + [Recipe().fit(table, "kind")]
    fits += [Recipe().fit(str(tmp_path / name)) for name in ("x.parquet", "x.feather", "x.npz", "X.npy")]
    for model in fits:
        assert model.classes.tolist() == sorted(set(text)), "numbers were made of text"
        assert (model.predict(X) == text).all()
        for y in kinds:
            assert model.evaluate(X, y)["errors"] == 0


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt"])
def test_codes_keep_their_zeros_in_lines(tmp_path: Path, name: str) -> None:
    path, out = tmp_path / name, tmp_path / "m"
    between = "," if name == "x.csv" else "\t"
    rows = [f"{label}{between}{word if name == 'x.txt' else value}" for label, word, value in CODED]
    path.write_text("\n".join(([] if name == "x.txt" else [f"zip{between}v"]) + rows) + "\n")
    given = [] if name == "x.txt" else ["--label", "zip"]
    well("train", path, *given, "-o", out)
    assert Model.load(out).classes.tolist() == ["01067", "89073"]
    assert well("predict", out, path).out.split() == [label for label, _, _ in CODED]
    assert well("evaluate", out, path, "--json").json["errors"] == 0
    assert json.loads(well("explain", out, path, "--json").out.splitlines()[0])["label"] == "01067"
    assert "01067" in well("evaluate", out, path).out


CODED = [("01067", "red", 1), ("01067", "red", 2), ("89073", "blue", -1), ("89073", "blue", -2)]


def test_codes_do_not_merge(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("v,kind\n5,01\n6,01\n-5,1\n-6,1\n1,2\n0,2\n")
    assert well("train", path, "--label", "kind", "-o", tmp_path / "m", "--json").json["classes"] == ["01", "1", "2"]
    well("convert", path, tmp_path / "x.svm", "--label", "kind")
    assert len({line.split()[0] for line in (tmp_path / "x.svm").read_text().splitlines()}) == 3


def test_one_rule_says_which_labels_of_lines_are_numbers() -> None:
    def lines(*labels: str) -> Any:
        return tidy(np.array(labels, object))

    assert lines("+1", "-1", "1.0").tolist() == [1, -1, 1] and lines("0.5", "1e3").tolist() == [0.5, 1000.0]
    for labels in (("01", "1"), ("1", "x"), ("1", "nan"), ("1_0", "2"), ("9007199254740993", "1"), ("٣", "1")):
        assert lines(*labels).tolist() == list(labels), labels
    assert tidy(np.array(["1", "2"])).tolist() == ["1", "2"]


def test_labels_are_compared_by_what_the_classes_are() -> None:
    old, text = np.array([1067, 89073]), np.array(["01067", "89073"])
    lines = np.array(["01067", "89073.0"], object)
    assert class_numbers(lines, old).tolist() == class_numbers(lines.astype(str), old).tolist() == [0, 1]
    assert class_numbers(np.array([1067.0, 89073.0]), old).tolist() == [0, 1]
    assert class_numbers(np.array(["89073.0", "01067"], object), text).tolist() == [1, 0]
    with pytest.raises(Exception, match=r"row 7: unknown label 1067; the classes are 01067, 89073"):
        class_numbers(np.array([1067.0]), text, 7)
    assert class_numbers(np.array([1.0, 0.0]), np.array(["0", "1", "x"])).tolist() == [1, 0]
    assert class_numbers(np.array(["1", "0", "True"], object), np.array([False, True])).tolist() == [1, 0, 1]
    assert as_classes(np.array(["1.0", "7"], object), np.array([0, 1])) == [1, "7"]


def test_an_estimator_and_its_model_agree_about_codes(tmp_path: Path) -> None:
    table = frame(CODES)
    made = AveragedPerceptron().fit(table[["a", "b"]], CODES)
    for y in (CODES, CODES.astype(object), table["kind"]):
        assert made.model_.evaluate(table[["a", "b"]], y)["errors"] == 0 and made.score(table[["a", "b"]], y) == 1.0
    made.model_.save(tmp_path / "m")
    table.to_csv(tmp_path / "x.csv", index=False)
    done = run("evaluate", tmp_path / "m", tmp_path / "x.csv", "--label", "kind")
    assert done.code == 0 and "0 wrong" in done.out, done.err


def test_long_whole_numbers_are_labels_of_their_own(tmp_path: Path) -> None:
    long = np.array([2**53 + 1, 2**53 + 1, 2**53, 2**53])
    frame(long).to_parquet(tmp_path / "x.parquet")
    frame(long).to_csv(tmp_path / "x.csv", index=False)
    np.savez(tmp_path / "x.npz", X=X, y=long)
    for name in ("x.parquet", "x.csv", "x.npz"):
        model = Recipe(label=None if name == "x.npz" else "kind").fit(str(tmp_path / name))
        assert list(map(str, model.classes)) == [str(2**53), str(2**53 + 1)], name
        assert model.evaluate(str(tmp_path / name))["errors"] == model.evaluate(X, long)["errors"] == 0
        model.save(tmp_path / "m")
        well("evaluate", tmp_path / "m", tmp_path / name)


@pytest.mark.parametrize("low, high", [(np.uint64(0), np.uint64(2**63)), (np.int64(-(2**63)), np.int64(1))])
def test_what_is_saved_is_loaded(tmp_path: Path, low: Any, high: Any) -> None:
    y = np.array([high, high, low, low])
    Recipe().fit(X, y).save(tmp_path / "m")
    model = Model.load(tmp_path / "m")
    assert model.classes.tolist() == [int(low), int(high)] and model.evaluate(X, y)["errors"] == 0
