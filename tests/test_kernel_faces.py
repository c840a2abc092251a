"""Kernels through the estimators, recipes and the shell: every face learns the same, and says what is true."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from command import WORDS, mail_folder, run, well, write
from rosenblatt import KernelPerceptron, LinearClassifier, Model, Recipe, plots
from rosenblatt.errors import DataError, ModelError, SettingError
from samples import KEEPS, three_classes, two_classes

Array = np.ndarray[Any, Any]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def cubic(a: Array, b: Array) -> Array:
    return np.asarray((a @ b.T + 1.0) ** 3)


def xor(n: int = 80, seed: int = 0) -> tuple[Array, Array]:
    """Rows that no line parts: the sign of the product of two numbers."""
    x = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 2)).round(3)
    return x, np.where(x[:, 0] * x[:, 1] > 0.0, "same", "other")


def whole(n: int = 60) -> tuple[Array, Array]:
    """Small whole numbers, of which every sum is exact."""
    random = np.random.default_rng(1)
    cells = random.permutation(7**3)[:n]  # each another one
    return np.stack(np.unravel_index(cells, (7, 7, 7)), axis=1) - 3.0, random.integers(0, 3, n)


# --- shapes that no line parts ---------------------------------------------------------------------------------------


def checkerboard(n: int = 400) -> tuple[Array, Array]:
    x = np.random.default_rng(0).uniform(0.0, 4.0, (n, 2))
    return x, x.astype(int).sum(axis=1) % 2


SHAPES = {
    "XOR": (([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]), "poly:degree=2"),
    "XOR of many": (xor(), "poly:degree=2"),
    "circles": (make_circles(200, noise=0.08, factor=0.5, random_state=0), "poly:degree=2"),
    "moons": (make_moons(200, noise=0.1, random_state=0), "rbf:gamma=4"),
    "checkerboard": (checkerboard(), "rbf:gamma=8"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_right_kernel_makes_no_error(shape: str) -> None:
    (x, y), kernel = SHAPES[shape]
    model = LinearClassifier(kernel=kernel).fit(x, y)
    assert model.converged_ and model.score(x, y) == 1.0
    assert LinearClassifier(keep="pocket", max_iter=20).fit(x, y).score(x, y) < 0.95, "without one there is none"


# --- the estimators --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_what_it_holds_is_what_it_answers_by(keep: str, make: Any) -> None:
    """decision = dual_coef_ · K(support, x) + intercept."""
    for x, y in (two_classes(n=60), three_classes(n=60)):
        model = LinearClassifier(kernel="rbf:gamma=0.1", keep=keep, max_iter=5).fit(make(x), y)
        k = 1 if len(set(y.tolist())) == 2 else 3
        assert model.dual_coef_.shape == (k, model.n_support_) and model.support_.shape == (model.n_support_,)
        assert model.intercept_.shape == (k,) and not hasattr(model, "coef_")
        assert np.all(np.diff(model.support_) > 0) and (model.dual_coef_ != 0.0).any(axis=0).all()
        own = rbf_kernel(x, x[model.support_], 0.1) @ model.dual_coef_.T + model.intercept_
        np.testing.assert_allclose(model.decision_function(make(x)).reshape(len(x), -1), own, rtol=1e-9, atol=1e-9)


def test_the_named_one_and_the_general_one() -> None:
    x, y = two_classes(n=60)
    for named, text in (
        (KernelPerceptron(max_iter=5), "rbf"),
        (KernelPerceptron(gamma=0.25, max_iter=5), "rbf:gamma=0.25"),
        (KernelPerceptron(kernel="poly", degree=2, unit=True, max_iter=5), "poly:degree=2,unit=true"),
        (KernelPerceptron(kernel="poly", gamma=0.5, coef0=2.0, max_iter=5), "poly:gamma=0.5,coef0=2.0"),
        (KernelPerceptron(kernel="linear", max_iter=5), "linear"),
        (KernelPerceptron(kernel=cubic, max_iter=5), "poly"),
    ):
        general = LinearClassifier(kernel=text, max_iter=5).fit(x, y)
        found = clone(named).fit(x, y).decision_function(x)
        np.testing.assert_allclose(found, general.decision_function(x), rtol=1e-9, atol=1e-9)
    with pytest.raises(SettingError, match="kernel poly: degree 0 must be a whole number ≥ 1"):
        KernelPerceptron(kernel="poly", degree=0).fit(x, y)
    with pytest.raises(SettingError, match="unknown kernel='pol'.*did you mean poly"):
        KernelPerceptron(kernel="pol").fit(x, y)


@pytest.mark.parametrize("keep", KEEPS)
def test_a_hundred_calls_are_one(keep: str) -> None:
    """Each call keeps the rows with weights alone, and adds others again."""
    x, y = whole()
    words = {"kernel": "poly:degree=2", "keep": keep}
    one = LinearClassifier(max_iter=30, tol=None, **words).fit(x, y)
    many = LinearClassifier(max_iter=1, tol=None, warm_start=True, **words)
    for _ in range(30):
        many.fit(x, y)
    assert one.mistakes_ == many.mistakes_ and one.t_ == many.t_ and one.n_updates_ == many.n_updates_
    np.testing.assert_allclose(many.decision_function(x), one.decision_function(x), rtol=1e-9)
    assert sorted(one.dual_coef_[0]) == pytest.approx(sorted(many.dual_coef_[0]))


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_a_stream_is_learned_from_as_without_a_kernel(keep: str, make: Any) -> None:
    x, y = whole(90)
    found, plain = (LinearClassifier(kernel=kernel, keep=keep) for kernel in ("linear", None))
    for part in np.array_split(np.arange(90), 7):
        found.partial_fit(make(x[part]), y[part], classes=[0, 1, 2])
        plain.partial_fit(make(x[part]), y[part], classes=[0, 1, 2])
        assert found.mistakes_ == plain.mistakes_
        np.testing.assert_allclose(found.decision_function(x), plain.decision_function(x), rtol=1e-9, atol=1e-9)
    assert found.n_support_ <= len(np.unique(x, axis=0)), "a row that comes again is one"


def test_as_others_use_estimators() -> None:
    x, y = xor(120)
    model = KernelPerceptron(gamma=2.0, keep="averaged", max_iter=20).fit(x, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(x), model.decision_function(x))
    assert np.array_equal(clone(model).fit(x, y).dual_coef_, model.dual_coef_)
    narrow = clone(model).fit(x.astype(np.float32), y)
    assert narrow.score(x.astype(np.float32), y) > 0.9
    search = GridSearchCV(
        KernelPerceptron(keep="averaged", max_iter=20), {"gamma": [0.01, 2.0], "kernel": ["rbf", "linear"]}, cv=3
    )
    assert search.fit(x, y).best_params_ == {"gamma": 2.0, "kernel": "rbf"} and search.best_score_ > 0.85
    outer = CalibratedClassifierCV(KernelPerceptron(gamma=2.0, keep="averaged", max_iter=20), cv=3).fit(x, y)
    assert outer.score(x, y) > 0.9
    assert (
        cross_val_score(make_pipeline(StandardScaler(), KernelPerceptron(keep="averaged", max_iter=20)), x, y).mean()
        > 0.85
    )
    early = KernelPerceptron(early_stopping=True, scoring="balanced_accuracy", n_iter_no_change=3).fit(x, y)
    assert 0.8 < max(early.history_["validation"]) <= 1.0 and early.score(x, y) > 0.85
    inner = KernelPerceptron(gamma=2.0, keep="averaged", calibrate="sigmoid", max_iter=20).fit(x, y)
    assert inner.predict_proba(x).shape == (120, 2) and inner.score(x, y) > 0.9
    pocket = KernelPerceptron(gamma=0.01, keep="pocket", scoring="f1_macro", max_iter=5).fit(x, y)
    assert pocket.score(x, y) > 0.5


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_values_that_are_there_already_are_cut_out_by_both_sides(make: Any) -> None:
    """The tag `pairwise`, by which splits choose columns as they choose rows."""
    x, y = xor(90)
    k = polynomial_kernel(x, x, 2, 1.0, 1.0)
    given, made = (
        KernelPerceptron(kernel="precomputed", max_iter=20),
        KernelPerceptron(kernel="poly", degree=2, max_iter=20),
    )
    assert given.__sklearn_tags__().input_tags.pairwise and not made.__sklearn_tags__().input_tags.pairwise
    assert cross_val_score(given, make(k), y, cv=3).tolist() == cross_val_score(made, x, y, cv=3).tolist()
    given.fit(make(k[:60, :60]), y[:60])
    assert np.array_equal(given.predict(make(k[60:, :60])), made.fit(x[:60], y[:60]).predict(x[60:]))
    with pytest.raises(ValueError, match="X has 90 features, but KernelPerceptron is expecting 60"):
        given.predict(k)
    with pytest.raises(DataError, match="precomputed: found 60 rows of 90 values"):
        KernelPerceptron(kernel="precomputed").fit(make(k[:60]), y[:60])


def test_bad_values_are_named() -> None:
    x, y = xor()
    bad = x.copy()
    bad[16, 1] = np.nan
    for kernel in ("rbf", "poly", cubic):
        model = KernelPerceptron(kernel=kernel)
        with pytest.raises(DataError, match="row 17, feature 2"):
            clone(model).fit(bad, y)
        with pytest.raises(DataError, match="row 17, feature 2"):
            model.fit(x, y).predict(bad)
    bad[16, 1] = 1e40
    with pytest.raises(
        DataError, match=r"row 17: its K\(x, x\) is inf, too large for sums in float64; scale the features"
    ):
        KernelPerceptron(kernel="poly", degree=10).fit(bad, y)
    with pytest.raises(DataError, match=r"row 17: its squared length 1e\+60 is too large for sums in float32"):
        KernelPerceptron(kernel="poly", degree=2).fit((bad / 1e10).astype(np.float32), y)
    with pytest.raises(ValueError, match="row 17: its score overflows"):
        KernelPerceptron(kernel="poly", degree=10).fit(x, y).predict(bad)


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("kernel", ["rbf", "poly:degree=2,unit=true", "precomputed", cubic])
def test_a_file_answers_and_goes_on_alike(kernel: Any, keep: str, tmp_path: Path) -> None:
    for x, y in (xor(40), whole(40)):
        data = x @ x.T if kernel == "precomputed" else x
        model = LinearClassifier(kernel=kernel, keep=keep, max_iter=4).fit(data, y)
        model.model_.save(tmp_path / "m")
        loaded = Model.load(tmp_path / "m")
        assert np.array_equal(loaded.decision(data), model.decision_function(data))
        loaded.save(tmp_path / "again")
        assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
        if kernel != "precomputed":
            again = Recipe(max_iter=3, kernel=kernel)
            one, other = (again.fit_more(each, data, y) for each in (loaded, model.model_))
            assert np.array_equal(one.decision(data), other.decision(data))


def test_a_function_is_found_by_its_name_or_not_saved(tmp_path: Path) -> None:
    x, y = xor(40)
    (tmp_path / "own_kernel.py").write_text("def squared(a, b):\n    return (a @ b.T + 1.0) ** 2\n")
    program = f"""
