"""One table of parameters: what each is called in Python and in the shell, its default, its range, and what it means.

Who needs a parameter declares it: rules in their fields, memories, optimizers, schedules, readers and feature steps as
`parameters`. This file has the form of an entry, and those of the learner itself, which belong to nobody else.
"""

import inspect
import math
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

from .errors import SettingError, plain

MULTI_CLASS = ("one-vs-rest", "multi-class-perceptron")
CALIBRATIONS = ("sigmoid", "isotonic")


def nearest(name: str, known: Iterable[Any]) -> str:
    """The one of the known words that is meant by another: of other letters' size, or with a slip; else ""."""
    words = {str(each).lower(): str(each) for each in known}
    return "".join(words[near] for near in get_close_matches(name.lower().replace("_", "-"), words, 1, 0.75))


def positive(value: Any, what: str, finite: bool = False) -> Any:
    """A NamedTuple with floats, each > 0, its default or one of `only`; else SettingError. what: "rule" or "metric"."""
    numbers, own = dict[str, float](), getattr(value, "name", type(value).__name__)
    for name, given in value._asdict().items():
        only = getattr(value, "only", {}).get(name, ())
        try:
            numbers[name] = number = float(given)
        except (TypeError, ValueError):
            number = math.nan
        wanted = " or ".join(f"{each:g}" for each in only) or f"a {'finite ' * finite}number > 0"
        usual = number in only if only else number > 0.0 or number == type(value)._field_defaults.get(name)
        if not usual or (finite and math.isinf(number)):
            raise SettingError(f"{what} {own!r}: {name}={given} must be {wanted}")
    return type(value)(**numbers)


class Parameter(NamedTuple):
    """One entry.

    name: in Python. default; kind: float, int, bool, str, list (of names) or object (checked by who uses it).
    help: a sentence for `--help`; `{choices}` stands for them. meaning: what the documentation says, where that is
    more. takes: its type in the documentation, where it does not follow from the rest. least: the smallest value, or
    with `above` the largest that is too small. most: the largest; below: the smallest that is too large. choices: the
    only values; function: what a function may be instead. words: texts that stand for values, as {"none": None}.
    refusal: the template of the sentence that refuses a value, where it is not the usual one. option: in the shell, as
    `--eta` or `--intercept/--no-intercept`; default: `--name`; "": none. metavar: what stands for the value in the
    help. shown: what the help says of the default, where it is not the value itself; "": nothing. early: the shell
    refuses a value below `least` while it reads its words. own: its name inside the text of its owner, as `every` in
    `pocket:every=10`; default: the name. after: the entry behind which it stands in lists. members: a choice may have
    parameters of its own, as `pocket:every=10`. needs: (parameter, value) without which it has no effect. data:
    "documents" or "rows" where it has none on the others. section: of the help; "": the option is made elsewhere.
    """

    name: str
    default: Any
    kind: type = str
    help: str = ""
    meaning: str = ""
    takes: str = ""
    least: float | None = None
    above: bool = False
    most: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] = ()
    function: str = ""
    words: dict[str, Any] = {}  # noqa: RUF012 (a NamedTuple's default is never changed)
    refusal: str = ""
    option: str | None = None
    metavar: str | None = None
    shown: str | None = None
    early: bool = False
    own: str = ""
    after: str = ""
    members: bool = False
    needs: tuple[str, Any] | None = None
    data: str = ""
    section: str = "Learner"

    @property
    def options(self) -> str:
        """The option in the shell, or "" where there is none."""
        return "--" + self.name.replace("_", "-") if self.option is None else self.option

    @property
    def inner(self) -> str:
        """The name inside its owner's text."""
        return self.own or self.name

    @property
    def type_text(self) -> str:
        """Its type as docstrings say it: `int ≥ 1 or None`."""
        if self.takes:
            return self.takes
        kind = self.kind.__name__
        if self.choices:
            kind = "{" + ", ".join(f'"{each}"' for each in self.choices) + "}"
        elif self.least is not None:
            kind += f" {'>' if self.above else '≥'} {self.least:g}"
        words = ["None" if word is None else f'"{word}"' for word in self.words.values()]
        function = ["callable"] if self.function else []
        return " or ".join([", ".join([kind, *words[:-1]]), *words[-1:], *function])

    @property
    def default_text(self) -> str:
        """Its default as docstrings say it."""
        if isinstance(self.default, str):
            return f'"{self.default}"'
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    @property
    def annotation(self) -> str:
        """Its type in signatures."""
        if self.kind is object or self.function or (" or " in self.takes and not self.words):
            return "Any"
        kinds = [self.kind, *(type(word) for word in self.words.values() if word is not None)]
        names = list(dict.fromkeys(kind.__name__ for kind in kinds))
        return " | ".join(names + ["None"] * (None in self.words.values()))

    def read(self, text: str) -> Any:
        """The value that a text stands for. SettingError where it stands for none, or for one out of range."""
        value: Any = self.words.get(text, text)
        if self.kind in (int, float) and isinstance(value, str):
            try:
                value = self.kind(text)
            except ValueError:
                value = text
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """SettingError where it is none of the choices or words, no number, or out of range."""
        if any(value is word or (isinstance(word, str) and value == word) for word in self.words.values()):
            return
        if self.choices:
            name = value.partition(":")[0] if self.members and isinstance(value, str) else value
            if not (callable(value) and self.function) and name not in self.choices:
                self._refuse(value)
        elif self.kind in (int, float):
            self._check_number(value)
        elif self.kind is bool and value not in (True, False):
            self._refuse(value, f"{{{self.name}}} must be True or False")

    def _check_number(self, value: Any) -> None:
        number = isinstance(value, Integral if self.kind is int else Real) and not isinstance(value, bool)
        endless = number and abs(getattr(value, "item", lambda: value)()) > 1.7976931348623157e308  # of any size
        if not number or value != value or (endless and None not in self.words.values()):
            self._refuse(value)
        low = self.least is not None and (value < self.least or (self.above and value == self.least))
        high = self.most is not None and value > self.most
        if low or high or (self.below is not None and value >= self.below):
            self._refuse(value)

    def _refuse(self, value: Any, refusal: str = "") -> None:
        template = self.refusal or refusal or self._refusal(value)
        raise SettingError(template.replace("{choices}", ", ".join(map(str, self.choices))), **{self.name: value})

    def _refusal(self, value: Any) -> str:
        words = ["None" if word is None else f'"{word}"' for word in self.words.values()]
        if self.choices:
            known = "{choices}" + (f", or {self.function}" if self.function else "")
            if words:
                return f"{{{self.name}}} must be {', '.join(words)} or one of {known}"
            near = nearest(value, self.choices) if isinstance(value, str) else ""
            return f"unknown {{{self.name}}}; one of {known}" + f"; did you mean {near}?" * bool(near)
        sign = ">" if self.above else "≥"
        range_ = f"{'a whole number' if self.kind is int else 'a number'} {sign} {self.least or 0:g}"
        free = words if None in self.words.values() else []  # "auto" alone is the default, and goes without saying
        return f"{{{self.name}}} must be {' or '.join([', '.join(free), range_]) if free else range_}"


