"""Training that ends as soon as it is proven that no hyperplane is right on every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt import LinearClassifier, LogisticUnit, MultiClassPerceptron, Perceptron
from rosenblatt.errors import SettingError
from rosenblatt.model.model import Model
from rosenblatt.theory import in_kernel, separable
from rosenblatt.theory.stopping import StopWhenNotSeparable

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
SIGNS = np.array([0, 1, 1, 0])
SHELL = "0,0,a\n0,1,b\n1,0,b\n1,1,a\n"


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, ticking: None) -> None:
    """In plain Python, with a clock that no load moves: a question may take 10 s of it."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def apart(n: int = 40, gap: float = 0.5) -> tuple[Any, Any]:
    """Separable rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0).astype(int)
    return X + gap * np.outer(2 * y - 1, [1.0, -2.0, 0.5]), y


def three() -> tuple[Any, Any]:
    """a apart from the others, b and c mixed: two rows of b around one of c and the reverse."""
    X = np.array([[9.0, 9.0], [9.0, 8.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    return X, np.array(["a", "a", "b", "b", "c", "c"])


def test_xor_stops_after_its_first_epoch_and_the_reason_has_the_size_of_the_proof() -> None:
    clf = Perceptron(stop_if_not_separable=True, max_iter=1000).fit(XOR, SIGNS)
    assert clf.stop_reason_ == "proven not separable (4 rows of a certificate)"
    assert clf.n_iter_ == 1 and not clf.converged_
    proof = clf.not_separable_
    assert proof.kind == "farkas" and proof.verify() and sorted(proof.rows.tolist()) == [0, 1, 2, 3]


def test_without_the_parameter_nothing_is_asked() -> None:
    clf = Perceptron(max_iter=20).fit(XOR, SIGNS)
    assert clf.stop_reason_ == "epoch limit (max_iter=20)" and clf.not_separable_ is None


def test_through_the_origin_is_asked_through_the_origin() -> None:
    """With an offset 1 and 2 against 3 and 4 on a line are separable, through the origin they are not."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]
    assert Perceptron(stop_if_not_separable=True).fit(X, y).converged_
    clf = Perceptron(stop_if_not_separable=True, fit_intercept=False).fit(X, y)
    assert clf.stop_reason_.startswith("proven not separable") and clf.not_separable_.verify()


@pytest.mark.parametrize("rule", ["perceptron", "margin", "until-right", "passive-aggressive", "passive-aggressive-2"])
@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "pocket"])
def test_separable_rows_are_learned_exactly_as_without_it(rule: str, keep: str) -> None:
    X, y = apart()
    plainly = LinearClassifier(rule, keep=keep, max_iter=30).fit(X, y)
    asked = LinearClassifier(rule, keep=keep, max_iter=30, stop_if_not_separable=True).fit(X, y)
    assert (asked.coef_ == plainly.coef_).all() and (asked.intercept_ == plainly.intercept_).all()
    assert asked.history_ == plainly.history_ and asked.stop_reason_ == plainly.stop_reason_
    assert asked.not_separable_ is None


def test_what_is_proven_separable_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.theory import separability

    asked, real = [], separability.separable
    monkeypatch.setattr(separability, "separable", lambda *a, **k: asked.append(1) or real(*a, **k))
    X, y = apart(40, 0.01)
    clf = Perceptron(stop_if_not_separable=True, max_iter=200).fit(X, y)
    assert clf.n_iter_ >= 4 and len(asked) == 1


def test_undecided_is_asked_again_after_1_2_4_8_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.theory import separability

    class Undecided:
        separable, tried = None, ["all that there is"]

    epochs: list[int] = []
    current = StopWhenNotSeparable(np.array([0, 1]))
    monkeypatch.setattr(separability, "separable", lambda *a, **k: epochs.append(current._run.epoch) or Undecided())
    with pytest.warns(UserWarning, match="separable was not decided, and nothing was stopped: all that there is"):
        clf = Perceptron(max_iter=20).fit(XOR, SIGNS, callback=current)
    assert epochs == [1, 2, 4, 8, 16] and clf.n_iter_ == 20 and current.not_separable is None


