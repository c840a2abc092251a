"""A recipe on trial: learned from some rows and counted on others. Comparisons, diagnoses and the demo make these."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..core.loop import MISTAKES, UPDATES
from ..core.rows import Array, Rows
from ..data.batch import AtHand, Batch
from ..errors import DataError, Message
from ..features.pipeline import Features, Options
from ..learn.converged import training_errors
from ..learn.run import Stop
from ..model.model import Model
from .recipe import Recipe
from .training import Learned, learn

Watch = Callable[[str, int, int], None]
"""Is told what is being done, and how many of how many trials are done."""


class Part(NamedTuple):
    """Rows to learn from and rows held out, with their labels, in features that are fitted to the first alone. seconds:
    that it took to make the first."""

    rows: Rows
    y: Array
    test: Rows
    truth: Array
    seconds: float = 0.0


class Trial(NamedTuple):
    """How a recipe came out.

    what: its name; words: what it says otherwise than those beside it. wrong: (m,) bool, the held-out rows that it gets
    wrong, None where there are none. false_positives: of two classes, the share of the held-out rows of the negative
    one that are called positive; None where there are none. training_errors: of the n rows learned from, those with y·u
    ≤ 0; None where it would take too many votes. seconds: of learning. score: what the caller measures on the held-out
    rows. nonzero_weights: None: they vote. failed: why there are no numbers.
    """

    what: str = ""
    words: Mapping[str, Any] = {}
    wrong: Array | None = None
    false_positives: float | None = None
    training_errors: int | None = None
    n: int = 0
    converged: bool = False
    mistakes: int = 0
    updates: int = 0
    epochs: int = 0
    stop: Stop = Stop("start")
    seconds: float = 0.0
    score: Any = None
    nonzero_weights: int | None = None
    failed: Message | None = None

    @property
    def error(self) -> float | None:
        """The share of held-out rows that are wrong."""
        return None if self.wrong is None else float(self.wrong.mean())

    def better_than(self, other: Trial) -> bool:
        """Clearly so on held-out rows: of the b + c rows on which the two differ, |b − c| > 2√(b + c)."""
        if self.wrong is None or other.wrong is None:
            return False
        gained = int(np.count_nonzero(other.wrong & ~self.wrong))
        lost = int(np.count_nonzero(self.wrong & ~other.wrong))
        return gained - lost > 2.0 * np.sqrt(gained + lost)


def part(train: Batch, test: Batch, features: Options) -> Part:
    """The rows of both in features fitted to the training rows."""
    begun = time.thread_time()
    fitted, rows, *_ = Features.fit(AtHand(train), features)
    seconds = time.thread_time() - begun
    return Part(rows, train.y, fitted.transform(Batch(test.rows, None)), test.y, seconds)  # type: ignore[arg-type]


def in_numbers(train: Batch, test: Batch, features: Options) -> tuple[Batch, Batch, Options]:
    """The same where the texts are rows of words, which are learned once: that takes longer than all else."""
    if not isinstance(train.rows, list):
        return train, test, features
    words = part(train, test, features._replace(scale="none", map=None, kernel=None))
    left = Options(map=features.map, kernel=features.kernel, seed=features.seed)
    return Batch(words.rows, words.y), Batch(words.test, words.truth), left


def parts(train: Batch, test: Batch, features: Options, scalings: Sequence[str]) -> dict[str, Part]:
    """scaling → the part so scaled."""
    train, test, features = in_numbers(train, test, features)
    return {scale: part(train, test, features._replace(scale=scale)) for scale in scalings}


def warm_up(recipe: Recipe, rows: Rows, y: Array) -> None:
    """Compile a recipe's loop on a row of each class, before its time is measured: 1 to 3 s where it never ran before.

    SettingError where these settings cannot learn; few rows may overflow where all do not, and the other way round.
    """
    few = np.unique(y, return_index=True)[1]
    with suppress(DataError):
        learn(recipe.instead(max_iter=1, max_updates=100, max_time=None), rows.take(few), y[few])


def counted(
    learned: Learned,
    held: Part | None = None,
    most_votes: float = np.inf,
    measure: Callable[[Model, Array, Part], Any] | None = None,
) -> Trial:
    """What was learned, counted. held: the part whose rows it does not know. most_votes: rows times vectors up to which
    a voted learner's training errors are counted. measure: (model, scores, part) → the trial's score."""
    model, run = learned.model, learned.model.run
    updates = int(run.state.n[UPDATES])
    votes = 0 if run.memory.is_linear else len(learned.y) * updates * run.state.b.size
    errors = None if votes > most_votes else training_errors(model.scores(learned.rows), learned.y, model.classes)
    wrong = lost = score = None
    if held is not None:
        scores = model.scores(held.test)
        wrong = model.labels(scores) != held.truth
        negative = held.truth == model.classes[0]
        lost = float(wrong[negative].mean()) if len(model.classes) == 2 and negative.any() else None
        score = None if measure is None else measure(model, scores, held)
    return Trial(
        wrong=wrong, false_positives=lost, training_errors=errors, n=len(learned.y), converged=run.finished,
        mistakes=int(run.state.n[MISTAKES]), updates=updates, epochs=run.epoch, stop=run.stop,
        seconds=learned.seconds, score=score,
        nonzero_weights=int(np.count_nonzero(model.weights[0])) if run.memory.is_linear else None,
    )  # fmt: skip
