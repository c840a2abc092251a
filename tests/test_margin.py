"""The widest margin: against scikit-learn's SVC, closed forms and exact arithmetic; known values of the shared sets."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.svm import SVC

from command import well
from conftest import load_shared, shared_data
from near_ties import NearTie, near_ties
from rosenblatt.errors import DataError, SettingError
from rosenblatt.theory import MaxMargin, as_problem, max_margin
from rosenblatt.theory.margins import maximum, solver
from rosenblatt.theory.margins.exact import nearest_points
from rosenblatt.theory.margins.maximum import NoMargin
from rosenblatt.theory.margins.points import Points

Array = np.ndarray[Any, Any]


def parted(seed: int, n: int = 60, d: int = 4, by: float = 0.3) -> tuple[Array, Array]:
    """Normal rows, pushed `by` to either side of a random hyperplane with an offset."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    w /= np.linalg.norm(w)
    y = np.where(x @ w > 0.2, 1, -1)
    y[:2] = 1, -1
    return x + ((by + np.maximum(0.0, -y * (x @ w - 0.2))) * y)[:, None] * w + 0.5, y


def exact_margin(found: MaxMargin, x: Array, y: Array) -> Fraction:
    """The square of γ of found.w with the best offset (γ₀ without one), as an exact fraction."""
    w = [Fraction(float(each)) for each in found.w]
    scores = [sum(a * Fraction(float(b)) for a, b in zip(w, row, strict=True)) for row in x]
    if found.fit_intercept:
        up = min(s for s, side in zip(scores, y, strict=True) if side > 0)
        down = max(s for s, side in zip(scores, y, strict=True) if side < 0)
        least = Fraction(up - down) / 2
    else:
        least = min(Fraction(s) * int(side) for s, side in zip(scores, y, strict=True))
    assert least > 0
    return least**2 / Fraction(sum(a * a for a in w))


def exact_distance(found: MaxMargin, x: Array, y: Array) -> Fraction:
    """The square of half the distance of the points of the hulls that the multipliers name, exactly renormalised."""
    point = [Fraction(0)] * x.shape[1]
    for sign in (1, -1):
        shares = {
            int(row): Fraction(float(share))
            for row, share in zip(found.support, found.multipliers, strict=True)
            if not found.fit_intercept or y[row] == sign
        }
        whole = sum(shares.values())
        for row, share in shares.items():
            side = sign if found.fit_intercept else int(y[row])
            for j in range(len(point)):
                point[j] += side * share / whole * Fraction(float(x[row, j]))
        if not found.fit_intercept:
            return Fraction(sum(a * a for a in point))
    return Fraction(sum(a * a for a in point)) / 4


def right_in_floats(case: NearTie, w: Array, b: float) -> bool:
    """Of the floats as they are, in fractions, and of X @ w + b, with X dense or sparse as it was given."""
    bar = list(map(Fraction, [*w.tolist(), b]))
    exact = [sum(map(mul, bar, map(Fraction, [*row, 1.0]))) for row in case.dense.tolist()]
    rounded = case.y * (np.asarray(case.X @ w) + b) > 0.0
    return all(u * int(side) > 0 for u, side in zip(exact, case.y, strict=True)) and bool(rounded.all())


def test_floats_of_thin_margins_hold_or_are_said_not_to() -> None:
    """All 183 that are separable have their margin, the thinnest 8e-21; of 14 no float64 (w, b) separates the rows."""
    said = []
    for case in near_ties(320, seed=8):
        try:
            found = max_margin(case.X, case.y, case.fit_intercept)
        except NoMargin as error:
            assert error.separable is False
            continue
        said.append(found.in_floats)
        assert found.complete and max(found.gap, found.gap_with_bias or 0.0) < 2e-9
        assert found.in_floats == right_in_floats(case, found.w, found.b), case.name
        assert found.in_floats == ("no float64" not in str(found)) and (found.attained > 0.0 or not found.in_floats)
        if found.w_with_bias is not None and found.b_with_bias is not None:
            holds = right_in_floats(case, found.w_with_bias, found.b_with_bias)
            assert found.in_floats_with_bias == holds, case.name
    assert len(said) == 183 and said.count(False) <= 14


