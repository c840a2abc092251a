"""The step into a kernel's space: rows known by their kernel with those that are learned from. It is the last one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, Rows, kind_of
from ..data.checks import check_range
from ..errors import ModelError
from ..kernels import arrays_of, kernel_from, kernel_name, with_arrays
from ..kernels.function import findable
from ..kernels.rows import KernelRows, known, more_rows, rows_to_learn_from
from .step import OfAllRows


class InKernel(OfAllRows):
    """kernel: as it was asked for, or fitted. base: the rows that w is a sum of. numbers: (s,) their numbers in the
    data that they came from, from 0. span: within a budget what learning goes on with, which no file holds."""

    kind = "kernel"

    def __init__(self, kernel: Any, base: Any = None, numbers: Any = None, span: Any = None) -> None:
        self.kernel, self.base, self.span = kernel, base, span
        self.numbers = np.empty(0, np.int64) if numbers is None else numbers

    @property
    def width(self) -> int:
        return 0 if self.base is None else int(self.base.n)

    def finish(self, partial: Any) -> InKernel:
        if not getattr(self.kernel, "pairwise", False):  # those are values of K
            check_range(partial, partial.largest())
        rows = rows_to_learn_from(self.kernel, partial)
        return InKernel(rows.kernel, rows.base, rows.own)

    def transform(self, rows: Rows) -> Any:
        return KernelRows(self.kernel, rows, self.base, np.full(rows.n, -1))

    def learned(self, rows: Rows, others: bool = False) -> Any:
        own = known(self.kernel.base(rows), self.base)[0] if others else np.arange(rows.n)
        own[own >= self.width] = -1
        return KernelRows(self.kernel, rows, self.base, own)

    def learning(self, rows: Rows) -> tuple[InKernel, Any]:
        """The step and the rows to learn on from, which are in its base."""
        more = more_rows(self.kernel, rows, self.base)
        more.span, later = self.span, np.full(more.width - self.width, -1)
        return InKernel(self.kernel, more.base, np.concatenate([self.numbers, later])), more

    def taken_base(self, used: Array, places: Array) -> InKernel:
        """The same with these rows of the base alone. places: where each row is then, −1: gone."""
        span = None if self.span is None else self.span.moved(places)
        return InKernel(self.kernel, self.base.take(used), self.numbers[used], span)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"span": None}

    def name(self, column: int) -> str:
        """Of a row of the base: `row 17` of the data that were learned from first, `later row 3` of others."""
        number = int(self.numbers[column])
        if number >= 0:
            return f"row {number + 1}"
        return f"later row {int(np.count_nonzero(self.numbers[: column + 1] < 0))}"

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"kernel": kernel_name(self.kernel)}

    def tensors(self) -> dict[str, Array]:
        function = getattr(self.kernel, "function", None)
        if function is not None and not findable(function):
            name = self.kernel.name
            raise ModelError(f"kernel {name} cannot be found again by its name; put it into a module to save the model")
        base = {f"base_{name}": np.asarray(getattr(self.base, name)) for name in self.base._fields}
        own = {f"kernel_{name}": value for name, value in arrays_of(self.kernel).items()}
        return {"numbers": self.numbers, **base, **own}

    @classmethod
    def restored(cls, recipe: dict[str, Any], tensors: dict[str, Array], width: int | None = None) -> InKernel:
        """The inverse of `recipe` and `tensors`. width: of the rows before it, None: as its
        base's. ModelError where they do not fit."""
        parts = {name.removeprefix("base_"): value for name, value in tensors.items() if name.startswith("base_")}
        kind = kind_of(parts)
        numbers = tensors.get("numbers", np.empty(0))
        if kind is None or numbers.dtype != np.int64:
            raise ModelError("damaged: the rows of its kernel are of a kind that is not known")
        base = kind.restored(parts)
        if numbers.shape != (base.n,):
            raise ModelError("damaged: the rows of its kernel have not a number each")
        kernel = kernel_from(recipe["kernel"])
        of_numbers = getattr(kernel, "pairwise", False)
        width = base.width if width is None else width
        right = kernel is not None and base.width == (1 if of_numbers else width) and bool(base.finite().all())
        if right and of_numbers:
            right = base.values.min(initial=0.0) >= 0 and base.values.max(initial=0.0) < width
        elif right and not hasattr(kernel, "function"):
            kernel.own(base.take(np.arange(min(base.n, 1))), np.arange(1))  # fails for one that is not fitted
        if not right:
            raise ModelError("damaged: the rows of its kernel are not those of its features")
        own = {name.removeprefix("kernel_"): tensors[name] for name in tensors if name.startswith("kernel_")}
        return cls(with_arrays(kernel, own, width), base, numbers)
