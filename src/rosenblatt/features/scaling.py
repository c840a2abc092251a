"""Scaling of columns and rows, learned from the training rows and repeated on every later row.

    standard    (x − mean)/sd by column; fitted to sparse rows x/sd: centring would fill every zero
    idf         x·(ln((1 + n)/(1 + n_j)) + 1) by column, n_j the rows where column j is not zero: rare words count more
    unit[:r]    x·r/‖x‖ by row, r = 1 if not given

A scaling is written as its steps, joined by +: "standard", "idf+unit:2", "none".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, Rows, dense
from ..errors import ModelError, SettingError
from .moments import NOTHING, Sums, join, mean_and_sd, sums
from .parameters import SCALE
from .quadratic import Quadratic
from .step import Step, padded

parameters = (SCALE,)
NO_VALUES = np.empty(0)


class Standard(Step):
    """Columns with mean 0 and standard deviation 1 (fitted to dense rows), or standard deviation 1 (to sparse rows).

    mean, sd: (d,) float64; a column that is constant in training has 0 and 1, so it stays as it is. centred: the mean
    is subtracted from sparse rows too, which become dense. What it was fitted to decides, not how later rows are
    stored: on vowel, a model of sparse rows answers 26 % of the same rows stored dense right if that centres them, and
    56 % if not. Batches merged in another order, or cut elsewhere, differ by rounding: some 1e-15 of the values.
    """

    kind = "standard"
    nothing = (NOTHING, True)

    def __init__(self, mean: Array = NO_VALUES, sd: Array = NO_VALUES, centred: bool = False) -> None:
        self.mean, self.sd, self.centred = mean, sd, centred

    def partial(self, batch: Rows) -> tuple[Sums, bool]:
        return sums(batch), batch.shiftable

    def merge(self, a: tuple[Sums, bool], b: tuple[Sums, bool]) -> tuple[Sums, bool]:
        return join(a[0], b[0]), a[1] and b[1]

    def finish(self, partial: tuple[Sums, bool]) -> Standard:
        (mean, sd), centred = mean_and_sd(partial[0]), partial[1]
        constant = sd == 0.0
        return Standard(np.where(constant | (not centred), 0.0, mean), np.where(constant, 1.0, sd), centred)

    def transform(self, rows: Rows) -> Rows:
        if self.centred:
            rows = dense(rows.toarray())
        if not rows.shiftable:
            return rows.scaled(np.divide, self.sd)
        return rows.scaled(lambda x, mean, sd: (x - mean) / sd, self.mean, self.sd)

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | ({"centred": True} if self.centred else {})

    def tensors(self) -> dict[str, Array]:
        return {"mean": self.mean, "sd": self.sd}


class Idf(Step):
    """Columns weighted by how rare they are. weight: (d,) float64 ≥ 1."""

    kind = "idf"
    nothing = (0, np.empty(0, np.int64))

    def __init__(self, weight: Array = NO_VALUES) -> None:
        self.weight = weight

    def partial(self, batch: Rows) -> tuple[int, Array]:
        return batch.n, batch.nonzeros(axis=0)

    def merge(self, a: tuple[int, Array], b: tuple[int, Array]) -> tuple[int, Array]:
        width = max(a[1].size, b[1].size)
        return a[0] + b[0], padded(a[1], width) + padded(b[1], width)

    def finish(self, partial: tuple[int, Array]) -> Idf:
        n, nonzeros = partial
        return Idf(np.log((1.0 + n) / (1.0 + nonzeros)) + 1.0)

    def transform(self, rows: Rows) -> Rows:
        return rows.scaled(np.multiply, self.weight)

    def tensors(self) -> dict[str, Array]:
        return {"weight": self.weight}


class UnitLength(Step):
    """Rows of Euclidean length `length` (1 puts them on the unit ball); zero rows stay zero.

    The bias counts as a feature of 1 beside them: with length 1 it weighs as much as all words together, and mistakes
    of text learners grow by a fifth (`pipeline.SCALE` has the figures).
    """

    kind = "unit"

    def __init__(self, length: float = 1.0) -> None:
        self.length = length

    def transform(self, rows: Rows) -> Rows:
        return rows.to_length(self.length)

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"length": self.length}


def parse(text: str) -> list[Step]:
    """The steps of a scaling, not fitted yet: "idf+unit:2" → [Idf(), UnitLength(2.0)]; "none" and "" → []. Raises
    SettingError."""
    steps: list[Step] = []
    for step in [] if text in ("", "none") else text.split("+"):
        name, _, number = step.partition(":")
        try:
            length = float(number) if number else 1.0
        except ValueError:
            length = 0.0
        if name not in ("standard", "idf", "unit") or (number and name != "unit") or not 0.0 < length < np.inf:
            wanted = "none, or standard, idf, unit, unit:LENGTH joined by +"
            raise SettingError(f"scaling {text!r} is not understood at {step!r}; it must be {wanted}")
        steps.append(UnitLength(length) if name == "unit" else Standard() if name == "standard" else Idf())
    return steps


def restore(recipe: dict[str, Any], tensors: dict[str, Array], width: int) -> Step:
    """A step from its recipe and tensors. Raises ModelError where they do not fit the width."""
    if recipe["kind"] == "unit":
        return UnitLength(float(recipe["length"]))
    if any(value.shape != (width,) for value in tensors.values()):
        raise ModelError(f"the model's {recipe['kind']} scaling does not have its {width} columns; the file is damaged")
    if recipe["kind"] == "standard":
        return Standard(tensors["mean"], tensors["sd"], recipe.get("centred") is True)
    if recipe["kind"] == "idf":
        return Idf(tensors["weight"])
    if recipe["kind"] == "quadratic":
        return Quadratic(width, recipe["products"])
    raise ModelError(f"the model has a scaling {recipe['kind']!r} that this version does not know; update the program")
