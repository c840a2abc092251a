"""`rosenblatt train`: labelled data → a model file."""

import math
import os
import shlex
import time
from collections.abc import Iterator
from typing import Any

import click
import numpy as np

from ..core.loop import SEEN, UPDATES
from ..errors import SettingError
from ..features.hashing import Hashing
from ..features.spectrum import Spectrum
from ..learn.converged import MOST_VOTES, training_errors, unsettled
from ..learn.observers import Event, Observer
from ..learn.picks import restless
from ..learn.rule import rule_name
from ..model.model import Model
from ..read.anything import source_like, source_of
from ..recipe import recipe as recipes
from ..recipe import training
from ..recipe.table import START
from ..recipe.training import Learned
from ..report.advice import ENDLESS, REMEDIES, endless, of_scale, remedy, surely_wrong
from ..report.answers import (
    calibration_text,
    choice,
    dimensions,
    dimensions_text,
    nonzeros,
    nonzeros_text,
    threshold_lines,
)
from ..report.words import class_counts, hyperplane, plural, series
from ..write.files import held
from .command import command, flag, in_shell, option, option_of
from .options import json_option, plot_option, recipe_options
from .output import check_writable, note, notes, show
from .pictures import Keeping, check_picture, curve_of, refuse_beside_curve, training_picture, write_picture
from .progress import Progress
from .recipe import noted, recipe_of
from .recording import check_run, recorder, write_record
from .sources import output_errors

LONG = 2.0
"""Seconds of learning before anything is said of mistakes that do not get fewer."""
LATELY = 5
"""Epochs of which the best must be better than the best before them, or the mistakes do not get fewer."""
FIRST = {"metric": "arow", "keep": "averaged"}
"""What made the fewest errors over all sets: docs/guide/first-learner.md."""


@command(data="DATA...")
@option("Output", "-o", "--output", metavar="MODEL", required=True, help="The model file to write.")
@option("Output", "--continue", "before", metavar="MODEL", help="Go on from this model, by its own recipe, exactly.")
@option_of(START)
@option("Output", "--trace", metavar="RUN", help="Write each update of the run to this file: see `rosenblatt trace`.")
@option("Output", "--final", is_flag=True, help="Keep only what answers: a smaller model, which does not go on.")
@plot_option("Draw mistakes per epoch and, of two-column data, who answers where: a .png, .svg or .pdf.")
@plot_option(
    "Draw the error by the number of training rows, 5 folds: takes some ten times as long.", "--learning-curve"
)
@json_option
@recipe_options
def train(
    data: str, output: str, before: str | None, start: str | None, final: bool, as_json: bool, **words: Any
) -> None:
    """Learn a linear classifier from the labelled rows of DATA and write it to a file.

    DATA: an svmlight or CSV file, text lines (label, TAB, text), a folder of mails (spam/ and ham/ anywhere below), or
    a tar of one; plain or compressed. "-" is standard input. Several are read as one. Rows without labels get one by
    LABEL=DATA, unless there is a file of that name.

    Example:
        rosenblatt train mails/ -o spam.model --keep averaged
        rosenblatt train spam=Mail/.Junk ham=Mail/cur ham=old.mbox -o spam.model
        rosenblatt train heart.svm.xz -o heart.model --scale standard --rule logistic
        rosenblatt train sms.txt -o sms.model --keep averaged --validation 0.2
        rosenblatt train sms.txt -o sms.model --metric arow --keep averaged --epochs 1
    """
    plot, curve, trace = words.pop("plot"), words.pop("learning_curve"), words.pop("trace")
    if before is not None and start is not None:
        raise SettingError("--continue goes on with a model and --start begins a new one; choose one of them")
    check_writable(output, data, words["order"], words["validation"])
    check_run(trace, data, output, before, start, words["order"], words["validation"])
    for name, picture, other in (("--plot", plot, curve), ("--learning-curve", curve, plot)):
        check_picture(name, picture, data, output, other, before, start, words["order"], words["validation"])
    if curve:
        refuse_beside_curve(words, before, start)
    if before is not None and os.path.exists(output) and os.path.exists(before) and os.path.samefile(output, before):
        said = f"note: another program goes on with {before}; waiting until it has written it"
        click.get_current_context().with_resource(held(before, lambda: note(said)))
    recipe = asked_recipe(words, before, start)
    record = None if trace is None else recorder(data)
    with Keeping(all=bool(curve)) as progress, noted():
        first = first_model(before, start)
        memory = recipe.settings.memory if before is None or first is None else first.run.memory
        if final and not memory.is_linear:
            text = "{keep} answers by all that it has learned; --final would leave nothing out"
            raise SettingError(text, keep=memory.name)
        trained = learned(recipe, data, first, before is not None, progress, [] if record is None else [record])
        progress.end()
        if final:
            trained = trained._replace(model=trained.model.final())
        with output_errors(output):
            trained.model.save(output)
        written = None if record is None else write_record(record, str(trace))
    notes(trained.notes)
    if (
        start is not None
        and first is not None
        and (trained.model.choice or trained.model.calibration or isinstance(words["validation"], float))
    ):
        # Started from a model of the same 300 rows: log-loss .41 in the folds, .59 on others.
        note(f"note: folds and rows set aside flatter a model that starts from {start}, if that one learned from them")
    values = _values(trained, output, first if before is not None else None)
    if plot:
        write_picture(training_picture(trained.model, progress, output), plot)
    if curve:
        with progress:
            values["learning_curve"] = curve_of(recipe, data, trained.model, progress, curve)
    values["trace"] = written
    values["pictures"] = [picture for picture in (plot, curve) if picture]
    show(values, _text(values), as_json)


