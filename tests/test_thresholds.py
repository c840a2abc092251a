"""Thresholds: limits that hold on the rows at hand and for rows to come, the cheapest line, exact intervals."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from command import ENVIRONMENT, run, well, write
from conftest import shared_data
from rosenblatt import LinearClassifier, Model
from rosenblatt.cli.command import Share
from rosenblatt.core.rows import dense
from rosenblatt.data.checks import at_least, at_most
from rosenblatt.data.folds import set_aside
from rosenblatt.errors import DataError, SettingError
from rosenblatt.model.thresholds import Wish, allowed, cheapest, chosen, exact_interval, rows_needed
from samples import three_classes, two_classes

Array = np.ndarray[Any, Any]


@lru_cache(maxsize=1)
def any_model() -> Model:
    return LinearClassifier(max_iter=1).fit(*two_classes()).model_  # type: ignore[no-any-return]


def pick(u: Array, y: Array, **wish: Any) -> Model:
    """From a line at which the limit is not kept, so that the choice is free."""
    line = 1e9 if "max_false_negatives" in wish else -1e9
    return chosen(replace(any_model(), threshold=line), u, y, Wish(**wish), "these rows")


def rates(model: Model, u: Array, y: Array) -> tuple[float, float]:
    """(false positives of the negatives, false negatives of the positives) as the model would call scores u."""
    called = model.labels(model.from_raw(u))
    return float(np.mean(called[y == 0] == 1)), float(np.mean(called[y == 1] == 0))


# --- the numbers ---


@given(n=st.integers(1, 500), share=st.floats(0.0, 1.0), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals_are_scipys(n: int, share: float, confidence: float) -> None:
    count = round(share * n)
    theirs = binomtest(count, n).proportion_ci(confidence, method="exact")
    assert exact_interval(count, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(n=st.integers(1, 700), limit=st.sampled_from([0.001, 0.01, 0.1, 0.4]), sure=st.sampled_from([0.3, 0.8, 0.95]))
def test_allowed_is_the_largest_count_whose_bound_is_below_the_limit(n: int, limit: float, sure: float) -> None:
    def bound(m: int) -> float:
        return float(binomtest(m, n, alternative="less").proportion_ci(sure, method="exact").high)

    found = allowed(n, limit, sure)
    assert found is None or bound(found) <= limit + 1e-12
    after = 0 if found is None else found + 1
    assert after >= n or bound(after) > limit - 1e-12
    assert (found is None) == (n < rows_needed(limit, sure))


def test_three_thousand_rows_promise_a_thousandth() -> None:
    assert (rows_needed(0.001, 0.95), rows_needed(0.01, 0.95)) == (2995, 299)
    assert allowed(2994, 0.001, 0.95) is None and allowed(2995, 0.001, 0.95) == 0


def test_the_promise_is_kept_in_95_of_100_cases() -> None:
    """Chosen on 1,000 scores; the true share above a threshold of uniform scores is known."""
    rng = np.random.default_rng(0)
    kept = []
    for _ in range(400):
        u, y = rng.random(1100), np.repeat([0, 1], [1000, 100])
        kept.append(1.0 - pick(u, y, max_false_positives=0.02).threshold <= 0.02)  # type: ignore[operator]
    assert np.mean(kept) >= 0.92


# --- what is chosen ---


@given(n=st.integers(1, 10**6), share=st.floats(0.0, 0.9999999999999999))
@example(n=10, share=0.8999999999999999)
@example(n=100, share=0.29)
@example(n=100, share=0.07)
@example(n=1000, share=0.9999999999999999)
def test_shares_are_counted_in_whole_rows(n: int, share: float) -> None:
    most, least = at_most(n, share), at_least(n, share)
    assert 0 <= most < n and most / n <= share < (most + 1) / n
    assert 0 <= least <= n and least / n >= share and (least == 0 or (least - 1) / n < share)


@pytest.mark.parametrize(("text", "share"), [("0.7%", 0.007), ("0.1%", 0.001), ("1.1%", 0.011), ("7e-1%", 0.007)])
def test_a_percentage_is_the_share_that_one_means(text: str, share: float) -> None:
    """0.7/100 is below 0.007 in floats: 6 of 1,000 rows were allowed, not 7."""
    assert Share().convert(text, None, None) == share


def test_a_share_set_aside_is_counted_in_whole_rows() -> None:
    """scikit-learn rounds the product up: 8 of 100 for .07."""
    kept, out = set_aside(np.repeat([0, 1], 50), 0.07, 0)
    assert (len(kept), len(out)) == (93, 7)


@given(seed=st.integers(0, 2**32 - 1), limit=st.floats(0.001, 0.9), tied=st.booleans(), sure=st.sampled_from([0, 0.95]))
@example(seed=0, limit=0.8999999999999999, tied=False, sure=0)
@pytest.mark.parametrize("by", ["max_false_positives", "max_false_negatives"])
def test_limits_hold_on_the_rows_and_no_other_threshold_is_better(
    by: str, seed: int, limit: float, tied: bool, sure: float
) -> None:
    rng = np.random.default_rng(seed)
    u = rng.normal(size=80) if not tied else rng.integers(-3, 4, 80).astype(float)
    y = (rng.random(80) < 0.5).astype(int)
    y[:2] = [0, 1]
    model = pick(u, y, **{by: limit, "confidence": sure})
    own, other = rates(model, u, y) if by == "max_false_positives" else rates(model, u, y)[::-1]
    assert own <= limit
    if sure == 0:
        for line in [u.min() - 1.0, *u]:
            called = u > line
            wrong = [float(np.mean(called[y == 0])), float(np.mean(~called[y == 1]))]
            one, two = wrong if by == "max_false_positives" else wrong[::-1]
            assert one > limit or two >= other
    made = model.choice or {}
    assert made["false_positives"] / made["negatives"] == rates(model, u, y)[0]
    assert made["false_negatives"] / made["positives"] == rates(model, u, y)[1]


@given(seed=st.integers(0, 2**32 - 1), costs=st.tuples(st.integers(0, 9), st.integers(1, 9)), tied=st.booleans())
def test_no_threshold_costs_less(seed: int, costs: tuple[int, int], tied: bool) -> None:
    rng = np.random.default_rng(seed)
    u = rng.normal(size=30) if not tied else rng.integers(-2, 3, 30).astype(float)
    y = rng.integers(0, 2, 30)
    y[:2] = [0, 1]

    def cost(line: float) -> int:
        return int(costs[0] * np.sum(u[y == 0] > line) + costs[1] * np.sum(u[y == 1] <= line))

    found = cheapest(u[y == 0], u[y == 1], (float(costs[0]), float(costs[1])))
    assert cost(found) == min(cost(line) for line in [u.min() - 1.0, *u])


def test_the_line_is_midway_between_two_scores() -> None:
    u, y = np.array([0.0, 1.0, 3.0, 4.0]), np.array([0, 0, 1, 1])
    assert pick(u, y, cost={"0": 1, "1": 1}).threshold == 2.0
    assert pick(u, y, max_false_positives=0.1, confidence=0).threshold == 2.0
    assert pick(u, y, max_false_negatives=0.1, confidence=0).threshold == pytest.approx(2.0)


def test_few_rows_promise_nothing() -> None:
    """0 of 200 is not 0.1 %: that takes about 3,000 rows."""
    u, y = np.arange(210.0), np.repeat([0, 1], [200, 10])
    made = pick(u, y, max_false_positives=0.001).choice or {}
    assert (made["promised"], made["rows_needed"], made["false_positives"], made["negatives"]) == (False, 2995, 0, 200)
    u, y = np.arange(4010.0), np.repeat([0, 1], [4000, 10])
    made = pick(u, y, max_false_positives=0.001).choice or {}
    assert made["promised"] and made["false_positives"] == 0


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ({}, "nothing: choose a threshold by one of"),
        ({"max_false_positives": 0.1, "cost": {"0": 1.0, "1": 1.0}}, "max_false_positives and cost"),
        ({"max_false_positives": 0.0}, "max_false_positives=0 must be a share above 0 and below 1"),
        ({"max_false_negatives": 1.0}, "max_false_negatives=1 must"),
        ({"max_false_negatives": 0.1, "confidence": 1.0}, "confidence=1 must"),
        ({"cost": {"0": 1.0, "2": 1.0}}, "cost='2' names no label; the labels are 0, 1"),
        ({"cost": {"0": 1.0}}, "no cost for '1'"),
        ({"cost": {"0": 1.0, "1": -1.0}}, "cost='1=-1' must be a finite number"),
        ({"cost": {"0": 0.0, "1": 0.0}}, "all costs are 0"),
    ],
)
def test_wishes_that_cannot_be(wish: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingError, match=told):
        pick(np.arange(4.0), np.array([0, 0, 1, 1]), **wish)


def test_one_class_or_three() -> None:
    with pytest.raises(DataError, match="no row has the label 1"):
        pick(np.arange(4.0), np.zeros(4, int), max_false_positives=0.1)
    model = LinearClassifier(max_iter=1).fit(*three_classes()).model_
    with pytest.raises(SettingError, match="for two classes; the model has 3"):
        chosen(model, np.zeros((4, 3)), np.zeros(4, int), Wish(0.1), "")


@pytest.mark.parametrize("keep", ["averaged", "voted"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_saved_threshold_is_exact(keep: str, dtype: Any, tmp_path: Path) -> None:
    """Scores equal to it are negative before and after; voted: a share of votes."""
    x, y = two_classes()
    rows = dense(x.astype(dtype))
    model = LinearClassifier(keep=keep, max_iter=4).fit(x.astype(dtype), y).model_
    made = chosen(model, model.raw(rows), y, Wish(max_false_positives=0.05, confidence=0), "these")
    made.save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    assert back.threshold == made.threshold and back.choice == made.choice
    assert rates(back, model.raw(rows), y)[0] <= 0.05
    assert np.array_equal(back.scores(rows), made.scores(rows))


# --- on the command line ---


def lines(n: int = 400, seed: int = 0) -> str:
    """Two columns, two classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = np.round(rng.normal(size=(n, 2)) + y[:, None], 2)
    return "".join(f"{'spam' if c else 'ham'}\t{a} {b}\n" for c, (a, b) in zip(y, x, strict=True))


