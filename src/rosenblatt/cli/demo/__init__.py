"""`rosenblatt demo`: the perceptron family learns to tell spam from real mail, on data that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ...errors import SettingError
from ...learn.settings import DEFAULTS
from ..command import Number, command, option
from ..options import json_option
from ..output import to_json, write

if TYPE_CHECKING:
    from ...model.model import Model
    from .mails import Mails
    from .view import View

WORDS = 12
"""Strongest words shown of each class, and contributions shown of the mail that is explained."""


class Learner(NamedTuple):
    """One row of the table. rule, keep: in the words of `rosenblatt train`."""

    name: str
    rule: str
    keep: str = "last"


KEPT = Learner("averaged perceptron", "perceptron", "averaged")
"""The learner whose model is written: chosen here, before any mail is read, not by its errors on held-out mails."""
LEARNERS = (
    Learner("perceptron", "perceptron"),
    KEPT,
    Learner("voted perceptron", "perceptron", "voted"),
    Learner("pocket perceptron", "perceptron", "pocket"),
    Learner("margin perceptron", "margin"),
    Learner("passive-aggressive", "passive-aggressive"),
    Learner("linear unit", "linear"),
    Learner("sigmoid unit", "sigmoid"),
    Learner("tanh unit", "tanh"),
    Learner("logistic unit", "logistic"),
)


# fmt: off
@command()
@option("Output", "--output", type=click.Path(path_type=Path), metavar="DIR", default="rosenblatt-demo",
        show_default=True, help="The folder for what is written; made if need be.")
@option("Run", "--seed", type=click.IntRange(0), default=DEFAULTS["random_state"], show_default=True,
        help="Of the split and of the shuffled orders.")
@option("Run", "--epochs", type=Number(int, none=None), default=DEFAULTS["max_iter"], show_default=True,
        help="The most passes of each learner; they usually stop long before.")
@json_option
# fmt: on
def demo(output: Path, seed: int, epochs: int | None, as_json: bool) -> None:
    """Watch linear classifiers learn to tell spam from real mail: 1,000 mails that come with the package.

    Seven tenths are learned from. The others are held out: they are counted once, and not even their words are known
    before. Writes a model, the curve of mistakes per epoch, one held-out mail and a set of short messages.

    Example:
        rosenblatt demo --output spam-demo --seed 1
    """
    from .files import make_folder, next_commands, write_files
    from .mails import about, read_mails
    from .view import View

    if epochs is not None and epochs < 1:
        raise SettingError(f"--epochs {epochs}: at least 1 is needed to learn anything")
    files = make_folder(output)
    show = View(silent=as_json)
    show.say("Reading 1,000 mails ...")
    mails = read_mails(seed)
    found = about(mails, seed)
    show.opening(found)
    models, found["learners"] = learn_all(mails, seed, epochs, show)
    kept = models[LEARNERS.index(KEPT)]
    found |= outcome(kept, mails)
    histories = {each["learner"]: each["mistakes_per_epoch"] for each in found["learners"]}
    write_files(files, kept, found["explained"]["id"], histories)
    found |= {"files": {name: str(file) for name, file in files.items()}, "next": list(next_commands(files))}
    show.closing(found)
    if as_json:
        write(f"{to_json(found)}\n")


# --- learning --------------------------------------------------------------------------------------------------------


def learn_all(mails: Mails, seed: int, epochs: int | None, show: View) -> tuple[list[Model], list[dict[str, Any]]]:
    """(models, table): every learner learns from the training mails and is then counted on the held-out ones."""
    from ...recipe.recipe import Recipe
    from ...recipe.training import learn
    from ...recipe.trial import warm_up

    models, rows, train = [], [], mails.train
    with show.table([learner.name for learner in LEARNERS]) as table:
        for number, learner in enumerate(LEARNERS):
            recipe = Recipe(rule=learner.rule, keep=learner.keep, random_state=seed, max_iter=epochs)
            table.status(number, "compiling")
            warm_up(recipe, train.rows, train.y)
            table.status(number, "learning")
            learned = learn(recipe, train.rows, train.y)
            model = learned.model
            model.features, model.reading = mails.features, mails.reading
            models.append(model)
            rows.append(measured(learner, model, mails.held) | {"seconds": round(learned.seconds, 3)})
            table.row(number, rows[-1])
    return models, rows


def measured(learner: Learner, model: Model, held: Any) -> dict[str, Any]:
    """One row of the table."""
    from ...model.metrics import metrics

    counted = metrics(model, model.scores(held.rows), held.y)
    history = model.run.history["mistakes"]
    return {
        "learner": learner.name,
        "rule": learner.rule,
        "keep": learner.keep,
        "errors": counted["errors"],
        "real_mail_lost": counted["false_positives"],
        "spam_let_through": counted["false_negatives"],
        "mistakes": sum(history),
        "mistakes_per_epoch": history,
        "epochs": len(history),
        "stop_reason": model.run.stop_reason,
    }


# --- what came of it -------------------------------------------------------------------------------------------------


def outcome(model: Model, mails: Mails) -> dict[str, Any]:
    """The kept model's strongest words, and the first held-out spam explained."""
    from ...model.evidence import strongest_features

    features = strongest_features(model, WORDS)
    words = {label: [{"word": name, "weight": w} for name, w in own] for label, own in features.items()}
    first = mails.held.y.tolist().index("spam")
    return {"kept": KEPT.name, "strongest_words": words, "explained": explained(model, mails, first)}


def explained(model: Model, mails: Mails, i: int) -> dict[str, Any]:
    from ...model.evidence import Names, evidence

    held, names = mails.held, Names(model)
    why = evidence(model, held.rows, i)
    return {
        "id": held.ids[i],
        "subject": dict(reversed(mails.documents[1][i])).get("subject", ""),
        "label": held.y[i],
        "predicted": model.classes[int(why.score > 0.0)],
        "score": why.score,
        "intercept": why.intercept,
        "contributions": [
            {"word": names[j], "contribution": float(share)}
            for j, share in zip(why.columns[:WORDS], why.contributions[:WORDS], strict=True)
        ],
        "rest": {"words": max(0, len(why.columns) - WORDS), "contribution": why.rest(WORDS)},
    }
