"""Keep the average of the weights after every example."""

import numpy as np

from ..core.loop import CLOCK, SEEN, Keep, State, empty_keep
from .last import Last, Weights


class Averaged(Last):
    """Averaged: (1/t)·Σ_{s=1..t} w̄_s, with w̄_s the weights after example s, at O(nnz) an update.

    An update a·x made when the clock S = Σ scale stands at S₀ counts in all later vectors, so the sum is S·w − late
    with late = Σ a·S₀·x. Kept in float64 whatever the data. Source: lecture note 003; the same as scikit-learn's
    SGD with average=True.
    """

    name = "averaged"
    rank = 1
    answers_now = False
    settles = True
    by_width = ("late",)

    def keep(self, state: State, joint: bool, block: int) -> Keep:
        if "late" not in self.tensors:
            self.tensors = {"late": np.zeros(state.w.shape), "late_b": np.zeros(state.b.size)}
        return empty_keep(state, joint)._replace(late=self.tensors["late"], late_b=self.tensors["late_b"])

    def transpose(self) -> None:
        super().transpose()
        if "late" in self.tensors:
            self.tensors["late"] = np.ascontiguousarray(self.tensors["late"].T)

    def answer(self, state: State) -> Weights:
        t = int(state.n[SEEN])
        if t == 0 or "late" not in self.tensors:
            return self.weights(state)
        w = (state.f[CLOCK] * state.w - self.tensors["late"]) / t
        return self.class_rows(w).astype(state.w.dtype), (t * state.b - self.tensors["late_b"]) / t
