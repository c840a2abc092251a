"""Learning from expert advice: every guarantee as a property, exact expectations, sleepers, ties, state, streams."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_experts as naive
from command import run, well
from rosenblatt import LinearClassifier
from rosenblatt.datasets import load_sms, load_spambase, path
from rosenblatt.errors import DataError, SettingError
from rosenblatt.experts import (
    Advised,
    Bound,
    BoundViolated,
    FollowTheLeader,
    Halving,
    Hedge,
    OnlineCommittee,
    RandomizedWeightedMajority,
    WeightedMajority,
    against_the_leader,
    load,
)
from rosenblatt.experts import play as core
from rosenblatt.experts.advised import uniform
from rosenblatt.experts.table import AdviceTable

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
    assert str(made.bound()) == "no bound: no expert is perfect, the best one has made 1 mistakes"
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


# --- state -----------------------------------------------------------------------------------------------------------


@makers
@given(game=games(asleep=True, rounds=50), cut=st.integers(0, 50))
def test_a_saved_state_goes_on_exactly(make: Callable[[int], Advised], game: Any, cut: int) -> None:
    import tempfile

    advice, outcomes = as_array(game[0]), np.array(game[1])
    whole, part = make(advice.shape[1]), make(advice.shape[1])
    told = whole.run(advice, outcomes)
    part.run(advice[:cut], outcomes[:cut])
    with tempfile.TemporaryDirectory() as folder:
        part.save(Path(folder) / "state.json")
        again = load(Path(folder) / "state.json")
    assert type(again) is type(part) and again.settings() == part.settings()
    assert str(again.bound()) == str(part.bound()) and again.best_expert == part.best_expert
    rest = again.run(advice[cut:], outcomes[cut:])
    assert rest.expected_mistakes.tolist() == told.expected_mistakes[cut:].tolist()
    assert again.weights.tolist() == whole.weights.tolist()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "found no JSON"),
        ("[]", "damaged state"),
        ('{"format": "other"}', "found the format 'other'"),
        ('{"format": "rosenblatt experts 1", "algorithm": "hedge", "n": 2, "settings": {}}', "damaged state"),
        ('{"format": "rosenblatt experts 1", "algorithm": "hedge", "n": 0, "settings": {}}', "n=0"),
    ],
)
def test_a_damaged_state_is_one_sentence(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "state").write_text(content)
    with pytest.raises(DataError, match=said) as error:
        load(tmp_path / "state")
    assert str(error.value).startswith(str(tmp_path / "state"))


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Halving(0), "n=0 must be"),
        (lambda: Halving(2.5), "n=2.5 must be"),  # type: ignore[arg-type]
        (lambda: WeightedMajority(2, beta=1.0), "beta=1.0 must be"),
        (lambda: WeightedMajority(2, beta=math.nan), "beta=nan must be"),
        (lambda: RandomizedWeightedMajority(2, seed=-1), "seed=-1 must be"),
        (lambda: Hedge(2, "sometimes"), "eta='sometimes' must be"),  # type: ignore[arg-type]
        (lambda: Hedge(2, -1.0), "eta=-1.0 must be"),
        (lambda: Hedge(2, 0.5, horizon=10), "give one of them"),
        (lambda: Hedge(2, horizon=0), "horizon=0 must be"),
    ],
)
def test_settings_out_of_range(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        make()


def test_advice_that_is_none_changes_nothing() -> None:
    made = WeightedMajority(3)
    made.update([1, 0, 1], 1)
    before = [column.tolist() for column in made.tally]
    for advice, outcome, said in (
        ([1, 0], 1, r"shape \(2,\); expected \(3,\)"),
        ([1, 0.5, 1], 1, "expert 1: found 0.5; expected 0 or 1"),
        ([1, "x", 1], 1, "no number"),
        ([1, 0, 1], 2, "found the outcome 2"),
        ([1, 0, 1], None, "found the outcome None"),
    ):
        with pytest.raises(DataError, match=said):
            made.update(advice, outcome)
    with pytest.raises(DataError, match="round 1, expert 2: found 3"):
        made.run([[1, 0, 1], [0, 0, 3]], [1, 1])
    with pytest.raises(DataError, match="expert 0: found 1.5"):
        Hedge(1).update_losses([1.5])
    assert [column.tolist() for column in made.tally] == before


def test_a_bound_is_a_number_with_a_reason() -> None:
    assert Bound(2.5) == 2.5 and Bound(2.5).applies and str(Bound(2.5)) == "2.5"
    assert repr(Bound(1.0, "why")) == "Bound(no bound: why)" and Bound(1.0, "why") == math.inf


# --- the committee ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", ["last", "averaged"])
@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive", "logistic"])
def test_a_learner_is_scored_before_it_learns(rule: str, keep: str) -> None:
    """Row by row the same as a model that has learned the rows before; afterwards the same weights."""
    table = load_spambase()
    order = np.random.default_rng(0).permutation(len(table.y))[:60]
    x, y = table.X[order] / 100.0, table.y[order]
    committee = OnlineCommittee([{"rule": rule, "keep": keep, "eta0": 0.5}])
    advice, _ = committee.advise(x, y)
    model = LinearClassifier(rule=rule, keep=keep, eta0=0.5, max_iter=1, shuffle=False, tol=None)
    for t in range(1, 60):
        if len(set(y[:t])) == 2:
            model.fit(x[:t], y[:t])
            assert advice[t, 0] == (model.decision_function(x[t : t + 1])[0] > 0.0)
    model.fit(x, y)
    w, b = committee._runs[0].memory.answer(committee._runs[0].state)
    assert w.tolist() == model.coef_.tolist() and b.tolist() == model.intercept_.tolist()


@given(st.lists(st.integers(0, 80), max_size=4))
def test_calls_may_cut_the_stream_anywhere(cuts: list[int]) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(80, 4))
    y = np.where(x @ [1.0, -1.0, 0.5, 0.0] + 0.3 * random.normal(size=80) > 0, "b", "a")
    whole, parts = OnlineCommittee(), OnlineCommittee()
    whole.partial_fit(x, y)
    places = [0, *sorted(cuts), 80]
    for a, b in zip(places[:-1], places[1:], strict=True):
        if a < b:
            parts.partial_fit(x[a:b], y[a:b], classes=["a", "b"])
    assert parts.mistakes_.tolist() == whole.mistakes_.tolist()
    assert parts.algorithm_.weights.tolist() == whole.algorithm_.weights.tolist()
    assert parts.predict(x).tolist() == whole.predict(x).tolist()


def test_weights_over_time_have_an_end() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(600_000, 1))
    committee = OnlineCommittee(["perceptron", "margin"], "hedge").fit(x, x[:, 0] > 0)
    assert committee.history_["rows"] == [1024 * i for i in range(1, 586)]
    assert len(committee.history_["weights"]) == 585 and committee.rows_ == 600_000


def test_committee_refuses() -> None:
    x = np.eye(3)
    for learners, y, said in (
        (["voted perceptron"], [0, 1, 1], "unknown rule 'voted perceptron'"),
        ([{"rule": "perceptron", "keep": "voted"}], [0, 1, 1], "keeps last or averaged"),
        (["perceptron", "perceptron"], [0, 1, 1], "each once"),
        (["perceptron"], [0, 1, 2], "found 3"),
        (["perceptron"], [1, 1, 1], "name both with classes"),
    ):
        with pytest.raises((SettingError, DataError), match=said):
            OnlineCommittee(learners).partial_fit(x, y)
    committee = OnlineCommittee(["perceptron"]).partial_fit(x, [0, 1, 1])
    with pytest.raises(DataError, match="2 features, those before 3"):
        committee.partial_fit(np.eye(2), [0, 1])
    with pytest.raises(DataError, match="unknown label 5"):
        committee.partial_fit(x, [0, 1, 5])
    assert committee.rows_ == 3


def test_committee_on_the_sms_stream() -> None:
    """Which rule should I trust on this stream? Close to the best, and every bound holds."""
    told = json.loads(well("experts", path("sms"), "--learners", "perceptron,averaged perceptron,margin", "--json").out)
    mistakes = {each["name"]: each["mistakes"] for each in told["experts"]}
    assert told["rounds"] == len(load_sms()[0]) == 4459
    assert min(mistakes, key=lambda name: mistakes[name]) == "averaged perceptron"
    for each in told["algorithms"]:
        assert each["held"] in (True, None)
        assert each["expected_mistakes"] <= 1.2 * min(mistakes.values())


def test_committee_on_the_mail_stream() -> None:
    done = well(
        "experts", path("mails"), "--learners", "perceptron,passive-aggressive", "--order", "shuffled", "--json"
    )
    told = json.loads(done.out)
    best = min(each["mistakes"] for each in told["experts"])
    assert 0 < best < 0.2 * told["rounds"]
    assert all(each["held"] is not False for each in told["algorithms"])


# --- the command -----------------------------------------------------------------------------------------------------

MARKET = "radio,paper,coin,outcome\nup,up,down,up\ndown,up,,down\nup,down,up,up\n"


def test_the_table_of_the_command(write: Any) -> None:
    lines = well("experts", write(MARKET, "m.csv")).out.splitlines()
    assert lines[0].endswith("m.csv: 3 rounds, 3 experts")
    assert "1 round in which some slept" in lines[1]
    assert any(line.startswith("weighted-majority") and line.endswith("yes") for line in lines)
    assert any(line.startswith("hedge, no bound: experts slept") for line in lines)
    assert max(map(len, lines[:-2])) <= 110


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ("1,0,1\n0,0,0\n", []),
        ("a,b,y\n1,-1,1\n-1,-1,-1\n", []),
        ("a\tb\ttruth\nTrue\tfalse\tTRUE\nFalse\tFalse\tfalse\n", []),
        ("truth,a,b\nspam,yes,no\nham,no,no\n", []),
        ("x,a,b\ngood,good,bad\nbad,bad,bad\n", ["--outcome", "x", "--up", "good"]),
        ("good,good,bad\nbad,bad,bad\n", ["--outcome", "1", "--up", "good"]),
    ],
)
def test_words_and_columns(content: str, more: list[str], write: Any) -> None:
    told = json.loads(well("experts", write(content, "m.csv"), *more, "--json").out)
    assert told["rounds"] == 2 and [each["mistakes"] for each in told["experts"]] == [0, 1]


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        ("a,b,y\n1,0,1\n0,maybe,1\n", [], "line 3: found 'maybe' in column 2 (b); expected 1 or 0 as before"),
        ("a,b,y\n1,0,1\n0,-1,1\n", [], "line 3: found '-1' in column 2 (b); expected 1 or 0 as before"),
        ("a,b,y\nup,0,1\n", [], "line 2: found '0' in column 2 (b); expected up as before"),
        ("a,b,y\nup,down,up\n", ["--up", "banana"], "expected banana (--up) or up, as before"),
        ("a,b,y\n1,0\n", [], "line 2: found 2 cells; expected 3"),
        ("a,b,y\n1,0,1\n", ["--outcome", "z"], "expected a column 'z'"),
        ("a,b\n1,2\n", ["--losses"], "line 2: found '2' in column 2 (b); expected a loss from 0 to 1"),
        ("y\n1\n", [], "found one cell"),
    ],
)
def test_errors_name_file_line_and_column(content: str, more: list[str], said: str, write: Any) -> None:
    done = run("experts", write(content, "m.csv"), *more)
    assert done.code == 3 and "m.csv, line" in done.err and said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--algorithm", "oracle"], 2, "--algorithms oracle: there is none of that name"),
        (["--beta", "2"], 2, "--beta 2.0 must be a number above 0 and below 1"),
        (["--losses", "--algorithm", "halving"], 2, "--losses are for hedge"),
        (["--losses", "--up", "x"], 2, "--losses have no outcome"),
        (["--bits", "10"], 2, "--bits has an effect only with --learners"),
        (["--learners", "perceptron", "--up", "x"], 2, "--up is for a table of advice"),
        (["--learners", "oracle"], 2, "unknown rule 'oracle'"),
        (["--plot", "x.gif"], 2, "--plot"),
        (["--ledger", "no/where.csv"], 5, "there is no folder"),
    ],
)
def test_options_that_do_not_fit(words: list[str], code: int, said: str, write: Any) -> None:
    done = run("experts", write(MARKET, "m.csv"), *words)
    assert (done.code, said in done.err) == (code, True), done.err


def test_predictions_come_before_outcomes(write: Any) -> None:
    """A row without an outcome is predicted and not learned; what its outcome would be changes no line before it."""
    rows = ["a,b,outcome", "1,0,1", "1,0,1", "0,1,0", "0,1,"]
    first = well("experts", write("\n".join(rows), "a.csv"), "--predict", "--algorithm", "weighted-majority").out
    rows[3] = "0,1,1"
    second = well("experts", write("\n".join(rows), "b.csv"), "--predict", "--algorithm", "weighted-majority").out
    assert first.split() == ["1", "1", "0", "0"]
    assert second.split()[:3] == first.split()[:3]


def test_ledger_and_plot(write: Any, tmp_path: Path) -> None:
    ledger, picture = tmp_path / "ledger.csv", tmp_path / "rounds.svg"
    well("experts", write(MARKET, "m.csv"), "--ledger", ledger, "--plot", picture)
    lines = ledger.read_text().splitlines()
    assert lines[0].startswith("algorithm,round,prediction,chance,mistakes") and len(lines) == 1 + 5 * 3
    last = dict(zip(lines[0].split(","), lines[6].split(","), strict=True))
    assert (last["algorithm"], last["round"], last["best"]) == ("weighted-majority", "3", "radio")
    assert "best expert so far" in picture.read_text()


def test_losses_from_standard_input(write: Any) -> None:
    told = json.loads(
        well("experts", "-", "--losses", "--eta", "doubling", "--json", given="a,b\n.1,.5\n,1\n1,0\n").out
    )
    (hedge,) = told["algorithms"]
    assert hedge["eta"] == "doubling" and hedge["held"] is True and hedge["mistakes"] is None
    assert [each["losses"] for each in told["experts"]] == pytest.approx([1.1, 1.5])


def test_a_table_of_many_rows_is_read_by_blocks(tmp_path: Path) -> None:
    """The fast way for digits and the careful one for words read the same."""
    random = np.random.default_rng(5)
    rows = random.integers(0, 2, (3000, 4))
    digits, words = tmp_path / "digits.csv", tmp_path / "words.csv"
    digits.write_text("\n".join(",".join(map(str, row)) for row in rows.tolist()))
    words.write_text("\n".join(",".join(["down", "up"][v] for v in row) for row in rows.tolist()))
    read = [np.concatenate([np.c_[b.rows.values, b.y] for b in AdviceTable(p)]) for p in (digits, words)]
    assert read[0].tolist() == read[1].tolist() == rows.tolist()
