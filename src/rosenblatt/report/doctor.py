"""The page: what happened, what is proven, what is in the data, what was tried, what to do."""

import math
import shlex
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from ..doctor.diagnosis import Diagnosis
from ..doctor.facts import FAR, UNEVEN
from ..doctor.verdict import Verdict
from ..kernels import kernel_name
from ..read.several import words_of
from ..recipe.trial import Trial
from ..theory.ledger.bounds import whole
from ..theory.proof.exact import NOT_IN_FLOATS
from ..theory.separability import THEOREM, checked
from .advice import FEW, effort, length, numbers, of_rows
from .words import as_options, class_counts, hyperplane, large, listed, plural, table, wrapped

WIDE = 80
LISTED = 6
UNSCALED = "A step moves the weight of a large column far and that of a small one hardly: scale them."
Say = Callable[[str], str]
"""Reason → how this face of the program says it."""


def page(diagnosis: Diagnosis, data: str, options: str = "", say: Say = str) -> Iterator[str]:
    """Lines of at most 100 characters, but for a command. options: with which the data are read."""
    facts = diagnosis.facts
    classes = class_counts(facts.class_rows, 12)
    yield f"{data}: {plural(facts.rows, 'row')} ({classes}), {plural(facts.features, 'feature')}"
    if diagnosis.trials:
        yield from _section("What happened", _happened(diagnosis, say))
        asked = f"Is there a {hyperplane(diagnosis.fit_intercept)} without an error{_where(diagnosis)}?"
        yield from _section(asked, _proven(diagnosis, (data, options), say))
    yield from _section("What is in the data", _data(diagnosis))
    if diagnosis.trials:
        yield from _section("What was tried", [])
        yield from _table(diagnosis, say)
    yield from ["", "What to do"]
    for number, sentence in enumerate(diagnosis.advice, 1):
        yield from wrapped(sentence, WIDE, f"  {number}. ", "     ")


def _section(title: str, sentences: Iterator[str] | list[str]) -> Iterator[str]:
    yield from ["", title]
    for sentence in sentences:
        if sentence.startswith("  "):  # a command stays on its line
            yield f"  {sentence}"
            continue
        yield from wrapped(sentence, WIDE, "  ", "  ")


def _where(diagnosis: Diagnosis) -> str:
    return "" if diagnosis.kernel is None else f" in the space of {kernel_name(diagnosis.kernel)}"


# --- what happened ----------------------------------------------------------------------------------------------------


def _happened(diagnosis: Diagnosis, say: Say) -> Iterator[str]:
    base, settings = diagnosis.trials[0], diagnosis.settings
    assert settings is not None
    words = settings.words()
    kernel = "" if diagnosis.kernel is None else f", kernel {kernel_name(diagnosis.kernel)}"
    who = f"The learner ({settings.learner}{kernel}, keep {words['keep']}, {words['optimizer']})"
    if base.failed:
        yield f"{who} could not learn: {say(base.failed)}."
        return
    if base.converged:
        how = f": its {say(base.stop.text)}" if base.stop.text.startswith("loss") else ""
        yield f"{who} converged, after {effort(base)}{how}."
    else:
        yield f"{who} did not converge: after {effort(base)} it was stopped by {_stop(base, say)}."
    wrong = f"{base.training_errors:,}" if base.training_errors else "none"
    yield f"Its weights are wrong on {wrong} of the {diagnosis.facts.rows:,} rows that it learned from."


def _stop(trial: Trial, say: Say) -> str:
    reason = trial.stop.text
    return f"the {reason.split(' (')[0]}" if trial.stop.is_limit else f"its own rule: {say(reason)}"


# --- what is proven ---------------------------------------------------------------------------------------------------


def _proven(diagnosis: Diagnosis, read: tuple[str, str], say: Say) -> Iterator[str]:
    """read: the data, and the options with which they are read."""
    data, options = read
    if len(diagnosis.verdicts) == 1:
        yield from _answer(diagnosis, diagnosis.verdicts[0], say)
    else:
        for verdict in diagnosis.verdicts:
            yield f"{verdict.classes[1]} against {verdict.classes[0]}: {_short(verdict)}"
        yield _together(diagnosis)
    if diagnosis.separable is False:
        if not diagnosis.fit_intercept:
            yield "This says nothing of hyperplanes with an offset (--intercept); what that does is tried below."
        first = next(verdict for verdict in diagnosis.verdicts if verdict.separable is False)
        only = "" if len(diagnosis.verdicts) == 1 else f" --positive {shlex.quote(str(first.classes[1]))}"
        if first.numbers is not None:
            only = f" --only {shlex.quote(','.join(map(str, first.classes)))}"
        if first.proof.problem.kernel is not None:
            only = f" --kernel {shlex.quote(first.proof.problem.kernel)}{only}"
        yield "This writes the proof to a file, which `rosenblatt verify` checks:"
        yield f"  rosenblatt separable {shlex.join(words_of(data))}{options}{only} --save proof.json"


