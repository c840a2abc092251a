"""`diagnose`: from rows and labels to all that is known about why a learner does not converge."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..data.checks import check_seconds, labels_from, rows_from
from ..data.folds import folds_of
from ..errors import DataError, RosenblattError, SettingError, plain
from ..lazy import lazily
from ..learn.settings import DEFAULTS, WORDS, Settings
from ..model.fit import Task
from ..recipe.recipe import Recipe
from ..recipe.table import recipe_table
from ..recipe.training import Learned, learn
from ..recipe.trial import Part, Trial, Watch, counted, part, warm_up
from ..theory.problem import as_problem
from .facts import FAR, Facts, facts
from .summary import ranges_apart
from .verdict import Verdict, fewest_errors, verdicts

PROOFS = 0.25
"""The share of the time that proofs and margins may take; the learner as it is has as much, the trials the rest."""
FEWEST = 0.1
"""The share for the fewest errors that are possible."""
_report, _ = lazily(__package__, {"advice": "..report.advice", "page": "..report.doctor", "as_dict": "..report.doctor"})
"""How a diagnosis reads is a report's affair: the function of this name."""


MOST = 30_000_000
"""Numbers that products of columns may come to: 0.25 GB, an epoch of some 0.05 s."""
OF_STEPS = ("rule", "metric", "eta0", "learning_rate", "decay", "alpha", "l1", "optimizer", "multi_class")
"""Words that say how steps are made: a metric brings its own, or needs others."""
ALONE, PASSIVE = "one-vs-rest", "passive-aggressive"


