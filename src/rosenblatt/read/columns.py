"""Which column of a table is the label, which is text, which are features, and whether line 1 is a header.

Column numbers count from 1, as in messages; −1 is the last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import DataError, SettingError, located, plain

LABEL_NAMES = ("label", "class", "target", "y")
TEXT_NAME = "text"
Column = str | int


NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
"""A cell or value that looks like a number."""


def checked(asked: Any) -> Any:
    """A reader's arguments: `label`, `text`, `labelled`, `expect`, `drop` and `header` as `Table` describes them.

    A reader without `header` has names for its columns.
    """
    if 0 in (asked.label, asked.text, *asked.drop):
        raise SettingError("column 0: numbers count from 1, and -1 is the last column")
    if isinstance(asked.expect, Sequence):
        asked.expect = list(asked.expect)
    vars(asked).setdefault("header", True)
    return asked


class Columns(NamedTuple):
    """What the columns mean. names: of all columns, or None without a header.

    width: cells in a row. label, text: positions from 0, or None. features: positions in the model's order.
    """

    names: list[str] | None
    width: int
    label: int | None
    text: int | None
    features: list[int]

    def called(self, position: int) -> str:
        return f"column {position + 1}" + (f" ({self.names[position]})" if self.names else "")

    def key(self, position: int | None) -> Column | None:
        """How a recipe names a column: by its name, or its number."""
        if position is None:
            return None
        return self.names[position] if self.names else position + 1

    def recipe(self, drop: Sequence[Column], **more: Any) -> dict[str, Any]:
        """What new data of a model need: the columns by their keys."""
        dropped = {"drop": list(drop)} if drop else {}
        return {"label": self.key(self.label), "text": self.key(self.text), **more, **dropped}


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def is_header(rows: list[list[str]], asked: Any) -> bool:
    """Whether the first of (at most two) rows holds names.

    It does if a cell is label, class, target or text (or a name that is asked for), or if none of its cells is a
    number while some cell of the second row is.
    """
    if asked.header != "auto":
        return bool(asked.header)
    known = {*LABEL_NAMES[:3], TEXT_NAME, asked.label, asked.text, *asked.drop}
    if isinstance(asked.expect, list):
        known.update(asked.expect)
    cells = [cell.strip() for cell in rows[0]]
    if any(cell in known or cell.lower() in known for cell in cells if not is_number(cell)):
        return True
    return not any(map(is_number, cells)) and len(rows) > 1 and any(map(is_number, rows[1]))


def choose(rows: list[list[str]], asked: Any, origin: str) -> Columns:
    """The meaning of the columns, from the first (at most two) rows. Raises DataError where it cannot be as asked."""
    names = _names(rows[0], origin) if is_header(rows, asked) else None
    count = len(rows[0])
    data = rows[1] if names and len(rows) > 1 else rows[0]
    text = _text(names, count, asked, origin)
    dropped = _dropped(names, count, asked, origin)
    label = _label(names, data, text, dropped, asked, origin)
    features: list[int] = []
    if text is None:
        features = _features(names, [p for p in range(count) if p != label and p not in dropped], asked, origin)
    return Columns(names, count, label, text, features)


def _names(cells: list[str], origin: str) -> list[str]:
    names = [cell.strip() or f"column {i}" for i, cell in enumerate(cells, 1)]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise located(origin, 1, f"found two columns called {twice!r}", "expected a name for each")
    return names


def _dropped(names: list[str] | None, count: int, asked: Any, origin: str) -> set[int]:
    """Where the columns are that are left out; new data of a model need not have them."""
    found = {column: _position(column, names, count) for column in asked.drop}
    missing = [column for column, position in found.items() if position is None]
    if missing and asked.expect is None:
        raise _missing(missing[0], names, count, origin)
    here = {position for position in found.values() if position is not None}
    return set() if isinstance(asked.expect, int) and count - len(here) < asked.expect else here


def _position(column: Column, names: list[str] | None, count: int) -> int | None:
    """Where a named or numbered column is; None where there is no such column."""
    if names and column in names:
        return names.index(str(column))
    try:
        number = int(column)
    except ValueError:
        return None
    if not 1 <= abs(number) <= count:
        return None
    return number - 1 if number > 0 else count + number


def _missing(column: Column, names: list[str] | None, count: int, origin: str) -> DataError:
    found = f"found the columns {_listed(names)}" if names else f"found {count} columns without names"
    return located(origin, 1, found, f"expected a column {column!r}")


def _listed(names: list[str]) -> str:
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _well_known(wanted: tuple[str, ...], names: list[str] | None) -> int | None:
    lower = [name.lower() for name in names or []]
    return next((lower.index(name) for name in wanted if name in lower), None)


def _text(names: list[str] | None, count: int, asked: Any, origin: str) -> int | None:
    if asked.expect is not None:
        return None
    if asked.text is None:
        return _well_known((TEXT_NAME,), names)
    if count == 1 and asked.labelled is not True and (names is None or asked.text in names):
        return 0
    found = _position(asked.text, names, count)
    if found is None:
        raise _missing(asked.text, names, count, origin)
    return found


def _label(
    names: list[str] | None, data: list[str], text: int | None, dropped: set[int], asked: Any, origin: str
) -> int | None:
    """The label's position; None where the file has none and need not have one."""
    count = len(names or data)
    if _leaves_no_label(names, count - len(dropped), text, asked):
        found = None
    elif asked.label is not None:
        found = _position(asked.label, names, count)
    else:
        found = _well_known(LABEL_NAMES, names)
        if found is None and (asked.labelled is True or isinstance(asked.expect, int)):
            found = _likely(data[:count], text, dropped)  # a row longer than the header is refused when it is read
    if found is None and asked.labelled is True:
        if asked.label is not None:
            raise _missing(asked.label, names, count, origin)
        raise located(origin, 1, f"found {count} columns", "expected one for the label ({label:s})", label="")
    if found is not None and found in dropped:
        raise located(origin, 1, "found the label among the columns to drop", "expected it to be kept")
    if found is not None and found == text:
        raise located(origin, 1, "found the label in the column of the text", "expected two columns")
    return found