def _answer(diagnosis: Diagnosis, verdict: Verdict, say: Say) -> Iterator[str]:
    proof, kernel = verdict.proof, diagnosis.kernel is not None
    if verdict.separable:
        all_rows = f"all {diagnosis.facts.rows:,} rows on their right sides"
        how = checked(proof) if kernel else "and it was checked in exact arithmetic"
        why = THEOREM if proof.kind == "theorem" else f"one was found that has {all_rows}, {how}"
        yield f"Yes, this is proven: {why}."
        yield from _limit(diagnosis, verdict, say)
        return
    if verdict.separable is None:
        more = "" if kernel else " in the time given; a larger --max-time may"
        yield f"Not decided{more}. Tried: {'; '.join(proof.tried) or 'nothing'}."
        return
    rows, (negative, positive) = verdict.rows, [_side(label) for label in verdict.classes]
    if len(rows) == 2 and proof.problem.fit_intercept:
        equal = f"rows {numbers(rows)} (counted from 1) are equal{' in this space' * kernel}"
        equal += f", and one is of {negative}, the other of {positive}"
        yield f"No, this is proven: {equal}. No hyperplane can have the same point on both of its sides."
    elif proof.problem.fit_intercept:
        yield (
            f"No, this is proven by {plural(len(rows), 'row')} ({numbers(rows)}; counted from 1): a weighted mean of "
            f"those of {positive} is the same point as a weighted mean of those of {negative}. No "
            f"hyperplane can have one point on both of its sides."
        )
    else:
        zero = f"({numbers(rows)}; counted from 1): their weighted sum, each with its sign, is zero"
        proven = f"this is proven by {plural(len(rows), 'row')} {zero}"
        if len(rows) == 1:
            what = "has K(x, x) = 0" if kernel else "is all zeros"
            proven = f"row {numbers(rows)} (counted from 1) {what}: every such hyperplane goes through it"
        yield f"No, not through the origin, and {proven}."
    if proof.kind == "enclosure":
        yield "The weights are known within bounds, by floating-point arithmetic that counts its own errors."
    elif len(rows) > 2:
        yield "The weights are known exactly, as fractions."
    learner, where = ("learner with this kernel", "") if kernel else ("linear learner", " on these features")
    learner += "" if diagnosis.fit_intercept else " without an offset"
    yield (
        f"So whatever the weights are, some row is on the wrong side: no {learner} can get to zero errors{where}, "
        "and more epochs do not change that. A learner that stops only when nothing is wrong never stops."
    )


def _limit(diagnosis: Diagnosis, verdict: Verdict, say: Say) -> Iterator[str]:
    base, allowed = diagnosis.trials[0], diagnosis.plan.epochs
    if verdict.margin is None or verdict.perceptron is None:
        why = verdict.why_not and f"{verdict.why_not[0].upper()}{verdict.why_not[1:]}."
        yield why or "How wide the gap between the classes is was not found in the time given; a larger --max-time may."
        return
    when = "" if base.converged else ", and the only question is when"
    bias = ", the bias counted" if verdict.proof.problem.fit_intercept else ""
    sizes = f"the widest margin is {verdict.margin:.6g} and the longest row {verdict.longest**0.5:.6g}{bias}"
    if verdict.limit is None:
        yield (
            f"How narrow the gap is: {sizes}. The perceptron's theorem allows it up to {said(verdict.perceptron)} "
            f"mistakes on such rows; it does not speak of this learner ({say(verdict.why_not)})."
        )
        return
    mistakes = f"up to {said(verdict.limit)} mistakes are possible here; this run made {said(verdict.mistakes)}"
    must = f"So the learner must converge{when}."
    if verdict.proof.in_floats is False:
        must = f"But {NOT_IN_FLOATS}: a learner, which works in floats, need not get there."
    yield f"{must} {sizes[0].upper()}{sizes[1:]}: {mistakes}."
    if not base.converged and allowed is not None and verdict.limit >= allowed:
        wider = (
            "other parameters of the kernel may widen it"
            if diagnosis.kernel
            else "to scale the columns often widens it"
        )
        yield (
            f"Each epoch before the last has at least one mistake, so {allowed:,} epochs are not guaranteed to "
            f"suffice. The gap is narrow for rows of this length; {wider}."
        )