def test_one_vs_rest_names_the_class() -> None:
    X, y = three()
    clf = Perceptron(stop_if_not_separable=True).fit(X, y)
    assert clf.stop_reason_ == "proven not separable: class b against the rest (4 rows of a certificate)"
    assert clf.not_separable_.problem.classes == ("the rest", "b") and clf.not_separable_.verify()


def test_classes_learned_together_are_asked_two_by_two() -> None:
    X, y = three()
    clf = MultiClassPerceptron(stop_if_not_separable=True).fit(X, y)
    assert clf.stop_reason_ == "proven not separable: class b against class c (4 rows of a certificate)"
    assert clf.not_separable_.verify() and clf.not_separable_.problem.n == 4


def test_classes_learned_together_go_on_where_only_the_rest_is_in_the_way() -> None:
    """Three on a line: the middle one has others on both sides, but K weight vectors do it."""
    X, y = np.array([[-1.0], [0.0], [1.0]]), ["a", "b", "c"]
    assert MultiClassPerceptron(stop_if_not_separable=True, max_iter=500).fit(X, y).converged_
    alone = Perceptron(stop_if_not_separable=True, max_iter=500).fit(X, y)
    assert alone.stop_reason_ == "proven not separable: class b against the rest (3 rows of a certificate)"


def test_picking_one_mistake_asks_as_well() -> None:
    clf = LinearClassifier(optimizer="pick-first", stop_if_not_separable=True).fit(XOR, SIGNS)
    assert clf.stop_reason_ == "proven not separable (4 rows of a certificate)" and clf.n_updates_ == 100


def test_rows_of_weight_zero_and_rows_that_are_not_in_the_order_do_not_count() -> None:
    X = np.vstack([XOR, [[5.0, 5.0]]])
    y = np.array([0, 1, 1, 0, 0])
    clf = Perceptron(stop_if_not_separable=True, max_iter=300)
    assert clf.fit(X, y, sample_weight=[1, 1, 1, 0, 0]).converged_
    assert clf.fit(X, y, order=[0, 1, 2]).stop_reason_.startswith("an epoch without an update")
    clf.fit(np.vstack([[[5.0, 5.0]], XOR]), [0, *SIGNS], sample_weight=[0, 1, 1, 1, 1])
    assert sorted(clf.not_separable_.rows.tolist()) == [1, 2, 3, 4] and clf.not_separable_.verify()
    assert clf.not_separable_.problem.n == 5


@pytest.mark.parametrize("rule", ["logistic", "linear", "sigmoid", "tanh"])
def test_rules_that_wait_for_no_hyperplane_refuse(rule: str) -> None:
    with pytest.raises(SettingError, match=f"rule '{rule}' stops when its loss settles"):
        LinearClassifier(rule, stop_if_not_separable=True).fit(XOR, SIGNS)
    with pytest.raises(SettingError):
        LogisticUnit(stop_if_not_separable=True).fit(XOR, SIGNS)


def test_partial_fit_does_not_ask() -> None:
    clf = Perceptron(stop_if_not_separable=True)
    for _ in range(3):
        clf.partial_fit(XOR, SIGNS, classes=[0, 1])
    assert clf.n_iter_ == 3 and "proven" not in clf.stop_reason_


def test_the_other_callback_is_told_and_can_stop_first() -> None:
    seen: list[int] = []
    clf = Perceptron(stop_if_not_separable=True).fit(XOR, SIGNS, callback=lambda event: seen.append(event.run.epoch))
    assert seen == [1] and clf.stop_reason_.startswith("proven")
    clf.fit(XOR, SIGNS, callback=lambda event: True)
    assert clf.stop_reason_ == "stopped by the callback" and clf.not_separable_ is None


def test_a_callback_may_say_why() -> None:
    clf = Perceptron().fit(XOR, SIGNS, callback=lambda event: "enough" if event.run.epoch == 3 else "")
    assert (clf.stop_reason_, clf.n_iter_) == ("enough", 3)


def test_a_ledger_still_sees_each_step() -> None:
    from rosenblatt.theory import Ledger

    X, y = apart()
    ledger = Ledger()
    clf = Perceptron(stop_if_not_separable=True).fit(X, y, callback=ledger)
    assert ledger.additions == clf.n_updates_ > 0


