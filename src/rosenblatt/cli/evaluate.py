"""`rosenblatt evaluate`: how many mistakes a model makes on labelled data, and which."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import SettingError
from ..model.evidence import Mistakes
from ..model.metrics import metrics, most_confused
from ..model.model import Model
from ..read.anything import source_like
from ..report.answers import called
from ..report.words import plural, short, table
from .command import Number, command, given, option, switch
from .options import json_option, plot_option, reading, reading_options
from .output import notes, show
from .pictures import (
    OF_ROWS,
    Keeping,
    check_model,
    check_picture,
    model_picture,
    picture_option,
    refuse_without_plot,
    write_picture,
)
from .progress import Progress

WIDEST = 12
"""Classes up to which the whole table of confusions is shown; beyond, the most frequent ones are listed."""
MOST = 10
STRONGEST = 5
"""Features shown of a mistake."""
SHARES = {"precision": "precision", "recall": "recall", "F1": "f1"}


@command(model="MODEL", data="DATA...")
@switch("Output", "--mistakes", "List the rows that are wrong, the most wrong first, with their strongest features.")
@option("Output", "--top", type=Number(int, 1, all=None), default=10, help="--mistakes: how many.  [default: 10]")
@plot_option("Draw how it answers: a .png, .svg or .pdf.")
@picture_option("answers", *OF_ROWS, more=": confusion, ROC, DET, reliability")
@json_option
@reading_options
def evaluate(model: str, data: str, plot: str | None, picture: str | None, as_json: bool, **words: Any) -> None:
    """Count the mistakes of MODEL on DATA, whose rows must be labelled. "-" is standard input.

    Example:
        rosenblatt evaluate spam.model new-mails/ --mistakes --top 20
        rosenblatt evaluate spam.model new-mails/ --json
        rosenblatt evaluate iris.model iris.csv --plot margins.png --picture margins
    """
    refuse_without_plot(plot, picture=picture)
    check_picture("--plot", plot, model, data)
    if "top" in given(words) and not words["mistakes"]:
        raise SettingError("--top has an effect only with --mistakes")
    learned, kind = Model.load(model), picture or "answers"
    check_model(kind, model, learned)
    source = source_like(data, learned, labelled=True, **reading(words))
    mistakes = Mistakes(learned, words["top"]) if words["mistakes"] else None
    with Keeping(all=True) if kind in OF_ROWS else Progress() as progress:
        scores, labels = learned.scores_and_labels(progress.reading(source), mistakes)
    notes(source.notes)
    measured = metrics(learned, scores, labels)
    if mistakes is not None:
        measured["mistakes"] = [each.as_dict(STRONGEST) for each in mistakes.explained]
    if plot:
        size = f"{plural(measured['rows'], 'row')}, {measured['errors']:,} wrong (accuracy {measured['accuracy']:.4f})"
        write_picture(_picture(kind, learned, (progress, scores, labels), [f"{model} on {data}", size]), plot)
    show(measured, _report(measured), as_json, [plot])


def _picture(kind: str, model: Model, rows: Any, title: list[str]) -> Any:
    """rows: what kept them, where the picture is of them, their scores and their labels."""
    progress, scores, labels = rows
    if kind in OF_ROWS:
        return model_picture(kind, model, progress.batch(), labels, title)
    from ..report.pictures.answers import answers_of, figure_of_answers

    return figure_of_answers(answers_of(model, scores, labels), title)


def _report(measured: dict[str, Any]) -> Iterator[str]:
    yield f"{plural(measured['rows'], 'row')}, {measured['errors']:,} wrong (accuracy {measured['accuracy']:.4f})"
    classes = [str(name) for name in measured["classes"]]
    yield from _in_words(classes, measured["confusion"]) if len(classes) == 2 else _confusions(measured)
    auc = "not defined (only one class here)" if measured["roc_auc"] is None else f"{measured['roc_auc']:.4f}"
    yield f"ROC AUC {auc}: {measured['roc_auc_of']}"
    if measured["f1"] is None:
        yield f"precision, recall, F1 not defined (no row is of the {measured['average']})"
    else:
        shares = ", ".join(f"{name} {measured[key]:.4f}" for name, key in SHARES.items())
        yield f"{shares}: {measured['average']}"
    if measured["log_loss"] is not None:
        of = "positive class" if len(classes) == 2 else "classes, summed"
        yield f"log-loss {measured['log_loss']:.4f}: mean of -ln(probability of the true class); 0 is best"
        yield f"Brier {measured['brier']:.4f}: mean squared error of the probabilities of the {of}"
        yield f"calibration error {measured['calibration_error']:.4f}: probabilities against what came true, ten ranges"
    if measured["ties"]:
        ties = plural(measured["ties"], "row")
        yield f"E_in {measured['e_in']:.4f}, with {ties} of score 0 or tied counted as wrong"
    yield from _mistakes(measured.get("mistakes", []), measured["errors"])


def _mistakes(mistakes: list[dict[str, Any]], errors: int) -> Iterator[str]:
    if mistakes:
        more = "" if len(mistakes) == errors else f", {len(mistakes):,} of {errors:,}"
        yield f"the most wrong first{more}:"
    for each in mistakes:
        where = each["id"] or f"row {each['row']}"
        against = "" if each["score_for"] == each["predicted"] else f" for {each['score_for']}"
        yield f"  {where}: {each['label']} called {each['predicted']}, score {each['score']:.4g}{against}"
        parts = (f"{part['contribution']:+.4g} {short(part['feature'], 40)}" for part in each["contributions"])
        yield f"    {', '.join(parts)}"


def _in_words(classes: list[str], confusion: list[list[int]]) -> list[str]:
    return table((called(classes, k, confusion[k][1 - k], sum(confusion[k])) for k in (0, 1)), right=(2, 3))


def _confusions(measured: dict[str, Any]) -> list[str]:
    classes, confusion = [short(name, 12) for name in measured["classes"]], measured["confusion"]
    if len(classes) <= WIDEST:
        lines = [["", name, *(f"{n:,}" for n in row)] for name, row in zip(classes, confusion, strict=True)]
        return table([["", "true \\ predicted", *classes], *lines], right=range(2, len(classes) + 2))
    worst = most_confused(np.array(confusion), MOST)
    return table([["", f"{classes[a]} called {classes[b]}", f"{n:,}"] for n, a, b in worst], right=(2,))
