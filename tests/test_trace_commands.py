"""`rosenblatt trace`, `replay` and `train --trace`, and rows that are read again because they were too many."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command import run, well
from learners import problem
from recorded import fitted
from rosenblatt import KernelPerceptron, LinearClassifier, Recipe
from rosenblatt.errors import DataError, ModelError
from rosenblatt.report.page.bound import limit_of
from rosenblatt.theory.ledger.ledger import Ledger
from rosenblatt.trace import lines, read, save, verify


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.fixture
def unembedded(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows are too many."""
    monkeypatch.setattr(lines, "EMBEDDED", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


WORDS = (
    "spam\tfree prize now\nham\tlunch at noon\nspam\tfree money\nham\tsee you at noon\nspam\tprize money\nham\tsee\n"
)


def test_rows_are_read_again_by_the_recipe(
    tmp_path: Path, path: Path, unembedded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    p = problem(2, n=40)
    table = "\n".join(",".join(map(str, [*row, "yes" if y > 0 else "no"])) for row, y in zip(p.x, p.y, strict=True))
    Path("data.csv").write_text(f"a,b,c,d,kind\n{table}\n")
    Path("words.txt").write_text(WORDS)
    Path("one.txt").write_text("free prize\nmoney now\n")
    Path("two.txt").write_text("lunch at noon\nsee you\n")
    Path("order.txt").write_text("1\n3\n2\n")
    for words in (
        ["data.csv", "--scale", "standard", "--degree", "2", "--positive", "no"],
        ["data.csv", "--validation", "0.3", "--drop", "b", "--class-weight", "yes=2,no=1", "--calibrate", "sigmoid"],
        ["words.txt", "--metric", "arow", "--precision", "float32", "--min-documents", "1"],
        ["data.csv", "--start", "random:0.1", "--stop-if-not-separable"],
        ["data.csv", "--kernel", "rbf"],
        ["words.txt", "--min-documents", "1", "--validation", "words.txt", "--epochs", "3"],
        ["words.txt", "--dictionary", "hashed", "--bits", "8", "--order", "order.txt"],
        ["s=one.txt", "h=two.txt", "--min-documents", "1"],
    ):
        well("trace", *words, "-o", path, *([] if "--epochs" in words else ["--epochs", "2"]))
        assert read(path).chunk is None
        done = run("replay", path, "--verify")
        assert done.code == 0, (words, done)
        assert "as they were" in well("replay", path).out
    Path("other.csv").write_bytes(Path("data.csv").read_bytes())
    well("trace", "data.csv", "-o", path, "--epochs", "2")
    Path("data.csv").write_text(Path("data.csv").read_text().replace("yes", "no", 1))
    assert "not at hand" in well("replay", path).out
    done = run("replay", path, "--verify")
    assert done.code == 3 and "(data.csv) are not there as they were; give them" in done.err
    assert run("replay", path, "other.csv", "--verify").code == 0
    done = run("replay", path, "data.csv", "--verify")
    assert done.code == 3 and "the rows are not those that the run learned from: found 40 rows" in done.err


def test_rows_of_python_are_given_again(path: Path, unembedded: None) -> None:
    p = problem()
    weight = np.linspace(0.5, 1.0, len(p.y))
    for learner in (LinearClassifier(metric="arow"), KernelPerceptron(kernel="rbf")):
        save(fitted(learner.set_params(max_iter=2), p.x, p.y, sample_weight=weight), path)
        with pytest.raises(DataError, match="12 rows are too many to be in the trace.* are not there as they were"):
            verify(path)
        assert verify(path, (p.x, p.y, weight)).exact
        with pytest.raises(DataError, match="not those that the run learned from"):
            verify(path, (p.x, p.y))
    with pytest.raises(ModelError, match=r"the rows came from arrays in Python: give them again as \(X, y\)"):
        verify(path, str(path))


# --- the command ---


def test_the_ledger_reads_the_run_that_is_made_again(tmp_path: Path, path: Path) -> None:
    data = tmp_path / "data.svm"
    data.write_text("1 1:3 2:1\n1 1:2 2:2\n1 1:4\n-1 1:1 2:3\n-1 2:2\n-1 1:1 2:4\n")
    wanted = Ledger()
    Recipe(order="given").fit(data, observers=wanted)
    well("trace", data, "-o", path, "--order", "given")
    done = well("replay", path, "--ledger", "--verify")
    verdict, *said = done.out.splitlines()
    assert verdict.endswith("is the one that was recorded, bit for bit: 9 updates, 6 epochs")
    assert said == wanted.summary().split("\n")
    assert well("replay", path, "--ledger").out.splitlines() == said
    assert well("replay", path, "--ledger", "--json").json["bounds"][0]["name"] == wanted.bounds()[0].name


XOR = "x,y,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--kernel", "poly:degree=2"],
        ["--kernel", "rbf:gamma=2", "--no-intercept", "--rule", "margin:tau=0.5", "--eta", "0.25"],
        ["--kernel", "linear", "--epochs", "5"],  # not separable in its space
        ["--kernel", "rbf", "--budget", "2", "--epochs", "5"],  # no theorem is about it
    ],
    ids=lambda words: words[1],
)
def test_replay_bound_and_the_page_say_the_same_of_a_kernel(tmp_path: Path, path: Path, words: list[str]) -> None:
    data = tmp_path / "xor.csv"
    data.write_text(XOR)
    well("trace", data, "-o", path, *words)
    _, *wanted = well("bound", data, *words).out.splitlines()  # beside the size of the data
    assert well("replay", path, "--ledger").out.splitlines() == wanted
    assert f"kernel {words[1].split('=')[0]}" in wanted[0]
    verdict, *said = well("replay", path, "--ledger", "--verify").out.splitlines()
    assert "bit for bit" in verdict and said == wanted
    bound = well("bound", data, *words, "--json").json["problems"][0]
    assert well("replay", path, "--ledger", "--json").json["bounds"] == bound["bounds"]
    most, told = limit_of(read(path))
    allowed = [each["limit"] for each in bound["bounds"] if each["name"].endswith("perceptron") and each["limit"]]
    assert most == (int(allowed[0]) if allowed else None)
    if allowed:
        assert f" = {bound['longest_squared']:.4g}, " in told and f" = {bound['margin']:.4g} in the space of" in told