def test_a_run_that_was_stopped_goes_on_exactly() -> None:
    """peers.md, Training: what is saved resumes as if nothing had been."""
    whole = Perceptron(max_iter=9).fit(XOR, SIGNS)
    parts = Perceptron(max_iter=9, warm_start=True, stop_if_not_separable=True).fit(XOR, SIGNS)
    assert parts.n_iter_ == 1
    parts.set_params(stop_if_not_separable=False, max_iter=8).fit(XOR, SIGNS)
    assert (parts.coef_ == whole.coef_).all() and parts.history_ == whole.history_ and parts.not_separable_ is None


def test_max_time_is_not_exceeded_by_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.theory import separability

    limits: list[float] = []
    real = separability.separable
    monkeypatch.setattr(
        separability, "separable", lambda p, time_limit: limits.append(time_limit) or real(p, time_limit=time_limit)
    )
    Perceptron(stop_if_not_separable=True, max_time=3.0).fit(XOR, SIGNS)
    Perceptron(stop_if_not_separable=True).fit(XOR, SIGNS)
    assert limits[0] <= 3.0 < limits[1] <= 10.0


# --- in a kernel's space --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "poly:degree=2", "poly:degree=3", "rbf:gamma=2"])
def test_a_kernel_stops_where_separable_proves_it_in_its_space(kernel: str, intercept: bool) -> None:
    """Whole numbers, of which K is exact; one row is there twice, in the last case with another label."""
    rng = np.random.default_rng(1)
    x = rng.integers(-3, 4, (16, 2)).astype(float)
    for X, y in ((XOR, SIGNS), (x, (x[:, 0] > x[:, 1]).astype(int)), (np.vstack([x, x[:1]]), rng.integers(0, 2, 17))):
        clf = LinearClassifier(kernel=kernel, fit_intercept=intercept, stop_if_not_separable=True, max_iter=200)
        clf.fit(X, y)
        wanted = separable(in_kernel(X, y, kernel, intercept))
        assert (clf.not_separable_ is not None) == (wanted.separable is False)
        if clf.not_separable_ is None:
            assert clf.converged_
            continue
        assert clf.n_iter_ == 1 and clf.stop_reason_.startswith("proven not separable")
        assert clf.not_separable_.verify() and clf.not_separable_.problem.kernel == wanted.problem.kernel
        assert clf.not_separable_.problem.digest() == wanted.problem.digest()


def test_of_a_kernel_rows_that_are_not_learned_from_are_no_columns() -> None:
    """XOR, and a point for each class far off: only rows of weight 1 prove anything."""
    X = np.vstack([[[9.0, 9.0], [7.0, 0.0]], XOR])
    clf = LinearClassifier(kernel="linear", stop_if_not_separable=True, max_iter=300)
    clf.fit(X, [0, 1, *SIGNS], sample_weight=[0, 0, 1, 1, 1, 1])
    proof = clf.not_separable_
    assert proof.verify() and proof.problem.n == 4 and proof.problem.d == 4
    assert clf.stop_reason_ == "proven not separable (4 rows of a certificate)"
    assert clf.model_.run.stop.limit.rows == [row + 2 for row in proof.rows.tolist()]
    assert clf.fit(X, [0, 1, *SIGNS], sample_weight=[0, 1, 1, 1, 0, 0]).converged_


def test_of_a_kernel_classes_learned_together_are_asked_two_by_two() -> None:
    X, y = three()
    clf = LinearClassifier(kernel="linear", multi_class="multi-class-perceptron", stop_if_not_separable=True).fit(X, y)
    assert clf.stop_reason_ == "proven not separable: class b against class c (4 rows of a certificate)"
    assert clf.not_separable_.verify() and clf.not_separable_.problem.n == 4
    clf = LinearClassifier(kernel="linear", stop_if_not_separable=True).fit(X, y)
    assert clf.stop_reason_ == "proven not separable: class b against the rest (4 rows of a certificate)"


def test_where_the_rounding_of_a_kernel_hides_it_that_is_said() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    clf = LinearClassifier(kernel="poly:degree=2", stop_if_not_separable=True, max_iter=20)
    with pytest.warns(UserWarning, match="in the space of poly:degree=2 was not decided.*K is rounded here"):
        clf.fit(X, y)
    assert clf.not_separable_ is None and clf.n_iter_ == 20


