"""Options that commands share, in sections, with their defaults from the one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from ..catalog import rule_classes
from ..defaults import COUNTINGS, DEFAULTS, KEEPS, MAIL_FIELDS, MAIL_MADE, MULTI_CLASS, OPTIMIZERS, PRODUCTS, SCHEDULES
from ..errors import Message, RosenblattError, in_python
from .app import write_example

Decorator = Callable[[Any], Any]


class Command(click.Command):
    """A command whose help groups the options by section and ends with an example, as it stands."""

    def __init__(self, *args: Any, example: str = "", **words: Any) -> None:
        super().__init__(*args, **words)
        self.example = example

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except RosenblattError as error:
            raise error.saying(in_shell(error.message)) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
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
    """A number, at least `least`, or one of some words that stand for values ("none": None, "auto": "auto").

    What else a setting must be is checked where it is used, for the Python API as well.
    """

    name = "number"

    def __init__(self, kind: type[int] | type[float] = float, least: float | None = None, **words: Any) -> None:
        self.kind, self.least, self.words = kind, least, words

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "|".join(["N" if self.kind is int else "X", *self.words])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        if value in self.words:
            return self.words[value]
        try:
            number = self.kind(value)
        except ValueError:
            what = "a whole number" if self.kind is int else "a number"
            self.fail(f"{value!r} is not {' or '.join([what, *self.words])}.", param, ctx)
        if self.least is not None and not number >= self.least:
            self.fail(f"{value} must be {self.least} or more.", param, ctx)
        return number


class Share(click.ParamType):
    """A share as `0.1%` or `0.001`; with `file`, what is no number is the path of a file, and 0 is no share."""

    name = "share"

    def __init__(self, file: bool = False) -> None:
        self.file = file

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            share = float(value.removesuffix("%")) / (100.0 if value.endswith("%") else 1.0)
        except ValueError:
            if self.file:
                return value
            self.fail(f"{value!r} is not a share; give one as 0.1% or 0.001.", param, ctx)
        if self.file and not 0.0 < share < 1.0:
            found = f"{value} is not between 0 and 1"
            self.fail(f"{found}; give a share of the rows, as 0.2 or 20%, or a file.", param, ctx)
        if not 0.0 <= share < 1.0:
            self.fail(f"{value} must be from 0% to below 100%, that is below 1.", param, ctx)
        return share


def option(section: str, *names: str, **words: Any) -> Decorator:
    return click.option(*names, cls=Option, section=section, **words)


def setting(section: str, *names: str, help: str, **words: Any) -> Decorator:
    """An option for an entry of the table of defaults, called as in the Python API: its default is the table's."""
    default = DEFAULTS[names[-1].lstrip("-").replace("-", "_")]
    shown = "none" if default is None else "yes" if default is True else "no" if default is False else default
    shown = f"{shown:g}" if isinstance(shown, float) else shown
    return option(section, *names, default=default, help=f"{help}  [default: {shown}]", **words)


def together(options: Iterable[Decorator]) -> Decorator:
    def decorate(function: Any) -> Any:
        for each in reversed(list(options)):
            function = each(function)
        return function

    return decorate