def defaults(parameters: Iterable[Parameter]) -> dict[str, Any]:
    return {each.name: each.default for each in parameters}


def ordered(first: Iterable[Parameter], others: Iterable[Parameter]) -> dict[str, Parameter]:
    """name → entry: the first ones as they come, of the others each behind the one that it names, else last."""
    entries = list(first)
    for each in others:
        names = [entry.name for entry in entries]
        entries.insert(names.index(each.after) + 1 if each.after in names else len(names), each)
    return {each.name: each for each in entries}


def signature_of(table: dict[str, Parameter], by_place: int = 1) -> inspect.Signature:
    """Of an `__init__` whose first entries may be given by their place, the others by name only."""
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] * (1 + by_place) + [inspect.Parameter.KEYWORD_ONLY] * len(table)
    named = [("self", {}), *((n, {"default": e.default, "annotation": e.annotation}) for n, e in table.items())]
    made = [inspect.Parameter(name, kind, **own) for (name, own), kind in zip(named, kinds, strict=False)]
    return inspect.Signature(made, return_annotation="None")


def described(table: dict[str, Parameter], indent: int = 4) -> str:
    """The section Parameters of a docstring, in the form of numpydoc, but for its head."""
    lines = []
    for each in table.values():
        lines.append(f"{each.name} : {each.type_text}, default {each.default_text}")
        text = (each.meaning or each.help).replace("{choices}", ", ".join(map(str, each.choices)))
        lines += [f"    {line}" for line in textwrap.wrap(text, 116 - indent, break_on_hyphens=False)]
    return f"\n{' ' * indent}".join(lines)


