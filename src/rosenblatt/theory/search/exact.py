"""What floats could not decide: the simplex method in exact arithmetic, on the rows that matter."""

from __future__ import annotations

import numpy as np

from ...core.rows import Array
from ..problem import Problem
from ..proof.certificate import Farkas, Separator
from ..proof.exact_simplex import decide
from ..proof.filter import bounded_margins
from .hunt import Hunt

SMALL = 2_000
"""Numbers n·d̄ of a problem that is decided at once."""
WIDEST = 40
"""Columns up to which rows are added one round after the other; exact steps cost the cube of it."""
ADDED = 20
ROUNDS = 60


def generate(hunt: Hunt) -> None:
    """Decide all rows if they are few, else some, from the last basis on, until what holds for them holds for all."""
    problem: Problem = hunt.problem
    width = problem.d + problem.fit_intercept
    if problem.n * width <= SMALL:
        hunt.say("simplex method in exact arithmetic")
        hunt.certificate = decide(problem)
        return
    if width > WIDEST:
        hunt.tried.append(f"the simplex method in exact arithmetic: not tried, as {width} columns are too many for it")
        return
    rows = hunt.basis if hunt.basis.size else np.arange(min(problem.n, 2 * width))
    for _ in range(ROUNDS):
        hunt.say(f"simplex method in exact arithmetic, {len(rows):,} rows")
        proof = decide(problem.take(rows))
        if isinstance(proof, Farkas):
            hunt.certificate = proof.renumbered(rows)
            return
        bad = wrong(problem, proof, 10 * ADDED)
        if not bad.size:
            hunt.certificate = proof
            return
        rows = np.concatenate([rows, bad[:ADDED]])
        if not hunt.running():
            break
    hunt.failed(f"the simplex method in exact arithmetic, {len(rows):,} rows")


def wrong(problem: Problem, separator: Separator, most: int) -> Array:
    """Rows on the wrong side, the worst first: all that floats are sure of, else those that exact arithmetic finds."""
    floats = separator.floats()
    rounded, bound = bounded_margins(problem, *floats)
    sure = np.flatnonzero(rounded < -bound)
    if sure.size:
        return sure[np.argsort(rounded[sure])[:most]]
    return np.flatnonzero(~separator.right_rows(problem, floats))[:most]
