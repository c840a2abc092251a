"""Labels: which values there are, which is the positive class, and the numbers that the loop works with."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError, ModelError, SettingError, plain

WHOLE = 2.0**53
"""Below it every whole number is a float of its own."""
NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
"""A label of a line that is a number. 01 is none, but a code: its zero would be lost."""
ZEROS = re.compile(r"(?<![\d.])0+(?=\d)", re.ASCII)
"""Those at the front of a code."""


def is_text(labels: Array) -> bool:
    """Whether they are text: of lines (dtype object), where 1 may be a number, or of typed data, where "1" is none."""
    return labels.dtype.kind in "OU"


def tidy(labels: Array) -> Array:
    """Labels as a reader found them, made plain: whole numbers → integers, and of lines, whose labels are in an array
    of objects: all numbers → numbers, else text. Text in an array of text stays text.

    One that is no number makes text of all: a word, "nan", "1_000", a code with a leading zero (01067), and what is too
    long for a float (identifiers). +1, 1 and 1.0 are one number.
    """
    if labels.dtype.kind in "MmS":  # as they are written
        return np.char.decode(labels, "utf-8", "replace") if labels.dtype.kind == "S" else labels.astype(str)
    if labels.dtype == object:
        text = list(map(str, labels))
        numbers = {label: float(label) for label in set(text) if NUMBER.fullmatch(label)}
        if not all(label in numbers and abs(numbers[label]) < WHOLE for label in set(text)):
            return np.array(text)
        labels = np.array([numbers[label] for label in text])
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


def _places(labels: Array, classes: Array) -> Array:
    """(n,) places among the classes, −1 of what is none: the same text, else the same number. Other data may hold 1 for
    the text "1", and the text "1" or "01" for the number 1, as what the classes are says."""
    if not is_text(classes) and not is_text(labels) and {classes.dtype.kind, labels.dtype.kind} != {"i", "u"}:
        order = np.argsort(classes, kind="stable")
        codes = order[np.minimum(np.searchsorted(classes, labels, sorter=order), classes.size - 1)]
        return np.where(classes[codes] == labels, codes, -1)
    own, sought = classes.tolist(), list(map(str, labels.tolist()))
    texts = {str(label): k for k, label in enumerate(own)}
    numeric = classes.dtype.kind in "biuf"
    numbers = {float(label): k for k, label in enumerate(own) if numeric or NUMBER.fullmatch(str(label))}
    place = {}
    for label in set(sought):
        bare = ZEROS.sub("", label, 1) if numeric else label
        place[label] = texts.get(label, numbers.get(float(bare), -1) if NUMBER.fullmatch(bare) else -1)
    return np.array([place[label] for label in sought], np.int64)


def class_numbers(labels: Array, classes: Array, first_row: int | Array = 1) -> Array:
    """(n,) class numbers 0 … K − 1. DataError names the first row with a label that is not in classes. first_row: the
    number of the first, or (n,) those of all."""
    labels, classes = (each if is_text(each) else tidy(each) for each in (labels, classes))
    codes = _places(labels, classes)
    unknown = np.flatnonzero(codes < 0)
    if unknown.size:
        row = int(unknown[0])
        listed = ", ".join(map(str, classes[:10])) + (" …" if classes.size > 10 else "")
        label = labels[row : row + 1].tolist()[0]
        number = first_row + row if isinstance(first_row, int) else first_row[row]
        raise DataError(f"row {number}: unknown label {label!r}; the classes are {listed}")
    return codes


def as_classes(labels: Array, classes: Array) -> list[Any]:
    """(n,) labels as the classes have them, of which a file may hold 1 for "1"; others as they are."""
    labels, own = labels if is_text(labels) else tidy(labels), classes.tolist()
    return [own[k] if k >= 0 else label for k, label in zip(_places(labels, classes), labels.tolist(), strict=True)]


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
    kind, values = kinds[saved["kind"]], saved["values"]
    return np.array(values, np.uint64 if kind is np.int64 and max(values, default=0) >= 2**63 else kind)


def differing_in_case(labels: Iterable[Any]) -> list[str]:
    """Two of the labels that are the same but for capitals, or none."""
    seen: dict[str, str] = {}
    for label in map(str, labels):
        if (first := seen.setdefault(label.casefold(), label)) != label:
            return [first, label]
    return []
