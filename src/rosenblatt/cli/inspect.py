"""`rosenblatt inspect`: what a model has learned, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from .options import Command, Number, json_option, option

if TYPE_CHECKING:
    from ..model.model import Model

EXAMPLE = """\
rosenblatt inspect spam.model --top 20"""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("model", metavar="MODEL")
@option("Output", "--top", type=Number(int, all=None), default=10, show_default=True,
        help="Strongest features to show of each class.")  # fmt: skip
@option("Output", "--plot", metavar="PICTURE", help="Draw them as bars, by name: a .png, .svg or .pdf.")
@json_option
def inspect(model: str, top: int | None, plot: str | None, as_json: bool) -> None:
    """Show the recipe of MODEL, how its training went, and the strongest features of each class."""
    from ..model.model import Model
    from .output import to_json, write_lines

    if plot:
        from .pictures import check_picture, weights_picture, write_picture

        check_picture("--plot", plot, model)
    learned = Model.load(model)
    found = _found(learned, model, top)
    if plot:
        write_picture(weights_picture(learned, model, top), plot)
    write_lines([to_json(found)] if as_json else _report(found))


def _found(model: Model, path: str, top: int | None) -> dict[str, Any]:
    import os

    from ..core.learn import MISTAKES, SEEN, UPDATES
    from ..model.evidence import Names
    from .probabilities import choice

    run, counted = model.run, model.run.state.n
    return {
        "model": path,
        "bytes": os.path.getsize(path),
        "schema": _schema(path),
        "settings": run.settings.words(),
        "classes": model.classes,
        "positive": model.classes[1] if len(model.classes) == 2 else None,
        "features": model.width,
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
        "strongest": _strongest(model, Names(model), top),
    }


def _schema(path: str) -> int:
    """The version of the file's format; the file has been loaded before, so it is one of ours."""
    import json

    from safetensors import safe_open

    from ..model.file import KEY

    with safe_open(path, "np") as file:
        return int(json.loads(file.metadata()[KEY])["schema"])


def _strongest(model: Model, names: Any, top: int | None) -> dict[str, list[dict[str, Any]]]:
    """class → its features with the largest weights; with two classes the negative one's are those most below 0."""
    from ..model.evidence import strongest

    w = model.weights[0]
    signed = [(-1, w[0]), (1, w[0])] if len(model.classes) == 2 else [(1, weights) for weights in w]
    out = {}
    for label, (sign, weights) in zip(model.classes, signed, strict=True):
        columns = strongest(sign * weights, model.width if top is None else top)
        out[str(label)] = [{"feature": names[j], "weight": weights[j]} for j in columns]
    return out


def _report(found: dict[str, Any]) -> Iterator[str]:
    from .options import in_shell
    from .output import plural
    from .probabilities import told_calibration, told_threshold
    from .told import series
    from .train import train

    settings, classes = found["settings"], [str(label) for label in found["classes"]]
    yield f"{found['model']}: {_size(found['bytes'])}, schema {found['schema']}"
    yield f"rule {settings['rule']}, keep {settings['keep']}, {settings['optimizer']}, eta {settings['eta0']:g}" + (
        "" if settings["fit_intercept"] else ", through the origin"
    )
    yield f"classes {', '.join(classes)}" + ("" if found["positive"] is None else f" (positive: {found['positive']})")
    yield f"{plural(found['features'], 'feature')}, read as {found['reading'].get('format', 'given')}"
    if found["representation"] is not None:
        yield from _representation(found["representation"])
    yield (
        f"{plural(found['epochs'], 'epoch')}, {plural(int(found['examples']), 'example')}, "
        f"{plural(int(found['updates']), 'update')}, {plural(int(found['mistakes']), 'mistake')}"
    )
    if found["mistakes_per_epoch"]:
        yield f"mistakes per epoch: {series(found['mistakes_per_epoch'])}"
    if found["validation_per_epoch"]:
        best = found["best_epoch"]
        who = "the last weights answer" if best is None else f"epoch {best} answers"
        yield f"validation per epoch: {series(found['validation_per_epoch'])}; {who}"
    stopped = in_shell(found["stop_reason"], train)
    yield f"stopped: {stopped}" + ("" if found["converged"] else " (not converged)")
    if found["calibration"]:
        yield told_calibration(found["calibration"])
    if found["threshold"] and "by" in found["threshold"]:
        yield from told_threshold(found["threshold"], classes)
    elif found["threshold"]:
        yield f"threshold {found['threshold']['value']:.6g}: where the probabilities are one half"
    for name, features in found["strongest"].items():
        yield f"strongest for {name}:"
        yield from _weights(features)


def _weights(features: list[dict[str, Any]]) -> list[str]:
    from .output import short, table

    if not features:
        return ["  none"]
    return table([["", f"{each['weight']:.6g}", short(str(each["feature"]), 60)] for each in features], right=(1,))


def _representation(recipe: dict[str, Any]) -> Iterator[str]:
    """How texts become numbers, and how these are scaled."""
    words = recipe["dictionary"]
    if words is not None and words["kind"] == "words":
        yield f"a dictionary of {words['size']:,} words; value: {words['values']}"
    elif words is not None:
        yield f"words hashed to 2^{words['bits']} columns; value: {words['values']}"
    if words is not None:
        yield from _runs(words)
    if recipe.get("senders") is not None:
        yield f"{recipe['senders']:,} known senders"
    scaled = [step for step in recipe["scale"] if step["kind"] != "quadratic"]
    if scaled:
        yield "scaled: " + "+".join(
            f"{step['kind']}:{step['length']:g}" if "length" in step else step["kind"] for step in scaled
        )
    for step in recipe["scale"][len(scaled) :]:
        which = {"all": "products", "squares": "squares", "pairs": "products of pairs"}[step["products"]]
        yield f"{which} of the {'scaled ' if scaled else ''}columns added"


def _runs(words: dict[str, Any]) -> Iterator[str]:
    """Runs of words and characters, where there are any."""
    most, (first, last) = words.get("word_ngrams", 1), words.get("char_ngrams", (0, 0))
    found = [f"up to {most} words"] * (most > 1) + [f"{first} to {last} characters within words"] * (last > 0)
    if found:
        yield f"with runs of {' and of '.join(found)}"


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"
