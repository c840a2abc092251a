"""What `train` does between reading its words and writing the model: a new model, or more of an old one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows, stack
from ..data.batch import AtHand, Batch, Source
from ..data.folds import set_aside
from ..data.labels import class_list, tidy
from ..errors import DataError, SettingError, located
from ..features.pipeline import Features, Options
from ..learn.rule import rule_from, rule_name
from ..learn.run import Limits
from ..learn.settings import WORDS, Settings
from ..memory import memory_from
from ..model.fit import Held, Task, fit, learn_more
from ..model.model import Model
from ..optimizers import optimizer_from
from ..read import open_source
from ..read.columns import is_number
from .command import flag
from .data import labels_of, like_training, names_of, naming
from .options import FEATURES, TABLE
from .output import note
from .progress import Progress

TEXT_ONLY = tuple(name for name in FEATURES if TABLE[name].data == "documents")
NEEDS = {name: entry.needs for name, entry in TABLE.items() if entry.needs is not None}
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


class Known(NamedTuple):
    """What is known of a model before it is learned: enough to read other data as its own."""

    reading: dict[str, Any]
    classes: Array
    width: int
    features: Any
    names: list[str] | None

    def rows(self, batch: Batch) -> Rows:
        return batch.rows if self.features is None else self.features.transform(batch)  # type: ignore[return-value]


class Done(NamedTuple):
    """What came of it. notes: what was skipped while reading. seconds: of learning alone. origin: what the data are
    called. before: the model that it went on from."""

    model: Model
    rows: Rows
    y: Array
    notes: dict[str, int]
    seconds: float
    task: Task = Task()
    origin: str = "the data"
    before: Model | None = None


def new(work: Work, start: str | None = None) -> Done:
    """A new model from the labelled rows of a file. start: the model whose weights and features it begins with."""
    settings, options, scoring = settings_of(work), feature_options(work.words), _scoring(work)
    first = None if start is None else Model.load(start)
    if first is None:
        source: Any = open_source(work.data, work.reading.pop("format", "auto"), labelled=True, **work.reading)
        check_kind(source, work.given)
        features, rows, labels, _ = _fitted(work.progress.reading(source), options, source)
        if labels is None:
            raise DataError(f"{source.origin}: there are no labels; rows to learn from need one each")
        y, names = tidy(labels), getattr(source, "feature_names", None)
    else:
        refuse(work.given, FEATURES, f"the features are those of {start}, whose weights are the start")
        source = like_training(work.data, first, work.reading, labelled=True)
        rows, y = _as_in(first, source, work.progress)
        features, names = first.features, first.names
    reading = source.recipe() if first is None else first.reading
    known = Known(reading, np.unique(y), rows.width, features, names)
    rows, y, held = validation_rows(work, known, rows, y, scoring)
    task = task_of(work, rows, y)._replace(names=names_of(known), scorer=scoring, validation=held)
    if first is not None:
        task = task._replace(start=_start(first, y, task.positive, source))
    task = _asking(work, task, settings, class_list(y, task.positive))
    learned, seconds = _learned(source, lambda: fit(rows, y, settings, work.limits, task))
    learned = replace(learned, features=features, reading=reading, names=names)
    return Done(learned, rows, y, dict(source.notes), seconds, task, str(source.origin))


def further(work: Work, path: str) -> Done:
    """More of the model in a file, by its own recipe. SettingError where another recipe is asked for."""
    before = Model.load(path)
    refuse(work.given, (*FEATURES, "positive"), "the model goes on with what it has")
    before = replace(before, run=replace(before.run, settings=_same_settings(work, before.run.settings)))
    scoring = _scoring(work)
    source: Any = like_training(work.data, before, work.reading, labelled=True)
    rows, y = _as_in(before, source, work.progress)
    if isinstance(work.words["validation"], float) and before.run.best is None and before.run.epoch:
        note(f"note: {path} has learned from the rows that are set aside now, which flatters it on them")
    if work.words["validation"] is None and before.run.best is not None:
        note(f"note: {path} was stopped by validation rows, not kept with it: without --validation all are learned")
    rows, y, held = validation_rows(work, before, rows, y, scoring)
    task = task_of(work, rows, y, before.run.epoch)._replace(names=names_of(before), scorer=scoring, validation=held)
    task = _asking(work, task, before.run.settings, before.classes)
    model, seconds = _learned(source, lambda: learn_more(before, rows, y, work.limits, task))
    return Done(model, rows, y, dict(source.notes), seconds, task, str(source.origin), before)


def _fitted(reading: Any, options: Options, source: Any) -> Any:
    """`Features.fit`, whose errors name the file."""
    with naming(str(source.origin), str(options.known_senders)):
        return Features.fit(reading, options)


def from_part(work: Work, batch: Batch, whole: Model) -> Model:
    """A model by the recipe of `whole` from a part of the rows: what is fitted to data comes from these rows only."""
    settings, options, scoring = settings_of(work), feature_options(work.words), _scoring(work)
    features, rows, y, _ = Features.fit(AtHand(batch), options)
    assert y is not None  # the caller's
    task = Task(work.words["positive"], _class_weight(work.words["class_weight"], y), scorer=scoring, names=whole.names)
    return replace(fit(rows, y, settings, work.limits, task), features=features, reading=whole.reading)


def validation_rows(
    work: Work, model: Model | Known, rows: Rows, y: Array, scoring: Any
) -> tuple[Rows, Array, Held | None]:
    """(rows, labels, held): a share of the rows set aside, or those of a file, read as the model's are."""
    asked, name = work.words["validation"], work.words["scoring"] or "accuracy"
    if asked is None:
        return rows, y, None
    if isinstance(asked, float):
        # A model that goes on sets the same rows aside again: its own seed, whatever the default is.
        seed = model.run.settings.random_state if isinstance(model, Model) else work.words["random_state"]
        kept, out = set_aside(y, asked, seed)
        return rows.take(kept), y[kept], Held(rows.take(out), y[out], scoring, name)
    source = like_training(asked, model, dict(work.reading), labelled=True)
    with naming(asked):
        return rows, y, Held(*_as_in(model, source, work.progress), scoring, name)


