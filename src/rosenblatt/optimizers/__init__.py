"""When steps are applied. A new class in a file here is a new optimizer everywhere.

An optimizer is a frozen dataclass of its parameters with

    name            as on the command line
    rank            optional: its place in lists
    when            when steps are applied, as the tables of the documentation say it
    parameters      what it takes, a `Parameter` for each of its fields
    picks           False: it goes through all rows, epoch by epoch; True: it picks one wrong row for each step

and, if it goes through the rows,

    block(n)        how many of n rows are scored at the same weights
    whole           True: its block is all rows, however they are cut into chunks

or, if it picks them,

    scan            True: all wrong rows must be known; False: the first chunk with one is enough
    place(margins, random)   which of the wrong rows it takes; margins: (m,) y·u of each, or of more classes its own
                    score less the best other one; random: makes a generator of this step's own
"""

import sys
from typing import Any

from ..lazy import members
from ..parameters import made


def optimizer_classes() -> dict[str, Any]:
    """name → class for every optimizer in this folder."""
    return members(sys.modules[__name__], "when")


def optimizer_from(text: str, **values: Any) -> Any:
    """The optimizer of a text (`mini-batch`, `mini-batch:size=8`); values: of parameters, by their names in Python,
    where the text says nothing. SettingError for an unknown one."""
    return made(text, optimizer_classes(), "optimizer", values)
