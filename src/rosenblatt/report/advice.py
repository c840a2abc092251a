"""What to do, in plain sentences: the conclusions from what is proven and what was tried, what helps most first."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.labels import differing_in_case
from ..doctor.diagnosis import Diagnosis
from ..doctor.facts import FAR, UNEVEN, Columns, repeats
from ..doctor.summary import ranges_apart
from ..features.scaling import Standard
from ..kernels import kernel_name
from ..learn.settings import Settings
from ..model.model import Model
from ..recipe.trial import Trial
from .words import as_options, hyperplane, plural

LISTED = 6
MINDS = 1000.0
"""Ratio of two columns' ranges from which a run that leaves errors is told of it: pixels of 0 to 255, of which some are
never more than 1, are no cause."""
REMEDIES = {
    "unsettled": "a loss that does not settle wants a smaller --eta or --schedule sqrt",
    "left out": "an --order with every row in it",
    "shrunk": "a smaller --l2, or none",
    "pulled": "a smaller --l1, or none",
}
"""Why a run stopped → what to do; see `remedy`."""
ENDLESS = (
    "the rows are separable, so that this loss has no finite minimum, and the weights grow with the epochs; --l2 0.001 "
    "gives it one"
)
"""Of what `endless` finds."""
FEW = 30
"""Rows below which a share of wrong ones has a standard deviation of up to .09 and more."""


def remedy(kind: str, settings: Settings) -> str:
    """What to do about a run that stopped so."""
    steady = kind == "unsettled" and settings.steady
    return "a loss that does not settle wants a smaller --eta" if steady else REMEDIES[kind]


def advice(diagnosis: Diagnosis) -> list[str]:
    """One sentence or two each."""
    if not diagnosis.trials:
        (label,) = diagnosis.facts.class_rows
        return [f"All rows have the label {label}: there is nothing to tell apart. Add rows of another class."]
    return [*_labels(diagnosis), *_converging(diagnosis), *_held_out(diagnosis), *_data(diagnosis)]


def _labels(diagnosis: Diagnosis) -> Iterator[str]:
    twins = diagnosis.facts.twins
    if twins:
        shown = "; ".join(numbers(group) for group in twins[:3]) + (" …" if len(twins) > 3 else "")
        yield (
            f"Look at the labels of the rows that are equal ({shown}): if some are wrong, correct them. As they are, "
            f"any classifier is wrong on at least {diagnosis.facts.wrong:,} of the {diagnosis.facts.rows:,} rows."
        )


def _converging(diagnosis: Diagnosis) -> Iterator[str]:
    """How to get to a run that ends by itself."""
    base, others = diagnosis.trials[0], [trial for trial in diagnosis.trials[1:] if not trial.failed]
    done = [trial for trial in others if trial.converged and "max_iter" not in trial.words]
    done = [trial for trial in done if (trial.training_errors or 0) <= (base.training_errors or 0)]
    done.sort(key=lambda trial: ("fit_intercept" not in trial.words, len(trial.words), trial.epochs, trial.updates))
    longer = next((trial for trial in others if "max_iter" in trial.words), None)
    one = hyperplane(diagnosis.fit_intercept)
    ended = f"{effort(done[0])}{', where its loss settled' * (done[0].stop.kind == 'settled')}" if done else ""
    if base.converged and diagnosis.separable and diagnosis.settings is not None and endless(diagnosis.settings):
        yield (
            f"The learner stopped where its loss fell by too little, not at a minimum: {ENDLESS}; --rule margin stops "
            "by itself."
        )
        return
    if base.converged:
        yield f"Nothing needs to be done to converge: the learner does, after {length(base)}."
        return
    if base.stop.kind in REMEDIES and diagnosis.settings is not None:
        text = remedy(base.stop.kind, diagnosis.settings)
        yield f"{text[0].upper()}{text[1:]}."
    if diagnosis.separable is not False and done:
        yield f"To converge, use {shown(done[0])}: it was finished after {ended}."
    elif done:
        alone = f"{'This kernel allows' if diagnosis.kernel else 'These columns alone allow'} no {one} without an error"
        yield f"{alone}, but {shown(done[0])} converged, after {ended}."
    if longer is not None and longer.converged:
        let = "Or let" if done else "Let"
        yield f"{let} it run until it is finished, with --epochs none: that took {effort(longer)}."
    elif longer is not None and diagnosis.settings is not None and not longer.stop.is_limit:
        why = remedy(longer.stop.kind, diagnosis.settings) if longer.stop.kind in REMEDIES else ""
        by = f"without a limit it stopped by its own rule after {effort(longer)}"
        yield f"More epochs do not help: {by}, and was not finished{why and f'; {why}'}."
    elif longer is not None:
        over = "it was not finished (the time for a trial was over)"
        sure = all(verdict.limit is not None for verdict in diagnosis.verdicts)
        help_ = "help in the end, but how many cannot be said" if sure else "may help, or not"
        yield f"More epochs {help_}: after {effort(longer)} {over}."
    if diagnosis.separable is False:
        judge = "" if diagnosis.facts.rows < FEW else ", and judge it by its errors on held-out rows"
        what = "zero errors" if diagnosis.by_loss else "the learner as it is to converge"
        yield f"Do not wait for {what}: that is proven to be impossible. Stop it after some epochs{judge}."
        yield from _fewest(diagnosis)


def _fewest(diagnosis: Diagnosis) -> Iterator[str]:
    """How few rows are wrong by a hyperplane: proven where that is known, and by those that were tried."""
    same = [trial for trial in diagnosis.trials if not trial.failed and _same_hyperplanes(trial, diagnosis)]
    tried, proven, kernel = "", diagnosis.fewest, diagnosis.kernel
    if same:
        least = min(same, key=lambda trial: trial.training_errors or 0)
        tried = f"{least.training_errors:,}, with {shown(least)}"
    of, space = f"Of the {diagnosis.facts.rows:,} rows learned from", "in these columns"
    option = "" if diagnosis.fit_intercept else " --no-intercept"
    if kernel is not None:
        option += f" --kernel {kernel_name(kernel)}"
        space = "in the kernel's space"
    if proven is None:
        exact = len(diagnosis.verdicts) == 1 and (kernel is None or diagnosis.verdicts[0].proof.problem.space.exact)
        more = f"; `rosenblatt optimum{option}` says how few are possible" if exact else ""
        each = "" if len(diagnosis.verdicts) == 1 else ", one for each class,"
        if tried:
            yield f"{of}, the fewest wrong by the hyperplanes tried{each} were {tried}{more}."
        return
    errors = min([proven.errors, *(trial.training_errors or 0 for trial in same)])
    errors = max(errors, proven.lower_bound)  # trials are counted in floats
    best, command = f"the best {hyperplane(diagnosis.fit_intercept)} {space}", f"`rosenblatt optimum{option}`"
    if errors == proven.lower_bound:
        known = f"{best} has {errors:,} wrong, which is proven; {command} shows it"
    else:
        known = f"{best} that was found has {errors:,} wrong, and none has fewer than {proven.lower_bound:,}, which is "
        known += f"proven; {command} looks longer"
    yield f"{of}, {known}{tried and f'. The best of those tried has {tried}'}."


def of_rows(diagnosis: Diagnosis) -> bool:
    """Whether the columns are values of K with rows."""
    return bool(getattr(diagnosis.kernel, "pairwise", False))


def _same_hyperplanes(trial: Trial, diagnosis: Diagnosis) -> bool:
    """Whether what it learns is one of the hyperplanes that the verdict is about: not with products of columns, nor
    with an offset where there was none, be it through columns that are centred; rows of equal length are other rows,
    but for hyperplanes through the origin. In a kernel's space not where columns are scaled; and what votes has
    none."""
    scale = str(trial.words.get("scale", ""))
    other = "standard" in scale if not diagnosis.fit_intercept else "unit" in scale
    other = other or trial.nonzero_weights is None or (diagnosis.kernel is not None and bool(scale))
    return not other and not {"degree", "fit_intercept"} & set(trial.words)


def _held_out(diagnosis: Diagnosis) -> Iterator[str]:
    """Which errors on new rows to expect, and what makes them fewer."""
    base, best = diagnosis.trials[0], diagnosis.best
    if base.error is None or best is None or best.error is None:
        yield "A class has a single row: how well anything does on new rows cannot be measured. Add rows of it."
        return
    if diagnosis.facts.rows < FEW:
        yield f"Of {diagnosis.facts.rows:,} rows, errors on held-out rows say little; collect more."
        return
    better = [trial for trial in diagnosis.trials if trial.better_than(base)]
    level = [trial for trial in better if not best.better_than(trial)]
    if not level and best is base:
        yield f"On held-out rows nothing tried does better than the learner as it is ({base.error:.1%} errors)."
        return
    if not level:
        errors = f"{base.error:.1%} errors; the best of all, {shown(best)}, {best.error:.1%}"
        yield f"On held-out rows nothing that was tried is clearly better than the learner as it is ({errors})."
        return
    pick = best if any(trial is best for trial in level) else level[0]
    assert pick.error is not None
    yield f"For rows to come, use {shown(pick)}: {pick.error:.1%} errors on held-out rows instead of {base.error:.1%}."
    smaller = next((t for t in level if len(t.words) < len(pick.words)), None)
    if smaller is not None and smaller.error is not None:
        yield f"A smaller change, and not clearly worse, is {shown(smaller)} ({smaller.error:.1%})."
    also = [trial for trial in better if trial is not pick and trial is not smaller][:LISTED]
    if also:
        yield f"Also better than the learner as it is: {'; '.join(f'{shown(t)} ({t.error:.1%})' for t in also)}."


def _data(diagnosis: Diagnosis) -> Iterator[str]:
    facts = diagnosis.facts
    if facts.imbalance >= UNEVEN and len(facts.class_rows) == 2:
        yield (
            f"One class has {facts.imbalance:.0f} times the rows of the other, so that few errors say little: count "
            f"those of each class (`rosenblatt evaluate`), and try --class-weight balanced."
        )
    if diagnosis.plan.texts or diagnosis.kernel is not None:
        return  # words that occur together are no slip, and of columns that repeat each other K is made all the same
    constant = len(facts.constant) if diagnosis.fit_intercept else 0  # through the origin it is an offset
    idle = len(facts.empty) + constant + len(facts.duplicates)
    if idle and facts.features > idle:
        what = "empty, constant," if constant else "empty,"
        yield f"{plural(idle, 'column')} can be left out: {what} or equal to another one."


def endless(settings: Settings) -> bool:
    """Whether on separable rows the loss falls for ever, towards 0, while the weights grow, and L2 would end that: not
    that of FTRL, whose penalties are outweighed by more and more rows."""
    free = settings.alpha == settings.l1 == 0.0 and not hasattr(settings.metric, "with_penalties")
    return getattr(settings.rule, "endless", False) and free


def shown(trial: Trial) -> str:
    return as_options(trial.words) or "the learner as it is"


def effort(trial: Trial) -> str:
    return f"{length(trial)} and {plural(trial.mistakes, 'mistake')}"


def length(trial: Trial) -> str:
    """In epochs; of a run that has finished none, as one that picks its rows, in updates."""
    return plural(trial.epochs, "epoch") if trial.epochs else plural(trial.updates, "update")


def numbers(rows: list[int]) -> str:
    """Row numbers from 1, as people count."""
    listed = [f"{row + 1:,}" for row in rows[:LISTED]]
    return f"{' and '.join(listed)}" if len(rows) == 2 else ", ".join(listed) + (" …" if len(rows) > LISTED else "")


def apart(ratio: float, remedy: str) -> str:
    return f"the ranges of the columns differ by a factor of {ratio:.0e}: {remedy} makes them alike"


def of_scale(model: Model, rows: Rows, remedy: str) -> list[str]:
    """Where a model of numbers that leaves errors has learned from columns of very different size, not standardised.
    rows: in the model's features. remedy: what a reader can do about it."""
    features = model.features
    if features is not None and features.map is not None:  # which may come after a scaling, and makes columns itself
        return []
    if getattr(model.run.settings.kernel, "pairwise", False):  # its columns are values of K
        return []
    if features is not None and (features.dictionary or any(isinstance(step, Standard) for step in features.steps)):
        return []
    if hasattr(model.run.settings.metric, "see"):  # it measures each column by itself
        return []
    ratio = ranges_apart(rows.given)
    return [apart(ratio, remedy)] if ratio >= MINDS else []


def surely_wrong(rows: Rows, y: Array) -> int:
    """How many of the rows every rule gets wrong, because rows that equal them have another label."""
    rows = rows.given
    used = rows.used_columns()  # the others say nothing, and there may be 2^31 of them
    rows = rows if len(used) == rows.width else rows.take_columns(used)
    return repeats(Columns().add(rows), np.unique(y, return_inverse=True)[1]).surely_wrong


def of_data(found: dict[str, Any]) -> list[str]:
    """Of what `doctor.summary` finds."""
    sizes, ranges, wrong = list(found["class_rows"].values()), found.get("range_ratio", 1.0), found["surely_wrong"]
    ratio = max(sizes) / min(sizes) if len(sizes) == 2 else 1.0
    alike = " and ".join(differing_in_case(found["class_rows"]))
    hints = {
        f"the labels {alike} differ only in capitals": alike,
        "there is only one class: nothing to learn from yet": len(sizes) == 1,
        f"one class has {ratio:.0f} times the rows of the other: --class-weight balanced": ratio >= UNEVEN,
        apart(ranges, "--scale standard"): ranges >= FAR,
        f"equal rows have different labels: no classifier can be right on {wrong:,} of the rows": wrong,
    }
    return [hint for hint, applies in hints.items() if applies]
