"""Pictures of updates: arrows, lines and marks are read from the figure and held against the record."""

from __future__ import annotations

import os
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import same_color
from PIL import Image

from pictured import AWKWARD, assert_legible, texts
from rosenblatt import AROW, KernelPerceptron, LinearClassifier, Perceptron, plots
from rosenblatt.errors import DataError, SettingError
from rosenblatt.report.pictures import film
from rosenblatt.report.pictures.canvas import FILLS
from rosenblatt.report.pictures.labels import readable
from rosenblatt.report.pictures.points import MOST_POINTS
from rosenblatt.report.pictures.updates import BEFORE, STEP, STILL, WRONG, move, view
from rosenblatt.report.trace import sentence
from rosenblatt.trace import Record, Trace

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(["no", "no", "no", "yes"])
SHORT = np.array([[4.0, 1.0], [1.0, 0.5], [-3.0, 2.0]]), np.array([1, 0, 0])
"""The second row is much shorter than the first, and more than one update is needed to mend it."""


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def recorded(x: Any, y: Any, trace: Trace | None = None, kind: Any = Perceptron, **words: Any) -> Record:
    trace = trace or Trace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        kind(**{"shuffle": False, "max_iter": 20, **words}).fit(x, y, callback=trace)
    return trace.record


def clouds(classes: int, d: int, n: int = 12) -> tuple[Any, Any]:
    random = np.random.default_rng(d)
    y = np.arange(n) % classes
    return 2.0 * random.normal(size=(classes, d))[y] + random.normal(size=(n, d)), y


def arrows(axes: Any) -> list[tuple[Any, Any, Any]]:
    """(foot, tip, colour) of each."""
    notes = [text for text in axes.texts if getattr(text, "arrow_patch", None)]
    return [(np.array(note.xyann), np.array(note.xy), note.arrow_patch.get_edgecolor()) for note in notes]


def line(axes: Any, name: str) -> Any:
    """(2, 2) the ends of a line, or None."""
    found = [each for each in axes.lines if each.get_label() == name]
    return np.column_stack(found[0].get_data()) if found else None


def marks(axes: Any) -> dict[str, Any]:
    """label → places of what is scattered."""
    return {each.get_label(): each.get_offsets() for each in axes.collections if len(each.get_offsets())}


# --- two columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 5, 9])
def test_arrows_and_lines_are_the_weights_before_and_after(k: int) -> None:
    record = recorded(*AND)
    (axes,) = plots.update(record, k).axes
    (w, b), (new, new_b) = record.weights(k - 1), record.weights(k)
    (row,) = record.of(k).row
    drawn = [(foot.tolist(), tip.tolist()) for foot, tip, _ in arrows(axes)]
    origin = [0.0, 0.0]
    expected = [(origin, w[0].tolist()), (origin, new[0].tolist()), (w[0].tolist(), new[0].tolist())]
    expected.append((origin, AND[0][row].tolist()))
    assert drawn == [(foot, tip) for foot, tip in expected if foot != tip]
    step = next(tip - foot for foot, tip, color in arrows(axes) if same_color(color[:3], STEP))
    assert step == pytest.approx(record.of(k).a[0] * AND[0][row])
    for name, own, bias in ((BEFORE, w[0], b[0]), ("after the update", new[0], new_b[0])):
        ends = line(axes, name)
        if not own.any():  # there is no line of weights that are 0
            assert ends is None
            continue
        assert ends @ own + bias == pytest.approx([0.0, 0.0], abs=1e-9)
        (left, right), (down, top) = axes.get_xlim(), axes.get_ylim()
        assert all(min(abs(x - left), abs(x - right), abs(y - down), abs(y - top)) < 1e-9 for x, y in ends)