def table(n: int = 400, seed: int = 0) -> str:
    return "kind,a,b\n" + "".join(
        line.replace("\t", ",").replace(" ", ",") for line in lines(n, seed).splitlines(keepends=True)
    )


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> Path:
    return write(tmp_path / "data.csv", table())


TRAIN = ("--label", "kind", "--keep", "averaged", "--epochs", "3")


@pytest.mark.parametrize("kind", ["sigmoid", "isotonic"])
def test_train_calibrates_and_every_command_knows(kind: str, data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    done = well("train", data, "-o", model, *TRAIN, "--calibrate", kind)
    assert f"probabilities: {kind}, from 400 rows in 5 held-out folds: log-loss " in done.out
    first = well("predict", model, data, "--proba").out.splitlines()[0].split("\t")
    assert float(first[1]) + float(first[2]) == pytest.approx(1.0)
    told = [json.loads(line) for line in well("predict", model, data, "--proba", "--json").out.splitlines()]
    assert all(row["predicted"] == max(row["proba"], key=row["proba"].get) for row in told)
    evaluated = well("evaluate", model, data)
    assert "log-loss " in evaluated.out and "Brier " in evaluated.out and "calibration error " in evaluated.out
    found = well("evaluate", model, data, "--json").json
    assert 0.0 < found["log_loss"] < 0.7 and 0.0 < found["brier"] < 0.25
    assert f"probabilities: {kind}, from 400 rows in 5 held-out folds\n" in well("inspect", model).out
    assert well("inspect", model, "--json").json["calibration"] == {"kind": kind, "folds": 5, "rows": 400}
    explained = well("explain", model, data, "--row", "1", "--json").json
    parts = sum(each["contribution"] for each in explained["contributions"])
    assert explained["score"] == pytest.approx(parts + explained["intercept"] - explained["threshold"])
    assert explained["score"] == pytest.approx(told[0]["score"])
    assert "(threshold)" in well("explain", model, data, "--row", "1").out


def test_train_chooses_a_threshold_and_going_on_does_so_again(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    found = well("train", data, "-o", model, *TRAIN, "--max-false-positives", "5%", "--json").json["threshold"]
    assert found["by"] == "max_false_positives" and found["limit"] == 0.05
    assert found["promised"] is False and found["promised_by_folds"] is True
    assert found["false_positives_rate"] < 0.05 and found["rows"] == "held-out folds"
    low, high = found["false_positives_interval"]
    assert low <= found["false_positives_rate"] <= high
    assert well("evaluate", model, data, "--json").json["false_positives"] / found["negatives"] < 0.08
    done = well("train", data, "-o", tmp_path / "n", "--continue", model, "--epochs", "2")
    assert "limit: at most 5 % of ham called spam: holds for rows to come, with 95 % confidence, if" in done.out
    assert "near, not exact" in done.out
    done = well("train", data, "-o", tmp_path / "n", "--continue", model, "--epochs", "2", "--cost", "ham=9,spam=1")
    assert "the least cost of mistakes there: " in done.out and "(ham 9, spam 1)" in done.out


def test_threshold_writes_a_model_and_is_honest(data: Path, tmp_path: Path) -> None:
    model, new, other = tmp_path / "m", tmp_path / "n", write(tmp_path / "other.csv", table(seed=1))
    well("train", data, "-o", model, *TRAIN, "--calibrate", "sigmoid")
    done = well("threshold", model, other, "-o", new, "--max-false-positives", "0.1%")
    assert "NOT promised for rows to come: with 95 % confidence that takes 2,995 rows of ham" in done.out
    assert "ham called spam    0  of " in done.out and f"wrote {new}\n" in done.out
    found = well("threshold", model, other, "-o", new, "--cost", "ham=1,spam=3", "--json").json
    inspected = well("inspect", new, "--json").json["threshold"]
    assert inspected["value"] == found["value"] and inspected["rows"] == "other.csv"
    evaluated = well("evaluate", new, other, "--json").json
    assert evaluated["false_positives"] == found["false_positives"]
    assert evaluated["false_negatives"] == found["false_negatives"]
    assert "chosen on other.csv" in well("inspect", new).out
    done = well("threshold", new, other, "-o", tmp_path / "k", "--max-false-negatives", "10%", "--confidence", "0")
    assert "limit: at most 10 % of spam called ham: on these rows; nothing is promised" in done.out
    again = well("train", data, "-o", tmp_path / "k", "--continue", new, "--epochs", "1")
    assert "note: the threshold was chosen for the scores before, on other rows" in again.err
    assert "probabilities: sigmoid" in again.out and "chosen on other.csv, before the model went on" in again.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--max-false-positives", "1%", "--cost", "ham=1,spam=1"), "--max-false-positives and --cost: a threshold is"),
        (("--max-false-positives", "120%"), "--max-false-positives 1.2 must be a share above 0 and below 1"),
        (("--max-false-positives", "few"), "'few' is not a share; give one as 0.1% or 0.001"),
        (("--max-false-positives", "0"), "--max-false-positives 0 must be a share above 0 and below 1"),
        (("--cost", "ham:1"), "'ham:1' is not of the form LABEL=COST"),
        (("--cost", "ham=1,eggs=1"), "--cost eggs names no label; the labels are ham, spam"),
        (("--cost", "ham=1,spam=1", "--confidence", "90%"), "--confidence has an effect only with --max-false-pos"),
    ],
)
def test_wishes_that_cannot_be_in_the_words_of_the_command(
    words: tuple[str, ...], told: str, data: Path, tmp_path: Path
) -> None:
    model = tmp_path / "m"
    well("train", data, "-o", model, *TRAIN)
    for done in (
        run("threshold", model, data, "-o", tmp_path / "n", *words),
        run("train", data, "-o", tmp_path / "n", *TRAIN, *words),
    ):
        assert done.code == 2 and told in " ".join(done.err.split()), done.err
        assert not (tmp_path / "n").exists()


