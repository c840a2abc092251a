"""What survives of the path of the weights. One file each; a new file here is a new memory everywhere.

A memory is made before anything was learned and copied for each run. It prepares the arrays that the loop fills
(`keep`), reads them each time the loop returns (`collect`, `candidate`), and answers (`answer`, `scores`). Its own
arrays (`saved`, `restore`) are saved with the model, so a run resumes exactly. `last.Last` is the base of all: each
changes only what differs, and says of itself

    name            as on the command line
    rank            optional: its place in lists
    parameters      what it takes, a `Parameter` for each argument of its constructor, which keeps them as attributes
    is_linear       whether it answers w·x + b, with the weights of `answer`
    answers_now     whether those are the weights as they are
    needs_measure   whether it asks how good weights are on all rows
    by_row          whether the weights that answer can be had after each row at no cost, as a stream asks for them
    by_width        names of its arrays that have a number for each column
    settles         whether what answers changes little while mistakes go on
"""

import sys
from typing import Any

from ..lazy import members
from ..parameters import made


def memory_classes() -> dict[str, Any]:
    """name → class for every memory in this folder."""
    return members(sys.modules[__name__], "collect")


def memory_from(text: str, **values: Any) -> Any:
    """The memory of a text (`voted`, `pocket:every=10`); values: of parameters, by their names in Python, where the
    text says nothing. SettingError for an unknown one."""
    return made(text, memory_classes(), "keep", values)
