"""What new users found about the numbers of rows: they are those of the file, also where rows are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt import Recipe
from rosenblatt.read import open_source

CSV = "a,b,kind\n1,0,red\n{}2,1,red\n-1,0,blue\n{}-2,1,red\n"
SVM = "1 1:1\n{}1 1:2 2:1\n-1 1:-1\n{}1 1:-2 2:1\n"
KEPT = [1, 3, 4, 6]


def files(tmp_path: Path) -> list[tuple[Path, Path]]:
    """(whole, with the bad rows 2 and 5), in several formats."""
    pandas = pytest.importorskip("pandas")
    texts = {"csv": (CSV, ("x,1,red\n", '"?",1,blue\n')), "svm": (SVM, ("1 1:x\n", "1 1:1 1:1\n"))}
    made = []
    for suffix, (text, bad) in texts.items():
        pair = tmp_path / f"good.{suffix}", tmp_path / f"bad.{suffix}"
        pair[0].write_text(text.format("", ""))
        pair[1].write_text(text.format(*bad))
        made.append(pair)
    X = np.array([[1, 0], [np.nan, 1], [2, 1], [-1, 0], [0, np.inf], [-2, 1]])
    y, good = np.array([1, 1, 1, 0, 0, 1]), [0, 2, 3, 5]
    table = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": y})
    for suffix in ("npz", "parquet"):
        pair = tmp_path / f"good.{suffix}", tmp_path / f"bad.{suffix}"
        for path, rows in zip(pair, (good, list(range(6))), strict=True):
            if suffix == "npz":
                np.savez(path, X=X[rows], y=y[rows])
            else:
                table.iloc[rows].reset_index(drop=True).to_parquet(path)
        made.append(pair)
    return made


def test_rows_keep_their_numbers_where_bad_ones_are_skipped(tmp_path: Path) -> None:
    model, skip = tmp_path / "m", ("--bad", "skip")
    for good, bad in files(tmp_path):
        Recipe(max_iter=1, label="kind" if bad.suffix == ".csv" else None).fit(str(good)).save(model)
        lines = well("predict", model, bad, *skip, "--ids").out.splitlines()
        assert [int(line.split("\t")[0]) for line in lines] == KEPT, bad.name
        for command in ("predict", "explain"):
            assert rows(well(command, model, bad, *skip, "--json").out) == KEPT, (command, bad.name)
        wrong = well("evaluate", model, bad, *skip, "--mistakes", "--json").json["mistakes"]
        assert wrong and {each["row"] for each in wrong} <= set(KEPT), bad.name
        assert rows(well("head", bad, *skip, "--json").out) == KEPT
        assert rows(well("explain", model, bad, *skip, "--row", "4", "--json").out) == [4]
        done = run("explain", model, bad, *skip, "--row", "5")
        assert done.code and "there is no row 5; it was skipped" in done.err
        both = well("predict", model, bad, bad, *skip, "--ids").out.splitlines()
        assert [int(line.split("\t")[0]) for line in both] == [*KEPT, *(row + 6 for row in KEPT)]


def rows(out: str) -> list[int]:
    import json

    return [json.loads(line)["row"] for line in out.splitlines()]


@pytest.mark.parametrize("size", [1, 20, 1 << 20])
@pytest.mark.parametrize("suffix", ["csv", "svm"])
def test_numbers_do_not_depend_on_the_pieces(tmp_path: Path, size: int, suffix: str) -> None:
    text, bad = (CSV, "x,1,red\n") if suffix == "csv" else (SVM, "1 1:x\n")
    path = tmp_path / f"t.{suffix}"
    path.write_text(text.format(bad * 2, "\n" + bad))
    source: Any = open_source(path, bad="skip", block_bytes=size)
    assert [list(batch.numbers) for batch in source] and sum((list(b.numbers) for b in source), []) == [1, 4, 5, 7]
    with pytest.raises(Exception, match="line"):
        list(open_source(path, block_bytes=size))


def test_an_unknown_label_is_named_by_its_own_row(tmp_path: Path) -> None:
    good = tmp_path / "good.csv"
    good.write_text(CSV.format("", ""))
    well("train", good, "-o", tmp_path / "m")
    path = tmp_path / "t.csv"
    path.write_text(CSV.format("x,1,red\n", "3,1,green\n"))
    assert "row 5: unknown label 'green'" in run("evaluate", tmp_path / "m", path, "--bad", "skip").err


ONLY = "a,kind\n5,green\n0,red\n1,blue\n1,red\n"
SOME = ("--only", "red,blue")


def test_proofs_count_the_rows_of_the_file(tmp_path: Path) -> None:
    data, proof = tmp_path / "o.csv", tmp_path / "proof"
    data.write_text(ONLY)
    assert "rows 3 and 4 are equal" in well("separable", data, *SOME, "--save", proof).out
    assert well("separable", data, *SOME, "--json").json["verdicts"][0]["support"] == [3, 4]
    assert "the rows, counted from 1: 3, 4" in well("verify", proof, data).out
    shown, values = well("optimum", data, *SOME).out, well("optimum", data, *SOME, "--json").json
    assert values["problems"][0]["rows_wrong"][0] in (3, 4)
    assert f"wrong rows: {values['problems'][0]['rows_wrong'][0]}" in shown
    assert "rows are counted without those that are left out" in well("doctor", data, *SOME, "--max-time", 1).err
    data.write_text("a,kind\n5,green\n0,red\nx,red\n2,blue\n")
    for command, found in [("margin", "support: 2 rows (2, 4)"), ("separable", "nearest row: 2,")]:
        assert found in well(command, data, *SOME, "--bad", "skip").out
