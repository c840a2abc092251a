"""The page that plays a run: one file, in which all that is drawn and said is the record's."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser
from sklearn.datasets import load_breast_cancer, load_iris

from rosenblatt import (
    KernelPerceptron,
    LinearClassifier,
    LogisticUnit,
    MarginPerceptron,
    MultiClassPerceptron,
    Perceptron,
    trace,
)
from rosenblatt.core.rows import matrix
from rosenblatt.errors import SettingError
from rosenblatt.report.page import bound, frames, page_of
from rosenblatt.report.page.bound import limit_of
from rosenblatt.report.trace import signed
from rosenblatt.theory.ledger.ledger import Ledger
from rosenblatt.trace import Record, Trace, sentence

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(["no", "no", "no", "yes"])
XOR = AND[0], np.array(["no", "yes", "yes", "no"])


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def recorded(learner: Any, data: Any, weights: int = 1 << 20) -> Record:
    observer = Trace(weights)
    learner.fit(*data, callback=observer)
    return observer.record


@cache
def of_and() -> Record:
    return recorded(Perceptron(shuffle=False), AND)


@cache
def page_of_and() -> str:
    return page_of(of_and())


def data_of(page: str) -> dict[str, Any]:
    node = LexborHTMLParser(page).css_first("#data")
    assert node is not None
    return json.loads(node.text())  # type: ignore[no-any-return]


def seen(page: str, selector: str) -> str:
    node = LexborHTMLParser(page).css_first(selector)
    assert node is not None
    return " ".join(node.text().split())


CANCER, IRIS = load_breast_cancer(), load_iris()
FEW = ((CANCER.data - CANCER.data.mean(axis=0)) / CANCER.data.std(axis=0))[:100], CANCER.target[:100]
RECORDS = {
    "two columns": of_and,
    "three classes": lambda: recorded(Perceptron(max_iter=2), (IRIS.data[:, 2:], IRIS.target)),
    "one column": lambda: recorded(Perceptron(), (AND[0][:, 1:], AND[1] == "yes")),
    "30 columns": lambda: recorded(Perceptron(max_iter=3), FEW),
    "blocks": lambda: recorded(LogisticUnit(max_iter=4, optimizer="batch"), XOR),
    "a metric": lambda: recorded(Perceptron(max_iter=4, metric="adagrad"), XOR),
    "one row": lambda: recorded(Perceptron(max_iter=2), (AND[0][2:], AND[1][2:])),
}


@pytest.mark.parametrize("name", RECORDS)
def test_all_that_is_drawn_and_said_is_of_the_record(name: str) -> None:
    record = RECORDS[name]()
    data, x = data_of(page_of(record)), matrix(record.chunk.rows)  # type: ignore[union-attr]
    shown = data["frames"]
    assert shown["update"] == [*range(len(record) + 1)]
    scene = frames.scene_of(record, shown["update"])
    assert scene is not None
    for k in shown["update"][1:]:
        own, (w, b) = record.of(k), record.weights(k)  # type: ignore[misc]
        assert shown["told"][k] == sentence(record, k)
        assert shown["mistakes"][k] == record.updates.mistakes[k - 1]
        assert shown["counted"][k]["update"] == f"{k:,} of {len(record):,}"
        assert shown["wrong"][k] is bool((own.y * own.u <= 0.0).any())
        assert shown["moved"][k] == sorted(set(own.cls.tolist()))
        np.testing.assert_allclose(shown["marks"][k], scene.places[np.unique(own.row)], rtol=1e-8)
        lines = np.array(shown["lines"][k])
        points = scene.plane.points(scene.places) if x.shape[1] > 1 else x  # the rows' own, or below them in the plane
        drawn = scene.places @ lines[:, :2].T + lines[:, 2]
        np.testing.assert_allclose(drawn, points @ w.T + b, atol=1e-6 * np.abs(lines).max())
    if len(record.start[1]) == 1:  # the plane is that of the last weights: each row at its own score
        np.testing.assert_allclose(drawn, x @ w.T + b, atol=1e-6 * np.abs(lines).max())
    left, down = scene.places.min(axis=0)
    assert data["x_range"][0] < left and data["y_range"][0] < down


def test_the_file_asks_for_no_other() -> None:
    tree = LexborHTMLParser(page_of_and())
    for node in tree.css("[src], [href]"):
        assert (node.attributes.get("href") or "").startswith("data:"), node.html
    assert not re.search(r"@import|url\(", seen(page_of_and(), "style"))


def test_what_is_told_beside_the_picture() -> None:
    page = page_of(of_and(), "AND & <more>")
    assert seen(page, "h1") == seen(page, "title") == "AND & <more>"
    assert seen(page, "header p") == "perceptron, 18 updates; stopped: an epoch without an update"
    assert seen(page, "#limit") == "At most 51 mistakes are possible, R̄²/γ̄² = 51 (R̄² = 3, γ̄ = 0.2425) (dashed)."
    counted = data_of(page)["frames"]["counted"]
    assert counted[0] == {"update": "0 of 18", "mistakes": "0", "‖w‖": "0", "w": "(0, 0)", "b": "0"}
    assert counted[2] == {
        "update": "2 of 18", "epoch": "1", "rows seen": "4", "mistakes": "2", "‖w‖": "1.41", "w": "(1, 1)", "b": "0",
    }  # fmt: skip
    assert all(button.attributes["aria-label"] for button in LexborHTMLParser(page).css("button"))


def test_labels_are_text() -> None:
    x, y = AND[0], np.array(["</script><b>x", "</script><b>x", "</script><b>x", ""])
    page = page_of(recorded(Perceptron(max_iter=2), (x, y)))
    assert "</script><b>" not in page and "(</script><b>x)" in data_of(page)["frames"]["told"][1]
    names = [node.text().split()[-1] for node in LexborHTMLParser(page).css("#legend li")[:2]]
    assert names == ["(empty)", "</script><b>x"]


def test_of_long_runs_some_updates_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST", 5)
    monkeypatch.setattr(frames, "FIRST", 0)
    page = page_of(of_and())
    data = data_of(page)
    assert data["frames"]["update"] == [0, 4, 8, 12, 16, 18]
    assert data["frames"]["told"][2] == sentence(of_and(), 8)
    assert "5 of the 18 updates are shown, one in 4 and the last." in seen(page, "#notes")
    few = recorded(Perceptron(shuffle=False), AND, weights=2 * 5)  # weights after each fourth or eighth alone
    assert [k for k in frames.shown(few) if few.weights(k) is None] in ([], [18])


def test_of_many_rows_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "POINTS", 50)
    record = RECORDS["30 columns"]()
    scene = frames.scene_of(record, frames.shown(record))
    assert scene is not None and len(scene.drawn) == 50 and "50 of the 100 rows are drawn" in scene.notes[1]
    assert len(data_of(page_of(record))["frames"]["marks"]) == len(record) + 1


def test_what_cannot_be_drawn_is_said() -> None:
    record = of_and()
    away = page_of(replace(record, chunk=None))
    assert data_of(away)["plane"] is None and "There is no picture: the rows are not in the record" in seen(
        away, "#notes"
    )
    assert seen(away, "#limit") == "How many mistakes are possible is not known: the rows are not at hand."
    kernel = page_of(recorded(KernelPerceptron(kernel="poly"), XOR))
    assert "The scores are those of a kernel: there is no line." in seen(kernel, "#notes")
    assert all(lines is None for lines in data_of(kernel)["frames"]["lines"])
    none = page_of(recorded(Perceptron(), AND, weights=0))
    assert "No weights were kept" in seen(none, "#notes")
    apart = page_of(recorded(Perceptron(max_iter=2), (AND[0] * [1.0, 100.0], AND[1])))
    assert "scales of their own" in seen(apart, "#notes") and not data_of(apart)["arrows"]
    huge = page_of(recorded(Perceptron(max_iter=2), (AND[0] * 1e120, AND[1])))
    assert data_of(huge)["plane"] is None


def test_a_run_without_an_update() -> None:
    record = of_and()
    no = replace(
        record,
        entries=type(record.entries)(*(values[:0] for values in record.entries)),
        updates=type(record.updates)(*(values[:0] for values in record.updates)),
        kept=type(record.kept)(*(values[:0] for values in record.kept)),
    )
    assert data_of(page_of(no))["frames"]["update"] == [0]


def test_the_limit_is_that_of_the_ledger() -> None:
    for learner, data in (
        (Perceptron(), AND),
        (MarginPerceptron(tau=0.5, eta0=0.25), AND),
        (Perceptron(fit_intercept=False), (-XOR[0][2:], XOR[1][2:])),
        (KernelPerceptron(kernel="poly", degree=2), XOR),
        (KernelPerceptron(kernel="rbf", fit_intercept=False), XOR),
    ):
        ledger = Ledger()
        learner.fit(*data, callback=ledger)
        assert limit_of(recorded(learner, data)).most == int(ledger.limit * (1.0 + 1e-12))  # type: ignore[operator]
    for learner, data, why in (
        (Perceptron(max_iter=3), XOR, "the rows are not separable."),
        (Perceptron(max_iter=3, fit_intercept=False), XOR, "the rows are not separable through the origin."),
        (LogisticUnit(max_iter=3), AND, "the rule is logistic; the theorem is about steps of η·y·x̄."),
        (Perceptron(max_iter=3), (IRIS.data, IRIS.target), "3 classes are learned; the theorem is about"),
        (KernelPerceptron(kernel="linear", max_iter=3), XOR, "the rows are not separable in the space of linear."),
    ):
        limit = limit_of(recorded(learner, data))
        assert limit.most is None and f"No theorem limits the mistakes: {why}" in limit.told
    record = of_and()
    warm = replace(record, start=(np.ones((1, 2)), np.zeros(1)))
    assert "went on from other weights" in limit_of(warm).told
    learner = KernelPerceptron(kernel="poly", degree=2, max_iter=1, warm_start=True).fit(*XOR)
    assert "went on from other weights" in limit_of(recorded(learner, XOR)).told


def test_what_is_said_before_the_first_update() -> None:
    """Of a kernel, too, whose weights are not in the start."""
    for learner in (
        Perceptron(max_iter=1, warm_start=True),
        KernelPerceptron(kernel="rbf", max_iter=1, warm_start=True),
    ):
        for told in ("all weights are 0, and so is every score", "the weights that learning went on from"):
            page = data_of(page_of(recorded(learner, AND)))
            assert page["frames"]["told"][0] == f"before the first update: {told}"


@pytest.mark.parametrize(
    "learner", [Perceptron(max_iter=3), MultiClassPerceptron(max_iter=3), LinearClassifier("softmax", max_iter=2)]
)
@pytest.mark.parametrize("columns", [1, 3, 4])
def test_of_more_classes_the_weights_of_those_that_moved_are_written_out(learner: Any, columns: int) -> None:
    record = recorded(learner, (IRIS.data[:, :columns], IRIS.target_names[IRIS.target]))
    page = data_of(page_of(record))["frames"]
    assert not any(name.startswith(("w", "b")) for name in page["counted"][0])
    for k in (1, 2, len(record)):
        place, moved = page["update"].index(k), np.unique(record.of(k).cls)
        own, (w, b) = page["counted"][place], record.weights(k)  # type: ignore[misc]
        names = [str(record.classes[c]) for c in moved]
        assert [name for name in own if name.startswith("b of ")] == [f"b of {name}" for name in names]
        assert [name for name in own if name.startswith("w of ")] == [f"w of {name}" for name in names] * (columns < 4)
        for c, name in zip(moved, names, strict=True):
            assert own[f"b of {name}"] == signed(float(b[c]))
            if columns < 4:
                assert own[f"w of {name}"] == f"({', '.join(signed(float(value)) for value in w[c])})"


def test_a_page_of_many_rows_of_a_kernel_is_made_without_their_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound, "ROWS", 3)
    told = limit_of(recorded(KernelPerceptron(kernel="rbf"), XOR)).told
    assert "4 rows are too many for a page to look for a margin in the space of rbf" in told


def test_a_notebook_has_it_in_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    record = of_and()
    frame = LexborHTMLParser(record._repr_html_()).css_first("iframe")  # type: ignore[arg-type]
    assert frame is not None and seen(frame.attributes["srcdoc"] or "", "h1") == "perceptron"
    assert frame.attributes["title"] == repr(record)
    for name in [name for name in sys.modules if name.partition(".")[0] == "bokeh"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "bokeh", None)
    assert record._repr_html_() is None
    with pytest.raises(SettingError, match=r"package bokeh; install rosenblatt\[lab\]"):
        trace.page_of(record)
