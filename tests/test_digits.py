"""Numbers as text: exactly the digits of `repr`, compiled or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.write import digits

FINITE = st.floats(allow_nan=False, allow_infinity=False)
EDGES = [
    0.0,
    -0.0,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    2.0**53,
    1e15,
    1e16,
    1e17,
    123456789012345680.0,
]
EDGES += [
    1e-4,
    9.999e-5,
    1e-5,
    0.1,
    1 / 3,
    100.0,
    -7.25,
    1e22,
    1e23,
    9007199254740993.0,
    4.35,
    5e-5,
    0.3,
    2.0**-1074 * 3,
]


def rendered(values: Any, kernel: Any) -> list[str]:
    bits = np.array(values, np.float64).view(np.uint64).reshape(-1, 1)
    out = np.empty((digits.LONGEST + 1) * len(bits), np.uint8)
    with np.errstate(over="ignore"):
        size = kernel(out, digits.ends_of([b"\n"] * len(bits)), bits, 44)
    return out[:size].tobytes().decode().split("\n")[:-1]


@given(st.lists(FINITE, min_size=1, max_size=200))
def test_every_number_is_its_repr_without_a_closing_zero(values: list[float]) -> None:
    assert rendered(values, digits.dense_lines) == [repr(v).removesuffix(".0") for v in values]


@pytest.mark.parametrize("kernel", [digits.dense_lines, digits.dense_lines.plain], ids=["compiled", "plain"])
def test_edges(kernel: Any) -> None:
    powers = [2.0**k for k in range(-1074, 1024, 13)] + [float(f"1e{k}") for k in range(-323, 309, 7)]
    near = [math.nextafter(v, math.inf) for v in powers]
    values = [*EDGES, *powers, *near, *(-v for v in EDGES)]
    assert rendered(values, kernel) == [digits.shortest(v) for v in values]


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=100))
def test_random_bits_read_back_the_same(bits: list[int]) -> None:
    values = np.array(bits, np.uint64).view(np.float64)
    values = values[np.isfinite(values)]
    found = np.array([float(text) for text in rendered(values, digits.dense_lines)], np.float64)
    assert found.tobytes() == values.tobytes()


def test_lines_of_sparse_rows() -> None:
    heads, tails = digits.ends_of([b"1", b"", b"-1"]), digits.ends_of([b"\n", b" # x\n", b"\n"])
    values, columns = np.array([0.5, -2.0, 1e300]), np.array([1, 4294967295, 7], np.uint64)
    for kernel in (digits.sparse_lines, digits.sparse_lines.plain):
        out = np.empty(500, np.uint8)
        with np.errstate(over="ignore"):
            size = kernel(out, heads, tails, values.view(np.uint64), columns, np.array([0, 2, 3, 3]))
        assert out[:size].tobytes() == b"1 1:0.5 4294967295:-2\n7:1e+300 # x\n-1\n"
