"""What `rosenblatt demo` shows: a live table on a terminal, plain lines anywhere else, nothing for JSON."""

from __future__ import annotations

import contextlib
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from ...report.words import short, table
from ..output import write_lines

HEAD = ("learner", "errors", "mail lost", "spam through", "mistakes", "epochs", "seconds")
NARROW = 76
"""Columns below which only the counts on held-out mails are shown, and the words stand in one column."""
NARROW_HEAD = ("learner", "errors", "lost", "through")


class LearnerTable:
    """The numbers of the learners as they come: a line each, or, where there is a display of rich, all at once."""

    def __init__(self, view: View, names: Sequence[str], display: Any = None) -> None:
        self._view, self._display = view, display
        self._cells = [[name, *[""] * (len(HEAD) - 1)] for name in names]
        self._head = [HEAD[0].ljust(max(map(len, names))), *HEAD[1:]]
        if display is None:
            view.say_lines(table([self._head]))
        else:
            self._show()

    def status(self, number: int, what: str) -> None:
        """What is being done for a learner."""
        if self._display is not None:
            self._cells[number][1] = what
            self._show()

    def row(self, number: int, values: dict[str, Any]) -> None:
        """A learner's numbers, when it has learned."""
        self._cells[number] = cells(values)
        if self._display is not None:
            self._show()
        else:
            self._view.say_lines(table([self._head, self._cells[number]], right=range(1, len(HEAD)))[1:])

    def _show(self) -> None:
        from rich.table import Table

        narrow = self._view.width < NARROW
        grid = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0), header_style="bold")
        for place, name in enumerate(NARROW_HEAD if narrow else HEAD):
            grid.add_column(name, justify="right" if place else "left", no_wrap=True)
        for line in map(_narrow, self._cells) if narrow else self._cells:
            grid.add_row(*line)
        self._display.update(grid, refresh=True)


def _narrow(line: list[str]) -> list[str]:
    return [line[0].removesuffix(" perceptron").removesuffix(" unit"), *line[1:4]]


class View:
    """The pages before and after the table."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent
        self.live = not silent and sys.stdout is not None and sys.stdout.isatty()
        self.width = shutil.get_terminal_size().columns if self.live else 100

    def say(self, *paragraphs: str) -> None:
        """Paragraphs, each in lines that fit; an empty one is an empty line."""
        for text in paragraphs:
            self.say_lines(textwrap.wrap(text, max(20, min(self.width - 1, 100))) or [""])

    def say_lines(self, lines: Sequence[str]) -> None:
        if not self.silent:
            write_lines(lines)

    @contextlib.contextmanager
    def table(self, names: Sequence[str]) -> Iterator[LearnerTable]:
        if not self.live:
            yield LearnerTable(self, names)
            return
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(), auto_refresh=False) as display:
            yield LearnerTable(self, names, display)

    def opening(self, values: dict[str, Any]) -> None:
        classes = ", ".join(f"{count:,} {name}" for name, count in values["mails"].items())
        self.say(
            f"{sum(values['mails'].values()):,} real mails ({classes}): {values['train']:,} to learn from, "
            f"{values['held_out']:,} held out. The dictionary: {values['words']:,} words of the training mails.",
            "On held-out mails: errors, real mail lost (ham called spam), spam let through. To call all of them ham "
            f"would make {values['held_out_spam']} errors. On training mails: mistakes made "
            "while learning, and epochs.",
            "",
        )

    def closing(self, values: dict[str, Any]) -> None:
        """The rest, once everything is known."""
        kept, files = values["kept"], values["files"]
        self.say("", f"The strongest words of the {kept}:")
        self.say_lines(self._words(values["strongest_words"]))
        self._mail(values["explained"], kept)
        self.say("", f"Curves of mistakes per epoch: {files['picture']}", f"Model of the {kept}: {files['model']}")
        self.say("", "To go on:")
        self.say_lines([f"  {command}" for command in values["next"]])

    def _words(self, strongest: dict[str, list[dict[str, Any]]]) -> list[str]:
        columns = []
        for label, words in reversed(strongest.items()):
            lines = [["", f"{each['weight']:+.3f}", short(each["word"], 24)] for each in words]
            columns.append([f"  for {label}", *table(lines, right=(1,))])
        if self.width < NARROW:
            return [line for column in columns for line in column]
        return table(zip_longest(*columns, fillvalue=""))

    def _mail(self, why: dict[str, Any], kept: str) -> None:
        self.say(
            "",
            f"Why the {kept} calls a held-out mail {why['predicted']} (it is {why['label']}): "
            f'"{short(why["subject"], 60)}". A word adds its weight times its value; above 0 is spam.',
        )
        lines = [["", f"{each['contribution']:+.3f}", short(each["word"], 24)] for each in why["contributions"]]
        rest = why["rest"]
        lines.append(["", f"{rest['contribution']:+.3f}", f"({rest['words']:,} more words)"])
        lines.append(["", f"{why['intercept']:+.3f}", "(intercept)"])
        lines.append(["", f"{why['score']:+.3f}", "= score"])
        self.say_lines(table(lines, right=(1,)))


def cells(values: dict[str, Any]) -> list[str]:
    """A learner's row as text, in the order of HEAD."""
    counts = ("errors", "real_mail_lost", "spam_let_through", "mistakes", "epochs")
    return [values["learner"], *(f"{values[name]:,}" for name in counts), f"{values['seconds']:.3f}"]