def _short(verdict: Verdict) -> str:
    if verdict.separable is None:
        return "not decided in the time given."
    if verdict.separable is False:
        prove = "prove it" if len(verdict.rows) > 1 else "of zeros proves it"
        return f"no; {plural(len(verdict.rows), 'row')} {prove} ({numbers(verdict.rows)})."
    if verdict.limit is None:
        return "yes, proven."
    return f"yes, proven; up to {said(verdict.limit)} mistakes are possible, this run made {said(verdict.mistakes)}."


def _together(diagnosis: Diagnosis) -> str:
    assert diagnosis.settings is not None
    if diagnosis.by_loss:
        return "The learner stops where its loss settles, whatever the answers are. (Rows are counted from 1.)"
    if diagnosis.settings.multi_class != "one-vs-rest":
        together = "The classes are learned together, which converges only where every two of them can be parted"
        more = "here it never stops by itself" if diagnosis.separable is False else "and even then it need not"
        return f"{together}: {more}. (Rows are counted from 1.)"
    if diagnosis.separable is False:
        return (
            "One-vs-rest learns each class against all others, so it converges only where all the answers are yes: "
            "here it never stops by itself, and more epochs do not change that. (Rows are counted from 1.)"
        )
    if diagnosis.separable is None:
        return "One-vs-rest converges only where all the answers are yes."
    if any(verdict.limit is None for verdict in diagnosis.verdicts):
        return "One-vs-rest learns each class against all others, and each of them can be parted."
    return "One-vs-rest learns each class against all others: it must converge here, and the only question is when."


def _side(label: Any) -> str:
    return str(label) if label == "the rest" else f"class {label}"


def said(number: float) -> str:
    """A count as one says it: 62,345, 14.1 million."""
    for factor, name in ((1e12, "million million"), (1e9, "thousand million"), (1e6, "million")):
        if number >= 1e18:
            return large(number, ".1e")
        if number >= factor:
            return f"{number / factor:.3g} {name}" if number < 999.5 * factor else f"{number / factor:,.0f} {name}"
    return f"{whole(number):,}"


# --- what is in the data ----------------------------------------------------------------------------------------------


def _data(diagnosis: Diagnosis) -> Iterator[str]:
    odd = list(_odd(diagnosis))
    yield from odd
    if not odd:
        what = "no equal rows with different labels"
        what += "" if of_rows(diagnosis) else ", no constant and no duplicate columns, columns of like size"
        yield f"Nothing odd: {what}{', classes of like size' if len(diagnosis.facts.class_rows) > 1 else ''}."


def _odd(diagnosis: Diagnosis) -> Iterator[str]:
    facts = diagnosis.facts
    if facts.twins:
        rows = sum(map(len, facts.twins))
        errors = f"at least {plural(facts.wrong, 'error')}, whatever is learned"
        yield f"{rows:,} rows have an equal row with another label, as {numbers(facts.twins[0])}: {errors}."
    if not (diagnosis.plan.texts or of_rows(diagnosis)):  # of texts, words that occur together are no slip
        yield from _columns(diagnosis)
    if facts.zero_rows and diagnosis.kernel is not None:
        yield f"Rows without values: {facts.zero_rows:,}."
    elif facts.zero_rows:
        origin = "every hyperplane through the origin goes through them, and has them wrong"
        answer = "the bias alone decides what they are called" if diagnosis.fit_intercept else origin
        yield f"Rows without values: {facts.zero_rows:,}; {answer}."
    if len(facts.class_rows) > 1 and facts.imbalance >= UNEVEN:
        large = max(facts.class_rows, key=lambda label: facts.class_rows[label])
        wrong = f"{1 - facts.class_rows[large] / facts.rows:.1%} of the rows"
        yield f"Classes of very different size: who always says {large} is wrong on only {wrong}."
    if facts.rows <= facts.features and facts.rows < 20 and not of_rows(diagnosis):
        yield f"Only {plural(facts.rows, 'row')}: nearly any labels could be separated, which says little of new rows."


def _columns(diagnosis: Diagnosis) -> Iterator[str]:
    facts, nothing = diagnosis.facts, " Nothing can be learned from them."
    constant = nothing if diagnosis.fit_intercept else " Without an offset, they are one."
    if diagnosis.kernel is not None:  # of which K is made all the same
        nothing = constant = ""
    for what, names, so in (("without values", facts.empty, nothing), ("that are constant", facts.constant, constant)):
        if names:
            yield f"Columns {what}: {_listed(names)}.{so}"
    if facts.duplicates:
        yield f"Columns that repeat another: {_listed([f'{one} = {other}' for one, other in facts.duplicates])}."
    if facts.lengths is not None and facts.spread >= FAR:
        (long, most), (short, least) = facts.lengths
        yield (
            f"Columns of very different size: column {long} is {said(facts.spread)} times as long as column {short} "
            f"({most:.3g} beside {least:.3g}, as vectors). "
            + ("The large ones alone make K: scale them." if diagnosis.kernel else UNSCALED)
        )


