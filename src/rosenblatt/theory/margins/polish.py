"""The last digits of a margin: the support's equations solved directly, with residuals in longer numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.rows import Array, laid_out
from .bounds import LONG
from .points import Points

MOST = 1_000_000
"""Values of the support's rows up to which they are factorised: some 0.5 s. Nor are they where they are more than twice
the columns: of the 813 rows of mushrooms that touch the margin in 126 dimensions, none is "the" one to leave out."""
STEPS = 60
"""Rows that are taken in or left out, at most."""
RANK = 1e-13
"""Singular values below this share of the largest are none."""


def polished(points: Points, rows: Array, w: Array, multipliers: Array) -> Iterator[tuple[Array, Array, Array]]:
    """(w, rows, λ) from the rows that touch the margin, by an active set: equations y(w·x̄ + b) = 1 on them; out with
    the row of the most negative λ, in with the one that violates most, until there is neither.

    An interior point stops where its own matrix, whose condition is squared, has no more digits: with a margin of 1e-5,
    200 rows of about 4, at a gap of 5e-4; this reached 5e-11. What limits it is the rounding of w itself.
    """
    active = _touching(points, rows, w, multipliers)
    place = {int(row): at for at, row in enumerate(rows)}
    for _ in range(STEPS):
        if not len(active) or len(active) > 2 * points.width + 2 or len(active) * points.width > MOST:
            return
        solved = _equations(points, active)
        if solved is None:
            return
        w, shares = solved
        low = shares < -1e-12 * np.abs(shares).max()
        if low.any():
            active = np.delete(active, int(shares.argmin()))
            continue
        keep = shares > 0.0
        yield w, active[keep], shares[keep]
        margins = _margins(points, rows, w)
        worst = int(margins.argmin())
        held = margins[[place[int(row)] for row in active]].min()
        if margins[worst] >= held or rows[worst] in active:
            return
        active = np.append(active, rows[worst])


def _margins(points: Points, rows: Array, w: Array) -> Array:
    """(k,) margins y·(w·x̄ + b) at the best offset, in long double."""
    scores, y = np.asarray(points.chosen(rows, LONG) @ w.astype(LONG)), points.y[rows]
    if points.free and (y > 0).any() and (y < 0).any():
        scores = scores - (scores[y > 0].min() + scores[y < 0].max()) / 2
    return np.asarray(scores * y)


def _touching(points: Points, rows: Array, w: Array, multipliers: Array) -> Array:
    """Rows whose share of the dual point outweighs their distance from the margin: one of the two is 0 at the end."""
    margins = _margins(points, rows, w)
    least = margins.min()
    slack = (margins - least) / max(abs(float(least)), 1e-300)
    return rows[multipliers / max(float(multipliers.max()), 1e-300) > slack]


def _equations(points: Points, rows: Array) -> tuple[Array, Array] | None:
    """(w, λ): the shortest w with y(w·x̄ + b) = 1 on these rows, and the combination of them that w is.

    With a free offset the rows are taken from the first one, so that a common offset costs no digits.
    """
    x, y = laid_out(points.chosen(rows, LONG)), points.y[rows]
    if points.free:
        if len(np.unique(y)) < 2:
            return None
        differences, aims = x[1:] - x[0], (y[1:] - y[0]).astype(LONG)
    else:
        differences, aims = x * y[:, None], np.ones(len(y), LONG)
    try:
        u, s, vt = np.linalg.svd(differences.astype(np.float64), full_matrices=False)
    except np.linalg.LinAlgError:
        return None
    kept = s > RANK * s[0]
    if not kept.any():
        return None
    u, s, v = u[:, kept], s[kept], vt[kept].T
    w = _refined(aims, differences.shape[1], lambda w: differences @ w, lambda r: v @ (u.T @ r / s))
    shares = _refined(aims, len(aims), lambda a: differences @ (differences.T @ a), lambda r: u @ (u.T @ r / s / s))
    if points.free:
        shares = np.concatenate([[-shares.sum()], shares]) * y
    w, shares = w.astype(np.float64), shares.astype(np.float64)
    return (w, shares) if np.isfinite(w).all() and np.isfinite(shares).all() and w.any() else None


def _refined(aims: Array, size: int, apply: Any, solve: Any) -> Array:
    """The solution of apply(x) = aims: three times the residual in long double, the correction in float64."""
    x = np.zeros(size, LONG)
    for _ in range(4):
        x = x + solve((aims - apply(x)).astype(np.float64))
    return x
