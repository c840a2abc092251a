"""What proofs ask of rows: each verb of each kind against its plain meaning in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt.core.rows import KINDS, Rows, csr, dense, laid_out
from rosenblatt.theory.problem import as_problem

Array = np.ndarray[Any, Any]
MAKERS = {"Dense": dense, "Csr": lambda x: csr(*_three(x), x.shape[1])}


def _three(x: Array) -> tuple[Array, Array, Array]:
    """CSR arrays that store some zeros too: the first of each row."""
    held = x != 0
    held[:, :1] = True
    row, column = np.nonzero(held)
    return x[row, column], column.astype(np.int32), np.searchsorted(row, np.arange(len(x) + 1))


def _values(name: str, dtype: Any) -> Array:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(12, 7)) * (rng.random((12, 7)) < 0.5)
    x[4], x[:, 5] = 0.0, 0.0
    x[9], x[2] = x[1], -x[1]
    x[:, 3] = np.abs(x[:, 3])
    shaped = {"some": x, "one row": x[:1], "no columns": x[:, :0], "no zero": x + 9.0, "zeros": 0.0 * x, "−0": -0.0 * x}
    return np.ascontiguousarray(shaped[name]).astype(dtype)


@pytest.fixture(params=["some", "one row", "no columns", "no zero", "zeros", "−0"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[np.float32, np.float64])
def x(request: pytest.FixtureRequest, name: str) -> Array:
    return _values(name, request.param)


@pytest.fixture(params=MAKERS)
def rows(request: pytest.FixtureRequest, x: Array) -> Any:
    return MAKERS[request.param](x)


def equal(rows: Rows, x: Array, dtype: Any) -> None:
    assert rows.dtype == dtype and np.array_equal(rows.toarray(), x)


def test_every_kind_is_tested() -> None:
    lacking = [kind.__name__ for kind in KINDS if kind.__name__ not in MAKERS]
    assert not lacking, f"{', '.join(lacking)}: a kind of rows; MAKERS says how an array becomes one"


def test_as_an_array(rows: Any, x: Array) -> None:
    equal(rows, x, x.dtype)
    assert np.array_equal(laid_out(rows.matrix()), x)


def test_entries_and_rows(rows: Any, x: Array) -> None:
    """All that is not 0, once, in order; `size` counts them."""
    row, column, value = rows.entries()
    seen = np.zeros_like(x)
    seen[row, column] = value
    assert np.array_equal(seen, x) and value.dtype == x.dtype
    places = row.astype(int) * (x.shape[1] + 1) + column
    assert (np.diff(places) > 0).all()
    assert np.count_nonzero(x) <= rows.size <= x.size
    for i in range(len(x)):
        columns, values = rows.row(i)
        plain = np.zeros(x.shape[1])
        plain[columns] = values
        assert np.array_equal(plain, x[i]) and (np.diff(columns.astype(int)) > 0).all()


def test_parts_are_the_rows(rows: Any) -> None:
    parts = rows.parts()
    assert all(any(part is field for field in rows) for part in parts)
    assert any(part.dtype == rows.dtype and part.size == rows.size for part in parts)


def test_equal_rows_have_equal_numbers(rows: Any, x: Array) -> None:
    """Also −0 and 0, stored or left out."""
    same = rows.same()
    assert same.shape == (len(x),)
    assert np.array_equal(same[:, None] == same, (x[:, None] == x).all(axis=2))


def test_columns(rows: Any, x: Array) -> None:
    used, d = rows.used_columns(), x.shape[1]
    assert (np.diff(used) > 0).all() and not np.delete(x, used, axis=1).any()
    equal(rows.take_columns(used), x[:, used], x.dtype)
    equal(rows.take_columns(np.arange(d)), x, x.dtype)
    equal(rows.take_columns(np.arange(d)[::-1]), x[:, ::-1], x.dtype)
    equal(rows.take_columns(np.arange(d)[1::3]), x[:, 1::3], x.dtype)


def test_with_ones(rows: Any, x: Array) -> None:
    equal(rows.with_column(np.ones(len(x))), np.concatenate([x, np.ones((len(x), 1))], axis=1), x.dtype)


def test_times(rows: Any, x: Array) -> None:
    factors = np.random.default_rng(5).normal(size=len(x))
    equal(rows.times(factors), x * factors[:, None], np.float64)
    signs = np.sign(factors).astype(x.dtype)
    equal(rows.times(signs), x * signs[:, None], x.dtype)


def test_mapped(rows: Any, x: Array) -> None:
    """A value has its own column's number."""
    by = np.arange(x.shape[1]) - 2
    equal(rows.mapped(lambda values, columns: np.ldexp(values, by[columns])), np.ldexp(x, by), x.dtype)


