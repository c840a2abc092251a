"""Comparisons: the intervals against plain references, no leakage, the same result on any number of threads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.cli.command import split_names
from rosenblatt.compare import Comparison, Contender, Plan, compare, contenders, race
from rosenblatt.compare.intervals import GROUPS, groups, holm, over_folds, over_groups, over_rows
from rosenblatt.compare.race import folds
from rosenblatt.core.rows import dense, matrix
from rosenblatt.data.batch import Batch
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.pipeline import DEFAULT
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.memory import memory_classes
from rosenblatt.model.fit import fit
from rosenblatt.read.anything import at_hand
from rosenblatt.recipe.trial import parts
from samples import three_classes, two_classes

FEW = [Contender("perceptron", "averaged", "standard"), Contender("perceptron"), Contender("tanh", "last", "standard")]


def compared(plan: Plan, seed: int = 0, **words: Any) -> Comparison:
    x, y = two_classes(seed)
    found: Comparison = compare(x, y, plan, **words)
    return found


# --- intervals -------------------------------------------------------------------------------------------------------

T_975 = {1: 12.706204736, 2: 4.302652730, 4: 2.776445105, 9: 2.262157163, 19: 2.093024054}
"""Student's t by degrees of freedom, from a printed table."""


@given(st.sampled_from([2, 3, 5, 10]), st.integers(0, 2**32 - 1))
def test_the_corrected_t_is_the_plain_formula(k: int, seed: int) -> None:
    """Nadeau & Bengio 2003: mean ± t·√((1/k + m/n)·s²), s² with k − 1."""
    differences = np.random.default_rng(seed).normal(size=k)
    n, m = 100.0 * (k - 1), 100.0
    mean = sum(differences) / k
    variance = sum((d - mean) ** 2 for d in differences) / (k - 1)
    half = T_975[k - 1] * math.sqrt((1 / k + m / n) * variance)
    found = over_folds(differences, n, m)
    np.testing.assert_allclose(found[:3], (mean, mean - half, mean + half), rtol=1e-8, atol=1e-9)
    assert found.includes_zero == (found.p >= 0.05)


@pytest.mark.parametrize(("b", "c", "same"), [(7, 2, 31), (0, 5, 3), (12, 12, 0), (1, 0, 9)])
def test_the_p_value_on_rows_is_exact(b: int, c: int, same: int) -> None:
    """That of McNemar's exact test, by counting."""
    wrong = np.array([True] * b + [False] * c + [True] * same)
    best = np.array([False] * b + [True] * c + [True] * same)
    found = over_rows(wrong, best)
    assert found.value == (b - c) / len(wrong) and found.low < found.value < found.high
    n = b + c
    assert found.p == pytest.approx(min(1.0, 2 * sum(math.comb(n, i) for i in range(max(b, c), n + 1)) / 2**n))


def test_equal_answers_are_no_difference() -> None:
    same = np.array([True, False])
    assert over_folds(np.zeros(5), 80, 20) == (0.0, 0.0, 0.0, 1.0)
    found = over_rows(same, same)
    assert found.value == 0.0 and found.low == -found.high < 0.0 and found.p == 1.0  # rows to come may differ


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.random.default_rng(0).normal(size=GROUPS)
    without = np.array([np.delete(values, i).mean() for i in range(GROUPS)])
    half = T_975[GROUPS - 1] * np.std(values, ddof=1) / math.sqrt(GROUPS)
    found = over_groups(values.mean(), without)
    np.testing.assert_allclose(found[:3], (values.mean(), values.mean() - half, values.mean() + half))


def test_groups_spread_each_class_evenly() -> None:
    y = np.array(["a"] * 61 + ["b"] * 39)
    found = groups(y, 3)
    for label in "ab":
        counts = np.bincount(found[y == label], minlength=GROUPS)
        assert counts.max() - counts.min() <= 1
    assert not np.array_equal(found, groups(y, 4)) and np.array_equal(found, groups(y, 3))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_is_the_plain_procedure(p: list[float]) -> None:
    order = sorted(range(len(p)), key=lambda i: p[i])
    plain, highest = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, p[i] * (len(p) - rank)))
        plain[i] = highest
    np.testing.assert_allclose(holm(np.array(p)), plain)


