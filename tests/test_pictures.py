"""The sheets of train, evaluate and inspect, and `rosenblatt.plots`: what is drawn, and that it can be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from pictured import AWKWARD, assert_legible, texts
from rosenblatt import AveragedPerceptron, Perceptron, PocketPerceptron, VotedPerceptron, plots
from rosenblatt.errors import DataError, SettingError
from rosenblatt.report.pictures import labels
from rosenblatt.report.pictures.canvas import paper, rendered
from rosenblatt.report.pictures.labels import FONT, families, readable
from rosenblatt.report.pictures.points import MOST_POINTS

RANDOM = np.random.default_rng(7)


def clouds(classes: int, rows: int = 40, spread: float = 0.3) -> tuple[Any, Any]:
    """(X, y): rows of two numbers around a place for each class."""
    y = np.repeat(np.arange(classes), rows)
    centres = np.column_stack([y % 6, y // 6])
    return centres + spread * np.random.default_rng(1).normal(size=(y.size, 2)), y


# --- any label -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", AWKWARD)
def test_any_label_is_drawn_without_a_warning_and_not_as_a_formula(label: str) -> None:
    figure = paper(6.0, 2.0)
    text = figure.text(0.1, 0.5, readable(label))
    for kind in ("png", "svg", "pdf"):
        assert rendered(figure, kind)
    _, is_formula = text._preprocess_math(text.get_text())
    assert is_formula in (False, "TeX") and not is_formula
    assert len(readable(label).replace(r"\$", "$")) <= 28


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("spam", "spam"),
        (1.0, "1.0"),
        ("", "(empty)"),
        (" \n\t ", "(empty)"),
        ("\u200f\u200d", "(empty)"),
        ("a\nb\x00c", "a b c"),
        ("$5", r"\$5"),
        ("\udcff", "\ufffd"),
        ("abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqr…123456789"),
    ],
)
def test_what_is_shown_of_a_label(text: Any, shown: str) -> None:
    assert readable(text) == shown


def test_long_names_that_differ_at_the_end_still_differ() -> None:
    names = ["talk.politics.middle-east.today", "talk.politics.middle-east.yesterday"]
    assert len({readable(name, 16) for name in names}) == 2
    assert all(len(readable("x" * length, 16)) == min(length, 16) for length in range(1, 60))
    assert readable("word " * 100_000, 16) == "word word … word"


def test_a_letter_that_no_font_has_is_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "family", lambda letter: FONT if letter.isascii() else None)
    assert readable("中文 a") == r"\u4e2d\u6587 a"
    assert readable("😀") == r"\U0001f600"
    assert readable("中" * 20, 16) == r"\u4e2d\u4e2d…"


def test_another_font_helps_out_where_it_has_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "family", lambda letter: FONT if letter.isascii() else "DejaVu Serif")
    assert families("a中") == [FONT, "DejaVu Serif"] and families("abc") == [FONT]


def test_boxes_are_no_letters() -> None:
    """matplotlib comes with a font that has a box for every script: it would hide which letter was meant."""
    labels.family.cache_clear()
    assert labels.family("a") == FONT
    assert not str(labels.family("\U0002f800")).startswith("Last Resort")


# --- who answers where -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 8, 26])
def test_areas_points_and_names_of_every_class(classes: int) -> None:
    X, y = clouds(classes)
    names = np.array(sorted(AWKWARD[:classes]), dtype=object)
    learned = AveragedPerceptron(max_iter=5).fit(X, names[y])
    figure = plots.regions(learned, X, names[y], ["wide $x$", "high"], "a $title$")
    (axes,) = figure.axes
    assert_legible(figure)
    handles, labels = axes.get_legend_handles_labels()
    assert labels[:classes] == [readable(name, 20) for name in names]
    looks = {(point.get_facecolor().tobytes(), point.get_paths()[0].vertices.tobytes()) for point in handles[:classes]}
    assert len(looks) == classes, "two classes look the same"
    assert {"wide $x$", "high", "a $title$"} <= set(texts(figure))
    predicted = learned.decision_function(X)
    right = ((predicted > 0) if classes == 2 else predicted.argmax(axis=1)) == y
    assert f"answers by place: {(~right).sum():,} of {y.size:,} rows wrong" in texts(figure)


def test_the_normal_and_the_margin_of_a_separating_line() -> None:
    """w = (0, 1), b = −2: the line is y = 2, the nearest row 0.5 away."""
    learned = Perceptron().fit(np.array([[0.0, 0.0], [4.0, 4.0]]), [0, 1])
    learned.model_.run.state.w[:], learned.model_.run.state.b[...] = [0.0, 1.0], -2.0
    learned.model_.__dict__.pop("weights", None)
    X = np.array([[0.0, 0.0], [4.0, 1.5], [0.0, 4.0], [3.0, 2.5]])
    figure = plots.regions(learned, X, [0, 0, 1, 1])
    (axes,) = figure.axes
    assert {"w", "margin 0.5"} <= set(texts(figure))
    arrow = next(text for text in axes.texts if getattr(text, "arrow_patch", None))
    foot, tip = np.array(arrow.xyann), np.array(arrow.xy)
    assert foot[1] == pytest.approx(2.0, abs=1e-6)
    assert tip[0] == pytest.approx(foot[0], abs=1e-6) and tip[1] > foot[1], "w points to the positive class"
    assert np.diff(axes.get_xlim()) == pytest.approx(np.diff(axes.get_ylim())), "a right angle must be one"


def test_no_margin_where_a_row_is_wrong_and_no_normal_where_scales_differ() -> None:
    X = np.array([[0.0, 0.0], [1000.0, 1.0], [0.0, 1.0], [1000.0, 0.0]])
    shown = texts(plots.regions(PocketPerceptron(max_iter=3).fit(X, [0, 1, 1, 0]), X, [0, 1, 1, 0]))
    assert not [text for text in shown if text == "w" or text.startswith(("margin", "dashed"))]
    figure = plots.regions(Perceptron().fit(X, [0, 1, 0, 1]), X, [0, 1, 0, 1])
    assert "nearest rows" in texts(figure) and "w" not in texts(figure)


def test_curved_areas_have_no_normal() -> None:
    """A circle, by quadratic features; and any classifier will do, a pipeline too."""
    X = RANDOM.uniform(-1.0, 1.0, size=(300, 2))
    y = np.where((X**2).sum(axis=1) < 0.5, "in", "out")
    learned = make_pipeline(PolynomialFeatures(2), StandardScaler(), AveragedPerceptron(max_iter=50)).fit(X, y)
    figure = plots.regions(learned, X, y)
    assert "w" not in texts(figure) and {"in", "out"} <= set(texts(figure))
    assert learned.score(X, y) > 0.95


def test_votes_are_asked_place_by_place() -> None:
    X, y = clouds(3, spread=0.6)
    assert_legible(plots.regions(VotedPerceptron(max_iter=2).fit(X, y), X, y))


def test_of_many_rows_some_are_drawn_and_all_are_counted() -> None:
    X = RANDOM.normal(size=(9000, 2))
    y = (X[:, 0] > 0).astype(int)
    figure = plots.regions(AveragedPerceptron(max_iter=1).fit(X, y), X, y)
    drawn = sum(len(points.get_offsets()) for points in figure.axes[0].collections if points.get_label() in ("0", "1"))
    assert drawn == MOST_POINTS
    assert "2,000 of 9,000 places:" in texts(figure) and any("of 9,000 rows wrong" in text for text in texts(figure))


def test_one_class_everywhere_and_one_place_for_all() -> None:
    X = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert_legible(plots.regions(Perceptron(max_iter=1).fit(X, [0, 1]), X, [0, 1]))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([1.0, 2.0, 3.0], [0], r"the rows have shape \(3,\)"),
        (np.empty((0, 2)), [], "rows of numbers"),
        ([[1.0, 2.0]], [7], "7 is not a label of the estimator; its labels are 0, 1"),
    ],
)
def test_rows_that_cannot_be_drawn_are_said(X: Any, y: Any, message: str) -> None:
    learned = Perceptron().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    with pytest.raises(DataError, match=message):
        plots.regions(learned, X, y)


# --- weights ---------------------------------------------------------------------------------------------------------


def test_the_strongest_weights_of_both_classes_by_name() -> None:
    learned = LogisticRegression()
    learned.coef_, learned.classes_ = np.array([[3.0, -2.0, 0.0, 1.0, -5.0]]), np.array(["ham", "spam"])
    figure = plots.coefficients(learned, ["$free$", "lunch", "zero", "中文", "noon"], top=2)
    axes = figure.axes[0]
    assert_legible(figure)
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        readable(n) for n in ("$free$", "中文", "lunch", "noon")
    ]
    assert sorted(bar.get_width() for bar in axes.patches) == [-5.0, -2.0, 1.0, 3.0]
    assert {bool(bar.get_hatch()) for bar in axes.patches if bar.get_width() < 0} == {True}
    assert {bool(bar.get_hatch()) for bar in axes.patches if bar.get_width() > 0} == {False}
    assert "weight  (left: ham, right: spam)" in texts(figure)


@pytest.mark.parametrize("classes", [3, 10, 26])
def test_weights_of_many_classes(classes: int) -> None:
    learned = LogisticRegression()
    learned.coef_, learned.classes_ = RANDOM.normal(size=(classes, 26)), np.array(AWKWARD[:classes], dtype=object)
    figure = plots.coefficients(learned, list(AWKWARD), title="t")
    assert_legible(figure)
    for k, axes in enumerate(figure.axes[:classes]):
        widths = [bar.get_width() for bar in axes.patches]
        strongest = sorted(learned.coef_[k].tolist(), key=abs, reverse=True)
        assert widths == pytest.approx(strongest[:10])


def test_weights_of_zero_and_names_that_are_missing() -> None:
    learned = LogisticRegression()
    learned.coef_, learned.classes_ = np.zeros((1, 2)), np.array([0, 1])
    assert "all weights are 0" in texts(plots.coefficients(learned))
    with pytest.raises(DataError, match="1 names for 2 features"):
        plots.coefficients(learned, ["one"])
    with pytest.raises(SettingError, match="top=0"):
        plots.coefficients(learned, top=0)


# --- the course of a training ----------------------------------------------------------------------------------------


def test_a_training_with_validation_marks_the_best_epoch() -> None:
    X, y = clouds(3, spread=0.7)
    learned = Perceptron(early_stopping=True, max_iter=40).fit(X, y)
    figure = plots.training(learned, "a $title$")
    above, below = figure.axes
    assert_legible(figure)
    assert list(above.lines[0].get_ydata()) == learned.history_["mistakes"]
    assert list(below.lines[0].get_ydata()) == learned.history_["validation"]
    best = learned.model_.run.best
    assert (*below.lines[1].get_xdata(), *below.lines[1].get_ydata()) == (best.epoch, best.score)
    assert {"a $title$", f"best, kept: {best.score:.4f} in epoch {best.epoch}"} <= {
        line for text in texts(figure) for line in text.split("\n")
    }
    assert any(learned.stop_reason_ in text.replace("\n", " ") for text in texts(figure))


def test_where_there_are_no_epochs_it_is_said() -> None:
    X, y = clouds(2)
    assert any("no epochs to draw" in text.replace("\n", " ") for text in texts(plots.training(
        Perceptron(optimizer="pick-first", max_updates=99).fit(X, y))))  # fmt: skip
    learned = Perceptron(max_time=0).fit(X, y)
    assert "no epoch was finished" in texts(plots.training(learned)) or learned.history_["mistakes"]


def test_a_pipeline_stands_for_its_last_step() -> None:
    x, y = clouds(2)
    pipeline = make_pipeline(StandardScaler(), Perceptron()).fit(x, y)
    assert any("Perceptron" in text for text in texts(plots.training(pipeline)))
    own = plots.coefficients(pipeline[-1], ["x0", "x1"])  # as the scaler calls them
    assert texts(plots.coefficients(pipeline)) == texts(own)
    with pytest.raises(DataError, match="LogisticRegression has no record of its training"):
        plots.training(make_pipeline(LogisticRegression()).fit(x, y))
    with pytest.raises(DataError, match=r"a fitted classifier or a Model is needed, found StandardScaler\(\)"):
        plots.coefficients(make_pipeline(StandardScaler()).fit(x, y))


def test_frames_are_asked_as_frames_and_fifty_fits_warn_not(recwarn: pytest.WarningsRecorder) -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"wide": [0.0, 1.0, 2.0, 3.0] * 3, "high": [0.0, 2.0, 1.0, 3.0] * 3})
    y = np.array(["no", "yes"] * 6)
    learned = Perceptron(max_iter=2).fit(X, y)
    recwarn.clear()
    plots.regions(learned, X, y)
    plots.learning_curve(Perceptron(max_iter=2), X, y, folds=2)
    assert [str(said.message) for said in recwarn] == []