def asked_recipe(words: dict[str, Any], before: str | None, start: str | None) -> recipes.Recipe:
    """The recipe of the options. before: the model that is gone on with, start: the one to begin from."""
    make = recipes.Recipe if before is None else recipes.Recipe.to_go_on
    return recipe_of(words, make=make, **({} if start is None else {"start": start}))


def first_model(before: str | None, start: str | None) -> Model | None:
    """The model that is gone on with or begun from."""
    given = before if training.random_scale(start) else before or start
    return None if given is None else Model.load(given)


def learned(
    recipe: recipes.Recipe, data: str, first: Model | None, further: bool, progress: Progress, observers: list[Any]
) -> Learned:
    """Learn from the data. further: first is gone on with, not begun from. observers: beside those that speak."""
    if first is None:
        source = progress.reading(source_of(data, **recipe.reading))
        watching = [Restless(), progress.learning(recipe.limits), *observers]
        return training.new(recipe, source, observers=watching)
    source = progress.reading(source_like(data, first, labelled=True, **recipe.reading))
    watching = [Restless(), progress.learning(recipe.limits, first.run.epoch if further else 0), *observers]
    if further:
        return training.further(recipe, first, source, observers=watching)
    return training.new(recipe, source, observers=watching, first=first)


class Restless(Observer):
    """Says once, while a rule learns that only stops when it makes no mistake, that it may be long about it."""

    def __init__(self) -> None:
        self.begun, self.said = math.inf, False  # the first epoch may wait for the compiler

    def epoch(self, event: Event) -> None:
        run, mistakes = event.run, event.run.history["mistakes"]
        self.begun = min(self.begun, time.monotonic())
        if self.said or not event.epoch_ended or time.monotonic() - self.begun < LONG:
            return
        if not run.may_never_settle or len(mistakes) < 2 * LATELY:
            return
        if min(mistakes[-LATELY:]) >= min(mistakes[:-LATELY]):
            self.said, rows = True, max(event.total, 1)
            note(
                f"note: {run.epoch:,} epochs, and the mistakes of one get no fewer (at least {min(mistakes):,}, "
                f"{min(mistakes) / rows:.1%} of the rows): such data may never settle, and the last weights are a "
                "chance. --keep averaged answers well after --epochs 10; --stop-if-not-separable looks for the proof"
            )


