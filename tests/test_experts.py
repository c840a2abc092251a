"""Learning from expert advice: every guarantee as a property, exact expectations, sleepers and ties."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_experts as naive
from rosenblatt.experts import (
    Advised,
    BoundViolated,
    FollowTheLeader,
    Halving,
    Hedge,
    RandomizedWeightedMajority,
    WeightedMajority,
    against_the_leader,
)
from rosenblatt.experts import play as core
from rosenblatt.experts.advised import uniform

BETAS = [0.5, 0.25, 0.3, 0.9, 0.01]
MAKERS: dict[str, Callable[[int], Advised]] = {
    "halving": Halving,
    "majority": WeightedMajority,
    "majority .3": lambda n: WeightedMajority(n, beta=0.3),
    "randomized": RandomizedWeightedMajority,
    "randomized .9": lambda n: RandomizedWeightedMajority(n, beta=0.9, seed=3),
    "hedge anytime": Hedge,
    "hedge doubling": lambda n: Hedge(n, "doubling"),
    "hedge fixed": lambda n: Hedge(n, 0.4),
    "hedge horizon": lambda n: Hedge(n, horizon=40),
    "leader": FollowTheLeader,
}
makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@st.composite
def games(draw: st.DrawFn, asleep: bool = False, rounds: int = 40) -> tuple[list[list[int | None]], list[int]]:
    """(advice, outcomes), from a few experts up to many rounds."""
    n, count = draw(st.integers(1, 6)), draw(st.integers(1, rounds))
    says = st.sampled_from([0, 1, None] if asleep else [0, 1])
    advice = draw(st.lists(st.lists(says, min_size=n, max_size=n), min_size=count, max_size=count))
    return advice, draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))


def as_array(advice: list[list[int | None]]) -> Any:
    return np.array(advice, dtype=float)


# --- the same as in plain fractions ----------------------------------------------------------------------------------


@given(games(), st.sampled_from(BETAS))
def test_weighted_majority_is_that_of_fractions(game: Any, beta: float) -> None:
    """Every prediction, ties of exact numbers included, and the weights."""
    advice, outcomes = game
    said, weights = naive.majority(advice, outcomes, Fraction(beta))
    made = WeightedMajority(len(advice[0]), beta)
    assert made.run(as_array(advice), outcomes).prediction.tolist() == said
    assert made.weights == pytest.approx([float(w) for w in weights], rel=1e-9)


@given(games(asleep=True, rounds=7), st.sampled_from([0.5, 0.25]))
def test_expectations_and_sleepers_are_those_of_fractions(game: Any, beta: float) -> None:
    """Expected mistakes of each round to 1e-12, also where experts sleep and the awake keep their common weight."""
    advice, outcomes = game
    expected, weights = naive.randomised(advice, outcomes, Fraction(beta))
    made = RandomizedWeightedMajority(len(advice[0]), beta)
    told = made.run(as_array(advice), outcomes)
    total = np.cumsum([float(e) for e in expected])
    assert told.expected_mistakes == pytest.approx(total, rel=1e-11, abs=1e-12)
    assert made.weights == pytest.approx([float(w) for w in weights], rel=1e-9)
    assert made.weights.sum() == pytest.approx(1.0, abs=1e-14)


@given(games(asleep=True, rounds=7), st.sampled_from([0.5, 0.25]))
def test_majority_of_sleepers_is_that_of_fractions(game: Any, beta: float) -> None:
    advice, outcomes = game
    said, _ = naive.majority(advice, outcomes, Fraction(beta))
    assert WeightedMajority(len(advice[0]), beta).run(as_array(advice), outcomes).prediction.tolist() == said


@given(games())
def test_halving_and_leader_are_the_plain_ones(game: Any) -> None:
    advice, outcomes = game
    for cls, reference in ((Halving, naive.halving), (FollowTheLeader, naive.leader)):
        made = cls(len(advice[0]))
        said = reference(advice, outcomes)
        assert made.run(as_array(advice), outcomes).prediction.tolist() == said
        assert made.mistakes == sum(s != o for s, o in zip(said, outcomes, strict=True)) == made.expected_mistakes


# --- the guarantees --------------------------------------------------------------------------------------------------


@given(games(rounds=60), st.integers(0, 5))
def test_halving_with_a_perfect_expert(game: Any, perfect: int) -> None:
    advice, outcomes = as_array(game[0]), np.array(game[1])
    n = advice.shape[1]
    advice[:, perfect % n] = outcomes
    made = Halving(n)
    made.run(advice, outcomes)
    assert made.mistakes <= made.bound() == math.floor(math.log2(n))


def test_halving_without_one_has_no_bound() -> None:
    made = Halving(2)
    made.update([0, 0], 1)
    assert str(made.bound()) == "no bound: no expert is perfect, the best one has made 1 mistake"
    assert made.bound() == math.inf and not made.bound().applies


@makers
@given(game=games(asleep=True, rounds=60))
def test_every_bound_holds_after_every_round(make: Callable[[int], Advised], game: Any) -> None:
    """For each expert in its awake rounds. `run` checks it as well, and would raise."""
    advice, outcomes = as_array(game[0]), np.array(game[1])
    made = make(advice.shape[1])
    told = made.run(advice, outcomes)
    assert (told.bounded <= told.bound + 1e-9).all()
    form, room = made.form(), made.room(np.array([made.rounds]))[0]
    if made.bound().applies:
        tally = made.tally
        assert (form.a * tally.own <= form.b * tally.loss + form.c * tally.rounds + room + 1e-9).all()


def test_the_formulas_are_those_of_the_theorems() -> None:
    advice, outcomes = np.array([[1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]], float), [1, 1, 1]
    m, n, t = 1, 4, 3
    majority, randomized = WeightedMajority(n), RandomizedWeightedMajority(n, beta=0.25)
    majority.run(advice, outcomes)
    randomized.run(advice, outcomes)
    assert majority.expert_mistakes.min() == m
    assert majority.bound() == pytest.approx((m * math.log(2) + math.log(n)) / math.log(4 / 3))
    assert majority.bound() == pytest.approx(2.41 * (m + math.log2(n)), rel=1e-3)
    assert randomized.bound() == pytest.approx((m * math.log(4) + math.log(n)) / 0.75)
    best = math.sqrt(t * math.log(n) / 2)
    for hedge, right in (
        (Hedge(n, horizon=t), best),
        (Hedge(n, "anytime"), 2 * best + math.sqrt(math.log(n) / 8)),
        (Hedge(n, "doubling"), math.sqrt(2) / (math.sqrt(2) - 1) * best),
        (Hedge(n, 0.1), math.log(n) / 0.1 + 0.1 * t / 8),
    ):
        hedge.run(advice, outcomes)
        assert hedge.bound() == pytest.approx(right)
        assert hedge.regret <= hedge.bound()


@given(st.integers(1, 6), st.integers(0, 50), st.sampled_from(["anytime", "doubling", 0.3, 2.0]), st.data())
def test_hedge_keeps_its_regret_for_any_losses(n: int, rounds: int, eta: Any, data: Any) -> None:
    number = st.floats(0, 1)
    losses = np.array(data.draw(st.lists(st.lists(number, min_size=n, max_size=n), min_size=rounds, max_size=rounds)))
    made = Hedge(n, eta)
    own, rate = 0.0, 0.0
    for t, row in enumerate(losses.reshape(rounds, n), 1):
        if eta == "anytime":
            rate, past = math.sqrt(8 * math.log(n) / t), losses[: t - 1]
        elif eta == "doubling":
            begin = 1 << (t.bit_length() - 1)
            rate, past = math.sqrt(8 * math.log(n) / begin), losses[begin - 1 : t - 1]
        else:
            rate, past = eta, losses[: t - 1]
        weights = np.exp(-rate * (past.sum(axis=0) if len(past) else np.zeros(n)))
        assert made.weights == pytest.approx(weights / weights.sum(), rel=1e-9)
        own += float(weights @ row / weights.sum())
        assert made.update_losses(row).prediction is None
    assert made.loss == pytest.approx(own, abs=1e-12)
    assert made.regret <= made.bound() + 1e-12


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_adversary_makes_the_leader_err_every_round(n: int) -> None:
    """mistakes = n·m + n − 1 is reached; Hedge on the same rounds stays near the best."""
    rounds = 40 * n + n - 1
    advice, outcomes = against_the_leader(n, rounds)
    leader, hedge = FollowTheLeader(n), Hedge(n)
    leader.run(advice, outcomes)
    hedge.run(advice, outcomes)
    assert leader.mistakes == rounds == leader.bound() == n * 40 + n - 1
    assert leader.expert_mistakes.min() == 40
    assert hedge.regret <= hedge.bound()


@makers
def test_an_adaptive_adversary_that_knows_the_prediction(make: Callable[[int], Advised]) -> None:
    """The outcome is always the other one, the advice random: own mistakes every round for what does not draw."""
    random, made = np.random.default_rng(1), make(5)
    for _ in range(300):
        advice = random.integers(0, 2, 5)
        chance = made.chance(advice)
        made.update(advice, int(chance < 0.5))  # raises if a bound is broken
    if made.bounded_is == "mistakes":
        assert made.mistakes == 300
    assert made.bounded <= made.bound() + 1e-9


def test_a_broken_bound_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that cannot be are an error, not a number; those that only seem so, by rounding, are none."""
    made = WeightedMajority(3)
    monkeypatch.setattr(WeightedMajority, "room", lambda self, t: np.zeros(len(t)))
    made.update([0, 0, 0], 1)  # above the altered bound, but not above the exact one
    made.tally.own[:] = 1000.0
    with pytest.raises(BoundViolated, match="theorem of weighted-majority is broken after round 2"):
        made.update([0, 0, 0], 1)


