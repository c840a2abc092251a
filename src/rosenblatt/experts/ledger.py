"""The account of each round: own mistakes, the best expert so far, the regret, and what was promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from ..core.rows import Array


class Round(NamedTuple):
    """One round, after its outcome was seen.

    prediction: 0 or 1; None where losses were given. chance: of predicting 1 (of losses: the mixture's loss). mistakes:
    so far. expected_mistakes: so far, exactly; of a deterministic algorithm the same. best: the expert so far that it
    would have been best to follow, by number; −1 before anyone was awake. best_mistakes: its losses. regret: own
    expected mistakes in its awake rounds less its own. bound: on `bounded`, inf where there is none.
    """

    prediction: int | None
    chance: float
    mistakes: int
    expected_mistakes: float
    best: int
    best_mistakes: float
    regret: float
    bounded: float
    bound: float


@dataclass(frozen=True, repr=False)
class Ledger:
    """Rounds as columns, each (T,): prediction, chance, mistakes, expected_mistakes, best, best_mistakes, regret,
    bounded and bound, as `Round` has them; prediction is NaN where losses were given. `ledger[t]` is a `Round`, from 0.
    """

    prediction: Array
    chance: Array
    mistakes: Array
    expected_mistakes: Array
    best: Array
    best_mistakes: Array
    regret: Array
    bounded: Array
    bound: Array

    def __len__(self) -> int:
        return len(self.mistakes)

    def __getitem__(self, t: int) -> Round:
        row = [column[t] for column in self.columns()]
        prediction = None if np.isnan(row[0]) else int(row[0])
        rest = [float(value) for value in row[5:]]
        return Round(prediction, float(row[1]), int(row[2]), float(row[3]), int(row[4]), *rest)

    def __repr__(self) -> str:
        if not len(self):
            return "<Ledger: no rounds>"
        last = self[-1]
        own = f"{last.expected_mistakes:.6g} expected mistakes"
        own = own if last.expected_mistakes != last.mistakes else f"{last.mistakes:,} mistakes"
        bound = f"bound {last.bound:.6g}" if np.isfinite(last.bound) else "no bound"
        return f"<Ledger: {len(self):,} rounds; {own}, regret {last.regret:.6g}, {bound}>"

    def columns(self) -> list[Array]:
        """All of them, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def joined(cls, parts: Sequence[Ledger]) -> Ledger:
        """Ledgers one below the other (at least one)."""
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns() for part in parts), strict=True)))
