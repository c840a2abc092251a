"""A run: everything that goes on changing while learning, and what it learns from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import Alone, Shaped, learn_columns, remembering
from ..core.dispatch import loop_for
from ..core.loop import BIAS, LOSS, LOSS_WEIGHT, MISTAKES, UPDATES, OneVsRest, State, learn, learn_many, new_state
from ..core.rows import Array, Rows
from ..core.verbs import loss, of_bias, sees, step
from ..errors import DataError, Message, ModelError, SettingError, plain
from ..kernels import kernel_name
from ..rules.margin import Margin
from ..rules.multi_class import MultiClassPerceptron
from .rule import rule_classes, rule_name
from .settings import Settings

# kind → (text, the setting whose value it names, with its form). `{n}` stands for the stop's other number.
_TEXTS: dict[str, tuple[str, str]] = {
    "start": ("nothing learned yet", ""),
    "no update": ("an epoch without an update", ""),
    "left out": ("an epoch without an update, but rows that are not in the order ask for one", ""),
    "shrunk": ("an epoch without an update, but L2 has shrunk the weights until rows ask for one", ""),
    "pulled": ("an epoch without an update, but L1 has pulled the weights until rows ask for one", ""),
    "no mistake": ("no row is wrong any more", ""),
    "small gradient": ("small gradient (below {epsilon:g})", "epsilon"),
    "settled": ("loss fell by less than {tol:g} for {n} epochs", "tol"),
    "unsettled": ("loss fell by less than {tol:g} for {n}; a smaller {eta0.name} may help", "tol"),
    "adrift": ("loss fell by less than {tol:g} for {n}", "tol"),
    "no progress": ("no progress by {tol:g} for {n} epochs", "tol"),
    "epochs": ("epoch limit ({max_iter})", "max_iter"),
    "updates": ("step limit ({max_updates})", "max_updates"),
    "time": ("time limit ({max_time:g} s)", "max_time"),
    "callback": ("stopped by the callback", ""),
}
LIMITS = ("epochs", "updates", "time")
HISTORY = ("mistakes", "updates", "loss", "class_mistakes")


class Stop(NamedTuple):
    """Why a run stopped. Here alone it becomes a text, and a text of a model file a stop again.

    kind: one of the table's; or one whose text is the note: "validation", "not separable", and "own", a callback's.
    limit: the value of the setting that decided, if one did. note: a second number, or the text.
    """

    kind: str
    limit: Any = None
    note: Any = ""

    @property
    def is_limit(self) -> bool:
        """Cut short: it was not the rule that had finished, nor data or validation that ended it."""
        return self.kind in LIMITS

    @property
    def setting(self) -> str:
        """The name of the setting that decided, or ""."""
        return _TEXTS[self.kind][1] if self.kind in _TEXTS else ""

    @property
    def text(self) -> Message:
        """What `stop_reason_` says, in the words of Python; `in_words` has it in others."""
        if self.kind not in _TEXTS:
            return self.note if isinstance(self.note, Message) else Message(self.note)
        template, setting = _TEXTS[self.kind]
        if not setting:
            return Message(template)
        if self.limit is None:
            template = re.sub(rf"\{{{setting}[^}}]*\}}", f"{{{setting}.name}}", template)
        template = template.replace("{n}", plain(self.note))
        return Message(template, **{setting: self.limit}, **({"eta0": None} if "eta0" in template else {}))


def stop_from(text: str) -> Stop:
    """The stop that a model file tells of; a text that is none of the table's stays one."""
    for kind, (template, setting) in _TEXTS.items():
        pattern = re.escape(template).replace(r"\{n\}", "(?P<note>.+)").replace(r"\{eta0\.name\}", "eta0")
        pattern = re.sub(r"\\\{(\w+)(:g)?\\\}", r"\1(=(?P<limit>[^ )]+))?", pattern)
        found = re.fullmatch(pattern, text)
        if found and setting:
            parts = {"note": "", **found.groupdict()}
            return Stop(kind, *(_number(parts[name]) for name in ("limit", "note")))
        if found:
            return Stop(kind)
    return Stop("own", note=text)


def _number(text: str | None) -> Any:
    if text is None or not re.fullmatch(r"[\d.e+-]+", text):
        return text
    return int(text) if text.isdecimal() else float(text)


