"""`rosenblatt bound`: train, and hold what happens against what the theorems allow."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.rows import Rows
from ..errors import DataError, SettingError, naming
from ..kernels import kernel_name
from ..model.fit import Task
from ..model.model import Model
from ..recipe.recipe import Recipe
from ..recipe.training import learn
from ..report.words import dimensions
from ..theory.ledger.ledger import Ledger
from ..theory.problem import Problem
from . import problem
from .command import Number, command, in_shell, option, switch
from .options import data_options, json_option, options_of, plot_option, problem_options
from .output import notes, show
from .pictures import check_picture, picture_option, refuse_without_plot, write_picture
from .progress import Progress

NOT_HERE = ("positive", "fit_intercept", "multi_class", "scoring", "validation", "virtual")
"""Options of `train` that are the problem's here, or that belong to another question."""


@command(data="DATA...")
@switch("Output", "--explain", "Say of each theorem why it is true, with these numbers in it.")
@plot_option("Draw the run against the theorems' lines: a .png, .svg or .pdf.")
@picture_option("lines", "convergence", more=", one by one; convergence: the proof, (w·u)^2 and |w|^2 together")
@json_option
@problem_options
@option("Problem", "--separator", metavar="MODEL",
        help="Measure by this model's hyperplane.  [default: the one of the largest margin]")  # fmt: skip
@option("Problem", "--search-time", type=Number(float, 0, none=None), default=None,
        help="The most seconds to look for the largest margin.  [default: none]")  # fmt: skip
@options_of("Learner", NOT_HERE)
@options_of("Run", NOT_HERE)
@data_options
def bound(data: str, explain: bool, plot: str | None, picture: str | None, as_json: bool, **words: Any) -> None:
    """Train on DATA, and say of each theorem on mistakes and margins what it allows and what happened.

    Of more than two classes, each is taken against the rest, or only the one that is --positive.

    Example:
        rosenblatt bound data.svm --order given --explain
        rosenblatt bound data.svm --rule margin:tau=2 --plot margin.png
        rosenblatt bound data.svm --plot proof.png --picture convergence
        rosenblatt bound data.svm --separator best.model --json
    """
    refuse_without_plot(plot, picture=picture)
    check_picture("--plot", plot, data, words["separator"], words["order"])
    wanted = problem.wanted(words, None)
    recipe = wanted.recipe.without("positive")
    if (kernel := recipe.settings.kernel) is not None and words["separator"] is not None:
        raise SettingError(
            "--separator is a hyperplane of columns, and {kernel:s} has none; leave one out", kernel=kernel_name(kernel)
        )
    with Progress() as progress:
        read = problem.read(data, wanted, progress)
        separator = _separator(words["separator"], read)
        ledgers = []
        for each in read.problems:
            ledger = Ledger(_towards(separator, each), time_limit=words["search_time"])
            rows = each.rows if kernel is None else read.rows
            ledgers.append(_followed(recipe, data, (each, rows), [progress.learning(recipe.limits), ledger]))
    notes(read.notes)
    if plot:
        write_picture(_picture(ledgers[0], data, picture or "lines"), plot)
    both = list(zip(ledgers, read.problems, strict=True))
    pictures, text = [plot] if plot else [], _text(both, explain, "" if kernel is None else kernel_name(kernel))
    show(lambda: {"data": data, "problems": [_values(*b) for b in both], "pictures": pictures}, text, as_json, pictures)


def _text(both: list[tuple[Ledger, Problem]], explain: bool, kernel: str) -> Iterator[str]:
    for number, (ledger, each) in enumerate(both):
        yield from [""] if number else []
        size = f"{dimensions(each.n, each.d)}{f', in the space of {kernel}' if kernel else ''}"
        yield f"{size}; {each.classes[1]} against {each.classes[0]}"
        yield from ledger.summary(explain, in_shell).split("\n")


def _separator(path: str | None, read: problem.Data) -> Any:
    """(w, b, classes) of a model's hyperplane."""
    if path is None:
        return None
    model = Model.load(path)
    if len(model.classes) != 2 or not model.run.memory.is_linear or model.run.settings.kernel is not None:
        text = "it is not one hyperplane of these columns; give a model of two classes, not voted, and of no kernel"
        raise SettingError(f"--separator {path}: {text}")
    (w,), (b,) = model.weights
    return read.of_used(w).astype(float), float(b), [str(label) for label in model.classes.tolist()]


def _towards(separator: Any, each: Problem) -> Any:
    """(w, b) for the positive class of a problem."""
    if separator is None:
        return None
    w, b, classes = separator
    turned = [str(label) for label in reversed(each.classes)] == classes
    return (-w, -b) if turned else (w, b)


def _followed(recipe: Recipe, data: str, problem: tuple[Problem, Rows], observers: list[Any]) -> Ledger:
    """A run on one problem, with its rows as they are learned from, followed by the last of the observers."""
    each, rows = problem
    rest, positive = (str(label) for label in each.classes)
    if each.classes[0] is None:
        raise DataError(f"{data}: the labels have only one class, {positive}; there is nothing to learn")
    labels = np.where(each.y > 0, positive, rest)
    with naming(data):
        learn(recipe.with_(positive=positive), rows, labels, Task(observers=observers, names=each.names))
    return observers[-1]  # type: ignore[no-any-return]


def _picture(ledger: Ledger, data: str, kind: str) -> Any:
    """Of the first problem, where there are several: the picture is of one run."""
    from ..report.pictures.lines import figure_of_bound, figure_of_proof

    settings = ledger.followed.settings
    title = [f"{data}: {settings.learner}, {settings.optimizer.name}"]
    if kind == "convergence":
        return figure_of_proof(ledger, title)
    return figure_of_bound(ledger.curves(), ledger.limit, title)


def _values(ledger: Ledger, each: Problem) -> dict[str, Any]:
    yard, run = ledger.yardstick, ledger.run
    assert run is not None
    return {
        "positive": each.classes[1],
        "negative": each.classes[0],
        "rows": each.n,
        "columns": each.d,
        "settings": run.settings.words(),
        "stop_reason": run.stop_reason,
        "converged": run.converged,
        "epochs": run.epoch,
        **{name: getattr(ledger, name) for name in ("mistakes", "updates", "additions", "separable")},
        "margin": None if yard is None else yard.margin,
        "longest_squared": ledger.longest,
        "bounds": [found.as_dict() for found in ledger.bounds()],
        "history": ledger.history,
        "curves": ledger.curves(),
    }
