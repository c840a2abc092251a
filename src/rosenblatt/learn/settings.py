"""The choices that make a learner, checked once: rule, optimizer, memory, schedule, and what belongs to them.

The table of all parameters of a learner has its own, and those that its parts declare, found where the parts are.
A schedule says how the learning rate η_t falls with t, the blocks seen before; a new class here with `rates` and a name
is a new schedule everywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import ModelError, SettingError
from ..kernels import BUDGET, KERNEL, kernel_classes, kernel_from, kernel_name
from ..kernels.virtual import VIRTUAL
from ..memory import memory_classes, memory_from
from ..optimizers import optimizer_classes, optimizer_from
from ..parameters import LEARNER, Parameter, defaults, made, ordered
from .metric import metric_classes, metric_from
from .rule import rule_classes, rule_from, rule_name

DECAY = Parameter(
    "decay", 1e-3, float, least=0, after="learning_rate",
    help="How fast: eta/(1 + t*decay), or its root.", meaning="See learning_rate.",
)  # fmt: skip


@dataclass(frozen=True)
class Constant:
    """η"""

    name = "constant"
    constant = True
    parameters = ()

    def rates(self, eta0: float, t: Array) -> Array:
        return np.full(len(t), eta0)


@dataclass(frozen=True)
class Inverse:
    """η/(1 + t·decay)"""

    decay: float = DECAY.default

    name = "inverse"
    parameters = (DECAY,)

    def rates(self, eta0: float, t: Array) -> Array:
        return np.asarray(eta0 / (1.0 + t * self.decay))


class Sqrt(Inverse):
    """η/√(1 + t·decay)"""

    name = "sqrt"

    def rates(self, eta0: float, t: Array) -> Array:
        return np.asarray(eta0 / np.sqrt(1.0 + t * self.decay))


@dataclass(frozen=True)
class Own:
    """A function of t of one's own; eta0 is not asked. alpha: of the L2, which a rate must not turn over."""

    function: Callable[[int], float]
    alpha: float = 0.0

    parameters = ()

    def rates(self, eta0: float, t: Array) -> Array:
        rates = [float(self.function(int(i))) for i in t]
        for i, rate in zip(t, rates, strict=True):
            if not (np.isfinite(rate) and rate >= 0.0 and rate * self.alpha < 1.0):
                limit = f" and below 1/alpha = {1.0 / self.alpha:g}" if self.alpha > 0.0 else ""
                raise SettingError(f"learning_rate({i}) = {rate:g}; a learning rate must be a finite number ≥ 0{limit}")
        return np.array(rates)


def schedule_classes() -> dict[str, Any]:
    """name → class for every schedule of this file, in its order."""
    classes = [cls for cls in vars(sys.modules[__name__]).values() if hasattr(cls, "rates")]
    return {cls.name: cls for cls in classes if hasattr(cls, "name")}


def schedule_from(learning_rate: Any, decay: float, alpha: float) -> Any:
    """The schedule of a text (`inverse`, `sqrt:decay=0.1`) or a function of t. SettingError for another text."""
    if callable(learning_rate):
        return Own(learning_rate, alpha)
    learner_table()["learning_rate"].check(learning_rate)
    return made(learning_rate, schedule_classes(), "learning_rate", {"decay": decay})


def given_again(t: int) -> float:
    """Stands in for a function of t, which no model file holds."""
    raise ModelError("to go on learning, give the learning rate again; a function is not kept in a model file")


def _parts() -> dict[str, dict[str, Any]]:
    """setting → what can be chosen for it, by name."""
    return {"keep": memory_classes(), "optimizer": optimizer_classes(), "learning_rate": schedule_classes()}


def declared() -> dict[str, Parameter]:
    """name → entry of what memories, optimizers and schedules take."""
    return {each.name: each for known in _parts().values() for part in known.values() for each in part.parameters}


@lru_cache(maxsize=1)
def learner_table() -> dict[str, Parameter]:
    """name → entry, in the order of the documentation."""
    table = ordered([*LEARNER[:2], KERNEL, BUDGET, VIRTUAL, *LEARNER[2:]], declared().values())
    found = {"rule": rule_classes(), "metric": metric_classes(), "kernel": kernel_classes(), **_parts()}
    for name, known in found.items():
        entry = table[name]
        choices = () if entry.kind is object else tuple(known)  # a rule is checked where it is made
        table[name] = entry._replace(choices=choices, help=entry.help.replace("{choices}", ", ".join(known)))
    return table