class Rounded(NamedTuple):
    """A rule whose step reaches its goal exactly, but for rounding: a step with |a|·‖x̄‖² ≤ slack·max(1, |u|), too
    short to raise a score that is held in the rows' dtype, is none."""

    rule: Any
    slack: float

    def step(self, u: float, y: float, sq_norm: float) -> float:
        a = step(self.rule, u, y, sq_norm)
        return a if abs(a) * sq_norm > self.slack * max(1.0, abs(u)) else 0.0

    def loss(self, u: float, y: float) -> float:
        return loss(self.rule, u, y)


class Chunk(NamedTuple):
    """Rows ready to learn from. y: (n,) float64, ±1 for two classes, else class numbers 0 … K−1. weight: (n,) float64,
    > 0, multiplies the steps, or None; rows of weight 0 are left out of the order."""

    rows: Any
    y: Array
    weight: Array | None = None

    def __repr__(self) -> str:
        return f"<Chunk: {len(self.y):,} rows>"

    @property
    def learned(self) -> int:
        """Rows that are learned from."""
        return len(self.y) if self.weight is None else int(np.count_nonzero(self.weight > 0.0))


Chunks = Iterable[Chunk]
"""To be gone through again and again, each time with the same chunks; nothing else is asked of them."""


def learned_from(chunks: Iterable[Chunk], order: Array | None) -> Array:
    """(n,) bool: the rows that are learned from, those of a weight above 0 and, where there is an order, in it."""
    learned = np.concatenate([np.ones(len(c.y), bool) if c.weight is None else c.weight > 0.0 for c in chunks])
    return learned if order is None else learned & np.isin(np.arange(learned.size), order)


class Survey(NamedTuple):
    """What a first pass over all chunks finds. n: rows; learned: those of a weight above 0; chunks: how many; last: the
    number of the last one that is learned from; longest: rows of the longest one; reach: max(weight·‖x̄‖²), 0 where
    nobody asked."""

    n: int
    learned: int
    chunks: int
    last: int
    longest: int
    reach: float

    @classmethod
    def of(cls, chunks: Chunks, settings: Settings | None = None) -> Survey:
        """settings: whose learning rate may depend on the rows."""
        asked = settings is not None and settings.reach is not None
        bias = 1.0 if settings is None or settings.fit_intercept else 0.0
        parts = [(len(chunk.y), chunk.learned, _longest(chunk, bias) if asked else 0.0) for chunk in chunks]
        n, learned, reach = zip(*parts, strict=True) if parts else ((), (), ())
        last = int(max(np.flatnonzero(learned), default=-1))
        return cls(sum(n), sum(learned), len(parts), last, max(n, default=0), max(reach, default=0.0))


def _longest(chunk: Chunk, bias: float) -> float:
    with np.errstate(over="ignore"):  # rows too long for sums are refused where learning begins
        norms = chunk.rows.sq_norms() + bias
        return float((norms if chunk.weight is None else norms * chunk.weight).max(initial=0.0))


class Limits(NamedTuple):
    """When to stop at the latest: epochs, updates, seconds of this call; None: no such limit."""

    max_iter: int | None = 1000
    max_updates: int | None = None
    max_time: float | None = None


class Best(NamedTuple):
    """The best epoch so far on validation rows: its score, its number from 1, and all that answered then."""

    score: float
    epoch: int
    memory: Any
    state: State


Measure = Callable[[tuple[Array, Array]], float]
"""(w, b) → how good these weights are on all rows; more is better."""


