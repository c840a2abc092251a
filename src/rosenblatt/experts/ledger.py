"""The account of each round, and what was promised: a number that breaks a theorem is an error of this program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, Self

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
        prediction, *rest = (column[t].item() for column in self.columns())
        return Round(None if math.isnan(prediction) else int(prediction), *rest)

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


SLACK = 1e-9
"""Relative. Sums of a million shares err by 1e-10 at the most; beyond it the numbers are looked at again."""


class Bound(float):
    """A number that is not exceeded; +inf, with a `reason`, where nothing is promised. As text: `no bound: …`."""

    reason: str

    def __new__(cls, value: float, reason: str = "") -> Self:
        made = super().__new__(cls, math.inf if reason else value)
        made.reason = reason
        return made

    @property
    def applies(self) -> bool:
        """Whether anything is promised."""
        return not self.reason

    def __str__(self) -> str:
        return f"no bound: {self.reason}" if self.reason else f"{float(self):.6g}"

    def __repr__(self) -> str:
        return f"Bound({self})"

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        return float(self), self.reason


class Form(NamedTuple):
    """The inequality a·own ≤ b·loss + c·rounds + d, for each expert over the rounds it was awake.

    d: where it is the same after all rounds. regret: it is one about own − loss (then a = b = 1).
    """

    a: float
    b: float
    c: float = 0.0
    d: float = 0.0
    regret: bool = False
