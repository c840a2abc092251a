"""Theorems in a kernel's space: held against the same on its features written out, and against K alone."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_circles

import naive
from rosenblatt.core.rows import dense
from rosenblatt.errors import DataError, SettingError
from rosenblatt.kernels import kernel_classes, kernel_from
from rosenblatt.theory import (
    Separability,
    in_kernel,
    max_margin,
    minimum_error,
    separable,
    space,
)  # fmt: skip
from rosenblatt.theory.margins.maximum import NoMargin
from rosenblatt.theory.problem import Problem
from rosenblatt.theory.proof.certificate import Farkas, Separator
from rosenblatt.theory.space import in_lengths

Array = np.ndarray[Any, Any]
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
SIDES = np.array(["no", "yes", "yes", "no"])


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def k_of(problem: Problem) -> Array:
    """(u, u) K of the distinct rows."""
    return problem.space.values  # type: ignore[no-any-return]


def wholes(seed: int, n: int, d: int, most: int = 3) -> tuple[Array, Array]:
    """Different whole rows with labels by lot, both of them there."""
    rng = np.random.default_rng(seed)
    some = np.vstack([np.full((1, d), most), np.full((1, d), 1 - most), rng.integers(-most, most + 1, (n, d))])
    x = np.unique(some, axis=0).astype(float)
    y = rng.integers(0, 2, len(x))
    y[:2] = 0, 1
    return x, y


# --- what two other ways say -----------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(3, 24), st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans())
def test_verdicts_are_those_of_all_products(
    seed: int, n: int, d: int, degree: int, intercept: bool, constant: bool
) -> None:
    """Scaling columns changes no verdict, so that the products stay whole: both sides are proven exactly."""
    x, y = wholes(seed, n, d)
    found = separable(in_kernel(x, y, f"poly:degree={degree},coef0={int(constant)}", intercept))
    products, _ = naive.monomials(x, degree, coef0=float(constant))
    assert found.problem.space.exact
    assert found.separable is separable(products, y, intercept).separable is not None
    assert found.verify() and in_k(found)


def in_k(found: Separability) -> bool:
    """The proof, in whole numbers of K alone, and nothing of the package."""
    problem, proof = found.problem, found.certificate
    k = [[int(value) for value in row] for row in k_of(problem)]
    own, signs = problem.space.own.tolist(), [int(sign) for sign in problem.y]
    if isinstance(proof, Separator):
        scores = [sum(a * b for a, b in zip(proof.w, k[own[i]], strict=True)) + proof.b for i in range(problem.n)]
        return all(sign * u > 0 for sign, u in zip(signs, scores, strict=True))
    assert isinstance(proof, Farkas)
    shares = [(own[i], signs[i] * m) for i, m in zip(proof.rows, proof.multipliers, strict=True)]
    length = sum(a * b * k[i][j] for i, a in shares for j, b in shares)  # ‖Σ λ·y·φ(x)‖²
    balanced = sum(share for _, share in shares) == 0 or not problem.fit_intercept
    return min(proof.multipliers) > 0 and length == 0 and balanced


@given(st.integers(0, 10**6), st.integers(4, 20), st.integers(1, 3), st.integers(2, 3), st.booleans())
def test_margins_are_those_of_scaled_products(seed: int, n: int, d: int, degree: int, intercept: bool) -> None:
    """γ, γ̄ or γ₀, R, and ‖w‖ = √(aᵀKa) = 1/γ, with every row at 1 or beyond."""
    x, y = wholes(seed, n, d)
    problem = in_kernel(x / 2.0, y, f"poly:degree={degree},gamma=0.5,coef0=2", intercept)
    products, scale = naive.monomials(x / 2.0, degree, 0.5, 2.0)
    try:
        found = max_margin(problem)
    except NoMargin:
        assert separable(naive.monomials(x, degree)[0], y, intercept).separable is False
        return
    plain = max_margin(products * scale, y, intercept)
    for end in ["", "_with_bias"] if intercept else [""]:
        margin, a, b = (getattr(found, f"{name}{end}") for name in ("margin", "w", "b"))
        assert margin == pytest.approx(getattr(plain, f"margin{end}"), rel=1e-6)
        low, high = (getattr(found, f"{name}{end}") for name in ("lower_bound", "upper_bound"))
        assert low <= getattr(plain, f"upper_bound{end}") and high >= getattr(plain, f"lower_bound{end}")
        length = math.sqrt(a @ k_of(problem) @ a + (b * b if end else 0.0))
        assert length == pytest.approx(1.0 / margin, rel=1e-6)
        assert problem.margins(a, b).min() == pytest.approx(1.0, rel=1e-6)
    assert math.sqrt(problem.space.largest) == pytest.approx(np.linalg.norm(products * scale, axis=1).max())
    assert found.attained == pytest.approx(found.margin, rel=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_fewest_errors_are_those_of_all_products(intercept: bool) -> None:
    x, y = wholes(3, 40, 2)
    found = minimum_error(in_kernel(x, y, "poly:degree=2", intercept), time_limit=20.0)
    plain = minimum_error(naive.monomials(x, 2)[0], y, intercept, time_limit=20.0)
    assert found.optimal and found.verify() and found.errors == plain.errors > 0


def test_xor_and_circles() -> None:
    assert separable(in_kernel(XOR, SIDES, "linear")).separable is False
    found = separable(in_kernel(XOR, SIDES, "poly:degree=2"))
    assert found.separable and in_k(found) and found.in_floats
    assert np.array_equal(found.problem.margins(found.w, found.b) > 0, np.ones(4, bool))
    x, y = make_circles(60, noise=0.05, factor=0.5, random_state=0)
    for kernel, can in {"linear": None, "poly:degree=2": True, "rbf": True}.items():
        assert separable(in_kernel(x, y, kernel)).separable is can
    assert separable(x, y).separable is False  # of columns, which are not rounded
    x = np.round(10 * load_iris().data)
    found = separable(in_kernel(x, load_iris().target, "poly:degree=2", positive=1))
    assert found.separable and in_k(found) and not separable(x, load_iris().target, positive=1).separable


# --- equal rows, and others that a Gaussian parts --------------------------------------------------------------------


def squares(a: Array, b: Array) -> Array:
    return np.asarray(a**2 @ (b**2).T)


KERNELS = [*sorted(set(kernel_classes()) - {"spectrum"}), squares]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("kernel", KERNELS)
def test_equal_rows_of_two_classes_are_a_proof_in_every_space(kernel: Any, storage: Any, intercept: bool) -> None:
    """Also of decimals, of which K is rounded; and where one has −0, or sparse rows hold a 0."""
    x, y = np.random.default_rng(0).normal(size=(7, 3)), np.array([0, 1, 0, 1, 0, 0, 1])
    x[1, 1], x[5] = 0.0, x[1]
    if kernel == "precomputed":
        x = (1.0 + x @ x.T) ** 2
        x[5], x[:, 5] = x[1], x[:, 1]
        rows = storage(x)
    else:
        x[5, 1] = 7.0
        rows = storage(x)
        held = rows.data if storage is csr_array else rows
        held[held == 7.0] = -0.0
    found = separable(in_kernel(rows, y, kernel, intercept))
    assert found.separable is False and found.verify()
    assert found.rows is not None and found.rows.tolist() == [1, 5]
    assert found.multipliers == [Fraction(1, 2), Fraction(1, 2)]
    for more, allowed in ((0, True), (1, found.problem.space.exact)):  # of any length, to the last digit
        forged = Farkas((1, 5), (10**400, 10**400 + more), 2 * 10**400 + more)
        assert found.problem.space.allows(found.problem, forged) is allowed
    with pytest.raises(NoMargin, match=r"in the space of .* \(2 of them prove it\)"):
        max_margin(in_kernel(rows, y, kernel, intercept))


@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(-12, 6), st.booleans(), st.booleans())
def test_a_gaussian_parts_all_that_are_different(seed: int, n: int, width: int, intercept: bool, twice: bool) -> None:
    x, y = wholes(seed, n, 2)
    x, y = (np.repeat(x, 2, axis=0), np.repeat(y, 2)) if twice else (x, y)
    found = separable(in_kernel(x, y, f"rbf:gamma={2.0**width}", intercept))
    assert found.separable is True and found.kind in ("separator", "theorem")
    assert found.verify() is (found.kind == "separator")
    assert width < 0 or found.kind == "separator"


def test_a_theorem_that_floats_cannot_show(tmp_path: Path) -> None:
    problem = in_kernel(XOR, SIDES, "rbf:gamma=1e-20")
    found = separable(problem)
    assert (found.separable, found.kind, found.certificate, found.w) == (True, "theorem", None, None)
    assert not found.verify() and "Micchelli" in str(found) and "rounding" in found.tried[0]
    with pytest.raises(SettingError, match="no hyperplane, but a theorem"):
        found.save(tmp_path / "it")
    with pytest.raises(NoMargin, match="separable with an offset in the space of rbf.*rounding of K hides") as caught:
        max_margin(problem)
    assert caught.value.separable is True


def test_one_class_alone() -> None:
    for kernel in ("rbf", "poly"):
        problem = in_kernel(XOR + 0.1, np.ones(4), kernel)
        assert separable(problem).separable and separable(problem).margin == math.inf
        assert max_margin(problem).margin == max_margin(problem).lower_bound == math.inf


# --- what is rounded -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2])
def test_a_rounded_k_proves_nothing_by_its_last_digits(degree: int) -> None:
    """30 rows with labels by lot, in spaces of 4 and 14 products: K as floats hold it has rank 30, and a hyperplane."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 4)), rng.integers(0, 2, 30)
    problem = in_kernel(x, y, f"poly:degree={degree}")
    assert separable(k_of(problem), y).separable is not False  # the columns of K themselves
    found = separable(problem)
    assert found.separable is None and not problem.space.exact and len(problem.space.pivots) == (5, 15)[degree - 1]
    assert "no hyperplane has a margin above" in found.tried[-1]
    products, _ = naive.monomials(x, degree)
    assert separable(products, y).separable is False
    with pytest.raises(NoMargin, match="no hyperplane with an offset in the space of") as caught:
        max_margin(problem)
    assert caught.value.separable is None
    with pytest.raises(DataError, match=f"kernel poly:degree={degree} is rounded on these rows, which hides ties"):
        minimum_error(problem)


