"""A learner of a stream: each row is scored by what was learned from those before it, and then learned from."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import learn_columns
from ..core.dispatch import loop_for
from ..core.loop import CLOCK, SCALE, SEEN, Keep, State, Steps, learn
from ..core.rows import Array, Index, Rows
from ..core.verbs import column, dot, span
from ..errors import DataError, SettingError, plain
from ..learn.epochs import against_overflow
from ..learn.metric import algorithm_from
from ..learn.rule import rule_name
from ..learn.run import Run, new_run
from ..learn.settings import DEFAULTS, WORDS, Settings
from ..memory import memory_classes

NOTHING_ADDED = np.empty((0, 0))
CLOCKS = ("f", "n", "b", "c_b", "past")
"""Of `State`, beside what is known of columns; a bias has no late sum here, as it is 0."""


class Seen(NamedTuple):
    """What is to be filled while rows are learned.

    scores: (m,) float64, of each row before its own step. added: (k, values) float64 zeros, what its step has added to
    the k numbers of each of its columns, in the order of `Learner.numbers`; (0, …) to do without.
    """

    scores: Array
    added: Array


def progressive(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, out: Seen) -> None:
    """`learn` row by row, with each row's score before its own step: of the last weights, or of their average.

    The step is `learn` itself on one row, so the weights are those of a run without the look, bit for bit.
    """
    y, order, c, decay, a, block, whole, last, w, b, carry, rate = steps
    for p in range(order.size):
        i = np.uint64(order[p])
        out.scores[p] = score_now(rows, i, state, keep)
        note(rows, i, state, keep, out.added, -1.0)
        learn(rule, rows, Steps(y, order[: p + 1], c, decay, a, block, whole, last, w, b, carry, rate), state, keep, p)
        note(rows, i, state, keep, out.added, 1.0)


def progressive_columns(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, out: Seen) -> None:
    """The same of steps that a metric shapes."""
    y, order, c, decay, a, block, whole, last, w, b, carry, rate = steps
    for p in range(order.size):
        i = np.uint64(order[p])
        out.scores[p] = score_now(rows, i, state, keep)
        note(rows, i, state, keep, out.added, -1.0)
        now = Steps(y, order[: p + 1], c, decay, a, block, whole, last, w, b, carry, rate)
        learn_columns(rule, rows, now, state, keep, p)
        note(rows, i, state, keep, out.added, 1.0)


def note(rows: Any, i: Index, state: State, keep: Keep, added: Array, sign: float) -> None:
    """Add the numbers of a row's columns as they are now, times a sign."""
    if added.shape[0] == 0:
        return
    start, end = span(rows, i)
    for p in range(start, end):
        j = column(rows, i, p)
        added[0, p] += sign * state.w[j]
        if state.c.size > 0:
            for k in range(state.c.shape[0]):
                added[1 + k, p] += sign * state.c[k, j]
        if keep.late.size > 0:
            added[added.shape[0] - 1, p] += sign * keep.late[j]


def score_now(rows: Any, i: Index, state: State, keep: Keep) -> float:
    """The score of a row by the last weights, or by their average where that is kept."""
    seen = state.n[SEEN]
    if keep.late.size > 0 and seen > 0:
        total = state.f[CLOCK] * dot(rows, i, state.w) - dot(rows, i, keep.late)
        return (total + seen * state.b[0] - keep.late_b[0]) / seen  # type: ignore[no-any-return]
    return state.f[SCALE] * dot(rows, i, state.w) + state.b[0]  # type: ignore[no-any-return]


def look(rows: Any, state: State, keep: Keep, scores: Array) -> None:
    """The scores of all rows as they are now. scores: (n,) float64, filled."""
    for i in range(scores.size):
        scores[i] = score_now(rows, np.uint64(i), state, keep)