def as_int(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    return None if value is None else int(value)


def as_names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else value.split(",")


def as_fields(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    from ..read.mail_names import checked

    return None if value is None else checked(value.split(","))


READING = (
    "format", "base", "label", "array", "text", "drop", "header", "delimiter", "labels", "fields", "duplicates", "bad",
)  # fmt: skip
"""Names of the options that go to the readers; those not given are the format's own defaults."""

reading_options = together([
    option("Reading", "--format", metavar="NAME",
           help="svmlight (libsvm), table (csv, tsv), parquet, arrow, npz, npy, idx, text, mail (mbox, maildir, trec)."
                "  [default: by name or look]"),
    option("Reading", "--base", type=click.Choice(["0", "1"]), callback=as_int, metavar="0|1",
           help="svmlight: the index of the first column.  [default: 1]"),
    option("Reading", "--label", metavar="COLUMN",
           help="Table: the label, by name or number (from 1; -1: last). npy, npz, idx: the file or array of the"
                " labels."
                "  [default: by name]"),
    option("Reading", "--array", metavar="NAME", help="npz: the array of the rows.  [default: X, x_train, data ...]"),
    option("Reading", "--text", metavar="COLUMN", help="Table: the text, by name or number."),
    option("Reading", "--drop", metavar="A,B,...", callback=as_names,
           help="Table: columns to leave out, as an id, by name or number."),
    option("Reading", "--header/--no-header", default=None, help="Table: line 1 has names.  [default: by its look]"),
    option("Reading", "--delimiter", metavar="CHAR", help="Table: what parts cells.  [default: by line 1]"),
    option("Reading", "--folders", "labels", metavar="A,B,...", callback=as_names,
           help="Mail: the folders that are labels.  [default: spam,ham, else where paths part]"),
    option("Reading", "--duplicates", type=click.Choice(["error", "sum", "last"]), metavar="HOW",
           help="svmlight, an index twice in a row: error, sum, last.  [default: error]"),
    option("Reading", "--bad", type=click.Choice(["error", "skip"]), metavar="HOW",
           help="Lines that cannot be read: error, or skip and count them.  [default: error]"),
])  # fmt: skip

learner_options = together([
    setting("Learner", "--rule", metavar="RULE",
            help=f"{', '.join(rule_classes())}; with parameters: margin:tau=2; your own: FILE.py:CLASS."),
    setting("Learner", "--keep", type=click.Choice(KEEPS), metavar="MEMORY",
            help=f"Which weights survive: {', '.join(KEEPS)}."),
    setting("Learner", "--optimizer", type=click.Choice(OPTIMIZERS), metavar="NAME",
            help=f"When steps are applied: {', '.join(OPTIMIZERS)}."),
    setting("Learner", "--multi-class", type=click.Choice(MULTI_CLASS), metavar="NAME",
            help=f"For more than two classes: {', '.join(MULTI_CLASS)}."),
    setting("Learner", "--eta", "eta0", type=Number(auto="auto"), help="Learning rate; auto: the rule's own."),
    setting("Learner", "--schedule", "learning_rate", type=click.Choice(SCHEDULES), metavar="NAME",
            help=f"How the rate falls: {', '.join(SCHEDULES)}."),
    setting("Learner", "--decay", type=Number(), help="How fast: eta/(1 + t*decay), or its root."),
    setting("Learner", "--l2", "alpha", type=Number(), help="Weights shrink by 1 - eta*l2 before each step."),
    setting("Learner", "--batch-size", type=Number(int), help="Rows a block of mini-batch."),
    setting("Learner", "--intercept/--no-intercept", "fit_intercept", help="Learn a bias, or go through the origin."),
    setting("Learner", "--positive", metavar="LABEL", help="The positive class of two; none: the last in order."),
    setting("Learner", "--class-weight", metavar="WEIGHTS",
            help="balanced, or LABEL=WEIGHT,...: multiplies the steps."),
    setting("Learner", "--counting", type=click.Choice(COUNTINGS), metavar="NAME",
            help="voted: survivals count from 0 or 1: notes, freund-schapire."),
    setting("Learner", "--check-every", type=Number(int), help="pocket: measure after each N updates as well."),
    setting("Learner", "--scoring", metavar="NAME",
            help="pocket, --validation: a scorer of scikit-learn, as balanced_accuracy; none: right answers."),
])  # fmt: skip

run_options = together([
    setting("Run", "--epochs", "max_iter", type=Number(int, 1, none=None), help="The most passes over the data."),
    setting("Run", "--max-updates", type=Number(int, 1, none=None), help="The most updates."),
    setting("Run", "--max-time", type=Number(float, 0, none=None), help="The most seconds of learning."),
    setting("Run", "--tol", type=Number(auto="auto", none=None),
            help="Stop when the mean loss falls by less than this; auto: the rule's own, perceptrons have none."),
    option("Run", "--validation", type=Share(file=True), metavar="SHARE|FILE",
           help="Learn from the other rows only, and stop when these get no better; the best epoch answers."),
    setting("Run", "--patience", "n_iter_no_change", type=Number(int),
            help="Epochs without progress, by --tol or --validation, before learning stops."),
    setting("Run", "--epsilon", type=Number(), help="batch: stop when the mean step is shorter."),
    setting("Run", "--stop-if-not-separable", is_flag=True,
            help="Ask after epochs 1, 2, 4 ... whether a separating hyperplane exists, and stop once it is proven that"
                 " there is none."),
    option("Run", "--order", metavar="ORDER", default="shuffled" if DEFAULTS["shuffle"] else "given",
           help="shuffled (anew each epoch), given, or a FILE of row numbers, from 1.  [default: shuffled]"),
    setting("Run", "--seed", "random_state", type=Number(int, 0), help="Of orders, folds, and rows set aside."),
])  # fmt: skip

features_options = together([
    option("Features", "--scale", metavar="SCALING", default="auto",
           help="none, or standard, idf, unit, unit:LENGTH joined by +; auto: idf+unit:2 for texts, none for numbers."
                " standard centres dense rows only, as of tables; svmlight is sparse.  [default: auto]"),
    option("Features", "--features", "values", type=click.Choice(["present", "count", "share"]), default="present",
           metavar="VALUES", help="What a word of a text counts: present, count, share.  [default: present]"),
    option("Features", "--min-documents", type=Number(int, 1), default=2,
           help="Words in fewer texts are left out.  [default: 2]"),
    option("Features", "--max-words", "max_size", type=Number(int, 1, none=None), default=None,
           help="The most words, the most frequent ones.  [default: none]"),
    option("Features", "--dictionary", type=click.Choice(["words", "hashed"]), default="words", metavar="KIND",
           help="words, learned from DATA, or hashed, which never grows.  [default: words]"),
    option("Features", "--bits", type=Number(int, 1), default=18, help="hashed: 2^bits columns.  [default: 18]"),
    option("Features", "--signed", is_flag=True, default=False, help="hashed: half of the words count negatively."),
    option("Features", "--precision", type=click.Choice(["float64", "float32"]), default="float64", metavar="DTYPE",
           help="Of the numbers made from texts: float64, float32.  [default: float64]"),
    option("Features", "--word-ngrams", type=Number(int, 1), default=1,
           help="Texts: runs of 1 to N words count as words.  [default: 1]"),
    option("Features", "--char-ngrams", metavar="A-B", default=None,
           help="Texts: also runs of A to B characters within words, as 3-5.  [default: none]"),
    option("Features", "--mail-fields", "fields", metavar="A,B,...", callback=as_fields,
           help=f"Mails, besides the body: names of headers, and of {', '.join(MAIL_MADE)}."
                f"  [default: {','.join(MAIL_FIELDS)}]"),
    option("Features", "--known-senders", metavar="FILE", default=None,
           help="Mails, field sender: an address, or @ and a domain, a line; they count as known, and so does who sent"
                " two of the mails. The model holds the addresses.  [default: none]"),
    option("Features", "--degree", type=Number(int, 1), default=1,
           help="Numbers: 2 adds the products of all columns, as they are after scaling.  [default: 1]"),
    option("Features", "--products", type=click.Choice(PRODUCTS), metavar="WHICH", default="all",
           help="--degree 2: all, squares (one column by itself), pairs (two by each other).  [default: all]"),
])  # fmt: skip
FEATURES = ("scale", "values", "min_documents", "max_size", "dictionary", "bits", "signed", "precision", "word_ngrams",
            "char_ngrams", "known_senders", "degree", "products")  # fmt: skip
"""Names of these, as in `features.pipeline.Options`, whose defaults they repeat: a test compares them."""

problem_options = together([
    setting("Problem", "--positive", metavar="LABEL",
            help="The class of one side; none: the last of two, and of more each against the rest."),
    option("Problem", "--only", metavar="A,B,...", callback=as_names,
           help="Only the rows with these labels.  [default: all]"),
    setting("Problem", "--intercept/--no-intercept", "fit_intercept",
            help="Hyperplanes with an offset, or through the origin."),
])  # fmt: skip

json_option = option("Output", "--json", "as_json", is_flag=True, help="Machine-readable: JSON on standard output.")


def reading(words: dict[str, Any]) -> dict[str, Any]:
    """The readers' options that were given."""
    return {name: words[name] for name in READING if words.get(name) is not None}


def in_shell(message: str, command: click.Command | None = None) -> str:
    """A message in the words of a command, else of the one at work: `max_iter=5` is `--epochs 5` in `train`."""
    if not isinstance(message, Message):
        return message
    context = click.get_current_context(silent=True)
    command = command or (context.command if context else None)
    options = {p.name: p for p in (command.params if command else ()) if isinstance(p, click.Option)}

    def word(name: str, shown: str | None) -> str:
        option = options.get(name)
        if option is None:
            return in_python(name, shown)
        if option.secondary_opts and shown in ("True", "False"):
            return (option.opts if shown == "True" else option.secondary_opts)[0]
        value = "none" if shown == "None" else "" if shown is None or option.is_flag else shown.strip("'\"")
        return f"{max(option.opts, key=len)} {value}".rstrip()

    return message.in_words(word)


def flag(name: str) -> str:
    """The option for a name of the Python API, for messages: "max_iter" → "--epochs"."""
    context = click.get_current_context(silent=True)
    for parameter in context.command.params if context else ():
        if parameter.name == name and isinstance(parameter, click.Option):
            return parameter.opts[0]
    return name
