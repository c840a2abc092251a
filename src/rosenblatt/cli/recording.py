"""The file that a run is recorded to: checked before the work begins, and written after it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ModelError, SettingError
from ..learn.settings import Settings
from ..read.several import paths_of
from ..trace import Record, Trace
from ..trace.file import SavedTrace, files_of, save
from .output import check_writable
from .sources import output_errors


def check_run(path: str | None, *others: str | None) -> None:
    """What `check_writable` checks. others: files that must stay."""
    if path is None:
        return
    check_writable(path, *others)
    for other in (path for data in others for path in paths_of(data)):
        if other and os.path.abspath(other) == os.path.abspath(path):
            raise SettingError(f"{path}: the same file is named twice; give the run a name of its own")


def recorder(data: str, *budget: Any) -> Trace:
    """An observer that records a run on these data, whose files it knows again. budget: as `Trace` takes it."""
    trace = Trace(*budget)
    trace.about(files=files_of(data))
    return trace


def write_record(trace: Trace, path: str | None) -> dict[str, Any]:
    """Write what was recorded, None: nowhere; what is said of it."""
    files: list[str] = []
    if path is not None:
        with output_errors(path):
            files = save(trace.record, path)
    sizes = [os.path.getsize(file) for file in files if os.path.isfile(file)]
    record = trace.record
    return {"files": files, "bytes": sum(sizes), "updates": len(record), "entries": len(record.entries.update)}


def recorded(path: str) -> SavedTrace:
    """A file to read a run from. ModelError where it is none, or was changed since it was written."""
    saved = SavedTrace.load(path)
    if not saved.intact:
        raise ModelError(f"{path}: changed since it was written; `rosenblatt replay RUN --verify` says where")
    return saved


def training_error(record: Record) -> dict[str, Any] | None:
    """Of the weights whose errors were counted the last ones, and those with the fewest."""
    errors, at = record.kept.errors, record.kept.update
    if np.isnan(errors).all():
        return None
    least = int(np.nanargmin(errors))
    last = int(np.flatnonzero(~np.isnan(errors))[-1])
    own = {"last": errors[last], "last_update": at[last], "least": errors[least], "update": at[least]}
    return own | {"keep": record.settings.keep}


def error_text(error: dict[str, Any]) -> str:
    """The same for people."""
    last = f"{error['last']:.1%} after update {error['last_update']:,}"
    of = "" if error["keep"] == "last" else f" of the running weights, not of what {error['keep']} keeps"
    return f"training error{of}: {last}; least {error['least']:.1%} after update {error['update']:,}"


def learner_text(settings: Settings) -> str:
    """`margin, keep last, online, η = 0.1`."""
    falls = "" if hasattr(settings.schedule, "constant") else f" at first, {settings.schedule.name}"
    eta = "" if settings.brings else f", η = {settings.rate:g}{falls}"
    return f"{settings.learner}, keep {settings.keep}, {settings.optimizer.name}{eta}"


def numbered_text(record: Record) -> Iterator[str]:
    """Where rows were set aside, what the numbers of the others are."""
    share, rows = (record.facts.get("recipe") or {}).get("validation"), sum(record.sizes)
    if isinstance(share, float):
        yield f"rows are numbered among the {rows:,} that were learned from, without those set aside for validation"
