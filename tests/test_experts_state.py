"""Expert advice: what is saved and goes on, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import DataError, SettingError
from rosenblatt.experts import (
    Advised,
    Bound,
    Halving,
    Hedge,
    RandomizedWeightedMajority,
    WeightedMajority,
    load,
)
from test_experts import as_array, games, makers

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