def _values(trained: Learned, output: str, before: Model | None) -> dict[str, Any]:
    """The result as `--json` prints it. training_errors: rows with y·u ≤ 0 (a score of 0 is a mistake)."""
    model, run = trained.model, trained.model.run
    settings, errors = run.settings.words(), _errors(trained)
    return {
        "rows": trained.rows.n,
        **dimensions(model),
        "classes": model.classes,
        "positive": model.classes[1] if len(model.classes) == 2 else None,
        "class_rows": {str(label): int(np.count_nonzero(trained.y == label)) for label in model.classes},
        "learner": run.settings.learner,
        "rule": None if run.settings.brings else settings["rule"],
        "metric": rule_name(run.settings.metric),
        **{name: settings[name] for name in ("keep", "optimizer")},
        "epochs": run.epoch,
        "mistakes_per_epoch": run.history["mistakes"],
        "loss_per_epoch": run.history["loss"],
        "validation_per_epoch": run.history.get("validation"),
        "best_epoch": None if run.best is None else run.best.epoch,
        "tol": settings["tol"],
        "updates": int(run.state.n[UPDATES]),
        "stop_reason": run.stop_reason,
        "not_separable": _not_separable(trained),
        "converged": run.converged,
        "training_errors": errors,
        **nonzeros(model),
        "l1": settings.get("l1", 0.0),
        "collision_rate": _collision_rate(trained),
        "calibration": trained.calibration,
        "threshold": None if model.choice is None else choice(model),
        "seconds": round(trained.seconds, 3),
        "model": output,
        "notes": trained.notes,
        "advice": "; ".join(_advice(trained, errors, before)) or None,
    }


def _not_separable(trained: Learned) -> dict[str, Any] | None:
    """The proof that ended the run: its kind, the classes that cannot be separated, and the numbers of its rows, from 1
    as `separable` counts them; without rows set aside for validation."""
    stop = trained.model.run.stop
    if stop.kind != "not separable":
        return None
    why = stop.limit
    rows = [row + 1 for row in why.rows]
    proof = {"kind": why.proof.kind, "fit_intercept": why.proof.problem.fit_intercept}
    proof["kernel"] = why.proof.problem.kernel
    return {**proof, "classes": list(why.classes), "rows": rows, "epoch": why.epoch}


def _errors(trained: Learned) -> int | None:
    """E_in as a count; None where voting would take far longer than learning did."""
    model = trained.model
    if trained.rows.n * (model.run.memory.vectors(model.run.state) - 1) > MOST_VOTES:
        return None
    return training_errors(model.scores(trained.rows), trained.y, model.classes)


def _collision_rate(trained: Learned) -> float | None:
    """Of hashed words, the expected share of those that are not alone in their column; None for a dictionary, and for
    runs of characters, which have as many columns as there are."""
    dictionary = None if trained.model.features is None else trained.model.features.dictionary
    if not isinstance(dictionary, Hashing) or isinstance(dictionary, Spectrum):
        return None
    return dictionary.expected_rate(int(np.count_nonzero(trained.rows.given.stored(axis=0))))


