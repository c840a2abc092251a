"""Which column of a table is the label, which is text, which are features, and whether line 1 is a header.

Column numbers count from 1, as in messages; −1 is the last.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..data.checks import name_twice
from ..errors import DataError, Message, SettingError, located, plain, plural

LABEL_NAMES = ("label", "class", "target", "y")
TEXT_NAME = "text"
Column = str | int


NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
"""A cell or value that looks like a number."""
DECIMAL_COMMA = re.compile(r"[-+]?[\d.]*,\d+")
"""A cell that is no number here, but elsewhere."""


def checked(asked: Any) -> Any:
    """A reader's arguments: `label`, `text`, `labelled`, `expect`, `learned`, `drop` and `header` as of `Table`.

    A reader without `header` has names for its columns.
    """
    if 0 in (asked.label, asked.text, *asked.drop):
        raise SettingError("column 0: numbers count from 1, and -1 is the last column")
    if isinstance(asked.expect, Sequence):
        asked.expect = list(asked.expect)
    vars(asked).setdefault("header", True)
    return asked


def _position(column: Column, names: list[str] | None, count: int) -> int | None:
    """Where a named or numbered column of so many is; None where there is no such column."""
    if names and column in names:
        return names.index(str(column))
    try:
        number = int(column)
    except ValueError:
        return None
    if not 1 <= abs(number) <= count:
        return None
    return number - 1 if number > 0 else count + number


class Columns(NamedTuple):
    """What the columns mean. names: of all columns, or None without a header.

    width: cells in a row. label, text: positions from 0, or None. features: positions in the model's order. dropped:
    those that were asked to be left out. guessed: by what the label was guessed, where nobody said it: its name, if
    that is not `label`, or its look, if that is a number; "" where it is sure.
    """

    names: list[str] | None
    width: int
    label: int | None
    text: int | None
    features: list[int]
    dropped: tuple[int, ...] = ()
    guessed: str = ""

    def called(self, position: int) -> str:
        return f"column {position + 1}" + (f" ({self.names[position]})" if self.names else "")

    def key(self, position: int | None) -> Column | None:
        """How a recipe names a column: by its name, or its number."""
        if position is None:
            return None
        return self.names[position] if self.names else position + 1

    @property
    def kind(self) -> str:
        """What they hold together, as of a source."""
        return "rows" if self.text is None else "documents"

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the features in the order of the rows' columns; None without a header, and of texts."""
        return [self.names[p] for p in self.features] if self.names and self.text is None else None

    def ignored(self) -> tuple[str, int]:
        """What a note says of columns that are not used, and how many they are."""
        used = {self.label, self.text, *self.features}
        unused = [p for p in range(self.width) if p not in used]
        said = [self.names[p] if self.names else str(p + 1) for p in unused[:SHOWN]] + ["…"] * (len(unused) > SHOWN)
        return f"columns ignored ({', '.join(said)})", len(unused)

    def guess(self) -> str:
        """What a note says of a label that was guessed, whose number follows."""
        named = f", {self.names[self.label]!r}" if self.names and self.label is not None else ""
        return f"label by its {self.guessed}{named} (--label NAME for another), column"

    def numbers(self, asked: Any, expected: str, **settings: Any) -> Message:
        """That numbers are expected of a feature, and what was taken for the label, where nobody said it."""
        settings["drop"], taken = "", ""
        if self.label is not None and asked.label is None:
            settings["label"], taken = "", f"; the label is {plain(self.called(self.label))}, {{label:s}} says another"
        return Message(f"expected {expected}{{drop:s}} leaves a column out{taken})", **settings)

    def recipe(self, **more: Any) -> dict[str, Any]:
        """What new data of a model need: the columns by their keys."""
        dropped = {"drop": [self.key(p) for p in self.dropped]} if self.dropped else {}
        return {"label": self.key(self.label), "text": self.key(self.text), **more, **dropped}


MISSING = ("", "?", "na", "n/a", "nan", "null", "none", "-")
"""Cells, in lower case, that stand for a value that is not known."""
SHOWN = 5
"""Ignored columns that a note names."""


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell and cell.isascii()  # Python also takes other scripts' digits, which no other reader does


def is_header(rows: list[list[str]], asked: Any) -> bool:
    """Whether the first of some rows holds names.

    It does if a cell is label, class, target or text (or a name that is asked for), or if none of its cells is a
    number while some cell of the second row is, or the labels that are asked for by position recur but for the first.
    """
    if asked.header != "auto":
        return bool(asked.header)
    known = {*LABEL_NAMES[:3], TEXT_NAME, asked.label, asked.text, *asked.drop}
    if isinstance(asked.expect, list):
        known.update(asked.expect)
    cells = [cell.strip() for cell in rows[0]]
    if any(cell in known or cell.lower() in known for cell in cells if not is_number(cell)):
        return True
    if any(map(is_number, cells)) or len(rows) < 2:
        return False
    return any(is_number(cell) or DECIMAL_COMMA.fullmatch(cell) for cell in rows[1]) or _begins_apart(rows, asked.label)


