"""Random Fourier features: cosines of random frequencies, whose products are nearly those of a Gaussian kernel.

    z_c(x) = √(2/D)·cos(w_c·x + b_c),   w_c from N(0, 2γ), b_c from [0, 2π),   E z(x)·z(y) = exp(−γ‖x − y‖²)

With gradient descent on the weights this is FOGD. Source: Rahimi & Recht 2007; Lu et al. 2016; scikit-learn's
RBFSampler is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..errors import DataError
from ..kernels.rbf import Rbf
from .maps import COMPONENTS, Map

MOST = 1 << 27
"""Numbers at most that are drawn: 1 GB."""
NONE = np.empty(0)


class Fourier(Map):
    """weights: (d, D) float64 frequencies; offsets: (D,) float64. gamma: as of the kernel rbf."""

    name = "fourier"
    parameters = (COMPONENTS, *Rbf.parameters)

    def __init__(
        self, components: int = 1000, gamma: Any = "scale", weights: Array = NONE, offsets: Array = NONE
    ) -> None:
        self.components, self.gamma, self.weights, self.offsets = components, gamma, weights, offsets

    def drawn(self, rows: Rows) -> Fourier:
        if rows.width * self.components > MOST:
            found = f"{{map}} of {rows.width:,} columns draws {rows.width * self.components:,} numbers"
            raise DataError(f"{found}, and at most {MOST:,} are possible; take fewer, or nystroem", map=self.text)
        gamma, random = Rbf(self.gamma).fitted(rows).gamma, np.random.default_rng([self.seed, *self.name.encode()])
        weights = np.sqrt(2.0 * gamma) * random.normal(size=(rows.width, self.components))
        return Fourier(self.components, gamma, weights, random.uniform(0.0, 2.0 * np.pi, self.components))

    def values(self, rows: Rows) -> Array:
        values: Array = np.asarray(rows.matrix() @ self.weights.astype(rows.dtype))
        values += self.offsets.astype(rows.dtype)
        np.cos(values, out=values)
        values *= rows.dtype.type(np.sqrt(2.0 / self.components))
        return values

    def tensors(self) -> dict[str, Array]:
        return {"weights": self.weights, "offsets": self.offsets}

    @classmethod
    def of(cls, asked: Any, recipe: dict[str, Any], tensors: dict[str, Array]) -> Fourier:
        return cls(asked.components, asked.gamma, tensors["weights"], tensors["offsets"])

    def fits(self, width: int) -> bool:
        shapes = self.weights.shape == (width, self.components) and self.offsets.shape == (self.components,)
        return shapes and self.weights.dtype == self.offsets.dtype == np.float64
