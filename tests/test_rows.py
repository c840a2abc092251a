"""Every verb of rows, for every kind of them, against what it means for a plain array."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
from rosenblatt.core.rows import KINDS, Csr, Dense, Layout, Rows, csr, dense, stack
from rosenblatt.features.quadratic import expand_rows

Array = np.ndarray[Any, Any]
N, D = 7, 5


def sparse(x: Array) -> Csr:
    """What is not zero of an array; the columns of each row descend."""
    row, column = np.nonzero(x)
    order = np.lexsort((-column, row))
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(x, axis=1))])
    return csr(x[row, column[order]], column[order], ends, x.shape[1])


MAKE: dict[type, Callable[[Array], Any]] = {Dense: dense, Csr: sparse}
VERBS = sorted(name for name in vars(Rows) if not name.startswith("_"))
FOR_PROOFS = (Path(__file__).parent / "test_rows_theory.py").read_text(encoding="utf-8")
"""Some of the verbs are tested there."""


def example(dtype: Any) -> Array:
    """With an empty row, an empty column, negative numbers and a whole row without zeros."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.6)
    x[2], x[:, 3], x[4] = 0.0, 0.0, [1.0, -2.0, 3.0, 0.0, -5.0]
    return (x + 0.0).astype(dtype)  # no −0.0


def same(made: Any, x: Any) -> None:
    """To the rounding of the dtype in which rows are summed."""
    np.testing.assert_allclose(made, x, rtol=2e-6 if np.asarray(made).dtype == np.float32 else 1e-13, atol=1e-6)


def equal(rows: Any, x: Array) -> None:
    """Rows of exactly these values and their dtype."""
    assert rows.dtype == x.dtype and rows.toarray().tolist() == x.tolist()


def weights(rows: Any, classes: int) -> Array:
    w = np.random.default_rng(1).normal(size=(D, classes))
    return w if rows.by_column else np.ascontiguousarray(w.T)


# --- check_VERB(rows, x): rows hold the array x ----------------------------------------------------------------------


def check_restored(rows: Any, x: Array) -> None:
    equal(type(rows).restored({name: getattr(rows, name) for name in rows._fields}), x)


def check_by_column(rows: Any, x: Array) -> None:
    out, shape = np.empty(3), (D, 3) if rows.by_column else (3, D)
    rows.dots(0, np.ones(shape), out)
    same(out, np.full(3, x[0].sum()))


def check_dot(rows: Any, x: Array) -> None:
    w = np.arange(1.0, D + 1)
    same([rows.dot(i, w) for i in range(N)], x @ w)


def check_add(rows: Any, x: Array) -> None:
    w = np.arange(1.0, D + 1)
    rows.add(4, -0.5, w)
    same(w, np.arange(1.0, D + 1) - 0.5 * x[4])


def check_sq_norm(rows: Any, x: Array) -> None:
    same([rows.sq_norm(i) for i in range(N)], (x * x).sum(axis=1))


def walked(rows: Any) -> Array:
    """The rows as an array, column by column, as the loop of metrics walks them."""
    out = np.zeros((rows.n, rows.width), rows.dtype)
    for i in range(rows.n):
        for p in range(*map(int, rows.span(i))):
            out[i, rows.column(i, p)] = rows.value(i, p)
    return out


def check_span(rows: Any, x: Array) -> None:
    assert np.array_equal(walked(rows), x)


check_column = check_value = check_span


def check_layout(rows: Any, x: Array) -> None:
    w = np.arange(3.0 * x.shape[1]).reshape((-1, 3) if rows.by_column else (3, -1))
    base, jump = rows.layout(x.shape[1], 3)
    found = [[w.ravel()[k * base + j * jump] for j in range(x.shape[1])] for k in range(3)]
    assert np.array_equal(found, w.T if rows.by_column else w)


def check_adjoining(rows: Any, x: Array) -> None:
    whole = all(tuple(map(int, rows.span(i))) == (0, x.shape[1]) for i in range(len(x)))
    assert rows.adjoining == whole


def check_dots(rows: Any, x: Array) -> None:
    w, out = weights(rows, 3), np.empty(3)
    for i in range(N):
        rows.dots(i, w, out)
        same(out, x[i] @ (w if rows.by_column else w.T))


