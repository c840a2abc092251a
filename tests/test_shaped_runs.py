"""Runs whose steps a metric or L1 shapes: in pieces, from given weights, stopped early, and when they have finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from rosenblatt import LinearClassifier, Model, Recipe
from rosenblatt.errors import SettingError
from rosenblatt.learn.metric import metric_classes

Array = np.ndarray[Any, Any]
GRADIENT = {"rule": "logistic", "eta0": 0.3}
LEARNERS: dict[str, dict[str, Any]] = {
    "l1": {**GRADIENT, "l1": 0.02},
    "l1 and l2": {**GRADIENT, "l1": 0.02, "alpha": 0.1},
    "adagrad": {**GRADIENT, "metric": "adagrad"},
    "adagrad and l1": {**GRADIENT, "metric": "adagrad", "l1": 0.01},
    "normalised": {**GRADIENT, "metric": "normalised"},
    "ftrl": {**GRADIENT, "metric": "ftrl", "l1": 0.2, "alpha": 0.1},
    "arow": {"metric": "arow"},
    "scw": {"metric": "scw"},
    "nherd": {"metric": "nherd"},
    "softmax": {**GRADIENT, "rule": "softmax", "metric": "adagrad", "l1": 0.01},
}
EACH = pytest.mark.parametrize("words", LEARNERS.values(), ids=[*LEARNERS])


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows(classes: int, n: int = 40) -> tuple[Array, Array]:
    r = np.random.default_rng(classes)
    return np.where(r.random((n, 5)) < 0.6, r.normal(size=(n, 5)), 0.0), r.integers(0, classes, n)


def same(a: Any, b: Any) -> None:
    assert a.coef_.tobytes() == b.coef_.tobytes() and a.intercept_.tobytes() == b.intercept_.tobytes()


@EACH
@pytest.mark.parametrize("classes", [2, 3])
def test_in_pieces_in_memory(words: Any, classes: int) -> None:
    """`partial_fit` of parts is an epoch in order; `warm_start` goes on as if never stopped; `history_` is whole."""
    x, y = rows(classes)
    for made in (x, csr_matrix(x)):
        whole = LinearClassifier(max_iter=1, tol=None, shuffle=False, **words).fit(made, y)
        parts = LinearClassifier(shuffle=False, tol=None, **words)
        for first in range(0, 40, 10):
            parts.partial_fit(made[first : first + 10], y[first : first + 10], classes=np.arange(classes))
        same(whole, parts)
        assert sum(parts.history_["mistakes"]) == whole.mistakes_[0] and len(parts.history_["loss"]) == 4
    whole = LinearClassifier(max_iter=3, tol=None, **words).fit(x, y)
    again = LinearClassifier(max_iter=1, tol=None, warm_start=True, **words).fit(x, y)
    same(whole, again.set_params(max_iter=2).fit(x, y))
    assert again.history_ == whole.history_ and again.n_iter_ == 3


@EACH
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_to_start_with(words: Any, classes: int) -> None:
    """Small steps stay near them. FTRL's follow from sums, which begin as theirs; of `normalised` none are taken."""
    x, y = rows(classes)
    k, r = 1 if classes == 2 else classes, np.random.default_rng(0)
    w, b = r.normal(size=(k, 5)), r.normal(size=k)
    small = LinearClassifier(max_iter=1, tol=None, **{**words, **({"eta0": 1e-7} if "eta0" in words else {})})
    if words.get("metric") == "normalised":
        with pytest.raises(SettingError, match="metric='normalised' measures each column from nothing on"):
            small.fit(x, y, coef_init=w)
        return
    small.fit(x, y, coef_init=w, intercept_init=b)
    if "eta0" in words:
        np.testing.assert_allclose(small.coef_, w, atol=1e-5)
        np.testing.assert_allclose(small.intercept_, b, atol=1e-5)
    else:  # no η: by the first row that asks for a step
        one = LinearClassifier(max_updates=1, max_iter=1, tol=None, **words)
        assert np.abs(one.fit(x, y, coef_init=w, intercept_init=b).coef_ - w).max() < np.abs(w).max()
        assert not np.array_equal(small.coef_, LinearClassifier(max_iter=1, tol=None, **words).fit(x, y).coef_)


