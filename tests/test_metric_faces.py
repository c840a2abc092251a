"""Metrics and L1 in both faces: what is refused, and in which words; the estimators; what people read of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from command import NUMBERS, run, well, write
from rosenblatt import AROW, FTRL, NHERD, SCW, LinearClassifier, Model, Recipe
from rosenblatt.errors import SettingError
from rosenblatt.metrics.adagrad import Adagrad
from rosenblatt.metrics.arow import Arow
from samples import same, three_classes, two_classes

AROW_BRINGS = "metric='arow' brings its own step"
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"metric": "arow", "keep": "voted"}, "metric='arow' does not go with keep='voted', which repeats plain steps; use "
     "keep='averaged'", "--metric arow does not go with --keep voted, which repeats plain steps; use --keep averaged"),
    ({"l1": 0.1, "keep": "voted"}, "l1=0.1 does not go with keep='voted', which repeats plain steps; use keep='last'",
     "--l1 0.1 does not go with --keep voted, which repeats plain steps; use --keep last"),
    ({"l1": 0.1, "keep": "averaged"}, "l1=0.1 does not go with keep='averaged': means of sparse weights are not; use "
     "keep='last'", "--l1 0.1 does not go with --keep averaged: means of sparse weights are not; use --keep last"),
    ({"metric": "adagrad", "optimizer": "pick-first"}, "metric='adagrad' does not go with optimizer='pick-first', "
     "which takes plain steps; use optimizer='online'", "--metric adagrad does not go with --optimizer pick-first, "
     "which takes plain steps; use --optimizer online"),
    ({"metric": "arow", "optimizer": "batch"}, f"{AROW_BRINGS} for each row, not for optimizer='batch'; use "
     "optimizer='online'", "--metric arow brings its own step for each row, not for --optimizer batch; use --optimizer "
     "online"),
    ({"metric": "arow", "rule": "logistic"}, f"{AROW_BRINGS}; leave rule='logistic' out",
     "--metric arow brings its own step; leave --rule logistic out"),
    ({"metric": "arow", "multi_class": "multi-class-perceptron"}, f"{AROW_BRINGS} for each class; leave "
     "multi_class='multi-class-perceptron' out", "--metric arow brings its own step for each class; leave "
     "--multi-class multi-class-perceptron out"),
    ({"metric": "arow", "eta0": 0.1}, f"{AROW_BRINGS}, so there is no eta0",
     "--metric arow brings its own step, so there is no --eta"),
    ({"metric": "arow", "learning_rate": "sqrt"}, f"{AROW_BRINGS}, so there is no learning_rate",
     "--metric arow brings its own step, so there is no --schedule"),
    ({"metric": "arow", "alpha": 0.1}, f"{AROW_BRINGS}, so there is no alpha",
     "--metric arow brings its own step, so there is no --l2"),
    ({"metric": "arow", "l1": 0.1}, f"{AROW_BRINGS}, so there is no l1",
     "--metric arow brings its own step, so there is no --l1"),
    ({"metric": "adagrad", "rule": "passive-aggressive"}, "metric='adagrad' goes with steps down a gradient; "
     "rule='passive-aggressive' makes them as long as they need to be: use another, as rule='logistic'",
     "--metric adagrad goes with steps down a gradient; --rule passive-aggressive makes them as long as they need to "
     "be: use another, as --rule logistic"),
    ({"l1": 0.1, "rule": "until-right"}, "l1=0.1 goes with steps down a gradient; rule='until-right' makes them as "
     "long as they need to be: use another, as rule='logistic'", "--l1 0.1 goes with steps down a gradient; --rule "
     "until-right makes them as long as they need to be: use another, as --rule logistic"),
    ({"metric": "ftrl"}, "metric='ftrl' goes with rule logistic, not with rule='perceptron'",
     "--metric ftrl goes with rule logistic, not with --rule perceptron"),
    ({"metric": "logistic"}, "unknown metric 'logistic': that is a rule; say rule='logistic'",
     "unknown metric 'logistic': that is a rule; say --rule logistic"),
    ({"rule": "arow:r=.1"}, "unknown rule 'arow': that is a metric; say metric='arow:r=.1'",
     "unknown rule 'arow': that is a metric; say --metric arow:r=.1"),
    *[({"metric": f"arow:r={r}"}, *2 * [f"metric 'arow': r={r} must be a finite number > 0"])
      for r in ("0", "-1", "nan", "inf", "x")],
    ({"metric": "scw:variant=3"}, *2 * ["metric 'scw': variant=3 must be 1 or 2"]),
    ({"metric": "arow:C=1"}, "metric='arow:C=1': arow has no parameter 'C'; its parameters: r",
     "--metric arow:C=1: arow has no parameter 'C'; its parameters: r"),
    ({"l1": -1.0}, "l1=-1.0 must be a number ≥ 0", "--l1 -1.0 must be a number ≥ 0"),
]  # fmt: skip
"""(words, the sentence in Python, in the shell)"""
OPTIONS = {"eta0": "eta", "learning_rate": "schedule", "alpha": "l2"}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.chdir(write(tmp_path / "numbers.svm", NUMBERS).parent)


@pytest.mark.parametrize(("words", "python", "shell"), REFUSED, ids=lambda each: " ".join(map(str, each))[:40])
def test_what_does_not_go_together_is_one_sentence_in_each_face(words: dict[str, Any], python: str, shell: str) -> None:
    for make in (lambda: Recipe(**words), lambda: LinearClassifier(**words).fit(*two_classes())):
        with pytest.raises(SettingError) as error:
            make()
        assert str(error.value) == python
    options = [
        part for name, value in words.items() for part in (f"--{OPTIONS.get(name, name).replace('_', '-')}", value)
    ]
    done = run("train", "numbers.svm", "-o", "m", *options)
    assert (done.code, done.err) == (2, f"Error: {shell}\n") and not Path("m").exists()


def test_a_rule_that_would_not_be_asked_is_refused_where_it_is_said() -> None:
    """In Python it is the default, which says nothing."""
    assert Recipe(metric="arow", rule="perceptron").settings == Recipe(metric="arow").settings
    done = run("train", "numbers.svm", "-o", "m", "--metric", "arow", "--rule", "perceptron")
    assert done.err == "Error: --metric arow brings its own step; leave --rule perceptron out\n"


NAMED: list[tuple[Any, dict[str, Any]]] = [
    (AROW(r=0.3, max_iter=3), {"metric": "arow:r=0.3"}),
    (SCW(C=0.5, phi=2.0, max_iter=3), {"metric": "scw:C=0.5,phi=2"}),
    (SCW(variant=2, max_iter=3), {"metric": "scw:variant=2"}),
    (NHERD(C=0.5, max_iter=3), {"metric": "nherd:C=0.5"}),
    (NHERD(variant="project", max_iter=3), {"metric": "nherd-project"}),
    (NHERD(variant="exact", max_iter=3), {"metric": "nherd-exact"}),
    (FTRL(eta0=0.5, beta=2.0, l1=0.1, alpha=0.2, max_iter=3),
     {"rule": "logistic", "metric": "ftrl:beta=2", "eta0": 0.5, "l1": 0.1, "alpha": 0.2}),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "words"), NAMED, ids=lambda each: str(each)[:30])
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_an_estimator_is_the_general_one_with_its_metric(estimator: Any, words: dict[str, Any], make: Any) -> None:
    x, y = make()
    one, other = clone(estimator).fit(x, y), LinearClassifier(max_iter=3, **words).fit(x, y)
    assert same(one, other, x) and one.score(x, y) > 0.6
    assert one.model_.recipe == other.model_.recipe and Recipe.from_dict(one.model_.recipe).settings.learner
    parts = clone(estimator)
    for _ in range(3):
        parts.partial_fit(x, y, classes=np.unique(y))
    assert np.array_equal(parts.coef_, one.coef_)
    assert repr(clone(estimator)) == repr(estimator)


@pytest.mark.filterwarnings("ignore")
def test_a_search_goes_through_their_parameters() -> None:
    x, y = two_classes()
    found = GridSearchCV(AROW(max_iter=2), {"r": [0.01, 1.0], "keep": ["last", "averaged"]}, cv=3).fit(x, y)
    assert set(found.best_params_) == {"r", "keep"} and found.best_score_ > 0.6
    for wrong in (NHERD(variant="full"), SCW(variant=3), SCW(C=0.0), AROW(r=np.nan), FTRL(beta=-1.0)):
        with pytest.raises(SettingError, match="must be"):
            wrong.fit(x, y)
    with pytest.raises(TypeError, match="eta0"):
        AROW(eta0=0.1)


@pytest.mark.filterwarnings("ignore")
def test_a_metric_does_not_change_on_the_way() -> None:
    """Two metrics without parameters are equal tuples, and two all the same."""
    x, y = two_classes()
    for name, value, was in (("metric", Adagrad(), "'none', and is 'adagrad'"), ("l1", 0.1, "0.0, and is 0.1")):  # type: ignore[call-arg]
        model = LinearClassifier("logistic", max_iter=1, warm_start=True).fit(x, y)
        with pytest.raises(SettingError, match=f"{name} cannot change while learning goes on: it was {was} now"):
            model.set_params(**{name: value}).fit(x, y)


def test_going_on_says_the_same_again_or_is_refused() -> None:
    well("train", "numbers.svm", "-o", "m", "--metric", "arow:r=0.5", "--epochs", "1")
    for said in ("arow:r=0.50", "arow:r=.5"):
        well("train", "numbers.svm", "--continue", "m", "-o", "m", "--metric", said, "--epochs", "1")
    done = run("train", "numbers.svm", "--continue", "m", "-o", "m", "--metric", "arow")
    assert done.err == "Error: --metric arow: the model goes on as it began, with arow:r=0.5\n"
    well("train", "numbers.svm", "-o", "plain", "--epochs", "1")
    done = run("train", "numbers.svm", "--continue", "plain", "-o", "m", "--metric", "adagrad")
    assert done.err == "Error: --metric adagrad: the model goes on as it began, with none\n"
    done = run("train", "numbers.svm", "--continue", "plain", "-o", "m", "--l1", "0.1")
    assert done.err == "Error: --l1 0.1: the model goes on as it began, with 0.0\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["arow:r=0.5", "adagrad", "ftrl"])
def test_a_model_made_in_either_face_is_the_same(metric: str) -> None:
    words: dict[str, Any] = {"metric": metric}
    words |= {} if metric.startswith("arow") else {"rule": "logistic", "l1": 0.01}
    options = [part for name, value in words.items() for part in (f"--{name}", value)]
    well("train", "numbers.svm", "-o", "m", "--epochs", "3", *options)
    x, y = csr_array([[2.0, 0, 1], [0, 3, 0], [1, 0, 0], [0, 2, 1], [4, 1, 0], [0, 0, 0]]), [1, -1, 1, -1, 1, -1]
    for model in (
        Recipe(max_iter=3, **words).fit("numbers.svm"),
        Recipe(max_iter=3, **words).fit(x, y),
        LinearClassifier(max_iter=3, **words).fit(x, y).model_,
    ):
        assert all(np.array_equal(a, b) for a, b in zip(model.weights, Model.load("m").weights, strict=True))
        assert model.run.settings == Model.load("m").run.settings


def test_people_read_what_learns() -> None:
    """arow has no rule: nobody is told of a perceptron."""
    for options, name, rule in (
        (["--metric", "arow:r=0.1"], "arow:r=0.1", None),
        (["--rule", "logistic", "--metric", "adagrad"], "logistic+adagrad", "logistic"),
        (["--rule", "logistic", "--l1", "0.01"], "logistic", "logistic"),
    ):
        told = well("train", "numbers.svm", "-o", "m", *options)
        assert f"\n{name}, keep last, online: " in told.out and "perceptron" not in told.out
        values = well("train", "numbers.svm", "-o", "m", *options, "--json").json
        assert (values["learner"], values["rule"]) == (name, rule)
        shown = well("inspect", "m").out
        what = "metric" if rule is None else "rule"
        assert f"\n{what} {name}, keep last, online" in shown and ("eta" in shown) is (rule is not None)
        assert repr(Model.load("m")).startswith(f"<Model: {name}, keep last; ")
    well("train", "numbers.svm", "-o", "m", "--metric", "arow")
    done = run("predict", "m", "numbers.svm", "--proba")
    assert done.err == "Error: --proba: arow with keep last has no probabilities; train with --calibrate sigmoid\n"


def test_metrics_are_values_classes_and_texts() -> None:
    said = [Recipe(metric=each).settings for each in ("arow:r=0.1", Arow(0.1), Arow._make([0.1]))]  # type: ignore[call-arg]
    assert said[0] == said[1] == said[2] != Recipe(metric=Arow).settings
    assert Recipe(metric=Arow).as_dict() == {"metric": "arow"}
    for wrong in (3, object):
        with pytest.raises(SettingError, match="a metric is a NamedTuple with a method move"):
            Recipe(metric=wrong)


def test_advice_about_what_to_keep_can_be_typed(tmp_path: Path) -> None:
    """L1 goes with no mean, so that only the pocket is named; without it both are."""
    rows = write(tmp_path / "rows.csv", "x,y\n" + "1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n")
    asked = ("train", rows, "-o", tmp_path / "m", "--rule", "perceptron", "--epochs", "3")
    assert "--keep pocket, which does well where mistakes remain" in well(*asked, "--l1", "0.01").out
    assert "--keep averaged" not in well(*asked, "--l1", "0.01").out
    with pytest.warns(ConvergenceWarning, match='help: a larger max_iter; keep="pocket" where mistakes remain'):
        LinearClassifier(l1=0.01, max_iter=3).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1])


def test_parameters_and_ways_with_more_classes_are_said_once() -> None:
    with pytest.raises(SettingError, match="r is given twice"):
        LinearClassifier(metric="arow:r=1,r=2").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(SettingError, match="softmax.*learns all classes together; leave multi_class="):
        LinearClassifier("softmax", multi_class="multi-class-perceptron").fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(SettingError, match="falling rate for each column; leave learning_rate out"):
        LinearClassifier("logistic", metric="ftrl", learning_rate="sqrt").fit([[1.0], [2.0]], [0, 1])
