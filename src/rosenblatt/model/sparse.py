"""Arrays that hold one number in most of their places, in model files: that number once, and the others by place.

Of an array `name`, seen along its longest axis: `name.usual` is the number that most places hold, for each place of the
other axes; `name.at` counts, row by row, the places that hold another one, and `name.values` has those. Bits are
compared, not numbers, so that what is read is what was written. The header says the shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import ModelError

SMALL = 64
"""Numbers that are written as they are."""


def _bits(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


def packed(tensors: dict[str, Array]) -> tuple[dict[str, list[int]], dict[str, Array]]:
    """(shapes, tensors), with arrays of floats taken apart where less than half of the places hold another number than
    most; shapes: of those, by name. tensors: contiguous."""
    shapes, out = dict[str, list[int]](), dict[str, Array]()
    for name, array in tensors.items():
        if array.dtype.kind == "f" and array.size > SMALL:
            axis = int(np.argmax(array.shape))
            middle = array.shape[axis] // 2  # where the half of the places is, most of them is too
            usual = np.partition(array, middle, axis).take([middle], axis)
            at = np.flatnonzero(_bits(array) != _bits(usual))
            if 2 * at.size < array.size:
                shapes[name] = list(array.shape)
                parts = {"usual": usual, "at": at.astype(np.uint64 if array.size > 1 << 32 else np.uint32)}
                out |= {f"{name}.{part}": value for part, value in (parts | {"values": array.ravel()[at]}).items()}
                continue
        out[name] = array
    return shapes, out


def unpacked(shapes: dict[str, list[int]], tensors: dict[str, Array]) -> dict[str, Array]:
    """The inverse of `packed`. ModelError where the parts do not fit each other."""
    parts = {f"{name}.{part}" for name in shapes for part in ("usual", "at", "values")}
    out = {name: array for name, array in tensors.items() if name not in parts}
    for name, shape in shapes.items():
        usual, at, values = (tensors.get(f"{name}.{part}", np.empty(0)) for part in ("usual", "at", "values"))
        axis, size = int(np.argmax(shape)), np.prod(np.array(shape, object))
        right = name not in out and list(usual.shape) == [*shape[:axis], 1, *shape[axis + 1 :]]
        right = right and at.ndim == 1 and at.dtype.kind == "u" and values.shape == at.shape
        right = right and usual.dtype == values.dtype and usual.dtype.kind == "f"
        if not (right and bool((at[1:] > at[:-1]).all()) and (not at.size or int(at[-1]) < size)):
            raise ModelError(f"damaged: the parts of its array {name} do not fit each other")
        out[name] = _whole(name, shape, usual)
        out[name].ravel()[at] = values
    return out


def _whole(name: str, shape: list[int], usual: Array) -> Any:
    try:
        return np.array(np.broadcast_to(usual, shape), order="C")
    except (MemoryError, ValueError):
        raise ModelError(f"its array {name} of shape {shape} does not fit into memory") from None