def check_add_to(rows: Any, x: Array) -> None:
    w = weights(rows, 3)
    expected = w.copy()
    (expected.T if rows.by_column else expected)[1] += 2.0 * x[4]
    rows.add_to(4, 1, 2.0, w)
    same(w, expected)


def check_n(rows: Any, x: Array) -> None:
    assert rows.n == N


def check_width(rows: Any, x: Array) -> None:
    assert rows.width == D


def check_dtype(rows: Any, x: Array) -> None:
    assert rows.dtype == x.dtype


def check_take(rows: Any, x: Array) -> None:
    equal(rows.take(np.array([4, 2, 4])), x[[4, 2, 4]])
    assert rows.take(np.empty(0, np.int64)).n == 0


def check_blocks(rows: Any, x: Array) -> None:
    parts = list(rows.blocks(3))
    assert [part.n for part in parts] == [3, 3, 1]
    equal(stack(parts), x)


def check_given(rows: Any, x: Array) -> None:
    equal(rows.given, x)


def check_kept_rows(rows: Any, x: Array) -> None:
    equal(rows.kept_rows(np.array([2, 0])), x[[2, 0]])


def check_stacked(rows: Any, x: Array) -> None:
    for make in MAKE.values():
        made = rows.stacked([make(x[:2]), make(x[4:])])
        assert type(made) is type(rows)
        equal(made, np.concatenate([x, x[:2], x[4:]]))


def check_products(rows: Any, x: Array) -> None:
    made = rows.products(rows.take(np.array([4, 0])))
    assert made.dtype == np.float64
    same(made, x @ x[[4, 0]].T)


def check_combine(rows: Any, x: Array) -> None:
    same(rows.combine(np.arange(1.0, N + 1)), np.arange(1.0, N + 1) @ x)


def check_scores(rows: Any, x: Array) -> None:
    w = np.arange(1.0, 2 * D + 1).reshape(2, D)
    same(rows.scores(w), x @ w.T)
    same(rows.scores(w[0]), x @ w[0])


def check_sq_norms(rows: Any, x: Array) -> None:
    assert rows.sq_norms().dtype == np.float64
    same(rows.sq_norms(), (x.astype(np.float64) ** 2).sum(axis=1))


def check_astype(rows: Any, x: Array) -> None:
    assert rows.astype(x.dtype) is rows
    equal(rows.astype(np.float32), x.astype(np.float32))


def check_largest(rows: Any, x: Array) -> None:
    assert rows.largest() == np.abs(x).max() and rows.take(np.empty(0, np.int64)).largest() == 0.0


def check_first_not_finite(rows: Any, x: Array) -> None:
    held = x.copy()
    held[4, 1], held[6, 0] = np.inf, np.nan
    assert MAKE[type(rows)](held).first_not_finite() == (4, 1, np.inf)


def check_key(rows: Any, x: Array) -> None:
    twice = rows.take(np.array([4, 0, 4]))
    assert twice.key(0) == twice.key(2) != twice.key(1)


def check_matrix(rows: Any, x: Array) -> None:
    assert (rows.matrix() @ np.eye(D, dtype=x.dtype)).tolist() == x.tolist()


def check_growing(rows: Any, x: Array) -> None:
    assert rows.growing == (rows.size < N * D)


def check_size(rows: Any, x: Array) -> None:
    assert rows.size == rows.stored(axis=0).sum() == rows.stored(axis=1).sum()


def check_value_bytes(rows: Any, x: Array) -> None:
    assert rows.value_bytes == x.itemsize + 4 * rows.growing


def check_stored(rows: Any, x: Array) -> None:
    there = (x != 0) if rows.growing else np.ones((N, D), bool)
    for axis in (0, 1):
        assert rows.stored(axis).tolist() == there.sum(axis=axis).tolist()


def check_nonzeros(rows: Any, x: Array) -> None:
    for axis in (0, 1):
        assert rows.nonzeros(axis).tolist() == (x != 0).sum(axis=axis).tolist()


