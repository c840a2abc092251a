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
        values = _numbers(np.ma.filled(given.astype(float), np.nan) if masked else given)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"found something in the {what} that is no number; expected shape {_shape(n, rows)}") from None
    if values.ndim != (2 if rows else 1) or values.shape[-1] != n:
        raise DataError(f"found {what} of shape {values.shape}; expected {_shape(n, rows)}")
    if awake is not None:
        mask = _mask(awake)
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


def _numbers(given: Any) -> Array:
    """A new array of float64. ValueError for complex numbers, of which float64 would hold the real part."""
    if np.iscomplexobj(given):
        raise ValueError
    return np.array(given, dtype=np.float64)


def _mask(awake: Any) -> Array:
    try:
        return np.asarray(awake)
    except ValueError:
        raise DataError("awake is not a row of True and False") from None


def _shape(n: int, rows: bool) -> str:
    return f"(rounds, {n})" if rows else f"({n},)"


def as_outcome(outcome: Any) -> float:
    """An outcome, 0 or 1, as a float. DataError for anything else."""
    try:
        value = _numbers(outcome)
    except (TypeError, ValueError, OverflowError):
        value = np.empty(0)
    if value.shape != () or value not in (0.0, 1.0):
        raise DataError(f"found the outcome {str(outcome)[:40]}; expected 0 or 1")
    return float(value)


def as_outcomes(outcomes: Any, count: int) -> Array:
    """(T,) float64 of 0 and 1. DataError names the first that is neither."""
    try:
        masked = np.ma.isMaskedArray(outcomes)
        values = _numbers(np.ma.filled(outcomes.astype(float), np.nan) if masked else outcomes)
    except (TypeError, ValueError, OverflowError):
        raise DataError("the outcomes hold something that is no number; expected 0 or 1") from None
    if values.shape != (count,):
        raise DataError(f"the outcomes have shape {values.shape}; expected ({count},), one a round")
    bad = np.flatnonzero(~((values == 0.0) | (values == 1.0)))
    if bad.size:
        raise DataError(f"round {bad[0]}: found the outcome {values[bad[0]]:g}; expected 0 or 1")
    return values
