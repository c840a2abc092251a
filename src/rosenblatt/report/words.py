"""Numbers, names and lists as people read them: what all texts of the program share."""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import plural as plural  # as used below this room, too
from ..errors import short as short

STEERING = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != ord("\t")}
"""Control characters, which a terminal would obey, as they are shown."""


def printable(text: str) -> str:
    """One line, in which nothing that comes from a file can steer the terminal."""
    return text.translate(STEERING)


def listed(names: Sequence[Any], most: int, rest: str = " and {:,} more") -> str:
    """The first names, and how many more there are: `a, b and 3 more`. rest: how that is said."""
    more = len(names) - most
    return ", ".join(map(str, names[:most])) + (rest.format(more) if more > 0 else "")


def class_counts(class_rows: Mapping[str, int], most: int, rest: str = " and {:,} more classes") -> str:
    """`ham: 700, spam: 300`; the first `most` classes, and how many more there are."""
    return listed([f"{label}: {count:,}" for label, count in class_rows.items()], most, rest)


def dimensions(rows: int, columns: int) -> str:
    """`150 rows, 4 columns`."""
    return f"{plural(rows, 'row')}, {plural(columns, 'column')}"


def hyperplanes(fit_intercept: bool, kernel: str | None = None) -> str:
    """Which hyperplanes are meant, and in which kernel's space."""
    which = "with an offset" if fit_intercept else "through the origin"
    return which if kernel is None else f"{which}, in the space of {kernel}"


def hyperplane(fit_intercept: bool, columns: int = 0, many: bool = False) -> str:
    """`line`, `hyperplanes through the origin`: of a problem of so many columns (0: whatever their number)."""
    name = {1: "threshold", 2: "line", 3: "plane"}.get(columns, "hyperplane") + "s" * many
    return name if fit_intercept else f"{name} at 0" if columns == 1 else f"{name} through the origin"


def digits(number: int) -> int:
    """How many it has; of the longest, which `str` refuses, too."""
    most = int(number.bit_length() * 0.30103) + 1
    return most - (most > 1 and 10 ** (most - 1) > number)


def size_of(number: int) -> str:
    """`4`, or of a long one `a number of 63 digits`."""
    return f"{number:,}" if digits(number) <= 12 else f"a number of {digits(number):,} digits"


def large(number: float, form: str = ".3g") -> str:
    """`3.95e+35`; what float64 cannot hold is 1e308 or more."""
    return f"{number:{form}}" if number < math.inf else "1e308 or more"


def series(values: Sequence[Any], most: int = 10) -> str:
    """All of a short history, else the first six and the last three; counts whole, other numbers to four digits."""
    shown = [f"{x:.4f}" if isinstance(x, float) else "-" if x is None else f"{x:,}" for x in values]
    return " ".join(shown if len(shown) <= most else [*shown[:6], "...", *shown[-3:]])


def table(rows: Iterable[Iterable[str]], right: Iterable[int] = (), gap: int = 2) -> list[str]:
    """Cells in columns `gap` blanks apart; the columns numbered in `right` end together."""
    cells = [list(row) for row in rows]
    ends = set(right)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = [str.rjust if column in ends else str.ljust for column in range(len(widths))]
    blank = " " * gap
    return [
        blank.join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip()
        for row in cells
    ]


def wrapped(text: str, width: int, first: str = "", then: str = "  ") -> list[str]:
    """Lines of at most `width` letters, in which no name or number is broken. first, then: how lines begin."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    )


def as_options(words: Mapping[str, Any]) -> str:
    """Words of a recipe as options of the shell, to be copied behind `rosenblatt train`:
    `{"max_iter": None, "keep": "averaged"}` → `--epochs none --keep averaged`."""
    from ..recipe.table import recipe_table  # loads numpy, which `--help` can do without

    table = recipe_table()

    def one(name: str, value: Any) -> str:
        option = table[name].options
        if "/" in option:  # --intercept/--no-intercept
            return option.split("/")[not value]
        return f"{option} {'none' if value is None else value}"

    return " ".join(one(name, value) for name, value in words.items())
