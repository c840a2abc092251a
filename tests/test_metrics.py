"""Metrics: each with each rule that it goes with, against the plain references; plain Python, and some compiled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_metrics as ref
from command import well
from gram import gram
from learners import KINDS, rows_of
from rosenblatt import LinearClassifier
from rosenblatt.core import dispatch
from rosenblatt.core.rows import csr
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.metric import metric_classes
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.run import Limits, Run
from rosenblatt.learn.settings import Settings
from rosenblatt.metrics.arow import Arow
from rosenblatt.metrics.nherd import NherdDrop
from rosenblatt.metrics.scw import Scw
from rosenblatt.model.fit import Task, fit, learn_more
from rosenblatt.model.model import Model

Array = np.ndarray[Any, Any]
GRADIENT = ("linear", "logistic", "margin", "perceptron", "sigmoid", "tanh")
TOGETHER = ("multi-class-perceptron", "softmax")
BRINGING: dict[str, Any] = {
    "arow:r=0.3": ref.arow(0.3),
    "scw:C=0.7,phi=1.2": ref.scw(0.7, 1.2, 1),
    "scw:C=0.7,phi=1.2,variant=2": ref.scw(0.7, 1.2, 2),
    "nherd:C=0.5": ref.nherd("drop", 0.5),
    "nherd-project:C=0.5": ref.nherd("project", 0.5),
    "nherd-exact:C=0.5": ref.nherd("exact", 0.5),
}
PAIRS = [
    *((metric, rule) for metric in ("adagrad", "normalised") for rule in sorted((*GRADIENT, *TOGETHER))),
    ("ftrl", "logistic"),
    *((name, "perceptron") for name in ("arow", "nherd", "nherd-exact", "nherd-project", "scw")),
]
"""What goes together. Those that bring their step leave the rule at its default."""
ROWS, EPOCHS = 40, 2


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "compiled" not in request.node.name:
        monkeypatch.setenv("ROSENBLATT_JIT", "0")


class Rows:
    """x: columns of sizes from .01 to 100, four tenths of the values zero, exact in float32; whole: x̄; y: ±1; three:
    0, 1, 2; weight: of the rows."""

    def __init__(self, seed: int = 0, n: int = ROWS, d: int = 6) -> None:
        random = np.random.default_rng(seed)
        x = np.where(random.random((n, d)) < 0.6, random.normal(size=(n, d)) * 10.0 ** random.integers(-2, 3, d), 0.0)
        self.x = x.astype(np.float32).astype(float)
        self.whole = np.hstack([self.x, np.ones((n, 1))])
        self.y, self.three = np.where(random.random(n) < 0.5, 1.0, -1.0), random.integers(3, size=n).astype(float)
        self.weight = random.random(n).astype(np.float32).astype(float) + 0.5
        self.order = [*range(n)] * EPOCHS


DATA = Rows()


def model(rows: Any, y: Array, weight: Any = None, **words: Any) -> Model:
    words = {"shuffle": False, "tol": None, **words}
    return fit(rows, y, Settings.of(**words), Limits(EPOCHS), Task(), weight)


def learned(kind: str, y: Array = DATA.y, **words: Any) -> Array:
    """(K, d + 1) w̄ of each class"""
    w, b = model(rows_of(DATA.x, kind), y, **words).weights
    return np.hstack([w, b[:, None]])


def close(found: Array, wanted: Any, kind: str = "float64") -> None:
    wanted, (rtol, atol) = np.atleast_2d(wanted), (1e-9, 1e-11) if kind.endswith("64") else (2e-3, 2e-4)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol * np.abs(wanted).max())


def of_classes(y: Array) -> Iterator[Array]:
    """±1 of each class that is learned: of two it is one."""
    yield from ([y] if len(set(y)) == 2 else (np.where(y == k, 1.0, -1.0) for k in range(3)))


LABELS = {"two": DATA.y, "three": DATA.three}


def test_what_goes_together_is_listed() -> None:
    def admitted(metric: str, rule: str) -> bool:
        try:
            return Settings.of(rule=rule, metric=metric, tol=None).shaped
        except SettingError:
            return False

    assert sorted(PAIRS) == sorted((m, r) for m in metric_classes() for r in rule_classes() if admitted(m, r))


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(
    ("rule", "kind"), [(rule, kind) for rule in GRADIENT for kind in KINDS[:: 1 if rule == "logistic" else 2]]
)
@pytest.mark.parametrize("metric", ["none", "adagrad", "adagrad:start=0.2", "normalised"])
def test_gradients(metric: str, rule: str, kind: str, labels: str) -> None:
    """`none` goes through the same loop because of an L1 that is too weak to be seen."""
    words = {"rule": rule, "metric": metric, "eta0": 0.05, "l1": 1e-300 if metric == "none" else 0.0}
    name, _, start = metric.partition(":start=")
    how, y = ref.Shape(name, 0.05, start=float(start or 0)), LABELS[labels]
    if metric == "none" and rule == "linear":
        return  # it diverges on columns so large
    paths = [ref.shaped(DATA.whole, each, DATA.order, naive.RULES[rule], how) for each in of_classes(y)]
    close(learned(kind, y, **words), [path[-1] for path in paths], kind)
    if metric != "none":
        close(learned(kind, y, **words, keep="averaged"), [np.mean(path, axis=0) for path in paths], kind)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", BRINGING)
def test_metrics_that_bring_their_step(metric: str, kind: str, labels: str) -> None:
    y = LABELS[labels]
    paths = [ref.confident(DATA.whole, each, DATA.order, BRINGING[metric]) for each in of_classes(y)]
    close(learned(kind, y, metric=metric), [path[-1] for path in paths], kind)
    close(learned(kind, y, metric=metric, keep="averaged"), [np.mean(path, axis=0) for path in paths], kind)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("l1", "alpha"), [(0.0, 0.0), (0.4, 0.0), (0.3, 0.2)])
def test_ftrl_is_the_eager_one(l1: float, alpha: float, kind: str, labels: str) -> None:
    words = {"rule": "logistic", "metric": "ftrl:beta=0.5", "eta0": 0.3, "l1": l1, "alpha": alpha}
    y = LABELS[labels]
    paths = [ref.ftrl(DATA.whole, each, DATA.order, 0.3, 0.5, l1, alpha) for each in of_classes(y)]
    found, wanted = learned(kind, y, **words), np.array([path[-1] for path in paths])
    close(found, wanted, kind)
    assert (found == 0.0).tolist() == (wanted == 0.0).tolist()
    close(learned(kind, y, **words, keep="averaged"), [np.mean(path, axis=0) for path in paths], kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["none", "adagrad"])
def test_all_classes_together(metric: str, kind: str) -> None:
    words = {"rule": "softmax", "metric": metric, "eta0": 0.05, "l1": 1e-300 if metric == "none" else 0.0}
    path = ref.softmax(DATA.whole, DATA.three, DATA.order, ref.Shape(metric, 0.05))
    close(learned(kind, DATA.three, **words), path[-1], kind)


@pytest.mark.parametrize("kind", KINDS[::2])
@pytest.mark.parametrize("block", [5, ROWS])
@pytest.mark.parametrize("metric", ["none", "adagrad", "normalised"])
def test_blocks_of_rows_move_each_column_once(metric: str, block: int, kind: str) -> None:
    how = ref.Shape(metric, 0.05, block, l2=0.5)
    words = {"rule": "logistic", "metric": metric, "eta0": 0.05, "alpha": 0.5, "l1": 1e-300 if metric == "none" else 0}
    words |= {"optimizer": "batch"} if block == ROWS else {"optimizer": "mini-batch", "batch_size": block}
    paths = [ref.shaped(DATA.whole, y, DATA.order, naive.logistic, how) for y in of_classes(DATA.three)]
    close(learned(kind, DATA.three, **words), [path[-1] for path in paths], kind)


@pytest.mark.parametrize("kind", KINDS[::2])
@pytest.mark.parametrize(("metric", "l1"), [("none", 0.05), ("none", 2.0), ("adagrad", 0.3), ("normalised", 0.1)])
def test_l1_pulls_every_weight_after_every_step(metric: str, l1: float, kind: str) -> None:
    """Lazily, where a column is met; the reference pulls all weights each time. With L2 too, and in blocks."""
    for block, l2 in ((1, 0.0), (1, 0.7), (4, 0.7)):
        words = {"rule": "logistic", "metric": metric, "eta0": 0.05, "l1": l1, "alpha": l2}
        words |= {"optimizer": "mini-batch", "batch_size": block} if block > 1 else {}
        how = ref.Shape(metric, 0.05, block, l1, l2)
        paths = [ref.shaped(DATA.whole, y, DATA.order, naive.logistic, how) for y in of_classes(DATA.three)]
        found, wanted = learned(kind, DATA.three, **words), np.array([path[-1] for path in paths])
        close(found, wanted, kind)
        assert (found == 0.0).tolist() == (np.abs(wanted) < 1e-15).tolist()
        assert l1 < 2.0 or (found == 0.0).any()


@pytest.mark.parametrize("kind", KINDS[::2])
def test_a_rows_weight_multiplies_its_step(kind: str) -> None:
    """Σ shrinks as for one row."""
    rows, c = rows_of(DATA.x, kind), DATA.weight
    for metric, path in (
        (
            "adagrad",
            ref.shaped(DATA.whole, DATA.y, DATA.order, naive.margin, ref.Shape("adagrad", 0.3, c=c)),
        ),
        ("arow:r=0.3", ref.confident(DATA.whole, DATA.y, DATA.order, ref.arow(0.3), c)),
    ):
        words = {"rule": "margin", "eta0": 0.3} if metric == "adagrad" else {}
        w, b = model(rows, DATA.y, c, metric=metric, **words).weights
        close(np.append(w, b)[None], path[-1])


@pytest.mark.parametrize("kind", KINDS[::2])
@pytest.mark.parametrize("metric", ["arow", "scw", "adagrad"])
def test_the_pocket_has_the_best_weights_of_the_path(metric: str, kind: str) -> None:
    words = {} if metric in ("arow", "scw") else {"rule": "margin", "eta0": 0.5}
    if words:
        path = ref.shaped(DATA.whole, DATA.y, DATA.order, naive.margin, ref.Shape("adagrad", 0.5))
    else:
        path = ref.confident(DATA.whole, DATA.y, DATA.order, {"arow": ref.arow(), "scw": ref.scw()}[metric])
    found = learned(kind, metric=metric, keep="pocket", **words)[0]
    wrong = [int((DATA.y * (DATA.whole @ w) <= 0).sum()) for w in [np.zeros(7), *path]]
    nearest = np.abs(np.array(path) - found).max(axis=1).argmin()
    close(found[None], path[nearest])
    assert wrong[nearest + 1] <= min(wrong[ROWS], wrong[-1])  # those at the ends of the epochs are candidates


def test_arow_by_hand() -> None:
    """r = 1. Columns x1, x2, bias; Σ begins at (1, 1, 1)."""
    x, y = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0]]), np.array([1.0, -1.0, 1.0])
    # 1: u = 0, v = 1 + 1 = 2, β = 1/3, α = (1 − 0)/3; Σx̄ = (1, 0, 1)
    w, S = np.array([1 / 3, 0, 1 / 3]), np.array([1 - 1 / 3, 1, 1 - 1 / 3])
    # 2: u = 1/3 + 1/3, y·u = −2/3, v = 2/3 + 4 + 2/3 = 16/3, β = 3/19, α = (1 + 2/3)·3/19 = 5/19; Σx̄ = (2/3, 2, 2/3)
    w, S = w - 5 / 19 * np.array([2 / 3, 2, 2 / 3]), S - 3 / 19 * np.array([4 / 9, 4, 4 / 9])
    # 3: u = −10/19 + 1/3 − 10/57 = −7/19, v = 7/19 + (2/3 − 4/57) = 55/57, β = 57/112, α = (1 + 7/19)·57/112 = 78/112
    w = w + 78 / 112 * np.array([0, 7 / 19, 34 / 57])
    S = S - 57 / 112 * np.array([0, (7 / 19) ** 2, (34 / 57) ** 2])
    for kind in KINDS[::2]:
        run = fit(rows_of(x, kind), y, Settings.of(metric="arow", shuffle=False), Limits(1)).run
        np.testing.assert_allclose([*run.state.w, *run.state.b], w, rtol=1e-14)
        np.testing.assert_allclose([*run.state.c[0], *run.state.c_b[0]], S, rtol=1e-14)


def test_scw_by_hand() -> None:
    """Variant 1, C = 1, φ = 1, so that ψ = 3/2 and ζ = 2. Through the origin; Σ begins at (1, 1)."""
    x, y = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 3.0]]), np.array([1.0, -1.0, -1.0])
    # 1: m = 0, v = 1: α = √2/2 (below C), √u = (−α + √(α² + 4))/2 = (3/√2 − 1/√2)/2 = 1/√2, β = α/(1/√2 + α) = 1/2
    w, S = np.array([math.sqrt(2) / 2, 0]), np.array([1 / 2, 1])
    # 2: m = −1/√2, v = 1/2 + 4 = 9/2: α = min(1, (3/(2√2) + √(1/8 + 9))/9) = (3/(2√2) + √73/(2√2))/9
    alpha = (3 + math.sqrt(73)) / (18 * math.sqrt(2))
    u = ((-alpha * 4.5 + math.sqrt(alpha**2 * 4.5**2 + 4 * 4.5)) / 2) ** 2
    beta = alpha / (math.sqrt(u) + 4.5 * alpha)
    w, S = w - alpha * np.array([1 / 2, 2]), S - beta * np.array([1 / 4, 4])
    # 3: u = −3·2α < 0, so m = 6α = 2.7 and √v = 3·√(1 − 4β) = 1.0: right with more than φ√v, nothing happens
    assert 6 * alpha > 3 * math.sqrt(S[1])
    for kind in KINDS[::2]:
        run = fit(rows_of(x, kind), y, Settings.of(metric="scw", shuffle=False, fit_intercept=False), Limits(1)).run
        np.testing.assert_allclose(run.state.w, w, rtol=1e-14)
        np.testing.assert_allclose(run.state.c[0], S, rtol=1e-14)
        assert run.history["updates"] == [2]


@pytest.mark.parametrize("kind", KINDS[::2])
@pytest.mark.parametrize("rule", ["logistic", "perceptron"])
def test_normalised_does_not_ask_how_a_column_is_measured(rule: str, kind: str) -> None:
    longer = DATA.x * np.array([1.0, 1000.0, 1.0, 1.0, 1e-3, 1.0])
    one, other = (model(rows_of(x, kind), DATA.y, rule=rule, metric="normalised") for x in (DATA.x, longer))
    scores, again = one.scores(rows_of(DATA.x, kind)), other.scores(rows_of(longer, kind))
    np.testing.assert_allclose(again, scores, rtol=0, atol=1e-9 * np.abs(scores).max())


def test_without_a_metric_it_is_the_plain_loop() -> None:
    for y in LABELS.values():
        one, other = (model(rows_of(DATA.x, "csr-float32"), y, **words) for words in ({}, {"metric": "none"}))
        assert one.weights[0].tobytes() == other.weights[0].tobytes()
        assert other.run.state.c.size == other.run.state.past.size == 0 and not other.run.settings.shaped


def test_rows_without_columns_refuse_a_metric() -> None:
    for words in ({"metric": "arow"}, {"rule": "logistic", "l1": 0.1}):
        with pytest.raises(
            SettingError, match="^rows of the kind Gram have no columns that a metric or L1 could move$"
        ):
            fit(gram(DATA.x), DATA.y, Settings.of(**words, tol=None), Limits(1))


def twice() -> Any:
    """DATA.x as sparse rows that have every value in two parts, the columns in disorder."""
    once = rows_of(DATA.x, "csr-float64")
    parts = [
        (i, v * share)
        for k in range(once.n)
        for share, at in ((0.25, -1), (0.75, 1))
        for i, v in zip(*(part[::at] for part in once.row(k)), strict=True)
    ]
    columns, values = zip(*parts, strict=True)
    return csr(np.array(values), np.array(columns, np.uint32), once.indptr * 2, once.width)


@pytest.mark.parametrize("words", [{"metric": "arow"}, {"rule": "logistic", "metric": "normalised"}, {"l1": 1e-3}])
def test_a_column_named_twice_in_a_row_is_one(words: dict[str, Any]) -> None:
    one, other = model(rows_of(DATA.x, "csr-float64"), DATA.y, **words), model(twice(), DATA.y, **words)
    assert other.weights[0].tolist() == one.weights[0].tolist()
    more = [
        learn_more(made, rows, DATA.y, Limits(1))
        for made, rows in ((one, rows_of(DATA.x, "csr-float64")), (other, twice()))
    ]
    assert more[0].weights[0].tolist() == more[1].weights[0].tolist()
    estimator = LinearClassifier(shuffle=False, tol=None, max_iter=EPOCHS, **words).fit(twice().matrix(), DATA.y)
    assert estimator.coef_.tolist() == one.weights[0].tolist()
    assert estimator.partial_fit(twice().matrix(), DATA.y).coef_.tolist() == more[0].weights[0].tolist()


def test_a_column_named_twice_in_a_file_is_one(tmp_path: Path) -> None:
    twice, once = "1 1:1 3:1 3:2\n-1 2:1 2:.5\n1 1:2\n-1 3:1 2:1\n", "1 1:1 3:3\n-1 2:1.5\n1 1:2\n-1 2:1 3:1\n"
    found = []
    for text in (twice, once):
        (tmp_path / "d.svm").write_text(text)
        files = str(tmp_path / "d.svm"), str(tmp_path / "d.model")
        well("train", files[0], "--duplicates", "sum", "--metric", "arow", "-o", files[1])
        found.append(Model.load(files[1]).weights[0].tolist())
    assert found[0] == found[1]


@given(
    st.lists(st.floats(-1e150, 1e150), min_size=4, max_size=4), st.sampled_from([1e-20, 1.0, 1e20]), st.integers(0, 2)
)
@settings(max_examples=300, deadline=None)
def test_confidence_stays_above_0_and_at_most_1(values: list[float], number: float, which: int) -> None:
    """By the scalar functions themselves: rows of two values, each learned where it asks for a step. Where a value is
    far larger than r, what is left of Σ is less than rounding leaves of 1."""
    metric: Any = (Arow(number), Scw(number), NherdDrop(number))[which]
    values, w, S = [x if which == 0 else x / 1e90 for x in values], [0.0, 0.0], [1.0, 1.0]
    for first, other, y in [(values[0], values[1], 1.0), (values[2], values[3], -1.0)] * 3:
        x = (first, other)
        v = sum(metric.measure((S[j], 0.0), x[j]) for j in range(2))
        a = metric.stride(w[0] * x[0] + w[1] * x[1], y, v)
        if a[0] != 0.0:
            for j in range(2):
                change, (S[j], _) = metric.move((S[j], 0.0), w[j], x[j], a)
                w[j] += change
        assert all(0.0 < s <= 1.0 for s in S), S
        assert all(map(math.isfinite, w))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid:RuntimeWarning")  # compiled code has none
@pytest.mark.parametrize("metric", ["arow:r=0.001", "scw", "nherd", "nherd-project", "nherd-exact", "adagrad"])
@pytest.mark.parametrize("kind", ["dense-float32", "csr-float32", "dense-float64"])
def test_large_and_small_values_are_learned_or_are_one_error(metric: str, kind: str) -> None:
    """Squares below the least number of the dtype, or above the largest, are refused; all else is learned."""
    words = {"rule": "logistic", "eta0": 1e-3} if metric == "adagrad" else {}
    for size in (1e-15, 1e-6, 1e6, 1e11) if kind.endswith("32") else (1e-100, 1e-6, 1e6, 1e60):
        made = model(rows_of(DATA.x * size, kind), DATA.y, metric=metric, **words)
        w, b = made.weights
        assert np.isfinite(w).all() and np.isfinite(b).all() and np.isfinite(made.run.state.c).all()
        assert metric == "adagrad" or ((made.run.state.c >= 0.0).all() and (made.run.state.c <= 1.0).all())
        assert metric not in ("arow:r=0.001", "scw") or (made.run.state.c > 0.0).all()
    for size in (1e-30, 1e30) if kind.endswith("32") else (1e-170, 1e170):
        with pytest.raises(DataError, match="[^\n]*; scale the features$"):
            model(rows_of(DATA.x * size, kind), DATA.y, metric=metric, **words)
    if metric == "adagrad" and kind.endswith("32"):
        with pytest.raises(DataError, match="^the weights overflowed in epoch 1 .*; scale the features or lower eta0$"):
            model(rows_of(DATA.x, kind), DATA.y, metric=metric, rule="logistic", eta0=1e38)


# --- compiled --------------------------------------------------------------------------------------------------------

COVERING = [
    ("adagrad", "logistic", "dense-float64", "two", {"keep": "averaged"}),
    pytest.param("normalised", "perceptron", "csr-float32", "two", {"l1": 0.01}, marks=pytest.mark.slow),
    ("arow:r=0.3", "", "csr-float64", "three", {}),
    pytest.param("ftrl", "logistic", "dense-float32", "three", {"l1": 0.3}, marks=pytest.mark.slow),
]
"""Each is two loops to compile, 5 s of CPU: half of them in `make test-slow`."""


@pytest.mark.parametrize(("metric", "rule", "kind", "labels", "words"), COVERING)
def test_compiled_as_plain(
    metric: str, rule: str, kind: str, labels: str, words: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is compiled but for the pair that is used."""
    words, before = {"metric": metric, **({"rule": rule} if rule else {}), **words}, set(dispatch.versions())
    compiled = learned(kind, LABELS[labels], **words)
    loops = [name for name, _ in set(dispatch.versions()) - before if "learn" in name]
    assert len(loops) <= 1 and all(name.startswith("learn_columns_Shaped_") for name in loops)
    many = learned(kind, LABELS[labels], **words, optimizer="mini-batch", batch_size=5) if rule else compiled
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    close(compiled, learned(kind, LABELS[labels], **words), kind)
    if rule:
        close(many, learned(kind, LABELS[labels], **words, optimizer="mini-batch", batch_size=5), kind)


