"""What a record must be before its run is made again: compiled loops look at no bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import labels
from ..errors import ModelError
from ..learn.run import Chunk
from ..model.form import HEADER, check_arrays, check_form
from .record import Record

RUN = {name: HEADER[name] for name in (
    "settings", "by_column", "joint", "epoch", "rows", "blocks", "stale", "converged", "history", "position",
    "best_loss", "start_loss?", "stop_reason",
)}  # fmt: skip
"""name → form of the state of a run that goes on."""


def check_whole(record: Record, chunk: Chunk) -> None:
    """ModelError where rows, labels, order, weights or state do not fit each other."""
    n, classes = chunk.rows.n, len(record.classes)
    codes = (-1.0, 1.0) if classes == 2 else np.arange(classes)
    _demand(chunk.y.shape == (n,) and bool(np.isin(chunk.y, codes).all()), "its labels are not those of its classes")
    weight = chunk.weight
    right = weight is None or weight.shape == (n,) and bool((np.isfinite(weight) & (weight >= 0.0)).all())
    _demand(right, "its rows have not a weight ≥ 0 each")
    _demand(sum(record.sizes) == n and min(record.sizes) > 0, "its chunks are not all of its rows")
    order = record.order
    within = order is None or order.ndim == 1 and bool(((order >= 0) & (order < n)).all())
    _demand(within, "its order names rows that there are not")
    own: Any = getattr(chunk.rows, "own", np.empty(0))
    _demand(bool(((own >= -1) & (own < chunk.rows.width)).all()), "its kernel has rows that there are not")
    width = 0 if record.settings.kernel is not None else chunk.rows.width
    w, b = record.start
    _demand(w.shape == (len(b), width) and len(b) == (1 if classes == 2 else classes), "w has another shape")
    _demand(bool(np.isfinite(w).all() and np.isfinite(b).all()), "w is not finite where it starts")
    if record.begun is not None:
        header, tensors = record.begun
        check_form(header, RUN, "state")
        check_arrays({**header, "classes": labels.to_json(np.asarray(record.classes))}, tensors, chunk.rows.width)


def _demand(met: bool, otherwise: str) -> None:
    if not met:
        raise ModelError(f"damaged: {otherwise}")
