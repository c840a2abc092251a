"""The rounds of `rosenblatt experts`: read block by block, played by every algorithm, written as they come; and what is
said of them: a table of the algorithms, one of the experts, and why some promise nothing."""

import contextlib
import csv
import io
import math
from collections.abc import Callable, Iterator
from inspect import signature
from typing import IO, Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...errors import SettingError
from ...experts.advised import Advised
from ...experts.algorithms import ALGORITHMS
from ...experts.play import SLACK, Ledger
from ...report.words import plural, short, table
from ...write.files import whole_files
from ..output import check_writable, notes, printable, write_lines
from ..pictures import check_picture, write_picture
from ..progress import Progress
from ..sources import output_errors
from .advice import Asked, Block, opened

PARAMETERS = ("beta", "eta", "horizon", "seed")
"""Of algorithms, each of those that have it."""
POINTS = 2000
"""Of a curve in a picture."""
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


def check_outputs(asked: Asked) -> None:
    """OutputError or SettingError before anything is read."""
    ledger, plot = asked.words["ledger"], asked.words["plot"]
    check_picture("--plot", plot, asked.data, ledger)
    if ledger is not None:
        if ledger == "-":
            raise SettingError("--ledger -: standard output has the result; name a file")
        check_writable(ledger, asked.data)
    _made(asked, 2)  # what is wrong with the settings is said before reading


def play(asked: Asked, progress: Progress) -> Outcome:
    """All rounds."""
    names, blocks, source = opened(asked, progress)
    made = _made(asked, len(names))
    parts: list[list[Ledger]] = [[] for _ in made]
    unknown = 0
    with _ledger(asked.words["ledger"]) as tell:
        for block in blocks:
            known = np.ones(len(block.advice), bool) if block.outcomes is None else ~np.isnan(block.outcomes)
            unknown += int((~known).sum())
            predicted = np.empty((len(block.advice), len(made)))
            for number, algorithm in enumerate(made):
                for part in _pieces(known):
                    if not known[part.start]:
                        predicted[part, number] = [algorithm.predict(row) for row in block.advice[part]]
                        continue
                    ledger = _run(algorithm, block, part)
                    predicted[part, number] = ledger.prediction
                    if tell is not None:
                        tell(algorithm, ledger, names)
                    if asked.words["plot"]:
                        parts[number].append(ledger)
            if asked.predict:
                write_lines("\t".join(map(str, row)) for row in predicted.astype(int).tolist())
    notes(source.notes)
    outcome = Outcome(str(source.origin), names, made, unknown, asked.words["learners"] is not None)
    if asked.words["plot"]:
        from ...report.pictures.lines import figure_of_experts

        lines = [_line(ledgers, a) for ledgers, a in zip(parts, made, strict=True) if ledgers]
        title = f"{outcome.origin}: {plural(len(names), outcome.who)}"
        figure = figure_of_experts(lines, title, "losses" if asked.words["losses"] else "mistakes")
        write_picture(figure, asked.words["plot"])
    return outcome


def _run(algorithm: Any, block: Block, part: slice) -> Ledger:
    advice = block.advice[part]
    if block.outcomes is None:
        return algorithm.run_losses(advice)  # type: ignore[no-any-return]
    return algorithm.run(advice, block.outcomes[part])  # type: ignore[no-any-return]


def _pieces(known: Array) -> Iterator[slice]:
    """Runs of rounds whose outcome is known, and of those whose is not."""
    cuts = [0, *(np.flatnonzero(np.diff(known)) + 1).tolist(), len(known)]
    yield from (slice(a, b) for a, b in zip(cuts[:-1], cuts[1:], strict=True) if a < b)


def _made(asked: Asked, n: int) -> list[Advised]:
    """New algorithms for n experts."""
    words = asked.words
    names = words["algorithms"] or (["hedge"] if words["losses"] else list(ALGORITHMS))
    if len(set(names)) < len(names):
        raise SettingError(f"--algorithm {','.join(names)}: one is named twice")
    out = []
    for name in names:
        if name not in ALGORITHMS:
            raise SettingError(f"--algorithm {name}: there is none of that name; there are {', '.join(ALGORITHMS)}")
        if words["losses"] and name != "hedge":
            raise SettingError(f"--losses are for hedge; {name} needs advice of two words and outcomes")
        own = {key: words[key] for key in PARAMETERS if key in signature(ALGORITHMS[name]).parameters}
        out.append(ALGORITHMS[name](n, **own))
    if asked.predict and words["losses"]:
        raise SettingError("--losses: there is nothing to predict; leave --predict out")
    return out


COLUMNS = ("algorithm", "round", "prediction", "chance", "mistakes", "expected_mistakes", "best", "best_mistakes",
           "regret", "bounded", "bound")  # fmt: skip


@contextlib.contextmanager
def _ledger(path: str | None) -> Iterator[Callable[[Advised, Ledger, list[str]], None] | None]:
    """What writes the rounds of an algorithm as lines of CSV; the file is there when it is whole."""
    if path is None:
        yield None
        return
    with output_errors(path), whole_files(path) as (file,):
        file.write((",".join(COLUMNS) + "\n").encode())
        yield lambda algorithm, ledger, names: _write(file, algorithm, ledger, names)


def _write(file: IO[bytes], algorithm: Advised, ledger: Ledger, names: list[str]) -> None:
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    first = algorithm.rounds - len(ledger) + 1
    columns = [column.tolist() for column in ledger.columns()]
    for t, row in enumerate(zip(*columns, strict=True), first):
        prediction, chance, mistakes, expected, best, rest = *row[:5], row[5:]
        said = "" if prediction != prediction else int(prediction)
        name = names[best] if best >= 0 else ""
        bound = "" if rest[-1] == np.inf else repr(rest[-1])
        write([algorithm.name, t, said, repr(chance), mistakes, repr(expected), name, *map(repr, rest[:-1]), bound])
    file.write(text.getvalue().encode())


def _line(ledgers: list[Ledger], algorithm: Advised) -> tuple[str, Array, Array, Array, Array]:
    """(name, rounds, own, best, most) for the picture, thinned. The most: the bound on own mistakes, or the best
    expert's and the bound on regret."""
    ledger = Ledger.joined(ledgers)
    at = np.unique(np.linspace(0, len(ledger) - 1, min(POINTS, len(ledger))).astype(int))
    best = ledger.best_mistakes[at]
    own = best + ledger.regret[at]  # in the rounds in which the best was awake: all of them, if nobody slept
    most = ledger.bound[at] + (best if algorithm.form().regret else 0.0)
    if algorithm.slept:  # the bound is about the rounds in which the best was awake, not all
        most = np.full(len(at), np.inf)
    return algorithm.name, at + 1, own, best, most


# --- what is said of them -------------------------------------------------------------------------------------------


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
        what = "losses" if not outcome.predicts else "mistakes"
        lines.append(f"best {who}: {_called(outcome, best)}, {_number(first.tally.loss[best])} {what}")
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
