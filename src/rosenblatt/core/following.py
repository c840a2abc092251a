"""Callbacks that want each step of a run, not only its epochs: how `train` and `pick` hand on the loop's log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .learn import Keep, log_space
from .rows import Array, Rows

ROOM = 1 << 16
"""Logged steps between two visits of Python."""


class Follower(Protocol):
    """begin: whether the steps of this run are wanted; order: of rows, where one was given. steps: what the loop logged
    since the last call, in a chunk of this number. end: learning is over."""

    def begin(self, run: Any, chunks: Sequence[Any], order: Array | None) -> bool: ...

    def steps(self, keep: Keep, number: int) -> None: ...

    def end(self, run: Any) -> None: ...


def follower_of(callback: Any, run: Any, chunks: Sequence[Any], order: Array | None = None) -> Follower | None:
    """The callback, if it is one that wants the steps of this run."""
    return callback if hasattr(callback, "steps") and callback.begin(run, chunks, order) else None


def with_log(keep: Keep, follower: Follower | None) -> Keep:
    """The same, with a log where somebody follows."""
    return keep if follower is None or keep.row.size else log_space(keep, ROOM)


def hand_on(follower: Follower | None, memory: Any, keep: Keep, rows: Rows, number: int = 0) -> None:
    """The loop has returned: its log goes to whoever follows and to the memory."""
    if follower is not None:
        follower.steps(keep, number)
    memory.collect(keep, rows)
    if follower is not None:
        keep.used[0] = 0


def ended(callback: Any, run: Any) -> None:
    """Tell a follower that learning is over."""
    if hasattr(callback, "end"):
        callback.end(run)
