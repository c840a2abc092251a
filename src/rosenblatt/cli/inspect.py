"""`rosenblatt inspect`: what a model has learned, and how."""

import json
import os
from collections.abc import Iterator
from typing import Any

from safetensors import safe_open

from ..core.loop import MISTAKES, SEEN, UPDATES
from ..model.evidence import Names, scaled_by, strongest_columns
from ..model.file import KEY
from ..model.model import Model
from ..report.answers import (
    calibration_text,
    choice,
    dimensions,
    dimensions_text,
    nonzeros,
    nonzeros_text,
    threshold_lines,
)
from ..report.words import plural, series, short, table
from .command import Number, command, in_shell, option
from .options import json_option, plot_option
from .output import show
from .pictures import check_picture, write_picture
from .train import train


@command(model="MODEL")
@option("Output", "--top", type=Number(int, all=None), default=10, show_default=True,
        help="Strongest features to show of each class.")  # fmt: skip
@plot_option("Draw them as bars, by name: a .png, .svg or .pdf.")
@json_option
def inspect(model: str, top: int | None, plot: str | None, as_json: bool) -> None:
    """Show the recipe of MODEL, how its training went, and the strongest features of each class.

    Example:
        rosenblatt inspect spam.model --top 20
    """
    check_picture("--plot", plot, model)
    learned = Model.load(model)
    values = _values(learned, model, top)
    if plot:
        from ..report.pictures.coefficients import figure_of_model

        write_picture(figure_of_model(learned, top, model), plot)
    show(values, _text(values), as_json)


def _values(model: Model, path: str, top: int | None) -> dict[str, Any]:
    run, counted = model.run, model.run.state.n
    names, w, scaled = Names(model), model.weights[0], scaled_by(model)
    strongest = {
        label: [
            {"feature": names[j], "weight": w[k % len(w), j], **{what: by[j] for what, by in scaled.items()}}
            for j in columns
        ]
        for k, (label, columns) in enumerate(strongest_columns(model, top).items())
    }
    return {
        "model": path,
        "bytes": os.path.getsize(path),
        "schema": _schema(path),
        "learner": run.settings.learner,
        "settings": run.settings.words(),
        "classes": model.classes,
        "positive": model.classes[1] if len(model.classes) == 2 else None,
        **dimensions(model),
        **nonzeros(model),
        "columns_moved": run.columns_moved,
        "final": run.final,
        "representation": None if model.features is None else model.features.recipe(),
        "reading": model.reading,
        "epochs": run.epoch,
        "examples": counted[SEEN],
        "updates": counted[UPDATES],
        "mistakes": counted[MISTAKES],
        "mistakes_per_epoch": run.history["mistakes"],
        "validation_per_epoch": run.history.get("validation"),
        "best_epoch": None if run.best is None else run.best.epoch,
        "stop_reason": run.stop_reason,
        "converged": run.converged,
        "intercept": model.weights[1],
        "calibration": None if model.calibration is None else model.calibration.saved()[0],
        "threshold": choice(model) if len(model.classes) == 2 and model.cut else None,
        "strongest": strongest,
    }


def _schema(path: str) -> int:
    """The version of the file's format; the file has been loaded before, so it is one of ours."""
    with safe_open(path, "np") as file:
        return int(json.loads(file.metadata()[KEY])["schema"])


def _text(values: dict[str, Any]) -> Iterator[str]:
    settings, classes = values["settings"], [str(label) for label in values["classes"]]
    size = f"{values['bytes'] / 1e6:.1f} MB" if values["bytes"] >= 1e6 else f"{values['bytes'] / 1e3:.1f} kB"
    yield f"{values['model']}: {size}, schema {values['schema']}"
    origin = "" if settings["fit_intercept"] else ", through the origin"
    eta = "" if settings["eta0"] == "auto" else f", eta {settings['eta0']:g}"  # of a metric that brings its step
    what = "metric" if values["learner"] == settings.get("metric") else "rule"
    yield f"{what} {values['learner']}, keep {settings['keep']}, {settings['optimizer']}{eta}{origin}"
    yield f"classes {', '.join(classes)}" + ("" if values["positive"] is None else f" (positive: {values['positive']})")
    yield f"{dimensions_text(values)}, read as {values['reading'].get('format', 'given')}"
    if values["columns_moved"] is not None or values["final"]:
        moved, final = values["columns_moved"], ", final: no more than what answers" * values["final"]
        steps = "" if moved is None else f"; steps were made in {plural(moved, 'column')}"
        yield nonzeros_text(values) + steps + final
    if "fields" in values["reading"]:
        yield f"fields: {', '.join(['body', *values['reading']['fields']])}"
    if values["representation"] is not None:
        yield from _representation(values["representation"])
    yield ", ".join(plural(int(values[f"{what}s"]), what) for what in ("epoch", "example", "update", "mistake"))
    if values["mistakes_per_epoch"]:
        yield f"mistakes per epoch: {series(values['mistakes_per_epoch'])}"
    if values["validation_per_epoch"]:
        best = values["best_epoch"]
        who = "the last weights answer" if best is None else f"epoch {best} answers"
        yield f"validation per epoch: {series(values['validation_per_epoch'])}; {who}"
    stopped = in_shell(values["stop_reason"], train)
    yield f"stopped: {stopped}" + ("" if values["converged"] else " (not converged)")
    if values["calibration"]:
        yield calibration_text(values["calibration"])
    if values["threshold"] and "by" in values["threshold"]:
        yield from threshold_lines(values["threshold"], classes)
    elif values["threshold"]:
        yield f"threshold {values['threshold']['value']:.6g}: where the probabilities are one half"
    for name, features in values["strongest"].items():
        yield f"strongest for {name}:"
        lines = [["", f"{each['weight']:.6g}", short(each["feature"], 60)] for each in features]
        yield from table(lines, right=(1,)) or ["  none"]


def _representation(recipe: dict[str, Any]) -> Iterator[str]:
    """How texts become numbers, and how these are scaled."""
    words = recipe["dictionary"]
    if words is not None:
        of_words = words["kind"] == "words"
        what = f"runs of {words['length']} characters" if "length" in words else "words"
        how = f"a dictionary of {words['size']:,} words" if of_words else f"{what} hashed to 2^{words['bits']} columns"
        yield f"{how}; value: {words['values']}"
        most, (first, last) = words.get("word_ngrams", 1), words.get("char_ngrams", (0, 0))
        runs = [f"up to {most} words"] * (most > 1) + [f"{first} to {last} characters within words"] * (last > 0)
        if runs:
            yield f"with runs of {' and of '.join(runs)}"
    if recipe.get("senders") is not None:
        yield f"{recipe['senders']:,} known senders"
    kinds = ("quadratic", "map", "kernel")
    scaled = [step for step in recipe["scale"] if step["kind"] not in kinds]
    if scaled:
        names = (step["kind"] + (f":{step['length']:g}" if "length" in step else "") for step in scaled)
        yield f"scaled: {'+'.join(names)}"
    for step in recipe["scale"][len(scaled) :]:
        if step["kind"] == "map":
            yield f"mapped: {step['map']}"
            continue
        if "kernel" in step:
            yield f"kernel {step['kernel']}"
            continue
        which = {"all": "products", "squares": "squares", "pairs": "products of pairs"}[step["products"]]
        yield f"{which} of the {'scaled ' if scaled else ''}columns added"