def test_what_is_left_of_a_margin_in_floats_is_told() -> None:
    """b, rounded, moves the hyperplane by 5e-9 where rows lie 1e8 from the origin."""
    x, y = parted(0, 50, 3, by=0.1)
    x = x + 1e8
    found = max_margin(x, y)
    w, exact = [Fraction(float(each)) for each in found.w], []
    for row, side in zip(x, y, strict=True):
        exact.append(int(side) * (sum(a * Fraction(float(v)) for a, v in zip(w, row, strict=True)) + Fraction(found.b)))
    assert found.attained == pytest.approx(float(min(exact)) / float(np.linalg.norm(found.w)), rel=1e-12)
    assert 0.0 < found.lower_bound - found.attained < 1e-6


def test_two_rows_are_half_their_distance_apart() -> None:
    found = max_margin([[1.0, 2.0], [4.0, 6.0]], [0, 1])
    assert found.margin == pytest.approx(2.5, rel=1e-14)
    assert found.w == pytest.approx(np.array([3.0, 4.0]) * 2 / 25, rel=1e-13)
    assert found.b == pytest.approx(1 - found.w @ [4.0, 6.0])
    assert found.support.tolist() == [0, 1] and found.multipliers == pytest.approx([1.0, 1.0])


def test_with_the_bias_counted_two_rows_make_a_nearest_point() -> None:
    """γ̄ is the norm of the nearest point of the line from (−0, −1) to (3, 1)."""
    found = max_margin([[0.0], [3.0]], [0, 1])
    assert found.margin_with_bias == pytest.approx(3 / math.sqrt(13), rel=1e-13)
    assert found.margin == pytest.approx(1.5, rel=1e-13)


def test_through_the_origin_one_row_may_hold_the_margin() -> None:
    found = max_margin([[-2.0], [1.0]], [0, 1], fit_intercept=False)
    assert found.margin == pytest.approx(1.0) and found.support.tolist() == [1] and found.b == 0.0
    assert found.margin_with_bias is None and found.w_with_bias is None and found.gap_with_bias is None


@pytest.mark.parametrize("label", [1, -1])
def test_one_class_with_an_offset_has_no_bound(label: int) -> None:
    found = max_margin([[2.0], [3.0]], [label, label])
    assert found.margin == math.inf and not found.w.any() and abs(found.b) == 1.0 and found.gap == 0.0
    assert found.margin_with_bias == pytest.approx(math.sqrt(5.0), rel=1e-12)


@pytest.mark.parametrize(("n", "d"), [(20, 2), (60, 5), (200, 10), (30, 80), (120, 150)])
def test_the_margin_is_that_of_a_support_vector_machine(n: int, d: int) -> None:
    x, y = parted(n + d, n, d)
    machine = SVC(kernel="linear", C=1e10, tol=1e-8).fit(x, y)
    found = max_margin(x, y)
    assert found.margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-5)
    assert found.w == pytest.approx(machine.coef_[0], rel=1e-3, abs=1e-4 * np.abs(found.w).max())
    assert found.gap < 1e-8 and found.gap_with_bias is not None and found.gap_with_bias < 1e-8
    assert (y * (x @ found.w + found.b)).min() == pytest.approx(1.0, rel=1e-9)


