"""Data of the commands that prove things: read whole, as rows of two classes, in a way that can be repeated."""

from __future__ import annotations

from typing import Any, NamedTuple

import click
import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import AtHand
from ..data.labels import tidy
from ..errors import SettingError
from ..features.pipeline import DEFAULT, Features, Options
from ..read import open_source
from ..theory.problem import Problem, as_problem
from .compared import whole
from .data import naming
from .learn import check_kind, check_needs, feature_options
from .options import reading as reading_of
from .progress import Progress


class Wanted(NamedTuple):
    """Which rows, and in which features. reading: options of the reader that were given. features: with a scale of its
    own. only: the labels whose rows are looked at, as text; None: all. positive: the label of +1, None: see `read`.
    given: names of the options that were given."""

    reading: dict[str, Any]
    features: Options = DEFAULT._replace(scale="none")
    only: list[str] | None = None
    positive: Any = None
    fit_intercept: bool = True
    given: frozenset[str] = frozenset()

    def recipe(self) -> dict[str, Any]:
        """What JSON can hold of it: enough to read the same rows again."""
        options = {name: value for name, value in self.features._asdict().items() if value != getattr(DEFAULT, name)}
        return {"reading": self.reading, "features": options, "only": self.only, "positive": self.positive}

    @classmethod
    def of(cls, recipe: dict[str, Any], fit_intercept: bool) -> Wanted:
        """From such a recipe."""
        if unknown := set(recipe["features"]) - set(DEFAULT._fields):
            raise KeyError(min(unknown))
        options = DEFAULT._replace(**recipe["features"])
        return cls({**recipe["reading"]}, options, recipe["only"], recipe["positive"], fit_intercept)


class Data(NamedTuple):
    """What was read. problems: of two classes one, of more one for each against the rest, or for the positive one.

    rows, y: the same rows with all their labels, for learners. wanted: how to read them again. origin: what the data
    are called. notes: what was skipped. kind: "rows", or "documents" that have become rows.
    """

    problems: list[Problem]
    rows: Rows
    y: Array
    wanted: Wanted
    origin: str
    notes: dict[str, int]
    kind: str = "rows"


def wanted(words: dict[str, Any], scale: str | None = "none") -> Wanted:
    """From the options `problem_options`, `reading_options` and `features_options` of the command at work.

    scale: where --scale is auto: "none", as a verdict is about values as they are; None: as `train` scales.
    """
    source = click.get_current_context().get_parameter_source
    given = frozenset(name for name in words if source(name) is click.core.ParameterSource.COMMANDLINE)
    check_needs(words, set(given))
    options = feature_options(words)
    options = options._replace(scale=scale) if options.scale is None else options
    return Wanted(reading_of(words), options, words["only"], words["positive"], words["fit_intercept"], given)


def read(data: str, wanted: Wanted, progress: Progress) -> Data:
    """The labelled rows of a file. Raises SettingError for options that do not fit it, DataError for what is wrong."""
    reading = dict(wanted.reading)
    source: Any = open_source(data, reading.pop("format", "auto"), labelled=True, **reading)
    check_kind(source, set(wanted.given))
    batch = whole(progress.reading(source))
    labels = np.asarray(batch.y)
    with naming(source.origin):
        if wanted.only is not None:
            chosen = _of(labels, wanted.only)
            batch, labels = batch.take(chosen), labels[chosen]
        features, rows, _, _ = Features.fit(AtHand(batch._replace(y=None)), wanted.features)
        names = features.names or source.feature_names
        problems = [
            as_problem(rows, labels, wanted.fit_intercept, positive, names if features.quadratic is None else None)
            for positive in _positives(labels, wanted.positive)
        ]
    return Data(problems, rows, labels, wanted, str(source.origin), dict(source.notes), source.kind)


def _positives(labels: Array, positive: Any) -> list[Any]:
    """The positive class of each problem: the one named, the last of two, or each of more."""
    classes = np.unique(labels).tolist()
    return [positive] if positive is not None or len(classes) <= 2 else classes


def _of(labels: Array, only: list[str]) -> Array:
    """Numbers of the rows with one of these labels; SettingError where one is no label."""
    text = np.array([str(label) for label in tidy(labels).tolist()])
    for label in only:
        if label not in text:
            listed = ", ".join(np.unique(text).tolist()[:10])
            raise SettingError(f"--only {label}: no row has this label; the labels are {listed}")
    return np.flatnonzero(np.isin(text, only))
