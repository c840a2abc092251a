"""How a command and an option are made: sections of the help, kinds of values, and settings as the shell says them."""

import inspect
import re
import shlex
import textwrap
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import reduce
from typing import Any

import click

from ..errors import Message, RosenblattError, in_python
from ..learn.others import OF_OTHERS
from ..parameters import Parameter, nearest
from .app import write_example

Decorator = Callable[[Any], Any]


class Command(click.Command):
    """A command whose help groups the options by section and ends with an example, as it stands."""

    def __init__(self, *args: Any, example: str = "", **words: Any) -> None:
        super().__init__(*args, **words)
        self.example = example

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """An option by its name in Python, or in another program, is answered with the one that is meant."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            name, _, value = OF_OTHERS.get(name, name).partition("=")
            meant = {str(p.name): max(p.opts, key=len) for p in self.params if isinstance(p, click.Option)}.get(name)
            if meant is not None:
                near = " ".join(filter(None, [meant, value.strip("'")]))
                raise click.UsageError(f"{error.message} Did you mean {near!r}?", ctx) from None
            raise

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


def command(cls: type[Command] = Command, **arguments: str) -> Decorator:
    """A command of the function's name; its docstring is the help, and ends with `Example:` and indented lines.

    arguments: of the function → what the help calls them, in order. `DATA...` takes several, see `read.several`;
    `[PATH]` and `[PATH]...` take words as they are, or none.
    """

    def decorate(function: Any) -> Any:
        text, _, example = inspect.cleandoc(function.__doc__).partition("\n\nExample:\n")
        for name, metavar in reversed(arguments.items()):
            many: dict[str, Any] = {"nargs": -1} if metavar.endswith("...") else {}
            if metavar.startswith("["):
                many["required"] = False
            elif many:
                many |= {"required": True, "callback": as_data}
            function = click.argument(name, metavar=metavar, **many)(function)
        return click.command(cls=cls, help=text, example=textwrap.dedent(example))(function)

    return decorate


class Option(click.Option):
    """An option in a section of the help. before: what it was called in an earlier version, still understood."""

    def __init__(self, *args: Any, section: str, before: str = "", **words: Any) -> None:
        super().__init__(*args, **words)
        self.section, self.before = section, before

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        own, self.opts = self.opts, [*self.opts, *([f"--{self.before}"] if self.before else [])]
        super().add_to_parser(parser, ctx)
        self.opts = own


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


class Choice(click.Choice[str]):
    """One of some words. members: each may have parameters, as `pocket:every=10`; whose they are checks them."""

    def __init__(self, choices: Iterable[str], members: bool = False) -> None:
        super().__init__(list(choices))
        self.members = members

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name = value.partition(":")[0] if self.members and isinstance(value, str) else value
        if isinstance(name, str) and name not in self.choices and (near := nearest(name, self.choices)):
            self.fail(f"{name!r} is not one of {', '.join(self.choices)}; did you mean {near}?", param, ctx)
        chosen = super().convert(name, param, ctx)
        return value if self.members else chosen


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
        return share


class OrNone(click.ParamType):
    """What another type takes, without one any text; or none, where nothing is said."""

    name = "text"

    def __init__(self, inner: click.ParamType | None) -> None:
        self.inner, self.words = inner, {"none": None}

    def get_metavar(self, param: click.Parameter, ctx: Any = None) -> str | None:
        return None if self.inner is None else self.inner.get_metavar(param, ctx)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "none":
            return None
        return value if self.inner is None else self.inner.convert(value, param, ctx)


def option(section: str, *names: str, **words: Any) -> Decorator:
    return click.option(*names, cls=Option, section=section, **words)


def switch(section: str, name: str, help: str) -> Decorator:
    """An option without a value, off unless it is there."""
    return option(section, name, is_flag=True, help=help)


json_option = option("Output", "--json", "as_json", is_flag=True, help="Machine-readable: JSON on standard output.")


def option_of(entry: Parameter) -> Decorator:
    """The option of an entry of the table: type, default, what stands for the value, and help. Those of reading have no
    default here: what is not given is left to the reader of the format.
    """
    from ..read import reading_table  # not above: one mail is judged without numpy

    shown = _shown(entry) if entry.shown is None else entry.shown
    own = _type(entry)
    if entry.default is None and "none" not in (own.choices if entry.choices else getattr(own, "words", ())):
        own = OrNone(own) if shown == "none" or "none" in entry.words else own
    settings = {"type": own, "metavar": entry.metavar, "callback": _callback(entry)}
    if entry.kind is bool:
        settings = {} if "/" in entry.options else {"is_flag": True}
    text = entry.help.replace("{choices}", ", ".join(map(str, entry.choices)))
    settings["help"] = text + (f"  [default: {shown}]" if shown else "")
    default = None if entry.name in reading_table() else entry.default
    if entry.metavar == "SHARE|FILE":
        settings |= {"multiple": True, "callback": as_data}
    return option(entry.section, entry.options, entry.name, default=default, **settings)


def _type(entry: Parameter) -> Any:
    if entry.metavar in ("SHARE", "SHARE|FILE"):
        return Share(file=entry.metavar != "SHARE")
    if entry.choices:
        return Choice([*entry.words, *map(str, entry.choices)], entry.members)
    if entry.kind in (int, float):
        return Number(entry.kind, entry.least if entry.early else None, **entry.words)
    return None


def _callback(entry: Parameter) -> Any:
    from ..read.parameters import FIELDS, LABEL_RULES

    if entry.kind is list:
        return {FIELDS.name: as_fields, LABEL_RULES.name: as_rules}.get(entry.name, as_names)

    def chosen(ctx: click.Context, param: click.Parameter, text: str | None) -> Any:
        """What one of the choices stands for."""
        return entry.words.get(text or "") if text is None or text in entry.words else entry.kind(text)

    return chosen if entry.choices and (entry.kind is int or entry.words) else None


def _shown(entry: Parameter) -> str:
    if entry.kind is list:
        return ",".join(entry.default or ())
    if isinstance(entry.default, float):
        return f"{entry.default:g}"
    return {"None": "none", "True": "yes", "False": "no"}.get(str(entry.default), str(entry.default))


def together(options: Iterable[Decorator]) -> Decorator:
    """All of them, in this order in the help."""
    last_first = list(options)[::-1]
    return lambda function: reduce(lambda made, each: each(made), last_first, function)


def as_data(ctx: click.Context, param: click.Parameter, words: tuple[Any, ...]) -> Any:
    """Data in words: `a.svm b.svm`, `spam=junk.mbox ham=cur`. A share of the rows stands alone."""
    if len(words) > 1 and not all(isinstance(word, str) for word in words):
        raise click.BadParameter("a share of the rows stands alone; files may be several.", ctx, param)
    from ..read.several import from_words

    return None if not words else from_words(words) if isinstance(words[0], str) else words[0]


def as_names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else value.split(",")


def as_numbers(ctx: click.Context, param: click.Parameter, text: str | None) -> list[float]:
    try:
        return [float(part) for part in (text or "").split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not numbers with commas between them.", ctx, param) from None


def as_members(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else split_names(value)


def split_names(text: str) -> list[str]:
    """`"margin:tau=2,logistic"` → `["margin:tau=2", "logistic"]`; a comma before `name=` is inside a rule."""
    names = re.split(r",(?![^,:]*=)", re.sub(r"\s*,\s*", ",", text.strip()))
    return [name for name in names if name]


def as_rules(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    """`ham=Inbox,"Work, urgent"`: what stands in quotes keeps its commas."""
    rules = re.findall(r'(?:[^,"]|"[^"]*"?)+', value or "")
    return None if value is None else [rule.replace('"', "") for rule in rules]


def as_fields(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    from ..mailtext.fields import checked

    return None if value is None else checked(value.split(","))


def given(words: dict[str, Any]) -> set[str]:
    """Names of the options that stand on the command line."""
    source = click.get_current_context().get_parameter_source
    return {name for name in words if source(name) is click.core.ParameterSource.COMMANDLINE}


def as_written(names: Iterable[str]) -> list[str]:
    """The options of these names that stand on the command line, to be written again: `--header`, `--scale unit:2`."""
    context, out = click.get_current_context(), list[str]()
    options, there = {p.name: p for p in context.command.params}, given(context.params)
    for name in filter(there.__contains__, names):
        option, value = options[name], context.params[name]
        if isinstance(value, bool):
            out.append((option.opts if value else option.secondary_opts)[0])
        else:
            text = ",".join(value) if isinstance(value, list) else str(value)
            out += [max(option.opts, key=len), shlex.quote(text)]
    return out


def in_shell(message: str, command: click.Command | None = None) -> str:
    """A message in the words of a command, else of the one at work: `max_iter=5` is `--epochs 5` in `train`."""
    if not isinstance(message, Message):
        return message
    options = _options(command)

    def word(name: str, shown: str | None) -> str:
        option = options.get(name)
        text = "" if shown is None else shown.strip("'\"")
        if option is None:  # a setting of a learner that this command has no option for
            plain = shown is None or not options
            return in_python(name, shown) if plain else f"{name} {text}"
        if option.secondary_opts and shown in ("True", "False"):
            return (option.opts if shown == "True" else option.secondary_opts)[0]
        value = "none" if shown == "None" else "" if option.is_flag else text
        return f"{max(option.opts, key=len)} {value}".rstrip()

    said = message.in_words(word)
    for name in message.settings:
        words = getattr(getattr(options.get(name), "type", None), "words", {})
        for text, value in words.items():  # `must be None, "auto" or a number`
            said = said.replace("None" if value is None else f'"{value}"', text)
    return said


def flag(name: str) -> str:
    """The option for a name of the Python API, for messages: "max_iter" → "--epochs"."""
    option = _options().get(name)
    return option.opts[0] if option else name


def _options(command: click.Command | None = None) -> dict[str, click.Option]:
    """The options of a command, else of the one at work, by their names in Python."""
    context = click.get_current_context(silent=True)
    command = command or (context.command if context else None)
    return {str(p.name): p for p in (command.params if command else ()) if isinstance(p, click.Option)}
