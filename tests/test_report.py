"""Measures and evidence: against scikit-learn and counting by hand, and sums that agree with the model's own scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.rows import Csr, csr, dense, matrix
from rosenblatt.data.batch import Batch
from rosenblatt.datasets import load_sms, load_spambase
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.pipeline import Features, Options
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.model.evidence import Evidence, Names, evidence, rivals, strongest
from rosenblatt.model.fit import fit
from rosenblatt.model.metrics import metrics, scorer
from rosenblatt.model.model import Model


@pytest.fixture(autouse=True)
def plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little data: nothing here is worth compiling for."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def learned(rows: Any, y: Any, epochs: int = 3, **settings: Any) -> Model:
    return fit(rows, np.asarray(y), Settings.of(**settings), Limits(epochs))


def blobs(classes: int, sparse: bool = False) -> tuple[Any, Any]:
    """60 rows of 7 features, a third of them 0, around a centre for each class."""
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(60, 7)), generator.integers(classes, size=60)
    x[np.arange(60), y] += 1.5
    x[generator.random(x.shape) < 0.3] = 0.0
    if not sparse:
        return dense(x), y
    there = x != 0.0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return csr(x[there], np.nonzero(there)[1], indptr, 7), y


# --- evidence --------------------------------------------------------------------------------------------------------


def agree(why: Evidence, expected: float) -> bool:
    """Equal to 1e-12 relative, beyond what rounding can do to the model's own sum of the same terms."""
    terms = np.abs([*why.contributions, why.intercept])
    return abs(why.score - expected) <= 1e-12 * abs(expected) + len(terms) * np.finfo(float).eps * terms.sum()


@pytest.mark.parametrize("keep", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_contributions_sum_to_the_score(keep: str, sparse: bool, classes: int) -> None:
    rows, y = blobs(classes, sparse)
    model = learned(rows, y, rule="logistic", keep=keep)
    scores, x = model.decision(rows), matrix(rows)
    for i in range(60):
        between = (1, 0) if classes == 2 else rivals(scores[i])
        why = evidence(model, rows, i, between)
        assert why.score == math.fsum([*why.contributions, why.intercept])
        assert agree(why, scores[i] if classes == 2 else scores[i, between[0]] - scores[i, between[1]])
        assert (np.diff(np.abs(why.contributions)) <= 0.0).all(), "strongest first"
        assert why.rest(0) == math.fsum(why.contributions) and why.rest(len(why.columns)) == 0.0
        row = x[[i]].toarray()[0] if sparse else x[i]
        assert (why.values == row[why.columns]).all() and np.count_nonzero(row) == len(why.columns)


@pytest.mark.parametrize("kind", ["numbers", "words"])
def test_the_score_is_the_models_own_on_real_data(kind: str) -> None:
    if kind == "numbers":
        table = load_spambase()
        rows, y = dense(table.X[::10]), table.y[::10]
    else:
        texts, y = load_sms()
        documents = [[("", text)] for text in texts[::10]]
        features, rows, _, _ = Features.fit(Given(Batch(documents, np.array(y[::10], object))), Options())
        y = y[::10]
    model = learned(rows, y, keep="averaged")
    scores = model.decision(rows)
    every = [evidence(model, rows, i) for i in range(len(scores))]
    assert all(agree(why, score) for why, score in zip(every, scores, strict=True))
    off = np.array([abs(why.score - score) / abs(score) for why, score in zip(every, scores, strict=True)])
    assert (off < 1e-12).mean() > 0.98, "to twelve digits, but where the sum nearly cancels"


class Given:
    """A source of one batch."""

    kind, one_shot = "documents", False

    def __init__(self, batch: Batch) -> None:
        self.batch, self.notes = batch, {}

    def __iter__(self) -> Any:
        return iter([self.batch])

    def recipe(self) -> dict[str, Any]:
        return {"format": "text"}


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.integers(0, 2))
def test_rivals_are_the_best_and_the_best_of_the_others(scores: list[float], wanted: int) -> None:
    first, second = rivals(np.array(scores))
    assert first != second and scores[first] == max(scores)
    assert scores[second] == max(s for k, s in enumerate(scores) if k != first)
    asked, other = rivals(np.array(scores), wanted)
    assert asked == wanted != other and scores[other] == max(s for k, s in enumerate(scores) if k != wanted)