def test_words_of_an_update_name_the_weights_the_step_and_the_row() -> None:
    record = recorded(*AND)
    figure = plots.update(record, 5, title="a $title$")
    assert_legible(figure)
    said = texts(figure)
    assert {"w₄", "w₅", "+x", "x", "before", "after", "row 4, moved"} <= set(said)
    assert f"a $title$\n{sentence(record, 5)}" in said
    assert {"−x", "w₃"} <= set(texts(plots.update(record, 4)))


def test_the_row_that_moved_and_the_wrong_ones_are_marked() -> None:
    record = recorded(*AND)
    for k in (2, 6):
        found = marks(plots.update(record, k).axes[0])
        w, b = record.weights(k)
        wrong = (AND[0] @ w[0] + b[0]) * np.where(AND[1] == "yes", 1.0, -1.0) <= 0.0
        (row,) = record.of(k).row
        assert sorted(found[WRONG].tolist()) == sorted(AND[0][wrong].tolist())
        assert found[f"row {row + 1}, moved"].tolist() == [AND[0][row].tolist()]


def test_an_undershoot_is_marked_where_the_row_is_still_wrong_and_nowhere_else() -> None:
    record, kinds = recorded(*SHORT, fit_intercept=False), set()
    for k in range(1, 7):
        (axes,) = plots.update(record, k).axes
        own = record.of(k)
        still = bool(own.y[0] * own.after[0] <= 0.0)
        name = f"row {own.row[0] + 1}, moved"
        assert (name + STILL in marks(axes), name in marks(axes)) == (still, not still), k
        kinds.add(still)
    assert kinds == {True, False}


def test_of_a_block_each_row_is_marked_as_what_came_of_it() -> None:
    record = recorded(*SHORT, optimizer="batch", fit_intercept=False)
    for k in (1, 2):
        own, figure = record.of(k), plots.update(record, k)
        found, wrong = marks(figure.axes[0]), own.y * own.after <= 0.0
        for rows, more in ((own.row[~wrong], ""), (own.row[wrong], STILL)):
            name = f"row {rows[0] + 1}, moved" if len(rows) == 1 else f"{len(rows)} rows moved"
            places = found.get(name + more, np.zeros((0, 2))).tolist() if len(rows) else []
            assert sorted(places) == sorted(SHORT[0][rows].tolist())
            assert (name + more in texts(figure)) == (len(rows) > 0)
        assert "the step" in texts(figure) or len(own.row) == 1


@pytest.mark.parametrize(("eta0", "longer"), [(1e-4, True), (1.0, False), (1e4, True)])
def test_arrows_that_would_not_be_seen_are_drawn_longer_or_shorter_and_that_is_said(eta0: float, longer: bool) -> None:
    record = recorded(*AND, eta0=eta0)
    figure = plots.update(record, 2)
    (axes,) = figure.axes
    tip = arrows(axes)[0][1]
    scale = float((tip / record.weights(2)[0][0])[0])
    assert (abs(scale - 1.0) > 1e-9) == longer
    assert any(f"{scale:g} times" in text.replace("\n", " ") for text in texts(figure)) == longer
    assert 0.05 < np.abs(tip).max() / (axes.get_xlim()[1] - axes.get_xlim()[0]) < 1.0


def test_rows_far_from_the_origin_do_not_vanish_in_a_corner() -> None:
    x, y = AND[0] + 1000.0, AND[1]
    (axes,) = plots.update(recorded(x, y), 1).axes
    assert axes.get_xlim()[0] > 990.0
    assert len(arrows(axes)) == 2, "w and the step; x has no place to start from"


