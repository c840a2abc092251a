"""`rosenblatt compare`: the table, JSON, CSV, the picture, and what is refused before the work begins."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import THREE, WORDS, mail_folder, on_a_terminal, run, well
from command import write as written
from rosenblatt.compare import Comparison, Contender, Row, race
from rosenblatt.compare.intervals import Interval
from rosenblatt.model.model import Model
from rosenblatt.report.pictures.learners import LEVEL, figure_of_learners

MANY = "".join(f"{1 if i % 3 else -1} 1:{i % 7} 2:{(i * i) % 5} 3:{i % 3}\n" for i in range(1, 61))
QUICK = ("--rules", "perceptron,tanh", "--keeps", "last,averaged")


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> Path:
    return written(tmp_path / "many.svm", MANY)


def test_the_table_for_people(data: Path) -> None:
    done = well("compare", data, *QUICK)
    lines = done.out.splitlines()
    assert "60 rows (-1: 20, 1: 40); 5 folds, 48 rows to learn from and 12 to test on; 8 learners" in " ".join(
        done.out.split()
    )
    head = next(i for i, line in enumerate(lines) if line.split()[:2] == ["rule", "keep"])
    body = lines[head + 1 : head + 9]
    assert {tuple(line[2:].split()[:3]) for line in body} == {
        (rule, keep, scale) for rule in ("perceptron", "tanh") for keep in ("last", "averaged")
        for scale in ("none", "standard")
    }  # fmt: skip
    assert max(map(len, lines[:-1])) <= 80
    assert "most frequent class: 33.33 % errors" in done.out and "\npick " in done.out
    assert lines[-1].startswith("to learn it: rosenblatt train ") and done.err == ""


def test_the_last_line_learns_the_pick(data: Path, tmp_path: Path) -> None:
    """Copied as it stands, with the options that matter."""
    done = well("compare", data, *QUICK, "--seed", "3", "--epochs", "2", "--positive", "-1")
    line = done.out.splitlines()[-1].removeprefix("to learn it: rosenblatt ")
    words = line.replace("MODEL", str(tmp_path / "model")).split()
    assert words[words.index("--seed") + 1] == "3" and words[words.index("--positive") + 1] == "-1"
    well(*words)
    model, pick = Model.load(tmp_path / "model"), well("compare", data, *QUICK, "--json", "--seed", "3").json["pick"]
    assert model.run.settings.words()["rule"] in ("perceptron", "tanh") and set(pick) == {
        "rule", "keep", "scale", "optimizer",
    }  # fmt: skip
    assert model.run.settings.random_state == 3 and model.classes.tolist() == [1, -1] and model.run.epoch <= 2


def test_top_shortens_the_table_and_says_so(data: Path) -> None:
    out = well("compare", data, *QUICK, "--top", "2").out
    assert "and 6 more, up to " in out and "--top all" in out
    assert "more, up to" not in well("compare", data, *QUICK, "--top", "8").out


def test_json_csv_and_table_have_the_same_numbers(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    found = well("compare", data, *QUICK, "--json", "--csv", file).json
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(found["learners"]) == 8
    for row, record in zip(rows, found["learners"], strict=True):
        assert float(row["error"]) == record["error"] and row["rule"] == record["rule"]
        assert float(row["behind_low"]) == record["behind_low"] and int(row["place"]) == record["place"]
    errors = [record["error"] for record in found["learners"]]
    assert errors == sorted(errors) and sum(record["picked"] for record in found["learners"]) == 1
    assert found["folds"] == [[48, 12]] * 5 and found["interrupted"] is False
    assert set(found) >= {"pick", "best", "verdict", "level", "method", "most_frequent_class", "command", "seconds"}


@pytest.mark.parametrize("positive", ["1", "-1"])
def test_false_positives_are_those_of_the_learners(data: Path, tmp_path: Path, positive: str) -> None:
    """The share of the negative rows that are called positive, as `evaluate` counts them; of three classes none."""
    lines = MANY.splitlines()[:20]
    flipped = [line.replace("-1 ", "+1 ") if i % 4 else f"-{line.lstrip('-')}" for i, line in enumerate(lines)]
    test = written(tmp_path / "test.svm", "\n".join(flipped))
    options = ("--positive", positive, "--epochs", 3)
    words = (*options, "--rules", "perceptron", "--keeps", "last", "--scales", "none")
    found = well("compare", data, "--test", test, *words, "--json").json
    well("train", data, "-o", tmp_path / "m", *options)
    (right, lost), _ = well("evaluate", tmp_path / "m", test, "--json").json["confusion"]
    assert str(found["positive"]) == positive and found["learners"][0]["false_positives"] == lost / (right + lost) > 0
    folds = well("compare", data, *words, COLUMNS="120").out
    negative = str(-int(positive))
    assert "false + %" in folds and f"of the rows of {negative}, those called {positive}, the positive class" in folds
    three = written(tmp_path / "three.tsv", THREE)
    assert (
        "false +"
        not in well("compare", three, "--folds", 2, "--rules", "perceptron", "--keeps", "last", COLUMNS="120").out
    )
    assert well("compare", three, "--folds", 2, *words[4:], "--json").json["learners"][0]["false_positives"] is None


def test_a_test_file_is_read_as_the_data_are(data: Path, tmp_path: Path) -> None:
    """Fewer columns in the test file are the columns of the data; peers.md, Files: width inferred too small."""
    test = written(tmp_path / "test.svm", "1 1:2\n-1 2:1\n1 1:3\n")
    found = well("compare", data, *QUICK, "--test", test, "--json").json
    assert found["folds"] == [[60, 3]] and found["test"] == str(test) and "McNemar" in found["method"]
    out = well("compare", data, *QUICK, "--test", test).out
    assert "tested on 3 rows of test.svm" in out


def test_texts_mails_and_more_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = written(tmp_path / "words.txt", WORDS * 2)
    found = well("compare", words, *QUICK, "--folds", "2", "--json", "--min-documents", "1").json
    assert {record["scale"] for record in found["learners"]} == {"idf+unit:2", "none"}
    assert found["command"].endswith("--min-documents 1")
    three = written(tmp_path / "three.tsv", THREE * 3)
    with monkeypatch.context() as plain:  # all learners of three classes would be compiled
        plain.setenv("ROSENBLATT_JIT", "0")
        found = well("compare", three, "--folds", "3", "--epochs", "2", "--json").json
    assert {"softmax", "arow"} <= {record["rule"] for record in found["learners"]}
    assert "multi-class-perceptron" in {record["rule"] for record in found["learners"]}
    mails = mail_folder(tmp_path / "mails")
    assert len(well("compare", mails, *QUICK, "--folds", "3", "--json").json["learners"]) == 8


def test_a_scorer_sorts_and_those_it_cannot_measure_say_why(data: Path) -> None:
    done = well("compare", data, "--rules", "perceptron,logistic", "--keeps", "last", "--scoring", "neg_log_loss")
    assert "failed: perceptron last none, perceptron last standard: --scoring neg_log_loss cannot measure" in " ".join(
        done.out.split()
    )
    scores = [r["score"] for r in well("compare", data, *QUICK, "--scoring", "roc_auc", "--json").json["learners"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("--rules", "nobody"), 2, "unknown rule 'nobody'"),
        (("--rules", "arov"), 2, "unknown rule 'arov'; did you mean the metric arow?"),
        (("--rules", "logistic+nobody"), 2, "unknown metric 'nobody'"),
        (("--rules", "arow", "--keeps", "voted"), 2, "voted"),
        (("--rules", "arow", "--l1", "1"), 2, "arow"),
        (("--keeps", "nobody"), 2, "unknown keep 'nobody'"),
        (("--scales", "log"), 2, "scaling 'log'"),
        (("--optimizers", "newton"), 2, "unknown optimizer 'newton'"),
        (("--scoring", "beauty"), 2, "--scoring beauty is no scorer"),
        (("--folds", "1"), 2, "--folds"),
        (("--folds", "3", "--test", "{data}"), 2, "--folds and --test: choose one"),
        (("--min-documents", "3"), 2, "--min-documents: "),
        (("--bits", "4"), 2, "--bits has an effect only with --dictionary hashed"),
        (("--positive", "7"), 2, "--positive 7"),
        (("--folds", "30"), 3, "class -1 has 20 rows, too few for --folds 30 with one of it in each; use --folds 20"),
        (("--test", "{folder}/none.svm"), 3, "none.svm"),
        (("--csv", "{folder}/no/folder.csv"), 5, "there is no folder"),
        (("--csv", "{data}"), 5, "one of the files to read"),
        (("--plot", "{folder}/picture.gif"), 2, "--plot"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: tuple[str, ...], code: int, named: str, data: Path) -> None:
    done = run("compare", data, *QUICK, *(word.format(data=data, folder=data.parent) for word in words))
    assert done.code == code and named in done.err and done.out == "", done.err
    assert done.err.startswith(("Error: ", "Usage: ")) and "Traceback" not in done.err
    assert data.read_text() == MANY


def test_ctrl_c_shows_what_is_done(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follow, calls = race.Race._follow, []

    def interrupted(self: Any, *words: Any) -> None:
        follow(self, *words)
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(race.Race, "_follow", interrupted)
    done = run("compare", data, *QUICK)
    assert done.code == 130 and "stopped by Ctrl-C: the table has what was done" in done.err
    assert "3 folds, 48 rows" in " ".join(done.out.split()) and "\npick " in done.out


def test_ctrl_c_ends_the_threads(write: Callable[..., Path]) -> None:
    """Runs that would take for ever stop at the end of their epoch."""
    endless = write("1 1:1\n-1 1:1\n" * 20)
    words = ("compare", endless, "--rules", "perceptron", "--epochs", "100000000")
    code, out, shown = on_a_terminal(*words, until=r"run 0 of [\d,]+, perceptron")
    assert (code, out) == (130, "")
    assert "Traceback" not in shown and shown.split()[-3:] == ["stopped", "by", "Ctrl-C"]


def test_the_picture(data: Path, tmp_path: Path) -> None:
    picture = tmp_path / "learners.png"
    well("compare", data, *QUICK, "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    first = picture.read_bytes()
    well("compare", data, *QUICK, "--plot", picture)
    assert picture.read_bytes() == first


def learner(name: str, error: float, deviation: float) -> Row:
    """A row of a comparison, of which the picture shows these."""
    rule, keep, scale = name.split(" ", 2)
    return Row(Contender(rule, keep, scale), error, deviation, None, None, None, 0, 0, 0, False, "", 0.0)


def test_the_picture_shows_each_learner_once_the_best_on_top() -> None:
    rows = [
        learner("one averaged standard", 0.05, 0.01),
        learner("$two$ last none " + "long " * 20, 0.06, 0.01)._replace(behind=Interval(0.01, -0.01, 0.03, 0.5)),
        learner("three last none", 0.5, 0.02)._replace(behind=Interval(0.45, 0.3, 0.6, 0.0)),
    ]
    sizes = [(8, 2)] * 5
    several = Comparison(rows, {}, (0.4, None), sizes, False, None, "", rows[0], 0.06, False)
    figure = figure_of_learners(several, ["data", "5 folds"])
    left, right = figure.axes
    names = [label.get_text() for label in left.get_yticklabels()]
    assert names[0] == "one averaged standard" and len(names) == 3 and len(names[1]) <= 46 and names[1][0] == "\\"
    assert left.get_ylim()[0] > left.get_ylim()[1], "the best is not on top"
    points = [line for line in left.lines if line.get_marker() in ("D", "o")]
    assert [float(p.get_xdata()[0]) for p in points] == [0.05, 0.06, 0.5]
    assert [p.get_marker() for p in points] == ["D", "o", "o"]
    assert [p.get_markerfacecolor() for p in points] == [LEVEL, LEVEL, "white"]
    assert left.get_xscale() == "log" and right.get_xscale() == "symlog"
    scored = rows[0]._replace(score=0.95, score_deviation=0.01)
    alone = Comparison([scored], {}, (0.4, None), sizes, False, "f1", "", scored, -0.94, False)
    assert figure_of_learners(alone, "t").axes[0].get_xscale() == "linear"
