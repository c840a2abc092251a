"""Keep the last weights."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.columns import pulled_on
from ..core.loop import SCALE, Keep, State, empty_keep
from ..core.rows import Array, Rows
from ..parameters import Parameter

Weights = tuple[Array, Array]
"""(w, b): (K, d) and (K,), true values; K = 1 for two classes."""


class Last:
    """The last weights answer. Also the base of the others: each changes only what differs.

    tensors: what the memory holds besides the state, by name. by_column: the state's weights are (d, K), as for sparse
    rows of many classes, else (K, d) or (d,).
    """

    name = "last"
    rank = 0
    parameters: tuple[Parameter, ...] = ()
    is_linear = True
    answers_now = True
    needs_measure = False
    by_row = True
    settles = False
    by_width: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.tensors: dict[str, Array] = {}
        self.by_column = False

    def class_rows(self, w: Array) -> Array:
        """The state's weights as (K, d)."""
        return w[None, :] if w.ndim == 1 else w.T if self.by_column else w

    def weights(self, state: State) -> Weights:
        """The weights as they are now, scale applied, copied."""
        w = state.w if state.pulled.size == 0 else pulled_on(state.w, state)
        return self.class_rows(w) * state.w.dtype.type(state.f[SCALE]), state.b.copy()

    def keep(self, state: State, joint: bool, block: int) -> Keep:
        """The arrays for the loop, made for this state and blocks of so many rows. joint: the classes of the state are
        learned together."""
        return empty_keep(state, joint)

    def next_stop(self, updates: int) -> int:
        """The number of updates at which the loop should return (0: none)."""
        return 0

    def collect(self, keep: Keep, rows: Rows) -> None:
        """Take what the loop logged about these rows."""

    def candidate(self, state: State, measure: Callable[[Weights], float] | None) -> None:
        """The loop returned before a record run ends, or an epoch has ended: consider the weights as they are."""

    def last_candidate(self, state: State, measure: Callable[[Weights], float] | None) -> None:
        """Learning stopped inside an epoch: consider the weights for answering, but not for going on."""

    def transpose(self) -> None:
        """The rows' storage changed: turn over arrays that are laid out like the state's."""
        self.by_column = not self.by_column

    def answer(self, state: State) -> Weights:
        """The weights that predict; of a memory that is not linear, those that stand for it."""
        return self.weights(state)

    def scores(self, rows: Rows, state: State) -> Array:
        """(n, K) scores that predict; K = 1 for two classes."""
        w, b = self.answer(state)
        with np.errstate(all="ignore"):
            return rows.scores(w) + b

    def vectors(self, state: State) -> int:
        """How many weight vectors answer each row."""
        return 1

    def columns_used(self, state: State) -> Array:
        """(d,) bool: the columns that something belongs to; weights that are laid out by class."""
        wide = [state.w, *(self.tensors[name] for name in self.by_width if name in self.tensors)]
        return np.any([np.atleast_2d(values).any(axis=0) for values in wide], axis=0)  # type: ignore[no-any-return]

    def moved(self, state: State, change: Callable[[Array], Array], places: Array) -> tuple[Any, State]:
        """(a memory, a state) of other columns. change: to arrays whose last axis is the columns. places: where each
        column is now, −1: nowhere."""
        new = copy.copy(self)
        own = {name: change(self.tensors[name]) for name in self.by_width if name in self.tensors}
        new.tensors = {**self.tensors, **own}
        return new, state._replace(w=change(state.w))

    def copy(self) -> Any:
        """A memory that can go on without changing this one."""
        new = copy.copy(self)
        new.tensors = {name: values.copy() for name, values in self.tensors.items()}
        return new

    def saved(self) -> dict[str, Array]:
        """Everything that has to be kept to resume."""
        return dict(self.tensors)

    def restore(self, saved: dict[str, Array]) -> None:
        """The inverse of `saved`."""
        self.tensors = dict(saved)
