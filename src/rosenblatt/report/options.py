"""Words of a recipe as options of the shell, as they are copied behind `rosenblatt train`."""

from collections.abc import Mapping
from typing import Any

from ..recipe.table import recipe_table


def as_options(words: Mapping[str, Any]) -> str:
    """`{"max_iter": None, "keep": "averaged"}` → `--epochs none --keep averaged`."""
    table = recipe_table()
    return " ".join(f"{table[name].options} {'none' if value is None else value}" for name, value in words.items())
