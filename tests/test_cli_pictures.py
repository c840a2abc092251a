"""`--plot` and `--learning-curve`: what is drawn of which data, and that nothing is begun which cannot be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import TABLE, THREE, Done, one_of_each, run, well, write
from pictured import assert_legible, texts, watched
from rosenblatt import Recipe
from rosenblatt.datasets import path as shipped
from rosenblatt.report.pictures.labels import readable

SOUND = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    return watched(monkeypatch)


def trained(folder: Path, data: str | Path, *words: Any) -> Path:
    well("train", data, "-o", folder / "model", "--epochs", 3, *words)
    return folder / "model"


# --- train -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SOUND)
def test_train_draws_and_says_so(tmp_path: Path, kind: str, drawn: list[Any]) -> None:
    data, picture = write(tmp_path / "d.svm", "1 1:2 3:1\n-1 2:3\n"), tmp_path / f"p.{kind}"
    done = well("train", data, "-o", tmp_path / "m", "--plot", picture)
    assert picture.read_bytes().startswith(SOUND[kind])
    assert done.out.splitlines()[-2:] == [f"wrote {tmp_path / 'm'}", f"wrote {picture}"]
    assert_legible(drawn[0])
    told = " ".join(texts(drawn[0])).replace("\n", " ")
    assert "perceptron, keep last, online" in told and "stopped: an epoch without an update" in told
    assert len(drawn[0].axes) == 2
    assert well("train", data, "-o", tmp_path / "m", "--plot", picture, "--json").json["pictures"] == [str(picture)]


@pytest.mark.parametrize("words", [(), ("--scale", "standard"), ("--keep", "voted"), ("--rule", "logistic")])
@pytest.mark.parametrize("given", ["file", "stdin"])
def test_two_columns_are_also_drawn_as_a_plane(
    tmp_path: Path, words: tuple[str, ...], given: str, drawn: list[Any]
) -> None:
    data = write(tmp_path / "d.csv", TABLE) if given == "file" else "-"
    extra = ("--format", "csv") if given == "stdin" else ()
    well("train", data, "-o", tmp_path / "m", "--plot", tmp_path / "p.png", *extra, *words, given=TABLE)
    (figure,) = drawn
    assert_legible(figure)
    plane = figure.axes[-1]
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("wide", "high")
    assert plane.get_legend_handles_labels()[1][:2] == ["square", "tall"]
    assert (
        sum(len(points.get_offsets()) for points in plane.collections if points.get_label() in ("square", "tall")) == 6
    )


def test_sparse_rows_of_two_columns_and_validation_rows(tmp_path: Path, drawn: list[Any]) -> None:
    lines = [f"{k % 2} 1:{k % 7 + 1} 2:{k % 5 + 4 * (k % 2)}" for k in range(1, 61)]
    data = write(tmp_path / "d.svm", "\n".join(lines) + "\n")
    well("train", data, "-o", tmp_path / "m", "--validation", "0.2", "--plot", tmp_path / "p.png")
    above, below, plane = drawn[0].axes
    assert_legible(drawn[0])
    assert below.get_title(loc="left") == "on the validation rows"
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("column 1", "column 2")
    assert any("of 60 rows wrong" in text for text in texts(drawn[0]))


def test_other_data_are_seen_in_two_directions_while_they_are_not_too_many(
    tmp_path: Path, drawn: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, data in one_of_each(tmp_path).items():
        well("train", data, "-o", tmp_path / "m", "--plot", tmp_path / "p.png", "--epochs", 3)
        assert len(drawn[-1].axes) == 2, name
        assert_legible(drawn[-1])
    lines = ["1 1:1", "0 2:1"] * 400 + ["1 3:1"]
    data = write(tmp_path / "wide.svm", "\n".join(lines) + "\n")
    words = ("train", data, "-o", tmp_path / "m", "--plot", tmp_path / "p.png", "--max-updates", 3, "--epochs", 1)
    for most, axes in ((801, 2), (800, 1)):
        monkeypatch.setattr("rosenblatt.cli.pictures.MOST_KEPT", most)
        well(*words)
        assert len(drawn[-1].axes) == axes


@pytest.mark.parametrize("words", [("--optimizer", "pick-worst"), ("--max-updates", "1"), ("--max-time", "0")])
def test_a_training_without_epochs_is_said_on_the_picture(
    tmp_path: Path, words: tuple[str, ...], drawn: list[Any]
) -> None:
    data = write(tmp_path / "d.csv", THREE)
    well("train", data, "-o", tmp_path / "m", "--no-header", "--label", 1, "--plot", tmp_path / "p.png", *words)
    assert_legible(drawn[0])


def test_going_on_draws_all_epochs(tmp_path: Path, drawn: list[Any]) -> None:
    data, before = write(tmp_path / "d.svm", "1 1:1\n0 1:1\n" * 3), tmp_path / "m"
    well("train", data, "-o", before, "--epochs", 2)
    well("train", data, "-o", tmp_path / "n", "--continue", before, "--epochs", 3, "--plot", tmp_path / "p.png")
    assert len(drawn[0].axes[0].lines[0].get_xdata()) == 5


# --- learning curves -------------------------------------------------------------------------------------------------


def test_a_learning_curve_in_numbers_and_as_a_picture(tmp_path: Path, drawn: list[Any]) -> None:
    lines = [f"{k % 2} 1:{k % 7} 2:{k % 5 + 4 * (k % 2)} 3:1" for k in range(100)]
    data, picture = write(tmp_path / "d.svm", "\n".join(lines) + "\n"), tmp_path / "c.svg"
    words = ("train", data, "-o", tmp_path / "m", "--learning-curve", picture, "--keep", "averaged", "--epochs", 5)
    curve = well(*words, "--json").json["learning_curve"]
    assert curve["rows"] == [10, 20, 40, 80] and curve["folds"] == 5
    assert np.shape(curve["error"]) == np.shape(curve["training_error"]) == (4, 5)
    (figure,) = drawn
    assert_legible(figure)
    left_out, training = figure.axes[0].lines
    assert left_out.get_ydata() == pytest.approx(np.mean(curve["error"], axis=1))
    assert training.get_ydata() == pytest.approx(np.mean(curve["training_error"], axis=1))
    assert f"wrote {picture}" in well(*words).out


def test_pictures_name_a_metric_that_brings_its_step(tmp_path: Path, drawn: list[Any]) -> None:
    lines = [f"{k % 2} 1:{k % 7} 2:{k % 5 + 4 * (k % 2)} 3:1" for k in range(100)]
    data, words = write(tmp_path / "d.svm", "\n".join(lines) + "\n"), ("--metric", "arow:r=0.5", "--epochs", 2)
    pictures = ("--plot", tmp_path / "p.svg", "--learning-curve", tmp_path / "c.svg")
    well("train", data, "-o", tmp_path / "m", *words, *pictures)
    told = [" ".join(texts(figure)).replace("\n", " ") for figure in drawn]
    assert len(told) == 2 and all("arow:r=0.5, keep last, online" in each for each in told)


def test_words_of_the_fold_left_out_are_not_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text has a word of its own: a dictionary of more words than rows learned from would have seen others."""
    sizes, whole = [], Recipe.fit

    def fit(recipe: Recipe, batch: Any) -> Any:
        learned = whole(recipe, batch)
        sizes.append((len(batch.rows), learned.width))
        return learned

    monkeypatch.setattr(Recipe, "fit", fit)
    texts = "".join(f"{'spam' if k % 2 else 'ham'}\tword{k}\n" for k in range(60))
    data = write(tmp_path / "d.txt", texts)
    well("train", data, "-o", tmp_path / "m", "--min-documents", 1, "--learning-curve", tmp_path / "c.png")
    assert len(sizes) == 15 and all(rows == words for rows, words in sizes)


