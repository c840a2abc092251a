"""What may help: a change of the learner, of the scaling, or of the features, in the options of `rosenblatt train`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.rows import Rows
from ..learn.settings import Settings

MOST = 30_000_000
"""Numbers that products of columns may come to: 0.25 GB, an epoch of some 0.05 s."""


_ALONE = {"multi_class": "one-vs-rest"}


class Treatment(NamedTuple):
    """words: settings that change. scale, degree: of the rows, after what they are. longer: no limit of epochs.

    options: how to ask `rosenblatt train` for it, behind what was asked for. what: it in words.
    """

    what: str
    words: Mapping[str, Any] = {}
    scale: str | None = None
    degree: int = 1
    longer: bool = False
    given: str = "none"

    @property
    def options(self) -> str:
        scale = self.scale if self.given == "none" else f"{self.given}+{self.scale}"
        parts = [f"--{name.replace('_', '-')} {value}" for name, value in self.words.items()]
        parts = ([f"--scale {scale}"] if self.scale else []) + (["--degree 2"] if self.degree == 2 else []) + parts
        return " ".join(parts + (["--epochs none"] if self.longer else []))

    @property
    def changes(self) -> int:
        """How much differs from the learner as it is."""
        return len(self.words) + (self.scale is not None) + (self.degree == 2) + self.longer


class Given(NamedTuple):
    """What the learner has already. scale, degree: of its rows. kind: "rows" or "documents"."""

    scale: str = "none"
    degree: int = 1
    kind: str = "rows"


def treatments(settings: Settings, rows: Rows, classes: int, given: Given, longer: bool) -> list[Treatment]:
    """What is worth a try, the smaller changes first, without those that change nothing. longer: also without end."""
    own = settings.words()
    rule = own["rule"]
    numbers = given.kind == "rows" and given.degree == 1
    square = numbers and _products(rows) <= MOST
    scaled = "standard" in given.scale
    found = [Treatment("as it is")]
    found += [Treatment("the same, until it is finished", longer=True)] if longer else []
    if numbers:
        found += [] if scaled else [Treatment("columns of equal spread", scale="standard")]
        found += [] if "unit" in given.scale else [Treatment("rows of equal length", scale="unit")]
    alone = {} if settings.multi_class == "one-vs-rest" or hasattr(settings.rule, "steps") else _ALONE
    margin = {"rule": "margin", **alone}
    found += [] if rule.startswith("margin") else [Treatment("also learn from narrow escapes", margin)]
    if not rule.startswith("passive-aggressive"):
        found.append(Treatment("steps as long as needed", {"rule": "passive-aggressive", **alone}))
    if classes > 2 and rule == "perceptron" and settings.multi_class == "one-vs-rest":
        found.append(Treatment("learn the classes together", {"multi_class": "multi-class-perceptron"}))
    mean, best = {"keep": "averaged"}, {"keep": "pocket"}
    found += [] if mean.items() <= own.items() else [Treatment("the mean of all weights", mean)]
    found += [] if best.items() <= own.items() else [Treatment("the best weights on the way", best)]
    if square:
        found.append(Treatment("curved borders", degree=2))
    if numbers and not mean.items() <= own.items():
        scale = None if scaled else "standard"
        found += [] if scaled else [Treatment("equal spread, mean of weights", mean, scale)]
        found += [Treatment("both, and curved borders", mean, scale, 2)] if square else []
    return [each._replace(given=given.scale) for each in _once(found)]


def _once(found: list[Treatment]) -> list[Treatment]:
    seen: dict[str, Treatment] = {}
    for each in found:
        seen.setdefault(f"{each.options}{each.longer}", each)
    return list(seen.values())


def _products(rows: Rows) -> float:
    d = rows.size / max(rows.n, 1)
    return max(rows.n * d * (d + 3.0) / 2.0, rows.width * (rows.width + 3.0) / 2.0)
