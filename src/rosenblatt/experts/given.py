"""Advice, losses and outcomes as they are given, checked and made arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError


def as_rounds(given: Any, n: int, awake: Any = None, *, rows: bool = True, losses: bool = False) -> Array:
    """(T, n) float64, NaN where asleep, from (T, n) advice of 0 and 1, or losses in [0, 1]; rows False: from (n,).

    Masked entries, None and NaN are asleep; awake: bool of the same shape. DataError names round and expert, from 0.
    """
    what = "losses" if losses else "advice"
    masked = np.ma.isMaskedArray(given)
    try:
        values = np.array(np.ma.filled(given.astype(float), np.nan) if masked else given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the {what} hold something that is no number; expected shape {_shape(n, rows)}") from None
    if values.ndim != (2 if rows else 1) or values.shape[-1] != n:
        raise DataError(f"the {what} have shape {values.shape}; expected {_shape(n, rows)}")
    if awake is not None:
        mask = np.asarray(awake)
        if mask.dtype != bool or mask.shape != values.shape:
            raise DataError(f"awake has shape {mask.shape} of {mask.dtype}; expected {values.shape} of bool")
        values[~mask] = np.nan
    values = np.atleast_2d(values)
    inside = ((values >= 0.0) & (values <= 1.0)) if losses else ((values == 0.0) | (values == 1.0))
    bad = np.argwhere(~(inside | np.isnan(values)))
    if bad.size:
        t, i = bad[0]
        right = "a number in [0, 1]" if losses else "0 or 1"
        place = f"round {t}, expert {i}" if rows else f"expert {i}"
        raise DataError(f"{place}: found {values[t, i]:g}; expected {right}, or NaN for an expert that is asleep")
    return values


def _shape(n: int, rows: bool) -> str:
    return f"(rounds, {n})" if rows else f"({n},)"


def as_outcome(outcome: Any) -> float:
    """An outcome, 0 or 1, as a float."""
    return float(as_outcomes([outcome], 1)[0])


def as_outcomes(outcomes: Any, count: int) -> Array:
    """(T,) float64 of 0 and 1. DataError names the first that is neither."""
    try:
        values = np.asarray(outcomes, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("the outcomes hold something that is no number; expected 0 or 1") from None
    if values.shape != (count,):
        raise DataError(f"the outcomes have shape {values.shape}; expected ({count},), one a round")
    bad = np.flatnonzero(~((values == 0.0) | (values == 1.0)))
    if bad.size:
        raise DataError(f"round {bad[0]}: found the outcome {values[bad[0]]:g}; expected 0 or 1")
    return values