# --- who takes part --------------------------------------------------------------------------------------------------


def test_every_rule_and_memory_takes_part() -> None:
    """What cannot differ is left out, and no more: the multi-class perceptron on two classes, votes of units."""
    two, many = contenders("rows", 2), contenders("rows", 3)
    assert {c.keep for c in two} == set(memory_classes())
    assert {c.scale for c in two} == {"none", "standard"}
    assert {c.rule for c in many} - {c.rule for c in two} == {"multi-class-perceptron", "softmax"}
    assert {"arow", "adagrad"} <= {c.rule for c in two} and ("arow", "voted") not in {c[:2] for c in many}
    assert ("logistic", "voted") not in {c[:2] for c in two} and ("margin", "voted") in {c[:2] for c in two}
    assert "voted" in {c.keep for c in contenders("rows", 2, ["logistic"], ["voted"])}
    assert {c.scale for c in contenders("documents", 2)} == {"idf+unit:2", "none"}
    picks = contenders("rows", 2, optimizers=("pick-first",))
    assert {"perceptron", "margin"} <= {c.rule for c in picks} and "linear" not in {c.rule for c in picks}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"rules": ["no-such"]}, "no-such"),
        ({"keeps": ["mean"]}, "mean"),
        ({"scalings": ["log"]}, "log"),
        ({"optimizers": ["newton"]}, "newton"),
        ({"rules": ["linear"], "optimizers": ["pick-first"]}, "pick-first"),
    ],
)
def test_a_name_that_is_none_is_refused(words: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        contenders("rows", 2, **words)


def test_names_are_parted_at_commas_that_are_not_inside_a_rule() -> None:
    assert split_names("margin:tau=2,logistic, mine.py:Rule:a=1,b=2,tanh") == [
        "margin:tau=2", "logistic", "mine.py:Rule:a=1,b=2", "tanh",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("arow:r=0.1", {"metric": "arow:r=0.1"}),
        ("adagrad", {"rule": "logistic", "metric": "adagrad"}),
        ("margin:tau=1e+2+adagrad", {"rule": "margin:tau=1e+2", "metric": "adagrad"}),
        ("perceptron", {"rule": "perceptron"}),
    ],
)
def test_an_algorithm_is_a_rule_a_metric_or_both(asked: str, words: dict[str, str]) -> None:
    (one,) = contenders("rows", 2, [asked], ["last"], ["none"])
    assert one.words == {**words, "keep": "last", "scale": "none", "optimizer": "online"}
    assert one.name == f"{asked} last none" and Contender(asked).recipe == one.recipe.with_(**words)
    assert one.recipe.settings.learner in (asked, "logistic+adagrad", "margin:tau=100+adagrad")


# --- training and test rows ------------------------------------------------------------------------------------------


def test_nothing_of_the_test_rows_is_fitted() -> None:
    """Words and scalings are those of the training part: other test rows change nothing that is learned."""
    texts = [[("", t)] for t in ("one two", "two three", "one one", "three two")]
    train = Batch(texts, np.array([0, 1, 0, 1]))
    strange = parts(train, Batch([[("", "strange strange words two")]], np.array([1])), DEFAULT, ["idf+unit:2", "none"])
    usual = parts(train, Batch([[("", "two")]], np.array([1])), DEFAULT, ["idf+unit:2", "none"])
    for scale in strange:
        assert np.array_equal(matrix(strange[scale].rows).toarray(), matrix(usual[scale].rows).toarray())
        assert np.array_equal(matrix(strange[scale].test).toarray(), matrix(usual[scale].test).toarray())
    numbers = Batch(dense(np.array([[0.0], [2.0]])), np.array([0, 1]))
    far = parts(numbers, Batch(dense(np.array([[101.0]])), np.array([1])), DEFAULT, ["standard"])["standard"]
    assert matrix(far.rows).tolist() == [[-1.0], [1.0]] and matrix(far.test).tolist() == [[100.0]]


