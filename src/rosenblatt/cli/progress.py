"""A bar on standard error for what takes long, with rate and time left. Off a terminal: nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Self

from ..data.batch import Batch, Source
from ..learn.observers import Event, Observer
from ..learn.run import Limits
from ..report.words import short

WAIT = 0.5
"""Seconds before a bar appears: loading rich for it takes 0.1 s, and most work is done by then."""
EVERY = 0.1
"""Seconds between two looks of the bar."""
NARROW = 64
"""Columns below which there is no room for the bar itself."""


Shown = tuple[str, float, float | None, str]
"""What is at work, how much is done, of how much in all, and its unit."""


class Progress:
    """One bar at a time, erased when it is done. As a context manager: erased also by an error or Ctrl-C.

    Shown on a terminal only. printing: not even there if standard output, where lines appear meanwhile, is one too.
    """

    def __init__(self, printing: bool = False) -> None:
        self.shown = _is_terminal(sys.stderr) and not (printing and _is_terminal(sys.stdout))
        self._bar: Any = None
        self._task: Any = None
        self._begin("")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self.end()

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None

    def reading(self, source: Source, what: str = "reading") -> Watched:
        """The same source, telling how far it has been read."""
        return Watched(source, self, what)

    def learning(self, limits: Limits, before: int = 0) -> Learning | None:
        """An observer of a run, or None where no bar is wanted. before: epochs of earlier runs.

        Time left is until the epoch or time limit at the latest: how soon a rule will be finished nobody knows.
        """
        if not self.shown:
            return None
        self._begin("learning")
        return Learning(self, limits, before)

    def watching(self, begin: str, words: Callable[..., Shown], always: bool = False) -> Any:
        """A callback, or None where no bar is wanted. words: of what it is told → what is shown, done, of, unit.
        always: also when the bar has been looked at a moment ago."""
        if not self.shown:
            return None
        self._begin(begin)
        return lambda *event: self._show(*words(*event)) if always or self._due() else None

    def runs(self) -> Any:
        """A callback (what, done, of) for many runs side by side."""
        return self.watching("comparing", lambda what, done, of: (f"run {done:,} of {of:,}, {what}", done, of, "runs"))

    def working(self) -> Any:
        """A callback (what) for work of which nobody knows how long it takes."""
        return self.watching("working", lambda what: (what, 0, None, ""), always=True)

    def bounds(self, about: str) -> Any:
        """A callback (errors found, errors proven) of a search for the fewest. about: what stands before them."""
        return self.watching(
            "fewest errors", lambda most, least: (f"{about}errors found {most:,}, proven {least:,}", 0.0, None, "")
        )

    def _begin(self, what: str) -> None:
        self.end()
        self._what, self._start, self._looked = what, time.monotonic(), 0.0

    def _due(self) -> bool:
        now = time.monotonic()
        if not self.shown or now - self._start < WAIT or now - self._looked < EVERY:
            return False
        self._looked = now
        return True

    def _show(self, what: str, done: float, total: float | None, unit: str, seconds: float | None = None) -> None:
        spent = time.monotonic() - self._start
        left = [spent * (total - done) / done] if total and done else []
        left += [seconds - spent] if seconds is not None else []
        rate = f"{_amount(done / spent, unit)}/s" if done else ""
        rest = f"{_clock(max(0.0, min(left)))} left" if left else ""
        if self._bar is None:
            self._bar = _new_bar()
        room = self._bar.console.width - len(rate) - len(rest) - 2
        shown = {"what": short(what, max(room, 8)), "rate": rate, "left": rest}
        if self._task is None:
            self._task = self._bar.add_task("", total=total, **shown)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total, **shown)


class Learning(Observer):
    """Shows how far a run is."""

    def __init__(self, progress: Progress, limits: Limits, before: int) -> None:
        self._progress, self._limits, self._before = progress, limits, before

    def epoch(self, event: Event) -> None:
        progress, limits = self._progress, self._limits
        if not progress._due():
            return
        if event.run.settings.optimizer.picks:
            progress._show(f"update {event.done:,}", event.done, event.total, "updates")
            return
        epochs, mistakes = event.run.epoch, event.run.history["mistakes"]
        seen = (epochs - self._before) * event.total + (0 if event.epoch_ended else event.done)
        total = None if limits.max_iter is None else limits.max_iter * event.total
        last = f", {mistakes[-1]:,} mistakes" if mistakes else ""
        progress._show(f"epoch {epochs:,}{last}", seen, total, "rows", limits.max_time)


class Watched:
    """A source that tells the bar how far it has been read, by its place in the file, else by the rows so far."""

    def __init__(self, source: Source, progress: Progress, what: str) -> None:
        self._source, self._progress, self._what = source, progress, what

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def __iter__(self) -> Iterator[Batch]:
        progress, source, rows = self._progress, self._source, 0
        progress._begin(self._what)
        for batch in source:
            yield batch
            rows += batch.n
            if progress._due():
                place, total = getattr(source, "bytes_read", 0), getattr(source, "bytes_total", None)
                if place:
                    progress._show(f"{self._what}, {rows:,} rows", place, total, "B")
                else:
                    progress._show(self._what, rows, None, "rows")
        progress.end()


def _is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())


def _new_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns: list[Any] = [TextColumn("{task.fields[what]}")]
    if console.width >= NARROW:
        columns.append(BarColumn(bar_width=None))
    columns += [TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[left]}")]
    return Bar(*columns, console=console, transient=True, expand=True)


def _amount(count: float, unit: str) -> str:
    """`3.2 MB`, `410k rows`."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= factor:
            number = f"{count / factor:.3g}"
            return f"{number} {letter}B" if unit == "B" else f"{number}{letter} {unit}"
    return f"{count:.0f} {unit}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
