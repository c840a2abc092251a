"""The rounds of experts in words and in numbers: a table of the algorithms, one of the experts, and why some promise
nothing."""

import math
from typing import Any, NamedTuple

from ..experts.advised import Advised
from ..experts.play import SLACK
from .words import plural, printable, short, table

MOST = 20
"""Experts that are listed."""
SHORT = {"weighted-majority": "majority", "randomized-weighted-majority": "randomized", "follow-the-leader": "leader"}
WIDEST = 30


class Outcome(NamedTuple):
    """What came of it. names: the experts'. unknown: rounds without an outcome. learners: whether the experts are
    learners."""

    origin: str
    names: list[str]
    algorithms: list[Advised]
    unknown: int
    learners: bool

    @property
    def predicts(self) -> bool:
        return not all(math.isnan(a._last[0]) for a in self.algorithms)

    @property
    def who(self) -> str:
        return "learner" if self.learners else "expert"


def as_text(outcome: Outcome) -> list[str]:
    """Lines for people."""
    made = outcome.algorithms
    first = made[0]
    who = outcome.who
    lines = [f"{outcome.origin}: {plural(first.rounds, 'round')}, {plural(len(outcome.names), who)}"]
    if outcome.unknown:
        lines.append(f"{plural(outcome.unknown, 'round')} without an outcome, not counted")
    if not first.rounds:
        return lines
    best = first.best_expert
    if best is not None and not first.slept:
        loss = float(first.tally.loss[best])
        one, many = ("mistake", "mistakes") if outcome.predicts else ("loss", "losses")
        lines.append(f"best {who}: {_called(outcome, best)}, {_number(loss)} {one if loss == 1.0 else many}")
    if first.slept:
        lines.append(f"{plural(first.slept, 'round')} in which some slept: each {who} is compared in its awake rounds")
    lines += ["", *_algorithms(outcome), "", *_experts(outcome)]
    reasons = [f"{a.name}, no bound: {a.bound().reason}" for a in made if not a.bound().applies]
    return lines + ([""] + reasons if reasons else [])


def _algorithms(outcome: Outcome) -> list[str]:
    slept = bool(outcome.algorithms[0].slept)
    head = ["algorithm", "mistakes", "expected", "regret", *(["against"] if slept else []), "guarantee", "held"]
    rows = [head]
    for a in outcome.algorithms:
        drawn = f"{a.mistakes:,}" if outcome.predicts else ""
        against = [_called(outcome, a.best_expert)] if slept and a.best_expert is not None else [""] if slept else []
        expected = _number(a.expected_mistakes) if a.bounded_is != "mistakes" else ""
        rows.append([a.name, drawn, expected, _number(a.regret), *against, *_promise(a, slept)])
    return table(rows, right=(1, 2, 3))


def _promise(a: Advised, slept: bool) -> list[str]:
    bound = a.bound()
    if not bound.applies:
        return ["no bound", ""]
    # Where experts sleep, the guarantee is about the rounds of one of them, so it says of how many mistakes.
    number = f"{_number(a.bounded)} " if slept else ""
    return [f"{a.bounded_is} {number}≤ {_number(float(bound))}", "yes" if held(a) else "NO"]


def held(a: Advised) -> bool:
    """Whether the number is within its bound; a broken one has been an error before."""
    bound = float(a.bound())
    return a.bounded <= bound + SLACK * (1.0 + abs(bound))


def _experts(outcome: Outcome) -> list[str]:
    made, first = outcome.algorithms, outcome.algorithms[0]
    slept = bool(first.slept)
    weights = [a.weights for a in made]
    order = sorted(range(first.n), key=lambda i: (-(first.tally.own - first.tally.loss)[i], i))
    head = [outcome.who, *(["awake"] if slept else [])]
    head += ["losses" if not outcome.predicts else "mistakes", *(f"w {SHORT.get(a.name, a.name)}" for a in made)]
    rows = [head]
    for i in order[:MOST]:
        awake = [f"{int(first.tally.rounds[i]):,}"] if slept else []
        own = ("0" if w[i] < 1e-12 else f"{w[i]:.3g}" for w in weights)  # too small to move a vote; --json has them
        rows.append([_called(outcome, i), *awake, _number(first.tally.loss[i]), *own])
    lines = table(rows, right=range(1, len(head)))
    return lines + ([f"… and {first.n - MOST:,} more; --json has all"] if first.n > MOST else [])


def _called(outcome: Outcome, i: int) -> str:
    return short(printable(outcome.names[i]), WIDEST)


def _number(value: float) -> str:
    value = float(value)
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:,.6g}"


def values(outcome: Outcome) -> dict[str, Any]:
    """All of it for machines. bound: null where there is none, and `no_bound` says why."""
    made, first = outcome.algorithms, outcome.algorithms[0]
    count = "mistakes" if outcome.predicts else "losses"
    rounds, losses = first.awake_rounds.tolist(), first.tally.loss.tolist()
    each = zip(outcome.names, rounds, losses, strict=True)
    return {
        "data": outcome.origin,
        "rounds": first.rounds,
        "rounds_without_outcome": outcome.unknown,
        "rounds_with_sleepers": first.slept,
        "experts": [{"name": name, "awake_rounds": awake, count: float(loss)} for name, awake, loss in each],
        "algorithms": [_algorithm(a, outcome) for a in made],
    }


def _algorithm(a: Advised, outcome: Outcome) -> dict[str, Any]:
    bound, best = a.bound(), a.best_expert
    return {
        "algorithm": a.name,
        **a.settings(),
        "mistakes": a.mistakes if outcome.predicts else None,
        "expected_mistakes": a.expected_mistakes,
        "best_expert": None if best is None else outcome.names[best],
        "best_mistakes": None if best is None else float(a.tally.loss[best]),
        **{name: getattr(a, name) for name in ("regret", "regrets", "bounded_is", "bounded")},
        "bound": float(bound) if bound.applies else None,
        "no_bound": bound.reason or None,
        "held": held(a) if bound.applies else None,
        **{name: getattr(a, name) for name in ("weights", "log_weights")},
    }
