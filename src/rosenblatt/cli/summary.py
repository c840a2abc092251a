"""What `train` says when it is done: what was learned, why it stopped, and what to try next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.learn import UPDATES
from ..core.rows import n_rows
from ..fit import training_errors
from ..model import Model
from .learn import Done
from .output import plural

SHORT = 10
"""Epochs up to which all mistakes are listed."""


def summary(done: Done, output: str) -> dict[str, Any]:
    """The result as `train --json` prints it. training_errors: rows with y·u ≤ 0 (a score of 0 is a mistake)."""
    model, run = done.model, done.model.run
    settings = run.settings.words()
    return {
        "rows": n_rows(done.rows),
        "features": model.width,
        "classes": model.classes,
        "rule": settings["rule"],
        "keep": settings["keep"],
        "optimizer": settings["optimizer"],
        "epochs": run.epoch,
        "mistakes_per_epoch": run.history["mistakes"],
        "updates": int(run.state.n[UPDATES]),
        "stop_reason": run.stop_reason,
        "converged": run.converged,
        "training_errors": training_errors(model.decision(done.rows), done.y, model.classes),
        "seconds": round(done.seconds, 3),
        "model": output,
        "notes": done.notes,
        "advice": advice(model),
    }


def told(found: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    classes = [str(label) for label in found["classes"]]
    listed = ", ".join(classes[:SHORT]) + (f" and {len(classes) - SHORT} more" if len(classes) > SHORT else "")
    yield f"{plural(found['rows'], 'row')}, {plural(found['features'], 'feature')}, classes {listed}"
    yield (
        f"{found['rule']}, keep {found['keep']}, {found['optimizer']}: "
        f"{plural(found['epochs'], 'epoch')}, {plural(found['updates'], 'update')} in {found['seconds']:.1f} s"
    )
    if found["mistakes_per_epoch"]:
        yield f"mistakes per epoch: {series(found['mistakes_per_epoch'])}"
    yield f"stopped: {found['stop_reason']}"
    yield f"training errors: {found['training_errors']:,} of {found['rows']:,}"
    yield f"wrote {found['model']}"
    if found["advice"]:
        yield f"next: {found['advice']}"


def series(mistakes: list[int]) -> str:
    """All of a short history, else the first six and the last three."""
    shown = [f"{count:,}" for count in mistakes]
    return " ".join(shown if len(shown) <= SHORT else [*shown[:6], "...", *shown[-3:]])


def advice(model: Model) -> str | None:
    """What to try where learning was cut short, or None."""
    run = model.run
    if run.converged:
        return None
    reason, keep = run.stop_reason, run.settings.keep
    if "limit" not in reason:
        return "mistakes are left although nothing moves any more; try --optimizer online, or another --rule"
    option = next((o for word, o in (("max_updates", "--max-updates"), ("max_time", "--max-time")) if word in reason), "--epochs")
    more = f"more {option}, or go on with --continue"
    if run.settings.tol is not None:
        return f"{more}; a loss that does not settle wants a smaller --eta or --schedule sqrt"
    if keep in ("last", "voted"):
        return f"--keep averaged or --keep pocket, which do well where mistakes remain; {more}"
    return more
