"""Inputs that once went wrong in models and estimators, each with the right value.

Names: test_<line of the list of faults>_…."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import rosenblatt
from command import run, well, write
from rosenblatt import AveragedPerceptron, LinearClassifier, Model, Perceptron, Recipe
from rosenblatt.data.folds import set_aside
from rosenblatt.memory import memory_classes
from samples import blobs, csv_of

# --- E6: a calibrated model, or one with a threshold, goes on ---------------------------------------------------------


@pytest.mark.parametrize("words", [{"calibrate": "sigmoid"}, {"max_false_positives": 0.2}, {"at": 0.5}])
def test_e6_one_more_row_keeps_the_calibration_and_the_threshold(words: dict[str, Any], tmp_path: Path) -> None:
    X, y = blobs(200, 0)
    write(tmp_path / "d.csv", csv_of(X, y))
    model = Recipe(**words, keep="averaged", max_iter=3).fit(tmp_path / "d.csv")
    one = write(tmp_path / "one.csv", csv_of(X[:1], y[:1]))
    with pytest.warns(UserWarning, match="a single row is too few to calibrate or to choose a threshold anew"):
        more = Recipe(max_iter=1).fit_more(model, one)
    assert more.threshold == model.threshold and more.calibration == model.calibration
    assert more.run.epoch == model.run.epoch + 1
    assert more.choice is None or (more.choice["kept"] and not more.choice["promised"])
    model.save(tmp_path / "m")
    done = well("train", one, "-o", tmp_path / "m", "--continue", tmp_path / "m", "--epochs", "1")
    assert "too few" in done.err and ("before the model went on" in done.out) == (more.choice is not None)


def test_e6_a_threshold_chosen_on_other_rows_is_kept(tmp_path: Path) -> None:
    (X, y), (Z, z) = blobs(400, 0), blobs(400, 1)
    model = Recipe(keep="averaged", max_iter=3).fit(X, y)
    strict = Recipe(max_false_positives=0.01, confidence=0).choose_threshold(model, Z, z)
    with pytest.warns(UserWarning, match="on other rows, and is kept"):
        more = Recipe(max_iter=3).fit_more(strict, X, y)
    longer = [np.hypot(np.linalg.norm(m.weights[0]), m.weights[1][0]) for m in (more, strict)]
    assert more.threshold == pytest.approx(strict.threshold * longer[0] / longer[1])
    assert more.evaluate(Z, z)["false_positives"] <= 4 + strict.evaluate(Z, z)["false_positives"]


# --- E2: named estimators take what matters there ---------------------------------------------------------------------


@pytest.mark.parametrize("name", rosenblatt._RECIPES)
def test_e2_every_parameter_with_an_effect_is_taken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the memories that may be kept, and a scorer, which validation asks for."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")  # a loop for each metric would take 10 s
    cls = getattr(rosenblatt, name)
    taken = inspect.signature(cls).parameters
    memories = memory_classes()
    keeps = memories if "keep" in taken else [cls.keep]
    assert {each.name for keep in keeps for each in memories[keep].parameters} <= set(taken)
    assert not {each.name for keep in set(memories) - set(keeps) for each in memories[keep].parameters} & set(taken)
    X, y = blobs(60, 0)
    words = {"keep": "pocket"} if "keep" in taken else {}
    early = {"early_stopping": True, "scoring": "balanced_accuracy"}
    assert cls(max_iter=2, **words, **(early if cls is not rosenblatt.PocketPerceptron else {})).fit(X, y).n_iter_ <= 2


def test_e2_votes_counted_from_one() -> None:
    X, y = blobs(60, 0)
    found = rosenblatt.VotedPerceptron(counting="freund-schapire", max_iter=3).fit(X, y)
    same = LinearClassifier(keep="voted", counting="freund-schapire", max_iter=3).fit(X, y)
    assert np.array_equal(found.decision_function(X), same.decision_function(X))


# --- E7: what is not there says why; a limit that came first is said --------------------------------------------------


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_e7_no_probabilities_names_calibrate(method: str) -> None:
    X, y = blobs(40, 0)
    for estimator in (Perceptron(), Perceptron(max_iter=2).fit(X, y), rosenblatt.LogisticUnit(keep="voted")):
        with pytest.raises(
            AttributeError, match=f"has no {method}: its scores .* calibrate=.sigmoid., or take the rule logis"
        ):
            getattr(estimator, method)
        assert not hasattr(estimator, method)
    with pytest.raises(AttributeError, match="has no partial_fit: .*; use fit, or calibrate=None"):
        LinearClassifier(calibrate="sigmoid").partial_fit  # noqa: B018
    assert rosenblatt.LogisticUnit().fit(X, y).predict_proba(X).shape == (40, 2)


def test_e7_a_limit_that_came_first_is_a_convergence_warning() -> None:
    X, y = blobs(60, 0, 1.0)
    with pytest.warns(ConvergenceWarning, match=r"limit \(max_iter=3\): it came before .*a larger max_iter; keep"):
        Perceptron(max_iter=3).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"a larger max_iter$"):
        AveragedPerceptron(max_iter=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron().fit([[0.0], [1.0]], [0, 1])
        Perceptron(early_stopping=True, max_iter=300).fit(X, y)
        Perceptron().partial_fit(X, y, classes=[0, 1])


# --- G4: weights that leave nothing to learn from ---------------------------------------------------------------------


def test_g4_class_weights_that_are_all_zero(tmp_path: Path) -> None:
    X, y = blobs(40, 0)
    with pytest.raises(
        ValueError, match="the weights of all rows are zero, by class_weight; there is nothing to learn"
    ):
        Perceptron(class_weight={0: 0, 1: 0}).fit(X, y)
    data, model = write(tmp_path / "d.csv", csv_of(X, y)), tmp_path / "m"
    done = run("train", data, "-o", model, "--class-weight", "ham=0,spam=0")
    assert done.code == 3 and "zero, by --class-weight; there is nothing" in done.err and not model.exists()
    with pytest.raises(ValueError, match="weights of all rows are zero"):
        Perceptron(class_weight={0: 0}).fit(X, y, sample_weight=y == 0)


def test_g4_all_weight_in_the_validation_part() -> None:
    X, y = blobs(40, 0)
    _, out = set_aside(y, 0.25, 0)
    weight = np.zeros(40)
    weight[out[0]] = 1.0
    model = Perceptron(early_stopping=True, validation_fraction=0.25, random_state=0)
    with pytest.raises(ValueError, match="all rows with a weight above zero are among those set aside for validation"):
        model.fit(X, y, sample_weight=weight)


# --- mistakes, listed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_evaluate_lists_the_most_wrong_first(classes: int, tmp_path: Path) -> None:
    y = np.arange(300) % classes
    X = np.eye(3)[y] * 2 + np.random.default_rng(0).normal(size=(300, 3))
    names = ("a", "b", "c")
    rows = (",".join([names[c], *map(repr, x.tolist())]) for x, c in zip(X, y, strict=True))
    data, model = write(tmp_path / "d.csv", "kind,p,q,r\n" + "\n".join(rows) + "\n"), tmp_path / "m"
    well("train", data, "-o", model, "--keep", "averaged", "--epochs", "3")
    found = well("evaluate", model, data, "--mistakes", "--top", "all", "--json").json
    learned = Model.load(model)
    scores, truth = learned.decision(data), np.array(names)[y]
    wrong = np.flatnonzero(learned.labels(scores) != truth)
    far = np.abs(scores) if classes == 2 else scores.max(axis=1) - scores[np.arange(300), y]
    expected = wrong[np.argsort(-far[wrong], kind="stable")] + 1
    assert [each["row"] for each in found["mistakes"]] == expected.tolist() and len(expected) == found["errors"] > 3
    assert all(each["label"] == truth[each["row"] - 1] != each["predicted"] for each in found["mistakes"])
    top = well("evaluate", model, data, "--mistakes", "--top", "3", "--json").json["mistakes"]
    assert top == found["mistakes"][:3]
    text = well("evaluate", model, data, "--mistakes", "--top", "3").out
    assert f"the most wrong first, 3 of {len(expected)}:\n  row {expected[0]}: " in text
    assert "mistakes" not in well("evaluate", model, data, "--json").json
    done = run("evaluate", model, data, "--top", "3")
    assert done.code == 2 and "--top has an effect only with --mistakes" in done.err


# --- E3: what inspect shows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scale", ["none", "standard", "idf"])
def test_e3_scores_can_be_recomputed_from_the_json(classes: int, scale: str, tmp_path: Path) -> None:
    """Of three classes the negative weights are shown, too; means, deviations and idf stand beside them."""
    y = np.arange(90) % classes
    X = np.round(np.eye(3)[y] * 2 + np.random.default_rng(0).normal(size=(90, 3)) + 1, 3)
    rows = (",".join([f"c{c}", *map(repr, x.tolist())]) for x, c in zip(X, y, strict=True))
    data, model = write(tmp_path / "d.csv", "kind,p,q,r\n" + "\n".join(rows) + "\n"), tmp_path / "m"
    well("train", data, "-o", model, "--keep", "averaged", "--epochs", "3", "--scale", scale)
    found = well("inspect", model, "--top", "all", "--json").json
    scores = np.empty((90, 3))
    for k, (label, own) in enumerate(found["strongest"].items()):
        of_class = own if classes == 3 else [each for both in found["strongest"].values() for each in both]
        scores[:, k] = found["intercept"][k if classes == 3 else 0]
        for each in of_class:
            x = X[:, "pqr".index(each["feature"])]
            x = (x - each.get("mean", 0.0)) / each.get("deviation", 1.0) * each.get("idf", 1.0)
            scores[:, k] += each["weight"] * x
        assert classes == 2 or min(each["weight"] for each in own) < 0, label
    expected = Model.load(model).decision(data)
    np.testing.assert_allclose(scores[:, 1] if classes == 2 else scores, expected, rtol=1e-9, atol=1e-12)
    assert classes == 2 or "  -" in well("inspect", model).out


# --- E5: words and labels in Python -----------------------------------------------------------------------------------


def test_e5_labels_of_several_kinds_and_none() -> None:
    X = np.eye(4)
    for y in (["a", None, "a", "b"], [None, 1, 0, 1]):
        with pytest.raises(ValueError, match="found the label None; every row needs a label"):
            Perceptron().fit(X, np.array(y, object))
    with pytest.raises(ValueError, match="kinds without a common order .int, str.; expected one kind"):
        Perceptron().fit(X, np.array([1, "a", 1, "b"], object))


@pytest.mark.parametrize(("wrong", "right"), [("eta", "eta0"), ("lr", "eta0"), ("epochs", "max_iter"), ("sed", "seed")])
def test_e5_unknown_parameters_name_the_right_one(wrong: str, right: str) -> None:
    told = f"did you mean {right}" if wrong != "sed" else "unexpected keyword argument 'sed'"
    with pytest.raises(TypeError, match=f"Perceptron: .*{told}"):
        Perceptron(**{wrong: 1})


# --- F5: measures of classes that the data do not have ----------------------------------------------------------------


def test_f5_averages_are_over_the_classes_that_occur(tmp_path: Path) -> None:
    X = np.eye(3)[np.arange(60) % 3] * 4 + np.random.default_rng(0).normal(size=(60, 3))
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    model = Perceptron().fit(X, y).model_
    some = y != "c"
    found = model.evaluate(X[some], y[some])
    assert found["accuracy"] == 1.0 == found["precision"] == found["recall"] == found["f1"]
    assert found["average"] == "mean over the 2 of 3 classes that occur"
    assert found["roc_auc_of"] == "mean over the 2 of 3 classes that occur, each against the rest"
    assert model.evaluate(X, y)["average"] == "mean over the classes"


def test_f5_no_row_of_the_positive_class(tmp_path: Path) -> None:
    X, y = blobs(100, 0)
    model = write(tmp_path / "d.csv", csv_of(X, y)) and tmp_path / "m"
    well("train", tmp_path / "d.csv", "-o", model, "--epochs", "3")
    ham = write(tmp_path / "ham.csv", csv_of(X[y == 0], y[y == 0]))
    found = well("evaluate", model, ham, "--json").json
    assert found["precision"] is found["recall"] is found["f1"] is found["roc_auc"] is None
    assert (
        "precision, recall, F1 not defined (no row is of the positive class spam)" in well("evaluate", model, ham).out
    )