class Learner:
    """A rule with its metric and memory on a stream of rows of two classes. rows: like those to come."""

    def __init__(self, name: str, settings: Settings, rows: Rows) -> None:
        self.name, self.settings = name, settings
        self.run: Run = new_run(settings, rows, 2, reach=0.0)
        self._loops: dict[tuple[Any, type], Any] = {}

    @cached_property
    def keep(self) -> Keep:
        return self.run.memory.keep(self.run.state, False, 1)  # type: ignore[no-any-return]

    def scores(self, rows: Rows) -> Array:
        """(n,) scores of the rows by what has been learned so far."""
        scores = np.empty(rows.n)
        self._loop(look, rows)(rows, self.run.state, self.keep, scores)
        return scores

    def numbers(self) -> list[Array]:
        """[(d,), …]: what is known of each column, as it lies: the weight, what the metric remembers, the late sum of
        the average. All of it changes by addition."""
        state, keep = self.run.state, self.keep
        return [array for array in (state.w, *state.c, keep.late) if array.size]

    def factors(self) -> list[float]:
        """What to multiply each of `numbers` with, so that their sum is the weight that scores."""
        state, seen = self.run.state, int(self.run.state.n[SEEN])
        rest = [0.0] * len(state.c) if state.c.size else []
        if not self.keep.late.size:
            return [float(state.f[SCALE]), *rest]
        return [float(state.f[CLOCK]) / seen, *rest, -1.0 / seen] if seen else [float(state.f[SCALE]), *rest, 0.0]

    def clocks(self) -> dict[str, Any]:
        """What is known beside the columns, as JSON holds it: what has been counted, the bias, and the time."""
        state = self.run.state
        return {"blocks": self.run.blocks, **{name: getattr(state, name).tolist() for name in CLOCKS}}

    def set_clocks(self, clocks: dict[str, Any]) -> None:
        """Go on from there; `numbers` are set by who keeps them."""
        self.run.blocks = int(clocks["blocks"])
        for name in CLOCKS:
            getattr(self.run.state, name)[...] = np.array(clocks[name], getattr(self.run.state, name).dtype)

    def learn(self, rows: Rows, y: Array, longest: Array, added: Array = NOTHING_ADDED) -> Array:
        """(n,) scores, each before its own row was learned. y: (n,) ±1. longest: (n,) the largest ‖x̄‖² up to each row,
        which η "auto" depends on. added: as in `Seen`."""
        settings, state, scores = self.settings, self.run.state, np.empty(len(y))
        c = settings.rates_along(self.run.blocks, longest)
        decay = 1.0 - c * settings.alpha if settings.decays else np.empty(0)
        order, carry = np.arange(len(y)), np.zeros(2, np.int64)
        steps = Steps(y, order, c, decay, np.empty(1), 1, 0, True, state.w, state.b, carry, np.empty(0))
        if settings.shaped:
            none, alike = (state.w[:0], state.b[:0]), np.ones(len(y))
            steps = Steps(y, order, alike, decay, np.empty((1, 1)), 1, 0, True, *none, carry, c)
        way, rule = progressive_columns if settings.shaped else progressive, self.run.loop_rule
        self._loop(way, rule, rows)(rule, rows, steps, state, self.keep, Seen(scores, added))
        self.run.blocks += len(y)
        return scores

    def _loop(self, way: Any, *values: Any) -> Any:
        """`loop_for`, once for each kind of rows: to see whether code has changed takes 0.5 ms, a row 10 µs."""
        key = way, type(values[-1])
        if key not in self._loops:
            self._loops[key] = loop_for(way, *values)
        return self._loops[key]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loops": {}}

    def check_finite(self) -> None:
        """DataError where the weights have overflowed."""
        state = self.run.state
        if not (np.isfinite(state.w).all() and np.isfinite(state.b).all()):
            which = f"the weights of learner {plain(repr(self.name))}"
            raise DataError(f"{which} overflowed; {against_overflow(self.run)}", eta0=self.settings.eta0)


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
