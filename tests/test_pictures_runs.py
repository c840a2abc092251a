"""Pictures of runs, margins and many lines: what is drawn is held against what the learners say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pictured import AWKWARD, assert_legible, texts
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LinearUnit,
    LogisticUnit,
    MarginPerceptron,
    MaximumMargin,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
    plots,
)
from rosenblatt.errors import DataError, SettingError
from rosenblatt.model.thresholds import Wish, chosen
from rosenblatt.report.pictures import directions as room
from rosenblatt.report.pictures.directions import directions
from rosenblatt.report.pictures.labels import readable
from rosenblatt.theory import Ledger, max_margin
from rosenblatt.trace import Trace

RANDOM = np.random.default_rng(3)
X = np.vstack([RANDOM.normal(size=(15, 2)), RANDOM.normal(size=(15, 2)) + [5.0, 5.0]])
Y = np.repeat(["ham", "spam"], 15)
MIXED = Y[RANDOM.permutation(30)]
"""Labels that no line tells apart."""


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python, and no warnings that a run did not end."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)


def recorded(learner: Any, x: Any, y: Any, trace: Trace | None = None) -> Any:
    trace = trace or Trace()
    learner.fit(x, y, callback=trace)
    return trace.record


def drawn(axes: Any, name: str) -> Any:
    """(m, 2) the points of the line with this beginning of its label."""
    (found,) = [each for each in axes.lines if str(each.get_label()).startswith(name)]
    return np.column_stack(found.get_data())


# --- directions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 30])
@pytest.mark.parametrize("classes", [1, 3])
def test_two_directions_keep_the_scores_of_two_and_of_three_classes(d: int, classes: int) -> None:
    x, w, b = RANDOM.normal(size=(40, d)), RANDOM.normal(size=(classes, d)), RANDOM.normal(size=classes)
    seen = directions(x, w)
    assert seen.axes @ seen.axes.T == pytest.approx(np.diag([1.0, float(d > 1)]), abs=1e-12)
    flat, at = seen.cut(w, b)
    scores, shown = x @ w.T + b, seen.places(x) @ flat.T + at
    if classes > 1:  # up to what all classes have alike
        scores, shown = (part - part.mean(axis=1, keepdims=True) for part in (scores, shown))
    assert shown == pytest.approx(scores, abs=1e-9)
    assert seen.points(seen.places(x)) @ w.T + b == pytest.approx(seen.places(x) @ flat.T + at, abs=1e-9)


def test_across_w_is_the_first_principal_component(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = RANDOM.normal(size=(50, 12)) * np.arange(1, 13), RANDOM.normal(size=(1, 12))
    seen = directions(x, w)
    own = x - x.mean(axis=0)
    own -= np.outer(own @ w[0], w[0]) / (w[0] @ w[0])
    first = np.linalg.eigh(own.T @ own)[1][:, -1]
    assert abs(first @ seen.axes[1]) == pytest.approx(1.0)
    monkeypatch.setattr(room, "SMALL", 3)  # by Lanczos' method, as of many rows and columns
    for rows in (x, sp.csr_array(x)):
        assert directions(rows, w).axes == pytest.approx(seen.axes, abs=1e-8)
        assert directions(rows).axes @ directions(rows).axes.T == pytest.approx(np.eye(2), abs=1e-9)


@pytest.mark.parametrize("rows", [np.ones((4, 5)), np.outer(np.arange(4.0), np.ones(5)), np.zeros((1, 5))])
@pytest.mark.parametrize("w", [None, np.ones((1, 5)), np.zeros((1, 5)), np.zeros((3, 5)), np.full((1, 5), np.nan)])
def test_rows_that_differ_in_no_direction_are_seen_all_the_same(rows: Any, w: Any) -> None:
    seen = directions(rows, w)
    assert seen.axes @ seen.axes.T == pytest.approx(np.eye(2), abs=1e-12) and all(seen.names)


# --- regions ---------------------------------------------------------------------------------------------------------


def test_equal_rows_are_one_point_as_large_as_they_are_many() -> None:
    x, y = np.array([[0.0, 0.0]] * 5 + [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), ["no"] * 7 + ["yes"]
    figure = plots.regions(Perceptron().fit(x, y), x, y)
    assert_legible(figure)
    (axes,) = figure.axes
    points = next(each for each in axes.collections if each.get_label() == "no")
    areas = {tuple(place): size for place, size in zip(points.get_offsets().tolist(), points.get_sizes(), strict=True)}
    assert areas[0.0, 0.0] == pytest.approx(5.0 * areas[0.0, 1.0]) and len(areas) == 3
    assert {"1 row", "5 equal rows"} <= set(texts(figure))
    (left, right), (down, top) = axes.get_xlim(), axes.get_ylim()
    assert left < -0.1 and right > 1.1 and down < -0.1 and top > 1.1, "no point is on the frame"


@pytest.mark.parametrize("storage", ["dense", "sparse", "pipeline"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_many_columns_lie_on_their_own_side(storage: str, classes: int) -> None:
    y = np.arange(60) % classes
    x = RANDOM.normal(size=(60, 9)) + 1.5 * np.eye(3, 9)[y]
    learner = AveragedPerceptron(max_iter=3)
    learned = (make_pipeline(StandardScaler(), learner) if storage == "pipeline" else learner).fit(x, y)
    figure = plots.regions(learned, sp.csr_array(x) if storage == "sparse" else x, y)
    assert_legible(figure)
    (axes,) = figure.axes
    wrong = int((learned.predict(x) != y).sum())
    assert f"answers by place: {wrong} of 60 rows wrong,\nof 9 columns in two directions" in texts(figure)
    ring = [each for each in axes.collections if each.get_label() == "wrong"]
    assert sum(len(each.get_offsets()) for each in ring) == wrong
    if classes == 2:
        assert axes.get_xlabel() == "w: the score grows to the right" and "u = 0" in texts(figure)


def test_votes_and_kernels_of_many_columns_are_asked_in_all_of_them_and_one_column_is_enough() -> None:
    x, y = RANDOM.normal(size=(30, 4)), np.arange(30) % 2
    for learner in (VotedPerceptron(max_iter=2), KernelPerceptron(max_iter=2)):
        learned = learner.fit(x, y)
        wrong = int((learned.predict(x) != y).sum())
        assert any(f"{wrong} of 30 rows wrong" in text for text in texts(plots.regions(learned, x, y)))
    (axes,) = plots.regions(Perceptron().fit(X[:, :1] + X[:, 1:], Y), X[:, :1] + X[:, 1:], Y, ["sum"]).axes
    assert (axes.get_xlabel(), axes.get_ylabel(), len(axes.get_yticks())) == ("sum", "", 0)
    with pytest.raises(DataError, match="X has 2,001 columns, and the estimator no weights for them"):
        plots.regions(VotedPerceptron(max_iter=1).fit(np.eye(4, 2001), y[:4]), np.eye(4, 2001), y[:4])


# --- margins and costs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [2, 3])
def test_the_widest_margin_and_the_rows_that_hold_it(columns: int) -> None:
    x = np.column_stack([X, np.zeros(30)])[:, :columns]
    figure = plots.margin(x, Y, title="t")
    assert_legible(figure)
    found, (axes,) = max_margin(x, Y), figure.axes
    held = next(each.get_offsets() for each in axes.collections if each.get_label() == "nearest rows")
    assert len(held) == len(found.support)
    if columns == 2:
        assert sorted(held.tolist()) == sorted(x[found.support].tolist())
    assert f"margin {found.margin:.3g}" in texts(figure)
    with pytest.raises(DataError, match="not separable|no hyperplane"):
        plots.margin(X, MIXED)


def test_a_histogram_has_every_row_on_its_side() -> None:
    learned = {"$one$": Perceptron(max_iter=3).fit(X, MIXED), "widest": MaximumMargin().fit(X, Y)}
    for name, y in (("$one$", MIXED), ("widest", Y)):
        figure = plots.margins({name: learned[name]}, X, y)
        assert_legible(figure)
        (axes,), (w,), b = figure.axes, learned[name].coef_, learned[name].intercept_
        own = np.where(y == "spam", 1.0, -1.0) * (X @ w + b) / np.linalg.norm(w)
        wrong, right = ([bar for bar in bars.patches] for bars in axes.containers)
        assert sum(bar.get_height() for bar in wrong) == (own <= 0.0).sum()
        assert sum(bar.get_height() for bar in right) == (own > 0.0).sum()
        assert all(bar.get_x() + bar.get_width() < 1e-9 for bar in wrong if bar.get_height())
        assert drawn(axes, "the least")[0, 0] == pytest.approx(own.min())
        assert f"{(own <= 0.0).sum()} of 30 rows wrong, the least margin {own.min():.3g}" in " ".join(texts(figure))
    assert len(plots.margins({name: learned["widest"] for name in AWKWARD[:3]}, X, Y).axes) == 3
    with pytest.raises(DataError, match="VotedPerceptron has no w·x"):
        plots.margins(VotedPerceptron(max_iter=3).fit(X, MIXED), X, MIXED)


def test_of_three_classes_a_margin_is_the_distance_from_the_nearest_border() -> None:
    y = np.arange(30) % 3
    learned = LogisticRegression().fit(X, y)
    w, b = learned.coef_, learned.intercept_
    own = [
        min(((w[k] - w[j]) @ x + b[k] - b[j]) / np.linalg.norm(w[k] - w[j]) for j in range(3) if j != k)
        for x, k in zip(X, y, strict=True)
    ]
    (axes,) = plots.margins(learned, X, y).axes
    assert drawn(axes, "the least")[0, 0] == pytest.approx(min(own))
    assert sum(bar.get_height() for bar in axes.containers[0].patches) == (np.array(own) <= 0.0).sum()


@pytest.mark.parametrize("cost", [{"ham": 5, "spam": 1}, {"ham": 1, "spam": 3}, {"ham": 1, "spam": 0}])
def test_the_cheapest_threshold_is_the_one_that_is_chosen(cost: dict[str, float]) -> None:
    learned = LogisticUnit(max_iter=3).fit(X, MIXED)
    figure = plots.costs(learned, X, MIXED, cost, title="t")
    assert_legible(figure)
    roc, prices = figure.axes
    scores, positive = learned.decision_function(X), MIXED == "spam"
    model = chosen(learned.model_, scores, MIXED, Wish(cost=cost), "these")
    (at, price), (was, own) = drawn(prices, "the cheapest")[0], drawn(prices, "as it is")[0]
    assert at == pytest.approx(model.threshold) and was == 0.0

    def mean(threshold: float) -> float:
        said = scores > threshold
        return float(np.mean(np.where(positive, cost["spam"] * ~said, cost["ham"] * said)))

    assert (price, own) == (pytest.approx(mean(at)), pytest.approx(mean(0.0)))
    curve = next(np.column_stack(line.get_data()) for line in prices.lines if len(line.get_xdata()) > 5)
    assert [value for _, value in curve] == pytest.approx([mean(np.nextafter(t, -np.inf)) for t, _ in curve])
    assert drawn(roc, "as it is")[0] == pytest.approx([np.mean(scores[~positive] > 0), np.mean(scores[positive] > 0)])
    with pytest.raises(SettingError, match="no cost for 'spam'"):
        plots.costs(learned, X, MIXED, {"ham": 1})
    with pytest.raises(DataError, match="all of one class"):
        plots.costs(learned, X[:2], ["ham", "ham"], cost)


# --- runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [Perceptron, MarginPerceptron])
def test_the_lines_of_the_proof_meet_where_the_theorem_says(learner: Any) -> None:
    ledger = Ledger()
    learner(max_iter=200, random_state=1).fit(X, Y, callback=ledger)
    figure = plots.convergence(ledger, title="t")
    assert_legible(figure)
    (axes,), curves = figure.axes, ledger.curves()
    at_most, at_least = drawn(axes, "‖w̄‖² at most"), drawn(axes, "(w̄·u)² at least")
    assert drawn(axes, "‖w̄‖² of")[:, 1] == pytest.approx(curves["square"])
    assert drawn(axes, "(w̄·u)² of")[:, 1] == pytest.approx(curves["along"] ** 2)
    k = curves["additions"]
    for line, theorem in ((at_most, curves["square_line"]), (at_least, curves["along_line"] ** 2)):
        assert np.interp(k, *line.T) == pytest.approx(theorem)
    assert (at_least[:, 1] < at_most[:, 1]).tolist() == (at_most[:, 0] < ledger.limit * (1 - 1e-12)).tolist()
    met = next(line for line in axes.lines if len(line.get_xdata()) == 1)
    assert met.get_xdata()[0] == ledger.limit
    assert any(f"this run made {ledger.additions:,}" in text for text in texts(figure))


@pytest.mark.parametrize(("learner", "y", "message"), [
    (Perceptron(max_iter=3), MIXED, "the rows are not separable"), (LogisticUnit(), Y, "the rule is logistic"),
    (Perceptron(optimizer="batch"), Y, "steps are made for blocks of rows"),
])  # fmt: skip
def test_where_the_theorem_is_not_about_the_run_it_is_said(learner: Any, y: Any, message: str) -> None:
    ledger = Ledger()
    learner.fit(X, y, callback=ledger)
    with pytest.raises(DataError, match=f"the proof is not about this run: {message}"):
        plots.convergence(ledger)
    with pytest.raises(DataError, match="has followed no run"):
        plots.convergence(Ledger())


@pytest.mark.parametrize("classes", [2, 3])
def test_what_calms_the_training_error_is_what_the_learners_come_to(classes: int) -> None:
    y = MIXED if classes == 2 else np.arange(30) % 3
    common = {"max_iter": 50, "max_updates": 17, "tol": None, "random_state": 5}
    common |= {"multi_class": "multi-class-perceptron"} if classes > 2 else {}
    record = recorded(Perceptron(**common), X, y)
    figure = plots.errors(record, title="t")
    assert_legible(figure)
    (axes,) = figure.axes
    learners = {
        "the weights then": Perceptron(**common), "the mean": AveragedPerceptron(**common),
        "the best": PocketPerceptron(check_every=1, **common), "the vote": VotedPerceptron(**common),
    }  # fmt: skip
    for name, learner in learners.items():
        learned, line = learner.fit(X, y), drawn(axes, name)
        u = learned.decision_function(X)
        others = np.where(np.arange(3) == np.asarray(y)[:, None], -np.inf, u) if classes > 2 else u
        own = u[np.arange(30), y] - others.max(axis=1) if classes > 2 else np.where(y == "spam", 1.0, -1.0) * u
        assert line[-1].tolist() == [record.updates.seen[-1], pytest.approx(np.mean(own <= 0.0))], name
    best = drawn(axes, "the best")[:, 1]
    assert (np.diff(best) <= 0.0).all() and (best <= drawn(axes, "the weights then")[:, 1]).all()


def test_ways_that_cannot_be_had_are_said_and_left_out() -> None:
    record = recorded(Perceptron(max_iter=9), X, MIXED, Trace(weights=16))
    assert len(record.kept.update) < len(record)
    assert len(plots.errors(record).axes[0].lines) == 2
    with pytest.raises(DataError, match="mean: needs the weights after each update"):
        plots.errors(record, ["each", "mean"])
    with pytest.raises(SettingError, match="there is no way 'pocket' of answering; there are each, mean, best, vote"):
        plots.errors(record, ["pocket"])
    with pytest.raises(DataError, match="no weights; there is no training error"):
        plots.errors(recorded(Perceptron(max_iter=2), X, Y, Trace(weights=0)))


def test_losses_and_rates_are_those_of_the_epochs() -> None:
    record = recorded(LogisticUnit(max_iter=7), X, MIXED)
    losses = [epoch["loss"] for epoch in record.epochs]
    figure = plots.loss({"$a$": record, "": record})
    assert_legible(figure)
    assert [line.get_ydata().tolist() for line in figure.axes[0].lines] == [losses] * 2
    rates = (0.05, 0.5, 3.0)
    unit = LinearUnit(optimizer="batch", max_iter=8, tol=None)
    figure = plots.rates(make_pipeline(StandardScaler(), unit), X, MIXED, rates, title="t")
    assert_legible(figure)
    x = StandardScaler().fit_transform(X)
    for column, rate in enumerate(rates):
        record = recorded(LinearUnit(optimizer="batch", max_iter=8, tol=None, eta0=rate), x, MIXED)
        top, below = figure.axes[column], figure.axes[column + 3]
        assert top.get_title(loc="left") == f"η = {rate:g}"
        assert top.lines[0].get_ydata() == pytest.approx([epoch["loss"] for epoch in record.epochs])
        paths = np.array([line.get_ydata() for line in below.lines[:2]])
        assert paths[:, 1:] == pytest.approx(record.kept.w[:, 0].T)
    turns = [np.sign(np.diff(figure.axes[column + 3].lines[0].get_ydata())) for column in (0, 2)]
    assert (turns[0] == turns[0][0]).all() and (turns[1][1:] == -turns[1][:-1]).all(), "the largest one oscillates"
    with pytest.raises(DataError, match="no epoch was finished"):
        plots.loss(recorded(Perceptron(max_updates=1, max_iter=2), X, Y))
    with pytest.raises(SettingError, match="a Record is needed"):
        plots.loss(unit)
    for wrong in ((), [0.1] * 7):
        with pytest.raises(SettingError, match="rates must be 1 to 6"):
            plots.rates(unit, X, Y, wrong)


# --- many lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 2, 6])
def test_each_order_has_its_mistakes_and_its_line(columns: int) -> None:
    x = np.column_stack([X[:, :1] + X[:, 1:], X, RANDOM.normal(size=(30, 3))])[:, :columns]
    figure = plots.orders(Perceptron(max_iter=6), x, MIXED, orders=4, title="t")
    assert_legible(figure)
    left, right = figure.axes
    all_learned = [Perceptron(max_iter=6, random_state=seed).fit(x, MIXED) for seed in range(4)]
    histories = [learned.mistakes_ for learned in all_learned]
    assert [list(line.get_ydata()) for line in left.lines if len(line.get_xdata()) > 1] == histories
    ends = [np.column_stack(line.get_data()) for line in right.lines]
    assert 0 < len(ends) <= 4
    if columns == 2:
        for end in ends:
            assert min(np.abs(end @ each.coef_[0] + each.intercept_).max() for each in all_learned) < 1e-6
    updates = sorted(learned.n_updates_ for learned in all_learned)
    assert any(f"4 orders: {updates[0]} to {updates[-1]} updates" in text for text in texts(figure))


def test_learners_whose_orders_cannot_be_drawn() -> None:
    with pytest.raises(SettingError, match="a learner of rosenblatt is needed that goes by epochs"):
        plots.orders(LogisticRegression(), X, Y)
    with pytest.raises(DataError, match="each order must end in one line"):
        plots.orders(Perceptron(max_iter=2), X, np.arange(30) % 3, orders=2)
    with pytest.raises(SettingError, match="orders must be a whole number from 2 to 100, found 1"):
        plots.orders(Perceptron(), X, Y, orders=1)


@pytest.mark.parametrize("words", [{}, {"alpha": 0.05}, {"counting": "freund-schapire"}])
def test_votes_are_the_survivals_and_their_lines_make_the_answer(words: dict[str, Any]) -> None:
    learned = VotedPerceptron(max_iter=3, **words).fit(X, MIXED)
    memory, state = learned.model_.run.answering
    w, b, counts = memory.voters(state, 0)
    vote = np.where(X @ w.T + b > 0.0, 1.0, -1.0) @ counts / counts.sum()
    assert vote == pytest.approx(learned.decision_function(X))
    figure = plots.votes(learned, X, MIXED, title="t")
    assert_legible(figure)
    left, right = figure.axes
    heights = [segment[1, 1] for segment in left.collections[0].get_segments()]
    assert heights == counts.tolist()
    drawn_lines = [line for line in right.lines if len(line.get_xdata()) == 2]
    assert len(drawn_lines) <= np.count_nonzero(counts)
    darkest = np.column_stack(max(drawn_lines, key=lambda line: line.get_alpha()).get_data())
    most = np.argmax(counts)
    assert darkest @ w[most] + b[most] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("learned", [Perceptron(), VotedPerceptron(kernel="rbf"), LogisticRegression()])
def test_what_does_not_vote_is_refused(learned: Any) -> None:
    with pytest.raises(DataError, match="votes are drawn of a fitted learner with keep='voted'"):
        plots.votes(learned.fit(X, Y), X, Y)


def test_names_and_labels_of_any_kind() -> None:
    pandas = pytest.importorskip("pandas")
    names = np.array(AWKWARD[:2], object)
    frame, y = pandas.DataFrame(X, columns=["$wide$", "中文"]), names[(MIXED == "spam").astype(int)]
    for figure in (plots.orders(Perceptron(max_iter=2), frame, y, 2), plots.margin(frame, names[(Y == "spam") * 1])):
        assert_legible(figure)
        legend = [text.get_text() for axes in figure.axes for text in getattr(axes.get_legend(), "texts", ())]
        assert sorted(legend[:2]) == sorted(readable(name, 20) for name in names)
        assert readable("$wide$") in [axes.get_xlabel() for axes in figure.axes]
