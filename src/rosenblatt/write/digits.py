"""Numbers → text: the shortest decimal that reads back as the same float64, and whole lines of them.

Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020): with v = c·2^q and k = ⌊log₁₀ 2^q⌋ the candidates
are the multiples of 10^k and 10^(k+1) next to v; which of them lie in v's rounding interval is decided on 4c·2^q·10^−k
and its two ends, each one 64 × 128 bit product rounded to odd. The text is Python's `repr`, without a closing `.0`.

The same as `repr` for 5 million floats (random bits, powers of two and ten and their neighbours, rounded, float32).
Compiled, a random value takes 70 to 100 ns, a whole number 43; `repr` and `join` 1,100 to 2,600 and 385.

No library does it. orjson (3.13) prints an array at 25 to 30 ns a value, but spells 1e-05 as 0.00001, 1e+16 as 1e16 and
1 as 1.0. With that put right (equal on 7 million floats), ns a value against this module in the same run: dense lines
of normal numbers 130 : 56, whole ones 98 : 21, of two digits 72 : 50, random bits 461 : 74; svmlight lines, by a dict a
row, normal 426 : 68, whole 397 : 31. numpy's and Python's own printers are as slow as `repr`; pyarrow is an extra.
"""

from typing import Any, NamedTuple

import numpy as np

from ..core.dispatch import Kernel
from ..core.rows import Array

LONGEST = 24
"""Bytes of the longest number: -2.2250738585072014e-308."""
LEAST, MOST = -292, 324
"""The powers of ten that are needed."""
U0, U1, U2, U4, U10, U40 = (np.uint64(v) for v in (0, 1, 2, 4, 10, 40))
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
FRACTION, HIDDEN = np.uint64(2**52 - 1), np.uint64(2**52)
SIGN, MANTISSA = np.uint64(63), np.uint64(52)
EXPONENT = np.uint64(0x7FF)
DIGIT0 = np.uint64(48)
BIAS = 1075


