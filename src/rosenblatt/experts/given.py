"""Advice, losses, outcomes and settings, checked and made arrays and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError, SettingError


def as_rounds(given: Any, n: int, awake: Any = None, *, rows: bool = True, losses: bool = False) -> Array:
    """(T, n) float64, NaN where asleep, from (T, n) advice of 0 and 1, or losses in [0, 1]; rows False: from (n,).

    Masked entries, None and NaN are asleep; awake: bool of the same shape. DataError names round and expert, from 0.
    """
    what = "losses" if losses else "advice"
    values = _numbers(given, f"found something in the {what} that is no number; expected shape {_shape(n, rows)}")
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


def _numbers(given: Any, refused: str) -> Array:
    """A new array of float64, NaN for masked entries. DataError for what float64 does not hold, as complex numbers."""
    try:
        if np.ma.isMaskedArray(given):
            given = np.ma.filled(given.astype(float), np.nan)
        if np.iscomplexobj(given):
            raise ValueError
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(refused) from None


def _mask(awake: Any) -> Array:
    try:
        return np.asarray(awake)
    except ValueError:
        raise DataError("awake is not a row of True and False") from None


def _shape(n: int, rows: bool) -> str:
    return f"(rounds, {n})" if rows else f"({n},)"


def as_outcome(outcome: Any) -> float:
    """An outcome, 0 or 1, as a float. DataError for anything else."""
    refused = f"found the outcome {str(outcome)[:40]}; expected 0 or 1"
    value = _numbers(outcome, refused)
    if value.shape != () or value not in (0.0, 1.0):
        raise DataError(refused)
    return float(value)


def as_outcomes(outcomes: Any, count: int) -> Array:
    """(T,) float64 of 0 and 1. DataError names the first that is neither."""
    values = _numbers(outcomes, "the outcomes hold something that is no number; expected 0 or 1")
    if values.shape != (count,):
        raise DataError(f"the outcomes have shape {values.shape}; expected ({count},), one a round")
    bad = np.flatnonzero(~((values == 0.0) | (values == 1.0)))
    if bad.size:
        raise DataError(f"round {bad[0]}: found the outcome {values[bad[0]]:g}; expected 0 or 1")
    return values


def whole_number(least: int, must: str, **setting: Any) -> int:
    """A setting as an int. SettingError where it is none, or below the least: it must be a whole number `must`."""
    ((name, value),) = setting.items()
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise SettingError(f"{{{name}}} must be a whole number {must}", **setting)
    return int(value)


def number_between(low: float, high: float, must: str, **setting: Any) -> float:
    """A setting as a float. SettingError where it is none, or not between both: it must be a number `must`."""
    ((name, value),) = setting.items()
    try:
        number = math.nan if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low < number < high:
        raise SettingError(f"{{{name}}} must be a number {must}", **setting)
    return number
