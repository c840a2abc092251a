"""`--start random:S`: weights drawn from N(0, S²) by the seed, the biases 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command import run, well
from rosenblatt import Model, Recipe
from rosenblatt.errors import SettingError
from samples import three_classes, two_classes


def begun(start: str, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """What a run begins with that makes no step to speak of."""
    x, y = two_classes() if classes == 2 else three_classes()
    return Recipe(start=start, max_iter=1, eta0=1e-30, random_state=seed).fit(x, y).weights


@pytest.mark.parametrize("classes", [2, 3])
def test_the_seed_says_which_and_the_scale_how_large(classes: int) -> None:
    w, b = begun("random:0.5", classes)
    assert w.shape == ((1, 6) if classes == 2 else (3, 4)) and np.abs(b).max() < 1e-20
    assert np.array_equal(w, begun("random:0.5", classes)[0]) and not np.array_equal(
        w, begun("random:0.5", classes, 1)[0]
    )
    np.testing.assert_allclose(begun("random:50", classes)[0], 100 * w)


def test_they_are_normal_with_that_deviation() -> None:
    """10,000 of them: mean and deviation within 4 standard errors."""
    x = np.eye(2, 10_000)
    w = Recipe(start="random:2", max_iter=1, eta0=1e-30).fit(x, ["a", "b"]).weights[0][0]
    assert abs(w.mean()) < 4 * 2 / 100 and abs(w.std() - 2) < 4 * 2 / np.sqrt(2 * 10_000)


def test_it_learns_from_there_in_both_faces(tmp_path: Path) -> None:
    x, y = two_classes()
    data = tmp_path / "d.csv"
    data.write_text(
        "".join(",".join([*map(repr, map(float, row)), "ab"[label]]) + "\n" for row, label in zip(x, y, strict=True))
    )
    well("train", data, "-o", tmp_path / "m", "--start", "random:0.3", "--epochs", "5", "--seed", "3")
    mine = Recipe(start="random:0.3", max_iter=5, random_state=3).fit(str(data))
    shell = Model.load(tmp_path / "m")
    assert np.array_equal(mine.weights[0], shell.weights[0]) and shell.recipe["start"] == "random:0.3"
    assert not np.array_equal(mine.weights[0], Recipe(max_iter=5, random_state=3).fit(str(data)).weights[0])
    well("train", data, "-o", tmp_path / "m2", "--continue", tmp_path / "m", "--epochs", "2")


@pytest.mark.parametrize(
    "start", ["random:", "random:x", "random:0", "random:-1", "random:nan", "random:inf", "random"]
)
def test_what_is_no_scale_is_one_sentence(start: str, tmp_path: Path) -> None:
    x, y = two_classes()
    with pytest.raises(SettingError, match=r"start=.*is not understood; it must be random:S with a number S > 0"):
        Recipe(start=start).fit(x, y)
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n")
    done = run("train", tmp_path / "d.svm", "-o", tmp_path / "m", "--start", start)
    assert done.code == 2 and f"Error: --start {start}" in done.err and not (tmp_path / "m").exists()


def test_not_beside_a_model(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n")
    well("train", tmp_path / "d.svm", "-o", tmp_path / "m")
    done = run("train", tmp_path / "d.svm", "-o", tmp_path / "n", "--continue", tmp_path / "m", "--start", "random:1")
    assert done.code == 2 and "choose one of them" in done.err
