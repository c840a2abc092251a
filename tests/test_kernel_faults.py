"""What kernels, maps and virtual examples refuse, and what must not change an answer: kinds of faults, once met."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_moons

from command import run, well
from rosenblatt import KernelPerceptron, LinearClassifier, Model, Recipe
from rosenblatt.cli.app import app
from rosenblatt.cli.command import Option
from rosenblatt.core.rows import dense
from rosenblatt.errors import DataError, ModelError, RosenblattError, SettingError
from rosenblatt.features.maps import map_classes
from rosenblatt.features.pipeline import Features
from rosenblatt.kernels import kernel_classes, kernel_from
from rosenblatt.read import reading_table
from rosenblatt.recipe.table import recipe_table
from rosenblatt.theory import in_kernel

X, Y = make_moons(60, noise=0.25, random_state=3)
K = (X @ X.T + 1.0) ** 2
OF_NUMBERS = [name for name in kernel_classes() if name not in ("precomputed", "spectrum")]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    warnings.simplefilter("ignore")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, values in (("a.csv", X), ("k.csv", K)):
        rows = [",".join(map(str, [*row, ["no", "yes"][label]])) for row, label in zip(values.tolist(), Y, strict=True)]
        head = ",".join([*(f"x{j}" for j in range(values.shape[1])), "label"])
        Path(name).write_text("\n".join([head, *rows]) + "\n")
    return tmp_path


# --- values that are huge, tiny, or far from 0 -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        *({"kernel": name} for name in OF_NUMBERS),
        {"kernel": "rbf:gamma=1"},
        {"kernel": "rbf", "budget": 5},
        *({"map": f"{name}:components=9"} for name in map_classes() if name != "pairs"),
        {"map": "nystroem:components=9,kernel=poly"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("dtype", "sizes"), [(float, (-200, 160, 200, 307)), (np.float32, (-30, 20, 38))])
def test_values_of_any_size_are_learned_from_or_refused_alike(words: dict[str, Any], dtype: Any, sizes: Any) -> None:
    for size in sizes:
        with pytest.raises(DataError, match="largest value of all.*scale the features"):
            Recipe(**words, max_iter=2).fit((X * 10.0**size).astype(dtype), Y)
    for size in (-8, 3):
        model = Recipe(**words, max_iter=2).fit((X * 10.0**size).astype(dtype), Y)
        assert np.isfinite(model.decision((X * 10.0**size).astype(dtype))).all()


def test_a_width_that_the_numbers_do_not_hold() -> None:
    for size, dtype in ((-155, float), (-20, np.float32)):
        with pytest.raises(DataError, match="squares of such values do not fit float.*; scale the features"):
            KernelPerceptron().fit((X * 10.0**size).astype(dtype), Y)
    with pytest.raises(DataError, match="row 1: kernel .* has values there that float64 does not hold; scale the"):
        in_kernel(X * 1e200, Y, "rbf")
    for gamma in (10**400, -(10**400)):
        with pytest.raises(SettingError, match='kernel rbf: gamma .* must be "scale" or a number > 0'):
            KernelPerceptron(gamma=gamma).fit(X, Y)
    with pytest.raises(SettingError, match="tol"):
        LinearClassifier(tol=-(10**400)).fit(X, Y)


@pytest.mark.parametrize("words", [{}, {"kernel": "rbf:gamma=2"}, {"budget": 20}, {"keep": "voted"}], ids=str)
def test_where_rows_lie_changes_no_answer_of_rbf(words: dict[str, Any], tmp_path: Path) -> None:
    model = LinearClassifier(**{"kernel": "rbf", "keep": "averaged", "max_iter": 3, **words})
    scores = clone(model).fit(X, Y).decision_function(X)
    for by, dtype, off in ((1e3, float, 1e-9), (1e6, float, 1e-6), (100.0, np.float32, 1e-3)):
        moved = (X + by).astype(dtype)
        far = clone(model).fit(moved, Y)
        np.testing.assert_allclose(far.decision_function(moved), scores, rtol=0, atol=off)
        np.testing.assert_allclose(far.decision_function(csr_array(moved)), scores, rtol=0, atol=off)
        far.model_.save(tmp_path / "m")
        assert np.array_equal(Model.load(tmp_path / "m").decision(moved), far.model_.decision(moved))
    fitted = kernel_from("rbf").fitted(dense(X + 1e6))
    near = kernel_from("rbf").fitted(dense(X))
    assert near.centre is None and fitted.gamma == pytest.approx(near.gamma, rel=1e-9)
    wanted = near.block(dense(X), dense(X))
    np.testing.assert_allclose(fitted.block(dense(X + 1e6), dense(X + 1e6)), wanted, atol=1e-8)


def test_a_damaged_centre_or_mark() -> None:
    for kernel, x, name in (("rbf", X + 1e6, "centre"), ("precomputed", K, "mark")):
        features = Recipe(kernel=kernel, max_iter=2).fit(x, Y).features
        recipe, tensors = features.recipe(), features.tensors()
        place = next(each for each in tensors if each.endswith(f"kernel_{name}"))
        Features.restore(
            recipe, {each: value for each, value in tensors.items() if each != place}
        )  # as of earlier files
        for wrong in (tensors[place][:-1], tensors[place].astype(np.float32)):
            with pytest.raises(ModelError):
                Features.restore(recipe, {**tensors, place: wrong})


# --- what is no kernel, and what is known of one ---------------------------------------------------------------------


def test_rows_that_a_given_kernel_does_not_know(tmp_path: Path) -> None:
    """Going on with the same rows is one run; with any others it is refused."""
    words: Any = {"kernel": "precomputed", "tol": None}
    once = LinearClassifier(max_iter=4, **words).fit(K, Y)
    half = LinearClassifier(max_iter=2, warm_start=True, **words).fit(K, Y)
    Recipe(max_iter=2, kernel="precomputed").fit(K, Y).save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    turned = K[::-1, ::-1]
    for other, y in ((turned, Y[::-1]), (K[:10], Y[:10])):
        for going_on in (
            half.fit,
            half.partial_fit,
            lambda x, y: Recipe(max_iter=1).fit_more(loaded, x, y),
        ):
            with pytest.raises(DataError, match="found other rows to go on with, .* expected the same rows again"):
                going_on(other, y)
    half.fit(csr_array(K), Y)
    np.testing.assert_allclose(half.decision_function(K), once.decision_function(K), rtol=1e-12)
    assert Recipe(max_iter=1).fit_more(loaded, K, Y).run.epoch == 3


def test_rows_set_aside_of_a_given_kernel() -> None:
    for held in (0.2, (K[:9], Y[:9])):
        model = Recipe(kernel="precomputed", validation=held, max_iter=3).fit(K, Y)
        other = Recipe(kernel="poly:degree=2", validation=0.2 if held == 0.2 else (X[:9], Y[:9]), max_iter=3).fit(X, Y)
        np.testing.assert_allclose(model.decision(K), other.decision(X), rtol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_what_is_no_kernel(make: Any) -> None:
    uneven = K.copy()
    uneven[3, 7] += 1.0
    with pytest.raises(DataError, match="K of rows 4 and 8 is .*, and the other way round .*; expected the same"):
        KernelPerceptron(kernel="precomputed").fit(make(uneven), Y)
    with pytest.raises(
        DataError, match=r"kernel precomputed is none: row 1: its K\(x, x\) is -.*; expected values ≥ 0"
    ):
        KernelPerceptron(kernel="precomputed").fit(make(-K), Y)
    for words in ({}, {"budget": 4}):
        with pytest.raises(DataError, match=r"is none: row 1: its K\(x, x\) is -.*; expected values ≥ 0"):
            KernelPerceptron(kernel=lambda a, b: -(a @ b.T), **words).fit(make(X), Y)
    KernelPerceptron(kernel="precomputed", max_iter=2).fit(make(K * (1.0 + 1e-9 * np.triu(np.ones(K.shape)))), Y)


@pytest.mark.parametrize("word", [{"scale": "standard"}, {"scale": "unit"}, {"degree": 2}, {"map": "fourier"}], ids=str)
def test_columns_that_are_values_of_k_stay_as_they_are(word: dict[str, Any], here: Path) -> None:
    with pytest.raises(SettingError, match="is of features, and the columns of kernel=precomputed are values of K"):
        Recipe(kernel="precomputed", **word).fit(K, Y)
    ((name, value),) = word.items()
    shown = run("train", "k.csv", "-o", "m", "--kernel", "precomputed", f"--{name}", str(value))
    assert shown.code == 2 and f"--{name} {value} is of features" in shown.err


def test_texts_are_for_recipes() -> None:
    for kernel in ("spectrum", "spectrum:length=3"):
        for data in (X, ["a text", "another"] * 30):
            for model in (KernelPerceptron(kernel=kernel), LinearClassifier(kernel=kernel)):
                with pytest.raises(SettingError, match="is of texts, and estimators take rows of numbers; Recipe"):
                    model.fit(data, Y)


def test_parameters_beside_a_kernels_text() -> None:
    def asked(**words: Any) -> Any:
        return KernelPerceptron(max_iter=2, **words).fit(X, Y).model_.run.settings.words()["kernel"]

    assert asked(kernel="poly:degree=4", coef0=2.0) == "poly:degree=4,coef0=2.0"
    assert asked(kernel="poly:degree=4", degree=4) == "poly:degree=4" == asked(kernel="poly: degree = 4")
    with pytest.raises(SettingError, match="kernel='poly:degree=4' and degree=2: give one of them"):
        asked(kernel="poly:degree=4", degree=2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nystroem:kernel=poly,gamma=scale", "kernel poly: gamma 'scale' must be a number > 0"),
        ("nystroem:degree=3", "kernel rbf has no degree; leave it out"),
        ("nystroem:kernel=linear,gamma=2", "kernel linear has no gamma; leave it out"),
        ("nystroem:kernel=linear,coef0=0", "kernel linear has no coef0; leave it out"),
    ],
)
def test_parameters_that_a_maps_kernel_has_not(text: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        Recipe(map=text).fit(X, Y)


def test_what_is_not_there_says_why() -> None:
    model = KernelPerceptron(kernel="poly", max_iter=2).fit(X, Y)
    assert np.array_equal(model.support_vectors_, X[model.support_])
    with pytest.raises(AttributeError, match="has no coef_: with a kernel weights are of rows, dual_coef_"):
        _ = model.coef_
    with pytest.raises(AttributeError, match="has no support_vectors_: there is no kernel"):
        _ = LinearClassifier(max_iter=2).fit(X, Y).support_vectors_
    assert not hasattr(KernelPerceptron(kernel="precomputed", max_iter=2).fit(K, Y), "support_vectors_")


# --- virtual examples ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda a: None, "gave None; expected a list of arrays of shape"),
        (lambda a: a, "gave one array of shape"),
        (lambda a: [], r"gave \[\]; expected a list"),
        (lambda a: ["x"], "array 1 holds something that is no number"),
        (lambda a: [a, a[:-1]], "gave an array of shape"),
        (lambda a: [a, a * np.nan], "gave NaN or infinity in row 1 of array 2; expected finite numbers"),
        (lambda a: 1 / 0, "fails: ZeroDivisionError: division by zero"),
    ],
)
def test_functions_that_make_no_examples(function: Any, sentence: str) -> None:
    with pytest.raises(RosenblattError, match=f"virtual .*<lambda>.* {sentence}|virtual .*<lambda>: {sentence}"):
        KernelPerceptron(virtual=function, max_iter=2).fit(X, Y)


def test_virtual_examples_beside_validation() -> None:
    x = np.random.default_rng(0).normal(size=(60, 9))
    words: Any = {"kernel": "rbf", "virtual": "shift:1", "max_iter": 4}
    for held in (0.2, (x, Y)):
        run = Recipe(**words, validation=held).fit(x, Y).run
        scores = run.history["validation"]
        assert len(scores) == run.epoch == 8 and scores[run.best.epoch - 1] == run.best.score == max(scores[4:])
    early = KernelPerceptron(virtual="shift:1", early_stopping=True, max_iter=4).fit(x, Y)
    assert len(early.history_["validation"]) == 8


def test_going_on_makes_none() -> None:
    x = np.random.default_rng(0).normal(size=(60, 9))
    model = KernelPerceptron(virtual="shift:1", warm_start=True, max_iter=2).fit(x, Y)
    with pytest.raises(SettingError, match="virtual=shift:1: learning goes on with rows, of which no virtual"):
        model.fit(x, Y)
    with pytest.raises(AttributeError, match="has no partial_fit: virtual examples are made"):
        _ = model.partial_fit


# --- words of the shell ----------------------------------------------------------------------------------------------

FREE = {"max_iter", "max_updates", "max_time", "n_iter_no_change", "validation", "scoring", "class_weight"}
FREE |= {"stop_if_not_separable", "calibrate", "calibrate_folds", "max_false_positives", "max_false_negatives", "cost"}
FREE |= {"at", "confidence", "order"}
"""What a run that goes on takes anew."""
OTHER: dict[str, Any] = {
    "rule": "margin", "metric": "adagrad", "kernel": "poly", "budget": 5, "virtual": "shift:1", "random_state": 3,
    "positive": "0", "start": "random:1", "scale": "standard", "char_ngrams": "3-4", "known_senders": "FILE",
    "map": "fourier", "learning_rate": "sqrt", "tol": 0.5, "eta0": 0.5, "max_size": 5, "dictionary": "hashed",
}  # fmt: skip


def test_going_on_ignores_no_word() -> None:
    """Each word that is not taken anew is refused where it says something else than the model's; words of reading are
    those of the rows that come."""
    model = Recipe(kernel="rbf", max_iter=2).fit(X, Y)
    table = recipe_table()
    for name in table.keys() - FREE - reading_table().keys():
        each = table[name]
        if name in OTHER:
            value = OTHER[name]
        elif each.kind is bool:
            value = not each.default
        elif each.choices:
            value = next(choice for choice in each.choices if choice != each.default)
        else:
            value = each.default + 1
        with pytest.raises(SettingError):
            Recipe.to_go_on(**{name: value}).fit_more(model, X, Y)
            pytest.fail(f"{name} is ignored")


def _options() -> list[Any]:
    def walk(command: Any, path: str) -> Any:
        if isinstance(command, click.Group):
            for name in command.list_commands(None):
                yield from walk(command.get_command(None, name), f"{path} {name}")
        else:
            yield from ((f"{path} {p.name}", command, p) for p in command.params if isinstance(p, Option))

    return list(walk(app, ""))


def test_none_is_taken_wherever_the_help_says_so() -> None:
    asked = [each for each in _options() if (each[2].help or "").endswith("[default: none]")]
    assert len(asked) > 30
    for path, command, each in asked:
        context = click.Context(command)
        value = each.process_value(context, "none")
        assert value is None or each.default == "none" == value, path


def test_none_in_the_shell_is_nothing_said(here: Path) -> None:
    words = ["--kernel", "--virtual", "--map", "--class-weight", "--start", "--scoring", "--cost", "--at"]
    well("train", "a.csv", "-o", "n", "--epochs", "2", *(part for word in words for part in (word, "none")))
    well("train", "a.csv", "-o", "p", "--epochs", "2")
    assert np.array_equal(Model.load("n").weights[0], Model.load("p").weights[0])


def test_words_beside_continue(here: Path) -> None:
    well("train", "a.csv", "-o", "m", "--kernel", "rbf", "--epochs", "2")
    for words in (["--budget", "5"], ["--virtual", "shift:1"]):
        shown = run("train", "a.csv", "-o", "n", "--continue", "m", *words)
        assert shown.code == 2 and f"{' '.join(words)}: the model goes on" in shown.err


def test_advice_that_can_be_followed(here: Path) -> None:
    """Whatever `next:` names goes with what was asked for."""
    pocket = well("train", "a.csv", "-o", "m", "--kernel", "linear", "--keep", "pocket", "--epochs", "3").out
    assert "next: " in pocket and "pick-random" not in pocket
    wide = X * [1.0, 1e5]
    rows = "\n".join(f"{a},{b},{c}" for (a, b), c in zip(wide.tolist(), Y, strict=True))
    Path("w.csv").write_text(f"a,b,label\n{rows}\n")
    assert "--scale standard" in well("train", "w.csv", "-o", "m", "--epochs", "2").out
    mapped = well("train", "w.csv", "-o", "m", "--map", "nystroem:components=9,kernel=poly", "--epochs", "2").out
    assert "next: " in mapped and "--scale" not in mapped


def test_a_learning_curve_of_a_given_kernel(here: Path) -> None:
    from json import loads

    words = ["--epochs", "3", "--json", "--learning-curve"]
    given = well("train", "k.csv", "-o", "m", "--kernel", "precomputed", *words, "k.png")
    made = well("train", "a.csv", "-o", "m", "--kernel", "poly:degree=2", *words, "a.png")
    given, made = (loads(each.out)["learning_curve"] for each in (given, made))
    assert given["error"] == made["error"] and given["rows"] == made["rows"]