def _text(values: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    classes = class_counts(values["class_rows"], 10)
    classes += f"; positive: {values['positive']}" if values["positive"] is not None else ""
    yield f"{plural(values['rows'], 'row')} ({classes}), {dimensions_text(values)}"
    if values["collision_rate"] is not None:
        yield f"hashed: about {values['collision_rate']:.1%} of the words share a column; more --bits, fewer"
    picked = bool(values["mistakes_per_epoch"]) and not values["epochs"]  # one wrong row after the other: no epochs
    yield (
        f"{values['learner']}, keep {values['keep']}, {values['optimizer']}: "
        f"{'' if picked else plural(values['epochs'], 'epoch') + ', '}{plural(values['updates'], 'update')} "
        f"in {values['seconds']:.1f} s"
    )
    if values["mistakes_per_epoch"] and not picked:
        yield f"mistakes per epoch: {series(values['mistakes_per_epoch'])}"
    if values["tol"] is not None and values["loss_per_epoch"]:
        yield f"mean loss per epoch: {series(values['loss_per_epoch'])} (--tol {values['tol']:g}: what it must fall by)"
    if values["validation_per_epoch"]:
        yield f"validation per epoch: {series(values['validation_per_epoch'])}"
    yield f"stopped: {in_shell(values['stop_reason'])}"
    if values["not_separable"]:
        offset, sides = values["not_separable"]["fit_intercept"], [str(c) for c in values["not_separable"]["classes"]]
        which, kernel = "" if offset else " --no-intercept", values["not_separable"]["kernel"]
        which += f" {shlex.join(['--kernel', kernel])}" if kernel else ""
        if len(values["classes"]) > 2:
            rest = sides[0] == "the rest"
            which += f" {shlex.join(['--positive', sides[1]] if rest else ['--only', ','.join(sides)])}"
        command = f"`rosenblatt separable DATA{which} --save FILE`"
        where = f" in the space of {kernel}" if kernel else ""
        yield f"no {hyperplane(offset)}{where} is right on every row; {command} writes the proof"
    if values["best_epoch"] is not None and values["best_epoch"] < values["epochs"]:
        yield f"the weights of epoch {values['best_epoch']}, the best on the validation rows, are the model's"
    if values["training_errors"] is None:
        yield "training errors: not counted, so many vectors vote; `rosenblatt evaluate` does"
    else:
        yield f"training errors: {values['training_errors']:,} of {values['rows']:,}"
    if values["l1"]:
        yield nonzeros_text(values)
    if values["calibration"]:
        yield calibration_text(values["calibration"])
    if values["threshold"]:
        yield from threshold_lines(values["threshold"], [str(label) for label in values["classes"]])
    traced = values["trace"]["files"] if values["trace"] else []
    yield from (f"wrote {path}" for path in (values["model"], *traced, *values["pictures"]))
    if values["advice"]:
        yield f"next: {values['advice']}"


def _keeping(model: Model, before: Model | None) -> str:
    """What to keep where mistakes remain; with `FIRST`, where that goes with all that was asked for."""
    keeps = " or ".join(f"--keep {name}" for name in model.run.settings.mending)
    keeps += f", which {'do' if ' or ' in keeps else 'does'} well where mistakes remain"
    try:
        recipes.Recipe.from_dict(model.recipe).with_(**FIRST)
    except SettingError:
        return keeps
    typed = " ".join(f"--{name} {value}" for name, value in FIRST.items())
    return keeps if before else f"{typed}, which made the fewest errors over many data sets, or --keep pocket"


def _advice(trained: Learned, errors: int | None, before: Model | None) -> Iterator[str]:
    """What to try where training errors are left, or the loss has no minimum. before: what went on."""
    model, run = trained.model, trained.model.run
    if model.width == 0:
        yield "there is no feature to learn from"
        if model.reads_texts and model.recipe.get("min_documents") != 1:
            yield "where texts are few, --min-documents 1 keeps all their words"
        return
    if run.finished and errors == 0 and run.memory.is_linear and endless(run.settings):
        yield ENDLESS
    if errors == 0:
        return
    steps = 0 if before is None else int(before.run.state.n[SEEN])
    mean = not run.memory.answers_now and not run.memory.needs_measure
    if errors is not None and mean and 2 * steps > run.state.n[SEEN] and 10 * errors > trained.rows.n:
        yield f"the {steps:,} steps of before outweigh those on these rows; to correct it, learn from all rows anew"
        return
    wrong = surely_wrong(trained.rows, trained.y) if errors else 0
    if wrong and 2 * wrong >= (errors or 0):
        if not run.finished and run.may_never_settle:
            yield _keeping(model, before)
        yield f"equal rows have different labels, so that no rule can be right on {wrong:,} of the rows"
        return
    yield from of_scale(model, trained.rows, "--scale standard")
    if run.finished or run.best is not None:
        return
    stop = run.stop
    if stop.kind in REMEDIES:
        yield remedy(stop.kind, run.settings)
    elif stop.kind == "not separable":
        yield "--keep averaged or --keep pocket, without stopping"
        yield "`rosenblatt doctor DATA` tries what may help"
    elif run.history["loss"] and getattr(run.settings.rule, "tol", None) is not None and unsettled(run, math.inf):
        yield remedy("unsettled", run.settings)
    elif not stop.is_limit:
        other = "another --metric" if run.settings.brings else "another --rule"
        other = f"--optimizer online, or {other}" if run.settings.optimizer.whole else other
        yield f"mistakes are left although nothing moves any more; try {other}"
    else:
        if stop.kind == "epochs" and run.may_never_settle:
            yield _keeping(model, before)
        plain = not run.settings.optimizer.picks and not run.settings.shaped and run.settings.kernel is None
        if run.memory.needs_measure and plain and not restless(run.settings.rule):
            yield "--optimizer pick-random, with which the pocket can find the fewest errors"
        yield f"more {flag(stop.setting)}" + ("" if run.final else ", or go on with --continue")
        if run.settings.tol is not None and not run.settings.brings:
            yield remedy("unsettled", run.settings)
