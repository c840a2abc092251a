"""A recipe on trial: counted as by hand, warmed up without a word about the few rows, said as options of the shell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import Recipe
from rosenblatt.core.rows import dense
from rosenblatt.data.batch import Batch
from rosenblatt.errors import SettingError
from rosenblatt.features.pipeline import Options
from rosenblatt.recipe.training import learn
from rosenblatt.recipe.trial import Trial, counted, part, warm_up
from rosenblatt.report.words import as_options
from samples import three_classes, two_classes


@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_trial_counts_what_the_model_of_the_recipe_does(keep: str, classes: int) -> None:
    x, y = two_classes() if classes == 2 else three_classes()
    recipe = Recipe(keep=keep, scale="standard", max_iter=4)
    made = part(Batch(dense(x[:80]), y[:80]), Batch(dense(x[80:]), y[80:]), recipe.features)
    learned = learn(recipe, made.rows, made.y)
    trial, model = counted(learned, made), recipe.fit(x[:80], y[:80])
    assert trial.wrong is not None and trial.wrong.tolist() == (model.predict(x[80:]) != y[80:]).tolist()
    assert trial.error == pytest.approx(1.0 - model.evaluate(x[80:], y[80:])["accuracy"])
    scores = model.decision(x[:80])
    own = np.searchsorted(model.classes, y[:80])
    if classes == 2:
        right = int(np.count_nonzero(scores * (2 * own - 1) > 0.0))
    else:
        right = sum(row[k] > np.delete(row, k).max() for row, k in zip(scores, own, strict=True))
    assert trial.training_errors == 80 - right and trial.n == 80
    assert trial.mistakes == sum(model.run.history["mistakes"]) and trial.epochs == model.run.epoch
    assert (trial.stop, trial.converged) == (model.run.stop, model.run.finished)
    few = counted(learned, made, most_votes=0)
    assert (few.training_errors is None) == (keep == "voted") and few.wrong is not None


def test_what_is_measured_comes_with_the_trial() -> None:
    x, y = two_classes()
    made = part(Batch(dense(x), y), Batch(dense(x[:9]), y[:9]), Options())
    trial = counted(learn(Recipe(max_iter=2), made.rows, made.y), made, measure=lambda model, scores, held: scores)
    assert len(trial.score) == len(made.truth) == 9 and counted(learn(Recipe(), made.rows, made.y)).wrong is None


def test_better_is_more_than_chance() -> None:
    right, wrong = np.zeros(9, bool), np.ones(9, bool)
    assert Trial(wrong=right).better_than(Trial(wrong=wrong))
    assert not Trial(wrong=right[:4]).better_than(Trial(wrong=wrong[:4])), "4 rows of 4 may be luck: 4 ≤ 2√4"
    assert not Trial().better_than(Trial(wrong=wrong))


def test_warming_up_refuses_settings_and_no_rows() -> None:
    rows, y = dense(np.array([[1e200, 0.0], [0.0, 1.0]])), np.array([0, 1])
    warm_up(Recipe(), rows, y)  # too large to be learned from, which learning from all rows says
    with pytest.raises(SettingError, match="has only `steps`"):
        warm_up(Recipe(rule=Joint()), rows.take(np.array([1, 1])), y)


class Joint:
    def steps(self, *words: Any) -> None: ...


def test_words_without_effect_go_with_what_they_needed() -> None:
    recipe = Recipe(keep="pocket", check_every=5, max_iter=3)
    assert recipe.instead(keep="averaged") == Recipe(keep="averaged", max_iter=3)
    assert recipe.instead(max_iter=4) == Recipe(keep="pocket", check_every=5, max_iter=4)
    with pytest.raises(SettingError):
        recipe.with_(keep="averaged")


def test_words_are_options_of_the_shell() -> None:
    words = {"scale": "standard", "degree": 2, "keep": "averaged", "max_iter": None, "eta0": 0.5}
    assert as_options(words) == "--scale standard --degree 2 --keep averaged --epochs none --eta 0.5"
    assert as_options({}) == ""
