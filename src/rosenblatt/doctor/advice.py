"""What to do, in plain sentences: the conclusions from what is proven and what was tried, what helps most first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..report.words import plural
from .facts import UNEVEN
from .trials import Trial

if TYPE_CHECKING:
    from .diagnosis import Diagnosis

LISTED = 6
FEW = 30
"""Rows below which a share of wrong ones has a standard deviation of up to .09 and more."""


def advice(found: Diagnosis) -> list[str]:
    """One sentence or two each."""
    if not found.trials:
        (label,) = found.facts.class_rows
        return [f"All rows have the label {label}: there is nothing to tell apart. Add rows of another class."]
    return [*_labels(found), *_converging(found), *_held_out(found), *_data(found)]


def _labels(found: Diagnosis) -> Iterator[str]:
    twins = found.facts.twins
    if twins:
        shown = "; ".join(numbers(group) for group in twins[:3]) + (" …" if len(twins) > 3 else "")
        yield (
            f"Look at the labels of the rows that are equal ({shown}): if some are wrong, correct them. As they are, "
            f"any classifier is wrong on at least {found.facts.wrong:,} of the {found.facts.rows:,} rows."
        )


def _converging(found: Diagnosis) -> Iterator[str]:
    """How to get to a run that ends by itself."""
    base, others = found.trials[0], [trial for trial in found.trials[1:] if not trial.failed]
    done = [trial for trial in others if trial.converged and not trial.treatment.longer]
    done.sort(key=lambda trial: (trial.treatment.changes, trial.epochs, trial.updates))
    longer = next((trial for trial in others if trial.treatment.longer), None)
    if base.converged:
        yield f"Nothing needs to be done to converge: the learner does, after {length(base)}."
        return
    if found.separable is not False and done:
        yield f"To converge, use {shown(done[0])}: it was finished after {effort(done[0])}."
    elif done:
        yield (
            f"These columns alone allow no hyperplane without an error, but {shown(done[0])} converged, after "
            f"{effort(done[0])}."
        )
    if longer is not None and longer.converged:
        yield f"Or let it run until it is finished, with --epochs none: that took {effort(longer)}."
    elif longer is not None:
        yield (
            f"More epochs help in the end, but how many cannot be said: after {effort(longer)} it was not finished "
            f"(the time for a trial was over)."
        )
    if found.separable is False:
        yield (
            "Do not wait for the learner as it is to converge: that is proven to be impossible. Stop it after some "
            "epochs, and judge it by its errors on held-out rows."
        )
        same = [trial for trial in found.trials if not trial.failed and trial.treatment.degree == 1]
        two = len(found.facts.class_rows) == 2
        least = min(same, key=lambda trial: trial.training_errors)
        yield (
            f"Of the {found.facts.rows:,} rows learned from, the fewest wrong by a hyperplane in these columns were "
            f"{least.training_errors:,}, with {shown(least)}"
            f"{'; `rosenblatt optimum` says how few are possible' if two else ''}."
        )


def _held_out(found: Diagnosis) -> Iterator[str]:
    """Which errors on new rows to expect, and what makes them fewer."""
    base, best = found.trials[0], found.best
    if base.error is None or best is None or best.error is None:
        yield "A class has a single row: how well anything does on new rows cannot be measured. Add rows of it."
        return
    if found.facts.rows < FEW:
        yield f"Of {found.facts.rows:,} rows, errors on held-out rows say little; collect more."
        return
    better = [trial for trial in found.trials if trial.better_than(base)]
    level = [trial for trial in better if not best.better_than(trial)]
    if not level and best is base:
        yield f"On held-out rows nothing tried does better than the learner as it is ({base.error:.1%} errors)."
        return
    if not level:
        yield (
            f"On held-out rows nothing that was tried is clearly better than the learner as it is "
            f"({base.error:.1%} errors; the best of all, {shown(best)}, {best.error:.1%})."
        )
        return
    pick = best if any(trial is best for trial in level) else level[0]
    assert pick.error is not None
    yield f"For rows to come, use {shown(pick)}: {pick.error:.1%} errors on held-out rows instead of {base.error:.1%}."
    smaller = next((t for t in level if t.treatment.changes < pick.treatment.changes), None)
    if smaller is not None and smaller.error is not None:
        yield f"A smaller change, and not clearly worse, is {shown(smaller)} ({smaller.error:.1%})."
    also = [trial for trial in better if trial is not pick and trial is not smaller][:LISTED]
    if also:
        yield f"Also better than the learner as it is: {'; '.join(f'{shown(t)} ({t.error:.1%})' for t in also)}."


def _data(found: Diagnosis) -> Iterator[str]:
    known = found.facts
    if known.imbalance >= UNEVEN and len(known.class_rows) == 2:
        yield (
            f"One class has {known.imbalance:.0f} times the rows of the other, so that few errors say little: count "
            f"those of each class (`rosenblatt evaluate`), and try --class-weight balanced."
        )
    if found.plan.given.kind == "documents":
        return  # words that occur together are no slip
    idle = len(known.empty) + len(known.constant) + len(known.duplicates)
    if idle and known.features > idle:
        yield f"{plural(idle, 'column')} can be left out: empty, constant, or equal to another one."


def shown(trial: Trial) -> str:
    return trial.treatment.options or "the learner as it is"


def effort(trial: Trial) -> str:
    return f"{length(trial)} and {plural(trial.mistakes, 'mistake')}"


def length(trial: Trial) -> str:
    """In epochs; of a run that has finished none, as one that picks its rows, in updates."""
    return plural(trial.epochs, "epoch") if trial.epochs else plural(trial.updates, "update")


def numbers(rows: list[int]) -> str:
    """Row numbers from 1, as people count."""
    listed = [f"{row + 1:,}" for row in rows[:LISTED]]
    return f"{' and '.join(listed)}" if len(rows) == 2 else ", ".join(listed) + (" …" if len(rows) > LISTED else "")