@pytest.mark.parametrize("words", [
    ("--validation", "0.2"), ("--continue", "m"), ("--start", "m"), ("--order", "o"), ("--calibrate", "sigmoid"),
    ("--cost", "1=5"), ("--max-false-positives", "1%"),
])  # fmt: skip
def test_what_a_learning_curve_cannot_go_with(tmp_path: Path, words: tuple[str, str]) -> None:
    done = run("train", tmp_path / "missing", "-o", tmp_path / "n", "--learning-curve", tmp_path / "c.png", *words)
    assert (done.code, done.out) == (2, "")
    assert f"for which {words[0]} has no meaning" in done.err and not list(tmp_path.iterdir())


def test_too_few_rows_for_a_learning_curve(tmp_path: Path) -> None:
    done = run("train", write(tmp_path / "d.csv", TABLE), "-o", tmp_path / "m", "--learning-curve", tmp_path / "c.png")
    assert done.code == 3 and "6 rows of 2 classes are too few" in done.err


# --- evaluate and inspect --------------------------------------------------------------------------------------------


def test_evaluate_draws_the_same_numbers_as_it_prints(tmp_path: Path, drawn: list[Any]) -> None:
    data = shipped("spambase")
    model = trained(tmp_path, data, "--scale", "standard", "--keep", "averaged")
    found = well("evaluate", model, data, "--plot", tmp_path / "e.png", "--json").json
    (figure,) = drawn
    assert_legible(figure)
    shown = texts(figure)
    for row in found["confusion"]:
        for count in row:
            assert any(text.startswith(f"{count:,}\n") for text in shown)
    assert f"ROC, positive: 1 (area {found['roc_auc']:.4f})" in shown
    assert any(f"{found['errors']:,} wrong (accuracy {found['accuracy']:.4f})" in text for text in shown)
    well("evaluate", model, data, "--plot", tmp_path / "again.png")
    assert (tmp_path / "e.png").read_bytes() == (tmp_path / "again.png").read_bytes()