def test_a_pair_has_eight_signatures_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two storages, two dtypes, two classes or more: whatever else is asked for."""
    from numba import typeof

    loops = set()

    def loop(run: Run, rows: Any, rule: Any = None) -> Any:
        def called(*args: Any) -> int:
            loops.add((type(run.loop_rule.metric), type(rows), tuple(map(typeof, args))))
            return wanted(run, rows, rule)(*args)  # type: ignore[no-any-return]

        return called

    wanted = Run.loop
    monkeypatch.setattr(Run, "loop", loop)
    ways: list[dict[str, Any]] = [{}, {"keep": "averaged"}, {"keep": "pocket"}, {"fit_intercept": False}]
    more: list[dict[str, Any]] = [{"optimizer": "batch"}, {"learning_rate": "sqrt"}, {"alpha": 0.1}, {"l1": 0.1}]
    more.append({"optimizer": "mini-batch", "batch_size": 7})
    for metric in ("adagrad", "scw"):
        for kind in KINDS:
            for y in LABELS.values():
                for way in ways if metric == "scw" else ways + more:
                    words = {"metric": metric, **({"rule": "logistic"} if metric == "adagrad" else {}), **way}
                    model(rows_of(DATA.x, kind), y, DATA.weight if way == {} else None, **words)
    assert len(loops) == 2 * 8