def check_finite(rows: Any, x: Array) -> None:
    held = x.copy()
    held[4, 1], held[6, 0] = np.inf, np.nan
    assert MAKE[type(rows)](held).finite().tolist() == [True, True, True, True, False, True, False]


def check_row(rows: Any, x: Array) -> None:
    for i in range(N):
        columns, values = rows.row(i)
        assert columns.dtype == np.int64 and len(values) == rows.stored(axis=1)[i]
        row = np.zeros(D)
        row[columns] = values
        assert row.tolist() == x[i].tolist()


def check_toarray(rows: Any, x: Array) -> None:
    assert rows.toarray().dtype == x.dtype and rows.toarray().tolist() == x.tolist()


def check_dense_blocks(rows: Any, x: Array) -> None:
    out = np.full((N, D), np.nan)
    for part, values in rows.dense_blocks(D):
        assert values.dtype == x.dtype
        out[part] = values
    assert out.tolist() == x.tolist()


def check_pieces(rows: Any, x: Array) -> None:
    parts = list(rows.pieces(2 * D))
    assert all(part.n <= (N if rows.growing else 2) for part in parts)
    equal(stack(parts), x)
    assert not list(rows.take(np.empty(0, np.int64)).pieces(1))


def check_compressed(rows: Any, x: Array) -> None:
    values, columns, ends = rows.compressed()
    assert columns.dtype == np.uint32
    equal(csr(values, columns, ends, D), x)
    assert len(values) == np.count_nonzero(x)


def check_take_columns(rows: Any, x: Array) -> None:
    equal(rows.take_columns([3, 0, 2]), x[:, [3, 0, 2]])


def check_widened(rows: Any, x: Array) -> None:
    equal(rows.widened(D + 2), np.concatenate([x, np.zeros((N, 2), x.dtype)], axis=1))


def check_with_column(rows: Any, x: Array) -> None:
    more = np.arange(N) % 3.0
    equal(rows.with_column(more), np.column_stack([x, more.astype(x.dtype)]))


def check_with_products(rows: Any, x: Array) -> None:
    for which in ("all", "squares", "pairs"):
        expected, factors = naive.products(x, which)
        firsts = [next((c for c in range(D, len(factors)) if factors[c][0] == i), len(factors)) for i in range(D)]
        layout = Layout(np.array([*firsts, len(factors)]), int(which == "pairs"), which == "squares")
        equal(rows.with_products(layout, lambda _: expand_rows.plain), expected.astype(x.dtype))
        assert (
            sum(layout.products_of(rows.stored(axis=1)))
            == rows.with_products(layout, expand_rows.for_work).size - rows.size
        )


def check_without_duplicates(rows: Any, x: Array) -> None:
    once = rows.without_duplicates()
    equal(once, x)
    assert once.without_duplicates() is once
    assert all((np.diff(once.row(i)[0]) > 0).all() for i in range(N))


def check_scaled(rows: Any, x: Array) -> None:
    factor = np.arange(1.0, D + 1) / 3
    equal(rows.scaled(np.divide, factor), (x.astype(np.float64) / factor).astype(x.dtype))
    equal(rows.scaled(lambda v, a, b: v * a * b, factor, factor), (x * factor * factor).astype(x.dtype))


