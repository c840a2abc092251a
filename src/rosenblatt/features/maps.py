"""Maps: rows → rows of other numbers, whose inner products are nearly a kernel's. A file each.

Linear learners draw curved boundaries by them at the price of linear ones: a step costs the columns of a row, however
many rows were learned from. A map is a step with a `name`, `parameters` and `drawn`; a new one is found wherever it
lies in this folder.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection
from typing import Any

from ..core.rows import Array, Rows, dense
from ..data.checks import check_range
from ..errors import ModelError, SettingError
from ..lazy import members
from ..parameters import Parameter, made, member
from .quadratic import check_memory
from .step import OfAllRows

COMPONENTS = Parameter(
    "map_components", 1000, int, own="components", least=1, help="How many columns a map makes.",
    refusal="map: components={map_components.value} must be a whole number ≥ 1",
)  # fmt: skip


def map_classes() -> dict[str, Any]:
    """name → class for every map in this folder."""
    return members(importlib.import_module(__package__), "drawn")


def map_from(text: str, seed: int = 0) -> Any:
    """The map of a text (`fourier:components=500`), not fitted yet. SettingError for one that there is not."""
    made_of = made(text, map_classes(), "map", {})
    made_of.check(member(text, map_classes(), "map")[1])
    made_of.seed = seed
    return made_of


class Map(OfAllRows):
    """A step that puts others in the place of all columns: `components`, unless its `width` and `transform` say more.
    seed: what it draws by."""

    kind = "map"
    name: str
    seed = 0
    parameters: tuple[Parameter, ...] = ()
    components: int

    @property
    def width(self) -> int:
        return self.components

    @property
    def text(self) -> str:
        """As it is asked for, with all parameters."""
        return f"{self.name}:{','.join(f'{each.inner}={getattr(self, each.inner)}' for each in self.parameters)}"

    def called(self, column: int, given: Callable[[int], str], met: Any) -> str:
        """What a column is called: `fourier 17`, from 1. given: names of the columns before it. met: see there."""
        return f"{self.name} {column + 1}"

    def met(self, columns: Array) -> Any:
        """What names its columns in a row that has these columns, before the map and after it."""
        return {}

    def check(self, said: Collection[str]) -> None:
        """SettingError where its parameters do not go together. said: those that the text has."""

    def finish(self, partial: Rows) -> Any:
        check_range(partial, partial.largest())
        fitted = self.drawn(partial)
        fitted.seed = self.seed
        return fitted

    def drawn(self, rows: Rows) -> Any:
        """The map, drawn for rows like these."""
        raise NotImplementedError

    def values(self, rows: Rows) -> Array:
        """(n, components)"""
        raise NotImplementedError

    def fits(self, width: int) -> bool:
        """Whether what was read makes sense, of rows of so many columns."""
        raise NotImplementedError

    def transform(self, rows: Rows) -> Rows:
        found = f"{{map}} makes {self.width:,} columns of {rows.n:,} rows"
        check_memory(rows.n * self.width * 8, found, map=self.text)
        return dense(self.values(rows).astype(rows.dtype, copy=False))

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"map": self.text}


def restored(recipe: dict[str, Any], tensors: dict[str, Array], width: int) -> Map:
    """A map from its recipe and tensors, of rows of so many columns. ModelError where they do not fit."""
    try:
        known = map_classes()[recipe["map"].partition(":")[0]]
        own: Map = known.of(made(recipe["map"], map_classes(), "map", {}), recipe, tensors)
    except (AttributeError, KeyError, SettingError):
        raise ModelError(f"the model has a map {recipe.get('map')!r} that this version does not know") from None
    if not own.fits(width):
        raise ModelError(f"damaged: the numbers of its map {own.name} do not fit together")
    return own
