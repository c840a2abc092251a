"""The fewest errors by trying which rows to give up, each time asking exactly whether the others can all be right."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

Row = tuple[int, ...]


def signed_rows(x: Sequence[Sequence[float]], y: Sequence[float], offset: bool) -> list[Row]:
    """y·(x, 1), or y·x, in whole numbers: each row times a positive number."""
    rows = []
    for values, sign in zip(x, y, strict=True):
        exact = [Fraction(float(value)) for value in values] + ([Fraction(1)] if offset else [])
        below = lcm(*(value.denominator for value in exact))
        rows.append(tuple(int(value * below) * (1 if sign > 0 else -1) for value in exact))
    return rows


def can_all_be_right(rows: Sequence[Row]) -> bool:
    """Whether some w has z·w > 0 for all: Fourier and Motzkin, a variable at a time."""
    left = {_shortest(row) for row in rows}
    width = len(next(iter(left))) if left else 0
    for last in range(width - 1, -1, -1):
        above = [row for row in left if row[last] > 0]
        below = [row for row in left if row[last] < 0]
        rest = {row[:last] for row in left if row[last] == 0}
        for p in above:
            for q in below:
                rest.add(_shortest(tuple(p[j] * -q[last] + q[j] * p[last] for j in range(last))))
        if any(not any(row) for row in rest):
            return False
        left = rest
    return True


def _shortest(row: Row) -> Row:
    common = gcd(*row) if row else 0
    return tuple(value // common for value in row) if common else row


def fewest(x: Sequence[Sequence[float]], y: Sequence[float], offset: bool) -> int:
    rows = signed_rows(x, y, offset)
    for errors in range(len(rows)):
        for kept in combinations(rows, len(rows) - errors):
            if can_all_be_right(kept) and all(any(row) for row in kept):
                return errors
    return len(rows)


def by_program(x: Sequence[Sequence[float]], y: Sequence[float], size: float = 1e4) -> int:
    """With an offset, as a mixed-integer program: y·u ≥ 1 − (size)·(given up). Only for data that fit that size."""
    import highspy
    import numpy as np

    z = np.column_stack([np.asarray(x), np.ones(len(x))]) * np.asarray(y)[:, None]
    n, width = z.shape
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    each = np.arange(n + width, dtype=np.int32)
    free = np.full(width, size / 10)
    solver.addVars(n + width, np.append(np.zeros(n), -free), np.append(np.ones(n), free))
    solver.changeColsCost(n + width, each, np.append(np.ones(n), np.zeros(width)))
    solver.changeColsIntegrality(n, each[:n], np.full(n, highspy.HighsVarType.kInteger))
    for i in range(n):
        columns = np.append(each[i], each[n:])
        solver.addRow(1.0, highspy.kHighsInf, width + 1, columns, np.append(size, z[i]))
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return round(solver.getObjectiveValue())
