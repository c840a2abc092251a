"""Labels: which values there are, which is the positive class, and the numbers that the loop works with."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError, ModelError, SettingError, plain

WHOLE = 2.0**53
"""Up to here every whole number is a float of its own."""


def tidy(labels: Array) -> Array:
    """Labels as a reader found them, made plain: all numbers → numbers, whole numbers → integers, else text.

    "nan", "inf" and "1_000" are text, and so are numbers too long for a float (identifiers).
    """
    if labels.dtype.kind in "MmS":  # as they are written
        return np.char.decode(labels, "utf-8", "replace") if labels.dtype.kind == "S" else labels.astype(str)
    if labels.dtype == object:
        text = np.array([str(label) for label in labels])
        try:
            labels = np.array([float(label.replace("_", "?")) for label in text])
        except ValueError:
            return text
        if not (np.abs(labels) <= WHOLE).all():
            return text
    if labels.dtype.kind == "f" and (np.abs(labels) <= WHOLE).all() and (labels == np.round(labels)).all():
        return labels.astype(np.int64)
    return labels


def class_list(labels: Array, positive: Any = None) -> Array:
    """The distinct labels, sorted; the positive class is the last, or the one named.

    Raises SettingError where `positive` is not a label or there are more than two classes.
    """
    classes = np.unique(labels)
    if positive is None:
        return classes
    if classes.size != 2:
        raise SettingError(f"{{positive}} needs two classes; these labels have {classes.size}", positive=positive)
    return classes[::-1].copy() if place_of(positive, classes) == 0 else classes


def place_of(positive: Any, classes: Array) -> int:
    """Its place among the classes: of an equal one, or of one that is written the same. SettingError where none is."""
    one = isinstance(positive, (str, bytes)) or not hasattr(positive, "__len__")
    same = [one and bool(label == positive or str(label) == str(positive)) for label in classes]
    if not any(same):
        listed = plain(", ".join(map(str, classes)))
        raise SettingError(f"{{positive}} is not a label; the labels are {listed}", positive=positive)
    return same.index(True)


def class_numbers(labels: Array, classes: Array, first_row: int = 1) -> Array:
    """(n,) class numbers 0 … K − 1. DataError names the first row with a label that is not in classes."""
    known, sought = classes, labels
    if {"U", "O"} & {classes.dtype.kind, labels.dtype.kind}:  # a file with labels 0 and 1 of the classes 0, 1 and x
        known, sought = classes.astype(str), labels.astype(str)
    order = np.argsort(known, kind="stable")
    codes = order[np.minimum(np.searchsorted(known, sought, sorter=order), known.size - 1)]
    unknown = np.flatnonzero(known[codes] != sought)
    if unknown.size:
        row = int(unknown[0])
        listed = ", ".join(map(str, classes[:10])) + (" …" if classes.size > 10 else "")
        label = labels[row : row + 1].tolist()[0]
        raise DataError(f"row {first_row + row}: unknown label {label!r}; the classes are {listed}")
    return codes


def as_classes(labels: Array, classes: Array) -> list[Any]:
    """(n,) labels as the classes have them, of which a file may hold 1 for "1"; others as they are."""
    known = {str(label): label for label in classes.tolist()} | {label: label for label in classes.tolist()}
    return [known.get(label, known.get(str(label), label)) for label in labels.tolist()]


def encode(labels: Array, classes: Array) -> Array:
    """(n,) float64: ±1 for two classes, else class numbers."""
    codes = class_numbers(labels, classes)
    return codes * 2.0 - 1.0 if classes.size == 2 else codes.astype(float)


def to_json(classes: Array) -> dict[str, Any]:
    """ModelError for labels that JSON does not have."""
    if classes.dtype.kind not in "iufbUO":
        raise ModelError(f"labels of type {classes.dtype} cannot be kept in a file; learn with text: y.astype(str)")
    return {
        "kind": {"i": "int", "u": "int", "f": "float", "b": "bool"}.get(classes.dtype.kind, "str"),
        "values": [value.item() if hasattr(value, "item") else value for value in classes],
    }


def from_json(saved: dict[str, Any]) -> Array:
    kinds = {"int": np.int64, "float": np.float64, "bool": np.bool_, "str": np.str_}
    return np.array(saved["values"], dtype=kinds[saved["kind"]])


def differing_in_case(labels: Iterable[Any]) -> list[str]:
    """Two of the labels that are the same but for capitals, or none."""
    seen: dict[str, str] = {}
    for label in map(str, labels):
        if (first := seen.setdefault(label.casefold(), label)) != label:
            return [first, label]
    return []
