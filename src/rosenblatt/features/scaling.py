"""Scaling of columns and rows, learned from the training rows and repeated on every later row.

    standard    (x − mean)/sd by column; of sparse rows that are mostly zeros x/sd: centring would fill every zero
    idf         x·(ln((1 + n)/(1 + n_j)) + 1) by column, n_j the rows where column j is not zero: rare words count more
    unit[:r]    x·r/‖x‖ by row, r = 1 if not given

A scaling is written as its steps, joined by +: "standard", "idf+unit:2", "none".

Mean and standard deviation of each column are found batch by batch, and numerically sound. Each batch is summed about
its own mean, and two batches are joined by (Chan, Golub, LeVeque 1979)

    M = M_a + M_b + δ²·n_a·n_b/n,   mean = mean_a + δ·n_b/n,   δ = mean_b − mean_a,   n = n_a + n_b

so that a small spread about a large mean survives. Columns are held in a unit of their own, a power of two near their
largest value, so that squares do not overflow (1e200) or vanish (1e−200).
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows, dense
from ..errors import ModelError, SettingError
from .parameters import SCALE
from .quadratic import Quadratic
from .step import Step, padded

BLOCK = 1 << 20
"""Values that are summed at a time."""


class Sums(NamedTuple):
    """n rows; unit, mean, m2: (d,), mean and Σ(x − mean)² in the column's unit."""

    n: int
    unit: Array
    mean: Array
    m2: Array


NOTHING = Sums(0, np.empty(0), np.empty(0), np.empty(0))
"""Of no rows."""


def _unit(peak: Array) -> Array:
    """A power of two in (peak/2, peak], 0 where the column is all zero."""
    return np.where(peak > 0.0, np.ldexp(0.5, np.frexp(peak)[1]), 0.0)


def _divide(values: Array, unit: Array) -> Array:
    return values / np.where(unit > 0.0, unit, 1.0)


def _sums(rows: Rows) -> Sums:
    unit = _unit(rows.largest_by_column())
    mean, m2 = rows.column_moments(np.where(unit > 0.0, unit, 1.0))
    return Sums(rows.n, unit, mean, np.maximum(m2, 0.0))


def sums(rows: Rows, before: Sums = NOTHING) -> Sums:
    """Of these rows, a block at a time, and of those before."""
    return reduce(join, map(_sums, rows.pieces(BLOCK)), before)


def join(a: Sums, b: Sums) -> Sums:
    """Of the rows of both; sparse ones may differ in width."""
    d = max(a.unit.size, b.unit.size)
    a, b = (Sums(part.n, *(padded(values, d) for values in part[1:])) for part in (a, b))
    if not a.n or not b.n:
        return a if a.n else b
    n = a.n + b.n
    unit = np.maximum(a.unit, b.unit)
    ratio_a, ratio_b = _divide(a.unit, unit), _divide(b.unit, unit)
    mean_a, mean_b = a.mean * ratio_a, b.mean * ratio_b
    delta = mean_b - mean_a
    m2 = a.m2 * ratio_a**2 + b.m2 * ratio_b**2 + delta**2 * (a.n * b.n / n)
    return Sums(n, unit, mean_a + delta * (b.n / n), m2)


def mean_and_sd(total: Sums) -> tuple[Array, Array]:
    """(mean, sd) of at least one row, (d,) float64.

    sd is that of the population, √(M/n), and exactly 0 where the spread is no more than rounding.
    """
    if not total.n:
        raise ValueError("moments of no rows")
    sd = np.sqrt(total.m2 / total.n)
    sd[sd <= 8.0 * np.finfo(np.float64).eps * np.abs(total.mean)] = 0.0
    return total.mean * total.unit, sd * total.unit


parameters = (SCALE,)
NO_VALUES = np.empty(0)