# --- sleepers, ties, the first round ---------------------------------------------------------------------------------


def test_weight_of_the_awake_is_conserved() -> None:
    made = WeightedMajority(4)
    made.update([1, 0, 1, 1], 1)
    before = made.weights
    made.update([None, 1, 0, None], 0)
    after = made.weights
    assert after[[0, 3]] == pytest.approx(before[[0, 3]], rel=1e-14)
    assert after[[1, 2]].sum() == pytest.approx(before[[1, 2]].sum(), rel=1e-14)
    assert after[2] / after[1] == pytest.approx(2 * before[2] / before[1])


def test_regret_counts_awake_rounds_only() -> None:
    made = FollowTheLeader(2)
    made.run([[0, np.nan], [0, np.nan], [1, 1]], [1, 1, 1])  # the second arrives late, and is right
    assert made.mistakes == 2
    assert made.regrets.tolist() == [0.0, 0.0] and made.regret == 0.0
    assert made.awake_rounds.tolist() == [3, 1]
    assert str(made.bound()).startswith("no bound: experts slept")


def test_three_ways_to_sleep_and_rounds_without_anyone() -> None:
    by_nan, by_mask, by_awake = (WeightedMajority(3) for _ in range(3))
    by_nan.update([1, np.nan, 0], 0)
    by_mask.update(np.ma.array([1, 1, 0], mask=[False, True, False]), 0)
    by_awake.update([1, 1, 0], 0, awake=np.array([True, False, True]))
    assert by_nan.weights.tolist() == by_mask.weights.tolist() == by_awake.weights.tolist()
    assert by_nan.predict([None, None, None]) == 1
    told = by_nan.update([None, None, None], 0)
    assert told.mistakes == 2 and told.regret == 1.0  # nobody's regret for a round without anyone