@dataclass(frozen=True)
class Plan:
    """What is asked about, and how long it may take.

    learner: words of `LinearClassifier` that differ from their defaults (rule, keep, optimizer, eta0 …). epochs: the
    most of each run, default 1000, as `fit` has. max_updates: of each run. max_time: seconds for everything, default
    60; what needs less is the same on every machine. folds: ≥ 2, default 5, for the errors on held-out rows.
    class_weight: as of `LinearClassifier`, default None. positive: the label of +1; of more than two classes it is
    taken against the rest, without it each is. scale, degree: how the rows are scaled already, and whether they have
    products of columns (2). texts: their columns are words. names: of the columns; default: those of a DataFrame, else
    numbers from 1.
    """

    learner: Mapping[str, Any] = field(default_factory=dict)
    epochs: int | None = DEFAULTS["max_iter"]
    max_updates: int | None = None
    max_time: float = 60.0
    folds: int = 5
    positive: Any = None
    class_weight: Any = None
    scale: str = "none"
    degree: int = 1
    texts: bool = False
    names: Sequence[str] | None = None


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What was found; `print(diagnosis)` is the page.

    facts: of rows and columns. verdicts: one for two classes, else one for each class against the rest. trials: the
    learner as it is, then each treatment. settings: of the learner, None where there is one class only. advice: what to
    do, in sentences, what helps most first. plan: what was asked. seconds: it took so long. fewest: of two classes that
    no hyperplane parts the fewest errors of any, found and proven; None where they were not looked for.
    """

    facts: Facts
    verdicts: list[Verdict]
    trials: list[Trial]
    settings: Settings | None
    plan: Plan
    seconds: float
    fewest: Any = None

    @property
    def kernel(self) -> Any:
        """The learner's, in whose space hyperplanes are asked about; None: it has none."""
        return None if self.settings is None else self.settings.kernel

    @property
    def converged(self) -> bool:
        """Whether the learner converged as it is."""
        return bool(self.trials) and self.trials[0].converged

    @property
    def by_loss(self) -> bool:
        """Whether the learner stops where its loss settles, be rows wrong or not."""
        return self.settings is not None and getattr(self.settings.rule, "tol", None) is not None

    @property
    def fit_intercept(self) -> bool:
        """Whether the learner has an offset, so that hyperplanes with one are asked about."""
        return self.settings is None or self.settings.fit_intercept

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane without an error exists, of more classes one for each; None: not decided, as where every
        two of classes that are learned together can be parted, which says nothing of all of them at once."""
        answers = [verdict.separable for verdict in self.verdicts]
        decided = all(answers) and bool(answers) and all(verdict.numbers is None for verdict in self.verdicts)
        return False if False in answers else True if decided else None

    @property
    def best(self) -> Trial | None:
        """The fewest errors on held-out rows, the first of equals."""
        scored = [trial for trial in self.trials if trial.error is not None]
        return min(scored, key=lambda trial: trial.error, default=None)  # type: ignore[arg-type, return-value]

    @property
    def advice(self) -> list[str]:
        """What to do, in sentences, what helps most first."""
        return _report("advice")(self)  # type: ignore[no-any-return]

    def page(self, data: str = "DATA", options: str = "", say: Callable[[str], str] = str) -> Iterator[str]:
        """Lines of at most 100 characters. data: what commands on it call the data, and options how they read it.

        say: how another face of the program says a reason that mentions settings.
        """
        return _report("page")(self, data, options, say)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return "\n".join(self.page())

    def __repr__(self) -> str:
        verdict = {None: "separable or not is not known", True: "separable", False: "not separable"}[self.separable]
        converged = "converged" if self.converged else "did not converge"
        return f"<Diagnosis: {converged}, {verdict}; {len(self.trials)} trials; print it for the page>"

    def as_dict(self, first: int = 0) -> dict[str, Any]:
        """JSON-able, everything. first: the number of the first row."""
        return _report("as_dict")(self, first)  # type: ignore[no-any-return]


def diagnose(X: Any, y: Any, plan: Plan = Plan(), watch: Watch | None = None) -> Diagnosis:
    """Why a learner does not converge on these rows, and what helps: proven where it can be, tried where not.

    X: (n, d) array, DataFrame or sparse matrix of finite numbers. y: (n,) labels; with one class alone only the facts
    are given. plan: what is asked, default `Plan()`. watch: is told what is being done, and how many of how many trials
    are done. Raises DataError for NaN, infinite values and no rows; SettingError for settings that make no sense.
    """
    begun = time.monotonic()
    watch = watch or (lambda what, done, of: None)
    _check(plan)
    if plan.names is None and hasattr(X, "columns"):
        plan = replace(plan, names=[str(name) for name in X.columns])
    recipe = _recipe(plan)
    rows, labels = _rows(X, y, plan)
    seen = facts(rows, labels, plan.names)
    if len(seen.class_rows) < 2:
        return Diagnosis(seen, [], [], None, plan, time.monotonic() - begun)
    folds = folds_of(labels, plan.folds, recipe.settings.random_state)
    case = Case(rows, labels, recipe, Task(names=plan.names), folds, plan.scale)
    watch("the learner as it is", 0, 0)
    compiling = _compiled(case, recipe)
    first = _learned(case, recipe, _whole(case), plan.max_time * PROOFS)[0]
    watch("proofs", 0, 0)
    model = first.model
    proven = verdicts(rows, labels, first, plan.max_time * PROOFS)
    least = fewest_errors(proven, plan.max_time * FEWEST)
    # "Pick one mistake" counts no epochs: its limit is one of updates.
    longer = model.run.stop.is_limit and not recipe.settings.optimizer.picks
    longer = longer and all(verdict.separable for verdict in proven)
    numbers = not plan.texts and plan.degree == 1 and not getattr(recipe.settings.kernel, "pairwise", False)
    changes = treatments(recipe, rows, model.classes.size, numbers, plan.scale, longer)
    left = plan.max_time - (time.monotonic() - begun - compiling)
    trials = tried(case._replace(first=first), changes, max(left, 1.0), watch)
    return Diagnosis(seen, proven, trials, model.run.settings, plan, time.monotonic() - begun, least)


def _recipe(plan: Plan) -> Recipe:
    """The learner as it is; words that have no effect in it are left out. SettingError for a value out of range."""
    Settings.of(**plan.learner)
    words = {"positive": plan.positive, "class_weight": plan.class_weight, **plan.learner}
    words["order"] = "shuffled" if words.pop("shuffle", True) else "given"
    return Recipe().instead(max_iter=plan.epochs, max_updates=plan.max_updates, **words)


def _check(plan: Plan) -> None:
    if not isinstance(plan, Plan):
        raise SettingError("{plan} must be a Plan", plan=plan)
    if plan.max_time is None:
        raise SettingError("{max_time} must be a number of seconds above 0", max_time=None)
    check_seconds("max_time", plan.max_time)
    for name, like in (("epochs", "max_iter"), ("max_updates", "max_updates"), ("folds", "calibrate_folds")):
        recipe_table()[like]._replace(name=name).check(getattr(plan, name))
    if not isinstance(plan.learner, Mapping):
        text = "{learner} must be a dict of words of LinearClassifier, as rule and keep"
        raise SettingError(text, learner=plan.learner)
    unknown = [name for name in plan.learner if name not in WORDS]
    if unknown:
        why = f"{plain(repr(unknown[0]))} is no word of LinearClassifier about learning"
        raise SettingError(f"{{learner}}: {why}", learner=unknown[0])


def _rows(X: Any, y: Any, plan: Plan) -> tuple[Rows, Array]:
    """The rows as the theorems see them, and the labels; of more classes with `positive` this one and "the rest"."""
    rows = rows_from(X)
    labels = labels_from(y, rows.n)
    if not len(labels):
        raise DataError("there are no rows; a diagnosis needs at least one row")
    if plan.names is not None and len(plan.names) != rows.width:
        raise SettingError(f"names: there are {len(plan.names)} of them, but {rows.width} columns")
    values = np.unique(labels)
    problem = as_problem(rows, labels, True, plan.positive if plan.positive is not None else values[-1], plan.names)
    if plan.positive is not None and values.size > 2:
        rest, name = problem.classes
        return problem.rows, np.where(problem.y > 0, str(name), str(rest))
    return problem.rows, labels


# --- what may help ----------------------------------------------------------------------------------------------------


def treatments(
    recipe: Recipe, rows: Rows, classes: int, numbers: bool, scale: str, longer: bool
) -> dict[str, dict[str, Any]]:
    """What it is called → the words that change: what is worth a try, the smaller changes first, without those that
    change nothing.

    numbers: rows of numbers without products, which can be scaled and multiplied. scale: how they are scaled already.
    longer: also without end.
    """
    settings = recipe.settings
    own, together = settings.words(), hasattr(settings.rule, "steps")
    rule, scaled = own["rule"], "standard" in scale
    apart = classes > 2 and settings.multi_class == ALONE
    alone = {} if settings.multi_class == ALONE or together else {"multi_class": ALONE}
    mean, best = {"keep": "averaged"}, {"keep": "pocket"}
    averaged, of_columns = mean.items() <= own.items(), numbers and settings.kernel is None
    square = of_columns and _products(rows) <= MOST
    spread = {} if scaled else {"scale": _further(scale, "standard")}
    plain = not settings.shaped
    uneven = of_columns and not scaled and plain and ranges_apart(rows) >= FAR
    linear = {} if settings.memory.is_linear else {"keep": "averaged"}
    worth: dict[str, tuple[bool, dict[str, Any]]] = {
        "as it is": (True, {}),
        "with an offset": (not settings.fit_intercept, {"fit_intercept": True}),
        "the same, until it is finished": (longer, {"max_iter": None}),
        "columns of equal spread": (numbers and not scaled, spread),
        "rows of equal length": (numbers and "unit" not in scale, {"scale": _further(scale, "unit")}),
        "steps by how sure each weight is": (uneven, {"metric": "arow", **linear}),
        "steps free of scale": (uneven, {"rule": "logistic", "metric": "normalised", **linear}),
        "also learn from narrow escapes": (plain and not rule.startswith("margin"), {"rule": "margin", **alone}),
        "steps as long as needed": (plain and not rule.startswith(PASSIVE), {"rule": PASSIVE, **alone}),
        "learn the classes together": (
            plain and apart and rule == "perceptron",
            {"multi_class": "multi-class-perceptron"},
        ),
        "one loss for all classes": (plain and classes > 2 and rule != "softmax", {"rule": "softmax"}),
        "the mean of all weights": (not averaged, mean),
        "the best weights on the way": (not best.items() <= own.items(), best),
        "curved borders": (square, {"degree": 2}),
        "equal spread, mean of weights": (numbers and not averaged and not scaled, {**spread, **mean}),
        "both, and curved borders": (square and not averaged, {**spread, "degree": 2, **mean}),
    }
    return {what: words for what, (worthwhile, words) in worth.items() if worthwhile}


def _further(scale: str, step: str) -> str:
    return step if scale == "none" else f"{scale}+{step}"


def _products(rows: Rows) -> float:
    d = rows.size / max(rows.n, 1)
    return max(rows.n * d * (d + 3.0) / 2.0, rows.width * (rows.width + 3.0) / 2.0)


# --- and whether it does ----------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """The rows with their labels, the recipe of the learner as it is, what is said beside it, and the folds: (training,
    held-out) row numbers. scale: how the rows are scaled already. first: the learner as it is, taught all rows."""

    rows: Rows
    y: Array
    recipe: Recipe
    task: Task
    folds: list[tuple[Array, Array]]
    scale: str = "none"
    first: Learned | None = None


def tried(case: Case, changes: dict[str, dict[str, Any]], seconds: float, watch: Watch) -> list[Trial]:
    """All changes; what one leaves of its share of the time is the others'. Learning without end comes last, and has
    what is left, up to half of all: on sonar 5 s, where a share of 60 s would be 2."""
    end, trials = time.monotonic() + seconds, {}
    for number, what in enumerate(sorted(changes, key=lambda what: "max_iter" in changes[what])):
        watch(what, number, len(changes))
        words, recipe = changes[what], case.recipe
        try:
            idle = OF_STEPS if "metric" in words else ("max_updates",) if "max_iter" in words else ()
            recipe = recipe.without(*idle).instead(**words)
            end += _compiled(case, recipe)
        except RosenblattError as error:
            trials[what] = Trial(what, words, failed=error.message)
            continue
        left = max(end - time.monotonic(), 0.0) / (len(changes) - number)
        trials[what] = _trial(case, recipe, max(min(left, seconds / 2.0), 0.2), what, words)
    return [trials[what] for what in changes]


def _trial(case: Case, recipe: Recipe, seconds: float, what: str, words: Mapping[str, Any]) -> Trial:
    begun = time.monotonic()
    try:
        first = None if words else case.first
        learned = first or _learned(case, recipe, _whole(case), seconds / 2.0)[0]
        trial = counted(learned)
        left = max(seconds - (time.monotonic() - begun), 0.1)
        wrong = np.zeros(case.rows.n, bool)
        for fold in case.folds:
            wrong[fold[1]] = counted(*_learned(case, recipe, fold, left / len(case.folds)), most_votes=0).wrong
    except RosenblattError as error:
        return Trial(what, words, failed=error.message)
    taken = time.monotonic() - begun + (0.0 if first is None else first.seconds)
    return trial._replace(what=what, words=words, wrong=wrong if case.folds else None, seconds=taken)


def _compiled(case: Case, recipe: Recipe) -> float:
    """Seconds of compiling a recipe's loop for the rows as it scales them: they are not learning's."""
    begun = time.monotonic()
    few = np.unique(case.y, return_index=True)[1]
    made = _ready(case, recipe, (few, few))
    warm_up(recipe, made.rows, made.y)
    return time.monotonic() - begun


def _whole(case: Case) -> tuple[Array, Array]:
    """All rows to learn from, none held out."""
    return np.arange(case.rows.n), np.arange(0)


def _learned(case: Case, recipe: Recipe, split: tuple[Array, Array], seconds: float) -> tuple[Learned, Part]:
    made = _ready(case, recipe, split)
    return learn(recipe.with_(max_time=seconds), made.rows, made.y, case.task), made


def _ready(case: Case, recipe: Recipe, split: tuple[Array, Array]) -> Part:
    """Training and held-out rows in the recipe's features."""
    scale = (recipe.features.scale or "none").removeprefix(f"{case.scale}+")
    rows = case.rows
    if getattr(recipe.settings.kernel, "pairwise", False):  # its columns are values of K with rows, those learned from
        rows = rows.take_columns(split[0])
    train, held = (Batch(rows.take(numbers), case.y[numbers]) for numbers in split)
    return part(train, held, recipe.features._replace(scale=scale))