def in_floats_alone(x: Array, y: Array, intercept: bool = True) -> MaxMargin:
    """Without the exact end, which few columns have: bounds from w and from the multipliers as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(maximum, "exactly", lambda points, best, deadline: best)
        found = max_margin(x, y, intercept)
    assert Fraction(found.lower_bound) ** 2 <= exact_margin(found, x, y)
    assert exact_distance(found, x, y) <= Fraction(found.upper_bound) ** 2
    return found


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.booleans())
def test_both_bounds_hold_in_exact_arithmetic(seed: int, n: int, d: int, intercept: bool) -> None:
    x, y = parted(seed, n, d)
    if not intercept:
        x[:, 0] = y * (0.1 + np.abs(x[:, 0]))
    found = in_floats_alone(x, y, intercept)
    assert exact_margin(found, x, y) <= exact_distance(found, x, y)
    assert found.gap == pytest.approx(found.upper_bound / found.lower_bound - 1, abs=1e-15) and found.gap < 1e-8
    if intercept:
        assert found.margin_with_bias is not None and found.upper_bound_with_bias is not None
        assert found.margin_with_bias <= found.margin * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_far_from_the_origin(seed: int) -> None:
    """A lower bound that rounded the scores to float64 was above the exact margin here, by 2e-8."""
    x, y = parted(seed, 50, 3, by=0.1)
    x = x + 1e8
    found, exact = in_floats_alone(x, y), max_margin(x, y)
    assert found.gap < 1e-6 and exact.gap < 1e-9
    assert found.lower_bound <= exact.lower_bound and exact.upper_bound <= found.upper_bound


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 5), st.sampled_from(["free", "counted", "origin"]))
def test_the_nearest_points_are_the_nearest(seed: int, n: int, d: int, kind: str) -> None:
    """Of columns whose sizes differ by 1e15, in fractions: λ ≥ 0, their sum, and no row nearer than theirs."""
    x, y = parted(seed, n, d)
    if kind == "origin":
        x[:, 0] = y * (0.1 + np.abs(x[:, 0]))
    x = x * np.geomspace(1.0, 1e15, d)
    problem = as_problem(x, y, kind != "origin")
    start = np.random.default_rng(seed).permutation(n)[: seed % n]
    found = nearest_points(Points.of(problem, kind == "counted"), start)
    assert found is not None
    shares, vector = found
    bar = [[*map(Fraction, row), *[Fraction(1)] * (kind == "counted")] for row in x.tolist()]
    signs = y.astype(int).tolist()
    assert vector == [sum(share * signs[i] * bar[i][j] for i, share in shares.items()) for j in range(len(vector))]
    sides = [[i for i in range(n) if kind != "free" or signs[i] == side] for side in (1, -1)][: 1 + (kind == "free")]
    assert min(shares.values()) > 0 and all(sum(shares.get(i, 0) for i in side) == 1 for side in sides)
    least = [min(signs[i] * sum(map(mul, vector, bar[i])) for i in side) for side in sides]
    assert sum(least) == sum(map(mul, vector, vector)) > 0


@pytest.mark.parametrize("by", [1e-5, 1e-7, 1e-9])
def test_thin_margins_have_small_gaps(by: float) -> None:
    """Twenty rows lie exactly as near as that; the interior-point solver alone calls these inseparable at 1e-7."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((100, 6))
    y = np.where(x[:, 0] > 0, 1, -1)
    x[:20, 0] = by * y[:20]
    found = max_margin(x, y)
    assert by * (1 - 1e-6) <= found.margin
    assert found.gap < 1e-6


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150])
def test_tiny_and_huge_values(factor: float) -> None:
    """Beside a bias of 1 the tiny ones vanish: γ̄ = γ to the last digit, by a hyperplane whose w is 1e150 long."""
    x, y = parted(1)
    found, expected = max_margin(x * factor, y), max_margin(x, y)
    assert found.margin / factor == pytest.approx(expected.margin, rel=1e-9)
    assert found.gap < 1e-6 and found.gap_with_bias is not None and found.gap_with_bias < 1e-6
    assert np.isfinite(found.w).all() and found.w.any()
    if factor < 1.0:
        assert found.margin_with_bias == pytest.approx(found.margin, rel=1e-9, abs=0.0)


