"""Certificates: what is proven, by whom it can be checked, and that nothing false passes.

peers.md: "users ask whether data are separable … → a verdict with proof".
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from near_ties import COUNT, NearTie, near_ties, truth
from proofs import crowded, proves, signed
from rosenblatt.core.rows import csr
from rosenblatt.theory.problem import Problem, as_problem
from rosenblatt.theory.proof.certificate import Enclosure, Farkas, Separator
from rosenblatt.theory.proof.exact import certified_separator
from rosenblatt.theory.proof.farkas import decide, enclose, farkas_near, farkas_on
from rosenblatt.theory.proof.integers import bounded_margins, columns_of, dyadic


def problem_of(case: NearTie) -> Problem:
    return as_problem(case.X, case.y, case.fit_intercept, 1.0)


# --- floats as integers


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20), st.sampled_from("fd"))
def test_floats_become_integers_without_rounding(values: list[float], kind: str) -> None:
    with np.errstate(over="ignore"):
        held = np.array(values, kind)
    held = held[np.isfinite(held)]
    m, e = dyadic(held)
    exact = list(map(Fraction, held.tolist()))
    assert [int(a) * Fraction(2) ** int(b) for a, b in zip(m, e, strict=True)] == exact
    if held.size:
        found = columns_of(as_problem(held[:, None], np.ones(held.size), False), np.arange(held.size))
        unit = Fraction(2) ** int(found.exponents[0])
        assert [int(each) * unit for each in found.numerators[:, 0]] == exact


# --- separators


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([np.float32, np.float64]))
@settings(max_examples=60, deadline=None)
def test_the_bound_on_rounding_holds(seed: int, sparse: bool, kind: Any) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 8)), int(rng.integers(1, 30))
    x = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-20, 20, (n, d))).astype(kind) * (rng.random((n, d)) < 0.7)
    problem = as_problem(csr_array(x) if sparse else x.astype(kind), np.ones(n))
    w, b = rng.normal(size=d) * 10.0 ** rng.integers(-200, 200, d), float(rng.normal())
    scores, bound = bounded_margins(problem, w, b)  # of one class, whose sign is +
    for row, score, most in zip(np.asarray(x, np.float64).tolist(), scores, bound, strict=True):
        exact = sum((Fraction(u) * Fraction(v) for u, v in zip(row, w.tolist(), strict=True)), Fraction(b))
        assert not np.isfinite(most) or abs(exact - Fraction(float(score))) <= Fraction(float(most))


def test_a_row_on_the_plane_is_no_proof_and_a_row_beside_it_is() -> None:
    x = np.array([[3.0, 1.0], [1.0, 3.0], [0.0, 0.0]])
    w = np.array([0.1, -0.1])
    flat = as_problem(x, [1, 0, 1], False)
    assert certified_separator(flat, w, 5.0) is None  # without an offset b is not used, and the zero row stays on it
    found = certified_separator(as_problem(x, [1, 0, 1]), w, 0.0)
    assert found is not None and found.b > 0 and proves(as_problem(x, [1, 0, 1]), found)


def test_the_offset_is_found_where_the_given_one_fails() -> None:
    """Between two neighbours 1 ulp apart lies no float: then b is a fraction of more bits."""
    low = 1e8
    x = np.array([[low], [np.nextafter(low, np.inf)]])
    for y in ([0, 1], [1, 0]):
        problem = as_problem(x, y)
        w = np.array([1.0 if y[1] else -1.0])
        found = certified_separator(problem, w, 0.0)
        assert found is not None and found.check(problem) and found.plain(problem) and proves(problem, found)
        assert certified_separator(problem, -w, 0.0) is None
    alone = as_problem(x, [1, 1])
    assert proves(alone, certified_separator(alone, np.zeros(1), -3.0))  # type: ignore[arg-type]


def test_weights_that_overflow_or_are_no_numbers_prove_nothing_false() -> None:
    problem = as_problem(np.array([[1e300, 1.0], [-1e300, 1.0]]), [1, 0])
    found = certified_separator(problem, np.array([1e300, 1e-300]), 0.0)
    assert found is not None and proves(problem, found)
    assert certified_separator(problem, np.array([np.nan, 1.0]), 0.0) is None


def test_a_weight_below_all_floats_counts_as_much_as_it_is() -> None:
    """Rounded to 0 it would leave 1e-100 of 1e-100 − 1e-92, and a proof of it."""
    ten = 10**400
    for weight, right in [(-1, False), (1, True)]:
        problem = as_problem([[1e-100, 1e308]], [1], False, 1)
        found = Separator((ten, weight), 0, ten)
        assert found.check(problem) is found.plain(problem) is proves(problem, found) is right


def test_integers_that_overflow_are_no_proof() -> None:
    problem = as_problem([[2.0], [1.0]], [1, -1], False)
    many, half = np.int64(2**62), np.int64(1)
    with np.errstate(all="ignore"):
        assert not Separator((many,), 0, 1).check(problem) and not Separator((many,), 0, 1).plain(problem)
        assert not Farkas((0, 1), (half, np.int64(2)), 3).check(problem)
    assert Farkas((0, 1), (1, 2), 3).check(problem)


def test_a_tie_that_floats_see_as_a_margin_is_refused() -> None:
    """0.1 + 0.2 and 0.3: the score of the third row is 0 in floats of one order and above it in another."""
    x = np.array([[0.1, 0.2, -0.3], [0.2, 0.1, -0.3], [0.3, -0.2, -0.1]])
    exact = [sum(map(Fraction, row)) for row in x.tolist()]
    problem = as_problem(x, [1, 1, 1], False)
    assert (certified_separator(problem, np.ones(3), 0.0) is not None) == all(value > 0 for value in exact)


# --- exact simplex, and the near-ties


def test_near_ties_are_decided_rightly() -> None:
    """All 500: the exact simplex against the reference, each proof checked in fractions."""
    counts = [0, 0]
    for case in near_ties():
        problem = problem_of(case)
        found = decide(problem)
        assert isinstance(found, Separator) == truth(case), case.name
        assert found.check(problem) and found.plain(problem) and proves(problem, found), case.name
        if isinstance(found, Farkas):
            assert len(found.rows) <= problem.d + 1 + case.fit_intercept, case.name
        counts[isinstance(found, Separator)] += 1
    assert sum(counts) == COUNT and min(counts) > 150


def test_builders_never_contradict_the_truth() -> None:
    for case in list(near_ties(96)):
        problem, separable = problem_of(case), truth(case)
        on = farkas_on(problem, np.arange(problem.n))
        assert (on is None) == separable, case.name
        if on is not None:
            assert proves(problem, on)
        near = farkas_near(problem, np.arange(problem.n), np.ones(problem.n))
        around = enclose(problem, np.arange(problem.n), np.ones(problem.n))
        assert not separable or near is None and around is None, case.name
        w = np.linalg.lstsq(signed(problem), np.ones(problem.n))[0]
        w, b = (w[:-1], w[-1]) if case.fit_intercept else (w, 0.0)
        found = certified_separator(problem, w, b)
        assert found is None or separable and proves(problem, found), case.name


@pytest.mark.parametrize(("n", "d"), [(500, 1), (100, 5), (22, 22), (5, 100)])
def test_wide_scales_are_decided(n: int, d: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 9, d) + 1e8
    problem = as_problem(x, rng.choice([0, 1], n))
    found = decide(problem)
    assert found.check(problem) and proves(problem, found)
    assert isinstance(found, Separator) == (d >= n - 1)


def test_the_smallest_problems() -> None:
    zero = as_problem(np.zeros((1, 3)), [1], False)
    assert decide(zero) == Farkas((0,), (1,), 1) == farkas_on(zero, np.array([0]))
    assert decide(as_problem(csr_array((2, 3)), [0, 1], False)).check(as_problem(csr_array((2, 3)), [0, 1], False))
    assert isinstance(decide(as_problem(np.zeros((3, 1)), [1, 1, 1])), Separator)
    twins = as_problem(csr_array(np.array([[0.0, 2.5], [0.0, 2.5]])), [0, 1])
    assert decide(twins) == Farkas((0, 1), (1, 1), 2)


# --- multipliers


def test_supports_with_more_rows_than_needed() -> None:
    """Kernels of more than one dimension: whole numbers, repeated rows, columns that depend on others."""
    x = np.array([[0.0, 0, 1], [2, 0, 1], [1, 1, 1], [1, -1, 1], [1, 0, 1], [1, 0, 1]])
    problem = as_problem(x, [1, 1, 0, 0, 1, 0])
    for rows in ([0, 1, 2, 3], [4, 5], [0, 1, 2, 3, 4, 5], [5, 4, 4, 0]):
        found = farkas_on(problem, np.array(rows))
        assert found is not None and proves(problem, found) and set(found.rows) <= set(rows)
    for rows in ([0, 1], [2, 3], [0, 1, 4], [0, 2], []):
        assert farkas_on(problem, np.array(rows, int)) is None


def test_an_interior_point_is_corrected_exactly() -> None:
    rng = np.random.default_rng(1)
    for kind, sparse in ((np.float64, False), (np.float32, False), (np.float64, True)):
        problem, lam = crowded(rng, 60, 12, kind)
        if sparse:
            x = csr_array(problem.x)
            problem = problem._replace(rows=csr(x.data, x.indices, x.indptr, x.shape[1]))
        found = farkas_near(problem, np.arange(60), lam * rng.uniform(0.999, 1.001, 60))
        assert found is not None and len(found.rows) > 50 and proves(problem, found)


def test_dependent_columns_need_no_regular_matrix() -> None:
    rng = np.random.default_rng(2)
    problem, lam = crowded(rng, 60, 8)
    x = np.concatenate([problem.x, problem.x[:, :2] * 2, np.zeros((60, 1)), np.full((60, 1), 7.0)], axis=1)
    wide = as_problem(x, problem.y)
    found = farkas_near(wide, np.arange(60), lam)
    assert found is not None and proves(wide, found)
    still = as_problem(x[:, [*range(8), 10, 11]], problem.y)  # columns of one value are no equations of their own
    assert enclose(still, np.arange(60), lam) is not None


# --- enclosures


def test_an_enclosure_holds_where_exact_multipliers_are_near() -> None:
    problem, lam = crowded(np.random.default_rng(3), 200, 40)
    found = enclose(problem, np.arange(200), lam)
    assert found is not None and found.check(problem) and len(found.basis) == 41
    exact = farkas_near(problem, np.array(found.rows), np.array(found.multipliers))
    assert exact is not None and proves(problem, exact)
    turned = problem._replace(y=np.where(np.arange(200) == found.rows[0], -problem.y, problem.y))
    assert not found.check(turned)
    for wrong in (
        replace(found, multipliers=(-found.multipliers[0], *found.multipliers[1:])),
        replace(found, multipliers=(found.multipliers[0] * 1e6, *found.multipliers[1:])),
        replace(found, basis=found.basis[1:]),
        replace(found, rows=(found.rows[1], *found.rows[1:])),
        replace(found, rows=(10**9, *found.rows[1:])),
        replace(found, rows=(), multipliers=(), basis=()),
    ):
        assert not wrong.check(problem)


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_what_is_separable_is_never_enclosed(seed: int) -> None:
    """Sets with a margin of 1e-6 to 1e-16, so that the best multipliers combine the rows to nearly 0."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 8))
    n = int(rng.integers(d + 2, 40))
    problem, lam = crowded(rng, n, d)
    w = rng.normal(size=d)
    x = problem.x.copy()
    x += ((problem.y * 10.0 ** -rng.uniform(6, 16) - x @ w)[:, None] * w) / (w @ w)
    flat = as_problem(x, problem.y)
    truly = decide(flat)
    lam = rng.dirichlet(np.ones(n)) if rng.random() < 0.5 else lam
    found = enclose(flat, np.arange(n), lam)
    if isinstance(truly, Separator):
        assert found is None
        forged = Enclosure(tuple(range(n)), tuple((lam / lam.sum()).tolist()), tuple(range(d + 1)))
        assert not forged.check(flat)


def test_subnormal_and_huge_values_are_not_enclosed_by_mistake() -> None:
    x = np.array([[5e-324], [1e-323], [1.5e-323], [0.0]])
    problem = as_problem(x, [1, 1, 1, 0])
    assert isinstance(decide(problem), Separator) and enclose(problem, np.arange(4), np.ones(4)) is None
    x = np.array([[1e308, 1.0], [-1e308, 1.0], [1.0, 1e308], [1.0, -1e308]])
    huge = as_problem(x, [1, 1, 0, 0], False)
    assert enclose(huge, np.arange(4), np.ones(4)) is not None and isinstance(decide(huge), Farkas)
    huge = as_problem(x, [1, 0, 0, 1], False)
    assert enclose(huge, np.arange(4), np.ones(4)) is None and isinstance(decide(huge), Separator)
