"""At most so many support vectors: Projectron against a plain one, and against the primal where it is exact."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, LinearClassifier, Recipe
from rosenblatt.errors import SettingError
from rosenblatt.kernels import kernel_from
from rosenblatt.kernels.budget import NEAR, rooted
from rosenblatt.learn.rule import rule_classes

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
STEPPING = [name for name, rule in rule_classes().items() if hasattr(rule, "step")]


def squares(n: int = 400, size: float = 4.0, seed: int = 0) -> tuple[Any, Any]:
    """A checkerboard."""
    x = np.random.default_rng(seed).uniform(0.0, size, (n, 2))
    return x, np.floor(x).sum(axis=1).astype(int) % 2


def naive(k: Any, y: Any, budget: int, margin: float, epochs: int = 1) -> tuple[Any, Any, list[int]]:
    """(last, averaged, those that are in): coefficients (n,) by the definition, a row at a time. y: ±1."""
    n, inside = len(y), list[int]()
    a, total, t, b, totals = np.zeros(n), np.zeros(n), 0, 0.0, 0.0
    for i in list(range(n)) * epochs:
        if y[i] * (k[i] @ a + b) <= margin:
            d = np.linalg.solve(k[np.ix_(inside, inside)], k[inside, i]) if inside else np.empty(0)
            outside = k[i, i] - k[inside, i] @ d
            if len(inside) < budget and outside > NEAR * k[i, i]:
                inside.append(i)
                a[i] += y[i]
            else:
                a[inside] += y[i] * d
            b += y[i]
        total, totals, t = total + a, totals + b, t + 1
    return np.append(a, b), np.append(total, totals) / t, inside


def coefficients(model: Any, n: int) -> Any:
    """(n + 1,) of the rows of fit, and the bias."""
    out = np.zeros(n)
    out[model.support_] = model.dual_coef_[0]
    return np.append(out, model.intercept_)


@pytest.mark.parametrize("budget", [1, 7, 60, 1000])
@pytest.mark.parametrize(("rule", "margin"), [("perceptron", 0.0), ("margin:tau=0.5", 0.5)])
def test_as_the_plain_one(budget: int, rule: str, margin: float) -> None:
    """Blocks of 256 rows, inside of which rows are taken in: two of them, and two epochs."""
    x, y = squares(400)
    k = kernel_from("rbf:gamma=2.0").block(*[_rows(x)] * 2)
    last, averaged, inside = naive(k, 2.0 * y - 1.0, budget, margin, 2)
    for keep, wanted in (("last", last), ("averaged", averaged)):
        model = LinearClassifier(rule, kernel="rbf:gamma=2.0", budget=budget, keep=keep, shuffle=False, max_iter=2)
        model.fit(x, y)
        assert sorted(model.support_) == sorted(inside) and model.n_support_ <= budget
        np.testing.assert_allclose(coefficients(model, 400), wanted, rtol=1e-6, atol=1e-6)


def _rows(x: Any) -> Any:
    from rosenblatt.core.rows import dense

    return dense(x)


def test_block_bounds_are_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = squares(300)
    own = {"kernel": "rbf:gamma=2.0", "budget": 30, "keep": "averaged", "max_iter": 2, "alpha": 0.01}
    whole = LinearClassifier("logistic", **own).fit(x, y)
    monkeypatch.setattr("rosenblatt.kernels.blocks.BLOCK", 7)
    cut = LinearClassifier("logistic", **own).fit(x, y)
    assert (whole.support_ == cut.support_).all()
    np.testing.assert_allclose(whole.dual_coef_, cut.dual_coef_, rtol=1e-8)


@pytest.mark.parametrize("keep", ["last", "averaged"])
@pytest.mark.parametrize("rule", STEPPING)
def test_exact_where_the_span_is_all(monkeypatch: pytest.MonkeyPatch, rule: str, keep: str) -> None:
    """Five rows span five columns, so that the linear kernel with a budget of five is the primal: of two classes and of
    three, in blocks, with L2 that folds, with weights."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    random = np.random.default_rng(3)
    x = random.normal(size=(150, 5))
    x[:5] = np.eye(5)
    y, weight = (x @ random.normal(size=(5, 3))).argmax(axis=1), random.uniform(0.5, 2.0, 150)
    block, folding = {"optimizer": "mini-batch", "batch_size": 4}, {"alpha": 0.2, "eta0": 0.25}
    for own in ({}, block, folding, {"fit_intercept": False}):
        for labels in (y, y > 0):
            words = {"rule": rule, "keep": keep, "max_iter": 3, "tol": None, "shuffle": False, **own}
            primal = LinearClassifier(**words).fit(x, labels, weight)
            dual = LinearClassifier(**words, kernel="linear", budget=5).fit(x, labels, weight)
            assert dual.n_support_ <= 5
            if dual.n_support_ == 5:
                wanted = primal.decision_function(x)
                np.testing.assert_allclose(dual.decision_function(x), wanted, rtol=1e-6, atol=1e-6 * abs(wanted).max())


