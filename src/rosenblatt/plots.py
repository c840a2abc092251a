"""Pictures for notebooks and scripts: `from rosenblatt import plots`, then `plots.regions(learned, X, y)`.

They draw a fitted estimator or a `Model`. Each function gives a matplotlib Figure: a notebook shows it, `savefig`
writes it, everything in it can be changed. The colours are told apart by colour-blind readers, and nothing depends on
colour alone. No pyplot, no global state.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from .core.rows import Array
from .errors import DataError, SettingError
from .model.model import Model
from .report.pictures.asked import (
    asked,
    best_of,
    called,
    check_whole,
    codes,
    distances,
    inside,
    into_learner,
    labels_of,
    last_of,
    numbers,
    records,
    scores_of,
    watched,
    weights_by_class,
    weights_of,
)
from .trace import Record
from .trace.observer import record_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .theory.ledger.ledger import Ledger

__all__ = [
    "answers", "coefficients", "convergence", "costs", "errors", "film", "learning_curve", "loss", "margin", "margins",
    "orders", "rates", "regions", "strip", "training", "update", "votes",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def training(estimator: Any, title: str = "") -> Figure:
    """Mistakes in each epoch of a fitted learner of this package (or a `Model`), and what validation said.

    A pipeline stands for its last step. title: a line above the picture; default: the learner. Below it stands why
    learning stopped. DataError for what keeps no record of its training.
    """
    from .report.pictures.training import figure_of_training

    learner = last_of(estimator)
    run = getattr(getattr(learner, "model_", learner), "run", None)
    if run is None:
        name = type(learner).__name__
        raise DataError(
            f"{name} has no record of its training; give a fitted learner of rosenblatt that goes by epochs"
        )
    return figure_of_training(run, [title or type(learner).__name__, f"stopped: {run.stop_reason}"])


def regions(estimator: Any, X: Any, y: Any, names: Sequence[str] = (), title: str = "") -> Figure:
    """Which class the estimator answers where, with the rows of X (n, d) and their labels y (n,).

    Any fitted classifier with `decision_function` or `predict_proba`, a pipeline and a search too. names: of the
    columns. Equal rows are one point, larger the more they are. With two classes and a straight border, its normal w is
    drawn, and where no row is wrong its margin with the rows that are nearest.

    Two columns are drawn as they are. Of more, X is seen (after the steps of a pipeline) in two directions: of two
    classes w, and the first principal component of the rows at a right angle to it; of more, those in which the weights
    of the classes differ most. By w·x + b of two or three classes each row is drawn on its own side of the borders; in
    general the borders are where they cut the plane through the rows' mean. DataError for labels that are not the
    estimator's, and for more than 2,000 columns without `coef_`.
    """
    from .report.pictures.directions import directions
    from .report.pictures.regions import WIDEST, Plane, Scores, figure_of_regions, plane_in

    if isinstance(estimator, Model):
        from .report.pictures.models import labelled, regions_of

        named = called(names, X, len(names)) if len(names) else ()
        return regions_of(estimator, *labelled(estimator, X, y), title, named or ())
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    before, estimator = X, best_of(estimator)
    if len(shape) != 2 or shape[1] > 2:
        estimator, X = inside(estimator, X)
    estimator = asked(estimator)
    frame, x = hasattr(X, "columns"), numbers(X)
    classes, d = estimator.classes, x.shape[1]
    truth, own = codes(y, classes, x.shape[0]), scores_of(estimator, X)
    named = called(names if X is before else (), X, d)

    def scores(points: Array) -> Array:
        return np.asarray(estimator.scores(type(X)(points, columns=X.columns) if frame else points), float)

    if d == 2:
        x = x.toarray() if hasattr(x, "toarray") else x
        return figure_of_regions(Plane(x, truth, scores, classes.tolist(), named or ("x₁", "x₂")), title, 5.6)
    weights = weights_of(estimator, x, X)
    if weights is None and d > WIDEST:
        raise DataError(
            f"X has {d:,} columns, and the estimator no weights for them; regions are drawn up to {WIDEST:,}"
        )
    stated = None if estimator.linear is None else estimator.linear[0]
    seen = directions(x, stated if stated is not None and stated.shape[1] == d else None, named)
    scored = Scores(own, weights, scores if weights is None else np.asarray)
    return figure_of_regions(plane_in(seen, x, truth, scored, classes.tolist()), title, 5.6)


def answers(estimator: Any, X: Any, y: Any, title: str = "") -> Figure:
    """How a classifier answers labelled rows: confusion, ROC and DET, and reliability where it has probabilities.

    Any fitted classifier with `decision_function` or `predict_proba`. DataError for labels that are not its own, and
    where its scores are not one a class.
    """
    from .report.pictures.answers import Answers, figure_of_answers

    own = asked(estimator)
    scores = scores_of(own, X, answers=len(own.classes) > 2)
    truth, predicted = (codes(labels, own.classes, len(scores)) for labels in (y, own.predict(X)))
    probabilities = None if own.probabilities is None else own.probabilities(X)
    answered = Answers(scores, truth, predicted, own.classes.tolist(), probabilities)
    return figure_of_answers(answered, title)


def coefficients(estimator: Any, names: Sequence[str] | None = None, top: int = 10, title: str = "") -> Figure:
    """The `top` strongest features of each class as bars: any fitted linear classifier with `coef_` and `classes_`.

    A pipeline stands for its last step. names: of the features; default: `feature_names_in_`, else as the steps before
    it call what they give, else `x[0]`, `x[1]` … DataError for another number of names, for what has no `coef_`, and
    where its rows are not the classes, as those of one against one.
    """
    from .report.pictures.coefficients import figure_of_coefficients

    pipeline, own = best_of(estimator), asked(last_of(estimator))
    w = weights_by_class(own)
    if names is None:
        names = own.names
        if names is None and hasattr(pipeline, "steps"):
            with suppress(AttributeError, ValueError):  # a step that gives no names, or no step before
                names = pipeline[:-1].get_feature_names_out()
        names = [f"x[{j}]" for j in range(w.shape[1])] if names is None else names
    check_whole(1, top=top)
    return figure_of_coefficients(w, own.classes.tolist(), called(names, None, w.shape[1]), top, title)


def learning_curve(estimator: Any, X: Any, y: Any, folds: int = 5, seed: int = 0, title: str = "") -> Figure:
    """Error by the number of training rows: would more data help? Any classifier of scikit-learn's kind, a pipeline
    too; it is cloned, and fitted to at most ten sizes in each fold.

    X: (n, d) array, sparse matrix, DataFrame or list. y: (n,) labels. folds: at least 2, class by class. The lines are
    the means over the folds, the areas one standard deviation around them. DataError for fewer than 2·folds rows.
    """
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import _safe_indexing as part

    from .compare.learning_curve import learning_curve as measured
    from .report.pictures.lines import figure_of_growth

    labels = labels_of(y, X.shape[0] if hasattr(X, "shape") else len(X))
    check_whole(2, folds=folds)
    check_whole(0, seed=seed)

    def train(chosen: Array) -> Any:
        with warnings.catch_warnings():  # fifty times of one learner, and the curve shows what it comes to
            warnings.simplefilter("ignore", ConvergenceWarning)
            learned = clone(estimator).fit(part(X, chosen), labels[chosen])
        return lambda asked: learned.predict(part(X, asked))

    return figure_of_growth(measured(labels, train, folds, seed), title or type(estimator).__name__)


# --- how far from the line, and what it costs ---


def margin(X: Any, y: Any, names: Sequence[str] = (), title: str = "") -> Figure:
    """The hyperplane of the widest margin between two classes, the margin on both sides, and the rows that hold it.

    X: (n, d), y: (n,) of two labels, names: of the columns; more than two of them as `regions` shows them. DataError
    where no hyperplane separates the rows. Source: `theory.max_margin`.
    """
    from .report.pictures.margins import figure_of_margin
    from .theory.margins.maximum import max_margin

    x = numbers(X)
    labels = labels_of(y, x.shape[0])
    if len(classes := np.unique(labels)) > 2:
        raise DataError(f"a margin is between two classes; the labels are of {len(classes)}")
    return figure_of_margin(max_margin(x, labels), called(names, X, x.shape[1]), title)


def margins(estimators: Any, X: Any, y: Any, title: str = "") -> Figure:
    """A histogram of y·u/‖w‖, how far each row is from the border on its own side; wrong rows are below 0, hatched.

    estimators: one fitted linear classifier (or `Model`), or a dict of names and such, each with a panel. Of more than
    two classes: from the border to the best of the other ones. DataError for a vote or a kernel, which have no w.
    """
    from .report.pictures.margins import figure_of_margins
    from .report.pictures.models import labelled, margins_of

    found = {}
    for name, each in (estimators if isinstance(estimators, Mapping) else {"": estimators}).items():
        if isinstance(each, Model):
            found[str(name) or "Model"] = margins_of(each, *labelled(each, X, y))
            continue
        last, rows = inside(each, X)
        own, x = asked(last), numbers(rows)
        weights, truth = weights_of(own, x, rows), codes(y, own.classes, x.shape[0])
        if weights is None:
            raise DataError(f"{name or own.name} has no w·x + b, from which rows are so far away")
        wrong = codes(own.predict(rows), own.classes, x.shape[0]) != truth
        found[str(name) or own.name] = distances(*weights, x, truth), wrong
    if not found:
        raise SettingError("a fitted linear classifier is needed, or a dict of names and such; found nothing")
    return figure_of_margins(found, title)


def costs(estimator: Any, X: Any, y: Any, cost: Mapping[Any, float], title: str = "") -> Figure:
    """ROC with the lines of equal cost, and the cost of each threshold: as the classifier answers, and at the cheapest.

    Any fitted classifier of two classes with `decision_function` or `predict_proba`. cost: label → what a mistake on a
    row of that class costs, ≥ 0, as in `threshold`. SettingError for other costs, DataError for other labels, or rows
    of one class.
    """
    from .report.pictures.margins import costs_of

    own = asked(estimator)
    classes = own.classes
    if len(classes) != 2:
        raise DataError(f"a threshold is for two classes; the estimator has {len(classes)}")
    scores = scores_of(own, X)
    return costs_of(scores, codes(y, classes, len(scores)), cost, classes, title)


# --- runs, off their records; a `Trace` stands for its own ---


def update(record: Record, k: int, title: str = "") -> Figure:
    """Before and after update k of a run, from 1: x, w before and after with the step between them as arrows, the line
    before (dashed) and after, the row that moved, and in a sentence what happened. An undershoot, y·u ≤ 0 after the
    update, is marked.

    record: of `Trace`, or read from a file. Of more than two columns one sees the plane of w before and after, in which
    each row keeps both scores. Arrows of w are longer or shorter than they are where the legend says so. DataError for
    another k, a run with a kernel, and where neither rows nor weights are in the record.
    """
    from .report.pictures.updates import figure_of_update

    return figure_of_update(record_of(record), k, title)


def strip(record: Record, k: int = 6, title: str = "") -> Figure:
    """The first k updates of a run side by side, at most 12, each as `update` draws it. SettingError for another k."""
    from .report.pictures.updates import figure_of_strip

    return figure_of_strip(record_of(record), k, title)


def film(record: Record, path: Any, k: int = 30, title: str = "") -> None:
    """Write the first k updates of a run, at most 200, as a film: a .gif, or an .mp4 where ffmpeg is found.

    SettingError for another k or suffix, and where an .mp4 cannot be made; DataError as `update`.
    """
    from .report.pictures.film import film_of, write_film

    write_film(film_of(record_of(record), path, k, title), path)


def loss(runs: Any, title: str = "") -> Figure:
    """The mean loss of each epoch. runs: a record, or a dict of names and records. DataError without an epoch."""
    from .report.pictures.runs import figure_of_loss

    found = records(runs)
    return figure_of_loss({name: [each["loss"] for each in one.epochs] for name, one in found.items()}, title)


def errors(record: Record, ways: Sequence[str] | None = None, title: str = "") -> Figure:
    """E_in, the share of training rows with y·u ≤ 0, after each update of one run: how weights thrash, and how the mean
    of all so far, the best of them (as the pocket keeps) and their vote stay calm.

    ways: of answering, of "each" (the weights then), "mean", "best", "vote"; None: all that can be had. DataError where
    one cannot: the record has too few of the weights, or a vote would ask too much.
    """
    from .report.pictures.runs import figure_of_errors

    return figure_of_errors(record_of(record), ways, title)


def convergence(ledger: Ledger, title: str = "") -> Figure:
    """The proof that the perceptron ends, drawn on a run: (w̄·u)² ≥ η²k²γ̄² and ‖w̄‖² ≤ η²kR̄² after k mistakes. As
    (w̄·u)² ≤ ‖w̄‖², k cannot pass the place where the two meet, R̄²/γ̄².

    ledger: a `theory.Ledger` that followed a fit. DataError with the condition that fails where the theorem does not
    apply. Source: lecture notes 000 and 001; of a margin perceptron 002.
    """
    from .report.pictures.lines import figure_of_proof

    if not hasattr(ledger, "bounds"):
        raise SettingError(f"a theory.Ledger that followed a fit is needed, found {type(ledger).__name__}")
    return figure_of_proof(ledger, title)


# --- many runs ---


def rates(estimator: Any, X: Any, y: Any, rates: Sequence[float] = (0.01, 0.1, 1.0), title: str = "") -> Figure:
    """Learning rates side by side: the loss of each epoch, and the weights that move most, which oscillate where a rate
    is too large.

    estimator: a learner of this package, not fitted, or a pipeline that ends in one; it is cloned and fitted once for
    each eta0 in rates, at most 6. SettingError for other learners and rates.
    """
    from .report.pictures.runs import check_rates, figure_of_rates

    many = list(rates) if np.iterable(rates) and not isinstance(rates, str) else [rates]
    check_rates(many)
    learner, x, _ = into_learner(estimator, X, y)
    return figure_of_rates({f"η = {rate:g}": watched(learner, x, y, eta0=rate)[1] for rate in many}, title)


def orders(estimator: Any, X: Any, y: Any, orders: int = 12, title: str = "") -> Figure:
    """What the order of the rows does: mistakes in each epoch, and the line in the end, for many orders.

    estimator: a learner of this package of two classes, not fitted, or a pipeline that ends in one; it is cloned and
    fitted with random_state 0, 1, … orders: how many, from 2 to 100. SettingError for other learners.
    """
    from .report.pictures.many import Rows, figure_of_orders, learned_of
    from .report.pictures.models import labelled

    if isinstance(orders, bool) or not isinstance(orders, (int, np.integer)) or not 2 <= orders <= 100:
        raise SettingError(f"orders must be a whole number from 2 to 100, found {orders!r}")
    learner, X, names = into_learner(estimator, X, y)
    found = []
    for seed in range(orders):
        model = watched(learner, X, y, random_state=seed)[0].model_
        truth = codes(y, model.classes, numbers(X).shape[0])
        found.append(learned_of(model, model.rows(labelled(model, X, y)[0]), truth))
    return figure_of_orders(found, Rows(numbers(X), truth, model.classes.tolist(), names), title)


def votes(estimator: Any, X: Any, y: Any, title: str = "") -> Figure:
    """The weight vectors that vote, by how many rows in a row each had right, and their lines over the rows.

    estimator: a fitted `VotedPerceptron`, or another learner with keep="voted", of two classes and without a kernel.
    X, y: the rows to draw. DataError for another one.
    """
    from .report.pictures.models import check_votes, labelled, votes_of

    last, X = inside(estimator, X) if hasattr(estimator, "steps") else (best_of(estimator), X)
    model = getattr(last, "model_", last)
    check_votes(model)
    return votes_of(model, *labelled(model, X, y), title)
