"""Virtual examples: what a class stays the same under, made of the support vectors, and learned from as well.

After Schölkopf, Burges & Vapnik (1996): only the rows that learning has come to lean on are varied, and it goes on from
the weights that it has come to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.rows import Array, Rows, dense, stack
from ..errors import DataError, RosenblattError, SettingError, plural, short
from ..parameters import Parameter

VIRTUAL = Parameter(
    "virtual", None, object, metavar="shift:N", takes="str, callable or None", words={"none": None},
    help="With --kernel: learn on from the support vectors moved by N pixels, as square images: left, right, up, down.",
    meaning="With a kernel: after learning, virtual examples are made of the support vectors, and learning goes on from"
            ' the last weights with all rows and these, for as many epochs. "shift:1": square images moved'
            " by a pixel to the left, right, up and down, zeros shifted in; or a function of (s, d) rows that gives a"
            " list of such arrays, each with its row i made of row i.",
)  # fmt: skip


def shifts(pixels: int) -> Callable[[Array], list[Array]]:
    """(s, d) images, row by row of pixels → the same moved in four directions."""

    def shifted(images: Array) -> list[Array]:
        side = math.isqrt(images.shape[1])
        if side * side != images.shape[1] or pixels >= side:
            found = f"rows of {plural(images.shape[1], 'column')}"
            raise DataError(
                f"virtual examples by shift:{pixels}: found {found}; expected square images that are larger"
            )
        square, out = images.reshape(-1, side, side), []
        for axis in (1, 2):
            for by in (pixels, -pixels):
                moved = np.zeros_like(square)
                to, of = (slice(by, None), slice(None, -by)) if by > 0 else (slice(None, by), slice(-by, None))
                places = [slice(None)] * 3
                places[axis] = to
                sources = [slice(None)] * 3
                sources[axis] = of
                moved[tuple(places)] = square[tuple(sources)]
                out.append(moved.reshape(images.shape))
        return out

    return shifted


def virtual_from(asked: Any) -> Callable[[Array], list[Array]]:
    """What makes the examples. SettingError for another text."""
    if callable(asked):
        return asked  # type: ignore[no-any-return]
    name, _, number = str(asked).partition(":")
    if name != "shift" or not (number or "1").isdecimal() or int(number or "1") < 1:
        raise SettingError("{virtual:s} must be shift:N with N pixels, at least 1, or a function", virtual=asked)
    return shifts(int(number or "1"))


def examples(asked: Any, rows: Rows) -> tuple[Rows, int]:
    """(rows that are made of these, all of one kind after all of another; how many kinds). SettingError for a function
    that fails, DataError for what is no list of such arrays."""
    values, make = rows.toarray(), virtual_from(asked)
    called = asked if isinstance(asked, str) else getattr(asked, "__qualname__", type(asked).__name__)
    try:
        made = make(values)
    except RosenblattError:
        raise
    except Exception as error:
        raise SettingError(f"virtual {called} fails: {type(error).__name__}: {error}") from None
    wanted = f"expected a list of arrays of shape {values.shape}, each with its row i made of row i"
    if not isinstance(made, (list, tuple)) or not made:
        kind = f"one array of shape {made.shape}" if isinstance(made, np.ndarray) else short(repr(made), 40)
        raise DataError(f"virtual {called} gave {kind}; {wanted}")
    whole = []
    for number, each in enumerate(made, start=1):
        try:
            whole.append(np.asarray(each, values.dtype))
        except (TypeError, ValueError):
            raise DataError(f"virtual {called}: array {number} holds something that is no number; {wanted}") from None
        if whole[-1].shape != values.shape:
            raise DataError(f"virtual {called} gave an array of shape {whole[-1].shape}; {wanted}")
        if not (finite := np.isfinite(whole[-1]).all(axis=1)).all():
            row = f"NaN or infinity in row {int(finite.argmin()) + 1} of array {number}"
            raise DataError(f"virtual {called} gave {row}; expected finite numbers")
    return stack([dense(each) for each in whole]), len(whole)
