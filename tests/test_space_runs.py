"""Runs by a kernel beside the theorems, and proofs of its space in files and in the shell."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_circles

import naive
from command import WORDS, run, well, write
from rosenblatt import KernelPerceptron, LinearClassifier, Recipe
from rosenblatt.errors import BoundViolated, DataError
from rosenblatt.theory import Ledger, in_kernel, max_margin, read_certificate, separable
from test_space import SIDES, XOR, k_of, wholes

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def followed(x: Array, y: Any, kernel: Any, ledger: Ledger | None = None, **words: Any) -> tuple[Ledger, Any]:
    ledger = Ledger() if ledger is None else ledger
    clf = LinearClassifier(kernel=kernel, **{"shuffle": False, "max_iter": 100, **words})
    return ledger, clf.fit(x, y, callback=ledger)


SOME = st.sampled_from(["poly:degree=2", "poly:degree=3", "linear"])


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(3, 12), SOME, st.booleans())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_run_is_that_of_the_dual_and_within_the_bounds(seed: int, n: int, kernel: str, intercept: bool) -> None:
    """Mistakes ≤ R²/γ² in the space; the run is the reference's on K, tie by tie; ‖w̄‖² = aᵀKa + b²."""
    x, y = wholes(seed, n, 2)
    ledger, clf = followed(x, y, kernel, fit_intercept=intercept, max_iter=12)
    problem = in_kernel(x, y, kernel, intercept)
    how, orders = naive.How(bias=float(intercept), dual=True), [range(len(x))] * int(clf.n_iter_)
    path = naive.learn(k_of(problem), problem.y, naive.perceptron, lambda u, y: 0.0, orders, how)
    mistakes = [sum(sum(block.wrong) for block in path if block.epoch == e) for e in range(clf.n_iter_)]
    assert clf.model_.run.history["mistakes"] == mistakes
    by_name = {bound.name: bound for bound in ledger.bounds()}
    a = np.zeros(len(x))
    a[clf.support_] = clf.dual_coef_[0]
    assert ledger.additions == sum(mistakes)
    assert ledger.curves()["square"][-1] == pytest.approx(a @ k_of(problem) @ a + float(clf.intercept_[0]) ** 2)
    assert ledger.separable is separable(problem).separable
    bound = by_name["perceptron"]
    assert bound.applies is bool(ledger.separable) and bound.holds is not False
    if bound.applies:
        margin = max_margin(problem)
        widest = margin.margin_with_bias if intercept else margin.margin
        assert bound.limit == pytest.approx((problem.space.largest + intercept) / widest**2, rel=1e-5)
        assert sum(mistakes) <= bound.limit


