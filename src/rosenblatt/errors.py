"""Errors a user can cause, each one clear sentence; the command line turns them into exit codes."""

from __future__ import annotations


class RosenblattError(ValueError):
    """Any error caused by what was given: data, model file or settings. `exit_code` is the shell's."""

    exit_code = 1


class DataError(RosenblattError):
    """Data that cannot be read or learned from. Names file, line or row, what was found, what would be right."""

    exit_code = 3


class ModelError(RosenblattError):
    """A model file that is damaged, truncated, foreign, or from a newer version."""

    exit_code = 4


class SettingError(RosenblattError):
    """A setting outside its range, or two settings that do not go together."""

    exit_code = 2


class BoundViolated(AssertionError):
    """A theorem fails on what was measured, in exact arithmetic too: an error in this program, never in the data."""


def located(origin: str, line: int | None, found: str, expected: str) -> DataError:
    """The one form of a data error: `file, line 3: found …; expected …`."""
    place = origin if line is None else f"{origin}, line {line}"
    return DataError(f"{place}: {found}; {expected}")
