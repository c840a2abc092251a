"""The table of commands, loaded when they are called, and what an error becomes: one line and an exit code."""

import importlib
import os
import sys
import warnings
from typing import Any

import click

from .. import __version__
from ..errors import DataError, RosenblattError
from .output import NAMES, note, notes, silence, write

COMMANDS = {
    "demo": "Learn to tell spam from real mail, live.",
    "train": "Learn a model from labelled data.",
    "trace": "Learn, and record each update to a file.",
    "replay": "Say what a recorded run was, and check it.",
    "predict": "Label data with a model.",
    "evaluate": "Count a model's mistakes on labelled data.",
    "threshold": "Choose the score that parts two classes, by cost or limit.",
    "compare": "Try all learners on the same data, and say which to pick.",
    "explain": "Say why a model scores rows as it does.",
    "inspect": "Show what a model has learned, and how.",
    "doctor": "Say why a learner does not converge, and what helps.",
    "separable": "Prove that a hyperplane parts two classes, or that none does.",
    "verify": "Check a proof that was saved, without what found it.",
    "margin": "Find the widest margin between two classes, with bounds.",
    "bound": "Hold a run against what the theorems allow.",
    "optimum": "Find the fewest errors that any hyperplane makes.",
    "experts": "Predict from the advice of experts, or of learners on a stream.",
    "mail": "Tell spam from real mail as it comes, and learn from what people say.",
    "convert": "Write data in another format, or texts as numbers.",
    "shuffle": "Put the rows of a file in a random order.",
    "split": "Split data into parts, as for training and test.",
    "head": "Show the first rows of data as they are read.",
    "summary": "Say what is in data: classes, ranges, duplicates.",
    "warm": "Compile ahead of time what the first runs would compile.",
}
"""name → what it does; the command is the function of that name in the file, or the folder, of that name."""

EXIT_CODES = {
    0: "done",
    1: "replay: a field of the file is another than in the run",
    2: "the command line or a setting is wrong",
    3: "the data cannot be read or learned from",
    4: "the model file, or that of a run, is damaged, foreign or newer",
    5: "the output cannot be written",
    6: "replay: the run is the same to 1e-9, not bit for bit",
    70: "an error inside rosenblatt",
    130: "stopped by Ctrl-C",
    141: "the reader of the output went away",
    143: "stopped by SIGTERM",
}

EXAMPLE = """\
rosenblatt train mails/ -o spam.model
rosenblatt predict spam.model new-mails/ --ids"""


class Group(click.Group):
    """Knows its commands' names without loading them. table: name → what it does. room: the package that has them, each
    in a file or folder of its name."""

    def __init__(self, *args: Any, table: dict[str, str], room: str, example: str, **words: Any) -> None:
        super().__init__(*args, **words)
        self.table, self.room, self.example = table, room, example

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        name = cmd_name.replace("-", "_")
        return getattr(importlib.import_module(f"{self.room}.{name}"), name)  # type: ignore[no-any-return]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            names = ", ".join(self.table)
            raise click.UsageError(f"there is no command {args[0]!r}; the commands are {names}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_example(formatter, self.example)


class App(Group):
    """`rosenblatt`."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in EXIT_CODES.items()])
        super().format_epilog(ctx, formatter)

    def main(  # type: ignore[override]
        self, args: Any = None, prog_name: str | None = None, **extra: Any
    ) -> None:
        """Run and leave with the exit code; every error is told in one line on standard error."""
        sys.exit(_guarded(self, list(sys.argv[1:] if args is None else args), prog_name or "rosenblatt"))


def write_example(formatter: click.HelpFormatter, example: str) -> None:
    """The end of each help text, as it stands: a command is copied, not wrapped."""
    with formatter.section("Example"):
        formatter.write("".join(f"  {line}\n" for line in example.splitlines()))


def _guarded(group: App, args: list[str], name: str) -> int:
    debug = bool(os.environ.get("ROSENBLATT_DEBUG"))
    for stream, errors in ((sys.stdout, NAMES), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)
    with warnings.catch_warnings():
        if not debug:
            warnings.simplefilter("ignore")
        try:
            with group.make_context(name, args) as context:
                group.invoke(context)
            write("")
            return 0
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (KeyboardInterrupt, click.Abort):
            note("\nstopped by Ctrl-C")
            return 130
        except BrokenPipeError:
            silence()
            return 141
        except RosenblattError as error:
            notes(getattr(error, "notes", {}))
            note(f"Error: {error}")
            return error.exit_code
        except MemoryError as error:
            why = f" ({error})" if str(error) else ""
            note(
                f"Error: there is not enough memory for that{why}; is a column's index mistyped, or are rows too many?"
            )
            return getattr(error, "exit_code", DataError.exit_code)
        except Exception as error:
            if debug:
                raise
            text = " ".join(f"{type(error).__name__}: {error}".split())
            note(f"internal error: {text[:300]}; run with ROSENBLATT_DEBUG=1 for the traceback")
            return 70


@click.group(
    name="rosenblatt",
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"]},
    table=COMMANDS,
    room=__package__,
    example=EXAMPLE,
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def app() -> None:
    """The perceptron family: learn linear classifiers from numbers, text and mail.

    Data are svmlight or CSV files, text lines (label, TAB, text), or folders and tars of mails; plain or compressed;
    "-" is standard input. `rosenblatt COMMAND --help` says more.
    """
