"""Which rule should I trust on this stream? Learners run online side by side, and an algorithm weighs their advice."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from ..core.columns import learn_columns
from ..core.dispatch import dot, loop_for
from ..core.loop import CLOCK, SCALE, SEEN, Keep, State, Steps, learn
from ..core.rows import Array, Index, Rows
from ..data.checks import check_finite, check_range, labels_from, rows_from
from ..data.labels import class_list, class_numbers
from ..errors import DataError, ModelError, SettingError, plain
from ..learn.epochs import against_overflow
from ..learn.metric import algorithm_from
from ..learn.rule import rule_name
from ..learn.run import Run, new_run
from ..learn.settings import DEFAULTS, WORDS, Settings
from ..memory import memory_classes
from .advised import Advised
from .algorithms import ALGORITHMS
from .play import Ledger


def progressive(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, scores: Array) -> None:
    """`learn` row by row, with each row's score before its own step: of the last weights, or of their average.

    The step is `learn` itself on one row, so the weights are those of a run without the look, bit for bit.
    scores: (m,) float64, filled.
    """
    y, order, c, decay, a, block, whole, last, w, b, carry, rate = steps
    for p in range(order.size):
        scores[p] = score_now(rows, np.uint64(order[p]), state, keep)
        learn(rule, rows, Steps(y, order[: p + 1], c, decay, a, block, whole, last, w, b, carry, rate), state, keep, p)


def progressive_columns(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, scores: Array) -> None:
    """The same of steps that a metric shapes."""
    y, order, c, decay, a, block, whole, last, w, b, carry, rate = steps
    for p in range(order.size):
        scores[p] = score_now(rows, np.uint64(order[p]), state, keep)
        now = Steps(y, order[: p + 1], c, decay, a, block, whole, last, w, b, carry, rate)
        learn_columns(rule, rows, now, state, keep, p)


def score_now(rows: Any, i: Index, state: State, keep: Keep) -> float:
    """The score of a row by the last weights, or by their average where that is kept."""
    seen = state.n[SEEN]
    if keep.late.size > 0 and seen > 0:
        total = state.f[CLOCK] * dot(rows, i, state.w) - dot(rows, i, keep.late)
        return (total + seen * state.b[0] - keep.late_b[0]) / seen  # type: ignore[no-any-return]
    return state.f[SCALE] * dot(rows, i, state.w) + state.b[0]  # type: ignore[no-any-return]


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
    _runs: list[Run]
    _settings: list[Settings]
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
        advice, y = np.empty((len(outcome), len(self._runs))), 2.0 * outcome - 1.0
        squares = rows.sq_norms()
        longest = np.maximum.accumulate(np.concatenate([[self._longest], squares]))[1:]
        for column, (run, asked) in enumerate(zip(self._runs, self._settings, strict=True)):
            one = 1.0 if asked.fit_intercept else 0.0
            rates = asked.rates_along(run.blocks, longest + one)
            advice[:, column] = _scores(run, rows, y, rates, self.names_[column]) > 0.0
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
        answers = [run.memory.answer(run.state) for run in self._runs]
        advice = np.stack([np.asarray(rows.matrix() @ w[0]) + b[0] > 0.0 for w, b in answers], axis=1)
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
        self._settings, self._longest = [recipe.settings for _, recipe in learners], 0.0
        runs = [new_run(settings, rows, 2, reach=0.0) for settings in self._settings]
        self.classes_ = class_list(labels, self.positive)
        self.names_, self._runs, self.algorithm_ = names, runs, deepcopy(algorithm)
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


def learner_from(given: Any, fit_intercept: bool = True) -> tuple[str, Any]:
    """(name, recipe) of "margin:tau=2", "averaged perceptron", a rule, or {"rule": …, …}; SettingError for others."""
    from ..recipe.recipe import Recipe  # which loads readers and features, of which a stream of rows needs none

    words: dict[str, Any] = {"rule": given}
    if isinstance(given, dict):
        words = dict(given)
    elif isinstance(given, str):
        keep, blank, rule = given.strip().partition(" ")
        words = {"rule": rule.strip(), "keep": keep} if blank and keep in _by_row() else {"rule": given.strip()}
        rule, metric = algorithm_from(words["rule"])
        words |= {"rule": rule or DEFAULTS["rule"], "metric": metric or DEFAULTS["metric"]}
    unknown = [name for name in words if name not in WORDS]
    if unknown:
        raise SettingError(f"unknown {{{unknown[0]}}} of a learner", **{unknown[0]: words[unknown[0]]})
    words.pop("shuffle", None)  # a stream comes as it comes
    recipe = Recipe(**{"fit_intercept": fit_intercept, **words})
    settings = recipe.settings
    rule, optimizer = settings.rule, settings.optimizer
    one_by_one = not optimizer.picks and not optimizer.whole and optimizer.block(2) == 1
    if not settings.memory.by_row or not one_by_one or not hasattr(rule, "step"):
        raise SettingError(
            f"learner {rule_name(rule)!r} with {{keep}}, {{optimizer}}: a learner of "
            f"a stream steps row by row, for two classes, and keeps {' or '.join(_by_row())}",
            keep=settings.keep,
            optimizer=optimizer.name,
        )
    if settings.pulls:
        raise SettingError("a learner of a stream takes {l1.name} with ftrl only", l1=settings.l1)
    return _name(given, settings, words), recipe


def _by_row() -> list[str]:
    """What can be scored row by row: voted needs all voters for each row, the pocket all rows."""
    return [name for name, memory in memory_classes().items() if memory.by_row]


def _name(given: Any, settings: Settings, words: dict[str, Any]) -> str:
    if isinstance(given, str):
        return " ".join(given.split())
    rest = [f"{name}={value}" for name, value in words.items() if name not in ("rule", "keep")]
    kept = [] if settings.keep == DEFAULTS["keep"] else [settings.keep]
    rule = words.get("rule")
    named = [] if settings.brings else [rule if isinstance(rule, str) else rule_name(settings.rule)]
    return " ".join([*kept, *named, *rest])


def _scores(run: Run, rows: Rows, y: Array, c: Array, name: str) -> Array:
    """(n,) scores, each before its own row was learned; the run has learned from all of them afterwards. c: (n,) η."""
    count, settings = len(y), run.settings
    keep = run.memory.keep(run.state, False, 1)
    decay = 1.0 - c * settings.alpha if settings.decays else np.empty(0)
    state, scores = run.state, np.empty(count)
    carry = np.zeros(2, np.int64)
    steps = Steps(y, np.arange(count), c, decay, np.empty(1), 1, 0, True, state.w, state.b, carry, np.empty(0))
    shaped = settings.shaped
    if shaped:
        none = state.w[:0], state.b[:0]
        steps = Steps(y, np.arange(count), np.ones(count), decay, np.empty((1, 1)), 1, 0, True, *none, carry, c)
    loop: Any = loop_for(progressive_columns if shaped else progressive, run.loop_rule, rows)  # type: ignore[arg-type]
    loop(run.loop_rule, rows, steps, state, keep, scores)
    run.blocks += count
    if not (np.isfinite(run.state.w).all() and np.isfinite(run.state.b).all()):
        which = f"the weights of learner {plain(repr(name))}"
        raise DataError(f"{which} overflowed; {against_overflow(run)}", eta0=settings.eta0)
    return scores