def test_a_kernel_that_is_none_is_said_by_replay_and_on_the_page(tmp_path: Path, path: Path) -> None:
    data = tmp_path / "K.csv"
    data.write_text("a,b,label\n0,2,no\n2,0,yes\n")
    well("trace", data, "-o", path, "--kernel", "precomputed", "--epochs", "2")
    done = run("replay", path, "--ledger")
    assert done.code == 3 and "no rows of any space have these products" in done.err
    assert "no rows of any space have these products" in limit_of(read(path)).told


def test_what_is_refused(tmp_path: Path, path: Path) -> None:
    data = tmp_path / "data.svm"
    data.write_text("1 1:3 2:1\n1 1:2 2:2\n-1 2:2\n-1 1:1 2:4\n")
    for words, why in (
        (["-o", data], "it is one of the files to read"),
        (["-o", path, "--continue", "m", "--start", "n"], "choose one of them"),
    ):
        done = run("trace", data, *words)
        assert done.code in (2, 5) and why in done.err
    model = tmp_path / "model"
    done = run("train", data, "-o", model, "--trace", model)
    assert done.code == 2 and "the same file is named twice" in done.err
    assert f"wrote {path}" in well("train", data, "-o", model, "--trace", path).out
    done = run("replay", path, data)
    assert done.code == 2 and "leave it out" in done.err
    well("trace", data, "-o", path, "--continue", model, "--epochs", "2")
    assert verify(path).exact
    assert run("replay", data).code == 4
    found = well("replay", path, "--json").json
    assert (found["rows"], found["columns"], found["data_at_hand"]) == (4, 2, "in the file")
    assert found["updates"] == len(read(path)) == well("replay", path, "--verify", "--json").json["updates"]
    path.write_text(path.read_text().replace('"eta0":1.0', '"eta0":2.0'))
    done = run("replay", path)
    assert done.code == 4 and "`rosenblatt replay RUN --verify` says where" in done.err