@pytest.mark.parametrize("way", ["one-vs-rest", "multi-class-perceptron"])
def test_classes_share_the_support(way: str) -> None:
    x, _ = squares(600)
    y = np.floor(x[:, 0]).astype(int) % 3
    model = LinearClassifier(kernel="rbf:gamma=2.0", budget=40, keep="averaged", multi_class=way, max_iter=3).fit(x, y)
    assert model.n_support_ == 40 and model.dual_coef_.shape == (3, 40)
    assert model.score(x, y) > 0.9


def test_few_do_as_well_as_all() -> None:
    x, y = squares(3000)
    test, truth = squares(1000, seed=1)
    words = {"kernel": "rbf:gamma=4.0", "keep": "averaged", "max_iter": 2}
    every, few = (LinearClassifier(budget=budget, **words).fit(x, y) for budget in (None, 100))
    assert few.n_support_ == 100 < every.n_support_ / 3
    assert few.score(test, truth) > every.score(test, truth) - 0.02 > 0.9


def test_a_stream_is_held_in_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the base: never more than the budget and one chunk."""
    x, y = squares(2000)
    widths = list[int]()
    step = "rosenblatt.features.kernel.more_rows"
    from rosenblatt.kernels.rows import more_rows

    def noted(*given: Any) -> Any:
        rows = more_rows(*given)
        widths.append(rows.width)
        return rows

    monkeypatch.setattr(step, noted)
    model = KernelPerceptron(gamma=4.0, budget=50, keep="averaged")
    for first in range(0, 2000, 100):
        model.partial_fit(x[first : first + 100], y[first : first + 100], classes=[0, 1])
        assert model.n_support_ <= 50 and model.model_.features.kernel.base.n == model.n_support_
    assert len(widths) == 19 and max(widths) == 150
    assert model.t_ == 2000 and model.score(x, y) > 0.85


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_a_stream_goes_on_with_what_it_has(monkeypatch: pytest.MonkeyPatch, keep: str) -> None:
    """The factor of the supports is made once, also when rows come that are in already, in a copy or from a file."""
    anew = list[bool]()

    def noted(rows: Any, k: Any, seen: Any, before: int) -> Any:
        anew.append(isinstance(seen, float))
        return rooted(rows, k, seen, before)

    monkeypatch.setattr("rosenblatt.kernels.budget.rooted", noted)
    x, y = squares(500)
    words = {"kernel": "rbf:gamma=2.0", "budget": 20, "keep": keep}
    model, other = LinearClassifier(**words), LinearClassifier(**words)
    for first in (0, 100, 200, 0, 300):
        part = x[first : first + 100], y[first : first + 100]
        model.partial_fit(*part, classes=[0, 1])
        other = pickle.loads(pickle.dumps(other.partial_fit(*part, classes=[0, 1])))  # which makes it anew
    assert sum(anew) == 1 + 5
    assert model.model_.features.kernel.span.columns.size == model.n_support_ == 20
    np.testing.assert_allclose(model.decision_function(x), other.decision_function(x), rtol=1e-6, atol=1e-8)
    recipe = Recipe(**words, max_iter=1).fit(x, y)
    further = Recipe(max_iter=1).fit_more(recipe, x, y)
    assert further.features.kernel.span.root is recipe.features.kernel.span.root
    assert sum(anew) == 1 + 5 + 1


def test_going_on_and_files(tmp_path: Any) -> None:
    x, y = squares(300)
    words = {"kernel": "rbf:gamma=2.0", "budget": 25, "keep": "averaged"}
    once = Recipe(**words, max_iter=4).fit(x, y)
    half = Recipe(**words, max_iter=2).fit(x, y)
    half.save(tmp_path / "a.model")
    from rosenblatt import Model

    read = Model.load(tmp_path / "a.model")
    assert read.run.settings.budget == 25 and (read.predict(x) == half.predict(x)).all()
    more = Recipe(max_iter=2).fit_more(read, x, y)
    assert more.width <= 25
    np.testing.assert_allclose(more.scores(_in(more, x)), once.scores(_in(once, x)), rtol=1e-6, atol=1e-6)


def _in(model: Any, x: Any) -> Any:
    return model.features.kernel.transform(_rows(x))


def test_precomputed_and_functions() -> None:
    x, y = squares(300)
    k = kernel_from("rbf:gamma=2.0")
    words = {"budget": 30, "keep": "averaged", "max_iter": 2}
    usual = LinearClassifier(kernel=k, **words).fit(x, y)
    given = k.block(_rows(x), _rows(x))
    for kernel, data in (("precomputed", given), (lambda a, b: k.block(_rows(a), _rows(b)), x)):
        other = LinearClassifier(kernel=kernel, **words).fit(data, y)
        assert (other.support_ == usual.support_).all()
        np.testing.assert_allclose(other.dual_coef_, usual.dual_coef_, rtol=1e-6, atol=1e-9)


def test_a_step_limit_inside_of_a_block() -> None:
    x, y = squares(300)
    words = {"kernel": "rbf:gamma=2.0", "budget": 30, "shuffle": False, "max_iter": 9}
    twice = LinearClassifier(**words, max_updates=50, warm_start=True).fit(x, y).fit(x, y)
    once = LinearClassifier(**words, max_updates=100).fit(x, y)
    assert twice.n_updates_ == 100 and twice.n_support_ == once.n_support_ == 30
    np.testing.assert_allclose(twice.decision_function(x), once.decision_function(x), rtol=1e-6, atol=1e-8)


def test_float32_and_sparse() -> None:
    import scipy.sparse

    x, y = squares(400)
    words = {"kernel": "rbf:gamma=2.0", "budget": 60, "keep": "averaged", "max_iter": 2}
    whole = LinearClassifier(**words).fit(x, y)
    for other in (x.astype(np.float32), scipy.sparse.csr_matrix(x)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert LinearClassifier(**words).fit(other, y).score(other, y) > whole.score(x, y) - 0.03


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"budget": 5}, "budget has an effect only with kernel"),
        ({"budget": 5, "kernel": None}, "budget has an effect only with kernel"),
        ({"budget": 0, "kernel": "rbf"}, "budget=0 must be None or a whole number ≥ 1"),
        ({"budget": 2.5, "kernel": "rbf"}, "budget=2.5 must be None or a whole number ≥ 1"),
        ({"budget": 5, "kernel": "rbf", "keep": "voted"}, "budget=5 does not go with keep='voted', whose weights are"
         " those of all supports that ever were; use keep='averaged'"),
        ({"budget": 5, "kernel": "rbf", "keep": "pocket"}, "budget=5 does not go with keep='pocket'"),
        ({"budget": 5, "kernel": "rbf", "optimizer": "batch"}, "budget=5 does not go with optimizer='batch', which"
         " scores all rows at once; use optimizer='online'"),
    ],
)  # fmt: skip
def test_refused(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        Recipe(**words)
    assert str(error.value).startswith(sentence), str(error.value)


def test_a_start_of_more_than_the_budget() -> None:
    x, y = squares(60)
    with pytest.raises(SettingError, match="starts with 60 support vectors"):
        LinearClassifier(kernel="rbf", budget=5).fit(x, y, coef_init=np.ones((1, 60)))


def test_more_of_a_model_keeps_its_budget() -> None:
    x, y = squares(60)
    model = Recipe(kernel="rbf", budget=5, max_iter=2).fit(x, y)  # 1,000 epochs took 13 s
    with pytest.raises(SettingError, match="budget=6: the model goes on as it began, with 5"):
        Recipe.to_go_on(budget=6).fit_more(model, x, y)
    estimator = LinearClassifier(kernel="rbf", budget=5).partial_fit(x, y, classes=[0, 1])
    with pytest.raises(SettingError, match="budget cannot change while learning goes on: it was 5, and is 6 now"):
        estimator.set_params(budget=6).partial_fit(x, y)
