"""`rosenblatt optimum` and `compare --optimum`: words, JSON, pictures, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from pathlib import Path

import pytest

from command import THREE, run, well
from command import write as written
from near_ties import near_ties
from rosenblatt.theory import minimum_error

TABLE = (
    "width,height,kind\n1,1,small\n2,1,small\n3,2,small\n4,4,large\n5,3,large\n2,2,large\n2,2,small\n1,3,large\n"
    "3,1,large\n"
)
MANY = "".join(f"{1 if (i * 7) % 5 > 1 else -1} 1:{i % 7} 2:{(i * i) % 5} 3:{i % 3}\n" for i in range(1, 31))


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Path:
    return written(tmp_path / "parts.csv", TABLE)


def test_words_of_an_optimum(table: Path) -> None:
    lines = well("optimum", table).out.splitlines()
    assert lines[0] == f"{table}: 9 rows, 2 columns; small (4), large (5)"
    assert lines[1] == "fewest errors: 2 of 9 rows (22.22 %), optimal: no line makes fewer"
    assert lines[2] == "always the same answer: 4 errors"
    assert lines[3].startswith("all lines were looked at, without rounding; ")
    assert lines[4].startswith("small where ") and " width " in lines[4] and lines[4].endswith(" > 0")
    assert lines[5].startswith("wrong rows: ") and len(lines) == 6


def test_numbers_for_machines(table: Path) -> None:
    found = well("optimum", table, "--json", "--positive", "large").json
    assert found["columns"] == ["width", "height"] and found["rows"] == 9 and found["fit_intercept"] is True
    (problem,) = found["problems"]
    assert (problem["errors"], problem["lower_bound"], problem["optimal"]) == (2, 2, True)
    assert (problem["positive"], problem["negative"], problem["method"]) == ("large", "small", "enumeration")
    rows = [line.split(",") for line in TABLE.splitlines()[1:]]
    wrong = []
    for number, (width, height, kind) in enumerate(rows, 1):
        u = problem["w"][0] * float(width) + problem["w"][1] * float(height) + problem["b"]
        wrong += [number] if (u if kind == "large" else -u) <= 0 else []
    assert wrong == problem["rows_wrong"]


@pytest.mark.parametrize("columns", ["height", "2"])
def test_columns_by_name_and_number(table: Path, columns: str) -> None:
    found = well("optimum", table, "--columns", columns, "--json").json
    x = [[float(line.split(",")[1])] for line in TABLE.splitlines()[1:]]
    y = [line.split(",")[2] for line in TABLE.splitlines()[1:]]
    assert found["columns"] == ["height"]
    assert found["problems"][0]["errors"] == minimum_error(x, y).errors


def test_columns_of_svmlight_are_numbers_from_1_in_the_order_given(tmp_path: Path) -> None:
    data = written(tmp_path / "many.svm", MANY)
    both, turned = (well("optimum", data, "--columns", c, "--json").json for c in ("1,3", "3,1"))
    assert both["columns"] == ["column 1", "column 3"] and turned["columns"] == ["column 3", "column 1"]
    assert both["problems"][0]["errors"] == turned["problems"][0]["errors"]


def test_each_of_more_classes_against_the_rest(tmp_path: Path) -> None:
    data = written(tmp_path / "three.tsv", THREE)
    lines = well("optimum", data, "--no-header").out.splitlines()
    assert lines[0].endswith("each class against the rest") and [line.split(":")[0].strip() for line in lines[1:]] == [
        "a", "b", "c",
    ]  # fmt: skip
    only = well("optimum", data, "--no-header", "--only", "a,b", "--json").json
    assert only["rows"] == 4 and len(only["problems"]) == 1


def test_without_time_both_bounds_are_shown(tmp_path: Path) -> None:
    """Four columns: nothing is proven in no time but what equal rows force."""
    data = written(tmp_path / "many.svm", "".join(f"{line} 4:{i % 2}\n" for i, line in enumerate(MANY.splitlines())))
    done = well("optimum", data, "--max-time", "0")
    assert " found of 30 rows (" in done.out and " proven: not known to be optimal" in done.out
    assert done.err == "", "progress is for terminals"


def test_a_picture_of_the_plane(table: Path, tmp_path: Path) -> None:
    picture = tmp_path / "best.svg"
    assert well("optimum", table, "--plot", picture).out.splitlines()[-1] == f"wrote {picture}"
    assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--columns", "depth"], "--columns depth: there is no such column; there are width, height, or 1 to 2"),
        (["--columns", "0"], "--columns 0: there is no such column"),
        (["--columns", "width,1"], "--columns width,1: a column is named twice"),
        (["--columns", "1", "--plot", "x.png"], "--plot draws two columns, and there are 1"),
        (["--plot", "x.txt"], "--plot x.txt: a picture's name ends in"),
        (["--max-time", "-1"], "-1 must be 0 or more"),
        (["--positive", "middle"], "--positive middle is not a label"),
    ],
)
def test_refusals(table: Path, words: list[str], said: str) -> None:
    done = run("optimum", table, *words)
    assert done.code == 2 and said in " ".join(done.err.split())


def test_one_picture_for_one_problem(tmp_path: Path) -> None:
    done = run("optimum", written(tmp_path / "three.tsv", THREE), "--no-header", "--columns", "1,2", "--plot", "x.png")
    assert done.code == 2 and "--plot draws one class against the rest, of 3" in done.err


# --- compare ---------------------------------------------------------------------------------------------------------

QUICK = ("--rules", "perceptron", "--keeps", "last,pocket,voted", "--epochs", "20")


def test_compare_has_the_optimum_beside_the_learners(tmp_path: Path) -> None:
    """No learner that ends with one hyperplane makes fewer errors on the same rows."""
    data = written(tmp_path / "many.svm", MANY)
    found = well("compare", data, *QUICK, "--optimum", "--json").json
    best = found["optimum"]["none"]
    assert best["errors"] == best["lower_bound"] == well("optimum", data, "--json").json["problems"][0]["errors"]
    single = [row["errors_on_all"] for row in found["learners"] if row["keep"] != "voted"]
    assert single and all(count >= best["errors"] for count in single)
    assert sorted(best["learners"]) == sorted(
        [" ".join([row["rule"], row["keep"], row["scale"]]), row["errors_on_all"]]
        for row in found["learners"]
        if row["keep"] != "voted"
    )


def test_one_answer_for_all_rows_is_said_so(tmp_path: Path) -> None:
    """`y where - 1 > 0` said it before, and `0 of 1 rows`."""
    data = written(tmp_path / "dup.csv", "a,b,label\n1,2,x\n1,2,x\n1,2,y\n")
    assert "\nalways x\nwrong rows: 3\n" in well("optimum", data).out
    alone = well("optimum", written(tmp_path / "one.csv", "a,b,label\n1,2,x\n")).out
    assert "fewest errors: 0 of 1 row (0.00 %)" in alone and "\nalways x\n" in alone
    nothing = well("optimum", written(tmp_path / "zero.svm", "1 1:0\n-1 1:0\n"), "--no-intercept").out
    assert "every weight is 0: no row is on either side" in nothing


def test_many_columns_fit_the_page(tmp_path: Path) -> None:
    lines = [f"{1 if i % 3 else -1} " + " ".join(f"{j}:{(i * j * 7919) % 101 / 7:.9f}" for j in range(1, 12))
             for i in range(1, 9)]  # fmt: skip
    out = well("optimum", written(tmp_path / "wide.svm", "\n".join(lines) + "\n")).out
    assert "a hyperplane with every row on its right side was found, and checked exactly" in out
    assert " more" in out and max(map(len, out.splitlines()[1:])) <= 100


def test_compare_says_it_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a long path cannot be wrapped
    data = written(Path("many.svm"), MANY)
    out = well("compare", data, *QUICK, "--optimum", COLUMNS="140").out
    assert "  on all  " in out and "errors on all rows: perceptron pocket " in out
    assert " of 30 (optimal)." in out and "Voted is many hyperplanes" in out
    plain = well("compare", data, *QUICK).out
    assert "errors on all" not in plain and "optimum" not in plain
    narrow = well("compare", data, *QUICK, "--optimum").out.splitlines()
    assert max(map(len, narrow[:-1])) <= 80


def test_compare_with_a_test_file_learns_once(tmp_path: Path) -> None:
    data = written(tmp_path / "many.svm", MANY)
    found = well("compare", data, "--test", data, *QUICK, "--optimum", "--json").json
    for row in found["learners"]:
        assert row["errors_on_all"] == round(30 * row["training_error"])


def test_unit_rows_have_an_optimum_of_their_own(tmp_path: Path) -> None:
    data = written(tmp_path / "many.svm", MANY)
    words = (
        "--rules",
        "perceptron",
        "--keeps",
        "last",
        "--scales",
        "none,standard,unit",
        "--epochs",
        "20",
        "--optimum",
    )
    assert list(well("compare", data, *words, "--json").json["optimum"]) in (["none", "unit"], ["unit", "none"])
    assert "errors on all rows, scaled unit: " in well("compare", data, *words).out


def test_compare_refuses_what_is_no_optimum(tmp_path: Path, table: Path) -> None:
    done = run("compare", written(tmp_path / "three.tsv", THREE), "--no-header", "--folds", "2", "--optimum")
    assert done.code == 2 and "--optimum is about one hyperplane, which parts two classes; the data have 3" in done.err
    done = run("compare", table, "--optimum-time", "3")
    assert done.code == 2 and "--optimum-time is the limit of --optimum" in done.err


def test_a_hyperplane_that_no_float64_holds_is_shown_and_said_to_be_rounded(tmp_path: Path) -> None:
    """optimum said 0 errors and showed weights that make some; JSON has the hyperplane in whole numbers beside them."""
    case = list(near_ties(29, seed=7))[28]
    lines = [",".join([*map(repr, row), str(int(y))]) for row, y in zip(case.dense.tolist(), case.y, strict=True)]
    data = written(tmp_path / "thin.csv", "\n".join(lines) + "\n")
    for words in (["optimum", data], ["separable", data]):
        assert "\nno float64 w and b were found that have these rows right:\n" in well(*words, "--no-header").out
        found = well(*words, "--no-header", "--json").json
        (answer,) = found["problems"] if "problems" in found else found["verdicts"]
        assert answer["in_floats"] is False
        exact = answer["exact_hyperplane"]
        bar = [Fraction(int(each, 16), int(exact["denominator"], 16)) for each in [*exact["w"], exact["b"]]]
        for row, y in zip(case.dense.tolist(), case.y, strict=True):
            assert sum(map(mul, bar, map(Fraction, [*row, 1.0]))) * int(y) > 0
    good = well("optimum", written(tmp_path / "parts.csv", TABLE), "--json").json["problems"][0]
    assert good["in_floats"] is True and good["exact_hyperplane"] is None


def test_margin_says_which_floats_are_rounded(tmp_path: Path) -> None:
    rows = ["0.7,0.7,0.7,0.7,0.7,n\n"] * 3
    data = written(tmp_path / "thin.csv", "".join(rows) + "0.7,0.6999999999999998,0.7,0.7,0.7,p\n")
    done = well("margin", data, "--no-header", "--no-intercept")
    (row,) = well("margin", data, "--no-header", "--no-intercept", "--json").json["margins"]
    assert ("no float64 w and b were found" in done.out) == (not row["in_floats"])
