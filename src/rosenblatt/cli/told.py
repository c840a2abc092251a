"""What `train` says when it is done: what was learned, why it stopped, and what to try next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.learn import UPDATES
from ..learn.converged import MOST_VOTES, training_errors
from ..model.model import Model
from ..recipe.training import Trained
from .options import flag, in_shell
from .output import plural
from .probabilities import choice, told_calibration, told_threshold

UNSETTLED = "a loss that does not settle wants a smaller --eta or --schedule sqrt"
SHORT = 10
"""Epochs up to which all mistakes are listed."""


def summary(done: Trained, output: str) -> dict[str, Any]:
    """The result as `train --json` prints it. training_errors: rows with y·u ≤ 0 (a score of 0 is a mistake)."""
    model, run = done.model, done.model.run
    settings, errors = run.settings.words(), _errors(done)
    return {
        "rows": done.rows.n,
        "features": model.width,
        "classes": model.classes,
        "class_rows": {str(label): int(np.count_nonzero(done.y == label)) for label in model.classes},
        "rule": settings["rule"],
        "keep": settings["keep"],
        "optimizer": settings["optimizer"],
        "epochs": run.epoch,
        "mistakes_per_epoch": run.history["mistakes"],
        "loss_per_epoch": run.history["loss"],
        "validation_per_epoch": run.history.get("validation"),
        "best_epoch": None if run.best is None else run.best.epoch,
        "tol": settings["tol"],
        "updates": int(run.state.n[UPDATES]),
        "stop_reason": run.stop_reason,
        "not_separable": _not_separable(done),
        "converged": run.converged,
        "training_errors": errors,
        "collision_rate": _collision_rate(done),
        "calibration": done.calibration,
        "threshold": None if model.choice is None else choice(model),
        "seconds": round(done.seconds, 3),
        "model": output,
        "notes": done.notes,
        "advice": advice(model, errors),
    }


def _not_separable(done: Trained) -> dict[str, Any] | None:
    """The proof that ended the run: its kind, the classes that cannot be separated, and the numbers of its rows, from 1
    as `separable` counts them; without rows set aside for validation."""
    stop = done.model.run.stop
    if stop.kind != "not separable":
        return None
    found = stop.limit
    rows = [row + 1 for row in found.rows]
    return {"kind": found.kind, "classes": list(found.classes), "rows": rows, "epoch": found.epoch}


def _errors(done: Trained) -> int | None:
    """E_in as a count; None where voting would take far longer than learning did."""
    model = done.model
    if done.rows.n * (model.run.memory.vectors(model.run.state) - 1) > MOST_VOTES:
        return None
    return training_errors(model.scores(done.rows), done.y, model.classes)


def _collision_rate(done: Trained) -> float | None:
    """Of hashed words, the expected share of those that are not alone in their column; None for a dictionary."""
    from ..features.hashing import Hashing

    dictionary = None if done.model.features is None else done.model.features.dictionary
    if not isinstance(dictionary, Hashing):
        return None
    return dictionary.expected_rate(int(np.count_nonzero(done.rows.stored(axis=0))))


def told(found: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    classes = [f"{label}: {count:,}" for label, count in found["class_rows"].items()]
    listed = ", ".join(classes[:SHORT]) + (f" and {len(classes) - SHORT} more classes" if len(classes) > SHORT else "")
    yield f"{plural(found['rows'], 'row')} ({listed}), {plural(found['features'], 'feature')}"
    if found["collision_rate"] is not None:
        yield f"hashed: about {found['collision_rate']:.1%} of the words share a column; more --bits, fewer"
    yield (
        f"{found['rule']}, keep {found['keep']}, {found['optimizer']}: "
        f"{plural(found['epochs'], 'epoch')}, {plural(found['updates'], 'update')} in {found['seconds']:.1f} s"
    )
    if found["mistakes_per_epoch"]:
        yield f"mistakes per epoch: {series(found['mistakes_per_epoch'])}"
    if found["tol"] is not None and found["loss_per_epoch"]:
        yield f"mean loss per epoch: {series(found['loss_per_epoch'])} (--tol {found['tol']:g}: what it must fall by)"
    if found["validation_per_epoch"]:
        yield f"validation per epoch: {series(found['validation_per_epoch'])}"
    yield f"stopped: {in_shell(found['stop_reason'])}"
    if found["not_separable"]:
        yield "no hyperplane is right on every row; `rosenblatt separable DATA --save FILE` writes the proof"
    if found["best_epoch"] is not None and found["best_epoch"] < found["epochs"]:
        yield f"the weights of epoch {found['best_epoch']}, the best on the validation rows, are the model's"
    if found["training_errors"] is None:
        yield "training errors: not counted, so many vectors vote; `rosenblatt evaluate` does"
    else:
        yield f"training errors: {found['training_errors']:,} of {found['rows']:,}"
    if found["calibration"]:
        yield told_calibration(found["calibration"])
    if found["threshold"]:
        yield from told_threshold(found["threshold"], [str(label) for label in found["classes"]])
    yield from (f"wrote {path}" for path in (found["model"], *found["pictures"]))
    if found["advice"]:
        yield f"next: {found['advice']}"


def series(values: list[Any]) -> str:
    """All of a short history, else the first six and the last three; counts whole, other numbers to four digits."""
    shown = [f"{x:.4f}" if isinstance(x, float) else "-" if x is None else f"{x:,}" for x in values]
    return " ".join(shown if len(shown) <= SHORT else [*shown[:6], "...", *shown[-3:]])


def advice(model: Model, errors: int | None) -> str | None:
    """What to try where learning was cut short with training errors left, or None."""
    run = model.run
    if model.width == 0:
        return "there is no feature to learn from; where texts are few, --min-documents 1 keeps all their words"
    if run.finished or errors == 0 or run.best is not None:
        return None
    stop, memory = run.stop, run.memory
    if stop.kind == "not separable":
        return "--keep averaged or --keep pocket, without stopping; `rosenblatt doctor DATA` tries what may help"
    if stop.kind == "unsettled":
        return UNSETTLED
    if not stop.is_limit:
        return "mistakes are left although nothing moves any more; try --optimizer online, or another --rule"
    option = flag(stop.setting)
    more = f"more {option}, or go on with --continue"
    if run.settings.tol is not None:
        return f"{more}; {UNSETTLED}"
    if stop.kind == "epochs" and not memory.settles:
        return f"--keep averaged or --keep pocket, which do well where mistakes remain; {more}"
    return more
