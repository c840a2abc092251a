"""`doctor`: why a learner does not converge, on data of which the answer is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt.doctor import Plan, diagnose, verdict
from rosenblatt.doctor.facts import facts
from rosenblatt.errors import DataError, SettingError
from rosenblatt.recipe.recipe import Recipe
from rosenblatt.report.doctor import said
from rosenblatt.report.words import as_options
from rosenblatt.theory.problem import as_problem

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
SIGNS = np.array(["a", "b", "b", "a"])
QUICK = Plan(epochs=50, max_time=6.0)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, ticking: None) -> None:
    """In plain Python, with a clock that no load moves: which trials are cut short is the same on every machine."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def rows_of(X: Any, y: Any) -> Any:
    return as_problem(X, y, True, np.unique(y)[-1]).rows


def table(path: Path, X: Any, y: Any, names: str = "") -> Path:
    lines = [",".join([*(f"{value:g}" for value in row), str(label)]) for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join([names or ",".join([*(f"x{j}" for j in range(len(X[0]))), "label"]), *lines]) + "\n")
    return path


def text(found: Any) -> str:
    """The page as one line, so that no sentence is cut."""
    return " ".join(str(found).split())


# --- what is in the data ----------------------------------------------------------------------------------------------


def test_equal_rows_with_other_labels_are_named() -> None:
    X = [[1, 2], [3, 4], [1, 2], [1, 2], [3, 4], [5, 6], [5, 6]]
    found = facts(rows_of(X, list("abbacdd")), np.array(list("abbacdd")))
    assert found.twins == [[0, 2, 3], [1, 4]] and found.wrong == 2


def test_equal_rows_are_the_same_stored_sparse() -> None:
    from scipy.sparse import csr_array

    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, -0.0]]), np.array([0, 1, 1, 0])
    dense, sparse = facts(rows_of(X, y), y), facts(rows_of(csr_array(X), y), y)
    assert dense.twins == sparse.twins == [[0, 2]]
    assert dense.zero_rows == sparse.zero_rows == 1 and dense.lengths == sparse.lengths


def test_constant_empty_and_duplicate_columns_are_named() -> None:
    X, y = np.array([[7, 1, 0, 1], [7, 2, 0, 2], [7, 4, 0, 4]]), np.array([0, 1, 1])
    found = facts(rows_of(X, y), y, ["seven", "one", "nothing", "again"])
    assert (found.constant, found.empty, found.duplicates) == (["seven"], ["nothing"], [("again", "one")])
    assert facts(rows_of(X, y), y).constant == [1]


def test_the_spread_of_columns_is_measured_from_1e_8_to_1e8() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1e-8, 1.0, 1e8]
    y = rng.integers(0, 2, 50)
    found = facts(rows_of(X, y), y)
    assert found.lengths is not None and (found.lengths[0][0], found.lengths[1][0]) == (3, 1)
    assert found.spread == pytest.approx(np.linalg.norm(X[:, 2]) / np.linalg.norm(X[:, 0]))
    assert found.longest == pytest.approx(np.linalg.norm(X, axis=1).max())


def test_columns_too_long_to_be_squared_have_a_length() -> None:
    X, y = np.array([[1e-200, 1.0], [3e-200, 2.0], [-2e-200, 0.5]]), np.array([0, 1, 1])
    lengths = facts(rows_of(X, y), y).lengths
    assert lengths is not None and lengths[1][1] == pytest.approx(np.sqrt(14) * 1e-200)


# --- the verdicts -----------------------------------------------------------------------------------------------------


def test_xor_is_proven_not_separable_and_products_help() -> None:
    found = diagnose(XOR, SIGNS, QUICK)
    assert found.separable is False and not found.converged
    assert found.verdicts[0].proof.verify() and found.verdicts[0].rows == [0, 1, 2, 3]
    curved = next(trial for trial in found.trials if trial.words == {"degree": 2})
    assert curved.converged and curved.training_errors == 0
    assert "allow no hyperplane without an error, but --degree 2 converged" in text(found)
    assert "this is proven by 4 rows (1, 2, 3, 4; counted from 1)" in text(found)


def test_twins_are_the_proof_and_the_first_advice() -> None:
    X, y = [[1, 2], [1, 2], [3, 4], [0, 1], [5, 1]], list("ababa")
    found = diagnose(X, y, QUICK)
    assert found.verdicts[0].rows == [0, 1] and found.facts.wrong == 1
    assert "rows 1 and 2 (counted from 1) are equal, and one is of class a, the other of class b" in text(found)
    assert found.advice[0].startswith("Look at the labels of the rows that are equal (1 and 2)")
    assert found.as_dict()["facts"]["twins"] == [[0, 1]] and found.as_dict(first=1)["facts"]["twins"] == [[1, 2]]


