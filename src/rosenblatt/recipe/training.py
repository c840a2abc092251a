"""What `Recipe.fit` and `fit_more` do: data → features → a run → probabilities and a threshold."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows, stack
from ..data.batch import Source
from ..data.checks import checked_weights, combined_weight
from ..data.folds import folds_for, set_aside
from ..data.labels import class_list, class_numbers, differing_in_case, tidy
from ..errors import DataError, Message, SettingError, naming
from ..features.parameters import FEATURES
from ..features.pipeline import Features
from ..kernels import kernel_name
from ..learn.observers import observers_of
from ..learn.rule import rule_name
from ..learn.settings import Settings
from ..model.calibration import calibration
from ..model.fit import Held, Task, fit, learn_more
from ..model.marks import kept
from ..model.metrics import probability_metrics, scorer
from ..model.model import Model
from ..model.representation import Representation
from ..model.support import supported, widened, with_base
from ..model.thresholds import HELD_OUT, chosen
from ..read.anything import source_like, source_of
from .cross_scores import cross_scores, length, too_few
from .virtual import with_virtual

if TYPE_CHECKING:
    from .recipe import Recipe

FEATURE_WORDS = tuple(each.name for each in FEATURES)
RANDOM = "random"
"""Begins a start that is drawn, as `random:0.1`."""


class Learned(NamedTuple):
    """A model, and what came up on the way: the rows that it learned from (without those that were set aside) in its
    own features, their labels and weights; the task, of the folds' models too; the seconds of learning alone; what was
    skipped while reading; how good calibrated probabilities are on the folds."""

    model: Model
    rows: Rows
    y: Array
    weight: Array | None
    task: Task
    seconds: float
    notes: Mapping[str, int] = {}
    calibration: dict[str, Any] | None = None

    @property
    def row_weight(self) -> Array | None:
        """(n,) what the steps of each row are multiplied by, of the weights of rows and of classes; None: by 1."""
        return combined_weight(self.y, self.model.classes, self.task.class_weight, self.weight)


def new(
    recipe: Recipe, data: Any, y: Any = None, weight: Any = None, observers: Any = (), first: Model | None = None
) -> Learned:
    """A new model. One with a start has that model's features and reading. first: the start, where it is loaded."""
    start = recipe["start"]
    scale = random_scale(start)
    first = model_of(start) if first is None and start is not None and scale is None else first
    own: Representation
    if first is None:
        source = source_of(data, y, **recipe.reading)
        recipe.check_kind(source)
        with naming(source.origin, str(recipe["known_senders"]), recipe["dictionary"]):
            features, rows, labels, _ = Features.fit(source, recipe.features, _learned_from(recipe))
        if labels is None:
            raise DataError(f"{source.origin}: there are no labels; rows to learn from need one each")
        y = tidy(labels)
        if alike := differing_in_case(np.unique(y)):
            warnings.warn(f"the labels {' and '.join(alike)} differ only in capitals", stacklevel=3)
        reading, names = source.recipe(), source.feature_names
        own = Representation(classes=np.unique(y), features=features, reading=reading, names=names)
    else:
        called = start if isinstance(start, (str, os.PathLike)) else "the model"
        if first.run.settings.kernel is not None:
            text = "{start}: the model has a kernel, and weights of rows that it learned from; go on with it instead"
            raise SettingError(text, start=start)
        recipe.refuse((*FEATURE_WORDS, "kernel"), f"the features are those of {called}, whose weights are the start")
        source = source_like(data, first, y, labelled=True, **recipe.reading)
        rows, y = _as_own(first, source)
        own = first
    task = Task(names=own.feature_names, observers=observers)
    if first is not None:
        task = task._replace(start=_start(first, y, recipe["positive"], source.origin))
    elif scale is not None:
        task = task._replace(start=_random_start(scale, own.classes.size, rows.width, recipe.settings.random_state))
    trained = _trained(recipe, (source, rows, y), own, task, weight)
    parts = {name: getattr(own, name) for name in ("features", "reading", "names")}
    return _supported(trained, replace(trained.model, **parts, recipe=recipe.as_dict()))


def _learned_from(recipe: Recipe) -> Callable[[Array], Array] | None:
    """From the labels to the rows that the features, too, are learned from, where others are set aside."""
    share, seed = recipe["validation"], recipe.settings.random_state
    return (lambda y: set_aside(tidy(y), share, seed)[0]) if isinstance(share, float) else None


