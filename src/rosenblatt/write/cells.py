"""What the writers share: labels as text or as numbers, documents as text, and the bits of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError
from . import Shape
from .digits import shortest


def label_texts(y: Array) -> list[str]:
    """Labels as text: numbers in their shortest form."""
    if y.dtype == object:
        return [str(label) for label in y]
    if y.dtype.kind in "iub":
        return [str(int(label)) for label in y]
    texts = {value: shortest(value) for value in np.unique(y).tolist()}
    return [texts[value] for value in y.tolist()]


def label_numbers(y: Array, shape: Shape) -> Array:
    """(n,) float64. DataError for a label that is no number and has none in `shape.numbers`."""
    if y.dtype != object:
        return y.astype(np.float64)
    numbers = {}
    for label in dict.fromkeys(str(label) for label in y):
        try:
            number = float(label.replace("_", "?")) if shape.numbers is None else shape.numbers[label]
        except (ValueError, KeyError):
            raise DataError(f"the label {label!r} has no number; the format needs one for each label") from None
        if not np.isfinite(number):
            raise DataError(f"the label {label!r} is no finite number, which the format needs")
        numbers[label] = number
    return np.array([numbers[str(label)] for label in y], np.float64)


def document_text(document: list[tuple[str, str]]) -> str:
    """The fields of a document, one after the other."""
    return document[0][1] if len(document) == 1 else "\n".join(text for _, text in document if text)


def in_float64(values: Array) -> Any:
    """The values' bits, as the writers of text need them: every float32 is a float64."""
    return np.ascontiguousarray(values, np.float64).view(np.uint64)
