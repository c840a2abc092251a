"""HiGHS that prints nothing (its banner comes before there is a chance to switch it off), and what it calls things."""

from functools import cache
from typing import Any

import numpy as np

from ..core.rows import Array


@cache
def _quiet() -> Any:
    import highspy

    class Quiet(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return Quiet


def solver(**options: Any) -> Any:
    """A `highspy.Highs` on one thread, with these options."""
    made = _quiet()()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        made.setOptionValue(name, value)
    return made


def solved(program: Any) -> bool:
    """Whether the last run ended at an optimum."""
    return "Optimal" in program.modelStatusToString(program.getModelStatus())


def basic(program: Any) -> Array:
    """(columns,) bool: which variables are in the basis."""
    import highspy

    return np.array([status == highspy.HighsBasisStatus.kBasic for status in program.getBasis().col_status], bool)


def linear_program(cost: Array, low: Array, high: Array, row_low: Array, row_high: Array, matrix: Any) -> Any:
    """A `highspy.HighsLp`: min cost·x with low ≤ x ≤ high and row_low ≤ matrix·x ≤ row_high."""
    import highspy
    from scipy.sparse import csc_array

    lp, entries = highspy.HighsLp(), csc_array(matrix)
    lp.num_row_, lp.num_col_ = entries.shape
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, low, high
    lp.row_lower_, lp.row_upper_ = row_low, row_high
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = entries.indptr, entries.indices, entries.data
    return lp
