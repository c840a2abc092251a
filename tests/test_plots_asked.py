"""What `plots` and records are handed: fitted classifiers, models, labels, names, traces; and what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pictured import texts
from recorded import recorded
from rosenblatt import KernelPerceptron, LinearClassifier, LinearUnit, MaximumMargin, Perceptron, VotedPerceptron, plots
from rosenblatt.errors import DataError, SettingError
from rosenblatt.recipe.recipe import Recipe
from rosenblatt.report.pictures.canvas import FILLS
from rosenblatt.trace import Trace, again, save, sentence, sentences, verify

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(40, 5))
PAIR = X[:, :2]
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0.0, "yes", "no")
THREE = np.arange(40) % 3
WIDE = X + 2.0 * np.eye(3, 5)[THREE]
TEXTS, KINDS = ["free prize call now", "hello friend", "free call now", "see you friend"], ["spam", "ham"] * 2


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python, no warnings that a run did not end, and words that are not moved about: half the time."""
    monkeypatch.setattr("rosenblatt.report.pictures.canvas.PASSES", 0)
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)


def traced(learner: Any = None, x: Any = PAIR, y: Any = Y, **words: Any) -> Trace:
    trace = Trace(**words)
    (learner or Perceptron(max_iter=5)).fit(x, y, callback=trace)
    return trace


def wrong_in(figure: Any) -> int:
    """What the picture says of how many rows are answered wrongly."""
    return next(int(found[1]) for text in texts(figure) if (found := re.search(r"(\d+) of \d+ rows wrong", text)))


# --- estimators ------------------------------------------------------------------------------------------------------


def models() -> dict[str, tuple[Any, Any, Any]]:
    short: Any = {"max_iter": 3}
    return {
        "two classes": (Recipe(**short), X, Y),
        "three": (Recipe(**short), WIDE, THREE),
        "averaged, scaled": (Recipe(keep="averaged", scale="standard", **short), WIDE, THREE),
        "scaled, two columns": (Recipe(scale="standard", **short), PAIR, Y),
        "texts": (Recipe(**short), TEXTS, KINDS),
        "with a cost": (Recipe(cost={"yes": 1, "no": 9}, **short), X, Y),
    }


@pytest.mark.parametrize("name", [*models()])
def test_a_model_is_drawn_as_it_answers(name: str) -> None:
    recipe, x, y = models()[name]
    model = recipe.fit(x, y)
    wrong = int(np.count_nonzero(model.predict(x) != np.asarray(y)))
    for figure in (plots.regions(model, x, y), plots.margins(model, x, y), plots.margins({"a": model}, x, y)):
        assert wrong_in(figure) == wrong
    assert plots.answers(model, x, y) and plots.coefficients(model)


def test_a_model_that_votes_is_drawn_in_its_own_features() -> None:
    model = Recipe(keep="voted", scale="standard", max_iter=2).fit(PAIR * 100.0 + 7.0, Y)
    assert plots.votes(model, PAIR * 100.0 + 7.0, Y)
    for keep in ({"keep": "voted"}, {"kernel": "rbf"}):
        other = Recipe(max_iter=2, **keep).fit(X, Y)
        assert wrong_in(plots.regions(other, X, Y)) == np.count_nonzero(other.predict(X) != Y)
        with pytest.raises(DataError, match=r"margins are of learners that answer by w·x \+ b"):
            plots.margins(other, X, Y)


@pytest.mark.parametrize("columns", [2, 5])
def test_scores_and_weights_of_one_against_one_are_not_taken_for_those_of_classes(columns: int) -> None:
    for y in (THREE, np.arange(40) % 4):
        x = WIDE[:, :columns]
        learned = SVC(kernel="linear", decision_function_shape="ovo").fit(x, y)
        for draw in (plots.regions, plots.answers, plots.margins):
            with pytest.raises(DataError, match="a score for each class is needed"):
                draw(learned, x, y)
        with pytest.raises(DataError, match=r"\d rows of coef_ of SVC are not of its \d classes"):
            plots.coefficients(learned)
    assert plots.coefficients(LogisticRegression().fit(WIDE, THREE))
    assert plots.coefficients(VotedPerceptron(max_iter=2).fit(WIDE, THREE))


@pytest.mark.parametrize("learner", [RandomForestClassifier(9, random_state=0), GaussianNB()])
@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
def test_probabilities_stand_for_scores(learner: Any, y: Any) -> None:
    learned = learner.fit(PAIR, y)
    assert wrong_in(plots.regions(learned, PAIR, y)) == np.count_nonzero(learned.predict(PAIR) != y)
    assert plots.answers(learned, PAIR, y)
    if len(learned.classes_) == 2:
        assert plots.costs(learned, PAIR, y, {"yes": 1, "no": 2})