DEFAULTS: dict[str, Any] = defaults(learner_table().values())
"""name → default of every parameter of a learner. tol and eta0 "auto": the rule's own (`rosenblatt inspect` and the
rules' pages name them)."""


@dataclass(frozen=True, eq=False)
class Settings:
    """What is learned and how; every value checked. See `rosenblatt.LinearClassifier` for the meanings.

    memory: as it is before anything was learned; each run learns into a copy. optimizer, schedule: values of
    `optimizers/` and of this file.
    """

    rule: Any
    metric: Any
    kernel: Any
    budget: int | None
    memory: Any
    optimizer: Any
    schedule: Any
    eta0: float | str
    alpha: float
    l1: float
    shuffle: bool
    random_state: int
    fit_intercept: bool
    tol: float | None
    n_iter_no_change: int
    multi_class: str

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Settings from the words of the API or the command line, defaults filled in; SettingError says what is off."""
        words = {**{name: DEFAULTS[name] for name in WORDS}, **given}
        rule = rule_from(words["rule"])
        if hasattr(rule, "steps"):
            words["multi_class"] = "multi-class-perceptron"
        metric = metric_from(words["metric"])
        own = getattr(metric if hasattr(metric, "stride") else rule, "tol", None)
        words["tol"] = own if words["tol"] == "auto" else words["tol"]
        kernel = kernel_from(words.pop("kernel"))
        memory, optimizer = memory_from(words.pop("keep"), **words), optimizer_from(words.pop("optimizer"), **words)
        schedule = schedule_from(words["learning_rate"], words["decay"], words["alpha"])
        plain = {name: words[name] for name in ("budget", *_PLAIN)}
        settings = cls(rule, metric, kernel, memory=memory, optimizer=optimizer, schedule=schedule, **plain)
        for name, value in words.items():
            if name != "learning_rate":  # `schedule_from` has read it, as others have read what is gone from the words
                learner_table()[name].check(value)
        _check_together(settings)
        return settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and (self.words(), self.schedule) == (other.words(), other.schedule)

    __hash__ = None  # type: ignore[assignment]

    @property
    def keep(self) -> str:
        """The memory's name, as `keep` takes it."""
        return str(self.words()["keep"])

    @property
    def learner(self) -> str:
        """What makes the steps, for people: `logistic`, `logistic+adagrad`; or `arow:r=0.1`, which brings its own."""
        rule, metric = rule_name(self.rule), rule_name(self.metric)
        return metric if self.brings else rule if hasattr(self.metric, "plain") else f"{rule}+{metric}"

    @property
    def shaped(self) -> bool:
        """Whether steps go through a metric: also for L1 without one."""
        return self.l1 > 0.0 or not hasattr(self.metric, "plain")

    @property
    def brings(self) -> bool:
        """Whether the metric brings its step, so that there is no rule and no η."""
        return hasattr(self.metric, "stride")

    @property
    def mending(self) -> list[str]:
        """Names of the memories that do well where mistakes remain, and that go with all else."""
        return [name for name in ("averaged", "pocket") if self._goes_with(name)]

    def _goes_with(self, keep: str) -> bool:
        try:
            settings_from(
                {**self.words(), "rule": self.rule, "metric": self.metric, "kernel": self.kernel, "keep": keep}
            )
        except SettingError:
            return False
        return True

    @property
    def steady(self) -> bool:
        """Whether no schedule goes with the metric: there is no η, or its sums are those of one η."""
        return self.brings or hasattr(self.loop_metric, "begin")

    @property
    def loop_metric(self) -> Any:
        """The metric as the loop calls it: with the penalties, where it takes them on itself."""
        own = getattr(self.metric, "with_penalties", None)
        return self.metric if own is None else own(self.l1, self.alpha)

    @property
    def decays(self) -> bool:
        """Whether L2 shrinks the weights before each step."""
        return self.alpha > 0.0 and not hasattr(self.metric, "with_penalties")

    @property
    def pulls(self) -> bool:
        """Whether L1 pulls the weights after each step."""
        return self.l1 > 0.0 and not hasattr(self.metric, "with_penalties")

    @property
    def rate(self) -> float:
        """η, where it is a number; of "auto" the metric's own, or the rule's."""
        own: Any = 1.0 if self.brings else getattr(self.metric, "eta0", None) or getattr(self.rule, "eta0", 1.0)
        return float(own if self.eta0 == "auto" else self.eta0)

    @property
    def own_tol(self) -> float | None:
        """`tol` where nothing else is said; None: it stops at an epoch without an update."""
        return getattr(self.metric if self.brings else self.rule, "tol", None)

    @property
    def reach(self) -> float | None:
        """What keeps η "auto" small, of a rule that large values would upset; None where η is what it is."""
        plain = self.eta0 == "auto" and hasattr(self.metric, "plain")
        return getattr(self.rule, "reach", None) if plain else None

    def resolved(self, longest: float) -> Settings:
        """The same with eta0="auto" made a number: the rule's own, and for a rule with a `reach` never so large that
        one step moves a score by more: η ≤ reach/max(weight·‖x̄‖²). Without this the linear unit diverges on large
        values and the sigmoid and tanh units saturate, where nothing is learned any more.

        longest: max(weight·‖x̄‖²) over all rows, asked for where there is a `reach`.
        """
        if self.brings:
            return self
        reach, eta0 = self.reach, self.rate
        if reach is not None and longest > 0.0:
            eta0 = min(eta0, reach / longest)
        return replace(self, eta0=eta0 if self.eta0 == "auto" else self.eta0)

    def rates(self, first: int, count: int) -> Array:
        """η_t for the blocks t = first … first + count − 1."""
        return self.schedule.rates(self.rate, np.arange(first, first + count))  # type: ignore[no-any-return]

    def rates_along(self, first: int, longest: Array) -> Array:
        """η_t likewise for a block a row, where the longest ‖x̄‖² grows: that of η "auto" as `resolved` for each."""
        count, reach = len(longest), self.reach
        if reach is None or isinstance(self.schedule, Own):
            return replace(self, eta0=self.rate).rates(first, count)
        with np.errstate(divide="ignore"):
            return replace(self, eta0=1.0).rates(first, count) * np.minimum(self.rate, reach / longest)

    def words(self) -> dict[str, Any]:
        """JSON-able, as the constructor of an estimator takes them. What an optimizer or a schedule does not take has
        its default; a callable learning rate becomes "callable" and must be given again to go on learning."""
        out: dict[str, Any] = {name: DEFAULTS[name] for name in WORDS}
        out |= {name: getattr(self, name) for name in _PLAIN}
        for word, value in (("keep", self.memory), ("optimizer", self.optimizer), ("learning_rate", self.schedule)):
            out |= {parameter.name: getattr(value, parameter.inner) for parameter in value.parameters}
            out[word] = "callable" if isinstance(value, Own) else value.name
        out = {name: value.item() if isinstance(value, np.generic) else value for name, value in out.items()}
        out["rule"], out["metric"] = rule_name(self.rule), rule_name(self.metric)
        out["kernel"], out["budget"] = None if self.kernel is None else kernel_name(self.kernel), self.budget
        for name in ("metric", "l1", "kernel", "budget"):  # files without them can be read by programs that know none
            if out[name] == DEFAULTS[name]:
                del out[name]
        return out