EXACT = {
    "linear": lambda s, a, b, kernel: s,
    "poly": lambda s, a, b, kernel: (Fraction(kernel.gamma) * s + Fraction(kernel.coef0)) ** kernel.degree,
    "rbf": lambda s, a, b, kernel: (-decimal(Fraction(kernel.gamma) * (a + b - 2 * s))).exp(),
    "spectrum": lambda s, a, b, kernel: s,
}
ROUNDED = [
    "linear", "linear:unit=true", "poly", "poly:degree=7,gamma=0.3,coef0=0.1", "poly:degree=2,unit=true", "rbf",
    "rbf:gamma=3", "spectrum:unit=true",
]  # fmt: skip


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


@pytest.mark.parametrize("name", ROUNDED)
def test_values_are_within_their_rounding(name: str) -> None:
    """K by fractions and 60 digits; every kernel that says its rounding has a reference."""
    assert set(EXACT) == {name for name, of in kernel_classes().items() if hasattr(of, "rounding")}
    rng = np.random.default_rng(1)
    x = rng.normal(size=(9, 40)) * 10.0 ** rng.integers(-2, 3, (9, 1))
    rows, kernel = dense(x), kernel_from(name)
    kernel = kernel if kernel.name == "spectrum" else kernel.fitted(rows)
    values, r = kernel.block(rows, rows), kernel.rounding(rows)
    of, own = EXACT[kernel.name], [[Fraction(v) for v in row] for row in x.tolist()]
    norms = [sum(v * v for v in row) for row in own]
    used = 0.0
    with localcontext() as context:
        context.prec = 60
        for i, j in np.ndindex(values.shape):
            s = sum(a * b for a, b in zip(own[i], own[j], strict=True))
            k = of(s, norms[i], norms[j], kernel)
            if kernel.unit:
                long = of(norms[i], norms[i], norms[i], kernel) * of(norms[j], norms[j], norms[j], kernel)
                k = decimal(k) / decimal(long).sqrt()
            off = abs(Fraction(k) - Fraction(values[i, j]))
            used = max(used, float(off / Fraction(r[i] * r[j])))
    assert 0.0 < used < 0.5  # twice what is needed is allowed