def test_a_search_stands_for_what_it_found() -> None:
    search = GridSearchCV(Perceptron(max_iter=3), {"eta0": [0.5, 1.0]}, cv=2)
    for found in (search.fit(X, Y), make_pipeline(StandardScaler(), search).fit(X, Y)):
        wrong = np.count_nonzero(found.predict(X) != Y)
        assert wrong_in(plots.regions(found, X, Y)) == wrong_in(plots.margins(found, X, Y)) == wrong
        assert plots.training(found) and len(texts(plots.coefficients(found)))


NOT_FITTED: dict[str, tuple[Any, str]] = {
    "not fitted": (Perceptron(), "Perceptron is not fitted"),
    "a pipeline": (make_pipeline(StandardScaler(), Perceptron()), "(Perceptron|Pipeline) is not fitted"),
    "a class": (Perceptron, "a fitted classifier or a Model is needed, found <class"),
    "a text": ("perceptron", "a fitted classifier or a Model is needed, found 'perceptron'"),
}


@pytest.mark.parametrize("name", [*NOT_FITTED])
def test_what_is_no_fitted_classifier_is_said(name: str) -> None:
    given, message = NOT_FITTED[name]
    draws: list[Callable[[], Any]] = [
        lambda: plots.regions(given, X, Y), lambda: plots.answers(given, X, Y), lambda: plots.margins(given, X, Y),
        lambda: plots.costs(given, X, Y, {"yes": 1, "no": 1}), lambda: plots.coefficients(given),
    ]  # fmt: skip
    for draw in draws:
        with pytest.raises(DataError, match=message):
            draw()


@pytest.mark.parametrize("draw", [plots.orders, plots.rates])
def test_what_goes_by_no_epochs_is_said(draw: Any) -> None:
    with pytest.raises(SettingError, match=r"rosenblatt is needed that goes by epochs, .* found MaximumMargin\(\)"):
        draw(MaximumMargin(), PAIR, Y)
    with pytest.raises(DataError, match="MaximumMargin has no record of its training"):
        plots.training(MaximumMargin().fit([[0.0], [1.0]], [0, 1]))


# --- rows, labels and names ------------------------------------------------------------------------------------------

DRAWS: dict[str, Callable[[Any], Any]] = {
    "regions": lambda y: plots.regions(Perceptron(max_iter=2).fit(PAIR, Y), PAIR, y),
    "answers": lambda y: plots.answers(Perceptron(max_iter=2).fit(PAIR, Y), PAIR, y),
    "margins": lambda y: plots.margins(Perceptron(max_iter=2).fit(PAIR, Y), PAIR, y),
    "costs": lambda y: plots.costs(Perceptron(max_iter=2).fit(PAIR, Y), PAIR, y, {"yes": 1, "no": 1}),
    "votes": lambda y: plots.votes(VotedPerceptron(max_iter=2).fit(PAIR, Y), PAIR, y),
    "margin": lambda y: plots.margin(PAIR, y),
    "learning_curve": lambda y: plots.learning_curve(Perceptron(max_iter=1), PAIR, y, folds=2),
    "orders": lambda y: plots.orders(Perceptron(max_iter=1), PAIR, y, orders=2),
    "rates": lambda y: plots.rates(LinearUnit(max_iter=1), PAIR, y),
}


@pytest.mark.parametrize("name", [*DRAWS])
def test_labels_are_one_a_row_or_a_column(name: str) -> None:
    for y, shape in ((Y[:10], r"\(10,\)"), (np.eye(2)[(Y == "yes") * 1], r"\(40, 2\)")):
        with pytest.raises(DataError, match=f"40 rows but labels of shape {shape}; there must be one label a row"):
            DRAWS[name](y)
    if name not in ("orders", "rates"):  # whose learners say themselves what they take
        assert texts(DRAWS[name](Y[:, None])) == texts(DRAWS[name](Y))


def test_names_of_any_kind_are_one_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    learned = Perceptron(max_iter=2).fit(PAIR, Y)
    for names in (["u", "v"], np.array(["u", "v"]), pandas.Index(["u", "v"])):
        for figure in (plots.regions(learned, PAIR, Y, names), plots.margin(PAIR, Y, names)):
            assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("u", "v")
        assert {"u", "v"} == {text.get_text() for text in plots.coefficients(learned, names).axes[0].get_yticklabels()}
    draws = (lambda n: plots.regions(learned, PAIR, Y, n), lambda n: plots.margin(PAIR, Y, n))
    for draw in (*draws, lambda n: plots.coefficients(learned, n)):
        with pytest.raises(DataError, match="1 names for 2 features; each needs one"):
            draw(["u"])
        with pytest.raises(SettingError, match="names must be a list of names, found 'uv'"):
            draw("uv")


