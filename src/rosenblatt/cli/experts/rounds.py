"""The rounds of `rosenblatt experts`: read block by block, played by every algorithm, written as they come."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterator
from inspect import signature
from typing import IO, Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...errors import SettingError
from ...experts.advised import Advised
from ...experts.algorithms import ALGORITHMS
from ...experts.ledger import Ledger
from ...report.words import plural
from ...write.files import whole_files
from ..output import check_writable, notes, write_lines
from ..pictures import check_picture, write_picture
from ..progress import Progress
from ..sources import output_errors
from .advice import Asked, Block, opened

PARAMETERS = ("beta", "eta", "horizon", "seed")
"""Of algorithms, each of those that have it."""
POINTS = 2000
"""Of a curve in a picture."""


class Outcome(NamedTuple):
    """What came of it. names: the experts'. unknown: rounds without an outcome. learners: whether the experts are
    learners."""

    origin: str
    names: list[str]
    algorithms: list[Advised]
    unknown: int
    learners: bool


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
        from ...report.pictures.experts import figure_of_experts

        lines = [_line(ledgers, a) for ledgers, a in zip(parts, made, strict=True) if ledgers]
        title = f"{outcome.origin}: {plural(len(names), 'learner' if outcome.learners else 'expert')}"
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