def _leaves_no_label(names: list[str] | None, count: int, text: int | None, asked: Any) -> bool:
    """Whether there are just as many columns as features (or only the text), so that none can be the label."""
    if isinstance(asked.expect, int):
        return count == asked.expect
    if isinstance(asked.expect, list):
        return names is None and count == len(asked.expect)
    return text is not None and count == 1


def _likely(data: list[str], text: int | None, dropped: set[int]) -> int | None:
    others = [p for p in range(len(data)) if p != text and p not in dropped]
    if text is not None:
        return others[0] if len(others) == 1 else None
    words = [p for p in others if data[p].strip() and not is_number(data[p])]
    return words[0] if len(words) == 1 else others[-1] if others else None


def _features(names: list[str] | None, rest: list[int], asked: Any, origin: str) -> list[int]:
    expect = asked.expect
    if expect is None:
        if not rest:
            raise located(origin, 1, "found only the label", "expected at least one column of features")
        return rest
    if isinstance(expect, list) and names:
        here, known = {names[p]: p for p in rest}, set(expect)
        for name in expect:
            if name not in here:
                raise located(origin, 1, f"found no column {name!r}", "expected all features of the model")
        for name in here:
            if name not in known:
                raise located(origin, 1, f"found a column {name!r}", "expected only the features of the model")
        return [here[name] for name in expect]
    if isinstance(expect, list) and asked.header is not False:
        found = "found no header"
        raise located(
            origin, 1, found, f"expected the columns {plain(_listed(expect))} ({{header}}: in this order)", header=False
        )
    wanted = len(expect) if isinstance(expect, list) else expect
    if len(rest) != wanted:
        raise located(
            origin,
            1,
            f"found {len(rest)} columns of features",
            f"expected the model's {wanted}, with or without a label",
        )
    return rest