def test_rows_that_are_no_finite_numbers_and_settings_that_are_none() -> None:
    bad, learned = np.where(np.arange(2) == 1, np.nan, PAIR), VotedPerceptron(max_iter=2).fit(PAIR, Y)
    with pytest.raises(DataError, match="row 1, feature 2: found nan"):
        plots.votes(learned, bad, Y)
    for rates in ([1, 1], ["a"], [True], [-1.0]):
        with pytest.raises(SettingError, match="rates must be numbers ≥ 0, each another one"):
            plots.rates(LinearUnit(max_iter=1), PAIR, Y, rates)
    for words, message in (({"folds": 2.5}, "folds=2.5 must be a whole number, 2 or more"), ({"seed": -1}, "seed=-1")):
        with pytest.raises(SettingError, match=message):
            plots.learning_curve(Perceptron(), PAIR, Y, **words)
    with pytest.raises(SettingError, match="top=1.5 must be a whole number"):
        plots.coefficients(learned, top=1.5)  # type: ignore[arg-type]
    for cost, message in ((None, "cost=None must be a dict"), ({"yes": "a", "no": 1}, "must be a finite number ≥ 0")):
        with pytest.raises(SettingError, match=message):
            plots.costs(learned, PAIR, Y, cost)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="a margin is between two classes; the labels are of 3"):
        plots.margin(PAIR, THREE)
    with pytest.raises(SettingError, match="found nothing"):
        plots.margins({}, PAIR, Y)


# --- records ---------------------------------------------------------------------------------------------------------


def readers(path: Path) -> list[Callable[[Any], Any]]:
    return [
        lambda r: plots.update(r, 1), lambda r: plots.strip(r, 2), lambda r: plots.film(r, path / "a.gif", 1),
        plots.errors, plots.loss, lambda r: plots.loss({"a": r}), lambda r: save(r, path / "run.jsonl"), again,
        lambda r: sentence(r, 1), lambda r: list(sentences(r)),
    ]  # fmt: skip


def test_a_trace_stands_for_its_record_everywhere_and_nothing_else_does(tmp_path: Path) -> None:
    trace = traced()
    for read in readers(tmp_path):
        read(trace)
        for other, shown in (
            ("run.jsonl", "'run.jsonl'; read it first, by trace.read"),
            (None, "NoneType"),
            (Trace, ""),
        ):
            with pytest.raises(SettingError, match=f"a Record is needed, or the Trace that has it; found {shown}"):
                read(other)
        with pytest.raises(DataError, match="the trace has recorded no run yet"):
            read(Trace())
    with pytest.raises(SettingError, match="a theory.Ledger that followed a fit is needed, found Record"):
        plots.convergence(trace.record)  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [10**6, -1, 1.5, "a", True, None, [0, 99]])
def test_an_update_that_there_is_not_is_said_by_all_who_are_asked_for_it(k: Any) -> None:
    record = traced().record
    for ask in (record.of, record.weights, record.rebuilt, record.error, record.bias):
        with pytest.raises(DataError, match=f"there is no update .*; the run has {len(record)}"):
            ask(k)
    assert record.bias([0, 1]).shape == (2, 1) and record.bias(np.empty(0, int)).shape == (0, 1)
    assert record == record and hash(record) and record != traced().record


def test_runs_that_keep_no_weights_are_not_told_to_keep_more() -> None:
    l1 = traced(LinearClassifier(rule="logistic", l1=0.01, max_iter=2)).record
    for draw in (lambda: plots.update(l1, 1), lambda: plots.strip(l1), lambda: plots.errors(l1)):
        with pytest.raises(DataError, match="a run with L1 keeps no weights"):
            draw()
    kernel = traced(KernelPerceptron(max_iter=2)).record
    assert kernel.weights(0) is None and kernel.rebuilt(1) is None
    with pytest.raises(DataError, match="a run with a kernel"):
        plots.errors(kernel)


def test_a_batch_of_several_chunks_keeps_the_weights_of_its_updates() -> None:
    one, several = (recorded(2, chunks=chunks, optimizer="batch") for chunks in (1, 3))
    assert several.kept.update.tolist() == one.kept.update.tolist() == [1, 2, 3]
    np.testing.assert_allclose(several.kept.w, one.kept.w, atol=1e-12)