def test_a_kernel_that_is_none_is_refused_before_the_first_epoch() -> None:
    seen: list[int] = []
    clf = LinearClassifier(kernel="precomputed", stop_if_not_separable=True, max_iter=3)
    with pytest.raises(SettingError, match="^stop_if_not_separable=True: kernel precomputed is none: no rows"):
        clf.fit([[0.0, 2.0], [2.0, 0.0]], [0, 1], callback=lambda event: seen.append(event.run.epoch))
    assert not seen


# --- the shell --------------------------------------------------------------------------------------------------------


@pytest.fixture
def xor(tmp_path: Path) -> Path:
    path = tmp_path / "xor.csv"
    path.write_text("x,y,label\n" + SHELL)
    return path


def test_train_says_it_and_how_to_keep_the_proof(xor: Path, tmp_path: Path) -> None:
    done = well("train", xor, "-o", tmp_path / "m", "--stop-if-not-separable")
    assert "stopped: proven not separable (4 rows of a certificate)" in done.out
    assert "`rosenblatt separable DATA --save FILE` writes the proof" in done.out


def test_train_json_has_the_proof(xor: Path, tmp_path: Path) -> None:
    found = well("train", xor, "-o", tmp_path / "m", "--stop-if-not-separable", "--json").json
    assert found["not_separable"] == {
        "kind": "farkas", "fit_intercept": True, "kernel": None, "classes": ["a", "b"], "rows": [1, 2, 3, 4],
        "epoch": 1,
    }  # fmt: skip
    assert well("train", xor, "-o", tmp_path / "m", "--epochs", "3", "--json").json["not_separable"] is None


def test_train_says_how_to_keep_the_proof_of_a_kernel(xor: Path, tmp_path: Path) -> None:
    done = well("train", xor, "-o", tmp_path / "m", "--stop-if-not-separable", "--kernel", "linear")
    assert "no hyperplane in the space of linear is right on every row; `rosenblatt separable DATA --kernel" in done.out
    assert "not separable" in well("separable", xor, "--kernel", "linear", "--save", tmp_path / "proof").out
    assert well("verify", tmp_path / "proof", xor).code == 0
    near = tmp_path / "near.csv"
    near.write_text("x,y,label\n0.1,0.1,a\n0.1,0.9,b\n0.9,0.1,b\n0.9,0.9,a\n")
    done = well("train", near, "-o", tmp_path / "m", "--stop-if-not-separable", "--kernel", "linear", "--epochs", "9")
    assert "note: --stop-if-not-separable: whether the rows are separable in the space of linear was not" in done.err


def test_train_refuses_a_unit_by_the_options_own_name(xor: Path, tmp_path: Path) -> None:
    done = run("train", xor, "-o", tmp_path / "m", "--stop-if-not-separable", "--rule", "logistic")
    assert done.code == 2 and done.err.startswith("Error: --stop-if-not-separable goes with rules that stop at a sep")


def test_the_model_file_is_that_of_a_run_of_as_many_epochs(xor: Path, tmp_path: Path) -> None:
    """Only the stop reason differs: no schema changes."""
    well("train", xor, "-o", tmp_path / "a", "--stop-if-not-separable")
    well("train", xor, "-o", tmp_path / "b", "--epochs", "1")
    one, other = Model.load(tmp_path / "a"), Model.load(tmp_path / "b")
    assert (one.weights[0] == other.weights[0]).all() and one.run.history == other.run.history
    well("train", xor, "-o", tmp_path / "c", "--continue", tmp_path / "a", "--epochs", "4")
    well("train", xor, "-o", tmp_path / "d", "--epochs", "5")
    assert Model.load(tmp_path / "c").run.history == Model.load(tmp_path / "d").run.history


def test_going_on_asks_again(xor: Path, tmp_path: Path) -> None:
    well("train", xor, "-o", tmp_path / "a", "--epochs", "2")
    done = well("train", xor, "-o", tmp_path / "b", "--continue", tmp_path / "a", "--stop-if-not-separable", "--json")
    assert done.json["epochs"] == 3 and done.json["not_separable"]["epoch"] == 3