def _powers() -> Array:
    """(617, 2) uint64: the upper 128 bits of 10^k, rounded up, for k from LEAST to MOST."""
    powers = []
    for k in range(LEAST, MOST + 1):
        over, under = 10 ** max(k, 0), 10 ** max(-k, 0)
        shift = under.bit_length() - over.bit_length() + 127 + (k < 0)
        g = -((-over << max(shift, 0)) // (under << max(-shift, 0)))
        powers.append((g >> 64, g & (2**64 - 1)))
    return np.array(powers, np.uint64)


POWERS = _powers()


def upper(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of a·b."""
    a0, a1, b0, b1 = a & LOW, a >> HALF, b & LOW, b >> HALF
    p01, p10 = a0 * b1, a1 * b0
    middle = (a0 * b0 >> HALF) + (p01 & LOW) + (p10 & LOW)
    return a1 * b1 + (p01 >> HALF) + (p10 >> HALF) + (middle >> HALF)


def to_odd(high: np.uint64, low: np.uint64, c: np.uint64) -> np.uint64:
    """⌊(high·2^64 + low)·c / 2^128⌋, its last bit set where anything was cut off."""
    y = high * c
    middle = y + upper(low, c)
    top = upper(high, c)
    if middle < y:
        top += U1
    if middle > U1:
        top |= U1
    return top


def decimal(bits: np.uint64) -> tuple[np.uint64, Any]:
    """(m, e): the shortest m·10^e of a positive finite float64, given as its bits; of several the nearest."""
    fraction = bits & FRACTION
    exponent = np.int64(bits >> MANTISSA & EXPONENT)
    c, q = fraction, np.int64(1 - BIAS)
    if exponent != 0:
        c, q = HIDDEN | fraction, np.int64(exponent - BIAS)
        if -53 < q <= 0:
            whole = c >> np.uint64(-q)
            if whole << np.uint64(-q) == c:
                return whole, np.int64(0)
    odd = c & U1
    closer = U1 if fraction == U0 and exponent > 1 else U0
    k = (q * 1262611 - (524031 if closer == U1 else 0)) >> 22
    h = np.uint64(q + (-k * 1741647 >> 19) + 1)
    high, low = POWERS[-k - LEAST, 0], POWERS[-k - LEAST, 1]
    lower = to_odd(high, low, U4 * c - U2 + closer << h) + odd
    v = to_odd(high, low, U4 * c << h)
    higher = to_odd(high, low, U4 * c + U2 << h) - odd
    s = v // U4
    if s >= U10:
        ten = s // U10
        below, above = lower <= U40 * ten, U40 * ten + U40 <= higher
        if below != above:
            return ten + (U1 if above else U0), k + 1
    below, above = lower <= U4 * s, U4 * s + U4 <= higher
    if below != above:
        return s + (U1 if above else U0), k
    half = U4 * s + U2
    up = v > half or (v == half and s & U1 == U1)
    return s + (U1 if up else U0), k


def put_digits(out: Array, at: int, m: np.uint64, count: int) -> None:
    """The last `count` digits of m, from `at` on."""
    for p in range(at + count - 1, at - 1, -1):
        rest = m // U10
        out[p] = DIGIT0 + (m - rest * U10)
        m = rest


def length(m: np.uint64) -> int:
    """Digits of m, at least 1."""
    count = 1
    while m >= U10:
        m = m // U10
        count += 1
    return count


def put_zeros(out: Array, at: int, count: int) -> int:
    for p in range(at, at + count):
        out[p] = 48
    return at + count


def put_number(out: Array, at: int, bits: np.uint64) -> int:
    """A finite float64 as text; where the text ends."""
    if bits >> SIGN:
        out[at] = 45
        at += 1
        bits = bits & ~(U1 << SIGN)
    if bits == U0:
        out[at] = 48
        return at + 1
    m, e = decimal(bits)
    while m // U10 * U10 == m:
        m = m // U10
        e += 1
    count = length(m)
    point = count + e
    if point > 16 or point <= -4:
        return put_scientific(out, at, m, count, point - 1)
    if point <= 0:
        out[at], out[at + 1] = 48, 46
        at = put_zeros(out, at + 2, -point)
        put_digits(out, at, m, count)
        return at + count
    if point >= count:
        put_digits(out, at, m, count)
        return put_zeros(out, at + count, point - count)
    put_digits(out, at + 1, m, count)  # one place too far right; the digits before the point then move
    for p in range(at, at + point):
        out[p] = out[p + 1]
    out[at + point] = 46
    return at + count + 1


def put_scientific(out: Array, at: int, m: np.uint64, count: int, exponent: int) -> int:
    put_digits(out, at + 1, m, count)
    out[at] = out[at + 1]
    out[at + 1] = 46
    at += count + 1 if count > 1 else 1
    out[at] = 101
    out[at + 1] = 45 if exponent < 0 else 43
    size = np.uint64(abs(exponent))
    digits = max(length(size), 2)
    put_digits(out, at + 2, size, digits)
    return at + 2 + digits


class Ends(NamedTuple):
    """What stands before or after each row's numbers, there with the newline. text: uint8; ends: (n,) int64, where each
    row's part ends."""

    text: Array
    ends: Array


def put_text(out: Array, at: int, ends: Ends, row: int) -> int:
    start = ends.ends[row - 1] if row > 0 else 0
    for p in range(start, ends.ends[row]):
        out[at] = ends.text[p]
        at += 1
    return at


def sparse(out: Array, heads: Ends, tails: Ends, bits: Array, columns: Array, row_ends: Array) -> int:
    """Rows `head index:value index:value … tail` to `out`; how many bytes. columns: (nnz,) uint64 as
    written. row_ends: (n+1,), where each row's pairs begin and the last end."""
    at = 0
    for row in range(row_ends.size - 1):
        at = put_text(out, at, heads, row)
        for p in range(row_ends[row], row_ends[row + 1]):
            if at > 0 and out[at - 1] != 10:
                out[at] = 32
                at += 1
            count = length(columns[p])
            put_digits(out, at, columns[p], count)
            out[at + count] = 58
            at = put_number(out, at + count + 1, bits[p])
        at = put_text(out, at, tails, row)
    return at


def dense(out: Array, tails: Ends, bits: Array, delimiter: int) -> int:
    """Rows `value,value,…tail` to `out`; how many bytes. bits: (n, d) uint64."""
    at = 0
    for row in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if j > 0:
                out[at] = delimiter
                at += 1
            at = put_number(out, at, bits[row, j])
        at = put_text(out, at, tails, row)
    return at


sparse_lines = Kernel(sparse, exact=True)
dense_lines = Kernel(dense, exact=True)


def written(lines: Kernel, values: int, *arguments: Any) -> int:
    """What `sparse_lines` or `dense_lines` say of these arguments.

    So few values that numba would take longer to import are written in Python, 15 µs each.
    """
    with np.errstate(over="ignore"):
        return lines.for_work(values * 10)(*arguments)  # type: ignore[no-any-return]


def shortest(value: float) -> str:
    """The same text of one number: `repr` without a closing `.0`."""
    return repr(float(value)).removesuffix(".0")


def ends_of(texts: list[bytes]) -> Ends:
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    return Ends(np.frombuffer(b"".join(texts) or b" ", np.uint8), ends)