@dataclass(repr=False)
class Run:
    """Everything that goes on changing while learning. Saved whole, it resumes exactly.

    epoch: epochs finished. position: (chunk, place) inside an unfinished one, of data of so
    many rows. blocks: t of the learning rate.
    history: per epoch, the lists mistakes, updates, loss (weighted mean per row) and class_mistakes.
    start_loss: of a rule with a loss, the mean at the start; None: not known. mark: the state's counters n and m[0]
    when the present epoch began. best: the epoch that answers, where learning was validated; history["validation"] has
    the scores. final: there is no more than answers, and no learning on.
    """

    settings: Settings
    state: State
    memory: Any
    epoch: int = 0
    position: tuple[int, int] = (0, 0)
    rows: int = 0
    blocks: int = 0
    best_loss: float = float("inf")
    stale: int = 0
    converged: bool = False
    stop: Stop = Stop("start")
    history: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in HISTORY})
    start_loss: float | None = None
    mark: tuple[Array, Array] | None = None
    best: Best | None = None
    final: bool = False

    def __repr__(self) -> str:
        counts = f"{self.epoch:,} epochs, {self.state.n[UPDATES]:,} updates, {self.state.n[MISTAKES]:,} mistakes"
        return f"<Run: {self.settings.learner}; {counts}; {self.stop_reason}>"

    @property
    def stop_reason(self) -> Message:
        """The stop as a text."""
        return self.stop.text

    @property
    def finished(self) -> bool:
        """Whether nothing moves any more: by the last weights, whichever answer."""
        return self.converged or self.stop.kind in ("no update", "no mistake")

    @property
    def may_never_settle(self) -> bool:
        """Whether it goes on until no mistake is made, while what answers changes with each."""
        return self.settings.tol is None and not self.memory.settles

    @property
    def answering(self) -> tuple[Any, State]:
        """(memory, state) that predict: of the best epoch on the validation rows, or as they are now."""
        return (self.memory, self.state) if self.best is None else (self.best.memory, self.best.state)

    @property
    def many(self) -> bool:
        return self.state.w.ndim == 2

    @property
    def joint(self) -> bool:
        return self.many and self.settings.multi_class == "multi-class-perceptron"

    @property
    def rule(self) -> Any:
        """The rule of these classes. Two learn the multi-class perceptron as the perceptron: w = (w₊ − w₋)/2."""
        rule: Any = Margin() if self.settings.brings else self.settings.rule  # type: ignore[call-arg]
        for what, part in (("rule", rule), ("metric", self.settings.metric)):
            if hasattr(part, "missing"):
                raise ModelError(f"to go on learning, give the {what} {part.missing!r} again; model files hold no code")
        if self.joint:
            return rule if hasattr(rule, "steps") else MultiClassPerceptron()  # type: ignore[call-arg]
        if hasattr(rule, "two"):
            rule = rule_classes()[rule.two]()
        if not hasattr(rule, "step"):
            raise SettingError(f"rule {rule_name(rule)!r} has only `steps`, for three and more classes; here are two")
        return rule

    @property
    def loop_rule(self) -> Any:
        """What the loop calls."""
        return self.loop_rule_within(lambda rule: rule)

    def loop_rule_within(self, within: Callable[[Any], Any]) -> Any:
        """The same with what stands around the rule, as a `Recorder` does."""
        if not self.settings.shaped:
            return within(self.asking_rule)
        rule = within(self.asking_rule if self.many else Alone(self.rule))
        metric = self.settings.loop_metric
        metric = metric._make(map(self.state.w.dtype.type, metric))  # so that float32 rows are not reckoned in float64
        return Shaped(rule, metric, self.settings.l1 if self.settings.pulls else 0.0)

    @property
    def asking_rule(self) -> Any:
        """What says which rows want a step, and their loss."""
        rule = self.rule
        if getattr(rule, "exact", False):
            rule = Rounded(rule, 16.0 * float(np.finfo(self.state.w.dtype).eps))
        return OneVsRest(rule) if self.many and not self.joint else rule

    def loop(self, rows: Rows, rule: Any = None) -> Callable[..., int]:
        """What learns from rows like these. rule: with what stands around it, default `loop_rule`."""
        rule = self.loop_rule if rule is None else rule
        loop: Any = learn_columns if self.settings.shaped else learn_many if self.many else learn
        own = getattr(rows, "loop", None)
        return loop_for(loop, rule, rows) if own is None else own(loop, rule, self.settings.budget)

    def record(self, n: Array, m: Array) -> None:
        """An entry of the history, from the state's counters n and m[0] as they were at its beginning; its loss is that
        per row, each weighted by its step's c = η_t·weight."""
        self.history["mistakes"].append(int(self.state.n[MISTAKES] - n[MISTAKES]))
        self.history["updates"].append(int(self.state.n[UPDATES] - n[UPDATES]))
        total, weight = float(self.state.f[LOSS]), float(self.state.f[LOSS_WEIGHT])
        self.history["loss"].append(total / weight if weight > 0.0 else 0.0)
        self.history["class_mistakes"].append((self.state.m[0] - m).tolist())

    @property
    def columns_moved(self) -> int | None:
        """In how many columns steps were made, of any class; None: not known, of plain steps, of a final model, and
        of one whose metric no file holds."""
        state, metric = self.state, self.settings.loop_metric
        if state.past.size == 0 or hasattr(metric, "missing"):
            return None
        starts = np.array(metric.starts)[:, None]
        moved = (state.w != 0).ravel() | (state.c != starts).any(axis=0)
        classes = moved.reshape(state.w.shape)
        return int(np.count_nonzero(classes if not self.many else classes.any(axis=1 if self.memory.by_column else 0)))

    def answers_only(self) -> Run:
        """The same without what only learning on needs. SettingError where all that was learned answers."""
        memory, state = self.answering
        if not memory.is_linear:
            text = "{keep} answers by all that it has learned, so that nothing can be left out"
            raise SettingError(text, keep=memory.name)
        (w, b), own = memory.answer(state), self.settings.memory.copy()
        own.by_column, own.joint = memory.by_column, self.joint
        whole = w[0] if not self.many else w.T if memory.by_column else w
        made = new_state(whole.shape, b.size, whole.dtype, self.state.f[BIAS])
        made = made._replace(w=np.ascontiguousarray(whole), b=b, n=self.state.n.copy(), m=self.state.m.copy())
        best = None if self.best is None else self.best._replace(memory=own, state=made)
        return replace(self, state=made, memory=own, best=best, position=(0, 0), mark=None, final=True)

    def check_goes_on(self) -> None:
        """ModelError where it does not."""
        if self.final:
            text = "the model has what answers, but not what learning on needs; begin a new one with {start.name}"
            raise ModelError(text, start=None)

    def lay_out_for(self, rows: Rows) -> bool:
        """Turn the weights over where these rows want the other order; see core/rows. Whether that was done."""
        by_column = self.many and rows.by_column
        if by_column == self.memory.by_column:
            return False
        old = self.state
        self.state = old._replace(
            w=np.ascontiguousarray(old.w.T), c=turned(old.c, old.w.shape), pulled=turned(old.pulled, old.w.shape)
        )
        self.memory.transpose()
        return True


