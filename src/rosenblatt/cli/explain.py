"""`rosenblatt explain`: why each row has its score, feature by feature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .options import Command, Number, json_option, option, reading, reading_options

if TYPE_CHECKING:
    from ..model.evidence import Evidence, Names
    from ..model.model import Model
    from .data import Scored

EXAMPLE = """\
rosenblatt explain spam.model inbox/ --row 1 --top 20"""


class Row(NamedTuple):
    """One row explained. title: a mail's subject, or how a text begins. label: as read, or None.
    votes: see `_votes`."""

    row: int
    id: str | None
    title: str
    label: Any
    predicted: Any
    votes: dict[str, float] | None
    evidence: Evidence
    names: Names


@click.command(cls=Command, example=EXAMPLE)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@option("Output", "--row", type=Number(int, 1), help="Only this row, counted from 1.")
@option("Output", "--top", type=Number(int, all=None), default=10, show_default=True, help="Features to show of a row.")
@option("Output", "--class", "wanted", metavar="LABEL", help="Why this class, or why not.")
@json_option
@reading_options
def explain(
    model: str, data: str, row: int | None, top: int | None, wanted: str | None, as_json: bool, **words: Any
) -> None:
    """Say why MODEL scores the rows of DATA as it does: what each feature contributes, the strongest first.

    The score is the sum of all contributions, those not shown included, less the threshold if there is one. With more
    than two classes it is that of the winner, or of --class, less that of the runner-up. A voted model is explained by
    the mean of its voters.
    """
    from ..errors import DataError
    from ..model.model import Model
    from .data import like_training, scored
    from .output import write_lines
    from .progress import Progress

    learned = Model.load(model)
    number = None if wanted is None else _class(learned, wanted)
    source = like_training(data, learned, reading(words))
    last = 0
    with Progress(printing=True) as progress:
        for part in scored(learned, source, progress):
            for told in _rows(learned, part, row, number):
                lines = [_object(told, learned, top)] if as_json else _text(told, learned, top)
                write_lines(lines if as_json or told.row in (1, row) else ["", *lines])
            last = part.first + len(part.scores) - 1
            if row is not None and row <= last:
                return
    if row is not None:
        raise DataError(f"{getattr(source, 'origin', data)}: there is no row {row}; it has {last}")


def _class(model: Model, name: str) -> int:
    from ..errors import SettingError

    known = [str(label) for label in model.classes]
    if name not in known:
        raise SettingError(f"--class {name}: the model's classes are {', '.join(known)}")
    return known.index(name)


def _rows(model: Model, part: Scored, only: int | None, wanted: int | None) -> Iterator[Row]:
    """The rows of a batch explained, or only one of them. wanted: the class to explain, or None."""
    from ..data.labels import tidy
    from ..model.evidence import Names, evidence, rivals

    labels = None if part.batch.y is None else tidy(part.batch.y)
    predicted, documents = model.labels(part.scores), part.batch.rows
    voted = not model.run.memory.is_linear
    votes = model.raw(part.rows) if voted and (model.calibration or model.cut) else part.scores
    for i, scores in enumerate(part.scores):
        if only not in (None, part.first + i):
            continue
        between = ((0, 1) if wanted == 0 else (1, 0)) if scores.ndim == 0 else rivals(scores, wanted)
        yield Row(
            part.first + i, part.name(i), _title(part, i), None if labels is None else labels[i], predicted[i],
            _votes(model, votes[i]), evidence(model, part.rows, i, between),
            Names(model, [documents[i]] if isinstance(documents, list) else None),
        )  # fmt: skip


def _title(part: Scored, i: int) -> str:
    """A mail's subject, or how a text begins."""
    from .output import short

    if not isinstance(part.batch.rows, list):
        return ""
    fields: dict[str, str] = {}
    for tag, text in part.batch.rows[i]:
        fields.setdefault(tag, text)
    return short(fields.get("subject") or fields.get("", ""), 60)


def _shown(why: Evidence, top: int | None) -> int:
    """How many features to show: at most `top`, and none that contributes nothing."""
    import numpy as np

    telling = int(np.count_nonzero(why.contributions))
    return telling if top is None else min(top, telling)


def _votes(model: Model, scores: Any) -> dict[str, float] | None:
    """Of voted: the share of the votes for each class; one against the rest, each class has an election of its own."""
    if model.run.memory.is_linear:
        return None
    names = [str(label) for label in model.classes]
    if scores.ndim == 0:
        return {names[0]: (1.0 - float(scores)) / 2.0, names[1]: (1.0 + float(scores)) / 2.0}
    shares = scores if model.run.joint else (1.0 + scores) / 2.0
    return dict(zip(names, shares.tolist(), strict=True))


def _text(told: Row, model: Model, top: int | None) -> Iterator[str]:
    from .output import plural, short, table

    why = told.evidence
    place = [f"row {told.row}", *([told.id] if told.id else []), *([f'"{told.title}"'] if told.title else [])]
    yield ": ".join(place)
    label = "" if told.label is None else f", labelled {told.label}"
    yield f"  predicted {told.predicted}{label}"
    if told.votes is not None:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in told.votes.items())
        yield f"  votes: {shares}; the score below is that of the mean of the voters"
    if len(model.classes) > 2 and model.calibration is not None:
        yield "  the score below is " + ("as before calibration" if model.calibration.slopes is None else "of log-odds")
    first, second = (str(model.classes[k]) for k in why.between)
    yield f"  score {why.score!r} for {first}" + (f" against {second}" if len(model.classes) > 2 else "")
    shown, parts = _shown(why, top), why.contributions
    lines = [
        ["", f"{parts[j]:+.6g}", short(told.names[why.columns[j]], 40), f"{why.values[j]:.6g} x {why.weights[j]:.6g}"]
        for j in range(shown)
    ]
    if shown < len(why.columns):
        lines.append(["", f"{why.rest(shown):+.6g}", f"({plural(len(why.columns) - shown, 'more feature')})", ""])
    lines.append(["", f"{why.intercept:+.6g}", "(intercept)", ""])
    if why.threshold:
        lines.append(["", f"{-why.threshold:+.6g}", "(threshold)", ""])
    yield from table(lines, right=(1,))


def _object(told: Row, model: Model, top: int | None) -> str:
    from .output import to_json

    why = told.evidence
    shown, parts = _shown(why, top), why.contributions
    first, second = (model.classes[k] for k in why.between)
    out = {
        "row": told.row,
        "id": told.id,
        "title": told.title,
        "label": told.label,
        "predicted": told.predicted,
        "score": why.score,
        "score_for": first,
        "score_against": second,
        "intercept": why.intercept,
        "threshold": why.threshold,
        "contributions": [
            {
                "feature": told.names[why.columns[j]],
                "value": why.values[j],
                "weight": why.weights[j],
                "contribution": parts[j],
            }
            for j in range(shown)
        ],
        "rest": {"features": len(why.columns) - shown, "contribution": why.rest(shown)},
    }
    if told.votes is not None:
        out["votes"] = told.votes
    return to_json(out)