import sys, pickle
sys.path.insert(0, {str(tmp_path)!r})
import own_kernel, numpy as np
from rosenblatt import LinearClassifier
from test_kernel_faces import xor
model = LinearClassifier(kernel=own_kernel.squared).fit(*xor(40))
model.model_.save({str(tmp_path / "m")!r})
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parent)
    with pytest.raises(
        ModelError, match="m: the kernel is the function 'squared' of 'own_kernel'; import that module first"
    ):
        Model.load(tmp_path / "m")
    shown = run("predict", tmp_path / "m", write(tmp_path / "d.csv", "a,b\n1,2\n"))
    assert shown.code == 4 and "import that module first" in shown.err
    for function in (lambda a, b: a @ b.T, type("Own", (), {"__call__": lambda self, a, b: a @ b.T})()):
        model = LinearClassifier(kernel=function, max_iter=3).fit(x, y)
        with pytest.raises(
            ModelError, match="cannot be found again by its name; put it into a module to save the model"
        ):
            model.model_.save(tmp_path / "n")
        assert not (tmp_path / "n").exists()


# --- the shell -------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    x, y = xor()
    rows = list(zip(y, x.tolist(), strict=True))
    write(tmp_path / "xor.csv", "side,a,b\n" + "".join(f"{side},{a},{b}\n" for side, (a, b) in rows))
    write(tmp_path / "xor.svm", "".join(f"{1 if side == 'same' else -1} 1:{a} 2:{b}\n" for side, (a, b) in rows))
    return tmp_path