def test_sums(rows: Any, x: Array) -> None:
    """Modulo 2⁶⁴."""
    odd = np.random.default_rng(5).integers(2**62, 2**63, x.shape[1], dtype=np.uint64)
    whole = rows.sums(lambda values, columns: np.abs(np.round(values * 8)).astype(np.uint64) * odd[columns])
    plain = [sum(abs(round(float(v) * 8)) * int(o) for v, o in zip(each, odd, strict=True)) % 2**64 for each in x]
    assert whole.dtype == np.uint64 and whole.tolist() == plain


def test_largest(rows: Any, x: Array) -> None:
    assert np.array_equal(rows.largest_by_row(), np.abs(x).max(axis=1, initial=0.0))
    assert np.array_equal(rows.largest_by_column(), np.abs(x).max(axis=0, initial=0.0))
    assert rows.largest_by_column().dtype == np.float64


def test_column_signs(rows: Any, x: Array) -> None:
    y = np.where(np.arange(len(x)) % 3, 1.0, -1.0)
    for some in (np.arange(len(x)), np.arange(len(x))[::2]):
        for columns in (np.arange(x.shape[1]), np.arange(x.shape[1])[1::2]):
            above, below = rows.column_signs(some, y[some], columns)
            signed = x[some][:, columns] * y[some][:, None]
            assert np.array_equal(above, (signed > 0).any(axis=0))
            assert np.array_equal(below, (signed < 0).any(axis=0))


@pytest.mark.parametrize("kind", MAKERS)
def test_column_signs_beyond_the_first_rows(kind: str) -> None:
    """The rows that show the second sign come after all that are looked at first."""
    x = np.ones((5000, 3))
    x[4321, 1] = -1.0
    above, below = MAKERS[kind](x).column_signs(np.arange(5000), np.ones(5000), np.arange(3))
    assert above.all() and below.tolist() == [False, True, False]


def test_blocks_of_a_height(rows: Any, x: Array) -> None:
    for values in (1, 20, 10**9):
        height = rows.height(values)
        assert height >= 1
        parts = [part.toarray() for part in rows.blocks(height)]
        assert np.array_equal(np.concatenate(parts), x) and all(len(part) <= height for part in parts)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_proof_can_be_had_of_each_kind(kind: str) -> None:
    """Its name is in the words and in the digest, and rows that cannot be shifted are not."""
    x = _values("some", np.float64)
    rows = MAKERS[kind](x)
    problem = as_problem(rows, np.arange(len(x)) % 2)
    assert f" {rows.storage} rows" in repr(problem)
    others = {as_problem(MAKERS[other](x), problem.y).digest() for other in MAKERS}
    assert problem.digest() in others and len(others) == len(MAKERS)
    assert rows.shiftable == (rows.size == x.size)


def test_more_than_one_block_of_hashes() -> None:
    """Opposite rows are found wherever they stand."""
    from rosenblatt.theory.search.hunt import opposite_pairs

    x = np.random.default_rng(0).normal(size=(3000, 400))
    x[2900] = x[7]
    y = np.ones(3000)
    y[7::2] = -1.0
    y[2900] = 1.0
    for each in (x, csr_array(x), x.astype(np.float32)):
        assert [pair.tolist() for pair in opposite_pairs(as_problem(each, y))] == [[7, 2900]]