# --- other numbers of columns, classes and rows ----------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 3, 30])
@pytest.mark.parametrize("words", [{}, {"kind": AROW, "max_iter": 2}, {"optimizer": "mini-batch", "batch_size": 4}])
def test_in_the_plane_of_both_w_each_row_keeps_both_scores(d: int, words: dict[str, Any]) -> None:
    record = recorded(*clouds(2, d), **words)
    each = move(record, min(3, len(record)))
    seen = view(record, [each])
    for w, b in (each.before, each.after):
        flat, at = seen.seen.cut(w, b)
        own = record.chunk.rows.matrix() @ w[0] + b[0]
        assert seen.places @ flat[0] + at[0] == pytest.approx(own, abs=1e-9 * max(1.0, np.abs(own).max()))
    figure = plots.update(record, each.k)
    assert_legible(figure)
    ends = [tip - foot for foot, tip, _ in arrows(figure.axes[0])]
    lengths = sorted(float(np.linalg.norm(end)) / seen.scale for end in ends)
    for w, _ in (each.before, each.after):
        size = float(np.linalg.norm(w))
        assert size == 0.0 or np.min(np.abs(np.array(lengths) - size)) < 1e-6 * max(size, 1.0)


@pytest.mark.parametrize("d", [1, 2, 30])
@pytest.mark.parametrize("multi_class", ["one-vs-rest", "multi-class-perceptron"])
def test_of_many_classes_those_that_moved_have_arrows_in_their_colours(d: int, multi_class: str) -> None:
    record = recorded(*clouds(3, d), kind=LinearClassifier, multi_class=multi_class)
    k = 3
    figure = plots.update(record, k)
    assert_legible(figure)
    (axes,) = figure.axes
    each = move(record, k)
    seen, moved = view(record, [each]), np.unique(record.of(k).cls)
    for cls in moved:
        tips = [seen.origin + seen.scale * seen.seen.arrows(w[cls]) for w, _ in (each.before, each.after)]
        own = [tip for _, tip, color in arrows(axes) if same_color(color[:3], FILLS[cls])]
        assert all(any(np.allclose(tip, one) for one in own) for tip in tips if not np.allclose(tip, seen.origin))
    others = set(range(3)) - set(moved.tolist())
    assert not [1 for _, _, color in arrows(axes) for cls in others if same_color(color[:3], FILLS[cls])]


def test_one_row_and_many() -> None:
    assert_legible(plots.update(recorded([[1.0, 2.0]] * 2, [0, 1]), 1))
    x, y = clouds(2, 2, 5000)
    record = recorded(x, y, max_iter=1)
    (axes,) = plots.update(record, 7).axes
    found = marks(axes)
    assert sum(len(found[name]) for name in ("0", "1")) == MOST_POINTS
    (row,) = record.of(7).row
    assert [places.tolist() for name, places in found.items() if "moved" in name] == [[x[row].tolist()]]


@pytest.mark.parametrize("number", range(0, len(AWKWARD), 2))
def test_any_label_and_any_name_of_a_column(number: int) -> None:
    labels = AWKWARD[number : number + 2]
    record = recorded(*AND)
    record = replace(record, classes=np.array(labels, object), names=labels)
    figure = plots.update(record, 5, title=labels[0])
    assert_legible(figure)
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert legend[:2] == [readable(label, 20) for label in labels]


# --- weights that were not kept --------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [{}, {"fit_intercept": False}, {"optimizer": "batch"}, {"classes": 3}])
def test_weights_that_were_not_kept_are_made_of_the_steps(words: dict[str, Any]) -> None:
    words = dict(words)
    x, y = clouds(words.pop("classes", 2), 4)
    x = x[np.random.default_rng(0).permutation(len(x))]  # not separable
    whole, bare = (recorded(x, y, Trace(weights=room), **words) for room in (1 << 20, 0))
    assert not len(bare.kept.update)
    for k in range(len(whole) + 1):
        for one, other in zip(whole.weights(k), bare.rebuilt(k), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)
    some = recorded(x, y, Trace(weights=8 * x.shape[1]), **words)
    assert 0 < len(some.kept.update) < len(some)
    np.testing.assert_allclose(some.rebuilt(len(some) - 1)[0], whole.weights(len(some) - 1)[0], atol=1e-12)