@EACH
def test_the_best_epoch_answers_also_from_a_file(words: Any, tmp_path: Path) -> None:
    x, y = rows(2, 80)
    recipe = Recipe(validation=0.3, max_iter=6, **words)
    made = recipe.fit(x, y)
    assert made.run.best is not None and len(made.run.history["validation"]) == made.run.epoch
    made.save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    assert np.array_equal(back.decision(x), made.decision(x))
    for again, wanted in zip(back.run.best.state, made.run.best.state, strict=True):
        assert again.tobytes() == wanted.tobytes()
    at_once = Recipe(max_iter=made.run.best.epoch, validation=0.3, **words).fit(x, y)
    assert np.array_equal(at_once.run.state.w, made.run.best.state.w)


def test_the_pocket_has_sparse_weights_as_they_are_read() -> None:
    """Those with the pull that columns have not met yet, as `last` has them after the same epochs."""
    x, y = rows(2, 80)
    words = {**GRADIENT, "l1": 0.05, "max_iter": 1, "tol": None}
    last = [LinearClassifier(**{**words, "max_iter": n}).fit(x, y) for n in (1, 2, 3, 4)]
    pocket = LinearClassifier(**{**words, "max_iter": 4, "keep": "pocket"}).fit(x, y)
    errors = [(each.predict(x) != y).sum() for each in last]
    assert (pocket.predict(x) != y).sum() <= min(errors)
    assert any((each.coef_ == 0.0).any() for each in last)


# --- when they have finished ---------------------------------------------------------------------------------------

CROSS = np.array([[2.0, 0.0], [0.0, 1.0], [-2.0, 0.0], [0.0, -1.0]]), [1, 1, -1, -1]


@pytest.mark.parametrize(("l1", "converged", "reason"), [
    (0.1, True, "an epoch without an update"),
    (0.2, False, "an epoch without an update, but L1 has pulled the weights until rows ask for one"),
])  # fmt: skip
def test_a_pull_that_undoes_what_was_learned_is_no_end(l1: float, converged: bool, reason: str) -> None:
    x, y = CROSS
    made = LinearClassifier("perceptron", l1=l1, fit_intercept=False, shuffle=False).fit(x, y)
    assert (made.stop_reason_, made.converged_) == (reason, converged)
    assert (made.score(x, y) == 1.0) is converged


@pytest.mark.parametrize("keep", ["last", "pocket"])
def test_one_that_brings_its_step_has_finished_when_no_row_asks_for_one(keep: str) -> None:
    """SCW's rows are sure enough at last; AROW's step never reaches a margin of 1 quite, and its loss settles."""
    x, y = CROSS
    made = LinearClassifier(metric="scw", keep=keep, tol=None, max_iter=500).fit(x, y)
    assert made.stop_reason_ == "an epoch without an update" and (made.converged_ or keep == "pocket")
    made = LinearClassifier(metric="arow", keep=keep, tol=None, max_iter=100).fit(x, y)
    assert made.stop_reason_ == "epoch limit (max_iter=100)" and made.score(x, y) == 1.0


def test_of_one_that_brings_its_step_the_loss_may_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_classes()["arow"], "tol", 1e-4, raising=False)
    x, y = CROSS
    made = LinearClassifier(metric="arow", tol=1e-4).fit(x, y)
    assert made.converged_ and made.stop_reason_ == "loss fell by less than tol=0.0001 for 5 epochs"
    made = LinearClassifier(metric="arow:r=1e-4", tol=1e-4, n_iter_no_change=1).fit(*rows(2))
    assert not made.converged_ and "does not settle" in made.stop_reason_ and "eta0" not in made.stop_reason_


@pytest.mark.parametrize("metric", ["adagrad", "normalised", "ftrl"])
def test_a_loss_that_settles_has_converged(metric: str) -> None:
    x, y = rows(2, 60)
    made = LinearClassifier("logistic", metric=metric).fit(x, y)
    loss = made.history_["loss"]
    assert made.converged_ and made.stop_reason_ == "loss fell by less than tol=0.0001 for 5 epochs"
    assert len(loss) > 10 and min(loss[:-5]) - min(loss) < 5e-4
    short = LinearClassifier("logistic", metric=metric, max_iter=3).fit(x, y)
    assert not short.converged_ and short.stop_reason_ == "epoch limit (max_iter=3)"