def further(
    recipe: Recipe, before: Model, data: Any, y: Any = None, weight: Any = None, observers: Any = ()
) -> Learned:
    """More of a model, by its own recipe. SettingError where another one is asked for."""
    before.run.check_goes_on()
    others = {name for name in recipe.words if name not in before.recipe or before.recipe[name] != recipe[name]}
    recipe.refuse(others & {*FEATURE_WORDS, "positive", "start"}, "the model goes on with what it has")
    if recipe["virtual"] is not None:
        text = "{virtual:s}: the model goes on with rows, of which no virtual examples are made; leave it out"
        raise SettingError(text, virtual=str(recipe["virtual"]))
    settings = _same_settings(recipe, before.run.settings, before.recipe)
    before = replace(before, run=replace(before.run, settings=settings))
    source = source_like(data, before, y, labelled=True, **recipe.reading)
    rows, y = _as_own(before, source)
    if before.features is not None and before.features.kernel is not None:
        step, rows = before.features.kernel.learning(rows.given)
        before = widened(before, step)
    if isinstance(recipe["validation"], float) and before.run.best is None and before.run.epoch:
        text = "the model has learned from the rows that are set aside now, which flatters it on them"
        warnings.warn(text, stacklevel=3)
    if recipe["validation"] is None and before.run.best is not None:
        text = "the model was stopped by validation rows, not kept with it: without {validation.name} all are learned"
        warnings.warn(Message(text, validation=None), stacklevel=3)
    task = Task(names=before.feature_names, observers=observers)
    anew, kept_parts = _as_before(recipe, before, y)
    trained = _trained(anew, (source, rows, y), before, task, weight, before)
    model = kept_parts(replace(trained.model, recipe={**before.recipe, **recipe.as_dict()}))
    return _supported(trained, model)


def _supported(learned: Learned, model: Model) -> Learned:
    """With this model; of one with a kernel without the rows that it does not use."""
    model = supported(with_base(model, learned.rows))
    step = None if model.features is None else model.features.kernel
    return learned._replace(model=model, rows=learned.rows if step is None else step.transform(learned.rows.given))


def model_of(given: Any) -> Model:
    """A model itself, of the path of one, or of a fitted estimator. SettingError for anything else."""
    model = getattr(given, "model_", given)
    if isinstance(model, (str, os.PathLike)):
        return Model.load(model)
    if not isinstance(model, Model):
        raise SettingError(f"found {type(given).__name__}; expected a model, the path of one, or a fitted estimator")
    return model


def _trained(
    recipe: Recipe, data: Any, own: Representation, task: Task, weight: Any, before: Model | None = None
) -> Learned:
    """Learn from (source, rows, labels) in features that are there, then calibrate and choose a threshold."""
    source, rows, y = data
    weight = checked_weights(weight, len(y))
    held, task = recipe["validation"], task._replace(scorer=_scorer(recipe))
    if held is not None and not isinstance(held, float):
        task = task._replace(validation=_validation(recipe, held, own))
    for observer in observers_of(task.observers):
        observer.about(recipe=recipe.as_dict(), data=source.origin)
    with naming(source.origin, str(recipe["order"])):
        learned = answering(recipe, learn(recipe, rows, y, task, weight, before))
    notes, order = dict(source.notes), learned.task.order
    if order is not None and (left_out := len(learned.y) - np.unique(order).size):
        notes["rows that are not in the order, and not learned from"] = left_out
    return learned._replace(notes=notes)


def learn(
    recipe: Recipe, rows: Rows, y: Array, task: Task = Task(), weight: Any = None, before: Model | None = None
) -> Learned:
    """The learner's part of a recipe, over rows that are ready; no calibration, no threshold.

    task: what is said beside the recipe: names, observers, a start, an order or validation rows of one's own.
    """
    settings = recipe.settings if before is None else before.run.settings
    if isinstance(recipe["validation"], float) and task.validation is None:
        kept, out = set_aside(y, recipe["validation"], settings.random_state)
        if weight is not None and (weight > 0.0).any() and not (weight[kept] > 0.0).any():
            why = "all rows with a weight above zero are among those set aside for validation"
            raise DataError(f"{why}; give them as validation rows of their own, or other weights")
        held = Held(rows.take(out), y[out], task.scorer, _scored_by(recipe))
        rows, y, weight = rows.take(kept), y[kept], None if weight is None else weight[kept]
        task = task._replace(validation=held)
    observers = observers_of(task.observers)
    if recipe["stop_if_not_separable"]:
        from ..theory.stopping import StopWhenNotSeparable, check_separating

        check_separating(settings)
        classes = class_list(y, recipe["positive"]) if before is None else before.classes
        observers.append(StopWhenNotSeparable(classes, recipe["max_time"]))
    order = recipe.order(rows.n) if task.order is None else task.order
    weights = recipe.class_weight(y)
    task = task._replace(positive=recipe["positive"], class_weight=weights, observers=observers, order=order)
    begun = time.monotonic()
    if before is None:
        model = fit(rows, y, settings, recipe.limits, task, weight)
        if recipe["virtual"] is not None:
            model, rows = with_virtual(recipe, model, rows, y, task, weight)
    else:
        model = learn_more(before, rows, y, recipe.limits, task, weight)
    return Learned(model, rows, y, weight, task, time.monotonic() - begun)


