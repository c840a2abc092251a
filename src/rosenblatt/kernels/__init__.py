"""Kernels: K(x, z) = φ(x)·φ(z) without φ. One file each; a new file here is a new kernel everywhere.

A kernel is a value with

    name        as on the command line
    parameters  what it takes, a `Parameter` for each argument of its constructor, which keeps them as attributes
    block       (a, b) → (n, m) K of each row of a with each of b, in their dtype
    own         (a) → (n,) float64 K(x, x)

`rows.py` has rows that are known by K alone, with which every rule and memory learns in the dual; `blocks.py` how that
is done fast.
"""

import sys
from typing import Any

from ..lazy import members
from ..parameters import made


def kernel_classes() -> dict[str, Any]:
    """name → class for every kernel in this folder."""
    return members(sys.modules[__name__], "block")


def kernel_from(text: str) -> Any:
    """The kernel of a text (`rbf`, `poly:degree=4`). SettingError for an unknown one."""
    return made(text, kernel_classes(), "kernel", {})