def check_to_length(rows: Any, x: Array) -> None:
    made = rows.to_length(2.0)
    lengths = np.sqrt((x.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    same(made.toarray(), 2.0 * x / np.where(lengths > 0, lengths, 1.0))
    assert made.dtype == x.dtype
    huge = MAKE[type(rows)](x.astype(np.float64) * 1e200).to_length(2.0)
    same(np.sqrt(huge.sq_norms()), np.where(x.any(axis=1), 2.0, 0.0))


def check_ranges(rows: Any, x: Array) -> None:
    low, high = rows.ranges()
    for j in range(D):
        own = x[:, j] if rows.shiftable else x[x[:, j] != 0, j]
        assert (low[j], high[j]) == (own.min(initial=np.inf), own.max(initial=-np.inf))


def check_largest_by_column(rows: Any, x: Array) -> None:
    assert rows.largest_by_column().dtype == np.float64
    assert rows.largest_by_column().tolist() == np.abs(x).max(axis=0).tolist()


def check_column_sums(rows: Any, x: Array) -> None:
    factor = np.arange(1.0, D + 1)
    same(rows.column_sums(lambda v, a: (v / a) ** 2, factor), ((x / factor) ** 2).sum(axis=0))


def check_column_moments(rows: Any, x: Array) -> None:
    unit = np.array([1.0, 2.0, 4.0, 1.0, 0.5])
    mean, m2 = rows.column_moments(unit)
    z = x.astype(np.float64) / unit
    same(mean, z.mean(axis=0))
    same(m2, ((z - z.mean(axis=0)) ** 2).sum(axis=0))


def check_digests(rows: Any, x: Array) -> None:
    rng = np.random.default_rng(2)
    by_row, one, two = (rng.integers(1, 2**64, size, np.uint64) for size in (N, D, D))

    def hashed(values: Array) -> Array:
        return np.ascontiguousarray(values + 0.0, np.float64).view(np.uint64)

    own, lanes = rows.digests(hashed, by_row, [one, two])
    bits = [[int(v) for v in row] for row in hashed(x)]
    assert [int(v) for v in own] == [sum(bits[i][j] * int(by_row[i]) for i in range(N)) % 2**64 for j in range(D)]
    for k, keys in enumerate((one, two)):
        assert [int(v) for v in lanes[:, k]] == [
            sum(bits[i][j] * int(keys[j]) for j in range(D)) % 2**64 for i in range(N)
        ]


# --- the kinds -------------------------------------------------------------------------------------------------------


def test_every_kind_can_be_made() -> None:
    lacking = [kind.__name__ for kind in KINDS if kind not in MAKE]
    assert not lacking, f"{', '.join(lacking)}: a kind of rows; MAKE says how an array becomes one"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if f"rows.{verb}" not in FOR_PROOFS])
def test_a_verb_means_the_same_for_every_kind(verb: str, kind: type, dtype: Any) -> None:
    check = globals().get(f"check_{verb}")
    assert check is not None, f"rows have a verb {verb}; say in check_{verb} what it means for an array"
    assert hasattr(kind, verb), f"{kind.__name__} lacks the verb {verb}"
    x = example(dtype)
    check(MAKE[kind](x), x)


def test_what_a_kind_can_do_is_what_rows_can_do() -> None:
    for kind in KINDS:
        bases = [base for base in kind.__mro__ if base.__module__.startswith("rosenblatt.")]
        own = {name for base in bases for name in vars(base) if not name.startswith("_")} - set(kind._fields)
        assert own == set(VERBS), f"{kind.__name__} has verbs of its own; nobody may ask which kind rows are"


def test_zeros_that_are_stored_and_their_signs_are_kept() -> None:
    """A file is written from `compressed` and `dense_blocks`, and must be read back with the same bits."""
    held = csr(np.array([0.0, -0.0, 2.0]), np.array([2, 0, 1]), np.array([0, 2, 2, 3]), 3)
    assert (held.size, held.nonzeros(axis=0).tolist(), held.stored(axis=0).tolist()) == (3, [0, 1, 0], [1, 1, 1])
    assert [values.tolist() for values in held.compressed()] == [[0.0, -0.0, 2.0], [2, 0, 1], [0, 2, 2, 3]]
    ((_, block),) = held.dense_blocks(4)
    assert block.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0]]
    assert np.argwhere(np.signbit(block)).tolist() == [[0, 0]]
    values, columns, ends = dense(np.array([[0.0, -0.0], [0.0, 3.0]])).compressed()
    assert (np.signbit(values).tolist(), columns.tolist(), ends.tolist()) == ([True, False], [1, 1], [0, 1, 2])


def test_columns_that_a_row_has_twice_are_summed() -> None:
    twice = csr(np.array([1.0, 2.0, 4.0, 8.0]), np.array([2, 0, 2, 2]), np.array([0, 3, 3, 4]), 3)
    assert twice.without_duplicates().toarray().tolist() == [[2, 0, 5], [0, 0, 0], [0, 0, 8]]
    assert twice.size == 4 and twice.without_duplicates().size == 3
