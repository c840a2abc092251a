"""What a model answers: `rosenblatt predict`, `evaluate`, `explain`, `inspect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import Done, one_of_each, well, write
from rosenblatt.model.model import Model
from rosenblatt.read import open_source


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> dict[str, Path]:
    return one_of_each(tmp_path)


def objects(done: Done) -> list[Any]:
    """Standard output as JSON, one value a line."""
    return [json.loads(line) for line in done.out.splitlines()]


# --- predict ---------------------------------------------------------------------------------------------------------


def test_predict_prints_a_label_a_line_and_more_on_request(data: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "model"
    well("train", data["three"], "-o", model, "--rule", "logistic", "--keep", "averaged", "--epochs", "30")
    labels = well("predict", model, data["three"]).out.splitlines()
    assert labels == ["a", "b", "c", "a", "b", "c"]
    scores = [line.split("\t") for line in well("predict", model, data["three"], "--scores").out.splitlines()]
    assert [line[0] for line in scores] == labels
    expected = Model.load(model).scores(Model.load(model).rows(batch(data["three"])))
    assert (np.array([line[1:] for line in scores], float) == expected).all(), "to the last digit"
    shares = [line.split("\t") for line in well("predict", model, data["three"], "--proba").out.splitlines()]
    assert np.allclose(np.array([line[1:] for line in shares], float).sum(axis=1), 1.0)
    told = objects(well("predict", model, data["three"], "--json", "--proba"))
    assert [each["predicted"] for each in told] == labels and [each["row"] for each in told] == [1, 2, 3, 4, 5, 6]
    assert all(max(each["score"], key=each["score"].get) == each["predicted"] for each in told)
    assert all(max(each["proba"], key=each["proba"].get) == each["predicted"] for each in told)


def batch(path: Path) -> Any:
    (only,) = open_source(path)
    return only


def test_predict_two_classes_has_one_score(data: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "model"
    well("train", data["svmlight"], "-o", model)
    for line in well("predict", model, data["svmlight"], "--scores").out.splitlines():
        label, score = line.split("\t")
        assert (label == "1") is (float(score) > 0.0)


def test_predict_needs_no_labels(data: dict[str, Path], tmp_path: Path) -> None:
    """peers.md, Files: a row with a label only → a valid zero row; width from the test file → from the model."""
    model, table, words = tmp_path / "m", tmp_path / "t", tmp_path / "w"
    well("train", data["svmlight"], "-o", model)
    assert well("predict", model, "-", given="1:5\n2:1\n").out.split() == ["1", "-1"]
    assert well("predict", model, "-", given="1\n-1\n").out.split() == ["-1", "-1"], (
        "a score of 0 is the negative class"
    )
    wide = well("predict", model, "-", "--wider", "skip", given="1 1:5 900:1\n")
    assert wide.out == "1\n" and "note: values in columns beyond 3 skipped: 1\n" in wide.err
    well("train", data["table"], "-o", table)
    assert well("predict", table, "-", given="high,wide\n9,0\n0,9\n").out.split() == ["tall", "square"]
    well("train", data["text"], "-o", words)
    assert well("predict", words, "-", given="free prize\nsee you\n").out.split() == ["spam", "ham"]


def test_predict_names_the_mails(data: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "model"
    well("train", data["mail"], "-o", model)
    lines = [line.split("\t") for line in well("predict", model, data["mail"], "--ids").out.splitlines()]
    assert all(name.split("/")[0] == label for name, label in lines) and len(lines) == 6
    one = next((data["mail"] / "spam").iterdir())
    assert well("predict", model, one, "--ids").out == f"{one.name}\tspam\n"
    assert well("predict", model, "-", given=one.read_bytes()).out == "spam\n"


def test_saving_and_going_on_do_not_change_predictions(data: dict[str, Path], tmp_path: Path) -> None:
    """peers.md, Models: saving changes predictions or resets weights → saving is pure: the same bytes again."""
    well("train", data["text"], "-o", tmp_path / "one", "--keep", "voted")
    Model.load(tmp_path / "one").save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


# --- evaluate --------------------------------------------------------------------------------------------------------


def test_evaluate_names_the_classes_in_words(data: dict[str, Path], tmp_path: Path) -> None:
    well("train", data["text"], "-o", tmp_path / "m")
    test = write(tmp_path / "test.txt", "ham\tfree prize\nham\tsee lunch\nspam\tmoney\n")
    done = well("evaluate", tmp_path / "m", test)
    assert done.out.startswith(
        "3 rows, 1 wrong (accuracy 0.6667)\n  ham called spam  1  of 2\n  spam called ham  0  of 1\n"
    )
    found = well("evaluate", tmp_path / "m", test, "--json").json
    assert {"rows", "errors", "accuracy", "confusion", "roc_auc", "false_positives", "false_negatives"} <= set(found)
    assert (found["false_positives"], found["false_negatives"], found["confusion"]) == (1, 0, [[1, 1], [0, 1]])


def test_evaluate_shows_confusions_of_many_classes(data: dict[str, Path], tmp_path: Path) -> None:
    well("train", data["three"], "-o", tmp_path / "m")
    assert "true \\ predicted  a  b  c\n" in well("evaluate", tmp_path / "m", data["three"]).out
    many = write(tmp_path / "many.svm", "".join(f"{k} {k + 1}:1\n" for k in range(15)))
    well("train", many, "-o", tmp_path / "m", "--epochs", "1", "--order", "given")
    test = write(tmp_path / "test.svm", "".join(f"{(k + 1) % 15} {k + 1}:1\n" for k in range(15)))
    done = well("evaluate", tmp_path / "m", test)
    assert "predicted" not in done.out and " called " in done.out


# --- explain ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["svmlight", "table", "three", "text", "mail"])
@pytest.mark.parametrize("keep", ["averaged", "voted"])
def test_the_printed_score_is_the_sum_and_the_models_own(
    kind: str, keep: str, data: dict[str, Path], tmp_path: Path
) -> None:
    well("train", data[kind], "-o", tmp_path / "m", "--keep", keep)
    scores = [json.loads(line) for line in well("predict", tmp_path / "m", data[kind], "--json").out.splitlines()]
    rows = [
        json.loads(line)
        for line in well("explain", tmp_path / "m", data[kind], "--json", "--top", "2").out.splitlines()
    ]
    texts = well("explain", tmp_path / "m", data[kind], "--top", "2").out.split("\n\n")
    assert len(rows) == len(scores) == len(texts) == 6
    for row, said, text in zip(rows, scores, texts, strict=True):
        parts = [each["contribution"] for each in row["contributions"]]
        total = sum(parts) + row["rest"]["contribution"] + row["intercept"]
        assert row["score"] == pytest.approx(total, rel=1e-12, abs=1e-15)
        assert f"  score {row['score']!r} for " in text and row["predicted"] == said["predicted"]
        if keep == "voted":
            assert "votes" in row and "mean of the voters" in text
        else:
            own = said["score"]
            own = own[row["score_for"]] - own[row["score_against"]] if isinstance(own, dict) else own
            assert row["score"] == own


def test_explain_one_row_in_the_words_of_the_file(data: dict[str, Path], tmp_path: Path) -> None:
    well("train", data["mail"], "-o", tmp_path / "m", "--min-documents", "1", "--scale", "none")
    done = well("explain", tmp_path / "m", data["mail"], "--row", "4")
    assert done.out.startswith('row 4: spam/0.eml: "free"\n  predicted spam, labelled spam\n  score ')
    assert "subject:free" in done.out and done.out.rstrip().endswith("(intercept)")
    well("train", data["table"], "-o", tmp_path / "m", "--rule", "linear")
    assert {"wide", "high"} & set(well("explain", tmp_path / "m", data["table"], "--row", "5").out.split())
    well("train", data["svmlight"], "-o", tmp_path / "m")
    assert "  column 1 " in well("explain", tmp_path / "m", data["svmlight"], "--row", "5").out


def test_explain_why_not_another_class(data: dict[str, Path], tmp_path: Path) -> None:
    well("train", data["three"], "-o", tmp_path / "m")
    best = well("explain", tmp_path / "m", data["three"], "--row", "1", "--json").json
    other = well("explain", tmp_path / "m", data["three"], "--row", "1", "--class", "c", "--json").json
    assert (best["score_for"], other["score_for"], other["score_against"]) == ("a", "c", "a")
    assert best["score"] > 0.0 > other["score"]


# --- inspect ---------------------------------------------------------------------------------------------------------


def test_inspect_shows_recipe_counters_and_strongest_features(data: dict[str, Path], tmp_path: Path) -> None:
    """peers.md, Training: the positive class depends on row order → sorted classes, or as named."""
    trained = well("train", data["text"], "-o", tmp_path / "m", "--json").json
    found = well("inspect", tmp_path / "m", "--json", "--top", "2").json
    assert found["schema"] == 1 and found["bytes"] == (tmp_path / "m").stat().st_size
    assert found["classes"] == ["ham", "spam"] and found["positive"] == "spam"
    assert found["mistakes_per_epoch"] == trained["mistakes_per_epoch"] and found["updates"] == trained["updates"]
    assert found["epochs"] == trained["epochs"] and found["examples"] == 6 * trained["epochs"]
    assert len(found["strongest"]["spam"]) == len(found["strongest"]["ham"]) == 2
    assert found["strongest"]["spam"][0]["weight"] > 0.0 > found["strongest"]["ham"][0]["weight"]
    text = well("inspect", tmp_path / "m").out
    assert "8 words" in text and "stopped: an epoch without an update" in text and "strongest for spam:" in text


def test_text_output_is_plain_and_narrow_windows_do_not_break_it(data: dict[str, Path], tmp_path: Path) -> None:
    write(tmp_path / "u.txt", "größe\tweit und größer\nпривет\tпока мир\n" * 3)
    for environment in ({"COLUMNS": "40"}, {"NO_COLOR": "1"}, {"LC_ALL": "C", "TERM": "dumb"}):
        done = well("train", tmp_path / "u.txt", "-o", tmp_path / "m", **environment)
        assert "привет: 3" in done.out and "\x1b" not in done.out + done.err
        well("train", "--help", **environment)
    assert well("predict", tmp_path / "m", "-", given="weit größer\n".encode()).out == "größe\n"
    assert "größer" in well("explain", tmp_path / "m", tmp_path / "u.txt", "--row", "1", "--json").out