def test_what_a_threshold_needs(data: Path, tmp_path: Path) -> None:
    model, new = tmp_path / "m", tmp_path / "n"
    well("train", data, "-o", model, *TRAIN)
    done = run("threshold", model, data, "-o", new)
    assert done.code == 2 and "choose a threshold by --max-false-positives" in done.err
    one = write(tmp_path / "one.csv", "kind,a,b\nham,1,2\nham,2,1\n")
    done = run("threshold", model, one, "-o", new, "--cost", "ham=1,spam=1")
    assert done.code == 3 and "one.csv: no row has the label spam" in done.err
    done = run("predict", model, data, "--proba")
    assert done.code == 2 and "train with --calibrate sigmoid" in done.err
    done = run("train", data, "-o", new, *TRAIN, "--calibrate-folds", "3")
    assert done.code == 2 and "--calibrate-folds has an effect only with --calibrate" in done.err
    few = write(tmp_path / "few.csv", "kind,a,b\nham,1,2\nham,2,1\nspam,4,4\n")
    done = run("train", few, "-o", new, *TRAIN, "--calibrate", "sigmoid")
    assert done.code == 3 and "few.csv: class spam has a single row" in done.err
    few.write_text("kind,a,b\nham,1,2\nham,2,1\nspam,4,4\nspam,5,4\n")
    assert "guesses: class ham has 2" in well("train", few, "-o", new, *TRAIN, "--calibrate", "sigmoid").err