def _begins_apart(rows: list[list[str]], label: Column | None) -> bool:
    """Whether the first label is not among the others, which recur."""
    p = None if label is None else _position(label, None, len(rows[0]))
    if p is None:
        return False
    first, *others = [row[p].strip() for row in rows if len(row) > p]
    return first not in others and len(set(others)) < len(others)


def choose(rows: list[list[str]], asked: Any, origin: str) -> Columns:
    """The meaning of the columns, from the first rows. Raises DataError where it cannot be as asked."""
    return _Choice(rows, asked, origin).columns()


class _Choice:
    """How the columns of one table are chosen. names: None without a header. data: a row that is no header."""

    def __init__(self, rows: list[list[str]], asked: Any, origin: str) -> None:
        self.asked, self.origin, self.count = asked, origin, len(rows[0])
        if rows[0][0].lower().startswith("sep="):
            found = f"found Excel's line {''.join(rows[0])!r}"
            raise self._wrong(found, "expected the columns; take that line away ({delimiter:s} says it)", delimiter="")
        header = is_header(rows, asked)
        by_number = isinstance(asked.expect, int) or (asked.expect is None and isinstance(asked.text, int))
        if header and asked.header == "auto" and asked.learned and by_number:
            found = f"found a header ({plain(listed([cell.strip() for cell in rows[0]][:SHOWN]))})"
            wanted = "expected none, as the model knows its columns by number ({header} where line 1 has names)"
            raise self._wrong(found, wanted, header=True)
        self.names = self._names(rows[0]) if header else None
        self.data = rows[1] if self.names and len(rows) > 1 else rows[0]
        self.below = rows[1:]

    def columns(self) -> Columns:
        self.text = self._text()
        self.dropped = self._dropped()
        asked = tuple(sorted(self.dropped))
        self.dropped |= self._index()
        self.guessed = ""
        label = self._label()
        features: list[int] = []
        if self.text is None:
            features = self._features([p for p in range(self.count) if p != label and p not in self.dropped])
        return Columns(self.names, self.count, label, self.text, features, asked, self.guessed)

    def _index(self) -> set[int]:
        """The first column, where it numbers the rows, as pandas writes it: without a name, all different; and those
        that the file itself calls an index."""
        used = {self.asked.label, self.asked.text, *(self.asked.expect if isinstance(self.asked.expect, list) else ())}
        if index := {*getattr(self.asked, "index", ())} - used:
            return {p for p, name in enumerate(self.names or ()) if name in index}
        if self.names is None or not self.unnamed or self.asked.label in (1, "1", 1 - self.count):
            return set()
        cells = [row[0].strip() for row in self.below if row]
        return {0} if all(cell.isdecimal() for cell in cells) and len(set(cells)) == len(cells) else set()

    def _wrong(self, found: str, expected: str, **settings: Any) -> DataError:
        return located(self.origin, 1, found, expected, **settings)

    def _names(self, cells: list[str]) -> list[str]:
        self.unnamed = not cells[0].strip()
        names = [cell.strip() or f"column {i}" for i, cell in enumerate(cells, 1)]
        if (name := name_twice(names)) is not None:
            raise self._wrong(f"found two columns called {name!r}", "expected a name for each")
        return names

    def _position(self, column: Column) -> int | None:
        return _position(column, self.names, self.count)

    def _missing(self, column: Column) -> DataError:
        there = f"the columns {listed(self.names)}" if self.names else f"{plural(self.count, 'column')} without names"
        return self._wrong(f"found {there}", f"expected a column {column!r}")

    def _well_known(self, *wanted: str) -> int | None:
        lower = [name.lower() for name in self.names or []]
        return next((lower.index(name) for name in wanted if name in lower), None)

    def _by_name(self) -> int | None:
        """The column of a usual name. `y` may be one of the coordinates x, y: then, before a column of words, and
        between others it is none. A feature of the model is none either."""
        learned = self.asked.expect if isinstance(self.asked.expect, list) else None
        places = [place for place in map(self._well_known, LABEL_NAMES) if place is not None]
        places = [place for place in places if not learned or not self.names or self.names[place] not in learned]
        label = places[0] if places else None
        first, *others = [p for p in range(self.count) if p not in self.dropped] or [0]
        sure = learned or label in (None, *others[-1:]) or label != self._well_known(LABEL_NAMES[3])
        if sure or self.text is not None:
            return label
        cells = [self.data[p].strip() for p in others if p < len(self.data)]
        words = any(cell.lower() not in MISSING and not is_number(cell) for cell in cells)
        beside_x = len(others) > 1 and self._well_known("x") is not None
        return None if label != first or words or beside_x else label

    def _dropped(self) -> set[int]:
        """Where the columns are that are left out; new data of a model need not have them."""
        positions = {column: self._position(column) for column in as_names(self.asked.drop, self.names or [])}
        missing = [column for column, position in positions.items() if position is None]
        if missing and self.asked.expect is None and not self.asked.learned:
            raise self._missing(missing[0])
        here = {position for position in positions.values() if position is not None}
        expect = self.asked.expect
        return set() if isinstance(expect, int) and self.count - len(here) < expect else here

    def _text(self) -> int | None:
        asked = self.asked
        if asked.expect is not None:
            return None
        if asked.text is None:
            return self._well_known(TEXT_NAME)
        if self.count == 1 and asked.labelled is not True and (self.names is None or asked.text in self.names):
            return 0
        position = self._position(asked.text)
        if position is None:
            raise self._missing(asked.text)
        return position

    def _label(self) -> int | None:
        """The label's position; None where the file has none and need not have one."""
        asked = self.asked
        if self._leaves_no_label():
            label = None
        elif asked.label is not None:
            label = self._position(asked.label)
        else:
            label = self._by_name()
            sure = label is None or asked.expect is not None or self._well_known(LABEL_NAMES[0]) is not None
            self.guessed = "" if sure else "name"
            if label is None and (asked.labelled is True or asked.expect is not None):
                label = self._likely_label()
                self.guessed = "look" if label is not None and is_number(self.data[label]) else ""
        if label is None and asked.labelled is True:
            if asked.label is not None:
                raise self._missing(asked.label)
            raise self._wrong(f"found {self.count} columns", "expected one for the label ({label:s})", label="")
        if label is not None and label in self.dropped:
            raise self._wrong("found the label among the columns to drop", "expected it to be kept")
        if label is not None and label == self.text:
            raise self._wrong("found the label in the column of the text", "expected two columns")
        return label

    def _leaves_no_label(self) -> bool:
        """Whether there are just as many columns as features (or only the text), so that none can be the label."""
        expect, count = self.asked.expect, self.count - len(self.dropped)
        if isinstance(expect, int):
            return count == expect
        if isinstance(expect, list):
            return self.names is None and count == len(expect)
        return self.text is not None and count == 1

    def _likely_label(self) -> int | None:
        data = self.data[: self.count]  # a row longer than the header is refused when it is read
        others = [p for p in range(len(data)) if p != self.text and p not in self.dropped]
        if self.text is not None:
            return others[0] if len(others) == 1 else None
        words = [p for p in others if data[p].strip().lower() not in MISSING and not is_number(data[p])]
        if isinstance(self.asked.expect, list) and self.names:  # what is no feature of the model, if it is one column
            new = [p for p in others if self.names[p] not in self.asked.expect]
            return new[0] if len(new) == 1 and (self.asked.labelled is True or new[0] in words) else None
        return words[0] if len(words) == 1 else others[-1] if others else None

    def _features(self, rest: list[int]) -> list[int]:
        expect = self.asked.expect
        if self.count == 1 and (self.asked.labelled is True or not is_number(self.data[0])):
            wanted = "expected several, parted by commas, tabs or semicolons ({delimiter:s} for others)"
            raise self._wrong(f"found one cell, {self.data[0][:40]!r}", wanted, delimiter="")
        if expect is None:
            if not rest:
                raise self._wrong("found only the label", "expected at least one column of features")
            return rest
        if isinstance(expect, list) and self.names:
            here = {self.names[p]: p for p in rest}
            for name in expect:
                if name not in here:
                    raise self._wrong(f"found no column {name!r}", "expected all features of the model")
            known = set(expect)
            for name in here:
                if name not in known:
                    wanted = "expected only the features of the model ({label:s} or {drop:s} says what others are)"
                    raise self._wrong(f"found a column {name!r}", wanted, label=name, drop=name)
            return [here[name] for name in expect]
        if isinstance(expect, list) and self.asked.header is not False:
            wanted = f"expected the columns {plain(listed(expect))} ({{header}}: in this order)"
            raise self._wrong("found no header", wanted, header=False)
        width = len(expect) if isinstance(expect, list) else expect
        if len(rest) != width:
            wanted = f"expected the model's {width}, with or without a label"
            raise self._wrong(f"found {plural(len(rest), 'column')} of features", wanted)
        return rest


def as_names(parts: Sequence[Any], names: list[str]) -> Sequence[Any]:
    """What was parted at its commas: the parts, or the name of one column that has commas in it."""
    whole = ",".join(map(str, parts))
    return parts if all(part in names for part in parts) or whole not in names else [whole]


def listed(names: list[str]) -> str:
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
