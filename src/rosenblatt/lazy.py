"""Names of a package that are loaded when they are first used (PEP 562): importing it costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

Hooks = tuple[Callable[[str], Any], Callable[[], list[str]]]


def lazily(package: str, places: Mapping[str, str], *others: str) -> Hooks:
    """`__getattr__` and `__dir__` of a package. places: name → module that has it, from there. others: more names."""

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(places[name], package), name)

    return find, lambda: sorted([*places, *others])