def test_evaluate_with_probabilities_and_on_one_class(tmp_path: Path, drawn: list[Any]) -> None:
    data = write(tmp_path / "d.csv", TABLE)
    model = trained(tmp_path, data, "--rule", "logistic")
    well("evaluate", model, data, "--plot", tmp_path / "e.png")
    assert any(text.startswith("reliability") for text in texts(drawn[0]))
    well("evaluate", model, write(tmp_path / "one.csv", "wide,high,kind\n1,2,tall\n"), "--plot", tmp_path / "e.png")
    assert sum(text.startswith("not defined") for text in texts(drawn[1])) == 2
    for figure in drawn:
        assert_legible(figure)


@pytest.mark.parametrize("words", [
    ("--min-documents", 1), ("--dictionary", "hashed", "--bits", 8), ("--min-documents", 1, "--keep", "voted"),
    ("--min-documents", 9),
])  # fmt: skip
def test_inspect_draws_weights_by_name(tmp_path: Path, words: tuple[Any, ...], drawn: list[Any]) -> None:
    texts_of = "spam\tfree $prize$ 中文\nham\tlunch noon\nspam\tfree money\nham\tsee noon\n"
    model = trained(tmp_path, write(tmp_path / "d.txt", texts_of), *words)
    done = well("inspect", model, "--plot", tmp_path / "i.svg", "--top", 3, "--json")
    (figure,) = drawn
    assert_legible(figure)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    strongest = done.json["strongest"]
    if words == ("--min-documents", 9):
        assert "all weights are 0" in texts(figure)
    else:
        assert len(names) == sum(map(len, strongest.values())) and names[0] == readable(strongest["spam"][0]["feature"])


# --- what cannot be written ------------------------------------------------------------------------------------------


def commands(folder: Path, picture: str | Path) -> list[Done]:
    """All three with this picture, on files that are not there: the picture is looked at first."""
    data, model = folder / "no-data", folder / "no-model"
    return [
        run("train", data, "-o", folder / "m", "--plot", picture),
        run("train", data, "-o", folder / "m", "--learning-curve", picture),
        run("evaluate", model, data, "--plot", picture),
        run("inspect", model, "--plot", picture),
    ]


@pytest.mark.parametrize("name", ["p.jpg", "p", "-", "p.png.gz"])
def test_other_suffixes_are_refused_before_the_work_begins(tmp_path: Path, name: str) -> None:
    for done in commands(tmp_path, name):
        assert (done.code, done.out) == (2, "")
        assert f"{name}: a picture's name ends in .png, .svg or .pdf" in done.err and "Error: --" in done.err


def test_a_folder_that_is_missing_is_said_before_the_work_begins(tmp_path: Path) -> None:
    for done in commands(tmp_path, tmp_path / "missing" / "p.png"):
        assert (done.code, done.out) == (5, "") and "there is no folder" in done.err