def test_a_margin_without_digits_is_found_in_fractions() -> None:
    """Columns of 1e-8 and 1e8: the margin is 1e-17 of the rows' length, and bounds in floats do not meet."""
    x, y = parted(1, d=3)
    x[:, 0] = y * (0.1 + np.abs(x[:, 0]))
    x = x * np.array([1e-8, 1.0, 1e8])
    found, exact = in_floats_alone(x, y), max_margin(x, y)
    assert 0.0 < found.lower_bound <= exact.lower_bound <= exact.upper_bound <= found.upper_bound
    assert not found.complete and exact.complete and exact.gap < 1e-9
    assert exact.attained == pytest.approx(exact.margin, rel=1e-9)


def test_what_was_found_in_time_is_returned_with_its_gap() -> None:
    """Or nothing was: then it is not said that the rows are not separable."""
    x, y = parted(9, 3000, 60)
    try:
        found = max_margin(x, y, time_limit=1e-6)
    except DataError as error:
        assert str(error).startswith("no hyperplane with an offset was found that separates the rows")
    else:
        assert found.lower_bound <= found.margin <= found.upper_bound
        assert found.complete or found.gap > 1e-9


@given(st.integers(0, 10**6))
def test_turning_and_moving_leaves_the_margin(seed: int) -> None:
    x, y = parted(seed, 30, 3)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    found, moved = max_margin(x, y), max_margin(x @ turn + rng.standard_normal(3) * 10, y)
    assert moved.margin == pytest.approx(found.margin, rel=1e-9)
    turned = max_margin(x @ turn, y)
    assert turned.margin_with_bias == pytest.approx(found.margin_with_bias, rel=1e-9)


@pytest.mark.parametrize("factor", [2.0**-40, 1e-3, 3.0, 2.0**60])
def test_scaling_all_columns_scales_the_margin(factor: float) -> None:
    x, y = parted(7)
    assert max_margin(x * factor, y).margin == pytest.approx(factor * max_margin(x, y).margin, rel=1e-8)


def test_a_bias_far_below_or_above_the_data_makes_little_or_all_of_the_margin() -> None:
    """γ̄ of s·x over s: γ₀ for s → ∞ (the bias is nothing), and below γ·s always."""
    x, y = parted(3)
    x[:, 0] = y * (0.1 + np.abs(x[:, 0]))
    origin = max_margin(x, y, fit_intercept=False).margin
    far = max_margin(1e5 * x, y)
    assert far.margin_with_bias is not None
    assert far.margin_with_bias / 1e5 == pytest.approx(origin, rel=1e-4)
    assert far.margin_with_bias <= far.margin


@pytest.mark.parametrize("kind", ["csr", "float32", "twice", "reversed", "lists", "labels", "problem"])
def test_the_same_rows_in_any_form_have_the_same_margin(kind: str) -> None:
    x, y = parted(11, 80, 5)
    x = np.round(x * 256) / 256
    expected = max_margin(x, y)
    found = {
        "csr": lambda: max_margin(csr_array(x), y),
        "float32": lambda: max_margin(x.astype(np.float32), y),
        "twice": lambda: max_margin(np.concatenate([x, x]), np.concatenate([y, y])),
        "reversed": lambda: max_margin(x[::-1], y[::-1]),
        "lists": lambda: max_margin(x.tolist(), y.tolist()),
        "labels": lambda: max_margin(x, np.where(y > 0, "a", "b"), positive="a"),
        "problem": lambda: max_margin(as_problem(x, y)),
    }[kind]()
    assert found.margin == pytest.approx(expected.margin, rel=1e-9)
    assert found.margin_with_bias == pytest.approx(expected.margin_with_bias, rel=1e-9)
    assert found.w == pytest.approx(expected.w, rel=1e-6, abs=1e-9)


def test_many_rows_are_taken_in_by_and_by() -> None:
    x, y = parted(5, 5000, 12)
    found = max_margin(x, y)
    machine = SVC(kernel="linear", C=1e10, tol=1e-8).fit(x, y)
    assert found.margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-5)
    assert found.gap < 1e-8 and len(found.support) < 100


