"""Recipes and models as their users meet them: every kind of data, Python and shell crosswise."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from command import well
from rosenblatt import AveragedPerceptron, LinearClassifier, Model, Recipe
from rosenblatt.datasets import path as shipped
from rosenblatt.errors import DataError, SettingError
from rosenblatt.read import open_source
from rosenblatt.recipe.table import recipe_table, without_effect

pd = pytest.importorskip("pandas")

X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 1.0], [3.0, 0.5], [4.0, 0.0], [1.5, 3.0]])
Y = np.array(["no", "no", "yes", "yes", "yes", "no"])
TEXTS = ["free money now", "lunch at noon", "free prize", "see you at noon", "money prize", "at lunch"]
KINDS = ["spam", "ham", "spam", "ham", "spam", "ham"]
FRAME = pd.DataFrame(X, columns=["age", "height"])


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The same rows in several formats, and the texts."""
    rows = [f"{label},{a:g},{b:g}" for label, (a, b) in zip(Y, X, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["label,age,height", *rows]) + "\n")
    lines = [f"{1 if y == 'yes' else -1} 1:{a:g} 2:{b:g}" for y, (a, b) in zip(Y, X, strict=True)]
    (tmp_path / "d.svm").write_text("\n".join(lines) + "\n")
    np.savez(tmp_path / "d.npz", X=X, y=Y)
    (tmp_path / "t.txt").write_text("".join(f"{y}\t{x}\n" for x, y in zip(TEXTS, KINDS, strict=True)))
    (tmp_path / "t.csv").write_text(
        "".join(["label,text\n", *(f"{y},{x}\n" for x, y in zip(TEXTS, KINDS, strict=True))])
    )
    return {name: tmp_path / name for name in ("d.csv", "d.svm", "d.npz", "t.txt", "t.csv")}


def same(one: Model, other: Model) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.weights, other.weights, strict=True))


# --- a recipe is a value ---


def test_equal_words_are_equal_recipes_and_json_gives_them_back() -> None:
    recipe = Recipe(keep="averaged", scale="standard", max_iter=7, class_weight={"yes": 2.0})
    assert recipe == Recipe(scale="standard", keep="averaged", max_iter=7, class_weight={"yes": 2.0})
    assert recipe.with_(max_iter=8) != recipe and recipe.with_(max_iter=8)["max_iter"] == 8 and recipe["max_iter"] == 7
    assert recipe.without("max_iter")["max_iter"] == recipe_table()["max_iter"].default
    assert Recipe.from_dict(json.loads(json.dumps(recipe.as_dict()))) == recipe
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert repr(Recipe(keep="voted")) == "Recipe(keep='voted')"


def test_what_json_cannot_hold_is_left_out() -> None:
    recipe = Recipe(order=np.array([1, 0]), rule="margin:tau=2", max_iter=3)
    assert recipe.as_dict() == {"rule": "margin:tau=2", "max_iter": 3}
    assert Recipe(rule=Recipe(rule="margin:tau=2").settings.rule).as_dict() == {"rule": "margin:tau=2"}


