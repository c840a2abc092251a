"""`rosenblatt explain`: why each row has its score, feature by feature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import DataError, SettingError
from ..report.words import plural, short, table
from .command import Number, command, option
from .options import json_option, reading, reading_options
from .output import to_json, write_lines

if TYPE_CHECKING:
    from ..model.evidence import Evidence, Names
    from ..model.model import Model
    from .data import Scored


class Row(NamedTuple):
    """One row explained. head: its number (`row`), `id`, `title` (a mail's subject, or how a text begins), `label` as
    read, or None, and what is `predicted`. votes: see `_votes`."""

    head: dict[str, Any]
    votes: dict[str, float] | None
    evidence: Evidence
    names: Names


@command(model="MODEL", data="DATA")
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

    Example:
        rosenblatt explain spam.model inbox/ --row 1 --top 20
    """
    from ..model.model import Model
    from .data import like_training, scored
    from .progress import Progress

    learned = Model.load(model)
    number = None if wanted is None else _class(learned, wanted)
    source = like_training(data, learned, reading(words))
    last = 0
    with Progress(printing=True) as progress:
        for part in scored(learned, source, progress):
            for each in _rows(learned, part, row, number):
                lines = [_object(each, learned, top)] if as_json else _text(each, learned, top)
                write_lines(lines if as_json or each.head["row"] in (1, row) else ["", *lines])
            last = part.first + len(part.scores) - 1
            if row is not None and row <= last:
                return
    if row is not None:
        raise DataError(f"{getattr(source, 'origin', data)}: there is no row {row}; it has {last}")


def _class(model: Model, name: str) -> int:
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
        head = {"row": part.first + i, "id": part.name(i), "title": _title(part, i)}
        head |= {"label": None if labels is None else labels[i], "predicted": predicted[i]}
        names = Names(model, [documents[i]] if isinstance(documents, list) else None)
        yield Row(head, _votes(model, votes[i]), evidence(model, part.rows, i, between), names)


def _title(part: Scored, i: int) -> str:
    """A mail's subject, or how a text begins."""
    if not isinstance(part.batch.rows, list):
        return ""
    fields: dict[str, str] = {}
    for tag, text in part.batch.rows[i]:
        fields.setdefault(tag, text)
    return short(fields.get("subject") or fields.get("", ""), 60)


def _strongest(each: Row, top: int | None) -> list[tuple[str, Any, Any]]:
    """(name, value, weight) of the features to show: at most `top`, and none that contributes nothing."""
    why = each.evidence
    names = (each.names[j] for j in why.columns[:top])
    return [part for part in zip(names, why.values, why.weights, strict=False) if part[1] * part[2]]


def _votes(model: Model, scores: Any) -> dict[str, float] | None:
    """Of voted: the share of the votes for each class; one against the rest, each class has an election of its own."""
    if model.run.memory.is_linear:
        return None
    names = [str(label) for label in model.classes]
    if scores.ndim == 0:
        scores = np.array([-scores, scores])
    shares = scores if model.run.joint else (1.0 + scores) / 2.0
    return dict(zip(names, shares.tolist(), strict=True))


def _text(each: Row, model: Model, top: int | None) -> Iterator[str]:
    why = each.evidence
    row, name, title, label, predicted = each.head.values()
    yield ": ".join(filter(None, [f"row {row}", name, title and f'"{title}"']))
    yield f"  predicted {predicted}" + ("" if label is None else f", labelled {label}")
    if each.votes is not None:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in each.votes.items())
        yield f"  votes: {shares}; the score below is that of the mean of the voters"
    if len(model.classes) > 2 and model.calibration is not None:
        yield "  the score below is " + ("as before calibration" if model.calibration.slopes is None else "of log-odds")
    first, second = (str(model.classes[k]) for k in why.between)
    yield f"  score {why.score!r} for {first}" + (f" against {second}" if len(model.classes) > 2 else "")
    shown = _strongest(each, top)
    lines = [["", f"{x * w:+.6g}", short(name, 40), f"{x:.6g} x {w:.6g}"] for name, x, w in shown]
    if more := len(why.columns) - len(shown):
        lines.append(["", f"{why.rest(len(shown)):+.6g}", f"({plural(more, 'more feature')})", ""])
    lines.append(["", f"{why.intercept:+.6g}", "(intercept)", ""])
    if why.threshold:
        lines.append(["", f"{-why.threshold:+.6g}", "(threshold)", ""])
    yield from table(lines, right=(1,))


def _object(each: Row, model: Model, top: int | None) -> str:
    why = each.evidence
    shown = _strongest(each, top)
    first, second = (model.classes[k] for k in why.between)
    out = {
        **each.head,
        "score": why.score,
        "score_for": first,
        "score_against": second,
        "intercept": why.intercept,
        "threshold": why.threshold,
        "contributions": [{"feature": name, "value": x, "weight": w, "contribution": x * w} for name, x, w in shown],
        "rest": {"features": len(why.columns) - len(shown), "contribution": why.rest(len(shown))},
    }
    return to_json(out if each.votes is None else {**out, "votes": each.votes})
