"""Where the rounds of `rosenblatt experts` come from: a table of advice, or learners on a stream of labelled rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...core.rows import Array
from ...data.batch import AtHand, Batch, joined
from ...data.labels import class_list, class_numbers, tidy
from ...errors import DataError, SettingError, naming
from ...experts.committee import OnlineCommittee, learner_from
from ...experts.table import AdviceTable
from ...features.pipeline import Features, Options
from ...read import open_source
from ..progress import Progress

TEXT_SCALE = "unit:2"
"""Nothing of it has to be known before the first row; idf has."""


class Asked(NamedTuple):
    """data: path or "-". words: all options. reading: those for readers that were given. predict: print predictions."""

    data: str
    words: dict[str, Any]
    reading: dict[str, Any]
    predict: bool


class Block(NamedTuple):
    """advice: (T, n), or losses. outcomes: (T,), NaN where not known; None of losses."""

    advice: Array
    outcomes: Array | None


def opened(asked: Asked, progress: Progress) -> tuple[list[str], Iterator[Block], Any]:
    """(names of the experts, blocks of rounds, the source)."""
    words = asked.words
    if words["learners"] is not None:
        return _learners(asked, progress)
    reading = {name: asked.reading[name] for name in ("header", "delimiter") if name in asked.reading}
    table = AdviceTable(asked.data, outcome=words["outcome"], up=words["up"], losses=words["losses"], **reading)
    blocks = (Block(batch.rows.toarray(), batch.y) for batch in progress.reading(table))  # type: ignore[union-attr]
    return table.names, blocks, table


def _learners(asked: Asked, progress: Progress) -> tuple[list[str], Iterator[Block], Any]:
    words, reading = asked.words, dict(asked.reading)
    names = [learner_from(each)[0] for each in words["learners"]]
    scale = words["scale"]
    if scale is not None and scale != "none" and scale.partition(":")[0] != "unit":
        raise SettingError(f"--scale {scale}: a stream has none, unit or unit:LENGTH; others must see all rows first")
    source: Any = open_source(asked.data, reading.pop("format", "auto"), labelled=True, **reading)
    return names, _blocks(asked, source, progress), source


def _blocks(asked: Asked, source: Any, progress: Progress) -> Iterator[Block]:
    words = asked.words
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
        if len(seen) < 2 and batch.y is not None:
            held.append(batch)
            seen |= {str(label) for label in batch.y}
            if len(seen) >= 2:
                yield joined(held)
                held = []
        else:
            yield batch
    if held:
        yield joined(held)
