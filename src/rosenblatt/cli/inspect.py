"""`rosenblatt inspect`: what a model has learned, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from .options import Command, Number, json_option, option

if TYPE_CHECKING:
    from ..model import Model

EXAMPLE = """\
rosenblatt inspect spam.model --top 20"""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("model", metavar="MODEL")
@option("Output", "--top", type=Number(int, all=None), default=10, show_default=True,
        help="Strongest features to show of each class.")  # fmt: skip
@json_option
def inspect(model: str, top: int | None, as_json: bool) -> None:
    """Show the recipe of MODEL, how its training went, and the strongest features of each class."""
    from ..model import Model
    from .output import to_json, write_lines

    found = _found(Model.load(model), model, top)
    write_lines([to_json(found)] if as_json else _report(found))


def _found(model: Model, path: str, top: int | None) -> dict[str, Any]:
    import os

    from ..core.learn import MISTAKES, SEEN, UPDATES
    from ..report.evidence import Names

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
        "stop_reason": run.stop_reason,
        "converged": run.converged,
        "intercept": model.weights[1],
        "strongest": _strongest(model, Names(model), top),
    }


def _schema(path: str) -> int:
    """The version of the file's format; the file has been loaded before, so it is one of ours."""
    import json

    from safetensors import safe_open

    from ..model_file import KEY

    with safe_open(path, "np") as file:
        return int(json.loads(file.metadata()[KEY])["schema"])


def _strongest(model: Model, names: Any, top: int | None) -> dict[str, list[dict[str, Any]]]:
    """class → its features with the largest weights; with two classes the negative one's are those most below 0."""
    from ..report.evidence import strongest

    w = model.weights[0]
    signed = [(-1, w[0]), (1, w[0])] if len(model.classes) == 2 else [(1, weights) for weights in w]
    out = {}
    for label, (sign, weights) in zip(model.classes, signed, strict=True):
        columns = strongest(sign * weights, model.width if top is None else top)
        out[str(label)] = [{"feature": names[j], "weight": weights[j]} for j in columns]
    return out


def _report(found: dict[str, Any]) -> Iterator[str]:
    from .output import plural
    from .summary import series

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
    yield f"stopped: {found['stop_reason']}" + ("" if found["converged"] else " (not converged)")
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
    if recipe["scale"]:
        yield "scaled: " + "+".join(
            f"{step['kind']}:{step['length']:g}" if "length" in step else step["kind"] for step in recipe["scale"]
        )


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"