NONE = {"none": None}
_run = partial(Parameter, section="Run")
LEARNER = (
    Parameter(
        "rule", "perceptron", object, metavar="RULE", takes="str or rule",
        help="{choices}; with parameters: margin:tau=2; your own: FILE.py:CLASS.",
        meaning='A name as on the command line ("margin", "margin:tau=2", "passive-aggressive" …), or a rule value or'
                " class: anything with `step(self, u, y, sq_norm)`.",
    ),
    Parameter(
        "metric", "none", object, metavar="METRIC", takes="str or metric",
        help="How a step moves each column: {choices}; with parameters: arow:r=0.1. arow, scw, nherd: without --rule.",
        meaning='How a step moves each column: a name ("adagrad", "arow:r=0.1" …), or a metric class or value. Those'
                " that bring their own step (arow, scw, nherd) take no rule, no η, no schedule, no L2 and no L1.",
    ),
    Parameter(
        "keep", "last", members=True, metavar="MEMORY", help="Which weights survive: {choices}.",
        meaning="What survives of the path of the weights.",
    ),
    Parameter(
        "optimizer", "online", members=True, metavar="NAME", help="When steps are applied: {choices}.",
        meaning="When steps are applied. The pick ones need a rule that is zero when right.",
    ),
    _run(
        "max_iter", 1000, int, "The most passes over the data.", least=1, words=NONE, early=True, option="--epochs",
        meaning="The most epochs; None: until the rule is finished. The pick optimizers count none: see max_updates.",
    ),
    _run(
        "max_updates", None, int, "The most updates.", least=1, words=NONE, early=True, takes="int or None",
        meaning="The most updates of one call of fit; None: no limit (pick optimizers: 100,000).",
    ),
    _run(
        "max_time", None, float, "The most seconds of learning.", least=0, words=NONE, early=True,
        takes="float or None", meaning="The most seconds of one call of fit.",
    ),
    _run(
        "tol", "auto", float, least=0, words={"auto": "auto", "none": None}, takes='float, None or "auto"',
        refusal='{tol} must be None, "auto" or a number ≥ 0',
        help="Stop when the mean loss falls by less than this; auto: the rule's own, perceptrons have none.",
        meaning='Stop when the mean loss falls by less than this for `n_iter_no_change` epochs; None: never. "auto":'
                " the rule's own: None for the rules that are zero when right (they stop at an epoch without an"
                " update), 1e-4 for the units, and for the metrics that bring their step.",
    ),
    _run(
        "n_iter_no_change", 5, int, least=0, above=True, option="--patience", takes="int ≥ 1",
        help="Epochs without progress, by --tol or --validation, before learning stops.",
        meaning="See tol and early_stopping.",
    ),
    _run(
        "stop_if_not_separable", False, bool,
        help="Ask after epochs 1, 2, 4 ... whether a separating hyperplane exists, and stop once it is proven that"
             " there is none.",
        meaning="Ask after epochs 1, 2, 4 … whether a hyperplane without an error exists"
                " (`rosenblatt.theory.separable`), and stop once it is proven that there is none; see"
                " `not_separable_`. Not for the units. partial_fit does not ask.",
    ),
    Parameter(
        "eta0", "auto", float, "Learning rate; auto: the metric's or rule's own.", least=0, above=True,
        words={"auto": "auto"}, option="--eta",
        meaning='Learning rate η; "auto": the metric\'s own, else the rule\'s, of units at most reach/max(weight·‖x̄‖²)'
                " (reach 1, of the sigmoid unit 4), so that large values do not make them diverge or saturate.",
    ),
    Parameter(
        "learning_rate", "constant", members=True, metavar="NAME", function="a function of t", option="--schedule",
        help="How the rate falls: {choices}.",
        meaning="η, η/(1 + t·decay), η/√(1 + t·decay), or a function of t, with t the blocks (online: examples) seen"
                " before.",
    ),
    Parameter(
        "alpha", 0.0, float, "Weights shrink by 1 - eta*l2 before each step.", least=0, option="--l2",
        meaning="L2: w ← (1 − η·alpha)·w before each block; the intercept is exempt. eta0·alpha must be below 1. With"
                " metric='ftrl' its λ2 instead.",
    ),
    Parameter(
        "l1", 0.0, float, "Weights are pulled to 0 by eta*l1 after each step.", least=0,
        meaning="L1: after each block every weight comes nearer to 0 by η·l1 (with a metric times what it makes of a"
                " step there), at most to 0: truncated gradient; with metric='ftrl' its λ1. The intercept is exempt.",
    ),
    Parameter(
        "shuffle", True, bool, option="--order shuffled|given|FILE", section="",
        meaning="A new order each epoch, from random_state; False: the order given.",
    ),
    _run(
        "random_state", 0, int, "Of orders, folds, and rows set aside.", least=0, early=True, option="--seed",
        takes="int, None or RandomState", meaning="Seed of the orders. None: a different one each time.",
    ),
    Parameter(
        "fit_intercept", True, bool, "Learn a bias, or go through the origin.", option="--intercept/--no-intercept",
        meaning="False: through the origin.",
    ),
    Parameter(
        "scoring", None, object, metavar="NAME", takes="str, callable or None",
        help="pocket, --validation: a scorer of scikit-learn, as balanced_accuracy; none: right answers.",
        meaning='A scikit-learn scorer: what keep="pocket" maximises on the training rows and early stopping on the'
                " others; None: the share of right answers.",
    ),
    Parameter(
        "multi_class", "one-vs-rest", metavar="NAME", choices=MULTI_CLASS, help="For more than two classes: {choices}.",
        meaning="How more than two classes are learned; with two there is no difference.",
    ),
    Parameter(
        "positive", None, object, "The positive class of two.", metavar="LABEL", takes="label or None",
        shown="the last in order",
        meaning="The positive class of two; None: the last in sorted order. It becomes classes_[1].",
    ),
    Parameter(
        "class_weight", None, object, "balanced, or LABEL=WEIGHT,...: multiplies the steps.", metavar="WEIGHTS",
        takes='dict, "balanced" or None',
        meaning="Multiplies the steps, as sample_weight does: for a rule that steps on mistakes only, a weight of 3 is"
                ' a step of three times the length and not the same as the row three times. In partial_fit "balanced"'
                " uses running counts.",
    ),
    Parameter(
        "early_stopping", False, bool, option="--validation SHARE|FILE", section="",
        meaning="Learn from a part of the rows and stop after `n_iter_no_change` epochs without a better accuracy (or"
                " `scoring`) on the others; the weights of the best epoch answer. Without it all rows are learned"
                " from.",
    ),
    Parameter(
        "validation_fraction", 0.1, float, least=0, above=True, below=1, takes="float in (0, 1)",
        refusal="{validation_fraction} must be a share of the rows between 0 and 1", option="--validation SHARE",
        section="",
        meaning="The share of the rows that early_stopping sets aside, class by class, by random_state. Rows of one's"
                " own are given to fit as `validation`.",
    ),
    Parameter(
        "calibrate", None, str, "Make probabilities of scores, on held-out folds: {choices}.", choices=CALIBRATIONS,
        words=NONE, metavar="KIND", section="Probabilities",
        meaning="Probabilities for every rule: a curve from scores to probabilities, fitted to scores of held-out"
                " folds, whose models learn from the other folds; the model itself learns from all rows. Scores then"
                " count from where the probability is one half.",
    ),
    Parameter(
        "calibrate_folds", 5, int, "How many folds, each scored by a model that learns from the others.", least=2,
        early=True, section="Probabilities", meaning="How many folds; no more than the smallest class has rows.",
    ),
    Parameter(
        "warm_start", False, bool, option="--continue MODEL", section="",
        meaning="fit goes on: 100 fits of one epoch are one fit of 100, bit for bit (which may end earlier).",
    ),
    Parameter(
        "n_jobs", None, int, option="", words=NONE, section="",
        meaning="Accepted for scikit-learn's sake; one thread is used, as n_threads_ says.",
    ),
)  # fmt: skip
"""The learner's own, without those of its parts; the choices of rule, keep, optimizer and learning_rate are found."""


