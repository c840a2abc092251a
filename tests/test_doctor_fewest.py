"""What a diagnosis says in a kernel's space, and of the fewest errors that are possible: as `separable`, `max_margin`
and `optimum` say it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt.doctor import Plan, diagnose
from rosenblatt.theory import in_kernel, max_margin, minimum_error, separable

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
SIGNS = np.array(["no", "yes", "yes", "no"])
SHELL = "x,y,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
QUICK: dict[str, Any] = {"epochs": 20, "folds": 2, "max_time": 30.0}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def text(found: Any) -> str:
    return " ".join(str(found).split())


# --- the fewest errors ------------------------------------------------------------------------------------------------


def test_of_xor_it_says_one_as_optimum_does(tmp_path: Path) -> None:
    data = tmp_path / "xor.csv"
    data.write_text(SHELL)
    assert "fewest errors: 1 of 4 rows" in well("optimum", data).out
    said = " ".join(well("doctor", data, "--epochs", "20").out.split())
    assert "the best hyperplane in these columns has 1 wrong, which is proven; `rosenblatt optimum` shows it." in said
    assert "The best of those tried has 2, with the learner as it is." in said
    found = well("doctor", data, "--epochs", "20", "--json").json
    assert found["fewest_errors"] == {"errors": 1, "lower_bound": 1, "optimal": True}
    known = well("optimum", data, "--json").json["problems"][0]
    assert {name: known[name] for name in found["fewest_errors"]} == found["fewest_errors"]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_of_small_data_it_is_as_good_as_optimum(seed: int, intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (12, 2)).astype(float), rng.integers(0, 2, 12)
    found = diagnose(X, y, Plan(learner={"fit_intercept": intercept}, **QUICK))
    known = minimum_error(X, y, intercept)
    if found.separable:
        assert found.fewest is None and known.errors == 0
        return
    assert known.optimal and (found.fewest.errors, found.fewest.lower_bound) == (known.errors, known.errors)
    assert f"has {known.errors} wrong, which is proven; `rosenblatt optimum{'' if intercept else ' --no-i'}" in text(
        found
    )


def test_where_it_is_not_proven_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no trial, which is counted in floats, goes below what is proven."""
    from rosenblatt.theory.fewest import errors

    class Open:
        errors, lower_bound, optimal = 3, 1, False

    monkeypatch.setattr(errors, "minimum_error", lambda problem, time_limit: Open())
    said = text(diagnose(XOR, SIGNS, Plan(**QUICK)))
    assert "best hyperplane in these columns that was found has 2 wrong, and none has fewer than 1, which is" in said
    Open.errors = Open.lower_bound = 3
    assert "the best hyperplane in these columns has 3 wrong, which is" in text(diagnose(XOR, SIGNS, Plan(**QUICK)))


def test_what_votes_is_no_hyperplane() -> None:
    """A vote of several may be wrong on fewer rows than any hyperplane."""
    found = diagnose(XOR, SIGNS, Plan(learner={"keep": "voted"}, **QUICK))
    assert found.trials[0].nonzero_weights is None
    assert "The best of those tried has" in text(found) and "with the learner as it is" not in text(found)


def test_of_more_classes_and_of_many_rows_it_says_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.doctor import verdict

    X = np.array([[0.0], [1.0], [2.0], [0.5], [1.5], [2.5]])
    found = diagnose(X, [0, 1, 2, 1, 0, 2], Plan(**QUICK))
    assert found.fewest is None and "the fewest wrong by the hyperplanes tried, one for each class, were" in text(found)
    monkeypatch.setattr(verdict, "SMALL", 7)
    found = diagnose(XOR, SIGNS, Plan(**QUICK))
    assert found.fewest is None
    assert "the fewest wrong by the hyperplanes tried were 2, with the learner as it is; `rosenblatt opt" in text(found)


# --- in a kernel's space ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "poly:degree=2", "rbf:gamma=2"])
def test_a_kernel_is_asked_about_in_its_space(kernel: str, intercept: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (14, 2)).astype(float)
    for x, y in ((XOR, SIGNS), (X, (X[:, 0] * X[:, 1] > 0.0).astype(int)), (X, rng.integers(0, 2, 14))):
        found = diagnose(x, y, Plan(learner={"kernel": kernel, "fit_intercept": intercept}, **QUICK))
        problem = in_kernel(x, y, kernel, intercept)
        wanted = separable(problem)
        assert found.separable == wanted.separable and found.verdicts[0].proof.kind == wanted.kind
        said = text(found)
        assert (
            f"without an error in the space of {problem.kernel}?" in said and f"kernel {problem.kernel}, keep" in said
        )
        if found.separable:
            widest = max_margin(problem)
            margin = widest.margin_with_bias if intercept else widest.margin
            assert found.verdicts[0].margin == margin
            assert not found.converged or found.trials[0].mistakes <= found.verdicts[0].limit * (1.0 + 1e-12)
            continue
        assert f"rosenblatt separable DATA --kernel {problem.kernel} --save proof.json" in said
        assert "no learner with this kernel" in said and "these features" not in said and "these columns" not in said
        assert (found.fewest is not None) == problem.space.exact
        if found.fewest is not None:
            assert found.fewest.errors == minimum_error(problem).errors


