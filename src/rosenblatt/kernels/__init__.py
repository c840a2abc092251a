"""Kernels: K(x, z) = φ(x)·φ(z) without φ. One file each; a new file here is a new kernel everywhere.

A kernel is a value with

    name        as on the command line
    parameters  what it takes, a `Parameter` for each argument of its constructor, which keeps them as attributes
    fitted      (rows) → the kernel with what it asks of the rows that are learned from, as gamma="scale" of `rbf`
    block       (a, b) → (n, m) K of each row of a with each row of the base b, in their dtype
    own         (a, own) → (n,) float64 K(x, x); own: which row of the base each is
    base        (rows) → what is kept of the rows that are learned from, default themselves
    rounding    (rows) → (n,) float64 r: |K(x_i, x_j) − its value in float64| ≤ r_i·r_j, 0 where that is K itself. A
                kernel without it is taken to be right to 12 digits, of float32 to 6, and whole numbers to be K itself
    arrays      names of arrays that `fitted` has found beside the parameters, None where there is none, and that files
                hold; `holding(arrays, width)` takes them back. A kernel without it has none
    check_more  (rows) → None; DataError where learning cannot go on with these rows. A kernel without it takes any
    definite    whether K of rows, of which no two are equal, is positive definite; a kernel without it need not be

`rows.py` has rows that are known by K alone, with which every rule and memory learns in the dual; `blocks.py` how that
is done fast; `function.py` kernels that are a function of one's own.
"""

import sys
from typing import Any

from ..errors import SettingError
from ..lazy import members
from ..parameters import Parameter, made
from .function import Function, found

KERNEL = Parameter(
    "kernel", None, object, metavar="KERNEL", takes="str, callable, kernel or None", words={"none": None},
    help="Learn in the dual: {choices}; with parameters: poly:degree=4.",
    meaning='Learn in the dual, w = Σ a_j·φ(x_j), with K(x, z) = φ(x)·φ(z): a name ("poly", "rbf:gamma=0.1",'
            ' "poly:degree=4,unit=true" …), or a function of two arrays (n, d) and (m, d) that gives (n, m). None: w is'
            " of the features themselves. A bias is K + 1. Takes no metric, no L1 and no pick optimizer.",
)  # fmt: skip

BUDGET = Parameter(
    "budget", None, int, "With a kernel: the most support vectors.", least=1, words={"none": None}, early=True,
    meaning="With a kernel: the most rows that get weights (support vectors). Others make their steps by their nearest"
            " points in the span of those (Projectron). None: no limit. Goes with keep last and averaged.",
)  # fmt: skip


def kernel_classes() -> dict[str, Any]:
    """name → class for every kernel in this folder."""
    return members(sys.modules[__name__], "block")


def kernel_from(given: Any) -> Any:
    """The kernel of a text (`rbf`, `poly:degree=4`, `module:function`), of a function, or a kernel itself; None: none.
    SettingError for others, ModelError for a function that is not there."""
    if given is None or hasattr(given, "block"):
        return given
    if callable(given):
        return Function(given)
    if not isinstance(given, str):
        raise SettingError("{kernel} must be a name, a function of two arrays, or None", kernel=given)
    known = kernel_classes()
    if ":" in given and "=" not in given and given.partition(":")[0] not in known:
        return found(given)
    return made(given, known, "kernel", {})


def arrays_of(kernel: Any) -> dict[str, Any]:
    """What a fitted kernel has found beside its parameters, by name."""
    names: tuple[str, ...] = getattr(kernel, "arrays", ())
    held = {name: getattr(kernel, name) for name in names}
    return {name: value for name, value in held.items() if value is not None}


def with_arrays(kernel: Any, arrays: dict[str, Any], width: int) -> Any:
    """The inverse, of rows of so many columns. ModelError where they are none of its."""
    return kernel.holding(arrays, width) if arrays and hasattr(kernel, "holding") else kernel


def kernel_name(kernel: Any) -> str:
    """The text of a kernel, with the parameters that differ from their defaults."""
    changed = [
        f"{each.inner}={str(value).lower() if isinstance(value, bool) else value}"
        for each in kernel.parameters
        if (value := getattr(kernel, each.inner)) != each.default
    ]
    return f"{kernel.name}:{','.join(changed)}" if changed else str(kernel.name)
