"""Who takes part: algorithm × memory × scaling × optimizer × L1, without the combinations that say nothing new.

An algorithm is a rule (`logistic`), a rule and a metric (`logistic+adagrad`), or a metric alone (`arow:r=0.1`): one
that brings its step, else the logistic rule with it.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from ..errors import SettingError
from ..features import scaling
from ..features.pipeline import SCALE
from ..learn.metric import algorithm, algorithm_from, shaping
from ..learn.rule import rule_classes, rule_from, rule_name
from ..learn.settings import DEFAULTS, learner_table
from ..memory import memory_classes, memory_from
from ..optimizers import optimizer_classes, optimizer_from
from ..parameters import member
from ..recipe.recipe import Recipe

SCALINGS = {"documents": (SCALE["documents"], "none"), "rows": ("none", "standard")}
"""Of texts and of numbers. Standardised, the averaged perceptron's 31.5 % errors on spambase are 7.0 %."""


SPACES: dict[str, dict[str, Any]] = {
    "linear": {}, "quadratic": {"degree": 2}, "fourier": {"map": "fourier"}, "kernel": {"kernel": "rbf"},
}  # fmt: skip
"""Where hyperplanes are drawn: among the columns as they are, with their products, in random features of a Gaussian
kernel, and in its own space. The width of both Gaussians is that of scikit-learn's SVC."""
LINEAR = next(iter(SPACES))


class Contender(NamedTuple):
    """A learner in the words of `rosenblatt train`. rule: the algorithm, see above. scale: how its rows are scaled.
    value: the rule itself. l1: the strength of its L1. space: one of `SPACES`."""

    rule: str
    keep: str = "last"
    scale: str = "none"
    optimizer: str = DEFAULTS["optimizer"]
    value: Any = None
    l1: float = DEFAULTS["l1"]
    space: str = LINEAR

    @property
    def name(self) -> str:
        """`margin averaged standard`: algorithm, memory, scaling, the optimizer unless it is online, the space unless
        it is linear, and L1."""
        shown = self[:3] if self.optimizer == DEFAULTS["optimizer"] else self[:4]
        curved = "" if self.space == LINEAR else f" {self.space}"
        return " ".join(shown) + curved + (f" l1={self.l1:g}" if self.l1 else "")

    @property
    def is_linear(self) -> bool:
        """Whether one hyperplane answers."""
        return bool(memory_from(self.keep).is_linear)

    @property
    def words(self) -> dict[str, Any]:
        rule, metric = algorithm(self.rule)
        own = {name: value for name, value in (("rule", rule), ("metric", metric), ("l1", self.l1)) if value}
        return {**own, "keep": self.keep, "scale": self.scale, "optimizer": self.optimizer, **SPACES[self.space]}

    @property
    def recipe(self) -> Recipe:
        """What learns it: `contender.recipe.fit(X, y)`."""
        return Recipe(**{**self.words, **({} if self.value is None else {"rule": self.value})})

    @property
    def refusal(self) -> SettingError | None:
        """Why its words do not go together."""
        try:
            _ = self.recipe
        except SettingError as error:
            return error
        return None


def usual() -> list[str]:
    """Names of the metrics that are compared unless other algorithms are asked for."""
    return [name for name, metric in shaping().items() if hasattr(metric, "compared")]


def named(asked: Any) -> tuple[str, Any]:
    """(text, rule or None) of an algorithm: a text, a rule class or a rule. SettingError for what is none."""
    if not isinstance(asked, str):
        value = rule_from(asked)
        return rule_name(value), value
    rule, _ = algorithm_from(asked)
    return asked, rule_from(rule) if rule else None


def contenders(
    kind: str,
    classes: int,
    rules: Sequence[Any] | None = None,
    keeps: Sequence[str] | None = None,
    scalings: Sequence[str] | None = None,
    optimizers: Sequence[str] = (DEFAULTS["optimizer"],),
) -> list[Contender]:
    """All combinations, in order; None: all rules and some metrics, all memories, `SCALINGS` of the kind of data.

    kind: "rows" or "documents". classes: how many there are. Left out, unless asked for by name: rules that learn
    classes together on two classes, where they are others; voted for the units, whose weights move without a mistake,
    so that few of them ever get a vote; and, always, what does not go together, as voted and a metric, or optimizers
    that pick mistakes and rules that step without one. Raises SettingError for names that are unknown, where nothing is
    left, and where nothing is left of a rule that was asked for, because it does not go with what else was.
    """
    check(keeps, scalings, optimizers)
    every = [named(rule) for rule in ([*rule_classes(), *usual()] if rules is None else rules)]
    some = [each for each in every if rules is not None or classes > 2 or not hasattr(each[1], "steps")]
    learners, refused = list[Contender](), dict[str, SettingError]()
    why = SettingError(f"optimizer {', '.join(optimizers)}: none of the rules is zero when right, which it needs")
    for scale, (name, value), optimizer, keep in product(
        scalings or SCALINGS[kind], some, optimizers, keeps or memory_classes()
    ):
        drifts = getattr(value, "tol", None) is not None
        if drifts and (optimizer_from(optimizer).picks or (keeps is None and not memory_from(keep).is_linear)):
            continue
        learner = Contender(name, keep, scale, optimizer, value)
        if refusal := learner.refusal:
            why, refused[name] = refusal, refusal
        else:
            learners.append(learner)
    left = {learner.rule for learner in learners}
    lost = [refusal for name, refusal in refused.items() if rules is not None and name not in left]
    if not learners or lost:
        raise lost[0] if lost else why
    return list(dict.fromkeys(learners))


def along(learners: Sequence[Contender], strengths: Sequence[float], asked: bool = False) -> list[Contender]:
    """A path of L1: each of the learners at each of these strengths ≥ 0, without those that L1 does not go with.

    asked: their rules were asked for by name. SettingError for another strength, where nobody is left, and where
    nothing is left of a rule that was asked for.
    """
    for strength in strengths:
        learner_table()["l1"].check(strength)
    rising = sorted({*strengths})
    refusals = {learner: learner._replace(l1=rising[-1]).refusal for learner in learners}
    left = {learner.rule for learner in learners if not refusals[learner]}
    lost = [refusal for learner, refusal in refusals.items() if refusal and learner.rule not in left]
    if lost and (asked or not left):
        raise lost[0]
    return [learner._replace(l1=strength) for learner in learners if not refusals[learner] for strength in rising]


def in_all_spaces(learners: Sequence[Contender], kind: str) -> list[Contender]:
    """Each of the learners in each space that it goes with; texts have no products of columns."""
    every = [each._replace(space=space) for each in learners for space in SPACES]
    return [each for each in every if not each.refusal and (kind == "rows" or "degree" not in each.words)]


def check(keeps: Sequence[str] | None, scalings: Sequence[str] | None, optimizers: Sequence[str]) -> None:
    """SettingError for a name that is none."""
    choices = (("keep", keeps or (), memory_classes()), ("optimizer", optimizers, optimizer_classes()))
    for what, names, known in choices:
        for name in names:
            if name.partition(":")[0] not in known:
                raise SettingError(f"unknown {what} {name!r}; one of {', '.join(known)}")
            member(name, known, what)
    for text in scalings or ():
        scaling.parse(text)