@pytest.mark.parametrize(("words", "message"), [
    ({"kind": AROW, "trace": Trace(weights=0)}, r"the weights before and after update 2 are not in the record"),
    ({"alpha": 0.1, "trace": Trace(weights=0)}, r"record with room for more"),
    ({"kind": KernelPerceptron}, "a run with a kernel has no weights in the space of the columns"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_said(words: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        plots.update(recorded(*AND, **words), 2)


def test_other_numbers_of_updates_are_refused() -> None:
    record = recorded(*AND)
    with pytest.raises(DataError, match=f"there is no update 99; the run has {len(record)}"):
        plots.update(record, 99)
    for k in (0, 13, True, "3"):
        with pytest.raises(SettingError, match="the number of updates must be from 1 to 12"):
            plots.strip(record, k)
    with pytest.raises(DataError, match="the record has no rows to draw"):
        plots.update(replace(record, chunk=None), 2)
    done = recorded(*AND, max_updates=1, trace=Trace())
    assert len(plots.strip(done, 12).axes) == len(done) == 1


# --- strip and film --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [2, 5])
def test_a_strip_shows_each_update_alike(columns: int) -> None:
    record = recorded(*(AND if columns == 2 else clouds(2, columns)))
    figure = plots.strip(record, 5, title="the first")
    assert_legible(figure)
    panels = [axes for axes in figure.axes if axes.axison]
    assert len(panels) == 5 and len({(*axes.get_xlim(), *axes.get_ylim()) for axes in panels}) == 1
    for k, axes in enumerate(panels, 1):
        assert axes.get_title(loc="left").replace("\n", " ") == " ".join(textwrap.wrap(sentence(record, k), 1000))
    drawn = [[tip for _, tip, color in arrows(axes) if not same_color(color[:3], STEP)] for axes in panels]
    for (_, after, *_), (before, *_) in zip(drawn[1:-1], drawn[2:], strict=True):
        assert after.tolist() == before.tolist(), "what one panel ends with the next one begins with"


def test_a_film_has_a_sheet_an_update(tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    plots.film(recorded(*AND), path, 3, title="AND")
    with Image.open(path) as found:
        assert found.n_frames == 3 and found.info["loop"] == 0
        sheets = []
        for k in range(3):
            found.seek(k)
            assert found.info["duration"] >= 1600
            sheets.append(np.asarray(found.convert("L")).copy())
    assert len({sheet.tobytes() for sheet in sheets}) == 3
    corner = [sheet[:100, 700:].tobytes() for sheet in sheets]
    assert len(set(corner)) == 1, "what is beside the axes stands still"


def test_an_mp4_is_written_by_ffmpeg_or_it_is_said_why_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, path = recorded(*AND), tmp_path / "run.mp4"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingError, match="an .mp4 is written by ffmpeg, which is not here; name the film .gif"):
        plots.film(record, path, 2)
    for name in ("run.avi", "run"):
        with pytest.raises(SettingError, match=rf"{name}: a film's name ends in .gif or .mp4"):
            plots.film(record, tmp_path / name, 2)
    tool = tmp_path / "ffmpeg"
    tool.write_text('#!/bin/sh\nfor last; do :; done\n/bin/cat > "$last"\n')
    tool.chmod(0o755)
    plots.film(record, path, 2)
    assert path.read_bytes().count(b"\x89PNG\r\n") == 2, "ffmpeg is given the sheets as PNG"
    tool.write_text("#!/bin/sh\n/bin/cat > /dev/null\necho first >&2\necho no such codec >&2\nexit 1\n")
    with pytest.raises(DataError, match="run.mp4: ffmpeg could not write the film: no such codec"):
        plots.film(record, path, 2)
    assert sorted(os.listdir(tmp_path)) == ["ffmpeg", "run.mp4"]
    with pytest.raises(DataError, match="the film cannot be written: No such file"):
        plots.film(record, tmp_path / "missing" / "run.gif", 1)
    assert film.FILMS == (".gif", ".mp4")
