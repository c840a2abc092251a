"""Options that commands share, in sections, with their defaults from the one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from ..catalog import rule_classes
from ..defaults import DEFAULTS, MULTI_CLASS, OPTIMIZERS, SCHEDULES
from .app import write_example

Decorator = Callable[[Any], Any]
KEEPS = ("last", "averaged", "voted", "pocket")
"""The memories' names; asking `memory` for them would load numpy for a help text."""


class Command(click.Command):
    """A command whose help groups the options by section and ends with an example, as it stands."""

    def __init__(self, *args: Any, example: str = "", **words: Any) -> None:
        super().__init__(*args, **words)
        self.example = example

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Output"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_example(formatter, self.example)


class Option(click.Option):
    """An option in a section of the help."""

    def __init__(self, *args: Any, section: str, **words: Any) -> None:
        super().__init__(*args, **words)
        self.section = section


class Number(click.ParamType):
    """A number, or one of some words that stand for values ("none": None, "auto": "auto")."""

    name = "number"

    def __init__(self, kind: type[int] | type[float] = float, **words: Any) -> None:
        self.kind, self.words = kind, words

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "|".join(["N" if self.kind is int else "X", *self.words])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        if value in self.words:
            return self.words[value]
        try:
            return self.kind(value)
        except ValueError:
            what = "a whole number" if self.kind is int else "a number"
            self.fail(f"{value!r} is not {' or '.join([what, *self.words])}.", param, ctx)


def option(section: str, *names: str, **words: Any) -> Decorator:
    return click.option(*names, cls=Option, section=section, **words)


def setting(section: str, *names: str, **words: Any) -> Decorator:
    """An option for an entry of the table of defaults, called as in the Python API: its default is the table's."""
    default = DEFAULTS[names[-1]]
    shown = "none" if default is None else f"{default}"
    return option(section, *names, default=default, show_default=shown, **words)


def together(options: Iterable[Decorator]) -> Decorator:
    def decorate(function: Any) -> Any:
        for each in reversed(list(options)):
            function = each(function)
        return function

    return decorate


READING = ("format", "base", "label", "text", "header", "delimiter", "duplicates", "bad")
"""Names of the options that go to the readers; those not given are the format's own defaults."""

reading_options = together([
    option("Reading", "--format", help="svmlight (libsvm), table (csv, tsv), text or mail.  [default: by name or look]"),
    option("Reading", "--base", type=click.IntRange(0, 1), help="svmlight: index of the first column.  [default: 1]"),
    option("Reading", "--label", metavar="COLUMN", help="Table: the label's column, by name or number (from 1, or -1)."),
    option("Reading", "--text", metavar="COLUMN", help="Table: the text's column, by name or number."),
    option("Reading", "--header/--no-header", default=None, help="Table: line 1 has names.  [default: by its look]"),
    option("Reading", "--delimiter", metavar="CHAR", help="Table: what parts cells.  [default: by line 1]"),
    option("Reading", "--duplicates", type=click.Choice(["error", "sum", "last"]),
           help="svmlight: an index twice in a row.  [default: error]"),
    option("Reading", "--bad", type=click.Choice(["error", "skip"]),
           help="Lines that cannot be read; skipped ones are counted.  [default: error]"),
])  # fmt: skip

learner_options = together([
    setting("Learner", "--rule", metavar="RULE",
            help=f"{', '.join(rule_classes())}; parameters as in margin:tau=2; or FILE.py:CLASS of your own."),
    setting("Learner", "--keep", type=click.Choice(KEEPS), help="Which weights survive."),
    setting("Learner", "--optimizer", type=click.Choice(OPTIMIZERS), help="When steps are applied."),
    setting("Learner", "--multi-class", "multi_class", type=click.Choice(MULTI_CLASS), help="For three classes or more."),
    setting("Learner", "--eta", "eta0", type=Number(auto="auto"), help="Learning rate; auto: the rule's own."),
    setting("Learner", "--schedule", "learning_rate", type=click.Choice(SCHEDULES), help="How the rate falls."),
    setting("Learner", "--decay", "decay", type=Number(), help="How fast it falls: eta/(1 + t*decay), or its root."),
    setting("Learner", "--l2", "alpha", type=Number(), help="Weights shrink by 1 - eta*l2 before each step."),
    setting("Learner", "--batch-size", "batch_size", type=Number(int), help="Rows a block of mini-batch."),
    setting("Learner", "--intercept/--no-intercept", "fit_intercept", help="Learn a bias, or go through the origin."),
    setting("Learner", "--positive", metavar="LABEL", help="The positive class of two; none: the last in order."),
    setting("Learner", "--class-weight", "class_weight", metavar="WEIGHTS",
            help="balanced, or LABEL=WEIGHT,...: multiplies the steps."),
    setting("Learner", "--counting", type=click.Choice(["notes", "freund-schapire"]),
            help="voted: survivals count from 0 or 1."),
    setting("Learner", "--check-every", "check_every", type=Number(int), help="pocket: measure each N updates as well."),
    setting("Learner", "--scoring", metavar="NAME",
            help="pocket: scorer of scikit-learn (balanced_accuracy, roc_auc ...); none: right answers."),
])  # fmt: skip

run_options = together([
    setting("Run", "--epochs", "max_iter", type=Number(int, none=None), help="The most passes over the data."),
    setting("Run", "--max-updates", "max_updates", type=Number(int, none=None), help="The most updates."),
    setting("Run", "--max-time", "max_time", type=Number(none=None), help="The most seconds of learning."),
    setting("Run", "--tol", type=Number(auto="auto", none=None),
            help="Stop when the loss falls by less; auto: the rule's own, none for those that make mistakes."),
    setting("Run", "--patience", "n_iter_no_change", type=Number(int), help="For so many epochs."),
    setting("Run", "--epsilon", type=Number(), help="batch: stop when the mean step is shorter."),
    option("Run", "--order", metavar="ORDER", default="shuffled" if DEFAULTS["shuffle"] else "given", show_default=True,
           help="shuffled (anew each epoch), given, or a FILE of row numbers, from 1."),
    setting("Run", "--seed", "random_state", type=click.IntRange(0), help="Of the shuffled orders."),
])  # fmt: skip

json_option = option("Output", "--json", "as_json", is_flag=True, help="Machine-readable: JSON on standard output.")


def reading(words: dict[str, Any]) -> dict[str, Any]:
    """The readers' options that were given."""
    return {name: words[name] for name in READING if words.get(name) is not None}