_PLAIN = ("eta0", "alpha", "l1", "shuffle", "random_state", "fit_intercept", "tol", "n_iter_no_change", "multi_class")
WORDS = ("rule", "metric", "kernel", "budget", "keep", "optimizer", "learning_rate", *_PLAIN, *declared())
"""Names of what makes a learner, in the Python API and in model files."""


def settings_from(words: dict[str, Any]) -> Settings:
    """The inverse of `Settings.words`."""
    if words["learning_rate"] == "callable":
        words = {**words, "learning_rate": given_again}
    return Settings.of(**words)


def check_together(rule: Any, multi_class: Any) -> None:
    """SettingError for a way with more classes that was asked for beside a rule that has its own."""
    if multi_class is not None and hasattr(rule, "steps") and multi_class != rule.name:
        text = "{rule:s} learns all classes together; leave {multi_class:s} out"
        raise SettingError(text, rule=rule.name, multi_class=multi_class)


def _check_metric(settings: Settings) -> None:
    """What does not go with a metric, and with L1."""
    if not settings.shaped:
        return
    metric, memory, optimizer, brings = settings.metric, settings.memory, settings.optimizer, settings.brings
    rule, step = rule_name(settings.rule), "{metric} brings its own step"
    rules, many = getattr(metric, "rules", ()), settings.multi_class
    who = "{l1}" if hasattr(metric, "plain") else "{metric}"
    scheduled = not hasattr(settings.schedule, "constant")
    averages = memory.is_linear and not memory.answers_now and not memory.needs_measure
    refusals = {
        f"{who} does not go with {{keep}}, which repeats plain steps; use {{keep_}}": not memory.is_linear,
        f"{who} does not go with {{optimizer}}, which takes plain steps; use {{optimizer_}}": optimizer.picks,
        f"{step} for each row, not for {{optimizer}}; use {{optimizer_}}": brings
        and not optimizer.picks
        and optimizer.block(2) > 1,
        f"{step}; leave {{rule}} out": brings and rule != DEFAULTS["rule"],
        f"{step} for each class; leave {{multi_class}} out": brings and many != DEFAULTS["multi_class"],
        f"{step}, so there is no {{eta0.name}}": brings and settings.eta0 != "auto",
        f"{step}, so there is no {{learning_rate.name}}": brings and scheduled,
        "{metric} has a falling rate for each column; leave {learning_rate.name} out": settings.steady and scheduled,
        f"{step}, so there is no {{alpha.name}}": brings and settings.alpha > 0.0,
        f"{step}, so there is no {{l1.name}}": brings and settings.l1 > 0.0,
        f"{who} goes with steps down a gradient; {{rule}} makes them as long as they need to be: use another, as "
        "{rule_}": not brings and hasattr(settings.rule, "mends"),
        f"{who} goes with rule {' or '.join(rules)}, not with {{rule}}": bool(rules) and rule not in rules,
        "{l1:g} does not go with {keep}: means of sparse weights are not; use {keep_}": averages and settings.pulls,
    }
    for refusal, applies in refusals.items():
        if applies:
            words = {
                "metric": rule_name(metric), "rule": rule, "rule_": "logistic", "keep": memory.name,
                "keep_": "last" if settings.l1 else "averaged", "optimizer": optimizer.name, "optimizer_": "online",
                "multi_class": many, "eta0": settings.eta0, "learning_rate": None, "alpha": settings.alpha,
                "l1": settings.l1,
            }  # fmt: skip
            raise SettingError(refusal, **{name: value for name, value in words.items() if f"{{{name}" in refusal})