def narrow() -> tuple[Any, Any]:
    """Separable, by a gap that is narrow for rows of this length."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)) + [30.0, 0.0]
    return X, (X @ [1.0, 0.3] > 30.0).astype(int)


@cache
def of_narrow() -> Any:
    return diagnose(*narrow(), QUICK)


def test_the_mistakes_that_are_possible_are_beside_those_made() -> None:
    """issue 4: "up to 14.1 million mistakes are possible here; this run made 2.7 million"."""
    X, found = narrow()[0], of_narrow()
    verdict = found.verdicts[0]
    assert found.separable and not found.converged
    assert verdict.limit is not None and verdict.limit > 50 and verdict.mistakes == found.trials[0].mistakes
    longest = (X**2).sum(axis=1).max() + 1
    assert verdict.limit == pytest.approx(longest / verdict.margin**2)
    assert f"up to {said(verdict.limit)} mistakes are possible here; this run made {said(verdict.mistakes)}" in text(
        found
    )
    assert "50 epochs are not guaranteed to suffice" in text(found)
    longer = next(trial for trial in found.trials if "max_iter" in trial.words)
    assert longer.words == {"max_iter": None}
    assert not longer.converged or longer.mistakes <= verdict.limit


def test_scaling_that_makes_it_converge_is_the_advice() -> None:
    found = of_narrow()
    scaled = next(trial for trial in found.trials if trial.words == {"scale": "standard"})
    assert scaled.converged
    assert found.advice[0] == (
        f"To converge, use --scale standard: it was finished after {scaled.epochs} epochs and "
        f"{scaled.mistakes} mistakes."
    )


def test_another_rule_has_no_limit_and_that_is_said() -> None:
    X, y = narrow()
    found = diagnose(X, y, Plan({"rule": "passive-aggressive"}, epochs=20, max_time=6.0))
    assert found.verdicts[0].limit is None and found.verdicts[0].perceptron is not None
    assert "it does not speak of this learner (the rule is passive-aggressive" in text(found)


def test_each_of_three_classes_is_held_against_the_rest() -> None:
    X = [[9, 9], [9, 8], [8, 9], [0, 0], [1, 1], [0, 1], [1, 0]]
    found = diagnose(X, list("aaabbcc"), QUICK)
    assert [(v.classes[1], v.separable) for v in found.verdicts] == [("a", True), ("b", False), ("c", False)]
    assert "a against the rest: yes, proven; up to" in text(found)
    assert "b against the rest: no; 4 rows prove it" in text(found) and len(found.verdicts[1].rows) == 4
    assert sum(v.mistakes for v in found.verdicts) == found.trials[0].mistakes
    assert {"multi_class": "multi-class-perceptron"} in [trial.words for trial in found.trials]
    assert {"rule": "softmax"} in [trial.words for trial in found.trials]


def test_classes_learned_together_are_asked_two_by_two() -> None:
    X = [[9, 9], [0, 0], [1, 1], [9, 8], [0, 1], [1, 0], [8, 9]]
    plan = Plan({"multi_class": "multi-class-perceptron"}, epochs=50, max_time=20.0)
    found = diagnose(X, list("abbacca"), plan)
    bad = next(v for v in found.verdicts if v.separable is False)
    assert bad.classes == ("b", "c") and bad.rows == [1, 2, 4, 5] and found.separable is False
    assert "--only b,c --save proof.json" in text(found)
    line = diagnose([[-1.0], [0.0], [1.0]] * 3, list("abc") * 3, plan)
    assert line.separable is None and line.converged


def test_one_class_of_three_against_the_rest() -> None:
    X = [[9, 9], [9, 8], [0, 0], [1, 1], [0, 1], [1, 0]]
    found = diagnose(X, list("aabbcc"), Plan(positive="a", epochs=50, max_time=20.0))
    assert found.separable and found.facts.class_rows == {"a": 2, "the rest": 4}


# --- the trials -------------------------------------------------------------------------------------------------------


def test_trials_say_what_training_with_these_options_says() -> None:
    from rosenblatt import AveragedPerceptron

    X, y = narrow()
    X = X[:, ::-1] - [0.0, 29.0]
    y[::7] ^= 1
    found = diagnose(X, y, QUICK)
    clf = AveragedPerceptron(max_iter=50).fit(X, y)
    trial = next(t for t in found.trials if t.words == {"keep": "averaged"})
    wrong = (2 * y - 1) * clf.decision_function(X) <= 0
    assert trial.training_errors == np.count_nonzero(wrong) and trial.mistakes == sum(clf.mistakes_)
    assert trial.wrong is not None and trial.wrong.shape == (60,)


def test_what_the_learner_has_already_is_not_tried_again() -> None:
    X, y = narrow()
    plan = Plan({"keep": "averaged", "rule": "margin"}, epochs=10, max_time=6.0, scale="standard")
    options = [as_options(trial.words) for trial in diagnose(X, y, plan).trials]
    assert len(set(options)) == len(options)
    assert "--keep averaged" not in options and "--rule margin" not in options and "--scale standard" not in options
    assert "--scale standard+unit" in options, "scaled rows are scaled further"


def test_metrics_are_tried_where_scales_differ() -> None:
    """One column a thousand times the other; also for a learner that has a rule and a rate, which a metric has no use
    for, and one that votes, which it does not go with."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2)) * [1000.0, 1.0]
    y = (X @ [0.002, 1.0] > 0).astype(int)
    arow, free = {"metric": "arow"}, {"rule": "logistic", "metric": "normalised"}
    found = diagnose(X, y, Plan(epochs=10, max_time=6.0))
    trial = next(trial for trial in found.trials if trial.words == arow)
    model = Recipe(**arow, max_iter=10).fit(X, y)
    assert trial.training_errors == np.count_nonzero((2 * y - 1) * model.decision(X) <= 0)
    assert free in [each.words for each in found.trials] and "--metric arow" in text(found)
    own = Plan({"rule": "margin", "eta0": 0.1, "keep": "voted"}, epochs=5, max_time=6.0)
    voted = [each for each in diagnose(X, y, own).trials if "metric" in each.words]
    assert [each.words for each in voted] == [{**arow, "keep": "averaged"}, {**free, "keep": "averaged"}]
    assert not any(each.failed for each in voted)
    like = diagnose(X / [1000.0, 1.0], y, Plan(epochs=5, max_time=6.0))
    assert not any("metric" in each.words for each in like.trials)


