"""`rosenblatt predict`: a label a line."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import DataError, SettingError
from ..model.model import Model, Scored
from ..read.anything import source_like
from .command import command, switch
from .options import json_option, reading, reading_options
from .output import note, notes, to_json, write_lines
from .progress import Progress


@command(model="MODEL", data="DATA...")
@switch("Output", "--scores", "The score too, > 0 for the positive class; of more classes, of each.")
@switch("Output", "--proba", "The probability of each class too, in the order of inspect.")
@switch("Output", "--ids", "First on the line where the row comes from: a mail's file.")
@json_option
@reading_options
def predict(model: str, data: str, scores: bool, proba: bool, ids: bool, as_json: bool, **words: Any) -> None:
    """Label each row of DATA with MODEL: a label a line, parted by TABs from what else is asked for.

    DATA is read as the model's own data were; it may have labels or none. "-" is standard input.

    Example:
        rosenblatt predict spam.model inbox/ --ids --scores
        echo "free prize, call now" | rosenblatt predict sms.model -
    """
    if scores and proba and not as_json:
        raise SettingError("--scores and --proba together would confuse their columns; choose one, or --json")
    learned = Model.load(model)
    if proba and not learned.has_probabilities:
        settings = learned.run.settings
        why = f"{settings.learner} with keep {settings.memory.name} has no probabilities"
        raise SettingError(f"--proba: {why}; train with --calibrate sigmoid")
    source = source_like(data, learned, labelled="unneeded", **reading(words))
    asked = {"scores": scores, "proba": proba, "ids": ids}
    with Progress(printing=True) as progress:
        try:
            for part in learned.scored(progress.reading(source)):
                write_lines(_objects(part, learned, proba) if as_json else _lines(part, learned, asked))
        except DataError as error:
            if not error.empty:
                raise
            note(f"note: {source.origin}: no mail")  # and nothing is wrong
    notes(source.notes)


def _lines(part: Scored, model: Model, asked: dict[str, bool]) -> Iterator[str]:
    columns = [model.labels(part.scores).astype(str).tolist()]
    if asked["ids"]:
        names = [part.name(i) or str(part.number(i)) for i in range(len(part.scores))]
        columns.insert(0, [name.replace("\t", "\\t") for name in names])
    if asked["scores"] or asked["proba"]:  # one of them
        numbers = part.scores if asked["scores"] else np.exp(model.log_probabilities(part.scores))
        columns += [[repr(value) for value in column] for column in np.atleast_2d(numbers.T).tolist()]
    return map("\t".join, zip(*columns, strict=True))


def _objects(part: Scored, model: Model, proba: bool) -> Iterator[str]:
    names = [str(label) for label in model.classes]
    labels, scores = model.labels(part.scores).tolist(), part.scores.tolist()
    shares = np.exp(model.log_probabilities(part.scores)).tolist() if proba else None
    for i, (label, score) in enumerate(zip(labels, scores, strict=True)):
        line: dict[str, Any] = {"row": part.number(i), "id": part.name(i), "predicted": label}
        line["score"] = dict(zip(names, score, strict=True)) if isinstance(score, list) else score
        if shares is not None:
            line["proba"] = dict(zip(names, shares[i], strict=True))
        yield to_json(line)