@pytest.mark.parametrize(
    ("kernel", "exact"),
    [("linear", True), ("poly:degree=4", True), ("poly:degree=20", False), ("poly:gamma=0.5", False), ("rbf", False),
     ("linear:unit=true", False), (squares, True)],
)  # fmt: skip
def test_which_values_are_k_itself(kernel: Any, exact: bool) -> None:
    x, y = wholes(0, 9, 3, 9)
    assert in_kernel(x, y, kernel).space.exact is exact
    assert in_kernel(x.astype(np.float32), y, kernel).space.exact is exact
    assert not in_kernel(x / 3.0, y, kernel).space.exact


@given(st.integers(0, 10**6), st.integers(2, 30), st.sampled_from(["rbf", "poly:degree=2", "linear", "rbf:gamma=1e-6"]))
def test_the_root_has_the_products_and_equal_rows_stay_equal(seed: int, n: int, kernel: str) -> None:
    rng = np.random.default_rng(seed)
    x = np.repeat(rng.normal(size=(n, 3)), 2, axis=0)
    problem = in_kernel(x, np.arange(2 * n) // 2 % 2, kernel)
    held, plain = problem.space, in_lengths(problem).rows.toarray()
    assert np.array_equal(plain[::2], plain[1::2]) and np.array_equal(held.values, held.values.T)
    off = np.abs(plain[::2] @ plain[::2].T - kernel_from(kernel).fitted(dense(x)).block(*[dense(x[::2])] * 2)).max()
    assert off <= held.error <= 1e-10 * max(1.0, held.largest)
    a = rng.normal(size=n)
    assert held.length(a) ** 2 == pytest.approx(a @ held.values @ a, rel=1e-6, abs=1e-9)


NOT_KERNELS = {
    "K of rows 1 and 2 is 2, and the other way round 3": [[1.0, 2.0], [3.0, 9.0]],
    "no rows of any space have these products": [[1.0, 2.0], [2.0, 1.0]],
    "row 1: its K.x, x. is -1; expected values ≥ 0": [[-1.0, 0.0], [0.0, 1.0]],
}


def test_values_of_no_kernel_are_refused() -> None:
    for sentence, values in NOT_KERNELS.items():
        for ask in (separable, max_margin):
            with pytest.raises(DataError, match=f"kernel precomputed is none: .*{sentence}"):
                ask(in_kernel(values, [0, 1], "precomputed"))
    with pytest.raises(DataError, match="found 4 rows of 2 values"):
        in_kernel(XOR, SIDES, "precomputed")
    for kernel in ("poly", "rbf"):
        with pytest.raises(DataError, match="row 2: kernel .* has values there that float64 does not hold"):
            in_kernel([[1.0], [1e200]], [0, 1], kernel)
    with pytest.raises(SettingError, match="unknown kernel='polly'"):
        in_kernel(XOR, SIDES, "polly")


def test_too_many_rows_are_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "MOST", 15)
    with pytest.raises(DataError, match="^4 rows, 4 of them different, have 16 values of kernel rbf:gamma=2.0, more"):
        in_kernel(XOR, SIDES, "rbf")