def test_a_learner_with_a_metric_is_called_by_it_and_no_bound_speaks_of_it() -> None:
    X, y = narrow()
    found = diagnose(X, y, Plan({"metric": "arow:r=2"}, epochs=20, max_time=1.0))
    assert "The learner (arow:r=2, keep last, online)" in text(found)
    assert found.verdicts[0].limit is None
    assert "does not speak of this learner (each column has a step of its own (metric=arow:r=2))" in text(found)
    assert not any({"rule", "metric"} & set(each.words) or each.failed for each in found.trials)


def test_texts_are_neither_scaled_again_nor_multiplied(tmp_path: Path) -> None:
    lines = ["spam\tfree prize now", "ham\tlunch at noon", "spam\tfree money prize", "ham\tsee you at noon"] * 4
    path = tmp_path / "words.txt"
    path.write_text("\n".join(lines) + "\n")
    found = well("doctor", path, "--max-time", "10", "--json").json
    options = " ".join(trial["options"] for trial in found["trials"])
    assert "--scale" not in options and "--degree" not in options and found["converged"] and found["separable"]


def test_imbalance_is_said() -> None:
    X = np.random.default_rng(2).normal(size=(80, 2))
    y = np.where(np.arange(80) < 4, "rare", "often")
    found = text(diagnose(X, y, Plan(epochs=5, max_time=6.0)))
    assert "who always says often is wrong on only 5.0% of the rows" in found
    assert "One class has 19 times the rows of the other" in found


@pytest.mark.parametrize("optimizer", ["pick-first", "mini-batch", "batch"])
def test_other_optimizers(optimizer: str) -> None:
    found = diagnose(XOR, SIGNS, Plan({"optimizer": optimizer}, epochs=20, max_updates=500, max_time=20.0))
    assert found.separable is False and len(found.trials) > 5
    assert ("updates" if optimizer == "pick-first" else "epochs") in text(found)


# --- little and odd data ----------------------------------------------------------------------------------------------


def test_one_class_alone_has_nothing_to_tell_apart() -> None:
    found = diagnose([[1, 2], [3, 4]], ["a", "a"], QUICK)
    assert found.trials == [] and found.verdicts == [] and found.separable is None
    assert "All rows have the label a: there is nothing to tell apart." in text(found)


def test_three_rows_have_no_held_out_errors() -> None:
    found = diagnose([[1, 2], [3, 4], [5, 2]], list("aab"), QUICK)
    assert found.converged and found.trials[0].error is None and found.best is None
    assert "A class has a single row" in text(found)


