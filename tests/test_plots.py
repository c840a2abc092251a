"""Pictures: what is drawn, that it can be told apart, and that drawing leaves the rest of the program alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from rosenblatt.errors import DataError, SettingError
from rosenblatt.report.pictures.canvas import PALETTE
from rosenblatt.report.pictures.mistakes import figure_of_mistakes, mistakes_per_epoch

HISTORIES = {
    "last": [55, 14, 2, 5, 0],
    "averaged": [55, 14, 2, 5, 0],
    "linear": [109, 30, *[9] * 60],
    "margin": [3, 0, 0],
}


def curves(histories: dict[str, list[int]]) -> list[Any]:
    """The lines of the picture, without the rings."""
    return [line for line in figure_of_mistakes(histories, "t").axes[0].lines if line.get_linestyle() != "None"]


def rings(histories: dict[str, list[int]]) -> list[tuple[float, float]]:
    lines = figure_of_mistakes(histories, "t").axes[0].lines
    return [(*line.get_xdata(), *line.get_ydata()) for line in lines if line.get_linestyle() == "None"]


def test_a_loss_curve_for_every_learner(tmp_path: Path) -> None:
    """peers.md, Training: no loss curve (#26494, #18773) → history, drawn. Each learner's colour is on the picture."""
    path = tmp_path / "curve.png"
    mistakes_per_epoch(HISTORIES, path, "Mistakes an epoch")
    pixels = imread(path)[:, :, :3]
    assert pixels.shape[0] > 500 and pixels.shape[1] > 900
    assert len(np.unique((pixels * 255).astype(int).reshape(-1, 3), axis=0)) > 50
    for color in PALETTE[:3]:
        assert (np.abs(pixels - to_rgb(color)).max(axis=2) < 0.01).sum() > 200, color
    assert (np.abs(pixels - to_rgb(PALETTE[3])).max(axis=2) < 0.01).sum() == 0, "two learners share a line"


def test_equal_histories_share_a_line_and_its_name() -> None:
    assert [line.get_label() for line in curves(HISTORIES)] == ["last, averaged", "linear", "margin"]


def test_the_points_are_the_mistakes_up_to_the_first_clean_epoch_of_the_end() -> None:
    first, second, third = curves(HISTORIES)
    assert list(first.get_xdata()) == [1, 2, 3, 4, 5]
    assert list(first.get_ydata()) == [55, 14, 2, 5, 0]
    assert list(second.get_ydata()) == HISTORIES["linear"]
    assert list(third.get_ydata()) == [3, 0]


def test_a_ring_marks_the_epoch_from_which_on_there_is_no_mistake() -> None:
    assert rings(HISTORIES) == [(5, 0), (2, 0)]
    assert rings({"came back": [3, 0, 0, 1]}) == []
    assert rings({"never one": [0, 0, 0]}) == [(1, 0)]


def test_lines_differ_without_colour() -> None:
    """32 learners, no two with the same marker and dashes."""
    lines = curves({f"learner {i}": [9, i] for i in range(32)})
    looks = {(line.get_marker(), str(line._unscaled_dash_pattern)) for line in lines}
    assert len(looks) == len(lines) == 32


@pytest.mark.parametrize(("epochs", "scale"), [(3, "linear"), (200, "log")])
def test_a_long_axis_is_logarithmic(epochs: int, scale: str) -> None:
    axes = figure_of_mistakes({"one": [40] * epochs}, "t").axes[0]
    assert axes.get_xscale() == scale
    ticks = [text.get_text() for text in axes.get_xticklabels()]
    assert "1" in ticks and all(tick.replace(",", "").replace("−", "").isdigit() for tick in ticks)


def test_one_epoch_without_a_mistake_can_be_drawn(tmp_path: Path) -> None:
    mistakes_per_epoch({"at once": [0]}, tmp_path / "curve.png", "t")
    assert imread(tmp_path / "curve.png").std() > 0.01


def test_the_same_curves_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        mistakes_per_epoch(HISTORIES, tmp_path / name, "t")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("histories", [{}, {"empty": []}])
def test_nothing_to_draw_is_said(tmp_path: Path, histories: dict[str, list[int]]) -> None:
    with pytest.raises(DataError, match="no epoch"):
        mistakes_per_epoch(histories, tmp_path / "curve.png", "t")


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing/curve.png: the picture cannot be written: No such file"):
        mistakes_per_epoch(HISTORIES, tmp_path / "missing/curve.png", "t")


def test_a_suffix_that_is_no_picture_is_named_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="curve.unknown: a picture's name ends in .png, .svg or .pdf"):
        mistakes_per_epoch(HISTORIES, tmp_path / "curve.unknown", "t")
    assert not list(tmp_path.iterdir())


def test_matplotlib_comes_late_and_its_global_state_is_left_alone(tmp_path: Path) -> None:
    program = (
        "import sys, rosenblatt.plots, rosenblatt.model.metrics, rosenblatt.cli.demo, rosenblatt.cli.pictures\n"
        "rosenblatt.cli.pictures.check_picture('--plot', None, 'data.svm')\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from rosenblatt.report.pictures.mistakes import mistakes_per_epoch\n"
        f"mistakes_per_epoch({{'a': [3, 0]}}, {str(tmp_path / 'a.png')!r}, 't')\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