def _check_kernel(settings: Settings) -> None:
    """What does not go with a kernel, and with a budget."""
    who, few = "{kernel:s} learns weights of rows, not of columns, so it", settings.budget is not None
    simple = settings.memory.is_linear and not settings.memory.needs_measure
    refusals = {
        f"{who} goes with no {{metric}}; leave that out": not hasattr(settings.metric, "plain"),
        f"{who} goes with no {{l1.name}}; leave that out": settings.l1 > 0.0,
        "{kernel:s} does not go with {optimizer}, which scans all rows for each step; use {optimizer_}":
            settings.optimizer.picks,
        "{budget} does not go with {keep}, whose weights are those of all supports that ever were; use {keep_}":
            few and not simple,
        "{budget} does not go with {optimizer}, which scores all rows at once; use {optimizer_}":
            few and not settings.optimizer.picks and settings.optimizer.whole,
    }  # fmt: skip
    for refusal, applies in refusals.items():
        if settings.kernel is not None and applies:
            words = {"kernel": kernel_name(settings.kernel), "metric": rule_name(settings.metric), "l1": settings.l1,
                     "optimizer": settings.optimizer.name, "optimizer_": "online", "budget": settings.budget,
                     "keep": settings.memory.name, "keep_": "averaged"}  # fmt: skip
            raise SettingError(refusal, **{name: value for name, value in words.items() if f"{{{name}" in refusal})


def _check_together(settings: Settings) -> None:
    _check_metric(settings)
    _check_kernel(settings)
    rule, name = settings.rule, rule_name(settings.rule)
    together = hasattr(rule, "steps") or name == "perceptron"
    if settings.multi_class == "multi-class-perceptron" and not together:
        text = f"{{multi_class}} is a rule of its own, so it does not go with rule {name!r}; use {{multi_class_}}"
        raise SettingError(text, multi_class=settings.multi_class, multi_class_="one-vs-rest")
    if settings.decays and not isinstance(settings.schedule, Own) and settings.rate * settings.alpha >= 1:
        text = f"{{eta0.name}}·{{alpha.name}} = {settings.rate * settings.alpha:g} would turn the weights over"
        raise SettingError(f"{text}; it must stay below 1", eta0=settings.rate, alpha=settings.alpha)
    if settings.optimizer.picks and settings.tol is not None:
        need = "{optimizer} picks mistakes until there is none, so it needs a rule that is zero when right"
        text = f"{need} and no {{tol.name}}; rule {name!r} with {{tol:s}} is not"
        raise SettingError(text, optimizer=settings.optimizer.name, tol=settings.tol)