def test_a_picture_never_overwrites_the_data_the_model_or_the_other_picture(tmp_path: Path) -> None:
    data = write(tmp_path / "d.png", TABLE)
    assert run("train", data, "-o", tmp_path / "m", "--plot", data).code == 5
    model, picture = tmp_path / "m", tmp_path / "p.png"
    for words in (("-o", picture, "--plot", picture), ("-o", model, "--plot", picture, "--learning-curve", picture)):
        done = run("train", data, *words)
        assert done.code == 2 and "the same file is named twice" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["d.png"] and data.read_text() == TABLE


# --- trace and margin ------------------------------------------------------------------------------------------------


def traced(folder: Path, *words: Any) -> Done:
    return run("trace", write(folder / "d.csv", TABLE), "--order", "given", "--epochs", 3, *words)


def test_trace_draws_the_kind_that_is_asked_for(tmp_path: Path, drawn: list[Any]) -> None:
    picture = tmp_path / "p.svg"
    for words, title in (
        ((), "d.csv"), (("--strip", 1), "d.csv"), (("--update", 2), "update 2, row"),
        (("--picture", "errors"), "d.csv"), (("--picture", "loss"), "d.csv"),
    ):  # fmt: skip
        done = traced(tmp_path, "--plot", picture, *words)
        assert done.code == 0 and done.out.splitlines()[-1] == f"wrote {picture}", done.err
        assert_legible(drawn[-1])
        assert any(title in text for text in texts(drawn[-1]))
    first, two, one, errors, loss = ([axes for axes in figure.axes if axes.axison] for figure in drawn)
    assert len(first) > 1 == len(two) == len(one)
    assert errors[0].get_xlabel() == "rows learned from" and loss[0].get_ylabel() == "mean loss of a row"
    done = traced(tmp_path, "--plot", picture, "-o", tmp_path / "run.jsonl", "--json")
    assert done.json["pictures"] == [str(picture)] and done.json["files"] == [str(tmp_path / "run.jsonl")]


def test_trace_films(tmp_path: Path) -> None:
    film = tmp_path / "run.gif"
    done = traced(tmp_path, "--film", film, "--strip", 2)
    assert done.code == 0 and film.read_bytes().startswith(b"GIF8") and f"wrote {film}" in done.out


@pytest.mark.parametrize(("words", "message"), [
    (("--update", 2), "--update is about --plot, which is not there"),
    (("--strip", 2), "--strip is about --plot or --film"), (("--picture", "loss"), "--picture is about --plot"),
    (("--plot", "p.png", "--picture", "update"), "--picture update needs to know which: --update K"),
    (("--plot", "p.png", "--picture", "loss", "--update", 1), "--update draws one update, --picture loss does not"),
    (("--plot", "p.png", "--update", 1, "--strip", 3), "--strip draws the first updates side by side"),
    (("--film", "run.avi"), "--film run.avi: a film's name ends in .gif or .mp4"),
    (("--plot", "p.png", "--update", 999), "there is no update 999; the run has"),
    (("--plot", "p.png", "--strip", 13), "the number of updates must be from 1 to 12, found 13"),
])  # fmt: skip
def test_what_trace_cannot_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Any, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = traced(tmp_path, *words)
    assert done.code in (2, 3) and message in done.err and not done.out
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_a_film_overwrites_neither_the_data_nor_the_picture(tmp_path: Path) -> None:
    data = write(tmp_path / "d.gif", TABLE)
    assert run("trace", data, "--format", "table", "--film", data).code in (2, 5) and data.read_text() == TABLE


def test_margin_draws_the_rows_that_hold_it(tmp_path: Path, drawn: list[Any]) -> None:
    data, picture = write(tmp_path / "d.csv", "a,b,c\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"), tmp_path / "m.png"
    done = well("margin", data, "--plot", picture)
    assert f"wrote {picture}" in done.out and well("margin", data, "--plot", picture, "--json").json["pictures"]
    assert_legible(drawn[0])
    assert {"margin 0.354", "nearest rows"} <= set(texts(drawn[0])) and drawn[0].axes[0].get_xlabel() == "a"
    xor = write(tmp_path / "x.csv", "a,b,c\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    assert run("margin", xor, "--plot", tmp_path / "x.png").code == 3 and not (tmp_path / "x.png").exists()
