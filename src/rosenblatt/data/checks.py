"""Values, weights and labels that can be learned from, or one sentence that says which cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..errors import DataError, SettingError, plain

MOST_WEIGHT = 1e100
"""Of a row: times a step, times a squared length of at most 1e290 over many rows, it must stay a number."""


def check_finite(rows: Rows, names: Sequence[str] | None = None) -> float:
    """The largest magnitude of all values.

    DataError naming row and feature (counted from 0, or by name) of the first value that is NaN or infinite.
    """
    largest = rows.largest()
    if np.isfinite(largest):
        return largest
    row, column, value = rows.first_not_finite()
    name = f"feature {column}" if names is None else f"feature {names[column]!r}"
    raise DataError(f"row {row}, {name}: found {value} (NaN or infinity); values must be finite")


def check_range(rows: Rows, largest: float) -> None:
    """DataError naming the first row whose ‖x‖² leaves no room for sums of it: > 1e30 in float32, 1e290 in float64.

    largest: the largest magnitude of all values. Beyond the limit scores overflow to NaN, which is neither right nor
    wrong, and nothing would be learned without a word.
    """
    dtype = rows.dtype
    most = 1e30 if dtype == np.float32 else 1e290
    if largest <= np.sqrt(most / max(rows.width, 1)):
        return
    with np.errstate(over="ignore"):
        norms = rows.sq_norms()
    row = int((~(norms <= most)).argmax())
    if not norms[row] <= most:
        found = f"row {row}: its squared length {norms[row]:g} is too large for sums in {dtype}"
        raise DataError(f"{found} (largest value of all: {largest:g}); scale the features")


def checked_weights(weight: Any, n: int) -> Array | None:
    """Sample weights as (n,) float64, or None; DataError where one is negative or not finite."""
    if weight is None:
        return None
    weight = np.array(weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise DataError(f"sample_weight has shape {weight.shape}; {n} rows need shape ({n},)")
    bad = np.flatnonzero(~(weight >= 0.0) | ~np.isfinite(weight))
    if bad.size:
        raise DataError(f"row {bad[0]}: sample weight {weight[bad[0]]}; weights must be finite and ≥ 0")
    if weight.size and weight.max() > MOST_WEIGHT:
        row = int(weight.argmax())
        raise DataError(f"row {row}: sample weight {weight[row]:g}; above {MOST_WEIGHT:g} their sums could overflow")
    return weight


def combined_weight(y: Array, classes: Array, class_weight: Any, weight: Array | None) -> Array | None:
    """The sample weights times the class weights; "balanced": n/(K·n_k) from the labels at hand."""
    if class_weight is None:
        return weight
    values, counts = np.unique(y, return_counts=True)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            text = '{class_weight} must be None, "balanced" or a dict of label: weight'
            raise SettingError(text, class_weight=class_weight)
        table = {v: len(y) / (values.size * n) for v, n in zip(values.tolist(), counts, strict=True)}
    else:
        unknown = [name for name in class_weight if name not in classes.tolist()]
        if unknown:
            known = ", ".join(map(str, classes))
            found = f"{{class_weight.name}}: {plain(repr(unknown[0]))} is not a label"
            raise SettingError(f"{found}; the labels are {plain(known)}", class_weight=None)
        table = class_weight
    for name, factor in table.items():
        if not (np.isfinite(factor) and factor >= 0):
            text = f"{{class_weight.name}} of {plain(repr(name))} is {factor}; weights must be finite and ≥ 0"
            raise SettingError(text, class_weight=None)
    factors = np.array([float(table.get(v, 1.0)) for v in values.tolist()])
    own = factors[np.searchsorted(values, y)]
    return checked_weights(own if weight is None else own * weight, len(y))