RULES = {
    "perceptron": {"perceptron", "progress", "length", "angle", "update", "one pass", "own margin"},
    "margin": {"margin perceptron", "finished margin", "progress", "length", "angle", "update", "own margin"},
    "until-right": {"online use", "progress", "length", "angle", "update", "own margin"},
    "passive-aggressive": {"own margin"},
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rule", RULES)
def test_theorems_of_other_rules_hold_too(rule: str, dtype: Any) -> None:
    """float32 rows have rounded values in the run, and others of float64 in the ledger."""
    x, y = make_circles(60, noise=0.05, factor=0.4, random_state=0)
    for words in {"keep": "averaged"}, {"fit_intercept": False}:
        ledger, _ = followed(x.astype(dtype), y, "rbf:gamma=2", rule=rule, max_iter=300, tol=None, **words)
        assert {bound.name for bound in ledger.bounds() if bound.applies} == RULES[rule]
        assert ledger.separable and "R̄²" in ledger.summary() if words != {"fit_intercept": False} else True


def test_a_separator_of_ones_own_is_weights_of_rows() -> None:
    problem = in_kernel(XOR, SIDES, "poly:degree=2")
    best, any_one = max_margin(problem), separable(problem)
    widest, _ = followed(XOR, SIDES, "poly:degree=2")
    assert widest.yardstick is not None and widest.yardstick.best
    for given_, best_one in ((best, True), ((any_one.w, any_one.b), False)):
        ledger, _ = followed(XOR, SIDES, "poly:degree=2", Ledger(given_))
        assert ledger.yardstick is not None and ledger.yardstick.best is best_one
        assert ledger.margin == pytest.approx(widest.margin) if best_one else ledger.margin < widest.margin
    with pytest.raises(DataError, match="3 weights, but there are 4 different rows, and in a kernel"):
        followed(XOR, SIDES, "poly:degree=2", Ledger((np.ones(3), 0.0)))
    with pytest.raises(DataError, match="expected \\(w, b\\)"):
        followed(XOR, SIDES, "poly:degree=2", Ledger(3))


def test_what_does_not_apply_says_why() -> None:
    x, y = make_circles(60, noise=0.05, factor=0.4, random_state=0)
    ledger, _ = followed(x, y, "rbf", budget=5, keep="averaged")
    assert "steps are made within budget" in ledger.summary()
    clf = LinearClassifier(kernel="rbf", warm_start=True, max_iter=2).fit(x[:30], y[:30])
    ledger = Ledger()
    clf.fit(x[30:], y[30:], callback=ledger)
    told = {bound.name: bound.why_not for bound in ledger.bounds()}
    for name in ("perceptron", "length", "update", "one pass", "own margin"):
        assert told[name] == "there are weights of rows that are not learned from now"
    ledger, clf = followed(np.round(9 * x), np.arange(60) % 2, "linear", max_iter=3)
    assert ledger.separable is False and {bound.name for bound in ledger.bounds() if bound.applies} >= {"never stops"}


def test_rows_set_aside_and_many_classes_are_followed() -> None:
    x, y = make_circles(60, noise=0.05, factor=0.4, random_state=0)
    ledger = Ledger()
    Recipe(kernel="rbf", validation=0.2).fit(x, y, observers=[ledger])
    assert ledger.problem.n == 48 and ledger.yardstick is not None
    ledger, _ = followed(x, np.arange(60) % 3, "rbf", max_iter=2)
    assert all(not bound.applies for bound in ledger.bounds())


def test_a_step_that_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log says rows that are right: the ledger sees it in the space as among columns."""
    x, y = make_circles(60, noise=0.05, factor=0.4, random_state=0)
    ledger, clf = Ledger(), KernelPerceptron(gamma=1.0, shuffle=False)
    seen = Ledger.steps

    def lies(self: Ledger, keep: Any, number: int) -> None:
        keep.row[: int(keep.used[0])] = keep.row[0]
        seen(self, keep, number)

    monkeypatch.setattr(Ledger, "steps", lies)
    with pytest.raises(BoundViolated):
        clf.fit(x, y, callback=ledger)


# --- files and the shell ---------------------------------------------------------------------------------------------

TABLE = "a,b,xor\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


def test_a_saved_proof_is_of_the_rows_and_the_kernel(tmp_path: Path) -> None:
    for kernel, other in (("poly:degree=2", "poly"), ("rbf:gamma=2", "rbf:gamma=3"), ("linear", "poly:degree=2")):
        problem, path = in_kernel(XOR, SIDES, kernel), tmp_path / "it"
        found = separable(problem)
        found.save(path)
        saved = read_certificate(path)
        assert saved.verify(problem) and saved.separable is found.separable and "in the space of" in str(saved)
        assert saved.verify(in_kernel(XOR, ["a", "b", "b", "a"], kernel)._replace(classes=("no", "yes")))
        with pytest.raises(DataError, match=f"the space of {other}.*, the certificate is about the space of {kernel}"):
            saved.verify(in_kernel(XOR, SIDES, other))
        with pytest.raises(DataError, match="no kernel's space, the certificate is about the space of"):
            saved.verify(in_kernel(XOR, SIDES, None))
        with pytest.raises(DataError, match="SHA-256"):
            saved.verify(in_kernel(XOR + 1.0, SIDES, kernel))


def tampered(path: Path, change: Any) -> Path:
    """The file with another proof, and the digest that belongs to it."""
    from rosenblatt.theory.proof.certificate_file import _digest

    content = json.loads(path.read_text())
    change(content)
    content["digest"] = _digest(content)
    return write(path, json.dumps(content))


TAMPERED = {
    "some row is not on its side": ("poly:degree=2", lambda c: c["proof"].update(b="0x" + "f" * 40)),
    "the multipliers do not combine": ("linear", lambda c: c["proof"].update(
        multipliers=["0x2", "0x1", "0x1", "0x2"], denominator="0x6"
    )),
    "damaged: 3 weights for 4 columns": ("poly:degree=2", lambda c: c["proof"]["w"].pop()),
    "damaged: kernel must be a text, or null": ("linear", lambda c: c["data"].update(kernel=None)),
    "the space of poly:degree=2, the certificate is about the space of poly:degree=02": (
        "poly:degree=2", lambda c: c["data"].update(kernel="poly:degree=02")
    ),
    "4 weights, the certificate is about 5 weights": ("linear", lambda c: c["data"].update(weights=5)),
}  # fmt: skip


@pytest.mark.parametrize("sentence", TAMPERED)
def test_a_proof_that_is_none_is_found(sentence: str, tmp_path: Path) -> None:
    kernel, change = TAMPERED[sentence]
    table, proof = write(tmp_path / "xor.csv", TABLE), tmp_path / "it"
    assert well("separable", table, "--kernel", kernel, "--save", proof).out
    assert "verified" in well("verify", proof, table, "--json").out
    done = run("verify", tampered(proof, change), table)
    assert done.code in (3, 4) and sentence in done.err and len(done.err.splitlines()) == 1


def test_a_hyperplane_within_the_rounding_is_no_proof(tmp_path: Path) -> None:
    """Weights with which the rounded values are on their sides, by less than they are rounded."""
    problem = in_kernel(XOR / 3.0, SIDES, "poly:degree=2")
    separable(problem).save(tmp_path / "it")
    saved = read_certificate(tmp_path / "it")
    assert saved.verify(problem)
    less_sure = replace(problem.space, rounding=1e7 * problem.space.rounding)
    assert not saved.verify(problem._replace(space=less_sure))


def test_the_shell_says_what_is_proven(tmp_path: Path) -> None:
    table, proof = write(tmp_path / "xor.csv", TABLE), tmp_path / "it"
    told = well("separable", table, "--kernel", "poly:degree=2", "-o", proof).out
    assert "4 rows, 2 columns; yes against no, with an offset, in the space of poly:degree=2\n" in told
    assert "a hyperplane w·φ(x) + b = 0 has every row on its right side, checked exactly" in told
    assert re.search(r"w = Σ a·φ\(row\), a: -?[\d.]+ for row \d, ", told)
    assert "yes against no, with an offset; in the space of poly:degree=2\n" in well("verify", proof, table).out
    told = well("separable", table, "--kernel", "rbf", "-o", proof).out
    assert "by more than K may be rounded" in told
    assert "by more than that may have done" in well("verify", proof, table).out
    told = well("separable", table, "--kernel", "rbf:gamma=1e-20", "-o", tmp_path / "none").out
    assert "(Micchelli 1986)" in told and "the rounding of K hides" in told and not (tmp_path / "none").exists()
    found = well("separable", table, "--kernel", "poly:degree=2", "--json").json
    assert (found["features"], found["kernel"], found["weights_of_rows"]) == (2, "poly:degree=2", [1, 2, 3, 4])
    told = well("margin", table, "--kernel", "poly:degree=2").out
    assert "in the space of poly:degree=2: separable\nmargin with a free offset (γ): 0.306186\n" in told
    assert "radius 3.16228; mistakes possible for the perceptron: 111\n" in told
    told = well("bound", table, "--kernel", "poly:degree=2", "--order", "given").out
    assert "in the space of poly:degree=2; yes against no\n" in told and "25 mistakes of at most 111 possible" in told
    told = well("optimum", table, "--kernel", "linear").out
    assert "in the space of linear; yes (2), no (2)\nfewest errors: 1 of 4 rows" in told and "K(row" in told
    done = run("margin", table, "--kernel", "linear")
    assert done.code == 3 and "not separable with an offset in the space of linear (4 of them prove it)" in done.err


def test_texts_classes_and_values_at_hand_in_the_shell(tmp_path: Path) -> None:
    texts, proof = write(tmp_path / "t.txt", WORDS), tmp_path / "it"
    for kernel in ("spectrum", "spectrum:length=3,unit=true", "poly:degree=2"):
        assert "separable: a hyperplane w·φ(x)" in well("separable", texts, "--kernel", kernel, "-o", proof).out
        assert "on its side of the hyperplane" in well("verify", proof, texts).out
    three = write(tmp_path / "three.csv", "a,b,kind\n0,0,x\n1,1,y\n2,0,z\n0,2,x\n3,3,y\n2,2,z\n")
    assert well("separable", three, "--kernel", "rbf").out.count("  yes  ") == 3
    assert "each class" in (told := well("margin", three, "--kernel", "poly").out) or "3 classes" in told
    assert len(well("bound", three, "--kernel", "rbf", "--json").json["problems"]) == 3
    k = (1.0 + XOR @ XOR.T) ** 2
    lines = [",".join(map(str, [*row, side])) for row, side in zip(k, SIDES, strict=True)]
    table = write(tmp_path / "k.csv", "\n".join(lines))
    with_more = [",".join(map(str, [*row, 0.0, side])) for row, side in zip(k, SIDES, strict=True)]
    with_more = write(tmp_path / "more.csv", "\n".join([*with_more, "0,0,0,0,9,other"]))
    wanted = well("margin", table, "--kernel", "precomputed", "--json").json["margins"][0]
    found = well("margin", with_more, "--kernel", "precomputed", "--only", "no,yes", "--json").json["margins"][0]
    assert found["margin"] == wanted["margin"] == pytest.approx(0.306186, rel=1e-5)


def test_what_the_shell_refuses(tmp_path: Path) -> None:
    table = write(tmp_path / "xor.csv", TABLE)
    well("train", table, "-o", tmp_path / "m")
    for words, sentence in (
        (["bound", "--kernel", "rbf", "--separator", tmp_path / "m"], "--separator is a hyperplane of columns, and"),
        (["optimum", "--kernel", "linear", "--columns", "a"], "--columns chooses columns, and --kernel linear"),
        (["optimum", "--kernel", "linear", "--plot", tmp_path / "p.png"], "--plot draws columns, and --kernel linear"),
        (["optimum", "--kernel", "rbf"], "xor.csv: kernel rbf:gamma=2.0 is rounded on these rows, which hides ties"),
        (["separable", "--kernel", "spectrum"], "--kernel spectrum is of texts"),
        (["separable", "--kernel", "precomputed"], "found 4 rows of 2 values"),
        (["margin", "--kernel", "polly"], "unknown --kernel polly"),
    ):  # fmt: skip
        done = run(words[0], table, *words[1:])
        assert done.code in (2, 3) and sentence in done.err and len(done.err.splitlines()) == 1, (words, done.err)
