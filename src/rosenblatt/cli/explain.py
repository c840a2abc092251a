"""`rosenblatt explain`: why each row has its score, feature by feature."""

from collections.abc import Iterator
from typing import Any

from ..errors import DataError, SettingError
from ..model.evidence import Explanation, explanations
from ..model.model import Model
from ..read.anything import source_like
from ..report.words import plural, short, table
from .command import Number, command, option
from .options import json_option, reading, reading_options
from .output import notes, to_json, write_lines
from .progress import Progress


@command(model="MODEL", data="DATA...")
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
    learned = Model.load(model)
    number = None if wanted is None else _class(learned, wanted)
    source = source_like(data, learned, **reading(words))
    last, shown = 0, False
    with Progress(printing=True) as progress:
        for part in learned.scored(progress.reading(source)):
            for each in explanations(learned, part, row, number):
                lines = [to_json(each.as_dict(top))] if as_json else _text(each, learned, top)
                write_lines(lines if as_json or not shown else ["", *lines])
                shown = True
            last = part.number(len(part.scores) - 1)
            if row is not None and row <= last:
                break
    if row is not None and shown:
        return
    notes(source.notes)
    if row is not None:
        why = f"it has {last}" if row > last else "it was skipped"
        raise DataError(f"{getattr(source, 'origin', data)}: there is no row {row}; {why}")


def _class(model: Model, name: str) -> int:
    known = [str(label) for label in model.classes]
    if name not in known:
        raise SettingError(f"--class {name}: the model's classes are {', '.join(known)}")
    return known.index(name)


def _text(each: Explanation, model: Model, top: int | None) -> Iterator[str]:
    why = each.evidence
    yield ": ".join(filter(None, [f"row {each.row}", each.id, each.title and f'"{each.title}"']))
    yield f"  predicted {each.predicted}" + ("" if each.label is None else f", labelled {each.label}")
    if each.votes is not None:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in each.votes.items())
        yield f"  votes: {shares}; the score below is that of the mean of the voters"
    if len(model.classes) > 2 and model.calibration is not None:
        yield "  the score below is " + ("as before calibration" if model.calibration.slopes is None else "of log-odds")
    first, second = (str(model.classes[k]) for k in why.between)
    yield f"  score {why.score!r} for {first}" + (f" against {second}" if len(model.classes) > 2 else "")
    shown = each.as_dict(top)
    parts = map(dict.values, shown["contributions"])
    lines = [["", f"{part:+.6g}", short(name, 40), f"{x:.6g} x {w:.6g}"] for name, x, w, part in parts]
    if more := shown["rest"]["features"]:
        lines.append(["", f"{shown['rest']['contribution']:+.6g}", f"({plural(more, f'more {model.part}')})", ""])
    lines.append(["", f"{why.intercept:+.6g}", "(intercept)", ""])
    if why.threshold:
        lines.append(["", f"{-why.threshold:+.6g}", "(threshold)", ""])
    yield from table(lines, right=(1,))
