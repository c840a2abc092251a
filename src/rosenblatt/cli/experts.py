"""`rosenblatt experts`: predictions from the advice of experts, or of learners side by side, and what is guaranteed."""

import contextlib
import csv
import io
from collections.abc import Iterator
from inspect import signature
from typing import IO, Any, NamedTuple

import click
import numpy as np

from ..core.rows import Array
from ..data.batch import AtHand, Batch, joined
from ..data.labels import class_list, class_numbers, tidy
from ..errors import DataError, SettingError, naming
from ..experts.advised import Advised
from ..experts.algorithms import ALGORITHMS
from ..experts.committee import OnlineCommittee
from ..experts.learner import learner_from
from ..experts.play import Ledger
from ..experts.table import AdviceTable
from ..features.pipeline import Features, Options
from ..read import open_source
from ..read.several import Several
from ..report.experts import Outcome, as_text, values
from ..report.words import plural
from ..write.files import whole_files
from .command import Number, as_members, command, flag, given, option, switch
from .options import READING, json_option, like, names_option, plot_option, reading, reading_options
from .output import check_writable, notes, show, write_lines
from .pictures import check_picture, write_picture
from .progress import Progress
from .sources import output_errors

ADVICE = ("outcome", "up", "losses")
"""Options for a table of advice; with --learners the data are read as those of `train`."""
TABLE = {"header", "delimiter", "drop"}
"""Options of reading that such a table has too."""
PARAMETERS = ("beta", "eta", "horizon", "seed")
"""Of algorithms, each of those that have it."""
POINTS = 2000
"""Of a curve in a picture."""
TEXT_SCALE = "unit:2"
"""Nothing of it has to be known before the first row; idf has."""


@command(data="DATA...")
@option(
    "Advice",
    "--outcome",
    metavar="COLUMN",
    help="The column of the outcome, by name or number (from 1; -1: last).  [default: by name, else the last]",
)
@option("Advice", "--up", metavar="WORD", help="The word that is 1.  [default: of 0/1, up/down, yes/no, ...]")
@switch("Advice", "--losses", "Cells are losses from 0 to 1, without an outcome: for hedge.")
@names_option(
    "Advice",
    "--learners",
    callback=as_members,
    help="DATA are labelled rows: the experts are these rules and metrics, as arow or logistic+adagrad, which predict"
    " each row and then learn from it.",
)
@option("Advice", "--positive", metavar="LABEL", help="--learners: the class that is 1.  [default: the last in order]")
@like(
    "scale",
    "Advice",
    "--learners: none, unit or unit:LENGTH.",
    default=None,
    shown="unit:2 for texts, none for numbers",
)
@option("Advice", "--bits", type=Number(int, 1), default=18, help="--learners, texts: 2^bits columns.  [default: 18]")
@option(
    "Advice",
    "--order",
    type=click.Choice(["given", "shuffled"]),
    default="given",
    metavar="ORDER",
    help="--learners: given, or shuffled by --seed, for which all is read first.  [default: given]",
)
@names_option(
    "Algorithm",
    "--algorithms",
    "algorithms",
    before="algorithm",
    help="halving, weighted-majority, randomized-weighted-majority, hedge, follow-the-leader.  [default: all]",
)
@option(
    "Algorithm", "--beta", type=Number(), default=0.5, help="Factor of the wrong, weighted majority.  [default: 0.5]"
)
@option(
    "Algorithm", "--eta", type=Number(anytime="anytime", doubling="doubling"), help="Rate of hedge.  [default: anytime]"
)
@option("Algorithm", "--horizon", type=Number(int, 1), default=None, help="hedge: the rate that is best for N rounds.")
@option("Algorithm", "--seed", type=Number(int, 0), default=0, help="Of draws and shuffling.  [default: 0]")
@switch(
    "Output",
    "--predict",
    "A prediction a round, each before its outcome is used; a column for each algorithm, of several named.",
)
@option("Output", "--ledger", metavar="CSV", help="Write each round's account: mistakes, best expert, regret, bound.")
@plot_option("Draw mistakes, best expert and bounds: .png, .svg, .pdf.")
@json_option
@reading_options
def experts(data: str, predict: bool, as_json: bool, **words: Any) -> None:
    """Predict from the advice of experts, and hold the result against the best of them.

    DATA is a table with a row for each round: what each expert says (0/1, up/down, yes/no, ...; empty: asleep) and the
    outcome. Or, with --learners, labelled rows, texts or mails. "-" is standard input.

    Example:
        rosenblatt experts advice.csv --plot experts.png
        rosenblatt experts sms.txt --learners "perceptron,averaged perceptron,margin,passive-aggressive"
        tail -f advice.csv | rosenblatt experts - --algorithms weighted-majority --predict
    """
    _check(words, given(words))
    words |= {"data": data, "predict": predict}
    check_outputs(words)
    with Progress(printing=predict) as progress:
        outcome = play(words, progress)
    if as_json or not predict:
        show(values(outcome), as_text(outcome), as_json)


