"""The rules' identities and the theorems of the lecture notes, as properties of runs on drawn data."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from learners import STEP_RULES
from rosenblatt.core.loop import UPDATES
from rosenblatt.core.rows import dense
from rosenblatt.core.verbs import loss as loss_of
from rosenblatt.learn.rule import rule_from
from rosenblatt.learn.run import Chunk, Limits, Run, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train

SLACK = 1e-9
GRADIENT = tuple(name for name in STEP_RULES if rule_from(name).tol is not None)
"""Rules that descend their loss: those that are finished when it stops falling."""


@pytest.fixture(autouse=True, scope="module")
def plain() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ROSENBLATT_JIT", "0")
        yield


ONE_EPOCH = Limits(1)


def learn(x: Any, y: Any, limits: Limits = ONE_EPOCH, start: Any = None, **words: Any) -> Run:
    """A run in the given order, from zero or from (w, b)."""
    x = np.atleast_2d(np.asarray(x, float))
    run = new_run(Settings.of(**{"shuffle": False, "tol": None, **words}), dense(x), 2, start)
    train(run, [Chunk(dense(x), np.atleast_1d(np.asarray(y, float)))], limits)
    return run


eighths = st.integers(-64, 64).map(lambda i: i / 8)
"""Sums and products of these are exact."""
signs = st.sampled_from([-1.0, 1.0])
vectors = st.lists(eighths, min_size=1, max_size=5).map(np.array)


@st.composite
def single(draw: Any) -> tuple[Any, float, Any, float, float]:
    """(x, y, w, b, η): one example, and the weights that meet it."""
    x = draw(vectors)
    w = np.array(draw(st.lists(eighths, min_size=x.size, max_size=x.size)))
    return x, draw(signs), w, draw(eighths), draw(st.sampled_from([0.25, 1.0, 2.0]))


class Separable(NamedTuple):
    x: Any
    y: Any
    u: Any
    """A unit separator of the rows x̄ (through the origin: of x)."""
    gamma: float
    radius: float


@st.composite
def separable(draw: Any, offset: bool) -> Separable:
    """Rows on the right side of a drawn separator, none too near to it."""
    seed, n, d = draw(st.integers(0, 10**6)), draw(st.integers(2, 25)), draw(st.integers(1, 4))
    r = np.random.default_rng(seed)
    x = r.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 30.0]))
    wide = np.c_[x, np.ones(n)] if offset else x
    u = r.normal(size=wide.shape[1])
    u /= np.linalg.norm(u)
    scores = wide @ u
    near = draw(st.sampled_from([0.02, 0.1, 0.5])) * np.abs(scores).max()
    x, wide, scores = (part[np.abs(scores) >= near] for part in (x, wide, scores))
    return Separable(x, np.sign(scores), u, float(np.abs(scores).min()), float(np.linalg.norm(wide, axis=1).max()))


# --- one step --------------------------------------------------------------------------------------------------------


@given(single(), st.booleans())
def test_an_update_raises_the_margin_of_its_example_by_eta_times_its_squared_norm(one: Any, bias: bool) -> None:
    """Notes 000, 001 (eq. 9–11), 004: exactly; it can still be wrong afterwards. Without a mistake nothing moves."""
    x, y, w, b, eta = one
    b = b if bias else 0.0
    run = learn(x, y, start=(w[None, :], np.array([b])), rule="perceptron", eta0=eta, fit_intercept=bias)
    before, after = y * (w @ x + b), y * (run.state.w @ x + run.state.b[0])
    assert after - before == (eta * (x @ x + bias) if before <= 0 else 0.0)
    assert run.history["mistakes"] == [int(before <= 0)]
    assert bias or run.state.b[0] == 0.0


@given(single(), st.sampled_from([0.5, 1.0, 4.0]))
def test_the_margin_perceptron_does_the_same_below_tau(one: Any, tau: float) -> None:
    x, y, w, b, eta = one
    run = learn(x, y, start=(w[None, :], np.array([b])), rule=f"margin:tau={tau}", eta0=eta)
    before, after = y * (w @ x + b), y * (run.state.w @ x + run.state.b[0])
    assert after - before == (eta * (x @ x + 1.0) if before < tau else 0.0)
    assert run.history["mistakes"] == [int(before <= 0)], "a mistake is y·u ≤ 0 under every rule"


@given(single(), st.sampled_from([0.01, 1.0, 100.0]), st.booleans())
def test_a_passive_aggressive_step_reaches_one_unless_clipped(one: Any, C: float, bias: bool) -> None:
    """Ours counts the bias in ‖x̄‖², so y·u = 1 holds with it too; a row of zeros makes no step without it."""
    x, y, w, b, _ = one
    b = b if bias else 0.0
    run = learn(x, y, start=(w[None, :], np.array([b])), rule=f"passive-aggressive:C={C}", fit_intercept=bias)
    before, after, q = y * (w @ x + b), y * (run.state.w @ x + run.state.b[0]), x @ x + bias
    if before >= 1.0 or q == 0.0:
        assert after == before and run.state.n[UPDATES] == 0
    elif (1.0 - before) / q <= C:
        assert after == pytest.approx(1.0, rel=SLACK)
    else:
        assert after == pytest.approx(before + C * q, rel=SLACK)
        assert after < 1.0


@given(single(), st.sampled_from([0.01, 1.0, 100.0]))
def test_passive_aggressive_two_goes_the_share_of_the_way_that_it_should(one: Any, C: float) -> None:
    """ℓ/(‖x̄‖² + 1/(2C)): the loss left is ℓ·(1/(2C))/(‖x̄‖² + 1/(2C))."""
    x, y, w, b, _ = one
    run = learn(x, y, start=(w[None, :], np.array([b])), rule=f"passive-aggressive-2:C={C}")
    before, after, q = y * (w @ x + b), y * (run.state.w @ x + run.state.b[0]), x @ x + 1.0
    lost = max(0.0, 1.0 - before)
    left = lost * (0.5 / C) / (q + 0.5 / C) if lost else 1.0 - before
    assert 1.0 - after == pytest.approx(left, rel=SLACK, abs=SLACK)


@given(single())
def test_until_right_adds_a_wrong_row_as_often_as_it_takes_and_not_once_more(one: Any) -> None:
    x, y, w, b, _ = one
    run = learn(x, y, start=(w[None, :], np.array([b])), rule="until-right")
    before, after, q = y * (w @ x + b), y * (run.state.w @ x + run.state.b[0]), x @ x + 1.0
    if before > 0:
        assert after == before
    else:
        assert after >= 1.0 - SLACK and after - q < 1.0
        assert ((after - before) / q) % 1.0 == pytest.approx(0.0, abs=SLACK)
        assert run.history["mistakes"] == [1] and run.history["updates"] == [1]


@pytest.mark.parametrize("rule", GRADIENT)
@given(u=st.floats(-25, 25), y=signs)
def test_a_gradient_units_step_is_minus_the_derivative_of_its_loss(rule: str, u: float, y: float) -> None:
    value, h = rule_from(rule), 1e-5
    slope = (value.loss(u + h, y) - value.loss(u - h, y)) / (2 * h)
    assert value.step(u, y, 3.7) == pytest.approx(-slope, rel=1e-5, abs=1e-9)


def test_the_gradient_units_are_found() -> None:
    assert set(GRADIENT) >= {"linear", "sigmoid", "tanh", "logistic"}


@pytest.mark.parametrize("rule", ["perceptron", "margin:tau=2"])
@given(u=st.floats(-25, 25), y=signs)
def test_the_perceptrons_steps_are_too_away_from_the_kink(rule: str, u: float, y: float) -> None:
    value, h = rule_from(rule), 1e-5
    kink = 0.0 if rule == "perceptron" else 2.0
    assume(abs(y * u - kink) > 2 * h)
    slope = (value.loss(u + h, y) - value.loss(u - h, y)) / (2 * h)
    assert value.step(u, y, 3.7) == pytest.approx(-slope, rel=1e-5, abs=1e-9)


EXTREMES = (0.0, 1e-300, 0.5, 1e3, 1e16, 1e308)


@pytest.mark.parametrize("rule", STEP_RULES)
def test_no_rule_overflows_in_plain_python(rule: str) -> None:
    """math.exp(800) raises; so does math.ceil of infinity. What is too large to hold may be inf, never NaN."""
    value = rule_from(rule)
    for u in (*EXTREMES, *(-u for u in EXTREMES)):
        for y in (-1.0, 1.0):
            for q in (0.0, 5e-324, 1e-300, 1.0, 1e308):
                assert not math.isnan(value.step(u, y, q)), (u, y, q)
            assert loss_of(value, u, y) >= 0.0
            assert isinstance(value.step(u, y, 1.0) + 0.0, float)


@pytest.mark.parametrize("jit", ["0", "1"])
def test_until_right_counts_beyond_whole_numbers(monkeypatch: pytest.MonkeyPatch, jit: str) -> None:
    """10²⁴ additions of a tiny row: more than a 64-bit integer holds."""
    monkeypatch.setenv("ROSENBLATT_JIT", jit)
    run = learn([[1e-12]], [1.0], rule="until-right", fit_intercept=False)
    assert run.state.w[0] == pytest.approx(1e12, rel=1e-12)


@pytest.mark.parametrize("rule", STEP_RULES)
def test_a_zero_score_is_a_mistake_whichever_the_label(rule: str) -> None:
    run = learn(np.eye(2), [-1.0, 1.0], rule=rule, fit_intercept=False)
    assert run.history["mistakes"] == [2]


# --- runs ------------------------------------------------------------------------------------------------------------


def path_of(s: Separable, bias: bool, eta: float, **words: Any) -> list[Any]:
    """The weights w̄ after each update, until none is left (or 10,000 updates)."""
    run = new_run(Settings.of(eta0=eta, fit_intercept=bias, tol=None, **words), dense(s.x), 2)
    path: list[Any] = []
    while len(path) < 10_000:
        train(run, [Chunk(dense(s.x), s.y)], Limits(100_000, max_updates=1))
        if run.stop_reason == "an epoch without an update":
            return path
        path.append(np.append(run.state.w, run.state.b) if bias else run.state.w.copy())
    raise AssertionError("no end in sight")


def check_mistake_bound(s: Separable, bias: bool, eta: float) -> None:
    path = path_of(s, bias, eta)
    assert len(path) <= (s.radius / s.gamma) ** 2 * (1 + SLACK)
    for k, w in enumerate(path, start=1):
        assert w @ s.u >= k * eta * s.gamma * (1 - SLACK)
        assert w @ w <= k * eta**2 * s.radius**2 * (1 + SLACK)
        assert w @ s.u / np.linalg.norm(w) >= math.sqrt(k) * s.gamma / s.radius * (1 - SLACK)


@given(separable(offset=False), st.sampled_from([0.5, 1.0]))
def test_mistake_bound_through_the_origin(s: Separable, eta: float) -> None:
    """k ≤ R²/γ₀², and on the way w·u ≥ kηγ and ‖w‖² ≤ kη²R² (notes 000 and 001)."""
    check_mistake_bound(s, False, eta)


@given(separable(offset=True), st.sampled_from([0.5, 1.0]))
def test_mistake_bound_with_offset(s: Separable, eta: float) -> None:
    """k ≤ R̄²/γ̄² with the bias counted as a feature."""
    check_mistake_bound(s, True, eta)


@given(separable(offset=True), st.sampled_from([0.5, 1.0]), st.sampled_from([0.5, 1.0, 3.0]))
def test_margin_perceptrons_bound_and_the_margin_it_ends_with(s: Separable, eta: float, tau: float) -> None:
    """Updates ≤ (R̄² + 2τ/η)/γ̄², final margin ≥ γ̄·τ/(ηR̄² + 2τ) (note 002, Theorem 2, for any η and τ)."""
    bound = (s.radius**2 + 2 * tau / eta) / s.gamma**2
    assume(bound < 3000)
    run = learn(s.x, s.y, Limits(None), rule=f"margin:tau={tau}", eta0=eta)
    assert run.converged and run.state.n[UPDATES] <= bound * (1 + SLACK)
    w = np.append(run.state.w, run.state.b)
    margin = (s.y * (np.c_[s.x, np.ones(len(s.x))] @ w)).min() / np.linalg.norm(w)
    assert margin >= s.gamma * tau / (eta * s.radius**2 + 2 * tau) * (1 - SLACK)


@given(separable(offset=True))
def test_until_right_makes_no_more_additions_than_the_margin_perceptron_may(s: Separable) -> None:
    """Note 002, online use: it is a margin perceptron that sees some rows again at once."""
    bound = (s.radius**2 + 2.0) / s.gamma**2
    assume(bound < 3000)
    run = learn(s.x, s.y, Limits(None), rule="until-right")
    path = path_of(s, True, 1.0, rule="until-right", shuffle=False)
    steps = np.diff([0.0, *(w[-1] for w in path)])
    assert run.converged and len(path) == run.state.n[UPDATES] == run.state.n[2]
    assert np.abs(steps).sum() <= bound * (1 + SLACK)


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 3.0]))
def test_one_pass_over_any_data_makes_a_bounded_number_of_mistakes(seed: int, gamma: float) -> None:
    """Freund & Schapire 1999, Theorem 2: k ≤ ((R̄ + D)/γ)² for any unit u and γ > 0, separable or not."""
    r = np.random.default_rng(seed)
    x, y = r.normal(size=(30, 3)), r.choice([-1.0, 1.0], size=30)
    wide, u = np.c_[x, np.ones(30)], r.normal(size=4)
    u /= np.linalg.norm(u)
    missing = math.sqrt((np.maximum(0.0, gamma - y * (wide @ u)) ** 2).sum())
    mistakes = learn(x, y).history["mistakes"][0]
    assert mistakes <= ((np.linalg.norm(wide, axis=1).max() + missing) / gamma) ** 2 * (1 + SLACK)


@given(separable(offset=True), st.sampled_from([0.125, 4.0, 1024.0]))
def test_a_constant_eta_only_rescales_the_perceptrons_weights(s: Separable, eta: float) -> None:
    """From a zero start; exact for powers of two."""
    one, other = (learn(s.x, s.y, Limits(20), eta0=e) for e in (1.0, eta))
    assert np.array_equal(other.state.w, eta * one.state.w) and other.state.b[0] == eta * one.state.b[0]
    assert other.history["mistakes"] == one.history["mistakes"]


def drawn(seed: int, n: int = 15, d: int = 4) -> tuple[Any, Any]:
    r = np.random.default_rng(seed)
    return np.round(r.normal(size=(n, d)) * 8) / 8, r.choice([-1.0, 1.0], size=n)


@pytest.mark.parametrize("rule", STEP_RULES)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_the_features_does_not_matter(rule: str, seed: int) -> None:
    x, y = drawn(seed)
    places = np.random.default_rng(seed).permutation(4)
    one, other = (learn(part, y, Limits(2), rule=rule) for part in (x, x[:, places]))
    np.testing.assert_allclose(other.state.w, one.state.w[places], rtol=SLACK, atol=SLACK)


@pytest.mark.parametrize("rule", STEP_RULES)
@given(seed=st.integers(0, 10**6))
def test_turning_the_labels_over_turns_the_weights_over(rule: str, seed: int) -> None:
    """No rule prefers a class: a score of 0 is a mistake for both."""
    x, y = drawn(seed)
    one, other = (learn(x, labels, Limits(2), rule=rule) for labels in (y, -y))
    np.testing.assert_allclose(other.state.w, -one.state.w, rtol=SLACK, atol=SLACK)
    assert other.history["mistakes"] == one.history["mistakes"]


@pytest.mark.parametrize("rule", GRADIENT)
@given(seed=st.integers(0, 10**6))
def test_stochastic_steps_approach_the_batch_as_eta_falls(rule: str, seed: int) -> None:
    """Note 003: n online steps of η against one batch step of n·η; the gap falls as η²."""
    x, y = drawn(seed)
    start = (np.full((1, 4), 0.3), np.array([-0.2]))
    gaps = []
    for eta in (1e-4, 1e-5):
        online = learn(x, y, start=start, rule=rule, eta0=eta)
        batch = learn(x, y, start=start, rule=rule, eta0=eta * len(y), optimizer="batch")
        moved = np.linalg.norm(batch.state.w - start[0][0])
        gaps.append(float(np.linalg.norm(online.state.w - batch.state.w)))
        assert gaps[-1] <= 0.1 * moved + 1e-12
    assert gaps[1] <= gaps[0] / 50 + 1e-12


@given(separable(offset=True))
def test_the_batch_perceptron_never_makes_its_loss_larger_for_a_small_eta(s: Separable) -> None:
    """Note 000: it descends E = (1/N) Σ max(0, −y·u); from a start that is wrong everywhere."""
    start = (-s.u[None, :-1], -s.u[-1:])
    run = learn(s.x, s.y, Limits(6), start=start, optimizer="batch", eta0=1e-3 * s.gamma / s.radius**2)
    assert all(later <= earlier for earlier, later in zip(run.history["loss"], run.history["loss"][1:], strict=False))
    assert run.history["mistakes"][0] == len(s.y)