@pytest.mark.parametrize("intercept", [True, False])
def test_rows_that_no_hyperplane_separates_are_refused(intercept: bool) -> None:
    with pytest.raises(DataError, match="not separable.*prove it"):
        max_margin([[1.0], [-1.0], [2.0], [-2.0]], [0, 1, 1, 0], intercept)


def test_who_gets_no_margin_is_told_the_verdict() -> None:
    for x, y, verdict in [([[0.0], [1.0], [2.0]], [0, 1, 0], False), ([[1.0], [1.0 + 2e-16]], [0, 1], True)]:
        try:
            assert max_margin(x, y).margin > 0.0 and verdict
        except NoMargin as error:
            assert error.separable is verdict


def test_the_larger_of_both_gaps_is_told() -> None:
    found = in_floats_alone(np.array([[1e36], [3e36]]), np.array([-1, 1]))
    assert found.gap < 1e-6 < found.gap_with_bias and f"gap {found.gap_with_bias:.1g}" in str(found)


def test_equal_rows_with_opposite_labels_are_refused() -> None:
    with pytest.raises(DataError, match="not separable"):
        max_margin([[1.0, 1.0], [1.0, 1.0]], [0, 1])


@pytest.mark.parametrize("limit", [0, -1.0, math.nan])
def test_a_time_limit_is_above_0(limit: float) -> None:
    with pytest.raises(SettingError, match="time_limit"):
        max_margin([[0.0], [1.0]], [0, 1], time_limit=limit)


@pytest.mark.parametrize("width", [0, 3])
def test_rows_without_values(width: int) -> None:
    with pytest.raises(DataError, match="not separable"):
        max_margin(np.zeros((2, width)), [0, 1])
    assert max_margin(np.zeros((2, width)), [1, 1]).margin_with_bias == pytest.approx(1.0)


# --- known values ---

KNOWN = [
    ("iris", True, 0.817556, 0.749117),
    ("sonar", True, 0.00108045, 0.00107931),
    ("sonar", False, 1.06736e-4, None),
    ("mushrooms_agaricus", True, 0.27496, 0.274755),
    ("rcv1_small", True, None, 0.0413229),
    ("sofia_demo", True, None, 0.834927),
]


@pytest.mark.parametrize(("name", "intercept", "margin", "with_bias"), KNOWN)
def test_margins_of_the_shared_sets(name: str, intercept: bool, margin: float | None, with_bias: float | None) -> None:
    x, y = load_shared(name)
    found = max_margin(x, y, intercept, 0 if name == "iris" else None)
    for known, value in ((margin, found.margin), (with_bias, found.margin_with_bias)):
        if known is not None:
            assert value == pytest.approx(known, rel=5e-6)
    assert found.gap <= 1e-6
    assert found.gap_with_bias is None or found.gap_with_bias <= 1e-6


@pytest.mark.slow
def test_margin_of_mnist_0_against_1(tmp_path: Path) -> None:
    images = shared_data("mnist") / "train-images-idx3-ubyte.xz"
    found = json.loads(well("margin", images, "--only", "0,1", "--json").out)["margins"][0]
    assert found["margin"] == pytest.approx(108.252, rel=5e-6)
    assert found["gap"] <= 1e-6 and found["gap_with_bias"] <= 1e-6


def test_a_program_that_needs_a_second_guess_is_left_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each guess had the whole time: with 5 s, 1,000 rows of a Gaussian kernel took 15."""
    points, asked = Points.of(as_problem([[1e-6], [-1e-6]], [1, 0])), list[float]()
    monkeypatch.setattr(solver, "GOOD", -1.0)  # no guess is good enough
    for form in ("_primal", "_dual"):
        real = getattr(solver, form)
        monkeypatch.setattr(solver, form, lambda m, y, s, real=real: asked.append(s) or real(m, y, s))
    for deadline, guesses in ((math.inf, solver.AGAIN), (0.0, 1)):
        asked.clear()
        assert solver._program(points, np.arange(2), None, deadline) is not None
        assert len(asked) == guesses