def _check(words: dict[str, Any], there: set[str]) -> None:
    """SettingError for options that do not go together. there: those on the command line."""
    own = {"positive", "scale", "bits", "order"} | (set(READING) - TABLE)
    if words["learners"] is None:
        for name in sorted(own & there):
            raise SettingError(f"{flag(name)} has an effect only with --learners")
    else:
        for name in ADVICE:
            if name in there:
                raise SettingError(f"{flag(name)} is for a table of advice; with --learners DATA are labelled rows")
    if words["losses"] and (words["outcome"] or words["up"]):
        raise SettingError("--losses have no outcome; leave --outcome and --up out")


class Block(NamedTuple):
    """advice: (T, n), or losses. outcomes: (T,), NaN where not known; None of losses."""

    advice: Array
    outcomes: Array | None


def check_outputs(words: dict[str, Any]) -> None:
    """OutputError or SettingError before anything is read."""
    ledger, plot = words["ledger"], words["plot"]
    check_picture("--plot", plot, words["data"], ledger)
    if ledger is not None:
        if ledger == "-":
            raise SettingError("--ledger -: standard output has the result; name a file")
        check_writable(ledger, words["data"])
    _made(words, 2)  # what is wrong with the settings is said before reading


def play(words: dict[str, Any], progress: Progress) -> Outcome:
    """All rounds."""
    names, blocks, source = opened(words, progress)
    made = _made(words, len(names))
    parts: list[list[Ledger]] = [[] for _ in made]
    unknown, named = 0, True
    with _ledger(words["ledger"]) if words["ledger"] else contextlib.nullcontext() as file:
        for block in blocks:
            outcomes = block.outcomes
            known = np.ones(len(block.advice), bool) if outcomes is None else ~np.isnan(outcomes)
            unknown += int((~known).sum())
            predicted = np.empty((len(block.advice), len(made)))
            for number, algorithm in enumerate(made):
                for part in _pieces(known):
                    if not known[part.start]:
                        predicted[part, number] = [algorithm.predict(row) for row in block.advice[part]]
                        continue
                    own = block.advice[part]
                    ledger = algorithm.run_losses(own) if outcomes is None else algorithm.run(own, outcomes[part])
                    predicted[part, number] = ledger.prediction
                    if file is not None:
                        _write(file, algorithm, ledger, names)
                    if words["plot"]:
                        parts[number].append(ledger)
            if words["predict"]:
                if named and len(made) > 1:
                    write_lines(["\t".join(algorithm.name for algorithm in made)])
                named = False
                write_lines("\t".join(map(str, row)) for row in predicted.astype(int).tolist())
    notes(source.notes)
    outcome = Outcome(str(source.origin), names, made, unknown, words["learners"] is not None)
    if words["plot"]:
        from ..report.pictures.lines import figure_of_experts

        lines = [_line(ledgers, a) for ledgers, a in zip(parts, made, strict=True) if ledgers]
        title = f"{outcome.origin}: {plural(len(names), outcome.who)}"
        figure = figure_of_experts(lines, title, "losses" if words["losses"] else "mistakes")
        write_picture(figure, words["plot"])
    return outcome


def _pieces(known: Array) -> Iterator[slice]:
    """Runs of rounds whose outcome is known, and of those whose is not."""
    cuts = [0, *(np.flatnonzero(np.diff(known)) + 1).tolist(), len(known)]
    yield from (slice(a, b) for a, b in zip(cuts[:-1], cuts[1:], strict=True) if a < b)


def _made(words: dict[str, Any], n: int) -> list[Any]:
    """New algorithms for n experts."""
    names = words["algorithms"] or (["hedge"] if words["losses"] else list(ALGORITHMS))
    if len(set(names)) < len(names):
        raise SettingError(f"--algorithms {','.join(names)}: one is named twice")
    out = []
    for name in names:
        if name not in ALGORITHMS:
            raise SettingError(f"--algorithms {name}: there is none of that name; there are {', '.join(ALGORITHMS)}")
        if words["losses"] and name != "hedge":
            raise SettingError(f"--losses are for hedge; {name} needs advice of two words and outcomes")
        own = {key: words[key] for key in PARAMETERS if key in signature(ALGORITHMS[name]).parameters}
        out.append(ALGORITHMS[name](n, **own))
    if words["predict"] and words["losses"]:
        raise SettingError("--losses: there is nothing to predict; leave --predict out")
    return out


