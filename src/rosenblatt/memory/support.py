"""The support: the distinct rows that made a step, whichever call or epoch they came in.

What needs Σ a_i·x_i of rows that were learned from keeps their numbers here, and the numbers' weights itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, kind_of, stack
from ..errors import ModelError
from ..kernels.rows import Numbered


class Support:
    """Rows by number, in the order of their first use; each is stored once."""

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._places: dict[bytes, int] = {}

    @property
    def rows(self) -> Any:
        """All of them, stored as the first ones are; None while there is none."""
        if len(self._parts) > 1:
            self._parts = [stack(self._parts)]
        return self._parts[0] if self._parts else None

    def numbers(self, rows: Any, used: Array) -> Array:
        """(u,) the number of each used row; the row −1 is none and has the number −1. used: (u,) rows, as often as they
        were used."""
        distinct, first, inverse = np.unique(used, return_index=True, return_inverse=True)
        places, fresh = np.full(distinct.size, -1, np.int32), []
        for at in np.argsort(first):  # by first use: the same numbers, however often the loop returned on the way
            i = int(distinct[at])
            if i < 0:
                continue
            key = rows.key(i)
            if key not in self._places:
                self._places[key] = len(self._places)
                fresh.append(i)
            places[at] = self._places[key]
        if fresh:
            self._parts.append(rows.kept_rows(np.array(fresh)))
        return np.asarray(places[inverse])

    def products(self, rows: Any) -> Array:
        """(n, s) float64 inner products of rows with the support."""
        return np.empty((rows.n, 0)) if self.rows is None else np.asarray(rows.products(self.rows))

    def combine(self, a: Array) -> Any:
        """Σ a_i·x_i over the support, (d,); 0 while there is none. a: (s,)."""
        return 0.0 if self.rows is None else self.rows.combine(a)

    @property
    def n(self) -> int:
        return len(self._places)

    def copy(self) -> Support:
        new = Support()
        new._parts, new._places = list(self._parts), dict(self._places)
        return new

    def moved(self, places: Array, width: int) -> Support:
        """The same for a base of other rows; places: where each of the old ones is."""
        rows = self.rows
        return (
            self
            if rows is None
            else Support.restored({"support_own": places[rows.own], "support_width": np.array([width])})
        )

    def saved(self) -> dict[str, Array]:
        """The rows' arrays, by name."""
        rows = self.rows
        return {} if rows is None else {f"support_{name}": getattr(rows, name) for name in rows._fields}

    @classmethod
    def restored(cls, saved: dict[str, Array]) -> Support:
        """The inverse of `saved`; other names are passed over. ModelError for rows of no kind that is known."""
        support = cls()
        parts = {name.removeprefix("support_"): value for name, value in saved.items() if name.startswith("support_")}
        if parts:
            kind = kind_of(parts, Numbered)
            if kind is None:
                raise ModelError(f"its rows are of a kind that is not known ({', '.join(sorted(parts))})")
            rows = kind.restored(parts)
            support._parts, support._places = [rows], {rows.key(i): i for i in range(rows.n)}
            if support.n < rows.n:
                raise ModelError("damaged: it has a row twice that is to be stored once")
        return support