def test_explaining_votes_below_a_threshold(data: Path, tmp_path: Path) -> None:
    """The shares of votes are those counted; the threshold moves the border, not the votes."""
    model, new = tmp_path / "m", tmp_path / "n"
    well("train", data, "-o", model, "--label", "kind", "--keep", "voted", "--epochs", "2")
    well("threshold", model, data, "-o", new, "--cost", "ham=20,spam=1")
    before, after = (well("explain", m, data, "--row", "1", "--json").json for m in (model, new))
    assert before["votes"] == pytest.approx(after["votes"])


@pytest.mark.parametrize("kind", ["sigmoid", "isotonic"])
def test_explaining_three_classes(kind: str, tmp_path: Path) -> None:
    x, y = three_classes()
    rows = "".join(",".join([f"c{c}", *map(str, row)]) + "\n" for c, row in zip(y, x, strict=True))
    data, model = write(tmp_path / "d.csv", "kind,p,q,r,s\n" + rows), tmp_path / "m"
    well("train", data, "-o", model, *TRAIN, "--calibrate", kind)
    told = json.loads(well("predict", model, data, "--json").out.splitlines()[0])["score"]
    found = well("explain", model, data, "--row", "1", "--json").json
    if kind == "sigmoid":
        assert found["score"] == pytest.approx(told[found["score_for"]] - told[found["score_against"]])
    assert ("log-odds" if kind == "sigmoid" else "before calibration") in well("explain", model, data, "--row", "1").out
    assert run("train", data, "-o", model, *TRAIN, "--cost", "c0=1,c1=1").code == 2


