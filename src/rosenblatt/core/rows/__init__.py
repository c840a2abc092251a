"""How rows are stored. `verbs.py` says what rows can do; `dense.py` and `csr.py` are the kinds of this package."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any

from .csr import Csr, csr, from_matrix
from .dense import Dense, dense
from .verbs import Array, Index, Layout, Rows, laid_out


def _kinds() -> Iterator[Any]:
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if hasattr(value, "dot") and hasattr(value, "_fields") and value.__module__.endswith(f".{module.name}"):
                yield value


KINDS: tuple[Any, ...] = tuple(_kinds())
"""Every kind of this folder, found by discovery."""


def kind_of(names: Iterable[str], *others: Any) -> Any:
    """The kind of rows whose arrays have these names, as files hold them; None: there is none. others: more kinds."""
    return next((kind for kind in (*KINDS, *others) if set(kind._fields) == set(names)), None)


def matrix(rows: Rows) -> Any:
    """The rows as numpy or scipy see them: an array, or a csr_array that shares the data."""
    return rows.matrix()


def stack(parts: list[Any]) -> Any:
    """Several batches, one below the other, stored as the first is."""
    return parts[0] if len(parts) == 1 else parts[0].stacked(parts[1:])


__all__ = [
    "KINDS", "Array", "Csr", "Dense", "Index", "Layout", "Rows", "csr", "dense", "from_matrix", "kind_of",
    "laid_out", "matrix", "stack",
]  # fmt: skip
