"""Nyström features: rows by their kernel with some rows, the landmarks, turned so that their products are the kernel's.

    z(x) = K^(−1/2)·k(x),   K the kernel of the landmarks with each other, k(x) that of x with them

so that z(x)·z(y) = K(x, y) where one of them is a landmark, else that of their shadows on the span of the landmarks.
With gradient descent on the weights this is NOGD, but that its landmarks are the first rows that made a step; here they
are drawn from all (and `budget` of kernels takes those that made one). Directions of the landmarks that are no longer
than rounding count as nothing: raised to 1e-12, as scikit-learn does, they left the averaged perceptron 22 % errors on
a checkerboard of float32, not 3. Source: Williams & Seeger 2001; Lu et al. 2016; scikit-learn's Nystroem.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..errors import SettingError
from ..kernels import kernel_classes
from ..kernels.blocks import checked_norms
from ..kernels.poly import Poly
from ..kernels.rows import KernelRows
from ..parameters import Parameter
from .kernel import InKernel
from .maps import COMPONENTS, Map

KERNEL = Parameter(
    "map_kernel", "rbf", own="kernel", choices=("rbf", "poly", "linear"), help="{choices}.",
    refusal="map: kernel={map_kernel.value} is unknown; one of {choices}",
)  # fmt: skip
GAMMA = Parameter(
    "map_gamma", "auto", float, own="gamma", least=0, above=True, words={"auto": "auto", "scale": "scale"},
    help="The kernel's; auto: its own.", refusal="map: gamma={map_gamma.value} must be a number > 0",
)  # fmt: skip


class Nystroem(Map):
    """landmarks: the step into their kernel, fitted. root: (m, m) float64 K^(−1/2); m may be less than `components`
    where there are fewer rows."""

    name = "nystroem"
    parameters = (COMPONENTS, KERNEL, GAMMA, *(each for each in Poly.parameters if each.inner in ("degree", "coef0")))

    def __init__(
        self, components: int = 1000, kernel: str = "rbf", gamma: Any = "auto", degree: int = 3, coef0: float = 1.0
    ) -> None:
        self.components, self.kernel, self.gamma, self.degree, self.coef0 = components, kernel, gamma, degree, coef0
        self.landmarks, self.root = InKernel(None), np.empty((0, 0))

    @property
    def width(self) -> int:
        return len(self.root)

    def check(self, said: Collection[str]) -> None:
        for each in (GAMMA, *self.parameters[3:]):
            taken = {own.inner: own for own in kernel_classes()[self.kernel].parameters}
            if each.name in said and each.inner not in taken:
                raise SettingError(f"{{map}}: kernel {self.kernel} has no {each.inner}; leave it out", map=self.text)
            if each.name in said and getattr(self, each.inner) != "auto":
                taken[each.inner].check(getattr(self, each.inner))

    def drawn(self, rows: Rows) -> Nystroem:
        taken = kernel_classes()[self.kernel]
        own = {each.inner: getattr(self, each.inner) for each in taken.parameters if hasattr(self, each.inner)}
        kernel = taken(**{name: value for name, value in own.items() if value != "auto"}).fitted(rows)
        random = np.random.default_rng([self.seed, *self.name.encode()])
        chosen = np.sort(random.permutation(rows.n)[: self.components])
        base = rows.take(chosen)
        checked_norms(KernelRows(kernel, base, base, np.arange(base.n)))
        values, vectors = np.linalg.eigh(kernel.block(base, base).astype(float))
        inverse = (
            np.where(values > values.max(initial=0.0) * len(values) * np.finfo(rows.dtype).eps, values, np.inf) ** -0.5
        )
        root = vectors * inverse @ vectors.T
        return self._with(InKernel(kernel, base, chosen), root)

    def _with(self, landmarks: InKernel, root: Array) -> Nystroem:
        new = Nystroem(self.components, self.kernel, self.gamma, self.degree, self.coef0)
        new.landmarks, new.root = landmarks, root
        return new

    def values(self, rows: Rows) -> Array:
        return self.landmarks.transform(rows).scores(self.root)

    def recipe(self) -> dict[str, Any]:
        return super().recipe() | {"landmarks": self.landmarks.recipe()}

    def tensors(self) -> dict[str, Array]:
        return {"root": self.root, **self.landmarks.tensors()}

    @classmethod
    def of(cls, asked: Any, recipe: dict[str, Any], tensors: dict[str, Array]) -> Nystroem:
        own: Nystroem = asked._with(InKernel.restored(recipe["landmarks"], tensors), tensors["root"])
        return own

    def fits(self, width: int) -> bool:
        m, base = self.landmarks.width, self.landmarks.base
        return (
            self.root.shape == (m, m) and self.root.dtype == np.float64 and m <= self.components and base.width == width
        )
