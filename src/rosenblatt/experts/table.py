"""Tables of advice: a column for each expert, one for the outcome, a row for each round; an empty cell is asleep."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, dense
from ..data.batch import Batch
from ..errors import Message, SettingError, plain
from ..read.columns import Column, Columns, is_number
from ..read.open import PathLike
from ..read.table import Table

OUTCOMES = ("outcome", "truth", "y", "label", "class", "target", "actual")
PAIRS = (("1", "0"), ("1", "-1"), ("up", "down"), ("yes", "no"), ("true", "false"), ("spam", "ham"))
UP = {up for up, _ in PAIRS}
DOWN = {down for _, down in PAIRS}
SAYS = "0/1, -1/1, up/down, yes/no, true/false or spam/ham"


class AdviceTable(Table):
    """A source of `Batch(Dense (T, n), outcomes (T,))`: 0 and 1 in float64, NaN where an expert is asleep or the
    outcome is not known yet. losses: numbers in [0, 1] instead, and no outcome column: y is None.

    path: a CSV or TSV file, also compressed, or "-". outcome: the column, by name or number from 1 (−1: the last);
    default: the first called outcome, truth, y, label, class, target or actual, else the last. up: the word that is 1,
    the one other word being 0; default: known pairs of words (`PAIRS`), one pair in all columns of advice, one in the
    outcomes. header, delimiter, drop: as for `Table`. `names`: of the experts. Raises DataError naming line and column.
    """

    def __init__(
        self,
        path: PathLike,
        *,
        outcome: Column | None = None,
        up: str | None = None,
        losses: bool = False,
        **reading: Any,
    ) -> None:
        if losses and (outcome is not None or up is not None):
            raise SettingError("losses have no outcome; outcome and up are for advice")
        self._outcome, self._up, self._losses = outcome, None if up is None else _plain(up), losses
        self._heard: dict[bool, dict[float, str]] = {True: {}, False: {}}
        super().__init__(path, **reading, labelled=not losses)

    @property
    def names(self) -> list[str]:
        """What the experts are called: by the header, or `expert 1` …"""
        columns = self.columns
        if columns.names:
            return [columns.names[p] for p in columns.features]
        return [f"expert {i}" for i in range(1, len(columns.features) + 1)]

    def _columns_of(self, rows: list[list[str]]) -> Columns:
        header = self._is_header(rows) if self.asked.header == "auto" else self.asked.header
        label: Column | None = None if self._losses else self._outcome or -1
        if label == -1 and header:
            lower = [cell.strip().lower() for cell in rows[0]]
            label = next((lower.index(name) + 1 for name in OUTCOMES if name in lower), -1)
        self.asked.label, self.asked.header = label, header
        found = super()._columns_of(rows)
        label_at = None if self._losses else found.label
        return found._replace(
            label=label_at, text=None, features=[p for p in range(found.width) if p not in (label_at, *found.dropped)]
        )

    def _is_header(self, rows: list[list[str]]) -> bool:
        cells = [_plain(cell) for cell in rows[0]]
        if self._losses:
            return any(cell and not is_number(cell) for cell in cells)
        known = UP | DOWN | {self._up, ""}
        if self._up is not None:
            known |= {_plain(cell) for cell in rows[1]} if len(rows) > 1 else set()
        return any(cell not in known for cell in cells) and len(set(cells)) == len(cells)

    def _value(self, cell: str, outcome: bool) -> float | None:
        """0, 1, or NaN of an empty cell; None for what is neither of the two words."""
        word = _plain(cell)
        if not word:
            return np.nan
        heard = self._heard[outcome if self._up is None else False]
        value = float(word == self._up) if self._up is not None else 1.0 if word in UP else 0.0
        both = {word, heard.get(1.0 - value, word)}
        fits = self._up is not None or any(both <= set(pair) for pair in PAIRS)
        return value if fits and heard.setdefault(value, word) == word else None

    def _problem(self, cells: list[str]) -> tuple[str, str] | None:
        columns = self.columns
        if len(cells) != columns.width:
            return f"found {len(cells)} cell{'s' * (len(cells) != 1)}", f"expected {columns.width}"
        for p, cell in enumerate(cells):
            if p in columns.dropped:
                continue
            what = f"found {cell[:60]!r} in {columns.called(p)[:80]}"
            if self._losses:
                if cell.strip() and not (is_number(cell) and 0.0 <= float(cell) <= 1.0):
                    return what, "expected a loss from 0 to 1, or nothing for an expert that is asleep"
            elif self._value(cell, p == columns.label) is None:
                return what, self._expected(p == columns.label)
        return None

    def _expected(self, outcome: bool) -> Message:
        """Which words a column may have, and what a table of advice is: what is read may be one of labelled rows."""
        heard, columns = self._heard[outcome and self._up is None], self.columns
        before = " or ".join(heard.values()) if heard else ""
        if self._up is not None and before and before != self._up:
            right = f"{plain(self._up)} ({{up.name}}) or {plain(before)}, as before"
        elif before:
            right = f"{plain(before)} as before"
        else:
            right = f"{SAYS}; {{up.name}} names another word for 1, {{drop:s}} leaves a column out"
        assert columns.label is not None  # advice always has one
        where = plain(columns.called(columns.label)[:80])
        rounds = f"a row for each round, a column for what each expert says, and the outcome in {where}"
        text = f"expected {right}. A table of advice has {rounds}; labelled rows go with {{learners.name}}"
        return Message(text, up=None, drop="", learners=None)

    def _plain_batch(self, lines: list[str]) -> Batch:
        batch = super()._plain_batch(lines)
        values = batch.rows.toarray()  # type: ignore[union-attr]
        if self._losses:
            if not ((values >= 0.0) & (values <= 1.0)).all():
                raise ValueError
            return Batch(batch.rows, None)
        if self._up is not None or batch.y is None:
            raise ValueError
        lows = np.unique(values[values != 1.0])
        if lows.size > 1 or (lows.size and lows[0] not in (0.0, -1.0)):
            raise ValueError
        words = ["1"] * bool((values == 1.0).any()) + [f"{low:g}" for low in lows]
        if any(self._value(word, False) is None for word in words):
            raise ValueError
        outcomes = {text: self._value(text, True) for text in set(batch.y.tolist())}
        if None in outcomes.values():
            raise ValueError
        return Batch(dense((values == 1.0).astype(np.float64)), np.array([outcomes[text] for text in batch.y], float))

    def _batch(self, rows: list[list[str]]) -> Batch:
        columns = self.columns
        if self._losses:
            losses = [[float(cell) if cell.strip() else np.nan for cell in cells] for cells in rows]
            return Batch(dense(np.array(losses).reshape(len(rows), -1)), None)
        advice = [[self._value(cells[p], False) for p in columns.features] for cells in rows]
        assert columns.label is not None  # advice always has one
        outcomes: Array = np.array([self._value(cells[columns.label], True) for cells in rows], dtype=np.float64)
        return Batch(dense(np.array(advice, dtype=np.float64).reshape(len(rows), -1)), outcomes)

    def recipe(self) -> dict[str, Any]:
        return {}


def _plain(cell: str) -> str:
    """A word as it is compared: lower case; numbers in one way (+1, 1.0 → 1)."""
    word = cell.strip().lower()
    return f"{float(word):g}" if word and is_number(word) else word
