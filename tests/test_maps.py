"""Random Fourier features and Nyström's: rows whose products are nearly a kernel's."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.kernel_approximation import Nystroem as Theirs
from sklearn.kernel_approximation import RBFSampler

from command import run, well
from rosenblatt import Model, Recipe
from rosenblatt.core.rows import csr, dense
from rosenblatt.errors import DataError, ModelError, SettingError
from rosenblatt.features.maps import map_classes, map_from
from rosenblatt.features.pipeline import Features
from rosenblatt.kernels import kernel_from
from rosenblatt.model.evidence import Names, strongest_features

X = np.random.default_rng(0).uniform(0.0, 4.0, (300, 2))
Y = np.floor(X).sum(axis=1).astype(int) % 2
MAPS = ("fourier:components=400,gamma=4.0", "nystroem:components=60,gamma=4.0")


def test_fourier_is_that_of_scikit_learn() -> None:
    fitted = map_from("fourier:components=50,gamma=0.3").fitted([dense(X)])
    theirs = RBFSampler(gamma=0.3, n_components=50).fit(X)
    theirs.random_weights_, theirs.random_offset_ = fitted.weights, fitted.offsets
    np.testing.assert_allclose(fitted.values(dense(X)), theirs.transform(X), rtol=1e-12, atol=1e-12)
    assert np.std(fitted.weights) == pytest.approx(np.sqrt(2 * 0.3), rel=0.2)


def test_fourier_is_nearly_the_kernel() -> None:
    z = map_from("fourier:components=20000,gamma=0.3").fitted([dense(X)]).values(dense(X))
    assert np.abs(z @ z.T - kernel_from("rbf:gamma=0.3").block(dense(X), dense(X))).max() < 0.05


@pytest.mark.parametrize("kernel", ["rbf:gamma=0.5", "poly:degree=4,gamma=0.2", "linear"])
def test_nystroem_is_that_of_scikit_learn(kernel: str) -> None:
    """Products, because their landmarks are in another order; and the kernel itself where one is a landmark."""
    name, _, words = kernel.partition(":")
    text = f"nystroem:components=12,kernel={name}" + ("," + words if words else "")
    fitted = map_from(text).fitted([dense(X)])
    z, own = fitted.values(dense(X)), X[fitted.landmarks.numbers]
    k = kernel_from(kernel)
    np.testing.assert_allclose(z @ z[fitted.landmarks.numbers].T, k.block(dense(X), dense(own)), rtol=1e-6, atol=1e-6)
    if name != "linear":  # of which theirs has directions of rounding
        theirs = Theirs(kernel=lambda a, b: k.block(dense(a[None, :]), dense(b[None, :]))[0, 0], n_components=12)
        w = theirs.fit(own).transform(X)
        np.testing.assert_allclose(z @ z.T, w @ w.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("text", MAPS)
def test_linear_learners_draw_curved_boundaries(text: str, tmp_path: Path) -> None:
    """Under metrics that take a rule and bring their step, of all storages alike, saved and read, going on, each score
    explained."""
    for name, rule in (("none", {"rule": "logistic"}), ("adagrad", {"rule": "logistic"}), ("arow", {})):
        words = {"map": text, "metric": name, "max_iter": 20, "keep": "averaged"} | rule
        model = Recipe(**words).fit(X, Y)
        assert (model.predict(X) == Y).mean() > 0.85, name
    for other in (X.astype(np.float32), scipy.sparse.csr_matrix(X)):
        assert (Recipe(map=text, keep="averaged", max_iter=20).fit(other, Y).predict(other) == Y).mean() > 0.85
    model.save(tmp_path / "a.model")
    read = Model.load(tmp_path / "a.model")
    assert (read.predict(X) == model.predict(X)).all() and read.features.map.text == model.features.map.text
    further = Recipe(max_iter=1).fit_more(read, X, Y)
    assert further.width == read.width and further.run.epoch > read.run.epoch
    assert dict(strongest_features(read, 3)).keys() == {"0", "1"} and Names(read)[0] == f"{text.partition(':')[0]} 1"


@pytest.mark.parametrize("text", MAPS)
def test_drawn_by_the_seed(text: str) -> None:
    one, same, other = (Recipe(map=text, random_state=seed).fit(X, Y).features.map for seed in (0, 0, 1))
    for name, values in one.tensors().items():
        assert (same.tensors()[name] == values).all()
    assert any(not np.array_equal(other.tensors()[name], values) for name, values in one.tensors().items())


def test_scale_and_fewer_rows_than_components() -> None:
    steps = Recipe(map="nystroem:components=1000", scale="standard").fit(X, Y).features
    assert [step.kind for step in steps.steps] == ["standard", "map"] and steps.width == 300
    assert Recipe(map="fourier").fit(X, Y).features.map.gamma == pytest.approx(1.0 / (2 * X.var()))


def test_texts() -> None:
    texts = ["good good day", "bad bad day", "good sun day", "bad rain day"] * 5
    model = Recipe(map="nystroem:components=4,kernel=linear", min_documents=1, keep="averaged").fit(
        texts, [1, 0, 1, 0] * 5
    )
    assert model.predict(["good sun", "bad rain"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nope", "unknown map='nope'; one of fourier, nystroem, pairs"),
        ("fourier:components=0", "map: components=0 must be a whole number ≥ 1"),
        (
            "fourier:kernel=rbf",
            "map='fourier:kernel=rbf': fourier has no parameter 'kernel'; its parameters: components,",
        ),
        ("nystroem:kernel=spline", "map: kernel='spline' is unknown; one of rbf, poly, linear"),
        ("nystroem:gamma=-1", "map: gamma=-1.0 must be a number > 0"),
    ],
)
def test_refused(text: str, sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        Recipe(map=text).fit(X, Y)
    assert str(error.value).startswith(sentence)


def test_what_does_not_fit_is_refused_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = csr(np.ones(1), np.zeros(1, np.int32), np.array([0, 1]), 10_000_000)
    with pytest.raises(DataError, match="of 10,000,000 columns draws 1,000,000,000 numbers, and at most"):
        map_from("fourier:components=100").fitted([wide])
    fitted = map_from("fourier:components=100").fitted([dense(X)])
    monkeypatch.setattr("rosenblatt.features.quadratic.machine_memory", lambda: 1000)
    with pytest.raises(DataError, match=r"makes 100 columns of 300 rows, 0\.0 GB, and the machine has 0\.0 GB"):
        fitted.transform(dense(X))


@pytest.mark.parametrize("text", MAPS)
def test_damaged(text: str) -> None:
    """Whatever array or word of a map's is wrong: a sentence."""
    fitted = map_from(text).fitted([dense(X)])
    whole = Features(2, [fitted])
    recipe, tensors = whole.recipe(), whole.tensors()
    assert (Features.restore(recipe, tensors).map.values(dense(X)) == fitted.values(dense(X))).all()
    for name, values in tensors.items():
        for wrong in (values[:-1], np.append(values, values[:1], axis=0), None):
            forged = {**tensors, name: wrong} if wrong is not None else {k: v for k, v in tensors.items() if k != name}
            with pytest.raises(ModelError):
                Features.restore(recipe, forged)
    for words in ({"map": "nope"}, {"map": 3}, {"map": text.partition("=")[0] + "=5"}, {"map": None}):
        with pytest.raises(ModelError):
            Features.restore({**recipe, "scale": [{**recipe["scale"][0], **words}]}, tensors)
    with pytest.raises(ModelError):
        Features.restore({**recipe, "width": 3}, tensors)


def test_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{a},{b},{'x' if y else 'o'}" for (a, b), y in zip(X.tolist(), Y.tolist(), strict=True)]
    Path("a.csv").write_text("\n".join(["a,b,label", *lines]))
    well("train", "a.csv", "-o", "a.model", "--map", MAPS[1], "--keep", "averaged", "--epochs", "20")
    assert "mapped: nystroem:components=60,kernel=rbf,gamma=4.0" in well("inspect", "a.model").out
    python = Recipe(map=MAPS[1], keep="averaged", max_iter=20).fit("a.csv")
    assert well("predict", "a.model", "a.csv").out.split() == [str(each) for each in python.predict("a.csv")]
    assert (
        "unknown --map nope; one of fourier, nystroem, pairs" in run("train", "a.csv", "-o", "b", "--map", "nope").err
    )


def test_found() -> None:
    assert list(map_classes()) == ["fourier", "nystroem", "pairs"]
