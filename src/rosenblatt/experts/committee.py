"""Which rule should I trust on this stream? Learners run online side by side, and an algorithm weighs their advice."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.checks import check_finite, check_range, labels_from, rows_from
from ..data.labels import class_list, class_numbers
from ..errors import DataError, ModelError, SettingError
from .advised import Advised
from .algorithms import ALGORITHMS
from .learner import Learner, learner_from
from .play import Ledger

CURVE = 512
"""Rows between two entries of the weights over time, at the least; the history stays below twice as many entries."""


class OnlineCommittee:
    """Learners that predict each row and then learn from it, and an algorithm that votes by their records.

    learners: rules by name or value, with `averaged` before the name, a metric alone or behind a rule ("arow",
        "logistic+adagrad"), or settings {"rule": …, "keep": …, "alpha": …}
        as `LinearClassifier` takes them; default ("perceptron", "averaged perceptron", "margin", "passive-aggressive").
    algorithm: its name, default "weighted-majority", or an algorithm of this package that has played no round yet, of
        which a copy plays.
    positive: the class that advice 1 stands for; default: the last in order. fit_intercept: learn a bias.

    `partial_fit(X, y)` is progressive: row i is predicted by what was learned from the rows before it, by every learner
    and by the committee, and only then learned. Nothing depends on how the rows are cut into calls or on rows to come:
    η "auto" of the units is small enough for the longest row so far. A score of 0 is the negative class. Two classes
    only. After it:

    names_ (N,); classes_ (2,); mistakes_ (N,) of each learner; algorithm_: the algorithm, with mistakes, regret,
    weights and bound; rows_: how many; history_: "rows", and "weights" and "mistakes" of each learner there.
    Memory is that of the learners' weights, whatever the stream. Raises SettingError and DataError as they do.
    """

    names_: list[str]
    rows_: int
    _learners: list[Learner]
    _longest: float

    def __init__(
        self,
        learners: Sequence[Any] = ("perceptron", "averaged perceptron", "margin", "passive-aggressive"),
        algorithm: str | Advised = "weighted-majority",
        *,
        positive: Any = None,
        fit_intercept: bool = True,
    ) -> None:
        self.learners, self.algorithm, self.positive, self.fit_intercept = learners, algorithm, positive, fit_intercept

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The four arguments, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in ("learners", "algorithm", "positive", "fit_intercept")}

    def set_params(self, **given: Any) -> OnlineCommittee:
        """Change arguments before the first row. SettingError for an unknown one."""
        for name, value in given.items():
            if name not in self.get_params():
                raise SettingError(f"unknown {{{name}}}; one of {', '.join(self.get_params())}", **{name: value})
            setattr(self, name, value)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> OnlineCommittee:
        """Predict each row, then learn from it. X: (n, d) array, sparse matrix or rows; y: (n,) labels; classes: both
        labels, needed if the first call lacks one. After an error nothing has changed, unless weights overflow.
        """
        self.advise(X, y, classes)
        return self

    def fit(self, X: Any, y: Any) -> OnlineCommittee:
        """One pass from the start."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        return self.partial_fit(X, y)

    def advise(self, X: Any, y: Any, classes: Any = None) -> tuple[Array, Ledger]:
        """`partial_fit` that also gives the learners' advice before each row (n, N), and the ledger of the rows."""
        rows = rows_from(X).without_duplicates()
        labels = labels_from(y, rows.n)
        largest = check_finite(rows)
        check_range(rows, largest)
        if not hasattr(self, "algorithm_"):
            self._begin(rows, labels if classes is None else labels_from(classes, np.size(classes)))
        elif rows.width != self.n_features_in_:
            raise DataError(f"the rows have {rows.width} features, those before {self.n_features_in_}")
        outcome = class_numbers(labels, self.classes_).astype(np.float64)
        advice, y = np.empty((len(outcome), len(self._learners))), 2.0 * outcome - 1.0
        squares = rows.sq_norms()
        longest = np.maximum.accumulate(np.concatenate([[self._longest], squares]))[1:]
        for column, learner in enumerate(self._learners):
            one = 1.0 if learner.settings.fit_intercept else 0.0
            advice[:, column] = learner.learn(rows, y, longest + one) > 0.0
            learner.check_finite()
        self._longest = float(longest[-1]) if len(longest) else self._longest
        ledger = self._vote(advice, outcome)
        self.rows_ += len(outcome)
        return advice, ledger

    def predict(self, X: Any) -> Array:
        """(n,) labels by the learners and weights as they are now; the heavier side, a tie is the positive class."""
        if not hasattr(self, "algorithm_"):
            raise ModelError("the committee has learned from no row yet; give it some with partial_fit")
        rows, weights = rows_from(X).without_duplicates(), self.algorithm_.weights
        if rows.width != self.n_features_in_:
            raise DataError(f"the rows have {rows.width} features, those before {self.n_features_in_}")
        check_finite(rows)
        advice = np.stack([learner.scores(rows) > 0.0 for learner in self._learners], axis=1)
        up, down = advice @ weights, ~advice @ weights
        return np.asarray(self.classes_[(up >= down).astype(int)])

    def score(self, X: Any, y: Any) -> float:
        """The share of right labels."""
        answers = self.predict(X)
        return float(np.mean(answers == labels_from(y, len(answers))))

    @property
    def mistakes_(self) -> Array:
        """(N,) wrong predictions of each learner, each made before the row was learned."""
        return self.algorithm_.expert_mistakes.astype(np.int64)

    def __repr__(self) -> str:
        if not hasattr(self, "algorithm_"):
            return f"OnlineCommittee(learners={self.learners!r}, algorithm={self.algorithm!r})"
        made = ", ".join(f"{name} {count:,}" for name, count in zip(self.names_, self.mistakes_.tolist(), strict=True))
        return f"<OnlineCommittee after {self.rows_:,} rows; mistakes: committee {self.algorithm_.mistakes:,}, {made}>"

    def _begin(self, rows: Rows, labels: Array) -> None:
        classes = class_list(labels, None)
        if classes.size != 2:
            listed = ", ".join(map(str, classes.tolist()[:10]))
            more = "; name both with classes" if classes.size == 1 else ""
            raise DataError(f"a committee votes on two classes; found {classes.size} ({listed}){more}")
        if isinstance(self.learners, str) or not isinstance(self.learners, Sequence):
            raise SettingError("{learners} must be a list of learners", learners=self.learners)
        learners = [learner_from(each, self.fit_intercept) for each in self.learners]
        names = [name for name, _ in learners]
        if not names or len(set(names)) < len(names):
            raise SettingError(f"the learners {', '.join(names) or '(none)'} must be at least one, each once")
        algorithm = self.algorithm
        if isinstance(algorithm, str):
            if algorithm not in ALGORITHMS:
                raise SettingError(f"unknown {{algorithm}}; one of {', '.join(ALGORITHMS)}", algorithm=algorithm)
            algorithm = ALGORITHMS[algorithm](len(names))
        if not isinstance(algorithm, Advised):
            raise SettingError("{algorithm} must be a name, or an algorithm made for the learners", algorithm=algorithm)
        if algorithm.n != len(names) or algorithm.rounds:
            own = f"it has {algorithm.n} experts and {algorithm.rounds} rounds"
            raise SettingError(f"the algorithm must be a new one for {len(names)} learners; {own}")
        made, self._longest = [Learner(name, recipe.settings, rows) for name, recipe in learners], 0.0
        self.classes_ = class_list(labels, self.positive)
        self.names_, self._learners, self.algorithm_ = names, made, deepcopy(algorithm)
        self.n_features_in_, self.rows_ = rows.width, 0
        self._every = CURVE
        self.history_: dict[str, list[Any]] = {"rows": [], "weights": [], "mistakes": []}

    def _vote(self, advice: Array, outcome: Array) -> Ledger:
        """Play the rounds, with a stop at each entry of the history."""
        parts: list[Ledger] = []
        at, done = 0, self.rows_
        while at < len(outcome) or not parts:
            upto = min(at + self._every - done % self._every, len(outcome))
            parts.append(self.algorithm_.run(advice[at:upto], outcome[at:upto]))
            done += upto - at
            at = upto
            if done and done % self._every == 0:
                self.history_["rows"].append(done)
                self.history_["weights"].append(self.algorithm_.weights.tolist())
                self.history_["mistakes"].append(self.mistakes_.tolist())
                if len(self.history_["rows"]) >= 2 * CURVE:
                    self.history_ = {name: values[1::2] for name, values in self.history_.items()}
                    self._every *= 2
        return Ledger.joined(parts)
