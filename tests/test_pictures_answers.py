"""The sheet of `evaluate`: confusion, ROC, DET and reliability; and pictures as files."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, det_curve, roc_auc_score

from pictured import AWKWARD, assert_legible, texts
from rosenblatt import LogisticUnit, Perceptron, plots
from rosenblatt.errors import SettingError
from rosenblatt.report.pictures import answers as rates
from rosenblatt.report.pictures.answers import Answers, figure_of_answers
from rosenblatt.report.pictures.canvas import check_suffix, rendered, save
from rosenblatt.report.pictures.labels import readable


def answered(classes: int, right: float, rows: int = 30) -> Answers:
    """Answers to `rows` rows of each class, of which a share is right."""
    random, names = np.random.default_rng(2), list(AWKWARD[:classes])
    truth = np.repeat(np.arange(classes), rows)
    scores = random.normal(size=(truth.size, classes)) + 6.0 * (right - 0.5) * np.eye(classes)[truth]
    if classes == 2:
        scores = scores[:, 1] - scores[:, 0]
        return Answers(scores, truth, (scores > 0).astype(int), names)
    return Answers(scores, truth, scores.argmax(axis=1), names)


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 5, 26])
@pytest.mark.parametrize("right", [0.5, 1.1])
def test_a_sheet_of_answers_is_legible(classes: int, right: float) -> None:
    assert_legible(figure_of_answers(answered(classes, right), ["a $model$ on data", "some rows"]))


@pytest.mark.parametrize("classes", [2, 4, 20])
def test_with_probabilities_there_is_reliability(classes: int) -> None:
    told = answered(classes, 0.9)
    odds = np.exp(told.scores if classes > 2 else np.column_stack([-told.scores, told.scores]) / 2.0)
    figure = figure_of_answers(told._replace(probabilities=odds / odds.sum(axis=1, keepdims=True)), "t")
    assert_legible(figure)
    assert any(text.startswith("reliability") for text in texts(figure))
    assert not any(text.startswith("reliability") for text in texts(figure_of_answers(told, "t")))


@pytest.mark.parametrize("classes", [2, 7, 20])
def test_the_confusion_has_every_count(classes: int) -> None:
    told = answered(classes, 0.7)
    counts = confusion_matrix(told.truth, told.predicted)
    (axes,) = (axes for axes in figure_of_answers(told, "t").axes if axes.get_ylabel() == "true")
    cells = {(round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in axes.texts}
    for place, count in np.ndenumerate(counts):
        if classes <= 7:
            assert cells[place] == f"{count}\n{100 * count / 30:.1f}%"
        else:
            assert cells.get(place, "0") == str(count)
    assert [label.get_text() for label in axes.get_yticklabels()] == [readable(name, 24) for name in told.classes]


def test_counts_on_dark_cells_are_white_and_on_pale_ones_dark() -> None:
    axes = figure_of_answers(answered(2, 1.1), "t").axes[0]
    image = axes.images[0]
    for text in axes.texts:
        place = tuple(round(each) for each in text.get_position()[::-1])
        brightness = np.dot(image.cmap(image.norm(image.get_array()[place]))[:3], (0.2126, 0.7152, 0.0722))
        assert (text.get_color() == "white") == (brightness < 0.45)


def test_of_many_classes_the_most_frequent_mistakes_are_listed() -> None:
    told = answered(26, 0.7)
    axes = figure_of_answers(told, "t").axes[-1]
    counts = confusion_matrix(told.truth, told.predicted, labels=range(26))
    np.fill_diagonal(counts, 0)
    assert [bar.get_width() for bar in axes.patches] == sorted(counts.ravel().tolist(), reverse=True)[:15]
    perfect = told._replace(predicted=told.truth)
    assert "no row is wrong" in texts(figure_of_answers(perfect, "t"))


def test_roc_and_det_are_scikit_learns() -> None:
    told = answered(2, 0.7)
    (curve,) = rates.curves(told.scores, told.truth, told.predicted, told.classes)
    assert curve.area == pytest.approx(roc_auc_score(told.truth, told.scores))
    false, missed, _ = det_curve(told.truth, told.scores)
    ours = set(zip(curve.false.round(9).tolist(), (1.0 - curve.true).round(9).tolist(), strict=True))
    assert set(zip(false.round(9).tolist(), missed.round(9).tolist(), strict=True)) <= ours
    wrong = confusion_matrix(told.truth, told.predicted)
    assert curve.point == (wrong[0, 1] / 30, wrong[1, 1] / 30)
    assert f"ROC, positive: b_c^2 (area {curve.area:.4f})" in texts(figure_of_answers(told, "t"))


def test_the_models_own_answers_are_marked_on_all_three_curves() -> None:
    """ROC, its corner enlarged, and DET in normal deviates."""
    from scipy.special import ndtri

    told = answered(2, 0.9, rows=300)
    figure = figure_of_answers(told, "t")
    (curve,) = rates.curves(told.scores, told.truth, told.predicted, told.classes)
    roc, det = (axes for axes in figure.axes if axes.get_xlabel() == "false positive rate")
    (inset,) = roc.child_axes
    points = [[(*line.get_xdata(), *line.get_ydata()) for line in axes.lines if len(line.get_xdata()) == 1]
              for axes in (roc, inset, det)]  # fmt: skip
    assert points[0] == points[1] == [curve.point]
    assert points[2][0] == pytest.approx((ndtri(curve.point[0]), ndtri(1.0 - curve.point[1])))
    left, right = inset.get_xlim()
    assert left < curve.point[0] < right < 0.3, "the corner shows the answers, enlarged"


def test_the_corner_is_left_out_where_curves_pass_there() -> None:
    roc = next(
        axes for axes in figure_of_answers(answered(2, 0.5), "t").axes if axes.get_title(loc="left")[:3] == "ROC"
    )
    assert not roc.child_axes


def test_of_many_classes_the_hardest_curves_have_a_look_of_their_own() -> None:
    told = answered(20, 0.7)
    found = rates.curves(told.scores, told.truth, told.predicted, told.classes)
    hardest = sorted(found, key=lambda curve: curve.area)[:6]
    shown = texts(figure_of_answers(told, "t"))
    assert {f"{curve.area:.4f} {readable(curve.label, 24)}".replace(r"\$", "$") for curve in hardest} <= set(shown)
    assert "the 14 others" in shown


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_one_class_have_no_curves(classes: int) -> None:
    told = answered(classes, 0.9)
    one = told.truth == 1
    figure = figure_of_answers(
        told._replace(scores=told.scores[one], truth=told.truth[one], predicted=told.predicted[one]), "t"
    )
    assert_legible(figure)
    assert sum(text.startswith("not defined") for text in texts(figure)) == 2


def test_scores_without_a_mistake_can_be_drawn() -> None:
    told = answered(2, 0.9)
    perfect = told._replace(scores=told.truth * 2.0 - 1.0, predicted=told.truth)
    assert_legible(figure_of_answers(perfect, "t"))
    assert rates.curves(np.full(60, np.nan), told.truth, told.predicted, told.classes) == []


def test_answers_of_any_estimator() -> None:
    X, y = make_blobs(80, 2, centers=2, cluster_std=2.0, random_state=0)
    names = np.array(["ham", "spam"])[y]
    for estimator in (LogisticRegression(), LogisticUnit(max_iter=5), Perceptron(max_iter=5)):
        learned = estimator.fit(X, names)
        shown = texts(plots.answers(learned, X, names))
        wrong = int((learned.predict(X) != names).sum())
        assert sum(int(text.split("\n")[0]) for text in shown if "\n" in text) == y.size
        assert any(text.startswith("reliability") for text in shown) == hasattr(learned, "predict_proba")
        assert wrong == sum(int(text.split("\n")[0]) for text in shown if "\n" in text) - int(
            (learned.predict(X) == names).sum()
        )


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_bytes(kind: str, tmp_path: Any) -> None:
    files = [tmp_path / f"{number}.{kind}" for number in range(2)]
    for file in files:
        save(figure_of_answers(answered(3, 0.8), "t"), file)
    first, second = (file.read_bytes() for file in files)
    assert first == second and first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    assert sorted(tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize("name", ["a.jpg", "a", ".png", "-", "a.png.gz"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(SettingError, match=".png, .svg or .pdf"):
        check_suffix(name)
    assert check_suffix("A.PNG") == "png"


def test_no_global_state_and_many_threads() -> None:
    """The salt of an SVG is set for the moment of writing only; two threads draw the same bytes as one."""
    before, found = dict(rcParams), {}

    def draw(number: int) -> None:
        found[number] = rendered(figure_of_answers(answered(3, 0.8), "t"), "svg")

    threads = [threading.Thread(target=draw, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found.values())) == 1 and len(found) == 3
    assert dict(rcParams) == before


def test_a_notebook_shows_a_figure_by_itself() -> None:
    figure = plots.training(Perceptron().fit([[0.0], [1.0]], [0, 1]))
    assert isinstance(figure, Figure) and figure._repr_png_().startswith(b"\x89PNG")