@pytest.mark.parametrize("kernel", ["rbf:gamma=2", "poly:degree=2,unit=true"])
@pytest.mark.parametrize("data", ["xor.csv", "xor.svm"])
def test_the_shell_and_python_learn_the_same(here: Path, data: str, kernel: str) -> None:
    for name, words in {
        "last": {}, "voted": {"keep": "voted"}, "scaled": {"scale": "standard", "keep": "averaged"},
        "validated": {"validation": 0.25}, "calibrated": {"calibrate": "sigmoid", "keep": "averaged"},
        "limited": {"max_false_positives": 0.2, "keep": "averaged"},
    }.items():  # fmt: skip
        options = [part for key, value in words.items() for part in (f"--{key.replace('_', '-')}", value)]
        trained = well("train", data, "-o", name, "--kernel", kernel, *options, "--json").json
        model = Recipe(kernel=kernel, **words).fit(data)
        model.save(f"{name}.py")
        assert Path(name).read_bytes() == Path(f"{name}.py").read_bytes()
        assert (trained["features"], trained["support_vectors"]) == (2, model.width)
        shown = [json.loads(line)["score"] for line in well("predict", name, data, "--json").out.splitlines()]
        assert shown == model.decision(data).tolist()
        assert well("evaluate", name, data, "--json").json["accuracy"] == model.evaluate(data)["accuracy"]