def turned(values: Array, shape: tuple[int, ...]) -> Array:
    """What lies as weights of this shape do, the last axis of it, as it lies when they are turned over."""
    if values.size == 0:
        return values
    parts = values.reshape(*values.shape[:-1], *shape)
    return np.ascontiguousarray(np.swapaxes(parts, -1, -2)).reshape(values.shape)


def new_run(
    settings: Settings,
    rows: Rows,
    classes: int,
    start: tuple[Array, Array] | None = None,
    weight: Array | None = None,
    reach: float | None = None,
) -> Run:
    """A run at its start, for rows like these. classes: 2 or more. start: (w, b), (K, d) and (K,), else zeros. reach:
    max(weight·‖x̄‖²) over all rows to come, which η "auto" of some rules depends on; default: of these, with weight."""
    if settings.kernel is not None and not hasattr(rows, "loop"):
        text = "{kernel:s} goes with estimators, recipes and `train`; here are rows of columns, each with its weight"
        raise SettingError(text, kernel=kernel_name(settings.kernel))
    if reach is None:
        reach = Survey.of([Chunk(rows, np.empty(rows.n), weight)], settings).reach
    settings, d = settings.resolved(reach), rows.width
    k = 1 if classes == 2 else classes
    by_column = k > 1 and rows.by_column
    shape = (d,) if k == 1 else (d, k) if by_column else (k, d)
    try:
        state = new_state(shape, k, rows.dtype, 1.0 if settings.fit_intercept else 0.0)
    except MemoryError:
        raise DataError(f"weights for {d:,} columns do not fit into memory; is a column's index mistyped?") from None
    if settings.shaped:
        if not hasattr(rows, "span"):
            text = f"rows of the kind {type(rows).__name__} have no columns that a metric or L1 could move"
            raise SettingError(text)
        state = remembering(state, settings.loop_metric, settings.pulls)
    if start is not None:
        if sees(settings.loop_metric):
            text = "{metric} measures each column from nothing on, which forgets weights to start with"
            raise SettingError(text, metric=rule_name(settings.metric))
        state.w[...] = start[0][0] if k == 1 else start[0].T if by_column else start[0]
        state.b[...] = start[1]
        if hasattr(settings.loop_metric, "begin"):
            state.c[...] = settings.loop_metric.begin(state.w.ravel(), settings.rate)
            state.c_b[...] = of_bias(settings.loop_metric).begin(state.b, settings.rate)
    memory = settings.memory.copy()
    memory.by_column = by_column
    return Run(settings, state, memory)
