"""The fewest errors: by enumeration against a plain reference, on data full of ties, and both bounds beyond."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from naive_minimum_error import by_program, can_all_be_right, fewest
from rosenblatt.errors import DataError, SettingError
from rosenblatt.theory import MinimumError, as_problem, minimum_error
from rosenblatt.theory.fewest import errors as planes
from rosenblatt.theory.fewest.sides import Cover
from rosenblatt.theory.fewest.sweep import scan_planes
from rosenblatt.theory.proof.certificate import Separator

Load = Callable[..., tuple[Any, Any]]


def wrong_by_hand(result: MinimumError) -> list[int]:
    """Rows with y·u ≤ 0 of the hyperplane in whole numbers, by fractions alone."""
    found, problem = result.separator, result.problem
    x = problem.x.todense() if hasattr(problem.x, "todense") else problem.x
    out = []
    for i, row in enumerate(np.asarray(x).tolist()):
        u = sum((w * Fraction(v) for w, v in zip(found.w, row, strict=True)), Fraction(found.b))
        if u * int(problem.y[i]) <= 0:
            out.append(i)
    return out


def honest(result: MinimumError, floats: bool = True) -> None:
    """What is claimed of the hyperplane is so, strictly and exactly, and of (w, b) too. floats: they are as good."""
    assert wrong_by_hand(result) == result.rows_wrong.tolist()
    assert len(result.rows_wrong) == result.errors and result.verify()
    assert result.lower_bound <= result.errors and result.optimal == (result.lower_bound == result.errors)
    right = np.setdiff1d(np.arange(result.problem.n), result.rows_wrong)
    exactly = np.flatnonzero(Separator.of(result.w, result.b).right_rows(result.problem)).tolist() == right.tolist()
    scores = np.asarray(result.problem.x @ result.w) + result.b
    assert result.in_floats == (exactly and bool((result.problem.y * scores > 0.0)[right].all()))
    assert result.in_floats or not floats
    assert result.in_floats == ("no float64 w and b" not in str(result))
    assert result.problem.fit_intercept or (result.b == 0.0 and result.separator.b == 0)


@st.composite
def grids(draw: st.DrawFn, most: int = 8, columns: tuple[int, int] = (1, 3)) -> tuple[Any, Any, bool]:
    """Few places and many rows: duplicates, opposite duplicates, lines and planes full of points, zeros."""
    d, n = draw(st.integers(*columns)), draw(st.integers(1, most))
    value = st.integers(-draw(st.integers(0, 2)), draw(st.integers(0, 2)))
    x = np.array([[draw(value) for _ in range(d)] for _ in range(n)], float)
    unit = draw(st.sampled_from([1.0, 0.1, 1 / 3, 2.0**-40, 1e17]))
    shift = draw(st.sampled_from([0.0, 0.0, 0.7, 1e8]))
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    return x * unit + shift, y, draw(st.booleans())


def small(x: Any) -> bool:
    return bool((x == np.round(x)).all() and abs(x).max() < 9)


SEVENTHS = np.full((4, 5), 0.7)
SEVENTHS[3, 1] = 0.6999999999999998
THIN = (SEVENTHS, np.array([-1.0, -1.0, -1.0, 1.0]), False)
TOUCHED = (
    np.array([[-1.0, -2], [-2, -1], [-1, -1], [-1, 0], [0, -2], [-1, -2], [-1, -2]]),
    np.array([-1.0, -1, -1, -1, -1, 1, 1]),
    True,
)
"""The best of the learners all but touches two rows."""
"""Two floats apart: the hyperplane in whole numbers made no error, and rounded, as (w, b), it made 3."""


def solved(x: Any, y: Any, offset: bool, **more: Any) -> MinimumError:
    return minimum_error(x, y, offset, 1.0 if 1.0 in y else None, **more)


@given(grids())
@settings(max_examples=150)
def test_ties_are_exact(drawn: tuple[Any, Any, bool]) -> None:
    x, y, offset = drawn
    result = solved(x, y, offset)
    honest(result, floats=small(x))
    assert result.optimal and result.errors == fewest(x.tolist(), y.tolist(), offset)
    assert result.method == "enumeration"


@given(grids(most=7, columns=(4, 5)))
@settings(max_examples=25)
@example(THIN)
def test_supports_and_hitting_sets_close_in(drawn: tuple[Any, Any, bool]) -> None:
    x, y, offset = drawn
    result = solved(x, y, offset, time_limit=600.0)
    honest(result, floats=small(x) or x is SEVENTHS)
    assert result.lower_bound <= fewest(x.tolist(), y.tolist(), offset) <= result.errors
    assert result.optimal or not small(x), "tenths are ties that (w, b) in floats cannot hold"


@given(grids(columns=(2, 3)))
@settings(max_examples=30)
@example(TOUCHED)
def test_without_enumeration_the_same(drawn: tuple[Any, Any, bool]) -> None:
    """The other method on data where the first one knows."""
    x, y, offset = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.theory.fewest.errors.MOST_COLUMNS", 0)
        result = solved(x, y, offset, time_limit=600.0)
    fewest_of_all = solved(x, y, offset).errors
    honest(result, floats=small(x))
    assert result.lower_bound <= fewest_of_all <= result.errors
    assert result.optimal or not small(x), "tenths are ties that (w, b) in floats cannot hold"


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("offset", [True, False])
def test_compiled_and_plain_agree(d: int, offset: bool) -> None:
    """Also where floats do not tell: tenths, which are nearly on lines."""
    rng = np.random.default_rng(d)
    x, y = rng.integers(0, 6, (22, d)) * 0.1, rng.choice([-1.0, 1.0], 22)
    whole = planes._whole(as_problem(x, y, offset))
    for p, first, last in planes._turns(whole, len(whole.vectors)):
        plain, compiled = np.array([99, -1]), np.array([99, -1])
        scan_planes.plain(whole.points, p, first, last, plain)
        scan_planes(whole.points, p, first, last, compiled)
        assert plain.tolist() == compiled.tolist()


@pytest.mark.parametrize(
    ("name", "columns", "positive", "errors"),
    [
        ("iris", [2, 3], 1.0, 29),
        ("pima", [1, 5], None, 172),
        ("heart_scale", [2, 9, 12], None, 48),
        ("breast_cancer_w", [0, 1], None, 37),
        ("sonar", [10, 35, 44], None, 34),
    ],
)
def test_known_sets(name: str, columns: list[int], positive: Any, errors: int, load_shared: Load) -> None:
    """heart_scale has equal rows with opposite labels: without them it would be 45."""
    x, y = load_shared(name)
    told: list[tuple[int, int]] = []
    result = minimum_error(x[:, columns], y, True, positive, progress=lambda *both: told.append(both))
    honest(result)
    assert result.errors == result.lower_bound == errors and result.optimal
    assert [found for found, _ in told] == sorted((found for found, _ in told), reverse=True)


def test_a_mixed_integer_program_agrees(load_shared: Load) -> None:
    x, y = load_shared("sonar")
    x = x[:, [10, 35, 44]].toarray()[::5]
    assert minimum_error(x, y[::5]).errors == by_program(x.tolist(), y[::5].tolist())


def test_both_bounds_where_they_do_not_meet(load_shared: Load, ticking: None) -> None:
    """iris, four columns: 26 errors are found in a second, and nobody proves them in that time."""
    x, y = load_shared("iris")
    result = minimum_error(x, y, True, 1.0, time_limit=1.0)
    honest(result)
    assert 26 <= result.errors <= 31 and 10 <= result.lower_bound <= 26 and result.method == "supports"
    last = minimum_error(x, y, True, 2.0, time_limit=600.0)
    honest(last)
    assert (last.errors, last.lower_bound) == (1, 1)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_no_time_gives_true_bounds(d: int) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((40, d)), rng.choice([-1.0, 1.0], 40)
    x[1], y[:2] = x[0], [1.0, -1.0]
    result = minimum_error(x, y, time_limit=0.0)
    honest(result)
    assert 1 <= result.lower_bound <= result.errors <= 20


def test_columns_of_very_different_sizes() -> None:
    """Products of four differences underflow here: only whole numbers tell."""
    rng = np.random.default_rng(0)
    x = rng.integers(-2, 3, (8, 3)) * np.array([1e-300, 1.0, 1e300])
    x[0, 0], x[1, 0] = 1e300, 5e-324
    y = np.array([1.0, -1.0] * 4)
    for columns in ([0, 1], [0, 1, 2]):
        result = minimum_error(x[:, columns], y)
        assert result.optimal and result.verify() and wrong_by_hand(result) == result.rows_wrong.tolist()
        assert result.errors == fewest(x[:, columns].tolist(), y.tolist(), True)


def test_a_line_that_floats_cannot_hold_is_kept_in_whole_numbers() -> None:
    """All right rows lie within 2⁻⁵² of a line that they are on both sides of."""
    x = np.array([[1.0, 1.0], [1.0 + 2.0**-52, 1.0], [1e16, 1e16], [1e16, 1e16 + 2.0], [3.0, 3.0], [3.0, 3.0 - 2**-51]])
    y = np.array([-1.0, 1.0, 1.0, -1.0, -1.0, 1.0])
    result = minimum_error(x, y)
    assert result.errors == fewest(x.tolist(), y.tolist(), True)
    assert result.verify() and wrong_by_hand(result) == result.rows_wrong.tolist()


def test_small_cases_by_hand() -> None:
    one = minimum_error([[1.0, 2.0], [3.0, 4.0]], [7, 7])
    assert (one.errors, one.optimal, one.b) == (0, True, 1.0)
    xor = minimum_error([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    assert xor.errors == 1
    same = minimum_error([[5, 5, 5]] * 5, [1, 1, 1, -1, -1])
    assert (same.errors, same.rows_wrong.tolist()) == (2, [3, 4])
    nothing = minimum_error([[0.0, 0.0]] * 3, [1, 1, -1], fit_intercept=False)
    assert (nothing.errors, nothing.lower_bound) == (3, 3), "u = 0 is an error"
    on_the_line = minimum_error([[-1.0], [0.0], [1.0]], [-1, 1, 1], fit_intercept=False)
    assert on_the_line.errors == 1 and on_the_line.rows_wrong.tolist() == [1]


def test_sparse_rows_and_more_classes() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 3, (30, 3)).astype(float), rng.choice(["a", "b", "c"], 30)
    dense, sparse = (minimum_error(rows, y, positive="b") for rows in (x, csr_array(x)))
    assert dense.errors == sparse.errors and dense.problem.classes == ("the rest", "b")
    honest(sparse)
    wide = csr_array(np.eye(6)[rng.integers(0, 6, 40)])
    result = minimum_error(wide, rng.choice([-1, 1], 40))
    honest(result)
    assert result.optimal, "the rarer label of each of six places"


def test_equal_rows_force_errors_without_a_solver() -> None:
    x = np.repeat(np.eye(5), 4, axis=0)
    result = minimum_error(x, [1, 1, 1, -1] * 5)
    assert (result.errors, result.lower_bound) == (5, 5)


def test_separable_rows_have_no_error_however_many_columns() -> None:
    """What `separable` proves, the fewest errors know: of 60 columns supports alone left 6 found and 0 proven."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((120, 30))
    y = np.where(x @ rng.standard_normal(30) + 0.1 * rng.standard_normal(120) > 0, 1, -1)
    for rows in (x, csr_array(x)):
        result = minimum_error(rows, y, time_limit=600)
        assert (result.errors, result.lower_bound, result.method) == (0, 0, "separable")
        honest(result)