def test_labels_without_meaning_are_not_learned() -> None:
    """The end of leakage: on random labels the held-out error is that of guessing, however many learners try."""
    r = np.random.default_rng(0)
    texts = [" ".join(map(str, r.integers(0, 400, 30))) for _ in range(200)]
    found = compare(texts, np.repeat([0, 1], 100), Plan(learners=contenders("documents", 2, ["perceptron", "tanh"])))
    assert all(0.35 < row.error < 0.65 for row in found.rows)
    assert min(row.training_error for row in found.rows if row.training_error is not None) == 0.0


def test_folds_are_stratified_and_cover_all_rows_once() -> None:
    y = np.array(["a"] * 40 + ["b"] * 10)
    found = folds(y, 5, 1)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(50))
    assert all((y[test] == "b").sum() == 2 and not set(train) & set(test) for train, test in found)


def test_a_contender_is_what_train_learns_from_the_part() -> None:
    """Each number of the table, again by hand from the same folds."""
    x, y = two_classes()
    found = compare(x, y, Plan(learners=FEW, epochs=7))
    data = Batch(dense(x), y)
    errors, mistakes = [], []
    for train, test in folds(y, 5, 0):
        part = parts(data.take(train), data.take(test), DEFAULT, ["standard"])["standard"]
        model = fit(part.rows, part.y, Settings.of(keep="averaged"), Limits(7))
        errors.append(float((model.predict(part.test) != part.truth).mean()))
        mistakes.append(sum(model.run.history["mistakes"]))
    row = next(row for row in found.rows if row.contender == FEW[0])
    assert row.error == pytest.approx(np.mean(errors)) and row.deviation == pytest.approx(np.std(errors, ddof=1))
    assert row.mistakes == np.mean(mistakes) and row.limited and row.stop == "epoch limit (max_iter=7)"


# --- order, pick, threads --------------------------------------------------------------------------------------------


def numbers(found: Comparison) -> list[dict[str, Any]]:
    return [{k: v for k, v in record.items() if k != "seconds"} for record in found.records()]


