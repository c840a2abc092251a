"""Inputs that once went wrong in scaling, learning, and what is said of them, each with the right value.

Names: test_<line of the list of faults>_…."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from command import run, well, write
from rosenblatt import LinearClassifier, Perceptron, Recipe
from rosenblatt.core.rows import from_matrix
from rosenblatt.data.batch import Batch
from rosenblatt.doctor.summary import summarise
from rosenblatt.read import open_source


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- A2: converged_ of losses -----------------------------------------------------------------------------------------

OVERLAP = np.array([[3.0, 3], [-2, -3], [1, -3], [-3, -3], [1, 1], [-1, -1.2]]), np.array([0, 1, 0, 1, 1, 0])


def test_a2_without_a_tol_a_loss_at_its_minimum_has_converged() -> None:
    learner = LinearClassifier(rule="logistic", optimizer="batch", tol=None, max_iter=1000).fit(*OVERLAP)
    assert learner.converged_ and learner.stop_reason_ == "epoch limit (max_iter=1000)"
    with pytest.warns(ConvergenceWarning, match="it came before"):
        learner.set_params(max_iter=20).fit(*OVERLAP)
    assert not learner.converged_


def test_a2_rounding_is_no_loss_that_does_not_settle() -> None:
    for dtype in (np.float64, np.float32):
        learner = LinearClassifier(rule="logistic", optimizer="batch", tol=0.0, max_iter=20_000)
        assert learner.fit(OVERLAP[0].astype(dtype), OVERLAP[1]).converged_, learner.stop_reason_


def test_a2_a_noisy_loss_says_that_it_does_not_settle() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) * 100
    y = (rng.random(300) < 1 / (1 + np.exp(-X @ rng.normal(size=5) / 100))).astype(int)
    with pytest.warns(ConvergenceWarning, match="does not settle"):
        learner = LinearClassifier(rule="logistic", eta0=0.01).fit(X, y)
    assert not learner.converged_


# --- B5: standard scaling of dense data in svmlight -------------------------------------------------------------------


def test_b5_nearly_dense_svmlight_is_centred_as_csv_is() -> None:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(80, 10, (200, 6)), 1)
    X[rng.random(X.shape) < 0.01] = 0.0
    y = (X @ rng.normal(size=6) > np.median(X @ rng.normal(size=6))).astype(int)
    rows = [" ".join([str(t), *(f"{j + 1}:{v}" for j, v in enumerate(x) if v)]) for x, t in zip(X, y, strict=True)]
    write(Path("a.svm"), "\n".join(rows) + "\n")
    write(Path("a.csv"), "".join(",".join(map(str, [*x, t])) + "\n" for x, t in zip(X, y, strict=True)))
    found = {}
    for name in ("a.csv", "a.svm"):
        well("train", name, "-o", f"{name}.model", "--scale", "standard", "--epochs", "20")
        lines = well("predict", f"{name}.model", name, "--scores").out.splitlines()
        found[name] = [float(line.split("\t")[1]) for line in lines]
    np.testing.assert_allclose(found["a.csv"], found["a.svm"], rtol=1e-9)


@pytest.mark.parametrize(("share", "centred"), [(0.6, True), (0.4, False)])
def test_b5_what_decides_is_the_share_of_all_values_however_rows_are_cut(share: float, centred: bool) -> None:
    from rosenblatt.features.scaling import Standard

    x = np.random.default_rng(1).normal(size=(100, 10)) * (np.arange(1000).reshape(100, 10) < share * 1000)
    for cuts in ([x], [x[:37], x[37:]], [x[70:], x[:70]]):
        assert Standard().fitted([from_matrix(sp.csr_array(part)) for part in cuts]).centred is centred


# --- F2: work by the columns in use -----------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [10**7, 2**31 - 1])
def test_f2_summary_of_a_far_column(last: int) -> None:
    write(Path("far.svm"), f"1 1:1\n-1 {last}:1\n")
    found = well("summary", "far.svm", "--json").json
    assert (found["features"], found["empty"], len(found["empty_columns"])) == (last, last - 2, 1000)
    assert [each["name"] for each in found["columns"][:3]] == [1, last, 2]
    assert f"columns without values: {last - 2:,} (2, 3, 4, 5, 6, 7, ...)" in well("summary", "far.svm").out


def test_f2_columns_that_come_late_are_in_their_place() -> None:
    """In use are 9, then 2 and 5; 2 and 9 are equal."""
    x = np.zeros((4, 10))
    x[0, 9] = x[0, 2] = x[2, 2] = x[2, 9] = 3.0
    x[3, 5] = 7.0
    x[0, 2], first = 0.0, x[0].copy()
    found = summarise(Batch(from_matrix(sp.csr_array(part)), np.zeros(len(part))) for part in (x[:1], x[1:]))
    assert [each["name"] for each in found["columns"]] == [6, 3, 10, 1, 2, 4, 5, 7, 8, 9]
    assert found["duplicate_columns"] == []
    x[0] = first
    x[0, 2] = 3.0
    found = summarise(Batch(from_matrix(sp.csr_array(part)), np.zeros(len(part))) for part in (x[3:], x[:3]))
    assert found["duplicate_columns"] == [[10, 3]]


def test_f2_what_does_not_fit_into_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise MemoryError("Unable to allocate 16.0 GiB for an array")

    monkeypatch.setattr("rosenblatt.features.pipeline.Features.fit", full)
    write(Path("a.svm"), "1 1:1\n-1 2:1\n")
    done = run("train", "a.svm", "-o", "m")
    assert done.code == 3 and "not enough memory" in done.err and "mistyped" in done.err


def test_f2_a_table_of_too_many_columns_is_refused_at_once() -> None:
    write(Path("far.svm"), f"1 1:1\n-1 {2**31 - 1}:1\n")
    for to in ("csv", "parquet", "npz"):
        if to == "parquet":
            pytest.importorskip("pyarrow")
        done = run("convert", "far.svm", f"far.{to}")
        assert (done.code == 0) if to == "npz" else (done.code == 3 and "2,147,483,647 columns" in done.err), done.err


# --- G2: columns of very different size -------------------------------------------------------------------------------


def apart() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10))
    return X * np.logspace(-3, 6, 10), (X @ rng.normal(size=10) + rng.normal(size=200) * 0.3 > 0).astype(int)


@pytest.mark.parametrize("rule", ["perceptron", "logistic"])
def test_g2_a_word_of_scale_in_both_faces(rule: str) -> None:
    X, y = apart()
    with pytest.warns(ConvergenceWarning, match=r"differ by a factor of \de\+\d\d: StandardScaler"):
        LinearClassifier(rule=rule, max_iter=60).fit(X, y)
    write(Path("a.csv"), "".join(",".join(map(repr, [*x.tolist(), int(t)])) + "\n" for x, t in zip(X, y, strict=True)))
    words = ("train", "a.csv", "-o", "m", "--rule", rule, "--epochs", 60)
    assert "next: the ranges of the columns differ by a factor of" in well(*words).out
    assert "--scale standard makes them alike" in well(*words, "--json").json["advice"]
    assert "ranges" not in well(*words, "--scale", "standard").out
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LinearClassifier(rule=rule, max_iter=5).fit(X / np.logspace(-3, 6, 10), y)
    assert not [each for each in caught if "ranges" in str(each.message)]


# --- E4, E5: one word, one meaning ------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["0", "1", "100%", "-1", "nan"])
def test_e4_one_sentence_for_a_limit_in_both_faces(limit: str) -> None:
    write(Path("a.svm"), "1 1:1\n-1 2:1\n")
    wanted = "must be a share above 0 and below 1 (100%), as 0.001 or 0.1%"
    assert wanted in run("train", "a.svm", "-o", "m", "--max-false-positives", limit).err
    with pytest.raises(ValueError, match=wanted.replace("(", r"\(").replace(")", r"\)")):
        Recipe(max_false_positives=1.0 if limit == "100%" else float(limit))


def test_e4_words_in_another_spelling_are_answered_with_the_right_one() -> None:
    write(Path("a.svm"), "1 1:1\n-1 2:1\n")
    for option, word, right in (("--keep", "Averaged", "averaged"), ("--schedule", "SQRT", "sqrt")):
        assert f"did you mean {right}?" in run("train", "a.svm", "-o", "m", option, word).err
    with pytest.raises(ValueError, match=r"did you mean averaged\?"):
        Recipe(keep="Averaged")


def test_e4_options_of_an_earlier_version_are_understood_and_not_shown() -> None:
    write(Path("a.svm"), "1 1:1\n-1 2:1\n" * 4)
    words = ("compare", "a.svm", "--folds", 2, "--rules", "perceptron", "--keeps", "last", "--epochs", 2, "--json")
    new, old = (well(*words, name, "none").json for name in ("--scales", "--scalings"))
    assert [each["scale"] for each in new["learners"]] == [each["scale"] for each in old["learners"]] == ["none"]
    assert "--scales" in well("compare", "--help").out and "--scalings" not in well("compare", "--help").out
    assert "--algorithm " not in well("experts", "--help").out


def test_e5_label_is_the_truth_and_predicted_the_answer_and_scores_are_equal() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 9)), rng.integers(0, 3, 40)
    write(Path("a.csv"), "".join(",".join(map(repr, [*r.tolist(), int(t)])) + "\n" for r, t in zip(x, y, strict=True)))
    for only in ("2", "3"):
        lines = [line for line in Path("a.csv").read_text().splitlines() if only == "3" or not line.endswith(",2")]
        write(Path("b.csv"), "\n".join(lines) + "\n")
        well("train", "b.csv", "-o", "m", "--keep", "averaged", "--epochs", 7, "--scale", "standard")
        said, why = (
            [json.loads(line) for line in well(name, "m", "b.csv", "--json").out.splitlines()]
            for name in ("predict", "explain")
        )
        for one, other in zip(said, why, strict=True):
            assert one["predicted"] == other["predicted"] and "label" not in one and str(other["label"]) in "012"
            score = one["score"]
            if isinstance(score, dict):
                score = score[str(other["score_for"])] - score[str(other["score_against"])]
            assert other["score"] == score


def test_e5_true_and_false_in_csv_are_one_and_zero_as_in_parquet() -> None:
    write(Path("a.csv"), "a,b,y\nTrue,1,p\nFalse,2,q\ntrue,3,p\nFALSE,1,q\n")
    (batch,) = open_source(Path("a.csv"))
    assert batch.rows.toarray()[:, 0].tolist() == [1, 0, 1, 0]


# --- G3, G6: what is said ---------------------------------------------------------------------------------------------


def test_g3_a_scaled_value_is_named_as_the_file_has_it() -> None:
    write(Path("a.csv"), "0.001,1,p\n0.002,2,q\n0.003,1,p\n")
    write(Path("b.csv"), "0.001,1,p\n1e308,2,q\n")
    well("train", "a.csv", "-o", "m", "--scale", "standard")
    assert (
        "row 2, feature 1: found 1e+308, which the model's scaling turns into inf" in run("predict", "m", "b.csv").err
    )
    model = Recipe(scale="standard").fit([[0.001], [0.002]], [0, 1])
    with pytest.raises(ValueError, match=r"row 1, feature 1: found 1e\+308"):
        model.predict([[1e308]])


def test_g3_labels_in_columns_and_columns_without_numbers_are_named() -> None:
    import pandas as pd

    x = np.arange(8.0).reshape(4, 2)
    for learner in (Perceptron(), LinearClassifier(rule="logistic")):
        with pytest.raises(ValueError, match="MultiOutputClassifier"):
            learner.fit(x, [[0, 1], [1, 0], [0, 1], [1, 1]])
        for column in (pd.date_range("2020", periods=4), list("abcd")):
            with pytest.raises(ValueError, match="column 'when'"):
                learner.fit(pd.DataFrame({"a": x[:, 0], "when": column}), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"y.astype\(str\)"):
        Perceptron().fit(x, [0.5, 1.5, 0.5, 1.5])


def test_g6_words_of_python_are_not_said_in_the_shell() -> None:
    write(Path("a.svm"), "1 1:1\n-1 2:1\n")
    assert "--tol nan must be none, auto or a number" in run("train", "a.svm", "-o", "m", "--tol", "nan").err
    write(Path("h.csv"), "a,b,y\n")
    for command in ("train", "summary", "head"):
        words = ("-o", "m") if command == "train" else ()
        assert "found names, and no rows below them" in run(command, "h.csv", *words).err
    with pytest.raises(TypeError, match="parameters are given by their names"):
        Perceptron("x", 1, 2, 3, 4)
    write(Path("w.txt"), "a\tb c d\nb\te f\n")
    out = [well("train", "w.txt", "-o", "m", "--min-documents", n).out for n in (1, 3)]
    assert "keeps all their words" not in out[0] and "keeps all their words" in out[1]


def test_g6_one_of_a_thing() -> None:
    well("train", write(Path("a.svm"), "1 1:1\n-1 1:-1\n"), "-o", "m")
    done = well("evaluate", "m", write(Path("b.svm"), "1 1:1\n"))
    assert done.out.startswith("1 row, 0 wrong")
    with pytest.raises(ValueError, match="found 1 column; "):
        Recipe().fit([[1.0, 2.0], [2.0, 1.0]], [0, 1]).predict([[1.0]])


def test_g6_sentences_are_broken_between_words_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.cli import output

    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: True, raising=False)
    lines = ["x" * 10 + " y" * 30, "a  table   " + "z" * 50, "to learn it: rosenblatt train " + "z" * 50]
    fitted = list(output._fitted(lines))
    assert max(map(len, fitted[:2])) <= 40 and fitted[-2:] == lines[1:]
