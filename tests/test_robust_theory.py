"""Whatever rows, labels, advice and limits the theorems and experts are given: a right result, or one sentence."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rosenblatt import MaximumMargin, Perceptron
from rosenblatt.doctor import Plan, diagnose
from rosenblatt.errors import DataError, RosenblattError, SettingError
from rosenblatt.experts import (
    FollowTheLeader,
    Halving,
    Hedge,
    OnlineCommittee,
    RandomizedWeightedMajority,
    WeightedMajority,
    against_the_leader,
)
from rosenblatt.theory import Ledger, as_problem, max_margin, minimum_error, read_certificate, separable

ROWS = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 1.0]]
X, Y = np.array(ROWS), [0, 0, 1, 1]
LONG = sparse.csr_array((np.array([1.0, 3.0, 4.0, 1.0]), np.array([0, 0, 0, 1], np.int64), np.array([0, 0, 1, 2, 4])))
SUMMED = sparse.coo_array((np.array([100, 100, 1], np.int8), ([0, 0, 1], [0, 0, 0])), shape=(4, 2))
SAME: dict[str, Any] = {
    "tuples": tuple(map(tuple, ROWS)),
    "a DataFrame": pd.DataFrame(ROWS, columns=["a", "b"]),
    "a DataFrame of objects": pd.DataFrame(ROWS).astype(object),
    "a sparse DataFrame": pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X)),
    "int8": X.astype(np.int8),
    "float16": X.astype(np.float16),
    "float32": X.astype(np.float32),
    "the other byte order": X.astype(">f8"),
    "Fortran order": np.asfortranarray(X),
    "every other column": np.repeat(X, 2, axis=1)[:, ::2],
    "objects": X.astype(object),
    "fractions": [[Fraction(value) for value in row] for row in ROWS],
    "text": [[str(value) for value in row] for row in ROWS],
    "nothing masked": np.ma.masked_array(X, mask=False),
    "long indices": LONG,
    **{kind: sparse.coo_array(X).asformat(kind) for kind in ("coo", "csc", "csr", "dia", "lil", "dok", "bsr")},
}
"""The same values in other clothes."""
LABELS: dict[str, Any] = {
    "text": ["a", "a", "b", "b"],
    "bool": [False, False, True, True],
    "fractions": [0.5, 0.5, 1.5, 1.5],
    "bytes": [b"a", b"a", b"b", b"b"],
    "dates": np.array(["2020", "2020", "2021", "2021"], "M8[Y]"),
    "pandas": pd.Categorical(["a", "a", "b", "b"]),
    "objects of numbers": np.array([0, 0.0, 1, True], object),
}
ODD: dict[str, tuple[Any, Any, str]] = {
    "words as values": (pd.DataFrame({"a": ["u", "v", "w", "x"]}), Y, "no number"),
    "complex": (X + 1j, Y, "dtype complex128"),
    "complex objects": (np.array([[1j], [1], [2], [3]], object), Y, "no number"),
    "sparse complex": (sparse.csr_array(X + 1j), Y, "dtype complex128"),
    "flat": ([1.0, 2.0, 3.0, 4.0], Y, r"shape \(4,\)"),
    "sparse, flat": (sparse.coo_array(np.arange(4.0)), Y, r"shape \(4,\)"),
    "three dimensions": (np.zeros((4, 1, 1)), Y, "shape"),
    "nothing": (None, None, r"shape \(\)"),
    "ragged": ([[1.0], [1.0, 2.0], [3.0], [4.0]], Y, "not equally long"),
    "no rows": (np.empty((0, 2)), [], "no rows"),
    "NaN": ([[np.nan], [1], [2], [3]], Y, "row 1, feature 1: found nan"),
    "NA in a DataFrame": (pd.DataFrame({"a": pd.array([1, 2, None, 4], dtype="Int64")}), Y, "feature 'a': found nan"),
    "infinite": ([[np.inf], [1], [2], [3]], Y, "found inf"),
    "infinite when summed": (sparse.coo_array(([1e308] * 2, ([0, 0], [0, 0])), shape=(4, 1)), Y, "found inf"),
    "masked": (np.ma.masked_array(X, mask=X == 3.0), Y, "row 3: found a masked value"),
    "long doubles": (X.astype(np.longdouble), Y, "dtype (float128|longdouble)"),
    "large integers": (np.array([[2**60], [1], [2], [3]]), Y, r"above 2\*\*53"),
    "large objects": ([[2**70 + 1], [1], [2], [3]], Y, "which float64 rounds"),
    "larger than floats": ([[2**1100], [1], [2], [3]], Y, "no number"),
    "thirds": ([[Fraction(1, 3)], [Fraction(1)], [Fraction(2)], [Fraction(3)]], Y, "1/3, which float64 rounds"),
    "no labels": (X, None, "labels of shape"),
    "too few labels": (X, [0, 1, 0], "4 rows but labels"),
    "labels of two columns": (X, [[0, 1]] * 4, "4 rows but labels"),
    "ragged labels": (X, [[1], [1, 2], 3, 4], "not all of one kind"),
    "None among labels": (X, [None, "a", "a", "b"], "row 1: found the label None"),
    "NaN among labels": (X, [0.0, np.nan, 1.0, 1.0], "row 2: found the label nan"),
    "NA among labels": (X, pd.array(["a", pd.NA, "b", "b"], dtype="string"), "row 2: found the label"),
    "a masked label": (X, np.ma.masked_array(Y, mask=[0, 0, 1, 0]), "row 3: its label is masked"),
    "words and numbers": (X, np.array([1, "a", 1, "a"], object), r"common order \(int, str\)"),
    "complex labels": (X, [1j, 1j, 2, 2], "no order"),
}
ASKED: dict[str, Callable[[Any, Any], Any]] = {
    "as_problem": as_problem,
    "separable": separable,
    "max_margin": max_margin,
    "minimum_error": minimum_error,
    "diagnose": lambda rows, y: diagnose(rows, y, Plan(epochs=3, max_time=600.0)),
    "committee": lambda rows, y: OnlineCommittee(["perceptron"]).fit(rows, y),
}
asked = pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)


@pytest.mark.parametrize("clothes", SAME)
def test_the_same_values_are_the_same_problem(clothes: str) -> None:
    problem = as_problem(SAME[clothes], Y)
    held = problem.x if isinstance(problem.x, np.ndarray) else problem.x.toarray()
    assert held.tolist() == ROWS and separable(SAME[clothes], Y).verify()
    assert MaximumMargin().fit(SAME[clothes], Y).margin_ == pytest.approx(1.0)
    assert OnlineCommittee(["perceptron"]).fit(SAME[clothes], Y).rows_ == 4


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind(kind: str) -> None:
    problem = as_problem(X, LABELS[kind])
    assert problem.y.tolist() == [-1.0, -1.0, 1.0, 1.0]
    assert diagnose(X, LABELS[kind], Plan(epochs=30, max_time=600.0)).separable is True


@asked
@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_problem_is_one_sentence(ask: Callable[[Any, Any], Any], odd: str) -> None:
    rows, y, said = ODD[odd]
    with pytest.raises(DataError, match=said if ask is as_problem else None) as error:
        ask(rows, y)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("odd", ODD)
def test_the_estimator_refuses_what_scikit_learn_does(odd: str) -> None:
    """Its own checks have other words, and take masked values, long doubles and rounded numbers as floats."""
    if odd in ("masked", "a masked label", "long doubles", "decimals", "thirds") or odd.startswith("large"):
        return
    with pytest.raises((ValueError, TypeError)):
        MaximumMargin().fit(*ODD[odd][:2])


def test_duplicates_are_summed_in_float64() -> None:
    assert as_problem(SUMMED, Y).x.toarray()[0, 0] == 200.0
    assert SUMMED.data.tolist() == [100, 100, 1]  # and what was given is left alone


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: separable(X, Y, time_limit=-1), "time_limit=-1 must be"),
    (lambda: separable(X, Y, time_limit="1"), "time_limit='1' must be"),  # type: ignore[arg-type]
    (lambda: max_margin(X, Y, time_limit=0), "time_limit=0 must be"),
    (lambda: max_margin(X, Y, time_limit=[1]), r"time_limit=\[1\] must be"),  # type: ignore[arg-type]
    (lambda: minimum_error(X, Y, time_limit=float("nan")), "time_limit=nan must be"),
    (lambda: minimum_error(X, Y, time_limit=-1), "time_limit=-1 must be"),
    (lambda: MaximumMargin(time_limit=-1).fit(X, Y), "time_limit=-1 must be"),
    (lambda: separable(X, Y, fit_intercept="no"), "fit_intercept='no' must be"),  # type: ignore[arg-type]
    (lambda: separable(X, Y, fit_intercept=None), "fit_intercept=None must be"),  # type: ignore[arg-type]
    (lambda: separable(X, Y, positive=2), "positive=2 is not a label"),
    (lambda: separable(X, Y, positive=np.array([0, 1])), "is not a label"),
    (lambda: separable(X, [0, 1, 2, 2]), "name the one that positive is"),
    (lambda: read_certificate("nowhere.json"), "nowhere.json: cannot be read"),
    (lambda: Ledger(time_limit=-1), "time_limit=-1 must be"),
    (lambda: Ledger(also=3), "also=3 must be"),  # type: ignore[arg-type]
    (lambda: Ledger().bounds(), "followed no run"),
    (lambda: Perceptron().fit(X, Y, callback=Ledger(3)), "the separator is 3; expected"),
    (lambda: Perceptron().fit(X, Y, callback=Ledger((1, 2, 3))), "expected .w, b."),
    (lambda: Perceptron().fit(X, Y, callback=Ledger((["a", "b"], 0))), "are no numbers"),
    (lambda: Perceptron().fit(X, Y, callback=Ledger(([1.0, 0.0], None))), "are no numbers"),
    (lambda: diagnose(X, Y, 3), "plan=3 must be"),  # type: ignore[arg-type]
    (lambda: diagnose(X, Y, Plan(max_time=None)), "max_time=None must be"),  # type: ignore[arg-type]
    (lambda: diagnose(X, Y, Plan(max_time=-1)), "max_time=-1 must be"),
    (lambda: diagnose(X, Y, Plan(epochs=1.5)), "epochs=1.5 must be None or"),  # type: ignore[arg-type]
    (lambda: diagnose(X, Y, Plan(folds=1)), "folds=1 must be a whole"),
    (lambda: diagnose(X, Y, Plan(learner="margin")), "must be a dict"),  # type: ignore[arg-type]
    (lambda: diagnose(X, Y, Plan(learner={"rules": 1})), "'rules' is no word"),
    (lambda: diagnose(X, Y, Plan(names=["a"])), "there are 1 of them, but 2 columns"),
    (lambda: WeightedMajority(2, beta=True), "beta=True must be"),
    (lambda: Halving(10**30), "more experts than memory holds"),
    (lambda: WeightedMajority(3).predict([1, 0, 2]), "expert 2: found 2"),
    (lambda: WeightedMajority(3).predict([1, 0]), "expected .3,."),
    (lambda: WeightedMajority(3).predict(np.array([1j, 0, 1])), "no number"),
    (lambda: WeightedMajority(3).predict([10**400, 0, 1]), "no number"),
    (lambda: WeightedMajority(3).predict([1, [0], 1]), "no number"),
    (lambda: WeightedMajority(3).predict([1, 0, 1], awake=[1, 1, 0]), "of int64; expected"),
    (lambda: WeightedMajority(3).predict([1, 0, 1], awake=[True, [True], False]), "awake is not a row"),
    (lambda: WeightedMajority(3).update([1, 0, 1], 2), "^found the outcome 2; expected 0 or 1"),
    (lambda: WeightedMajority(3).update([1, 0, 1], [1]), "found the outcome"),
    (lambda: WeightedMajority(3).run([[1, 0, 1]], [1, 0]), "outcomes have shape"),
    (lambda: WeightedMajority(3).run([[1, 0, 1]], np.ma.masked_array([1], mask=[True])), "round 0: found the outcome"),
    (lambda: Hedge(2).update_losses([0, 1.5]), "expert 1: found 1.5"),
    (lambda: Hedge(2).update_losses([0, np.inf]), "expert 1: found inf"),
    (lambda: against_the_leader(2, 1.5), "rounds=1.5"),  # type: ignore[arg-type]
    (lambda: OnlineCommittee().predict(X), "learned from no row yet"),
    (lambda: OnlineCommittee().fit(X, Y).predict([[1.0]]), "1 features, those before 2"),
    (lambda: OnlineCommittee().fit(X, Y).predict([[np.nan, 1.0]]), "found nan"),
    (lambda: OnlineCommittee().fit(X, Y).score(X, [1]), "4 rows but labels"),
    (lambda: OnlineCommittee("perceptron").fit(X, Y), "learners='perceptron' must be a list"),
    (lambda: OnlineCommittee(["perceptron"], 3).fit(X, Y), "algorithm=3 must be"),  # type: ignore[arg-type]
    (lambda: OnlineCommittee(["perceptron"], Hedge).fit(X, Y), "must be a name, or an"),  # type: ignore[arg-type]
    (lambda: OnlineCommittee().fit(X, [0, 1, 2, 2]), "votes on two classes; found 3"),
]


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_arguments_that_make_no_sense_are_one_sentence(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(RosenblattError, match=said) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_rate_near_1_has_a_bound() -> None:
    """ln(2/(1 + β)) was 0 there."""
    assert WeightedMajority(2, beta=np.nextafter(1.0, 0.0)).bound() == pytest.approx(np.log(2.0) * 2**54, rel=1e-6)


def test_a_committee_plays_a_copy_of_its_algorithm() -> None:
    """So that it can be fitted again, and its argument stays what it was."""
    given = Hedge(1)
    committee = OnlineCommittee(["perceptron"], given).fit(X, Y)
    assert given.rounds == 0 and committee.fit(X, Y).algorithm_.rounds == 4


def test_a_diagnosis_calls_columns_by_their_names() -> None:
    found = diagnose(pd.DataFrame({"a": X[:, 0], "flat": 1.0}), Y, Plan(epochs=3, max_time=600.0))
    assert found.facts.constant == ["flat"]


def told() -> dict[str, Any]:
    ledger = Ledger()
    Perceptron().fit(X, Y, callback=ledger)
    played = RandomizedWeightedMajority(2)
    rounds = played.run([[1, 0]] * 3, [0, 1, 1])
    return {
        "<Problem: 4 dense rows, 2 columns, float64, with offset; 1 against 0>": as_problem(X, Y),
        "<Separability: separable": separable(X, Y),
        "<Separator: 2 weights": separable(X, Y).certificate,
        "<Farkas: 2 rows, denominator of 2 bits>": separable(np.zeros((2, 1)), [0, 1]).certificate,
        "<MaxMargin: margin 1, with the bias counted 0.447214 (gap": max_margin(X, Y),
        "<MinimumError: 0 errors, the fewest (4 rows": minimum_error(X, Y),
        "<Ledger: has followed no run yet>": Ledger(),
        f"<Ledger: {ledger.mistakes} mistakes, {ledger.updates} updates; at most": ledger,
        "<Bound: perceptron: ": ledger.bounds()[0],
        "<Diagnosis: ": diagnose(X, Y, Plan(epochs=3, max_time=600.0)),
        "<WeightedMajority(3, beta=0.5)>": WeightedMajority(3),
        "<RandomizedWeightedMajority(2, beta=0.5, seed=0) after 3 rounds: ": played,
        "<FollowTheLeader(2)>": FollowTheLeader(2),
        "<Ledger: 3 rounds; ": rounds,
        "<Ledger: no rounds>": FollowTheLeader(2).run(np.zeros((0, 2)), []),
        "OnlineCommittee(learners=['margin'], algorithm='hedge')": OnlineCommittee(["margin"], "hedge"),
        "<OnlineCommittee after 4 rows; mistakes: committee ": OnlineCommittee().fit(X, Y),
    }


def test_results_are_one_line_when_shown_and_the_same_after_pickling() -> None:
    for begins, result in told().items():
        shown = repr(result)
        assert shown.startswith(begins) and len(shown) < 250 and "\n" not in shown
        assert repr(pickle.loads(pickle.dumps(result))) == shown


def test_a_certificate_of_very_long_integers_is_shown() -> None:
    """Python writes no integers of more than 4,300 digits in base 10."""
    values = [[1e300], [1e-300 * 3], [1e-300]]
    found = separable(values, [0, 1, 0])
    assert found.separable is False and "bits" in repr(found.certificate) and "not separable" in str(found)


def test_a_committee_goes_on_after_pickling_as_if_nothing_had_been() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 3))
    y = np.where(x[:, 0] > 0, "b", "a")
    one = OnlineCommittee().partial_fit(x[:30], y[:30])
    other = pickle.loads(pickle.dumps(one))
    for committee in (one, other):
        committee.partial_fit(x[30:], y[30:])
    assert one.algorithm_.weights.tolist() == other.algorithm_.weights.tolist()
    assert one.predict(x).tolist() == other.predict(x).tolist()


@pytest.mark.parametrize("make", [Halving, WeightedMajority, RandomizedWeightedMajority, Hedge, FollowTheLeader])
def test_weights_sum_to_one_whatever_the_rounds(make: Any) -> None:
    random = np.random.default_rng(1)
    played = make(5)
    for t in range(300):
        played.update(random.integers(0, 2, 5) if t % 3 else [1, 0, None, 1, 0], int(random.integers(0, 2)))
        assert played.weights.sum() == pytest.approx(1.0, rel=1e-12) and (played.weights >= 0.0).all()


def test_settings_are_the_kind_of_error_that_they_are() -> None:
    with pytest.raises(SettingError):
        separable(X, Y, time_limit=-1)
    with pytest.raises(DataError):
        separable(X, Y[:2])
