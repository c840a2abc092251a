"""Rows in parts: set aside, in folds, in growing samples; each class in its proportion.

Each way of cutting has a seed, and results that were published with it: none may give other rows than it did.

    set_aside     a share to validate on         scikit-learn's StratifiedShuffleSplit
    two_parts     a share to learn from          class by class, both parts shuffled
    folds_of      each row held out once         scikit-learn's StratifiedKFold
    fold_numbers  the same as a number a row     classes dealt out one after the other; of all rows, too, evenly
    stratified    growing samples                each beginning has the classes in proportion
"""

import numpy as np

from ..core.rows import Array
from ..errors import DataError, SettingError
from .checks import at_least


def set_aside(y: Array, share: float, seed: int) -> tuple[Array, Array]:
    """Row numbers, ascending, to learn from and to validate on: a share of each class, by scikit-learn's
    StratifiedShuffleSplit. SettingError where that is not possible."""
    from sklearn.model_selection import train_test_split

    if isinstance(share, (bool, str)) or not 0.0 < share < 1.0:
        text = "{validation_fraction} must be a share of the rows between 0 and 1"
        raise SettingError(text, validation_fraction=share)
    try:
        out_of_all = at_least(len(y), share)
        kept, out = train_test_split(np.arange(len(y)), test_size=out_of_all, random_state=seed % 2**32, stratify=y)
    except ValueError as error:
        text = f"{share:g} of {len(y)} rows cannot be set aside for validation, class by class: {error}"
        raise SettingError(text) from None
    return np.sort(kept), np.sort(out)


def folds_for(y: Array, folds: int) -> int:
    """How many folds these labels allow. Raises DataError where a class has a single row."""
    values, counts = np.unique(y, return_counts=True)
    least = int(counts.argmin())
    if counts[least] < 2:
        raise DataError(f"class {values[least]} has a single row; to calibrate or choose a threshold it needs two")
    return int(min(folds, counts[least]))


def folds_of(y: Array, count: int, seed: int) -> list[tuple[Array, Array]]:
    """(training, held-out) row numbers of each fold, shuffled; no more folds than the smallest class has rows, and none
    where it has one."""
    from sklearn.model_selection import StratifiedKFold

    _, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    count = min(count, int(counts.min()))
    # By numbers, as scikit-learn takes labels like 0.5 for a quantity.
    return list(StratifiedKFold(count, shuffle=True, random_state=seed % 2**32).split(y, numbers)) if count >= 2 else []


def fold_numbers(y: Array, folds: int, seed: int) -> Array:
    """(n,) the fold of each row: of each class, and of all rows, the folds' shares differ by one row at most."""
    fold = np.empty(len(y), int)
    fold[by_class(y, np.arange(len(y)), seed)] = np.arange(len(y)) % folds
    return fold


def two_parts(y: Array, share: float, seed: int) -> tuple[Array, Array]:
    """Row numbers in a random order: `share` of each class, and the others."""
    order = np.random.default_rng(seed).permutation(len(y))
    first = np.zeros(len(y), bool)
    for label in np.unique(y):
        own = order[y[order] == label]
        first[own[: round(share * len(own))]] = True
    return order[first[order]], order[~first[order]]


def by_class(y: Array, rows: Array, seed: int) -> Array:
    """These rows shuffled, one class after the other."""
    shuffled = np.random.default_rng(seed).permutation(rows)
    return shuffled[np.argsort(y[shuffled], kind="stable")]


def stratified(y: Array, rows: Array, seed: int) -> Array:
    """These rows in an order of which each beginning has the classes in the proportion of the whole, each at least once
    among the first K."""
    grouped = by_class(y, rows, seed)
    _, starts, counts = np.unique(y[grouped], return_index=True, return_counts=True)
    place = (np.arange(grouped.size) - np.repeat(starts, counts)) / np.repeat(counts, counts)
    return grouped[np.argsort(place, kind="stable")]