def test_why_adds_up(here: Path) -> None:
    """Each support vector's share is K times its weight; with the intercept they are the score, to the last bit."""
    model = Recipe(kernel="rbf:gamma=2", keep="averaged").fit("xor.csv")
    for each, score in zip(model.explain("xor.csv"), model.decision("xor.csv"), strict=True):
        told = each.as_dict(None)
        assert len(told["contributions"]) == np.count_nonzero(model.weights[0])
        parts = [part["value"] * part["weight"] for part in told["contributions"]]
        assert [part["contribution"] for part in told["contributions"]] == parts
        assert sum(parts) + float(model.weights[1][0]) == pytest.approx(score, abs=1e-12)
        assert all(part["feature"].startswith("row ") for part in told["contributions"])


def test_what_it_is_called(here: Path) -> None:
    well("train", "xor.csv", "-o", "m", "--kernel", "rbf:gamma=2", "--plot", "m.png")
    model = Model.load("m")
    many = f"{model.width} support vectors"
    assert many in repr(model)
    text = well("inspect", "m", "--plot", "i.png").out
    assert f"2 features, {many}, read as table\nkernel rbf:gamma=2.0\n" in text and "scaled" not in text
    assert f"({model.width - 3} more support vectors)" in well("explain", "m", "xor.csv", "--top", "3").out
    well("train", "xor.svm", "-o", "s", "--kernel", "rbf", "--degree", "2", "--scale", "standard")
    text = well("inspect", "s").out
    assert "scaled: standard\nproducts of the scaled columns added\nkernel rbf:gamma=" in text
    assert Path("m.png").stat().st_size > 10_000 and Path("i.png").stat().st_size > 10_000
    plots.regions(model, *xor())
    with pytest.raises(DataError, match="has no coef_"):
        plots.coefficients(model)


