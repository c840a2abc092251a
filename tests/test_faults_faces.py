"""Recipe and Model as people use them, and what an earlier trial of theirs found."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well, write
from rosenblatt import LinearClassifier, Model, Recipe
from rosenblatt.compare import Plan, compare, contenders
from rosenblatt.errors import DataError, ModelError, SettingError
from rosenblatt.features.parameters import FEATURES
from rosenblatt.learn.others import METRICS_OF_OTHERS, OF_OTHERS, RULES_OF_OTHERS
from rosenblatt.recipe.table import recipe_table

pd = pytest.importorskip("pandas")

TEXTS = ["free money now", "lunch at noon", "free prize", "see you at noon", "money prize", "at lunch"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, with two small files."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.svm", "many.svm"):
        write(tmp_path / name, "1 1:1\n-1 2:1\n")
    return tmp_path


# --- Recipe and Model as people use them: what an earlier trial found ---

X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 1.0], [3.0, 0.5], [4.0, 0.0], [1.5, 3.0]])
Y = np.array(["no", "no", "yes", "yes", "yes", "no"])
FEW, KINDS = TEXTS, ["spam", "ham"] * 3


def test_columns_whose_names_are_numbers_are_found_by_name() -> None:
    frame = pd.DataFrame(X, columns=[10, 20])
    model = Recipe().fit(frame, Y)
    assert model.names == ["10", "20"]
    assert np.array_equal(model.decision(frame[[20, 10]]), model.decision(frame))
    with pytest.raises(DataError, match="the data have no column '20'"):
        model.predict(frame[[10]])
    whole = frame.assign(kind=Y).rename(columns={"kind": 5})
    assert np.array_equal(Recipe().fit(whole, 5).weights[0], model.weights[0])
    plain = pd.DataFrame(X)
    model = Recipe().fit(plain, Y)
    assert model.names is None and np.array_equal(model.decision(plain[[1, 0]]), model.decision(X))


def test_a_list_of_paths_is_not_taken_for_texts() -> None:
    for paths in (["a.svm", "many.svm"], [Path("a.svm")]):
        with pytest.raises(DataError, match=r"the data are a list of paths \(a.svm\); their labels are in the files"):
            Recipe().fit(paths, [0, 1][: len(paths)])
    assert Recipe(min_documents=1).fit(["a.svm", "no file"], [0, 1]).predict(["no file"]).tolist() == [1]


@pytest.mark.parametrize("call", [
    lambda: Recipe().fit([[1.0], [np.nan]], [0, 1]),
    lambda: Recipe().fit([[1.0], [1e200]], [0, 1]),
    lambda: Recipe().fit([[1.0], [2.0]], [0, 1], [1.0, -1.0]),
    lambda: Recipe().fit([[1.0], [2.0]], [0, None]),
    lambda: Recipe().fit(np.ma.masked_equal([[1.0], [2.0]], 2.0), [0, 1]),
    lambda: Recipe().fit(["one", 2], [0, 1]),
    lambda: Recipe().fit([[1.0], [2.0]], [0, 1]).evaluate([[1.0], [2.0]], [0, 7]),
])  # fmt: skip
def test_g3_rows_are_counted_from_1_everywhere(call: Any) -> None:
    with pytest.raises(DataError, match="row 2[,:]"):
        call()


@pytest.mark.parametrize("labels", [Y.astype("S"), np.array(["2020-01-01", "2021-01-01"] * 3, "M8[D]"), Y == "yes"])
def test_every_kind_of_label_can_be_saved(labels: Any) -> None:
    model = Recipe().fit(X, labels)
    model.save("labels")
    assert Model.load("labels").predict(X).tolist() == model.predict(X).tolist()
    assert well("inspect", "labels").code == 0


def test_labels_that_no_file_can_hold_are_refused_in_a_sentence() -> None:
    model = LinearClassifier().fit(X, np.array(["2020-01-01", "2021-01-01"] * 3, "M8[D]")).model_
    with pytest.raises(ModelError, match=r"labels of type datetime64\[D\] cannot be kept in a file; learn with text"):
        model.save("dates")
    with pytest.raises(SettingError, match="bytes"):
        LinearClassifier().fit(X, Y.astype("S"))


def test_a_seed_is_drawn_where_a_generator_or_none_is_given() -> None:
    one, other = Recipe(random_state=None), Recipe(random_state=None)
    assert isinstance(one["random_state"], int) and one != other and Recipe.from_dict(one.as_dict()) == one
    assert Recipe(random_state=np.random.RandomState(3)) == Recipe(random_state=np.random.RandomState(3))
    assert Recipe(random_state=2**40, validation=0.5).fit(X, Y).run.best is not None


def test_validation_is_a_share_of_any_float_or_a_pair() -> None:
    assert Recipe(validation=np.float32(0.5)).fit(X, Y).run.best is not None
    assert Recipe(validation=[X, Y]) == Recipe(validation=(X, Y))
    assert Recipe(validation=[X.astype(np.float32), Y]).fit(X, Y).run.best is not None


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: Recipe(class_weight={"yes": "x"}).fit(X, Y), "class_weight of 'yes' is 'x'; weights must be finite"),
    (lambda: Recipe(class_weight={"yes": None}).fit(X, Y), "class_weight of 'yes' is None"),
    (lambda: Recipe(class_weight=3).fit(X, Y), 'class_weight=3 must be None, "balanced" or a dict'),
    (lambda: Recipe(char_ngrams=("a", 3)).fit(FEW, KINDS), "char_ngrams=a-3 is not understood"),
    (lambda: Recipe(char_ngrams=2.5).fit(FEW, KINDS), "char_ngrams=2.5 is not understood"),
    (lambda: Recipe().fit(X, Y, observers=[3]), "observers are functions of an event, or observers; found 3"),
    (lambda: Recipe().fit(X, Y, observers="x"), "observers are functions of an event, or observers; found 'x'"),
    (lambda: LinearClassifier().fit(X, Y, callback=3), "observers are functions of an event"),
    (lambda: Recipe().fit(X, Y).save(None), "None is no path of a model file"),
    (lambda: Model.load(3.5), "3.5 is no path of a model file"),
    (lambda: Recipe(validation=(X,)), "validation must be a share, data with labels, or"),
    (lambda: Recipe(random_state="x"), "random_state='x' must be a whole number"),
])  # fmt: skip
def test_what_is_of_the_wrong_type_is_refused_in_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        call()
    assert sentence in str(error.value)


def test_recipes_with_arrays_are_equal_or_not_and_can_be_keys() -> None:
    one, same = (Recipe(order=np.array([0, 1]), validation=(X, Y), class_weight={"no": 1.0}) for _ in range(2))
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    assert one != one.with_(order=np.array([1, 0])) and one != one.with_(order=np.array([1])) and one != 3
    assert Recipe(eta0=1) == Recipe(eta0=1.0)


def test_a_model_of_texts_in_a_table_reads_dataframes() -> None:
    frame = pd.DataFrame({"words": FEW, "kind": KINDS})
    frame.to_csv("texts.csv", index=False)
    for model in (
        Recipe(text="words", label="kind", min_documents=1).fit("texts.csv"),
        Recipe(text="words", min_documents=1).fit(frame, "kind"),
    ):
        assert model.predict(frame).tolist() == model.predict(frame[["words"]]).tolist() == KINDS
        assert model.predict("texts.csv").tolist() == KINDS and model.predict(FEW).tolist() == KINDS
    with pytest.raises(DataError, match="the DataFrame has no column 'words'"):
        model.predict(frame[["kind"]])


def test_words_of_others_are_answered_with_ours() -> None:
    for name, meant in {**OF_OTHERS, "seed": "random_state", "epochs": "max_iter"}.items():
        with pytest.raises(SettingError, match=f"a recipe has no word {name}; did you mean {re.escape(meant)}\\?"):
            Recipe(**{name: 1})
    for name, meant in RULES_OF_OTHERS.items():
        with pytest.raises(SettingError, match=f"unknown rule '{name}'; did you mean {meant}\\? The rules are"):
            Recipe(rule=name)
    for name, meant in METRICS_OF_OTHERS.items():
        with pytest.raises(SettingError, match=f"unknown metric '{name}'; did you mean {meant}\\? The metrics are"):
            Recipe(metric=name)
    options = {"max-iter": "epochs", "eta0": "eta", "lr": "eta", "tau": "rule margin:tau=1", "ftrl": "metric ftrl"}
    for name, meant in options.items():
        assert f"Did you mean '--{meant}'?" in run("train", "a.svm", "-o", "x", f"--{name}", "1").err


def test_every_default_may_be_said() -> None:
    for name, entry in recipe_table().items():
        assert Recipe(**{name: entry.default})[name] == entry.default
    said = {each.name: each.default for each in FEATURES if each.data == "documents"}
    assert np.array_equal(Recipe(**said).fit(X, Y).weights[0], Recipe().fit(X, Y).weights[0])
    well("train", "a.svm", "-o", "x", "--bits", "18", "--batch-size", "32", "--counting", "notes")


def test_every_public_method_says_what_it_does() -> None:
    for cls in (Recipe, Model):
        for name, member in inspect.getmembers(cls):
            if not name.startswith("_") and (callable(member) or isinstance(member, (property, cached_property))):
                assert inspect.getdoc(member), (cls.__name__, name)


def test_a_comparison_is_shown_shortly_and_as_a_frame() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(40, 2))
    found = compare(
        x,
        np.where(x[:, 0] > 0.0, "yes", "no"),
        Plan(contenders("rows", 2, ["perceptron"], ["last", "averaged"]), epochs=5),
    )
    assert repr(found).startswith("<Comparison: ") and len(repr(found)) < 200
    assert len(found.to_frame()) == len(found.records()) and "error" in found.to_frame().columns