def test_rows_that_are_not_separable_have_an_error_at_least_though_too_large_to_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rosenblatt.theory.fewest.sides.DENSE", 10)
    x = np.random.default_rng(0).standard_normal((30, 4))
    result = minimum_error(x, [1, -1] * 15)
    assert result.method == "learners" and result.lower_bound == 1 < result.errors
    honest(result)


def test_refusals() -> None:
    with pytest.raises(SettingError, match="time_limit=-1"):
        minimum_error([[1.0]], [1], time_limit=-1)
    with pytest.raises(SettingError, match="time_limit=nan"):
        minimum_error([[1.0]], [1], time_limit=float("nan"))
    with pytest.raises(SettingError, match="3 classes"):
        minimum_error([[1.0]] * 3, [1, 2, 3])
    with pytest.raises(DataError, match="NaN"):
        minimum_error([[np.nan]], [1])


def test_the_reference_tells_right_from_wrong() -> None:
    assert can_all_be_right([(1, 0), (0, 1), (1, 1)]) and can_all_be_right([])
    assert not can_all_be_right([(1, 0), (-1, 0)]) and not can_all_be_right([(0, 0)])
    assert not can_all_be_right([(1, 0), (-1, 1), (-1, -1)])


def test_a_program_that_has_no_bound_yet_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its time is over at once, HiGHS knows −∞."""
    cover = Cover(np.ones(3))
    cover.add(np.array([0, 1]))
    assert cover.solve(1.0)[1:] == (1, True)
    real = cover._solver

    class Early:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def getInfo(self) -> Any:
            return SimpleNamespace(mip_dual_bound=-math.inf)

    monkeypatch.setattr(cover, "_solver", Early())
    assert cover.solve(1.0)[1] == 0
