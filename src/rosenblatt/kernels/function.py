"""A kernel of one's own: a function of two arrays, as scikit-learn's SVC takes it."""

import sys
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..errors import DataError, ModelError, SettingError, short


class Function:
    """K(A, B) by a function of (n, d) and (m, d) arrays that gives (n, m). Model files hold where it is found by name,
    `module:function`; reading one runs no code, so that the module must have been imported."""

    parameters = ()

    def __init__(self, function: Any) -> None:
        self.function = function
        self.name = f"{function.__module__}:{getattr(function, '__qualname__', '')}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.function is other.function

    __hash__ = None  # type: ignore[assignment]

    def fitted(self, rows: Rows) -> "Function":
        return self

    def base(self, rows: Rows) -> Rows:
        return rows

    def block(self, a: Rows, b: Rows) -> Array:
        return self._values(a.toarray(), b.toarray())

    def own(self, rows: Rows, own: Array) -> Array:
        return np.array([self._values(row, row)[0, 0] for row in rows.toarray()[:, None]], float)

    def _values(self, a: Array, b: Array) -> Array:
        wanted = (len(a), len(b))
        if 0 in wanted:  # which functions of others refuse
            return np.zeros(wanted)
        try:
            values = np.asarray(self.function(a, b))
        except Exception as error:
            raise SettingError(f"kernel {self.name} fails: {type(error).__name__}: {error}") from None
        if values.shape != wanted or values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            text = f"kernel {self.name} gave {values.dtype} of shape {values.shape}: {short(str(values), 40)}"
            raise DataError(f"{text}; expected finite numbers of shape {wanted}")
        return values.astype(float)


def found(name: str) -> Function:
    """The inverse of the name. ModelError where it cannot be found without running code."""
    module, _, path = name.partition(":")
    value: Any = sys.modules.get(module)
    for part in path.split("."):
        value = getattr(value, part, None)
    if not callable(value):
        raise ModelError(f"the kernel is the function {path!r} of {module!r}; import that module first")
    return Function(value)


def findable(function: Any) -> bool:
    """Whether another process finds this very function by its name."""
    try:
        return function.__module__ != "__main__" and found(Function(function).name).function is function
    except ModelError:
        return False