class Standard(Step):
    """Columns with mean 0 and standard deviation 1; of sparse rows that are mostly zeros, standard deviation 1 alone.

    mean, sd: (d,) float64. A column that is constant in training becomes 0, by sd 1 (1e-12 of a large mean: rounding
    stays small); where nothing is centred ±1, by its mean, and so does one whose mean is 100 sd or more. As it is, or
    by its sd, it would drown all else: averaged, a year of 2000 beside two columns of N(0, 1) left 291 of 600 rows
    wrong, not 108. centred: the mean is subtracted from sparse rows too, which become dense: so it is fitted to dense
    rows, and to sparse ones where at least half of all values are not zero, which take less room dense than sparse and
    should answer alike in every format (a file of 36 columns, 99 % dense: 21.8 % errors without, 16.7 % with). What it
    was fitted to decides, not how later rows are stored: on vowel, a model of sparse rows answers 26 % of the same rows
    stored dense right if that centres them, and 56 % if not. Batches merged in another order, or cut elsewhere, differ
    by rounding: some 1e-15 of the values.
    """

    kind = "standard"
    nothing = (NOTHING, 0)

    def __init__(self, mean: Array = NO_VALUES, sd: Array = NO_VALUES, centred: bool = False) -> None:
        self.mean, self.sd, self.centred = mean, sd, centred

    def partial(self, batch: Rows) -> tuple[Sums, int]:
        """Sums, and how many values are held: of dense rows all."""
        return sums(batch), batch.size if batch.shiftable else int(batch.nonzeros(axis=1).sum())

    def merge(self, a: tuple[Sums, int], b: tuple[Sums, int]) -> tuple[Sums, int]:
        return join(a[0], b[0]), a[1] + b[1]

    def finish(self, partial: tuple[Sums, int]) -> Standard:
        (total, held) = partial
        mean, sd = mean_and_sd(total)
        centred = 2 * held >= total.n * mean.size
        if centred:
            return Standard(mean, np.where(sd == 0.0, np.maximum(1.0, 1e-12 * np.abs(mean)), sd), True)
        sd = np.where(100.0 * sd <= np.abs(mean), np.abs(mean), sd)
        return Standard(np.zeros_like(mean), np.where(sd == 0.0, 1.0, sd))

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
        if not 0.0 < length < np.inf:
            raise ValueError(f"found the length {length:g}; expected a finite number > 0")
        self.length = length

    def transform(self, rows: Rows) -> Rows:
        return rows.to_length(self.length)

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"length": self.length}


SCALINGS: dict[str, Any] = {cls.kind: cls for cls in (Standard, Idf, UnitLength)}


def parse(text: str) -> list[Step]:
    """The steps of a scaling, not fitted yet: "idf+unit:2" → [Idf(), UnitLength(2.0)]; "none" and "" → []. Raises
    SettingError."""
    steps: list[Step] = []
    text = str(text)
    for step in [] if text in ("", "none") else text.split("+"):
        name, _, number = step.partition(":")
        try:
            length = {"length": float(number)} if number else {}  # which only one of them takes
            steps.append(SCALINGS[name](**length))
        except (KeyError, TypeError, ValueError):
            wanted = "none, or standard, idf, unit, unit:LENGTH joined by +"
            text = f"scaling {text!r} is not understood at {step!r}; it must be {wanted}"
            raise SettingError(text) from None
    return steps


def restore(recipe: dict[str, Any], tensors: dict[str, Array], width: int) -> Step:
    """A step from its recipe and tensors. Raises ModelError where they do not fit the width."""
    if recipe["kind"] == "unit":
        return UnitLength(float(recipe["length"]))
    if recipe["kind"] == "map":
        from .maps import restored

        return restored(recipe, tensors, width)
    if recipe["kind"] == "kernel":
        from .kernel import InKernel

        return InKernel.restored(recipe, tensors, width)
    if any(value.shape != (width,) or value.dtype != np.float64 for value in tensors.values()):
        raise ModelError(f"the model's {recipe['kind']} scaling does not have its {width} columns; the file is damaged")
    if recipe["kind"] == "standard":
        return Standard(tensors["mean"], tensors["sd"], recipe.get("centred") is True)
    if recipe["kind"] == "idf":
        return Idf(tensors["weight"])
    if recipe["kind"] == "quadratic":
        return Quadratic(width, recipe["products"])
    raise ModelError(f"the model has a scaling {recipe['kind']!r} that this version does not know; update the program")