@pytest.mark.parametrize("classes", [2, 3])
def test_the_number_of_threads_changes_nothing(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if classes == 3:  # as many loops again would be compiled
        monkeypatch.setenv("ROSENBLATT_JIT", "0")
    x, y = two_classes() if classes == 2 else three_classes()
    learners = contenders("rows", classes)[:: 3 if classes == 2 else 4]
    one, four = (compare(x, y, Plan(learners=learners, jobs=jobs, epochs=2)) for jobs in (1, 4))
    assert numbers(one) == numbers(four) and one.verdict() == four.verdict()
    assert numbers(one) != numbers(compare(x, y, Plan(learners=learners[:9], epochs=2, seed=1)))


@pytest.mark.parametrize("scoring", [None, "roc_auc", "neg_brier_score"])
def test_rows_are_sorted_and_failures_are_told(scoring: str | None) -> None:
    found = compared(Plan(learners=contenders("rows", 2), scoring=scoring, epochs=5))
    values = [round(found.value(row), 12) for row in found.rows]
    assert values == sorted(values) and found.best.behind is None
    assert all(row.behind is not None and row.behind.value > -1e-12 for row in found.rows[1:])
    if scoring == "neg_brier_score":
        assert {c.rule for c in found.failed} >= {"perceptron"} and "predict_proba" in str(found.failed.values())
        assert {row.contender.rule for row in found.rows} == {"logistic", "adagrad"}
        assert found.records()[-1]["failed"] and found.records()[-1]["error"] is None


def test_one_that_overflows_is_not_the_end_of_all() -> None:
    """peers.md, Training: huge values overflow silently → its line says why, the others have their numbers."""
    x, y = two_classes()
    mine = Contender("mine", value=Wild())
    found = compare(x, y, Plan(learners=[*FEW, mine], epochs=3))
    assert list(found.failed) == [mine] and "overflow" in found.failed[mine] and len(found.rows) == 3
    with pytest.raises(DataError, match="none of the 1 learners could learn: .*overflow"):
        compare(x, y, Plan(learners=[mine], epochs=3))


class Wild:
    def step(self, u: float, y: float, sq_norm: float) -> float:
        return 1e200 * (1.0 + u * u)


def test_the_pick_is_the_least_effort_within_one_standard_error() -> None:
    found = compared(Plan(learners=contenders("rows", 2), epochs=30), seed=3)
    one = found.best.deviation / math.sqrt(5)
    near = [
        row for row in found.rows
        if row.level and row.error <= found.best.error + one
        and row.error + row.deviation / math.sqrt(5) <= found.best.error + 2 * one
    ]  # fmt: skip
    assert found.pick in near
    for row in near:
        assert (found.pick.contender.keep == "voted", found.pick.epochs) <= (row.contender.keep == "voted", row.epochs)


def test_on_a_test_set_the_pairs_are_rows() -> None:
    x, y = two_classes(0, 300)
    found = compare(x[:200], y[:200], Plan(learners=FEW), test=(x[200:], y[200:]))
    assert found.sizes == [(200, 100)] and "McNemar" in found.method
    for row in found.rows:
        assert row.deviation == pytest.approx(math.sqrt(row.error * (1 - row.error) / 100))
    scored = compare(x[:200], y[:200], Plan(learners=FEW, scoring="roc_auc"), test=(x[200:], y[200:]))
    assert "jackknife" in scored.method and scored.rows[1].behind is not None
    assert scored.rows[1].behind.low < scored.rows[1].behind.high


def test_the_baseline_is_the_most_frequent_class() -> None:
    x, y = two_classes(0, 200)
    y[:50] = 1
    found = compare(x, y, Plan(learners=FEW, scoring="balanced_accuracy"))
    assert found.baseline[0] == pytest.approx(1 - y.mean(), abs=0.01) and found.baseline[1] == 0.5


def test_votes_are_kept_affordable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer vectors vote on more rows, but those of whole epochs; or the learner is left out."""
    voted = Contender("perceptron", "voted")
    monkeypatch.setattr(race, "VOTES", 5 * 24 * 10)
    row = compared(Plan(learners=[voted])).rows[0]
    assert row.epochs == 1 and row.updates >= 10 and row.stop == "epoch limit (max_iter=1)" and row.limited
    assert row.training_error is None
    monkeypatch.setattr(race, "VOTES", 5 * 24)
    found = compared(Plan(learners=[voted, FEW[0]]))
    assert [row.contender for row in found.rows] == [FEW[0]]
    assert "vectors would vote on 24 rows, which takes too long" in str(found.failed[voted])


def test_larger_data_have_fewer_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "WORK", 96 * 6 * 33)
    assert compared(Plan(learners=[FEW[0]])).rows[0].epochs == 33
    assert compared(Plan(learners=[FEW[0]], epochs=4)).rows[0].epochs == 4


@pytest.mark.parametrize(("part", "whole"), [(3, 2), (2, 1)])
def test_an_interruption_leaves_what_is_done(part: int, whole: int) -> None:
    """In the third of five folds the table is that of two folds; before the first is through, there is none."""

    def stop_in(part: int) -> Any:
        def watch(what: str, done: int, of: int) -> None:
            assert of == 15 and 0 <= done <= of
            if what == f"features of part {part} of 5":
                raise KeyboardInterrupt

        return watch

    found = compared(Plan(learners=FEW), watch=stop_in(part))
    assert found.interrupted and len(found.sizes) == whole and len(found.rows) == 3
    with pytest.raises(KeyboardInterrupt):
        compared(Plan(learners=FEW), watch=stop_in(1))
    with pytest.raises(KeyboardInterrupt):
        compared(Plan(learners=FEW, scoring="f1"), watch=stop_in(2))
    assert len(compared(Plan(learners=FEW, scoring="f1"), watch=stop_in(3)).sizes) == 2
    assert not compared(Plan(learners=FEW)).interrupted


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        (lambda x, y: (x, y[:-1], {}), DataError, r"120 rows but labels of shape \(119,\)"),
        (lambda x, y: (x, np.zeros(120), {}), DataError, "only one class"),
        (lambda x, y: (x, np.array(["a"] * 117 + ["b"] * 3), {}), DataError, "class 'b' has 3 rows.*folds=3 or fewer"),
        (lambda x, y: (np.where(x > 2.5, np.nan, x), y, {}), DataError, r"row \d+, feature \d: found nan"),
        (lambda x, y: (x, y, {"folds": 1}), SettingError, "folds=1"),
        (lambda x, y: (x, y, {"epochs": 0}), SettingError, "epochs=0"),
        (lambda x, y: (x, y, {"jobs": 0}), SettingError, "jobs=0"),
        (lambda x, y: (x, y, {"scoring": "beauty"}), SettingError, "beauty"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(change: Any, error: type[Exception], named: str) -> None:
    x, y = two_classes()
    x, y, words = change(x, y)
    with pytest.raises(error, match=named):
        compare(x, y, Plan(learners=FEW, **words))


@pytest.mark.parametrize(
    ("test", "named"),
    [
        ((np.zeros((2, 9)), [0, 1]), "9 columns"),
        ((np.zeros((2, 6)), [0, 7]), "label 7"),
        ((["a text"], [0]), "found text"),
    ],
)
def test_a_test_set_that_does_not_fit_is_refused(test: Any, named: str) -> None:
    x, y = two_classes()
    with pytest.raises(DataError, match=named):
        compare(x, y, Plan(learners=FEW), test=test)


# --- in words --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_the_table_fits_or_is_as_narrow_as_it_gets(scoring: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")  # ten loops of three classes would take 15 s, for a table of any numbers
    learners = contenders("rows", 3, [*rule_classes()], ["averaged"])
    found = compare(*three_classes(), Plan(learners=learners, scoring=scoring, epochs=3))
    for width in (200, 100, 80, 60, 40):
        lines = found.table(width).splitlines()
        if width >= 60:
            assert max(map(len, lines[: len(found.rows) + 1])) <= width
        assert ("left out" in found.table(width)) == (width < 80 if scoring is None else width <= 80), width
        names = [line[2:].split()[0] for line in lines[1 : len(found.rows) + 1]]
        assert len(names) == len(found.rows) and sum(line.startswith("*") for line in lines) == 1


def test_the_verdict_names_the_pick_the_method_and_its_limits() -> None:
    found = compared(Plan(learners=FEW))
    told = found.verdict()
    assert told.startswith(f"pick {found.pick.contender.name}: error ")
    assert "Nadeau & Bengio 2003" in told and "Holm" in told and "data not used here" in told
    alone = compared(Plan(learners=FEW[:1])).verdict()
    assert "Holm" not in alone and "no fewer errors" not in alone
    assert "For all 1" not in compared(Plan(learners=FEW[:2])).verdict()
    x, y = np.random.default_rng(1).normal(size=(60, 2)), np.repeat([0, 0, 0, 0, 1], 12)
    assert "no fewer errors than calling every row the most frequent class" in compare(x, y, Plan(FEW[1:2])).verdict()


def test_rows_come_as_everywhere_else() -> None:
    """Any sparse format and a DataFrame are rows; what float64 would round is refused."""
    import pandas
    from scipy.sparse import coo_array

    x = np.array([[1.0, 0.0], [0.0, 2.5]])
    for each in (x, x.tolist(), coo_array(x), pandas.DataFrame(x)):
        rows = at_hand(each, [0, 1]).batch.rows
        assert not isinstance(rows, list) and rows.toarray().tolist() == x.tolist()
    assert at_hand(["a b", "c"], [0, 1]).batch.rows == [[("", "a b")], [("", "c")]]
    with pytest.raises(DataError, match="which float64 rounds"):
        compare([[2**53 + 1]], [0])