@makers
def test_ties_predict_up(make: Callable[[int], Advised]) -> None:
    made = make(2)
    if made.bounded_is == "mistakes":
        assert made.predict([0, 1]) == made.predict([1, 0]) == 1
    else:
        assert made.chance([0, 1]) == 0.5


def test_near_ties_are_decided_by_exact_numbers() -> None:
    """One expert against one and another that was wrong 40 or 80 times: 2⁻⁴⁰ and 2⁻⁸⁰ decide, and nothing is a tie."""
    for wrong in (40, 80):
        made = WeightedMajority(3)
        made.run([[1, 1, 0]] * wrong, [1] * wrong)
        assert made.predict([1, 0, 0]) == 0 and made.predict([0, 1, 1]) == 1
    made = WeightedMajority(3)
    made.run([[1, 0, 0]], [1])
    assert made.predict([0, 1, 1]) == 1  # 1 = ½ + ½


def test_weights_sum_to_one_before_the_first_round() -> None:
    """peers.md: four experts who all say 1 at first are answered 4.0 elsewhere; here weights sum to one."""
    for make in MAKERS.values():
        made = make(4)
        assert made.weights.tolist() == [0.25] * 4
        assert made.chance([1, 1, 1, 1]) == 1.0 and made.predict([1, 1, 1, 1]) == 1
        assert made.best_expert is None and made.mistakes == made.regret == made.rounds == 0