def test_a_run_of_few_updates_and_ways_that_are_left_out() -> None:
    one = traced(Perceptron(max_iter=9, fit_intercept=False, shuffle=False), [[1.0], [2.0]], [0, 1])
    (axes,) = plots.errors(one).axes
    assert all(len(line.get_xdata()) > 1 or line.get_marker() == "o" for line in axes.lines)
    few = traced(Perceptron(max_iter=6), PAIR, Y[RANDOM.permutation(40)], weights=16)
    whole = traced(Perceptron(max_iter=6), PAIR, Y[RANDOM.permutation(40)])
    figure = plots.errors(few)
    assert any(
        "mean and vote left out: needs the weights after each" in text.replace("\n", " ") for text in texts(figure)
    )
    colours = [
        {str(line.get_label()).split(":")[0]: line.get_color() for line in drawn.axes[0].lines}
        for drawn in (figure, plots.errors(whole))
    ]
    assert len(colours[0]) == 2 and all(colours[1][name] == colour for name, colour in colours[0].items())
    none = replace(one.record, updates=type(one.record.updates)(*(part[:0] for part in one.record.updates)))
    with pytest.raises(DataError, match="the run made no update"):
        plots.errors(none)


def test_a_forged_run_is_told_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    save(traced(), path)
    assert repr(verify(path)) == "<Replay: equal bit for bit; the same machine and versions>"
    path.write_text(path.read_text().replace('"y":1', '"y":-1'))
    found = repr(verify(path))
    assert re.fullmatch(r"<Replay: \d+ differences?, the first in line \d+: \S+; the same machine and versions>", found)


# --- what is drawn ---------------------------------------------------------------------------------------------------


def test_rows_on_the_border_are_counted_alike_and_stand_below_0() -> None:
    x, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 0, 0, 1]
    learned = Perceptron(max_iter=5, shuffle=False).fit(x, y)
    on = int(np.count_nonzero((learned.decision_function(x) == 0.0) & (learned.predict(x) == y)))
    assert on and any(f"{on} more on the border" in text for text in texts(plots.regions(learned, x, y)))
    figure = plots.margins(learned, x, y)
    assert any(f"{on} more on the border" in text for text in texts(figure)) and wrong_in(figure) == 1
    bars = [bar for bar in figure.axes[0].containers[0].patches if bar.get_height()]
    assert sum(bar.get_height() for bar in bars) == 2 and all(bar.get_x() + bar.get_width() < 1e-9 for bar in bars)


def test_areas_of_more_classes_than_colours_have_names() -> None:
    many = len(FILLS) + 2
    y = np.repeat(np.arange(many), 6)
    x = np.column_stack([np.cos(y), np.sin(y)]) * (3.0 + y[:, None] / 4) + 0.1 * RANDOM.normal(size=(len(y), 2))
    learned = GaussianNB().fit(x, y)
    (axes,) = plots.regions(learned, x, y).axes
    assert {text.get_text() for text in axes.texts} >= set(map(str, range(many)))


@pytest.mark.parametrize("columns", [1, 2])
def test_the_border_of_the_vote_is_that_of_the_learner(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.report.pictures import many

    asked: list[tuple[Any, Any]] = []
    plane = many._plane
    monkeypatch.setattr(many, "_plane", lambda *given: (asked.append(given[-1]), plane(*given))[1])
    x = PAIR[:, :columns]
    learned = VotedPerceptron(max_iter=3).fit(x, Y)
    figure = plots.votes(learned, x, Y)
    assert len(figure.axes[1].get_yticks()) == (0 if columns == 1 else len(figure.axes[1].get_yticks()))
    monkeypatch.setattr(many, "SCORES", 64)  # in parts, too
    (vote,) = asked
    total = learned.model_.run.answering[0].voters(learned.model_.run.answering[1], 0)[2].sum()
    np.testing.assert_allclose(vote(x) / total, learned.decision_function(x), atol=1e-12)


def test_orders_that_are_all_alike_are_said_to_be() -> None:
    said = "all alike: this learner does not shuffle"
    for shuffle in (True, False):
        figure = plots.orders(Perceptron(max_iter=3, shuffle=shuffle), PAIR, Y, orders=2)
        assert any(said in text for text in texts(figure)) is not shuffle
    figure = plots.learning_curve(Perceptron(max_iter=1), X, np.arange(40) % 6, folds=3)
    assert any("one size only" in text for text in texts(figure))


def test_only_the_pictures_are_offered() -> None:
    assert dir(plots) == plots.__all__
