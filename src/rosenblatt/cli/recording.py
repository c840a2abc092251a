"""The file that a run is recorded to: checked before the work begins, and written after it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import ModelError, SettingError
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
    return {"last": errors[-1], "least": errors[least], "update": at[least]}


def error_text(error: dict[str, Any]) -> str:
    """The same for people."""
    return (
        f"training error: {error['last']:.1%} at the end; least {error['least']:.1%} after update {error['update']:,}"
    )