@makers
@given(game=games(asleep=True, rounds=70))
def test_one_by_one_is_all_at_once(make: Callable[[int], Advised], game: Any) -> None:
    """And predict says what update then counts."""
    advice, outcomes = as_array(game[0]), game[1]
    one, all_ = make(advice.shape[1]), make(advice.shape[1])
    told = all_.run(advice, outcomes)
    for t, (row, outcome) in enumerate(zip(advice, outcomes, strict=True)):
        prediction, chance = one.predict(row), one.chance(row)
        each = one.update(row, outcome)
        assert each == told[t]
        assert (each.prediction, each.chance) == (prediction, chance)
    assert all((a == b).all() for a, b in zip(one.tally, all_.tally, strict=True))
    assert str(one.bound()) == str(all_.bound()) and one.weights.tolist() == all_.weights.tolist()


@makers
def test_compiled_rounds_are_the_plain_ones(make: Callable[[int], Advised], monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    advice, outcomes = random.integers(0, 2, (600, 5)).astype(float), random.integers(0, 2, 600)
    advice[random.random(advice.shape) < 0.2] = np.nan
    compiled, plain = make(5), make(5)
    monkeypatch.setattr("rosenblatt.core.dispatch.SMALL_WORK", 0)
    first = compiled.run(advice, outcomes)
    monkeypatch.setattr(core.play_rounds, "for_work", lambda work: core.play)
    second = plain.run(advice, outcomes)
    assert first.prediction.tolist() == second.prediction.tolist()
    assert first.expected_mistakes == pytest.approx(second.expected_mistakes, rel=1e-12)


def test_a_million_rounds_do_not_underflow() -> None:
    random = np.random.default_rng(0)
    outcomes = random.integers(0, 2, 1_000_000).astype(float)
    advice = np.abs(outcomes[:, None] - (random.random((1_000_000, 10)) < np.linspace(0.2, 0.6, 10)))
    for made in (WeightedMajority(10), RandomizedWeightedMajority(10), Hedge(10), Hedge(10, "doubling")):
        made.run(advice, outcomes)
        assert made.rounds == 1_000_000 and made.best_expert == 0
        assert made.weights.sum() == pytest.approx(1.0) and made.weights[0] > 0.5
        assert np.isfinite(made.log_weights).all()
        assert made.bounded <= made.bound()


def test_draws_depend_on_seed_and_round_only() -> None:
    assert np.concatenate([uniform(7, 1, 5000), uniform(7, 5001, 4000)]).tolist() == uniform(7, 1, 9000).tolist()
    advice, outcomes = np.tile([0.0, 1.0], (5000, 1)), np.arange(5000) % 2
    made, other = RandomizedWeightedMajority(2, seed=1), RandomizedWeightedMajority(2, seed=2)
    first, second = made.run(advice, outcomes).prediction, other.run(advice, outcomes).prediction
    assert first.tolist() != second.tolist()
    assert abs(made.mistakes - made.expected_mistakes) < 5 * math.sqrt(5000 / 4)


@pytest.mark.parametrize("eta", [0.3, "anytime"])
def test_weights_along_losses_are_those_of_the_rounds(eta: Any) -> None:
    losses = np.random.default_rng(0).random((40, 3))
    hedge, each = Hedge(3, eta), []
    for loss in losses:
        each.append(hedge.weights)
        hedge.update_losses(loss)
    ahead = Hedge(3, eta)
    assert (ahead.weights_along(losses[:15]) == each[:15]).all() and ahead.rounds == 0
    ahead.run_losses(losses[:15])
    assert (ahead.weights_along(losses[15:]) == each[15:]).all()
