"""`rosenblatt experts`: its table, its words, its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt.experts.table import AdviceTable

# --- the command -----------------------------------------------------------------------------------------------------

MARKET = "radio,paper,coin,outcome\nup,up,down,up\ndown,up,,down\nup,down,up,up\n"


def test_the_table_of_the_command(write: Any) -> None:
    lines = well("experts", write(MARKET, "m.csv")).out.splitlines()
    assert lines[0].endswith("m.csv: 3 rounds, 3 experts")
    assert "1 round in which some slept" in lines[1]
    assert any(line.startswith("weighted-majority") and line.endswith("yes") for line in lines)
    assert any(line.startswith("hedge, no bound: experts slept") for line in lines)
    assert max(map(len, lines[:-2])) <= 110


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ("1,0,1\n0,0,0\n", []),
        ("a,b,y\n1,-1,1\n-1,-1,-1\n", []),
        ("a\tb\ttruth\nTrue\tfalse\tTRUE\nFalse\tFalse\tfalse\n", []),
        ("truth,a,b\nspam,yes,no\nham,no,no\n", []),
        ("x,a,b\ngood,good,bad\nbad,bad,bad\n", ["--outcome", "x", "--up", "good"]),
        ("good,good,bad\nbad,bad,bad\n", ["--outcome", "1", "--up", "good"]),
    ],
)
def test_words_and_columns(content: str, more: list[str], write: Any) -> None:
    told = json.loads(well("experts", write(content, "m.csv"), *more, "--json").out)
    assert told["rounds"] == 2 and [each["mistakes"] for each in told["experts"]] == [0, 1]


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (
            "text,label,n\nhello there,spam,5\nfoo,ham,6\n",
            [],
            "line 2: found 'hello there' in column 1 (text); expected 0/1, -1/1, up/down, yes/no, true/false or "
            "spam/ham; --up names another word for 1, --drop leaves a column out. A table of advice has a row for each "
            "round, a column for what each expert says, and the outcome in column 2 (label); labelled rows go with "
            "--learners",
        ),
        (
            "p,q\n1,up\n1,down\n5,up\n",
            [],
            "line 4: found '5' in column 1 (p); expected 1 as before. A table of advice has a row for each round, a "
            "column for what each expert says, and the outcome in column 2 (q); labelled rows go with --learners",
        ),
        ("1,5,spam\n0,6,ham\n", [], "and the outcome in column 3 (spam); labelled rows go with --learners"),
        ("x,y,label\n0,0,no\n0,1,yes\n", [], "(label); expected 0 as before. A table of advice has a row"),
        ("a,b,y\n1,0,1\n0,maybe,1\n", [], "line 3: found 'maybe' in column 2 (b); expected 1 or 0 as before"),
        ("a,b,y\n1,0,1\n0,-1,1\n", [], "line 3: found '-1' in column 2 (b); expected 1 or 0 as before"),
        ("a,b,y\nup,0,1\n", [], "line 2: found '0' in column 2 (b); expected up as before"),
        ("a,b,y\nup,down,up\n", ["--up", "banana"], "expected banana (--up) or up, as before"),
        ("a,b,y\n1,0\n", [], "line 2: found 2 cells; expected 3"),
        ("a,b,y\n1,0,1\n", ["--outcome", "z"], "expected a column 'z'"),
        ("a,b\n1,2\n", ["--losses"], "line 2: found '2' in column 2 (b); expected a loss from 0 to 1"),
        ("y\n1\n", [], "found one cell"),
    ],
)
def test_errors_name_file_line_and_column(content: str, more: list[str], said: str, write: Any) -> None:
    done = run("experts", write(content, "m.csv"), *more)
    assert done.code == 3 and "m.csv, line" in done.err and said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--algorithm", "oracle"], 2, "--algorithms oracle: there is none of that name"),
        (["--beta", "2"], 2, "--beta 2.0 must be a number above 0 and below 1"),
        (["--losses", "--algorithm", "halving"], 2, "--losses are for hedge"),
        (["--losses", "--up", "x"], 2, "--losses have no outcome"),
        (["--bits", "10"], 2, "--bits has an effect only with --learners"),
        (["--learners", "perceptron", "--up", "x"], 2, "--up is for a table of advice"),
        (["--learners", "oracle"], 2, "unknown rule 'oracle'"),
        (["--plot", "x.gif"], 2, "--plot"),
        (["--ledger", "no/where.csv"], 5, "there is no folder"),
    ],
)
def test_options_that_do_not_fit(words: list[str], code: int, said: str, write: Any) -> None:
    done = run("experts", write(MARKET, "m.csv"), *words)
    assert (done.code, said in done.err) == (code, True), done.err


def test_predictions_come_before_outcomes(write: Any) -> None:
    """A row without an outcome is predicted and not learned; what its outcome would be changes no line before it."""
    rows = ["a,b,outcome", "1,0,1", "1,0,1", "0,1,0", "0,1,"]
    first = well("experts", write("\n".join(rows), "a.csv"), "--predict", "--algorithm", "weighted-majority").out
    rows[3] = "0,1,1"
    second = well("experts", write("\n".join(rows), "b.csv"), "--predict", "--algorithm", "weighted-majority").out
    assert first.split() == ["1", "1", "0", "0"]
    assert second.split()[:3] == first.split()[:3]


def test_ledger_and_plot(write: Any, tmp_path: Path) -> None:
    ledger, picture = tmp_path / "ledger.csv", tmp_path / "rounds.svg"
    well("experts", write(MARKET, "m.csv"), "--ledger", ledger, "--plot", picture)
    lines = ledger.read_text().splitlines()
    assert lines[0].startswith("algorithm,round,prediction,chance,mistakes") and len(lines) == 1 + 5 * 3
    last = dict(zip(lines[0].split(","), lines[6].split(","), strict=True))
    assert (last["algorithm"], last["round"], last["best"]) == ("weighted-majority", "3", "radio")
    assert "best expert so far" in picture.read_text()


def test_losses_from_standard_input(write: Any) -> None:
    told = json.loads(
        well("experts", "-", "--losses", "--eta", "doubling", "--json", given="a,b\n.1,.5\n,1\n1,0\n").out
    )
    (hedge,) = told["algorithms"]
    assert hedge["eta"] == "doubling" and hedge["held"] is True and hedge["mistakes"] is None
    assert [each["losses"] for each in told["experts"]] == pytest.approx([1.1, 1.5])


def test_a_table_of_many_rows_is_read_by_blocks(tmp_path: Path) -> None:
    """The fast way for digits and the careful one for words read the same."""
    random = np.random.default_rng(5)
    rows = random.integers(0, 2, (3000, 4))
    digits, words = tmp_path / "digits.csv", tmp_path / "words.csv"
    digits.write_text("\n".join(",".join(map(str, row)) for row in rows.tolist()))
    words.write_text("\n".join(",".join(["down", "up"][v] for v in row) for row in rows.tolist()))
    read = [np.concatenate([np.c_[b.rows.values, b.y] for b in AdviceTable(p)]) for p in (digits, words)]
    assert read[0].tolist() == read[1].tolist() == rows.tolist()