def _as_in(model: Model | Known, source: Any, progress: Progress) -> tuple[Rows, Array]:
    """All rows of a source in the model's features, and their labels, which must be the model's classes."""
    parts, labels, first = [], [], 1
    for batch in progress.reading(source):
        parts.append(model.rows(batch))
        labels.append(labels_of(batch, model, source, first))
        first += parts[-1].n
    return stack(parts), np.concatenate(labels)


def _start(first: Model, y: Array, positive: str | None, source: Any) -> tuple[Array, Array]:
    """The weights that answer in another model; of two classes turned over where the positive one is the other."""
    missing = [str(label) for label in first.classes if label not in y]
    if missing:
        raise DataError(f"{source.origin}: no row has the label {missing[0]}, which the model to start from has")
    w, b = first.weights
    turned = len(first.classes) == 2 and class_list(y, positive).tolist() != first.classes.tolist()
    return (-w, -b) if turned else (w, b)


def settings_of(work: Work) -> Settings:
    """The settings of a new model; SettingError before anything is read."""
    words = {name: work.words[name] for name in WORDS if name in work.words}
    if (
        "scoring" in work.given
        and not memory_from(work.words["keep"]).needs_measure
        and work.words["validation"] is None
    ):
        raise SettingError("--scoring has an effect only with --keep pocket or --validation")
    check_needs(work.words, work.given)
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


def check_needs(words: dict[str, Any], given: set[str]) -> None:
    """SettingError for an option that was given without the one that it needs."""
    for name, (other, value) in NEEDS.items():
        if name in given and str(words[other]).partition(":")[0] != str(value):
            raise SettingError(f"{flag(name)} has an effect only with {flag(other)} {value}")


def feature_options(words: dict[str, Any]) -> Options:
    """How texts become numbers, and numbers are scaled; words without a scaling leave it to the kind of data."""
    scale = words.get("scale", "auto")
    own = {name: words[name] for name in FEATURES if name != "scale"}
    return Options(**own, scale=None if scale == "auto" else scale)


def check_kind(source: Any, given: set[str]) -> None:
    """SettingError where an option for texts was given, and the data are numbers."""
    if source.kind == "rows":
        refuse(given, TEXT_ONLY, f"{source.origin} has numbers; the option is for texts and mails")


def refuse(given: set[str], names: Sequence[str], why: str) -> None:
    """SettingError where one of these options was given."""
    for name in names:
        if name in given:
            raise SettingError(f"{flag(name)}: {why}")


def _learned(source: Source, run: Any) -> tuple[Model, float]:
    start = time.monotonic()
    with naming(getattr(source, "origin", "the data")):
        model = run()
    return model, time.monotonic() - start


def task_of(work: Work, rows: Rows, y: Array, before: int = 0) -> Task:
    return Task(
        positive=work.words["positive"],
        class_weight=_class_weight(work.words["class_weight"], y),
        order=_order(work, rows.n),
        observers=[work.progress.learning(work.limits, before)],
    )


def _asking(work: Work, task: Task, settings: Settings, classes: Array) -> Task:
    """With the question whether the rows are separable, if it is to be asked."""
    if not work.words["stop_if_not_separable"]:
        return task
    from ..theory.stopping import StopWhenNotSeparable, check_rule

    check_rule(settings.rule)
    asking = StopWhenNotSeparable(classes, work.limits.max_time)
    return task._replace(observers=[*task.observers, asking])


def _scoring(work: Work) -> Any:
    """What the pocket and validation maximise; SettingError before anything is read. None needs no scikit-learn."""
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
    if optimizer_from(work.words["optimizer"]).picks:
        raise SettingError(f"optimizer {work.words['optimizer']} picks the rows itself; it takes no order from a file")
    if isinstance(work.words["validation"], float):
        raise SettingError(
            f"--order {order} names rows of all the data, and --validation sets some of them aside; name a file of "
            f"validation rows"
        )
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