REFUSED = {
    "--kernel polly": "unknown --kernel polly; one of .*; did you mean poly",
    "--kernel poly:degree=0": "kernel poly: degree 0 must be a whole number",
    "--kernel precomputed": "found 80 rows of 2 values; expected K of each row with each",
    "--kernel rbf --l1 0.1": "--kernel rbf learns weights of rows, not of columns, so it goes with no --l1",
    "--kernel rbf --metric adagrad": "--kernel rbf learns weights of rows, .* goes with no --metric adagrad",
    "--kernel rbf --optimizer pick-first": "does not go with --optimizer pick-first, .* use --optimizer online",
    "--start kernel": "--start kernel: the model has a kernel, and weights of rows that it learned from",
    "--start plain --kernel rbf": "--kernel: the features are those of plain, whose weights are the start",
    "--continue kernel --kernel poly": "--kernel poly: the model goes on as it began, with rbf",
    "--continue plain --kernel poly": "--kernel poly: the model goes on as it began, with none",
}


def test_what_does_not_go_together_is_refused(here: Path) -> None:
    well("train", "xor.csv", "-o", "kernel", "--kernel", "rbf", "--epochs", 2)
    well("train", "xor.csv", "-o", "plain", "--epochs", 2)
    for words, sentence in REFUSED.items():
        done = run("train", "xor.csv", "-o", "new", *words.split())
        assert done.code in (2, 3) and not Path("new").exists(), words
        assert re.search(sentence, done.err), (words, done.err)
    assert "not one hyperplane of these columns" in run("bound", "xor.csv", "--separator", "kernel").err
    assert "rows have no columns that could be written" in run("convert", "xor.csv", "c.svm", "--model", "kernel").err


def test_going_on_in_the_shell_is_one_run(here: Path) -> None:
    well("train", "xor.csv", "-o", "whole", "--kernel", "poly:degree=2", "--keep", "averaged", "--epochs", 6)
    well("train", "xor.csv", "-o", "m", "--kernel", "poly:degree=2", "--keep", "averaged", "--epochs", 3)
    well("train", "xor.csv", "-o", "m", "--continue", "m", "--epochs", 3)
    one, other = Model.load("whole"), Model.load("m")
    assert one.run.history["mistakes"] == other.run.history["mistakes"]
    np.testing.assert_allclose(one.decision("xor.csv"), other.decision("xor.csv"), rtol=1e-9)


@pytest.mark.parametrize("options", [["spectrum"], ["poly:degree=2", "--dictionary", "hashed", "--bits", "10"]])
def test_texts_and_mails_in_the_shell(here: Path, options: list[str]) -> None:
    write(here / "t.txt", WORDS)
    mail_folder(here / "mails")
    for data in ("t.txt", "mails"):
        trained = well("train", data, "-o", "m", "--kernel", *options)
        assert "support vectors" in trained.out and ("share a column" in trained.out) == ("hashed" in options)
        assert "row " in well("explain", "m", data).out and "hashed to 2^" in well("inspect", "m").out
        assert well("evaluate", "m", data, "--json").json["accuracy"] == 1.0
    assert "is of texts, and here are rows of numbers" in run("train", "xor.csv", "-o", "n", "--kernel", "spectrum").err


def test_learners_that_have_no_kernel_rows_say_so() -> None:
    from rosenblatt.core.rows import dense
    from rosenblatt.learn.run import Limits
    from rosenblatt.learn.settings import Settings
    from rosenblatt.model.fit import fit

    with pytest.raises(
        SettingError, match="kernel.* goes with estimators, recipes and `train`; here are rows of columns"
    ):
        fit(dense(np.eye(2)), np.array([0, 1]), Settings.of(kernel="rbf"), Limits(1))
