"""Scaling of columns and rows, learned from the training rows and repeated on every later row.

    standard    (x − mean)/sd by column; fitted to sparse rows x/sd: centring would fill every zero
    idf         x·(ln((1 + n)/(1 + n_j)) + 1) by column, n_j the rows where column j is not zero: rare words count more
    unit[:r]    x·r/‖x‖ by row, r = 1 if not given

A scaling is written as its steps, joined by +: "standard", "idf+unit:2", "none".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..core.rows import Rows, dense
from ..errors import ModelError, SettingError
from .moments import moments
from .parameters import SCALE
from .quadratic import Quadratic

Array = np.ndarray[Any, Any]
parameters = (SCALE,)


class Step(Protocol):
    """One step of a scaling: fitted values that scale rows."""

    def apply(self, rows: Rows) -> Rows: ...

    def recipe(self) -> dict[str, Any]: ...

    def tensors(self) -> dict[str, Array]: ...


class Standard:
    """Columns with mean 0 and standard deviation 1 (fitted to dense rows), or standard deviation 1 (to sparse rows).

    mean, sd: (d,) float64; a column that is constant in training has 0 and 1, so it stays as it is. centred: the mean
    is subtracted from sparse rows too, which become dense. What it was fitted to decides, not how later rows are
    stored: on vowel, a model of sparse rows answers 26 % of the same rows stored dense right if that centres them, and
    56 % if not.
    """

    def __init__(self, mean: Array, sd: Array, centred: bool = False) -> None:
        self.mean, self.sd, self.centred = mean, sd, centred

    @classmethod
    def fit(cls, rows: Rows) -> Standard:
        mean, sd = moments([rows])
        constant, centred = sd == 0.0, rows.shiftable
        return cls(np.where(constant | (not centred), 0.0, mean), np.where(constant, 1.0, sd), centred)

    def apply(self, rows: Rows) -> Rows:
        if self.centred:
            rows = dense(rows.toarray())
        if not rows.shiftable:
            return rows.scaled(np.divide, self.sd)
        return rows.scaled(lambda x, mean, sd: (x - mean) / sd, self.mean, self.sd)

    def recipe(self) -> dict[str, Any]:
        return {"kind": "standard"} | ({"centred": True} if self.centred else {})

    def tensors(self) -> dict[str, Array]:
        return {"mean": self.mean, "sd": self.sd}


class Idf:
    """Columns weighted by how rare they are. weight: (d,) float64 ≥ 1."""

    def __init__(self, weight: Array) -> None:
        self.weight = weight

    @classmethod
    def fit(cls, rows: Rows) -> Idf:
        return cls(np.log((1.0 + rows.n) / (1.0 + rows.nonzeros(axis=0))) + 1.0)

    def apply(self, rows: Rows) -> Rows:
        return rows.scaled(np.multiply, self.weight)

    def recipe(self) -> dict[str, Any]:
        return {"kind": "idf"}

    def tensors(self) -> dict[str, Array]:
        return {"weight": self.weight}


class UnitLength:
    """Rows of Euclidean length `length` (1 puts them on the unit ball); zero rows stay zero.

    The bias counts as a feature of 1 beside them: with length 1 it weighs as much as all words together, and mistakes
    of text learners grow by a fifth (`pipeline.SCALE` has the figures).
    """

    def __init__(self, length: float = 1.0) -> None:
        self.length = length

    def apply(self, rows: Rows) -> Rows:
        return rows.to_length(self.length)

    def recipe(self) -> dict[str, Any]:
        return {"kind": "unit", "length": self.length}

    def tensors(self) -> dict[str, Array]:
        return {}


FITTED: dict[str, Callable[[Rows], Step]] = {"standard": Standard.fit, "idf": Idf.fit}


def parse(text: str) -> list[tuple[str, float]]:
    """The steps of a scaling: "idf+unit:2" → [("idf", 1.0), ("unit", 2.0)]; "none" and "" → []. Raises SettingError."""
    steps = []
    for step in [] if text in ("", "none") else text.split("+"):
        name, _, number = step.partition(":")
        try:
            length = float(number) if number else 1.0
        except ValueError:
            length = 0.0
        if name not in (*FITTED, "unit") or (number and name != "unit") or not 0.0 < length < np.inf:
            wanted = "none, or standard, idf, unit, unit:LENGTH joined by +"
            raise SettingError(f"scaling {text!r} is not understood at {step!r}; it must be {wanted}")
        steps.append((name, length))
    return steps


def fit(text: str, rows: Rows) -> tuple[list[Step], Rows]:
    """The fitted steps of a scaling, each on the rows as the ones before left them, and the scaled rows."""
    steps: list[Step] = []
    for name, length in parse(text):
        step = UnitLength(length) if name == "unit" else FITTED[name](rows)
        rows = step.apply(rows)
        steps.append(step)
    return steps, rows


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