def answering(recipe: Recipe, learned: Learned) -> Learned:
    """With the model calibrated and with a threshold, from scores of held-out folds, where they are asked for."""
    how, wish = recipe.calibration, recipe.wish
    model, y, measured = learned.model, learned.y, None
    if len(model.classes) == 2:
        model = replace(model, learned_from=kept(learned.rows, model.learned_from))
        learned = learned._replace(model=model)
    if how is None and wish.empty:
        return learned
    scores = cross_scores(model, learned.rows, y, learned.task, recipe["calibrate_folds"], learned.weight)
    if how is not None:
        if few := too_few(y, model.classes):
            warnings.warn(few, UserWarning, stacklevel=4)  # where `fit` was called
        codes = class_numbers(y, model.classes)
        made = calibration(how[0], scores, codes, learned.row_weight, folds_for(y, how[1]))
        model = replace(model, calibration=made)
        measures = probability_metrics(model.log_probabilities(model.from_raw(scores)), codes)
        measured = {"kind": made.kind, "folds": made.folds, "rows": made.rows, **measures}
        if learned.task.class_weight:
            measured["weighted_by_class"] = True
    if not wish.empty:
        model = chosen(model, scores, y, wish, HELD_OUT)
        choice = model.choice or {}
        if "promised" in choice:  # other models scored these rows: what is promised of the folds is not of this model
            model = replace(model, choice={**choice, "promised": False, "promised_by_folds": choice["promised"]})
    return learned._replace(model=model, calibration=measured)


def _as_before(recipe: Recipe, before: Model, y: Array) -> tuple[Recipe, Callable[[Model], Model]]:
    """(the recipe, what is done to the model afterwards) with which the calibration and the threshold of a model that
    goes on stay, where nothing else is asked for: made anew from the rows y; or, of too few of them, kept as they are;
    a threshold that was chosen on other rows is kept at its share of ‖w̄‖. What is kept is said."""

    def nothing(model: Model) -> Model:
        return model

    if recipe.calibration is not None or not recipe.wish.empty:
        asked = recipe.calibration is None and before.calibration is not None
        return recipe.with_(**_calibrated_as(before)) if asked else recipe, nothing
    if before.calibration is None and before.threshold is None:
        return recipe, nothing
    if too_few(y, before.classes):
        these = "a single row is" if len(y) == 1 else f"{len(y):,} rows are"
        text = f"{these} too few to calibrate or to choose a threshold anew; those of before are kept"
        warnings.warn(text, stacklevel=4)
        return recipe, lambda model: _with_threshold(replace(model, calibration=before.calibration), before, 1.0)
    if before.calibration is not None:
        recipe = recipe.with_(**_calibrated_as(before))
    made = before.choice or {"rows": ""}
    if made["rows"] == HELD_OUT:
        value = made[made["by"] if made["by"] in ("cost", "at") else "limit"]
        sure = {"confidence": made["confidence"]} if "limit" in made else {}
        return recipe.with_(**{made["by"]: value}, **sure), nothing
    if before.threshold is None:
        return recipe, nothing
    text = "the threshold was chosen for the scores before, on other rows, and is kept; choose it again with threshold"
    warnings.warn(text, stacklevel=4)
    return recipe, lambda model: _with_threshold(model, before, float(length(model) / length(before)))


def _calibrated_as(before: Model) -> dict[str, Any]:
    made = before.calibration
    return {} if made is None else {"calibrate": made.kind, "calibrate_folds": made.folds}