# --- L1 ------------------------------------------------------------------------------------------------------------


def eager(x: Array, y: Array, blocks: list[Array], words: dict[str, Any]) -> Array:
    """(K, d + 1) w̄ of softmax or, of two classes, logistic regression, every weight pulled after each block: by η·l1
    times what its column's step is multiplied by."""
    eta, l1, decay, metric = (words.get(name, 0.0) for name in ("eta0", "l1", "alpha", "metric"))
    bar, k = np.hstack([x, np.ones((len(x), 1))]), 1 if y.max() == 1 else int(y.max()) + 1
    w, g2, s, n, t = np.zeros((k, bar.shape[1])), np.zeros((k, bar.shape[1])), np.zeros(bar.shape[1]), 0.0, 0
    for block in blocks:
        g, rate = np.zeros_like(w), 1.0
        for i in block:
            t += 1
            if metric == "normalised":
                larger = np.abs(bar[i]) > s
                w[:, larger] *= (s / np.where(larger, np.abs(bar[i]), 1.0))[larger]
                s = np.maximum(s, np.abs(bar[i]))
                n += float((np.divide(bar[i], s, out=0.0 * s, where=s > 0.0) ** 2).sum())
                rate = np.sqrt(t / n)
            u = w @ bar[i]
            own = np.eye(k)[y[i]] - np.exp(u) / np.exp(u).sum() if k > 1 else [y[i] - 1.0 / (1.0 + np.exp(-u[0]))]
            g += np.outer(own, bar[i]) / len(block)
        w[:, :-1] *= 1.0 - eta * rate * decay if metric != "normalised" else 1.0
        g2 = g2 + g**2
        own = {"none": np.ones_like(g2), "adagrad": g2**0.5, "normalised": g2**0.5 * s}[metric or "none"]
        strength = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0.0)
        w = w + eta * rate * strength * g
        pull = eta * rate * l1 * strength[:, :-1]
        w[:, :-1] -= np.clip(w[:, :-1], -pull, pull)
    return w


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("block", [1, 7, 40])
@pytest.mark.parametrize("words", [{"l1": 0.02}, {"l1": 0.02, "alpha": 0.1}, {"l1": 0.02, "metric": "adagrad"},
    {"l1": 0.02, "alpha": 0.1, "metric": "adagrad"}, {"l1": 0.02, "metric": "normalised"}])  # fmt: skip
def test_weights_pulled_when_met_are_those_pulled_always(words: Any, block: int, classes: int) -> None:
    x, y = rows(classes)
    words = {"eta0": 0.3, **words}
    blocks = [np.arange(first, min(first + block, 40)) for first in range(0, 40, block)] * 3
    wanted = eager(x, y, blocks, words)
    how = {1: {}, 7: {"optimizer": "mini-batch", "batch_size": 7}, 40: {"optimizer": "batch"}}[block]
    for made in (x, csr_matrix(x)):
        found = LinearClassifier("softmax", tol=None, max_iter=3, shuffle=False, **how, **words).fit(made, y)
        np.testing.assert_allclose(np.hstack([found.coef_, found.intercept_[:, None]]), wanted, rtol=1e-9, atol=1e-12)
        assert ((found.coef_ == 0.0) == (wanted[:, :-1] == 0.0)).all()


def test_a_pull_beside_falling_steps_falls_with_them() -> None:
    """AdaGrad's steps fall; a pull that did not would leave nothing but the majority after some hundred epochs."""
    x, y = rows(2, 200)
    y = (x @ [2.0, -1.0, 0.0, 0.0, 0.0] + 0.3 > 0).astype(int)
    for epochs in (3, 60):
        made = LinearClassifier("logistic", metric="adagrad", l1=0.01, tol=None, max_iter=epochs).fit(x, y)
        assert made.score(x, y) > 0.9 and np.abs(made.coef_[0, :2]).min() > 0.5
