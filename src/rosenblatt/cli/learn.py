"""What `train` does between reading its words and writing the model: a new model, or more of an old one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..batch import Source
from ..catalog import rule_from, rule_name
from ..core.rows import Array, Rows, n_rows, stack
from ..errors import DataError, SettingError, located
from ..features.pipeline import Features, Options
from ..fit import Task, fit, learn_more
from ..labels import tidy
from ..model import Model
from ..read import open_source
from ..read.columns import is_number
from ..settings import Settings
from ..train import Limits
from .data import labels_of, like_training
from .options import FEATURES, flag
from .progress import Progress

TEXT_ONLY = tuple(name for name in FEATURES if name != "scale")


NEEDS = {
    "counting": ("keep", "voted"),
    "check_every": ("keep", "pocket"),
    "scoring": ("keep", "pocket"),
    "batch_size": ("optimizer", "mini-batch"),
    "epsilon": ("optimizer", "batch"),
    "bits": ("dictionary", "hashed"),
    "signed": ("dictionary", "hashed"),
    "min_documents": ("dictionary", "words"),
    "max_size": ("dictionary", "words"),
}
"""Options that have an effect only where another has this value; to ignore one would hide a slip."""


class Work(NamedTuple):
    """What is asked for. data: path or "-". reading: options for the reader. words: all options. given: those of them
    that were given."""

    data: str
    reading: dict[str, Any]
    words: dict[str, Any]
    given: set[str]
    limits: Limits
    progress: Progress


class Done(NamedTuple):
    """What came of it. notes: what was skipped while reading. seconds: of learning alone."""

    model: Model
    rows: Rows
    y: Array
    notes: dict[str, int]
    seconds: float


def new(work: Work) -> Done:
    """A new model from the labelled rows of a file."""
    settings, options, scoring = _settings(work), _options(work), _scoring(work)
    source: Any = open_source(work.data, work.reading.pop("format", "auto"), labelled=True, **work.reading)
    if source.kind == "rows":
        _refuse(work, TEXT_ONLY, f"{source.origin} has numbers; the option is for texts and mails")
    features, rows, labels, _ = Features.fit(work.progress.reading(source), options)
    if labels is None:
        raise DataError(f"{source.origin}: there are no labels; rows to learn from need one each")
    y = tidy(labels)
    names = getattr(source, "feature_names", None)
    task = _task(work, rows, y)._replace(names=features.names or names, scorer=scoring)
    model, seconds = _learned(source, lambda: fit(rows, y, settings, work.limits, task))
    model = replace(model, features=features, reading=source.recipe(), names=names)
    return Done(model, rows, y, dict(source.notes), seconds)


def further(work: Work, path: str) -> Done:
    """More of the model in a file, by its own recipe. SettingError where another recipe is asked for."""
    before = Model.load(path)
    _refuse(work, (*FEATURES, "positive"), "the model goes on with what it has")
    before = replace(before, run=replace(before.run, settings=_same_settings(work, before.run.settings)))
    scoring = _scoring(work)
    source: Any = like_training(work.data, before, work.reading, labelled=True)
    parts, labels, first = [], [], 1
    for batch in work.progress.reading(source):
        parts.append(before.rows(batch))
        labels.append(labels_of(batch, before, source, first))
        first += n_rows(parts[-1])
    rows, y = stack(parts), np.concatenate(labels)
    task = _task(work, rows, y, before.run.epoch)._replace(names=before.names, scorer=scoring)
    model, seconds = _learned(source, lambda: learn_more(before, rows, y, work.limits, task))
    return Done(model, rows, y, dict(source.notes), seconds)


def _settings(work: Work) -> Settings:
    """The settings of a new model; SettingError before anything is read."""
    words = {name: work.words[name] for name in Settings.__dataclass_fields__ if name in work.words}
    for name, (other, value) in NEEDS.items():
        if name in work.given and work.words[other] != value:
            raise SettingError(f"{flag(name)} has an effect only with {flag(other)} {value}")
    _order_of(work)
    return Settings.of(**words, shuffle=work.words["order"] == "shuffled")


def _same_settings(work: Work, own: Settings) -> Settings:
    """The model's own settings. A rule from a file is given again, because no model file holds code."""
    saved = own.words()
    for name in work.given & set(saved) - {"rule"}:
        if work.words[name] != saved[name]:
            found = "none" if saved[name] is None else saved[name]
            raise SettingError(f"{flag(name)} {work.words[name]}: the model goes on as it began, with {found}")
    if "order" in work.given and _order_of(work) is None and own.shuffle != (work.words["order"] == "shuffled"):
        raise SettingError(f"--order {work.words['order']}: the model goes on in the order that it began with")
    if "rule" not in work.given:
        return own
    rule = rule_from(work.words["rule"])
    if rule_name(rule) != saved["rule"]:
        raise SettingError(f"--rule {rule_name(rule)}: the model goes on as it began, with {saved['rule']}")
    return replace(own, rule=rule)