def _with_threshold(model: Model, before: Model, stretched: float) -> Model:
    """The model with the threshold of before, of which nothing is promised any more."""
    if before.threshold is None:
        return model
    choice = None if before.choice is None else {**before.choice, "promised": False, "kept": True}
    return replace(model, threshold=before.threshold * stretched, choice=choice)


def _validation(recipe: Recipe, held: Any, own: Representation) -> Held:
    """Validation rows of one's own, read as the model's are."""
    data, y = held if isinstance(held, tuple) else (held, None)
    source = source_like(data, own, y, labelled=True, **recipe.reading)
    with naming(source.origin):
        return Held(*_as_own(own, source), _scorer(recipe), _scored_by(recipe))


def _as_own(own: Representation, source: Source) -> tuple[Rows, Array]:
    """All rows of a source in a model's features, and their labels, which must be the model's classes."""
    parts, labels, first = [], [], 1
    for batch in source:
        parts.append(own.rows(batch))
        labels.append(own.labels_of(batch, source.origin, first))
        first += parts[-1].n
    return stack(parts), np.concatenate(labels)


def random_scale(start: Any) -> float | None:
    """S of a start `random:S`; None: it is a model, or there is none. SettingError where S is no number > 0."""
    word, _, text = start.partition(":") if isinstance(start, str) else ("", "", "")
    if word != RANDOM or (not text and Path(start).exists()):
        return None
    try:
        scale = float(text)
    except ValueError:
        scale = math.nan
    if not 0.0 < scale < math.inf:
        raise SettingError("{start:s} is not understood; it must be random:S with a number S > 0", start=start)
    return scale


def _random_start(scale: float, classes: int, width: int, seed: int) -> tuple[Array, Array]:
    """(w, b): w (K, d) from N(0, S²), b 0. Not the numbers that shuffle the rows under the same seed."""
    rows = 1 if classes == 2 else classes
    return np.random.default_rng([seed, *RANDOM.encode()]).normal(0.0, scale, (rows, width)), np.zeros(rows)


def _start(first: Model, y: Array, positive: Any, origin: str) -> tuple[Array, Array]:
    """The weights that answer in another model; of two classes turned over where the positive one is the other."""
    missing = [str(label) for label in first.classes if label not in y]
    if missing:
        raise DataError(f"{origin}: no row has the label {missing[0]}, which the model to start from has")
    w, b = first.weights
    turned = len(first.classes) == 2 and class_list(y, positive).tolist() != first.classes.tolist()
    return (-w, -b) if turned else (w, b)


def _scorer(recipe: Recipe) -> Any:
    """What the pocket and validation maximise. None needs no scikit-learn."""
    asked = recipe["scoring"]
    return scorer(asked) if isinstance(asked, str) else asked


def _scored_by(recipe: Recipe) -> str:
    """What validation rows are scored by, for people."""
    scoring = recipe["scoring"] or "accuracy"
    return str(getattr(scoring, "__name__", scoring))


def _same_settings(recipe: Recipe, own: Settings, begun: dict[str, Any]) -> Settings:
    """The model's own settings; what it was asked for when it began may be said again. A rule or a metric
    of one's own is given again, because no model file holds code."""
    saved = {"metric": rule_name(own.metric), "l1": own.l1, "kernel": None, "budget": None, **own.words()}
    asked = {name: recipe[name] for name in set(recipe.words) & set(saved)}
    if asked.get("kernel") is not None:
        asked["kernel"] = kernel_name(recipe.settings.kernel)
    for name, value in asked.items():
        if name in ("rule", "metric"):
            continue
        there = saved[name]
        if value not in (there, begun.get(name, there)):
            shown = f"{{{name}_:s}}" if isinstance(there, bool) else "none" if there is None else there
            text = f"{{{name}:s}}: the model goes on as it began, with {shown}"
            raise SettingError(text, **{name: value, f"{name}_": there})
    order = recipe["order"]
    if "order" in recipe.words and order in ("shuffled", "given") and own.shuffle != (order == "shuffled"):
        raise SettingError("{order:s}: the model goes on in the order that it began with", order=order)
    for name in {"rule", "metric"} & set(recipe.words):
        value = rule_name(getattr(recipe.settings, name))
        if value != saved[name]:
            raise SettingError(f"{{{name}:s}}: the model goes on as it began, with {saved[name]}", **{name: value})
    return replace(own, **{name: getattr(recipe.settings, name) for name in {"rule", "metric"} & set(recipe.words)})
