"""Options that commands share, in sections, made from the table of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import click

from ..errors import Message, RosenblattError, in_python
from ..features import parameters as features
from ..learn.table import learner_table
from ..parameters import Parameter, ordered
from ..read import reading_table
from ..read.parameters import FIELDS
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


class Member(click.Choice[str]):
    """A choice that may have parameters of its own, as `pocket:every=10`; whose they are checks them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        super().convert(value.partition(":")[0] if isinstance(value, str) else value, param, ctx)
        return value


class Share(click.ParamType):
    """A share as `0.1%` or `0.001`; with `file`, what is no number is the path of a file, and 0 is no share."""

    name = "share"

    def __init__(self, file: bool = False) -> None:
        self.file = file

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            share = float(value.removesuffix("%"))
            if value.endswith("%"):
                share = float(Decimal(value.removesuffix("%")) / 100)  # .7/100 is below .007 in floats: 6 of 1,000
        except (ValueError, ArithmeticError):
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


def option_of(entry: Parameter, **words: Any) -> Decorator:
    """The option of an entry of the table: type, default, what stands for the value, and help. words: what is another
    in this command. Those of reading have no default here: what is not given is left to the reader of the format.
    """
    settings = {"type": _type(entry), "metavar": entry.metavar, "callback": _callback(entry), **words}
    if entry.kind is bool:
        settings = {**({} if "/" in entry.options else {"is_flag": True}), **words}
    of_reader = entry.name in READING
    shown = _shown(entry) if entry.shown is None else entry.shown
    text = words.get("help", entry.help.replace("{choices}", ", ".join(map(str, entry.choices))))
    settings["help"] = text + (f"  [default: {shown}]" if shown else "")
    return option(entry.section, entry.options, entry.name, default=None if of_reader else entry.default, **settings)


def _type(entry: Parameter) -> Any:
    if entry.choices:
        return (Member if entry.members else click.Choice)([*entry.words, *map(str, entry.choices)])
    if entry.kind in (int, float):
        return Number(entry.kind, entry.least if entry.early else None, **entry.words)
    return None


def _callback(entry: Parameter) -> Any:
    if entry is FIELDS:
        return as_fields
    if entry.kind is list:
        return as_names
    if entry.choices and (entry.kind is int or entry.words):
        return lambda ctx, param, value: as_value(entry, value)
    return None


def as_value(entry: Parameter, text: str | None) -> Any:
    """What one of the choices stands for."""
    if text is None or text in entry.words:
        return entry.words.get(text or "")
    return entry.kind(text)


def _shown(entry: Parameter) -> str:
    if entry.kind is list:
        return ",".join(entry.default or ())
    if isinstance(entry.default, float):
        return f"{entry.default:g}"
    return {"None": "none", "True": "yes", "False": "no"}.get(str(entry.default), str(entry.default))


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
    from ..mailtext.fields import checked

    return None if value is None else checked(value.split(","))


READING = tuple(reading_table())
"""Names of the options that go to the readers; those not given are the format's own defaults."""
FEATURES = tuple(entry.name for entry in features.FEATURES)
"""Names of those that go to `features.pipeline.Options`."""
TABLE = {**learner_table(), **{entry.name: entry for entry in features.FEATURES}, **reading_table()}
IN_HELP = {"multi_class": "optimizer", "positive": "fit_intercept", "class_weight": "positive"}
"""Entries that stand behind others in the help than in the documentation."""


def section_of(name: str, entries: Iterable[Parameter]) -> list[Parameter]:
    """The entries of a section of the help, in its order."""
    own = [entry for entry in entries if entry.section == name]
    moved = [entry._replace(after=IN_HELP[entry.name]) for entry in own if entry.name in IN_HELP]
    first = [entry for entry in own if entry.name not in IN_HELP]
    return list(ordered(first, sorted(moved, key=lambda entry: list(IN_HELP).index(entry.name))).values())


def options_of(name: str, entries: Iterable[Parameter], **behind: Decorator) -> Decorator:
    """The options of a section. behind: others, each by the name of the entry behind which it stands."""
    made = [[option_of(entry), *filter(None, [behind.get(entry.name)])] for entry in section_of(name, entries)]
    return together([each for pair in made for each in pair])


reading_options = options_of("Reading", reading_table().values())
learner_options = options_of("Learner", learner_table().values())
run_options = options_of(
    "Run",
    learner_table().values(),
    tol=option("Run", "--validation", type=Share(file=True), metavar="SHARE|FILE",
               help="Learn from the other rows only, and stop when these get no better; the best epoch answers."),
    stop_if_not_separable=option(
        "Run", "--order", metavar="ORDER", default="shuffled" if learner_table()["shuffle"].default else "given",
        help="shuffled (anew each epoch), given, or a FILE of row numbers, from 1.  [default: shuffled]"),
)  # fmt: skip
features_options = options_of("Features", ordered(features.FEATURES, [FIELDS]).values())
probability_options = options_of("Probabilities", learner_table().values())

_POSITIVE = "The class of one side; none: the last of two, and of more each against the rest."
_INTERCEPT = "Hyperplanes with an offset, or through the origin."
problem_options = together([
    option_of(TABLE["positive"]._replace(section="Problem", help=_POSITIVE)),
    option("Problem", "--only", metavar="A,B,...", callback=as_names,
           help="Only the rows with these labels.  [default: all]"),
    option_of(TABLE["fit_intercept"]._replace(section="Problem", help=_INTERCEPT)),
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