def test_the_other_class_of_two_has_the_opposite_evidence() -> None:
    rows, y = blobs(2)
    model = learned(rows, y)
    one, other = evidence(model, rows, 5), evidence(model, rows, 5, (0, 1))
    assert other.score == -one.score and (other.columns == one.columns).all()


def test_voted_is_explained_by_the_mean_of_its_voters() -> None:
    rows, y = blobs(2)
    model = learned(rows, y, keep="voted")
    w, b = model.weights
    why = evidence(model, rows, 3)
    assert agree(why, float(matrix(rows)[3] @ w[0] + b[0]))
    assert abs(why.score - model.decision(rows)[3]) > 1e-3, "the vote itself is another number"


def test_a_row_of_zeros_has_the_intercept_for_a_score() -> None:
    rows, y = blobs(2, sparse=True)
    model = learned(rows, y, rule="linear")
    why = evidence(model, csr(np.empty(0), np.empty(0, np.uint32), np.array([0, 0]), 7), 0)
    assert why.columns.size == 0 and why.score == model.weights[1][0] != 0.0


def test_rows_of_another_width_are_refused() -> None:
    rows, y = blobs(2)
    with pytest.raises(DataError, match="4 features.*trained with 7"):
        evidence(learned(rows, y), dense(np.ones((1, 4))), 0)


def test_strongest_takes_only_weights_above_zero_and_the_lower_column_of_equals() -> None:
    assert strongest(np.array([1.0, 3.0, -9.0, 0.0, 3.0, 2.0]), 3).tolist() == [1, 4, 5]
    assert strongest(np.array([1.0, -1.0]), 9).tolist() == [0]


# --- names -----------------------------------------------------------------------------------------------------------


def named(reading: dict[str, Any], names: list[str] | None = None, width: int = 3) -> list[str]:
    generator = np.random.default_rng(0)
    model = learned(dense(generator.normal(size=(4, width))), [0, 1, 0, 1])
    model.reading, model.names = reading, names
    found = Names(model)
    return [found[j].removeprefix("column ") for j in range(width)]


def test_columns_are_counted_as_their_own_file_counts_them() -> None:
    assert named({"format": "svmlight", "base": 1}) == ["1", "2", "3"]
    assert named({"format": "svmlight", "base": 0}) == ["0", "1", "2"]
    assert named({"format": "table", "label": 4, "expect": 3}) == ["1", "2", "3"]
    assert named({"format": "table", "label": -1, "expect": 3}) == ["1", "2", "3"]
    assert named({"format": "table", "label": 2, "expect": 3}) == ["1", "3", "4"]
    assert named({"format": "table", "label": 1, "expect": 3}) == ["2", "3", "4"]
    assert named({"format": "table", "label": "y"}, ["high", "wide", "größe"]) == ["high", "wide", "größe"]


def test_hashed_columns_get_the_names_of_the_words_at_hand() -> None:
    """peers.md, Text: names of hashed features lack order and sign → names kept on request, with count."""
    documents = [[("subject", "free"), ("", "money now")], [("", "see you at noon")]]
    batch = Batch(documents, np.array(["spam", "ham"], object))
    features, rows, y, _ = Features.fit(Given(batch), Options(dictionary="hashed", bits=12))
    model = learned(rows, y)
    model.features = features
    why = evidence(model, rows, 0)
    assert {Names(model, documents[:1])[j] for j in why.columns} == {"subject:free", "money", "now"}
    assert {Names(model, documents[1:])[j] for j in why.columns} == {Names(model)[j] for j in why.columns}
    assert all(Names(model)[j] == f"#{j}" for j in why.columns)


# --- measures --------------------------------------------------------------------------------------------------------


def scored(classes: list[Any]) -> Model:
    """A model of these classes; only they matter to `metrics`."""
    width = len(classes)
    return learned(dense(np.eye(width)), classes)