def test_what_is_about_columns_is_left_out_and_that_is_said() -> None:
    X = np.column_stack([XOR, XOR[:, 0], np.ones(4), np.zeros(4)]) * [1.0, 1e4, 1.0, 1.0, 1.0]
    said = text(diagnose(X, SIGNS, Plan(learner={"kernel": "rbf"}, **QUICK)))
    assert "Left out, as weights are of rows here and not of columns: products of columns, and metrics." in said
    assert "--degree" not in said and "--metric" not in said and "--scale standard" in said
    plain = text(diagnose(X, SIGNS, Plan(**QUICK)))
    for word in ("Nothing can be learned", "A step moves", "can be left out"):
        assert word not in said and word in plain
    assert "Rows without values: 1. " in text(diagnose(XOR, SIGNS, Plan(learner={"kernel": "rbf"}, **QUICK)))
    assert "Columns that are constant: 1 (4). Columns" in said and "The large ones alone make K: scale them." in said


def test_values_of_a_kernel_are_scaled_by_nobody_and_folds_take_their_columns_along() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(-4, 5, (20, 3)).astype(float), np.arange(20) % 2
    own = diagnose(x @ x.T, y, Plan(learner={"kernel": "precomputed"}, **QUICK))
    same = diagnose(x, y, Plan(learner={"kernel": "linear"}, **QUICK))
    ours = {trial.what: (trial.training_errors, trial.error, trial.mistakes) for trial in own.trials}
    theirs = {trial.what: (trial.training_errors, trial.error, trial.mistakes) for trial in same.trials}
    assert ours and all(theirs[what] == counts for what, counts in ours.items())
    assert not any("scale" in trial.words for trial in own.trials) and own.separable == same.separable
    assert "Left out, as weights are of rows here and not of columns: scalings, products" in text(own)
    assert "columns of like size" not in text(own) and "duplicate" not in text(own)


def test_what_is_not_decided_is_said() -> None:
    rng = np.random.default_rng(0)
    found = diagnose(rng.normal(size=(30, 2)), np.arange(30) % 2, Plan(learner={"kernel": "poly:degree=2"}, **QUICK))
    assert found.separable is None and "Not decided. Tried: " in text(found) and "K is rounded here" in text(found)
    none = diagnose([[0.0, 2.0], [2.0, 0.0]], [0, 1], Plan(learner={"kernel": "precomputed"}, **QUICK))
    assert none.separable is None and "Not decided. Tried: kernel precomputed is none" in text(none)
    assert none.as_dict()["verdicts"][0]["longest_row_squared"] is None


def test_equal_rows_of_a_kernel_and_classes_learned_together() -> None:
    x = np.vstack([XOR, XOR[:1]])
    said = text(diagnose(x, [*SIGNS, "yes"], Plan(learner={"kernel": "rbf"}, **QUICK)))
    assert "rows 1 and 5 (counted from 1) are equal in this space, and one is of class no" in said
    joint = {"kernel": "linear", "multi_class": "multi-class-perceptron"}
    found = diagnose(x, ["a", "b", "b", "a", "c"], Plan(learner=joint, **QUICK))
    assert [verdict.separable for verdict in found.verdicts] == [False, False, True]
    for verdict, pair in zip(found.verdicts, ("ab", "ac", "bc"), strict=True):
        assert verdict.classes == tuple(pair) and verdict.proof.problem.kernel == "linear"


def test_the_shell_reads_for_a_kernel_as_train_does(tmp_path: Path) -> None:
    data = tmp_path / "xor.csv"
    data.write_text(SHELL)
    found = well("doctor", data, "--kernel", "poly:degree=2", "--epochs", "30", "--json").json
    wanted = diagnose(XOR, SIGNS, Plan(learner={"kernel": "poly:degree=2"}, epochs=30))
    assert found["separable"] is True and found["verdicts"][0]["limit"] == wanted.verdicts[0].limit
    for mine, theirs in zip(found["trials"], wanted.trials, strict=True):
        assert (mine["what"], mine["mistakes"], mine["error"]) == (theirs.what, theirs.mistakes, theirs.error)
    proof = tmp_path / "proof"
    page = well("doctor", data, "--kernel", "linear", "--scale", "standard", "--epochs", "9").out
    (command,) = [line.strip() for line in page.splitlines() if "--save proof.json" in line]
    assert command == f"rosenblatt separable {data} --scale standard --kernel linear --save proof.json"
    well(*command.split()[1:-1], proof)
    assert well("verify", proof, data).code == 0
    words = tmp_path / "words.txt"
    words.write_text("spam\tfree prize\nham\tlunch at noon\nspam\tfree money\nham\tsee you at noon\n")
    assert "in the space of spectrum?" in well("doctor", words, "--kernel", "spectrum", "--epochs", "9").out
    done = run("doctor", data, "--kernel", "rbf", "--virtual", "shift:1")
    assert done.code == 2 and "--virtual shift:1: what is proven and tried here is of the rows as they are" in done.err