def test_predicting_with_a_calibrated_model_loads_no_scikit_learn(data: Path, tmp_path: Path) -> None:
    model, one = tmp_path / "m", write(tmp_path / "one.csv", "kind,a,b\nham,1,2\n")
    well("train", data, "-o", model, *TRAIN, "--calibrate", "isotonic", "--max-false-positives", "5%")
    code = (
        "import sys; from rosenblatt.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(*(n for n in ('numba', 'sklearn', 'matplotlib') if n in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "predict", model, one, "--proba"],
        capture_output=True, text=True, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    assert done.stderr.strip() == "" and done.stdout.startswith(("ham", "spam"))


def test_sms_with_a_limit_on_false_alarms(tmp_path: Path) -> None:
    """Half of the real messages to learn from, the other half to see that the limit holds there."""
    text = gzip.decompress((shared_data("sms_dev") / "sms_dev.csv.gz").read_bytes()).decode().splitlines(keepends=True)
    head, rows = text[0], text[1:]
    one, two = (
        write(tmp_path / "one.csv", head + "".join(rows[::2])),
        write(tmp_path / "two.csv", head + "".join(rows[1::2])),
    )
    found = well("train", one, "-o", tmp_path / "m", "--keep", "averaged", "--epochs", "5", "--calibrate", "sigmoid",
                 "--max-false-positives", "1%", "--json").json  # fmt: skip
    assert found["threshold"]["promised_by_folds"] and found["calibration"]["log_loss"] < 0.15
    evaluated = well("evaluate", tmp_path / "m", two, "--json").json
    assert evaluated["false_positives"] / sum(evaluated["confusion"][0]) < 0.01 and evaluated["recall"] > 0.7
    assert evaluated["log_loss"] < 0.15 and evaluated["calibration_error"] < 0.02