COLUMNS = ("algorithm", "round", "prediction", "chance", "mistakes", "expected_mistakes", "best", "best_mistakes",
           "regret", "bounded", "bound")  # fmt: skip


@contextlib.contextmanager
def _ledger(path: str) -> Iterator[IO[bytes]]:
    """The file of all rounds, as lines of CSV; it is there when it is whole."""
    with output_errors(path), whole_files(path) as (file,):
        file.write((",".join(COLUMNS) + "\n").encode())
        yield file


def _write(file: IO[bytes], algorithm: Advised, ledger: Ledger, names: list[str]) -> None:
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    first = algorithm.rounds - len(ledger) + 1
    columns = [column.tolist() for column in ledger.columns()]
    for t, row in enumerate(zip(*columns, strict=True), first):
        prediction, chance, mistakes, expected, best, *rest, bound = row
        said = "" if prediction != prediction else int(prediction)
        name, most = names[best] if best >= 0 else "", "" if bound == np.inf else repr(bound)
        write([algorithm.name, t, said, repr(chance), mistakes, repr(expected), name, *map(repr, rest), most])
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


# --- where the rounds come from: a table of advice, or learners on a stream of labelled rows --------------------------


def opened(words: dict[str, Any], progress: Progress) -> tuple[list[str], Iterator[Block], Any]:
    """(names of the experts, blocks of rounds, the source)."""
    if words["learners"] is not None:
        return _learners(words, progress)
    if isinstance(words["data"], Several):
        raise SettingError("a table of advice is one file; several DATA go with --learners")
    own = {name: value for name, value in reading(words).items() if name in TABLE}
    table = AdviceTable(words["data"], **{name: words[name] for name in ADVICE}, **own)
    blocks = (Block(batch.rows.toarray(), batch.y) for batch in progress.reading(table))  # type: ignore[union-attr]
    return table.names, blocks, table


def _learners(words: dict[str, Any], progress: Progress) -> tuple[list[str], Iterator[Block], Any]:
    names = [learner_from(each)[0] for each in words["learners"]]
    scale = words["scale"]
    if scale is not None and scale != "none" and scale.partition(":")[0] != "unit":
        raise SettingError(f"--scale {scale}: a stream has none, unit or unit:LENGTH; others must see all rows first")
    source: Any = open_source(words["data"], labelled=True, **reading(words))
    return names, _blocks(words, source, progress), source


def _blocks(words: dict[str, Any], source: Any, progress: Progress) -> Iterator[Block]:
    texts = source.kind == "documents"
    scale = words["scale"] or (TEXT_SCALE if texts else "none")
    options = Options(dictionary="hashed", bits=words["bits"], scale=scale)
    committee = OnlineCommittee(words["learners"], "hedge", positive=words["positive"])
    features: Features | None = None
    classes: Any = None
    batches: Iterator[Batch] = iter(progress.reading(source))
    # Numbers are read whole, because the last row may have more columns than the first.
    waits = not texts or words["order"] == "shuffled"
    for batch in _whole(batches, words) if waits else _two_classes(batches):
        with naming(str(source.origin)):
            if batch.y is None:
                raise DataError("there are no labels; learners need one a row")
            labels = tidy(batch.y) if waits else np.array([str(label) for label in batch.y])
            if features is None:
                features, rows, _, _ = Features.fit(AtHand(batch._replace(y=None)), options)
                classes = class_list(labels)
            else:
                rows = features.transform(batch)
            advice, _ = committee.advise(rows, labels, classes)
            outcomes = class_numbers(labels, committee.classes_).astype(np.float64)
        yield Block(advice, outcomes)


def _whole(batches: Iterator[Batch], words: dict[str, Any]) -> Iterator[Batch]:
    batch = joined(list(batches))
    if words["order"] == "shuffled":
        batch = batch.take(np.random.default_rng(words["seed"]).permutation(batch.n))
    yield batch


def _two_classes(batches: Iterator[Batch]) -> Iterator[Batch]:
    """The same batches; the first ones together until two labels have been seen."""
    held: list[Batch] = []
    seen: set[str] = set()
    for batch in batches:
        held.append(batch)
        seen |= {str(label) for label in (() if batch.y is None else batch.y)}
        if len(seen) >= 2 or batch.y is None:
            yield joined(held)
            held = []
    if held:
        yield joined(held)
