"""What a data scientist stumbled over: scaling, probabilities, pictures of models, and words that had no effect."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from command import well
from rosenblatt import LinearClassifier, MarginPerceptron, Model, PassiveAggressive, Perceptron, Recipe, plots
from rosenblatt.data.batch import Batch
from rosenblatt.data.checks import rows_from
from rosenblatt.errors import SettingError
from rosenblatt.features.scaling import Standard
from samples import three_classes, two_classes

Array = np.ndarray[Any, Any]


def overlapping(n: int = 600, rare: float = 0.0) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    return x, (x.sum(axis=1) + 0.8 * rng.normal(size=n) > rare).astype(int)


@pytest.mark.parametrize("value", [2000.0, 0.1, -3.0, 1e20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wide", [0, 9])
@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_a_constant_column_does_not_drown_the_others(value: float, dtype: type, wide: int, make: Any) -> None:
    """Centred it is 0; of rows that are mostly zeros ±1: also where a mean of equal values is off by some rounding."""
    x, _ = overlapping()
    x = np.hstack([x, np.full((600, 1), value), np.zeros((600, wide))]).astype(dtype)
    step = Standard().fitted([rows_from(make(x))])
    column = step.transform(rows_from(make(x))).toarray()[:, 2]
    wanted = 0.0 if step.centred else np.sign(value)
    np.testing.assert_allclose(column, wanted, atol=0.02)
    assert step.sd[2] > 1e-3


def test_a_column_far_from_zero_does_not_drown_the_others_of_sparse_rows() -> None:
    x, y = overlapping()
    year = 2000.0 + 7.0 * np.random.default_rng(1).normal(size=(600, 1))
    rows = csr_matrix(np.hstack([x, year, np.zeros((600, 9))]))
    model = Recipe(scale="standard", keep="averaged", max_iter=20).fit(rows, y)
    assert np.abs(model.rows(Batch(rows_from(rows), None)).toarray()[:, 2] - 1.0).max() < 0.02


def test_standard_is_as_good_as_the_scaler_of_scikit_learn() -> None:
    x, y = overlapping()
    x = np.hstack([x, np.full((600, 1), 2000.0)])
    learner = Perceptron(max_iter=30)
    theirs = make_pipeline(StandardScaler(), learner).fit(x, y).predict(x)
    assert (Recipe(scale="standard", max_iter=30).fit(x, y).predict(x) == theirs).all()


def test_probabilities_of_weighted_classes_are_said_to_be_so(tmp_path: Path) -> None:
    x, y = overlapping(rare=1.7)
    np.savez(tmp_path / "a.npz", X=x, y=y)
    words = ("train", tmp_path / "a.npz", "-o", tmp_path / "m", "--epochs", "5", "--calibrate", "sigmoid")
    said = "of rows weighted by class, not of the data as they are"
    assert said not in well(*words).out
    assert said in well(*words, "--class-weight", "balanced").out.replace("\n  ", " ")


def test_a_word_that_partial_fit_would_ignore() -> None:
    x, y = two_classes()
    learner = LinearClassifier(early_stopping=True)
    assert not hasattr(learner, "partial_fit")
    with pytest.raises(AttributeError, match="no partial_fit: .*early_stopping=False"):
        learner.partial_fit(x, y, classes=[0, 1])


def test_other_classes_are_said_as_they_are_written() -> None:
    x, y = two_classes()
    learner = Perceptron().partial_fit(x, np.where(y, "a", "b"), classes=np.array(["a", "b"]))
    said = re.escape("classes=['a', 'c'] differ from those of the first call, ['a', 'b']")
    with pytest.raises(SettingError, match=said):
        learner.partial_fit(x, np.where(y, "a", "b"), classes=np.array(["a", "c"]))


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (PassiveAggressive(C=-1), "rule 'passive-aggressive': C=-1 must be a number > 0"),
        (PassiveAggressive(C="x"), "rule 'passive-aggressive': C=x must be a number > 0"),
        (PassiveAggressive(C=-1, variant=2), "rule 'passive-aggressive-2': C=-1 must be a number > 0"),
        (PassiveAggressive(variant=3), "variant=3 must be 1 or 2"),
        (MarginPerceptron(tau=0), "rule 'margin': tau=0 must be a number > 0"),
        (LinearClassifier(eta0=0), "eta0=0 must be a number > 0"),
        (LinearClassifier(eta0=-1), "eta0=-1 must be a number > 0"),
        (LinearClassifier(keep="pocket:every"), "keep='pocket:every': 'every' is not of the form parameter=value"),
        (LinearClassifier(rule="margin:tau"), "rule='margin:tau': 'tau' is not of the form parameter=value"),
    ],
)
def test_what_is_wrong_is_said_alone(learner: Any, said: str) -> None:
    with pytest.raises(SettingError, match=f"^{re.escape(said)}$"):
        learner.fit(*two_classes())


def test_epochs_of_an_optimizer_that_picks(tmp_path: Path) -> None:
    x, y = overlapping(60)
    with pytest.warns(ConvergenceWarning, match=re.escape("a larger max_updates (max_iter counts no picks)")):
        LinearClassifier(max_iter=10, max_updates=50, optimizer="pick-worst").fit(x, y)
    with pytest.raises(SettingError, match="max_iter has an effect only with optimizer=online or another"):
        Recipe(max_iter=10, optimizer="pick-worst")


def test_pictures_of_a_model_are_those_of_its_estimator(tmp_path: Path) -> None:
    for x, y in (two_classes(), three_classes()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            learner = LinearClassifier(keep="averaged", max_iter=5, calibrate="sigmoid").fit(x[:, :2], y)
        learner.model_.save(tmp_path / "m")
        model = Model.load(tmp_path / "m")
        for draw in (plots.answers, plots.regions)[: 2 if len(model.classes) == 2 else 1]:
            one, other = draw(learner, x[:, :2], y), draw(model, x[:, :2], y)
            assert texts(one) == texts(other)
        assert texts(plots.coefficients(learner)) == texts(plots.coefficients(model))
        plots.training(model)
    products = Recipe(degree=2, max_iter=3).fit(x[:, :2], y)
    assert "x1*x2" in texts(plots.coefficients(products))


def test_coefficients_have_the_names_that_a_pipeline_gives() -> None:
    pandas = pytest.importorskip("pandas")
    x, y = two_classes()
    table = pandas.DataFrame(x, columns=[f"c{j}" for j in range(x.shape[1])])
    pipeline = make_pipeline(StandardScaler(), Perceptron(max_iter=5)).fit(table, y)
    assert "c0" in texts(plots.coefficients(pipeline))
    assert "x0" in texts(plots.coefficients(make_pipeline(StandardScaler(), Perceptron(max_iter=5)).fit(x, y)))
    assert "x[0]" in texts(plots.coefficients(make_pipeline(Perceptron(max_iter=5)).fit(x, y)))


def texts(figure: Any) -> list[str]:
    """All that is written in a picture, and how much is drawn."""
    written = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    return written + [text.get_text() for axes in figure.axes for text in (*axes.texts, axes.title)]


def test_modules_are_there_when_the_package_is() -> None:
    names = ("compare", "datasets", "doctor", "experts", "mail", "plots", "theory")
    asked = "import rosenblatt, sys\n" + "\n".join(f"assert rosenblatt.{name}.__all__" for name in names)
    for name in ("plots", "theory"):
        early = f"assert 'rosenblatt.{name}' not in sys.modules and '{name}' in dir(rosenblatt)\n"
        asked = asked.replace("sys\n", f"sys\n{early}", 1)
    subprocess.run([sys.executable, "-c", asked], check=True)


def test_the_pick_is_in_every_table(tmp_path: Path) -> None:
    x, y = overlapping(200)
    rows = "\n".join(f"{a},{b},{label}" for (a, b), label in zip(x, y, strict=True))
    (tmp_path / "d.csv").write_text(f"a,b,y\n{rows}\n")
    words = ("compare", tmp_path / "d.csv", "--rules", "perceptron,logistic", "--epochs", "5", "--seed")
    for seed in range(2):
        whole = well(*words, str(seed)).out
        pick = next(place for place, line in enumerate(rows_of(whole)) if line.startswith("*"))
        shown = well(*words, str(seed), "--top", "1").out
        assert [line[0] for line in rows_of(shown)].count("*") == 1
        left = len(rows_of(whole)) - 1 - (pick > 0)
        assert f"and {left} more, up to " in shown and len(rows_of(shown)) == 1 + (pick > 0)


def rows_of(out: str) -> list[str]:
    return [line for line in out.splitlines() if re.match(r"[*= ] (perceptron|logistic) .* ±", line)]