def test_no_columns_no_rows_and_nan() -> None:
    assert diagnose(np.zeros((4, 0)), SIGNS, QUICK).separable is False
    with pytest.raises(DataError, match="at least one row"):
        diagnose(np.zeros((0, 2)), [], QUICK)
    with pytest.raises(DataError, match="row 2, feature 1: found nan"):
        diagnose([[1.0], [np.nan]], [0, 1], QUICK)
    with pytest.raises(SettingError, match="max_time=0"):
        diagnose(XOR, SIGNS, Plan(max_time=0))


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (62345, "62,345"), (999_999.4, "999,999"), (14.1e6, "14.1 million"), (2.73e9, "2.73 thousand million"),
     (999.7e6, "1,000 million"), (1e12, "1 million million"), (3e20, "3.0e+20")],
)  # fmt: skip
def test_large_numbers_are_said(number: float, words: str) -> None:
    assert said(number) == words


# --- the shell --------------------------------------------------------------------------------------------------------


def test_the_page_names_the_command_that_writes_the_proof(tmp_path: Path) -> None:
    path = table(tmp_path / "xor.csv", XOR, SIGNS, "x,y,kind")
    done = well("doctor", path, "--label", "kind", "--epochs", "20", "--max-time", "10")
    line = next(line for line in done.out.splitlines() if "--save proof.json" in line)
    assert line.strip() == f"rosenblatt separable {path} --label kind --save proof.json"
    assert all(len(other) <= 100 for other in done.out.splitlines()[1:] if other != line)


def test_json_counts_rows_from_1_and_has_everything(tmp_path: Path) -> None:
    path = table(tmp_path / "xor.csv", XOR, SIGNS)
    found = well("doctor", path, "--epochs", "20", "--max-time", "10", "--json").json
    assert found["verdicts"][0]["rows"] == [1, 2, 3, 4] and found["separable"] is False
    assert found["learner"]["rule"] == "perceptron" and found["advice"]
    assert {"options", "training_errors", "error", "converged", "mistakes", "seconds"} <= set(found["trials"][0])


def test_only_and_no_intercept(tmp_path: Path) -> None:
    path = table(tmp_path / "line.csv", [[1], [2], [3], [4], [5]], list("aabbc"))
    words = ("--only", "a,b", "--no-intercept", "--epochs", "9", "--max-time", "9")
    found = well("doctor", path, *words, "--json").json
    assert found["facts"]["rows"] == 4 and found["separable"] is False
    done = well("doctor", path, *words)
    assert "not through the origin" in done.out and "--only a,b --no-intercept" in done.out.replace(
        "--no-intercept --only a,b", "--only a,b --no-intercept"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--rule", "nothing"], "unknown rule"), (["--scoring", "f1"], "the doctor counts errors"),
     (["--max-time", "0"], "--max-time 0"), (["--positive", "z"], "not a label")],
)  # fmt: skip
def test_what_makes_no_sense_is_one_sentence(words: list[str], said: str, tmp_path: Path) -> None:
    done = run("doctor", table(tmp_path / "xor.csv", XOR, SIGNS), *words)
    assert done.code == 2 and done.err.startswith("Error: ") and said in done.err and done.err.count("\n") == 1


# --- known sets -------------------------------------------------------------------------------------------------------


def test_heart_scale(shared_data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROSENBLATT_JIT")
    # The search of the fewest errors looks at the clock seldom, and here each look is a millisecond.
    monkeypatch.setattr(verdict, "SMALL", 0)
    path = shared_data("heart_scale") / "heart_scale.svm.xz"
    found = well("doctor", path, "--max-time", "40", "--json", ROSENBLATT_JIT="").json
    assert found["separable"] is False and found["verdicts"][0]["kind"] == "farkas"
    assert len(found["verdicts"][0]["rows"]) <= 15 and not found["converged"]


def test_sonar(shared_data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROSENBLATT_JIT")
    path = shared_data("sonar") / "sonar.svm.xz"
    found = well("doctor", path, "--max-time", "20", ROSENBLATT_JIT="").out
    words = " ".join(found.split())
    assert "up to 14.1 million mistakes are possible here" in words
    assert "1,000 epochs are not guaranteed to suffice" in words


def test_the_learner_as_it_is_may_be_the_best_of_all() -> None:
    """Two far groups: nothing can be better, and `the best of all, the learner as it is` says nothing."""
    X = np.vstack([np.arange(40.0).reshape(20, 2) / 40, 10 + np.arange(40.0).reshape(20, 2) / 40])
    said_of = text(diagnose(X, [0] * 20 + [1] * 20, QUICK))
    assert "On held-out rows nothing tried does better than the learner as it is (0.0% errors)." in said_of
    assert "the best of all, the learner as it is" not in said_of
