"""What new users found about columns: which is the label, which are features, and what is said of it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt import AveragedPerceptron, Model, Recipe
from rosenblatt.errors import DataError

AND = "0,0,0\n0,1,0\n1,0,0\n1,1,1\n"
NOTE = "label by its name, 'y' (--label NAME for another), column"


def trained(tmp_path: Path, text: str, *words: str, name: str = "t.csv") -> Any:
    (tmp_path / name).write_text(text)
    return run("train", tmp_path / name, "-o", tmp_path / "m", "--json", *words)


def reading(tmp_path: Path) -> Any:
    return Model.load(tmp_path / "m").reading


def test_y_beside_x_is_no_label(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y,t\n" + AND)
    assert "label by its look, 't' (--label NAME for another), column: 3" in well("separable", tmp_path / "t.csv").err
    assert "\nseparable: " in well("separable", tmp_path / "t.csv").out
    for header, label in [("a,b,y", "y"), ("y,a,b", "y"), ("x,a,y", "y"), ("a,y,b", "b"), ("y,x,b", "b")]:
        done = trained(tmp_path, f"{header}\n{AND}")
        assert reading(tmp_path)["label"] == label, header
        assert (NOTE in done.json["notes"]) == (label == "y"), header
    for text, label in [("y,x\n0,0\n1,1\n", "y"), ("y,a,kind\n0,0,cat\n1,1,dog\n", "kind")]:
        assert trained(tmp_path, text).code == 0 and reading(tmp_path)["label"] == label


def test_y_is_first_or_last_of_the_columns_that_count(tmp_path: Path) -> None:
    text = "id,y,a,b,note\n1,0,0,0,p\n2,1,0,1,q\n3,0,1,0,r\n4,1,1,1,s\n"
    for drop, label in [("id,note", "y"), ("id,y,note", "b")]:
        assert trained(tmp_path, text, "--drop", drop).code == 0 and reading(tmp_path)["label"] == label
    assert trained(tmp_path, ",y,a,b\n0,0,0,0\n1,0,1,0\n2,1,1,1\n").code == 0 and reading(tmp_path)["label"] == "y"


def test_y_may_be_a_feature_of_a_model(tmp_path: Path) -> None:
    pandas, path = pytest.importorskip("pandas"), tmp_path / "t.csv"
    table = pandas.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]})
    path.write_text("x,y,t\n" + AND)
    for model in (Recipe().fit(table, [0, 0, 0, 1]), Recipe().fit(str(path))):
        assert model.evaluate(str(path))["errors"] == 0 and model.names == ["x", "y"]
        table.to_csv(tmp_path / "new.csv", index=False)
        assert model.predict(str(tmp_path / "new.csv")).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("name, noted", [("label", False), ("target", True), ("class", True)])
def test_a_label_by_its_name_is_said(tmp_path: Path, name: str, noted: bool) -> None:
    done = trained(tmp_path, f"{name},b,c\n0,1,2\n1,2,3\n")
    assert any("label by its name" in note for note in done.json["notes"]) == noted
    assert not trained(tmp_path, f"{name},b,c\n0,1,2\n1,2,3\n", "--label", name).json["notes"]
    assert run("predict", tmp_path / "m", tmp_path / "t.csv").err == ""


def test_the_message_about_a_word_names_the_label(tmp_path: Path) -> None:
    done = trained(tmp_path, "a,animal,target\n1,2,0\n2,cat,1\n")
    assert "the label is column 3 (target), --label says another)" in done.err and "--drop leaves" in done.err
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"a": [1, 2], "animal": ["cat", "dog"], "target": [0, 1]}).to_parquet(tmp_path / "t.parquet")
    assert "the label is column 3 (target), --label says another)" in run("summary", tmp_path / "t.parquet").err


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_the_index_of_a_frame_is_no_feature(tmp_path: Path, suffix: str) -> None:
    pandas, path = pytest.importorskip("pandas"), tmp_path / f"x.{suffix}"
    table = pandas.DataFrame({"v": [1, 2, 3, -1, -3], "w": [0, 1, 0, 1, 1], "kind": list("aaabb")})
    for each in (table[table.v != 2], table[table.v != 2].rename_axis("id")):
        if suffix == "parquet":
            each.to_parquet(path)
        else:  # Feather as pandas writes it has no index; Arrow has
            pyarrow = pytest.importorskip("pyarrow")
            made = pyarrow.Table.from_pandas(each)
            with pyarrow.ipc.new_file(str(path), made.schema) as out:
                out.write_table(made)
        model = Recipe().fit(str(path))
        assert model.names == ["v", "w"] and (model.predict(str(path)) == each["kind"]).all()
        assert (model.predict(each) == each["kind"]).all()
    assert Recipe(label="id", drop=["kind"]).fit(str(path)).classes.tolist() == [0, 2, 3, 4]


def test_columns_of_one_name_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([[1, 2, 3], [3, 4, 5]], columns=["a", "b", "a"])
    for learn in (Recipe().fit, AveragedPerceptron().fit):
        with pytest.raises(DataError, match="found two columns called 'a'; expected a name for each"):
            learn(table, [0, 1])


def test_another_column_is_refused_by_shell_and_python(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2, -1], "id": [7, 8, 9], "kind": [1, 1, 0]})
    more = table.assign(extra=1)
    more.to_csv(tmp_path / "more.csv", index=False)
    model = Recipe(drop=["id"]).fit(table, "kind")
    assert (model.predict(table) == table["kind"]).all() and model.evaluate(table, table["kind"])["errors"] == 0
    for ask in (model.predict, model.evaluate, model.explain):
        with pytest.raises(DataError, match=r"have a column 'extra'; expected only .* \(data.drop"):
            ask(more)
    table.to_csv(tmp_path / "t.csv", index=False)
    well("train", tmp_path / "t.csv", "--label", "kind", "--drop", "id", "-o", tmp_path / "m")
    done = run("predict", tmp_path / "m", tmp_path / "more.csv")
    assert done.code and "--drop extra" in done.err
    assert len(well("predict", tmp_path / "m", tmp_path / "more.csv", "--drop", "extra").out.split()) == 3


def test_labels_lie_beside_a_sparse_matrix(tmp_path: Path) -> None:
    from scipy import sparse

    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array(["a", "b"])
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_matrix(X))
    assert "y.npy beside X.npz" in run("train", tmp_path / "X.npz", "-o", tmp_path / "m").err
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "other.npy", y[::-1])
    assert Recipe().fit(str(tmp_path / "X.npz")).predict(X).tolist() == ["a", "b"]
    other = Recipe(label=str(tmp_path / "other.npy")).fit(str(tmp_path / "X.npz"))
    assert other.predict(str(tmp_path / "X.npz")).tolist() == ["b", "a"]
    np.savez(tmp_path / "X.npz", X=X)
    assert Recipe().fit(str(tmp_path / "X.npz")).predict(X).tolist() == ["a", "b"]


def test_a_name_with_a_comma_is_dropped(tmp_path: Path) -> None:
    text = '"City, Region",a,kind\nx,1,0\ny,2,1\n'
    assert trained(tmp_path, text, "--drop", "City, Region").code == 0
    assert reading(tmp_path)["drop"] == ["City, Region"]
    assert len(well("predict", tmp_path / "m", tmp_path / "t.csv").out.split()) == 2
    assert trained(tmp_path, "a,b,c,kind\n1,2,3,0\n2,3,4,1\n", "--drop", "a,b").code == 0
    assert reading(tmp_path)["drop"] == ["a", "b"]


@pytest.mark.parametrize("header", ["", "a;b;c;kind\n"])
@pytest.mark.parametrize("line", ["1;1,5;2;x\n", "1,5;2,5;3,5;x\n"])
def test_decimal_commas_are_named(tmp_path: Path, header: str, line: str) -> None:
    done = trained(tmp_path, header + line * 2)
    assert done.code and "expected a finite number with a point, not a comma (" in done.err, done.err


def test_decimals_are_numbers(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [Decimal("0.1"), Decimal("-0.3")], "kind": ["x", "y"]})
    table.to_parquet(tmp_path / "t.parquet")
    here, there = Recipe().fit(table, "kind"), Recipe().fit(str(tmp_path / "t.parquet"))
    assert here.weights[0].tolist() == there.weights[0].tolist()
