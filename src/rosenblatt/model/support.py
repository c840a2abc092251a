"""Models in a kernel's space: of the rows that were learned from only those are kept that weights belong to."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.loop import State
from ..core.rows import Array
from ..features.kernel import InKernel
from ..features.pipeline import Features
from ..learn.run import Best, Run
from .model import Model

ON_COLUMNS = ("late", "pocket_w", "final_w", "start_w")
"""What a memory keeps that has a number for each column."""


def supported(model: Model) -> Model:
    """The model with the rows of its base that it uses, and no others; one without a kernel as it is."""
    step = None if model.features is None else model.features.kernel
    if step is None:
        return model
    parts = [(model.run.memory, model.run.state)]
    parts += [] if model.run.best is None else [(model.run.best.memory, model.run.best.state)]
    used = np.flatnonzero(np.any([_used(*part) for part in parts], axis=0))
    if used.size == step.width:
        return model
    places = np.full(step.width, -1)
    places[used] = np.arange(used.size)
    return moved(model, step.taken_base(used), lambda values: values[..., used], places)


def with_base(model: Model, rows: Any) -> Model:
    """The model with the base that these rows have come to, of those that it has learned from."""
    step = None if model.features is None else model.features.kernel
    if step is None or rows.width == step.width:
        return model
    old, later = model.features, np.full(rows.width - step.width, -1)
    new = InKernel(step.kernel, rows.base, np.concatenate([step.numbers, later]))
    return replace(model, features=Features(old.columns, [*old.steps[:-1], new], old.dictionary, old.senders))


def widened(model: Model, step: InKernel) -> Model:
    """The model with more rows in its base, whose weights are 0."""
    more = step.width - model.width

    def wider(values: Array) -> Array:
        return np.concatenate([values, np.zeros((*values.shape[:-1], more), values.dtype)], axis=-1)

    return moved(model, step, wider, np.arange(model.width)) if more else model


def moved(model: Model, step: InKernel, change: Any, places: Array) -> Model:
    """The model with this step, and what belongs to its columns changed. places: where each row of the base is now."""
    run, old = model.run, model.features
    features = Features(old.columns, [*old.steps[:-1], step], old.dictionary, old.senders)
    best = run.best
    if best is not None:
        best = Best(best.score, best.epoch, *_moved(best.memory, best.state, change, places, step.width))
    memory, state = _moved(run.memory, run.state, change, places, step.width)
    own: Run = replace(run, memory=memory, state=state, best=best)
    return replace(model, run=own, features=features)


def _used(memory: Any, state: State) -> Array:
    """(s,) bool: the columns that something belongs to."""
    tensors = [values for name, values in memory.tensors.items() if name in ON_COLUMNS]
    used = np.any([np.atleast_2d(values).any(axis=0) for values in (state.w, *tensors)], axis=0)
    support = getattr(memory, "support", None)
    if support is not None and support.rows is not None:
        used[support.rows.own] = True
    return np.asarray(used)


def _moved(memory: Any, state: State, change: Any, places: Array, width: int) -> tuple[Any, State]:
    memory = copy.copy(memory)
    own = {name: change(values) for name, values in memory.tensors.items() if name in ON_COLUMNS}
    memory.tensors = {**memory.tensors, **own}
    if getattr(memory, "support", None) is not None:
        memory.support = memory.support.moved(places, width)
    return memory, state._replace(w=change(state.w))