def _options(work: Work) -> Options:
    """How texts become numbers, and numbers are scaled."""
    words = work.words
    scale = None if words["scale"] == "auto" else words["scale"]
    return Options(**{name: words[name] for name in FEATURES if name != "scale"}, scale=scale)


def _refuse(work: Work, names: Sequence[str], why: str) -> None:
    """SettingError where one of these options was given."""
    for name in names:
        if name in work.given:
            raise SettingError(f"{flag(name)}: {why}")


def _learned(source: Source, run: Any) -> tuple[Model, float]:
    start = time.monotonic()
    try:
        model = run()
    except DataError as error:
        raise DataError(f"{getattr(source, 'origin', 'the data')}: {error}") from None
    return model, time.monotonic() - start


def _task(work: Work, rows: Rows, y: Array, before: int = 0) -> Task:
    return Task(
        positive=work.words["positive"],
        class_weight=_class_weight(work.words["class_weight"], y),
        order=_order(work, n_rows(rows)),
        callback=work.progress.learning(work.limits, before),
    )


def _scoring(work: Work) -> Any:
    """What the pocket maximises; SettingError before anything is read. Loads scikit-learn only if asked."""
    if work.words["scoring"] is None:
        return None
    from ..report.metrics import scorer

    return scorer(work.words["scoring"])


def _class_weight(text: str | None, y: Array) -> Any:
    """None, "balanced", or {label: weight} with the labels as they are in y."""
    if text in (None, "balanced"):
        return text
    labels = {str(label): label for label in np.unique(y).tolist()}
    out = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        if not equals or not is_number(number):
            raise SettingError(f"class weight {part!r} is not of the form LABEL=WEIGHT; or give balanced")
        if name not in labels:
            raise SettingError(f"class weight {part!r}: {name!r} is not a label; the labels are {', '.join(labels)}")
        out[labels[name]] = float(number)
    return out


def _order_of(work: Work) -> Path | None:
    """The file of row numbers, if the order is one."""
    order = work.words["order"]
    if order in ("shuffled", "given"):
        return None
    if not Path(order).is_file():
        raise SettingError(f"order {order!r}: choose shuffled, given, or a file of row numbers; there is no such file")
    if work.words["optimizer"].startswith("pick"):
        raise SettingError(f"optimizer {work.words['optimizer']} picks the rows itself; it takes no order from a file")
    return Path(order)


def _order(work: Work, rows: int) -> Array | None:
    """The row numbers of the file, counted from 0 from here on."""
    path = _order_of(work)
    if path is None:
        return None
    numbers = []
    for line, text in enumerate(path.read_bytes().split(b"\n"), 1):
        if text.strip():
            word = text.strip().decode("utf-8", "replace")
            if not word.isdecimal() or not 1 <= int(word) <= rows:
                raise located(str(path), line, f"found {word[:40]!r}", f"expected a row number from 1 to {rows}")
            numbers.append(int(word) - 1)
    if not numbers:
        raise located(str(path), None, "found no row numbers", "expected one a line")
    return np.array(numbers)
