"""Pick one mistake (PLA, lecture note 004): choose a row that the rule calls wrong, step, until there is none."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.rows import Array


@dataclass(frozen=True)
class PickFirst:
    """Pick one mistake: the first wrong row from the top. Also the base of the others here."""

    name = "pick-first"
    rank = 3
    when = "to one row that is wrong: the first from the top"
    parameters = ()
    picks = True
    scan = False

    def place(self, margins: Array, random: Callable[[], np.random.Generator]) -> int:
        return 0


@dataclass(frozen=True)
class PickRandom(PickFirst):
    """Pick one mistake: any of the wrong rows, by the seed and the number of the update."""

    name = "pick-random"
    rank = 4
    when = "to one row that is wrong: a random one"
    scan = True

    def place(self, margins: Array, random: Callable[[], np.random.Generator]) -> int:
        return int(random().integers(len(margins)))


@dataclass(frozen=True)
class PickWorst(PickFirst):
    """Pick one mistake: the row with the most negative margin, the lowest on ties."""

    name = "pick-worst"
    rank = 5
    when = "to one row that is wrong: the one with the most negative margin"
    scan = True

    def place(self, margins: Array, random: Callable[[], np.random.Generator]) -> int:
        return int(margins.argmin())
