"""The result of an evaluation that lies in a file, to be compared with another one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, short
from .opinion import VERDICTS

if TYPE_CHECKING:
    from .evaluation import Evaluation, Run

SAME = ("digest", "messages", "order", "seed", "repeat")
"""What two runs must have in common to be compared mail by mail."""


class Saved:
    """The result of another evaluation, from a file of `Evaluation.as_dict`. DataError where it is no such file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        try:
            with open(path, encoding="utf-8") as file:
                saved: Any = json.load(file)
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError):
            raise DataError(f"{self.name}: found no JSON; expected what an evaluation wrote") from None
        if not isinstance(saved, Mapping) or not {*SAME, "mails"} <= saved.keys():
            more = ", of one run and not of an ablation" if isinstance(saved, Mapping) and "ablation" in saved else ""
            raise DataError(f"{self.name}: found other JSON; expected what an evaluation of mail wrote{more}")
        self._saved = saved

    def check(self, own: Mapping[str, Any]) -> None:
        """DataError where a value of `SAME` is another."""
        for key in SAME:
            if key in own and self._saved[key] != own[key]:
                text = f"{self.name}: its {key} is {short(self._saved[key])}, here it is {own[key]}"
                raise DataError(f"{text}; two runs are compared mail by mail, on the same mails in the same order")

    def runs(self, here: Evaluation) -> list[Run]:
        """On the same mails in the same order."""
        own, n = here.as_dict(), len(here.spam)
        self.check(own)
        mails = self._saved["mails"]
        try:
            if len(mails) != len(own["mails"]):
                raise ValueError
            return [_saved_run(mails, run, own["mails"], at * n) for at, run in enumerate(here.runs)]
        except (KeyError, TypeError, ValueError, IndexError):
            keys = "path, label, score, probability and verdict"
            raise DataError(
                f"{self.name}: its mails are damaged; expected {keys} of each of the {len(own['mails']):,}, as here"
            ) from None


def _saved_run(mails: Sequence[Mapping[str, Any]], run: Run, own: Sequence[Mapping[str, Any]], start: int) -> Run:
    """One run of a file. ValueError where a mail has another path or label, or is not judged."""
    n = len(run.order)
    part = mails[start : start + n]
    for mail, ours in zip(part, own[start : start + n], strict=True):
        if any(mail[key] != ours[key] for key in ("path", "label", "seed")) or mail["verdict"] not in VERDICTS:
            raise ValueError
    scores, probabilities = (np.array([float(mail[key]) for mail in part]) for key in ("score", "probability"))
    if not (np.isfinite(scores).all() and np.all((probabilities >= 0.0) & (probabilities <= 1.0))):
        raise ValueError
    verdicts = np.array([mail["verdict"] for mail in part])
    return run._replace(scores=scores, probabilities=probabilities, verdicts=verdicts)