def test_measures_of_two_classes_counted_by_hand() -> None:
    model = scored(["ham", "spam"])
    scores = np.array([2.0, -1.0, 0.0, 0.5, -3.0, -0.2])
    y = np.array(["spam", "spam", "ham", "ham", "ham", "spam"])
    found = metrics(model, scores, y)
    assert (found["rows"], found["errors"], found["accuracy"]) == (6, 3, 0.5)
    assert found["classes"] == ["ham", "spam"] and found["confusion"] == [[2, 1], [2, 1]]
    assert (found["false_positives"], found["false_negatives"]) == (1, 2)
    assert found["ties"] == 1 and found["e_in"] == 4 / 6, "a score of 0 predicts ham, and is a mistake in training"
    assert (found["precision"], found["recall"], found["f1"]) == (0.5, 1 / 3, 0.4)
    assert found["roc_auc"] == 5 / 9 and found["roc_auc_of"] == "positive class spam"


@pytest.mark.parametrize("present", ["ham", "spam"])
def test_roc_auc_is_not_defined_for_one_class(present: str) -> None:
    """peers.md, Training: evaluation fails for lack of probabilities → metrics that need none still run."""
    found = metrics(scored(["ham", "spam"]), np.array([1.0, -1.0]), np.array([present, present]))
    assert found["roc_auc"] is None and found["errors"] == 1 and found["rows"] == 2


def test_measures_of_many_classes() -> None:
    from sklearn.metrics import f1_score, roc_auc_score

    rows, y = blobs(4)
    model = learned(rows, y)
    scores = model.decision(rows)
    found, predicted = metrics(model, scores, y), scores.argmax(axis=1)
    assert found["errors"] == np.count_nonzero(predicted != y) > 0
    assert found["false_positives"] == {str(k): int(np.sum((predicted == k) & (y != k))) for k in range(4)}
    assert found["false_negatives"] == {str(k): int(np.sum((predicted != k) & (y == k))) for k in range(4)}
    assert found["confusion"][1][2] == np.sum((y == 1) & (predicted == 2))
    assert found["f1"] == f1_score(y, predicted, average="macro")
    assert found["roc_auc"] == np.mean([roc_auc_score(y == k, scores[:, k]) for k in range(4)])
    some = y < 3
    assert metrics(model, scores[some], y[some])["roc_auc"] == np.mean(
        [roc_auc_score(y[some] == k, scores[some, k]) for k in range(3)]
    ), "a class that does not occur has no curve"


def test_tied_best_scores_are_training_mistakes() -> None:
    found = metrics(scored([0, 1, 2]), np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 1.0]]), np.array([0, 1]))
    assert (found["errors"], found["ties"], found["e_in"]) == (0, 1, 0.5)


# --- scorers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[0, 1], ["ham", "spam"], [-1.5, 2.0]])
@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1", "roc_auc", "neg_log_loss"])
def test_a_scorer_measures_as_scikit_learn_does(name: str, labels: list[Any]) -> None:
    """Whatever the labels are: scikit-learn's own f1 refuses those other than 0 and 1."""
    from sklearn import metrics as theirs

    rows, codes = blobs(2)
    model = learned(rows, np.array(labels)[codes], rule="logistic")
    scores = model.decision(rows)
    expected = {
        "accuracy": theirs.accuracy_score(codes, scores > 0),
        "balanced_accuracy": theirs.balanced_accuracy_score(codes, scores > 0),
        "f1": theirs.f1_score(codes, scores > 0),
        "roc_auc": theirs.roc_auc_score(codes, scores),
        "neg_log_loss": -theirs.log_loss(codes, np.exp(model.log_probabilities(scores))),
    }
    assert scorer(name)(model, rows, np.array(labels)[codes]) == pytest.approx(expected[name], rel=1e-12)


def test_a_scorer_that_does_not_fit_says_so_in_one_sentence() -> None:
    rows, y = blobs(3)
    with pytest.raises(SettingError, match="'nonsense' is no scorer.*balanced_accuracy"):
        scorer("nonsense")
    with pytest.raises(SettingError, match="'f1' cannot measure this model: .*multiclass"):
        scorer("f1")(learned(rows, y), rows, y)
    with pytest.raises(SettingError, match="'neg_log_loss' cannot measure this model: .*predict_proba"):
        scorer("neg_log_loss")(learned(rows, y), rows, y)


def test_sparse_rows_and_dense_rows_measure_alike() -> None:
    one, y = blobs(2)
    other, _ = blobs(2, sparse=True)
    assert isinstance(other, Csr)
    model = learned(one, y)
    assert scorer("roc_auc")(model, one, y) == pytest.approx(scorer("roc_auc")(model, other, y), rel=1e-12)