def member(text: str, known: Mapping[str, Any], what: str) -> tuple[Any, dict[str, Any]]:
    """(class, {parameter: value}) of a text such as `pocket:every=10`; what: the setting, for messages.

    The class says its `parameters`. SettingError for a name or parameter that is not known, and for a value out of
    its range.
    """
    name = text.partition(":")[0]
    if name not in known:
        near = nearest(name, known)
        hint = f"; did you mean {near}?" if near else ""
        raise SettingError(f"unknown {{{what}}}; one of {', '.join(known)}{hint}", **{what: text})
    own = {parameter.inner: parameter for parameter in known[name].parameters}
    values = {}
    for key, value in pairs(text, own, what):
        values[own[key].name] = own[key].read(value)
    return known[name], values


def pairs(text: str, own: Collection[str], what: str) -> Iterator[tuple[str, str]]:
    """(parameter, value) for each that such a text has; own: the parameters that there are. SettingError for others."""
    name, _, settings = text.partition(":")
    parts = [list(map(str.strip, each.partition("="))) for each in settings.split(",") if each.strip()]
    for number, (key, sign, value) in enumerate(parts):
        why = "" if value else f"{key + sign!r} is not of the form parameter=value"
        if key not in own:
            why = f"{name} has no parameter {key!r}; its parameters: {', '.join(own) or 'none'}"
        elif any(key == other for other, _, _ in parts[:number]):
            why = f"{key} is given twice"
        if why:
            raise SettingError(f"{{{what}}}: {plain(why)}", **{what: text})
        yield key, value


def made(text: str, known: Mapping[str, Any], what: str, values: Mapping[str, Any]) -> Any:
    """The value of such a text. values: of parameters, by their names in Python, where the text says nothing.

    SettingError where both say something, and not the same.
    """
    cls, own = member(text, known, what)
    for each in cls.parameters:
        other = values.get(each.name, each.default)
        if each.name in own and other not in (each.default, own[each.name]):
            raise SettingError(f"{{{what}}} and {{{each.name}}}: give one of them", **{what: text, each.name: other})
    return cls(**{each.inner: own.get(each.name, values.get(each.name, each.default)) for each in cls.parameters})
