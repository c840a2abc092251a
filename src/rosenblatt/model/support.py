"""Models in a kernel's space: of the rows that were learned from only those are kept that weights belong to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.rows import Array
from ..features.kernel import InKernel
from ..features.pipeline import Features
from ..learn.run import Best, Run
from .model import Model


def supported(model: Model) -> Model:
    """The model with the rows of its base that it uses, and no others; one without a kernel as it is."""
    step = None if model.features is None else model.features.kernel
    if step is None:
        return model
    parts = [(model.run.memory, model.run.state)]
    parts += [] if model.run.best is None else [(model.run.best.memory, model.run.best.state)]
    used = np.flatnonzero(np.any([memory.columns_used(state) for memory, state in parts], axis=0))
    if used.size == step.width:
        return model
    places = np.full(step.width, -1)
    places[used] = np.arange(used.size)
    return moved(model, step.taken_base(used, places), lambda values: values[..., used], places)


def with_base(model: Model, rows: Any) -> Model:
    """The model with the base and the span that these rows have come to, of those that it has learned from."""
    step = None if model.features is None else model.features.kernel
    if step is None or (rows.width == step.width and rows.span is step.span):
        return model
    old, later = model.features, np.full(rows.width - step.width, -1)
    new = InKernel(step.kernel, rows.base, np.concatenate([step.numbers, later]), rows.span)
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
        best = Best(best.score, best.epoch, *best.memory.moved(best.state, change, places))
    memory, state = run.memory.moved(run.state, change, places)
    own: Run = replace(run, memory=memory, state=state, best=best)
    return replace(model, run=own, features=features)
