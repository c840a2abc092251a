"""Data of the commands that prove things: read whole, as rows of two classes, in a way that can be repeated."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import AtHand
from ..data.labels import tidy
from ..errors import SettingError, naming
from ..features.pipeline import DEFAULT, Features
from ..kernels.rows import KernelRows
from ..model.evidence import Names
from ..model.representation import Representation
from ..read import open_source
from ..recipe.recipe import Recipe
from ..report.words import listed
from ..theory.problem import Problem, as_problem
from ..theory.space import Space, in_space
from .progress import Progress
from .recipe import recipe_of
from .sources import whole

WIDE = 1 << 20
"""Columns from which those without a value are left out: no verdict depends on them, but all work would go through
them. 1e7 columns with two in use cost `separable` 14 s and 1.8 GB."""


class Wanted(NamedTuple):
    """Which rows, and in which features. recipe: of reading and features, with a scale of its own, the label of +1
    (None: see `read`), and offset or none. only: the labels whose rows are looked at, as text; None: all."""

    recipe: Recipe
    only: list[str] | None = None

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold of it: enough to read the same rows again, which the kernel is asked of."""
        plain = self.recipe.features._replace(kernel=None)._asdict().items()
        options = {name: value for name, value in plain if value != getattr(DEFAULT, name)}
        positive = self.recipe["positive"]
        return {"reading": self.recipe.reading, "features": options, "only": self.only, "positive": positive}

    @classmethod
    def of(cls, saved: dict[str, Any], fit_intercept: bool, kernel: str | None) -> Self:
        """From such a dict."""
        if unknown := set(saved["features"]) - set(DEFAULT._fields):
            raise KeyError(min(unknown))
        words = {**saved["reading"], **saved["features"], "positive": saved["positive"]}
        return cls(Recipe(**words, fit_intercept=fit_intercept, kernel=kernel), saved["only"])


class Data(NamedTuple):
    """What was read. problems: of two classes one, of more one for each against the rest, or for the positive one.

    rows, y: the same rows with all their labels, for learners, also where they learn by a kernel. origin: what the data
    are called. notes: what was skipped. kind: "rows", or "documents" that have become rows. used: numbers, from 0, of
    the columns that are in use, where there are so many that the others were left out; None: all are there.
    """

    problems: list[Problem]
    rows: Rows
    y: Array
    origin: str
    notes: dict[str, int]
    kind: str = "rows"
    used: Array | None = None

    def of_used(self, w: Array) -> Array:
        """Of weights for all columns those that are in use."""
        return w if self.used is None or len(w) <= len(self.used) else w[self.used]

    def in_kernel(self) -> Self:
        """With the problems in the space of the kernel that was asked for, if one was."""
        if not isinstance(self.rows, KernelRows):
            return self
        with naming(self.origin):
            space = Space.of(self.rows)
        return self._replace(problems=[in_space(each, space) for each in self.problems])

    @property
    def in_json(self) -> dict[str, Any]:
        """What weights belong to, counted from 1, where columns were left out, and in a kernel's space."""
        first = self.problems[0]
        if first.space is not None:
            return {"kernel": first.kernel, "weights_of_rows": first.numbered(first.space.first)}
        return {} if self.used is None else {"columns_in_use": self.used + 1}


def wanted(words: dict[str, Any], scale: str | None = "none", without: Iterable[str] = ()) -> Wanted:
    """From the options `problem_options`, `reading_options` and `features_options` of the command at work.

    scale: where --scale is auto: "none", as a verdict is about values as they are; None: as `train` scales. without:
    options that mean something else there.
    """
    recipe = recipe_of(words, without)
    if scale is not None and recipe["scale"] == "auto":
        recipe = recipe.with_(scale=scale)
    return Wanted(recipe, words["only"])


def read(data: str, wanted: Wanted, progress: Progress) -> Data:
    """The labelled rows of a file. Raises SettingError for options that do not fit it, DataError for what is wrong."""
    recipe = wanted.recipe
    source = open_source(data, labelled=True, **recipe.reading)
    recipe.check_kind(source)
    batch = whole(progress.reading(source))
    labels = np.asarray(batch.y)
    with naming(source.origin):
        if wanted.only is not None:
            chosen = _of(labels, wanted.only)
            batch = batch if batch.numbers is not None else batch._replace(numbers=np.arange(batch.n) + 1)
            batch, labels = batch.take(chosen), labels[chosen]
            if getattr(recipe.settings.kernel, "pairwise", False):
                batch = batch._replace(rows=batch.rows.take_columns(chosen))  # type: ignore[union-attr]
        features, learned, _, _ = Features.fit(AtHand(batch._replace(y=None)), recipe.features)
        rows = learned.given
        names = features.names or source.feature_names
        if features.quadratic is not None or features.map is not None:
            shape = Representation(classes=np.unique(labels), features=features, reading=source.recipe(), names=names)
            own = Names(shape, kernel=False)
            names = [own[j] for j in range(rows.width)] if rows.width <= WIDE else None
        used = rows.used_columns() if rows.width > WIDE and features.kernel is None else None
        used = None if used is None or len(used) == rows.width else used
        if used is not None:
            names = [f"column {j + 1}" if names is None else names[j] for j in used.tolist()]
            source.notes["columns without a value, left out"] = rows.width - len(used)
            rows = learned = rows.take_columns(used)
        classes, positive = np.unique(labels).tolist(), recipe["positive"]
        positives = [positive] if positive is not None or len(classes) <= 2 else classes
        problems = [
            as_problem(rows, labels, recipe["fit_intercept"], each, names)._replace(numbers=batch.numbers)
            for each in positives
        ]
    return Data(problems, learned, labels, str(source.origin), dict(source.notes), source.kind, used)


def _of(labels: Array, only: list[str]) -> Array:
    """Numbers of the rows with one of these labels; SettingError where one is no label."""
    text = np.array([str(label) for label in tidy(labels).tolist()])
    for label in only:
        if label not in text:
            known = listed(np.unique(text).tolist(), 10, "")
            raise SettingError(f"--only {label}: no row has this label; the labels are {known}")
    return np.flatnonzero(np.isin(text, only))