@pytest.mark.parametrize(("words", "sentence"), [
    ({"kep": "averaged"}, "a recipe has no word kep; did you mean keep?"),
    ({"early_stopping": True}, "a recipe has no word early_stopping"),
    ({"bits": 12}, "bits has an effect only with dictionary=hashed"),
    ({"scoring": "f1"}, "scoring has an effect only with keep=pocket or validation"),
    ({"confidence": 0.9}, "confidence has an effect only with max_false_positives or max_false_negatives"),
    ({"calibrate_folds": 4}, "calibrate_folds has an effect only with calibrate or"),
    ({"cost": {"yes": 1.0, "no": 2.0}, "max_false_positives": 0.1}, "a threshold is chosen by one of them"),
    ({"max_iter": 0}, "max_iter=0"),
    ({"validation": 1.5}, "validation=1.5 must be a share of the rows between 0 and 1"),
    ({"order": "nowhere.txt"}, "there is no such file"),
    ({"keep": "all"}, "unknown keep='all'"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_before_anything_is_read(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        Recipe(**words)
    assert sentence in str(error.value)


def test_every_word_has_an_entry_and_none_is_ignored_silently() -> None:
    for name, entry in recipe_table().items():
        assert entry.help or entry.meaning, name
        assert f"\n    {name} : " in (Recipe.__doc__ or ""), name
        assert set(without_effect({name: entry.default})) <= {name}


# --- data of every kind ---


def test_every_kind_of_data_gives_the_same_weights(files: dict[str, Path]) -> None:
    recipe = Recipe(keep="averaged", max_iter=5)
    whole = recipe.fit(X, Y)
    assert same(whole, recipe.fit(X.tolist(), list(Y)))
    assert same(whole, recipe.fit(FRAME, pd.Series(Y)))
    assert same(whole, recipe.fit(FRAME.assign(kind=Y), "kind"))
    assert same(whole, recipe.fit(files["d.csv"])) and same(whole, recipe.fit(str(files["d.csv"])))
    assert same(whole, recipe.fit(files["d.npz"]))
    assert same(whole, recipe.fit(open_source(files["d.csv"], labelled=True)))
    assert same(recipe.fit(sparse.csr_array(X), Y), recipe.fit(files["d.svm"]))
    texts = recipe.with_(min_documents=1)
    assert same(texts.fit(TEXTS, KINDS), texts.fit(files["t.txt"])) and same(
        texts.fit(TEXTS, KINDS), texts.fit(files["t.csv"])
    )
    assert same(texts.fit(np.array(TEXTS), KINDS), texts.fit(pd.Series(TEXTS), KINDS))


def test_a_mail_is_bytes() -> None:
    mails = [f"Subject: {text}\n\n{text}\n".encode() for text in TEXTS]
    model = Recipe(keep="averaged", max_iter=5, min_documents=1).fit(mails, KINDS)
    assert "subject free" in model.features.names or any("free" in name for name in model.features.names)
    assert model.predict(mails).tolist() == KINDS


def test_a_str_that_is_no_path_is_a_text() -> None:
    model = Recipe(min_documents=1).fit(TEXTS, KINDS)
    with pytest.raises(DataError, match=r"free money: there is no such file; a list of texts: \[text\]"):
        model.predict("free money")
    with pytest.raises(DataError, match=r"a list of texts: \[text\]"):
        Recipe().fit("free money", ["spam"])
    assert model.predict(["free money"]).tolist() == ["spam"]


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: Recipe().fit(X), "there are no labels"),
    (lambda: Recipe().fit(X, Y[:3]), "6 rows but labels of shape"),
    (lambda: Recipe().fit(FRAME, "kind"), "no column 'kind'"),
    (lambda: Recipe(bits=9, dictionary="hashed").fit(X, Y), "the option is for texts and mails"),
    (lambda: Recipe().fit([*TEXTS[:5], 3], KINDS), "row 6: found int among texts"),
    (lambda: Recipe().fit(X, Y).predict(X[:, :1]), "found 1 column; the model was trained on 2"),
    (lambda: Recipe().fit(FRAME, Y).predict(FRAME[["age"]]), "no column 'height'"),
    (lambda: Recipe().fit(X, Y).predict(TEXTS), "found text"),
    (lambda: Recipe().fit(X, Y).probabilities(X), "has no probabilities"),
    (lambda: Recipe().fit(X, Y).evaluate(X), "there are no labels"),
])  # fmt: skip
def test_data_that_do_not_fit_are_refused_in_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises((DataError, SettingError)) as error:
        call()
    assert sentence in str(error.value)


def test_columns_are_found_by_their_names() -> None:
    model = Recipe(scale="standard").fit(FRAME, Y)
    turned = FRAME[["height", "age"]]
    assert np.array_equal(model.decision(turned), model.decision(FRAME))
    assert model.explain(FRAME)[0].names[0] in ("age", "height")


# --- what a recipe does ---


def test_a_recipe_learns_what_the_estimator_learns() -> None:
    words = {"keep": "averaged", "max_iter": 9, "calibrate": "sigmoid", "calibrate_folds": 3}
    with pytest.warns(UserWarning, match="probabilities from so few rows are guesses"):
        model, other = Recipe(**words).fit(X, Y), LinearClassifier(**words).fit(X, Y)
    assert same(model, other.model_)
    assert np.array_equal(model.probabilities(X), other.predict_proba(X))
    weight = np.array([1.0, 2.0, 0.0, 1.0, 1.0, 3.0])
    assert same(Recipe().fit(X, Y, weight), LinearClassifier().fit(X, Y, weight).model_)


def test_going_on_is_the_same_as_never_having_stopped(tmp_path: Path) -> None:
    recipe, data = Recipe(keep="averaged", scale="standard", max_iter=3, rule="margin"), tmp_path / "noise.npz"
    random = np.random.default_rng(1)
    np.savez(data, X=random.normal(size=(60, 3)), y=random.integers(0, 2, 60))
    whole, first = recipe.with_(max_iter=6).fit(data), recipe.fit(data)
    again = recipe.fit_more(first, data)
    assert first.run.epoch == 3 and again.run.epoch == 6 and same(whole, again)
    with pytest.raises(SettingError, match="keep=voted: the model goes on as it began, with averaged"):
        recipe.with_(keep="voted").fit_more(first, data)
    with pytest.raises(SettingError, match="scale: the model goes on with what it has"):
        recipe.with_(scale="unit").fit_more(first, data)


def test_validation_order_start_and_observers(files: dict[str, Path]) -> None:
    seen = []
    model = Recipe(max_iter=4, order="given").fit(X, Y, observers=[lambda event: seen.append(event.run.epoch)])
    assert model.run.epoch == len(seen)
    held = Recipe(validation=(X, Y), max_iter=4).fit(files["d.csv"])
    assert held.run.best is not None
    assert Recipe(validation=files["d.csv"], max_iter=4).fit(X, Y).run.best is not None
    more = Recipe(start=model, max_iter=1).fit(X, Y)
    assert more.run.epoch == 1 and more.predict(X).tolist() == Y.tolist()


def test_a_threshold_is_a_word_or_chosen_later(files: dict[str, Path]) -> None:
    data = shipped("sms")
    recipe = Recipe(keep="averaged", max_iter=3)
    careful = recipe.with_(max_false_positives=0.02).fit(data)
    assert careful.choice is not None and careful.choice["by"] == "max_false_positives"
    model = recipe.fit(data)
    later = Recipe(cost={"spam": 1.0, "ham": 10.0}).choose_threshold(model, data)
    assert model.choice is None and later.choice is not None and later.threshold != model.cut
    measured = later.evaluate(data)
    assert measured["false_positives"] == later.choice["false_positives"]


def test_the_model_file_holds_the_recipe(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "a.model"
    well("train", files["d.csv"], "-o", path, "--keep", "averaged", "--scale", "standard", "--epochs", "4")
    model = Model.load(path)
    recipe = Recipe(keep="averaged", scale="standard", max_iter=4)
    assert Recipe.from_dict(model.recipe) == recipe
    assert same(model, Recipe.from_dict(model.recipe).fit(files["d.csv"]))
    AveragedPerceptron(max_iter=4).fit(X, Y).model_.save(path)
    assert same(Model.load(path), Recipe.from_dict(Model.load(path).recipe).with_(keep="averaged").fit(X, Y))


# --- what trials by users found ---


def test_columns_are_matched_by_name_or_refused_never_by_place(files: dict[str, Path], tmp_path: Path) -> None:
    model = Recipe(scale="standard").fit(FRAME, Y)
    turned = tmp_path / "turned.csv"
    FRAME[["height", "age"]].assign(label=Y).to_csv(turned, index=False)
    assert model.predict(turned).tolist() == model.predict(files["d.csv"]).tolist() == model.predict(FRAME).tolist()
    with pytest.raises(
        DataError, match="the columns of the source are height, age; expected the model's, in this order"
    ):
        model.predict(open_source(turned, labelled=True))
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(FRAME[["height", "age"]])
    assert model.predict(arrow).tolist() == model.predict(FRAME).tolist()


def test_the_column_of_labels_is_remembered(files: dict[str, Path], tmp_path: Path) -> None:
    whole, path = FRAME.assign(kind=Y), tmp_path / "whole.csv"
    whole.to_csv(path, index=False)
    model = Recipe().fit(whole, "kind")
    assert same(model, Recipe(label="kind").fit(whole)) and same(model, Recipe(drop="kind").fit(whole, Y))
    assert model.predict(path).tolist() == model.predict(whole).tolist() == model.predict(FRAME).tolist()
    assert model.evaluate(whole) == model.evaluate(path) == model.evaluate(FRAME, Y)
    model.save(tmp_path / "m")
    assert well("predict", tmp_path / "m", path).out.split() == model.predict(whole).tolist()


def test_words_for_files_are_not_ignored_on_what_is_in_memory() -> None:
    for words in ({"base": 0}, {"format": "csv"}, {"label": "kind"}, {"fields": ["subject"]}):
        with pytest.raises(SettingError, match=f"{next(iter(words))}: the data are in memory; this is for files"):
            Recipe(**words).fit(X, Y)
    mails = [f"Subject: {text}\nX-Own: yes\n\n{text}\n".encode() for text in TEXTS]
    few, usual = (Recipe(min_documents=1, **words).fit(mails, KINDS) for words in ({"fields": ["x-own"]}, {}))
    assert few.reading == {"fields": ["x-own"]} and set(few.features.names) != set(usual.features.names)
    assert few.predict(mails).tolist() == KINDS
    frame = pd.DataFrame({"words": TEXTS, "kind": KINDS})
    assert Recipe(min_documents=1, text="words").fit(frame, "kind").predict(TEXTS).tolist() == KINDS


def test_a_text_where_a_list_is_meant_is_parted_as_in_the_shell() -> None:
    assert Recipe(fields="subject,sender")["fields"] == ["subject", "sender"]
    assert Recipe(drop="id")["drop"] == ["id"]


def test_labels_beside_a_file_are_refused_by_models_too(files: dict[str, Path]) -> None:
    model = Recipe().fit(files["d.csv"])
    for call in (model.evaluate, model.explain):
        with pytest.raises(DataError, match="the labels of a file are in the file"):
            call(files["d.csv"], ["no"] * 6)


def test_none_is_no_scaling_and_labels_of_costs_are_labels() -> None:
    assert Recipe(scale=None, min_documents=1).fit(TEXTS, KINDS).features.recipe()["scale"] == []
    numbers = np.where(Y == "yes", 1, 0)
    model = Recipe(keep="averaged").fit(X, numbers)
    assert Recipe(cost={0: 3.0, 1: 1.0}).choose_threshold(model, X, numbers).choice["by"] == "cost"


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: Recipe(header="no"), "header='no' must be True or False"),
    (lambda: Recipe(base=2), "base=2"),
    (lambda: Recipe(scale=True).fit(X, Y), "scaling 'True' is not understood"),
    (lambda: Recipe(max_false_positives="1%"), "must be a share above 0 and below 1"),
    (lambda: Recipe(confidence="x", max_false_positives=0.1), "confidence='x' must be a share"),
    (lambda: Recipe(epochs=3), "a recipe has no word epochs; did you mean max_iter?"),
    (lambda: Recipe(eta=3), "did you mean eta0?"),
    (lambda: Recipe(seed=3), "did you mean random_state?"),
    (lambda: Recipe().fit(None, Y), "the data are NoneType; expected an array"),
    (lambda: Recipe().fit({"a": 1}, Y), "the data are dict; expected an array"),
    (lambda: Recipe().fit(b"Subject: x", Y), r"the data are bytes; expected a mail: [mail]"),
    (lambda: Recipe().fit_more(None, X, Y), "found NoneType; expected a model, the path of one"),
])  # fmt: skip
def test_slips_get_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises((DataError, SettingError)) as error:
        call()
    assert sentence in str(error.value)


def test_models_compare_print_and_stand_for_estimators(tmp_path: Path) -> None:
    model = Recipe().fit(X, Y)
    assert model == model and model != Recipe().fit(X, Y)
    assert repr(model) == "<Model: perceptron, keep last; 2 features, classes no, yes>"
    estimator = AveragedPerceptron(max_iter=2).fit(X, Y)
    model.save(tmp_path / "m")
    assert Recipe(max_iter=1).fit_more(estimator, X, Y).run.epoch >= 2
    assert Recipe(max_iter=1).fit_more(tmp_path / "m", X, Y).run.epoch > model.run.epoch
    assert Recipe(start=estimator, max_iter=1).fit(X, Y).run.epoch == 1
    assert "{choices}" not in (Recipe.__doc__ or "")