def _listed(names: list[object]) -> str:
    return f"{len(names):,} ({listed([str(name)[:40] for name in names], LISTED, ', …')})"


# --- what was tried ---------------------------------------------------------------------------------------------------


def _table(diagnosis: Diagnosis, say: Say) -> Iterator[str]:
    best = _best(diagnosis)
    head = ["", "training", "held out", "", "", ""]
    cells = [head, ["  tried", "errors", "errors", "converged", "mistakes", "time"]]
    for trial in diagnosis.trials:
        name = as_options(trial.words) or "as it is"
        if trial.failed:
            continue
        mark = " " if best is None else "*" if trial is best else " " if best.better_than(trial) else "="
        after = length(trial).removesuffix(" epochs") + (" (time)" if trial.stop.kind == "time" else "")
        cells.append([
            f"{mark} {name}", f"{trial.training_errors:,}", "-" if trial.error is None else f"{trial.error:.1%}",
            f"in {length(trial)}" if trial.converged else f"not in {after}", f"{trial.mistakes:,}",
            f"{trial.seconds:.1f} s",
        ])  # fmt: skip
    yield from (f"  {line}" for line in table(cells, right=(1, 2, 4, 5)))
    for trial in diagnosis.trials:
        if trial.failed:
            yield from wrapped(f"{as_options(trial.words)}: not possible: {say(trial.failed)}", WIDE, "  ", "    ")
    if best is not None:
        yield "  * the fewest errors on held-out rows; = not clearly more"
    if any(trial.stop.kind == "time" for trial in diagnosis.trials):
        yield "  (time): its share of --max-time was over before it was finished"
    if diagnosis.kernel is not None:
        others = " scalings," if of_rows(diagnosis) else ""
        left = f"Left out, as weights are of rows here and not of columns:{others} products of columns, and metrics."
        yield from wrapped(left, WIDE, "  ", "  ")


def _best(diagnosis: Diagnosis) -> Trial | None:
    """The best on held-out rows, where there are enough of them to say so: on four, chance decides."""
    return None if diagnosis.facts.rows < FEW else diagnosis.best


# --- for machines -----------------------------------------------------------------------------------------------------


def as_dict(diagnosis: Diagnosis, first: int) -> dict[str, Any]:
    """JSON-able, everything. first: the number of the first row."""
    facts, settings, best = diagnosis.facts, diagnosis.settings, _best(diagnosis)
    twins = [[row + first for row in group] for group in facts.twins]
    return {
        "facts": {**asdict(facts), "twins": twins, "spread": facts.spread, "imbalance": facts.imbalance},
        "learner": None if settings is None else settings.words(),
        "converged": diagnosis.converged,
        "separable": diagnosis.separable,
        "verdicts": [_of_verdict(verdict, first) for verdict in diagnosis.verdicts],
        "trials": list(map(_of_trial, diagnosis.trials)),
        "best": None if best is None else as_options(best.words),
        "fewest_errors": _of_fewest(diagnosis.fewest),
        "advice": diagnosis.advice,
        "seconds": diagnosis.seconds,
    }


def _of_verdict(verdict: Verdict, first: int) -> dict[str, Any]:
    return {
        "classes": list(verdict.classes), "separable": verdict.separable, "kind": verdict.proof.kind,
        "rows": [row + first for row in verdict.rows], "tried": verdict.proof.tried,
        "longest_row_squared": verdict.longest if verdict.longest < math.inf else None,
        "mistakes": verdict.mistakes, "margin": verdict.margin,
        "limit": verdict.limit, "perceptron": verdict.perceptron, "why_not": verdict.why_not or None,
    }  # fmt: skip


def _of_fewest(fewest: Any) -> dict[str, Any] | None:
    """As `optimum --json` has it."""
    return None if fewest is None else {name: getattr(fewest, name) for name in ("errors", "lower_bound", "optimal")}


def _of_trial(trial: Trial) -> dict[str, Any]:
    names = ("training_errors", "error", "converged", "mistakes", "updates", "epochs", "seconds")
    numbers = {**{name: getattr(trial, name) for name in names}, "stop": trial.stop.text}
    numbers = dict.fromkeys(numbers) if trial.failed else numbers
    return {"what": trial.what, "options": as_options(trial.words), **numbers, "failed": trial.failed}
